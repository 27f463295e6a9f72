# shellcheck shell=bash
# The checks behind the steps of scripts/test that are more than one command.

clippy() { cargo clippy --locked --workspace --all-targets "$@" -- -D warnings; }

# What runs there: the library with all that it is made of, and the tests of the backend that no other machine has.
clippy_for_phones() { cargo clippy --locked -p exo-mobile -p exo-gpu -p exo-models --all-targets "$@" -- -D warnings; }

# What computes and what decides. The node's driver needs a C compiler for that target (zenoh's configuration parser).
check_windows() {
    local target=x86_64-pc-windows-msvc
    cargo check --locked --target "$target" -p exo-gpu -p exo-wire &&
        cargo check --locked --target "$target" -p exo-node --no-default-features
}

# Our own files, by find's rules: without git, so that a copy of the tree can be tested too.
our_files() {
    find . \( -name target -o -name .git -o -name .tools -o -name .venv \) -prune -o -type f \( "$@" \) -print
}

# What people would copy.
examples_in_documentation() { cargo test --locked "${TOGETHER[@]}" --doc; }

documentation() { RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps; }

# Every file that starts as a bash script, wherever it lies, with the files that it sources.
shell_scripts() {
    if ! command -v shellcheck >/dev/null; then
        skip 'shellcheck' 'it is not installed; brew install shellcheck'
        return
    fi
    step 'shellcheck' shellcheck_all
}

shellcheck_all() {
    our_files -perm -u+x -o -name '*.sh' | xargs grep -lE '^#!/.*[/ ](ba)?sh$' | xargs shellcheck --check-sourced
}

# Relative links in Markdown must lead to files; links to the web are not followed.
links_lead_somewhere() {
    local file link checked=0 broken=0
    while IFS=: read -r file link; do
        link="${link#](}" link="${link%)}" link="${link%%#*}"
        case "$link" in '' | *://* | mailto:*) continue ;; esac
        checked=$((checked + 1))
        [ -e "$(dirname "$file")/$link" ] || { echo "$file: no such file: $link" && broken=1; }
    done < <(our_files -name '*.md' | xargs grep -o '](\([^) ]*\))' /dev/null)
    echo "$checked links were followed"
    [ "$broken" -eq 0 ] && [ "$checked" -gt 0 ]
}

# A change in one backend shows where its twin is.
backends_mirror() {
    local backend file missing=0
    for backend in vulkan metal cpu; do
        for file in mod instance device memory command pipeline; do
            file="sdk-core/gpu/src/$backend/$file.rs"
            [ -f "$file" ] || { echo "missing: $file" && missing=1; }
        done
    done
    return $missing
}

# The benchmarks and the fuzz targets have lock files of their own, and their next run is far away.
lock_files_are_current() {
    local manifest
    for manifest in Cargo.toml bench/Cargo.toml tests/fuzz/Cargo.toml; do
        cargo metadata --locked --format-version 1 --manifest-path "$manifest" >/dev/null || {
            echo "the lock file of $manifest is old: run 'cargo metadata --manifest-path $manifest' and commit it"
            return 1
        }
    done
}

# One idea a file. Snapshots and recorded data are not written by people, so they may be long.
files_stay_short() {
    local lines file long=0
    while read -r lines file; do
        [ "$file" = total ] || [ "$lines" -le 600 ] || { echo "$file has $lines lines, 600 is the limit" && long=1; }
    done < <(our_files -name '*.rs' -o -name '*.wgsl' -o -path './scripts/*' | xargs wc -l)
    return $long
}

# Whether it answers rightly is for the tests to say.
a_vulkan_device_answers() {
    local file output
    for file in ${VK_DRIVER_FILES//:/ }; do
        [ -e "$file" ] || echo "VK_DRIVER_FILES names $file, which does not exist."
    done
    # A driver that was only just installed is read from the disk the first time, which may take its 2.5 s and longer.
    output="$(doctor EXO_GPU=vulkan)"
    grep -q '^Self-tests' <<<"$output" || output="$(doctor EXO_GPU=vulkan)"
    echo "$output"
    ! grep -q '^Self-tests' <<<"$output" || return 0
    echo "There is no Vulkan device, so the GPU tests cannot mean anything: none of them was run."
    echo "Unset VK_DRIVER_FILES to use lavapipe, or name a driver that works here."
    return 1
}

# doctor SETTING...: the doctor with these environment variables; what it remembers stays out of the user's home.
doctor() { build_ours && env XDG_DATA_HOME="$ROOT/target/test-data" "$@" "$BUILT/exo-phone" doctor; }

# Runs arm64 code on this machine: linked by Rust's own linker, run by qemu. libloading asks for libdl, which musl
# keeps inside its libc: an empty archive answers.
under_qemu() {
    mkdir -p "$ROOT/target/qemu"
    printf '!<arch>\n' >"$ROOT/target/qemu/libdl.a"
    env CARGO_BUILD_TARGET=aarch64-unknown-linux-musl \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=rust-lld \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUSTFLAGS="-Lnative=$ROOT/target/qemu" \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER=qemu-aarch64 "$@"
}

# Every byte watched. Blocks that are still reachable at the end are the driver's own; what is lost is an error, and
# so is every read or write outside a block (tests/valgrind.supp names the one exception).
under_valgrind() {
    local host
    host="$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')"
    env "CARGO_TARGET_${host}_RUNNER=valgrind --quiet --error-exitcode=99 --leak-check=full
        --show-leak-kinds=definite --errors-for-leak-kinds=definite --suppressions=$ROOT/tests/valgrind.supp" "$@"
}

# Rust's interpreter finds undefined behaviour in unsafe code that needs no driver.
under_miri() {
    RUSTUP_TOOLCHAIN=nightly MIRIFLAGS=-Zmiri-disable-isolation cargo miri "$@"
}

release_size() {
    cargo build --locked --release -p exo-phone
    du -k "${CARGO_TARGET_DIR:-target}/release/exo-phone" | awk '{ printf "%.2f MB\n", $1 / 1000 }'
}

# Our reading of exo's rules beside exo's own verdicts, line by line.
verdicts_agree() {
    local file
    build_examples verdict || return
    for file in tests/vectors/exo/strictness*.jsonl; do
        "$BUILT/examples/verdict" "$file" >target/verdicts.jsonl || return
        python3 - "$file" target/verdicts.jsonl <<'PYTHON' || return
import json, sys
theirs, ours = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
wrong = [t["name"] for t, o in zip(theirs, ours, strict=True) if t["accept"] != o["accept"]]
print(f"{sys.argv[1]}: {len(theirs) - len(wrong)} of {len(theirs)} agree", *wrong, sep="\n  ")
sys.exit(bool(wrong))
PYTHON
    done
}

simulation() { cargo run --locked --quiet --profile sim -p exo-sim -- "$@"; }

# python_tests FOLDER: pytest in the environment that setup made, with the program that it runs in namespaces and with
# what the simulation published.
python_tests() {
    build_ours || return
    EXO_PHONE="$BUILT/exo-phone" EXO_SIM_DUMP="$ROOT/target/sim-dump.jsonl" \
        quietly "$TOOLS/python/bin/pytest" -q "$1"
}

# The planner as people call it, beside a model that shares no code with it.
placements_against_cp_sat() {
    cargo build --locked --profile sim -p exo-telemetry --example place || return
    EXO_PLACE="${CARGO_TARGET_DIR:-$ROOT/target}/sim/examples/place" \
        "$TOOLS/placement/bin/pytest" -q -p no:cacheprovider --noconftest tests/placement
}

# What the SDK measures of wires that we make: the truth is what `tc` was told.
links_of_a_known_rate() {
    build_examples link_probe || return
    LINK_PROBE="$BUILT/examples/link_probe" quietly "$TOOLS/python/bin/pytest" -q tests/topology
}

# shellcheck shell=bash
# What `./scripts/bench ffi` measures, built: the release library, programs in Kotlin, Swift and Python that use it as apps
# do, UniFFI's own libraries beside it, and the library for arm64. Needs native.sh, kotlin.sh, swift.sh and
# android_library.sh.

BENCH_FFI="$ROOT/target/bench-ffi"
RELEASE_DIR="$ROOT/target/release"

# bench_ffi_build OPTION...: what the rows of these options need.
bench_ffi_build() {
    mkdir -p "$BENCH_FFI"
    say "bench: building the release library, and UniFFI's own to compare it with (minutes, once)"
    (cd "$ROOT" && CARGO_TARGET_DIR="$ROOT/target" cargo build --quiet --locked --release -p exo-mobile)
    (cd "$ROOT/bench" && cargo build --quiet --locked --release -p bench-empty -p bench-plain)
    bench_ffi_program kotlin
    bench_ffi_program swift
    bench_ffi_program numpy
    bench_ffi_wants P12 "$@" || return 0
    say "bench: weighing the library for arm64 (minutes, once)"
    # Too large or not, its weight is shown.
    arm64_library_size || true
}

# bench_ffi_wants ROW OPTION...: whether this row is asked for.
bench_ffi_wants() { [[ " ${*:2} " != *' --only '* || " ${*:2} " == *" --only $1 "* ]]; }

# bench_ffi_program NAME: never fatal. The benchmark shows the end of its log in the rows that it cannot run.
bench_ffi_program() {
    local log="$ROOT/bench/target/peers/$1.log"
    mkdir -p "${log%/*}"
    say "bench: making ready: $1"
    "bench_ffi_$1" >"$log" 2>&1 || say "bench: cannot be had: $1 ($log)"
}

bench_ffi_kotlin() {
    local library
    rm -rf "$BENCH_FFI/bindings"
    kotlin_bindings || return
    for library in bench_empty bench_plain; do
        (cd "$ROOT" && cargo run --locked --quiet -p exo-bindgen -- generate --language kotlin --no-format \
            --out-dir "$BENCH_FFI/bindings" "$ROOT/bench/target/release/lib$library.so") || return
    done
    (cd "$ROOT/bench/ffi/kotlin" && maven compile)
}

# A package of its own, as an app would be.
bench_ffi_swift() {
    local room="$BENCH_FFI/swift"
    mkdir -p "$room"
    cp "$ROOT/bench/ffi/swift/Serve.swift" "$room/"
    sed "s|@ROOT@|$ROOT|" "$ROOT/bench/ffi/swift/Package.swift.in" >"$room/Package.swift"
    in_swift swift build --configuration release --package-path "$room" --scratch-path "$room/build" \
        -Xlinker "-L$RELEASE_DIR" -Xlinker -rpath -Xlinker "$RELEASE_DIR"
}

# The package as its wheel has it, with the release library.
bench_ffi_numpy() {
    local package="$BENCH_FFI/python/exo_mobile"
    "$ROOT/bench/peers/install" python && bindings python "$ROOT/target/bindings/python" || return
    rm -rf "$package" && mkdir -p "$package"
    cp "$ROOT"/python/src/exo_mobile/[!_]*.py "$ROOT/python/src/exo_mobile/__init__.py" "$package/"
    cp "$ROOT/target/bindings/python/exo_mobile.py" "$package/_core.py"
    cp "$RELEASE_DIR/libexo_mobile.so" "$package/"
}

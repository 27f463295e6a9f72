# shellcheck shell=bash
# libexo_mobile for Android devices, as they download it. With an NDK it is real; without one it is linked all the same, to
# weigh and check it, and must not be shipped. Wants common.sh.

ANDROID_ABIS="$ROOT/scripts/lib/android_abis.txt"
# Android 8.
ANDROID_MIN_SDK=26
# Pages of 16 KiB, functions that came out the same folded into one, relocations packed and names hashed as Android 6 and
# later read them.
ANDROID_LINKING='-zmax-page-size=16384 --icf=all --pack-dyn-relocs=android --hash-style=gnu'
# Tables that unwind from calls, where a panic comes from, and not from every instruction; and no place in the source beside
# each panic, which nobody would see in an app.
ANDROID_CODE='-Zuse-sync-unwind=yes -Zlocation-detail=none'
# A sequence that many functions share becomes one of its own, which costs 38 bytes of tables for unwinding: LLVM does not
# count them. Said to the last step alone, which generates all code.
ANDROID_LAST='-Cllvm-args=-outliner-benefit-threshold=48'

# android_abi ABI COLUMN: a word of its line in the list.
android_abi() { awk -v abi="$1" -v column="$2" '$1 == abi { print $column }' "$ANDROID_ABIS"; }

# Where the NDK is, if there is one.
android_ndk() { printf '%s\n' "${ANDROID_NDK_HOME:-${ANDROID_NDK_ROOT:-}}"; }

# android_library_path ABI: where cargo puts it.
android_library_path() { echo "$ROOT/target/small/$(android_abi "$1" 2)/phone/libexo_mobile.so"; }

# android_library ABI: all of the core in one shared library, with Rust's standard library built for size too
# (docs/adr/0010-a-small-library.md). In a shell of its own, so that what is wrong ends this and not a whole run of tests.
android_library() (
    local target variable linker flags
    target="$(android_abi "$1" 2)"
    [ -n "$target" ] || die "there is no ABI $1" "choose of: $(awk '!/^#/ { printf "%s ", $1 }' "$ANDROID_ABIS")"
    if [ -n "$(android_ndk)" ]; then link_with_ndk "$1"; else link_without_ndk; fi
    variable="CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<<"$target")"
    cd "$ROOT" && env EXO_LINKER="$linker" "${variable}_LINKER=$ROOT/scripts/lib/phone-linker" \
        "${variable}_RUSTFLAGS=$flags $ANDROID_CODE" RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$ROOT/target/small" \
        cargo rustc --locked --profile phone -p exo-mobile --lib --crate-type cdylib --target "$target" \
        -Zbuild-std=std,panic_unwind -Zbuild-std-features=optimize_for_size -- "$ANDROID_LAST"
)

# The NDK's clang links, for the oldest Android that we run on. Says the linker and its flags, as the next one does.
link_with_ndk() {
    local ndk
    ndk="$(android_ndk)"
    linker="$(compgen -G "$ndk/toolchains/llvm/prebuilt/*/bin/$(android_abi "$1" 3)$ANDROID_MIN_SDK-clang" | head -n 1)"
    [ -n "$linker" ] || die "no clang for $1 and Android API $ANDROID_MIN_SDK is in $ndk" \
        "set ANDROID_NDK_HOME to the folder of an NDK, version 26 or later, or unset it to do without"
    # shellcheck disable=SC2086 # a list of options, apart
    flags="$(printf -- '-Clink-arg=-Wl,%s ' $ANDROID_LINKING)"
}

# Rust's own linker. The system's libraries are empty archives here: what they bring stays undefined. Whether Android has
# it is looked up instead (scripts/lib/android_names.txt).
link_without_ndk() {
    local library stubs="$ROOT/target/footprint"
    mkdir -p "$stubs"
    for library in c m dl log unwind gcc; do printf '!<arch>\n' >"$stubs/lib$library.a"; done
    linker=rust-lld
    # shellcheck disable=SC2086 # a list of options, apart
    flags="-Clinker-flavor=ld.lld -Lnative=$stubs $(printf -- '-Clink-arg=%s ' $ANDROID_LINKING)"
}

# What the arm64 library weighs, for scripts/test.
arm64_library_size() {
    local limit size
    limit="$(android_abi arm64-v8a 4)"
    android_library arm64-v8a || return
    size="$(wc -c <"$(android_library_path arm64-v8a)")"
    awk -v size="$size" -v limit="$limit" 'BEGIN { printf "%.2f MB, of %.2f MB allowed\n", size / 1e6, limit / 1e6 }'
    [ "$size" -le "$limit" ]
}

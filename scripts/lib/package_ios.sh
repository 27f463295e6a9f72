# shellcheck shell=bash
# The core for Apple's systems: an XCFramework, which Package.swift takes from a release.
#
#   scripts/package ios [--out DIR] [--url URL]      for a release
#   scripts/package ios --local                      for an app on this Mac, such as sample-ios
#
# On a Mac it is built and packed, and swift/release.json and one line of Package.swift say where it will lie: commit both
# with the release, and put the zip there. With --local nothing is released: Package.swift takes what was built here, until
# `git checkout Package.swift`. On Linux, where no linker of Apple's is, everything around that is done and checked with the archive for
# the iPhone, which needs no SDK; what comes out is named a stand-in, and is not for phones.

for needed in rust packages native swift; do
    # shellcheck source=/dev/null
    . "$ROOT/scripts/lib/$needed.sh"
done

# The folder of each slice in the XCFramework, its platform, and Rust's targets for it.
APPLE_SLICES='ios-arm64                  ios            aarch64-apple-ios
ios-arm64_x86_64-simulator ios-simulator  aarch64-apple-ios-sim x86_64-apple-ios
macos-arm64_x86_64         macos          aarch64-apple-darwin x86_64-apple-darwin'

# The oldest systems, as Package.swift says.
OLDEST_IOS=16 OLDEST_MACOS=13

APPLE_HEADERS="$ROOT/swift/Sources/ExoMobileFFI/ExoMobileFFI.h $ROOT/sdk-core/ffi/include/exo_mobile_bytes.h"

package_ios() {
    local out="$ROOT/target/package/ios" url='' release="$ROOT/swift/release.json" version
    version="$(sed -n 's/^version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml" | head -n 1)"
    while [ $# -gt 0 ]; do
        case "$1" in
            --out) out="${2:-}" && shift ;;
            --url) url="${2:-}" && shift ;;
            --local) release='' ;;
            *) die "unknown option: $1" "scripts/package ios [--local] [--out DIR] [--url URL]" ;;
        esac
        shift
    done
    [ -n "$out" ] || die "--out needs a folder" "scripts/package ios --out DIR"
    [ -n "$url" ] || url="$(apple_release_url "$version")"
    "$ROOT/scripts/setup" --quiet swift || return
    mkdir -p "$out" || die "the folder $out cannot be made" "name another: scripts/package ios --out DIR"
    out="$(cd "$out" && pwd)"
    [ -n "$release" ] || [ "${out#"$ROOT"/}" != "$out" ] ||
        die "a package can only take an XCFramework of its own folder" "leave --out away with --local"
    if on_macos; then
        apple_release "$out" "$url" "$version" "$release"
    else
        apple_rehearsal "$out" "$url" "$version" || return
        say "What only a Mac can do: link the other slices (lipo), make the XCFramework (xcodebuild), and build an app on it."
        say "There: scripts/package ios"
    fi
}

apple_release_url() {
    local repository
    repository="$(sed -n 's/^repository = "\(.*\)"/\1/p' "$ROOT/Cargo.toml" | head -n 1)"
    echo "$repository/releases/download/v$1/ExoMobileFFI.xcframework.zip"
}

# ---- on a Mac ----

# apple_release OUT URL VERSION RELEASE: RELEASE is the file for Package.swift; none for what stays here.
apple_release() {
    local out="$1" framework="$1/ExoMobileFFI.xcframework" folder platform targets target archives arguments=()
    for tool in lipo xcodebuild python3; do
        command -v $tool >/dev/null || die "$tool is not here" "install Xcode, and run: xcode-select --install"
    done
    # shellcheck disable=SC2046 # a list of targets, apart
    need_rust $(awk '{ for (i = 3; i <= NF; i++) print $i }' <<<"$APPLE_SLICES")
    apple_headers "$out/headers"
    while read -r folder platform targets; do
        archives=()
        for target in $targets; do
            apple_archive phone "$target" || return
            # shellcheck disable=SC2086 # a list of files, apart
            python3 "$ROOT/scripts/lib/macho.py" check "$(apple_archive_path phone "$target")" \
                "$platform" "$(apple_oldest "$platform")" $APPLE_HEADERS || return
            archives+=("$(apple_archive_path phone "$target")")
        done
        mkdir -p "$out/slices/$folder"
        if [ ${#archives[@]} -eq 1 ]; then
            cp "${archives[0]}" "$out/slices/$folder/libexo_mobile.a"
        else
            lipo -create "${archives[@]}" -output "$out/slices/$folder/libexo_mobile.a" || return
        fi
        arguments+=(-library "$out/slices/$folder/libexo_mobile.a" -headers "$out/headers")
    done <<<"$APPLE_SLICES"
    # xcodebuild refuses to write over one that is there.
    rm -rf "$framework"
    xcodebuild -create-xcframework "${arguments[@]}" -output "$framework" || return
    apple_pack "$framework" "$2" "$3" "$out/release.json" || return
    say "made: $framework"
    if [ -z "$4" ]; then
        apple_choose "${framework#"$ROOT"/}" "$ROOT/Package.swift" &&
            say "Package.swift takes it now; 'git checkout Package.swift' takes that back"
        return
    fi
    cp "$out/release.json" "$4" && apple_choose "$4" "$ROOT/Package.swift" &&
        say "made: $framework.zip, for $2" &&
        say "swift/release.json and Package.swift name it: commit both with the release"
}

# ---- on Linux ----

# apple_rehearsal OUT URL VERSION: the same layout, with a real archive for the iPhone and empty ones for the rest.
apple_rehearsal() {
    local framework="$1/stand-in/ExoMobileFFI.xcframework" folder platform targets
    apple_archive dev aarch64-apple-ios &&
        apple_archive_is_whole &&
        apple_frameworks_are_linked &&
        apple_privacy_is_told || return
    rm -rf "$1/stand-in"
    while read -r folder platform targets; do
        mkdir -p "$framework/$folder"
        apple_headers "$framework/$folder/Headers"
        printf '!<arch>\n' >"$framework/$folder/libexo_mobile.a"
    done <<<"$APPLE_SLICES"
    cp "$(apple_archive_path dev aarch64-apple-ios)" "$framework/ios-arm64/libexo_mobile.a"
    python3 "$ROOT/scripts/lib/xcframework.py" describe "$framework" &&
        apple_pack "$framework" "$2" "$3" "$1/stand-in/release.json" &&
        apple_zip_is_reproducible "$framework" &&
        apple_module_is_found &&
        apple_manifest_takes "$1/stand-in/release.json" &&
        say "checked: $framework (a stand-in, not for phones)"
}

apple_archive_is_whole() {
    # shellcheck disable=SC2086 # a list of files, apart
    python3 "$ROOT/scripts/lib/macho.py" check "$(apple_archive_path dev aarch64-apple-ios)" ios "$(apple_oldest ios)" $APPLE_HEADERS
}

# An archive cannot say which frameworks it calls, so Package.swift does; rustc knows.
apple_frameworks_are_linked() {
    local told framework missing=0
    told="$(cat "$(apple_archive_path dev aarch64-apple-ios).needs")"
    echo "rustc says: $told"
    grep -q -- '-framework' <<<"$told" || { echo "rustc names no framework, so this check sees nothing" && return 1; }
    while read -r _ framework; do
        grep -q "linkedFrameworks.*\"$framework\"" "$ROOT/Package.swift" ||
            { echo "Package.swift does not link $framework, which the core calls" && missing=1; }
    done < <(grep -o -- '-framework [A-Za-z]*' <<<"$told" | sort -u)
    return $missing
}

# What the App Store wants a reason for, if the core calls it: the privacy manifest has one. The lists are Apple's.
apple_privacy_is_told() {
    local calls category names name found missing=0 manifest="$ROOT/swift/Sources/ExoMobile/PrivacyInfo.xcprivacy"
    calls="$(python3 "$ROOT/scripts/lib/macho.py" undefined "$(apple_archive_path dev aarch64-apple-ios)")" || return
    while read -r category names; do
        found=''
        for name in $names; do ! grep -qx "_$name" <<<"$calls" || found+=" $name"; done
        echo "$category:${found:- nothing}"
        [ -z "$found" ] || grep -q "NSPrivacyAccessedAPICategory$category" "$manifest" ||
            { echo "the core calls$found, and PrivacyInfo.xcprivacy gives no reason of $category" && missing=1; }
    done <<'LISTS'
FileTimestamp stat fstat fstatat lstat getattrlist getattrlistbulk fgetattrlist getattrlistat
SystemBootTime mach_absolute_time
DiskSpace statfs statvfs fstatfs fstatvfs
LISTS
    return $missing
}

apple_zip_is_reproducible() {
    local again="$1.again.zip"
    find "$1" -exec touch -d '2001-01-01' {} + &&
        python3 "$ROOT/scripts/lib/xcframework.py" zip "$1" "$again" &&
        cmp "$1.zip" "$again" && rm "$again"
}

# The generated code compiles on the headers as they lie in the XCFramework; and the scanner of explicit modules, which
# Xcode 26 uses, finds the module too. (The scanner does not get through Linux's own Foundation, so it sees one line.)
apple_module_is_found() {
    local line="$SWIFT_BUILD/module-is-found.swift" headers="$SWIFT_BUILD/headers"
    mkdir -p "$SWIFT_BUILD" && apple_headers "$headers"
    echo 'import ExoMobileFFI; let about = uniffi_exo_mobile_checksum_func_about' >"$line"
    in_swift swiftc -typecheck -swift-version 5 -module-name ExoMobileCore -I "$headers" "$SWIFT_GENERATED" &&
        in_swift swiftc -typecheck -explicit-module-build -I "$headers" "$line"
}

# apple_manifest_takes RELEASE: told of this release, Package.swift has a binary target, and for cargo it has none.
apple_manifest_takes() {
    local room="$SWIFT_BUILD/release-manifest" before after
    rm -rf "$room" && mkdir -p "$room" && cp "$ROOT/Package.swift" "$room/"
    before="$(apple_manifest "$room" cargo)" || return
    apple_choose "$1" "$room/Package.swift" || return
    after="$(apple_manifest "$room" chosen)" || return
    in_swift swift format lint --strict --configuration swift/.swift-format "$room/Package.swift" || return
    python3 - "$1" "$before" "$after" <<'PYTHON'
import json, sys
told = json.load(open(sys.argv[1]))
before, after = ({target["name"]: target for target in json.loads(text)["targets"]} for text in sys.argv[2:])
core = after["ExoMobileFFI"]
assert before["ExoMobileFFI"]["type"] == "system", before["ExoMobileFFI"]
assert (core["type"], core["url"], core["checksum"]) == ("binary", told["url"], told["checksum"]), core
print(f"in a release, Package.swift takes {core['url']}")
PYTHON
}

apple_manifest() { in_swift env EXO_MOBILE_CORE="$2" swift package --package-path "$1" dump-package; }

# ---- on both ----

# apple_choose RELEASE|XCFRAMEWORK MANIFEST
apple_choose() { python3 "$ROOT/scripts/lib/xcframework.py" choose "$1" "$2"; }

# apple_archive PROFILE TARGET: the core as an archive. Beside it, what rustc says it needs of the system. No SDK is asked
# for: nothing is linked. Paths of this machine are left out, so that the same source gives the same bytes.
apple_archive() {
    local archive small=() settings=() remap
    archive="$(apple_archive_path "$1" "$2")"
    remap="--remap-path-prefix=$ROOT=/exo-mobile --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
    remap+=" --remap-path-prefix=${RUSTUP_HOME:-$HOME/.rustup}=/rustup"
    # What ships has a standard library that was built for size (docs/adr/0010-a-small-library.md).
    # What is only looked at is never run.
    if [ "$1" = dev ]; then
        settings=(CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0)
    else
        settings=(RUSTC_BOOTSTRAP=1)
        small=('-Zbuild-std=std,panic_unwind' -Zbuild-std-features=optimize_for_size)
    fi
    mkdir -p "$(dirname "$archive")"
    (cd "$ROOT" && env IPHONEOS_DEPLOYMENT_TARGET=$OLDEST_IOS.0 MACOSX_DEPLOYMENT_TARGET=$OLDEST_MACOS.0 \
        RUSTFLAGS="${RUSTFLAGS:-} $remap" "${settings[@]}" \
        cargo rustc --locked --lib --crate-type staticlib --no-default-features -p exo-mobile --profile "$1" --target "$2" \
        ${small[@]+"${small[@]}"} -- --print "native-static-libs=$archive.needs")
}

# apple_archive_path PROFILE TARGET
apple_archive_path() {
    local folder="$1"
    [ "$1" != dev ] || folder=debug
    echo "${CARGO_TARGET_DIR:-$ROOT/target}/$2/$folder/libexo_mobile.a"
}

apple_oldest() { if [ "$1" = macos ]; then echo $OLDEST_MACOS; else echo $OLDEST_IOS; fi; }

# apple_headers FOLDER: the headers of a slice. No `link` in this module map: whoever takes an XCFramework links it.
apple_headers() {
    rm -rf "$1" && mkdir -p "$1/ExoMobileFFI"
    # shellcheck disable=SC2086 # a list of files, apart
    cp $APPLE_HEADERS "$1/ExoMobileFFI/"
    cat >"$1/ExoMobileFFI/module.modulemap" <<'MAP'
module ExoMobileFFI {
    header "ExoMobileFFI.h"
    header "exo_mobile_bytes.h"
    export *
}
MAP
}

# apple_pack XCFRAMEWORK URL VERSION RELEASE: the zip beside it, and where it will lie.
apple_pack() {
    python3 "$ROOT/scripts/lib/xcframework.py" verify "$1" &&
        python3 "$ROOT/scripts/lib/xcframework.py" zip "$1" "$1.zip" &&
        python3 "$ROOT/scripts/lib/xcframework.py" release "$1.zip" "$2" "$3" "$4"
}

# shellcheck shell=bash
# The Swift package: its toolchain, its checks and its tests.

# Debian's Swift, where there is none on PATH. See scripts/lib/in-swift.
SWIFT_ROOM="$TOOLS/swift"
SWIFT_BUILD="${CARGO_TARGET_DIR:-$ROOT/target}/swift"
SWIFT_GENERATED="$ROOT/swift/Sources/ExoMobileCore/ExoMobileCore.swift"
SWIFT_HEADER="$ROOT/swift/Sources/ExoMobileFFI/ExoMobileFFI.h"

# Debian's `swift` is a link that leads somewhere only inside the room.
has_swift_room() { [ -h "$SWIFT_ROOM/usr/bin/swift" ]; }

# Swift 6 on PATH.
has_swift() { grep -qE 'Swift version ([6-9]|[1-9][0-9])\.' <<<"$(swift --version 2>/dev/null)"; }

in_swift() { "$ROOT/scripts/lib/in-swift" "$@"; }

# want_swift, then install_packages, then need_swift.
want_swift() { on_macos || has_swift || has_swift_room || want_command mmdebstrap mmdebstrap; }

need_swift() {
    if has_swift || has_swift_room; then return; fi
    ! on_macos || die "Swift 6 is not installed" "install Xcode 16 or later"
    as_root true || die "Swift 6 is not installed, and only root can make a room for Debian's" \
        "install Swift 6 as swift.org says, or run ./scripts/setup swift as root"
    say "setup: Debian's Swift into .tools/swift (a minute or two, 2.6 GB, once)"
    as_root rm -rf "$SWIFT_ROOM.new"
    as_root mmdebstrap --quiet --variant=apt --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --include=swiftlang,libc6-dev,libstdc++-14-dev,git,ca-certificates trixie "$SWIFT_ROOM.new" ||
        die "Debian's Swift could not be installed" "install Swift 6 as swift.org says"
    as_root mv "$SWIFT_ROOM.new" "$SWIFT_ROOM"
}

# swift_package COMMAND...: `swift COMMAND` for our package, with the library that cargo built.
swift_package() {
    in_swift swift "$1" --scratch-path "$SWIFT_BUILD" \
        -Xlinker "-L$NATIVE_DIR" -Xlinker -rpath -Xlinker "$NATIVE_DIR" "${@:2}"
}

# Our own files; the generated ones are not for people, and the stubs have names that are not ours.
swift_files() { find Package.swift swift -name "*.swift" ! -path "*/ExoMobileCore/*"; }

swift_formatting() {
    # shellcheck disable=SC2046 # a list of files, apart
    in_swift swift format lint --strict --parallel --configuration swift/.swift-format $(swift_files)
}

swift_build() { native_library && swift_package build --build-tests -Xswiftc -warnings-as-errors; }

# What is generated is committed, because who uses the package has no generator. It must be what the core says now.
swift_generated_code_is_current() {
    local fresh="$SWIFT_BUILD/generated"
    swift_generate "$fresh" &&
        diff -u "$SWIFT_GENERATED" "$fresh/ExoMobileCore.swift" &&
        diff -u "$SWIFT_HEADER" "$fresh/ExoMobileFFI.h" && return
    echo "the core's surface changed: run 'scripts/lib/swift-update', look at the difference and commit it"
    return 1
}

swift_generate() {
    rm -rf "$1" && mkdir -p "$1" && bindings swift "$1" &&
        # Nothing at the end of a line, and one line at the end.
        sed -i.bak -e 's/[[:space:]]*$//' "$1/ExoMobileCore.swift" "$1/ExoMobileFFI.h"
}

# All of it through the real library, with the peer that plays exo beside it. The runner's last line is counted, since a
# test that ends the process would pass unseen.
swift_tests() {
    local log="$SWIFT_BUILD/tests.log" status
    swift_build || return
    swift_beside_exo tests env RUST_BACKTRACE=0 swift test --scratch-path "$SWIFT_BUILD" --skip-build --no-parallel "$@" \
        >"$log" 2>&1
    status=$?
    cat "$log"
    swift_test_result "$log" && return $status
}

# The closing line of Swift Testing as one of libtest's, which is what the steps count.
swift_test_result() {
    local total failed skipped
    total="$(sed -n 's/.*Test run with \([0-9][0-9]*\) tests.*/\1/p' "$1" | tail -n 1)"
    failed="$(grep -E '^✘ Test .* failed after' "$1" | grep -cv '^✘ Test run with')"
    skipped="$(grep -cE '^✘ Test .* skipped' "$1")"
    [ -n "$total" ] || { echo 'the tests did not run to their end' && return 1; }
    sed -n 's/^✘ Test \(.*\) skipped.*/test \1 ... ignored, needs Linux/p' "$1"
    echo "test result: $((total - failed - skipped)) passed; $failed failed; $skipped ignored"
}

# swift_beside_exo LOG COMMAND...: on a Mac without exo, because a network of its own needs Linux.
swift_beside_exo() {
    local log="$SWIFT_BUILD/$1-peer.jsonl"
    mkdir -p "$SWIFT_BUILD"
    if on_macos; then
        in_swift "${@:2}"
        return
    fi
    PEER_PYTHON="$TOOLS/python/bin/python" "$ROOT/tests/peer/beside" "$log" "$ROOT/scripts/lib/in-swift" "${@:2}"
}

# The quickstart as people would use it: a package of their own that depends on ours, and those lines, unchanged.
swift_quickstart() {
    local room="$SWIFT_BUILD/quickstart" fence='```'
    mkdir -p "$room/Sources/Quickstart"
    sed -n "/^${fence}swift\$/,/^$fence\$/ { /^$fence/d; p; }" "$ROOT/swift/README.md" >"$room/Sources/Quickstart/main.swift"
    [ "$(wc -l <"$room/Sources/Quickstart/main.swift")" -le 10 ] || { echo 'it has more than ten lines' && return 1; }
    sed "s|@ROOT@|$ROOT|" "$ROOT/swift/Tests/Quickstart.swift.in" >"$room/Package.swift"
    native_library &&
        swift_beside_exo quickstart swift run --package-path "$room" \
            -Xlinker "-L$NATIVE_DIR" -Xlinker -rpath -Xlinker "$NATIVE_DIR" | tee "$room/said.txt" &&
        grep -q 'mac' "$room/said.txt"
}

# Apple's files: their syntax for Apple's triple, and their types against stubs of Apple's modules. What must fail must.
swift_apple_files() {
    local stubs="$SWIFT_BUILD/apple-stubs" module evil
    swift_build >/dev/null || return
    mkdir -p "$stubs"
    in_swift swiftc -parse -target arm64-apple-ios17.0 -swift-version 6 swift/Sources/ExoMobile/Apple/*.swift || return
    for module in tests/apple-stubs/*.swift; do
        in_swift swiftc -emit-module -parse-as-library -swift-version 6 -I "$stubs" \
            -module-name "$(basename "$module" .swift)" -o "$stubs/$(basename "$module" .swift).swiftmodule" "$module" ||
            return
    done
    # shellcheck disable=SC2046 # a list of files, apart
    swift_with_stubs -c -wmo -module-name ExoMobile -emit-module-path "$stubs/ExoMobile.swiftmodule" \
        -o "$stubs/ExoMobile.o" $(find swift/Sources/ExoMobile -name '*.swift') || return
    for evil in tests/apple-stubs/must-fail/*.swift; do
        grep -F "$(sed -n 's|^// error: ||p' "$evil")" <<<"$(swift_with_stubs -typecheck "$evil" 2>&1)" ||
            { echo "$evil does not fail as it must, so this check sees nothing" && return 1; }
    done
}

# The guide's own lines, with Apple's files as stubs, after swift_apple_files.
swift_guide() {
    local file="$SWIFT_BUILD/Guide.swift" fence='```'
    sed -n "/^${fence}swift\$/,/^$fence\$/ { /^$fence/d; p; }" "$ROOT/docs/guide/ios.md" >"$file"
    [ "$(wc -l <"$file")" -ge 50 ] || { echo 'docs/guide/ios.md has hardly any code in it' && return 1; }
    swift_with_stubs -typecheck -parse-as-library -module-name Guide "$file"
}

swift_with_stubs() {
    in_swift swiftc -swift-version 6 -warnings-as-errors -package-name exo-mobile -I "$SWIFT_BUILD/apple-stubs" \
        -I "$SWIFT_BUILD/debug/Modules" -Xcc "-fmodule-map-file=$ROOT/swift/Sources/ExoMobileFFI/module.modulemap" "$@"
}

# What apps see, one line a declaration, Apple's files included. It changes on purpose or not at all.
swift_api_is_unchanged() {
    swift_api >"$SWIFT_BUILD/api.txt" && diff -u swift/api/ExoMobile.txt "$SWIFT_BUILD/api.txt" && return
    echo "what apps see changed: if that is wanted, run 'scripts/lib/swift-update', and tell it in CHANGELOG.md"
    return 1
}

swift_api() {
    local graphs="$SWIFT_BUILD/symbols"
    swift_apple_files >&2 && rm -rf "$graphs" && mkdir -p "$graphs" &&
        in_swift swift symbolgraph-extract -module-name ExoMobile -minimum-access-level public \
            -skip-synthesized-members -skip-inherited-docs \
            -target "$(in_swift swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -n 1)" \
            -I "$SWIFT_BUILD/apple-stubs" -I "$SWIFT_BUILD/debug/Modules" \
            -Xcc "-fmodule-map-file=$ROOT/swift/Sources/ExoMobileFFI/module.modulemap" -output-dir "$graphs" >&2 &&
        python3 scripts/lib/swift_api.py "$graphs/ExoMobile.symbols.json"
}

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
    mkdir -p "$TOOLS"
    as_root rm -rf "$SWIFT_ROOM.new"
    as_root mmdebstrap --quiet --variant=apt --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --include=swiftlang,libc6-dev,libstdc++-14-dev,git,ca-certificates trixie "$SWIFT_ROOM.new" ||
        die "Debian's Swift could not be installed" "install Swift 6 as swift.org says"
    as_root mv "$SWIFT_ROOM.new" "$SWIFT_ROOM"
}

# What the linker needs to find the library that cargo built. It is the one that is tested, whatever was released.
export EXO_MOBILE_CORE=cargo
SWIFT_LINKING=(-Xlinker "-L${NATIVE_DIR:-}" -Xlinker -rpath -Xlinker "${NATIVE_DIR:-}") # setup builds nothing

# Our own files; the generated ones are not for people, and the stubs have names that are not ours.
swift_files() { find Package.swift swift sample-ios -name "*.swift" ! -path "*/ExoMobileCore/*"; }

swift_formatting() {
    # shellcheck disable=SC2046 # a list of files, apart
    in_swift swift format lint --strict --parallel --configuration swift/.swift-format $(swift_files)
}

# swift_build_at SCRATCH [OPTION...]: a package of ours with its tests.
swift_build_at() {
    native_library && in_swift swift build --build-tests --scratch-path "$1" -Xswiftc -warnings-as-errors \
        "${SWIFT_LINKING[@]}" "${@:2}"
}

swift_build() { swift_build_at "$SWIFT_BUILD"; }

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
        sed -i.bak 's/[[:space:]]*$//' "$1/ExoMobileCore.swift" "$1/ExoMobileFFI.h"
}

# swift_tests_at SCRATCH [OPTION...]: all of it through the real library, with the peer that plays exo beside it. The
# runner's last line is counted, since a test that ends the process would pass unseen.
swift_tests_at() {
    local log="$1/tests.log" status
    swift_build_at "$@" || return
    swift_beside_exo "$1/peer.jsonl" env RUST_BACKTRACE=0 swift test --scratch-path "$1" --skip-build --no-parallel \
        "${@:2}" >"$log" 2>&1
    status=$?
    cat "$log"
    swift_test_result "$log" && return $status
}

swift_tests() { swift_tests_at "$SWIFT_BUILD"; }

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
    if on_macos; then
        in_swift "${@:2}"
        return
    fi
    PEER_PYTHON="$TOOLS/python/bin/python" "$ROOT/tests/peer/beside" "$1" "$ROOT/scripts/lib/in-swift" "${@:2}"
}

# swift_shown_in README: the lines of Swift in it.
swift_shown_in() {
    local fence='```'
    sed -n "/^${fence}swift\$/,/^$fence\$/ { /^$fence/d; p; }" "$ROOT/$1"
}

# The quickstart as people would use it: a package of their own that depends on ours, and those lines, unchanged.
swift_quickstart() {
    local room="$SWIFT_BUILD/quickstart"
    local program="$room/Sources/Quickstart/main.swift"
    mkdir -p "${program%/*}"
    swift_shown_in swift/README.md >"$program"
    [ "$(wc -l <"$program")" -le 10 ] || { echo 'it has more than ten lines' && return 1; }
    swift_shown_in README.md | diff "$program" - || { echo 'README.md shows another one' && return 1; }
    sed "s|@ROOT@|$ROOT|" "$ROOT/swift/Tests/Quickstart.swift.in" >"$room/Package.swift"
    native_library &&
        swift_beside_exo "$room/peer.jsonl" swift run --package-path "$room" "${SWIFT_LINKING[@]}" | tee "$room/said.txt" &&
        grep -q 'mac' "$room/said.txt"
}

# Apple's files: their syntax for Apple's triple, and their types against stubs of Apple's modules. What must fail must.
swift_apple_files() {
    local stubs="$SWIFT_BUILD/apple-stubs"
    swift_build >/dev/null || return
    mkdir -p "$stubs"
    in_swift swiftc -parse -target arm64-apple-ios17.0 -swift-version 6 swift/Sources/ExoMobile/Apple/*.swift || return
    swift_stub_modules tests/apple-stubs/*.swift || return
    # shellcheck disable=SC2046 # a list of files, apart
    swift_with_stubs -c -wmo -module-name ExoMobile -emit-module-path "$stubs/ExoMobile.swiftmodule" \
        -o "$stubs/ExoMobile.o" $(find swift/Sources/ExoMobile -name '*.swift' ! -path '*.docc/*') || return
    swift_must_fail tests/apple-stubs/must-fail/*.swift
}

# swift_stub_modules FILE...: a module of each, in this order; digits before the name are for the order alone.
swift_stub_modules() {
    local file module
    for file in "$@"; do
        module="$(basename "$file" .swift | sed 's/^[0-9]*-//')"
        in_swift swiftc -emit-module -parse-as-library -swift-version 6 -I "$SWIFT_BUILD/apple-stubs" \
            -module-name "$module" -o "$SWIFT_BUILD/apple-stubs/$module.swiftmodule" "$file" || return
    done
}

# swift_must_fail FILE...: what each says of itself is what the compiler says.
swift_must_fail() {
    local evil
    for evil in "$@"; do
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

# The documentation as Xcode shows it, Apple's files included; a link that leads nowhere is an error. What the tutorial
# shows compiles, step by step.
swift_documentation() {
    local catalog=swift/Sources/ExoMobile/ExoMobile.docc shown
    swift_api >/dev/null && rm -rf "$SWIFT_BUILD/documentation" &&
        swift_docc convert "$catalog" --warnings-as-errors --additional-symbol-graph-dir "$SWIFT_BUILD/symbols" \
            --fallback-display-name ExoMobile --fallback-bundle-identifier dev.exo.mobile \
            --output-path "$SWIFT_BUILD/documentation" || return
    for shown in "$catalog"/Tutorial/Steps/*.swift; do
        swift_with_stubs -typecheck -module-name Tutorial "$shown" || return
    done
}

# Xcode has it on no path, and Swift's own toolchains beside `swift`.
swift_docc() {
    if on_macos; then
        xcrun docc "$@"
        return
    fi
    # shellcheck disable=SC2016 # expanded where swift is
    in_swift bash -c 'exec "$(dirname "$(readlink -f "$(command -v swift)")")/docc" "$@"' docc "$@"
}

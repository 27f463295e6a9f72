# shellcheck shell=bash
# The sample app for the iPhone: what it knows and says runs here, and its screens are type-checked.

SAMPLE_IOS_BUILD="${CARGO_TARGET_DIR:-$ROOT/target}/swift-sample"

# Every state of every screen, through the real library and beside the peer that plays exo.
#
# Swift 6.0 for Linux has an Observation that names a function which is nowhere (only for when a lock fails): the linker is
# told not to mind.
sample_ios_tests() {
    local forgiving=()
    on_macos || forgiving=(-Xlinker --allow-shlib-undefined)
    swift_tests_at "$SAMPLE_IOS_BUILD" --package-path sample-ios/Models ${forgiving[@]+"${forgiving[@]}"}
}

# The screens: their syntax for the iPhone, and their types against stubs of Apple's modules. What must fail must.
sample_ios_screens() {
    local stubs="$SWIFT_BUILD/apple-stubs"
    in_swift swiftc -parse -parse-as-library -target arm64-apple-ios17.0 -swift-version 6 sample-ios/App/*.swift || return
    swift_apple_files && swift_stub_modules tests/apple-stubs/sample/*.swift &&
        swift_with_stubs -emit-module -wmo -module-name SampleModels -o "$stubs/SampleModels.swiftmodule" \
            sample-ios/Models/Sources/SampleModels/*.swift &&
        swift_with_stubs -typecheck -parse-as-library -module-name ExoSample sample-ios/App/*.swift &&
        swift_must_fail tests/apple-stubs/sample/must-fail/*.swift
}

# The app says what iOS asks its owner, and what the search and links need.
sample_ios_settings() {
    python3 - sample-ios/App/Info.plist <<'PYTHON'
import plistlib, sys
told = plistlib.load(open(sys.argv[1], "rb"))
schemes = [scheme for entry in told["CFBundleURLTypes"] for scheme in entry["CFBundleURLSchemes"]]
assert told["NSLocalNetworkUsageDescription"].endswith("."), "why the app searches the local network"
assert told["NSBonjourServices"] == ["_exo._tcp"], told["NSBonjourServices"]
assert schemes == ["exo"], schemes
PYTHON
}

# shellcheck shell=bash
# What is inside: every crate of the library that ships, with version, licence and checksum, as CycloneDX. Wants common.sh
# and rust.sh.

CARGO_CYCLONEDX_VERSION=0.5.9

need_cargo_cyclonedx() {
    [ "$(cargo-cyclonedx cyclonedx --version 2>/dev/null)" != "cargo-cyclonedx-cyclonedx $CARGO_CYCLONEDX_VERSION" ] || return 0
    say "setup: building cargo-cyclonedx $CARGO_CYCLONEDX_VERSION into .tools/ (a minute, once)"
    CARGO_PROFILE_DEV_DEBUG=0 cargo install cargo-cyclonedx --quiet --locked --debug \
        --version "$CARGO_CYCLONEDX_VERSION" --root "$TOOLS" ||
        die "cargo-cyclonedx could not be built" \
            "run: cargo install cargo-cyclonedx --locked --version $CARGO_CYCLONEDX_VERSION"
}

# package_sbom [--out DIR]: of the library on all its platforms, so that one list answers for every file of a release.
package_sbom() {
    local out="$ROOT/target/package/sbom" beside="$ROOT/sdk-core/ffi/exo-mobile.cdx.json"
    case "${1:-}" in
        --out) out="${2:?--out wants a folder}" ;;
        '') ;;
        *) die "unknown option for sbom: $1" "./scripts/package --help" ;;
    esac
    "$ROOT/scripts/setup" --quiet --long workflows || return
    mkdir -p "$out"
    # It writes beside each manifest of the workspace; only the library's own is wanted.
    (cd "$ROOT" && SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" cargo cyclonedx --quiet --format json \
        --spec-version 1.5 --target all --manifest-path sdk-core/ffi/Cargo.toml --override-filename exo-mobile.cdx) || return
    mv "$beside" "$out/"
    find "$ROOT/sdk-core" "$ROOT/tests" -name exo-mobile.cdx.json -delete
    python3 - "$out/exo-mobile.cdx.json" "$ROOT" <<'PYTHON'
import json, pathlib, sys
file, root = pathlib.Path(sys.argv[1]), sys.argv[2]
# Where this copy of the source lies is nobody's affair, and would make two lists of the same source differ.
file.write_text(file.read_text().replace(f"file://{root}/", "file:///exo-mobile/"))
assert root not in file.read_text(), f"the list still names {root}"
sbom = json.loads(file.read_text())
parts = {part["name"]: part for part in sbom["components"]}
nameless = [name for name, part in parts.items() if not part.get("licenses")]
assert {"zenoh", "uniffi", "ash"} <= parts.keys(), f"the list lacks what the library has: {sorted(parts)}"
assert not nameless, f"these have no licence: {nameless}"
print(f"made {file}: {len(sbom['components'])} crates, each with its licence")
PYTHON
}

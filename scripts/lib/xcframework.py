"""An XCFramework of static libraries: its Info.plist, its archive, and the release that names it.

python3 scripts/lib/xcframework.py describe XCFRAMEWORK             writes its Info.plist as xcodebuild would, from its folders
python3 scripts/lib/xcframework.py verify XCFRAMEWORK               each slice is whole, and the Info.plist agrees
python3 scripts/lib/xcframework.py zip XCFRAMEWORK ZIP              the same bytes for the same files, whenever and wherever
python3 scripts/lib/xcframework.py release ZIP URL VERSION JSON     says where a release lies, and its checksum
python3 scripts/lib/xcframework.py choose JSON|PATH MANIFEST        Package.swift takes that release, or the XCFramework there
"""

from __future__ import annotations

import hashlib
import json
import plistlib
import re
import sys
import zipfile
from pathlib import Path

LIBRARY, HEADERS, MODULE = "libexo_mobile.a", "Headers", "ExoMobileFFI"
SLICES = {"ios-arm64", "ios-arm64_x86_64-simulator", "macos-arm64_x86_64"}
# The first moment that a zip can tell.
LONG_AGO = (1980, 1, 1, 0, 0, 0)


def slice_of(folder: str) -> dict:
    """The entry of one slice, by its folder: ios-arm64_x86_64-simulator."""
    platform, architectures, *variant = folder.split("-")
    entry = {
        "BinaryPath": LIBRARY,
        "HeadersPath": HEADERS,
        "LibraryIdentifier": folder,
        "LibraryPath": LIBRARY,
        "SupportedArchitectures": [one for one in ("arm64", "x86_64") if one in architectures],
        "SupportedPlatform": platform,
    }
    return entry | ({"SupportedPlatformVariant": variant[0]} if variant else {})


def describe(framework: Path) -> None:
    slices = sorted(folder.name for folder in framework.iterdir() if folder.is_dir())
    described = {
        "AvailableLibraries": [slice_of(name) for name in slices],
        "CFBundlePackageType": "XFWK",
        "XCFrameworkFormatVersion": "1.0",
    }
    (framework / "Info.plist").write_bytes(plistlib.dumps(described))


def verify(framework: Path) -> int:
    described = plistlib.loads((framework / "Info.plist").read_bytes())
    told = {entry["LibraryIdentifier"]: entry for entry in described["AvailableLibraries"]}
    wrong = []
    if set(told) != SLICES:
        wrong.append(f"its slices are {sorted(told)}, not {sorted(SLICES)}")
    for name, entry in told.items():
        expected = slice_of(name)
        for key in set(expected) - {"BinaryPath"} | {"SupportedPlatformVariant"}:
            value = sorted(entry[key]) if isinstance(entry.get(key), list) else entry.get(key)
            if value != expected.get(key):
                wrong.append(f"{name}: {key} is {value}, not {expected.get(key)}")
        # In a folder that has the module's name, because Xcode puts the headers of all static XCFrameworks of an app
        # into one folder, where two module maps would be one too many; and clang looks there for a module of that name.
        modules = f"{name}/{HEADERS}/{MODULE}"
        headers = ("module.modulemap", f"{MODULE}.h", "exo_mobile_bytes.h")
        needed = [f"{name}/{LIBRARY}", *(f"{modules}/{file}" for file in headers)]
        wrong += [f"{path} is missing" for path in needed if not (framework / path).is_file()]
    print(f"{framework.name}: {len(told)} slices", *wrong, sep="\n  ")
    return int(bool(wrong))


def pack(framework: Path, archive: Path) -> None:
    files = sorted(path for path in framework.rglob("*") if path.is_file())
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(framework.parent).as_posix(), LONG_AGO)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3
            packed.writestr(entry, path.read_bytes())


def release(archive: Path, url: str, version: str, to: Path) -> None:
    told = {"version": version, "url": url, "checksum": hashlib.sha256(archive.read_bytes()).hexdigest()}
    to.write_text(json.dumps(told, indent=2) + "\n")


def choose(what: str, manifest: Path) -> None:
    if what.endswith(".json"):
        told = json.loads(Path(what).read_text())
        core = f'Core.released(\n    url: "{told["url"]}",\n    checksum: "{told["checksum"]}")'
    else:
        core = f'Core.built(path: "{what}")'
    before = r"(?m)^let chosen = Core\.\w+(\([^)]*\))?$"
    text, times = re.subn(before, f"let chosen = {core}", manifest.read_text())
    if times != 1:
        raise SystemExit(f"{manifest} says {times} times 'let chosen = Core.'; it must say so once")
    manifest.write_text(text)


# No `match`: the Python that comes with Xcode is older than that.
COMMANDS = {
    "describe": lambda framework: describe(Path(framework)),
    "verify": lambda framework: verify(Path(framework)),
    "zip": lambda framework, archive: pack(Path(framework), Path(archive)),
    "choose": lambda what, manifest: choose(what, Path(manifest)),
    "release": lambda archive, url, version, to: release(Path(archive), url, version, Path(to)),
}

if __name__ == "__main__":
    command, *arguments = sys.argv[1:] or [""]
    sys.exit(COMMANDS[command](*arguments) if command in COMMANDS else __doc__)

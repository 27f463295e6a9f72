"""Judges an APK as a phone would: apk_check.py APK. Says what is in it, or what is wrong.

Signatures are another's business (SignApk.java); this looks at what must lie where, and at what must be there at all.
"""

import struct
import sys
import zipfile

PAGE = 16384
NAMES = {"AndroidManifest.xml", "resources.arsc", "classes.dex"}
LIBRARIES = {"libexo_mobile.so", "libjnidispatch.so"}


def content_begins(apk, entry: zipfile.ZipInfo) -> int:
    apk.seek(entry.header_offset + 26)
    name, extra = struct.unpack("<HH", apk.read(4))
    return entry.header_offset + 30 + name + extra


def faults(path: str) -> list[str]:
    wrong = []
    with zipfile.ZipFile(path) as archive, open(path, "rb") as raw:
        entries = {entry.filename: entry for entry in archive.infolist()}
        wrong += [f"{name} is missing" for name in sorted(NAMES - entries.keys())]
        abis = {name.split("/")[1] for name in entries if name.startswith("lib/")}
        if not abis:
            wrong.append("there is no native library in it")
        for abi in sorted(abis):
            for library in sorted(LIBRARIES):
                name = f"lib/{abi}/{library}"
                if name not in entries:
                    wrong.append(f"{name} is missing: the app would end at its first call")
                    continue
                if entries[name].compress_type != zipfile.ZIP_STORED:
                    wrong.append(f"{name} is compressed: Android maps it from the file, so it must be stored")
                if content_begins(raw, entries[name]) % PAGE:
                    wrong.append(f"{name} does not begin at a page of 16 KiB")
        dex = b"".join(archive.read(name) for name in entries if name.endswith(".dex"))
        for needed in (b"Ldev/exo/mobile/sample/MainActivity;", b"Ldev/exo/mobile/android/ExoNodeService;", b"Lcom/sun/jna/Native;"):
            if needed not in dex:
                wrong.append(f"the class {needed.decode()} is missing")
    return wrong


def main(path: str) -> None:
    wrong = faults(path)
    for fault in wrong:
        print(f"{path}: {fault}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


main(*sys.argv[1:])

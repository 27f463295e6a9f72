"""What a static library for Apple's systems holds, read without Apple's tools.

python3 scripts/lib/macho.py check ARCHIVE PLATFORM MAJOR HEADER...   each function of the headers is there, and every
                                                                      object is for that platform, MAJOR or older
python3 scripts/lib/macho.py undefined ARCHIVE                        what it calls and does not hold, one name a line
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAGIC_64 = 0xFEEDFACF
LC_SYMTAB, LC_BUILD_VERSION, LC_VERSION_MIN_MACOSX, LC_VERSION_MIN_IPHONEOS = 0x2, 0x32, 0x24, 0x25
N_STAB, N_TYPE, N_EXT, N_SECT = 0xE0, 0x0E, 0x01, 0x0E
PLATFORMS = {1: "macos", 2: "ios", 7: "ios-simulator"}


@dataclass
class Object:
    """One object file of an archive."""

    name: str
    platform: str | None = None
    minimum: int = 0
    defined: set[str] = field(default_factory=set)
    undefined: set[str] = field(default_factory=set)


def members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of an ar archive, with names as BSD and as GNU write long ones."""
    if not archive.startswith(b"!<arch>\n"):
        raise SystemExit("this is no archive; one that lipo made of several must be taken apart first")
    at, long_names = 8, b""
    while at + 60 <= len(archive):
        name = archive[at : at + 16].decode().rstrip()
        size = int(archive[at + 48 : at + 58])
        body = archive[at + 60 : at + 60 + size]
        if name.startswith("#1/"):
            length = int(name[3:])
            name, body = body[:length].rstrip(b"\0").decode(), body[length:]
        elif name == "//":
            long_names = body
        elif re.fullmatch(r"/\d+", name):
            name = long_names[int(name[1:]) :].split(b"/\n")[0].decode()
        yield name, body
        at += 60 + size + size % 2


def read(name: str, body: bytes) -> Object | None:
    """What a Mach-O file says of itself; none for another file."""
    if len(body) < 32 or struct.unpack_from("<I", body)[0] != MAGIC_64:
        return None
    found = Object(name)
    at = 32
    for _ in range(struct.unpack_from("<I", body, 16)[0]):
        command, size = struct.unpack_from("<II", body, at)
        if command == LC_BUILD_VERSION:
            platform, minimum = struct.unpack_from("<II", body, at + 8)
            found.platform, found.minimum = PLATFORMS.get(platform, str(platform)), minimum >> 16
        elif command in (LC_VERSION_MIN_MACOSX, LC_VERSION_MIN_IPHONEOS):
            found.platform = "macos" if command == LC_VERSION_MIN_MACOSX else "ios"
            found.minimum = struct.unpack_from("<I", body, at + 8)[0] >> 16
        elif command == LC_SYMTAB:
            symbols(body, *struct.unpack_from("<IIII", body, at + 8), found)
        at += size
    return found


def symbols(body: bytes, at: int, count: int, strings: int, size: int, found: Object) -> None:
    names = body[strings : strings + size]
    for entry in range(count):
        offset, kind, _, _, _ = struct.unpack_from("<IBBHQ", body, at + 16 * entry)
        if kind & N_STAB or not kind & N_EXT:
            continue
        name = names[offset : names.index(b"\0", offset)].decode()
        (found.defined if kind & N_TYPE == N_SECT else found.undefined).add(name)


def objects(archive: str) -> list[Object]:
    found = [read(name, body) for name, body in members(Path(archive).read_bytes())]
    return [one for one in found if one]


def functions(headers: list[str]) -> set[str]:
    """The functions that C headers declare, as Mach-O spells them."""
    text = "".join(re.sub(r"/\*.*?\*/", "", Path(header).read_text(), flags=re.DOTALL) for header in headers)
    return {f"_{name}" for name in re.findall(r"\b((?:uniffi|ffi|exo)_\w+)\(", text)}


def check(archive: str, platform: str, major: str, headers: list[str]) -> int:
    held = objects(archive)
    wanted = functions(headers)
    missing = wanted - set().union(*(one.defined for one in held))
    strange = [one for one in held if one.platform not in (platform, None) or one.minimum > int(major)]
    print(f"{archive}: {len(held)} objects for {platform}, {len(wanted) - len(missing)} of {len(wanted)} functions")
    for name in sorted(missing):
        print(f"  the headers declare {name}, and the archive has it not")
    for one in strange:
        print(f"  {one.name} is for {one.platform} {one.minimum}, not for {platform} {major} or older")
    return int(bool(missing or strange or not wanted or not held))


def undefined(archive: str) -> None:
    held = objects(archive)
    names = set().union(*(one.undefined for one in held)) - set().union(*(one.defined for one in held))
    print(*sorted(names), sep="\n")


# No `match`: the Python that comes with Xcode is older than that.
if __name__ == "__main__":
    command, *arguments = sys.argv[1:] or [""]
    if command == "check" and len(arguments) > 3:
        sys.exit(check(*arguments[:3], arguments[3:]))
    sys.exit(undefined(*arguments) if command == "undefined" else __doc__)

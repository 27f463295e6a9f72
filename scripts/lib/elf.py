"""Reads what a shared library says of itself: as much of ELF as it takes to judge one before it ships.

Only little-endian libraries, which all Android devices have. No other tool is needed, so a Mac can judge too.
"""

import struct
from dataclasses import dataclass, field

MACHINES = {183: "arm64-v8a", 62: "x86_64", 40: "armeabi-v7a"}
LOAD, DYNAMIC, STACK = 1, 2, 0x6474E551
SYMTAB, DYNSYM = 2, 11
NEEDED, SONAME, TEXTREL = 1, 14, 22
EXECUTE, WRITE = 1, 2
GLOBAL, WEAK = 1, 2


@dataclass
class Segment:
    kind: int
    flags: int
    offset: int
    address: int
    size: int
    alignment: int


@dataclass
class Library:
    """What is in one shared library."""

    abi: str
    segments: list[Segment]
    sections: dict[str, int]
    """The kind of each section, by its name."""
    needed: list[str] = field(default_factory=list)
    """The libraries that it wants to be loaded with."""
    exported: set[str] = field(default_factory=set)
    """The names that others may call."""
    wanted: set[str] = field(default_factory=set)
    """The names that others must have."""
    has_text_relocations: bool = False

    @property
    def loaded(self) -> list[Segment]:
        return [segment for segment in self.segments if segment.kind == LOAD]


class NotALibrary(Exception):
    """These bytes are no shared library of a kind that Android has."""


def read(data: bytes) -> Library:
    if data[:4] != b"\x7fELF" or len(data) < 64:
        raise NotALibrary("it does not begin as an ELF file does")
    is_64, is_little = data[4] == 2, data[5] == 1
    kind, machine = struct.unpack_from("<HH", data, 16)
    if not is_little or kind != 3 or machine not in MACHINES:
        raise NotALibrary(f"an ELF file of the kind {kind} for the machine {machine} is no library for Android")
    sections = _sections(data, is_64)
    library = Library(MACHINES[machine], _segments(data, is_64), {name: row[1] for name, row in sections.items()})
    for name, row in sections.items():
        if row[1] == DYNSYM:
            _read_symbols(library, data, is_64, row, sections[".dynstr"])
        if name == ".dynamic":
            _read_dynamic(library, data, is_64, row, sections[".dynstr"])
    return library


def _segments(data: bytes, is_64: bool) -> list[Segment]:
    start, (each, count) = _at(data, 32 if is_64 else 28, is_64), struct.unpack_from("<HH", data, 54 if is_64 else 42)
    segments = []
    for place in range(start, start + each * count, each):
        if is_64:
            kind, flags, offset, address, _, size, _, alignment = struct.unpack_from("<IIQQQQQQ", data, place)
        else:
            kind, offset, address, _, size, _, flags, alignment = struct.unpack_from("<IIIIIIII", data, place)
        segments.append(Segment(kind, flags, offset, address, size, alignment))
    return segments


def _sections(data: bytes, is_64: bool) -> dict[str, tuple[int, ...]]:
    """Name, kind, flags, address, offset, size, and four more of each section, by its name in words."""
    start = _at(data, 40 if is_64 else 32, is_64)
    each, count, of_names = struct.unpack_from("<HHH", data, 58 if is_64 else 46)
    layout = "<IIQQQQIIQQ" if is_64 else "<IIIIIIIIII"
    rows = [struct.unpack_from(layout, data, place) for place in range(start, start + each * count, each)]
    names = rows[of_names][4] if rows else 0
    return {_text(data, names + row[0]): row for row in rows}


def _read_symbols(library: Library, data: bytes, is_64: bool, row: tuple[int, ...], strings: tuple[int, ...]) -> None:
    offset, size, each = row[4], row[5], row[9]
    for place in range(offset + each, offset + size, each):
        if is_64:
            name, info, _, section = struct.unpack_from("<IBBH", data, place)
        else:
            name, _, _, info, _, section = struct.unpack_from("<IIIBBH", data, place)
        binding, word = info >> 4, _text(data, strings[4] + name)
        if section == 0 and binding == GLOBAL:
            # A weak one may be missing: the library looks before it calls.
            library.wanted.add(word)
        elif section != 0 and binding in (GLOBAL, WEAK):
            library.exported.add(word)


def _read_dynamic(library: Library, data: bytes, is_64: bool, row: tuple[int, ...], strings: tuple[int, ...]) -> None:
    layout = "<QQ" if is_64 else "<II"
    each = struct.calcsize(layout)
    for place in range(row[4], row[4] + row[5], each):
        tag, value = struct.unpack_from(layout, data, place)
        if tag == NEEDED:
            library.needed.append(_text(data, strings[4] + value))
        if tag == TEXTREL:
            library.has_text_relocations = True


def _at(data: bytes, place: int, is_64: bool) -> int:
    return struct.unpack_from("<Q" if is_64 else "<I", data, place)[0]


def _text(data: bytes, place: int) -> str:
    return data[place : data.index(b"\0", place)].decode()

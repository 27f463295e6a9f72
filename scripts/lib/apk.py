"""Puts an APK together: apk.py OUT RESOURCES DEX_FOLDER [ABI=LIBRARY...].

Android maps native libraries and the table of resources straight from the file. So they are stored as they are, libraries at
the start of a page of 16 KiB, which is the largest that phones have, and the table at a multiple of four.
"""

import sys
import zipfile
from pathlib import Path

PAGE = 16384
ALIGNMENT_FIELD = 6
WORD = 4
LOCAL_HEADER = 30
# The same bytes from the same input.
NO_TIME = (1981, 1, 1, 1, 1, 2)


def store(apk: zipfile.ZipFile, name: str, content: bytes, alignment: int) -> None:
    entry = zipfile.ZipInfo(name, NO_TIME)
    begin = apk.start_dir + LOCAL_HEADER + len(name.encode())
    padding = -begin % alignment
    # The field that Android's own tools write: its number, its length, the alignment, and zeros. Who signs an archive reads
    # the alignment there, and moves what has none.
    while padding < ALIGNMENT_FIELD:
        padding += alignment
    numbers = (0xD935, padding - WORD, alignment)
    entry.extra = b"".join(number.to_bytes(2, "little") for number in numbers).ljust(padding, b"\0")
    apk.writestr(entry, content)


def pack(apk: zipfile.ZipFile, name: str, content: bytes) -> None:
    apk.writestr(zipfile.ZipInfo(name, NO_TIME), content, zipfile.ZIP_DEFLATED)


def main(out: str, resources: str, dex: str, *libraries: str) -> None:
    with zipfile.ZipFile(out, "w") as apk, zipfile.ZipFile(resources) as linked:
        for entry in linked.infolist():
            if entry.compress_type == zipfile.ZIP_STORED:
                store(apk, entry.filename, linked.read(entry), WORD)
            else:
                pack(apk, entry.filename, linked.read(entry))
        for classes in sorted(Path(dex).glob("classes*.dex")):
            pack(apk, classes.name, classes.read_bytes())
        for library in libraries:
            abi, path = library.split("=", 1)
            store(apk, f"lib/{abi}/{Path(path).name}", Path(path).read_bytes(), PAGE)


main(*sys.argv[1:])

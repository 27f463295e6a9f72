"""Judges an archive for Android apps before anybody gets it.

    aar_check.py ARCHIVE ABI... [--link-checked]

Fails with a line for each thing that is wrong, and prints what each library weighs. --link-checked: the libraries were
linked without an NDK, so the unwinder that it brings is missing in them, and they name no library of the system.
"""

import argparse
import fnmatch
import io
import re
import sys
import zipfile
from pathlib import Path

import elf

HERE = Path(__file__).resolve().parent
METADATA = "META-INF/com/android/build/gradle/aar-metadata.properties"
ALWAYS = {"AndroidManifest.xml", "R.txt", "classes.jar", "proguard.txt", METADATA}
CLASSES = ("dev/exo/mobile/*.class", "META-INF/*.kotlin_module")
# One of each part: the bindings, the layer over them, and what only Android has.
PARTS = (
    "dev/exo/mobile/core/DirectBytes.class",
    "dev/exo/mobile/ExoNode.class",
    "dev/exo/mobile/android/ExoNodeService.class",
)
JAVA_11 = 55
PAGE = 16 * 1024
SYSTEM = {"libc.so", "libm.so", "libdl.so", "liblog.so", "libandroid.so"}
EXPORTS = re.compile(
    r"(uniffi_exo_mobile_|ffi_exo_mobile_).*"  # UniFFI's functions and futures, without what only its generator reads
    r"|exo_buffer_(read|write)|exo_receiver_chunk|Java_dev_exo_mobile_core_DirectBytes_(read|write|receive)|JNI_On(Load|Unload)"
)
CALLS = re.compile(rb"(?:uniffi|ffi)_exo_mobile_(?:fn|checksum|uniffi|rustbuffer|rust_future)_\w+|ffi_exo_mobile_\w+")
UNWINDER = re.compile(r"_Unwind_\w+|__aeabi_unwind_cpp_pr\d|__gnu_unwind_frame")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("abis", nargs="+")
    parser.add_argument("--link-checked", action="store_true")
    options = parser.parse_args()
    wrong, weights = judge(options.archive.read_bytes(), options.abis, options.link_checked)
    for abi, size in weights.items():
        print(f"{abi}: {size / 1e6:.2f} MB, of {gates()[abi] / 1e6:.2f} MB allowed")
    for line in wrong:
        print(f"error: {options.archive.name}: {line}", file=sys.stderr)
    return 1 if wrong else 0


def judge(data: bytes, abis: list[str], link_checked: bool) -> tuple[list[str], dict[str, int]]:
    """What is wrong with an archive, and what its libraries weigh."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    names = archive.namelist()
    libraries = {f"jni/{abi}/libexo_mobile.so": abi for abi in abis}
    wrong = [f"{name} is missing" for name in sorted({*ALWAYS, *libraries} - set(names))]
    wrong += [f"{name} does not belong into it" for name in names if name not in {*ALWAYS, *libraries}]
    wrong += [f"{name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    called: set[str] = set()
    if "classes.jar" in names:
        jar = zipfile.ZipFile(io.BytesIO(archive.read("classes.jar")))
        wrong += wrong_classes(jar)
        called = calls_of(jar)
    weights = {}
    for name, abi in libraries.items():
        if name in names:
            library = archive.read(name)
            weights[abi] = len(library)
            wrong += [f"{name}: {line}" for line in wrong_library(library, abi, called, link_checked)]
    return wrong, weights


def wrong_classes(jar: zipfile.ZipFile) -> list[str]:
    names = jar.namelist()
    wrong = [f"classes.jar: {part} is missing" for part in PARTS if part not in names]
    for name in names:
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in CLASSES):
            wrong.append(f"classes.jar: {name} is not ours")
        elif name.endswith(".class") and (major := int.from_bytes(jar.read(name)[6:8], "big")) > JAVA_11:
            wrong.append(f"classes.jar: {name} needs a newer Java than 11 (it says {major})")
    return wrong


def calls_of(jar: zipfile.ZipFile) -> set[str]:
    """The functions that the bindings call by name."""
    core = (jar.read(name) for name in jar.namelist() if name.startswith("dev/exo/mobile/core/"))
    return {call.decode() for data in core for call in CALLS.findall(data)}


def wrong_library(data: bytes, abi: str, called: set[str], link_checked: bool) -> list[str]:
    try:
        library = elf.read(data)
    except elf.NotALibrary as why:
        return [str(why)]
    wrong = []
    if library.abi != abi:
        wrong.append(f"it is for {library.abi}")
    if len(data) > gates()[abi]:
        wrong.append(f"it has {len(data)} bytes, and {gates()[abi]} are allowed (scripts/lib/android_abis.txt)")
    for segment in library.loaded:
        if segment.alignment < PAGE or (segment.address - segment.offset) % segment.alignment:
            wrong.append(f"a part is aligned to {segment.alignment} bytes; devices with pages of 16 KiB want {PAGE}")
        if segment.flags & elf.WRITE and segment.flags & elf.EXECUTE:
            wrong.append("a part may be written and executed")
    if library.has_text_relocations:
        wrong.append("it has text relocations, which Android refuses")
    for section, kind in library.sections.items():
        if kind == elf.SYMTAB or section.startswith(".debug_"):
            wrong.append(f"it is not stripped: it has {section}")
    wrong += [f"it wants {name}, which Android does not give to apps" for name in library.needed if name not in SYSTEM]
    wrong += [
        f"it exports {name}, which nobody calls" for name in sorted(library.exported) if not EXPORTS.fullmatch(name)
    ]
    wrong += [f"the bindings call {name}, and it has none" for name in sorted(called - library.exported)]
    for name in sorted(library.wanted - android_names()):
        if not (link_checked and UNWINDER.fullmatch(name)):
            wrong.append(f"it wants {name}: if Android 8 has it, add it to scripts/lib/android_names.txt")
    return wrong


def gates() -> dict[str, int]:
    rows = (line.split() for line in (HERE / "android_abis.txt").read_text().splitlines() if not line.startswith("#"))
    return {row[0]: int(row[3]) for row in rows if row}


def android_names() -> set[str]:
    lines = (HERE / "android_names.txt").read_text().splitlines()
    return {word for line in lines if not line.startswith("#") for word in line.split()}


if __name__ == "__main__":
    sys.exit(main())

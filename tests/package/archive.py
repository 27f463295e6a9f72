"""An archive that is as it should be, small, and easily made wrong."""

import platform
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import aar

HOST = {"x86_64": "x86_64", "aarch64": "arm64-v8a"}[platform.machine()]
LIBRARY = f"jni/{HOST}/libexo_mobile.so"
# What the bindings call, and the functions for bytes.
SOURCE = "void ffi_exo_mobile_call(void) {} int exo_buffer_read(void) { return 0; }"
LINKED = ("-shared", "-fPIC", "-nostdlib", "-Wl,-z,max-page-size=16384")


def class_file(version: int = 55, *names: str) -> bytes:
    pool = b"".join(b"\x01" + len(name).to_bytes(2, "big") + name.encode() for name in names)
    return b"\xca\xfe\xba\xbe\0\0" + version.to_bytes(2, "big") + pool


def library(
    folder: Path, source: str = SOURCE, *options: str, strip: bool = True, linked: tuple[str, ...] = LINKED
) -> bytes:
    (folder / "library.c").write_text(source)
    made = folder / "library.so"
    flags = [*linked, *(["-s"] if strip else ["-g"])]
    subprocess.run(["cc", *flags, "library.c", "-o", made, *options], cwd=folder, check=True)
    return made.read_bytes()


@dataclass
class Archive:
    library: bytes
    classes: dict[str, bytes] = field(
        default_factory=lambda: {
            "META-INF/common.kotlin_module": b"",
            "dev/exo/mobile/ExoNode.class": class_file(),
            "dev/exo/mobile/android/ExoNodeService.class": class_file(),
            "dev/exo/mobile/core/DirectBytes.class": class_file(55, "ffi_exo_mobile_call"),
        }
    )
    more: dict[str, bytes] = field(default_factory=dict)
    without: str = ""

    def packed(self) -> bytes:
        files = {
            "AndroidManifest.xml": aar.manifest(),
            "R.txt": b"",
            "classes.jar": aar.zipped(self.classes),
            "proguard.txt": b"",
            aar.METADATA: aar.metadata(),
            LIBRARY: self.library,
            **self.more,
        }
        files.pop(self.without, None)
        return aar.zipped(files)

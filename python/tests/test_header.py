"""The C header says what the library has."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import exo_mobile

ROOT = Path(__file__).parents[2]
INCLUDE = ROOT / "sdk-core/ffi/include"
RUST = ROOT / "sdk-core/ffi/src/bytes/c.rs"
C_TYPES = {"u64": "uint64_t", "*const u8": "const uint8_t *", "*mut u8": "uint8_t *"}


@pytest.mark.parametrize("language", ["c", "c++"])
def test_a_c_program_calls_the_library_by_its_header(tmp_path: Path, language: str) -> None:
    compiler = shutil.which("cc") if language == "c" else shutil.which("c++")
    assert compiler, "there is no C compiler: apt-get install gcc g++"
    package = Path(exo_mobile.__file__).parent
    (library,) = package.glob("libexo_mobile.*")
    program, source = tmp_path / "program", Path(__file__).with_name("bytes_from_c.c")
    strict = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
    command = [compiler, *strict, "-x", language, f"-I{INCLUDE}", str(source), "-x", "none", str(library)]
    subprocess.run([*command, f"-Wl,-rpath,{package}", "-o", str(program)], check=True)
    said = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    assert said == ["2 the buffer was closed b", "1"]


def test_the_header_declares_each_function_as_it_is_written_in_rust() -> None:
    header = re.sub(r"/\*.*?\*/", "", (INCLUDE / "exo_mobile_bytes.h").read_text(), flags=re.DOTALL)
    declared = {
        name: [
            " ".join(argument.rpartition(" ")[0].split()) + "*" * argument.count("*") for argument in given.split(",")
        ]
        for name, given in re.findall(r"int32_t (exo_\w+)\(([^)]*)\)", header)
    }
    written = {
        name: [C_TYPES[kind].replace(" *", "*") for kind in re.findall(r"\w+: ([^,]+),", given)]
        for name, given in re.findall(r'extern "C" fn (exo_\w+)\(([^)]*)\) -> i32', RUST.read_text())
    }
    assert declared == written
    assert len(written) == 3

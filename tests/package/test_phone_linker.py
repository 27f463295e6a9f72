"""What our linker does besides linking. The real one is a script that notes what it was asked."""

import os
import subprocess
from pathlib import Path

import pytest
from aar import ROOT

EXPORTS = """{
  global:
    UNIFFI_META_EXO_MOBILE_FUNC_ABOUT;
    uniffi_exo_mobile_fn_func_about;
  local:
    *;
};
"""


@pytest.fixture
def asked(tmp_path: Path) -> list[list[str]]:
    (tmp_path / "list").write_text(EXPORTS)
    (tmp_path / "real").write_text(f'#!/bin/sh\necho "$*" >>{tmp_path}/asked\n')
    (tmp_path / "real").chmod(0o755)
    arguments = [f"-Wl,--version-script={tmp_path}/list", "code.o", "-o", "out.so", "-Wl,--strip-all", "-shared"]
    environment = os.environ | {"EXO_LINKER": str(tmp_path / "real")}
    subprocess.run([ROOT / "scripts/lib/phone-linker", *arguments], env=environment, check=True)
    return [line.split() for line in (tmp_path / "asked").read_text().splitlines()]


def test_what_only_the_generator_reads_is_not_exported(tmp_path: Path, asked: list[list[str]]) -> None:
    assert asked
    assert (tmp_path / "list").read_text() == EXPORTS.replace("    UNIFFI_META_EXO_MOBILE_FUNC_ABOUT;\n", "")


def test_the_library_is_stripped_and_has_a_twin_with_names(asked: list[list[str]]) -> None:
    library, twin = asked
    assert "out.so" in library
    assert "-Wl,--strip-all" in library
    assert "out.so.symbols" in twin
    assert "-Wl,--strip-all" not in twin
    assert [one for one in twin if one != "out.so.symbols"] == [
        one for one in library if one not in ("out.so", "-Wl,--strip-all")
    ]

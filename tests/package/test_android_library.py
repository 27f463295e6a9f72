"""How the library for phones is linked, with an NDK and without. cargo is one that only tells what it was asked."""

import os
import subprocess
from pathlib import Path

import pytest
from aar import ROOT

ARM64 = "CARGO_TARGET_AARCH64_LINUX_ANDROID"
SOURCED = "for part in common android_library package_android; do . scripts/lib/$part.sh; done; bindings() { :; }; TOOLS=/none;"


@pytest.fixture
def ndk(tmp_path: Path) -> Path:
    folder = tmp_path / "ndk/toolchains/llvm/prebuilt/some-host/bin"
    folder.mkdir(parents=True)
    for prefix in ("aarch64-linux-android", "armv7a-linux-androideabi"):
        (folder / f"{prefix}26-clang").touch()
    return tmp_path / "ndk"


def run(folder: Path, command: str, **variables: object) -> subprocess.CompletedProcess[str]:
    (folder / "cargo").write_text('#!/bin/sh\necho "asked: $*"\nenv\n')
    (folder / "cargo").chmod(0o755)
    left_out = ("ANDROID_NDK_HOME", "ANDROID_NDK_ROOT", "RUSTFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    environment |= {name: str(value) for name, value in variables.items()}
    script = f'{SOURCED} PATH="{folder}:$PATH"; {command}'
    return subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def told(ended: subprocess.CompletedProcess[str]) -> dict[str, str]:
    assert ended.returncode == 0, ended.stderr
    return dict(line.split("=", 1) for line in ended.stdout.splitlines() if "=" in line)


@pytest.mark.parametrize("variable", ["ANDROID_NDK_HOME", "ANDROID_NDK_ROOT"])
def test_with_an_ndk_its_clang_links_for_the_oldest_android(tmp_path: Path, ndk: Path, variable: str) -> None:
    said = told(run(tmp_path, "android_library arm64-v8a", **{variable: ndk}))
    assert said["EXO_LINKER"].endswith("/bin/aarch64-linux-android26-clang")
    assert said[f"{ARM64}_LINKER"] == str(ROOT / "scripts/lib/phone-linker")
    assert "-Clink-arg=-Wl,-zmax-page-size=16384" in said[f"{ARM64}_RUSTFLAGS"].split()
    assert "footprint" not in said[f"{ARM64}_RUSTFLAGS"]


def test_32_bit_phones_have_another_name_in_rust_than_in_an_ndk(tmp_path: Path, ndk: Path) -> None:
    ended = run(tmp_path, "android_library armeabi-v7a", ANDROID_NDK_HOME=ndk)
    assert told(ended)["EXO_LINKER"].endswith("/armv7a-linux-androideabi26-clang")
    assert "CARGO_TARGET_ARMV7_LINUX_ANDROIDEABI_LINKER" in told(ended)
    assert "--target armv7-linux-androideabi" in ended.stdout


def test_without_an_ndk_rust_links_by_itself(tmp_path: Path) -> None:
    said = told(run(tmp_path, "android_library arm64-v8a"))
    assert said["EXO_LINKER"] == "rust-lld"
    assert "-Clink-arg=-zmax-page-size=16384" in said[f"{ARM64}_RUSTFLAGS"].split()


def test_a_folder_that_is_no_ndk_is_an_error_that_says_what_to_set(tmp_path: Path) -> None:
    ended = run(tmp_path, "android_library arm64-v8a", ANDROID_NDK_HOME=tmp_path)
    assert ended.returncode != 0
    assert "no clang for arm64-v8a and Android API 26" in ended.stderr
    assert "set ANDROID_NDK_HOME" in ended.stderr


def test_an_abi_that_does_not_exist_is_an_error_that_lists_those_that_do(tmp_path: Path) -> None:
    ended = run(tmp_path, "android_library mips")
    assert ended.returncode != 0
    assert "there is no ABI mips" in ended.stderr
    assert "arm64-v8a x86_64 armeabi-v7a" in ended.stderr


def test_gradle_gets_no_library_that_must_not_ship(tmp_path: Path) -> None:
    ended = run(tmp_path, "parts_for_gradle unused arm64-v8a")
    assert ended.returncode != 0
    assert "takes an NDK" in ended.stderr
    assert "asked:" not in ended.stdout

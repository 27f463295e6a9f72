"""A copy of the project that a test may change, and programs that only say what they were told."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from project import ROOT


class Copy:
    """The project, small: its manifests, scripts and changelog. What a release needs, and nothing that takes time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.programs = root / "fakes"
        self.programs.mkdir(parents=True)
        for name in ("scripts", "python", ".github", "docs/guide"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("*.so", "*.dylib", "__pycache__"))
        for name in ("Cargo.toml", "CHANGELOG.md", "LICENSE", "rust-toolchain.toml"):
            shutil.copy(ROOT / name, root / name)
        for pom in (ROOT / "kotlin").glob("**/pom.xml"):
            (root / pom.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(pom, root / pom.relative_to(ROOT))
        (root / "swift").mkdir()
        self.fake("cargo", "exit 0")
        subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, "commit", "-q", "--allow-empty", "-m", "one"], cwd=root, check=True)

    def fake(self, name: str, body: str) -> None:
        """A program of that name, which notes how it was called."""
        program = self.programs / name
        program.write_text(f'#!/usr/bin/env bash\necho "{name} $*" >>"{self.root}/called.txt"\n{body}\n')
        program.chmod(0o755)

    @property
    def called(self) -> str:
        file = self.root / "called.txt"
        return file.read_text() if file.exists() else ""

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.programs}:{os.environ['PATH']}"
        return subprocess.run(
            command,
            cwd=self.root,
            env=os.environ | {"PATH": path} | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def edit(self, name: str, old: str, new: str) -> None:
        file = self.root / name
        text = file.read_text()
        assert old in text, f"{name} has no {old!r}"
        file.write_text(text.replace(old, new, 1))

    def with_chapter(self) -> Copy:
        self.edit("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\n## [9.8.7] - 2030-01-02\n\nNew: everything.\n\n## Old\n")
        assert self.run("./scripts/version", "9.8.7").returncode == 0
        return self


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "project")

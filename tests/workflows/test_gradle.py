"""Gradle is the one whose checksum we know."""

from __future__ import annotations

import hashlib
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Copy


def with_gradle(copy: Copy, checksum: str | None = None) -> Copy:
    """A Gradle that says what it was told, where the properties find it."""
    archive = copy.root / "gradle-9.9-bin.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("gradle-9.9/bin/gradle", '#!/usr/bin/env bash\necho "gradle in $PWD: $*"\n')
    checksum = checksum or hashlib.sha256(archive.read_bytes()).hexdigest()
    properties = copy.root / "gradle/wrapper/gradle-wrapper.properties"
    properties.parent.mkdir(parents=True)
    url = f"file\\://{archive}"
    properties.write_text(f"distributionUrl={url}\ndistributionSha256Sum={checksum}\n")
    return copy


def test_it_is_fetched_once_and_runs_at_the_root(copy: Copy) -> None:
    first = with_gradle(copy).run("./scripts/gradle", "assemble")
    assert first.stdout == f"gradle in {copy.root}: --no-daemon assemble\n", first.stderr
    assert "setup: gradle-9.9-bin" in first.stderr
    (copy.root / "gradle-9.9-bin.zip").unlink()
    assert copy.run("./scripts/gradle", "lint").stdout.endswith("--no-daemon lint\n")


def test_another_one_is_refused_and_not_kept(copy: Copy) -> None:
    said = with_gradle(copy, "0" * 64).run("./scripts/gradle", "assemble")
    assert said.returncode == 1
    assert "is not the one whose checksum we know" in said.stderr
    assert not (copy.root / ".tools/gradle").exists()


def test_a_version_without_a_checksum_is_refused(copy: Copy) -> None:
    with_gradle(copy).edit("gradle/wrapper/gradle-wrapper.properties", "distributionSha256Sum=", "somethingElse=")
    assert "lacks distributionUrl or distributionSha256Sum" in copy.run("./scripts/gradle", "assemble").stderr

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
    properties = copy.root / "kotlin/gradle/wrapper/gradle-wrapper.properties"
    properties.parent.mkdir(parents=True)
    url = f"file\\://{archive}"
    properties.write_text(f"distributionUrl={url}\ndistributionSha256Sum={checksum}\n")
    return copy


def test_it_is_fetched_once_and_runs_where_the_build_is(copy: Copy) -> None:
    first = with_gradle(copy).run("./scripts/gradle", "assemble")
    assert first.stdout == f"gradle in {copy.root}/kotlin: --no-daemon assemble\n", first.stderr
    assert "setup: gradle-9.9-bin" in first.stderr
    (copy.root / "gradle-9.9-bin.zip").unlink()
    assert copy.run("./scripts/gradle", "lint").stdout.endswith("--no-daemon lint\n")


def test_another_one_is_refused_and_not_kept(copy: Copy) -> None:
    said = with_gradle(copy, "0" * 64).run("./scripts/gradle", "assemble")
    assert said.returncode == 1
    assert "is not the one whose checksum we know" in said.stderr
    assert not (copy.root / ".tools/gradle").exists()


def test_without_a_checksum_of_ours_it_must_be_the_one_that_gradle_publishes(copy: Copy) -> None:
    with_gradle(copy).edit("kotlin/gradle/wrapper/gradle-wrapper.properties", "distributionSha256Sum=", "somethingElse=")
    assert "the checksum of gradle-9.9-bin could not be fetched" in copy.run("./scripts/gradle", "assemble").stderr
    published = copy.root / "gradle-9.9-bin.zip.sha256"
    published.write_text("0" * 64)
    assert "whose checksum we know" in copy.run("./scripts/gradle", "assemble").stderr
    published.write_text(hashlib.sha256((copy.root / "gradle-9.9-bin.zip").read_bytes()).hexdigest() + "\n")
    assert copy.run("./scripts/gradle", "assemble").returncode == 0

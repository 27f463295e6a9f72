"""One version everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Copy


def test_a_version_is_written_into_every_place(copy: Copy) -> None:
    assert copy.run("./scripts/version", "9.8.7").returncode == 0
    places = copy.run("./scripts/version", "--places").stdout.splitlines()
    assert {place.split()[0] for place in places} == {"9.8.7"}
    for name in ("Cargo.toml", "python/pyproject.toml", "docs/guide/android.md", "docs/guide/ios.md", "docs/guide/python.md"):
        assert any(f" {name}:" in place for place in places), name
    assert copy.run("./scripts/version").stdout == "9.8.7\n"


def test_lock_files_are_written_too(copy: Copy) -> None:
    assert copy.run("./scripts/version", "9.8.7").returncode == 0
    assert "cargo update --quiet --offline --workspace --manifest-path Cargo.toml" in copy.called


def test_two_versions_are_an_error_that_names_the_place(copy: Copy) -> None:
    copy.edit("python/pyproject.toml", 'version = "', 'version = "9')
    said = copy.run("./scripts/version")
    assert said.returncode == 1
    assert "but python/pyproject.toml:" in said.stderr
    assert "help: ./scripts/version" in said.stderr


def test_an_old_line_in_the_guide_is_seen(copy: Copy) -> None:
    assert copy.run("./scripts/version", "9.8.7").returncode == 0
    copy.edit("docs/guide/android.md", "dev.exo.mobile:exo-mobile:9.8.7", "dev.exo.mobile:exo-mobile:9.8.6")
    assert "docs/guide/android.md" in copy.run("./scripts/version").stderr


def test_a_place_that_moved_is_not_passed_over(copy: Copy) -> None:
    copy.edit("python/pyproject.toml", "\nversion = ", "\nversion_of_it = ")
    assert "does not say its version where this script looks" in copy.run("./scripts/version").stderr


def test_what_is_no_version_is_refused(copy: Copy) -> None:
    for wrong in ("1", "1.2", "v1.2.3", "1.2.3-rc.1", "01.2.3"):
        said = copy.run("./scripts/version", wrong)
        assert said.returncode == 1
        assert "MAJOR.MINOR.PATCH" in said.stderr

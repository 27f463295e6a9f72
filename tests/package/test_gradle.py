"""The build for people and the build of CI make the same thing."""

import re
import tomllib

import aar
import pytest

CATALOGUE = tomllib.loads((aar.ROOT / "kotlin/gradle/libs.versions.toml").read_text())["versions"]
SCRIPT = (aar.ROOT / "kotlin/aar/build.gradle.kts").read_text()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("version", "exo"), ("kotlin.version", "kotlin"), ("coroutines.version", "coroutines"), ("jna.version", "jna")],
)
def test_gradle_and_maven_agree_on_versions(ours: str, theirs: str) -> None:
    assert CATALOGUE[theirs] == aar.pom_text(ours)


def test_the_version_is_that_of_the_rust_core() -> None:
    cargo = tomllib.loads((aar.ROOT / "Cargo.toml").read_text())
    assert CATALOGUE["exo"] == cargo["workspace"]["package"]["version"]


def test_gradle_and_the_archive_agree_on_androids() -> None:
    assert int(CATALOGUE["min-sdk"]) == aar.MIN_SDK
    assert int(CATALOGUE["min-compile-sdk"]) == aar.MIN_COMPILE_SDK
    assert f'namespace = "{aar.NAMESPACE}"' in SCRIPT
    library = (aar.ROOT / "scripts/lib/android_library.sh").read_text()
    assert f"ANDROID_MIN_SDK={aar.MIN_SDK}\n" in library


def test_gradle_builds_from_folders_that_are_there() -> None:
    here = aar.ROOT / "kotlin/aar"
    paths = re.findall(r'"(\.\./[\w./-]+)"', SCRIPT)
    assert len(paths) >= 5
    for path in paths:
        base = aar.ROOT / "kotlin" if path.startswith(("../scripts", "../target")) else here
        assert path == "../target" or (base / path).exists(), f"kotlin/aar/build.gradle.kts names {path}"


def test_the_app_of_the_tests_is_built_with_the_oldest_sdk_that_is_allowed() -> None:
    levels = {"14": 34, "15": 35, "16": 36, "17": 37}
    script = (aar.ROOT / "scripts/lib/package_android.sh").read_text()
    assert levels[re.search(r"^OLDEST_SDK=(\d+)-", script, re.MULTILINE)[1]] == aar.MIN_COMPILE_SDK

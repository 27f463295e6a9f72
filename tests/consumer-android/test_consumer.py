"""An app gets the archive and nothing else, R8 shrinks it in full mode, and it still works.

It is built against the oldest Android SDK that the archive allows. There is no phone here. R8 writes class files, which run on this computer's Java with this computer's library; what it
writes for phones is built too, and only built.
"""

import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from building import App, build, needed, only
from peer_on_loopback import Peer


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> App:
    return build(tmp_path_factory.mktemp("app"))


@pytest.fixture(scope="session")
def shrunk(app: App) -> Path:
    return app.shrink("shrunk.jar", [app.archive_rules], "--classfile")


def start(app: App, jar: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the app against a peer. JNA's half for this computer is not in an archive for Android: it lies beside."""
    natives = folder / "natives"
    natives.mkdir()
    with zipfile.ZipFile(only(needed("EXO_CONSUMER_TOOLS").glob("jna-*.jar"))) as jna:
        (natives / "libjnidispatch.so").write_bytes(jna.read("com/sun/jna/linux-x86-64/libjnidispatch.so"))
    command = [
        "java",
        "-cp",
        f"{jar}:{app.android}",
        f"-Djna.boot.library.path={natives}",
        f"-Djna.library.path={needed('EXO_NATIVE')}",
        "-Djna.nounpack=true",
        "org.example.phone.App",
    ]
    with Peer() as peer:
        arguments = [peer.namespace, str(peer.discovery), peer.link, str(folder)]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, timeout=600)


def test_the_app_works_after_r8_in_full_mode(app: App, shrunk: Path, tmp_path: Path) -> None:
    ended = start(app, shrunk, tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    said = dict(line.split(": ", 1) for line in ended.stdout.splitlines() if ": " in line)
    assert said["about"] == "0.1.0"
    assert said["error"].startswith("INVALID_ARGUMENT, ")
    assert said["gpu"] == "CPU, the same bytes came back"
    assert said["joined"] == "[mac, shrunk]"
    assert said["identity"] == "kept"
    assert said["log"] == "heard"
    assert said["service"] == "dev.exo.mobile.android.ExoNodeService"
    assert ended.stdout.endswith("over\n")


def test_r8_did_shrink_it(app: App, shrunk: Path) -> None:
    before = sum(len(classes_in(jar)) for jar in app.inputs)
    after = classes_in(shrunk)
    assert len(after) < before / 2, f"{len(after)} of {before} classes are left"
    ours = [name for name in after if name.startswith("dev/exo/mobile/") and "/core/" not in name]
    assert "dev/exo/mobile/Exo.class" not in ours, "R8 renames what nobody finds by name, and did not"


# R8 takes most of a minute for each rule: one of them every time, both with `./scripts/test --long samples`.
RULES = ["com.sun.jna", "dev.exo.mobile.core"] if os.environ.get("EXO_TEST_LONG") else ["dev.exo.mobile.core"]


@pytest.mark.parametrize("package", RULES)
def test_without_either_keep_rule_of_the_archive_the_app_does_not_work(app: App, package: str, tmp_path: Path) -> None:
    lines = app.archive_rules.read_text().splitlines()
    kept = [line for line in lines if not line.startswith(f"-keep class {package}.")]
    assert len(kept) == len(lines) - 1, f"the archive has no rule for {package}, or several"
    rules = tmp_path / "rules.pro"
    rules.write_text("\n".join(kept) + "\n")
    jar = app.shrink(f"without-{package}.jar", [rules], "--classfile")
    ended = start(app, jar, tmp_path)
    assert ended.returncode != 0, f"the rule for {package} may go: the app works without it\n{ended.stdout}"
    # It is Java that stumbles over what is gone, and not the peer or the time.
    assert "Exception" in ended.stderr or "Error" in ended.stderr, ended.stderr


def test_r8_writes_it_for_android_8(app: App) -> None:
    archive = app.shrink("dex.zip", [app.archive_rules], "--min-api", "26")
    with zipfile.ZipFile(archive) as made:
        assert made.read("classes.dex")[:4] == b"dex\n"
        assert b"Ldev/exo/mobile/android/ExoNodeService;" in made.read("classes.dex")


def classes_in(jar: Path) -> list[str]:
    with zipfile.ZipFile(jar) as archive:
        return [name for name in archive.namelist() if name.endswith(".class") and not name.startswith("META-INF/")]

"""The way of a release, beside programs that only note how they were called."""

from __future__ import annotations

import hashlib
import json
import subprocess
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Copy

FILES = {
    "android/exo-mobile-9.8.7.aar": "an archive",
    "apple/ExoMobileFFI.xcframework.zip": "a framework",
    "apple/release.json": json.dumps({"url": "https://example.org/x.zip", "checksum": "00", "version": "9.8.7"}),
    "wheel-one/exo_mobile-9.8.7-py3-none-manylinux_2_17_x86_64.whl": "a wheel",
    "wheel-two/exo_mobile-9.8.7-py3-none-macosx_13_0_arm64.whl": "a wheel",
    "sbom/exo-mobile.cdx.json": "{}",
    **{
        f"android/maven/dev/exo/mobile/exo-mobile/9.8.7/exo-mobile-9.8.7{kind}": kind
        for kind in (".aar", ".pom", "-sources.jar")
    },
}


def made(copy: Copy, *, without: str = "") -> Path:
    """What the machines of a candidate made."""
    for name, text in FILES.items():
        if not (without and without in name):
            file = copy.root / "made" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return copy.root / "made"


def gathered(copy: Copy) -> Path:
    made(copy.with_chapter())
    assert copy.run("./scripts/release", "gather", "made", "dist").returncode == 0
    return copy.root / "dist"


# Checking.


def test_a_version_without_a_chapter_is_no_release(copy: Copy) -> None:
    said = copy.run("./scripts/release", "check")
    assert said.returncode == 1
    assert "has no chapter" in said.stderr


def test_the_notes_are_the_chapter_and_nothing_else(copy: Copy) -> None:
    assert copy.with_chapter().run("./scripts/release", "notes").stdout.strip() == "New: everything."


def test_a_tag_of_another_version_is_refused(copy: Copy) -> None:
    assert copy.with_chapter().run("./scripts/release", "check").returncode == 0
    assert "the tag is v9.8.6" in copy.run("./scripts/release", "check", "v9.8.6").stderr


def test_a_tag_without_the_library_for_swift_is_refused(copy: Copy) -> None:
    assert "no swift/release.json" in copy.with_chapter().run("./scripts/release", "check", "v9.8.7").stderr


def test_a_library_of_another_version_is_refused(copy: Copy) -> None:
    copy.with_chapter()
    (copy.root / "swift/release.json").write_text('{"version": "9.8.6"}')
    assert "swift/release.json:1 says 9.8.6" in copy.run("./scripts/release", "check", "v9.8.7").stderr


# Gathering and drafting.


def test_what_all_machines_made_is_one_flat_folder_with_sums(copy: Copy) -> None:
    folder = gathered(copy)
    assert {file.name for file in folder.iterdir()} == {
        "ExoMobileFFI.xcframework.zip",
        "SHA256SUMS",
        "exo-mobile-9.8.7-maven.zip",
        "exo-mobile-9.8.7.aar",
        "exo-mobile.cdx.json",
        "exo_mobile-9.8.7-py3-none-macosx_13_0_arm64.whl",
        "exo_mobile-9.8.7-py3-none-manylinux_2_17_x86_64.whl",
        "release.json",
    }
    assert hashlib.sha256(b"an archive").hexdigest() in (folder / "SHA256SUMS").read_text()
    names = zipfile.ZipFile(folder / "exo-mobile-9.8.7-maven.zip").namelist()
    assert "dev/exo/mobile/exo-mobile/9.8.7/exo-mobile-9.8.7.pom" in names


@pytest.mark.parametrize("missing", ["xcframework", "manylinux", "macosx", "cdx", "release.json", "/maven/"])
def test_half_a_release_is_refused(copy: Copy, missing: str) -> None:
    made(copy.with_chapter(), without=missing)
    said = copy.run("./scripts/release", "gather", "made", "dist")
    assert said.returncode == 1
    assert "there is no " in said.stderr


def test_an_archive_without_an_ndk_never_ships(copy: Copy) -> None:
    made(copy.with_chapter())
    (copy.root / "made/android/exo-mobile-9.8.7-link-checked-not-for-phones.aar").write_text("x")
    assert "without an NDK" in copy.run("./scripts/release", "gather", "made", "dist").stderr


def test_two_machines_do_not_make_the_same_file(copy: Copy) -> None:
    made(copy.with_chapter())
    (copy.root / "made/sbom/release.json").write_text("another")
    assert "two machines made a file release.json" in copy.run("./scripts/release", "gather", "made", "dist").stderr


def test_a_draft_has_every_file_and_the_notes(copy: Copy) -> None:
    gathered(copy)
    copy.fake("gh", '[ "$2" != view ]')
    assert copy.run("./scripts/release", "draft", "dist").returncode == 0
    assert "gh release create v9.8.7 --draft" in copy.called
    assert all(f"dist/{name}" in copy.called for name in ("SHA256SUMS", "release.json", "exo-mobile-9.8.7.aar"))
    assert "delete" not in copy.called


def test_a_second_candidate_replaces_a_draft(copy: Copy) -> None:
    gathered(copy)
    copy.fake("gh", '[ "$2" != view ] || echo true')
    assert copy.run("./scripts/release", "draft", "dist").returncode == 0
    assert "gh release delete v9.8.7 --yes\ngh release create v9.8.7" in copy.called


def test_what_is_public_is_never_replaced(copy: Copy) -> None:
    gathered(copy)
    copy.fake("gh", '[ "$2" != view ] || echo false')
    said = copy.run("./scripts/release", "draft", "dist")
    assert "is published already" in said.stderr
    assert "create" not in copy.called


def test_a_file_that_changed_after_gathering_is_not_drafted(copy: Copy) -> None:
    (gathered(copy) / "exo-mobile-9.8.7.aar").write_text("another")
    copy.fake("gh", "exit 0")
    assert copy.run("./scripts/release", "draft", "dist").returncode == 1
    assert "gh" not in copy.called


# Fetching, for the tag.


def draft_on_github(copy: Copy, verdict: str = "exit 0") -> None:
    folder = gathered(copy)
    (copy.root / "swift/release.json").write_text(FILES["apple/release.json"])
    copy.fake("gh", f'case "$1 $2" in "release download") cp "{folder}"/* "$5" ;; "attestation verify") {verdict} ;; esac')


def fetch(copy: Copy) -> subprocess.CompletedProcess[str]:
    return copy.run("./scripts/release", "fetch", "fetched", GITHUB_REPOSITORY="exo-explore/exo-mobile")


def test_a_tag_takes_what_the_candidate_made_and_asks_who_made_each_file(copy: Copy) -> None:
    draft_on_github(copy)
    assert fetch(copy).returncode == 0
    asked = [line for line in copy.called.splitlines() if line.startswith("gh attestation verify")]
    assert len(asked) == 7
    assert all(line.endswith("--signer-workflow exo-explore/exo-mobile/.github/workflows/candidate.yml") for line in asked)


def test_a_file_that_nobody_answers_for_ends_it(copy: Copy) -> None:
    draft_on_github(copy, verdict="exit 1")
    assert "nobody answers for" in fetch(copy).stderr


def test_a_tag_of_another_candidate_ends_it(copy: Copy) -> None:
    draft_on_github(copy)
    copy.edit("swift/release.json", '"00"', '"11"')
    assert "is of another candidate" in fetch(copy).stderr


# Maven Central.


@pytest.fixture
def central() -> Iterator[tuple[str, list[tuple[str, str, bytes]]]]:
    """A server that takes what Maven Central would get."""
    got: list[tuple[str, str, bytes]] = []

    class Central(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.path, self.headers["Authorization"], body))
            self.send_response(201)
            self.end_headers()
            self.wfile.write(b"an-id")

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Central)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()


@pytest.fixture
def key(tmp_path: Path) -> tuple[str, Path]:
    """A key with a passphrase, and where its public half is known."""
    home = tmp_path / "gpg"
    home.mkdir(mode=0o700)

    def gpg(*words: str) -> str:
        secret = ["--batch", "--pinentry-mode", "loopback", "--passphrase", "open sesame"]
        done = subprocess.run(["gpg", "--homedir", home, *secret, *words], capture_output=True, text=True, check=True)
        return done.stdout

    gpg("--quick-generate-key", "A <a@example.org>", "ed25519", "sign", "never")
    return gpg("--armor", "--export-secret-keys"), home


def test_maven_central_gets_every_file_signed_and_waits_for_a_person(
    copy: Copy, central: tuple[str, list], key: tuple[str, Path], tmp_path: Path
) -> None:
    gathered(copy)
    url, got = central
    secrets = {"MAVEN_CENTRAL_USERNAME": "ada", "MAVEN_CENTRAL_PASSWORD": "secret", "MAVEN_SIGNING_PASSWORD": "open sesame"}
    said = copy.run("./scripts/release", "maven", "dist", MAVEN_CENTRAL_URL=url, MAVEN_SIGNING_KEY=key[0], **secrets)
    assert said.returncode == 0, said.stderr
    assert "an-id" in said.stdout
    ((path, authorization, body),) = got
    assert path == "/api/v1/publisher/upload?name=exo-mobile-9.8.7&publishingType=USER_MANAGED"
    assert authorization == "Bearer YWRhOnNlY3JldA=="
    bundle = zipfile.ZipFile(BytesIO(body[body.index(b"PK\x03\x04") :]))
    stem = "dev/exo/mobile/exo-mobile/9.8.7/exo-mobile-9.8.7"
    assert {name for name in bundle.namelist() if not name.endswith("/")} == {
        f"{stem}{kind}{beside}"
        for kind in (".aar", ".pom", "-sources.jar", "-javadoc.jar")
        for beside in ("", ".asc", ".md5", ".sha1")
    }
    documentation = zipfile.ZipFile(BytesIO(bundle.read(f"{stem}-javadoc.jar")))
    assert "android.md" in documentation.namelist()
    assert bundle.read(f"{stem}.pom.sha1").decode() == hashlib.sha1(b".pom").hexdigest()
    bundle.extractall(tmp_path)
    verify = ["gpg", "--homedir", key[1], "--verify", tmp_path / f"{stem}.aar.asc", tmp_path / f"{stem}.aar"]
    assert subprocess.run(verify, capture_output=True, check=False).returncode == 0


def test_maven_central_wants_sources(copy: Copy) -> None:
    made(copy.with_chapter(), without="-sources.jar")
    assert copy.run("./scripts/release", "gather", "made", "dist").returncode == 0
    assert "lacks its sources" in copy.run("./scripts/release", "maven", "dist").stderr


def test_without_a_key_nothing_is_sent(copy: Copy, central: tuple[str, list]) -> None:
    gathered(copy)
    said = copy.run("./scripts/release", "maven", "dist", MAVEN_CENTRAL_URL=central[0], MAVEN_SIGNING_KEY="")
    assert said.returncode == 1
    assert "MAVEN_SIGNING_KEY is not set" in said.stderr
    assert central[1] == []


# PyPI.


def test_pypi_gets_every_wheel_and_no_password(copy: Copy) -> None:
    gathered(copy)
    tools = copy.root / ".tools/python-release"
    (tools / "bin").mkdir(parents=True)
    (tools / "installed.txt").write_text((copy.root / "python/requirements-release.txt").read_text())
    copy.fake("twine", "exit 0")
    (copy.programs / "twine").rename(tools / "bin/twine")
    assert copy.run("./scripts/release", "pypi", "dist").returncode == 0
    check, upload = copy.called.splitlines()[-2:]
    wheels = [f"dist/exo_mobile-9.8.7-py3-none-{kind}.whl" for kind in ("macosx_13_0_arm64", "manylinux_2_17_x86_64")]
    assert check == f"twine check --strict {' '.join(wheels)}"
    assert upload == f"twine upload --non-interactive --disable-progress-bar {' '.join(wheels)}"


# The end.


def test_only_a_draft_becomes_public(copy: Copy) -> None:
    copy.with_chapter().fake("gh", '[ "$2" != view ]')
    assert "there is no draft" in copy.run("./scripts/release", "publish").stderr
    copy.fake("gh", '[ "$2" != view ] || echo true')
    assert copy.run("./scripts/release", "publish").returncode == 0
    assert "gh release edit v9.8.7 --draft=false --latest" in copy.called


def test_the_manual_names_every_step_and_an_unknown_one_is_refused(copy: Copy) -> None:
    assert "gather FROM DIR" in copy.run("./scripts/release", "--help").stdout
    assert "unknown step: ship" in copy.run("./scripts/release", "ship").stderr
    assert "gather takes 2 folder(s), and there are 1" in copy.run("./scripts/release", "gather", "one").stderr

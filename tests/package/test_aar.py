"""What the archive says of itself, and what its .pom brings an app."""

import xml.etree.ElementTree as xml

import aar

POM = "{http://maven.apache.org/POM/4.0.0}"
ANDROID = f"{{{aar.MANIFEST_XML}}}"


def test_the_manifest_says_whose_it_is_and_the_oldest_android() -> None:
    manifest = xml.fromstring(aar.manifest())
    assert manifest.get("package") == "dev.exo.mobile.android"
    assert manifest.find("uses-sdk").get(f"{ANDROID}minSdkVersion") == "26"


def test_the_manifest_keeps_what_we_wrote() -> None:
    manifest = xml.fromstring(aar.manifest())
    ours = xml.parse(aar.ANDROID / "src/main/AndroidManifest.xml").getroot()
    for kind in ("uses-permission", "service"):
        wanted = [part.attrib for part in ours.iter(kind)]
        assert wanted
        assert [part.attrib for part in manifest.iter(kind)] == wanted


def test_an_app_gets_kotlin_coroutines_and_jna_with_its_libraries_for_phones() -> None:
    pom = xml.fromstring(aar.pom("1.2.3"))
    assert pom.findtext(f"{POM}version") == "1.2.3"
    assert pom.findtext(f"{POM}packaging") == "aar"
    brought = {
        dependency.findtext(f"{POM}artifactId"): (
            dependency.findtext(f"{POM}type"),
            dependency.findtext(f"{POM}version"),
        )
        for dependency in pom.iter(f"{POM}dependency")
    }
    assert brought == {
        "kotlin-stdlib": ("jar", aar.pom_text("kotlin.version")),
        "kotlinx-coroutines-core": ("jar", aar.pom_text("coroutines.version")),
        "jna": ("aar", aar.pom_text("jna.version")),
    }


def test_the_same_files_give_the_same_bytes() -> None:
    one, other = {"a": b"1", "b": b"2"}, {"b": b"2", "a": b"1"}
    assert aar.zipped(one) == aar.zipped(other)

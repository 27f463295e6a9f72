"""Makes the archive that Android apps depend on, and the Maven repository around it.

    aar.py --out DIR [--mark WORDS] --classes DIR... --sources DIR... --library ABI=FILE...

DIR gets exo-mobile-VERSION.aar, and maven/ with the same archive, its .pom and its sources. WORDS become a part of the
version, so that nobody takes the archive for another. The same input gives the same bytes.

Prints the path of the archive. aar_check.py judges what was made.
"""

import argparse
import io
import re
import sys
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ANDROID = ROOT / "kotlin/android"
GROUP, NAME = "dev.exo.mobile", "exo-mobile"
# The package that an app's build makes R classes for; nothing of ours is found by it.
NAMESPACE = "dev.exo.mobile.android"
MIN_SDK = 26
# The oldest Android SDK that an app may be built with: tests/consumer-android builds one with it.
MIN_COMPILE_SDK = 34
MANIFEST_XML = "http://schemas.android.com/apk/res/android"
METADATA = "META-INF/com/android/build/gradle/aar-metadata.properties"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--mark", default="")
    parser.add_argument("--classes", type=Path, nargs="+", required=True)
    parser.add_argument("--sources", type=Path, nargs="+", required=True)
    parser.add_argument("--library", nargs="+", required=True, metavar="ABI=FILE")
    options = parser.parse_args()

    version = "-".join(filter(None, [pom_text("version"), options.mark]))
    archive = aar(options.classes, dict(pair.split("=", 1) for pair in options.library))
    home = options.out / "maven" / GROUP.replace(".", "/") / NAME / version
    home.mkdir(parents=True, exist_ok=True)
    stem = f"{NAME}-{version}"
    (home / f"{stem}.aar").write_bytes(archive)
    (home / f"{stem}.pom").write_text(pom(version))
    (home / f"{stem}-sources.jar").write_bytes(zipped(files_of(options.sources, ".kt")))
    (options.out / f"{stem}.aar").write_bytes(archive)
    print(options.out / f"{stem}.aar")


def aar(classes: list[Path], libraries: dict[str, str]) -> bytes:
    files = {
        "AndroidManifest.xml": manifest(),
        "R.txt": b"",
        "classes.jar": zipped(files_of(classes, ".class", ".kotlin_module")),
        "proguard.txt": (ANDROID / "consumer-rules.pro").read_bytes(),
        METADATA: metadata(),
    }
    for abi, file in libraries.items():
        files[f"jni/{abi}/libexo_mobile.so"] = Path(file).read_bytes()
    return zipped(files)


def manifest() -> bytes:
    """Ours, with what Gradle would add to it: whose it is, and the oldest Android that it runs on."""
    xml.register_namespace("android", MANIFEST_XML)
    root = xml.parse(ANDROID / "src/main/AndroidManifest.xml").getroot()
    root.set("package", NAMESPACE)
    root.insert(0, xml.Element("uses-sdk", {f"{{{MANIFEST_XML}}}minSdkVersion": str(MIN_SDK)}))
    xml.indent(root, "    ")
    return xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def metadata() -> bytes:
    said = {
        "aarFormatVersion": "1.0",
        "aarMetadataVersion": "1.0",
        "minCompileSdk": MIN_COMPILE_SDK,
        "minCompileSdkExtension": 0,
        "minAndroidGradlePluginVersion": "1.0.0",
        "coreLibraryDesugaringEnabled": "false",
    }
    return "".join(f"{name}={value}\n" for name, value in said.items()).encode()


def pom(version: str) -> str:
    """What an app gets with us. JNA as an archive too: its other half is a library for each kind of device."""
    dependencies = [
        ("org.jetbrains.kotlin", "kotlin-stdlib", pom_text("kotlin.version"), "jar"),
        ("org.jetbrains.kotlinx", "kotlinx-coroutines-core", pom_text("coroutines.version"), "jar"),
        ("net.java.dev.jna", "jna", pom_text("jna.version"), "aar"),
    ]
    cargo = (ROOT / "Cargo.toml").read_text()
    home = re.search(r'^repository = "(.+)"$', cargo, re.MULTILINE)[1]
    project = xml.Element("project", xmlns="http://maven.apache.org/POM/4.0.0")
    told = {
        "modelVersion": "4.0.0",
        "groupId": GROUP,
        "artifactId": NAME,
        "version": version,
        "packaging": "aar",
        "name": "Exo Mobile",
        "description": "An Android phone as a member of an exo AI cluster",
        "url": home,
    }
    tell(project, told)
    tell(xml.SubElement(xml.SubElement(project, "licenses"), "license"), LICENCE)
    tell(
        xml.SubElement(xml.SubElement(project, "developers"), "developer"),
        {"name": "The Exo Mobile authors", "url": home},
    )
    tell(xml.SubElement(project, "scm"), {"url": home, "connection": f"scm:git:{home}.git"})
    listed = xml.SubElement(project, "dependencies")
    for group, name, number, kind in dependencies:
        one = {"groupId": group, "artifactId": name, "version": number, "type": kind, "scope": "compile"}
        tell(xml.SubElement(listed, "dependency"), one)
    xml.indent(project, "    ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(project, encoding="unicode") + "\n"


LICENCE = {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0.txt"}


def tell(element: xml.Element, words: dict[str, str]) -> None:
    for name, text in words.items():
        xml.SubElement(element, name).text = text


def pom_text(name: str) -> str:
    """A version or a property of kotlin/pom.xml, which is where the versions are written."""
    root = xml.parse(ROOT / "kotlin/pom.xml").getroot()
    ours = "{http://maven.apache.org/POM/4.0.0}"
    found = root.find(f"{ours}properties/{ours}{name}")
    found = root.find(f"{ours}{name}") if found is None else found
    if found is None or not found.text:
        sys.exit(f"error: kotlin/pom.xml has no {name}")
    return found.text


def files_of(folders: list[Path], *endings: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for folder in folders:
        found = sorted(path for path in folder.rglob("*") if path.name.endswith(endings))
        if not found:
            sys.exit(f"error: no file in {folder} ends with {' or '.join(endings)}\n  help: build it first")
        for path in found:
            name = path.relative_to(folder).as_posix()
            if files.setdefault(name, path.read_bytes()) != path.read_bytes():
                sys.exit(f"error: two folders have a file {name} each, and they differ")
    return files


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            # The date is the oldest that an archive can have, so that it does not tell the day.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, files[name])
    return buffer.getvalue()


if __name__ == "__main__":
    main()

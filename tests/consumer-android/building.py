"""Builds the app as Android's own build would, step by step: unpack the archives, compile, shrink."""

import os
import re
import subprocess
import xml.etree.ElementTree as xml
import zipfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ANDROID = "{http://schemas.android.com/apk/res/android}"
COMPONENTS = ("activity", "service", "receiver", "provider")
# What Android has of Java, and no more: no windows, no management.
JAVA_MODULES = ("java.base", "java.logging", "java.sql", "java.xml")


def needed(name: str) -> Path:
    """A path that scripts/lib/package_android.sh knows."""
    value = os.environ.get(name)
    assert value, f"{name} is not set: run this by ./scripts/test samples"
    assert Path(value).exists(), f"{name} names {value}, which does not exist"
    return Path(value)


@dataclass
class App:
    """The app, compiled, and all that comes with it."""

    folder: Path
    inputs: list[Path]
    """The jars that go into the app."""
    archive_rules: Path
    """What our archive asks R8 to leave alone."""
    other_rules: list[Path]
    """What everything else asks for."""
    android: Path
    java: Path

    def shrink(self, name: str, rules: list[Path], *options: str) -> Path:
        """R8 in full mode, which is what it does unless told otherwise."""
        output = self.folder / name
        rules = [*self.other_rules, *rules]
        run(
            tool("com.android.tools.r8.R8"),
            ["--release", *options, "--output", output],
            *(["--lib", library] for library in (self.android, self.java)),
            *(["--pg-conf", file] for file in rules),
            ["--pg-map-output", f"{output}.map"],
            self.inputs,
        )
        return output


def build(folder: Path) -> App:
    dependencies, android = needed("EXO_DEPENDENCIES"), needed("EXO_ANDROID")
    archive = unpacked(needed("EXO_AAR"), folder / "exo-mobile")
    jna = unpacked(only(dependencies.glob("jna-*.aar")), folder / "jna")
    libraries = [archive / "classes.jar", jna / "classes.jar", *sorted(dependencies.glob("*.jar"))]
    app = folder / "app.jar"
    path = os.pathsep.join(map(str, [*libraries, android]))
    compiler = tool("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler")
    run(compiler, ["-no-stdlib", "-no-reflect", "-jvm-target", "11", "-cp", path, "-d", app, HERE / "App.kt"])
    rules = [HERE / "app-rules.pro", rules_of_manifest(archive, folder), *rules_of_jars(libraries, folder)]
    java = java_of_android(folder / "java.jar")
    return App(folder, [app, *libraries], archive / "proguard.txt", rules, android, java)


def rules_of_manifest(archive: Path, folder: Path) -> Path:
    """What a manifest names is kept, as Android's build does it."""
    manifest = xml.parse(archive / "AndroidManifest.xml").getroot()
    names = [part.get(f"{ANDROID}name") for kind in COMPONENTS for part in manifest.iter(kind)]
    assert names, "the manifest names no service"
    file = folder / "manifest-rules.pro"
    file.write_text("".join(f"-keep class {name} {{ <init>(); }}\n" for name in names))
    return file


def rules_of_jars(jars: list[Path], folder: Path) -> list[Path]:
    """The rules that libraries carry inside. Where there are some for R8, the ones for others do not count."""
    found = []
    for jar in jars:
        with zipfile.ZipFile(jar) as archive:
            names = [
                name for name in archive.namelist() if re.fullmatch(r"META-INF/com\.android\.tools/r8/[^/]+", name)
            ]
            names = names or [name for name in archive.namelist() if re.fullmatch(r"META-INF/proguard/[^/]+", name)]
            for name in names:
                file = folder / f"{jar.stem}-{Path(name).name}"
                file.write_bytes(archive.read(name))
                found.append(file)
    return found


def java_of_android(file: Path) -> Path:
    modules = Path(java_home()) / "jmods"
    with zipfile.ZipFile(file, "w") as jar:
        for module in JAVA_MODULES:
            with zipfile.ZipFile(modules / f"{module}.jmod") as archive:
                for name in archive.namelist():
                    if name.startswith("classes/") and name.endswith(".class") and "module-info" not in name:
                        jar.writestr(name.removeprefix("classes/"), archive.read(name))
    return file


def java_home() -> str:
    said = subprocess.run(["java", "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=True)
    return re.search(r"java\.home = (.+)", said.stderr)[1].strip()


def unpacked(archive: Path, folder: Path) -> Path:
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    return folder


def only(paths) -> Path:
    (path,) = paths
    return path


def tool(main_class: str) -> list[str]:
    return ["java", "-Xmx2g", "-cp", f"{needed('EXO_CONSUMER_TOOLS')}/*", main_class]


def run(*words) -> str:
    """Runs a command, given as lists of words. What it said is shown if it fails."""
    command = [str(word) for some in words for word in some]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command[:6])} ...\n{done.stdout[-4000:]}"
    return done.stdout

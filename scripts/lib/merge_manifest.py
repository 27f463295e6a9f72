"""Merges the manifest of a library into an app's, as Gradle does for people: merge_manifest.py APP LIBRARY OUT MIN TARGET.

Only what our two manifests need: permissions and the parts of the application are taken over, names of our own classes are
written out, and the versions are those given.
"""

import sys
import xml.etree.ElementTree as xml

PACKAGE = "dev.exo.mobile.sample"
ANDROID = "{http://schemas.android.com/apk/res/android}"


def main(app: str, library: str, out: str, oldest: str, target: str) -> None:
    xml.register_namespace("android", ANDROID.strip("{}"))
    tree = xml.parse(app)
    manifest, other = tree.getroot(), xml.parse(library).getroot()
    manifest.set("package", PACKAGE)
    manifest.set(f"{ANDROID}versionCode", "1")
    manifest.set(f"{ANDROID}versionName", "0.1.0")
    application = manifest.find("application")
    for element in application.iter():
        name = element.get(f"{ANDROID}name", "")
        if name.startswith("."):
            element.set(f"{ANDROID}name", PACKAGE + name)
    application.extend(other.find("application"))
    sdk = xml.Element("uses-sdk", {f"{ANDROID}minSdkVersion": oldest, f"{ANDROID}targetSdkVersion": target})
    for place, element in enumerate([sdk, *other.findall("uses-permission")]):
        manifest.insert(place, element)
    xml.indent(tree)
    tree.write(out, encoding="utf-8", xml_declaration=True)


main(*sys.argv[1:])

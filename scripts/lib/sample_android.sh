# shellcheck shell=bash
# The sample app for Android: its resources, its tests, its pictures and its APK, without an Android SDK and without a phone.
# Needs android.sh and kotlin.sh.

SAMPLE="$ROOT/sample-android"
SAMPLE_BUILD="$ROOT/target/sample-android"
SAMPLE_TOOLS="$TOOLS/sample-android"
# The oldest Android that the app runs on, and the newest that it is made for. build.gradle.kts says the same.
SAMPLE_ANDROIDS='26 37'
# The newest whose resources aapt2 can read. The app uses nothing newer of them.
FRAMEWORK=14-robolectric-10818077-i7

want_sample_android() { want_android; }

need_sample_android() {
    need_android
    need_python "$SAMPLE/requirements.txt" "$SAMPLE_TOOLS"
}

aapt2() { "$(compgen -G "$SAMPLE_TOOLS/lib/python3*/site-packages/aapt2/bin/$(uname -s)/aapt2" | head -n 1)" "$@"; }

# What an app's resources are linked against: two files of Android itself.
framework_resources() {
    local archive="$SAMPLE_BUILD/framework.zip"
    [ -f "$archive" ] || python3 - "$ANDROIDS_DIR/android-all-instrumented-$FRAMEWORK.jar" "$archive" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as android, zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as slim:
    for name in ("resources.arsc", "AndroidManifest.xml"):
        slim.writestr(name, android.read(name))
PYTHON
}

# The merged manifest, the resources as an APK without code, the class R, and where Robolectric finds them.
sample_resources() {
    local oldest="${SAMPLE_ANDROIDS% *}" target="${SAMPLE_ANDROIDS#* }"
    rm -rf "$SAMPLE_BUILD/r" "$SAMPLE_BUILD/r-classes"
    mkdir -p "$SAMPLE_BUILD"/{r,r-classes,assets,test-config/com/android/tools}
    framework_resources &&
        python3 "$ROOT/scripts/lib/merge_manifest.py" "$SAMPLE/src/main/AndroidManifest.xml" \
            "$ROOT/kotlin/android/src/main/AndroidManifest.xml" "$SAMPLE_BUILD/AndroidManifest.xml" "$oldest" "$target" &&
        chmod +x "$(compgen -G "$SAMPLE_TOOLS/lib/python3*/site-packages/aapt2/bin/$(uname -s)/aapt2")" &&
        aapt2 compile --dir "$SAMPLE/src/main/res" -o "$SAMPLE_BUILD/resources.zip" &&
        aapt2 link -I "$SAMPLE_BUILD/framework.zip" --manifest "$SAMPLE_BUILD/AndroidManifest.xml" \
            --java "$SAMPLE_BUILD/r" -o "$SAMPLE_BUILD/resources.apk" "$SAMPLE_BUILD/resources.zip" &&
        javac --release 11 -d "$SAMPLE_BUILD/r-classes" "$SAMPLE_BUILD/r/dev/exo/mobile/sample/R.java" &&
        cat >"$SAMPLE_BUILD/test-config/com/android/tools/test_config.properties" <<PROPERTIES
android_merged_manifest=$SAMPLE_BUILD/AndroidManifest.xml
android_merged_assets=$SAMPLE_BUILD/assets
android_resource_apk=$SAMPLE_BUILD/resources.apk
android_custom_package=dev.exo.mobile.sample
PROPERTIES
}

# sample_maven GOAL...: the app and the modules of the SDK before it, which are built and not tested again.
sample_maven() {
    (cd "$ROOT/kotlin" && maven -Pandroid,samples -Dmaven.test.skip -Dexo.java="$(android_java)" \
        -Dexo.androids="$ANDROIDS_DIR" "$@")
}

# sample_tests [MAVEN OPTION...]: the app on Android as Robolectric plays it, through the real library. Ends with a line that
# `tests` can count.
sample_tests() {
    local status=0 reports="$KOTLIN_BUILD/exo-sample-android/surefire-reports"
    rm -rf "$reports"
    kotlin_bindings && sample_resources && sample_maven test "$@" || status=$?
    python3 "$ROOT/scripts/lib/surefire.py" "$reports" && return $status
}

# sample_style [--format]: our style, or our style put right.
sample_style() {
    (cd "$SAMPLE" && java -jar "$KTLINT" --relative --editorconfig="$ROOT/kotlin/.editorconfig" "$@" 'src/**/*.kt')
}

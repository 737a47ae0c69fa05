#!/bin/sh
# `command: check`: annotations and the job summary, SARIF if INPUT_SARIF names a file. Ends with the exit code of `reversion check`;
# where INPUT_FAIL is `false`, 1 and 3 become 0. With INPUT_CHANGED_FILES=true the report is of the files that the event changes.
set -eu
# shellcheck source=packaging/action/common.sh
. "$(dirname "$0")/common.sh"

# Fetches one commit and its parents without their history: fetch COMMIT DEPTH.
fetch() {
    git fetch --quiet --no-tags --depth="$2" origin "$1"
}

# Sets `base` to the commit that the event starts from; empty if the event has none that git can fetch, as of a schedule, a new branch
# or one that was pushed by force.
find_base() {
    base=$(printf '%s' "${INPUT_EVENT_BASE:-}" | sed '/^0*$/d')
    head=$(git rev-parse HEAD)
    case ${GITHUB_EVENT_NAME:-}:${GITHUB_REF:-}:$head in
    *:refs/pull/*/merge:"${GITHUB_SHA:-}")
        # This commit merges the pull request into its base, the first parent.
        git rev-parse --quiet --verify HEAD^1 >/dev/null || fetch "$head" 2 || fail "git cannot fetch the parents of $head: pass \`fetch-depth: 0\` to actions/checkout"
        base=$(git rev-parse HEAD^1)
        ;;
    pull_request*:* | *:refs/pull/*)
        # The workflow checked out another commit, such as the newest one of the branch.
        base=$(git merge-base "$base" HEAD) || fail 'git does not know where the branch left its base: pass `fetch-depth: 0` to actions/checkout'
        [ "$base" != "$head" ] || fail 'the base of the pull request is checked out, without its changes: pass `ref: ${{ github.event.pull_request.head.sha }}` and `fetch-depth: 0` to actions/checkout'
        ;;
    *)
        if [ -n "$base" ] && ! git cat-file -e "$base" 2>/dev/null; then fetch "$base" 1 || base=; fi
        ;;
    esac
}

if [ "${INPUT_CHANGED_FILES:-}" = true ]; then
    find_base
    if [ -n "$base" ]; then
        git diff --name-only --no-renames --diff-filter=d --relative -z "$base" HEAD >"$folder/changed-files" || fail "git cannot compare $base with the checked-out commit"
        INPUT_ARGS=$(printf '%s\n--files-from=%s' "${INPUT_ARGS:-}" "$folder/changed-files")
    else
        echo '::notice title=reversion::no earlier commit of the event is known, so all files are checked'
    fi
fi

run check
if [ -f "$report" ]; then
    # This format writes the job summary too.
    reversion report merge "$report" --format github 2>/dev/null || :
    if [ -n "${INPUT_SARIF:-}" ]; then
        reversion report merge "$report" --format sarif --output-file "$INPUT_SARIF" 2>/dev/null || :
        # Later steps run in another folder.
        case $INPUT_SARIF in
        /* | [A-Za-z]:*) output sarif "$INPUT_SARIF" ;;
        *) output sarif "$(pwd)/$INPUT_SARIF" ;;
        esac
    fi
fi
case $code:${INPUT_FAIL:-true} in
1:false | 3:false) exit 0 ;;
*) exit "$code" ;;
esac

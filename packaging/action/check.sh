#!/bin/sh
# `command: check`: annotations and the job summary, SARIF if INPUT_SARIF names a file. Ends with the exit code of `reversion check`;
# where INPUT_FAIL is `false`, 1 and 3 become 0.
set -eu
# shellcheck source=packaging/action/common.sh
. "$(dirname "$0")/common.sh"

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

# shellcheck shell=sh
# What check.sh and migrate.sh share. Inputs of the action are variables INPUT_*; lists have one item a line.

# Where reports are kept until the job ends.
folder=${RUNNER_TEMP:-${TMPDIR:-.}}/reversion
report=$folder/report.json
mkdir -p "$folder"

# Sets an output of the step: output NAME VALUE.
output() {
    printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:-/dev/null}"
}

# Prints an error as an annotation and ends the step.
fail() {
    printf '::error title=reversion::%s\n' "$1"
    exit 2
}

# Prints a number of the summary of the report, 0 if there is no report: count NAME.
count() {
    number=$(sed -n 's/^    "'"$1"'": \([0-9]*\),\{0,1\}$/\1/p' "$report" 2>/dev/null | head -n 1)
    printf '%s' "${number:-0}"
}

# Runs `reversion COMMAND` with the inputs as arguments and saves the report; sets `code`.
run() {
    rm -f "$report"
    set -- "$@" --format json --output-file "$report"
    while IFS= read -r line; do
        if [ -n "$line" ]; then set -- "$@" --to "$line"; fi
    done <<EOF
$(printf '%s' "${INPUT_TO:-}" | tr -s ', ' '[\n*]')
EOF
    while IFS= read -r line; do
        if [ -n "$line" ]; then set -- "$@" "$line"; fi
    done <<EOF
${INPUT_ARGS:-}
EOF
    set -- "$@" --
    while IFS= read -r line; do
        if [ -n "$line" ]; then set -- "$@" "$line"; fi
    done <<EOF
${INPUT_PATHS:-.}
EOF
    code=0
    reversion "$@" 2>"$folder/errors" || code=$?
    cat "$folder/errors" >&2
    # The log is where nobody looks first.
    why=$(sed -n 's/%/%25/g; s/^error: //p; /^nothing recognized/p' "$folder/errors" | head -n 1)
    case $code in
    2) if [ ! -f "$report" ]; then printf '::error title=reversion::%s\n' "${why:-reversion failed; its log says why}"; fi ;;
    3) printf '::warning title=reversion::%s\n' "${why:-nothing recognized}" ;;
    esac
    output exit-code "$code"
    output changed "$(count changed)"
    output held-back "$(count heldBack)"
    output unresolved "$(count unresolved)"
    if [ -f "$report" ]; then output report "$report"; fi
}

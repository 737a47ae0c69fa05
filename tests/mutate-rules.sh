#!/usr/bin/env bash
# Breaks the rules of a pack one by one and says which tests notice: tests/mutate-rules.sh [PACK] [RULE-ID-PART]
#
# Each rule is dropped once, and each of its paths gets one letter more, one at a time. Fixtures and laws then run on a copy
# of the pack (REVERSION_PACK), so nothing is built again. Exit code 1: some change was noticed by no test.
# Needs GNU grep and coreutils. Takes some seconds for each change, so it is run by hand.
set -euo pipefail
cd "$(dirname "$0")/.."
pack=${1:-gateway-api}
only=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/$pack
export REVERSION_PACK=$copy
export REVERSION_LAWS_CASES=${REVERSION_LAWS_CASES:-30}

fresh() { rm -rf "$copy"; cp -r "rules/$pack" "$copy"; }

# Says how a test binary ended on the mutated pack; a pack that does not load is noticed by whoever loads it.
verdict() {
  local log=$work/log
  if cargo test -q --test "$1" -- "$2" >"$log" 2>&1; then echo passes
  elif grep -aq 'test result: FAILED' "$log"; then echo fails
  else echo 'does not load'; fi
}

missed=0
# Prints what fixtures (of the names $2) and laws (of the names $3) make of the change $1.
row() {
  local fixtures laws note=
  fixtures=$(verdict fixtures "$2")
  laws=$(verdict laws "$3")
  if [[ $fixtures == passes && $laws == passes ]]; then note=MISSED; missed=$((missed + 1)); fi
  printf '%-13s %-13s %-7s %s\n' "$fixtures" "$laws" "$note" "$1"
}

unset REVERSION_PACK
cargo test -q --test fixtures --test laws --no-run
export REVERSION_PACK=$copy
printf '%-13s %-13s %-7s %s\n' FIXTURES LAWS '' CHANGE
fresh
[[ $(verdict fixtures "$pack") == passes ]] || { echo 'the fixtures fail without any change' >&2; exit 2; }
while IFS= read -r rule; do
  id=$pack/${rule%.yaml}
  [[ $id == *"$only"* ]] || continue
  fresh
  rm "$copy/$rule"
  row "$id: dropped" "$pack" 'every fixture has a rule'
  while IFS=: read -r offset match; do
    fresh
    end=$((offset + ${#match}))
    { head -c "$end" "rules/$pack/$rule"; printf x; tail -c +"$((end + 1))" "rules/$pack/$rule"; } >"$copy/$rule"
    row "$id: ${match}x" "$id" "$id"
  done < <(grep -obE '\b(field|from|to|at|present|absent|default-field): *"?[A-Za-z][A-Za-z0-9.]*' "rules/$pack/$rule")
done < <(cd "rules/$pack" && find . -mindepth 2 -name '*.yaml' -printf '%P\n' | sort)
echo "$missed changes missed"
[[ $missed == 0 ]]

#!/usr/bin/env bash
# Breaks every rule in every way, one at a time, and prints which check detected each: tests/mutate-rules.sh [PART-OF-A-NAME]
#
# Exit code 1: no fixture and no static check detected some mutant. Takes some minutes, mostly to build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export REVERSION_RULE_MUTANTS=all CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
exec cargo test --locked --release --test cases -- "mutants::${1:-}"

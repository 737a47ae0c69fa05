#!/usr/bin/env bash
# Times the whole program, and what people compare it with, over generated trees; prints a Markdown table of medians.
#   benches/whole.sh [SIZE...]     sizes in files, 1000 20000 by default; RUNS=5, BIN=target/release/reversion, KEEP=folder
# A tree is 5 % objects that must change, 10 % objects that need not, and other manifests. `one` is a single file of as many
# documents as the largest tree has files, `all` a tree in which every file changes. `apply` writes a fresh copy each time. rg and
# yq are run where they are installed.
set -euo pipefail
cd "$(dirname "$0")/.."
. benches/generate.sh
bin=$(realpath "${BIN:-target/release/reversion}")
runs=${RUNS:-5}
top=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$top"' EXIT
mkdir -p "$top"
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(1000 20000)
target=gateway-api@1.5/standard

# seconds COMMAND...: one run's wall time and peak memory in MiB (0 without GNU time).
seconds() {
  local start=${EPOCHREALTIME/./} peak=0
  if [ -x /usr/bin/time ]; then
    /usr/bin/time -o "$top/peak" -f %M "$@" > /dev/null 2>&1 || true
    peak=$(tail -1 "$top/peak")
  else
    "$@" > /dev/null 2>&1 || true
  fi
  echo "$((${EPOCHREALTIME/./} - start)) $peak"
}

# fresh TREE: a copy of a tree to write to.
fresh() {
  rm -rf "$top/copy"
  cp -r "$1" "$top/copy"
}

# row NAME TREE BYTES COMMAND...: the medians; the first row of a tree is what the others are compared with.
row() {
  local name=$1 tree=$2 bytes=$3
  shift 3
  [ -n "$before" ] || seconds "$@" > /dev/null
  for ((run = 0; run < runs; run++)); do $before; seconds "$@"; done | sort -n > "$top/runs"
  read -r micros peak < <(sed -n "$((runs / 2 + 1))p" "$top/runs")
  [ -n "$base" ] || base=$micros
  awk -v name="$name" -v tree="$tree" -v micros="$micros" -v base="$base" -v bytes="$bytes" -v peak="$peak" 'BEGIN {
    printf "| %s | %s | %.3f | %.2f | %.0f | %.0f |\n", tree, name, micros / 1e6, micros / base, bytes / micros, peak / 1024 }'
}

# table TREE PATH: every command over one tree.
table() {
  local bytes
  bytes=$(find "$2" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
  base=
  if command -v rg > /dev/null; then row "rg -lF" "$1" "$bytes" rg -lF --hidden --no-ignore gateway.networking. "$2"; fi
  row check "$1" "$bytes" "$bin" check --exit-zero --to "$target" "$2"
  # Every object is one of a known API then.
  row "check, kubernetes too" "$1" "$bytes" "$bin" check --exit-zero --to "$target" --to kubernetes@latest "$2"
  row diff "$1" "$bytes" "$bin" diff --exit-zero --to "$target" "$2"
  before="fresh $2"
  row apply "$1" "$bytes" "$bin" apply --yes --allow-no-vcs --exit-zero --to "$target" "$top/copy"
  before=
  if command -v yq > /dev/null && command -v rg > /dev/null; then
    rg -lF --hidden --no-ignore gateway.networking. "$2" > "$top/candidates"
    row "yq . on the candidates" "$1" "$bytes" xargs -a "$top/candidates" yq .
  fi
}

echo "| tree | command | s | to the first | MB/s | peak MiB |"
echo "|---|---|---|---|---|---|"
largest=0
before=
for size in "${sizes[@]}"; do
  [ -d "$top/$size" ] || generate "$top/$size" "$size" 5
  table "$size files" "$top/$size"
  [ "$size" -gt "$largest" ] && largest=$size
done
[ -d "$top/all" ] || generate "$top/all" "$largest" 100
table "all: $largest files" "$top/all"
mkdir -p "$top/one"
[ -f "$top/one/all.yaml" ] || generate - "$largest" 5 > "$top/one/all.yaml"
table "one file" "$top/one"

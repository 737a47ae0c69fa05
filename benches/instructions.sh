#!/usr/bin/env bash
# Counts the instructions of fixed runs, and compares them with the last figures.
#   benches/instructions.sh              prints the table
#   benches/instructions.sh --check      fails where a run takes 3 % more or less than the table in benches/README.md says
#   benches/instructions.sh --write      writes the table there
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
. benches/counting.sh
. benches/generate.sh
mode=${1:-}
gateway=gateway-api@1.5/standard

# Trees in which the work for files is most of a run.
make_trees() {
  generate "$top/start" 1 100
  generate "$top/sparse" 200 5
  generate "$top/all" 60 100
  mkdir "$top/one" "$top/crds" "$top/lamps" "$top/chart" "$top/chart/templates"
  generate - 100 5 > "$top/one/all.yaml"
  cat > "$top/crds/lamps.yaml" <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: lamps.home.example
spec:
  group: home.example
  names: {kind: Lamp, plural: lamps}
  scope: Namespaced
  versions:
  - {name: v1beta1, served: true, storage: false, deprecated: true, schema: {openAPIV3Schema: &schema {type: object, properties: {spec: {type: object, required: [room], properties: {room: {type: string, pattern: "^[a-z0-9-]+$"}, bulbs: {type: array, items: {type: object, properties: {watts: {type: integer, minimum: 1}}, x-kubernetes-validations: [{rule: "self.watts < 100"}]}}}}}}}}
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: *schema}}
YAML
  local number
  for number in {1..100}; do
    printf 'apiVersion: home.example/v1beta1\nkind: Lamp\nmetadata:\n  name: lamp-%s\nspec:\n  room: room-%s\n  bulbs:\n  - watts: 40\n  - watts: 60 # reads\n' \
      "$number" "$number" > "$top/lamps/lamp-$number.yaml"
  done
  printf 'apiVersion: v2\nname: shop\nversion: 1.0.0\n' > "$top/chart/Chart.yaml"
  printf 'host: shop.example.com\n' > "$top/chart/values.yaml"
  for number in {1..40}; do
    printf 'apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata:\n  name: {{ .Release.Name }}-%s\nspec:\n  parentRefs:\n  - name: web\n  {{- if .Values.host }}\n  hostnames:\n  - {{ .Values.host | quote }}\n  {{- end }}\n' \
      "$number" > "$top/chart/templates/route-$number.yaml"
  done
}

# row NAME ARGUMENT...: counts a line of the table, beside as many others as there are processors.
row() {
  local at=${#jobs[@]}
  [ "$at" -lt "$processors" ] || wait "${jobs[at - processors]}"
  count_row "$@" > "$top/row.$at" &
  jobs+=($!)
}

# count_row NAME ARGUMENT...: prints it.
count_row() {
  local name=$1 instructions
  shift
  instructions=$(count "$@")
  awk -v name="$name" -v command="$*" -v count="$instructions" 'BEGIN { printf "| %s | `%s` | %.2f |\n", name, command, count / 1e6 }'
}

rows() {
  local jobs=() processors at
  processors=$(nproc)
  printf '| run | command | M instructions |\n|---|---|---|\n'
  row "start, one pack" check --to "$gateway" start
  row "start, six packs" check --to "$gateway" --to kubernetes@1.34 --to ngf@2.4 --unpaired --to cert-manager@1.18 --to external-secrets@0.19 --to flux@2.6 start
  row "sparse tree, 200 files" check --to "$gateway" sparse
  row "dense tree, the same files" check --to kubernetes@1.34 sparse
  row "60 files, all change" check --to "$gateway" all
  row "one file of 100 documents" check --to "$gateway" one
  row "detect, 60 files" detect all
  row "100 objects of a CRD" check --crds crds lamps
  row "a chart of 40 templates" check --to "$gateway" chart
  for at in "${!jobs[@]}"; do
    wait "${jobs[at]}"
    cat "$top/row.$at"
  done
}

# compare: the new table on standard input beside the one that is kept.
compare() {
  awk -F '|' '
    $4 !~ /[0-9]/ { next }
    NR == FNR { last[$2] = $4 + 0; next }
    { seen[$2] = 1 }
    !($2 in last) { printf "%s: %.2f M instructions, not in the table\n", $2, $4; failed = 1; next }
    $4 > last[$2] * 1.03 || $4 < last[$2] * 0.97 {
      printf "%s: %.2f M instructions, %+.1f %% of %.2f\n", $2, $4, ($4 / last[$2] - 1) * 100, last[$2]
      failed = 1
    }
    END {
      for (run in last) if (!(run in seen)) { printf "%s: in the table, not counted\n", run; failed = 1 }
      exit failed
    }' <(table instructions) - >&2
}

make_trees
rows | tee "$top/table"
case $mode in
  --check)
    compare < "$top/table" || {
      echo "if the change is worth it, or is for that: benches/instructions.sh --write, in the same change" >&2
      exit 1
    } ;;
  --write) write_table instructions < "$top/table" ;;
esac

#!/usr/bin/env bash
# Doubles what a run can have much of, and prints how its instructions grow: the exponent between the last two sizes, 1 where twice as
# much costs twice as much. Fails where one is above 1.1.
#   benches/growth.sh [NAME...]          prints the table, of these rows alone
#   benches/growth.sh --write            writes the table to benches/README.md
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
. benches/counting.sh
. benches/generate.sh
gateway=gateway-api@1.5/standard

# Each function below writes an input of a size into the folder where it is called.

# route NAME VERSION [LINE...]: an HTTPRoute.
route() {
  printf -- '---\napiVersion: gateway.networking.k8s.io/%s\nkind: HTTPRoute\nmetadata:\n  name: %s\nspec:\n  hostnames: [app.example.com]\n' "$2" "$1"
  shift 2
  [ $# -eq 0 ] || printf '%s\n' "$@"
}

# patch NAME: an entry of `patches` for the routes of this name.
patch() {
  printf -- '- target: {kind: HTTPRoute, name: "%s"}\n  patch: |-\n    - {op: replace, path: /spec/hostnames/0, value: www.example.com}\n' "$1"
}

patterns() {
  printf 'resources: [routes.yaml]\npatches:\n' > kustomization.yaml
  for ((at = 0; at < $1; at++)); do
    patch "app-$at-.*" >> kustomization.yaml
    route "app-$at-web" v1beta1 >> routes.yaml
  done
}

patches() {
  route app v1beta1 > route.yaml
  printf 'resources: [route.yaml]\npatches:\n' > kustomization.yaml
  for ((at = 0; at < $1; at++)); do patch app; done >> kustomization.yaml
}

chain() {
  mkdir "$(printf 'k-%05d' 0)"
  route app v1beta1 > k-00000/route.yaml
  printf 'resources: [route.yaml]\n' > k-00000/kustomization.yaml
  for ((at = 1; at < $1; at++)); do
    folder=$(printf 'k-%05d' "$at")
    mkdir "$folder"
    printf 'resources: [../k-%05d]\n' $((at - 1)) > "$folder/kustomization.yaml"
  done
}

patched_chain() {
  chain "$1"
  for kustomization in k-*/kustomization.yaml; do
    { echo patches:; patch app; } >> "$kustomization"
  done
}

namesakes() {
  for ((at = 0; at < $1; at++)); do
    mkdir "team-$at"
    {
      printf 'apiVersion: gateway.networking.k8s.io/v1beta1\nkind: Gateway\nmetadata:\n  name: web\nspec:\n  gatewayClassName: nginx\n  listeners:\n  - {name: http, port: 80, protocol: HTTP}\n'
      route app v1beta1 '  parentRefs: [{name: web}]'
    } > "team-$at/web.yaml"
  done
}

findings() {
  for ((at = 0; at < $1; at++)); do route "app-$at" v1 '  rules:' '  - retry: {attempts: 3}'; done > routes.yaml
}

ignores() {
  for ((at = 0; at < $1; at++)); do
    route "app-$at" v1 '  rules:' '  - retry: {attempts: 3} # reversion: ignore[dropped-field] slow'
  done > routes.yaml
}

items() {
  {
    printf 'apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata:\n  name: app\nspec:\n  rules:\n'
    for ((at = 0; at < $1; at++)); do
      printf '  - host: app-%s.example.com\n    http:\n      paths:\n      - path: /\n        backend: {serviceName: app, servicePort: 80}\n' "$at"
    done
  } > ingress.yaml
}

lost_items() {
  { route app v1 '  rules:'; for ((at = 0; at < $1; at++)); do echo '  - retry: {attempts: 3}'; done; } > route.yaml
}

steps() {
  mkdir pack pack/catalog pack/v2.0.0 tree
  printf 'name: lamps\ntitle: Lamps\nsource: made up\ngroups: [home.example]\nreleases:\n- {bundle: v1.0.0}\n- {bundle: v2.0.0}\n' > pack/pack.yaml
  {
    printf 'kind\tLamp.home.example\nscope\tNamespaced\tv1.0.0..v2.0.0\n'
    printf 'served\tv1\tv2.0.0\nserved\tv1beta1\tv1.0.0\nstorage\tv1\tv2.0.0\nstorage\tv1beta1\tv1.0.0\n'
    printf 'path\ttype\trequired\tattributes\tapiVersions\treleases\nspec\tobject\t\t\t\tv1.0.0..v2.0.0\n'
    for ((at = 0; at < $1; at++)); do printf 'spec.new%05d\tstring\t\t\t\tv2.0.0\n' "$at"; done
    for ((at = 0; at < $1; at++)); do printf 'spec.old%05d\tstring\t\t\t\tv1.0.0\n' "$at"; done
  } > pack/catalog/Lamp.home.example.tsv
  {
    printf 'summary: fields have other names\nkind: Lamp.home.example\nsource: made up\nlens:\n'
    for ((at = 0; at < $1; at++)); do printf -- '- rename: {field: spec.old%05d, to: new%05d}\n' "$at" "$at"; done
  } > pack/v2.0.0/lamp-fields.yaml
  {
    printf 'apiVersion: home.example/v1beta1\nkind: Lamp\nmetadata:\n  name: hall\nspec:\n'
    for ((at = 0; at < $1; at++)); do printf '  old%05d: a\n' "$at"; done
  } > tree/lamp.yaml
}

documents() {
  generate - "$1" 5 > all.yaml
}

files() {
  generate tree "$1" 5
}

# size NAME N: the instructions of an input of this size.
size() {
  local folder=$1-$2
  mkdir "$top/$folder"
  (cd "$top/$folder" && "$1" "$2")
  case $1 in
    steps) estimate check --pack "$folder/pack" --to lamps@2.0.0 "$folder/tree" ;;
    items) estimate check --to kubernetes@1.34 "$folder" ;;
    *) estimate check --to "$gateway" "$folder" ;;
  esac
}

# row NAME SIZE TITLE: a line of the table.
row() {
  [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " = *" $1 "* ]] || return 0
  local unit one two four
  unit=$(size "$1" 1)
  one=$(size "$1" "$2")
  two=$(size "$1" $(($2 * 2)))
  four=$(size "$1" $(($2 * 4)))
  awk -v title="$3" -v n="$2" -v one=$((one - unit)) -v two=$((two - unit)) -v four=$((four - unit)) 'BEGIN {
    exponent = log(four / two) / log(2)
    printf "| %s | %d | %.1f | %.1f | %.1f | %.2f |\n", title, n, one / 1e6, two / 1e6, four / 1e6, exponent
    exit exponent > 1.1 }' || steep=1
}

rows() {
  printf '| n of | n | M instructions | 2n | 4n | exponent |\n|---|---|---|---|---|---|\n'
  row patterns 100 "selectors by pattern, and objects"
  row patches 100 "patches for one object"
  row chain 100 "kustomizations, each built on the last"
  row patched_chain 50 "the same, each with a patch"
  row namesakes 200 "folders with a Gateway and a route of the same names"
  row findings 500 "findings"
  row ignores 500 "ignore comments in one file"
  row items 25 "items of one list"
  row lost_items 100 "items of one list, each with a finding"
  row steps 100 "steps of a rule, and fields"
  row documents 500 "documents of one file"
  row files 500 "files"
}

wanted=()
steep=
case ${1:-} in
  --write)
    rows > "$top/table"
    cat "$top/table"
    write_table growth < "$top/table" ;;
  *) wanted=("$@"); rows ;;
esac
[ -z "$steep" ] || { echo "above 1.1: something looks at all of them for each of them" >&2; exit 1; }

#!/usr/bin/env bash
# Counts what a run does: files read, texts parsed, objects converted, graphs of kustomizations made. Prints a Markdown table.
#   benches/counts.sh [FILES]     files of the generated tree, 100 by default; BIN=target/debug/reversion
# The calls are those that callgrind sees in one thread, so the build must have symbols and must not inline these functions: a debug
# build. The first tree has three files: a kustomization, a BackendTLSPolicy that changes, and a JSON patch that the kustomization
# applies to it.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${BIN:-target/debug/reversion}")
files=${1:-100}
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
target=gateway-api@1.5/standard

mkdir -p "$top/three" "$top/generated"
cat > "$top/three/kustomization.yaml" <<'YAML'
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
- policy.yaml
patches:
- path: patch.yaml
  target:
    group: gateway.networking.k8s.io
    kind: BackendTLSPolicy
    name: shop
YAML
cat > "$top/three/policy.yaml" <<'YAML'
apiVersion: gateway.networking.k8s.io/v1alpha2
kind: BackendTLSPolicy
metadata:
  name: shop
spec:
  targetRef:
    group: ""
    kind: Service
    name: shop
  tls:
    hostname: shop.example.com
    caCertRefs:
    - group: ""
      kind: ConfigMap
      name: ca
YAML
cat > "$top/three/patch.yaml" <<'YAML'
- op: replace
  path: /spec/tls/hostname
  value: shop.example.org
YAML
# A route in each folder; every tenth folder is a kustomization with a patch of its route, every seventh route is old.
for number in $(seq 1 "$files"); do
  folder=$top/generated/app-$number
  mkdir -p "$folder"
  version=v1
  [ $((number % 7)) -ne 0 ] || version=v1beta1
  printf 'apiVersion: gateway.networking.k8s.io/%s\nkind: HTTPRoute\nmetadata:\n  name: app-%s\nspec:\n  parentRefs:\n  - name: web\n' \
    "$version" "$number" > "$folder/route.yaml"
  if [ $((number % 10)) -eq 0 ]; then
    printf 'resources: [route.yaml]\npatches:\n- path: patch.yaml\n' > "$folder/kustomization.yaml"
    printf 'apiVersion: gateway.networking.k8s.io/%s\nkind: HTTPRoute\nmetadata:\n  name: app-%s\nspec:\n  hostnames: [app.example.com]\n' \
      "$version" "$number" > "$folder/patch.yaml"
  fi
done

# calls FILE FUNCTION...: how often the functions were called, whoever called them.
calls() {
  local file=$1
  shift
  awk -v wanted="$*" '
    BEGIN { count = split(wanted, names, " "); for (at = 1; at <= count; at++) is_wanted[names[at]] = 1 }
    /^c?fn=/ {
      id = $0; sub(/^c?fn=/, "", id); name = id; sub(/\).*/, ")", id)
      if (name ~ /\) /) { sub(/^\([0-9]+\) /, "", name); sub(/\047[0-9]+$/, "", name); known[id] = name }
      if ($0 ~ /^cfn=/) called = known[id]
    }
    /^calls=/ { split($0, parts, /[= ]/); if (is_wanted[called]) total += parts[2] }
    END { print total + 0 }' "$file"
}

printf '| tree | reads | parses | conversions | graphs |\n|---|---|---|---|---|\n'
for tree in three generated; do
  valgrind --tool=callgrind --callgrind-out-file="$top/$tree.out" \
    "$bin" diff --isolated --threads 1 --to "$target" "$top/$tree" > /dev/null 2> "$top/$tree.err" || true
  reads=$(calls "$top/$tree.out" reversion::shell::disk::read_file::Buffer::fill reversion::shell::disk::read_file::read)
  parses=$(calls "$top/$tree.out" reversion_syntax::yaml::parse::scan reversion_syntax::yaml::events::parse_exact)
  conversions=$(calls "$top/$tree.out" reversion::engine::convert::convert)
  graphs=$(calls "$top/$tree.out" reversion::engine::links::kustomizations::Graph::of)
  printf '| %s | %s | %s | %s | %s |\n' "$tree" "$reads" "$parses" "$conversions" "$graphs"
done

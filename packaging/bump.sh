#!/bin/sh
# Writes a new version into Cargo.toml, the lock files, the examples and the pages that name one: bump.sh VERSION.
set -eu
cd "$(dirname "$0")/.."
new=${1:-}
if ! printf '%s\n' "$new" | grep -Eqx '[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?'; then
    echo 'usage: bump.sh VERSION, such as 0.2.0' >&2
    exit 2
fi
old=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
pattern=$(printf '%s' "$old" | sed 's/\./\\./g')

# Only the first such line of Cargo.toml is about the project; the dependency on its other package names it too.
sed "1,/^version = /s/^version = .*/version = \"$new\"/; /^reversion-syntax = /s/\"=.*\"/\"=$new\"/" Cargo.toml >Cargo.toml.new
mv Cargo.toml.new Cargo.toml
cargo update --offline --workspace
# Workspaces of their own, whose lock files name the project's version too.
for crate in playground bindings/wasm; do
    cargo update --offline --workspace --manifest-path "$crate/Cargo.toml"
done
sed "s/^version = .*/version = \"$new\"/" bindings/python/pyproject.toml >pyproject.new
mv pyproject.new bindings/python/pyproject.toml
for file in $(git ls-files packaging/examples packaging/gitlab docs/src/install.md docs/src/how-to); do
    sed "s/\(reversion[:@ -]v\{0,1\}\)$pattern/\1$new/g; s|\(/download/v\)$pattern|\1$new|g; s/\(rev: v\)$pattern/\1$new/g" "$file" >"$file.new"
    cat "$file.new" >"$file"
    rm "$file.new"
done

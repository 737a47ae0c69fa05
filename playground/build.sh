#!/usr/bin/env bash
# Builds the playground into dist/, a folder that any web server can serve as it is.
#
# Needs a Rust toolchain with the target wasm32-unknown-unknown: rustup target add wasm32-unknown-unknown. It does not call wasm-opt: what
# version 108 of that writes does not start.
#
# CARGO         the cargo command: `cargo` if it is not set
# CARGO_FLAGS   more flags for `cargo build`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
cargo=${CARGO:-cargo}
target=${CARGO_TARGET_DIR:-target}
read -ra flags <<< "${CARGO_FLAGS:-}"

# What is published names no folder of the machine that built it.
flags_of_rustc=${CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS:-}
for folder in "${CARGO_HOME:-$HOME/.cargo}=cargo" "$(cd .. && pwd)=reversion"; do
    flags_of_rustc+=" --remap-path-prefix=$folder"
done
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=$flags_of_rustc

"$cargo" build --release --locked --target wasm32-unknown-unknown "${flags[@]}"

# What failed half-way is never taken for a page: the folder is made anew, and the page comes last.
rm -rf dist
mkdir dist
program=dist/reversion_playground.wasm
cp "$target/wasm32-unknown-unknown/release/reversion_playground.wasm" "$program"
cp page.css page.js worker.js index.html dist/
printf '%s: %d bytes, %d with gzip\n' "$program" "$(wc -c < "$program")" "$(gzip -9 -c "$program" | wc -c)"

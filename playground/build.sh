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
source ../bindings/wasm/module.sh

# What failed half-way is never taken for a page: the folder is made anew, and the page comes last.
rm -rf dist
build_module reversion_playground dist/reversion_playground.wasm
cp page.css page.js worker.js index.html dist/

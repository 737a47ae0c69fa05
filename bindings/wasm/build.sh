#!/usr/bin/env bash
# Builds the module into dist/reversion.wasm, and prints its size.
#
# Needs a Rust toolchain with the target wasm32-unknown-unknown: rustup target add wasm32-unknown-unknown.
#
# CARGO         the cargo command: `cargo` if it is not set
# CARGO_FLAGS   more flags for `cargo build`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source module.sh

build_module reversion_wasm dist/reversion.wasm

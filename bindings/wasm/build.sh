#!/usr/bin/env bash
# Builds the module into dist/reversion.wasm, and prints its size.
#
# Needs a Rust toolchain with the target wasm32-unknown-unknown: rustup target add wasm32-unknown-unknown.
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
for folder in "${CARGO_HOME:-$HOME/.cargo}=cargo" "$(cd ../.. && pwd)=reversion"; do
    flags_of_rustc+=" --remap-path-prefix=$folder"
done
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=$flags_of_rustc

"$cargo" build --release --locked --target wasm32-unknown-unknown "${flags[@]}"

mkdir -p dist
cp "$target/wasm32-unknown-unknown/release/reversion_wasm.wasm" dist/reversion.wasm
printf '%s: %d bytes, %d with gzip\n' dist/reversion.wasm "$(wc -c < dist/reversion.wasm)" "$(gzip -9 -c dist/reversion.wasm | wc -c)"

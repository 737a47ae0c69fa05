# Builds a crate as a WebAssembly module; sourced by the build.sh of the module and of the playground, each in its own folder.
#
# build_module CRATE FILE builds the crate in the current folder, copies the module to FILE, and prints its size.

build_module() {
    local cargo=${CARGO:-cargo} target=${CARGO_TARGET_DIR:-target} root folder
    local flags flags_of_rustc=${CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS:-}
    read -ra flags <<< "${CARGO_FLAGS:-}"

    # What is published names no folder of the machine that built it.
    root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
    for folder in "${CARGO_HOME:-$HOME/.cargo}=cargo" "$root=reversion"; do
        flags_of_rustc+=" --remap-path-prefix=$folder"
    done
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=$flags_of_rustc
    "$cargo" build --release --locked --target wasm32-unknown-unknown "${flags[@]}"

    mkdir -p "$(dirname "$2")"
    cp "$target/wasm32-unknown-unknown/release/$1.wasm" "$2"
    printf '%s: %d bytes, %d with gzip\n' "$2" "$(wc -c < "$2")" "$(gzip -9 -c "$2" | wc -c)"
}

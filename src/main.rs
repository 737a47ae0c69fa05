//! The `reversion` program: arguments in, exit code out.

use std::process::ExitCode;

/// Those of glibc and musl are slower, above all where several threads allocate.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(reversion::internals::cli::run(std::env::args_os()) as u8)
}

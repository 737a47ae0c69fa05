//! The `reversion` program: arguments in, exit code out.

use std::process::ExitCode;

/// The allocator of musl is slow where several threads allocate.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(reversion::internals::cli::run(std::env::args_os()) as u8)
}

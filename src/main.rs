//! The `reversion` program: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(reversion::internals::cli::run(std::env::args_os()) as u8)
}

//! The subcommand `matrix`: what changes between two releases, and what does each change cost?

use anyhow::Result;

use super::Exit;
use super::args::MatrixArgs;
use super::console::Console;

/// Runs `matrix`.
pub(super) fn run(args: &MatrixArgs, console: Console) -> Result<Exit> {
    let _ = (args, console);
    Ok(Exit::Clean)
}

//! The subcommand `completion`: what a shell needs to complete the arguments.

use anyhow::Result;
use clap_complete::generate;

use super::args::CompletionArgs;
use super::command_line;
use super::console::Console;
use super::exit::Exit;

/// Runs `completion`.
pub(super) fn run(args: &CompletionArgs, console: Console) -> Result<Exit> {
    let mut script = Vec::new();
    generate(args.shell, &mut command_line::command(console), "reversion", &mut script);
    console.stream(&script)?;
    Ok(Exit::Clean)
}

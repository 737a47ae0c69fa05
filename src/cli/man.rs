//! The subcommand `man`: the manual page of the program, or one page for each subcommand too.

use std::path::Path;

use anyhow::{Context, Result};
use clap::Command;
use clap_mangen::Man;

use super::args::ManArgs;
use super::command_line;
use super::console::Console;
use super::exit::Exit;
use crate::disk;
use crate::report::plural;

/// Runs `man`.
pub(super) fn run(args: &ManArgs, console: Console) -> Result<Exit> {
    let mut command = command_line::command(console);
    command.build();
    let Some(folder) = &args.folder else {
        console.stream(&page(&command)?)?;
        return Ok(Exit::Clean);
    };
    let count = write(&command, folder)?;
    console.note(&format!("{} written to {}\n", plural(count, "page"), folder.display()))?;
    Ok(Exit::Clean)
}

/// Writes the pages of a command and those below it, and returns how many.
fn write(command: &Command, folder: &Path) -> Result<usize> {
    let file = folder.join(format!("{}.1", command.get_display_name().unwrap_or(command.get_name())));
    disk::write_output(&file, &page(command)?).with_context(|| format!("cannot write {}", file.display()))?;
    let below = command.get_subcommands().filter(|below| below.get_name() != "help" && !below.is_hide_set());
    let below = below.map(|below| write(below, folder)).sum::<Result<usize>>()?;
    Ok(below + 1)
}

/// Renders the page of a command.
fn page(command: &Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page).context("cannot render the page")?;
    Ok(page)
}

//! The subcommand `man`: the manual page of the program, or one page for each subcommand too.

use std::path::Path;

use anyhow::{Context, Result};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, roman};

use super::args::ManArgs;
use super::command_line;
use super::console::Console;
use super::exit::Exit;
use crate::shell::disk;
use crate::shell::report::plural;

/// Runs `man`.
pub(super) fn run(args: &ManArgs, console: Console) -> Result<Exit> {
    let mut command = documented(command_line::command(console));
    command.build();
    let exit_codes = section(&after_help(&command), EXIT_CODES).map(<[String]>::to_vec).unwrap_or_default();
    let Some(folder) = &args.folder else {
        console.stream(&page(&command, &exit_codes)?)?;
        return Ok(Exit::Clean);
    };
    let count = write(&command, &exit_codes, folder)?;
    console.note(&format!("{} written to {}\n", plural(count, "page"), folder.display()))?;
    Ok(Exit::Clean)
}

/// Writes the pages of a command and those below it, and returns how many.
fn write(command: &Command, exit_codes: &[String], folder: &Path) -> Result<usize> {
    let file = folder.join(format!("{}.1", command.get_display_name().unwrap_or(command.get_name())));
    disk::write_output(&file, &page(command, exit_codes)?)
        .with_context(|| format!("cannot write {}", file.display()))?;
    let below = command.get_subcommands().filter(|below| !below.is_hide_set());
    let below = below.map(|below| write(below, exit_codes, folder)).sum::<Result<usize>>()?;
    Ok(below + 1)
}

/// Returns a command as pages document it: with the text of every flag, and without the subcommand `help`, which has no page.
fn documented(command: Command) -> Command {
    let command = command.disable_help_subcommand(true).mut_args(|arg| arg.hide_short_help(false));
    command.mut_subcommands(documented)
}

/// Renders the page of a command; those of the program that read manifests end with one of `exit_codes`.
fn page(command: &Command, exit_codes: &[String]) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone().after_help(None::<&str>)).render(&mut page).context("cannot render the page")?;
    let mut more = Roff::new();
    let after_help = after_help(command);
    let reads_manifests = command.get_arguments().any(|arg| arg.get_id() == "allow_empty");
    if let Some(lines) = section(&after_help, EXIT_CODES).or_else(|| reads_manifests.then_some(exit_codes)) {
        verbatim(&mut more, "EXIT STATUS", lines);
    }
    if let Some(lines) = section(&after_help, EXAMPLES) {
        verbatim(&mut more, "EXAMPLES", lines);
    }
    let rest = after_help.iter().filter(|lines| ![EXIT_CODES, EXAMPLES].contains(&lines[0].as_str()));
    let rest: Vec<Inline> = rest.map(|lines| roman(lines.join(" "))).collect();
    if !rest.is_empty() {
        more.control("SH", ["NOTES"]).text(rest);
    }
    page.extend(more.to_roff().trim_end().bytes());
    page.push(b'\n');
    Ok(page)
}

/// The first lines of sections that help ends with.
const EXAMPLES: &str = "Examples:";
const EXIT_CODES: &str = "Exit codes:";

/// Returns the lines of each paragraph that the help of a command ends with.
fn after_help(command: &Command) -> Vec<Vec<String>> {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let paragraphs = text.split("\n\n").map(|lines| lines.lines().map(str::to_owned).collect::<Vec<_>>());
    paragraphs.filter(|lines| !lines.is_empty()).collect()
}

/// Returns the lines of the section that starts with `first`.
fn section<'h>(after_help: &'h [Vec<String>], first: &str) -> Option<&'h [String]> {
    after_help.iter().find(|lines| lines[0] == first).map(|lines| &lines[1..])
}

/// Adds a section whose lines are printed as they are.
fn verbatim(page: &mut Roff, title: &str, lines: &[String]) {
    page.control("SH", [title]).control("nf", []);
    for line in lines {
        page.text([roman(line.as_str())]);
    }
    page.control("fi", []);
}

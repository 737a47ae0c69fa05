//! The subcommands `check` and `diff`: what would change, as a report or as a diff.

use anyhow::Result;

use super::args::{ConvertArgs, Format};
use super::console::Console;
use super::exit::{Exit, Pending};
use super::output::{diffs, explain_exit, finish};
use super::packs;
use super::planned::planned;
use crate::plan::Dependent;
use crate::report::{Report, Written, text};
use crate::yaml::FrontEnd;

/// Runs `check`. Its text shows no edit, so the fast parser verifies the edits; a report as JSON holds them, so the exact one
/// does.
pub(super) fn check(args: &ConvertArgs, console: Console) -> Result<Exit> {
    let front_end = match args.output.format {
        Format::Json => FrontEnd::Exact,
        Format::Text | Format::Github => FrontEnd::Fast,
    };
    preview("check", args, front_end, console, |report| match args.output.quiet {
        true => Ok(String::new()),
        false => Ok(text::changes(report)),
    })
}

/// Runs `diff`.
pub(super) fn diff(args: &ConvertArgs, console: Console) -> Result<Exit> {
    preview("diff", args, FrontEnd::Exact, console, |report| diffs(report.files, &args.output, console))
}

fn preview(
    command: &'static str,
    args: &ConvertArgs,
    front_end: FrontEnd,
    console: Console,
    as_text: impl FnOnce(&Report<'_>) -> Result<String>,
) -> Result<Exit> {
    let packs = packs::load(&args.packs)?;
    let planned = planned(args, packs, (front_end, Dependent::Report), console)?;
    let report = planned.report(command, Written::No);
    if args.output.format == Format::Text {
        console.report(&as_text(&report)?, &args.output)?;
    }
    finish(&report, &args.output, console)?;
    let exit = planned.exit_with(Pending::of(report.files), &args.output);
    explain_exit(exit, &planned.counts, (&planned.roots, &planned.skips), packs, console)
}

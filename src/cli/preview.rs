//! The subcommands `check` and `diff`: what would change, as a report or as a diff.

use anyhow::Result;

use super::args::{ConvertArgs, DiffArgs, Format};
use super::console::Console;
use super::exit::{Exit, Pending};
use super::output::{Level, diffs, explain_exit, findings, finish};
use super::packs;
use super::planned::planned;
use crate::plan::Dependent;
use crate::report::{Report, Written, stat, text};
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
pub(super) fn diff(args: &DiffArgs, console: Console) -> Result<Exit> {
    let output = &args.convert.output;
    preview("diff", &args.convert, FrontEnd::Exact, console, |report| match args.stat {
        true => Ok(stat::stat(report.files, console.columns(output), console.paint(output))),
        false => diffs(report.files, output, console),
    })
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
    let output = &args.output;
    if output.format == Format::Text && console.may_page(output) && console.can_note() {
        // Everything but the summary, which stays on the screen.
        console.page(&(as_text(&report)? + &findings(&report, Level::of(output))), output)?;
        console.note(&format!("{}\n", text::summary(&report)))?;
    } else {
        if output.format == Format::Text {
            console.report(&as_text(&report)?, output)?;
        }
        finish(&report, output, console)?;
    }
    let exit = planned.exit_with(Pending::of(report.files), &args.output);
    explain_exit(exit, &planned.counts, &planned.roots, packs, console)
}

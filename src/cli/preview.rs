//! The subcommands `check` and `diff`: what would change, as a report or as a diff.

use anyhow::{Result, ensure};

use super::args::{CheckArgs, ConvertArgs, Format};
use super::console::{Console, Destination};
use super::exit::{Exit, Pending};
use super::output::{Level, diffs, explain_exit, findings, finish, places, summarise, with_changes};
use super::packs;
use super::planned::planned;
use crate::plan::Dependent;
use crate::report::{Report, Written, statistics};
use crate::yaml::FrontEnd;

/// Runs `check`. Its text shows no edit, so the fast parser verifies the edits; a report as JSON holds them, so the exact one
/// does.
pub(super) fn check(args: &CheckArgs, console: Console) -> Result<Exit> {
    let output = &args.convert.output;
    let front_end = match output.format {
        Format::Json => FrontEnd::Exact,
        Format::Text | Format::Github => FrontEnd::Fast,
    };
    ensure!(!args.statistics || output.format == Format::Text, "`--statistics` is a text report; remove --format");
    preview("check", &args.convert, front_end, console, |report| {
        if output.format != Format::Text {
            return finish(report, Destination::Report, output, console);
        }
        let level = Level::of(output);
        console.text(Destination::Report, output, |painter| match args.statistics {
            true => statistics::of_report(report, level.findings(report.findings), painter),
            false if output.quiet => findings(report, level, (painter, places(output))),
            false => with_changes(report, report.to_change(), level, (painter, places(output))),
        })?;
        summarise(report, output, console)
    })
}

/// Runs `diff`.
pub(super) fn diff(args: &ConvertArgs, console: Console) -> Result<Exit> {
    let output = &args.output;
    preview("diff", args, FrontEnd::Exact, console, |report| {
        if output.format == Format::Text {
            console.report(&diffs(report.files, output, console)?, output)?;
        }
        finish(report, Destination::Notes, output, console)
    })
}

fn preview(
    command: &'static str,
    args: &ConvertArgs,
    front_end: FrontEnd,
    console: Console,
    print: impl FnOnce(&Report<'_>) -> Result<()>,
) -> Result<Exit> {
    let packs = packs::load(&args.packs)?;
    let planned = planned(args, packs, (front_end, Dependent::Report), console)?;
    let report = planned.report(command, Written::No);
    print(&report)?;
    let exit = planned.exit_with(Pending::of(report.files), &args.output);
    explain_exit(exit, &planned.counts, &planned.roots, packs, console)
}

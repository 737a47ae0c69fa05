//! The subcommands `check` and `diff`: what would change, as a report or as a diff.

use anyhow::Result;

use super::args::{CheckArgs, ConvertArgs, Format};
use super::baseline::Baseline;
use super::console::Console;
use super::exit::{Exit, Pending};
use super::output::{diffs, explain_exit, finish};
use super::packs;
use super::planned::{Planned, planned};
use crate::plan::Dependent;
use crate::report::{Report, Written, text};
use crate::yaml::FrontEnd;

/// Runs `check`. Its text shows no edit, so the fast parser verifies the edits; a report as JSON holds them, so the exact one
/// does.
pub(super) fn check(args: &CheckArgs, console: Console) -> Result<Exit> {
    let output = &args.convert.output;
    let front_end = match output.format {
        Format::Json => FrontEnd::Exact,
        Format::Text | Format::Github => FrontEnd::Fast,
    };
    preview("check", &args.convert, (front_end, &|planned| compare(planned, args, console)), console, |report| {
        match output.quiet {
            true => Ok(String::new()),
            false => Ok(text::changes(report)),
        }
    })
}

/// Acknowledges what is known, by the baseline that is read or written.
fn compare(planned: &mut Planned, args: &CheckArgs, console: Console) -> Result<()> {
    let output = &args.convert.output;
    if planned.counts.listed == Some(0) {
        // Nothing was compared with a target.
        return Ok(());
    }
    if let Some(file) = &args.write_baseline {
        if planned.exit(Pending::Nothing) == Exit::Failed {
            return console.note(&format!("no baseline was written{}\n", planned.why_failed()));
        }
        let baseline = Baseline::of(file, planned)?;
        baseline.write(&planned.targets)?;
        baseline.acknowledge(planned);
        return if output.quiet { Ok(()) } else { baseline.report_written(console) };
    }
    let Some(file) = &args.baseline else { return Ok(()) };
    let baseline = Baseline::read(file, &planned.targets)?;
    let stale = baseline.acknowledge(planned);
    // What is excluded, or was not read, may still occur.
    let is_whole = args.convert.files.glob.is_empty() && planned.counts.failed == 0;
    if is_whole && !output.quiet { baseline.report_stale(&stale, output.verbose, console) } else { Ok(()) }
}

/// Runs `diff`.
pub(super) fn diff(args: &ConvertArgs, console: Console) -> Result<Exit> {
    let compare = |_: &mut Planned| Ok(());
    preview("diff", args, (FrontEnd::Exact, &compare), console, |report| diffs(report.files, &args.output, console))
}

/// Compares what was planned with what is known.
type Compare<'c> = &'c dyn Fn(&mut Planned) -> Result<()>;

fn preview(
    command: &'static str,
    args: &ConvertArgs,
    (front_end, compare): (FrontEnd, Compare<'_>),
    console: Console,
    as_text: impl FnOnce(&Report<'_>) -> Result<String>,
) -> Result<Exit> {
    let packs = packs::load(&args.packs)?;
    let mut planned = planned(args, packs, (front_end, Dependent::Report), console)?;
    compare(&mut planned)?;
    let report = planned.report(command, Written::No);
    if args.output.format == Format::Text {
        console.report(&as_text(&report)?, &args.output)?;
    }
    finish(&report, &args.output, console)?;
    let exit = planned.exit_with(Pending::of(&report), &args.output);
    explain_exit(exit, &planned.counts, &planned.roots, packs, console)
}

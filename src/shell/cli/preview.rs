//! The subcommands `check` and `diff`: what would change, as a report or as a diff.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::args::{CheckArgs, ConvertArgs, DiffArgs, Format};
use super::baseline::Baseline;
use super::console::{Console, Destination};
use super::exit::{Exit, Pending};
use super::formats::shown;
use super::output::{Level, diffs, explain_exit, findings, finish, summarise, with_changes};
use super::packs;
use super::planned::{Planned, planned};
use crate::engine::plan::Dependent;
use crate::shell::disk;
use crate::shell::report::document::{RanIn, ReportDocument};
use crate::shell::report::{Report, Written, stat, statistics, text_format};
use crate::syntax::yaml::FrontEnd;

/// Runs `check`. Its text shows no edit, so the fast parser verifies the edits; reports as JSON and HTML show them, so the exact one
/// does.
pub(super) fn check(args: &CheckArgs, console: Console) -> Result<Exit> {
    let output = &args.convert.output;
    let front_end = match output.format {
        Format::Json | Format::Jsonl | Format::Html => FrontEnd::Exact,
        Format::Text | Format::Github | Format::Gitlab | Format::Sarif | Format::Junit | Format::Markdown => {
            FrontEnd::Fast
        }
    };
    ensure!(!args.statistics || output.format == Format::Text, "`--statistics` is a text report; remove --format");
    preview("check", &args.convert, front_end, &|planned| compare(planned, args, console), console, |report| {
        if output.format != Format::Text {
            return finish(report, Destination::Report, output, console);
        }
        let level = Level::of(output);
        console.text(Destination::Report, output, |painter| match args.statistics {
            true => statistics::of_document(&level.of_document(ReportDocument::new(report, RanIn::default())), painter),
            false if output.quiet => findings(report, level, painter, shown(output)),
            false => with_changes(report, level, painter, shown(output)),
        })?;
        // Whoever asks for less or more than the lines, or sends them elsewhere, gets the counts.
        let is_usual = !(args.statistics || output.quiet || output.verbose || output.output_file.is_some());
        let file = match &*args.convert.files.paths {
            [path] if is_usual => path.to_str(),
            _ => None,
        };
        console.painted_note(&text_format::summary_below_lines(report, file, &console.note_painter(output.color)))
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
        let places = LazyCell::new(|| reported_places(planned));
        let is_read =
            |place: &Path| args.convert.files.glob.is_empty() || places.contains(place) || disk::is_missing(place);
        let baseline = Baseline::of(file, planned, |place| planned.is_about(place) && is_read(place))?;
        baseline.write(&planned.targets)?;
        baseline.acknowledge(planned);
        return if output.quiet { Ok(()) } else { baseline.report_written(console) };
    }
    let Some(file) = &args.baseline else { return Ok(()) };
    let place = args.convert.packs.file.place_of("baseline");
    let origin = place.map_or_else(|| "--baseline".to_owned(), |place| format!("{place}: baseline"));
    let baseline = Baseline::read(file, &origin, &planned.targets)?;
    let stale = baseline.acknowledge(planned);
    // What is excluded, or was not read, may still occur.
    let is_whole = args.convert.files.glob.is_empty() && planned.counts.failed == 0;
    if is_whole && !output.quiet { baseline.report_stale(&stale, output.verbose, console) } else { Ok(()) }
}

/// Returns where the files are of which there is something to report: with `--glob`, only of these it is known that they were read.
fn reported_places(planned: &Planned) -> BTreeSet<PathBuf> {
    let objects = planned.plan.objects.iter().map(|object| object.location.file.as_str());
    let findings = planned.plan.findings.iter().map(|finding| finding.location.file.as_str());
    let files: BTreeSet<&str> = objects.chain(findings).collect();
    files.into_iter().filter_map(|file| disk::place_of(Path::new(file))).collect()
}

/// Runs `diff`.
pub(super) fn diff(args: &DiffArgs, console: Console) -> Result<Exit> {
    let output = &args.convert.output;
    let compare = |_: &mut Planned| Ok(());
    preview("diff", &args.convert, FrontEnd::Exact, &compare, console, |report| {
        if output.format != Format::Text {
            return finish(report, Destination::Notes, output, console);
        }
        let text = match args.stat {
            true => stat::stat(report.files, console.columns(output), console.paint(output)),
            false => diffs(report.files, output, console)?,
        };
        if console.may_page(output) {
            // Everything but the summary, which stays on the screen.
            let painter = console.report_painter(output);
            console.page(&(text + &findings(report, Level::of(output), &painter, shown(output))), output)?;
            return summarise(report, output, console);
        }
        console.report(&text, output)?;
        finish(report, Destination::Notes, output, console)
    })
}

/// Compares what was planned with what is known.
type Compare<'c> = &'c dyn Fn(&mut Planned) -> Result<()>;

fn preview(
    command: &'static str,
    args: &ConvertArgs,
    front_end: FrontEnd,
    compare: Compare<'_>,
    console: Console,
    print: impl FnOnce(&Report<'_>) -> Result<()>,
) -> Result<Exit> {
    let packs = packs::load(&args.packs)?;
    let mut planned = planned(args, packs, front_end, Dependent::Report, console)?;
    compare(&mut planned)?;
    planned.say_origins(args.output.verbose, console)?;
    let exit = planned.exit_with(planned.pending(), &args.output);
    print(&planned.report(command, Written::No, exit))?;
    explain_exit(exit, planned.nothing_recognized(exit), console)
}

//! The subcommand `apply`: the plan, one question, and the writing of it.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::args::{ApplyArgs, Format};
use super::console::Console;
use super::exit::{Exit, Pending};
use super::journal::bounds;
use super::output::{Level, diffs, explain_exit, findings, finish};
use super::planned::{Planned, planned};
use super::{apply_plan, packs, undo, write};
use crate::plan::Dependent;
use crate::report::{Report, Written, plural, text};
use crate::yaml::FrontEnd;

/// Runs `apply`.
pub(super) fn run(args: &ApplyArgs, console: Console) -> Result<Exit> {
    ensure!(
        !args.dry_run,
        "`apply` has no --dry-run: `reversion diff` with the same arguments shows the changes and writes nothing"
    );
    if args.resume {
        return undo::resume(&args.convert.files.paths, console);
    }
    match &args.plan {
        Some(file) => apply_plan::run(file, args, console),
        None => apply(args, console),
    }
}

fn apply(args: &ApplyArgs, console: Console) -> Result<Exit> {
    ensure!(
        !args.convert.files.paths.iter().any(|path| path == Path::new("-")),
        "`apply` writes files; `reversion convert -` converts standard input"
    );
    let packs = packs::load(&args.convert.packs)?;
    let planned = planned(&args.convert, packs, (FrontEnd::Exact, Dependent::HoldBack), console)?;
    let output = &args.convert.output;
    if planned.exit(Pending::Nothing) == Exit::Failed {
        return fail(&planned, args, console);
    }
    let bounds = bounds(&planned.roots)?;
    let journal = write::finish_interrupted(&bounds, console)?;
    if planned.plan.files.is_empty() {
        finish(&planned.report("apply", Written::No), output, console)?;
        let exit = planned.exit_with(Pending::Nothing, output);
        return explain_exit(exit, &planned.counts, (&planned.roots, &planned.skips), packs, console);
    }
    write::guard(&planned.plan.files, args.guard)?;
    if !args.yes && !confirmed(&planned.report("apply", Written::No), Level::of(output), console)? {
        console.note("nothing was written\n")?;
        return Ok(planned.exit_with(Pending::Changes, output));
    }
    write::write(&planned.plan.files, &planned.targets.join(", "), bounds, journal)?;
    let report = planned.report("apply", Written::Yes);
    report_written(&report, args, console)
        .with_context(|| format!("{} were written, but not reported", plural(report.files.len(), "file")))?;
    Ok(planned.exit_with(Pending::Nothing, output))
}

/// Reports what failed; nothing is written then.
fn fail(planned: &Planned, args: &ApplyArgs, console: Console) -> Result<Exit> {
    finish(&planned.report("apply", Written::No), &args.convert.output, console)?;
    let why = planned.why_failed();
    if !why.is_empty() && !planned.plan.files.is_empty() {
        console.note(&format!("nothing was written{why}\n"))?;
    }
    Ok(Exit::Failed)
}

/// Reports what was written.
fn report_written(report: &Report<'_>, args: &ApplyArgs, console: Console) -> Result<()> {
    let output = &args.convert.output;
    if args.diff && output.format == Format::Text {
        console.report(&diffs(report.files, output, console)?, output)?;
    }
    finish(report, output, console)
}

/// Shows the findings and the summary, and asks once.
fn confirmed(report: &Report<'_>, level: Level, console: Console) -> Result<bool> {
    console.note(&format!("{}{}\n", findings(report, level), text::summary(report)))?;
    write::confirm(report.files.len(), console)
}

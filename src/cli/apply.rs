//! The subcommand `apply`: the plan, one question, and the writing of it.

use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};

use super::args::{ApplyArgs, Format};
use super::console::Console;
use super::convert::{Planned, diffs, finish, planned};
use super::{Exit, Pending, saved, undo, write};
use crate::report::{Report, Written, plural, text};
use crate::yaml::FrontEnd;

/// Runs `apply`.
pub(super) fn run(args: &ApplyArgs, console: Console) -> Result<Exit> {
    if args.resume {
        return undo::resume(&args.convert.files.paths, console);
    }
    match &args.plan {
        Some(file) => saved::apply(file, args, console),
        None => apply(args, console),
    }
}

fn apply(args: &ApplyArgs, console: Console) -> Result<Exit> {
    ensure!(
        !args.convert.files.paths.iter().any(|path| path == Path::new("-")),
        "`apply` writes files; `reversion convert -` converts standard input"
    );
    let planned = planned(&args.convert, FrontEnd::Exact, console)?;
    let output = &args.convert.output;
    if planned.exit(Pending::Nothing) == Exit::Failed {
        return fail(&planned, args, console);
    }
    let bounds = write::bounds(&planned.roots)?;
    let journal = write::settle(&bounds, console)?;
    if planned.plan.files.is_empty() {
        finish(&planned.report("apply", Written::No), output, console)?;
        return Ok(planned.exit(Pending::Nothing).with(output));
    }
    write::guard(&planned.plan.files, args.guard)?;
    if !args.yes && !confirmed(&planned.report("apply", Written::No), console)? {
        console.note("nothing was written\n")?;
        return Ok(planned.exit(Pending::Changes).with(output));
    }
    write::write(&planned.plan.files, &planned.targets.join(", "), bounds, journal)?;
    let report = planned.report("apply", Written::Yes);
    tell(&report, args, console)
        .with_context(|| format!("{} were written, but not reported", plural(report.files.len(), "file")))?;
    Ok(planned.exit(Pending::Nothing).with(output))
}

/// Tells what failed; then nothing is written.
fn fail(planned: &Planned, args: &ApplyArgs, console: Console) -> Result<Exit> {
    finish(&planned.report("apply", Written::No), &args.convert.output, console)?;
    if planned.has_failed_file() && !planned.plan.files.is_empty() {
        console.note("nothing was written: all files or none (`--glob '!FILE'` leaves a file out)\n")?;
    }
    Ok(Exit::Failed)
}

/// Reports what was written.
fn tell(report: &Report<'_>, args: &ApplyArgs, console: Console) -> Result<()> {
    let output = &args.convert.output;
    if args.diff && output.format == Format::Text {
        console.report(&diffs(report.files, output, console)?, output)?;
    }
    finish(report, output, console)
}

/// Shows the findings and the summary, and asks once.
fn confirmed(report: &Report<'_>, console: Console) -> Result<bool> {
    console.note(&format!("{}{}\n", text::findings(report), text::summary(report)))?;
    agreed(report.files.len(), console)
}

/// Asks whether so many files may be written.
pub(super) fn agreed(files: usize, console: Console) -> Result<bool> {
    let answer = console.ask(&format!("write {}? [y/N] ", plural(files, "file")))?;
    answer.ok_or_else(|| anyhow!("nothing was written: there is no terminal to ask on; say --yes"))
}

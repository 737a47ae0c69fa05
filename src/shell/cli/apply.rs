//! The subcommand `apply`: the plan, one question or one for each object, and the writing of it.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::args::{ApplyArgs, Format};
use super::console::Console;
use super::exit::{Exit, Pending};
use super::formats::shown;
use super::interactive::Consent;
use super::journal::bounds;
use super::output::{Level, destination, explain_exit, findings, finish, summarise, written};
use super::planned::{Planned, planned};
use super::write::Preview;
use super::{apply_plan, interactive, packs, undo, write};
use crate::engine::finding::Code;
use crate::engine::plan::{Dependent, Outcome};
use crate::shell::report::{Report, Written, plural, text_format};
use crate::syntax::yaml::FrontEnd;

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
    ensure!(
        !args.interactive || console.can_ask(),
        "`--interactive` asks on a terminal, and there is none; pass --yes to write everything"
    );
    let packs = packs::load(&args.convert.packs)?;
    let planned = planned(&args.convert, packs, FrontEnd::Exact, Dependent::HoldBack, console)?;
    planned.say_origins(args.convert.output.verbose, console)?;
    let output = &args.convert.output;
    if planned.exit(Pending::Nothing) == Exit::Failed {
        return fail(&planned, args, console);
    }
    let bounds = bounds(&planned.roots)?;
    let journal = write::finish_interrupted(&bounds, console)?;
    if planned.plan.files.is_empty() {
        let exit = planned.exit_with(Pending::Nothing, output);
        finish(&planned.report("apply", Written::No, exit), destination(args), output, console)?;
        return explain_exit(exit, planned.nothing_recognized(exit), console);
    }
    write::guard(&planned.plan.files, args.guard)?;
    if !args.yes {
        write::check(&planned.plan.files, bounds.clone())?;
    }
    let (planned, consent) = match args.interactive {
        true => interactive::choose(planned, args, packs, console)?,
        false => (planned, Consent::Open),
    };
    if planned.exit(Pending::Nothing) == Exit::Failed {
        return fail(&planned, args, console);
    }
    let unwritten = planned.exit_with(Pending::Changes, output);
    let is_asked = !args.yes && consent == Consent::Open;
    let report = planned.report("apply", Written::No, unwritten);
    if consent == Consent::No {
        // What held objects back was asked about no object.
        finish(&report, destination(args), output, console)?;
    }
    if consent == Consent::No || (is_asked && !confirmed(&report, args, console)?) {
        console.note("nothing was written\n")?;
        return Ok(unwritten);
    }
    if args.interactive || is_asked {
        // Meanwhile other programs may have changed what git has.
        write::guard(&planned.plan.files, args.guard)?;
    }
    write::write(&planned.plan.files, &planned.targets.join(", "), bounds, journal)?;
    let exit = planned.exit_with(Pending::Nothing, output);
    let report = planned.report("apply", Written::Yes, exit);
    report_written(&report, args, is_asked, console)
        .with_context(|| format!("{} were written, but not reported", plural(report.files.len(), "file")))?;
    let level = Level::of(output);
    let of_objects = level.findings(report.findings).filter(|finding| finding.code == Code::Advisory);
    let of_run = level.advisories(report.advisories).map(|advisory| advisory.severity);
    write::say_told_once(of_objects.map(|finding| finding.severity).chain(of_run), console)?;
    Ok(exit)
}

/// Reports what failed; nothing is written then.
fn fail(planned: &Planned, args: &ApplyArgs, console: Console) -> Result<Exit> {
    finish(&planned.report("apply", Written::No, Exit::Failed), destination(args), &args.convert.output, console)?;
    let why = planned.why_failed();
    if !why.is_empty() && !planned.plan.files.is_empty() {
        console.note(&format!("nothing was written{why}\n"))?;
    }
    Ok(Exit::Failed)
}

/// Reports what was written; `is_shown` is whether it was shown before on the terminal.
fn report_written(report: &Report<'_>, args: &ApplyArgs, is_shown: bool, console: Console) -> Result<()> {
    let output = &args.convert.output;
    if output.format != Format::Text {
        return finish(report, destination(args), output, console);
    }
    written(report.files, args, is_shown, console)?;
    if is_shown && output.output_file.is_none() {
        return summarise(report, output, console);
    }
    finish(report, destination(args), output, console)
}

/// Shows what is about to be written, and asks once.
fn confirmed(report: &Report<'_>, args: &ApplyArgs, console: Console) -> Result<bool> {
    let output = &args.convert.output;
    let changed = report.objects.iter().filter(|object| object.outcome == Outcome::Changed);
    let painter = console.note_painter(output.color);
    let lines = findings(report, Level::of(output), &painter, shown(output));
    let preview = Preview {
        files: report.files,
        changed: changed.map(|object| &*object.location.file).collect(),
        remarks: format!("{lines}{}\n", text_format::summary(report, &painter)),
    };
    write::confirm(&preview, args.diff, output, console)
}

//! The subcommand `apply`: the plan, one question, and the writing of it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};

use super::args::{ApplyArgs, Format};
use super::console::Console;
use super::convert::{diffs, finish, planned};
use super::{Exit, Pending};
use crate::disk::{Change, Fingerprint, Transaction};
use crate::plan::FilePlan;
use crate::report::{Report, Written, plural, text};

/// Runs `apply`.
pub(super) fn run(args: &ApplyArgs, console: Console) -> Result<Exit> {
    ensure!(
        !args.convert.files.paths.iter().any(|path| path == Path::new("-")),
        "`apply` writes files; `reversion convert -` converts standard input"
    );
    let planned = planned(&args.convert, console)?;
    let output = &args.convert.output;
    let failed = planned.exit(Pending::Nothing) == Exit::Failed;
    if failed || planned.plan.files.is_empty() {
        finish(&planned.report("apply", Written::No), output, console)?;
        if failed && !planned.plan.files.is_empty() {
            console.note("nothing was written: all files or none (`--glob '!FILE'` leaves a file out)\n")?;
        }
        return Ok(planned.exit(Pending::Nothing).with(output));
    }
    if !args.yes && !confirmed(&planned.report("apply", Written::No), console)? {
        console.note("nothing was written\n")?;
        return Ok(planned.exit(Pending::Changes).with(output));
    }
    write(&planned.plan.files)?;
    let report = planned.report("apply", Written::Yes);
    tell(&report, args, console)
        .with_context(|| format!("{} were written, but not reported", plural(report.files.len(), "file")))?;
    Ok(planned.exit(Pending::Nothing).with(output))
}

/// Reports what was written.
fn tell(report: &Report<'_>, args: &ApplyArgs, console: Console) -> Result<()> {
    let output = &args.convert.output;
    if args.diff && output.format == Format::Text {
        console.report(&diffs(report, &args.convert, console), output)?;
    }
    finish(report, output, console)
}

/// Shows the findings and the summary, and asks once.
fn confirmed(report: &Report<'_>, console: Console) -> Result<bool> {
    console.note(&format!("{}{}\n", text::findings(report), text::summary(report)))?;
    let answer = console.ask(&format!("write {}? [y/N] ", plural(report.files.len(), "file")))?;
    answer.ok_or_else(|| anyhow!("nothing was written: there is no terminal to ask on; say --yes"))
}

/// Replaces every file of the plan, or none.
fn write(files: &[FilePlan]) -> Result<()> {
    let change = |file: &FilePlan| Change {
        path: PathBuf::from(&file.file),
        before: Fingerprint::of(file.before.as_bytes()),
        after: file.after.clone().into_bytes(),
    };
    let staged = Transaction::stage(files.iter().map(change).collect())?;
    staged.commit()?;
    Ok(())
}

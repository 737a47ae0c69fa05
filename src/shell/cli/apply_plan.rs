//! `apply --plan`: the edits of a saved plan are written.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use super::args::{ApplyArgs, Format};
use super::console::Console;
use super::exit::Exit;
use super::formats::shown;
use super::journal::bounds;
use super::output::{Level, destination, written};
use super::saved_plan::{execute, findings, load, made_elsewhere, summary};
use super::write::{Preview, confirm, finish_interrupted, guard, say_told_once, write};
use crate::engine::finding::{Code, Severity};
use crate::shell::report::{Painter, Written};

/// Runs `apply --plan`.
pub(super) fn run(file: &Path, args: &ApplyArgs, console: Console) -> Result<Exit> {
    let output = &args.convert.output;
    ensure!(
        output.format == Format::Text,
        "`apply --plan` reports as text only; `reversion plan` has the other formats"
    );
    let level = Level::of(output);
    let plan = load(file)?;
    let left_out = plan.left_out().len();
    if let Some(elsewhere) = made_elsewhere(&plan, file) {
        bail!("nothing was written: {elsewhere}");
    }
    let bounds = bounds(&[PathBuf::from(".")])?;
    let journal = finish_interrupted(&bounds, console)?;
    let executed = execute(&plan)?;
    if !executed.stale.is_empty() {
        let named: String = executed.stale.iter().map(|path| format!("\n  {path}")).collect();
        bail!(
            "nothing was written: the plan is stale: files changed or were removed since it was made:{named}\n  help: make a new plan with `reversion plan`"
        );
    }
    let is_asked = !plan.noop && !args.yes;
    if !plan.noop {
        guard(&executed.files, args.guard)?;
        if is_asked {
            let painter = console.note_painter(output.color);
            let lines = findings(&plan, level, &painter, shown(output));
            let preview = Preview {
                files: &executed.files,
                changed: plan.changed_files().collect(),
                remarks: format!("{lines}{}\n", summary(&plan, Written::No, &painter)),
            };
            if !confirm(&preview, args.diff, output, console)? {
                console.note("nothing was written\n")?;
                return Ok(Exit::Changes.with(output, left_out));
            }
        }
        write(&executed.files, &plan.targets.join(", "), bounds, journal)?;
    }
    written(&executed.files, args, is_asked, console)?;
    let summary = |painter: &Painter| summary(&plan, Written::Yes, painter);
    if !is_asked || output.output_file.is_some() {
        console.text(destination(args), output, |painter| findings(&plan, level, painter, shown(output)))?;
    }
    let shown = plan.findings.iter().filter(|finding| level.shows_record(finding.severity, &finding.code));
    let of_objects = shown.filter(|finding| finding.code == Code::Advisory.name()).map(|finding| finding.severity);
    let of_run = level.advisories(&plan.advisories).map(|advisory| advisory.severity);
    say_told_once(of_objects.chain(of_run).filter(|_| !plan.noop), console)?;
    console.painted_note(&format!("{}\n", summary(&console.note_painter(output.color))))?;
    let affects = [Severity::Unresolved, Severity::Held];
    let remains = plan.findings.iter().any(|finding| affects.contains(&finding.severity));
    Ok(if remains || left_out > 0 { Exit::Changes } else { Exit::Clean }.with(output, left_out))
}

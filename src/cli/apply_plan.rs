//! `apply --plan`: the edits of a saved plan are written.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use super::args::{ApplyArgs, Format};
use super::console::Console;
use super::exit::Exit;
use super::journal::bounds;
use super::output::{Level, diffs};
use super::saved_plan::{execute, findings, load, made_elsewhere, summary};
use super::write::{confirm, finish_interrupted, guard, write};
use crate::report::Written;

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
    if !plan.noop {
        guard(&executed.files, args.guard)?;
        if !args.yes {
            console.note(&format!("{}{}\n", findings(&plan, level), summary(&plan, Written::No)))?;
            if !confirm(executed.files.len(), console)? {
                console.note("nothing was written\n")?;
                return Ok(Exit::Changes.with(output, left_out));
            }
        }
        write(&executed.files, &plan.targets.join(", "), bounds, journal)?;
    }
    if args.diff {
        console.report(&diffs(&executed.files, output, console)?, output)?;
    }
    console.note(&format!("{}{}\n", findings(&plan, level), summary(&plan, Written::Yes)))?;
    let held = plan.findings.iter().any(|finding| finding.severity == "held-back");
    Ok(if held || left_out > 0 { Exit::Changes } else { Exit::Clean }.with(output, left_out))
}

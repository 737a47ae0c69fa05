//! The subcommand `show`: a saved plan as a diff, with its findings.

use anyhow::Result;

use super::args::ShowArgs;
use super::console::Console;
use super::exit::Exit;
use super::output::{Level, diffs, shown};
use super::saved_plan::{execute, findings, load, made_elsewhere, summary};
use crate::shell::report::saved_plan::SavedFile;
use crate::shell::report::{Written, visible};

/// Runs `show`.
pub(super) fn run(args: &ShowArgs, console: Console) -> Result<Exit> {
    let plan = load(&args.plan)?;
    let executed = execute(&plan)?;
    let stale: String =
        plan.files.iter().filter(|file| executed.stale.contains(&file.path)).map(SavedFile::edits_text).collect();
    console.page(&(diffs(&executed.files, &args.output, console)? + &stale), &args.output)?;
    let packs: Vec<_> = plan.packs.iter().map(|pack| format!("{} {}", visible(&pack.name), pack.fingerprint)).collect();
    let head = format!("plan of reversion {}, packs: {}\n", visible(&plan.tool), packs.join(", "));
    let stale_line = |path: &String| {
        format!("{}: changed or removed since the plan was made; its edits are shown without context\n", visible(path))
    };
    let stale_files = match made_elsewhere(&plan, &args.plan) {
        Some(elsewhere) => format!("{elsewhere}; the edits are shown without context\n"),
        None => executed.stale.iter().map(stale_line).collect(),
    };
    let painter = console.note_painter(args.output.color);
    let lines = findings(&plan, Level::of(&args.output), &painter, shown(&args.output));
    console.painted_note(&format!("{head}{lines}{stale_files}{}\n", summary(&plan, Written::No, &painter)))?;
    Ok(Exit::Clean)
}

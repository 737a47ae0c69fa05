//! The subcommand `show`: a saved plan as a diff, with its findings, or in a format for reports.

use anyhow::Result;

use super::args::{Format, ShowArgs};
use super::console::Console;
use super::exit::Exit;
use super::formats::{ran_in, shown};
use super::output::{Level, diffs, print};
use super::packs;
use super::saved_plan::{Executed, execute, findings, load, made_elsewhere, summary};
use crate::shell::report::saved_plan::{SavedFile, SavedPlan};
use crate::shell::report::{Written, html, visible};

/// Runs `show`.
pub(super) fn run(args: &ShowArgs, console: Console) -> Result<Exit> {
    let plan = load(&args.plan)?;
    let executed = execute(&plan)?;
    if args.output.format != Format::Text {
        report(&plan, &executed, args, console)?;
        let painter = console.note_painter(args.output.color);
        console.painted_note(&format!("{}\n", summary(&plan, Written::No, &painter)))?;
        return Ok(Exit::Clean);
    }
    let stale: String =
        plan.files.iter().filter(|file| executed.stale.contains(&file.path)).map(SavedFile::edits_text).collect();
    console.page(&(diffs(&executed.files, &args.output, console)? + &stale), &args.output)?;
    let is_of_target = |name: &str| plan.targets.iter().any(|target| target.split('@').next() == Some(name));
    let packs = plan.packs.iter().filter(|pack| args.output.verbose || is_of_target(&pack.name));
    let packs: Vec<_> = packs.map(|pack| format!("{} {}", visible(&pack.name), pack.fingerprint)).collect();
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

/// Prints the report of the run that made the plan; a page shows the diffs of the files that are as they were.
fn report(plan: &SavedPlan, executed: &Executed, args: &ShowArgs, console: Console) -> Result<()> {
    let document = plan.document(ran_in());
    if args.output.format != Format::Html {
        return print(document, &args.output, console);
    }
    let stale = |path: &String| format!("{path} was changed or removed since the plan was made: it has no diff here.");
    let remarks = match made_elsewhere(plan, &args.plan) {
        Some(_) => vec!["The plan was made in another folder: there are no diffs here.".to_owned()],
        None => executed.stale.iter().map(stale).collect(),
    };
    let packs = packs::load_with(&[], None)?;
    console.report(&html::page(&document, &html::Besides::saved(packs, &executed.files, remarks)), &args.output)
}

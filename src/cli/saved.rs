//! The subcommands `plan` and `show`, and `apply --plan`: a plan that is kept, read by people, and carried out later.
//!
//! Files in a plan are named from the folder in which it was made, which is the one it is applied in.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::apply::agreed;
use super::args::{ApplyArgs, Format, PlanArgs, ShowArgs};
use super::console::Console;
use super::convert::{diffs, finish, planned_with};
use super::{Exit, Pending, packs, write};
use crate::disk::{self, is_place};
use crate::edits::FilePlan;
use crate::pack::Pack;
use crate::plan::Record;
use crate::report::saved::{MAX_PLAN, Mismatch, SavedFile, SavedPack, SavedPlan};
use crate::report::{Written, plural, text, visible};
use crate::yaml::FrontEnd;

/// Runs `plan`.
pub(super) fn plan(args: &PlanArgs, console: Console) -> Result<Exit> {
    ensure!(
        !args.convert.files.paths.iter().any(|path| path == Path::new("-")),
        "a plan is about files; `reversion convert -` converts standard input"
    );
    let packs = packs(&args.convert.packs)?;
    let planned = planned_with(&args.convert, packs, (Record::Data, FrontEnd::Exact), console)?;
    let (report, exit) = (planned.report("plan", Written::No), planned.exit(Pending::Nothing));
    if exit == Exit::Failed {
        finish(&report, &args.convert.output, console)?;
        let hint =
            if planned.has_failed_file() { ": all files or none (`--glob '!FILE'` leaves a file out)" } else { "" };
        console.note(&format!("no plan was saved{hint}\n"))?;
        return Ok(exit);
    }
    let pack = |pack: &Pack| SavedPack { name: pack.name().to_owned(), fingerprint: pack.fingerprint() };
    let saved =
        SavedPlan::new(&report, packs.iter().map(pack).collect(), from_here).map_err(|message| anyhow!(message))?;
    let overwritten = report.files.iter().find(|file| disk::is_same_file(&args.out, Path::new(&file.file)));
    ensure!(overwritten.is_none(), "--out {} is one of the manifests; name another file", args.out.display());
    if args.out == Path::new("-") {
        console.stream(saved.to_text().as_bytes())?;
    } else {
        let written = disk::write_output(&args.out, saved.to_text().as_bytes());
        written.with_context(|| format!("cannot write {}", args.out.display()))?;
    }
    finish(&report, &args.convert.output, console)?;
    Ok(exit.with(&args.convert.output))
}

/// Names a file from the current folder.
fn from_here(file: &str) -> Result<String, String> {
    let path = Path::new(file);
    if is_place(path) {
        return Ok(file.replace(std::path::MAIN_SEPARATOR, "/"));
    }
    let inside = disk::inside_current_folder(path).ok_or_else(|| {
        format!(
            "{file}: a plan names files from the current folder, and this one is not below it; run in a folder above it"
        )
    })?;
    Ok(inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Reads a plan; every file that it names is below the current folder.
fn load(file: &Path) -> Result<SavedPlan> {
    let failed = |what: String| anyhow!("{} is no plan that can be used: {what}", file.display());
    let bytes = disk::read_up_to(file, MAX_PLAN).map_err(|failure| anyhow!("{}: {failure}", file.display()))?;
    let plan = SavedPlan::parse(&bytes).map_err(failed)?;
    match plan.files.iter().find(|file| !is_place(Path::new(&file.path))) {
        Some(file) => {
            Err(failed(format!("{} is outside of the current folder, or in one that is not written", file.path)))
        }
        None => Ok(plan),
    }
}

/// A plan's files against what is there now.
#[derive(Default)]
struct Carried {
    files: Vec<FilePlan>,
    stale: Vec<String>,
}

/// Carries a plan out on the text of its files.
fn carry_out(plan: &SavedPlan) -> Result<Carried> {
    let mut carried = Carried::default();
    for file in &plan.files {
        match current(file) {
            Ok(done) => carried.files.push(done),
            Err(Mismatch::Stale) => carried.stale.push(file.path.clone()),
            Err(Mismatch::Wrong) => {
                bail!("the plan contradicts itself: its edits do not make of {} what it says", file.path)
            }
        }
    }
    Ok(carried)
}

fn current(file: &SavedFile) -> Result<FilePlan, Mismatch> {
    let bytes = disk::read(Path::new(&file.path)).map_err(|_| Mismatch::Stale)?;
    file.plan(String::from_utf8(bytes).map_err(|_| Mismatch::Stale)?)
}

/// Runs `apply --plan`.
pub(super) fn apply(file: &Path, args: &ApplyArgs, console: Console) -> Result<Exit> {
    let output = &args.convert.output;
    ensure!(output.format == Format::Text, "`apply --plan` reports as text; `reversion plan` reports in other formats");
    let plan = load(file)?;
    let bounds = write::bounds(&[PathBuf::from(".")])?;
    let journal = write::settle(&bounds, console)?;
    let carried = carry_out(&plan)?;
    if !carried.stale.is_empty() {
        let named: String = carried.stale.iter().map(|path| format!("\n  {path}")).collect();
        bail!(
            "nothing was written: the plan is stale; changed or gone since it was made:{named}\n  help: make a new plan"
        );
    }
    if !plan.noop {
        write::guard(&carried.files, args.guard)?;
        if !args.yes {
            console.note(&format!("{}{}\n", findings(&plan), summary(&plan, Written::No)))?;
            if !agreed(carried.files.len(), console)? {
                console.note("nothing was written\n")?;
                return Ok(Exit::Changes.with(output));
            }
        }
        write::write(&carried.files, &plan.targets.join(", "), bounds, journal)?;
    }
    if args.diff {
        console.report(&diffs(&carried.files, output, console)?, output)?;
    }
    console.note(&format!("{}{}\n", findings(&plan), summary(&plan, Written::Yes)))?;
    let held = plan.findings.iter().any(|finding| finding.severity == "held-back");
    Ok(if held { Exit::Changes } else { Exit::Clean }.with(output))
}

/// Runs `show`.
pub(super) fn show(args: &ShowArgs, console: Console) -> Result<Exit> {
    let plan = load(&args.plan)?;
    let carried = carry_out(&plan)?;
    let stale: String =
        plan.files.iter().filter(|file| carried.stale.contains(&file.path)).map(SavedFile::edits_text).collect();
    console.report(&(diffs(&carried.files, &args.output, console)? + &stale), &args.output)?;
    let packs: Vec<_> = plan.packs.iter().map(|pack| format!("{} {}", visible(&pack.name), pack.fingerprint)).collect();
    let head = format!("plan of reversion {}, packs: {}\n", visible(&plan.tool), packs.join(", "));
    let old = |path: &String| {
        format!("{}: changed or gone since the plan was made; its edits are shown alone\n", visible(path))
    };
    let old: String = carried.stale.iter().map(old).collect();
    console.note(&format!("{head}{}{old}{}\n", findings(&plan), summary(&plan, Written::No)))?;
    Ok(Exit::Clean)
}

fn findings(plan: &SavedPlan) -> String {
    plan.findings.iter().map(|finding| finding.lines()).collect()
}

fn summary(plan: &SavedPlan, written: Written) -> String {
    let verb = match written {
        Written::Yes => "changed",
        Written::No => "to change",
    };
    format!(
        "{}; {} {verb} in {}; {} held back; to {}",
        text::seen(&plan.summary),
        plural(plan.count("changed"), "object"),
        plural(plan.files.len(), "file"),
        plan.count("held-back"),
        visible(&plan.targets.join(", ")),
    )
}

//! The subcommand `plan`: saves the changes in a file, for `show` and `apply --plan`.
//!
//! Files in a plan are named relative to the folder that it is made in, which is where it is applied.

use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};

use super::args::PlanArgs;
use super::console::{Console, Destination};
use super::exit::{Exit, Pending};
use super::output::{explain_exit, finish};
use super::packs;
use super::planned::planned_with;
use crate::engine::plan::{Dependent, Record};
use crate::knowledge::pack::Pack;
use crate::shell::disk::{self, is_place};
use crate::shell::report::Written;
use crate::shell::report::saved_plan::{SavedPack, SavedPlan};
use crate::syntax::yaml::FrontEnd;

/// Runs `plan`.
pub(super) fn run(args: &PlanArgs, console: Console) -> Result<Exit> {
    ensure!(
        !args.convert.files.paths.iter().any(|path| path == Path::new("-")),
        "`plan` reads files, not standard input; `reversion convert -` converts standard input"
    );
    let packs = packs::load(&args.convert.packs)?;
    let planned = planned_with(&args.convert, packs, Record::Data, FrontEnd::Exact, Dependent::HoldBack, console)?;
    planned.say_origins(args.convert.output.verbose, console)?;
    let exit = planned.exit(Pending::Nothing);
    let with_flags = planned.exit_with(Pending::Nothing, &args.convert.output);
    let report = planned.report("plan", Written::No, with_flags);
    if exit == Exit::Failed {
        finish(&report, Destination::FileOrNotes, &args.convert.output, console)?;
        console.note(&format!("no plan was saved{}\n", planned.why_failed()))?;
        return Ok(exit);
    }
    let pack = |pack: &Pack| SavedPack { name: pack.name().to_owned(), fingerprint: pack.fingerprint() };
    let saved = SavedPlan::new(&report, planned.packs.iter().map(pack).collect(), from_here)
        .map_err(|message| anyhow!(message))?;
    let overwritten = report.files.iter().find(|file| disk::is_same_file(&args.out, Path::new(&file.file)));
    ensure!(overwritten.is_none(), "--out {} is one of the manifests; name another file", args.out.display());
    if args.out == Path::new("-") {
        console.stream(saved.to_text().as_bytes())?;
    } else {
        let written = disk::write_output(&args.out, saved.to_text().as_bytes());
        written.with_context(|| format!("cannot write {}", args.out.display()))?;
    }
    finish(&report, Destination::FileOrNotes, &args.convert.output, console)?;
    if args.out != Path::new("-") && !args.convert.output.quiet {
        let out = args.out.display();
        console.note(&format!(
            "saved {out}; review it with `reversion show {out}`, apply it with `reversion apply --plan {out}`\n"
        ))?;
    }
    explain_exit(with_flags, planned.nothing_recognized(with_flags), console)
}

/// Returns the path of a file from the current folder.
fn from_here(file: &str) -> Result<String, String> {
    let path = Path::new(file);
    if is_place(path) {
        return Ok(file.replace(std::path::MAIN_SEPARATOR, "/"));
    }
    let inside = disk::inside_current_folder(path).ok_or_else(|| {
        format!(
            "{file}: a plan names files from the current folder, and this one is not below it; run `reversion plan` in a folder above it"
        )
    })?;
    Ok(inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
}

//! The subcommand `pack test`: does a pack convert its fixtures as their files expect?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, bail, ensure};

use super::args::TestArgs;
use super::console::Console;
use super::exit::Exit;
use super::pack_source::PackSource;
use super::{lint, packs, parameters};
use crate::authoring::fixture::{Fixture, Missing, missing, of_pack};
use crate::authoring::lint::open_places;
use crate::authoring::pack_folder::{self, PackContent};
use crate::engine::plan::allowed_losses;
use crate::knowledge::pack::{Pack, Packs};
use crate::shell::report::{plural, visible_lines};

/// Runs `pack test`.
pub(super) fn run(args: &TestArgs, console: Console) -> Result<Exit> {
    let content = PackSource::parse(args.pack.clone().into())?.content_if_pack()?;
    let own = content.as_ref().map(PackContent::draft).transpose()?;
    let name = own.as_ref().map_or(args.pack.as_str(), Pack::name).to_owned();
    let packs = packs::load_for(own, &args.packs.packs)?;
    let pack = packs::named(&name, packs).map_err(|error| lint::not_a_pack(&args.pack, error))?;
    let folder = folder(args, content.is_some(), &name)?;
    let is_own = content.is_some();
    ensure!(
        !pack.rules().is_empty(),
        "{name} has no rule yet: write RELEASE/RULE.yaml, and its fixtures in {}/RELEASE/RULE/CASE, then run this again",
        folder.display()
    );
    let texts = texts(args, content, &folder)?;
    let fixtures = of_pack(pack, &folder.display().to_string(), &texts);
    let is_meant = |name: &str| name.contains(&args.filter);
    let missing: Vec<Missing> = missing(pack, &fixtures.cases);
    let missing: Vec<Missing> = missing.into_iter().filter(|missing| is_meant(&missing.rule)).collect();
    let problems: Vec<&String> = fixtures.problems.iter().filter(|_| args.filter.is_empty()).collect();
    let cases: Vec<_> = fixtures.cases.iter().filter(|case| is_meant(&case.name)).collect();
    if cases.is_empty() && problems.is_empty() {
        bail!("{}", nothing_to_run(args, fixtures.cases.len(), &folder));
    }
    let (mut text, mut failed, mut open) = (String::new(), 0, 0);
    for case in &cases {
        let run = options(case, packs).and_then(|()| case.run(packs).map_err(|failure| anyhow!("{failure}")));
        match run {
            Ok(()) if args.verbose => text.push_str(&format!("ok       {}\n", case.name)),
            Ok(()) => {}
            Err(failure) => {
                let (number, word) = if case.is_open() { (&mut open, "to do  ") } else { (&mut failed, "failed ") };
                *number += 1;
                text.push_str(&format!("{word}  {}\n{}", case.name, indented(&format!("{failure:#}"))));
            }
        }
    }
    problems.iter().for_each(|problem| text.push_str(&format!("invalid  {problem}\n")));
    missing.iter().for_each(|missing| text.push_str(&format!("missing  {missing}\n")));
    let count = |count: usize, word: &str| if count == 0 { String::new() } else { format!(", {count} {word}") };
    let counts = [(failed, "failed"), (open, "to do"), (problems.len(), "invalid"), (missing.len(), "missing")];
    let counts: String = counts.into_iter().map(|(number, word)| count(number, word)).collect();
    text.push_str(&format!("{name}: {}: {} ok{counts}\n", plural(cases.len(), "case"), cases.len() - failed - open));
    let unfilled = if is_own && args.filter.is_empty() { open_places(pack) } else { 0 };
    if unfilled > 0 {
        let (places, verb) = (plural(unfilled, "place"), if unfilled == 1 { "is" } else { "are" });
        text.push_str(&format!("{places} {verb} not filled in: `reversion pack lint {}` lists them\n", args.pack));
    }
    console.print(&text)?;
    Ok(if failed + open == 0 && problems.is_empty() && missing.is_empty() { Exit::Clean } else { Exit::Changes })
}

/// Checks what a case passes with `set.txt` and `allow.txt`, as `--set` and `--allow-loss` are checked.
fn options(case: &Fixture, packs: &Packs) -> Result<()> {
    let lines = |name| case.file(name).unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>();
    parameters::passed(&lines("set.txt"), packs).with_context(|| case.path("set.txt"))?;
    allowed_losses(&lines("allow.txt")).map_err(Error::msg).with_context(|| case.path("allow.txt"))?;
    Ok(())
}

/// Returns what the folder of the pack's cases is called.
fn folder(args: &TestArgs, has_own: bool, name: &str) -> Result<PathBuf> {
    match &args.fixtures {
        Some(fixtures) => Ok(fixtures.join(name)),
        None if has_own => Ok(Path::new(&args.pack).join(pack_folder::FIXTURES)),
        None => bail!("{name} is built in without its fixtures: pass --fixtures DIR, or the pack's folder"),
    }
}

/// Reads the files of the pack's cases: those in `folder`, or those that came with the pack.
fn texts(args: &TestArgs, content: Option<PackContent>, folder: &Path) -> Result<BTreeMap<String, String>> {
    let Some(content) = content.filter(|_| args.fixtures.is_none()) else {
        ensure!(pack_folder::is_folder(folder), "{}", no_case(folder));
        return pack_folder::read_texts(folder);
    };
    let texts = content.fixtures()?;
    ensure!(!texts.is_empty(), "{}", no_case(folder));
    Ok(texts)
}

/// Explains why there is no case to run.
fn nothing_to_run(args: &TestArgs, total: usize, folder: &Path) -> String {
    match total {
        0 => no_case(folder),
        _ => format!("no case has `{}` in its name; `-v` without a filter lists all {total}", args.filter),
    }
}

fn no_case(folder: &Path) -> String {
    format!(
        "there is no fixture in {}: make a folder RELEASE/RULE/CASE there with before.yaml and after.yaml",
        folder.display()
    )
}

fn indented(text: &str) -> String {
    visible_lines(text).lines().map(|line| format!("    {line}\n")).collect()
}

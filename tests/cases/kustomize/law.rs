//! Answers: does building after converting give the same as converting what was built?
//!
//! A root that built before builds after. Each object of the build equals the converted object of the build before. It can also equal
//! the object before where a finding says that something is held back, or keeps an apiVersion that all builds can have.
//! Files that the report does not name keep their bytes.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::program::{self, Run};
use super::tree::Tree;

/// What the law looked at in one tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) roots: usize,
    /// Roots that cannot be built even before.
    pub(crate) unbuilt: usize,
    pub(crate) builds: usize,
    /// Objects of builds that are converted.
    pub(crate) converted: usize,
    /// Objects of builds that are left, although the build alone is converted.
    pub(crate) held: usize,
    /// Runs that hold nothing back.
    pub(crate) clean: usize,
    /// What is held back, as lines.
    pub(crate) reasons: Vec<String>,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.roots += other.roots;
        self.unbuilt += other.unbuilt;
        self.builds += other.builds;
        self.converted += other.converted;
        self.held += other.held;
        self.clean += other.clean;
    }
}

/// How the law is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The program fails or holds back without saying what.
    Run,
    /// A root no longer builds, although the exit code is 0.
    SilentBuild,
    /// A root no longer builds; something is held back.
    HeldBuild,
    /// The builds differ, although the exit code is 0.
    SilentDifference,
    /// The builds differ by more than what is held back.
    HeldDifference,
    /// A file changed that the report does not name.
    Bytes,
}

/// A broken law.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    pub(crate) fault: Fault,
    pub(crate) text: String,
}

/// Tries the law on a tree.
///
/// # Errors
/// How the law is broken.
pub(crate) fn check(tree: &Tree) -> Result<Counts, Violation> {
    let folder = TempDir::new().expect("a temporary folder can be made");
    tree.write(folder.path());
    check_folder(folder.path(), &tree.roots, tree.from.as_deref(), &tree.to)
}

/// Tries the law on the files in `folder`, which are converted.
///
/// # Errors
/// How the law is broken.
pub(crate) fn check_folder(folder: &Path, roots: &[String], from: Option<&str>, to: &str) -> Result<Counts, Violation> {
    let mut counts = Counts { roots: roots.len(), ..Counts::default() };
    let before: Vec<_> = roots.iter().map(|root| program::build(&folder.join(root))).collect();
    counts.unbuilt = before.iter().filter(|build| build.is_err()).count();
    if counts.unbuilt == counts.roots {
        return Ok(counts);
    }
    let files = program::read(folder);
    let run = program::apply(folder, from, to);
    let broken = |fault, text: String| Violation { fault, text: format!("{text}\n{}", account(&run)) };
    let is_held = match run.code {
        Some(0) => false,
        Some(1) if !run.held.is_empty() => true,
        // What is unresolved, such as a template, holds nothing back.
        Some(1) if run.findings.iter().any(|line| line.contains(": unresolved[")) => false,
        _ => return Err(broken(Fault::Run, "the program fails, or does not say why it is not done".to_owned())),
    };
    let may_stay = is_held || run.findings.iter().any(|line| line.contains("[less-stable-version]"));
    counts.clean = usize::from(!is_held);
    counts.reasons.clone_from(&run.held);
    let after = program::read(folder);
    for (path, bytes) in &files {
        if after.get(path) != Some(bytes) && !run.edited.contains(path) {
            return Err(broken(Fault::Bytes, format!("{path} changed without an edit")));
        }
    }
    if let Some(path) = after.keys().find(|path| !files.contains_key(*path)) {
        return Err(broken(Fault::Bytes, format!("{path} is new")));
    }
    for (root, before) in roots.iter().zip(before) {
        let Ok(before) = before else { continue };
        counts.builds += 1;
        let built = match after == files {
            true => Ok(before.clone()),
            false => program::build(&folder.join(root)),
        };
        let built = built.map_err(|message| {
            let fault = if is_held { Fault::HeldBuild } else { Fault::SilentBuild };
            broken(fault, format!("{root} no longer builds: {message}"))
        })?;
        let wanted = converted(&before, from, to).map_err(|text| broken(Fault::Run, text))?;
        let (changed, held) = compare(&before, &wanted, &built, may_stay).map_err(|text| {
            let fault = if is_held { Fault::HeldDifference } else { Fault::SilentDifference };
            broken(fault, format!("{root} builds differently: {text}"))
        })?;
        counts.converted += changed;
        counts.held += held;
    }
    Ok(counts)
}

/// Returns what the program said.
fn account(run: &Run) -> String {
    let findings: String = run.findings.iter().map(|line| format!("  {line}\n")).collect();
    format!("exit code {:?}, {} objects converted\n{findings}{}", run.code, run.converted, run.errors)
}

/// Converts a built text by itself.
fn converted(text: &str, from: Option<&str>, to: &str) -> Result<String, String> {
    let folder = TempDir::new().expect("a temporary folder can be made");
    let place = folder.path().join("built.yaml");
    fs::write(&place, text).expect("the file can be written");
    let run = program::apply(folder.path(), from, to);
    // 3: the build has no object of a known API.
    if !matches!(run.code, Some(0 | 1 | 3)) {
        return Err(format!("what is built cannot be converted\n{}\n{text}", account(&run)));
    }
    Ok(fs::read_to_string(place).expect("the file is still there"))
}

/// Compares the objects of three texts, in any order; returns how many are converted and how many are held back.
fn compare(before: &str, wanted: &str, after: &str, may_stay: bool) -> Result<(usize, usize), String> {
    let (before, wanted) = (program::objects(before)?, program::objects(wanted)?);
    let mut after = program::objects(after)?;
    if before.len() != wanted.len() {
        return Err(format!("{} objects are built, {} are left when they are converted", before.len(), wanted.len()));
    }
    let (mut converted, mut held) = (0, 0);
    let mut missing = Vec::new();
    for (old, new) in before.iter().zip(&wanted) {
        let is_new = |object: &Value| object == new;
        let is_old = |object: &Value| may_stay && object == old;
        match after.iter().position(is_new).or_else(|| after.iter().position(is_old)) {
            Some(at) => {
                let found = after.swap_remove(at);
                converted += usize::from(new != old && found == *new);
                held += usize::from(new != old && found != *new);
            }
            None => missing.push(new),
        }
    }
    if missing.is_empty() && after.is_empty() {
        return Ok((converted, held));
    }
    let show = |objects: &[&Value]| -> String {
        objects.iter().map(|object| serde_yaml::to_string(object).expect("any data can be written") + "---\n").collect()
    };
    let extra: Vec<&Value> = after.iter().collect();
    Err(format!("wanted\n{}built\n{}", show(&missing), show(&extra)))
}

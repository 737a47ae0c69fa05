//! Which changes of listed files need changes in files that are not listed, and so cannot be made alone?
//!
//! Their group is planned again with the listed files left unchanged: another file that then has other edits follows one of them.
//! Those that it may follow are held back: first those that it names, and where it still follows one, more. Then the group is planned
//! with these and the other files left unchanged; what a listed file becomes can be written alone.
//!
//! Invariant: the plan of a listed file is that of a run on all files, or has a finding that says why it is not.

use std::collections::{BTreeMap, BTreeSet};

use super::file::PlannedFile;
use super::group::GroupPlanner;
use super::scope::{Dependent, Listed, Others};
use super::withheld::Withheld;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::manifest::Manifest;
use crate::syntax::text::EditSet;

/// Limits the plans of a group's files, which are `whole`, to what needs no file that is not listed, as `listed` says.
pub(super) fn limited(
    group: &GroupPlanner<'_>,
    whole: Vec<PlannedFile>,
    listed: Listed<'_>,
    withheld: &Withheld,
) -> Vec<PlannedFile> {
    let changes = Changes::new(group, &whole, listed);
    let (mut alone, needed) = changes.map_or_else(Default::default, |changes| changes.alone(withheld));
    let limit = |planned: PlannedFile| match alone.remove(&planned.file) {
        Some(alone) => limit(planned, alone, listed, &needed),
        None => planned,
    };
    whole.into_iter().map(limit).collect()
}

/// The plans of a group with some files left unchanged, by file.
type Plans = BTreeMap<String, PlannedFile>;

/// A group in which files change that are listed, and others.
struct Changes<'g> {
    group: &'g GroupPlanner<'g>,
    /// What changes in each file in a run on all files.
    whole: BTreeMap<&'g str, Option<&'g EditSet>>,
    listed: Listed<'g>,
    /// The listed files that change.
    mine: Vec<&'g Manifest>,
    /// The others that do.
    others: Vec<&'g Manifest>,
}

impl<'g> Changes<'g> {
    /// Finds what changes; `None` where that is listed, or is not, as a whole.
    fn new(group: &'g GroupPlanner<'g>, whole: &'g [PlannedFile], listed: Listed<'g>) -> Option<Self> {
        let changed = || whole.iter().filter(|planned| planned.change.is_some());
        if changed().all(|planned| (listed.has)(&planned.file)) || !changed().any(|planned| (listed.has)(&planned.file))
        {
            return None;
        }
        let whole: BTreeMap<&str, Option<&EditSet>> =
            whole.iter().map(|planned| (&*planned.file, planned.edits())).collect();
        let manifests = group.linked.files().map(|(_, manifest)| manifest);
        let changed = manifests.filter(|manifest| whole[&*manifest.file].is_some());
        let (mine, others) = changed.partition(|manifest| (listed.has)(&manifest.file));
        Some(Self { group, whole, listed, mine, others })
    }

    /// Plans the listed files so that each change can be made without the other files. The plans that differ from those of the whole
    /// run are returned, with the names of the files that they need.
    fn alone(&self, always: &Withheld) -> (Plans, Vec<String>) {
        let mut withheld = always.clone();
        self.mine.iter().for_each(|manifest| withheld.add_unchanged(&manifest.file));
        let without_listed = self.plan(&withheld);
        let follows = |other: &&Manifest, planned: Option<&EditSet>| planned != without_listed[&other.file].edits();
        let mut following: Vec<&Manifest> = self.others.clone();
        following.retain(|other| follows(other, self.whole[&*other.file]));
        let needed = if following.is_empty() { &self.others } else { &following };
        let needed = needed.iter().map(|other| other.file.clone()).collect();
        let mut withheld = always.clone();
        for needs in [names, mentions, |_: &Manifest, _: &Manifest| true] {
            if following.is_empty() {
                break;
            }
            for other in &following {
                let why = format!("{} changes with it, and is {}", other.file, self.listed.others.are());
                let needed = self.mine.iter().filter(|one| needs(other, one));
                needed.for_each(|one| withheld.add(&one.file, why.clone()));
            }
            let planned = self.plan(&withheld);
            following.retain(|other| follows(other, planned[&other.file].edits()));
        }
        self.others.iter().for_each(|manifest| withheld.add_unchanged(&manifest.file));
        let mut alone = self.plan(&withheld);
        alone.retain(|file, planned| (self.listed.has)(file) && planned.edits() != self.whole[file.as_str()]);
        (alone, needed)
    }

    fn plan(&self, withheld: &Withheld) -> Plans {
        self.group.plan(withheld).into_iter().map(|planned| (planned.file.clone(), planned)).collect()
    }
}

/// Returns whether `other` contains the kind and the name of an object of `listed`.
fn names(other: &Manifest, listed: &Manifest) -> bool {
    let has = |text: &str| other.text.contains(text);
    listed.objects.iter().any(|object| has(&object.kind.kind) && object.name.as_deref().is_some_and(has))
}

/// Returns whether `other` contains the kind of an object of `listed`.
fn mentions(other: &Manifest, listed: &Manifest) -> bool {
    listed.objects.iter().any(|object| other.text.contains(&object.kind.kind))
}

/// How many files are named that a listed file needs.
const NAMED: usize = 3;

/// Names files: `a.yaml, b.yaml and 2 more`.
fn named(files: &[String]) -> String {
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ") + &more
}

/// Limits the plan of a listed file to `alone`, what needs no other file, as `listed` says; the whole plan needs the files `needed`.
fn limit(whole: PlannedFile, alone: PlannedFile, listed: Listed<'_>, needed: &[String]) -> PlannedFile {
    let known: BTreeSet<&Finding> = whole.findings.iter().collect();
    let found = alone.findings.iter().filter(|finding| !known.contains(finding) && finding.severity >= Severity::Held);
    let mut found: Vec<Finding> = found.cloned().collect();
    let names = named(needed);
    if found.is_empty() {
        let (are, others) = (if needed.len() == 1 { "is" } else { "are" }, listed.others.are());
        found.push(Finding::new(
            Location { file: whole.file.clone(), position: None },
            Code::ConvertsTogether,
            Severity::Held,
            format!("a part of the changes in this file needs changes in {names}, which {are} {others}"),
        ));
    }
    let (mut planned, severity, help) = match listed.dependent {
        Dependent::Report => {
            let help = format!(
                "convert {names} in the same change: `apply` holds this back unless the list has {}",
                if needed.len() == 1 { "it" } else { "them" }
            );
            (whole, Severity::Warning, help)
        }
        Dependent::HoldBack => {
            let mut alone = alone;
            alone.findings.retain(|finding| !found.contains(finding));
            let help = match listed.others {
                Others::Unreported => format!("add {names} to the list"),
                Others::Outside if needed.len() == 1 => format!("pass {names} as a path of the run too"),
                Others::Outside => format!("pass {names} as paths of the run too"),
                Others::Reported => "write the whole tree, without `--shard`".to_owned(),
            };
            (alone, Severity::Held, help)
        }
    };
    let found = found.into_iter().map(|finding| Finding { severity, help: Some(help.clone()), ..finding });
    planned.findings.extend(found);
    planned
}

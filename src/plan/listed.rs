//! Which changes of listed files need changes in files that are not listed, and so cannot be made alone?
//!
//! The run is planned again with the listed files left unchanged: another file that then has other edits follows one of them. Those
//! that it may follow are held back: first those that it names, and where it still follows one, more. Then the run is planned
//! with these and the other files left unchanged; what a listed file becomes can be written alone.
//!
//! Invariant: the plan of a listed file is that of a run on all files, or has a finding that says why it is not.

use std::collections::{BTreeMap, BTreeSet};

use super::file::{PlannedFile, RunFile};
use super::planner::Planner;
use super::run;
use super::scope::{Dependent, Listed, Others};
use super::styles::Styles;
use super::withheld::Withheld;
use crate::finding::{Code, Finding, Location, Severity};
use crate::links::{File, Namespaces, selectors};
use crate::manifest::Manifest;
use crate::text::EditSet;

/// A run that was planned as a whole.
pub(super) struct Whole<'r> {
    pub(super) planner: &'r Planner<'r>,
    pub(super) namespaces: &'r Namespaces<'r>,
    /// How the files are indented, and what is left unchanged in any case.
    pub(super) beside: (&'r Styles, &'r Withheld),
    pub(super) files: &'r [RunFile<'r>],
    /// The plans of the linked files, in their order.
    pub(super) linked: &'r [PlannedFile],
}

/// The plans of a run with some files left unchanged, by file.
type Plans = BTreeMap<String, PlannedFile>;

impl<'r> Whole<'r> {
    /// Returns the plan of each file, in their order.
    fn plans(&self) -> impl Iterator<Item = &'r PlannedFile> {
        let mut linked = self.linked.iter();
        self.files.iter().map(move |file| match file {
            RunFile::Local(planned) => planned.as_ref(),
            RunFile::Linked(_) => linked.next().expect("every linked file is planned"),
        })
    }

    /// Returns the local files, with their positions, whose plans the run with some files left unchanged can contradict.
    pub(super) fn to_link(&self, listed: Listed<'_>) -> Vec<(usize, &'r PlannedFile)> {
        let is_changed = |planned: &PlannedFile| planned.change.is_some();
        let some = |is_listed: bool| {
            self.plans().any(|planned| is_changed(planned) && (listed.has)(planned.file()) == is_listed)
        };
        if !some(true) || !some(false) {
            return Vec::new();
        }
        let local = self.files.iter().enumerate().filter_map(|(at, file)| match file {
            RunFile::Local(planned) => Some((at, planned.as_ref())),
            RunFile::Linked(_) => None,
        });
        let selects = self.files.iter().any(|file| match file {
            RunFile::Local(_) => false,
            RunFile::Linked(manifest) => {
                let selects = |object| selectors::selects(object, &self.planner.targets);
                (listed.has)(&manifest.file) && manifest.objects.iter().any(selects)
            }
        });
        // Others rely on a local file only where they look its objects up, or select them by their version.
        let counts =
            |planned: &PlannedFile| (listed.has)(planned.file()) || !planned.local.indexed.is_empty() || selects;
        local.filter(|(_, planned)| is_changed(planned) && counts(planned)).collect()
    }

    /// Plans the listed files so that each change can be made without the other files. `manifests` are those of the files that
    /// [`Whole::to_link`] returned. The plans that differ from those of the whole run are returned.
    pub(super) fn alone(&self, manifests: &[(usize, &'r Manifest)], listed: Listed<'_>) -> Plans {
        let manifests: BTreeMap<usize, &Manifest> = manifests.iter().copied().collect();
        let known = self.files.iter().enumerate().map(|(at, file)| match manifests.get(&at) {
            Some(manifest) => File::Linked(manifest),
            None => file.linkable(),
        });
        let known: Vec<File<'_>> = known.collect();
        let linked = |file: &File<'r>| match file {
            File::Linked(manifest) => Some(*manifest),
            File::Local(_) => None,
        };
        let linked: Vec<&Manifest> = known.iter().filter_map(linked).collect();
        let whole: BTreeMap<&str, &PlannedFile> = self.plans().map(|planned| (planned.file(), planned)).collect();
        let is_changed = |manifest: &&&Manifest| whole[&*manifest.file].change.is_some();
        let (mine, others): (Vec<&Manifest>, Vec<&Manifest>) =
            linked.iter().filter(is_changed).copied().partition(|manifest| (listed.has)(&manifest.file));
        if mine.is_empty() || others.is_empty() {
            return Plans::new();
        }
        let plan = |withheld: &Withheld| -> Plans {
            let planned = run::plan(self.planner, &known, self.namespaces, (self.beside.0, withheld));
            planned.into_iter().map(|planned| (planned.file().to_owned(), planned)).collect()
        };
        let mut withheld = self.beside.1.clone();
        mine.iter().for_each(|manifest| withheld.add_unchanged(&manifest.file));
        let without_listed = plan(&withheld);
        let mut withheld = self.beside.1.clone();
        let follows = |other: &&Manifest, planned: Option<&EditSet>| planned != without_listed[&other.file].edits();
        let mut following: Vec<&Manifest> =
            others.iter().copied().filter(|other| follows(other, whole[&*other.file].edits())).collect();
        for needs in [names, mentions, |_: &Manifest, _: &Manifest| true] {
            if following.is_empty() {
                break;
            }
            for other in &following {
                let why = format!("{} changes with it, and is {}", other.file, listed.others.are());
                mine.iter().filter(|one| needs(other, one)).for_each(|one| withheld.add(&one.file, why.clone()));
            }
            let planned = plan(&withheld);
            following.retain(|other| follows(other, planned[&other.file].edits()));
        }
        others.iter().for_each(|manifest| withheld.add_unchanged(&manifest.file));
        let mut alone = plan(&withheld);
        alone.retain(|file, planned| (listed.has)(file) && planned.edits() != whole[file.as_str()].edits());
        alone
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

/// Limits the plan of a listed file to `alone`, what needs no other file, as `listed` says.
pub(super) fn limit(whole: PlannedFile, alone: PlannedFile, listed: Listed<'_>) -> PlannedFile {
    let known: BTreeSet<&Finding> = whole.findings.iter().collect();
    let found = alone.findings.iter().filter(|finding| !known.contains(finding) && finding.severity >= Severity::Held);
    let mut found: Vec<Finding> = found.cloned().collect();
    if found.is_empty() {
        found.push(Finding {
            location: Location { file: whole.file().to_owned(), position: None },
            code: Code::ConvertsTogether,
            severity: Severity::Held,
            object: None,
            field: None,
            message: format!(
                "a part of the changes in this file needs changes in files that are {}",
                listed.others.are()
            ),
            help: None,
        });
    }
    let (mut planned, severity, help) = match listed.dependent {
        Dependent::Report => (
            whole,
            Severity::Warning,
            "the other file is not listed, so `apply` would hold this change back; add it to the list",
        ),
        Dependent::HoldBack => {
            let mut alone = alone;
            alone.findings.retain(|finding| !found.contains(finding));
            let help = match listed.others {
                Others::Unreported => "the other file is not listed; add it to the list",
                Others::Reported => "write the whole tree, without `--shard`",
            };
            (alone, Severity::Held, help)
        }
    };
    let found = found.into_iter().map(|finding| Finding { severity, help: Some(help.to_owned()), ..finding });
    planned.findings.extend(found);
    planned
}

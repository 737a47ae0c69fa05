//! What a page shows, file by file: the objects of a file, and what is about the file as a whole.

use std::collections::{BTreeMap, BTreeSet};

use super::diff::Diff;
use crate::engine::edits::FilePlan;
use crate::engine::finding::{Acknowledged, Code, Finding, Location, Severity};
use crate::engine::infer::{infer, kind_evidence};
use crate::engine::plan::{ObjectPlan, Outcome};
use crate::knowledge::lens::Direction;
use crate::knowledge::pack::{Packs, Rule};
use crate::shell::report::count::plural;
use crate::shell::report::run_report::{Fate, Report, Written};

/// Everything that a page shows below its summary.
pub(super) struct Contents<'r> {
    /// The files with an object or a finding, sorted by name.
    pub(super) files: Vec<FileEntries<'r>>,
    /// The rules that changed objects, sorted by id.
    pub(super) rules: BTreeMap<&'r str, UsedRule<'r>>,
    /// The codes of the findings, with how many there are.
    pub(super) codes: BTreeMap<Code, usize>,
}

/// A rule that changed objects.
pub(super) struct UsedRule<'r> {
    /// Its number on the page.
    pub(super) number: usize,
    /// How many objects it changed.
    pub(super) objects: usize,
    /// The rules of the file that defines it, one for each kind; none where no pack of the run has it.
    pub(super) definitions: Vec<&'r Rule>,
}

/// What a page shows below one file.
pub(super) struct FileEntries<'r> {
    /// The file as the user named it.
    pub(super) name: &'r str,
    /// What changes in it, where it changes.
    pub(super) diff: Option<Diff<'r>>,
    /// What is about the file as a whole, then its objects in the order of the text.
    pub(super) entries: Vec<PageEntry<'r>>,
}

/// An object, or what is about a file as a whole.
#[derive(Default)]
pub(super) struct PageEntry<'r> {
    /// Its number on the page.
    pub(super) number: usize,
    /// What the object is called and where it starts; none for a file as a whole.
    pub(super) object: Option<(&'r str, &'r Location)>,
    /// What becomes of the object, where it is recognized.
    pub(super) plan: Option<&'r ObjectPlan>,
    /// The same with what was accepted before.
    pub(super) fate: Option<Fate>,
    /// The findings, sorted by place.
    pub(super) findings: Vec<&'r Finding>,
    /// The findings that were accepted before.
    pub(super) acknowledged: Vec<&'r Acknowledged>,
}

/// What an object is and becomes.
pub(super) struct Becomes {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    pub(super) remark: &'static str,
}

/// The releases that an object can be for.
pub(super) struct ShownEvidence {
    pub(super) releases: String,
    /// The fields that show it, each with its releases.
    pub(super) fields: Vec<(String, String)>,
}

impl<'r> Contents<'r> {
    /// Sorts what `report` found by file and object.
    pub(super) fn of(report: &Report<'r>) -> Self {
        let mut entries: BTreeMap<(&str, Option<&Location>), PageEntry<'r>> = BTreeMap::new();
        let fates = report.fates();
        for plan in report.objects {
            let entry = entries.entry((&plan.location.file, Some(&plan.location))).or_default();
            entry.object = Some((&plan.title, &plan.location));
            entry.plan = Some(plan);
            entry.fate = Some(fates.of(plan));
        }
        for finding in report.findings {
            entry_of(&mut entries, finding).findings.push(finding);
        }
        for acknowledged in report.acknowledged {
            entry_of(&mut entries, &acknowledged.finding).acknowledged.push(acknowledged);
        }
        let mut codes = BTreeMap::new();
        let accepted = report.acknowledged.iter().map(|acknowledged| &acknowledged.finding);
        report.findings.iter().chain(accepted).for_each(|finding| *codes.entry(finding.code).or_default() += 1);
        Self { files: by_file(entries, report.files), rules: used_rules(report), codes }
    }

    /// How many findings have a code.
    pub(super) fn findings_of(&self, code: &Code) -> usize {
        self.codes[code]
    }

    /// The files in which something changes or was found.
    pub(super) fn files_to_read(&self) -> impl Iterator<Item = &FileEntries<'r>> {
        self.files.iter().filter(|file| !file.is_idle())
    }

    /// The files with nothing to do.
    pub(super) fn idle_files(&self) -> Vec<&FileEntries<'r>> {
        self.files.iter().filter(|file| file.is_idle()).collect()
    }

    /// Says how much the page holds.
    pub(super) fn size(&self) -> String {
        let objects = self.entries().filter(|entry| entry.object.is_some()).count();
        let diffs = self.files.iter().filter(|file| file.diff.is_some()).count();
        format!("{} in {}, {}", plural(objects, "object"), plural(self.files.len(), "file"), plural(diffs, "diff"))
    }

    /// Returns all objects, and what is about files as a whole.
    pub(super) fn entries(&self) -> impl Iterator<Item = &PageEntry<'r>> {
        self.files.iter().flat_map(|file| &file.entries)
    }
}

/// Finds what a finding is about.
fn entry_of<'e, 'r>(
    entries: &'e mut BTreeMap<(&'r str, Option<&'r Location>), PageEntry<'r>>,
    finding: &'r Finding,
) -> &'e mut PageEntry<'r> {
    let Some(object) = &finding.object else {
        return entries.entry((&finding.location.file, None)).or_default();
    };
    let entry = entries.entry((&object.location.file, Some(&object.location))).or_default();
    entry.object.get_or_insert((&object.title, &object.location));
    entry
}

/// Puts entries, which are sorted, below their files.
fn by_file<'r>(
    entries: BTreeMap<(&'r str, Option<&'r Location>), PageEntry<'r>>,
    changes: &'r [FilePlan],
) -> Vec<FileEntries<'r>> {
    let changes: BTreeMap<&str, &FilePlan> = changes.iter().map(|change| (change.file.as_str(), change)).collect();
    let mut files: Vec<FileEntries<'r>> = Vec::new();
    for (number, ((name, _), entry)) in entries.into_iter().enumerate() {
        if files.last().is_none_or(|file| file.name != name) {
            let diff = changes.get(name).map(|change| Diff::of(change));
            files.push(FileEntries { name, diff, entries: Vec::new() });
        }
        let file = files.last_mut().expect("one was added where there was none");
        file.entries.push(PageEntry { number, ..entry });
    }
    files
}

fn used_rules<'r>(report: &Report<'r>) -> BTreeMap<&'r str, UsedRule<'r>> {
    let mut rules: BTreeMap<&str, UsedRule<'r>> = BTreeMap::new();
    for (id, _) in report.objects.iter().flat_map(|object| &object.rules) {
        let rule = rules.entry(id).or_insert(UsedRule { number: 0, objects: 0, definitions: Vec::new() });
        rule.objects += 1;
    }
    for rule in report.packs.iter().flat_map(|pack| pack.rules()) {
        if let Some(used) = rules.get_mut(rule.id.as_str()) {
            used.definitions.push(rule);
        }
    }
    rules.values_mut().enumerate().for_each(|(number, rule)| rule.number = number);
    rules
}

impl UsedRule<'_> {
    /// The kinds that it concerns.
    pub(super) fn kinds(&self) -> String {
        self.definitions.iter().map(|rule| rule.kind.to_string()).collect::<Vec<_>>().join(", ")
    }
}

impl FileEntries<'_> {
    /// Returns the name that people read.
    pub(super) const fn shown_name(&self) -> &str {
        match self.name.as_bytes() {
            b"-" => "standard input",
            _ => self.name,
        }
    }

    /// Returns whether there is nothing to do and nothing to read: neither a change nor a finding.
    pub(super) fn is_idle(&self) -> bool {
        self.diff.is_none()
            && self.entries.iter().all(|entry| entry.findings.is_empty() && entry.acknowledged.is_empty())
    }

    /// Counts what becomes of its objects, for people.
    pub(super) fn tally(&self, report: &Report<'_>) -> String {
        let mut counts: BTreeMap<Fate, usize> = BTreeMap::new();
        self.entries.iter().filter_map(|entry| entry.fate).for_each(|fate| *counts.entry(fate).or_default() += 1);
        let parts: Vec<String> =
            counts.into_iter().map(|(fate, count)| format!("{count} {}", fate.words(report.written))).collect();
        parts.join(", ")
    }
}

impl<'r> PageEntry<'r> {
    /// Returns the kind of the object; a title starts with it.
    pub(super) fn kind(&self) -> Option<&'r str> {
        let by_title = || self.object.and_then(|(title, _)| title.split(' ').next());
        self.plan.map(|plan| plan.from.0.kind.as_str()).or_else(by_title)
    }

    /// The rules that changed the object.
    pub(super) fn applied(&self) -> &'r [(String, Direction)] {
        self.plan.map_or(&[], |plan| &plan.rules)
    }

    /// What filters look for: the attributes of its element.
    pub(super) fn attributes(&self, contents: &Contents<'_>) -> Vec<(&'static str, String)> {
        let rules = self.applied().iter().map(|(id, _)| contents.rules[id.as_str()].number.to_string());
        let codes = self.codes().into_iter().map(|code| code.name());
        let mut attributes = vec![
            ("data-outcome", self.fate.map_or("", Fate::name).to_owned()),
            ("data-kind", self.kind().unwrap_or_default().to_owned()),
            ("data-rule", rules.collect::<Vec<_>>().join(" ")),
            ("data-code", codes.collect::<Vec<_>>().join(" ")),
            ("data-severity", self.severities().map(Severity::name).collect::<Vec<_>>().join(" ")),
        ];
        attributes.retain(|(_, values)| !values.is_empty());
        attributes
    }

    /// What becomes of the object, for people.
    pub(super) fn outcome(&self, report: &Report<'_>) -> &'static str {
        self.fate.map_or("", |fate| fate.words(report.written))
    }

    /// Says what the object is and what it becomes.
    pub(super) fn becomes(&self, report: &Report<'_>) -> Option<Becomes> {
        let plan = self.plan?;
        let ((old_kind, old), (new_kind, new)) = (&plan.from, &plan.to);
        let (old, new) = (old.to_string(), new.to_string());
        let is_same = old_kind.kind == new_kind.kind && old == new;
        let remark = match (plan.outcome, is_same, report.written) {
            (Outcome::Changed, true, Written::No) => " fields must change",
            (Outcome::Changed, true, Written::Yes) => " fields were changed",
            (Outcome::HeldBack, _, _) => " stays as it is",
            (Outcome::Changed | Outcome::Unchanged, _, _) => "",
        };
        let is_changed = plan.outcome == Outcome::Changed && !is_same;
        let (before, after) = match (is_changed, old_kind.kind == new_kind.kind) {
            (true, true) => (Some(old), Some(new)),
            (true, false) => (Some(format!("{old} {}", old_kind.kind)), Some(format!("{new} {}", new_kind.kind))),
            // Values of a chart have no apiVersion.
            (false, _) => (Some(old).filter(|old| !old.is_empty()), None),
        };
        Some(Becomes { before, after, remark })
    }

    /// Says which releases have every field of the object as it was read, and which fields show that.
    pub(super) fn evidence(&self, packs: &Packs) -> Option<ShownEvidence> {
        let plan = self.plan?;
        let (kind, version) = &plan.from;
        let pack = packs.of_group(&kind.group)?;
        let catalog = pack.catalog(kind)?;
        let data = plan.data.as_ref().expect("a plan that is printed as HTML was made with the data of its objects");
        let inference = infer(&data.before, catalog, &version.version);
        let line = pack.line();
        let (releases, of_kind) = match inference.is_conflict() {
            true => ("no release has all its fields".to_owned(), None),
            false => {
                let releases = format!("all its fields are in {}", line.describe(inference.candidates));
                (releases, kind_evidence(catalog, line))
            }
        };
        let facts = of_kind.iter().chain(&inference.evidence);
        let fields = facts.map(|fact| (fact.path.to_string(), line.describe(fact.releases))).collect();
        Some(ShownEvidence { releases, fields })
    }

    /// Returns the codes of its findings, sorted.
    pub(super) fn codes(&self) -> BTreeSet<Code> {
        self.all_findings().map(|finding| finding.code).collect()
    }

    /// Returns the severities of its findings, sorted, the most severe first.
    pub(super) fn severities(&self) -> impl Iterator<Item = Severity> {
        self.findings.iter().map(|finding| finding.severity).collect::<BTreeSet<_>>().into_iter().rev()
    }

    fn all_findings(&self) -> impl Iterator<Item = &'r Finding> {
        self.findings.iter().copied().chain(self.acknowledged.iter().map(|acknowledged| &acknowledged.finding))
    }
}

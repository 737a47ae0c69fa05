//! What a page shows, file by file: the objects of a file, and what is about the file as a whole.

use std::collections::{BTreeMap, BTreeSet};

use super::besides::Besides;
use super::diff::Diff;
use super::evidence::ShownEvidence;
use crate::engine::edits::FilePlan;
use crate::engine::finding::{Code, Location, Severity};
use crate::knowledge::pack::{Packs, Rule};
use crate::shell::report::count::plural;
use crate::shell::report::document::{AcknowledgedRecord, AppliedRule, FindingRecord, ObjectRecord, ReportDocument};
use crate::shell::report::run_report::{Fate, Written};

/// Everything that a page shows below its summary.
pub(super) struct Contents<'r> {
    /// The files with an object or a finding, sorted by name.
    pub(super) files: Vec<FileEntries<'r>>,
    /// The rules that changed objects, sorted by id.
    pub(super) rules: BTreeMap<&'r str, UsedRule<'r>>,
    /// The codes of the findings, with how many there are.
    pub(super) codes: BTreeMap<&'r str, usize>,
    /// Whether the changes were written.
    pub(super) written: Written,
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
    /// Whether all that there is to say of it was accepted before: that is shown in short.
    pub(super) is_accepted: bool,
}

/// An object, or what is about a file as a whole.
#[derive(Default)]
pub(super) struct PageEntry<'r> {
    /// Its number on the page.
    pub(super) number: usize,
    /// What the object is called and where it starts; none for a file as a whole.
    pub(super) object: Option<(&'r str, &'r Location)>,
    /// What becomes of the object, where it is recognized.
    pub(super) record: Option<&'r ObjectRecord>,
    /// The findings, sorted by place.
    pub(super) findings: Vec<&'r FindingRecord>,
    /// The findings that were accepted before.
    pub(super) acknowledged: Vec<&'r AcknowledgedRecord>,
    /// The releases that the object can be for, where that is known.
    pub(super) evidence: Option<&'r ShownEvidence>,
}

/// What an object is and becomes.
pub(super) struct Becomes {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    pub(super) remark: &'static str,
}

impl<'r> Contents<'r> {
    /// Sorts what `document` holds by file and object, with what a page shows `besides`.
    pub(super) fn of(document: &'r ReportDocument, besides: &'r Besides<'_>) -> Self {
        let Besides { packs, files, evidence, found, .. } = besides;
        let mut entries: BTreeMap<(&str, Option<&Location>), PageEntry<'r>> = BTreeMap::new();
        for (title, location) in found.iter().flat_map(|found| &found.objects) {
            let entry = entries.entry((&location.file, Some(location))).or_default();
            entry.object = Some((title, location));
            entry.evidence = evidence.get(location);
        }
        for record in &document.objects {
            let entry = entries.entry((&record.location.file, Some(&record.location))).or_default();
            entry.object = Some((&record.object, &record.location));
            entry.record = Some(record);
            entry.findings.extend(record.findings.iter().filter(|finding| is_shown(finding)));
            entry.acknowledged.extend(&record.acknowledged);
            entry.evidence = evidence.get(&record.location);
        }
        for finding in document.findings.iter().filter(|finding| is_shown(finding)) {
            entry_of(&mut entries, finding).findings.push(finding);
        }
        for acknowledged in &document.acknowledged {
            entry_of(&mut entries, &acknowledged.finding).acknowledged.push(acknowledged);
        }
        let (rules, files) = (used_rules(document, packs), by_file(entries, files));
        let mut codes = BTreeMap::new();
        let all = files.iter().flat_map(|file| &file.entries).flat_map(PageEntry::all_findings);
        all.for_each(|finding| *codes.entry(finding.code.as_str()).or_default() += 1);
        Self { files, rules, codes, written: written(document) }
    }

    /// How many findings have a code.
    pub(super) fn findings_of(&self, code: &str) -> usize {
        self.codes[code]
    }

    /// The files in which something changes or was found that was not accepted before.
    pub(super) fn files_to_read(&self) -> impl Iterator<Item = &FileEntries<'r>> {
        self.files.iter().filter(|file| !file.is_idle() && !file.is_accepted)
    }

    /// The files in which all was accepted before.
    pub(super) fn accepted_files(&self) -> Vec<&FileEntries<'r>> {
        self.files.iter().filter(|file| file.is_accepted).collect()
    }

    /// How many findings were accepted in them.
    pub(super) fn accepted(&self) -> usize {
        let entries = self.files.iter().filter(|file| file.is_accepted).flat_map(|file| &file.entries);
        entries.map(|entry| entry.acknowledged.len()).sum()
    }

    /// How many notes are shown.
    pub(super) fn notes(&self) -> usize {
        let findings = self.entries().flat_map(|entry| &entry.findings);
        findings.filter(|finding| finding.severity == Severity::Note).count()
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

/// Says whether the changes of a document were written.
pub(super) const fn written(document: &ReportDocument) -> Written {
    if document.written { Written::Yes } else { Written::No }
}

/// Says whether a finding is more than that an object must change, which its outcome says.
pub(super) fn is_shown(finding: &FindingRecord) -> bool {
    finding.code != Code::ChangesNeeded.name()
}

/// Finds what a finding is about.
fn entry_of<'e, 'r>(
    entries: &'e mut BTreeMap<(&'r str, Option<&'r Location>), PageEntry<'r>>,
    finding: &'r FindingRecord,
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
            files.push(FileEntries { name, diff, entries: Vec::new(), is_accepted: false });
        }
        let file = files.last_mut().expect("one was added where there was none");
        file.entries.push(PageEntry { number, ..entry });
    }
    for file in files.iter_mut().filter(|file| file.has_only_accepted()) {
        (file.is_accepted, file.diff) = (true, None);
        // They are about changes that are not made.
        file.entries.iter_mut().for_each(|entry| entry.findings.clear());
    }
    files
}

fn used_rules<'r>(document: &'r ReportDocument, packs: &'r Packs) -> BTreeMap<&'r str, UsedRule<'r>> {
    let mut rules: BTreeMap<&str, UsedRule<'r>> = BTreeMap::new();
    let changed = document.objects.iter().filter(|object| object.outcome != Fate::Acknowledged);
    for AppliedRule { rule, .. } in changed.flat_map(|object| &object.rules) {
        let rule = rules.entry(rule).or_insert(UsedRule { number: 0, objects: 0, definitions: Vec::new() });
        rule.objects += 1;
    }
    for rule in packs.iter().flat_map(|pack| pack.rules()) {
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
        let is_idle = |entry: &PageEntry<'_>| {
            // What was only detected is there to be read.
            entry.record.is_some_and(|record| record.outcome != Fate::Changed)
                && entry.findings.is_empty()
                && entry.acknowledged.is_empty()
        };
        self.diff.is_none() && self.entries.iter().all(is_idle)
    }

    /// Returns whether something was accepted before, of which else there are notes alone, and there is nothing to say of what else is in
    /// the file.
    fn has_only_accepted(&self) -> bool {
        let is_told = |entry: &PageEntry<'_>| {
            let is_unchanged = matches!(entry.fate(), None | Some(Fate::Acknowledged | Fate::Unchanged));
            let are_notes = || entry.findings.iter().all(|finding| finding.severity == Severity::Note);
            is_unchanged && (entry.findings.is_empty() || !entry.acknowledged.is_empty() && are_notes())
        };
        self.entries.iter().any(|entry| !entry.acknowledged.is_empty()) && self.entries.iter().all(is_told)
    }

    /// Counts what becomes of its objects, for people.
    pub(super) fn tally(&self, contents: &Contents<'_>) -> String {
        let mut counts: BTreeMap<Fate, usize> = BTreeMap::new();
        self.entries.iter().filter_map(PageEntry::fate).for_each(|fate| *counts.entry(fate).or_default() += 1);
        let parts: Vec<String> =
            counts.into_iter().map(|(fate, count)| format!("{count} {}", fate.words(contents.written))).collect();
        parts.join(", ")
    }
}

impl<'r> PageEntry<'r> {
    /// What becomes of the object, where it is recognized.
    pub(super) fn fate(&self) -> Option<Fate> {
        self.record.map(|record| record.outcome)
    }

    /// Returns the kind of the object; a title starts with it.
    pub(super) fn kind(&self) -> Option<&'r str> {
        let by_title = || self.object.and_then(|(title, _)| title.split(' ').next());
        self.record.map(|record| record.from.kind.as_str()).or_else(by_title)
    }

    /// The rules that changed the object; none where it is accepted as it is.
    pub(super) fn applied(&self) -> &'r [AppliedRule] {
        self.record.filter(|record| record.outcome != Fate::Acknowledged).map_or(&[], |record| &record.rules)
    }

    /// What filters look for: the attributes of its element.
    pub(super) fn attributes(&self, contents: &Contents<'_>) -> Vec<(&'static str, String)> {
        let rules = self.applied().iter().map(|applied| contents.rules[applied.rule.as_str()].number.to_string());
        let codes: Vec<&str> = self.codes().into_iter().collect();
        let mut attributes = vec![
            ("data-outcome", self.fate().map_or("", Fate::name).to_owned()),
            ("data-kind", self.kind().unwrap_or_default().to_owned()),
            ("data-rule", rules.collect::<Vec<_>>().join(" ")),
            ("data-code", codes.join(" ")),
            ("data-severity", self.severities().map(Severity::name).collect::<Vec<_>>().join(" ")),
        ];
        attributes.retain(|(_, values)| !values.is_empty());
        attributes
    }

    /// What becomes of the object, for people.
    pub(super) fn outcome(&self, contents: &Contents<'_>) -> &'static str {
        self.fate().map_or("", |fate| fate.words(contents.written))
    }

    /// Says what the object is and what it becomes, or would if that were not accepted as it is.
    pub(super) fn becomes(&self, contents: &Contents<'_>) -> Option<Becomes> {
        let record = self.record?;
        let (old, new) = (&record.from, &record.to);
        let accepts = |is: &dyn Fn(&FindingRecord) -> bool| {
            record.outcome == Fate::Acknowledged && self.acknowledged.iter().any(|accepted| is(&accepted.finding))
        };
        let changes = record.outcome == Fate::Changed || accepts(&|finding| !is_shown(finding));
        let is_held =
            record.outcome == Fate::HeldBack || (!changes && accepts(&|finding| finding.severity == Severity::Held));
        let is_same = old == new;
        let remark = match (changes, is_held, contents.written) {
            (true, _, Written::No) if is_same => " fields must change",
            (true, _, Written::Yes) if is_same => " fields were changed",
            (false, true, _) => " stays as it is",
            _ => "",
        };
        let (before, after) = match (changes && !is_same, old.kind == new.kind) {
            (true, true) => (Some(old.api_version.clone()), Some(new.api_version.clone())),
            (true, false) => {
                let [old, new] = [old, new].map(|side| Some(format!("{} {}", side.api_version, side.kind)));
                (old, new)
            }
            // Values of a chart have no apiVersion.
            (false, _) => (Some(old.api_version.clone()).filter(|old| !old.is_empty()), None),
        };
        Some(Becomes { before, after, remark })
    }

    /// Returns the codes of its findings, sorted.
    pub(super) fn codes(&self) -> BTreeSet<&'r str> {
        self.all_findings().map(|finding| finding.code.as_str()).collect()
    }

    /// Returns the severities of its findings, sorted, the most severe first.
    pub(super) fn severities(&self) -> impl Iterator<Item = Severity> {
        self.findings.iter().map(|finding| finding.severity).collect::<BTreeSet<_>>().into_iter().rev()
    }

    fn all_findings(&self) -> impl Iterator<Item = &'r FindingRecord> {
        self.findings.iter().copied().chain(self.acknowledged.iter().map(|acknowledged| &acknowledged.finding))
    }
}

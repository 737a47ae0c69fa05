//! The baseline of a call: the findings that are known, so that only others fail.
//!
//! An entry has no line number, no message and no index of a list: edits elsewhere in a file and other words do not affect it. It says how
//! many findings it stands for; more of the same are new. An advisory that belongs to no object is known by its id.
//!
//! Invariant: an error is in no baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

use super::console::Console;
use super::exit::Exit;
use super::planned::Planned;
use crate::engine::finding::{Acknowledged, AcknowledgedBy, Code, Finding, Severity};
use crate::engine::plan::RunAdvisory;
use crate::shell::disk::{self, Failure, MAX_FILE_SIZE};
use crate::shell::report::{Written, changes_needed, plural, thousands, visible, without_positions};

const SCHEMA_VERSION: u32 = 1;

/// How many entries are named that no longer occur, without `--verbose`.
const NAMED: usize = 3;

/// The known findings of a run, as they are saved.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Saved {
    schema_version: u32,
    targets: Vec<String>,
    findings: Vec<KnownFinding>,
    /// The ids of the advisories about the cluster and the releases.
    #[serde(default)]
    advisories: BTreeSet<String>,
}

impl Saved {
    fn counts(self) -> BTreeMap<Key, usize> {
        let entry = |KnownFinding { file, object, code, field, advisory, count }| {
            (Key { file, object, code, field, advisory }, count)
        };
        self.findings.into_iter().map(entry).collect()
    }
}

/// So many findings of one code at one field of one object.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownFinding {
    file: String,
    object: Option<String>,
    code: String,
    field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    advisory: Option<String>,
    count: usize,
}

/// What an entry is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// From the folder of the baseline.
    file: String,
    object: Option<String>,
    code: String,
    /// Without the indices of lists: `spec.rules[].name`.
    field: Option<String>,
    /// The advisory, of which an object can have several.
    advisory: Option<String>,
}

/// The findings of a run, by what a baseline says of them.
pub(super) struct SortedOut {
    /// Those that it does not know.
    pub(super) open: Vec<Finding>,
    pub(super) known: Vec<Acknowledged>,
    /// Its entries that stand for more than there is.
    pub(super) stale: Vec<Key>,
}

/// A baseline.
#[derive(Debug)]
pub(super) struct Baseline {
    file: PathBuf,
    /// Where it is.
    folder: PathBuf,
    counts: BTreeMap<Key, usize>,
    /// The ids of the advisories that belong to no object.
    advisories: BTreeSet<String>,
    /// How many of these findings are of files that the run which writes it did not look at.
    kept: usize,
}

impl Baseline {
    /// Reads the baseline in `file`, which `origin` names, for a run to `targets`.
    ///
    /// # Errors
    /// Why it cannot be read, or that it was made for other targets.
    pub(super) fn read(file: &Path, origin: &str, targets: &[String]) -> Result<Self> {
        let shown = visible(&file.to_string_lossy());
        let help = format!("the same command with `--write-baseline {shown}` makes one");
        let saved = match saved(file)? {
            Some(Ok(saved)) => saved,
            Some(Err(error)) => bail!("{origin} {shown}: not a baseline: {error}\n  help: {help}"),
            None => bail!("{origin} {shown}: no such file\n  help: {help}"),
        };
        ensure!(
            saved.schema_version == SCHEMA_VERSION,
            "{origin} {shown}: it has schemaVersion {}, and this program reads {SCHEMA_VERSION}\n  help: {help}",
            saved.schema_version
        );
        ensure!(
            saved.targets == targets,
            "{origin} {shown}: it was made for {}, and this run is to {}\n  help: pass that target, or write the baseline again with `--write-baseline {shown}`",
            visible(&saved.targets.join(", ")),
            targets.join(", ")
        );
        let (folder, advisories) = (folder_of(file)?, saved.advisories.clone());
        Ok(Self { file: file.to_owned(), folder, advisories, counts: saved.counts(), kept: 0 })
    }

    /// Takes everything that a run found and can be known for known, and keeps what `file` lists of files at places that are not seen.
    ///
    /// # Errors
    /// The folder of `file` does not exist, `file` is another one than a baseline, or what would be kept is for other targets.
    pub(super) fn of(file: &Path, planned: &Planned, is_seen: impl Fn(&Path) -> bool) -> Result<Self> {
        let report = planned.report("check", Written::No, Exit::Clean);
        let found: Vec<Finding> =
            report.findings.iter().cloned().chain(report.to_change().map(changes_needed)).collect();
        let mut baseline = Self::of_findings(file, &planned.targets, &found, is_seen)?;
        let warned = report.advisories.iter().filter(|advisory| advisory.severity > Severity::Note);
        baseline.advisories.extend(warned.map(|advisory| advisory.id.clone()));
        Ok(baseline)
    }

    /// Does the same for the findings of a run to `targets`.
    ///
    /// # Errors
    /// Those of [`Self::of`].
    pub(super) fn of_findings(
        file: &Path,
        targets: &[String],
        found: &[Finding],
        is_seen: impl Fn(&Path) -> bool,
    ) -> Result<Self> {
        let shown = visible(&file.to_string_lossy());
        let before = saved(file)?.transpose().map_err(|_| {
            anyhow!("--write-baseline {shown}: the file exists and is not a baseline; name another file")
        })?;
        let (folder, advisories) = (folder_of(file)?, BTreeSet::new());
        let mut baseline = Self { file: file.to_owned(), folder, advisories, counts: BTreeMap::new(), kept: 0 };
        if let Some(before) = before {
            let is_same = before.targets == targets;
            let targets = before.targets.join(", ");
            let advisories = before.advisories.clone();
            baseline.counts = before.counts();
            baseline.counts.retain(|key, _| !is_seen(&disk::direct(&baseline.folder.join(&key.file))));
            baseline.kept = baseline.len();
            // They can concern the files that this run does not look at.
            baseline.advisories = if baseline.kept > 0 { advisories } else { BTreeSet::new() };
            ensure!(
                is_same || baseline.kept == 0,
                "--write-baseline {shown}: it was made for {}, and has {} of files that this run does not look at\n  help: pass all paths of the baseline to write it for other targets",
                visible(&targets),
                plural(baseline.kept, "finding")
            );
        }
        let mut places = PathsFromFolder::new(&baseline.folder);
        for finding in found.iter().filter(|finding| can_be_known(finding)) {
            *baseline.counts.entry(places.key(finding)).or_default() += 1;
        }
        Ok(baseline)
    }

    /// Saves the baseline for runs to `targets`.
    pub(super) fn write(&self, targets: &[String]) -> Result<()> {
        let entries: Vec<String> = self
            .counts
            .iter()
            .map(|(key, count)| {
                let Key { file, object, code, field, advisory } = key.clone();
                let entry = KnownFinding { file, object, code, field, advisory, count: *count };
                format!("    {}", serde_json::to_string(&entry).expect("texts and numbers always print"))
            })
            .collect();
        let mut text = format!(
            "{{\n  \"schemaVersion\": {SCHEMA_VERSION},\n  \"targets\": {},\n  \"findings\": [",
            serde_json::to_string(targets).expect("texts always print")
        );
        let separator = if entries.is_empty() { "" } else { "\n" };
        let _infallible = write!(
            text,
            "{separator}{}{separator}{}]{}\n}}\n",
            entries.join(",\n"),
            if entries.is_empty() { "" } else { "  " },
            self.saved_advisories()
        );
        disk::replace_output(&self.file, text.as_bytes())
            .with_context(|| format!("cannot write the baseline {}", self.file.display()))
    }

    fn saved_advisories(&self) -> String {
        let line = |id: &String| format!("    {}", serde_json::to_string(id).expect("texts always print"));
        let lines: Vec<String> = self.advisories.iter().map(line).collect();
        if lines.is_empty() { String::new() } else { format!(",\n  \"advisories\": [\n{}\n  ]", lines.join(",\n")) }
    }

    /// Returns how many findings it stands for.
    pub(super) fn len(&self) -> usize {
        self.counts.values().sum::<usize>() + self.advisories.len()
    }

    /// Acknowledges what is known among what a run found, and returns the entries that stand for more than there is.
    pub(super) fn acknowledge(&self, planned: &mut Planned) -> Vec<String> {
        let changes: Vec<Finding> =
            planned.report("check", Written::No, Exit::Clean).to_change().map(changes_needed).collect();
        let sorted = self.sort_out(std::mem::take(&mut planned.plan.findings), changes);
        planned.plan.findings = sorted.open;
        // What is known is about something.
        planned.counts.is_about_others |= !sorted.known.is_empty();
        planned.plan.acknowledged.extend(sorted.known);
        planned.plan.acknowledged.sort();
        let is_told = |advisory: &RunAdvisory| self.advisories.contains(&advisory.id);
        let (told, open) = std::mem::take(&mut planned.plan.advisories).into_iter().partition(is_told);
        (planned.plan.acknowledged_advisories, planned.plan.advisories) = (told, open);
        // What is not made needs no other file.
        let report = planned.report("check", Written::No, Exit::Clean);
        let changing: BTreeSet<String> = report.files_to_change().map(|file| file.file.clone()).collect();
        planned.plan.findings.retain(|finding| {
            (finding.code, finding.severity) != (Code::ConvertsTogether, Severity::Warning)
                || changing.contains(&finding.location.file)
        });
        let is_about = |key: &Key| planned.is_about(&disk::direct(&self.folder.join(&key.file)));
        sorted.stale.iter().filter(|key| is_about(key)).map(ToString::to_string).collect()
    }

    /// Separates what is known of what a run found; of `others`, what is not known is left out.
    pub(super) fn sort_out(&self, findings: Vec<Finding>, others: Vec<Finding>) -> SortedOut {
        let mut left = self.counts.clone();
        let mut places = PathsFromFolder::new(&self.folder);
        let mut is_known = |finding: &Finding| {
            let count = left.get_mut(&places.key(finding)).filter(|count| **count > 0);
            count.map(|count| *count -= 1).is_some()
        };
        let (known, open): (Vec<Finding>, Vec<Finding>) =
            findings.into_iter().partition(|finding| can_be_known(finding) && is_known(finding));
        let known = known.into_iter().chain(others.into_iter().filter(is_known));
        let known = known.map(|finding| Acknowledged { finding, by: AcknowledgedBy::Baseline, reason: None }).collect();
        let stale = left.into_iter().filter(|(_, count)| *count > 0).map(|(key, _)| key).collect();
        SortedOut { open, known, stale }
    }

    /// Says which entries no longer occur.
    pub(super) fn report_stale(&self, stale: &[String], verbose: bool, console: Console) -> Result<()> {
        if stale.is_empty() {
            return Ok(());
        }
        let verb = if stale.len() == 1 { "occurs" } else { "occur" };
        let entries = if stale.len() == 1 { "1 entry".to_owned() } else { format!("{} entries", stale.len()) };
        let file = visible(&self.file.to_string_lossy());
        let mut lines = format!("{entries} of the baseline {file} no longer {verb}:\n");
        let shown = if verbose { stale.len() } else { NAMED.min(stale.len()) };
        lines.extend(stale[..shown].iter().map(|entry| format!("  {}\n", visible(entry))));
        if shown < stale.len() {
            let _infallible = writeln!(lines, "  ... and {} more (-v lists them)", stale.len() - shown);
        }
        let _infallible = writeln!(lines, "  help: write it again with `--write-baseline {file}`");
        console.note(&lines)
    }

    /// Says what was written.
    pub(super) fn report_written(&self, console: Console) -> Result<()> {
        let file = visible(&self.file.to_string_lossy());
        let kept = match self.kept {
            0 => String::new(),
            kept => format!(" and kept {} of files that this run did not look at", thousands(kept)),
        };
        let written = plural(self.len() - self.kept, "finding");
        console.note(&format!("wrote {written} to the baseline {file}{kept}; read it with `--baseline {file}`\n"))
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: [{}]", self.file, self.code)?;
        let rest = [self.object.as_deref(), self.field.as_deref(), self.advisory.as_deref()];
        rest.into_iter().flatten().try_for_each(|part| write!(f, " {part}"))
    }
}

/// Returns whether a finding can be in a baseline: a note affects nothing, and an error is never accepted.
fn can_be_known(finding: &Finding) -> bool {
    !matches!(finding.severity, Severity::Note | Severity::Error)
}

/// Reads the file of a baseline, if it exists: what it contains, or why that is no baseline.
fn saved(file: &Path) -> Result<Option<serde_json::Result<Saved>>> {
    match disk::read_up_to(file, MAX_FILE_SIZE) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes))),
        Err(Failure::Missing) => Ok(None),
        Err(failure) => bail!("the baseline {}: {failure}", visible(&file.to_string_lossy())),
    }
}

/// Where the folder of a baseline is.
fn folder_of(file: &Path) -> Result<PathBuf> {
    let place = disk::place_of(file).and_then(|place| place.parent().map(Path::to_owned));
    place.with_context(|| format!("there is no folder for the baseline {}", file.display()))
}

/// Where the files of a run are, from a folder.
struct PathsFromFolder<'b> {
    folder: &'b Path,
    known: BTreeMap<String, String>,
}

impl<'b> PathsFromFolder<'b> {
    const fn new(folder: &'b Path) -> Self {
        Self { folder, known: BTreeMap::new() }
    }

    fn key(&mut self, finding: &Finding) -> Key {
        let file = &finding.location.file;
        if !self.known.contains_key(file) {
            let place = disk::place_of(Path::new(file)).filter(|_| file != "-");
            let from_here = place.map_or_else(|| file.clone(), |place| between(self.folder, &place));
            self.known.insert(file.clone(), from_here);
        }
        Key {
            file: self.known[file].clone(),
            object: finding.object.as_ref().map(|object| object.title.clone()),
            code: finding.code.name().to_owned(),
            field: finding.field.as_deref().map(without_positions),
            advisory: finding.advisory.as_deref().map(str::to_owned),
        }
    }
}

/// Returns the path that leads from `folder` to `place`, with `/` between its parts.
fn between(folder: &Path, place: &Path) -> String {
    let shared = folder.components().zip(place.components()).take_while(|(left, right)| left == right).count();
    let up = folder.components().skip(shared).map(|_| "..".to_owned());
    let down = place.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_from_the_folder_of_the_baseline() {
        let between = |folder: &str, place: &str| super::between(Path::new(folder), Path::new(place));
        assert_eq!(between("/a/b", "/a/b/c/d.yaml"), "c/d.yaml");
        assert_eq!(between("/a/b", "/a/c.yaml"), "../c.yaml");
        assert_eq!(disk::direct(Path::new("/a/b/../c.yaml")), Path::new("/a/c.yaml"));
    }

    #[test]
    fn indices_are_left_out() {
        assert_eq!(without_positions("spec.rules[12].filters[0].type"), "spec.rules[].filters[].type");
        assert_eq!(without_positions("metadata.labels[a[1x]"), "metadata.labels[a[1x]");
    }
}

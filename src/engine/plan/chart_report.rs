//! What becomes of the templates of each chart, in one line?
//!
//! Invariant: nothing here affects what is converted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::file::PlannedFile;
use crate::engine::convert::Outcome;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::links::FileSurvey;

/// The file that makes a folder a chart.
pub(crate) const CHART: &str = "Chart.yaml";

/// The objects whose apiVersion an action prints as the target wants it, by that action.
pub(super) type Followed = BTreeMap<String, BTreeSet<Location>>;

/// The kinds of known objects of templates, as their texts name them.
#[derive(Default)]
pub(super) struct Kinds {
    /// Those that are printed for the target.
    pub(super) printed: BTreeSet<String>,
    /// Those in branches that are not printed for it.
    pub(super) left: BTreeSet<String>,
}

/// What becomes of the templates of a run, by chart.
#[derive(Default)]
pub(super) struct ChartReport<'f>(BTreeMap<&'f str, Tally>);

#[derive(Default)]
struct Tally {
    converted: usize,
    held: usize,
    unchanged: usize,
    unresolved: usize,
    followed: Followed,
    kinds: Kinds,
}

impl<'f> ChartReport<'f> {
    /// Adds what is planned for a template of `chart`.
    pub(super) fn add(&mut self, chart: &'f str, planned: &PlannedFile, followed: Followed, kinds: Kinds) {
        // A template on standard input has no chart.
        if planned.file == "-" {
            return;
        }
        let tally = self.0.entry(chart).or_default();
        for object in &planned.objects {
            *match object.outcome {
                Outcome::Changed => &mut tally.converted,
                Outcome::HeldBack => &mut tally.held,
                _ => &mut tally.unchanged,
            } += 1;
        }
        tally.unresolved += planned.findings.iter().filter(|one| one.severity == Severity::Unresolved).count();
        for (action, places) in followed {
            tally.followed.entry(action).or_default().extend(places);
        }
        tally.kinds.printed.extend(kinds.printed);
        tally.kinds.left.extend(kinds.left);
    }

    /// Adds the kinds that the manifests of a chart have: a file of templates without actions is one.
    pub(super) fn add_manifests(&mut self, files: &[FileSurvey]) {
        for (chart, tally) in self.0.iter_mut().filter(|(_, tally)| !tally.kinds.left.is_empty()) {
            let is_own = |file: &&FileSurvey| Path::new(&file.file).starts_with(Path::new(chart).join("templates"));
            let own = files.iter().filter(is_own).flat_map(|file| &file.objects);
            tally.kinds.printed.extend(own.map(|object| object.kind.kind.clone()));
        }
    }

    /// Reports each chart of which something is to be said.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let report = |(chart, tally): (&&str, &Tally)| {
            let file = if chart.is_empty() { CHART.to_owned() } else { format!("{chart}/{CHART}") };
            Finding::new(Location { file, position: None }, Code::Chart, Severity::Note, tally.message())
        };
        let says = |(_, tally): &(&&str, &Tally)| {
            tally.converted + tally.held + tally.unresolved > 0
                || !tally.followed.is_empty()
                || tally.left_kinds().next().is_some()
        };
        self.0.iter().filter(says).map(report).collect()
    }
}

impl Tally {
    /// Returns the kinds that no template prints for the target.
    fn left_kinds(&self) -> impl Iterator<Item = &str> {
        self.kinds.left.difference(&self.kinds.printed).map(String::as_str)
    }

    fn message(&self) -> String {
        let counts = [
            (self.converted, "to convert"),
            (self.held, "held back"),
            (self.unresolved, "unresolved"),
            (self.unchanged, "unchanged"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let counts: Vec<String> = counts.collect();
        let counts = if counts.is_empty() { "nothing to convert".to_owned() } else { counts.join(", ") };
        let followed = self.followed.iter().map(|(action, places)| format!("{} by `{action}`", places.len()));
        let followed: Vec<String> = followed.collect();
        let followed = match followed.is_empty() {
            true => String::new(),
            false => format!("; actions print the apiVersion of these as the target wants it: {}", followed.join(", ")),
        };
        let left = match self.left_kinds().collect::<Vec<_>>().join(", ") {
            left if left.is_empty() => left,
            left => format!("; conditions about the cluster leave these kinds out for the target: {left}"),
        };
        format!("the objects of its templates: {counts}{followed}{left}")
    }
}

//! Answers: which rules does a rule's file make?
//!
//! Invariant: the id of a rule is the name of its pack and its path, its release is its folder.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use anyhow::{Context, Error, Result, bail, ensure};

use super::folder::{CARRIERS, File, Folder, HEAD, MAX_PACK};
use super::nearest::{near, no_bundle, no_catalog};
use super::place::{Place, Wrong};
use super::rules::{Rule, Rules};
use super::values::{self, PlacesByChart};
use super::wire;
use crate::knowledge::lens::Lens;
use crate::knowledge::release::{GroupKind, ReleaseLine};
use crate::syntax::field::FieldPath;

/// What the files of rules of one pack are read with.
pub(crate) struct RuleReader<'p> {
    pub(crate) folder: &'p Folder,
    pub(crate) head: &'p wire::PackFile,
    pub(crate) line: &'p ReleaseLine,
    /// The kinds of the pack.
    pub(crate) kinds: BTreeSet<&'p GroupKind>,
    /// Where the values of its charts can be.
    pub(crate) places: &'p PlacesByChart,
}

impl RuleReader<'_> {
    /// Reads the rules of the pack.
    ///
    /// # Errors
    /// A failure that names the file and line that is not what it should be.
    pub(crate) fn read(&self) -> Result<Rules> {
        let (mut rules, mut size) = (Vec::new(), 0_usize);
        for file in self.folder.iter().filter(|file| ![HEAD, CARRIERS].contains(&file.path)) {
            let path = self.folder.path_of(file.path);
            if let Some(place) = misplaced(file.path) {
                bail!("{path}: {place}");
            }
            if file.path.ends_with(".yaml") {
                let of_file = self.rules(file, &mut size)?;
                rules.extend(of_file);
            }
        }
        rules.iter().try_for_each(|rule| self.check_kinds(rule))?;
        Ok(Rules::new(rules))
    }

    /// Checks that the pack has the kinds of a rule that are of its own groups, and what those become.
    fn check_kinds(&self, rule: &Rule) -> Result<()> {
        let is_own = |kind: &GroupKind| self.head.groups.contains(&kind.group);
        let mut own = [&rule.kind, &rule.new_kind].into_iter().filter(|kind| is_own(kind) || is_own(&rule.kind));
        let Some(kind) = own.find(|kind| !self.kinds.contains(kind)) else { return Ok(()) };
        // `retype: { group: new.example.com }` writes the group alone.
        let written = Some(kind.to_string()).filter(|written| *kind == rule.kind || rule.text.contains(written));
        let place = Place::Text(FieldPath::default(), written.unwrap_or_else(|| kind.group.clone()));
        let wrong = Wrong::at(place, no_catalog(kind, self.kinds.iter().copied()));
        Err(self.folder.error_in(&rule.path(), &wrong))
    }

    /// Reads a file: one rule for each kind that it is about. `size` is that of all rules so far, each counted once for every kind.
    fn rules(&self, file: File<'_>, size: &mut usize) -> Result<Vec<Rule>> {
        let mut written: wire::RuleFile = self.folder.parse(file)?;
        let places = self.places_of(file, &mut written)?;
        *size = size.saturating_add(file.text().len().saturating_mul(places.len()));
        ensure!(
            *size <= MAX_PACK,
            "{}: the rules of the pack, each counted once for every kind, exceed {} MiB",
            self.folder.path_of(file.path),
            MAX_PACK >> 20
        );
        let mut lenses_by_kind: BTreeMap<GroupKind, Vec<Lens>> = BTreeMap::new();
        for place in places {
            let lens = place.around(written.lens.clone());
            lenses_by_kind.entry(place.kind).or_default().push(lens);
        }
        let rule = |(kind, lenses)| self.rule(file, &written, kind, Lens::chain(lenses));
        lenses_by_kind.into_iter().map(rule).collect()
    }

    /// Returns where the lens of a file runs, at least one place.
    fn places_of(&self, file: File<'_>, written: &mut wire::RuleFile) -> Result<Vec<values::Place>> {
        let wrong = |key: &str, message: &str| Err(self.wrong(file, Place::key(key), message));
        if written.destructive.is_some() && written.values.is_none() {
            return wrong("destructive", "`destructive` is for the values of a chart: write `values`");
        }
        let (key, places) = match (written.kind.take(), &written.values) {
            (Some(kinds), None) => ("kind", kinds.list().into_iter().map(values::Place::whole).collect()),
            (None, Some(chart)) => match self.places.get(chart.as_str()) {
                Some(places) => ("values", places.clone()),
                None => {
                    let near = near(chart, self.places.keys().map(String::as_str));
                    let help = near.map_or_else(
                        || ": add it to `charts` in pack.yaml".to_owned(),
                        |near| format!(": did you mean {near}?"),
                    );
                    return wrong("values", &format!("the pack has no chart {chart}{help}"));
                }
            },
            (Some(_), Some(_)) => return wrong("values", "write `kind` or `values`, not both"),
            (None, None) => return wrong("summary", "write the `kind` that the rule converts"),
        };
        if places.is_empty() {
            let message =
                "the rule matches no kind: list one under `kind`, or name a chart of pack.yaml under `values`";
            return wrong(key, message);
        }
        Ok(places)
    }

    /// Makes the rule of a file about one kind.
    fn rule(&self, file: File<'_>, written: &wire::RuleFile, kind: GroupKind, lens: Lens) -> Result<Rule> {
        let path = file.path.strip_suffix(".yaml").unwrap_or(file.path);
        let bundle = path.split('/').next().unwrap_or_default();
        let order = self.line.bundle_order(bundle).with_context(|| {
            format!("{}: its folder {}", self.folder.path_of(file.path), no_bundle(bundle, self.line))
        })?;
        for channel in &written.channels {
            self.line
                .channel(channel.name())
                .map_err(|message| self.wrong(file, Place::key("channels"), format!("channels: {message}")))?;
        }
        let kinds = lens.retypes(&kind);
        let new_kind = self.new_kind(file, &kind, &kinds)?;
        self.check_api_versions(file, written, &kind, &new_kind)?;
        let within = written.within.as_ref().map(|text| self.line.parse_set(text)).transpose();
        let within = within.map_err(|message| self.wrong(file, Place::key("within"), format!("within: {message}")))?;
        let backward = OnceLock::new();
        let mut back_kind = new_kind.clone();
        if !kinds.is_empty() {
            let inverse = backward.get_or_init(|| lens.inverse(&kind));
            back_kind = inverse.retypes(&new_kind).pop().unwrap_or(back_kind);
        }
        Ok(Rule {
            id: format!("{}/{path}", self.head.name),
            text: file.text().split_once("\nlens:\n").map_or("", |(_, lens)| lens).to_owned(),
            summary: written.summary.clone(),
            values: written.values.clone(),
            final_kind: new_kind.clone(),
            new_kind,
            channels: written.channels.clone(),
            needs: written.needs,
            advice: written.advice.clone(),
            destructive: written.destructive.clone(),
            api_versions: written.api_versions.clone(),
            within,
            source: written.source.clone(),
            order,
            kind,
            forward: lens,
            backward,
            back_kind,
            renamed_keys: Default::default(),
            old_fields: Default::default(),
            footprint: Default::default(),
        })
    }

    /// Returns the one of `kinds` that a rule about `kind` gives its objects, which must be one alone: they come back from that.
    fn new_kind(&self, file: File<'_>, kind: &GroupKind, kinds: &[GroupKind]) -> Result<GroupKind> {
        let first = kinds.first().unwrap_or(kind);
        match kinds.iter().find(|other| *other != first) {
            Some(other) => {
                let message =
                    format!("the rule makes of a {kind} a {first} or a {other}: write one rule for each new kind");
                Err(self.wrong(file, Place::text("lens", other.to_string()), message))
            }
            None => Ok(first.clone()),
        }
    }

    /// Checks the apiVersions before and after a rule, where it was made between two.
    fn check_api_versions(
        &self,
        file: File<'_>,
        written: &wire::RuleFile,
        kind: &GroupKind,
        new_kind: &GroupKind,
    ) -> Result<()> {
        let Some([old, new]) = &written.api_versions else { return Ok(()) };
        if written.within.is_some() {
            let message = "`within` names releases; a rule with `apiVersions` has none: remove one of them";
            return Err(self.wrong(file, Place::key("within"), message));
        }
        if old == new {
            let message =
                "apiVersions: the second one is the same as the first: write the one before and the one after";
            return Err(self.wrong(file, Place::key("apiVersions"), message));
        }
        for (version, kind) in [(old, kind), (new, new_kind)] {
            if version.group != kind.group {
                let help = format!("write {}/{}, or another kind", kind.group, version.version);
                let message = format!("apiVersions: {version} is not of the group of {kind}: {help}");
                return Err(self.wrong(file, Place::key("apiVersions"), message));
            }
        }
        Ok(())
    }

    /// Makes the error that something is wrong at a place in a file.
    fn wrong(&self, file: File<'_>, place: Place, message: impl Into<String>) -> Error {
        self.folder.error_in(file.path, &Wrong::at(place, message))
    }
}

/// Says where a file belongs that is neither a catalog nor a rule.
fn misplaced(path: &str) -> Option<&'static str> {
    let is_catalog = path.ends_with(".tsv");
    let is_in_catalogs = path.starts_with("catalog/");
    match path.split('/').count() {
        _ if is_catalog && is_in_catalogs => None,
        _ if is_catalog => Some("a catalog is a file catalog/KIND.GROUP.tsv: move it to the folder catalog"),
        _ if is_in_catalogs => Some("the folder catalog holds files KIND.GROUP.tsv alone: move or remove it"),
        2 => None,
        _ => Some("a rule is a file BUNDLE/RULE.yaml: move it to the folder of the bundle that made the change"),
    }
}

//! Answers: is something that a run knows mentioned in these bytes?
//!
//! Invariant: a file without a text that is searched for here is never parsed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, OnceLock};

use memchr::memmem::{self, Finder};

use super::selector::Selector;
use super::text_search::TextSearch;
use super::values::Chart;
use super::{core_group, group_name};
use crate::knowledge::carrier::Carriers;
use crate::knowledge::release::{ApiVersion, GroupKind};

/// The texts that show what Kustomize reads besides objects: JSON patches, replacements, configurations, builtin transformers. Such
/// files name fields of objects, mostly without the API group of those. These are few, and other files can have them too.
///
/// Source: RFC 6902; Kustomize, `Replacement`, `TransformerConfig`, builtin plugins.
const KUSTOMIZE_TRIGGERS: [&str; 12] = [
    " op:",
    "\nop:",
    "{op:",
    ",op:",
    "\"op\"",
    "'op'",
    "fieldPaths",
    "fieldSpecs",
    "varReference",
    "spec/",
    "metadata/",
    "builtin",
];

/// Finds the API groups that a run knows in a file's bytes.
#[derive(Debug)]
pub struct Recognizer {
    /// Finds any of the texts below: most files hold none, and are skipped after one search. Made when it is first used.
    any: OnceLock<TextSearch>,
    /// Finds any of the groups that have a name. Made when it is first used.
    any_group: OnceLock<TextSearch>,
    /// Finds any of the kinds of other groups. Made when it is first used.
    any_foreign_kind: OnceLock<TextSearch>,
    groups: BTreeSet<String>,
    kinds: BTreeSet<String>,
    /// The kinds of other groups that rules are about.
    foreign_kinds: BTreeSet<GroupKind>,
    /// The apiVersions of CRDs whose schemas no rule of the run reads.
    settled_crds: BTreeSet<ApiVersion>,
    triggers: Vec<Finder<'static>>,
    /// The kinds of files that are objects by their names.
    files: Vec<(String, GroupKind)>,
    charts: Vec<Chart>,
    chart_triggers: Vec<Finder<'static>>,
    /// The charts of files that are declared to contain values.
    values: BTreeMap<String, String>,
    /// What carries patches, values and folders.
    carriers: Arc<Carriers>,
}

impl Recognizer {
    /// Makes the recognizer of `groups`.
    pub fn new<'g>(groups: impl IntoIterator<Item = &'g str>) -> Self {
        Self {
            any: OnceLock::new(),
            any_group: OnceLock::new(),
            any_foreign_kind: OnceLock::new(),
            groups: groups.into_iter().map(str::to_owned).collect(),
            kinds: BTreeSet::new(),
            foreign_kinds: BTreeSet::new(),
            settled_crds: BTreeSet::new(),
            triggers: Vec::new(),
            files: Vec::new(),
            charts: Vec::new(),
            chart_triggers: Vec::new(),
            values: BTreeMap::new(),
            carriers: Arc::default(),
        }
    }

    /// Adds the names of known kinds, for places that give a kind without its group.
    #[must_use]
    pub(crate) fn with_kinds<'k>(self, kinds: impl IntoIterator<Item = &'k str>) -> Self {
        Self { kinds: kinds.into_iter().map(str::to_owned).collect(), ..self }
    }

    /// Adds kinds of other groups that rules are about, for patches of them.
    #[must_use]
    pub(crate) fn with_foreign_kinds<'k>(self, foreign_kinds: impl IntoIterator<Item = &'k GroupKind>) -> Self {
        Self { foreign_kinds: foreign_kinds.into_iter().cloned().collect(), ..self }
    }

    /// Adds apiVersions of CRDs whose schemas no rule of the run reads.
    #[must_use]
    pub(crate) fn with_settled_crds(self, settled_crds: BTreeSet<ApiVersion>) -> Self {
        Self { settled_crds, ..self }
    }

    /// Adds texts that make a file worth reading although it mentions no known API group.
    #[must_use]
    pub fn with_triggers<'m>(self, triggers: impl IntoIterator<Item = &'m str>) -> Self {
        let finder = |mark: &str| Finder::new(mark.as_bytes()).into_owned();
        Self { triggers: triggers.into_iter().map(finder).collect(), ..self }
    }

    /// Adds files that are objects by their names.
    #[must_use]
    pub(crate) fn with_files<'f>(self, files: impl IntoIterator<Item = (&'f str, &'f GroupKind)>) -> Self {
        Self { files: files.into_iter().map(|(name, kind)| (name.to_owned(), kind.clone())).collect(), ..self }
    }

    /// Adds charts, by name, and by a key that only their values have: files of their values are worth reading.
    #[must_use]
    pub fn with_charts<'c>(self, charts: impl IntoIterator<Item = (&'c str, &'c str)>) -> Self {
        let charts: Vec<Chart> = charts.into_iter().map(|(name, key)| Chart::new(name, key)).collect();
        let texts = charts.iter().flat_map(Chart::triggers);
        let chart_triggers = texts.map(|text| Finder::new(text.as_bytes()).into_owned()).collect();
        Self { charts, chart_triggers, ..self }
    }

    /// Adds files that hold values, each with its chart, which their text need not show.
    #[must_use]
    pub(crate) fn with_values(self, files: &BTreeMap<String, String>) -> Self {
        Self { values: files.clone(), ..self }
    }

    /// Adds what carries patches, values and folders.
    #[must_use]
    pub(crate) fn with_carriers(self, carriers: &Arc<Carriers>) -> Self {
        Self { carriers: Arc::clone(carriers), ..self }
    }

    /// Returns what carries patches, values and folders.
    pub(super) fn carriers(&self) -> &Carriers {
        &self.carriers
    }

    /// Returns the kind of the object that a file is by its name.
    pub(super) fn kind_of_file(&self, file: &str) -> Option<&GroupKind> {
        let name = || file.rsplit(['/', '\\']).next().unwrap_or(file);
        self.files.iter().find(|(own, _)| file.ends_with(own.as_str()) && own == name()).map(|(_, kind)| kind)
    }

    /// Returns the chart whose values a file is declared to contain.
    pub(super) fn chart_of(&self, file: &str) -> Option<&Chart> {
        let name = self.values.get(file.strip_prefix("./").unwrap_or(file))?;
        self.charts.iter().find(|chart| chart.is_called(name))
    }

    /// Returns whether `bytes` contain a known API group, a trigger, the name of a chart or what Kustomize reads.
    pub(super) fn mentions_any(&self, bytes: &[u8]) -> bool {
        let any = self.any.get_or_init(|| {
            let groups = self.groups.iter().flat_map(|group| group_texts(group)).map(String::into_bytes);
            let texts = self.triggers.iter().chain(&self.chart_triggers).map(|finder| finder.needle().to_vec());
            let carriers = self.carriers.triggers().iter().map(|text| text.as_bytes().to_vec());
            let kustomize = KUSTOMIZE_TRIGGERS.iter().map(|text| text.as_bytes().to_vec());
            TextSearch::new(groups.chain(texts).chain(carriers).chain(kustomize))
        });
        any.is_in(bytes) || self.mentions_core_group(bytes)
    }

    /// Returns whether `bytes` contain the name of a chart, or the key that only its values have.
    pub(super) fn mentions_chart(&self, bytes: &[u8]) -> bool {
        self.chart_triggers.iter().any(|finder| finder.find(bytes).is_some())
    }

    /// Returns whether `bytes` contain a trigger of a pack.
    pub(crate) fn mentions_trigger(&self, bytes: &[u8]) -> bool {
        self.triggers.iter().any(|finder| finder.find(bytes).is_some())
    }

    /// Returns whether `bytes` contain what rules about kinds of other packs can look for: a trigger, or a key such as
    /// `policy.cilium.io/proxy-visibility`.
    pub(crate) fn mentions_text_of_rules(&self, bytes: &[u8]) -> bool {
        self.mentions_trigger(bytes) || self.mentions_dotted_group(bytes)
    }

    /// Returns whether there may be something to convert in `bytes`: what cannot be read of it is reported.
    pub(super) fn is_relevant(&self, bytes: &[u8]) -> bool {
        self.mentions_group(bytes) || self.mentions_chart(bytes)
    }

    /// Returns whether `bytes` contain any known API group.
    pub(crate) fn mentions_group(&self, bytes: &[u8]) -> bool {
        self.mentions_named_group(bytes) || self.mentions_core_group(bytes)
    }

    fn mentions_named_group(&self, bytes: &[u8]) -> bool {
        self.any_group().any(bytes, |found| group_name::is_one(bytes, found))
    }

    fn any_group(&self) -> &TextSearch {
        let texts = || self.groups.iter().flat_map(|group| group_texts(group)).map(String::into_bytes);
        self.any_group.get_or_init(|| TextSearch::new(texts()))
    }

    /// Returns whether `bytes` contain the name of a known API group that is no mere word.
    pub(super) fn mentions_dotted_group(&self, bytes: &[u8]) -> bool {
        // The texts of the others end in a slash, which no group has: they hide none.
        self.any_group().any(bytes, |found| bytes[found].contains(&b'.'))
    }

    /// Returns whether `group` is known.
    pub(super) fn is_known_group(&self, group: &str) -> bool {
        self.groups.contains(group)
    }

    /// Returns whether the schemas of CRDs of `api_version` are worth reading.
    pub(super) fn reads_schemas_of(&self, api_version: &ApiVersion) -> bool {
        self.is_known_group(&api_version.group) && !self.settled_crds.contains(api_version)
    }

    fn mentions_core_group(&self, bytes: &[u8]) -> bool {
        self.is_known_group("") && core_group::is_named(bytes)
    }

    /// Returns whether `text` contains the name of a foreign kind.
    pub(crate) fn mentions_foreign_kind(&self, text: &str) -> bool {
        let kinds = || self.foreign_kinds.iter().map(|foreign| foreign.kind.as_str());
        self.any_foreign_kind.get_or_init(|| TextSearch::new(kinds())).is_in(text.as_bytes())
    }

    /// Returns whether rules are about `kind`, which is of another group.
    pub(super) fn is_foreign(&self, kind: &GroupKind) -> bool {
        self.foreign_kinds.contains(kind)
    }

    /// Returns whether an object of `kind` can be a known one; without `group`, that of any group can. What names the core group
    /// can be no object at all, so that its kinds count.
    pub(crate) fn is_known_kind(&self, group: Option<&str>, kind: &str) -> bool {
        let is_kind = || self.kinds.contains(kind);
        group.map_or_else(is_kind, |group| self.is_known_group(group) && (!group.is_empty() || is_kind()))
    }

    /// Returns whether a selector, with patterns or without group or kind, can select a known object, or one of another group that
    /// rules are about, such as one that holds values of a chart.
    pub(super) fn may_select(&self, selector: &Selector) -> bool {
        let of_kind = || self.kinds.iter().any(|kind| selector.selects_kind_named(kind));
        self.groups.iter().any(|group| selector.selects_group(group)) && of_kind()
            || self.foreign_kinds.iter().any(|kind| selector.selects_kind(kind))
    }

    /// Returns the charts whose values can be in files of their own.
    pub(super) fn charts(&self) -> &[Chart] {
        &self.charts
    }
}

/// Returns whether `text` may hold rules about kinds that name them by their group: in `apiGroups`, or as Argo CD does in `group`, where
/// `*` is all. Keys can be written with escapes.
pub(crate) fn may_hold_rules(text: &str) -> bool {
    static API_GROUPS: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("apiGroups"));
    let text = text.as_bytes();
    let has = |byte: u8| memchr::memchr(byte, text).is_some();
    has(b'\\') || API_GROUPS.find(text).is_some() || has(b'*') && memmem::find(text, b"group").is_some()
}

/// Returns the texts without which a file has no object of `group`; [`group_name`] decides whether what was found is the group. A
/// group without a dot (`apps`) is a word, which only a version makes an API group; JSON can escape the slash between them. The core group has
/// no text.
fn group_texts(group: &str) -> Vec<String> {
    match group {
        "" => Vec::new(),
        dotted if dotted.contains('.') => vec![dotted.to_owned()],
        word => vec![format!("{word}/"), format!("{word}\\/")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_beside_a_dotted_group_hides_it_not() {
        let recognizer = Recognizer::new(["apps", "shops.example"]);
        let check =
            |text: &str, expected| assert_eq!(recognizer.mentions_dotted_group(text.as_bytes()), expected, "{text}");
        check("a: shops.example/b", true);
        check("apps/shops.example", true);
        check("apps/v1", false);
        check("apps.example", false);
    }
}

//! Answers: which laws do not hold for which rules of a pack, and which words do its patterns need?
//!
//! `tests/laws/<pack>.yaml` says it, so that a pack is tested without a change here. Each entry has its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use reversion::internals::field::{FieldPattern, Part};
use reversion::internals::release::GroupKind;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::support::root;

/// What the files of all packs say.
static ALL: LazyLock<Exceptions> = LazyLock::new(Exceptions::read);

/// The exceptions of one pack, or of all. A directed rule is written as the tests call it, without the pack.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Exceptions {
    /// Texts for the patterns of required fields.
    words: Vec<String>,
    /// Directed rules of several kinds that do not change one of them, with the reason.
    idle: BTreeMap<String, String>,
    /// Directed rules that objects drawn at random hardly ever meet, with the reason.
    rare: BTreeMap<String, String>,
    /// Rules whose inverse refuses some objects, with the reason.
    one_way: BTreeMap<String, String>,
    /// Rules of exact operations that do not restore the order of fields, or a mapping without any, with the reason.
    gathers: BTreeMap<String, String>,
    /// Rules of exact operations that write one spelling for two of the same meaning, with the reason.
    synonyms: BTreeMap<String, String>,
    /// Rules that remove what converting back cannot know, of which an advisory warns, with the reason.
    forgets: BTreeMap<String, String>,
    /// Rules between two apiVersions that would change again what they made, which they are never run on, with the reason.
    once: BTreeMap<String, String>,
    /// Fields that the API server requires and no schema does, with a value, by kind and apiVersion: in each item of the lists that lead to
    /// them.
    requires: BTreeMap<String, BTreeMap<String, Value>>,
    /// Mappings whose type no schema says, by kind and apiVersion.
    mappings: BTreeMap<String, Vec<String>>,
    /// Regular expressions that texts match where no schema says so, by kind, apiVersion and field.
    patterns: BTreeMap<String, BTreeMap<String, String>>,
    /// Rules that also change objects that are invalid in their own release, so that converting over that release
    /// differs, with the reason.
    changes_invalid: BTreeMap<String, String>,
}

impl Exceptions {
    /// Returns those of all packs.
    pub(crate) fn of_all() -> &'static Self {
        &ALL
    }

    /// Reads those of all packs; rules and directed rules get the name of their pack.
    ///
    /// # Panics
    /// If a file cannot be read.
    fn read() -> Self {
        let root = root().join("tests/laws");
        let mut all = Self::default();
        for entry in std::fs::read_dir(root).expect("packs have exceptions") {
            let file = entry.expect("they can be listed").path();
            let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let one: Self = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let pack = file.file_stem().expect("a listed file has a name").to_string_lossy().into_owned();
            all.words.extend(one.words);
            let named = |map: BTreeMap<String, String>| map.into_iter().map(|(id, why)| (format!("{pack}/{id}"), why));
            all.idle.extend(named(one.idle));
            all.rare.extend(named(one.rare));
            all.forgets.extend(named(one.forgets));
            all.once.extend(named(one.once));
            all.requires.extend(one.requires);
            all.mappings.extend(one.mappings);
            all.patterns.extend(one.patterns);
            all.one_way.extend(named(one.one_way));
            all.gathers.extend(named(one.gathers));
            all.synonyms.extend(named(one.synonyms));
            all.changes_invalid.extend(named(one.changes_invalid));
        }
        all
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Returns `object`, of `kind` in `version`, with the fields that the API server requires.
    pub(crate) fn completed(&self, kind: &GroupKind, version: &str, mut object: Value) -> Value {
        for (field, value) in self.requires.get(&format!("{kind}/{version}")).into_iter().flatten() {
            let pattern = FieldPattern::parse(field).expect("a required field is a pattern");
            let items = pattern.parts().iter().rposition(|part| *part == Part::Items).map_or(0, |at| at + 1);
            let (place, keys) = pattern.parts().split_at(items);
            for item in FieldPattern::new(place.iter().cloned()).matches(&object) {
                let mut at = item.get_mut(&mut object).expect("it was found in the object");
                for part in keys {
                    if !at.is_object() {
                        *at = Value::Object(Map::new());
                    }
                    let Part::Key(key) = part else { panic!("{field}: keys follow the last list") };
                    at = &mut at[key.as_str()];
                }
                if at.is_null() {
                    *at = value.clone();
                }
            }
        }
        object
    }

    /// Returns the mappings of `kind` in `version` that no schema calls so.
    pub(crate) fn mappings(&self, kind: &GroupKind, version: &str) -> impl Iterator<Item = FieldPattern> {
        let fields = self.mappings.get(&format!("{kind}/{version}")).into_iter().flatten();
        fields.map(|field| FieldPattern::parse(field).expect("a mapping's field is a pattern"))
    }

    /// Returns the patterns of texts of `kind` in `version` that no schema has.
    pub(crate) fn patterns(&self, kind: &GroupKind, version: &str) -> impl Iterator<Item = (FieldPattern, &str)> {
        let fields = self.patterns.get(&format!("{kind}/{version}")).into_iter().flatten();
        fields.map(|(field, regex)| (FieldPattern::parse(field).expect("its field is a pattern"), regex.as_str()))
    }

    pub(crate) fn is_idle(&self, directed: &str) -> bool {
        self.idle.contains_key(directed)
    }

    pub(crate) fn is_rare(&self, directed: &str) -> bool {
        self.rare.contains_key(directed)
    }

    pub(crate) fn one_way_rules(&self) -> impl Iterator<Item = &str> {
        self.one_way.keys().map(String::as_str)
    }

    pub(crate) fn is_one_way(&self, rule: &str) -> bool {
        self.one_way.contains_key(rule)
    }

    pub(crate) fn forgets(&self, rule: &str) -> bool {
        self.forgets.contains_key(rule)
    }

    pub(crate) fn runs_once(&self, rule: &str) -> bool {
        self.once.contains_key(rule)
    }

    pub(crate) fn gathers(&self, rule: &str) -> bool {
        self.gathers.contains_key(rule)
    }

    pub(crate) fn has_synonyms(&self, rule: &str) -> bool {
        self.synonyms.contains_key(rule)
    }

    pub(crate) fn changes_invalid(&self, rule: &str) -> bool {
        self.changes_invalid.contains_key(rule)
    }

    /// Returns the entries that name none of `rules` and of `directed` rules, or give no reason.
    pub(crate) fn stale<'e>(&'e self, rules: &BTreeSet<&str>, directed: &BTreeSet<&str>) -> Vec<&'e str> {
        let about_directed = [&self.idle, &self.rare].map(|map| (map, directed));
        let about_rules =
            [&self.one_way, &self.gathers, &self.synonyms, &self.changes_invalid, &self.forgets, &self.once];
        let all = about_directed.into_iter().chain(about_rules.map(|map| (map, rules)));
        all.flat_map(|(map, known)| {
            map.iter().filter(|(id, why)| !known.contains(id.as_str()) || why.is_empty()).map(|(id, _)| id.as_str())
        })
        .collect()
    }
}

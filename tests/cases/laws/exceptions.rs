//! Answers: which laws do not hold for which rules of a pack, and which words do its patterns need?
//!
//! `tests/laws/<pack>.yaml` says it, so that a pack is tested without a change here. Each entry has its reason.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use reversion::internals::field::{FieldPattern, Part};
use serde::Deserialize;
use serde_json::Value;

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
    /// Fields that objects of the side that a directed rule starts from have, where the catalog does not require them: in each item of the
    /// lists that lead to them.
    requires: BTreeMap<String, Vec<String>>,
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
            all.requires.extend(one.requires.into_iter().map(|(id, fields)| (format!("{pack}/{id}"), fields)));
            all.one_way.extend(named(one.one_way));
            all.gathers.extend(named(one.gathers));
            all.changes_invalid.extend(named(one.changes_invalid));
        }
        all
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Returns whether an object has the fields that those of a directed rule have.
    pub(crate) fn is_complete(&self, directed: &str, object: &Value) -> bool {
        let has = |field: &String| {
            let pattern = FieldPattern::parse(field).expect("a required field is a pattern");
            let items = pattern.parts().iter().rposition(|part| *part == Part::Items).map_or(0, |at| at + 1);
            let (place, rest) = pattern.parts().split_at(items);
            let [place, rest] = [place, rest].map(|parts| FieldPattern::new(parts.iter().cloned()));
            place.values(object).into_iter().all(|item| rest.any(item, |value| !value.is_null()))
        };
        self.requires.get(directed).into_iter().flatten().all(has)
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

    pub(crate) fn gathers(&self, rule: &str) -> bool {
        self.gathers.contains_key(rule)
    }

    pub(crate) fn changes_invalid(&self, rule: &str) -> bool {
        self.changes_invalid.contains_key(rule)
    }

    /// Returns the entries that name none of `rules` and of `directed` rules, or give no reason.
    pub(crate) fn stale<'e>(&'e self, rules: &BTreeSet<&str>, directed: &BTreeSet<&str>) -> Vec<&'e str> {
        let about_directed = [&self.idle, &self.rare].map(|map| (map, directed));
        let about_rules = [&self.one_way, &self.gathers, &self.changes_invalid].map(|map| (map, rules));
        let all = about_directed.into_iter().chain(about_rules);
        let stale = all.flat_map(|(map, known)| {
            map.iter().filter(|(id, why)| !known.contains(id.as_str()) || why.is_empty()).map(|(id, _)| id.as_str())
        });
        stale.chain(self.requires.keys().map(String::as_str).filter(|id| !directed.contains(id))).collect()
    }
}

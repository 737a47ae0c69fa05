//! Answers: which objects does the target of a patch select?
//!
//! A patch can have a `target`: then Kustomize applies it to all that this selects, whatever name the patch gives itself.
//! Each part of a [`Selector`] is a regular expression over the whole of what it is about.
//!
//! Invariant: a missing part selects everything; one that is not a regular expression selects itself.

use std::sync::OnceLock;

use regex::Regex;
use regex_syntax::hir::literal::{Extractor, Literal};
use serde_json::{Map, Value};

use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::Entries;

/// The `target` of a patch.
#[derive(Clone, Debug, Default)]
pub struct Selector {
    group: Option<Part>,
    version: Option<Part>,
    kind: Option<Part>,
    /// The name, which can be one that kustomizations give.
    pub name: Option<Part>,
    /// The namespace.
    pub namespace: Option<Part>,
    /// Whether labels or annotations narrow what it selects.
    pub(crate) has_labels: bool,
}

/// A regular expression over the whole of a text.
#[derive(Clone, Debug)]
pub struct Part {
    text: String,
    /// Whether the text stands for nothing but itself, as nearly all do.
    is_plain: bool,
    /// Made at the first text that is another one: an expression costs more than all else about a selector.
    pattern: OnceLock<Option<Regex>>,
    /// How all that it stands for begins.
    starts: OnceLock<Option<Vec<String>>>,
}

impl Part {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), is_plain: is_plain(text), pattern: OnceLock::new(), starts: OnceLock::new() }
    }

    /// Returns the only text that this stands for, where it is no pattern.
    pub fn plain(&self) -> Option<&str> {
        (self.is_plain || self.pattern().is_none()).then_some(&*self.text)
    }

    /// Returns whether this stands for `text`.
    pub fn is(&self, text: &str) -> bool {
        self.text == text || !self.is_plain && self.pattern().is_some_and(|pattern| pattern.is_match(text))
    }

    /// Returns texts of which every text that this stands for begins with one; `None` where nothing is known of its beginning.
    pub(crate) fn starts(&self) -> Option<&[String]> {
        self.starts.get_or_init(|| starts(&self.text)).as_deref()
    }

    fn pattern(&self) -> Option<&Regex> {
        self.pattern.get_or_init(|| Regex::new(&format!("^(?:{})$", self.text)).ok()).as_ref()
    }
}

/// Returns whether a text, as a regular expression, stands for nothing but itself.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/'))
}

/// Writes a glob as a regular expression: nothing for all texts, and a name as it is.
fn regex_of(glob: &str) -> String {
    let mut depth = 0_usize;
    let mut part = |character: char| match character {
        '*' => ".*".to_owned(),
        '?' => ".".to_owned(),
        '{' => {
            depth += 1;
            "(?:".to_owned()
        }
        '}' => {
            depth = depth.saturating_sub(1);
            ")".to_owned()
        }
        ',' if depth > 0 => "|".to_owned(),
        '[' | ']' | '!' | '-' | '\\' => character.to_string(),
        _ => regex::escape(&character.to_string()),
    };
    match glob {
        "*" | "**" => String::new(),
        _ if !glob.contains(['*', '?', '[', '{', '\\']) => glob.to_owned(),
        _ => glob.chars().map(&mut part).collect::<String>().replace("[!", "[^"),
    }
}

/// Returns how the texts begin that a regular expression stands for, which can be its own.
fn starts(text: &str) -> Option<Vec<String>> {
    let found = Extractor::new().extract(&regex_syntax::parse(text).ok()?);
    let start = |literal: &Literal| {
        let valid = literal.as_bytes().utf8_chunks().next().map_or("", |chunk| chunk.valid());
        valid.to_owned()
    };
    let starts = found.literals()?.iter().map(start).chain([text.to_owned()]);
    Some(starts.collect())
}

impl Selector {
    /// Reads the selector of a patch.
    ///
    /// Source: Kustomize, `Selector` and `SelectorRegex`.
    pub(super) fn read(patch: &Value) -> Option<Self> {
        patch.get("target")?.as_object().map(Self::of)
    }

    /// Makes the selector that a mapping stands for.
    pub fn of(target: &Map<String, Value>) -> Self {
        let part = |key: &str| {
            let text = target.text(key).filter(|text| !text.is_empty());
            text.map(Part::new)
        };
        let [group, version, kind] = ["group", "version", "kind"].map(part);
        let has_labels = ["labelSelector", "annotationSelector"].iter().any(|key| target.contains_key(*key));
        Self { group, version, kind, name: part("name"), namespace: part("namespace"), has_labels }
    }

    /// Makes the selector that a mapping stands for whose parts are globs.
    ///
    /// Source: github.com/gobwas/glob, `Compile`.
    pub(crate) fn of_globs(target: &Map<String, Value>) -> Self {
        let pattern = |value: &Value| value.as_str().map_or_else(|| value.clone(), |glob| Value::from(regex_of(glob)));
        Self::of(&target.iter().map(|(key, value)| (key.clone(), pattern(value))).collect())
    }

    /// Makes the selector that a reference by `apiVersion`, `kind` and `name` stands for.
    pub(crate) fn of_reference(reference: &Map<String, Value>) -> Self {
        let mut target = reference.clone();
        if let Some(version) = reference.text("apiVersion") {
            let ApiVersion { group, version } = ApiVersion::parse(version);
            target.insert("group".to_owned(), Value::from(group));
            target.insert("version".to_owned(), Value::from(version));
        }
        Self::of(&target)
    }

    /// Returns whether the pattern `text` stands for `name`.
    pub(crate) fn is_pattern(text: &str, name: &str) -> bool {
        Part::new(text).is(name)
    }

    /// Returns whether it gives a group, or kinds by their names, that are all `known`, and not patterns of them or none: then it
    /// selects no object that mentions none of these.
    pub(crate) fn is_limited(&self, known: &dyn Fn(&str) -> bool) -> bool {
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric()) && known(name);
        self.gives_group(known) || self.kind.as_ref().is_some_and(|part| part.text.split('|').all(is_name))
    }

    /// Returns whether it gives a group that is `known`: its dots stand for any character, and so for no group but this one.
    pub(crate) fn gives_group(&self, known: impl Fn(&str) -> bool) -> bool {
        self.group.as_ref().is_some_and(|part| known(&part.text))
    }

    /// Returns whether it can select objects of this kind and version.
    pub fn selects(&self, kind: &GroupKind, version: &ApiVersion) -> bool {
        self.selects_kind(kind) && self.version.as_ref().is_none_or(|part| part.is(&version.version))
    }

    /// Returns whether it can select objects of this kind and version, of which each may not be known.
    pub(crate) fn may_select(&self, kind: Option<&str>, version: Option<&ApiVersion>) -> bool {
        let (group, version) = (version.map(|one| one.group.as_str()), version.map(|one| one.version.as_str()));
        let parts = [(&self.kind, kind), (&self.group, group), (&self.version, version)];
        parts.into_iter().all(|(part, text)| text.zip(part.as_ref()).is_none_or(|(text, part)| part.is(text)))
    }

    /// Returns whether it gives the name of this kind, and its group, if any, as they are.
    pub(crate) fn names_kind(&self, kind: &GroupKind) -> bool {
        let is_name = |part: &Part, name: &str| part.text == name;
        self.kind.as_ref().is_some_and(|part| is_name(part, &kind.kind))
            && self.group.as_ref().is_none_or(|part| is_name(part, &kind.group))
    }

    /// Returns whether it asks for a kind.
    pub(crate) const fn gives_kind(&self) -> bool {
        self.kind.is_some()
    }

    /// Returns whether it asks for a group or version.
    pub(crate) const fn gives_version(&self) -> bool {
        self.group.is_some() || self.version.is_some()
    }

    /// Returns whether it can select objects of this kind in any version.
    pub(crate) fn selects_kind(&self, kind: &GroupKind) -> bool {
        self.selects_kind_named(&kind.kind) && self.selects_group(&kind.group)
    }

    /// Returns whether it can select objects of the kind `kind` in some group.
    pub(super) fn selects_kind_named(&self, kind: &str) -> bool {
        self.kind.as_ref().is_none_or(|part| part.is(kind))
    }

    /// Returns whether it can select objects of some kind in `group`.
    pub(super) fn selects_group(&self, group: &str) -> bool {
        self.group.as_ref().is_none_or(|part| part.is(group))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_pattern_stands_for_begins_with_what_it_spells_out() {
        let starts = |text| Part::new(text).starts().map(<[String]>::to_vec);
        let texts = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(starts("app-1-.*"), texts(&["app-1-", "app-1-.*"]));
        assert_eq!(starts("(web|api)-.*"), texts(&["web-", "api-", "(web|api)-.*"]));
        assert_eq!(starts(".*-web"), None);
    }

    #[test]
    fn a_glob_stands_for_any_text_at_its_stars() {
        let kind = GroupKind::new("Route", "a.example.com");
        let selects = |group: &str, kind_glob: &str| {
            let map = json!({"group": group, "kind": kind_glob});
            Selector::of_globs(map.as_object().expect("a mapping")).selects_kind(&kind)
        };
        let all = [("*", "*"), ("*.example.com", "Route"), ("a.*", "R?ute"), ("{a,b}.example.com", "[QR]oute")];
        assert!(all.into_iter().all(|(group, kind)| selects(group, kind)));
        let none = [("*.com", "Routes"), ("example.*", "*"), ("{b,c}.example.com", "*"), ("*", "[!R]oute")];
        assert!(!none.into_iter().any(|(group, kind)| selects(group, kind)));
        let named = json!({"group": "a.example.com", "kind": "Route"});
        let named = Selector::of_globs(named.as_object().expect("a mapping"));
        assert!(named.names_kind(&kind) && !named.names_kind(&GroupKind::new("Route", "b.example.com")));
    }

    #[test]
    fn every_field_of_a_selector_must_match() {
        let read = |target: Value| Selector::read(&json!({"target": target, "path": "a.yaml"})).expect("a target");
        let (kind, version) = (GroupKind::new("Route", "example.com"), ApiVersion::parse("example.com/v1"));
        let selects = |target| read(target).selects(&kind, &version);
        let targets =
            [json!({}), json!({"kind": "Route"}), json!({"kind": "Gateway|Route", "version": "v.*", "group": ""})];
        assert!(targets.into_iter().all(selects));
        let others = [json!({"kind": "Rout"}), json!({"version": "v2"}), json!({"group": "com"})];
        assert!(!others.into_iter().any(selects));
        let name = read(json!({"name": "a("})).name.expect("a name");
        assert_eq!(["a(", "a"].map(|text| name.is(text)), [true, false]);
        assert!(Selector::read(&json!({"path": "a.yaml"})).is_none());
    }
}

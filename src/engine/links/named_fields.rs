//! Which fields of an object can a path or an expression name?
//!
//! A jq expression that is one path is read as that. Of any other its words are kept, in their order: it can name each field whose keys
//! are among them in this order, and where it descends to all depths, each with such a last key.
//!
//! Invariant: an expression that is no path names rather one field more than one less.

use std::sync::OnceLock;

use regex::Regex;
use serde_json::Value;

use crate::knowledge::catalog::Catalog;
use crate::syntax::field::{FieldPath, FieldPattern, Part};

/// What is named of an object.
#[derive(Clone, Debug)]
pub(crate) enum NamedFields {
    /// Its group.
    Group,
    /// The fields that match a pattern.
    Path(FieldPattern),
    /// What an expression with these words can name.
    Words(Vec<String>, Descent),
}

/// Which keys of a field an expression must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Descent {
    /// All of them.
    ByKeys,
    /// The last one: `.. | .name?`.
    ToAllDepths,
}

impl NamedFields {
    /// Reads a jq expression.
    pub(super) fn of_query(text: &str) -> Self {
        static ITEMS: OnceLock<Regex> = OnceLock::new();
        let items = ITEMS.get_or_init(|| Regex::new(r"\[\s*-?\d*\s*(:\s*-?\d*\s*)?\]").expect("a valid pattern"));
        let path = items.replace_all(text.trim(), "[]").replace('?', "").replace(".[", "[");
        let path = path.strip_prefix('.').unwrap_or(&path);
        FieldPattern::parse(path).map_or_else(|_| Self::of_words(text), Self::Path)
    }

    /// Reads what stands at these places of an object, which can be paths, patches and expressions: their texts, and the keys that are no
    /// fields of the object's own.
    pub(super) fn at(places: Vec<(FieldPath, &Value)>, own: Option<&Catalog>) -> Self {
        let mut words = Vec::new();
        places.into_iter().for_each(|(path, value)| add_words(&path, value, own, &mut words));
        Self::Words(words, Descent::ByKeys)
    }

    fn of_words(text: &str) -> Self {
        let words = words_in(text).collect();
        let descends = ["..", "recurse", "walk", "paths"].iter().any(|all| text.contains(all));
        Self::Words(words, if descends { Descent::ToAllDepths } else { Descent::ByKeys })
    }

    /// Returns whether one path names them.
    pub(super) const fn is_path(&self) -> bool {
        matches!(self, Self::Path(_))
    }

    /// Returns whether it can name a field.
    pub(super) fn can_name(&self, field: &FieldPattern) -> bool {
        match self {
            Self::Group => false,
            Self::Path(path) => path == field,
            Self::Words(words, descent) => is_named(field, words, *descent),
        }
    }

    /// Returns the fields that it can name of a kind, outer ones first.
    pub(super) fn fields_of(&self, catalog: Option<&Catalog>) -> Vec<FieldPattern> {
        match self {
            Self::Group => Vec::new(),
            Self::Path(field) => vec![field.clone()],
            Self::Words(..) => {
                let fields = catalog.into_iter().flat_map(Catalog::fields).map(|field| field.pattern);
                let mut found: Vec<_> = fields.filter(|field| self.can_name(field)).collect();
                found.dedup();
                found
            }
        }
    }
}

/// Returns the words of an expression; a text in it is one.
fn words_in(text: &str) -> impl Iterator<Item = String> {
    static WORD: OnceLock<Regex> = OnceLock::new();
    let word = WORD.get_or_init(|| Regex::new(r#""[^"]*"|\w+"#).expect("a valid pattern"));
    word.find_iter(text).map(|found| found.as_str().trim_matches('"').to_owned())
}

fn add_words(path: &FieldPath, value: &Value, own: Option<&Catalog>, words: &mut Vec<String>) {
    let is_own = |own: &Catalog| !own.having(&path.pattern()).is_empty();
    words.extend(path.last_key().filter(|_| !own.is_some_and(is_own)).map(str::to_owned));
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| add_words(&path.key(key), value, own, words)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| add_words(&path.index(index), item, own, words));
        }
        Value::String(text) => words.extend(words_in(text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns whether an expression with `words` can name a field.
fn is_named(field: &FieldPattern, words: &[String], descent: Descent) -> bool {
    let mut keys = field.parts().iter().filter_map(|part| match part {
        Part::Key(key) => Some(key),
        Part::Items | Part::Values => None,
    });
    let mut words = words.iter();
    match descent {
        Descent::ByKeys => keys.all(|key| words.any(|word| word == key)),
        Descent::ToAllDepths => keys.next_back().is_some_and(|key| words.any(|word| word == key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_that_is_a_path_is_read_as_one() {
        for (text, path) in [
            (".spec.a", "spec.a"),
            (" .spec.a? ", "spec.a"),
            (r#".spec["a"].["b.c/d"]"#, r#"spec.a["b.c/d"]"#),
            (".spec.a[]?", "spec.a[]"),
            (".spec.a[0].b", "spec.a[].b"),
            (".spec.a[-1:]", "spec.a[]"),
            (".[\"spec\"].a", "spec.a"),
        ] {
            let NamedFields::Path(found) = NamedFields::of_query(text) else { panic!("{text} is a path") };
            assert_eq!(found.to_string(), path, "{text}");
        }
    }

    #[test]
    fn any_other_can_name_what_its_words_are_keys_of() {
        for (text, field, expected) in [
            (r#".spec.a[] | select(. == "x")"#, "spec.a[]", true),
            (".spec | .a", "spec.a", true),
            ("(.spec.a)", "spec.a", true),
            (".spec.b, .spec.a", "spec.a", true),
            (r#".spec | has("a")"#, "spec.a", true),
            (".spec.args | keys", "spec.args{}", true),
            (".. | .a?", "spec.b.a", true),
            (".spec.b | select(.a)", "spec.c.a", false),
            (".spec.a | keys", "spec.a.spec", false),
            (".. | .a?", "spec.a.b", false),
        ] {
            let NamedFields::Words(words, descent) = NamedFields::of_query(text) else { panic!("{text} is no path") };
            let field = FieldPattern::parse(field).expect("a field");
            assert_eq!(is_named(&field, &words, descent), expected, "{text}: {field}");
        }
    }
}

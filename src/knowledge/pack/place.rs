//! Answers: at which line and column of a pack's file is what a message is about?
//!
//! Packs are read without positions, built-in ones even from JSON. The file is read once more for a message, and only then.
//!
//! Invariant: there is always a position; of what is not written, it is that of the nearest thing that is.

use serde_json::{Value, json};

use crate::syntax::field::{FieldPath, FieldPattern, Part};
use crate::syntax::text::LineIndex;
use crate::syntax::yaml::{self, Tree};

/// A place in a file of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A line.
    Line(usize),
    /// A value of a YAML file: `releases[1]`.
    At(FieldPath),
    /// The first text below a value of a YAML file that is this one.
    Text(FieldPath, String),
    /// The first field pattern below a value of a YAML file that names this field, also relative to another one.
    Field(FieldPath, FieldPattern),
}

/// A line and a column, from 1.
pub(crate) type Position = (usize, usize);

impl Place {
    /// Makes the place of a top-level key.
    pub(crate) fn key(key: &str) -> Self {
        Self::At(FieldPath::default().key(key))
    }

    /// Makes the place of an item of a top-level list.
    pub(crate) fn item(key: &str, index: usize) -> Self {
        Self::At(FieldPath::default().key(key).index(index))
    }

    /// Makes the place of a text in a top-level value.
    pub(crate) fn text(key: &str, text: impl Into<String>) -> Self {
        Self::Text(FieldPath::default().key(key), text.into())
    }

    /// Makes the place of a field in a rule's lens.
    pub(crate) fn in_lens(field: &FieldPattern) -> Self {
        Self::Field(FieldPath::default().key("lens"), field.clone())
    }

    /// Returns the position in `text`.
    pub(crate) fn position(&self, text: &str) -> Position {
        let path = match self {
            Self::Line(line) => return (*line, 1),
            Self::At(path) => path.clone(),
            Self::Text(below, wanted) => found(text, below, &|value, _| value.as_str() == Some(wanted)),
            Self::Field(below, field) => place_of_field(text, below, field),
        };
        let Some((tree, root)) = parsed(text) else { return (1, 1) };
        let position = LineIndex::new(text).position(text, yaml::locate(&tree, text, root, &path).start);
        (position.line, position.column)
    }
}

/// What is wrong at a place in a file of a pack.
#[derive(Debug)]
pub(crate) struct Wrong {
    place: Place,
    message: String,
}

impl Wrong {
    /// Makes the error.
    pub(crate) fn at(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into() }
    }

    /// Returns the error with the position in `file`, whose text is `text`.
    pub(crate) fn in_file(&self, file: &str, text: &str) -> anyhow::Error {
        let (line, column) = self.place.position(text);
        anyhow::anyhow!("{file}:{line}:{column}: {}", self.message)
    }
}

fn parsed(text: &str) -> Option<(Tree, yaml::NodeId)> {
    let tree = yaml::parse(text).ok()?;
    let root = tree.documents().first()?.root;
    Some((tree, root))
}

fn value(text: &str) -> Value {
    let read = parsed(text).and_then(|(tree, root)| yaml::read_value(&tree, text, root).ok());
    read.unwrap_or_default()
}

/// Returns where a lens names `field`: exactly, else what is nearest above it, else the lens.
fn place_of_field(text: &str, below: &FieldPath, field: &FieldPattern) -> FieldPath {
    let exact = found(text, below, &|value, base| names(value, base).as_ref() == Some(field));
    if exact != *below {
        return exact;
    }
    let parts = field.parts();
    for length in (1..parts.len()).rev() {
        let near = FieldPattern::new(parts[..length].iter().cloned());
        let place = found(text, below, &|value, base| names(value, base).as_ref() == Some(&near));
        if place != *below {
            return place;
        }
    }
    exact
}

/// Returns the test under which a lens says something of `field`, as it is written.
pub(crate) fn test_around(text: &str, field: &FieldPattern) -> Option<String> {
    let lens = FieldPath::default().key("lens");
    let mut path = place_of_field(text, &lens, field);
    let (tree, root) = parsed(text)?;
    while let Some((above, _)) = path.split_last() {
        let test = path.key("if");
        if path.last_key() == Some("when")
            && let Ok(node) = yaml::find_node(&tree, text, root, &test)
        {
            return Some(tree.span(node).of(text).split_whitespace().collect::<Vec<_>>().join(" "));
        }
        path = above;
    }
    None
}

/// Returns the path of the first value below `below` that passes `test`, which gets the pattern that the value is relative to; `below`
/// itself where there is none.
fn found(text: &str, below: &FieldPath, test: &dyn Fn(&Value, &FieldPattern) -> bool) -> FieldPath {
    let value = value(text);
    let start = below.get(&value).unwrap_or(&Value::Null);
    search(start, below, &FieldPattern::default(), test).unwrap_or_else(|| below.clone())
}

fn search(
    value: &Value,
    path: &FieldPath,
    base: &FieldPattern,
    test: &dyn Fn(&Value, &FieldPattern) -> bool,
) -> Option<FieldPath> {
    match value {
        Value::Object(map) => {
            let each = ["each", "of"].iter().find_map(|key| Some((*key, pattern(map.get(*key)?)?)));
            let inner = each.as_ref().map_or_else(|| base.clone(), |(_, each)| base.join(each));
            let sibling = |key: &&str| {
                let (field, name) = (map.get("field")?, map.get(*key)?);
                test(&json!({"field": field, "to": name}), base).then(|| path.key(key))
            };
            if let Some(place) = ["to", "before", "after"].iter().find_map(sibling) {
                return Some(place);
            }
            map.iter().find_map(|(key, value)| {
                let is_place = each.as_ref().is_some_and(|(name, _)| key == name);
                let base = if is_place { base } else { &inner };
                let is_key = test(&Value::from(key.as_str()), base) && key.contains(['.', '[']);
                if is_key { Some(path.key(key)) } else { search(value, &path.key(key), base, test) }
            })
        }
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(at, item)| search(item, &path.index(at), base, test))
        }
        Value::String(_) => test(value, base).then(|| path.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Returns the field that a text of a lens names relative to `base`, or that is `to` beside the `field` of an operation.
fn names(value: &Value, base: &FieldPattern) -> Option<FieldPattern> {
    let Value::Object(map) = value else { return Some(base.join(&pattern(value)?)) };
    let (above, _) = pattern(map.get("field")?)?.split_last()?;
    let to = map.get("to")?.as_str()?.to_owned();
    Some(base.join(&above.with(Part::Key(to))))
}

fn pattern(value: &Value) -> Option<FieldPattern> {
    FieldPattern::parse(value.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "\
summary: s
lens:
- rename: { field: spec.old, to: new }
- when:
    each: \"spec.l[]\"
    if: { present: a.b,
          absent: c }
    then:
    - drop: { field: a.b, reason: r }
";

    #[track_caller]
    fn check(field: &str, expected: Position) {
        assert_eq!(Place::in_lens(&FieldPattern::parse(field).unwrap()).position(RULE), expected, "{field}");
    }

    #[test]
    fn a_field_is_found_where_a_lens_names_it() {
        check("spec.old", (3, 13));
        check("spec.new", (3, 30));
        check("spec.l[]", (5, 5));
        check("spec.l[].a.b", (6, 11));
        check("spec.l[].c", (7, 11));
        check("spec.l[].a.b.x", (6, 11));
        check("status", (2, 1));
    }

    #[test]
    fn a_test_is_quoted_as_it_is_written() {
        let test = |field: &str| test_around(RULE, &FieldPattern::parse(field).unwrap());
        assert_eq!(test("spec.l[].a.b").as_deref(), Some("{ present: a.b, absent: c }"));
        assert_eq!(test("spec.old"), None);
    }

    #[test]
    fn what_is_not_written_has_the_place_of_what_is_around_it() {
        assert_eq!(Place::key("channels").position(RULE), (1, 1));
        assert_eq!(Place::item("lens", 1).position(RULE), (4, 1));
        assert_eq!(Place::text("lens", "r").position(RULE), (9, 27));
        assert_eq!(Place::Line(4).position(""), (4, 1));
        assert_eq!(Place::key("summary").position("a: [b"), (1, 1));
    }
}

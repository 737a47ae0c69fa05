//! Which fields of an object does a path in another file name, and how is it written after the conversion?
//!
//! JSON pointers, the dotted paths of replacements and variables, and the slash paths of configurations are read into one
//! [`PathExpression`]. It is resolved in the data of an object, each place is traced through the changes of that object, and the
//! expression is written anew from the steps of the new place: those that the changes did not touch keep their text.
//!
//! Invariant: an expression that no change touches is printed as it was written.

use std::fmt;

use serde_json::Value;

use crate::knowledge::lens::{Reach, TracedPath, trace};
use crate::syntax::field::{FieldPath, FieldPattern, Part, Step};
use crate::syntax::yaml::Intent;

/// How a path is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// RFC 6901: `/spec/rules/0/name`.
    Pointer,
    /// Kustomize, replacements and variables: `spec.rules.[name=web].port`.
    Dotted,
    /// Kustomize, field specs: `spec/rules/name`, which omits the items of lists or writes them as `name[]`.
    Slashes,
}

/// One part of a path, with the text that stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Segment {
    text: String,
    matcher: Matcher,
}

/// What a segment matches.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Matcher {
    /// A key, or the index of an item where the value is a list.
    Name(String),
    /// Behind the last item: `-`.
    End,
    /// Every item or value: `*`.
    All,
    /// The items with this value under a key: `[name=web]`.
    With(String, String),
}

/// A path that another file writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathExpression {
    syntax: Syntax,
    segments: Vec<Segment>,
}

impl PathExpression {
    /// Reads a path; `None` where it is none in this syntax.
    pub(super) fn parse(syntax: Syntax, text: &str) -> Option<Self> {
        let texts = match syntax {
            Syntax::Pointer if text.is_empty() => Vec::new(),
            Syntax::Pointer => text.strip_prefix('/')?.split('/').map(str::to_owned).collect(),
            Syntax::Dotted => split_dotted(text)?,
            Syntax::Slashes => text.split('/').map(str::to_owned).collect(),
        };
        let segments = texts.into_iter().map(|text| Segment { matcher: Matcher::read(syntax, &text), text }).collect();
        Some(Self { syntax, segments })
    }

    /// Returns the places in `value` that the path names. The place that an item is added at is behind the last one; the last step
    /// of a path need not exist.
    pub(super) fn places(&self, value: &Value) -> Vec<FieldPath> {
        let mut found = Vec::new();
        self.resolve(&self.segments, value, FieldPath::default(), &mut found);
        found
    }

    fn resolve(&self, segments: &[Segment], value: &Value, place: FieldPath, found: &mut Vec<FieldPath>) {
        let Some((segment, rest)) = segments.split_first() else { return found.push(place) };
        if let (Syntax::Slashes, Value::Array(items)) = (self.syntax, value) {
            let items = items.iter().enumerate();
            return items.for_each(|(at, item)| self.resolve(segments, item, place.index(at), found));
        }
        let steps: Vec<Step> = match (&segment.matcher, value) {
            (Matcher::Name(name), Value::Object(map)) if map.contains_key(name) || rest.is_empty() => {
                vec![Step::Key(name.clone())]
            }
            (Matcher::Name(name), Value::Array(_)) => name.parse().map(Step::Index).into_iter().collect(),
            (Matcher::End, Value::Array(items)) => vec![Step::Index(items.len())],
            (Matcher::All, Value::Array(items)) => (0..items.len()).map(Step::Index).collect(),
            (Matcher::All, Value::Object(map)) => map.keys().cloned().map(Step::Key).collect(),
            (Matcher::With(key, wanted), Value::Array(items)) => {
                let is_it = |item: &Value| item.get(key).is_some_and(|value| is_text(value, wanted));
                let items = items.iter().enumerate().filter(|(_, item)| is_it(item));
                items.map(|(at, _)| Step::Index(at)).collect()
            }
            _ => Vec::new(),
        };
        for step in steps {
            let place = place.with(step);
            match FieldPath::new(place.steps().last().cloned()).get(value) {
                Some(inner) => self.resolve(rest, inner, place, found),
                None if rest.is_empty() => found.push(place),
                None => {}
            }
        }
    }

    /// Returns how the path is written after `program`, where it named `place` before; `None` where that is removed.
    pub(super) fn after(&self, place: &FieldPath, program: &[Intent], reach: Reach) -> Option<(Self, FieldPath)> {
        let traced = trace(program, place, reach)?;
        let path = FieldPath::new(traced.iter().map(|(step, _)| step.clone()));
        Some((self.rewritten(place, traced), path))
    }

    /// Returns the pattern of the fields that the path names in any object.
    pub(super) fn pattern(&self) -> FieldPattern {
        let part = |segment: &Segment| match &segment.matcher {
            Matcher::Name(name) if !is_index(name) => Part::Key(name.clone()),
            _ => Part::Items,
        };
        FieldPattern::new(self.segments.iter().map(part))
    }

    /// Writes a path to the fields that `pattern` matches; `None` where it has more or fewer items than this path.
    pub(super) fn with_pattern(&self, pattern: &FieldPattern) -> Option<Self> {
        let is_item = |segment: &&Segment| !matches!(&segment.matcher, Matcher::Name(name) if !is_index(name));
        let mut items = self.segments.iter().filter(is_item);
        let segment = |part: &Part| match part {
            Part::Key(key) => Some(Segment::of(self.syntax, key)),
            Part::Items | Part::Values => items.next().cloned(),
        };
        let segments = pattern.parts().iter().map(segment).collect::<Option<Vec<_>>>()?;
        items.next().is_none().then_some(Self { syntax: self.syntax, segments })
    }

    fn rewritten(&self, place: &FieldPath, traced: TracedPath) -> Self {
        // Slash paths have no segments for items.
        let mut segment_of = Vec::with_capacity(place.steps().len());
        let mut next = 0;
        for step in place.steps() {
            let has_segment = self.syntax != Syntax::Slashes || matches!(step, Step::Key(_));
            segment_of.push(has_segment.then_some(next));
            next += usize::from(has_segment);
        }
        let segment = |(step, origin): (Step, Option<usize>)| {
            let own = origin.and_then(|at| segment_of[at]).map(|at| &self.segments[at]);
            match (&step, own) {
                // An item before it can be gone.
                (Step::Index(index), Some(Segment { matcher: Matcher::Name(_), .. })) => {
                    Some(Segment::of(self.syntax, &index.to_string()))
                }
                (_, Some(own)) => Some(own.clone()),
                (Step::Key(key), None) => Some(Segment::of(self.syntax, key)),
                (Step::Index(_), None) if self.syntax == Syntax::Slashes => None,
                (Step::Index(index), None) => Some(Segment::of(self.syntax, &index.to_string())),
            }
        };
        Self { syntax: self.syntax, segments: traced.into_iter().filter_map(segment).collect() }
    }
}

impl fmt::Display for PathExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.segments.iter().enumerate() {
            match self.syntax {
                Syntax::Pointer => f.write_str("/")?,
                Syntax::Dotted if at > 0 => f.write_str(".")?,
                Syntax::Slashes if at > 0 => f.write_str("/")?,
                Syntax::Dotted | Syntax::Slashes => {}
            }
            f.write_str(&segment.text)?;
        }
        Ok(())
    }
}

impl Segment {
    /// Writes the segment of a key or index.
    fn of(syntax: Syntax, name: &str) -> Self {
        let text = match syntax {
            Syntax::Pointer => name.replace('~', "~0").replace('/', "~1"),
            Syntax::Dotted if name.contains('.') => format!("[{name}]"),
            Syntax::Slashes => name.replace('/', "\\/"),
            Syntax::Dotted => name.to_owned(),
        };
        Self { matcher: Matcher::read(syntax, &text), text }
    }
}

impl Matcher {
    fn read(syntax: Syntax, text: &str) -> Self {
        let bracketed = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        match (syntax, bracketed) {
            (Syntax::Pointer, _) if text == "-" => Self::End,
            (Syntax::Pointer, _) => Self::Name(text.replace("~1", "/").replace("~0", "~")),
            (Syntax::Slashes, _) => Self::Name(text.trim_end_matches("[]").to_owned()),
            (Syntax::Dotted, Some(inner)) => match inner.split_once('=') {
                Some((key, value)) => Self::With(key.to_owned(), value.to_owned()),
                None => Self::Name(inner.to_owned()),
            },
            (Syntax::Dotted, None) if text == "*" => Self::All,
            (Syntax::Dotted, None) if text == "-" => Self::End,
            (Syntax::Dotted, None) => Self::Name(text.replace("\\.", ".")),
        }
    }
}

/// Splits at the dots that are neither escaped nor in brackets.
fn split_dotted(text: &str) -> Option<Vec<String>> {
    let (mut parts, mut part, mut depth, mut is_escaped) = (Vec::new(), String::new(), 0_usize, false);
    for character in text.chars() {
        match character {
            '.' if depth == 0 && !is_escaped => parts.push(std::mem::take(&mut part)),
            '[' => {
                depth += 1;
                part.push(character);
            }
            ']' => {
                depth = depth.checked_sub(1)?;
                part.push(character);
            }
            _ => part.push(character),
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    parts.push(part);
    (depth == 0).then_some(parts)
}

fn is_index(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a scalar is written as `text`.
fn is_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own == text,
        Value::Number(number) => number.to_string() == text,
        Value::Bool(is_true) => text == if *is_true { "true" } else { "false" },
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::yaml::Place;
    use serde_json::json;

    fn key(text: &str) -> FieldPath {
        FieldPath::new(text.split('.').map(|key| Step::Key(key.to_owned())))
    }

    /// Follows a path through a program, and checks that all its places are written in one way.
    #[track_caller]
    fn check(syntax: Syntax, text: &str, value: &Value, program: &[Intent], expected: &str) {
        let path = PathExpression::parse(syntax, text).expect("a path");
        assert_eq!(path.to_string(), text);
        let places = path.places(value);
        assert!(!places.is_empty(), "{text} names nothing");
        for place in places {
            let (after, _) = path.after(&place, program, Reach::Inner).expect("a place");
            assert_eq!(after.to_string(), expected);
        }
    }

    #[test]
    fn each_syntax_follows_renames_and_lists() {
        let value = json!({"spec": {"tls": {"host.name": 1}, "ref": {"name": 2}, "l": [{"x": 3, "name": "a"}, {"x": 4, "name": "b"}]}});
        let program = [
            Intent::Rename { path: key("spec.tls"), to: "validation".to_owned() },
            Intent::Rename { path: key("spec.ref"), to: "refs".to_owned() },
            Intent::Wrap { path: key("spec.refs").index(0) },
            Intent::Move {
                from: key("spec.l").index(0).key("x"),
                to: key("spec.l").index(0).key("y/z"),
                place: Place::Last,
            },
            Intent::Rename { path: key("spec.l").index(1).key("x"), to: "y/z".to_owned() },
        ];
        check(Syntax::Pointer, "/spec/tls/host.name", &value, &program, "/spec/validation/host.name");
        check(Syntax::Pointer, "/spec/ref/name", &value, &program, "/spec/refs/0/name");
        check(Syntax::Pointer, "/spec/l/1/x", &value, &program, "/spec/l/1/y~1z");
        check(Syntax::Pointer, "/spec/l/-", &value, &program, "/spec/l/-");
        check(Syntax::Dotted, "spec.tls.[host.name]", &value, &program, "spec.validation.[host.name]");
        check(Syntax::Dotted, "spec.tls.host\\.name", &value, &program, "spec.validation.host\\.name");
        check(Syntax::Dotted, "spec.l.*.x", &value, &program, "spec.l.*.y/z");
        check(Syntax::Dotted, "spec.l.[name=b].x", &value, &program, "spec.l.[name=b].y/z");
        check(Syntax::Slashes, "spec/ref/name", &value, &program, "spec/refs/name");
        check(Syntax::Slashes, "spec/l[]/name", &value, &program, "spec/l[]/name");
    }

    #[test]
    fn a_place_that_is_removed_has_no_path() {
        let value = json!({"spec": {"l": [1, 2]}});
        let gone = [Intent::Delete { path: key("spec.l").index(0) }];
        let path = |text: &str| PathExpression::parse(Syntax::Pointer, text).expect("a path");
        let first = path("/spec/l/0");
        assert_eq!(first.after(&key("spec.l").index(0), &gone, Reach::Inner), None);
        let (second, _) = path("/spec/l/1").after(&key("spec.l").index(1), &gone, Reach::Inner).expect("a place");
        assert_eq!(second.to_string(), "/spec/l/0");
        assert_eq!(path("/spec/x/y").places(&value), Vec::new());
        assert_eq!(path("/spec/x").places(&value), vec![key("spec.x")]);
        assert_eq!(PathExpression::parse(Syntax::Pointer, "spec/x"), None);
    }
}

//! Answers: which value does a path name, and which values match a pattern?
//!
//! A [`FieldPath`] names one value (`spec.rules[0].name`); a [`FieldPattern`] names many: `[]` matches every item of a
//! list, `{}` for every value of a map. Both are parsed segments; keys that are not plain words are written
//! `["app.kubernetes.io/name"]`.
//!
//! Invariant: a path is compared segment by segment, never as a string.

use std::borrow::Borrow;
use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// One step from a value to a value inside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The value of a mapping's key: `name`.
    Key(String),
    /// An item of a list, from 0: `[0]`.
    Index(usize),
}

/// The path of a value: `spec.rules[0].name`. The empty path is the value itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(Vec<Step>);

/// A path is ordered as its steps are, so that the places above one are found without making their paths.
impl Borrow<[Step]> for FieldPath {
    fn borrow(&self) -> &[Step] {
        &self.0
    }
}

impl FieldPath {
    /// Creates the path of `steps`.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self(steps.into_iter().collect())
    }

    /// Returns the steps from the outermost in.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Returns this path with `key` below it.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.with(Step::Key(key.to_owned()))
    }

    /// Returns this path with the item `index` below it.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Step::Index(index))
    }

    /// Returns this path with `step` below it.
    #[must_use]
    pub fn with(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// Returns this path with `tail` below it.
    #[must_use]
    pub fn join(&self, tail: &Self) -> Self {
        Self(self.0.iter().chain(&tail.0).cloned().collect())
    }

    /// Splits off the last step; `None` for the empty path.
    pub fn split_last(&self) -> Option<(Self, &Step)> {
        let (last, parents) = self.0.split_last()?;
        Some((Self(parents.to_vec()), last))
    }

    /// Returns the paths of what is around the value at this path, the innermost first.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        (0..self.0.len()).rev().map(|length| Self(self.0[..length].to_vec()))
    }

    /// Returns the last step's key, if it is one.
    pub fn last_key(&self) -> Option<&str> {
        match self.0.last()? {
            Step::Key(key) => Some(key),
            Step::Index(_) => None,
        }
    }

    /// Returns whether `self` is `prefix` or is below it.
    pub fn starts_with(&self, prefix: &Self) -> bool {
        self.0.starts_with(&prefix.0)
    }

    /// Returns the value at this path of `root`.
    pub fn get<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(root, |value, step| match step {
            Step::Key(key) => member(value.as_object()?, key),
            Step::Index(index) => value.as_array()?.get(*index),
        })
    }

    /// Returns the text at this path of `root`.
    pub fn text<'v>(&self, root: &'v Value) -> Option<&'v str> {
        self.get(root)?.as_str()
    }

    /// Returns the items of the list at this path of `root`; none where there is no list.
    pub fn items<'v>(&self, root: &'v Value) -> &'v [Value] {
        self.get(root).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the path relative to `outer`; `None` where it is not in there.
    pub fn below(&self, outer: &Self) -> Option<Self> {
        Some(Self::new(self.0.strip_prefix(outer.steps())?.iter().cloned()))
    }

    /// Returns the value at this path of `root`, mutably.
    pub fn get_mut<'v>(&self, root: &'v mut Value) -> Option<&'v mut Value> {
        self.0.iter().try_fold(root, |value, step| match step {
            Step::Key(key) => value.as_object_mut()?.get_mut(key),
            Step::Index(index) => value.as_array_mut()?.get_mut(*index),
        })
    }

    /// Returns the pattern of this path, with `[]` for every index.
    pub fn pattern(&self) -> FieldPattern {
        let part = |step: &Step| match step {
            Step::Key(key) => Part::Key(key.clone()),
            Step::Index(_) => Part::Items,
        };
        FieldPattern(self.0.iter().map(part).collect())
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) => write_key(f, key, at == 0)?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// One part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The value of this key: `name`.
    Key(String),
    /// Every item of a list: `[]`.
    Items,
    /// Every value of a map: `{}`.
    Values,
}

impl Part {
    /// Returns whether `step` leads to such a value.
    pub fn takes(&self, step: &Step) -> bool {
        match (self, step) {
            (Self::Key(part), Step::Key(key)) => part == key,
            (Self::Items, Step::Index(_)) | (Self::Values, Step::Key(_)) => true,
            (Self::Key(_) | Self::Items | Self::Values, _) => false,
        }
    }
}

/// The paths of values: `spec.rules[].name`, `spec.options{}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPattern(Vec<Part>);

impl FieldPattern {
    /// Creates the pattern of `parts`.
    pub fn new(parts: impl IntoIterator<Item = Part>) -> Self {
        Self(parts.into_iter().collect())
    }

    /// Parses `spec.rules[].name`, `spec.options{}`, `metadata.annotations["a.b/c"]`.
    ///
    /// # Errors
    /// A message with the text and where it stops being a field path.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (part, after) = parse_part(rest, parts.is_empty())
                .ok_or_else(|| format!("invalid field path `{text}`: cannot parse `{rest}`"))?;
            parts.push(part);
            rest = after;
        }
        Ok(Self(parts))
    }

    /// Returns the parts from the outermost in.
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// Returns this pattern with `part` below it.
    #[must_use]
    pub fn with(&self, part: Part) -> Self {
        let mut parts = self.0.clone();
        parts.push(part);
        Self(parts)
    }

    /// Returns this pattern with `tail` below it.
    #[must_use]
    pub fn join(&self, tail: &Self) -> Self {
        Self(self.0.iter().chain(&tail.0).cloned().collect())
    }

    /// Extends the pattern by a key.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.with(Part::Key(key.to_owned()))
    }

    /// Extends the pattern by all items of a list.
    #[must_use]
    pub fn items(&self) -> Self {
        self.with(Part::Items)
    }

    /// Returns the pattern relative to `outer`; `None` where it is not in there.
    pub fn below(&self, outer: &Self) -> Option<Self> {
        Some(Self::new(self.parts().strip_prefix(outer.parts())?.iter().cloned()))
    }

    /// Splits off the last part; `None` for the empty pattern.
    pub fn split_last(&self) -> Option<(Self, &Part)> {
        let (last, parents) = self.0.split_last()?;
        Some((Self(parents.to_vec()), last))
    }

    /// Returns whether `self` is `prefix` or is below it.
    pub fn starts_with(&self, prefix: &Self) -> bool {
        self.0.starts_with(&prefix.0)
    }

    /// Returns the path of every value in `root` that matches, in document order.
    pub fn matches(&self, root: &Value) -> Vec<FieldPath> {
        self.matches_where(root, |_| true)
    }

    /// Returns those paths whose values pass `test`.
    pub fn matches_where(&self, root: &Value, mut test: impl FnMut(&Value) -> bool) -> Vec<FieldPath> {
        let mut found = Vec::new();
        let _all = visit(&self.0, root, None, &mut |place, value| {
            if test(value) {
                found.push(place.map(PathRef::path).unwrap_or_default());
            }
            ControlFlow::Continue(())
        });
        found
    }

    /// Returns the values at the places that match.
    pub fn values<'v>(&self, root: &'v Value) -> Vec<&'v Value> {
        let mut found = Vec::new();
        let _all = visit(&self.0, root, None, &mut |_, value| {
            found.push(value);
            ControlFlow::Continue(())
        });
        found
    }

    /// Returns whether one of those values passes `test`; stops at the first that does.
    pub fn any(&self, root: &Value, mut test: impl FnMut(&Value) -> bool) -> bool {
        let mut on_match = |_: Option<&PathRef<'_>>, value: &Value| match test(value) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        visit(&self.0, root, None, &mut on_match).is_break()
    }

    /// Returns this pattern as a path, if it has neither `[]` nor `{}`.
    pub fn as_path(&self) -> Option<FieldPath> {
        let step = |part: &Part| match part {
            Part::Key(key) => Some(Step::Key(key.clone())),
            Part::Items | Part::Values => None,
        };
        self.0.iter().map(step).collect::<Option<Vec<_>>>().map(FieldPath)
    }
}

/// A path that borrows its keys, one step linked to the one above; the owned path is only built on demand.
#[derive(Debug)]
pub struct PathRef<'a> {
    above: Option<&'a PathRef<'a>>,
    step: StepRef<'a>,
}

/// A step that borrows its key.
#[derive(Debug)]
enum StepRef<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> PathRef<'a> {
    /// Creates the path of `key` below `above`, or below the root.
    pub const fn key(above: Option<&'a Self>, key: &'a str) -> Self {
        Self { above, step: StepRef::Key(key) }
    }

    /// Creates the path of the item `index` below `above`, or below the root.
    pub const fn index(above: Option<&'a Self>, index: usize) -> Self {
        Self { above, step: StepRef::Index(index) }
    }

    /// Returns the last key of the path.
    pub fn last_key(&self) -> Option<&str> {
        match self.step {
            StepRef::Key(key) => Some(key),
            StepRef::Index(_) => self.above.and_then(Self::last_key),
        }
    }

    /// Returns the owned path from the root.
    pub fn path(&self) -> FieldPath {
        let mut steps = Vec::new();
        let mut place = Some(self);
        while let Some(PathRef { above, step }) = place {
            steps.push(match step {
                StepRef::Key(key) => Step::Key((*key).to_owned()),
                StepRef::Index(index) => Step::Index(*index),
            });
            place = *above;
        }
        steps.reverse();
        FieldPath(steps)
    }
}

/// What is read from data most often.
pub trait Entries {
    /// Returns the value of `key`.
    fn entry(&self, key: &str) -> Option<&Value>;

    /// Returns the text under `key`.
    fn text(&self, key: &str) -> Option<&str> {
        self.entry(key)?.as_str()
    }

    /// Returns the items of the list under `key`; none where there is no list.
    fn items(&self, key: &str) -> &[Value] {
        self.entry(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

impl Entries for Value {
    fn entry(&self, key: &str) -> Option<&Value> {
        member(self.as_object()?, key)
    }
}

impl Entries for Map<String, Value> {
    fn entry(&self, key: &str) -> Option<&Value> {
        member(self, key)
    }
}

/// Returns the value of `key`. Most mappings have a few keys, for which comparing all of them is faster than
/// hashing one.
pub fn member<'v>(map: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    const FEW: usize = 8;
    if map.len() > FEW {
        return map.get(key);
    }
    map.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// Visits the values directly inside `value`, which stands at `place`; none for the root.
pub fn each_child<'v>(value: &'v Value, place: Option<&PathRef<'_>>, visit: &mut dyn FnMut(&'v Value, &PathRef<'_>)) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, child)| visit(child, &PathRef::key(place, key))),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, child)| visit(child, &PathRef::index(place, index)));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Visits the values below `value` that match `parts`, in document order.
fn visit<'v>(
    parts: &[Part],
    value: &'v Value,
    above: Option<&PathRef<'_>>,
    on_match: &mut dyn FnMut(Option<&PathRef<'_>>, &'v Value) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some((part, below)) = parts.split_first() else { return on_match(above, value) };
    match (part, value) {
        (Part::Key(key), Value::Object(map)) => match member(map, key) {
            Some(value) => visit(below, value, Some(&PathRef::key(above, key)), on_match),
            None => ControlFlow::Continue(()),
        },
        (Part::Items, Value::Array(items)) => {
            let mut items = items.iter().enumerate();
            items.try_for_each(|(index, item)| visit(below, item, Some(&PathRef::index(above, index)), on_match))
        }
        (Part::Values, Value::Object(map)) => {
            map.iter().try_for_each(|(key, value)| visit(below, value, Some(&PathRef::key(above, key)), on_match))
        }
        _ => ControlFlow::Continue(()),
    }
}

impl fmt::Display for FieldPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.0.iter().enumerate() {
            match part {
                Part::Key(key) => write_key(f, key, at == 0)?,
                Part::Items => f.write_str("[]")?,
                Part::Values => f.write_str("{}")?,
            }
        }
        Ok(())
    }
}

impl Serialize for FieldPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FieldPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Returns whether a key can be in a path without quotes.
fn is_word(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$'))
}

fn write_key(f: &mut fmt::Formatter<'_>, key: &str, first: bool) -> fmt::Result {
    if is_word(key) { write!(f, "{}{key}", if first { "" } else { "." }) } else { write!(f, "[{}]", Value::from(key)) }
}

fn parse_part(text: &str, first: bool) -> Option<(Part, &str)> {
    if let Some(rest) = text.strip_prefix("[]") {
        return Some((Part::Items, rest));
    }
    if let Some(rest) = text.strip_prefix("{}") {
        return Some((Part::Values, rest));
    }
    if let Some(quoted) = text.strip_prefix('[') {
        let mut keys = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
        let key = keys.next()?.ok()?;
        let rest = quoted[keys.byte_offset()..].strip_prefix(']')?;
        return Some((Part::Key(key), rest));
    }
    let word = if first { text } else { text.strip_prefix('.')? };
    let end = word.find(['.', '[', '{']).unwrap_or(word.len());
    let (key, rest) = word.split_at(end);
    is_word(key).then(|| (Part::Key(key.to_owned()), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(text: &str) {
        assert_eq!(FieldPattern::parse(text).unwrap().to_string(), text);
    }

    #[test]
    fn patterns_print_as_they_are_written() {
        check("spec.rules[].name");
        check("spec.options{}");
        check("metadata.annotations[\"a.b/c\"].x");
        check("items[][]{}");
    }

    #[test]
    fn invalid_patterns_are_reported_with_their_place() {
        for text in ["spec..a", "spec.", ".spec", "spec[0]", "spec[\"a]", "a b"] {
            assert!(FieldPattern::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pattern_matches_whole_segments_only() {
        let value = json!({"spec": {"rules": [{"name": 1}, {"names": 2}, {"name": null}], "opt": {"x.y": 1}}});
        let find = |text: &str| -> Vec<String> {
            FieldPattern::parse(text).unwrap().matches(&value).iter().map(ToString::to_string).collect()
        };
        assert_eq!(find("spec.rules[].name"), ["spec.rules[0].name", "spec.rules[2].name"]);
        assert_eq!(find("spec.opt{}"), ["spec.opt[\"x.y\"]"]);
        assert!(find("spec.rule").is_empty());
    }
}

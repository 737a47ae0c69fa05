//! Answers: which fields may an object of a kind have in one release and apiVersion?
//!
//! A [`Shape`] is the tree of a catalog's fields in that release; those that a case requires are marked.
//!
//! Invariant: a shape has exactly the fields of its release and version.

use std::sync::Arc;

use reversion::internals::catalog::{Attributes, Catalog, Type, compile};
use reversion::internals::field::{FieldPattern, Part};
use reversion::internals::release::ReleaseId;
use serde_json::Value;

/// A value that is allowed somewhere. A clone shares what is below it until that is marked: shapes are cloned for every object.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) kind: Type,
    pub(crate) required: bool,
    /// The case requires this value, or one inside it.
    pub(crate) preferred: bool,
    /// Values with a meaning for the case.
    pub(crate) suggestions: Vec<Value>,
    pub(crate) attributes: Arc<Attributes>,
    /// The key whose value names the field that is present.
    pub(crate) union: Option<String>,
    pub(crate) keys: Vec<(Arc<str>, Arc<Self>)>,
    pub(crate) items: Option<Arc<Self>>,
    pub(crate) values: Option<Arc<Self>>,
}

impl Shape {
    fn empty() -> Self {
        Self {
            kind: Type::Object,
            required: false,
            preferred: false,
            suggestions: Vec::new(),
            attributes: Arc::default(),
            union: None,
            keys: Vec::new(),
            items: None,
            values: None,
        }
    }

    /// Reads the shape of an object without [`reversion::internals::catalog::OUTSIDE`].
    pub(crate) fn read(catalog: &Catalog, release: ReleaseId, version: &str) -> Self {
        let mut root = Self::empty();
        for field in catalog.fields() {
            let versions = field.api_versions;
            let is_in_version =
                field.releases.contains(release) && (versions.is_empty() || versions.iter().any(|v| v == version));
            if is_in_version && let Some(place) = root.make(field.pattern.parts()) {
                (place.kind, place.required) = (field.kind, field.required);
                place.attributes = Arc::new(field.attributes.clone());
            }
        }
        root
    }

    /// Returns the shape at `parts`, created if only the last part is missing; fields are in tree order.
    fn make(&mut self, parts: &[Part]) -> Option<&mut Self> {
        let Some((part, rest)) = parts.split_first() else { return Some(self) };
        let missing = self.child(part).is_none();
        if missing && !rest.is_empty() {
            return None;
        }
        if missing {
            match part {
                Part::Key(key) => self.keys.push((key.as_str().into(), Arc::new(Self::empty()))),
                Part::Items => self.items = Some(Arc::new(Self::empty())),
                Part::Values => self.values = Some(Arc::new(Self::empty())),
            }
        }
        self.child(part)?.make(rest)
    }

    fn child(&mut self, part: &Part) -> Option<&mut Self> {
        let child = match part {
            Part::Key(key) => self.keys.iter_mut().find(|(name, _)| **name == **key).map(|(_, shape)| shape),
            Part::Items => self.items.as_mut(),
            Part::Values => self.values.as_mut(),
        };
        child.map(Arc::make_mut)
    }

    /// Marks the values at `pattern`, and their parents; does nothing if the release has no such field.
    pub(crate) fn want(&mut self, pattern: &FieldPattern) {
        if self.has(pattern.parts()) {
            let mut place = self;
            place.preferred = true;
            for part in pattern.parts() {
                place = place.child(part).expect("looked up before");
                place.preferred = true;
            }
        }
    }

    /// Adds `value` to the candidates for the values at `pattern`, if the schema allows it.
    pub(crate) fn suggest(&mut self, pattern: &FieldPattern, value: &Value) {
        let mut place = self;
        for part in pattern.parts() {
            let Some(child) = place.child(part) else { return };
            place = child;
        }
        if place.kind.accepts(value) && place.attributes.allows(value) && !value.is_null() {
            place.suggestions.push(value.clone());
        }
    }

    /// Allows only texts at `pattern` that match `regex`.
    pub(crate) fn limit(&mut self, pattern: &FieldPattern, regex: &str) {
        if let Some(place) = self.at(pattern) {
            let texts = compile(regex).expect("an exception's pattern is a regular expression");
            place.suggestions.retain(|value| value.as_str().is_some_and(|text| texts.is_match(text)));
            Arc::make_mut(&mut place.attributes).pattern = Some(regex.into());
        }
    }

    /// Allows only mappings at `pattern`, with any keys.
    pub(crate) fn limit_to_mappings(&mut self, pattern: &FieldPattern) {
        if let Some(place) = self.at(pattern) {
            place.kind = Type::Object;
            Arc::make_mut(&mut place.attributes).preserve_unknown = true;
        }
    }

    fn at(&mut self, pattern: &FieldPattern) -> Option<&mut Self> {
        pattern.parts().iter().try_fold(self, |place, part| place.child(part))
    }

    /// Records that the values at `pattern` have the field that their key `by` names, if the release has such a field.
    pub(crate) fn unite(&mut self, pattern: &FieldPattern, by: &str) {
        let mut place = self;
        for part in pattern.parts() {
            let Some(child) = place.child(part) else { return };
            place = child;
        }
        place.union = Some(by.to_owned());
    }

    /// Returns whether some value of the union's key, or with `named` this value, names the field `key`: `cors` for `CORS`.
    pub(crate) fn is_body(&self, key: &str, named: Option<&str>) -> bool {
        let by = self.keys.iter().find(|(name, _)| Some(&**name) == self.union.as_deref());
        let listed = by.and_then(|(_, shape)| shape.attributes.allowed.as_ref()).into_iter().flatten();
        let mut names = listed.filter_map(Value::as_str).filter(|name| named.is_none_or(|named| *name == named));
        names.any(|name| name.eq_ignore_ascii_case(key))
    }

    fn has(&self, parts: &[Part]) -> bool {
        let Some((part, rest)) = parts.split_first() else { return true };
        let child = match part {
            Part::Key(key) => self.keys.iter().find(|(name, _)| **name == **key).map(|(_, shape)| shape),
            Part::Items => self.items.as_ref(),
            Part::Values => self.values.as_ref(),
        };
        child.is_some_and(|child| child.has(rest))
    }
}

//! Answers: which fields and values must an object have for a rule to apply to it?
//!
//! The fields and values that the rule's own text names, and the fields that its operations claim: read from the text as
//! written, so that operations need not be known here one by one.
//!
//! Invariant: hints are not guarantees; objects are run through the rule itself afterwards.

use reversion::internals::field::{FieldPattern, Part};
use reversion::internals::lens::{CONVERSIONS, Claims, Direction, Form, Lens};
use reversion::internals::pack::Rule;
use serde_json::{Map, Value};

/// The fields and values that objects need for one rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {
    /// Fields that must be present.
    pub(crate) fields: Vec<FieldPattern>,
    /// Fields to be present or not: tests, or other rules of the same conversion, need them either way.
    pub(crate) optional: Vec<FieldPattern>,
    /// Values for fields.
    pub(crate) values: Vec<(FieldPattern, Value)>,
    /// Whether items must equal others of their list.
    pub(crate) repeats: bool,
    /// Keys that some items must lack and others that are otherwise equal must have.
    pub(crate) partly: Vec<String>,
    /// Whether lists must have several items.
    pub(crate) many: bool,
}

impl Hints {
    /// Reads the hints of `rule`, for the side that `direction` starts from; `others` are rules of the same conversion.
    pub(crate) fn of<'r>(rule: &Rule, direction: Direction, others: impl Iterator<Item = &'r Rule>) -> Self {
        let mut hints = Self::of_one(rule, direction);
        for other in others.map(|other| Self::of_one(other, direction)) {
            hints.optional.extend(other.fields.into_iter().chain(other.optional));
            hints.values.extend(other.values);
        }
        for fields in [&mut hints.fields, &mut hints.optional] {
            fields.sort();
            fields.dedup();
        }
        hints
    }

    fn of_one(rule: &Rule, direction: Direction) -> Self {
        let mut hints = Self { fields: places(rule, direction), ..Self::default() };
        let text: Value = serde_yaml::from_str(&rule.text).unwrap_or_default();
        Reader { hints: &mut hints, direction }.read(&text, &FieldPattern::default());
        // The text of a rule does not show what a native conversion reads.
        let native = CONVERSIONS.iter().map(|conversion| conversion.description.example);
        for item in native.filter(|item| rule.text.contains(*item)) {
            let lens: Lens = serde_yaml::from_str(&format!("- {item}")).expect("an example is an item of a lens");
            for premise in lens.premises() {
                if let Form::Value(value) = premise.form {
                    hints.values.push((premise.written.clone(), value));
                }
                hints.optional.push(premise.written);
            }
        }
        hints
    }
}

/// Reads a rule's text.
struct Reader<'h> {
    hints: &'h mut Hints,
    direction: Direction,
}

impl Reader<'_> {
    /// Collects the fields and values in a part of the text, below `base`.
    fn read(&mut self, text: &Value, base: &FieldPattern) {
        match text {
            Value::Object(map) => self.read_map(map, base),
            Value::Array(items) => items.iter().for_each(|item| self.read(item, base)),
            Value::String(_) => self.hints.fields.extend(parse(text, base)),
            _ => {}
        }
    }

    fn read_map(&mut self, map: &Map<String, Value>, base: &FieldPattern) {
        let inner = ["each", "items", "of"].into_iter().find_map(|key| parse(map.get(key)?, base));
        self.hints.fields.extend(inner.clone());
        let below = inner.as_ref().unwrap_or(base);
        if let Some(field) = map.get("field").and_then(|field| parse(field, below)) {
            self.read_values(map, &field);
        }
        for (key, value) in map {
            match key.as_str() {
                "each" | "of" => {}
                "absent" | "not" => {
                    let mut inner = Hints::default();
                    Reader { hints: &mut inner, direction: self.direction }.read(value, below);
                    self.hints.optional.extend(inner.fields.into_iter().chain(inner.optional));
                    self.hints.values.extend(inner.values);
                }
                "list" | "to" => self.read(value, base),
                "repeats" | "distinct" => {
                    self.hints.repeats = true;
                    self.read(value, below);
                }
                "more" => {
                    self.hints.many = true;
                    self.read(value, below);
                }
                "partly" => {
                    let keys = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                    self.hints.partly.extend(keys.map(str::to_owned));
                    self.read(value, below);
                }
                "defaults" => {}
                "text" => self.read_text(value, below),
                _ => self.read(value, below),
            }
        }
    }

    /// Collects a text of which a test is true: `text: { field: value, contains: // }`.
    fn read_text(&mut self, test: &Value, base: &FieldPattern) {
        let Some(field) = test.get("field").and_then(|field| parse(field, base)) else { return };
        let part = |key: &str| test.get(key).and_then(Value::as_str).unwrap_or_default();
        let text = match part("is") {
            "ip" => "10.0.0.1".to_owned(),
            _ => format!("{}/a{}{}", part("starts"), part("contains"), part("ends")),
        };
        self.hints.fields.push(field.clone());
        self.hints.values.push((field, Value::from(text)));
    }

    /// Collects the values that are written with a field: `{ equals: { field: type, value: A } }`, `table: { A: B }`.
    fn read_values(&mut self, map: &Map<String, Value>, field: &FieldPattern) {
        let single = ["value", "default"].into_iter().filter_map(|key| map.get(key).cloned());
        let table = map.get("table").and_then(Value::as_object).into_iter().flatten();
        let side = table.map(|(old, new)| match self.direction {
            Direction::Forward => Value::from(old.as_str()),
            Direction::Backward => new.clone(),
        });
        self.hints.values.extend(single.chain(side).map(|value| (field.clone(), value)));
    }
}

/// Reads a field's name below `base`; `None` for a text that names none.
fn parse(text: &Value, base: &FieldPattern) -> Option<FieldPattern> {
    let pattern = FieldPattern::parse(text.as_str()?).ok()?;
    let from_root = matches!(pattern.parts().first(), Some(Part::Key(key)) if key == "spec" || key == "metadata");
    Some(if from_root { pattern } else { base.join(&pattern) })
}

/// Returns the fields that `rule` removes in `direction`, under their names before it runs.
fn places(rule: &Rule, direction: Direction) -> Vec<FieldPattern> {
    let steps: Vec<Claims> = rule.lens(direction).claims_of_each();
    let mut renamed: Vec<(FieldPattern, FieldPattern)> = Vec::new();
    let mut found = Vec::new();
    for step in steps {
        for (at, old) in step.old.iter().enumerate() {
            let first = original(&renamed, old);
            if let Some(new) = step.new.get(at) {
                renamed.push((new.clone(), first.clone()));
            }
            found.push(first);
        }
    }
    found
}

/// Returns the path of `pattern` before the renames.
fn original(renamed: &[(FieldPattern, FieldPattern)], pattern: &FieldPattern) -> FieldPattern {
    let by_length = renamed.iter().filter(|(new, _)| pattern.starts_with(new)).max_by_key(|(new, _)| new.parts().len());
    let Some((new, old)) = by_length else { return pattern.clone() };
    old.join(&FieldPattern::new(pattern.parts()[new.parts().len()..].iter().cloned()))
}

//! Answers: how much did rules write into an object so far?
//!
//! A pack is untrusted input, and a rule that copies a parent into its child doubles it each time. What a change writes counts against
//! [`MAX_GROWTH`], and the depth at which it writes against [`MAX_DEPTH`].

use serde_json::Value;

use crate::syntax::yaml::Intent;

/// The most that is written into one object, in bytes of its texts and keys, a value counting for [`VALUE`] more: 16 MiB.
/// Kubernetes accepts objects of about 1.5 MiB.
const MAX_GROWTH: usize = 16 << 20;

/// The size of a value or a change, in addition to its text.
const VALUE: usize = 16;

/// The deepest nesting that a change may make, which is also the limit for files that are read.
const MAX_DEPTH: usize = 200;

/// The size of what was written into an object so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth(usize);

impl Growth {
    /// Nothing was written.
    pub(super) const NONE: Self = Self(0);

    /// Adds the size of a change of `object`.
    ///
    /// # Errors
    /// Why it must not be made, as one sentence.
    pub(super) fn add(&mut self, intent: &Intent, object: &Value) -> Result<(), String> {
        let (depth, written, moved) = match intent {
            Intent::Replace { path, value } | Intent::Insert { path, value, .. } => {
                (path.steps().len(), Some(value), None)
            }
            Intent::Move { from, to, .. } => (to.steps().len(), None, from.get(object)),
            Intent::MoveItems { from, list, .. } => (list.steps().len() + 1, None, from.get(object)),
            Intent::ParseText { path, .. } | Intent::WriteText { path, .. } => {
                (path.steps().len(), path.get(object), None)
            }
            // A list of named items is larger than a mapping by its keys, once for each name.
            Intent::MappingToList { path, .. } => (path.steps().len() + 1, None, path.get(object)),
            Intent::Wrap { path } => (path.steps().len(), None, intent.ends().from.get(object)),
            Intent::Rename { .. } | Intent::Delete { .. } | Intent::Unwrap { .. } | Intent::ListToMapping { .. } => {
                (0, None, None)
            }
        };
        let too_deep = || format!("the rules nest values deeper than {MAX_DEPTH}");
        let room = MAX_DEPTH.checked_sub(depth).ok_or_else(too_deep)?;
        let written = written.map_or(Some(0), |value| size(value, room)).ok_or_else(too_deep)?;
        moved.map_or(Some(0), |value| size(value, room)).ok_or_else(too_deep)?;
        self.0 = self.0.saturating_add(written + VALUE);
        if self.0 > MAX_GROWTH {
            return Err(format!("the rules write more than {} MiB into the object", MAX_GROWTH >> 20));
        }
        Ok(())
    }
}

/// Returns the size of a value; `None` where it nests deeper than `room`.
fn size(value: &Value, room: usize) -> Option<usize> {
    let inner = |value: &Value| size(value, room.checked_sub(1)?);
    let sum = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(inner).sum::<Option<usize>>()?,
        Value::Object(map) => map.iter().map(|(key, value)| Some(key.len() + inner(value)?)).sum::<Option<usize>>()?,
    };
    Some(sum + VALUE)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::sequence::Lens;
    use super::super::session::{Halt, Session};
    use super::super::trial::data;

    /// Runs a lens on `{"a": {"b": "..."}}` and returns why it was stopped.
    #[track_caller]
    fn stopped(lens: &str) -> String {
        let lens: Lens = serde_yaml::from_str(lens).unwrap();
        match lens.run(&mut Session::new(json!({"a": {"b": "x".repeat(1000)}}))) {
            Err(Halt::Refused { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rules_that_double_a_value_are_stopped() {
        let steps: String =
            (0..60).map(|at| format!("- default: {{ field: a.c{at}, like: a, forward: write }}\n")).collect();
        assert_eq!(stopped(&steps), "the rules write more than 16 MiB into the object");
    }

    #[test]
    fn rules_that_nest_without_end_are_stopped() {
        let deep = "the rules nest values deeper than 200";
        let wraps: String = (0..300).map(|at| format!("- wrap: {{ field: \"a{}\" }}\n", "[]".repeat(at))).collect();
        assert_eq!(stopped(&wraps), deep);
        let steps: String = (0..300)
            .map(|at| {
                format!(
                    "- default: {{ field: c{}, value: {{}}, forward: write }}\n- move: {{ from: c{at}, to: c{}.d }}\n",
                    at + 1,
                    at + 1
                )
            })
            .collect();
        let steps = format!("- rename: {{ field: a, to: c0 }}\n{steps}");
        assert_eq!(stopped(&steps), deep);
    }

    #[test]
    fn large_values_are_written() {
        let lens = "default: { field: a.c, like: a.b, forward: write }";
        let big = "x".repeat(1 << 20);
        let after = data(&super::super::trial::operation(lens), &json!({"a": {"b": big}}));
        assert_eq!(after, Ok((json!({"a": {"b": big, "c": big}}), 0)));
    }
}

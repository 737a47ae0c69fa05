//! Which fields does converting back not put where they were among their neighbours?
//!
//! Data does not show it: mappings with other orders of keys are equal. So the inverse runs on the result, and the keys around
//! every field that moved are compared.
//!
//! Invariant: nothing is changed.

use serde_json::Value;

use super::sequence::Lens;
use super::session::Session;
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::yaml::Intent;

/// Returns the present paths of the fields that moved after the first `step` changes of `session`, and that `back` puts in another
/// place among their neighbours than in `before`, which is the object after these changes.
#[must_use]
pub(crate) fn displaced(before: &Value, session: &Session<'_>, step: usize, back: &Lens) -> Vec<FieldPath> {
    let program = session.program().iter().enumerate().skip(step);
    let moved = program.filter_map(|(at, intent)| match intent {
        Intent::Move { from, to, .. } if from.last_key().is_some() && to.last_key().is_some() => {
            Some(session.origin_between(step..at, from))
        }
        _ => None,
    });
    let moved: Vec<FieldPath> = moved.collect();
    let mut trial = session.clone();
    if moved.is_empty() || back.run(&mut trial).is_err() {
        return Vec::new();
    }
    let has_other_place =
        |field: &FieldPath| place(field, before, trial.object()) != place(field, trial.object(), before);
    let moved = moved.into_iter().filter(has_other_place);
    moved.filter_map(|field| session.destination_after(step, &field)).collect()
}

/// Returns how many of the keys in front of `field` in `object` are beside it in `other` too; `None` where one of the two does not
/// have it.
fn place(field: &FieldPath, object: &Value, other: &Value) -> Option<usize> {
    let (parent, Step::Key(key)) = field.split_last()? else { return None };
    let map = |root| parent.get(root).and_then(Value::as_object);
    let (map, other) = (map(object)?, map(other).filter(|other| other.contains_key(key))?);
    map.keys().filter(|one| other.contains_key(*one)).position(|one| one == key)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::knowledge::release::GroupKind;

    /// Checks which fields do not come back to their place when `a` and `b` move into `r`.
    #[track_caller]
    fn check(before: &Value, expected: &[&str]) {
        let lens: Lens =
            serde_yaml::from_str("[{ move: { from: a, to: r.a } }, { move: { from: b, to: r.b } }]").unwrap();
        let mut session = Session::new(before.clone());
        lens.run(&mut session).unwrap();
        let found = displaced(before, &session, 0, &lens.inverse(&GroupKind::new("A", "")));
        assert_eq!(found.iter().map(FieldPath::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_field_that_was_beside_the_mapping_comes_back() {
        check(&json!({"a": 1, "r": {"x": 0}, "b": 2}), &[]);
        check(&json!({"x": 0, "r": {"x": 0}, "a": 1, "y": 0}), &[]);
        check(&json!({"x": 0, "a": 1, "b": 2, "y": 0}), &[]);
    }

    #[test]
    fn a_field_that_was_further_away_does_not() {
        check(&json!({"a": 1, "x": 0, "r": {"x": 0}}), &["r.a"]);
        check(&json!({"r": {"x": 0}, "x": 0, "b": 2, "y": 0}), &["r.b"]);
        check(&json!({"x": 0, "a": 1, "y": 0, "b": 2}), &["r.b"]);
    }
}

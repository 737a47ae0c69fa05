//! What becomes of mappings that operations empty, where an empty mapping means the same as none?
//!
//! Invariant: a mapping that was written empty stays.

use serde_json::{Map, Value};

use super::condition::Condition;
use super::operation::Halt;
use super::session::Session;
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::yaml::Place;

/// A part of a place in which an empty mapping means the same as none: one that operations empty is removed.
#[derive(Clone, Debug)]
pub(crate) struct Emptied {
    /// The path of the part from the place.
    pub within: FieldPath,
    /// The mapping that is kept.
    pub keep: Option<Keep>,
}

/// A mapping that shows what a place is, and is kept, empty, where the operations move everything out of it.
#[derive(Clone, Debug)]
pub(crate) struct Keep {
    /// The path of the mapping from the place.
    pub field: FieldPath,
    /// A test for the place under which it is not needed.
    pub unless: Condition,
}

impl Emptied {
    /// Runs `change` in a place, then removes the mappings that it emptied.
    pub(super) fn during<'a>(
        &self,
        session: &mut Session<'a>,
        change: impl FnOnce(&mut Session<'a>) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let (before, step) = (session.shared(), session.program().len());
        change(session)?;
        if session.program().len() == step {
            return Ok(());
        }
        let kept = self.keep.as_ref().filter(|keep| !keep.unless.holds(session.object())).map(|keep| &keep.field);
        let is_new = |path: &FieldPath| {
            let was = session.origin_after(step, path).get(&before).and_then(Value::as_object);
            was.is_some_and(|map| !map.is_empty()) && *path != self.within && Some(path) != kept
        };
        let mut emptied = Vec::new();
        if let Some(part) = self.within.get(session.object()) {
            collect(&self.within, part, &is_new, &mut emptied);
        }
        emptied.into_iter().try_for_each(|path| session.delete(path))?;
        match kept {
            Some(field) if field.get(&before).is_some() => add_again(field, session),
            _ => Ok(()),
        }
    }
}

/// Collects the outermost mappings below `path` that hold nothing but mappings that are empty and `is_new`; returns whether `value`,
/// which is at `path`, is one.
fn collect(path: &FieldPath, value: &Value, is_new: &dyn Fn(&FieldPath) -> bool, found: &mut Vec<FieldPath>) -> bool {
    let Value::Object(map) = value else { return false };
    let (outer, mut is_one) = (found.len(), true);
    for (key, value) in map {
        let inner = path.key(key);
        match collect(&inner, value, is_new, found) {
            true => found.push(inner),
            false => is_one = false,
        }
    }
    is_one = is_one && is_new(path);
    if is_one {
        found.truncate(outer);
    }
    is_one
}

/// Adds the mapping `field` where the operations removed it.
fn add_again(field: &FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
    let Some((path, Step::Key(key))) = field.split_last() else { return Ok(()) };
    if field.get(session.object()).is_some() || !path.get(session.object()).is_some_and(Value::is_object) {
        return Ok(());
    }
    session.insert(path.key(key), Value::Object(Map::new()), Place::Last)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::sequence::Lens;
    use super::super::trial::data;
    use super::super::when::at_each;
    use super::*;

    /// Drops `v.a.b` and `v.c.d.e` and moves `v.k.m` to `v.n`, where `v` is the part and `v.k` is kept unless `named`.
    #[track_caller]
    fn check(before: &Value, after: &Value) {
        let lens: Lens = serde_yaml::from_str(
            "[{ drop: { field: v.a.b, reason: r } }, { drop: { field: v.c.d.e, reason: r } }, { move: { from: v.k.m, to: v.n } }]",
        )
        .unwrap();
        let root = FieldPath::default();
        let unless = serde_json::from_value(json!({"present": "named"})).unwrap();
        let keep = Some(Keep { field: root.key("v").key("k"), unless });
        let lens = at_each(root.pattern(), Condition::default(), Some(Emptied { within: root.key("v"), keep }), lens);
        assert_eq!(data(&lens, before).unwrap().0, *after);
    }

    #[test]
    fn an_emptied_mapping_goes_with_those_that_hold_nothing_else() {
        check(&json!({"v": {"a": {"b": 1}, "c": {"d": {"e": 1}}, "x": 1}}), &json!({"v": {"x": 1}}));
        check(&json!({"v": {"c": {"d": {"e": 1}, "f": {}}}}), &json!({"v": {"c": {"f": {}}}}));
        check(&json!({"v": {"a": {"b": 1, "g": 2}}}), &json!({"v": {"a": {"g": 2}}}));
    }

    #[test]
    fn a_mapping_that_was_written_empty_stays() {
        check(&json!({"v": {"a": {}, "c": {"d": {"e": 1}}}}), &json!({"v": {"a": {}}}));
        check(&json!({"v": {"a": {}, "c": {"d": {}}}}), &json!({"v": {"a": {}, "c": {"d": {}}}}));
    }

    #[test]
    fn the_mapping_that_shows_what_a_place_is_stays_where_it_is_needed() {
        check(&json!({"v": {"k": {"m": 1}}}), &json!({"v": {"n": 1, "k": {}}}));
        check(&json!({"v": {"k": {"m": 1}}, "named": 1}), &json!({"v": {"n": 1}, "named": 1}));
    }

    #[test]
    fn the_part_itself_stays() {
        check(&json!({"v": {"a": {"b": 1}}}), &json!({"v": {}}));
    }
}

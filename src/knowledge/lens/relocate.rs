//! The operation `move`: a field gets another path in the object. (The module is not called `move`: that is a keyword.)

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use super::operation::{Claims, Description, Direction, Operation, Pass, Steps};
use super::session::{Halt, Session};
use crate::syntax::field::{FieldPath, FieldPattern, Part, Step};
use crate::syntax::yaml::Place;

/// `move: { from: spec.cacheSize, to: spec.cache.size }`
#[derive(Clone, Debug)]
pub(super) struct Move {
    /// What both paths share, up to the last `[]` or `{}`.
    base: FieldPattern,
    /// The old path below the base: keys only.
    from: FieldPath,
    /// The new path below the base: keys only.
    to: FieldPath,
}

/// In which order several fields move into or out of one mapping: the inverses run in the reverse order, and each finds the
/// neighbours that the step it reverses had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// The first field first.
    Trailing,
    /// The last field first.
    Leading,
}

impl Side {
    const fn of(direction: Direction) -> Self {
        match direction {
            Direction::Forward => Self::Trailing,
            Direction::Backward => Self::Leading,
        }
    }

    /// Returns the place for a new branch in `parent`, in which what comes from `from` is to be.
    fn branch_place(self, from: &FieldPath, parent: &FieldPath) -> Place {
        match (key_below(from, parent), self) {
            (Some(key), Self::Trailing) => Place::Before(key.to_owned()),
            (Some(key), Self::Leading) => Place::After(key.to_owned()),
            (None, Self::Trailing) => Place::Last,
            (None, Self::Leading) => Place::First,
        }
    }
}

/// Returns the key of the entry of `mapping` in which `path` is.
fn key_below<'p>(path: &'p FieldPath, mapping: &FieldPath) -> Option<&'p str> {
    match path.steps().strip_prefix(mapping.steps())? {
        [Step::Key(key), ..] => Some(key),
        _ => None,
    }
}

/// A field that moves, and what moves with it: where it is put shows what was around it, so that the inverse puts it back.
struct Mover<'s, 'a> {
    side: Side,
    from: &'s FieldPath,
    /// The mapping that it moves into.
    parent: &'s FieldPath,
    /// The steps of the lens that follow.
    rest: Steps<'s>,
    session: &'s Session<'a>,
}

impl Mover<'_, '_> {
    /// Returns the place of the field in its new mapping: what was before a branch is first in it, what was behind it last, and
    /// vice versa. What is between other fields gets the place on one side, from which it does not come back.
    fn place(&self) -> Place {
        let (source, key) = split_key(self.from);
        let into = key_below(self.parent, &source);
        let out_of = key_below(self.from, self.parent);
        match (into, out_of) {
            (Some(branch), _) => self.place_inside(self.is_before(&source, &key, branch)),
            (None, Some(branch)) if self.replaces_first(&source, &key, branch) => Place::First,
            (None, Some(branch)) => self.place_beside(branch, self.is_first(&source, &key)),
            (None, None) => self.side.branch_place(self.from, self.parent),
        }
    }

    fn keys(&self, mapping: &FieldPath) -> Vec<&str> {
        let map = mapping.get(self.session.object()).and_then(Value::as_object);
        map.into_iter().flat_map(Map::keys).map(String::as_str).collect()
    }

    fn is_before(&self, mapping: &FieldPath, key: &str, other: &str) -> bool {
        self.keys(mapping).into_iter().find(|one| [key, other].contains(one)) == Some(key)
    }

    /// Returns whether the field is the first of its mapping, and not the last, besides those that leave it too; the side
    /// decides where it is both or neither.
    fn is_first(&self, mapping: &FieldPath, key: &str) -> bool {
        let keys = self.keys(mapping);
        let at = keys.iter().position(|one| *one == key).unwrap_or_default();
        let leave = |keys: &[&str]| keys.iter().all(|key| self.leaves(mapping, key));
        match (leave(&keys[..at]), leave(&keys[at + 1..])) {
            (true, false) => true,
            (false, true) => false,
            (true, true) | (false, false) => self.side == Side::Trailing,
        }
    }

    /// Returns whether the field becomes the first of its new mapping instead of the branch it leaves, which nothing stays in.
    fn replaces_first(&self, source: &FieldPath, key: &str, branch: &str) -> bool {
        let is_first = *source == self.parent.key(branch) && self.keys(self.parent).first() == Some(&branch);
        let leaves = |other: &&str| *other == key || self.leaves(source, other);
        is_first && self.side == Side::Trailing && self.keys(source).iter().all(leaves)
    }

    /// Returns whether a step that follows takes the entry out of its mapping.
    fn leaves(&self, mapping: &FieldPath, key: &str) -> bool {
        let outer = self.rest.follow(mapping.pattern());
        let entry = self.rest.follow(mapping.key(key).pattern());
        entry.and_then(|entry| entry.split_last().map(|(parent, _)| parent)).is_some_and(|parent| Some(parent) != outer)
    }

    /// Returns whether an entry came into its mapping in this session.
    fn arrived(&self, mapping: &FieldPath, key: &str) -> bool {
        let origin = self.session.origin(&mapping.key(key));
        origin.split_last().is_none_or(|(parent, _)| parent != self.session.origin(mapping))
    }

    fn place_inside(&self, is_first: bool) -> Place {
        let keys = self.keys(self.parent);
        let arrived = |key: &&&str| self.arrived(self.parent, key);
        let neighbour = match (is_first, self.side) {
            (true, Side::Trailing) => keys.iter().take_while(arrived).last(),
            (false, Side::Leading) => keys.iter().rev().take_while(arrived).last(),
            (true, Side::Leading) | (false, Side::Trailing) => None,
        };
        match (is_first, neighbour) {
            (true, Some(key)) => Place::After((*key).to_owned()),
            (false, Some(key)) => Place::Before((*key).to_owned()),
            (true, None) => Place::First,
            (false, None) => Place::Last,
        }
    }

    fn place_beside(&self, branch: &str, is_before: bool) -> Place {
        let keys = self.keys(self.parent);
        let at = keys.iter().position(|key| *key == branch).unwrap_or_default();
        let arrived = |key: &&&str| self.arrived(self.parent, key);
        let neighbour = match (is_before, self.side) {
            (true, Side::Leading) => keys[..at].iter().rev().take_while(arrived).last(),
            (false, Side::Trailing) => keys[at + 1..].iter().take_while(arrived).last(),
            (true, Side::Trailing) | (false, Side::Leading) => None,
        };
        let key = (*neighbour.unwrap_or(&branch)).to_owned();
        if is_before { Place::Before(key) } else { Place::After(key) }
    }
}

impl Move {
    pub(super) const DESCRIPTION: Description = Description {
        name: "move",
        text: "Moves a field, with its comments, to another path in the object. Missing parents are added where the field was, \
               and parents that it leaves empty are removed. `[]` and `{}` are allowed in the part that both paths share. \
               What was before or behind the mapping that it moves into is first or last in it, so that the inverse, which \
               moves back, restores the order; where it was further away, the order is reported as written in another form. \
               A conflict where the new path is taken.",
        example: "move: { from: spec.cacheSize, to: spec.cache.size }",
    };

    fn new(from: &FieldPattern, to: &FieldPattern) -> Option<Self> {
        let wild = |part: &Part| !matches!(part, Part::Key(_));
        let shared = from.parts().iter().rposition(wild).map_or(0, |at| at + 1);
        let (base, old) = from.parts().split_at(shared);
        let new = to.parts().strip_prefix(base)?;
        let from = FieldPattern::new(old.iter().cloned()).as_path()?;
        let to = FieldPattern::new(new.iter().cloned()).as_path()?;
        (!from.steps().is_empty() && !to.steps().is_empty() && !to.starts_with(&from) && !from.starts_with(&to))
            .then(|| Self { base: FieldPattern::new(base.iter().cloned()), from, to })
    }

    fn move_one(&self, base: &FieldPath, pass: &Pass<'_>, session: &mut Session) -> Result<(), Halt> {
        let [old, new] = pass.direction.ends([&self.from, &self.to]);
        let (from, side) = (base.join(old), Side::of(pass.direction));
        if from.get(session.object()).is_none() {
            return Ok(());
        }
        let to = base.join(new);
        if to.get(session.object()).is_some() {
            return Err(Halt::Conflict { old: from, new: to });
        }
        let (parent, key) = split_key(&to);
        if parent.steps().len() > base.steps().len() && parent.get(session.object()).is_some_and(is_empty) {
            session.record_normalization(&parent, "it was empty, and is removed when the field moves back out of it");
        }
        make_parents(base, &parent, |outer| side.branch_place(&from, outer), session)?;
        let place = Mover { side, from: &from, parent: &parent, rest: pass.rest, session }.place();
        session.relocate(from.clone(), parent.key(&key), place)?;
        remove_emptied(base, &from, session)
    }
}

/// Adds the missing parents of a new path, from `base` to `parent`; `place` says where the outermost is put in the mapping above it.
fn make_parents(
    base: &FieldPath,
    parent: &FieldPath,
    place: impl Fn(&FieldPath) -> Place,
    session: &mut Session,
) -> Result<(), Halt> {
    let mut have = parent.clone();
    let mut value = Value::Object(Map::new());
    let mut missing = None;
    while have.steps().len() > base.steps().len() && have.get(session.object()).is_none() {
        let (outer, key) = split_key(&have);
        if let Some(inner) = missing.replace(key) {
            value = Value::Object(Map::from_iter([(inner, value)]));
        }
        have = outer;
    }
    let Some(key) = missing else { return Ok(()) };
    let place = place(&have);
    session.insert(have.key(&key), value, place)
}

/// Removes the mappings between `base` and the removed field `from`, innermost first, as long as they are empty.
pub(super) fn remove_emptied(base: &FieldPath, from: &FieldPath, session: &mut Session) -> Result<(), Halt> {
    let mut path = from.clone();
    while let Some((parent, _)) = path.split_last().filter(|(parent, _)| parent.steps().len() > base.steps().len()) {
        if !parent.get(session.object()).and_then(Value::as_object).is_some_and(Map::is_empty) {
            break;
        }
        session.delete(parent.clone())?;
        path = parent;
    }
    Ok(())
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty)
}

/// Splits a path of keys into its parent and last key.
fn split_key(path: &FieldPath) -> (FieldPath, String) {
    let (parent, _) = path.split_last().expect("checked when the rule was read: both paths have a key");
    (parent, path.last_key().expect("checked when the rule was read: keys only").to_owned())
}

impl Operation for Move {
    fn run(&self, pass: &Pass<'_>, session: &mut Session) -> Result<(), Halt> {
        self.base.matches(session.object()).iter().try_for_each(|base| self.move_one(base, pass, session))
    }

    fn reorders(&self) -> bool {
        true
    }

    fn claims(&self) -> Claims {
        let below = |path: &FieldPath| self.base.join(&path.pattern());
        Claims { old: vec![below(&self.from)], new: vec![below(&self.to)] }
    }
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The field as it is called before.
            from: FieldPattern,
            /// The field as it is called afterwards.
            to: FieldPattern,
        }
        let wire = Wire::deserialize(deserializer)?;
        Self::new(&wire.from, &wire.to).ok_or_else(|| {
            let (from, to) = (wire.from, wire.to);
            de::Error::custom(format!(
                "cannot move {from} to {to}: both must share every `[]` and `{{}}`, and neither may contain the other"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::sequence::Lens;
    use super::*;
    use crate::knowledge::release::GroupKind;
    use serde_json::json;

    /// Compares as text, so that the order of keys counts.
    #[track_caller]
    fn check(lens: &str, before: &Value, after: &Value) {
        let lens: Lens = serde_yaml::from_str(lens).unwrap();
        let run = |lens: &Lens, value: &Value| {
            let mut session = Session::new(value.clone());
            lens.run(&mut session).unwrap();
            session.object().to_string()
        };
        assert_eq!(run(&lens, before), after.to_string());
        assert_eq!(run(&lens.inverse(&GroupKind::new("A", "")), after), before.to_string());
    }

    #[test]
    fn several_moves_keep_the_order_in_both_directions() {
        let out = "[{ move: { from: \"l[].r.a\", to: \"l[].a\" } }, { move: { from: \"l[].r.b\", to: \"l[].b\" } }]";
        check(
            out,
            &json!({"l": [{"x": 0, "r": {"a": 1, "b": 2}, "y": 0}]}),
            &json!({"l": [{"x": 0, "a": 1, "b": 2, "y": 0}]}),
        );
        let into = "[{ move: { from: a, to: r.c.a } }, { move: { from: b, to: r.c.b } }]";
        check(into, &json!({"x": 0, "a": 1, "b": 2, "y": 0}), &json!({"x": 0, "r": {"c": {"a": 1, "b": 2}}, "y": 0}));
    }

    #[test]
    fn what_moves_into_a_mapping_comes_back_to_the_side_where_it_was() {
        let into = "[{ rename: { field: s.t, to: v } }, { move: { from: s.a, to: s.v.a } }, { move: { from: s.b, to: s.v.b } }]";
        let check_each = |before: [&str; 2], after: Value| {
            let [left, right] = before.map(|text| serde_yaml::from_str::<Map<String, Value>>(text).unwrap());
            let spec: Map<_, _> =
                left.into_iter().chain([("t".to_owned(), json!({"x": 0, "y": 0}))]).chain(right).collect();
            check(into, &json!({"s": spec}), &json!({"s": after}));
        };
        check_each(["{ a: 1, b: 2 }", "{}"], json!({"v": {"a": 1, "b": 2, "x": 0, "y": 0}}));
        check_each(["{}", "{ a: 1, b: 2 }"], json!({"v": {"x": 0, "y": 0, "a": 1, "b": 2}}));
        check_each(["{ a: 1 }", "{ b: 2 }"], json!({"v": {"a": 1, "x": 0, "y": 0, "b": 2}}));
        check_each(
            ["{ o: 0, b: 2 }", "{ a: 1, p: 0 }"],
            json!({"o": 0, "v": {"b": 2, "x": 0, "y": 0, "a": 1}, "p": 0}),
        );
    }

    #[test]
    fn what_moves_out_of_a_mapping_comes_back_to_the_side_where_it_was() {
        let out = "[{ move: { from: s.v.a, to: s.a } }, { move: { from: s.v.b, to: s.b } }]";
        check(out, &json!({"s": {"v": {"a": 1, "b": 2, "x": 0}}}), &json!({"s": {"a": 1, "b": 2, "v": {"x": 0}}}));
        check(out, &json!({"s": {"v": {"x": 0, "a": 1, "b": 2}}}), &json!({"s": {"v": {"x": 0}, "a": 1, "b": 2}}));
        check(out, &json!({"s": {"v": {"a": 1, "x": 0, "b": 2}}}), &json!({"s": {"a": 1, "v": {"x": 0}, "b": 2}}));
    }
}

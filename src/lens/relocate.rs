//! The operation `move`: a field gets another path in the object. (The module is not called `move`: that is a keyword.)

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use super::halt::Halt;
use super::image::Claims;
use super::operation::{Description, Operation};
use super::session::Session;
use crate::field::{FieldPath, FieldPattern, Part, Step};
use crate::release::GroupKind;
use crate::yaml::{Intent, Place};

/// `move: { from: spec.cacheSize, to: spec.cache.size }`
#[derive(Clone, Debug)]
pub(super) struct Move {
    /// What both paths share, up to the last `[]` or `{}`.
    base: FieldPattern,
    /// The old path below the base: keys only.
    from: FieldPath,
    /// The new path below the base: keys only.
    to: FieldPath,
    /// Its position among the other fields.
    side: Side,
}

/// The position of a moved field: chosen so that several moves, reversed in reverse order, restore every position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Before the branch that it comes from, or last in another one.
    Trailing,
    /// After the branch that it comes from, or first in another one.
    Leading,
}

impl Side {
    const fn reversed(self) -> Self {
        match self {
            Self::Trailing => Self::Leading,
            Self::Leading => Self::Trailing,
        }
    }

    /// Returns the place in `parent` for what comes from `from`.
    fn place(self, from: &FieldPath, parent: &FieldPath) -> Place {
        let below = from.starts_with(parent).then(|| from.steps().get(parent.steps().len())).flatten();
        match (below, self) {
            (Some(Step::Key(key)), Self::Trailing) => Place::Before(key.clone()),
            (Some(Step::Key(key)), Self::Leading) => Place::After(key.clone()),
            (_, Self::Trailing) => Place::Last,
            (_, Self::Leading) => Place::First,
        }
    }
}

impl Move {
    pub(super) const DESCRIPTION: Description = Description {
        name: "move",
        text: "Moves a field, with its comments, to another path in the object. Missing parents are added where the field was, \
               and parents that it leaves empty are removed. `[]` and `{}` are allowed in the part that both paths share. \
               The inverse moves back. Exact; a conflict where the new path is taken.",
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
            .then(|| Self { base: FieldPattern::new(base.iter().cloned()), from, to, side: Side::Trailing })
    }

    fn move_one(&self, base: &FieldPath, session: &mut Session) -> Result<(), Halt> {
        let from = base.join(&self.from);
        if from.get(session.object()).is_none() {
            return Ok(());
        }
        let to = base.join(&self.to);
        if to.get(session.object()).is_some() {
            return Err(Halt::Conflict { old: from, new: to });
        }
        let (parent, key) = split_key(&to);
        self.make_parents(base, &parent, session)?;
        let place = self.side.place(&from, &parent);
        session.change(Intent::Move { from: from.clone(), to: parent, key, place })?;
        self.remove_emptied(base, &from, session)
    }

    /// Adds the missing parents of the new path: the outermost is put where the branch of the old field is.
    fn make_parents(&self, base: &FieldPath, parent: &FieldPath, session: &mut Session) -> Result<(), Halt> {
        let depth = |path: &FieldPath| path.steps().len();
        let mut have = parent.clone();
        let mut value = Value::Object(Map::new());
        let mut missing = None;
        while depth(&have) > depth(base) && have.get(session.object()).is_none() {
            let (outer, key) = split_key(&have);
            if let Some(inner) = missing.replace(key) {
                value = Value::Object(Map::from_iter([(inner, value)]));
            }
            have = outer;
        }
        let Some(key) = missing else { return Ok(()) };
        let place = self.side.place(&base.join(&self.from), &have);
        session.change(Intent::Insert { path: have, key, value, place })
    }

    /// Removes the old field's parents, innermost first, as long as they are empty.
    fn remove_emptied(&self, base: &FieldPath, from: &FieldPath, session: &mut Session) -> Result<(), Halt> {
        let mut path = from.clone();
        while let Some((parent, _)) = path.split_last().filter(|(parent, _)| parent.steps().len() > base.steps().len()) {
            let empty = parent.get(session.object()).and_then(Value::as_object).is_some_and(Map::is_empty);
            if !empty {
                break;
            }
            session.change(Intent::Delete { path: parent.clone() })?;
            path = parent;
        }
        Ok(())
    }
}

/// Splits a path of keys into its parent and last key.
fn split_key(path: &FieldPath) -> (FieldPath, String) {
    let (parent, _) = path.split_last().expect("checked when the rule was read: both paths have a key");
    (parent, path.last_key().expect("checked when the rule was read: keys only").to_owned())
}

impl Operation for Move {
    fn run(&self, session: &mut Session) -> Result<(), Halt> {
        for base in self.base.matches(session.object()) {
            self.move_one(&base, session)?;
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Self { base: self.base.clone(), from: self.to.clone(), to: self.from.clone(), side: self.side.reversed() })
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
            de::Error::custom(format!("cannot move {from} to {to}: both must share every `[]` and `{{}}`, and neither may contain the other"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::data;
    use super::super::operation::Operation;
    use super::super::sequence::Lens;
    use super::*;
    use serde_json::json;

    /// Compares as text, so that the order of keys counts.
    #[track_caller]
    fn check(lens: &str, before: &Value, after: &Value) {
        let lens: Lens = serde_yaml::from_str(lens).unwrap();
        let run = |lens: &Lens, value: &Value| {
            let operations = lens.operations().iter().map(AsRef::as_ref);
            operations.fold(value.clone(), |value, operation: &dyn Operation| data(operation, &value).unwrap().0).to_string()
        };
        assert_eq!(run(&lens, before), after.to_string());
        assert_eq!(run(&lens.inverse(&GroupKind::new("A", "")), after), before.to_string());
    }

    #[test]
    fn several_moves_keep_the_order_in_both_directions() {
        let out = "[{ move: { from: \"l[].r.a\", to: \"l[].a\" } }, { move: { from: \"l[].r.b\", to: \"l[].b\" } }]";
        check(out, &json!({"l": [{"x": 0, "r": {"a": 1, "b": 2}, "y": 0}]}), &json!({"l": [{"x": 0, "a": 1, "b": 2, "y": 0}]}));
        let into = "[{ move: { from: a, to: r.c.a } }, { move: { from: b, to: r.c.b } }]";
        check(into, &json!({"x": 0, "a": 1, "b": 2, "y": 0}), &json!({"x": 0, "r": {"c": {"a": 1, "b": 2}}, "y": 0}));
    }
}

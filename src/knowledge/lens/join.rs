//! The operation `join`: a value becomes the first or last item of a list beside it.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::operation::{Claims, Description, Direction, Fidelity, Form, Image, Operation, Pass, Premise, Side};
use super::session::{Halt, Session};
use crate::syntax::field::{FieldPath, FieldPattern, Part};
use crate::syntax::yaml::{Intent, Place};

/// `join: { field: spec.valuesFile, to: valuesFiles, position: first }`
#[derive(Clone, Debug)]
pub(super) struct Join {
    joined: Joined,
    /// The only direction in which something changes, where the old side can hold the whole list too.
    direction: Option<Direction>,
}

/// A field, and the list beside it that takes it.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    pub(super) parent: FieldPattern,
    pub(super) key: String,
    /// The key of the list.
    pub(super) list: String,
    pub(super) position: Position,
}

impl Joined {
    /// Splits `field` into the mapping that it is in and its key, which a list under the key `list` of that mapping takes.
    ///
    /// # Errors
    /// A message, if there is no such list.
    pub(super) fn new(field: &FieldPattern, list: String, position: Position) -> Result<Self, String> {
        match field.split_last() {
            Some((parent, Part::Key(key))) if *key != list => Ok(Self { parent, key: key.clone(), list, position }),
            Some((_, Part::Key(_))) => Err(format!("{field} cannot be joined into itself")),
            _ => Err(format!("{field} does not end in a key, so there is no list beside it")),
        }
    }

    pub(super) fn field(&self) -> FieldPattern {
        self.parent.key(&self.key)
    }

    pub(super) fn list(&self) -> FieldPattern {
        self.parent.key(&self.list)
    }
}

/// On which side of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Position {
    /// Before its items.
    First,
    /// Behind its items.
    Last,
}

impl Position {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Last => "last",
        }
    }

    /// The index in a list of this length that something new gets.
    pub(super) const fn index(self, length: usize) -> usize {
        match self {
            Self::First => 0,
            Self::Last => length,
        }
    }
}

impl Join {
    pub(super) const DESCRIPTION: Description = Description {
        name: "join",
        text: "Makes the value of `field` the `first` or `last` item, as `position` says, of the list under the key `to` beside \
               it; the list is added where it is absent. A value that the list has is not added again. The inverse takes the \
               item at that position out of the list, and the list with its only one. Exact, except for a value that is in the \
               list elsewhere and for an empty list. Where old objects can do with the list alone, write `direction: forward`: the \
               value is joined in that direction only, which is reported, and converting back leaves the list as it is. A conflict where \
               `to` is no list.",
        example: "join: { field: spec.valuesFile, to: valuesFiles, position: first }",
    };

    /// Joins the value in the mapping at `parent` into the list there.
    fn join(&self, parent: &FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        let Joined { key, list: into, position, .. } = &self.joined;
        let (from, list) = (parent.key(key), parent.key(into));
        let Some(value) = from.get(session.object()).cloned() else { return Ok(()) };
        if value.is_null() {
            session.record_removal(&from, "null means that it is absent");
            return session.delete(from);
        }
        if self.direction.is_some() {
            session.record_normalization(&from, format!("{list} has it as its {} item", position.name()));
        }
        let items = match list.get(session.object()) {
            None => {
                session.change(Intent::Rename { path: from.clone(), to: into.clone() })?;
                return session.change(Intent::Wrap { path: list.index(0) });
            }
            Some(Value::Array(items)) => items.clone(),
            Some(Value::Null) => Vec::new(),
            Some(_) => return Err(Halt::Conflict { old: from, new: list }),
        };
        if items.is_empty() {
            session.record_normalization(&from, format!("{list} is empty, and converting back leaves it out"));
        }
        if !items.contains(&value) {
            return session.relocate(from, list.index(position.index(items.len())), Place::Last);
        }
        session.record_normalization(&from, format!("{list} has it already"));
        session.delete(from)
    }

    /// Takes the value out of the list in the mapping at `parent`.
    fn part(&self, parent: &FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        let Joined { key, list: out_of, position, .. } = &self.joined;
        let (to, list) = (parent.key(key), parent.key(out_of));
        let Some(items) = list.get(session.object()).and_then(Value::as_array) else { return Ok(()) };
        let Some(last) = items.len().checked_sub(1) else { return Ok(()) };
        let (count, index) = (items.len(), position.index(last));
        let is_twice = items.iter().filter(|item| **item == items[index]).count() > 1;
        if to.get(session.object()).is_some() {
            return Err(Halt::Conflict { old: list, new: to });
        }
        if is_twice {
            session.record_normalization(&list, format!("{to} has an item that is in the list twice"));
        }
        if count == 1 {
            session.change(Intent::Unwrap { path: list.index(0) })?;
            return session.change(Intent::Rename { path: list, to: key.clone() });
        }
        let place = match position {
            Position::First => Place::Before(out_of.clone()),
            Position::Last => Place::After(out_of.clone()),
        };
        session.relocate(list.index(index), to, place)
    }
}

impl Join {
    /// Whether values are joined in `direction`; none are taken out of a list again where there is only one direction.
    fn joins(&self, direction: Direction) -> bool {
        direction == self.direction.unwrap_or(Direction::Forward)
    }

    fn takes_out(&self, direction: Direction) -> bool {
        self.direction.is_none() && direction == Direction::Backward
    }
}

impl Operation for Join {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        let parents = self.joined.parent.matches(session.object());
        if self.joins(pass.direction) {
            return parents.iter().try_for_each(|parent| self.join(parent, session));
        }
        match self.takes_out(pass.direction) {
            true => parents.iter().try_for_each(|parent| self.part(parent, session)),
            false => Ok(()),
        }
    }

    /// The list can be on both sides.
    fn claims(&self) -> Claims {
        Claims::removing(self.joined.field(), self.direction.unwrap_or(Direction::Forward))
    }

    fn premises(&self) -> Vec<Premise> {
        let side = if self.direction == Some(Direction::Backward) { Side::Old } else { Side::New };
        vec![Premise::new(&self.joined.list(), Form::List, side)]
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        let below = field.below(&self.joined.field()).filter(|_| self.joins(direction));
        below.map_or(Image::Kept, |below| Image::Moved(self.joined.list().items().join(&below)))
    }

    /// Each item of the list can be the one that is taken out, and the others stay.
    fn images(&self, direction: Direction, field: &FieldPattern) -> BTreeSet<Image> {
        let below = field.below(&self.joined.list().items()).filter(|_| self.takes_out(direction));
        let out = below.map(|below| Image::Moved(self.joined.field().join(&below)));
        out.into_iter().chain([self.image(direction, field)]).collect()
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        match self.direction {
            None => vec![Fidelity::Exact, Fidelity::Normalized],
            Some(only) if only == direction => vec![Fidelity::Normalized],
            Some(_) => Vec::new(),
        }
    }
}

impl<'de> Deserialize<'de> for Join {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The value.
            field: FieldPattern,
            /// The key of the list, beside the value.
            to: String,
            /// Which item of the list the value becomes.
            position: Position,
            /// The only direction in which something changes, where the old side can hold the whole list too: `direction: forward`.
            direction: Option<Direction>,
        }
        let Wire { field, to, position, direction } = Wire::deserialize(deserializer)?;
        Ok(Self { joined: Joined::new(&field, to, position).map_err(de::Error::custom)?, direction })
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use crate::knowledge::release::GroupKind;
    use serde_json::json;

    #[track_caller]
    fn check(position: &str, old: Value, new: Value) {
        let join = operation(&format!("join: {{ field: s.a, to: l, position: {position} }}"));
        let back = join.inverse(&GroupKind::new("A", ""));
        assert_eq!(data(&join, &old), Ok((new.clone(), 0)));
        assert_eq!(data(&back, &new).unwrap().0.to_string(), old.to_string(), "the order of keys counts");
        assert_eq!(data(&join, &new), Ok((new, 0)));
    }

    #[test]
    fn a_value_is_joined_in_front_and_behind() {
        check("first", json!({"s": {"a": 1, "l": [2, 3], "z": 0}}), json!({"s": {"l": [1, 2, 3], "z": 0}}));
        check("last", json!({"s": {"l": [2, 3], "a": 1, "z": 0}}), json!({"s": {"l": [2, 3, 1], "z": 0}}));
        for position in ["first", "last"] {
            check(position, json!({"s": {"a": 1, "z": 0}}), json!({"s": {"l": [1], "z": 0}}));
        }
    }

    /// Runs `join` on `object`: what it becomes, and where it means the same without coming back.
    fn normalized(position: &str, object: Value) -> (Value, Vec<String>) {
        let join = operation(&format!("join: {{ field: s.a, to: l, {position} }}"));
        let mut session = Session::new(object);
        join.run(&mut session).unwrap();
        let told = session.normalized().iter().map(|one| one.path.to_string()).collect();
        (session.object().clone(), told)
    }

    #[test]
    fn an_empty_list_does_not_come_back() {
        for list in [json!([]), json!(null)] {
            let (object, told) = normalized("position: last", json!({"s": {"a": 1, "l": list}}));
            assert_eq!((object, told), (json!({"s": {"l": [1]}}), vec!["s.a".to_owned()]));
        }
    }

    #[test]
    fn null_is_no_item() {
        let (object, told) = normalized("position: last", json!({"s": {"a": null, "l": [1]}}));
        assert_eq!((object, told), (json!({"s": {"l": [1]}}), vec!["s.a".to_owned()]));
    }

    #[test]
    fn a_value_is_not_added_twice() {
        for list in [json!([1, 2]), json!([2, 1])] {
            let (object, told) = normalized("position: first", json!({"s": {"a": 1, "l": list}}));
            assert_eq!((object, told), (json!({"s": {"l": list}}), vec!["s.a".to_owned()]));
        }
    }

    #[test]
    fn with_a_direction_the_list_stays() {
        let text = "position: first, direction: forward";
        let (object, told) = normalized(text, json!({"s": {"a": 1, "l": [2]}}));
        assert_eq!((object, told), (json!({"s": {"l": [1, 2]}}), vec!["s.a".to_owned()]));
        let join = operation("join: { field: s.a, to: l, position: first, direction: forward }");
        let same = json!({"s": {"l": [1, 2]}});
        assert_eq!(data(&join.inverse(&GroupKind::new("A", "")), &same), Ok((same.clone(), 0)));
    }

    #[test]
    fn what_is_no_list_takes_no_item() {
        let join = operation("join: { field: s.a, to: l, position: first }");
        let taken = json!({"s": {"a": 1, "l": "x"}});
        assert!(matches!(data(&join, &taken), Err(Halt::Conflict { new, .. }) if new.to_string() == "s.l"));
        let back = join.inverse(&GroupKind::new("A", ""));
        assert!(matches!(data(&back, &json!({"s": {"a": 1, "l": [2]}})), Err(Halt::Conflict { .. })));
        for same in [json!({"s": {"l": []}}), json!({"s": {"l": null}}), json!({"s": {"b": 1}})] {
            assert_eq!(data(&back, &same), Ok((same.clone(), 0)));
        }
    }

    #[test]
    fn fields_are_followed_in_both_directions() {
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        let join = operation("join: { field: s.a, to: l, position: first }");
        let back = join.inverse(&GroupKind::new("A", ""));
        assert_eq!(join.image(&field("s.a.b")), Image::Moved(field("s.l[].b")));
        assert_eq!(join.image(&field("s.l[]")), Image::Kept);
        assert_eq!(back.images(&field("s.l[]")), [Image::Kept, Image::Moved(field("s.a"))].into());
        assert_eq!(back.claims(), Claims { old: vec![], new: vec![field("s.a")] });
    }

    #[test]
    fn operations_without_a_list_are_rejected() {
        for text in ["field: s.a, to: a, position: first", "field: \"s[]\", to: a, position: last", "field: s.a, to: l"]
        {
            assert!(serde_yaml::from_str::<Box<dyn Operation>>(&format!("join: {{ {text} }}")).is_err(), "{text}");
        }
    }
}

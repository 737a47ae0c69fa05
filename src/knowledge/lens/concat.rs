//! The operation `concat`: the items of a list go before or behind those of a list beside it.

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::join::{Joined, Position};
use super::operation::{Claims, Description, Direction, Fidelity, Form, Image, Operation, Pass, Premise, Side};
use super::session::{Halt, Session};
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::yaml::Intent;

/// `concat: { field: spec.before, to: steps, position: first, direction: forward }`
#[derive(Clone, Debug)]
pub(super) struct Concat {
    /// The list that is taken apart, and the one beside it that takes the items.
    joined: Joined,
    /// The only direction in which something changes: where one list ends in the other is not known afterwards.
    direction: Direction,
}

impl Concat {
    pub(super) const DESCRIPTION: Description = Description {
        name: "concat",
        text: "Puts the items of the list `field`, in their order and with their comments, before or behind the items of the list \
               under the key `to` beside it, as `position` says: `first` or `last`. Where that list is absent or empty, `field` is \
               renamed; where `field` is empty, it is removed. Only in `direction`, and reported: which items came from which list is \
               not known afterwards, so in the other direction the list stays as it is, and the rule is for a side that can hold \
               the whole list under `to` too. Refused where one of the two is no list.",
        example: "concat: { field: spec.setup, to: steps, position: first, direction: forward }",
    };

    /// Empties one of the two lists in the mapping at `parent` into the other.
    fn concat(&self, parent: &FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
        let Joined { key, list: into, position, .. } = &self.joined;
        let (from, list) = (parent.key(key), parent.key(into));
        let count = match from.get(session.object()) {
            None => return Ok(()),
            Some(Value::Null) => 0,
            Some(Value::Array(items)) => items.len(),
            Some(_) => return Err(no_list(&from)),
        };
        if count == 0 {
            session.record_removal(&from, "it has no items");
            return session.delete(from);
        }
        let length = match list.get(session.object()) {
            None => None,
            Some(Value::Null) => Some(0),
            Some(Value::Array(items)) => Some(items.len()),
            Some(_) => return Err(no_list(&list)),
        };
        session.record_normalization(&from, format!("its items are the {} ones of {list}", position.name()));
        match length {
            None => session.change(Intent::Rename { path: from, to: into.clone() }),
            Some(0) => {
                session.delete(list)?;
                session.change(Intent::Rename { path: from, to: into.clone() })
            }
            Some(length) => session.change(Intent::MoveItems { from, list, index: position.index(length), count }),
        }
    }
}

/// Refuses to add the items of something that is no list, or to add items to it.
fn no_list(path: &FieldPath) -> Halt {
    let reason = format!("{path} is no list, so it has no items");
    Halt::refused(path.clone(), reason, "write it as a list")
}

impl Operation for Concat {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        if self.direction != pass.direction {
            return Ok(());
        }
        self.joined.parent.matches(session.object()).iter().try_for_each(|parent| self.concat(parent, session))
    }

    /// The list that takes the items can be on both sides.
    fn claims(&self) -> Claims {
        Claims::removing(self.joined.field(), self.direction)
    }

    fn premises(&self) -> Vec<Premise> {
        let [from, to] = self.direction.ends([Side::Old, Side::New]);
        let of_list = |field, side| Premise::new(&field, Form::List, side);
        vec![of_list(self.joined.field(), from), of_list(self.joined.list(), to)]
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        let below = field.below(&self.joined.field()).filter(|_| self.direction == direction);
        below.map_or(Image::Kept, |below| Image::Moved(self.joined.list().join(&below)))
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        if self.direction == direction { vec![Fidelity::Normalized] } else { Vec::new() }
    }
}

impl<'de> Deserialize<'de> for Concat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The list whose items move.
            field: FieldPattern,
            /// The key of the list that takes them, beside it.
            to: String,
            /// Where in that list they are.
            position: Position,
            /// The direction in which the lists become one.
            direction: Direction,
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

    /// Runs `concat` on `object`: what it becomes, and where it means the same without coming back.
    #[track_caller]
    fn check(position: &str, object: &Value, after: &Value, told: &[&str]) {
        let concat = operation(&format!("concat: {{ field: s.a, to: l, position: {position}, direction: forward }}"));
        let mut session = Session::new(object.clone());
        concat.run(&mut session).unwrap();
        assert_eq!(session.object().to_string(), after.to_string(), "the order of keys counts");
        let paths: Vec<_> = session.normalized().iter().map(|one| one.path.to_string()).collect();
        assert_eq!(paths, told);
        for lens in [&concat, &concat.inverse(&GroupKind::new("A", ""))] {
            assert_eq!(data(lens, after), Ok((after.clone(), 0)), "one list stays one list");
        }
    }

    #[test]
    fn items_go_before_and_behind_those_of_the_other_list() {
        let object = json!({"s": {"a": [1, 2], "l": [3, 4], "z": 0}});
        check("first", &object, &json!({"s": {"l": [1, 2, 3, 4], "z": 0}}), &["s.a"]);
        check("last", &object, &json!({"s": {"l": [3, 4, 1, 2], "z": 0}}), &["s.a"]);
    }

    #[test]
    fn a_list_without_another_is_renamed() {
        let renamed = json!({"s": {"l": [1], "z": 0}});
        for object in [
            json!({"s": {"a": [1], "z": 0}}),
            json!({"s": {"l": [], "a": [1], "z": 0}}),
            json!({"s": {"a": [1], "z": 0, "l": null}}),
        ] {
            check("last", &object, &renamed, &["s.a"]);
        }
    }

    #[test]
    fn an_empty_list_is_removed() {
        for empty in [json!([]), json!(null)] {
            check("first", &json!({"s": {"a": empty, "l": [3]}}), &json!({"s": {"l": [3]}}), &["s.a"]);
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let concat = operation("concat: { field: s.a, to: l, position: first, direction: forward }");
        for (taken, place) in
            [(json!({"s": {"a": [1], "l": "x"}}), "s.l"), (json!({"s": {"a": {"b": 1}, "l": [1]}}), "s.a")]
        {
            assert!(matches!(data(&concat, &taken), Err(Halt::Refused { at, .. }) if at.to_string() == place));
        }
    }

    #[test]
    fn places_in_both_lists_are_followed() {
        let place = |key: &str, index| FieldPath::default().key("s").key(key).index(index);
        let moved = |position: &str| {
            let text = format!("concat: {{ field: s.a, to: l, position: {position}, direction: forward }}");
            let mut session = Session::new(json!({"s": {"a": [1, 2], "l": [3, 4]}}));
            operation(&text).run(&mut session).unwrap();
            for (key, index) in [("a", 0), ("a", 1), ("l", 0), ("l", 1)] {
                let to = session.destination(&place(key, index)).unwrap();
                assert_eq!(session.origin(&to), place(key, index));
            }
            [("a", 1), ("l", 1)].map(|(key, index)| session.destination(&place(key, index)).unwrap())
        };
        assert_eq!(moved("first"), [place("l", 1), place("l", 3)]);
        assert_eq!(moved("last"), [place("l", 3), place("l", 1)]);
    }

    #[test]
    fn fields_are_followed_in_the_direction_alone() {
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        let concat = operation("concat: { field: s.a, to: l, position: first, direction: forward }");
        let back = concat.inverse(&GroupKind::new("A", ""));
        assert_eq!(concat.image(&field("s.a[].b")), Image::Moved(field("s.l[].b")));
        assert_eq!(concat.image(&field("s.l[]")), Image::Kept);
        assert_eq!(back.image(&field("s.a[]")), Image::Kept);
        assert_eq!(back.claims(), Claims { old: vec![], new: vec![field("s.a")] });
    }

    #[test]
    fn operations_without_two_lists_are_rejected() {
        for text in ["field: s.a, to: a", "field: \"s[]\", to: a"] {
            let text = format!("concat: {{ {text}, position: last, direction: forward }}");
            assert!(serde_yaml::from_str::<Box<dyn Operation>>(&text).is_err(), "{text}");
        }
        let undirected = "concat: { field: s.a, to: l, position: last }";
        assert!(serde_yaml::from_str::<Box<dyn Operation>>(undirected).is_err());
    }
}

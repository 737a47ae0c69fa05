//! The operation `wrap`: a value becomes a list with one item, or a mapping with one entry.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};

use super::operation::{Claims, Description, Direction, Fidelity, Form, Image, Operation, Pass, Premise, Side};
use super::session::{Halt, LossClass, Session};
use super::verdict::undecided;
use crate::syntax::field::{FieldPath, FieldPattern, Part};
use crate::syntax::yaml::Intent;

/// `wrap: { field: spec.targetRef }` or `wrap: { field: "spec.dependsOn[]", key: name }`
#[derive(Clone, Debug)]
pub(super) struct Wrap {
    field: FieldPattern,
    key: Option<String>,
    mapping: bool,
}

impl<'de> Deserialize<'de> for Wrap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The field whose value becomes a list.
            field: FieldPattern,
            /// The key of the value in the mapping that it becomes, `key: name`; a list where there is none.
            key: Option<String>,
            /// Whether the value is a mapping before the change, which is put under `key` as a whole where it does not have that key:
            /// `mapping: true`.
            #[serde(default)]
            mapping: bool,
        }
        let Wire { field, key, mapping } = Wire::deserialize(deserializer)?;
        if mapping && key.is_none() {
            return Err(de::Error::custom(format!(
                "`mapping: true` of {field} needs the `key` that the mapping is put under"
            )));
        }
        Ok(Self { field, key, mapping })
    }
}

impl Wrap {
    pub(super) const DESCRIPTION: Description = Description {
        name: "wrap",
        text: "Makes the value of `field` the only item of a list, in the list style of the file. The inverse replaces the list \
               by its item: exact for one item, a `too-many-items` loss for more (the first is kept), refused for none. With \
               `key`, the value becomes a mapping with that key instead: `[a]` becomes `[{name: a}]` for each item of \
               `field: \"spec.dependsOn[]\", key: name`; a mapping, a list and null are left unchanged. The inverse replaces the mapping by the value \
               of that key: a `dropped-field` loss for each other key, refused without it. With `mapping: true`, a mapping without that key is \
               put under it, `tls: {cert: a}` becomes `tls: {tls: {cert: a}}`; the inverse leaves a mapping without it unchanged.",
        example: "wrap: { field: spec.targetRef }",
    };

    pub(super) const fn new(field: FieldPattern, key: Option<String>) -> Self {
        Self { field, key, mapping: false }
    }

    /// Returns the pattern of the value in the list or mapping.
    fn inner(&self) -> FieldPattern {
        self.field.with(self.key.clone().map_or(Part::Items, Part::Key))
    }

    /// Returns the change for the value at `path`; `None` where it has the new form.
    fn change(&self, path: FieldPath, value: &Value) -> Option<Intent> {
        match &self.key {
            // Null means that the field is absent, on both sides.
            _ if value.is_null() => None,
            None => (!value.is_array()).then_some(Intent::Wrap { path: path.index(0) }),
            Some(key) if self.mapping => {
                // A patch that removes the mapping removes what is in it.
                let is_removed = value.get("$patch").is_some_and(|directive| directive == "delete");
                let is_old = value.as_object().is_some_and(|map| !map.contains_key(key));
                (is_old && !is_removed).then(|| Intent::Wrap { path: path.key(key) })
            }
            // A list is what another operation makes of the mapping.
            Some(key) => (!value.is_object() && !value.is_array()).then(|| Intent::Wrap { path: path.key(key) }),
        }
    }

    /// Gives the value at `path` the new form.
    fn wrap(&self, path: FieldPath, session: &mut Session) -> Result<(), Halt> {
        let Some(value) = path.get(session.object()) else { return Ok(()) };
        let key = self.key.as_ref().filter(|_| self.mapping && value.is_object());
        if let Some(hole) = key.and_then(|key| session.printed_around(&path, key)) {
            return Err(undecided(hole.clone(), session.object()));
        }
        let change = self.change(path.clone(), value);
        change.map_or(Ok(()), |change| session.change(change))
    }

    /// Gives the value at `path` the old form.
    fn unwrap(&self, path: FieldPath, session: &mut Session) -> Result<(), Halt> {
        match (path.get(session.object()), &self.key) {
            (Some(Value::Array(items)), None) => {
                let count = items.len();
                Self::unwrap_list(path, count, session)
            }
            (Some(Value::Object(map)), Some(key)) if self.mapping && !map.contains_key(key) => Ok(()),
            (Some(Value::Object(_)), Some(key)) => Self::unwrap_mapping(path, key, session),
            _ => Ok(()),
        }
    }

    /// Replaces the list at `path` by its first item.
    fn unwrap_list(path: FieldPath, count: usize, session: &mut Session) -> Result<(), Halt> {
        if count == 0 {
            let reason = format!("{path} is an empty list, and the target release requires exactly one value");
            return Err(Halt::refused(path, reason, "add an item or remove the field"));
        }
        for index in (1..count).rev() {
            let item = path.index(index);
            session.record_loss(
                LossClass::TooManyItems,
                &item,
                format!("the target release allows one item, and there are {count}"),
            );
            session.delete(item)?;
        }
        session.change(Intent::Unwrap { path: path.index(0) })
    }

    /// Replaces the mapping at `path` by the value of `key`.
    fn unwrap_mapping(path: FieldPath, key: &str, session: &mut Session) -> Result<(), Halt> {
        let map = path.get(session.object()).and_then(Value::as_object);
        let names: Vec<String> = map.into_iter().flat_map(Map::keys).filter(|name| *name != key).cloned().collect();
        if path.key(key).get(session.object()).is_none() {
            let reason = format!("{path} has no {key}, and in the target release it is its {key} alone");
            return Err(Halt::refused(path, reason, format!("write {key}, or remove the field")));
        }
        for name in names {
            let other = path.key(&name);
            session.record_loss(
                LossClass::DroppedField,
                &other,
                format!("in the target release {path} is its {key} alone"),
            );
            session.delete(other)?;
        }
        session.change(Intent::Unwrap { path: path.key(key) })
    }
}

impl Operation for Wrap {
    fn run(&self, pass: &Pass<'_>, session: &mut Session) -> Result<(), Halt> {
        self.field.matches(session.object()).into_iter().try_for_each(|path| {
            let is_null = path.get(session.object()).is_some_and(Value::is_null);
            if is_null && session.is_printed(&path) && !session.open().is_known_by_default(session.object(), &path) {
                return Err(undecided(path, session.object()));
            }
            match pass.direction {
                Direction::Forward => self.wrap(path, session),
                Direction::Backward => self.unwrap(path, session),
            }
        })
    }

    fn claims(&self) -> Claims {
        let new = self.key.iter().map(|_| self.inner()).collect();
        Claims { old: Vec::new(), new }
    }

    fn premises(&self) -> Vec<Premise> {
        let form = |form, side| Premise::new(&self.field, form, side);
        match self.key {
            Some(_) if self.mapping => vec![form(Form::Mapping, Side::Old), form(Form::Mapping, Side::New)],
            // Any value can be put into a mapping, a list too; what follows can make a list of the mapping.
            Some(_) => vec![form(Form::Present, Side::Old), form(Form::Structure, Side::New)],
            None => vec![form(Form::Single, Side::Old), form(Form::List, Side::New)],
        }
    }

    fn makes_valid(&self, _direction: Direction, field: &FieldPattern) -> bool {
        *field == self.field
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        let Some(below) = field.below(&self.field) else { return Image::Kept };
        match (direction, field.below(&self.inner()), &self.key) {
            (Direction::Backward, Some(below), _) => Image::Moved(self.field.join(&below)),
            (_, _, _) if below.parts().is_empty() => Image::Kept,
            (Direction::Forward, None, Some(_)) if self.mapping => Image::Moved(self.inner().join(&below)),
            (Direction::Backward, None, Some(_)) => Image::Dropped,
            // What is below a mapping is not wrapped.
            (Direction::Backward, None, None) | (Direction::Forward, _, Some(_)) => Image::Kept,
            (Direction::Forward, _, None) => Image::Moved(self.inner().join(&below)),
        }
    }

    fn images(&self, direction: Direction, field: &FieldPattern) -> BTreeSet<Image> {
        // The mapping is where the value was, and the value is in it.
        let is_wrapped = direction == Direction::Forward && self.key.is_some() && *field == self.field;
        let inside = is_wrapped.then(|| Image::Moved(self.inner()));
        inside.into_iter().chain([self.image(direction, field)]).collect()
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        match direction {
            Direction::Forward => vec![Fidelity::Exact],
            Direction::Backward if self.mapping => vec![Fidelity::Exact, Fidelity::Lossy],
            Direction::Backward => vec![Fidelity::Exact, Fidelity::Lossy, Fidelity::Refused],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sequence::Lens;
    use super::super::trial::{data, operation};
    use super::*;
    use crate::knowledge::release::GroupKind;
    use serde_json::json;

    fn wrap() -> Lens {
        operation("wrap: { field: \"d[]\", key: name }")
    }

    fn back() -> Lens {
        wrap().inverse(&GroupKind::new("A", ""))
    }

    #[test]
    fn what_is_wrapped_in_a_mapping_can_be_a_list() {
        let forms: Vec<Form> = wrap().premises().into_iter().map(|premise| premise.form).collect();
        assert_eq!(forms, [Form::Present, Form::Structure]);
    }

    #[test]
    fn values_become_mappings_and_back() {
        let (old, new) = (json!({"d": ["a", 1, null]}), json!({"d": [{"name": "a"}, {"name": 1}, null]}));
        assert_eq!(data(&wrap(), &old), Ok((new.clone(), 0)));
        assert_eq!(data(&back(), &new), Ok((old.clone(), 0)));
        // Each item has the form of one side or the other.
        assert_eq!(
            data(&wrap(), &json!({"d": ["a", {"name": "b"}]})),
            Ok((json!({"d": [{"name": "a"}, {"name": "b"}]}), 0))
        );
        assert_eq!(data(&back(), &old), Ok((old, 0)));
    }

    #[test]
    fn other_keys_are_lost_one_by_one() {
        let mut session = Session::new(json!({"d": [{"namespace": "n", "name": "a", "port": 1}]}));
        back().run(&mut session).unwrap();
        let lost: Vec<_> = session.losses().iter().map(|loss| loss.path.to_string()).collect();
        assert_eq!(lost, ["d[0].namespace", "d[0].port"]);
        assert_eq!(*session.object(), json!({"d": ["a"]}));
        let halt = data(&back(), &json!({"d": [{"namespace": "n"}]})).unwrap_err();
        assert!(matches!(halt, Halt::Refused { at, .. } if at.to_string() == "d[0]"));
    }

    #[test]
    fn a_mapping_is_nested_under_a_key_of_its_own_name() {
        let nest = operation("wrap: { field: tls, key: tls, mapping: true }");
        let back = nest.inverse(&GroupKind::new("A", ""));
        let (old, new) = (json!({"tls": {"cert": "a"}}), json!({"tls": {"tls": {"cert": "a"}}}));
        assert_eq!(data(&nest, &old), Ok((new.clone(), 0)));
        assert_eq!(data(&back, &new), Ok((old.clone(), 0)));
        assert_eq!(data(&nest, &new), Ok((new, 0)));
        assert_eq!(data(&back, &old), Ok((old, 0)));
        for same in [json!({"tls": "a"}), json!({"tls": ["a"]}), json!({"tls": null})] {
            assert_eq!(data(&nest, &same), Ok((same.clone(), 0)));
        }
        let more = json!({"tls": {"mode": "a", "tls": {}}});
        assert_eq!(data(&back, &more), Ok((json!({"tls": {}}), 1)));
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(nest.image(&field("tls.cert")), Image::Moved(field("tls.tls.cert")));
        assert_eq!(nest.images(&field("tls")), [Image::Kept, Image::Moved(field("tls.tls"))].into());
        assert_eq!(back.image(&field("tls.tls.cert")), Image::Moved(field("tls.cert")));
        assert_eq!(nest.claims(), Claims { old: vec![], new: vec![field("tls.tls")] });
        let error = serde_yaml::from_str::<Box<dyn Operation>>("wrap: { field: tls, mapping: true }").unwrap_err();
        assert!(error.to_string().contains("needs the `key`"), "{error}");
    }

    #[test]
    fn fields_are_followed_in_both_directions() {
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(wrap().claims(), Claims { old: vec![], new: vec![field("d[].name")] });
        assert_eq!(wrap().images(&field("d[]")), [Image::Kept, Image::Moved(field("d[].name"))].into());
        assert_eq!(back().image(&field("d[].name")), Image::Moved(field("d[]")));
        assert_eq!(back().image(&field("d[].namespace")), Image::Dropped);
        assert_eq!(back().image(&field("d[]")), Image::Kept);
        let list = operation("wrap: { field: d }");
        assert_eq!(list.image(&field("d.x")), Image::Moved(field("d[].x")));
        assert_eq!(list.inverse(&GroupKind::new("A", "")).image(&field("d[].x")), Image::Moved(field("d.x")));
    }
}

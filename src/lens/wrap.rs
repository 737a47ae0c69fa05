//! The operation `wrap`: a value becomes a list with one item, or a mapping with one entry.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::{Claims, Image};
use super::loss::LossClass;
use super::operation::{Description, Operation};
use super::premise::{Form, Premise, Side};
use super::session::Session;
use crate::field::{FieldPath, FieldPattern, Part};
use crate::release::GroupKind;
use crate::yaml::Intent;

/// `wrap: { field: spec.targetRef }` or `wrap: { field: "spec.dependsOn[]", key: name }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wrap {
    /// The field whose value becomes a list.
    field: FieldPattern,
    /// The key of the value in the mapping that it becomes; a list where there is none.
    key: Option<String>,
}

impl Wrap {
    pub(super) const DESCRIPTION: Description = Description {
        name: "wrap",
        text: "Makes the value of `field` the only item of a list, in the list style of the file. The inverse replaces the list \
               by its item: exact for one item, a `too-many-items` loss for more (the first is kept), refused for none. With \
               `key`, the value becomes a mapping with that key instead: `[a]` becomes `[{name: a}]` for each item of \
               `field: \"spec.dependsOn[]\", key: name`; a mapping, a list and null are left unchanged. The inverse replaces the mapping by the value \
               of that key: a `dropped-field` loss for each other key, refused without it.",
        example: "wrap: { field: spec.targetRef }",
    };

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
            // A list is what another operation makes of the mapping.
            Some(key) => (!value.is_object() && !value.is_array()).then(|| Intent::Wrap { path: path.key(&key) }),
        }
    }
}

impl Operation for Wrap {
    fn run(&self, session: &mut Session) -> Result<(), Halt> {
        for path in self.field.matches(session.object()) {
            let change = path.get(session.object()).and_then(|value| self.change(path.clone(), value));
            change.map_or(Ok(()), |change| session.change(change))?;
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Unwrap(self.clone()))
    }

    fn claims(&self) -> Claims {
        let new = self.key.iter().map(|_| self.inner()).collect();
        Claims { old: Vec::new(), new }
    }

    fn premises(&self) -> Vec<Premise> {
        let form = |form, side| Premise::new(&self.field, form, side);
        vec![form(Form::Single, Side::Old), form(Form::List, Side::New)]
    }

    fn makes_valid(&self, field: &FieldPattern) -> bool {
        *field == self.field
    }

    fn image(&self, field: &FieldPattern) -> Image {
        match field.parts().strip_prefix(self.field.parts()) {
            None | Some([]) => Image::Kept,
            // What is below a mapping is not wrapped.
            Some(_) if self.key.is_some() => Image::Kept,
            Some(below) => Image::Moved(self.inner().join(&FieldPattern::new(below.iter().cloned()))),
        }
    }

    fn images(&self, field: &FieldPattern) -> BTreeSet<Image> {
        // The mapping is where the value was, and the value is in it.
        let inside = (self.key.is_some() && *field == self.field).then(|| Image::Moved(self.inner()));
        inside.into_iter().chain([self.image(field)]).collect()
    }
}

/// The inverse of [`Wrap`]. Not written in rule files.
#[derive(Clone, Debug)]
struct Unwrap(Wrap);

impl Unwrap {
    /// Replaces the list at `path` by its first item.
    fn unwrap_list(&self, path: FieldPath, count: usize, session: &mut Session) -> Result<(), Halt> {
        if count == 0 {
            let reason = format!("{path} is an empty list, and the target release requires exactly one value");
            return Err(Halt::Refused { at: path, reason, help: Some("add an item or remove the field".to_owned()) });
        }
        for index in (1..count).rev() {
            let item = path.index(index);
            session.record_loss(
                LossClass::Narrowed,
                &item,
                format!("the target release allows one item, and there are {count}"),
            );
            session.change(Intent::Delete { path: item })?;
        }
        session.change(Intent::Unwrap { path: path.index(0) })
    }

    /// Replaces the mapping at `path` by the value of `key`.
    fn unwrap_mapping(&self, path: FieldPath, key: &str, session: &mut Session) -> Result<(), Halt> {
        let map = path.get(session.object()).and_then(Value::as_object);
        let names: Vec<String> = map.into_iter().flat_map(Map::keys).filter(|name| *name != key).cloned().collect();
        if path.key(key).get(session.object()).is_none() {
            let reason = format!("{path} has no {key}, and in the target release it is its {key} alone");
            return Err(Halt::Refused { at: path, reason, help: Some(format!("write {key}, or remove the field")) });
        }
        for name in names {
            let other = path.key(&name);
            session.record_loss(
                LossClass::DroppedField,
                &other,
                format!("in the target release {path} is its {key} alone"),
            );
            session.change(Intent::Delete { path: other })?;
        }
        session.change(Intent::Unwrap { path: path.key(key) })
    }
}

impl Operation for Unwrap {
    fn run(&self, session: &mut Session) -> Result<(), Halt> {
        for path in self.0.field.matches(session.object()) {
            match (path.get(session.object()), &self.0.key) {
                (Some(Value::Array(items)), None) => {
                    let count = items.len();
                    self.unwrap_list(path, count, session)?;
                }
                (Some(Value::Object(_)), Some(key)) => self.unwrap_mapping(path, key, session)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(self.0.clone())
    }

    fn claims(&self) -> Claims {
        let Claims { old, new } = self.0.claims();
        Claims { old: new, new: old }
    }

    fn makes_valid(&self, field: &FieldPattern) -> bool {
        *field == self.0.field
    }

    fn image(&self, field: &FieldPattern) -> Image {
        let inside = self.0.inner();
        match (field.parts().strip_prefix(inside.parts()), field.parts().strip_prefix(self.0.field.parts())) {
            (Some(below), _) => Image::Moved(self.0.field.join(&FieldPattern::new(below.iter().cloned()))),
            (None, Some([_, ..])) if self.0.key.is_some() => Image::Dropped,
            (None, _) => Image::Kept,
        }
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Refused)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        BTreeSet::from([Fidelity::Exact, Fidelity::Lossy, Fidelity::Refused])
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use serde_json::json;

    fn wrap() -> Box<dyn Operation> {
        operation("wrap: { field: \"d[]\", key: name }")
    }

    fn back() -> Box<dyn Operation> {
        wrap().inverse(&GroupKind::new("A", ""))
    }

    #[test]
    fn values_become_mappings_and_back() {
        let (old, new) = (json!({"d": ["a", 1, null]}), json!({"d": [{"name": "a"}, {"name": 1}, null]}));
        assert_eq!(data(&*wrap(), &old), Ok((new.clone(), 0)));
        assert_eq!(data(&*back(), &new), Ok((old.clone(), 0)));
        // Each item has the form of one side or the other.
        assert_eq!(
            data(&*wrap(), &json!({"d": ["a", {"name": "b"}]})),
            Ok((json!({"d": [{"name": "a"}, {"name": "b"}]}), 0))
        );
        assert_eq!(data(&*back(), &old), Ok((old, 0)));
    }

    #[test]
    fn other_keys_are_lost_one_by_one() {
        let mut session = Session::new(json!({"d": [{"namespace": "n", "name": "a", "port": 1}]}));
        back().run(&mut session).unwrap();
        let lost: Vec<_> = session.losses().iter().map(|loss| loss.path.to_string()).collect();
        assert_eq!(lost, ["d[0].namespace", "d[0].port"]);
        assert_eq!(*session.object(), json!({"d": ["a"]}));
        let halt = data(&*back(), &json!({"d": [{"namespace": "n"}]})).unwrap_err();
        assert!(matches!(halt, Halt::Refused { at, .. } if at.to_string() == "d[0]"));
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

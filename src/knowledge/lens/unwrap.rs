//! The operation `unwrap`: what [`Wrap`] does, in the other direction.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::operation::{Claims, Description, Direction, Fidelity, Image, Operation, Pass, Premise, Side};
use super::session::{Halt, Session};
use super::wrap::Wrap;
use crate::syntax::field::FieldPattern;

/// `unwrap: { field: spec.targetRefs }` or `unwrap: { field: spec.secretRef, key: name }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unwrap {
    /// The list or mapping that is replaced by the value in it.
    field: FieldPattern,
    /// The key of the value in the mapping, `key: name`; the only item of a list where there is none.
    key: Option<String>,
}

impl Unwrap {
    pub(super) const DESCRIPTION: Description = Description {
        name: "unwrap",
        text: "Replaces the list `field` by its item, or with `key` a mapping by the value of that key: what [`wrap`](#wrap) does, in the \
               other direction. Exact for one item, a `too-many-items` loss for more (the first is kept), refused for none; a `dropped-field` \
               loss for each other key, refused without that key. The inverse makes a list or mapping of the value again.",
        example: "unwrap: { field: spec.targetRefs }",
    };

    /// Returns the operation whose inverse this is.
    fn wrap(&self) -> Wrap {
        Wrap::new(self.field.clone(), self.key.clone())
    }
}

impl Operation for Unwrap {
    fn run(&self, pass: &Pass<'_>, session: &mut Session) -> Result<(), Halt> {
        self.wrap().run(&Pass { direction: pass.direction.reversed(), ..*pass }, session)
    }

    fn claims(&self) -> Claims {
        let Claims { old, new } = self.wrap().claims();
        Claims { old: new, new: old }
    }

    fn premises(&self) -> Vec<Premise> {
        let reversed = |premise: Premise| Premise {
            side: match premise.side {
                Side::Old => Side::New,
                Side::New => Side::Old,
                Side::Either => Side::Either,
            },
            ..premise
        };
        self.wrap().premises().into_iter().map(reversed).collect()
    }

    fn makes_valid(&self, direction: Direction, field: &FieldPattern) -> bool {
        self.wrap().makes_valid(direction.reversed(), field)
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        self.wrap().image(direction.reversed(), field)
    }

    fn images(&self, direction: Direction, field: &FieldPattern) -> BTreeSet<Image> {
        self.wrap().images(direction.reversed(), field)
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        self.wrap().fidelities(direction.reversed())
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use crate::knowledge::release::GroupKind;
    use serde_json::json;

    fn check(text: &str, old: serde_json::Value, new: serde_json::Value) {
        let lens = operation(text);
        assert_eq!(data(&lens, &old), Ok((new.clone(), 0)));
        assert_eq!(data(&lens.inverse(&GroupKind::new("A", "")), &new), Ok((old, 0)));
    }

    #[test]
    fn what_is_in_a_list_or_mapping_takes_its_place() {
        check("unwrap: { field: d }", json!({"d": ["a"]}), json!({"d": "a"}));
        check("unwrap: { field: \"d[]\", key: name }", json!({"d": [{"name": "a"}]}), json!({"d": ["a"]}));
    }

    #[test]
    fn what_has_no_place_is_lost_or_held_back() {
        let list = operation("unwrap: { field: d }");
        assert_eq!(data(&list, &json!({"d": ["a", "b"]})), Ok((json!({"d": "a"}), 1)));
        assert!(data(&list, &json!({"d": []})).is_err());
        let mapping = operation("unwrap: { field: d, key: name }");
        assert_eq!(data(&mapping, &json!({"d": {"name": "a", "port": 1}})), Ok((json!({"d": "a"}), 1)));
        assert!(data(&mapping, &json!({"d": {"port": 1}})).is_err());
    }

    #[test]
    fn fields_are_followed_in_both_directions() {
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        let list = operation("unwrap: { field: d }");
        assert_eq!(list.image(&field("d[].x")), Image::Moved(field("d.x")));
        assert_eq!(list.inverse(&GroupKind::new("A", "")).image(&field("d.x")), Image::Moved(field("d[].x")));
        let mapping = operation("unwrap: { field: d, key: name }");
        assert_eq!(mapping.claims(), Claims { old: vec![field("d.name")], new: vec![] });
        assert_eq!(mapping.image(&field("d.name")), Image::Moved(field("d")));
    }
}

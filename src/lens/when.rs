//! The operation `when`: other operations run only where a test holds.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::condition::Condition;
use super::emptied::Emptied;
use super::object_view::{ObjectView, some_of};
use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::{Claims, Image};
use super::operation::{Description, Operation};
use super::references::{ReferencedBy, Referrers, References, unknown_namespaces};
use super::sequence::Lens;
use super::session::Session;
use crate::field::{FieldPath, FieldPattern, Part};
use crate::release::GroupKind;

/// `when: { if: { present: spec.tls }, then: [...] }`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct When {
    /// Objects of another kind that reference this one, for which the test under `if` must hold, instead of this object: `named-by: { kind:
    /// ShopClass.example.com, refs: spec.parametersRef }`. Where they differ, the object is held back.
    named_by: Option<ReferencedBy>,
    /// The objects that this one references, which convert together with it or not at all: `together-with: { kind:
    /// ShopConfig.example.com, refs: spec.configRef }`.
    together_with: Option<References>,
    /// The places that are tested, each for itself: `each: "spec.listeners[]"`; fields in `if` and `then` are named from there. The object
    /// itself where it is not written.
    #[serde(default)]
    each: FieldPattern,
    /// What must hold for the place.
    #[serde(default)]
    r#if: Condition,
    /// The operations that run there.
    then: Lens,
    /// What must hold for the place when the object is converted back, where that is another test than `if`: `back: { present:
    /// spec.validation }`.
    back: Option<Condition>,
    /// Not written in rule files.
    #[serde(skip)]
    emptied: Option<Emptied>,
}

/// Returns the lens that runs `lens` on every `place` in an object for which `condition` holds; `emptied` says what becomes of the
/// mappings in it that `lens` empties.
#[must_use]
pub fn at_each(place: FieldPattern, condition: Condition, emptied: Option<Emptied>, lens: Lens) -> Lens {
    let when = When { named_by: None, together_with: None, each: place, r#if: condition, then: lens, back: None, emptied };
    Lens::from(vec![Box::new(when) as Box<dyn Operation>])
}

impl When {
    pub(super) const DESCRIPTION: Description = Description {
        name: "when",
        text: "Runs the operations under `then` where the test under `if` holds: `present`, `absent`, `equals`, `same`, \
               `type`, `more`, `total`, `exceeds`, `text`, `keys`, `repeats`, `some`, `not`, `all`, `any`. With `each`, test and operations are about each \
               place that matches it, and their fields are relative to it. With `named-by`, only where such an object of the run \
               references this one; where that depends on namespaces that the files do not show, the object is held back. With \
               `together-with`, an object that changes here is held back where one that it references, or may reference, there \
               is held back. The inverse runs the inverses where the test under `back` holds, which is `if` unless written.",
        example: "when: { if: { absent: spec.mode }, then: [{ rename: { field: spec.tls, to: validation } }] }",
    };

    /// Returns `field` relative to a place.
    fn inner(&self, field: &FieldPattern) -> Option<FieldPattern> {
        let parts: &[Part] = field.parts().strip_prefix(self.each.parts())?;
        Some(FieldPattern::new(parts.iter().cloned()))
    }

    fn run_everywhere(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let data = session.view_for(|is_read| self.r#if.compares(is_read));
        // A change in one place changes no other.
        for place in self.each.matches_where(&data, |value| self.r#if.holds(value)) {
            session.within(&place, |inner| match &self.emptied {
                Some(emptied) => emptied.during(inner, |inner| self.run_together(inner)),
                None => self.run_together(inner),
            })?;
        }
        Ok(())
    }

    /// Runs the operations, of which the last may remove the references to others.
    fn run_together(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let (targets, before) = (self.together_with.iter().flat_map(|references| references.targets(session)), session.program().len());
        let targets: Vec<ObjectView<'_>> = targets.collect();
        self.then.run(session)?;
        if session.program().len() > before {
            targets.iter().for_each(|other| session.convert_together_with(other));
        }
        Ok(())
    }

    /// Returns whether the operations run on every object that has a field that matches `field`.
    fn is_sure_of(&self, field: &FieldPattern) -> bool {
        self.inner(field).is_some_and(|inner| self.r#if.follows_from(&inner))
    }
}

/// Refuses an object that others reference only if they are in its namespace, which is unknown.
fn refused_namespace(referrers: &Referrers<'_>, session: &Session<'_>) -> Halt {
    let others: Vec<_> = referrers.possible.iter().map(|(other, _)| *other).collect();
    let unknown = unknown_namespaces(&others, session.namespace());
    let titles = some_of(&others, ObjectView::described);
    let reason = format!("it is not certain that {titles} references the object: {unknown}");
    let help = "set metadata.namespace in both, or add the kustomization that sets it to the run".to_owned();
    Halt::Refused { at: FieldPath::default().key("metadata").key("name"), reason, help: Some(help) }
}

impl Operation for When {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let Some(reference) = &self.named_by else { return self.run_everywhere(session) };
        let referrers = reference.referrers(session);
        let before = session.program().len();
        if !referrers.certain.is_empty() {
            self.run_everywhere(session)?;
        } else if !referrers.possible.is_empty() {
            let mut trial = session.clone();
            self.run_everywhere(&mut trial)?;
            return if trial.program().len() > before { Err(refused_namespace(&referrers, session)) } else { Ok(()) };
        }
        if session.program().len() > before {
            referrers.certain.iter().for_each(|(other, _)| session.convert_together_with(other));
        }
        Ok(())
    }

    fn inverse(&self, kind: &GroupKind) -> Box<dyn Operation> {
        let back = self.back.as_ref().unwrap_or(&self.r#if).clone();
        let then = self.then.inverse(kind);
        Box::new(Self {
            named_by: self.named_by.clone(),
            together_with: self.together_with.clone(),
            each: self.each.clone(),
            r#if: back,
            then,
            back: Some(self.r#if.clone()),
            emptied: self.emptied.clone(),
        })
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        let named_by = self.named_by.iter().map(|reference| reference.kind().clone());
        let targets = self.together_with.iter().map(|references| references.kind().clone());
        named_by.chain(targets).chain(self.then.kinds_read()).collect()
    }

    fn claims(&self) -> Claims {
        let outer = |fields: Vec<FieldPattern>| fields.iter().map(|field| self.each.join(field)).collect();
        let claims = self.then.claims();
        Claims { old: outer(claims.old), new: outer(claims.new) }
    }

    fn image(&self, field: &FieldPattern) -> Image {
        match self.inner(field).map(|field| self.then.image(&field)) {
            Some(Image::Moved(field)) => Image::Moved(self.each.join(&field)),
            // Objects that do not pass the test keep the field.
            Some(Image::Refused) if !self.is_sure_of(field) => Image::Kept,
            Some(image) => image,
            None => Image::Kept,
        }
    }

    fn images(&self, field: &FieldPattern) -> BTreeSet<Image> {
        let Some(inner) = self.inner(field) else { return BTreeSet::from([Image::Kept]) };
        let outer = |image| match image {
            Image::Moved(moved) => Image::Moved(self.each.join(&moved)),
            other => other,
        };
        let kept = (!self.is_sure_of(field)).then_some(Image::Kept);
        self.then.images(&inner).into_iter().map(outer).chain(kept).collect()
    }

    fn value_image(&self, field: &FieldPattern, value: &str) -> Option<String> {
        self.then.value_image(&self.inner(field)?, value)
    }

    fn claims_value(&self, field: &FieldPattern, value: &Value) -> bool {
        let Some(inner) = self.inner(field) else { return false };
        self.r#if.is_met_by(&inner, value) && self.then.claims_value(&inner, value)
    }

    fn makes_valid(&self, field: &FieldPattern) -> bool {
        self.inner(field).is_some_and(|inner| self.r#if.follows_from(&inner) && self.then.makes_valid(&inner))
    }

    fn fidelity(&self) -> Option<Fidelity> {
        self.fidelities().into_iter().next_back()
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        let refused = self.named_by.as_ref().map(|_| Fidelity::Refused);
        self.then.fidelities().into_iter().chain(refused).collect()
    }

    fn is_conditional(&self) -> bool {
        true
    }

    fn retypes(&self, kind: &GroupKind) -> Option<GroupKind> {
        self.then.retypes(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, operation};
    use super::*;
    use serde_json::json;

    #[test]
    fn operations_run_from_each_place() {
        let when = operation(
            "when: { each: \"l[]\", if: { equals: { field: p, value: 1 } }, then: [{ move: { from: a, to: b.c } }] }",
        );
        let before = json!({"l": [{"p": 1, "a": 5}, {"p": 2, "a": 6}, {"p": 1}]});
        let after = json!({"l": [{"p": 1, "b": {"c": 5}}, {"p": 2, "a": 6}, {"p": 1}]});
        assert_eq!(data(&*when, &before), Ok((after.clone(), 0)));
        assert_eq!(data(&*when.inverse(&GroupKind::new("A", "")), &after), Ok((before, 0)));
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(when.claims(), Claims { old: vec![field("l[].a")], new: vec![field("l[].b.c")] });
        assert_eq!(when.image(&field("l[].a.x")), Image::Moved(field("l[].b.c.x")));
        assert_eq!(when.image(&field("a")), Image::Kept);
        assert_eq!(when.images(&field("l[].a")), [Image::Kept, Image::Moved(field("l[].b.c"))].into());
        let unconditional = operation("when: { each: \"l[]\", if: { present: a }, then: [{ rename: { field: a, to: b } }] }");
        assert_eq!(unconditional.images(&field("l[].a")), [Image::Moved(field("l[].b"))].into());
        assert_eq!(unconditional.images(&field("a")), [Image::Kept].into());
    }

    #[test]
    fn losses_and_refusals_have_the_path_from_the_object() {
        let drop = "when: { each: \"l[]\", then: [{ rename: { field: a, to: b } }, { drop: { field: b, reason: r } }] }";
        let mut session = Session::new(json!({"l": [{}, {"a": 1}]}));
        operation(drop).run(&mut session).unwrap();
        assert_eq!(session.losses()[0].path.to_string(), "l[1].a");
        let refuse = "when: { each: \"l[]\", if: { present: a }, then: [{ refuse: { direction: forward, at: a, reason: r, help: h } }] }";
        let halt = operation(refuse).run(&mut Session::new(json!({"l": [{}, {"a": 1}]}))).unwrap_err();
        assert!(matches!(halt, Halt::Refused { at, .. } if at.to_string() == "l[1].a"));
    }
}

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
use super::operation::{Constant, Description, Operation, Parameter};
use super::premise::Premise;
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
    each: Each,
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

/// The places that operations are about: those that match one pattern or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "OneOrMore")]
struct Each(Vec<FieldPattern>);

impl std::default::Default for Each {
    fn default() -> Self {
        Self(vec![FieldPattern::default()])
    }
}

/// `each: spec.backend` or `each: [spec.backend, "spec.rules[].backend"]`
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(FieldPattern),
    More(Vec<FieldPattern>),
}

impl TryFrom<OneOrMore> for Each {
    type Error = String;

    fn try_from(written: OneOrMore) -> Result<Self, Self::Error> {
        let patterns = match written {
            OneOrMore::One(pattern) => vec![pattern],
            OneOrMore::More(patterns) => patterns,
        };
        if patterns.is_empty() {
            return Err("`each` lists no place: write one, or omit it".to_owned());
        }
        for (at, pattern) in patterns.iter().enumerate() {
            let mut others = patterns.iter().enumerate().filter(|(other, _)| *other != at);
            // The operations would run twice on what is inside both.
            if let Some((_, outer)) = others.find(|(_, other)| pattern.starts_with(other)) {
                return Err(format!("`each` lists {pattern}, which is in {outer}: write two operations"));
            }
        }
        Ok(Self(patterns))
    }
}

impl Each {
    /// Returns the pattern that `field` is below, and `field` relative to it.
    fn around(&self, field: &FieldPattern) -> Option<(&FieldPattern, FieldPattern)> {
        self.0.iter().find_map(|place| {
            let below: &[Part] = field.parts().strip_prefix(place.parts())?;
            Some((place, FieldPattern::new(below.iter().cloned())))
        })
    }
}

/// Returns the lens that runs `lens` on every `place` in an object for which `condition` holds; `emptied` says what becomes of the
/// mappings in it that `lens` empties.
#[must_use]
pub fn at_each(place: FieldPattern, condition: Condition, emptied: Option<Emptied>, lens: Lens) -> Lens {
    let each = Each(vec![place]);
    let when = When { named_by: None, together_with: None, each, r#if: condition, then: lens, back: None, emptied };
    Lens::from(vec![Box::new(when) as Box<dyn Operation>])
}

impl When {
    pub(super) const DESCRIPTION: Description = Description {
        name: "when",
        text: "Runs the operations under `then` where the test under `if` holds: `present`, `absent`, `equals`, `same`, \
               `type`, `more`, `total`, `exceeds`, `text`, `keys`, `repeats`, `some`, `not`, `all`, `any`. With `each`, one field or a list of them, test and \
               operations are about each place that matches one, and their fields are relative to it. With `named-by`, only where such an object of the run \
               references this one; where that depends on namespaces that the files do not show, the object is held back. With \
               `together-with`, an object that changes here is held back where one that it references, or may reference, there \
               is held back. The inverse runs the inverses where the test under `back` holds, which is `if` unless written.",
        example: "when: { if: { absent: spec.mode }, then: [{ rename: { field: spec.tls, to: validation } }] }",
    };

    /// Returns `field` relative to a place.
    fn inner(&self, field: &FieldPattern) -> Option<FieldPattern> {
        self.each.around(field).map(|(_, inner)| inner)
    }

    fn run_everywhere(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let data = session.view_for(|is_read| self.r#if.compares(is_read));
        let places = self.each.0.iter().flat_map(|each| each.matches_where(&data, |value| self.r#if.holds(value)));
        // A change in one place changes no other.
        for place in places.collect::<Vec<_>>() {
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

    fn parameters(&self) -> Vec<Parameter<'_>> {
        self.then.parameters()
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        let named_by = self.named_by.iter().map(|reference| reference.kind().clone());
        let targets = self.together_with.iter().map(|references| references.kind().clone());
        named_by.chain(targets).chain(self.then.kinds_read()).collect()
    }

    fn parameters_read(&self) -> Vec<String> {
        self.then.parameters_read()
    }

    fn claims(&self) -> Claims {
        let outer = |fields: Vec<FieldPattern>| {
            self.each.0.iter().flat_map(|place| fields.iter().map(|field| place.join(field))).collect()
        };
        let claims = self.then.claims();
        Claims { old: outer(claims.old), new: outer(claims.new) }
    }

    fn premises(&self) -> Vec<Premise> {
        let tests = self.r#if.premises().into_iter().chain(self.back.iter().flat_map(Condition::premises));
        let inner: Vec<Premise> = tests.chain(self.then.premises()).collect();
        let at = |place: &FieldPattern| {
            let present = (!place.parts().is_empty()).then(|| Premise::present(place));
            present.into_iter().chain(inner.iter().map(|premise| premise.clone().below(place))).collect::<Vec<_>>()
        };
        self.each.0.iter().flat_map(at).collect()
    }

    fn image(&self, field: &FieldPattern) -> Image {
        let Some((place, inner)) = self.each.around(field) else { return Image::Kept };
        match self.then.image(&inner) {
            Image::Moved(moved) => Image::Moved(place.join(&moved)),
            // Objects that do not pass the test keep the field.
            Image::Refused if !self.is_sure_of(field) => Image::Kept,
            image => image,
        }
    }

    fn images(&self, field: &FieldPattern) -> BTreeSet<Image> {
        let Some((place, inner)) = self.each.around(field) else { return BTreeSet::from([Image::Kept]) };
        let outer = |image| match image {
            Image::Moved(moved) => Image::Moved(place.join(&moved)),
            other => other,
        };
        let kept = (!self.is_sure_of(field)).then_some(Image::Kept);
        self.then.images(&inner).into_iter().map(outer).chain(kept).collect()
    }

    fn value_image(&self, field: &FieldPattern, value: &Value) -> Option<Value> {
        self.then.value_image(&self.inner(field)?, value)
    }

    fn claims_value(&self, field: &FieldPattern, value: &Value) -> bool {
        let Some(inner) = self.inner(field) else { return false };
        self.r#if.is_met_by(&inner, value) && self.then.claims_value(&inner, value)
    }

    fn constants(&self) -> Vec<Constant> {
        let inner = self.then.constants();
        let at = |place: &FieldPattern| {
            inner.iter().map(|one| Constant { field: place.join(&one.field), ..one.clone() }).collect::<Vec<_>>()
        };
        self.each.0.iter().flat_map(at).collect()
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

    fn reorders(&self) -> bool {
        self.then.reorders()
    }

    fn is_one_way(&self) -> bool {
        self.then.is_one_way()
    }

    fn retypes(&self, kind: &GroupKind) -> Vec<GroupKind> {
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
    fn operations_run_at_several_places() {
        let when = operation("when: { each: [a, \"l[].b\"], then: [{ rename: { field: x, to: y } }] }");
        let (before, after) = (
            json!({"a": {"x": 1}, "l": [{"b": {"x": 2}, "x": 3}], "b": {"x": 4}}),
            json!({"a": {"y": 1}, "l": [{"b": {"y": 2}, "x": 3}], "b": {"x": 4}}),
        );
        assert_eq!(data(&*when, &before), Ok((after.clone(), 0)));
        assert_eq!(data(&*when.inverse(&GroupKind::new("A", "")), &after), Ok((before, 0)));
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(when.claims().old, [field("a.x"), field("l[].b.x")]);
        assert_eq!(when.image(&field("l[].b.x.z")), Image::Moved(field("l[].b.y.z")));
        assert_eq!(when.image(&field("a.x")), Image::Moved(field("a.y")));
        assert_eq!(when.image(&field("b.x")), Image::Kept);
    }

    #[test]
    fn places_within_each_other_are_rejected() {
        for each in ["[]", "[a, a]", "[a.b, a]", "[\"l[]\", \"l[].x\"]"] {
            let text = format!("when: {{ each: {each}, then: [{{ rename: {{ field: x, to: y }} }}] }}");
            assert!(serde_yaml::from_str::<Box<dyn Operation>>(&text).is_err(), "{text}");
        }
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

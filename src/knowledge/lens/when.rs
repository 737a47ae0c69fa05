//! The operation `when`: other operations run only where a test holds.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::condition::Condition;
use super::context::{ObjectId, ObjectView, some_of};
use super::operation::{
    Claims, Constant, Description, Direction, Fidelity, Image, Operation, Parameter, Pass, Premise,
};
use super::references::{ReferencedBy, References, Referrers, unknown_namespaces};
use super::sequence::Lens;
use super::session::{Halt, Session};
use super::verdict::{Verdict, undecided};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPath, FieldPattern, Part, Step};
use crate::syntax::yaml::Place;

/// `when: { if: { present: spec.tls }, then: [...] }`
#[derive(Debug, Deserialize)]
#[serde(try_from = "Wire")]
pub(super) struct When {
    written: Wire,
    /// What becomes of the mappings in a place that the operations empty, where that is of interest.
    emptied: Option<Emptied>,
}

/// The operation as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Wire {
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
    /// The fields that lead from a place to others: the mappings in them are places too, and so on, at any depth: `through:
    /// ["children[]", default]`.
    #[serde(default)]
    through: Vec<FieldPattern>,
    /// The fields of the outermost places that `through` leaves out: `except: [properties.metadata]`.
    #[serde(default)]
    except: Vec<FieldPattern>,
    /// What must hold for the place.
    #[serde(default)]
    r#if: Condition,
    /// The operations that run there.
    then: Lens,
    /// What must hold for the place when the object is converted back, where that is another test than `if`: `back: { present:
    /// spec.validation }`.
    back: Option<Condition>,
    /// The only direction in which the operations run, where objects of the other side can have what they make too: `direction:
    /// forward`. They are not reversed, and converting back leaves the place as it is, which is reported.
    direction: Option<Direction>,
    /// What the user must have chosen for a parameter of the pack: `choice: { parameter: shop.defaults, is: freeze }`.
    choice: Option<Choice>,
}

/// A parameter of the pack and one of its choices: `{ parameter: shop.defaults, is: freeze }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    /// The parameter, with its pack.
    parameter: String,
    /// The choice for which the operations run.
    is: String,
}

impl TryFrom<Wire> for When {
    type Error = String;

    fn try_from(written: Wire) -> Result<Self, Self::Error> {
        if written.direction.is_some() && written.back.is_some() {
            return Err(
                "`back` is for converting back, and with `direction` nothing is: remove one of the two".to_owned()
            );
        }
        Ok(Self { written, emptied: None })
    }
}

/// The places that operations are about: those that match one pattern or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "OneOrMore")]
struct Each(Vec<FieldPattern>);

impl Default for Each {
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
        self.0.iter().find_map(|place| Some((place, field.below(place)?)))
    }
}

/// Returns the lens that runs `lens` on every `place` in an object for which `condition` holds; `emptied` says what becomes of the
/// mappings in it that `lens` empties.
#[must_use]
pub(crate) fn at_each(place: FieldPattern, condition: Condition, emptied: Option<Emptied>, lens: Lens) -> Lens {
    let written = Wire { each: Each(vec![place]), r#if: condition, then: lens, ..Wire::default() };
    let when: Arc<dyn Operation> = Arc::new(When { written, emptied });
    Lens::of([when])
}

impl When {
    pub(super) const DESCRIPTION: Description = Description {
        name: "when",
        text: "Runs the operations under `then` where the test under `if` holds: `present`, `absent`, `equals`, `same`, \
               `type`, `more`, `total`, `exceeds`, `text`, `keys`, `repeats`, `some`, `unmatched`, `not`, `all`, `any`. With `each`, one field or a list of them, test and \
               operations change each place that matches one, and their fields are relative to it. With `through`, they also change \
               the mappings in those fields of each place, and in those fields of theirs, at any depth: each node of a tree. What is reported of several of them is reported once; \
               `except` names fields of the outermost place that are left out. With `named-by`, only where such an object of the run \
               references this one; where that depends on namespaces that the files do not show, the object is held back. With \
               `together-with`, an object that changes here is held back where one that it references, or may reference, there \
               is held back; in a rule about a kind of its own pack, that one is held back where this one is. The inverse runs the inverses where the test under `back` holds, which is `if` unless written; with `direction` there \
               is none. With `choice`, only where the user chose that for a parameter of the pack.",
        example: "when: { if: { absent: spec.mode }, then: [{ rename: { field: spec.tls, to: validation } }] }",
    };

    /// Returns `field` relative to the outermost place that it is in.
    fn inner(&self, field: &FieldPattern) -> Option<FieldPattern> {
        self.written.each.around(field).map(|(_, inner)| inner)
    }

    /// Returns the places that `field` is in, the outermost first, and `field` relative to each.
    fn around(&self, field: &FieldPattern) -> Vec<(FieldPattern, FieldPattern)> {
        let Some((place, inner)) = self.written.each.around(field) else { return Vec::new() };
        let mut found = vec![(place.clone(), inner)];
        let mut next = 0;
        while let Some((place, inner)) = found.get(next).cloned() {
            for through in &self.written.through {
                let (head, rest) = inner.parts().split_at(through.parts().len().min(inner.parts().len()));
                let is_matched = head.len() == through.parts().len()
                    && head.iter().zip(through.parts()).all(|(part, pattern)| is_matched(part, pattern));
                if is_matched && !(next == 0 && self.written.except.iter().any(|except| inner.starts_with(except))) {
                    let head = FieldPattern::new(head.iter().cloned());
                    found.push((place.join(&head), FieldPattern::new(rest.iter().cloned())));
                }
            }
            next += 1;
        }
        found
    }

    /// Returns the places for which the test holds or is open, with that verdict; those of a tree are mappings, one level after the
    /// other.
    fn places(&self, test: &Condition, data: &Value) -> Vec<(FieldPath, Verdict)> {
        let places = if self.written.through.is_empty() {
            let each = self.written.each.0.iter();
            // Most places fail, and their paths are not made.
            each.flat_map(|each| each.matches_where(data, |place| test.can_hold(place))).collect()
        } else {
            self.nodes(data)
        };
        let judged = places.into_iter().filter_map(|place| {
            let verdict = test.verdict(place.get(data)?);
            Some((place, verdict))
        });
        judged.filter(|(_, verdict)| *verdict != Verdict::Fails).collect()
    }

    /// Returns the mappings of the trees, one level after the other.
    fn nodes(&self, data: &Value) -> Vec<FieldPath> {
        let each = self.written.each.0.iter();
        let outermost: Vec<FieldPath> = each.flat_map(|each| each.matches_where(data, Value::is_object)).collect();
        let except = |place: &FieldPath| {
            let value = place.get(data).into_iter();
            let inner = value.flat_map(|value| self.written.except.iter().flat_map(|except| except.matches(value)));
            inner.map(|inner| place.join(&inner)).collect::<Vec<_>>()
        };
        let left_out: BTreeSet<FieldPath> = outermost.iter().flat_map(except).collect();
        let (mut all, mut level) = (Vec::new(), outermost);
        while !level.is_empty() {
            let inner = |place: &FieldPath| {
                let value = place.get(data).into_iter();
                let inner = value.flat_map(|value| {
                    self.written.through.iter().flat_map(|field| field.matches_where(value, Value::is_object))
                });
                inner.map(|inner| place.join(&inner)).collect::<Vec<_>>()
            };
            let next = level.iter().flat_map(inner).filter(|place| !left_out.contains(place)).collect();
            all.append(&mut std::mem::replace(&mut level, next));
        }
        all
    }

    /// What must hold for a place in `direction`.
    fn test(&self, direction: Direction) -> &Condition {
        match (direction, &self.written.back) {
            (Direction::Backward, Some(back)) => back,
            (Direction::Forward | Direction::Backward, _) => &self.written.r#if,
        }
    }

    /// The operations that run in `direction`, none where nothing runs: those of one direction alone run as they are written.
    fn lens(&self, direction: Direction) -> Option<Lens> {
        match self.written.direction {
            None => Some(self.written.then.facing(direction)),
            Some(only) => (only == direction).then(|| self.written.then.clone()),
        }
    }

    fn run_everywhere(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        let test = self.test(pass.direction);
        let data = session.view_for(test.compared());
        let places = self.places(test, &data);
        for (place, verdict) in &places {
            if let Verdict::Open(at) = verdict {
                self.refuse_undecided(pass, session, place, at, &data)?;
            }
        }
        let reported = session.normalized().len();
        // A change in one place moves no other.
        for (place, _) in places.into_iter().filter(|(_, verdict)| *verdict == Verdict::Holds) {
            session.within(&place, |inner| match &self.emptied {
                Some(emptied) => emptied.during(inner, |inner| self.run_together(pass, inner)),
                None => self.run_together(pass, inner),
            })?;
        }
        if !self.written.through.is_empty() {
            session.report_once(reported);
        }
        Ok(())
    }

    /// Refuses an object where it depends on the text at `at` of a place whether an operation changes it.
    fn refuse_undecided(
        &self,
        pass: &Pass<'_>,
        session: &Session<'_>,
        place: &FieldPath,
        at: &FieldPath,
        data: &Value,
    ) -> Result<(), Halt> {
        let (mut trial, before) = (session.clone(), session.program().len());
        let tried = trial.within(place, |inner| self.run_then(pass, inner));
        match tried.is_ok() && trial.program().len() == before {
            true => Ok(()),
            false => Err(undecided(place.join(at), data)),
        }
    }

    fn run_then(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        let direction = if self.written.direction.is_some() { Direction::Forward } else { pass.direction };
        self.written.then.run_as(direction, pass.kind, session)
    }

    /// Runs the operations, of which the last may remove the references to others.
    fn run_together(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        let references = self.written.together_with.iter();
        let targets: Vec<ObjectView<'_>> =
            references.flat_map(|references| references.possible_targets(session)).collect();
        let before = session.program().len();
        self.run_then(pass, session)?;
        if session.program().len() > before && self.written.direction.is_some() {
            let place = session.changed_at(before).unwrap_or_default();
            session.record_normalization(&place, "converting back leaves it in the new form");
        }
        if session.program().len() > before {
            targets.iter().for_each(|other| session.convert_together_with(other));
        }
        Ok(())
    }

    /// Whether the operations run on every object that has a field that matches `field`.
    fn is_sure_of(&self, direction: Direction, field: &FieldPattern) -> bool {
        let inner = self.inner(field).filter(|_| self.written.choice.is_none());
        inner.is_some_and(|inner| self.test(direction).follows_from(&inner))
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

/// Returns whether a part of a field is matched by one of a pattern.
fn is_matched(part: &Part, pattern: &Part) -> bool {
    part == pattern || matches!((part, pattern), (Part::Key(_), Part::Values))
}

impl Operation for When {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        let is_other_way = self.written.direction.is_some_and(|only| only != pass.direction);
        let is_chosen = self.written.choice.as_ref().is_none_or(|choice| {
            session.context().and_then(|all| all.parameter(&choice.parameter)) == Some(choice.is.as_str())
        });
        if is_other_way || !is_chosen {
            return Ok(());
        }
        let does_something = || self.lens(pass.direction).is_some_and(|lens| !lens.fidelities().is_empty());
        if session.open().can_have_fields() && does_something() {
            self.written.each.0.iter().for_each(|each| session.record_printed(each));
        }
        let Some(reference) = &self.written.named_by else { return self.run_everywhere(pass, session) };
        let referrers = reference.referrers(session);
        let before = session.program().len();
        if !referrers.certain.is_empty() {
            self.run_everywhere(pass, session)?;
        } else if !referrers.possible.is_empty() {
            let mut trial = session.clone();
            self.run_everywhere(pass, &mut trial)?;
            return if trial.program().len() > before { Err(refused_namespace(&referrers, session)) } else { Ok(()) };
        }
        if session.program().len() > before {
            referrers.certain.iter().for_each(|(other, _)| session.convert_together_with(other));
        }
        Ok(())
    }

    fn binds(&self) -> bool {
        self.written.together_with.is_some()
    }

    fn bound(&self, direction: Direction, session: &mut Session<'_>) -> BTreeSet<ObjectId> {
        let mut found = BTreeSet::new();
        let (Some(lens), test) = (self.lens(direction), self.test(direction)) else { return found };
        for (place, _) in self.places(test, &session.view_for(test.compared())) {
            let within = session.within(&place, |inner| {
                let targets = self.written.together_with.iter().flat_map(|references| references.targets(inner));
                found.extend(targets.filter_map(|other| other.place.id));
                found.extend(lens.bound(inner));
                Ok(())
            });
            within.expect("nothing here changes the object");
        }
        found
    }

    fn inner(&self) -> &[Arc<dyn Operation>] {
        self.written.then.operations()
    }

    fn parameters(&self) -> Vec<Parameter<'_>> {
        let choice = self.written.choice.iter();
        choice.map(|choice| Parameter { name: &choice.parameter, choices: &[], wanted: Some(&choice.is) }).collect()
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        let named_by = self.written.named_by.iter().map(|reference| reference.kind.clone());
        named_by.chain(self.written.together_with.iter().map(|references| references.kind.clone())).collect()
    }

    fn claims(&self) -> Claims {
        let claims = self.written.then.claims();
        let places = &self.written.each.0;
        let outer = |fields: &[FieldPattern]| {
            places.iter().flat_map(|place| fields.iter().map(|field| place.join(field))).collect::<Vec<_>>()
        };
        match self.written.direction {
            None => Claims { old: outer(&claims.old), new: outer(&claims.new) },
            // The new form is on both sides.
            Some(only) => Claims { old: outer(&claims.old), new: Vec::new() }.facing(only),
        }
    }

    fn premises(&self) -> Vec<Premise> {
        let tests = [&self.written.r#if].into_iter().chain(&self.written.back).flat_map(Condition::premises);
        let inner: Vec<Premise> = tests.chain(self.written.then.premises()).collect();
        let mut premises = Vec::new();
        for place in &self.written.each.0 {
            premises.extend((!place.parts().is_empty()).then(|| Premise::present(place)));
            premises.extend(inner.iter().map(|premise| premise.clone().below(place)));
        }
        premises
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        let Some(lens) = self.lens(direction) else { return Image::Kept };
        for (place, inner) in self.around(field) {
            match lens.image(&inner) {
                Image::Kept => {}
                Image::Moved(moved) => return Image::Moved(place.join(&moved)),
                // Objects that do not pass the test keep the field.
                Image::Refused if !self.is_sure_of(direction, field) => {}
                image => return image,
            }
        }
        Image::Kept
    }

    fn images(&self, direction: Direction, field: &FieldPattern) -> BTreeSet<Image> {
        let Some(lens) = self.lens(direction) else { return BTreeSet::from([Image::Kept]) };
        let mut images = BTreeSet::new();
        for (place, inner) in self.around(field) {
            images.extend(lens.images(&inner).into_iter().map(|image| match image {
                Image::Moved(moved) => Image::Moved(place.join(&moved)),
                other => other,
            }));
        }
        images.extend((!self.is_sure_of(direction, field)).then_some(Image::Kept));
        images
    }

    fn copies(&self, direction: Direction, field: &FieldPattern) -> bool {
        self.lens(direction).is_some_and(|lens| self.around(field).into_iter().any(|(_, inner)| lens.copies(&inner)))
    }

    fn value_image(&self, direction: Direction, field: &FieldPattern, value: &Value) -> Option<Value> {
        self.lens(direction)?.value_image(&self.inner(field)?, value)
    }

    fn claims_value(&self, direction: Direction, field: &FieldPattern, value: &Value) -> bool {
        let Some((lens, inner)) = self.lens(direction).zip(self.inner(field)) else { return false };
        self.test(direction).is_met_by(&inner, value) && lens.claims_value(&inner, value)
    }

    fn constants(&self, direction: Direction) -> Vec<Constant> {
        let inner = self.lens(direction).map(|lens| lens.constants()).unwrap_or_default();
        let places = self.written.each.0.iter();
        let outer = places.flat_map(|place| {
            inner.iter().map(|constant| Constant { field: place.join(&constant.field), ..constant.clone() })
        });
        outer.collect()
    }

    fn makes_valid(&self, direction: Direction, field: &FieldPattern) -> bool {
        let Some((lens, inner)) = self.lens(direction).zip(self.inner(field)) else { return false };
        self.test(direction).follows_from(&inner) && lens.makes_valid(&inner)
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        let Some(lens) = self.lens(direction) else { return Vec::new() };
        let refused = self.written.named_by.as_ref().map(|_| Fidelity::Refused);
        let all = lens.fidelities().into_iter().chain(refused);
        match self.written.direction {
            None => all.collect(),
            Some(_) => all.map(|one| one.max(Fidelity::Normalized)).collect(),
        }
    }

    fn is_conditional(&self) -> bool {
        true
    }

    fn retypes(&self, direction: Direction, kind: &GroupKind) -> Vec<GroupKind> {
        self.lens(direction).map(|lens| lens.retypes(kind)).unwrap_or_default()
    }
}

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
    use super::super::context::Context;
    use super::super::sequence::Lens;
    use super::super::session::Completeness;
    use super::super::trial::{data, operation};
    use super::super::when::at_each;
    use super::*;
    use serde_json::json;

    #[test]
    fn operations_run_from_each_place() {
        let when = operation(
            "when: { each: \"l[]\", if: { equals: { field: p, value: 1 } }, then: [{ move: { from: a, to: b.c } }] }",
        );
        let before = json!({"l": [{"p": 1, "a": 5}, {"p": 2, "a": 6}, {"p": 1}]});
        let after = json!({"l": [{"p": 1, "b": {"c": 5}}, {"p": 2, "a": 6}, {"p": 1}]});
        assert_eq!(data(&when, &before), Ok((after.clone(), 0)));
        assert_eq!(data(&when.inverse(&GroupKind::new("A", "")), &after), Ok((before, 0)));
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(when.claims(), Claims { old: vec![field("l[].a")], new: vec![field("l[].b.c")] });
        assert_eq!(when.image(&field("l[].a.x")), Image::Moved(field("l[].b.c.x")));
        assert_eq!(when.image(&field("a")), Image::Kept);
        assert_eq!(when.images(&field("l[].a")), [Image::Kept, Image::Moved(field("l[].b.c"))].into());
        let unconditional =
            operation("when: { each: \"l[]\", if: { present: a }, then: [{ rename: { field: a, to: b } }] }");
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
        assert_eq!(data(&when, &before), Ok((after.clone(), 0)));
        assert_eq!(data(&when.inverse(&GroupKind::new("A", "")), &after), Ok((before, 0)));
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(when.claims().old, [field("a.x"), field("l[].b.x")]);
        assert_eq!(when.image(&field("l[].b.x.z")), Image::Moved(field("l[].b.y.z")));
        assert_eq!(when.image(&field("a.x")), Image::Moved(field("a.y")));
        assert_eq!(when.image(&field("b.x")), Image::Kept);
    }

    #[test]
    fn with_a_direction_nothing_is_reversed() {
        let text = "when: { direction: forward, if: { present: s.a }, then: [{ rename: { field: s.a, to: b } }] }";
        let when = operation(text);
        let back = when.inverse(&GroupKind::new("A", ""));
        let (old, new) = (json!({"s": {"a": 1}}), json!({"s": {"b": 1}}));
        assert_eq!(data(&when, &old), Ok((new.clone(), 0)));
        assert_eq!(data(&back, &new), Ok((new, 0)));
        let mut session = Session::new(old.clone());
        when.run(&mut session).unwrap();
        assert_eq!(session.normalized().iter().map(|one| one.path.to_string()).collect::<Vec<_>>(), ["s.a"]);
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!((when.image(&field("s.a")), back.image(&field("s.b"))), (Image::Moved(field("s.b")), Image::Kept));
        assert_eq!(when.claims(), Claims { old: vec![field("s.a")], new: vec![] });
        assert_eq!(back.claims(), Claims { old: vec![], new: vec![field("s.a")] });
        let downward = operation(&text.replace("forward", "backward"));
        assert_eq!(data(&downward, &old), Ok((old.clone(), 0)));
        assert_eq!(data(&downward.inverse(&GroupKind::new("A", "")), &old), Ok((json!({"s": {"b": 1}}), 0)));
        let both = text.replace("if:", "back: { present: s.b }, if:");
        assert!(serde_yaml::from_str::<Box<dyn Operation>>(&both).is_err());
    }

    #[test]
    fn a_choice_of_the_user_decides() {
        let when =
            operation("when: { choice: { parameter: shop.names, is: new }, then: [{ rename: { field: a, to: b } }] }");
        for (choice, after) in [("new", json!({"b": 1})), ("old", json!({"a": 1}))] {
            let parameters = std::collections::BTreeMap::from([("shop.names".to_owned(), choice.to_owned())]);
            let context = Context::default().with_parameters(&parameters);
            let mut session = Session::in_context(json!({"a": 1}), &context, Completeness::Whole);
            when.run(&mut session).unwrap();
            assert_eq!(*session.object(), after);
        }
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(when.images(&field("a")), [Image::Kept, Image::Moved(field("b"))].into());
        assert_eq!(when.parameters()[0].wanted, Some("new"));
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
        let drop =
            "when: { each: \"l[]\", then: [{ rename: { field: a, to: b } }, { drop: { field: b, reason: r } }] }";
        let mut session = Session::new(json!({"l": [{}, {"a": 1}]}));
        operation(drop).run(&mut session).unwrap();
        assert_eq!(session.losses()[0].path.to_string(), "l[1].a");
        let refuse = "when: { each: \"l[]\", if: { present: a }, then: [{ refuse: { direction: forward, at: a, reason: r, help: h } }] }";
        let halt = operation(refuse).run(&mut Session::new(json!({"l": [{}, {"a": 1}]}))).unwrap_err();
        assert!(matches!(halt, Halt::Refused { at, .. } if at.to_string() == "l[1].a"));
    }

    #[test]
    fn operations_run_at_every_node_of_a_tree() {
        let text =
            "when: { each: t, through: [\"c[]\", \"n{}\"], except: [n.m], then: [{ rename: { field: x, to: y } }] }";
        let when = operation(text);
        let before = json!({"t": {"x": 1, "c": [{"x": 2, "n": {"m": {"x": 3}}}, 4], "n": {"m": {"x": 5}, "x": {"x": 6}}, "d": {"x": 7}}});
        let after = json!({"t": {"y": 1, "c": [{"y": 2, "n": {"m": {"y": 3}}}, 4], "n": {"m": {"x": 5}, "x": {"y": 6}}, "d": {"x": 7}}});
        assert_eq!(data(&when, &before), Ok((after.clone(), 0)));
        assert_eq!(data(&when.inverse(&GroupKind::new("A", "")), &after), Ok((before, 0)));
        let field = |text: &str| FieldPattern::parse(text).unwrap();
        assert_eq!(when.image(&field("t.n.a.c[].x.z")), Image::Moved(field("t.n.a.c[].y.z")));
        assert_eq!(when.image(&field("t.n{}.x")), Image::Moved(field("t.n{}.y")));
        for kept in ["t.n.m.x", "t.d.x", "x", "t.n.a.d.x"] {
            assert_eq!(when.image(&field(kept)), Image::Kept, "{kept}");
        }
    }

    #[test]
    fn what_is_reported_of_several_nodes_is_reported_once() {
        let text = "when: { each: t, through: [c], then: [{ default: { field: x, value: 1, forward: write } }] }";
        let mut session = Session::new(json!({"t": {"c": {"c": {"x": 2}}}}));
        operation(text).run(&mut session).unwrap();
        assert_eq!(*session.object(), json!({"t": {"c": {"c": {"x": 2}, "x": 1}, "x": 1}}));
        let reported: Vec<String> = session.normalized().iter().map(|one| one.path.to_string()).collect();
        assert_eq!(reported, ["t"]);
    }

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

//! The operation `split`: fields of an object become an object of their own.

use serde::{Deserialize, Deserializer, de};
use serde_json::{Value, json};

use super::context::ObjectView;
use super::operation::{Claims, Description, Direction, Fidelity, Image, Operation, Pass, Premise};
use super::sequence::Lens;
use super::session::{Completeness, Halt, NewObject, Session};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::yaml::Place;

/// What the new object has of the metadata of the one that it was a part of.
const METADATA: [&str; 3] = ["name", "namespace", "labels"];

/// `split: { takes: [spec.targets], copies: [spec.host], to: ShopRoute.example.com, version: v1, then: [...] }`
#[derive(Clone, Debug)]
pub(super) struct Split {
    /// The fields that leave the object.
    takes: Vec<FieldPath>,
    /// The fields that the new object has too.
    copies: Vec<FieldPath>,
    to: GroupKind,
    version: String,
    /// The mapping in the object that names the new one.
    reference: Option<FieldPath>,
    direction: Option<Direction>,
    /// What becomes of the fields in the new object.
    lens: Lens,
}

impl Split {
    pub(super) const DESCRIPTION: Description = Description {
        name: "split",
        text: "Makes an object of kind `to` out of the fields in `takes`, which leave the object, and in `copies`, which stay in it. \
               The new object has the name, namespace and labels of this one, the apiVersion of the group of `to` in `version`, and these \
               fields, on which the operations under `then` run; it is converted to the target as if it had been there, and stands in the \
               file behind its source. With `reference`, a mapping with its name is written there. Nothing happens where the target \
               does not have such an object. Refused in a patch, in an object that is patched, in a template, and where there is such \
               an object already, or one of the same name and other content would be made of another object. The inverse joins the two: it looks for the object of kind `to` with the same namespace and name in \
               the same file, runs the inverses of `then` on it, and moves the fields back; that object is removed. Refused where it has \
               something else, or another value in a copied field. With `direction`, it happens in that direction only: an object that has a \
               `reference` is not joined.",
        example: "split: { takes: [spec.targets], copies: [spec.host], to: ShopRoute.example.com, version: v1, then: [{ rename: { field: spec.targets, to: rules } }] }",
    };

    /// Returns where the fields are in `object` that have a value.
    fn present<'s>(fields: &'s [FieldPath], object: &'s Value) -> impl Iterator<Item = &'s FieldPath> {
        fields.iter().filter(|field| field.get(object).is_some_and(|value| !value.is_null()))
    }

    /// Makes the new object, and takes its fields out of this one.
    fn split(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let Some(first) = Self::present(&self.takes, session.object()).next().cloned() else { return Ok(()) };
        if !session.can_have(&self.to) {
            return Ok(());
        }
        let to = &self.to.kind;
        if session.completeness() != Completeness::Whole {
            let reason = format!(
                "it becomes an object of its own, of kind {to}, and what patches change of it is not known there"
            );
            let help = format!("write the {to} by hand, and patch that, or convert what is built");
            return Err(Halt::refused(first, reason, help));
        }
        let name = FieldPath::default().key("metadata").key("name");
        let Some(name) = name.text(session.object()).map(str::to_owned) else {
            let reason = format!(
                "it becomes an object of its own, of kind {to}, which has the name of this one, and there is none"
            );
            return Err(Halt::refused(first, reason, "write metadata.name"));
        };
        let made = self.part(session)?;
        if let Some(reference) = &self.reference {
            if reference.get(session.object()).is_some() {
                return Err(Halt::Conflict { old: first, new: reference.clone() });
            }
            let place = first.last_key().map_or(Place::Last, |key| Place::Before(key.to_owned()));
            let parent = |field: &FieldPath| field.split_last().map(|(parent, _)| parent);
            let place = if parent(reference) == parent(&first) { place } else { Place::Last };
            session.insert(reference.clone(), json!({ "name": name }), place)?;
        }
        for field in
            self.takes.iter().filter(|field| field.get(session.object()).is_some()).cloned().collect::<Vec<_>>()
        {
            session.delete(field)?;
        }
        session.record_split(made);
        Ok(())
    }

    /// Makes the new object of a copy of this one.
    fn part(&self, session: &Session<'_>) -> Result<NewObject, Halt> {
        let mut part = session.clone();
        let before = part.losses().len();
        for field in self.others(session.object()) {
            part.delete(field)?;
        }
        part.retype(&self.to)?;
        let version = ApiVersion { group: self.to.group.clone(), version: self.version.clone() };
        part.set("apiVersion", Value::from(version.to_string()))?;
        self.lens.run_as(Direction::Forward, None, &mut part)?;
        if let Some(loss) = part.losses().get(before) {
            return Err(Halt::refused(loss.path.clone(), loss.reason.clone(), "convert the object by hand"));
        }
        let (value, program, _) = part.finish();
        Ok(NewObject { kind: self.to.clone(), value, program })
    }

    /// Returns the fields that the new object has.
    fn kept(&self) -> Vec<FieldPath> {
        let top = |key: &str| FieldPath::default().key(key);
        let metadata = METADATA.iter().map(|key| top("metadata").key(key));
        let own = [top("apiVersion"), top("kind")].into_iter().chain(metadata);
        own.chain(self.takes.iter().chain(&self.copies).cloned()).collect()
    }

    /// Returns the fields of `object` that the new object does not have.
    fn others(&self, object: &Value) -> Vec<FieldPath> {
        let mut others = Vec::new();
        collect_others(&self.kept(), object, &FieldPath::default(), &mut others);
        others
    }

    /// Takes in the object that was split off, where there is one.
    fn join(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let name = FieldPath::default().key("metadata").key("name");
        let (Some(context), Some(own)) = (session.context(), name.text(session.object()).map(str::to_owned)) else {
            return Ok(());
        };
        if session.completeness() == Completeness::Partial {
            return Ok(());
        }
        let found = context.resolve(&self.to, session.namespace(), &own, session.place().file);
        let all: Vec<_> = found.all().collect();
        let Some(other) = all.first() else { return Ok(()) };
        let by_hand = format!("convert both by hand: remove the {}, and write here what it says", self.to.kind);
        let is_sure = all.len() == 1 && found.possible.is_empty() && session.completeness() == Completeness::Whole;
        if !is_sure || other.place.file != session.place().file || other.place.id.is_none() {
            let reason = format!(
                "{} belongs to the object and would become a part of it, and is not the only one in the same file, not patched",
                other.described()
            );
            return Err(Halt::refused(name, reason, format!("write both into one file, or {by_hand}")));
        }
        let refused = |reason: String| {
            Halt::refused(
                name.clone(),
                format!("{} would become a part of the object; {reason}", other.described()),
                by_hand.clone(),
            )
        };
        let part = self.fields_of(other, session, &refused)?;
        for (field, value) in part {
            session.insert(field, value, Place::Last)?;
        }
        session.record_join(other);
        Ok(())
    }

    /// Returns the fields that this object gets from the `other` one.
    fn fields_of(
        &self,
        other: &ObjectView<'_>,
        session: &Session<'_>,
        refused: &dyn Fn(String) -> Halt,
    ) -> Result<Vec<(FieldPath, Value)>, Halt> {
        let mut part = Session::new(other.value.clone());
        self.lens.run_as(Direction::Backward, None, &mut part).map_err(|halt| match halt {
            Halt::Refused { reason, .. } | Halt::Undecided { reason, .. } => refused(reason),
            Halt::Conflict { old, new } => refused(format!("it has {old} and {new}")),
        })?;
        if let Some(loss) = part.losses().first() {
            return Err(refused(format!("{} would be lost: {}", loss.path, loss.reason)));
        }
        let (own, part) = (session.object(), part.object());
        if let Some(more) = self.others(part).first() {
            return Err(refused(format!("{more} has no place there")));
        }
        let labels = FieldPath::default().key("metadata").key("labels");
        let differs =
            |field: &FieldPath| field.get(part).is_some_and(|value| field.get(own).is_some_and(|own| own != value));
        let has_more_labels = labels.get(part).is_some() && labels.get(part) != labels.get(own);
        if let Some(field) =
            self.copies.iter().find(|field| differs(field)).or_else(|| has_more_labels.then_some(&labels))
        {
            return Err(refused(format!("{field} differs")));
        }
        if Self::present(&self.takes, part).next().is_none() {
            return Err(refused(format!("it has no {}", self.takes[0])));
        }
        let is_new =
            |field: &&FieldPath| field.get(part).is_some() && (self.takes.contains(field) || field.get(own).is_none());
        let fields = self.copies.iter().chain(&self.takes).filter(is_new);
        Ok(fields.map(|field| (field.clone(), field.get(part).cloned().unwrap_or_default())).collect())
    }

    fn runs(&self, direction: Direction) -> bool {
        self.direction.is_none_or(|only| only == direction)
    }
}

/// Collects the fields of `value`, which is at `place`, that are not `kept`.
fn collect_others(kept: &[FieldPath], value: &Value, place: &FieldPath, others: &mut Vec<FieldPath>) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let field = place.key(key);
        if kept.contains(&field) {
            continue;
        }
        match kept.iter().any(|kept| kept.starts_with(&field)) {
            true => collect_others(kept, value, &field, others),
            false => others.push(field),
        }
    }
}

impl Operation for Split {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        match pass.direction {
            direction if !self.runs(direction) => Ok(()),
            Direction::Forward => self.split(session),
            Direction::Backward => self.join(session),
        }
    }

    fn claims(&self) -> Claims {
        Claims { old: self.takes.iter().map(FieldPath::pattern).collect(), new: Vec::new() }
    }

    fn premises(&self) -> Vec<Premise> {
        self.takes
            .iter()
            .chain(&self.copies)
            .chain(&self.reference)
            .map(|field| Premise::present(&field.pattern()))
            .collect()
    }

    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        let is_taken = direction == Direction::Forward
            && self.runs(direction)
            && self.takes.iter().any(|taken| field.starts_with(&taken.pattern()));
        if is_taken { Image::Dropped } else { Image::Kept }
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        match (self.runs(direction), direction) {
            (false, _) => Vec::new(),
            (true, Direction::Forward) => vec![Fidelity::Normalized, Fidelity::Refused],
            (true, Direction::Backward) => vec![Fidelity::Normalized, Fidelity::Refused],
        }
    }

    fn makes(&self) -> Option<(&GroupKind, &str)> {
        Some((&self.to, &self.version))
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        if self.runs(Direction::Backward) { vec![self.to.clone()] } else { Vec::new() }
    }
}

impl<'de> Deserialize<'de> for Split {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            /// The fields that leave the object: `takes: [spec.targets]`.
            takes: Vec<FieldPattern>,
            /// The fields that both objects have: `copies: [spec.host]`.
            #[serde(default)]
            copies: Vec<FieldPattern>,
            /// The kind of the new object, with its group.
            to: GroupKind,
            /// The version of its group that has the form which `then` makes.
            version: String,
            /// The mapping that names the new object: `reference: spec.routeRef`.
            reference: Option<FieldPattern>,
            /// The operations that make the new object of the fields, which have the names there that they have here.
            then: Lens,
            /// The only direction in which something happens: `direction: forward`.
            direction: Option<Direction>,
        }
        let Wire { takes, copies, to, version, reference, then, direction } = Wire::deserialize(deserializer)?;
        let path = |field: FieldPattern| {
            field
                .as_path()
                .ok_or_else(|| de::Error::custom(format!("{field} names several values: `split` takes single fields")))
        };
        if takes.is_empty() {
            return Err(de::Error::custom("`takes` names no field"));
        }
        if reference.is_some() && direction != Some(Direction::Forward) {
            return Err(de::Error::custom(
                "`reference` is for `direction: forward`: an object that another one names is not joined with it",
            ));
        }
        let takes = takes.into_iter().map(path).collect::<Result<_, _>>()?;
        let copies = copies.into_iter().map(path).collect::<Result<_, _>>()?;
        Ok(Self { takes, copies, to, version, reference: reference.map(path).transpose()?, direction, lens: then })
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{data, inverse, operation};
    use super::*;

    const SPLIT: &str = "split: { takes: [s.t], copies: [s.h], to: Part.example.com, version: v2, then: [{ rename: { field: s.t, to: u } }] }";

    fn whole() -> Value {
        json!({
            "apiVersion": "example.com/v1", "kind": "Whole",
            "metadata": {"name": "a", "labels": {"x": "y"}, "annotations": {"n": "o"}},
            "s": {"h": 1, "t": [1, 2], "z": 0},
        })
    }

    #[test]
    fn the_new_object_has_its_fields_and_the_old_one_has_not() {
        let mut session = Session::new(whole());
        operation(SPLIT).run(&mut session).unwrap();
        assert_eq!(session.object()["s"], json!({"h": 1, "z": 0}));
        let [part] = session.split_off() else { panic!("{:?}", session.split_off()) };
        let expected = json!({
            "apiVersion": "example.com/v2", "kind": "Part",
            "metadata": {"name": "a", "labels": {"x": "y"}},
            "s": {"h": 1, "u": [1, 2]},
        });
        assert_eq!(*part.value, expected);
        let mut replayed = whole();
        part.program.iter().for_each(|intent| intent.apply_data(&mut replayed).unwrap());
        assert_eq!(replayed, expected, "the program makes it of the old object");
    }

    #[test]
    fn without_the_fields_nothing_happens() {
        for same in [json!({"s": {"h": 1}}), json!({"s": {"t": null}}), json!({})] {
            assert_eq!(data(&operation(SPLIT), &same), Ok((same.clone(), 0)));
        }
        // Without other objects none is taken in.
        assert_eq!(data(&inverse(SPLIT), &whole()), Ok((whole(), 0)));
    }

    #[test]
    fn a_reference_is_written_in_its_place() {
        let split = "split: { takes: [s.t], to: Part.example.com, version: v2, reference: s.r, direction: forward, then: [{ rename: { field: s.t, to: u } }] }";
        let (after, _) = data(&operation(split), &whole()).unwrap();
        assert_eq!(after["s"].to_string(), r#"{"h":1,"r":{"name":"a"},"z":0}"#);
        let mut both = whole();
        both["s"]["r"] = json!({"name": "b"});
        assert!(matches!(data(&operation(split), &both), Err(Halt::Conflict { .. })));
        assert_eq!(data(&inverse(split), &after), Ok((after.clone(), 0)));
    }

    #[test]
    fn parts_and_objects_without_a_name_are_refused() {
        let nameless = json!({"kind": "Whole", "metadata": {"generateName": "a-"}, "s": {"t": 1}});
        assert!(matches!(data(&operation(SPLIT), &nameless), Err(Halt::Refused { .. })));
        let inner = "when: { each: s, if: { present: t }, then: [{ split: { takes: [t], to: Part.example.com, version: v2, then: [{ rename: { field: t, to: u } }] } }] }";
        let named = json!({"s": {"t": 1, "metadata": {"name": "a"}}, "apiVersion": "v1", "kind": "Whole"});
        assert!(matches!(data(&operation(inner), &named), Err(Halt::Refused { .. })));
    }

    #[test]
    fn what_cannot_be_split_is_rejected() {
        for text in [
            "takes: [], to: Part.example.com, version: v2, then: [{ rename: { field: a, to: b } }]",
            "takes: [\"s[]\"], to: Part.example.com, version: v2, then: [{ rename: { field: a, to: b } }]",
            "takes: [s], reference: r, to: Part.example.com, version: v2, then: [{ rename: { field: a, to: b } }]",
            "takes: [s], to: Part.example.com, version: v2, then: []",
        ] {
            assert!(serde_yaml::from_str::<Box<dyn Operation>>(&format!("split: {{ {text} }}")).is_err(), "{text}");
        }
    }
}

//! The objects of a first fixture.
//!
//! What an object is before and after a change is put together field by field, by what the comparison found, and not by running the rule: a
//! rule that does something else fails its fixture.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::changes::{Changes, DefaultChange};
use super::completion::{Completed, Leaves, ROUNDS, has, lacks, member_of};
use super::pairing::{Moved, Unsure};
use super::score::Form;
use super::side::Side;
use super::text::object as object_text;
use super::values::{any_of, concrete, leaves, number_for, put, text_for};
use crate::authoring::renames::last_key;
use crate::authoring::starter::MARK;
use crate::knowledge::catalog::Type;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{FieldPattern, Part};

/// One case of a fixture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) name: String,
    /// Its files, by name.
    pub(super) files: Vec<(&'static str, String)>,
}

impl Case {
    /// Returns the text of one of its files.
    pub(super) fn file(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(file, _)| *file == name).map(|(_, text)| text.as_str())
    }
}

/// Returns whether a person has to fill in what a file expects.
pub(super) fn is_open(text: &str) -> bool {
    text.starts_with(&format!("# {MARK}"))
}

/// What the objects of a kind are made of.
pub(super) struct Sample<'s, 'c> {
    pub(super) old: &'s Side<'c>,
    pub(super) new: &'s Side<'c>,
    /// Whether both releases serve no other apiVersion.
    pub(super) is_alone: bool,
    /// The kind and the apiVersion on both sides.
    pub(super) sides: [(GroupKind, ApiVersion); 2],
}

/// The deepest value that is made.
const DEEPEST: usize = 6;

impl Sample<'_, '_> {
    /// Makes the case of something that became another field.
    pub(super) fn converted(&self, changes: &Changes<'_, '_>, moved: &Moved, name: &str) -> Option<Case> {
        let value = self.value(changes, &moved.old, 0)?;
        if let Form::Entries(key, its) = &moved.score.form {
            let items = value.as_object()?.iter().map(|(name, value)| json!({key.as_str(): name, its.as_str(): value}));
            let after = Value::Array(items.collect());
            let leaves = |field: &FieldPattern, value: &Value| vec![(field.clone(), value.clone())];
            return Some(self.completed(changes, leaves(&moved.old, &value), leaves(&moved.new, &after), name));
        }
        let leaves = leaves(&moved.old, &value);
        let after: Vec<_> = leaves.iter().map(|(leaf, value)| self.image(changes, leaf, value)).collect();
        Some(self.completed(changes, leaves, after, name))
    }

    /// Makes the case of one branch of a union, of all that gets into it.
    pub(super) fn branch(&self, changes: &Changes<'_, '_>, sources: &[FieldPattern], name: &str) -> Option<Case> {
        let before = self.with(changes, sources)?;
        let after = before.iter().map(|(leaf, value)| self.image(changes, leaf, value)).collect();
        Some(self.completed(changes, before, after, name))
    }

    /// Makes the case of an object with two branches of a union, `refused` in the second one.
    pub(super) fn both_branches(
        &self,
        changes: &Changes<'_, '_>,
        sources: &[FieldPattern],
        refused: &FieldPattern,
        name: &str,
    ) -> Option<Case> {
        let mut object = self.complete(changes, self.with(changes, sources)?, Vec::new());
        object.refuse(refused, refused);
        let files = vec![("before.yaml", self.object(0, &object.before)), ("findings.txt", object.findings())];
        Some(Case { name: name.to_owned(), files })
    }

    /// Makes values of fields of the old side.
    fn with(&self, changes: &Changes<'_, '_>, sources: &[FieldPattern]) -> Option<Leaves> {
        let mut all = Vec::new();
        for source in sources {
            all.extend(leaves(source, &self.value(changes, source, 0)?));
        }
        Some(all)
    }

    /// Makes a case of fields before and after, with what both sides demand besides: a default that changed is written on both, a
    /// required value on the new one. Where such a value is open, it is to be filled in.
    pub(super) fn completed(&self, changes: &Changes<'_, '_>, before: Leaves, after: Leaves, name: &str) -> Case {
        let own: Vec<String> = before.iter().map(|(field, _)| concrete(field)).collect();
        let mut object = self.complete(changes, before, after);
        for change in &changes.defaults {
            let source = changes.pairing.source(&change.field);
            if lacks(&object.after, &change.field) && self.old.get(&source).is_some() {
                object.before.push((source, change.old.clone()));
                object.after.push((change.field.clone(), change.old.clone()));
            }
        }
        let case = |files| Case { name: name.to_owned(), files };
        let first = ("before.yaml", self.object(0, &object.before));
        let after = self.object(1, &object.after);
        // What the rule itself refuses is the case that is held back.
        let is_own = |field: &String| {
            own.iter()
                .filter_map(|own| own.strip_prefix(field))
                .any(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        if object.refused.values().next().is_some_and(is_own) {
            return case(vec![first, ("findings.txt", object.findings())]);
        }
        if object.is_held_back() {
            return case(vec![first, ("after.yaml", with_open(&object.open("")) + &after)]);
        }
        let mut files = vec![first, ("after.yaml", after.clone())];
        if !object.lost.is_empty() {
            // What the old side requires does not come back.
            files.push(("back.yaml", after));
            files.push(("findings-back.txt", not_back(&object.lost)));
            files.push(("allow.txt", "dropped-field\n".to_owned()));
        } else if !object.kept.is_empty() {
            object.before.append(&mut object.kept);
            files.push(("back.yaml", self.object(0, &object.before)));
        }
        case(files)
    }

    /// Makes the cases of a default that changed: what is not written is written as the side that it comes from meant it.
    pub(super) fn frozen(&self, changes: &Changes<'_, '_>, change: &DefaultChange, slug: &str) -> Vec<Case> {
        let around = |field: &FieldPattern| field.split_last().map(|(around, _)| around).unwrap_or_default();
        let source = changes.pairing.source(&change.field);
        let rooms = [around(&source), around(&change.field)].map(|around| vec![(around, json!({}))]);
        let [before, after] = rooms;
        let Completed { before, after, kept, lost, refused, missing } = self.complete(changes, before, after);
        let open: Vec<&str> = lost.iter().chain(refused.values()).chain(&missing).map(String::as_str).collect();
        let (mut frozen, mut back, mut back_new) =
            (after.clone(), [&before[..], &kept].concat(), [&before[..], &kept].concat());
        for DefaultChange { field, old, new } in &changes.defaults {
            let source = changes.pairing.source(field);
            if lacks(&after, field) && self.old.get(&source).is_some() {
                frozen.push((field.clone(), old.clone()));
                back.push((source.clone(), old.clone()));
                back_new.push((source, new.clone()));
            }
        }
        let forward = vec![
            ("before.yaml", self.object(0, &before)),
            ("after.yaml", self.object(1, &frozen)),
            ("back.yaml", self.object(0, &back)),
        ];
        let backward = vec![("after.yaml", self.object(1, &after)), ("back.yaml", self.object(0, &back_new))];
        let case = |way: &str, mut files: Vec<(&'static str, String)>| {
            // What the new side requires beside it is for a person to write.
            let result = files.iter_mut().filter(|_| !open.is_empty()).find(|(name, _)| *name == "after.yaml");
            result.into_iter().for_each(|(_, text)| text.insert_str(0, &with_open(&open)));
            Case { name: format!("{way}-{slug}"), files }
        };
        vec![case("forward", forward), case("backward", backward)]
    }

    /// Makes the case of an object that is held back on the way to the new side.
    pub(super) fn held_back(
        &self,
        changes: &Changes<'_, '_>,
        field: &FieldPattern,
        value: Value,
        code: &str,
        name: &str,
    ) -> Case {
        let room = field.split_last().map(|(around, _)| (changes.pairing.image(&around), json!({})));
        let room = room.into_iter().filter(|(around, _)| self.new.get(around).is_some()).collect();
        let mut object = self.complete(changes, vec![(field.clone(), value)], room);
        match code {
            "dropped-field" => {
                object.lost.insert(concrete(field));
            }
            _ => object.refuse(field, field),
        }
        let open = object.open(&concrete(field));
        let open = if open.is_empty() { String::new() } else { with_open(&open) };
        let files = vec![("before.yaml", self.object(0, &object.before)), ("findings.txt", open + &object.findings())];
        Case { name: name.to_owned(), files }
    }

    /// Makes the case of an object that cannot be converted back: what a value became has another form than that of the value.
    pub(super) fn not_back(&self, changes: &Changes<'_, '_>, moved: &Moved, name: &str) -> Option<Case> {
        let new = &moved.new;
        let refused = |at: &FieldPattern| ("not-convertible", concrete(at));
        let (finding, fields) = match &moved.score.form {
            Form::Same | Form::Other | Form::Joined | Form::OfList(_) | Form::OfKey(..) => return None,
            Form::Item => {
                let limits = self.new.attributes(new)?;
                let item = any_of(self.new, &new.items());
                match limits.min_items {
                    None | Some(0) => (refused(new), vec![(new.clone(), json!([]))]),
                    Some(_) if limits.max_items == Some(1) => return None,
                    // The new side has no empty one, and the old side a place for one of several.
                    Some(_) => {
                        (("too-many-items", concrete(new) + "[1]"), vec![(new.clone(), json!([item.clone(), item]))])
                    }
                }
            }
            Form::Entries(key, _) => {
                let item = json!({key.as_str(): "example"});
                (refused(&new.items()), vec![(new.clone(), json!([item, item]))])
            }
            Form::Key(key, _) => {
                let key = new.key(key);
                match self.new.keys(new).find(|other| **other != key) {
                    Some(other) => {
                        let fields = [&key, other].map(|field| (field.clone(), any_of(self.new, field)));
                        (("dropped-field", concrete(other)), fields.to_vec())
                    }
                    None => (refused(new), vec![(new.clone(), json!({}))]),
                }
            }
        };
        Some(self.held_back_after(changes, fields, finding, name))
    }

    /// Makes the case of a list or mapping that has nothing which could take its place.
    pub(super) fn not_unwrapped(&self, changes: &Changes<'_, '_>, moved: &Moved, name: &str) -> Option<Case> {
        let empty = match &moved.score.form {
            Form::OfList(_) => json!([]),
            Form::OfKey(key, _) if !self.old.get(&moved.old.key(key))?.required => json!({}),
            _ => return None,
        };
        Some(self.held_back(changes, &moved.old, empty, "not-convertible", name))
    }

    /// Makes the case of an object of the new side, with all that it requires, that is held back.
    fn held_back_after(
        &self,
        changes: &Changes<'_, '_>,
        mut fields: Vec<(FieldPattern, Value)>,
        (code, at): (&str, String),
        name: &str,
    ) -> Case {
        let mut findings = vec![format!("{code} {at}\n")];
        for lost in self.complete_new(changes, &mut fields) {
            // A refusal comes before losses, and what a rule writes it removes again.
            if code != "not-convertible" {
                findings.push(format!("dropped-field {}\n", concrete(&lost)));
            }
        }
        findings.sort();
        let files = vec![("after.yaml", self.object(1, &fields)), ("findings.txt", findings.concat())];
        Case { name: name.to_owned(), files }
    }

    /// Adds what both sides require to the fields of an object before and after a change.
    pub(super) fn complete(&self, changes: &Changes<'_, '_>, before: Leaves, after: Leaves) -> Completed {
        let mut object = Completed { before, after, ..Completed::default() };
        // What is required in a mapping that is required is found in the next round.
        for _ in 0..ROUNDS {
            let size = (object.before.len(), object.after.len());
            // What has a default is there without being written.
            let is_due = |field: &&FieldPattern| {
                self.old.get(field).is_some_and(|its| its.required && its.attributes.default.is_none())
            };
            for field in self.old.all().filter(is_due) {
                if lacks(&object.before, field) {
                    self.add(changes, field, &mut object);
                }
            }
            self.add_required_of_new(changes, &mut object);
            if size == (object.before.len(), object.after.len()) {
                break;
            }
        }
        object.sort(changes);
        object
    }

    /// Adds a field of the old side, and what becomes of it.
    fn add(&self, changes: &Changes<'_, '_>, field: &FieldPattern, object: &mut Completed) {
        let value = self.value(changes, field, 0).unwrap_or_else(|| any_of(self.old, field));
        for (leaf, value) in leaves(field, &value) {
            let gone = changes.unsure.iter().find(|unsure| leaf.starts_with(&unsure.old));
            let is_reformed = changes.pairing.reformed.iter().any(|(old, _)| leaf.starts_with(old));
            match gone {
                Some(Unsure { old, candidates, .. }) if candidates.is_empty() => {
                    object.lost.insert(concrete(old));
                }
                Some(Unsure { old, .. }) => {
                    object.refuse(old, old);
                }
                None if is_reformed => {
                    object.refuse(field, field);
                }
                None => object.after.push(self.image(changes, &leaf, &value)),
            }
            object.before.push((leaf, value));
        }
    }

    /// Returns what becomes of a field of the old side.
    fn images_of(&self, changes: &Changes<'_, '_>, field: &FieldPattern) -> Leaves {
        let value = self.value(changes, field, 0).unwrap_or_else(|| any_of(self.old, field));
        leaves(field, &value).iter().map(|(leaf, value)| self.image(changes, leaf, value)).collect()
    }

    /// Returns what becomes of a field with a value.
    pub(super) fn image(&self, changes: &Changes<'_, '_>, leaf: &FieldPattern, value: &Value) -> (FieldPattern, Value) {
        let table = changes.values.iter().find(|change| change.old == *leaf).map(|change| &change.table);
        let other = table.into_iter().flatten().find(|(old, ..)| old == value).map(|(_, new, ..)| new.clone());
        (changes.pairing.image(leaf), other.unwrap_or_else(|| value.clone()))
    }

    /// Adds what the new side requires: what the old side can have, what rules write, and what is open.
    fn add_required_of_new(&self, changes: &Changes<'_, '_>, object: &mut Completed) {
        let pairing = &changes.pairing;
        let required = self
            .new
            .all()
            .filter(|field| self.new.get(field).is_some_and(|its| its.required && its.attributes.default.is_none()));
        for field in required {
            let source = pairing.source(field);
            // A mapping that is new is made of what moves into it.
            let inside = pairing.moved.iter().find(|moved| moved.new.starts_with(field)).map(|moved| &moved.old);
            let source = inside.filter(|_| self.old.get(&source).is_none()).cloned().unwrap_or(source);
            let is_written =
                changes.required.iter().any(|required| required.field == *field && required.value.is_some())
                    || changes.unions.iter().any(|union| union.discriminator == *field);
            if !is_written
                && lacks(&object.after, field)
                && self.old.get(&source).is_some()
                && lacks(&object.before, &source)
            {
                self.add(changes, &source, object);
            }
        }
        for union in &changes.unions {
            let is_there = |member: &FieldPattern| object.after.iter().any(|(field, _)| field.starts_with(member));
            let branch = union.branches.iter().find(|branch| is_there(&branch.member));
            let is_due = self.new.get(&union.discriminator).is_some_and(|its| its.required);
            if branch.is_none() && is_due && lacks(&object.after, &union.discriminator) {
                self.add(changes, &member_of(changes, union), object);
                continue;
            }
            let Some(branch) = branch.filter(|_| !has(&object.after, &union.discriminator)) else { continue };
            match branch.value() {
                Some(value) => self.write(changes, &union.discriminator, value, object),
                None => {
                    object.refuse(&union.discriminator, &pairing.source(&branch.member));
                }
            }
        }
        for required in &changes.required {
            match &required.value {
                _ if !lacks(&object.after, &required.field) => {}
                Some((value, _)) => self.write(changes, &required.field, value, object),
                None => {
                    object.missing.insert(concrete(&required.field));
                }
            }
        }
    }

    /// Adds to the fields of an object of the new side what it requires, and what the old side does; returns what of that the old side lacks
    /// and no rule removes.
    pub(super) fn complete_new(&self, changes: &Changes<'_, '_>, fields: &mut Leaves) -> Vec<FieldPattern> {
        let mut lost = Vec::new();
        for _ in 0..ROUNDS {
            let size = fields.len();
            let due = self.new.all().filter(|field| {
                self.new.get(field).is_some_and(|its| its.required && its.attributes.default.is_none())
            });
            for field in due.filter(|field| self.old.get(field).is_none_or(|its| !its.required)) {
                if !lacks(fields, field) {
                    continue;
                }
                let is_open =
                    changes.required.iter().any(|required| required.field == *field && required.value.is_none());
                if is_open && changes.pairing.is_new(field) {
                    lost.push(field.clone());
                }
                let is_there = |member: &FieldPattern| fields.iter().any(|(field, _)| field.starts_with(member));
                let union = changes.unions.iter().find(|union| union.discriminator == *field);
                let branch = union.and_then(|union| union.branches.iter().find(|branch| is_there(&branch.member)));
                if let Some(union) = union.filter(|_| branch.is_none()) {
                    fields.extend(self.images_of(changes, &member_of(changes, union)));
                    continue;
                }
                let value = branch.and_then(|branch| branch.values.first().cloned());
                fields.push((field.clone(), value.unwrap_or_else(|| any_of(self.new, field))));
            }
            for field in self.old.all().filter(|field| self.old.get(field).is_some_and(|its| its.required)) {
                let image = changes.pairing.image(field);
                let moved = changes.pairing.moved.iter().find(|moved| moved.old == *field);
                let whole = moved.map_or(&image, |moved| &moved.new);
                if self.new.get(&image).is_some() && lacks(fields, whole) {
                    fields.extend(self.images_of(changes, field));
                }
            }
            if size == fields.len() {
                break;
            }
        }
        lost
    }

    /// Adds a field that a rule writes; what both sides have stays when the object is converted back.
    pub(super) fn write(&self, changes: &Changes<'_, '_>, field: &FieldPattern, value: &Value, object: &mut Completed) {
        object.after.push((field.clone(), value.clone()));
        if !changes.pairing.is_new(field) {
            object.kept.push((changes.pairing.source(field), value.clone()));
        }
    }

    /// Adds what both sides require in what is there.
    fn fill(&self, side: usize, at: &FieldPattern, value: &mut Value) {
        let (own, other) = if side == 0 { (self.old, self.new) } else { (self.new, self.old) };
        match value {
            Value::Object(map) => {
                for key in own.keys(at) {
                    let name = last_key(key).unwrap_or_default();
                    let is_due = [own, other].iter().all(|side| side.get(key).is_some_and(|field| field.required));
                    if is_due && !map.contains_key(name) {
                        map.insert(name.to_owned(), any_of(own, key));
                    }
                    if let Some(inner) = map.get_mut(name) {
                        self.fill(side, key, inner);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill(side, &at.items(), item)),
            _ => {}
        }
    }

    /// Makes the case of a field whose loss is allowed.
    pub(super) fn dropped(&self, changes: &Changes<'_, '_>, field: &FieldPattern, value: &Value, name: &str) -> Case {
        let label = FieldPattern::default().key("metadata").key("labels").key("example");
        let label = (label, json!("kept"));
        let before = vec![label.clone(), (field.clone(), value.clone())];
        // What it was in stays, empty.
        let around = field.split_last().map(|(around, _)| (around, json!({})));
        let left: Leaves = std::iter::once(label).chain(around).collect();
        let mut object = self.complete(changes, before, left);
        let first = ("before.yaml", self.object(0, &object.before));
        let case = |files| Case { name: name.to_owned(), files };
        if object.is_held_back() {
            let after = with_open(&object.open(&concrete(field))) + &self.object(1, &object.after);
            return case(vec![first, ("after.yaml", after), ("allow.txt", "dropped-field\n".to_owned())]);
        }
        if self.old.get(field).is_some_and(|its| its.required) {
            object.lost.insert(concrete(field));
        }
        let after = self.object(1, &object.after);
        let mut files = vec![first, ("after.yaml", after.clone()), ("allow.txt", "dropped-field\n".to_owned())];
        match object.lost.is_empty() {
            true => {
                let around = field.split_last().map(|(around, _)| around);
                // It stays where it was.
                let left = |(other, value): &(FieldPattern, Value)| match (other.starts_with(field), &around) {
                    (true, Some(around)) => (around.clone(), json!({})),
                    _ => (other.clone(), value.clone()),
                };
                let back: Leaves = object.before.iter().map(left).chain(object.kept).collect();
                files.push(("back.yaml", self.object(0, &back)));
            }
            false => {
                files.push(("back.yaml", after));
                files.push(("findings-back.txt", not_back(&object.lost)));
            }
        }
        case(files)
    }

    /// Makes the case of an object that resembles others and stays as it is.
    pub(super) fn unchanged(&self, field: &FieldPattern) -> Case {
        let label = last_key(field).unwrap_or("kind");
        let (kind, version) = &self.sides[0];
        // An object whose apiVersion changes does not stay as it is; one of a group that nobody knows does.
        let is_whole = [self.old, self.new]
            .iter()
            .any(|side| side.keys(&FieldPattern::default()).any(|key| side.get(key).is_some_and(|its| its.required)));
        let stays = self.is_alone && self.sides[0] == self.sides[1] && !is_whole;
        let other = if self.sides.iter().any(|(kind, _)| kind.group == "example.com") {
            "example.org/v1"
        } else {
            "example.com/v1"
        };
        let version = if stays { version.to_string() } else { other.to_owned() };
        let object = json!({
            "apiVersion": version,
            "kind": kind.kind,
            "metadata": {"name": "example", "labels": {label: "example"}},
        });
        Case { name: "look-alike".to_owned(), files: vec![("same.yaml", object_text(&object))] }
    }

    /// Makes a value that the old side accepts, of what the new side has too; `None` where there is none.
    pub(super) fn value(&self, changes: &Changes<'_, '_>, field: &FieldPattern, depth: usize) -> Option<Value> {
        let its = self.old.get(field)?;
        if depth > DEEPEST {
            return None;
        }
        match its.kind {
            Type::Object => {
                let is_kept = |key: &&FieldPattern| self.new.get(&changes.pairing.image(key)).is_some();
                let is_due = |key: &&FieldPattern| {
                    let moves = changes.pairing.moved.iter().any(|moved| moved.old == **key);
                    moves || self.old.get(key).is_some_and(|field| field.required)
                };
                let keys: Vec<_> = self.old.keys(field).filter(is_kept).collect();
                let mut chosen: Vec<_> = keys.iter().copied().filter(|key| is_due(key)).collect();
                if chosen.is_empty() {
                    let simple = |key: &&&FieldPattern| !matches!(self.old.kind(key), Some(Type::Object | Type::Array));
                    chosen.extend(keys.iter().find(simple).or_else(|| keys.first()).copied());
                }
                let mut map = Map::new();
                for key in chosen {
                    map.insert(last_key(key)?.to_owned(), self.value(changes, key, depth + 1)?);
                }
                if keys.is_empty() {
                    map.insert("example".to_owned(), self.value_of_map(changes, field, depth)?);
                }
                Some(Value::Object(map))
            }
            Type::Array => Some(json!([self.value(changes, &field.items(), depth + 1)?])),
            _ => self.scalar(changes, field),
        }
    }

    fn value_of_map(&self, changes: &Changes<'_, '_>, field: &FieldPattern, depth: usize) -> Option<Value> {
        let values = field.with(Part::Values);
        if self.old.get(&values).is_some() { self.value(changes, &values, depth + 1) } else { Some(json!("example")) }
    }

    /// Makes a scalar: the first one that is allowed.
    fn scalar(&self, changes: &Changes<'_, '_>, field: &FieldPattern) -> Option<Value> {
        let its = self.old.get(field)?;
        if let Some(values) = &its.attributes.allowed {
            let there = self.new.attributes(&changes.pairing.image(field)).and_then(|new| new.allowed.as_ref());
            let both = values.iter().find(|value| there.is_none_or(|there| there.contains(value)));
            return both.or(values.first()).cloned();
        }
        Some(match its.kind {
            Type::Boolean => json!(true),
            Type::Integer | Type::Number => {
                json!(number_for(its.attributes)?)
            }
            Type::Quantity => json!("1"),
            _ => json!(text_for(its.attributes).unwrap_or_else(|| MARK.to_owned())),
        })
    }

    /// Writes an object with these values.
    fn object(&self, side: usize, leaves: &[(FieldPattern, Value)]) -> String {
        let (kind, version) = &self.sides[side];
        let mut object = json!({
            "apiVersion": version.to_string(),
            "kind": kind.kind,
            "metadata": {"name": "example"},
        });
        for (field, value) in leaves {
            put(&mut object, field.parts(), value);
        }
        self.fill(side, &FieldPattern::default(), &mut object);
        object_text(&object)
    }
}

/// Says in a file of a case why what it expects is not known yet.
pub(super) fn to_fill_in(why: &str) -> String {
    format!("# {MARK}: what becomes of the example, {why}; then remove this line\n")
}

/// Says in a file of a case which fields are open.
fn with_open(fields: &[&str]) -> String {
    to_fill_in(&format!("with {}", fields.join(", ")))
}

/// Lists what the old side requires and an object that comes back lacks.
fn not_back(lost: &BTreeSet<String>) -> String {
    lost.iter().map(|field| format!("invalid-in-target {field}\n")).collect()
}

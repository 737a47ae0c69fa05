//! The child's side of the operation: the parents that select it become references, and back.

use serde_json::{Map, Value, json};

use super::super::context::Context;
use super::super::halt::Halt;
use super::super::identify;
use super::super::namespace::Namespace;
use super::super::object_view::{ObjectView, some_of};
use super::super::session::{Completeness, Session};
use super::fields::{Fields, refused, text, title, view};
use super::join::{Join, Selected};
use super::nearest::{Selecting, listed};
use crate::field::FieldPath;
use crate::release::GroupKind;
use crate::yaml::{Intent, Place};

/// A reference to a parent on the new side.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reference {
    name: String,
    /// The parent's namespace: that of the child, or one that is known.
    namespace: Namespace,
    item: Option<String>,
}

impl Reference {
    fn target(&self) -> (&str, &Namespace) {
        (&self.name, &self.namespace)
    }

    /// Returns the reference as it is written in an object in namespace `own`.
    fn value(&self, fields: &Fields, own: &Namespace) -> Value {
        let mut map = Map::from_iter([("name".to_owned(), Value::from(self.name.as_str()))]);
        if let Some(namespace) = self.namespace.name().filter(|_| own.same_as(&self.namespace) != Some(true)) {
            map.insert("namespace".to_owned(), Value::from(namespace));
        }
        if let Some(item) = &self.item {
            map.insert(fields.references.item.key.clone(), Value::from(item.as_str()));
        }
        Value::Object(map)
    }
}

/// Joins the references to each parent; two parents of one name must have the same.
fn merged(
    parents: Vec<(ObjectView<'_>, Vec<Reference>)>,
    fields: &Fields,
    at: &FieldPath,
) -> Result<Vec<Reference>, Halt> {
    let mut merged: Vec<(ObjectView<'_>, Vec<Reference>)> = Vec::new();
    for (parent, references) in parents {
        let target = references.first().map(Reference::target);
        let same = |(_, other): &&(_, Vec<Reference>)| other.first().map(Reference::target) == target;
        match merged.iter().find(same) {
            Some((first, other)) if *other != references => {
                let kind = fields.parent_kind();
                let (one, other) = (first.described(), parent.described());
                let reason = format!(
                    "the files have two {kind} objects of one name, which select the object differently: {one} and {other}"
                );
                return Err(refused(at.clone(), reason, "convert the object together with only one of the two"));
            }
            Some(_) => {}
            None => merged.push((parent, references)),
        }
    }
    Ok(merged.into_iter().flat_map(|(_, references)| references).collect())
}

/// Adds the mapping that has the fields of a child, where it is missing.
fn add_mapping(fields: &Fields, session: &mut Session<'_>) -> Result<(), Halt> {
    let mut path = FieldPath::default();
    for step in fields.mapping().steps() {
        let below = path.with(step.clone());
        if let (None, Some(key)) = (below.get(session.object()), below.last_key()) {
            let key = key.to_owned();
            session.change(Intent::Insert { path: path.key(&key), value: json!({}), place: Place::Last })?;
        }
        path = below;
    }
    Ok(())
}

/// Returns what to do where a parent is missing.
fn convert_together(fields: &Fields) -> String {
    let (kind, field) = (fields.parent_kind(), &fields.references.field);
    format!("convert the {kind} together with the object, or write {field} by hand")
}

/// Replaces the parents that the child allows by references.
pub(super) fn add_references(fields: &Fields, kind: &GroupKind, session: &mut Session<'_>) -> Result<(), Halt> {
    let (field, references) = (fields.children.field.clone(), fields.references.field.clone());
    let written = field.get(session.object()).is_some();
    if session.completeness() == Completeness::Partial {
        let reason = format!("a patch does not show which {} objects select it", fields.parent_kind());
        let help = format!("write the whole object, or its {references} by hand");
        return if written { Err(refused(field, reason, help)) } else { Ok(()) };
    }
    if references.get(session.object()).is_some() {
        return if written { Err(Halt::Conflict { old: field, new: references }) } else { Ok(()) };
    }
    let object = session.object().clone();
    let own = session.namespace().clone();
    let place = session.place();
    let (parents, farther) = parents(fields, &view(kind, &own, &object, place), session)?;
    add_mapping(fields, session)?;
    let allow = text(field.get(&object).unwrap_or(&Value::Null), &fields.children.allow.key);
    let is_listed = allow.as_deref() == Some(fields.children.allow.listed.as_str());
    if !is_listed {
        let place = if written { field.clone() } else { fields.mapping() };
        let farther = match farther.as_slice() {
            [] => String::new(),
            all => {
                let all = some_of(all, described);
                format!(", those nearest to it; if they are applied to the same cluster, it is also selected by {all}")
            }
        };
        let reason =
            format!("{references} has the {} objects that select the object now{farther}", fields.parent_kind());
        session.record_normalization(&place, reason);
    }
    let (path, key) = (fields.mapping(), Fields::key(&references));
    let before = Place::Before(Fields::key(&field));
    let list = fields.list();
    if is_listed && list.get(&object).is_some_and(Value::is_array) {
        session.change(Intent::Move { from: list, to: path.key(&key), place: before })?;
        rewrite_list(fields, &parents, &own, session)?;
    } else if !parents.is_empty() {
        let value = Value::Array(parents.iter().map(|parent| parent.value(fields, &own)).collect());
        let place = if written { before } else { Place::First };
        session.change(Intent::Insert { path: path.key(&key), value, place })?;
    }
    if written { session.change(Intent::Delete { path: field }) } else { Ok(()) }
}

/// Returns references to the parents that select `child`, as far as the files show, and the parents that are farther away.
fn parents<'a>(
    fields: &Fields,
    child: &ObjectView<'_>,
    session: &mut Session<'a>,
) -> Result<(Vec<Reference>, Vec<ObjectView<'a>>), Halt> {
    let Some(context) = session.context() else {
        return none_selects(fields, child, &FieldPath::default()).map(|()| (Vec::new(), Vec::new()));
    };
    let field = &fields.children.field;
    let at = if field.get(child.value).is_some() { field.clone() } else { FieldPath::default() };
    check_listed(fields, child, context)?;
    let selecting = Selecting::of(fields, child, context);
    let joined = selecting.nearest.iter().map(|parent| (*parent, Join::of(fields, child, parent, context)));
    let joined: Vec<_> = joined.collect();
    check_known(fields, child, &joined, &at)?;
    let referenced = |(parent, join): &(ObjectView<'a>, Join)| (*parent, references_to(fields, parent, join));
    let references = merged(joined.iter().map(referenced).collect(), fields, &at)?;
    for seen in selecting.in_each_build.iter().flatten() {
        let is_seen = |(parent, _): &&(ObjectView<'a>, Join)| seen.iter().any(|one| one.place.id == parent.place.id);
        if merged(joined.iter().filter(is_seen).map(referenced).collect(), fields, &at)? != references {
            let (kind, field) = (fields.parent_kind(), &fields.references.field);
            let all = some_of(&selecting.nearest, described);
            let reason = format!("it is selected by different {kind} objects in different builds: {all}");
            return Err(refused(at, reason, format!("write {field} by hand, in a patch for each build")));
        }
    }
    joined.iter().for_each(|(parent, _)| session.convert_together_with(parent));
    if references.is_empty() {
        none_selects(fields, child, &at)?;
    }
    Ok((references, selecting.farther(fields, child, context)))
}

/// Refuses a child where it is not known which parents select it, or what their namespaces are.
fn check_known(
    fields: &Fields,
    child: &ObjectView<'_>,
    joined: &[(ObjectView<'_>, Join)],
    at: &FieldPath,
) -> Result<(), Halt> {
    let others = |rest: Vec<&ObjectView<'_>>| match rest.as_slice() {
        [] => String::new(),
        rest => format!("; the same holds for {}", some_of(rest, |one| described(one))),
    };
    let mut unknown = joined.iter().filter_map(|(parent, join)| Some((parent, join.unknown()?)));
    if let Some((parent, reason)) = unknown.next() {
        let (first, others) = (described(parent), others(unknown.map(|(parent, _)| parent).collect()));
        let reason = format!("the files do not show whether {first} selects the object: {reason}{others}");
        return Err(refused(at.clone(), reason, "add what is missing, then run again"));
    }
    let is_unknown = |parent: &&ObjectView<'_>| {
        parent.namespace.name().is_none() && child.namespace.same_as(parent.namespace) != Some(true)
    };
    let mut unknown = joined.iter().map(|(parent, _)| parent).filter(is_unknown);
    let Some(parent) = unknown.next() else { return Ok(()) };
    let (first, description, others) = (described(parent), parent.namespace.description(), others(unknown.collect()));
    let reason = format!("the namespace of {first} is unknown: it {description}{others}");
    let help = format!("set metadata.namespace of the {}, then run again", fields.parent_kind());
    Err(refused(at.clone(), reason, help))
}

/// Returns the title of a parent with its namespace and place.
fn described(parent: &ObjectView<'_>) -> String {
    parent.with_place(&title(parent))
}

/// Refuses a child that no parent selects, unless it lists none.
fn none_selects(fields: &Fields, child: &ObjectView<'_>, at: &FieldPath) -> Result<(), Halt> {
    if listed(fields, child).is_some_and(<[Value]>::is_empty) {
        return Ok(());
    }
    let reason = format!(
        "no {kind} among the files selects the object, and the target release requires the {kind} in {}",
        fields.references.field,
        kind = fields.parent_kind()
    );
    Err(refused(at.clone(), reason, convert_together(fields)))
}

/// Refuses a child that lists a parent that is not among the files.
fn check_listed(fields: &Fields, child: &ObjectView<'_>, context: &Context<'_>) -> Result<(), Halt> {
    for (index, one) in listed(fields, child).into_iter().flatten().enumerate() {
        let text = |key: &str| one.get(key).and_then(Value::as_str);
        let (namespace, name) = (text("namespace").unwrap_or_default(), text("name").unwrap_or_default());
        let target = Namespace::from_written(text("namespace"));
        let found = context.resolve(&fields.parent.kind, &target, name, child.place.file);
        if found.all().next().is_none() {
            let (list, kind) = (fields.list(), fields.parent_kind());
            let reason =
                format!("it depends on the label selectors of {kind} {namespace}/{name}, which is not among the files");
            return Err(refused(list.index(index), reason, convert_together(fields)));
        }
    }
    Ok(())
}

/// Returns one reference to the whole parent, or one to each item that selects the child.
fn references_to(fields: &Fields, parent: &ObjectView<'_>, join: &Join) -> Vec<Reference> {
    let reference = |item| Reference {
        name: parent.name.unwrap_or_default().to_owned(),
        namespace: parent.namespace.clone(),
        item,
    };
    if join.is_whole {
        return vec![reference(None)];
    }
    let names = identify::names(fields.items(parent.value), &fields.parent.names.key, &fields.parent.names.from);
    let selecting = names.into_iter().zip(&join.selected).filter(|(_, selected)| **selected == Selected::Yes);
    selecting.map(|(name, _)| reference(Some(name))).collect()
}

/// Changes the list of parents, which was moved to the references, to `references`, item by item.
fn rewrite_list(
    fields: &Fields,
    references: &[Reference],
    own: &Namespace,
    session: &mut Session<'_>,
) -> Result<(), Halt> {
    let list = fields.references.field.clone();
    let count = list.get(session.object()).and_then(Value::as_array).map_or(0, Vec::len);
    if count == 0 {
        return session.change(Intent::Delete { path: list });
    }
    let mut left = references.to_vec();
    let mut of_item = Vec::new();
    for index in 0..count {
        let item = list.index(index);
        let text = |key: &str| item.key(key).get(session.object()).and_then(Value::as_str);
        let is_it = |reference: &Reference| {
            let namespace = reference.namespace.name();
            Some(reference.name.as_str()) == text("name")
                && namespace.is_none_or(|namespace| Some(namespace) == text("namespace"))
        };
        let (matching, others): (Vec<_>, Vec<_>) = left.into_iter().partition(is_it);
        left = others;
        of_item.push(matching);
    }
    for (index, matching) in of_item.into_iter().enumerate().rev() {
        let item = list.index(index);
        let Some((first, more)) = matching.split_first() else {
            session.record_normalization(&item, format!("the {} does not select the object", fields.parent_kind()));
            session.change(Intent::Delete { path: item })?;
            continue;
        };
        if first.item.is_some() || !more.is_empty() {
            let reason = format!("{} has the names of the items that select the object", fields.references.item.key);
            session.record_normalization(&item, reason);
        }
        rewrite_item(fields, &item, first, own, session)?;
        for (offset, reference) in (1..).zip(more) {
            let (path, index) = (list.clone(), index + offset);
            session.change(Intent::Insert {
                path: path.index(index),
                value: reference.value(fields, own),
                place: Place::Last,
            })?;
        }
    }
    Ok(())
}

/// Changes an item of the list of parents to `reference`.
fn rewrite_item(
    fields: &Fields,
    item: &FieldPath,
    reference: &Reference,
    own: &Namespace,
    session: &mut Session<'_>,
) -> Result<(), Halt> {
    let namespace = item.key("namespace");
    let is_own = reference.value(fields, own).get("namespace").is_none();
    if is_own && namespace.get(session.object()).is_some() {
        session.change(Intent::Delete { path: namespace })?;
    }
    let Some(name) = &reference.item else { return Ok(()) };
    let (path, key, value) = (item.clone(), fields.references.item.key.clone(), Value::from(name.as_str()));
    session.change(Intent::Insert { path: path.key(&key), value, place: Place::Last })
}

/// Replaces the references by a list of parents.
pub(super) fn list_parents(fields: &Fields, session: &mut Session<'_>) -> Result<(), Halt> {
    let (field, references) = (fields.children.field.clone(), fields.references.field.clone());
    let all = match references.get(session.object()) {
        None if session.completeness() == Completeness::Partial => return Ok(()),
        None | Some(Value::Null) => &[][..],
        Some(all) => all.as_array().map_or(&[][..], Vec::as_slice),
    };
    let all = all.to_vec();
    if field.get(session.object()).is_some() {
        return Err(Halt::Conflict { old: field, new: references });
    }
    let own = session.namespace().name().map(str::to_owned);
    for index in 0..all.len() {
        check_reference(fields, index, &all, own.as_deref(), session)?;
    }
    add_mapping(fields, session)?;
    let written = references.get(session.object()).is_some();
    let place = if written { Place::Before(Fields::key(&references)) } else { Place::First };
    let allow = (fields.children.allow.key.clone(), Value::from(fields.children.allow.listed.as_str()));
    let (path, key, value) = (fields.mapping(), Fields::key(&field), Value::Object(Map::from_iter([allow])));
    session.change(Intent::Insert { path: path.key(&key), value, place })?;
    if all.is_empty() {
        return if written { session.change(Intent::Delete { path: references }) } else { Ok(()) };
    }
    let (to, key) = (field, fields.children.list.clone());
    session.change(Intent::Move { from: references, to: to.key(&key), place: Place::Last })?;
    for index in (0..all.len()).rev() {
        shorten(fields, &fields.list().index(index), own.as_deref(), session)?;
    }
    remove_repeated(&fields.list(), session)
}

/// Refuses a reference that a list of parents cannot express.
fn check_reference(
    fields: &Fields,
    index: usize,
    all: &[Value],
    own: Option<&str>,
    session: &mut Session<'_>,
) -> Result<(), Halt> {
    let place = fields.references.field.index(index);
    let reference = &all[index];
    let parent = fields.new_parent();
    let kind = text(reference, "kind").unwrap_or_else(|| parent.kind.clone());
    let group = text(reference, "group").unwrap_or_else(|| parent.group.clone());
    if GroupKind::new(kind.as_str(), group) != parent {
        let reason = format!("in the target release the object can only reference a {}, not a {kind}", parent.kind);
        return Err(refused(place.key("kind"), reason, format!("reference a {}", parent.kind)));
    }
    let Some(namespace) = text(reference, "namespace").or_else(|| own.map(str::to_owned)) else {
        let description = session.namespace().description();
        let reason =
            format!("the target release requires the namespace of the {}, and the object {description}", parent.kind);
        return Err(refused(place, reason, "set metadata.namespace of the object, or the namespace of the reference"));
    };
    for unsupported in &fields.references.unsupported {
        if reference.get(&unsupported.key).is_some() {
            let at = place.key(&unsupported.key);
            return Err(refused(at, unsupported.reason.as_str(), unsupported.help.as_str()));
        }
    }
    let same = |other: &&Value| {
        let other_namespace = text(other, "namespace").or_else(|| own.map(str::to_owned));
        text(other, "name") == text(reference, "name") && other_namespace.as_deref() == Some(namespace.as_str())
    };
    let items: Option<Vec<_>> = all.iter().filter(same).map(|other| text(other, &fields.references.item.key)).collect();
    let name = text(reference, "name").unwrap_or_default();
    let target = Namespace::Named(namespace.clone());
    let found = session.context().map(|context| context.resolve(&parent, &target, &name, session.place().file));
    let found = found.unwrap_or_default();
    found.all().for_each(|parent| session.convert_together_with(parent));
    let Some(items) = items else { return Ok(()) };
    let has_all_items = |parent: &ObjectView<'_>| {
        let name = |item: &Value| text(item, &fields.parent.names.key);
        fields.items(parent.value).iter().all(|item| name(item).is_some_and(|it| items.contains(&it)))
    };
    let at = place.key(&fields.references.item.key);
    let (kind, list) = (&parent.kind, &fields.parent.items);
    match (found.certain.as_slice(), found.possible.first()) {
        ([_, ..], None) if found.certain.iter().all(has_all_items) => Ok(()),
        ([], Some(other)) => {
            let description = other.namespace.description();
            let reason =
                format!("it depends on {list} of {}, whose namespace is unknown: it {description}", other.described());
            Err(refused(at, reason, format!("set metadata.namespace of the {kind}, then run again")))
        }
        ([], None) => {
            let reason = format!("it depends on {list} of {kind} {namespace}/{name}, which is not among the files");
            Err(refused(at, reason, format!("convert the {kind} together with the object")))
        }
        _ => {
            let reason =
                format!("in the target release the object cannot reference a single item of {list} of a {kind}");
            Err(refused(at, reason, fields.references.item.help.as_str()))
        }
    }
}

/// Changes a reference to an item of the list of parents.
fn shorten(fields: &Fields, item: &FieldPath, own: Option<&str>, session: &mut Session<'_>) -> Result<(), Halt> {
    for key in ["group", "kind", fields.references.item.key.as_str()] {
        if item.key(key).get(session.object()).is_some() {
            let reason = format!("{} means the same without it", fields.list());
            session.record_normalization(&item.key(key), reason);
            session.change(Intent::Delete { path: item.key(key) })?;
        }
    }
    let namespace = item.key("namespace");
    if own.is_some() && namespace.get(session.object()).and_then(Value::as_str) == own {
        let reason = format!("{} defaults to the namespace of the object", fields.references.field);
        session.record_normalization(&namespace, reason);
    }
    if namespace.get(session.object()).is_none() {
        let value = Value::from(own.unwrap_or_default());
        let (path, key) = (item.clone(), "namespace".to_owned());
        session.change(Intent::Insert { path: path.key(&key), value, place: Place::Last })?;
    }
    Ok(())
}

fn remove_repeated(list: &FieldPath, session: &mut Session<'_>) -> Result<(), Halt> {
    let items = list.get(session.object()).and_then(Value::as_array).cloned().unwrap_or_default();
    let repeated = (0..items.len()).rev().filter(|index| items[..*index].contains(&items[*index]));
    repeated.map(|index| list.index(index)).try_for_each(|path| {
        session.record_normalization(&path, "an earlier item is the same");
        session.change(Intent::Delete { path })
    })
}

//! The route's side of the conversion: the Gateways that select it become references, and back.

use serde_json::{Map, Value, json};

use super::super::super::context::{Context, Namespace, ObjectView, some_of};
use super::super::super::references::text;
use super::super::super::session::{Completeness, Halt, Session};
use super::super::fields::{items, path};
use super::super::listener_names;
use super::api::{
    FROM_LIST, GATEWAY_REFS, GATEWAYS, NEW_GROUP, OLD_GROUP, PARENT_REFS, SECTION, described, gateway_kind, listed,
    listeners, view,
};
use super::selection::{Selected, Selecting, Selection};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::Place;

/// A reference to a Gateway on the new side.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reference {
    name: String,
    /// The Gateway's namespace: that of the route, or one that is known.
    namespace: Namespace,
    /// The name of a listener.
    section: Option<String>,
}

impl Reference {
    /// The namespace as it is written in an object in namespace `own`.
    fn written_namespace(&self, own: &Namespace) -> Option<&str> {
        self.namespace.name().filter(|_| own.same_as(&self.namespace) != Some(true))
    }

    /// The reference as it is written in an object in namespace `own`.
    fn value(&self, own: &Namespace) -> Value {
        let mut map = Map::from_iter([("name".to_owned(), Value::from(self.name.as_str()))]);
        let namespace = self.written_namespace(own).map(|namespace| ("namespace".to_owned(), Value::from(namespace)));
        let section = self.section.as_deref().map(|section| (SECTION.to_owned(), Value::from(section)));
        map.extend(namespace.into_iter().chain(section));
        Value::Object(map)
    }
}

/// A Gateway that selects a route.
struct Selector<'a> {
    gateway: ObjectView<'a>,
    selection: Selection,
}

impl Selector<'_> {
    /// One reference to the whole Gateway, or one to each listener that selects the route.
    fn references(&self) -> Vec<Reference> {
        let reference = |section| Reference {
            name: self.gateway.name.unwrap_or_default().to_owned(),
            namespace: self.gateway.namespace.clone(),
            section,
        };
        if self.selection.is_whole {
            return vec![reference(None)];
        }
        let names = listener_names::names(listeners(self.gateway.value)).into_iter().zip(&self.selection.selected);
        let selecting = names.filter(|(_, selected)| **selected == Selected::Yes);
        selecting.map(|(name, _)| reference(Some(name))).collect()
    }
}

/// Joins the references to each Gateway; two Gateways of one name must have the same.
fn merged<'s, 'a: 's>(
    selectors: impl Iterator<Item = &'s Selector<'a>>,
    at: &FieldPath,
) -> Result<Vec<Reference>, Halt> {
    let mut merged: Vec<(&Selector<'_>, Vec<Reference>)> = Vec::new();
    for selector in selectors {
        let references = selector.references();
        let target = |references: &[Reference]| {
            references.first().map(|reference| (reference.name.clone(), reference.namespace.clone()))
        };
        match merged.iter().find(|(_, others)| target(others) == target(&references)) {
            Some((first, others)) if *others != references => {
                let [first, second] = [first, selector].map(|selector| selector.gateway.described());
                let reason = format!(
                    "the files have two Gateway objects of one name, which select the object differently: {first} and {second}"
                );
                let help = "convert the object together with only one of the two";
                return Err(Halt::refused(at.clone(), reason, help));
            }
            Some(_) => {}
            None => merged.push((selector, references)),
        }
    }
    Ok(merged.into_iter().flat_map(|(_, references)| references).collect())
}

/// Adds `spec`, where it is missing.
fn add_spec(session: &mut Session<'_>) -> Result<(), Halt> {
    if session.object().get("spec").is_some() {
        return Ok(());
    }
    session.insert(path("spec"), json!({}), Place::Last)
}

/// What to do where a Gateway is missing.
fn convert_together() -> String {
    format!("convert the Gateway together with the object, or write {PARENT_REFS} by hand")
}

/// Replaces the Gateways that the route, which is of `kind`, allows by references.
pub(super) fn add_references(kind: &GroupKind, session: &mut Session<'_>) -> Result<(), Halt> {
    let (spec, field, references) = (path("spec"), path(GATEWAYS), path(PARENT_REFS));
    let is_written = field.get(session.object()).is_some();
    if session.completeness() == Completeness::Partial {
        let help = format!("write the whole object, or its {PARENT_REFS} by hand");
        let halt = || Halt::refused(field, "a patch does not show which Gateway objects select it", help);
        return if is_written { Err(halt()) } else { Ok(()) };
    }
    if references.get(session.object()).is_some() {
        return if is_written { Err(Halt::Conflict { old: field, new: references }) } else { Ok(()) };
    }
    let (object, own, place) = (session.object().clone(), session.namespace().clone(), session.place());
    let selecting = gateways(&view(kind, &own, &object, place), session)?;
    add_spec(session)?;
    let is_listed = listed(&object).is_some();
    if !is_listed {
        let farther = match selecting.farther.as_slice() {
            [] => String::new(),
            farther => {
                let farther = some_of(farther, described);
                format!(
                    ", those nearest to it; if they are applied to the same cluster, it is also selected by {farther}"
                )
            }
        };
        let reason = format!("{PARENT_REFS} has the Gateway objects that select the object now{farther}");
        session.record_normalization(if is_written { &field } else { &spec }, reason);
    }
    let before = Place::Before("gateways".to_owned());
    let list = path(GATEWAY_REFS);
    if is_listed && list.get(&object).is_some_and(Value::is_array) {
        session.relocate(list, references, before)?;
        rewrite_list(&selecting.references, &own, session)?;
    } else if !selecting.references.is_empty() {
        let value: Value = selecting.references.iter().map(|reference| reference.value(&own)).collect();
        let place = if is_written { before } else { Place::First };
        session.insert(references, value, place)?;
    }
    if is_written { session.delete(field) } else { Ok(()) }
}

/// The Gateways that select a route, as far as the files show.
#[derive(Default)]
struct Gateways<'a> {
    references: Vec<Reference>,
    /// Those that are farther away than the ones that count.
    farther: Vec<ObjectView<'a>>,
}

fn gateways<'a>(route: &ObjectView<'_>, session: &mut Session<'a>) -> Result<Gateways<'a>, Halt> {
    let Some(context) = session.context() else {
        return none_selects(route, &FieldPath::default()).map(|()| Gateways::default());
    };
    let field = path(GATEWAYS);
    let at = if field.get(route.value).is_some() { field } else { FieldPath::default() };
    check_listed(route, context)?;
    let selecting = Selecting::of(route, context);
    let selector =
        |gateway: &ObjectView<'a>| Selector { gateway: *gateway, selection: Selection::of(route, gateway, context) };
    let selectors: Vec<Selector<'a>> = selecting.nearest.iter().map(selector).collect();
    check_known(route, &selectors, &at)?;
    let references = merged(selectors.iter(), &at)?;
    for build in selecting.in_each_build.iter().flatten() {
        let is_in_build = |selector: &&Selector<'a>| build.iter().any(|one| one.place.id == selector.gateway.place.id);
        if merged(selectors.iter().filter(is_in_build), &at)? != references {
            let gateways = some_of(&selecting.nearest, described);
            let reason = format!("it is selected by different Gateway objects in different builds: {gateways}");
            let help = format!("write {PARENT_REFS} by hand, in a patch for each build");
            return Err(Halt::refused(at, reason, help));
        }
    }
    selectors.iter().for_each(|selector| session.convert_together_with(&selector.gateway));
    if references.is_empty() {
        none_selects(route, &at)?;
    }
    Ok(Gateways { references, farther: selecting.farther(route, context) })
}

/// Refuses a route where it is not known which Gateways select it, or what their namespaces are.
fn check_known(route: &ObjectView<'_>, selectors: &[Selector<'_>], at: &FieldPath) -> Result<(), Halt> {
    let unknown = selectors.iter().filter_map(|selector| Some((&selector.gateway, selector.selection.unknown()?)));
    let (gateways, reasons): (Vec<&ObjectView<'_>>, Vec<&str>) = unknown.unzip();
    if let (Some((first, others)), Some(reason)) = (gateways.split_first(), reasons.first()) {
        let (first, others) = (described(first), same_for(others));
        let reason = format!("the files do not show whether {first} selects the object: {reason}{others}");
        return Err(Halt::refused(at.clone(), reason, "add what is missing, then run again"));
    }
    let is_unknown = |gateway: &&ObjectView<'_>| {
        gateway.namespace.name().is_none() && route.namespace.same_as(gateway.namespace) != Some(true)
    };
    let unknown: Vec<_> = selectors.iter().map(|selector| &selector.gateway).filter(is_unknown).collect();
    let Some((gateway, others)) = unknown.split_first() else { return Ok(()) };
    let (first, description, others) = (described(gateway), gateway.namespace.description(), same_for(others));
    let reason = format!("the namespace of {first} is unknown: it {description}{others}");
    Err(Halt::refused(at.clone(), reason, "set metadata.namespace of the Gateway, then run again"))
}

fn same_for(others: &[&ObjectView<'_>]) -> String {
    match others {
        [] => String::new(),
        others => format!("; the same holds for {}", some_of(others, |other| described(other))),
    }
}

/// Refuses a route that no Gateway selects, unless it lists none.
fn none_selects(route: &ObjectView<'_>, at: &FieldPath) -> Result<(), Halt> {
    if listed(route.value).is_some_and(<[Value]>::is_empty) {
        return Ok(());
    }
    let reason = format!(
        "no Gateway among the files selects the object, and the target release requires the Gateway in {PARENT_REFS}"
    );
    Err(Halt::refused(at.clone(), reason, convert_together()))
}

/// Refuses a route that lists a Gateway that is not among the files.
fn check_listed(route: &ObjectView<'_>, context: &Context<'_>) -> Result<(), Halt> {
    for (index, reference) in listed(route.value).into_iter().flatten().enumerate() {
        let (namespace, name) = (text(reference, "namespace"), text(reference, "name").unwrap_or_default());
        let target = Namespace::from_written(namespace);
        let found = context.resolve(&gateway_kind(OLD_GROUP), &target, name, route.place.file);
        if found.all().next().is_none() {
            let namespace = namespace.unwrap_or_default();
            let reason = format!(
                "it depends on the label selectors of Gateway {namespace}/{name}, which is not among the files"
            );
            return Err(Halt::refused(path(GATEWAY_REFS).index(index), reason, convert_together()));
        }
    }
    Ok(())
}

/// Changes the list of Gateways, which was moved to the references, to `references`, item by item.
fn rewrite_list(references: &[Reference], own: &Namespace, session: &mut Session<'_>) -> Result<(), Halt> {
    let list = path(PARENT_REFS);
    let written = items(session.object(), &list);
    if written.is_empty() {
        return session.delete(list);
    }
    let mut left = references.to_vec();
    let mut of_item = Vec::new();
    for item in written {
        let is_it = |reference: &Reference| {
            let namespace = reference.namespace.name();
            Some(reference.name.as_str()) == text(item, "name")
                && namespace.is_none_or(|namespace| Some(namespace) == text(item, "namespace"))
        };
        let (matching, others): (Vec<_>, Vec<_>) = left.into_iter().partition(is_it);
        left = others;
        of_item.push(matching);
    }
    for (index, matching) in of_item.into_iter().enumerate().rev() {
        let item = list.index(index);
        let Some((first, more)) = matching.split_first() else {
            session.record_normalization(&item, "the Gateway does not select the object");
            session.delete(item)?;
            continue;
        };
        if first.section.is_some() || !more.is_empty() {
            let reason = format!("{SECTION} has the names of the items that select the object");
            session.record_normalization(&item, reason);
        }
        rewrite_item(&item, first, own, session)?;
        for (offset, reference) in (1..).zip(more) {
            session.insert(list.index(index + offset), reference.value(own), Place::Last)?;
        }
    }
    Ok(())
}

/// Changes an item of the list of Gateways to `reference`.
fn rewrite_item(
    item: &FieldPath,
    reference: &Reference,
    own: &Namespace,
    session: &mut Session<'_>,
) -> Result<(), Halt> {
    let namespace = item.key("namespace");
    if reference.written_namespace(own).is_none() && namespace.get(session.object()).is_some() {
        session.delete(namespace)?;
    }
    let Some(section) = &reference.section else { return Ok(()) };
    session.insert(item.key(SECTION), section.as_str(), Place::Last)
}

/// Replaces the references by a list of Gateways.
pub(super) fn list_gateways(session: &mut Session<'_>) -> Result<(), Halt> {
    let (field, references) = (path(GATEWAYS), path(PARENT_REFS));
    let is_written = references.get(session.object()).is_some();
    if !is_written && session.completeness() == Completeness::Partial {
        return Ok(());
    }
    let written = items(session.object(), &references).to_vec();
    if field.get(session.object()).is_some() {
        return Err(Halt::Conflict { old: field, new: references });
    }
    let own = session.namespace().name().map(str::to_owned);
    for index in 0..written.len() {
        check_reference(index, &written, own.as_deref(), session)?;
    }
    add_spec(session)?;
    let place = if is_written { Place::Before("parentRefs".to_owned()) } else { Place::First };
    session.insert(field.clone(), json!({ "allow": FROM_LIST }), place)?;
    if written.is_empty() {
        return if is_written { session.delete(references) } else { Ok(()) };
    }
    let list = path(GATEWAY_REFS);
    session.relocate(references, list.clone(), Place::Last)?;
    for index in (0..written.len()).rev() {
        shorten(&list.index(index), own.as_deref(), session)?;
    }
    remove_repeated(&list, &written, session)
}

/// Refuses one of the `written` references that a list of Gateways cannot express.
fn check_reference(index: usize, written: &[Value], own: Option<&str>, session: &mut Session<'_>) -> Result<(), Halt> {
    let (place, reference, gateway) = (path(PARENT_REFS).index(index), &written[index], gateway_kind(NEW_GROUP));
    let kind = text(reference, "kind").unwrap_or(&gateway.kind);
    if GroupKind::new(kind, text(reference, "group").unwrap_or(&gateway.group)) != gateway {
        let reason = format!("in the target release the object can only reference a Gateway, not a {kind}");
        return Err(Halt::refused(place.key("kind"), reason, "reference a Gateway"));
    }
    let Some(namespace) = text(reference, "namespace").or(own) else {
        let description = session.namespace().description();
        let reason = format!("the target release requires the namespace of the Gateway, and the object {description}");
        let help = "set metadata.namespace of the object, or the namespace of the reference";
        return Err(Halt::refused(place, reason, help));
    };
    if reference.get("port").is_some() {
        let reason = "before v0.4.0 a route cannot reference a port of its Gateway";
        let help = "add a listener for the port with a label selector of its own";
        return Err(Halt::refused(place.key("port"), reason, help));
    }
    let name = text(reference, "name").unwrap_or_default();
    let target = Namespace::Named(namespace.to_owned());
    let found = session.context().map(|context| context.resolve(&gateway, &target, name, session.place().file));
    let found = found.unwrap_or_default();
    found.all().for_each(|gateway| session.convert_together_with(gateway));
    let same = written.iter().filter(|other| {
        text(other, "name") == text(reference, "name") && text(other, "namespace").or(own) == Some(namespace)
    });
    // A reference to the whole Gateway covers those to its listeners.
    let Some(sections) = same.map(|other| text(other, SECTION)).collect::<Option<Vec<_>>>() else { return Ok(()) };
    let has_all_listeners = |gateway: &ObjectView<'_>| {
        let mut names = listeners(gateway.value).iter().map(|listener| text(listener, "name"));
        names.all(|name| name.is_some_and(|name| sections.contains(&name)))
    };
    let at = place.key(SECTION);
    match (found.certain.as_slice(), found.possible.first()) {
        ([_, ..], None) if found.certain.iter().all(has_all_listeners) => Ok(()),
        ([], Some(other)) => {
            let (other, description) = (other.described(), other.namespace.description());
            let reason =
                format!("it depends on spec.listeners of {other}, whose namespace is unknown: it {description}");
            Err(Halt::refused(at, reason, "set metadata.namespace of the Gateway, then run again"))
        }
        ([], None) => {
            let reason =
                format!("it depends on spec.listeners of Gateway {namespace}/{name}, which is not among the files");
            Err(Halt::refused(at, reason, "convert the Gateway together with the object"))
        }
        _ => {
            let reason =
                "in the target release the object cannot reference a single item of spec.listeners of a Gateway";
            let help = "add a routes.selector to the listener and a matching label to the route, by hand";
            Err(Halt::refused(at, reason, help))
        }
    }
}

/// Changes a reference to an item of the list of Gateways.
fn shorten(item: &FieldPath, own: Option<&str>, session: &mut Session<'_>) -> Result<(), Halt> {
    for key in ["group", "kind", SECTION] {
        if item.key(key).get(session.object()).is_some() {
            let reason = format!("{GATEWAY_REFS} means the same without it");
            session.record_normalization(&item.key(key), reason);
            session.delete(item.key(key))?;
        }
    }
    let namespace = item.key("namespace");
    if own.is_some() && namespace.get(session.object()).and_then(Value::as_str) == own {
        let reason = format!("{PARENT_REFS} defaults to the namespace of the object");
        session.record_normalization(&namespace, reason);
    }
    if namespace.get(session.object()).is_none() {
        session.insert(namespace, own.unwrap_or_default(), Place::Last)?;
    }
    Ok(())
}

/// Removes the items that became the same as an earlier one. Those that were `written` alike stay.
fn remove_repeated(list: &FieldPath, written: &[Value], session: &mut Session<'_>) -> Result<(), Halt> {
    let made = items(session.object(), list).to_vec();
    let became_the_same = |index: &usize| {
        let mut earlier = (0..*index).filter(|earlier| made[*earlier] == made[*index]).peekable();
        earlier.peek().is_some() && earlier.all(|earlier| written[earlier] != written[*index])
    };
    for index in (0..made.len()).rev().filter(became_the_same) {
        let path = list.index(index);
        session.record_normalization(&path, "an earlier item is the same");
        session.delete(path)?;
    }
    Ok(())
}

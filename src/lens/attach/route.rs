//! The route's side of `attach`: `gateways` and `parentRefs`.

use serde_json::{Map, Value, json};

use super::super::identify;
use super::super::context::{Context, OtherObject};
use super::super::halt::Halt;
use super::super::namespace::Namespace;
use super::super::session::{Completeness, Session};
use super::join::{Answer, Join, Party};
use super::{Attach, refused};
use crate::field::FieldPath;
use crate::release::GroupKind;
use crate::yaml::{Intent, Place};

/// A parent as the new side writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parent {
    name: String,
    /// The Gateway's namespace: that of the route, or one that is known.
    namespace: Namespace,
    section: Option<String>,
}

impl Parent {
    fn place(&self) -> (&str, &Namespace) {
        (&self.name, &self.namespace)
    }

    /// Returns the reference from an object in `own` namespace.
    fn reference(&self, own: &Namespace) -> Value {
        let mut map = Map::from_iter([("name".to_owned(), Value::from(self.name.as_str()))]);
        if let Some(namespace) = self.namespace.name().filter(|_| own.same_as(&self.namespace) != Some(true)) {
            map.insert("namespace".to_owned(), Value::from(namespace));
        }
        if let Some(section) = &self.section {
            map.insert("sectionName".to_owned(), Value::from(section.as_str()));
        }
        Value::Object(map)
    }
}

/// Puts each Gateway's parents together; two Gateways of one name must agree.
fn distinct(gateways: Vec<Vec<Parent>>, at: &FieldPath) -> Result<Vec<Parent>, Halt> {
    let mut distinct: Vec<Vec<Parent>> = Vec::new();
    for parents in gateways {
        let same = |other: &&Vec<Parent>| other.first().map(Parent::place) == parents.first().map(Parent::place);
        match distinct.iter().find(same) {
            Some(other) if *other != parents => {
                let name = parents.first().map(|parent| parent.name.as_str()).unwrap_or_default();
                let reason = format!("two Gateways among the files are called {name}, and they take the route differently");
                return Err(refused(at.clone(), reason, "convert one of the two alone with the route"));
            }
            Some(_) => {}
            None => distinct.push(parents),
        }
    }
    Ok(distinct.concat())
}

fn spec(key: &str) -> FieldPath {
    FieldPath::default().key("spec").key(key)
}

/// Makes `spec` where there is none.
fn need_spec(session: &mut Session<'_>) -> Result<(), Halt> {
    if session.object().get("spec").is_some() {
        return Ok(());
    }
    let path = FieldPath::default();
    session.change(Intent::Insert { path, key: "spec".to_owned(), value: json!({}), place: Place::Last })
}

impl Attach {
    /// Replaces `gateways` by `parentRefs`.
    pub(super) fn name_parents(&self, kind: &GroupKind, session: &mut Session<'_>) -> Result<(), Halt> {
        let gateways = spec("gateways");
        let written = gateways.get(session.object()).is_some();
        if session.completeness() == Completeness::Partial {
            let reason = "a patch does not tell which Gateways take the route";
            let help = "write the whole route, or its parentRefs by hand";
            return if written { Err(refused(gateways, reason, help)) } else { Ok(()) };
        }
        if spec("parentRefs").get(session.object()).is_some() {
            return if written { Err(Halt::Conflict { old: gateways, new: spec("parentRefs") }) } else { Ok(()) };
        }
        let object = session.object().clone();
        let own = session.namespace().clone();
        let route = Party::of(kind, &own, &object);
        let parents = self.parents(&route, session)?;
        need_spec(session)?;
        let list = gateways.key("gatewayRefs");
        let allow = gateways.key("allow").get(&object).and_then(Value::as_str);
        if allow != Some("FromList") {
            let place = if written { gateways.clone() } else { FieldPath::default().key("spec") };
            session.record_normalization(&place, "parentRefs name the Gateways that take the route now");
        }
        if allow == Some("FromList") && list.get(&object).is_some_and(Value::is_array) {
            let (to, place) = (FieldPath::default().key("spec"), Place::Before("gateways".to_owned()));
            session.change(Intent::Move { from: list, to, key: "parentRefs".to_owned(), place })?;
            rewrite_list(&parents, &own, session)?;
        } else if !parents.is_empty() {
            let value = Value::Array(parents.iter().map(|parent| parent.reference(&own)).collect());
            let place = if written { Place::Before("gateways".to_owned()) } else { Place::First };
            let path = FieldPath::default().key("spec");
            session.change(Intent::Insert { path, key: "parentRefs".to_owned(), value, place })?;
        }
        if written { session.change(Intent::Delete { path: gateways }) } else { Ok(()) }
    }

    /// Returns the parents that `route` belonged to, as far as the files tell.
    fn parents(&self, route: &Party<'_>, session: &mut Session<'_>) -> Result<Vec<Parent>, Halt> {
        let alone = Context::default();
        let context = session.context().unwrap_or(&alone);
        let gateways = context.of_kind(&self.gateways);
        let at = if spec("gateways").get(route.value).is_some() { spec("gateways") } else { FieldPath::default() };
        let refs = self.listed(route, gateways)?;
        let mut parents = Vec::new();
        for neighbour in gateways {
            let gateway = Party::neighbour(neighbour);
            let join = Join::of(route, &gateway, context);
            if let Some(unknown) = join.unknown() {
                let reason = format!("the files do not tell whether {} takes the route: {unknown}", gateway.title());
                return Err(refused(at, reason, "write what is missing, then run again"));
            }
            if join.is_possible() {
                if gateway.namespace.name().is_none() && route.namespace.same_as(gateway.namespace) != Some(true) {
                    let reason = format!("the namespace is not known here: {} {}", gateway.title(), gateway.namespace.unknown());
                    return Err(refused(at, reason, "write metadata.namespace of the Gateway, then run again"));
                }
                session.convert_together_with(neighbour);
                parents.push(self.sections(&gateway, &join));
            }
        }
        let parents = distinct(parents, &at)?;
        if parents.is_empty() && refs != Some(0) {
            let reason = "no Gateway among the files takes the route, and since v0.4.0 the route names its Gateway";
            return Err(refused(at, reason, "convert the Gateway together with the route, or write parentRefs by hand"));
        }
        Ok(parents)
    }

    /// Returns how many Gateways a route lists, where it lists them; each must be among the files.
    fn listed(&self, route: &Party<'_>, gateways: &[OtherObject<'_>]) -> Result<Option<usize>, Halt> {
        let allow = spec("gateways").key("allow").get(route.value).and_then(Value::as_str);
        if allow != Some("FromList") {
            return Ok(None);
        }
        let list = spec("gateways").key("gatewayRefs");
        let refs = list.get(route.value).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (index, one) in refs.iter().enumerate() {
            let text = |key: &str| one.get(key).and_then(Value::as_str);
            let is_it = |gateway: &OtherObject<'_>| {
                gateway.name == text("name") && gateway.namespace.name().is_none_or(|namespace| Some(namespace) == text("namespace"))
            };
            if !gateways.iter().any(is_it) {
                let (namespace, name) = (text("namespace").unwrap_or_default(), text("name").unwrap_or_default());
                let reason = format!("Gateway {namespace}/{name}, which decides with its labels, is not among the files");
                let help = "convert the Gateway together with the route, or write parentRefs by hand";
                return Err(refused(list.index(index), reason, help));
            }
        }
        Ok(Some(refs.len()))
    }

    /// Returns one parent for the whole Gateway, or one for each listener that labels chose.
    fn sections(&self, gateway: &Party<'_>, join: &Join) -> Vec<Parent> {
        let parent = |section| Parent {
            name: gateway.name.unwrap_or_default().to_owned(),
            namespace: gateway.namespace.clone(),
            section,
        };
        if join.unlabelled {
            return vec![parent(None)];
        }
        let names = identify::names(gateway.listeners(), &self.names.key, &self.names.from);
        let chosen = names.into_iter().zip(&join.attached).filter(|(_, answer)| **answer == Answer::Yes);
        chosen.map(|(name, _)| parent(Some(name))).collect()
    }

    /// Replaces `parentRefs` by a list of Gateways.
    pub(super) fn list_gateways(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let parents = spec("parentRefs");
        let refs = match parents.get(session.object()) {
            None if session.completeness() == Completeness::Partial => return Ok(()),
            None | Some(Value::Null) => &[][..],
            Some(refs) => refs.as_array().map_or(&[][..], Vec::as_slice),
        };
        let refs = refs.to_vec();
        if spec("gateways").get(session.object()).is_some() {
            return Err(Halt::Conflict { old: spec("gateways"), new: parents });
        }
        let own = session.namespace().name().map(str::to_owned);
        for index in 0..refs.len() {
            self.check_parent(index, &refs, own.as_deref(), session)?;
        }
        need_spec(session)?;
        let written = parents.get(session.object()).is_some();
        let (path, key) = (FieldPath::default().key("spec"), "gateways".to_owned());
        let place = if written { Place::Before("parentRefs".to_owned()) } else { Place::First };
        session.change(Intent::Insert { path, key, value: json!({"allow": "FromList"}), place })?;
        if refs.is_empty() {
            return if written { session.change(Intent::Delete { path: parents }) } else { Ok(()) };
        }
        let list = spec("gateways").key("gatewayRefs");
        let (to, key) = (spec("gateways"), "gatewayRefs".to_owned());
        session.change(Intent::Move { from: parents, to, key, place: Place::Last })?;
        for index in (0..refs.len()).rev() {
            shorten(&list.index(index), own.as_deref(), session)?;
        }
        remove_repeated(&list, session)
    }

    /// Refuses a reference that a list of Gateways cannot hold.
    fn check_parent(&self, index: usize, refs: &[Value], own: Option<&str>, session: &mut Session<'_>) -> Result<(), Halt> {
        let place = spec("parentRefs").index(index);
        let text = |one: &Value, key: &str| one.get(key).and_then(Value::as_str).map(str::to_owned);
        let one = &refs[index];
        let kind = text(one, "kind").unwrap_or_else(|| self.gateways.kind.clone());
        let group = text(one, "group").unwrap_or_else(|| self.group.clone());
        if (&kind, &group) != (&self.gateways.kind, &self.group) {
            let reason = format!("before v0.4.0 a route belongs to Gateways only, not to {kind}");
            return Err(refused(place.key("kind"), reason, "attach the route to a Gateway"));
        }
        let Some(namespace) = text(one, "namespace").or_else(|| own.map(str::to_owned)) else {
            let reason = format!("before v0.4.0 the namespace of a Gateway must be written, and the route {}", session.namespace().unknown());
            return Err(refused(place, reason, "write metadata.namespace, or the namespace of the reference"));
        };
        if one.get("port").is_some() {
            let reason = "before v0.4.0 a route cannot choose a port of its Gateway";
            return Err(refused(place.key("port"), reason, "give the port a listener with a label selector of its own"));
        }
        let same = |other: &&Value| {
            let other_namespace = text(other, "namespace").or_else(|| own.map(str::to_owned));
            text(other, "name") == text(one, "name") && other_namespace.as_deref() == Some(namespace.as_str())
        };
        let sections: Option<Vec<_>> = refs.iter().filter(same).map(|other| text(other, "sectionName")).collect();
        let name = text(one, "name").unwrap_or_default();
        let new = GroupKind::new(self.gateways.kind.as_str(), self.group.as_str());
        let meant = Namespace::Named(namespace.clone());
        let meant = session.context().map(|all| all.named(&new, &meant, &name)).unwrap_or_default();
        meant.certain.iter().chain(&meant.possible).for_each(|gateway| session.convert_together_with(gateway));
        let Some(sections) = sections else { return Ok(()) };
        let all_named = |gateway: &OtherObject<'_>| {
            let name = |listener: &Value| text(listener, &self.names.key);
            Party::neighbour(gateway).listeners().iter().all(|listener| name(listener).is_some_and(|it| sections.contains(&it)))
        };
        match (meant.certain.as_slice(), meant.possible.first()) {
            ([gateway], None) if all_named(gateway) => Ok(()),
            ([], Some(other)) => {
                let unknown = other.namespace.unknown();
                let reason = format!("the namespace is not known here: Gateway {name}, whose listeners decide, {unknown}");
                Err(refused(place.key("sectionName"), reason, "write metadata.namespace of the Gateway, then run again"))
            }
            ([], None) => {
                let reason = format!("Gateway {namespace}/{name}, whose listeners decide, is not among the files");
                Err(refused(place.key("sectionName"), reason, "convert the Gateway together with the route"))
            }
            _ => {
                let reason = "before v0.4.0 a route cannot name a listener of its Gateway";
                let help = "give the listener a routes.selector and the route a label for it, by hand";
                Err(refused(place.key("sectionName"), reason, help))
            }
        }
    }
}

/// Makes the list of Gateways, moved to `parentRefs`, the list of `parents`, item by item.
fn rewrite_list(parents: &[Parent], own: &Namespace, session: &mut Session<'_>) -> Result<(), Halt> {
    let list = spec("parentRefs");
    let count = list.get(session.object()).and_then(Value::as_array).map_or(0, Vec::len);
    if count == 0 {
        return session.change(Intent::Delete { path: list });
    }
    let mut left = parents.to_vec();
    let mut matched = Vec::new();
    for index in 0..count {
        let item = list.index(index);
        let text = |key: &str| item.key(key).get(session.object()).and_then(Value::as_str);
        let is_it = |parent: &Parent| {
            Some(parent.name.as_str()) == text("name")
                && (parent.namespace.name().is_none_or(|namespace| Some(namespace) == text("namespace")))
        };
        let (mine, others): (Vec<_>, Vec<_>) = left.into_iter().partition(is_it);
        left = others;
        matched.push(mine);
    }
    for (index, mine) in matched.into_iter().enumerate().rev() {
        let item = list.index(index);
        let Some((first, more)) = mine.split_first() else {
            session.record_normalization(&item, "the Gateway does not take the route");
            session.change(Intent::Delete { path: item })?;
            continue;
        };
        let value = first.reference(own);
        if first.section.is_some() || !more.is_empty() {
            session.record_normalization(&item, "the listeners that labels chose are named");
        }
        if value.get("namespace").is_none() && item.key("namespace").get(session.object()).is_some() {
            session.change(Intent::Delete { path: item.key("namespace") })?;
        }
        if let Some(section) = &first.section {
            let (key, value) = ("sectionName".to_owned(), Value::from(section.as_str()));
            session.change(Intent::Insert { path: item, key, value, place: Place::Last })?;
        }
        for (offset, parent) in (1..).zip(more) {
            let (path, index) = (list.clone(), index + offset);
            session.change(Intent::InsertItem { path, index, value: parent.reference(own) })?;
        }
    }
    Ok(())
}

/// Makes a reference to a parent the name of a Gateway.
fn shorten(item: &FieldPath, own: Option<&str>, session: &mut Session<'_>) -> Result<(), Halt> {
    for key in ["group", "kind", "sectionName"] {
        if item.key(key).get(session.object()).is_some() {
            session.record_normalization(&item.key(key), "a list of Gateways means the same without it");
            session.change(Intent::Delete { path: item.key(key) })?;
        }
    }
    let namespace = item.key("namespace");
    if own.is_some() && namespace.get(session.object()).and_then(Value::as_str) == own {
        session.record_normalization(&namespace, "parentRefs mean the own namespace without it");
    }
    if namespace.get(session.object()).is_none() {
        let value = Value::from(own.unwrap_or_default());
        let (path, key) = (item.clone(), "namespace".to_owned());
        session.change(Intent::Insert { path, key, value, place: Place::Last })?;
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

//! Answers: which other objects of the run name this one, and which does it name?
//!
//! A [`NamedBy`] is a reference in objects of another kind that leads to the session's object; a [`Names`] is one in the
//! session's object. Both are read as Kubernetes reads them: kind and group count where they are written, and a reference
//! without a namespace stays in its own.
//!
//! Invariant: what is read of another object is what stands in its file.

use serde::Deserialize;
use serde_json::Value;

use super::{Namespace, Neighbour, Session};
use crate::field::{FieldPath, FieldPattern};
use crate::release::GroupKind;

/// A reference to the object in others: `{ kind: GatewayClass.gateway.networking.k8s.io, refs: spec.parametersRef }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedBy {
    kind: GroupKind,
    refs: FieldPattern,
    /// The key of the reference that gives a value, where one is asked for.
    #[serde(default)]
    value: String,
}

/// A reference in the object: `{ kind: NginxProxy.gateway.nginx.org, refs: spec.parametersRef, value: metadata.namespace }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    kind: GroupKind,
    refs: FieldPattern,
    /// The field of the object named that gives a value.
    value: FieldPattern,
}

/// Objects with references to another one.
#[derive(Debug, Default)]
pub(super) struct Referrers<'a> {
    /// Those that name it.
    pub(super) certain: Vec<(Neighbour<'a>, &'a Value)>,
    /// Those that name it if they live where it does, which the files do not tell.
    pub(super) possible: Vec<(Neighbour<'a>, &'a Value)>,
}

impl NamedBy {
    /// Returns the kind of the objects that are looked at.
    pub(super) const fn kind(&self) -> &GroupKind {
        &self.kind
    }

    /// Returns the objects that name the session's object, or may, each with its reference.
    pub(super) fn referrers<'a>(&self, session: &Session<'a>) -> Referrers<'a> {
        let mut found = Referrers::default();
        let Some(surroundings) = session.surroundings() else { return found };
        for neighbour in surroundings.of_kind(&self.kind) {
            let places = self.refs.matches(neighbour.value);
            for reference in places.iter().filter_map(|path| path.get(neighbour.value)) {
                match leads_to(reference, neighbour, session) {
                    Some(true) => found.certain.push((*neighbour, reference)),
                    Some(false) => {}
                    None => found.possible.push((*neighbour, reference)),
                }
            }
        }
        found
    }

    /// Returns what the references to the session's object say, and who says it, where all that say something agree.
    pub(super) fn value<'a>(&self, session: &Session<'a>) -> Option<(Value, Vec<Neighbour<'a>>)> {
        let Referrers { certain, possible } = self.referrers(session);
        let said = certain.into_iter().chain(possible);
        let said: Vec<_> =
            said.filter_map(|(one, reference)| Some((one, reference.get(&self.value)?.clone()))).collect();
        agreed(said)
    }
}

impl Names {
    /// Returns the kind of the objects that are looked at.
    pub(super) const fn kind(&self) -> &GroupKind {
        &self.kind
    }

    /// Returns what the objects that the session's object names say, and who says it, where all that say something agree.
    pub(super) fn value<'a>(&self, session: &Session<'a>) -> Option<(Value, Vec<Neighbour<'a>>)> {
        let surroundings = session.surroundings()?;
        let own = session.object();
        let places = self.refs.matches(own);
        let references = places.iter().filter_map(|path| path.get(own));
        let named = references.filter(|reference| is_to(reference, &self.kind)).flat_map(|reference| {
            let written = text(reference, "namespace").map(|name| Namespace::Named(name.to_owned()));
            let namespace = written.unwrap_or_else(|| session.namespace().clone());
            let meant = surroundings.named(&self.kind, &namespace, text(reference, "name").unwrap_or_default());
            meant.certain.into_iter().chain(meant.possible)
        });
        agreed(named.filter_map(|neighbour| Some((neighbour, self.value_in(&neighbour)?))).collect())
    }

    /// Returns what an object says; of its namespace, what it is once a kustomization has given it one.
    fn value_in(&self, neighbour: &Neighbour<'_>) -> Option<Value> {
        let is_namespace = self.value == FieldPath::default().key("metadata").key("namespace").pattern();
        match neighbour.namespace.name().filter(|_| is_namespace) {
            Some(name) => Some(Value::from(name)),
            None => self.value.matches(neighbour.value).first()?.get(neighbour.value).cloned(),
        }
    }
}

/// Returns the one value that all give, with those who give it.
fn agreed(said: Vec<(Neighbour<'_>, Value)>) -> Option<(Value, Vec<Neighbour<'_>>)> {
    let (_, value) = said.first()?;
    let value = value.clone();
    said.iter().all(|(_, other)| *other == value).then(|| {
        let who = said.into_iter().map(|(neighbour, _)| neighbour).collect();
        (value, who)
    })
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Says whether a reference is to objects of `kind`, as far as it says.
fn is_to(reference: &Value, kind: &GroupKind) -> bool {
    text(reference, "kind").is_none_or(|name| name == kind.kind)
        && text(reference, "group").is_none_or(|group| group == kind.group)
}

/// Says whether `reference`, in `neighbour`, names the session's object; nothing where the files do not tell.
fn leads_to(reference: &Value, neighbour: &Neighbour<'_>, session: &Session<'_>) -> Option<bool> {
    let object = session.object();
    let version = text(object, "apiVersion").unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let kind = GroupKind::new(text(object, "kind").unwrap_or_default(), group);
    let name = object.get("metadata").and_then(|metadata| text(metadata, "name"));
    if !is_to(reference, &kind) || name.is_none() || text(reference, "name") != name {
        return Some(false);
    }
    let written = text(reference, "namespace").map(|name| Namespace::Named(name.to_owned()));
    written.as_ref().unwrap_or(neighbour.namespace).is(session.namespace())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::lens::{Completeness, Surroundings};

    /// Checks what GatewayClasses that name the NginxProxy `a` with the given references say of its namespace.
    #[track_caller]
    fn check(object: Value, references: &[Value], expected: Option<&str>) {
        let class = GroupKind::new("GatewayClass", "g");
        let values: Vec<Value> = references.iter().map(|it| json!({"spec": {"parametersRef": it}})).collect();
        let neighbour = |value| Neighbour { kind: &class, namespace: &Namespace::Open, name: Some("c"), value };
        let surroundings = Surroundings::new(values.iter().map(neighbour));
        let session = Session::among(object, &surroundings, Completeness::Whole);
        let named: NamedBy =
            serde_yaml::from_str("{ kind: GatewayClass.g, refs: spec.parametersRef, value: namespace }").unwrap();
        let said = named.value(&session).map(|(value, _)| value);
        assert_eq!(said, expected.map(Value::from));
    }

    #[test]
    fn references_that_lead_to_the_object_are_read() {
        let object = json!({"apiVersion": "n/v1", "kind": "NginxProxy", "metadata": {"name": "a"}});
        let to = |namespace: &str| json!({"group": "n", "kind": "NginxProxy", "name": "a", "namespace": namespace});
        check(object.clone(), &[to("x")], Some("x"));
        check(object.clone(), &[to("x"), to("x")], Some("x"));
        check(object.clone(), &[to("x"), to("y")], None);
        check(object.clone(), &[json!({"name": "a"})], None);
        check(object.clone(), &[json!({"group": "m", "kind": "NginxProxy", "name": "a", "namespace": "x"})], None);
        check(object, &[json!({"group": "n", "kind": "NginxProxy", "name": "b", "namespace": "x"})], None);
        let elsewhere =
            json!({"apiVersion": "n/v1", "kind": "NginxProxy", "metadata": {"name": "a", "namespace": "y"}});
        check(elsewhere, &[to("x")], None);
    }
}

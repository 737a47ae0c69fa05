//! Answers: which other objects of the run name this one, and which does it name?
//!
//! A [`ReferencedBy`] is a reference in objects of another kind that leads to the session's object; a [`Names`] is one in the
//! session's object. Both are read as Kubernetes reads them: kind and group count where they are written, and a reference
//! without a namespace stays in its own.
//!
//! Invariant: what is read of another object is what stands in its file.

use serde::Deserialize;
use serde_json::Value;

use super::context::OtherObject;
use super::namespace::Namespace;
use super::session::Session;
use crate::field::{FieldPath, FieldPattern};
use crate::release::GroupKind;

/// A reference to the object in others: `{ kind: GatewayClass.gateway.networking.k8s.io, refs: spec.parametersRef }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReferencedBy {
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
    /// The field of the object named that gives a value, where one is asked for.
    #[serde(default)]
    value: FieldPattern,
}

/// Objects with references to another one.
#[derive(Debug, Default)]
pub(super) struct Referrers<'a> {
    /// Those that name it.
    pub(super) certain: Vec<(OtherObject<'a>, &'a Value)>,
    /// Those that name it if they live where it does, which the files do not tell.
    pub(super) possible: Vec<(OtherObject<'a>, &'a Value)>,
}

impl ReferencedBy {
    /// Returns the kind of the objects that are looked at.
    pub(super) const fn kind(&self) -> &GroupKind {
        &self.kind
    }

    /// Returns the objects that name the session's object, or may, each with its reference.
    pub(super) fn referrers<'a>(&self, session: &Session<'a>) -> Referrers<'a> {
        let mut found = Referrers::default();
        let Some(context) = session.context() else { return found };
        let Some(name) = session.object().get("metadata").and_then(|metadata| text(metadata, "name")) else {
            return found;
        };
        for neighbour in context.naming(&self.kind, &self.refs, name) {
            for reference in self.refs.values(neighbour.value) {
                match leads_to(reference, &neighbour, session) {
                    Some(true) => found.certain.push((neighbour, reference)),
                    Some(false) => {}
                    None => found.possible.push((neighbour, reference)),
                }
            }
        }
        found
    }

    /// Returns what the references to the session's object say, and who says it.
    pub(super) fn value<'a>(&self, session: &Session<'a>) -> Answer<'a> {
        let Referrers { certain, possible } = self.referrers(session);
        let said = certain.into_iter().chain(possible);
        agreed(said.filter_map(|(one, reference)| Some((one, Ok(reference.get(&self.value)?.clone())))).collect())
    }
}

impl Names {
    /// Returns the kind of the objects that are looked at.
    pub(super) const fn kind(&self) -> &GroupKind {
        &self.kind
    }

    /// Returns the objects that the session's object names, or may name.
    pub(super) fn named<'a>(&self, session: &Session<'a>) -> Vec<OtherObject<'a>> {
        let Some(context) = session.context() else { return Vec::new() };
        let own = session.object();
        let places = self.refs.matches(own);
        let references = places.iter().filter_map(|path| path.get(own));
        let named = references.filter(|reference| is_to(reference, &self.kind)).flat_map(|reference| {
            let written = text(reference, "namespace").map(|name| Namespace::Named(name.to_owned()));
            let namespace = written.unwrap_or_else(|| session.namespace().clone());
            let meant = context.named(&self.kind, &namespace, text(reference, "name").unwrap_or_default());
            meant.certain.into_iter().chain(meant.possible)
        });
        named.collect()
    }

    /// Returns what the objects that the session's object names say, and who says it.
    pub(super) fn value<'a>(&self, session: &Session<'a>) -> Answer<'a> {
        let named = self.named(session).into_iter();
        agreed(named.filter_map(|neighbour| Some((neighbour, self.value_in(&neighbour)?))).collect())
    }

    /// Returns what an object says; of its namespace, what it is once a kustomization has given it one, or why that is open.
    fn value_in(&self, neighbour: &OtherObject<'_>) -> Option<Result<Value, String>> {
        let is_namespace = self.value == FieldPath::default().key("metadata").key("namespace").pattern();
        match neighbour.namespace {
            Namespace::Named(name) if is_namespace => Some(Ok(Value::from(name.as_str()))),
            Namespace::Several(_) if is_namespace => Some(Err(neighbour.namespace.unknown())),
            _ => self.value.matches(neighbour.value).first()?.get(neighbour.value).cloned().map(Ok),
        }
    }

    /// Returns the first reference to an object of the run that is elsewhere than it says: the place of the reference, where it
    /// looks, and the object.
    pub(super) fn astray<'a>(&self, session: &Session<'a>) -> Option<(FieldPath, String, OtherObject<'a>)> {
        let context = session.context()?;
        let own = session.object();
        self.refs.matches(own).into_iter().find_map(|path| {
            let reference = path.get(own).filter(|reference| is_to(reference, &self.kind))?;
            let (written, name) = (text(reference, "namespace")?, text(reference, "name")?);
            let meant = context.named(&self.kind, &Namespace::Named(written.to_owned()), name);
            let is_found = !meant.certain.is_empty() || !meant.possible.is_empty();
            let other = context.cluster_scoped(&self.kind, name).filter(|_| !is_found)?;
            Some((path.key("namespace"), written.to_owned(), *other))
        })
    }
}

/// What other objects of the run say.
#[derive(Debug)]
pub(super) enum Answer<'a> {
    /// This value, by these objects.
    Value(Value, Vec<OtherObject<'a>>),
    /// Several values: what each says, as a list for people.
    Several(String),
    /// None of them says anything.
    Nothing,
}

/// Returns the one value that all give, with those who give it. An object can say why its value is not known.
fn agreed<'a>(said: Vec<(OtherObject<'a>, Result<Value, String>)>) -> Answer<'a> {
    let Some((_, first)) = said.first() else { return Answer::Nothing };
    match first.clone() {
        Ok(value) if said.iter().all(|(_, other)| other.as_ref() == Ok(&value)) => {
            Answer::Value(value, said.into_iter().map(|(neighbour, _)| neighbour).collect())
        }
        _ => Answer::Several(said.iter().map(|(neighbour, said)| told(neighbour, said)).collect::<Vec<_>>().join(", ")),
    }
}

/// Says what one object says.
fn told(neighbour: &OtherObject<'_>, said: &Result<Value, String>) -> String {
    let title = format!("{} {}", neighbour.kind.kind, neighbour.name.unwrap_or_default());
    match said {
        Ok(Value::String(text)) => format!("{title} says {text}"),
        Ok(value) => format!("{title} says {value}"),
        Err(why) => format!("{title} {why}"),
    }
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
fn leads_to(reference: &Value, neighbour: &OtherObject<'_>, session: &Session<'_>) -> Option<bool> {
    let object = session.object();
    let version = text(object, "apiVersion").unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let kind = GroupKind::new(text(object, "kind").unwrap_or_default(), group);
    let name = object.get("metadata").and_then(|metadata| text(metadata, "name"));
    if !is_to(reference, &kind) || name.is_none() || text(reference, "name") != name {
        return Some(false);
    }
    let written = text(reference, "namespace").map(|name| Namespace::Named(name.to_owned()));
    written.as_ref().unwrap_or(neighbour.namespace).same_as(session.namespace())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::lens::context::Context;
    use crate::lens::session::Completeness;

    /// Checks what GatewayClasses that name the NginxProxy `a` with the given references say of its namespace.
    #[track_caller]
    fn check(object: Value, references: &[Value], expected: Option<&str>) {
        let class = GroupKind::new("GatewayClass", "g");
        let values: Vec<Value> = references.iter().map(|it| json!({"spec": {"parametersRef": it}})).collect();
        let neighbour = |value| OtherObject { kind: &class, namespace: &Namespace::Unset, name: Some("c"), value };
        let context = Context::new(values.iter().map(neighbour));
        let session = Session::in_context(object, &context, Completeness::Whole);
        let named: ReferencedBy =
            serde_yaml::from_str("{ kind: GatewayClass.g, refs: spec.parametersRef, value: namespace }").unwrap();
        let said = match named.value(&session) {
            Answer::Value(value, _) => value.as_str().map(str::to_owned),
            Answer::Several(said) => Some(said),
            Answer::Nothing => None,
        };
        assert_eq!(said.as_deref(), expected);
    }

    #[test]
    fn references_that_lead_to_the_object_are_read() {
        let object = json!({"apiVersion": "n/v1", "kind": "NginxProxy", "metadata": {"name": "a"}});
        let to = |namespace: &str| json!({"group": "n", "kind": "NginxProxy", "name": "a", "namespace": namespace});
        check(object.clone(), &[to("x")], Some("x"));
        check(object.clone(), &[to("x"), to("x")], Some("x"));
        check(object.clone(), &[to("x"), to("y")], Some("GatewayClass c says x, GatewayClass c says y"));
        check(object.clone(), &[json!({"name": "a"})], None);
        check(object.clone(), &[json!({"group": "m", "kind": "NginxProxy", "name": "a", "namespace": "x"})], None);
        check(object, &[json!({"group": "n", "kind": "NginxProxy", "name": "b", "namespace": "x"})], None);
        let elsewhere =
            json!({"apiVersion": "n/v1", "kind": "NginxProxy", "metadata": {"name": "a", "namespace": "y"}});
        check(elsewhere, &[to("x")], None);
    }
}

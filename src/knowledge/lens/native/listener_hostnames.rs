//! Gateway API, TLSRoute: a route has the hostnames that it used to take from the listeners which it is attached to.

use serde_json::Value;

use super::super::context::{ObjectView, some_of};
use super::super::operation::{Description, Direction, Fidelity, Form, Operation, Pass, Premise, Side};
use super::super::references::{namespace_of, text, unknown_namespaces};
use super::super::session::{Completeness, Halt, Session};
use super::fields::{items, path, pattern};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::yaml::Place;

pub(super) const DESCRIPTION: Description = Description {
    name: "listener-hostnames",
    text: "Gives `spec.hostnames` of a TLSRoute, where it is absent or empty, the hostnames of the listeners that `spec.parentRefs` \
           resolve to: those of protocol TLS whose name and port are `sectionName` and `port` of the reference, where it has them. A \
           reference without a kind is to a Gateway, one without a namespace to the namespace of the route. Refused where such an \
           object is not among the files, or a listener has no hostname. A patch is left unchanged. The inverse leaves the object \
           unchanged.",
    example: "native: listener-hostnames",
};

const FIELD: &str = "spec.hostnames";

/// The keys of a reference that select listeners, each with the key of the listener that must have the same value.
const SELECTING: [(&str, &str); 2] = [("sectionName", "name"), ("port", "port")];

#[derive(Debug)]
pub(super) struct ListenerHostnames;

/// The kinds that a route can reference; the first is implied.
fn parents() -> [GroupKind; 3] {
    [
        GroupKind::new("Gateway", "gateway.networking.k8s.io"),
        GroupKind::new("ListenerSet", "gateway.networking.k8s.io"),
        GroupKind::new("XListenerSet", "gateway.networking.x-k8s.io"),
    ]
}

fn refused(at: FieldPath, reason: String) -> Halt {
    Halt::refused(at, reason, format!("write {FIELD} by hand, or run on all files together"))
}

/// The hostnames of everything that the route references, each once, in order.
fn hostnames(session: &Session<'_>) -> Result<Vec<Value>, Halt> {
    let references = pattern("spec.parentRefs[]").matches(session.object());
    if references.is_empty() {
        let reason = format!("{FIELD} is required, and there is no spec.parentRefs[] to read it from");
        return Err(refused(path(FIELD), reason));
    }
    let mut hostnames: Vec<Value> = Vec::new();
    for at in references {
        for hostname in hostnames_of(&at, session)? {
            if !hostnames.contains(&hostname) {
                hostnames.push(hostname);
            }
        }
    }
    Ok(hostnames)
}

fn hostnames_of(at: &FieldPath, session: &Session<'_>) -> Result<Vec<Value>, Halt> {
    let Some(reference) = at.get(session.object()) else { return Ok(Vec::new()) };
    let targets = resolve(at, reference, session)?;
    let mut hostnames = Vec::new();
    for target in &targets {
        let of_target = hostnames_in(at, reference, target)?;
        if !hostnames.is_empty() && hostnames != of_target {
            let targets = some_of(&targets, ObjectView::described);
            let reason = format!("{at} can be to several objects, which differ in hostname: {targets}");
            return Err(refused(at.clone(), reason));
        }
        hostnames = of_target;
    }
    Ok(hostnames)
}

/// The objects that a reference can resolve to.
fn resolve<'a>(at: &FieldPath, reference: &Value, session: &Session<'a>) -> Result<Vec<ObjectView<'a>>, Halt> {
    let parents = parents();
    let name_of_kind = text(reference, "kind").unwrap_or(&parents[0].kind);
    let kind = GroupKind::new(name_of_kind, text(reference, "group").unwrap_or(&parents[0].group));
    if !parents.contains(&kind) {
        let reason = format!("{at} references a {kind}, and hostname cannot be read from that kind");
        return Err(refused(at.clone(), reason));
    }
    let namespace = namespace_of(reference, session.namespace());
    let name = text(reference, "name").unwrap_or_default();
    let found = session.context().map(|all| all.resolve(&kind, &namespace, name, session.place().file));
    let found = found.unwrap_or_default();
    if found.certain.is_empty() {
        let title = namespace.name().map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}"));
        let parent = &kind.kind;
        let reason = match found.possible.as_slice() {
            [] => format!("{FIELD} is required and read from {parent} {title}, which is not among the files"),
            possible => {
                let unknown = unknown_namespaces(possible, &namespace);
                format!("{FIELD} is required and read from {parent} {title}, but {unknown}")
            }
        };
        return Err(refused(at.clone(), reason));
    }
    Ok(found.certain.into_iter().chain(found.possible).collect())
}

/// The hostnames of the listeners of `target` that a reference selects.
fn hostnames_in(at: &FieldPath, reference: &Value, target: &ObjectView<'_>) -> Result<Vec<Value>, Halt> {
    let title = target.described();
    let mut hostnames = Vec::new();
    for listener in items(target.value, &path("spec.listeners")) {
        let is_selected = SELECTING
            .iter()
            .all(|(key, field)| reference.get(key).is_none_or(|value| listener.get(field) == Some(value)));
        if !is_selected || text(listener, "protocol") != Some("TLS") {
            continue;
        }
        let Some(hostname) = listener.get("hostname") else {
            let reason = format!(
                "{FIELD} is required, and an item of spec.listeners[] in {title} has no hostname: it matches everything"
            );
            return Err(refused(at.clone(), reason));
        };
        hostnames.push(hostname.clone());
    }
    if hostnames.is_empty() {
        let reason = format!("{FIELD} is required, and {at} selects no item of spec.listeners[] in {title}");
        return Err(refused(at.clone(), reason));
    }
    Ok(hostnames)
}

impl Operation for ListenerHostnames {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        let field = path(FIELD);
        let present = field.get(session.object());
        let is_empty = present.is_some_and(|value| value.as_array().is_some_and(Vec::is_empty));
        let is_needed = pass.direction == Direction::Forward && (present.is_none() || is_empty);
        if !is_needed || session.completeness() == Completeness::Partial {
            return Ok(());
        }
        let value = Value::Array(hostnames(session)?);
        if is_empty {
            return session.replace(field, value);
        }
        let place = Place::After("parentRefs".to_owned());
        session.insert(path("spec").key("hostnames"), value, place)
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        parents().into()
    }

    /// Others are read, and stay as they are.
    fn kinds_converted_with(&self) -> Vec<GroupKind> {
        Vec::new()
    }

    fn fills_absent(&self, direction: Direction, field: &FieldPattern) -> bool {
        direction == Direction::Forward && *field == pattern(FIELD)
    }

    fn premises(&self) -> Vec<Premise> {
        vec![Premise::new(&pattern(FIELD), Form::List, Side::Either), Premise::present(&pattern("spec.parentRefs[]"))]
    }

    fn fidelities(&self, direction: Direction) -> Vec<Fidelity> {
        match direction {
            Direction::Forward => vec![Fidelity::Normalized, Fidelity::Refused],
            Direction::Backward => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::context::{Builds, Context, Namespace, ObjectPlace};
    use super::super::super::trial::operation;
    use super::*;
    use serde_json::json;

    const GROUP: &str = "gateway.networking.k8s.io";
    const LOOKUP: &str = "native: listener-hostnames";

    /// Runs the lookup of a route that has `spec`, in namespace `a`, with Gateway x of namespace `a` and ListenerSet y of namespace `b`.
    fn run(spec: Value, completeness: Completeness) -> Result<Value, String> {
        let (g, s) = (GroupKind::new("Gateway", GROUP), GroupKind::new("ListenerSet", GROUP));
        let x = json!({"spec": {"listeners": [{"name": "one", "protocol": "TLS", "hostname": "1"}, {"name": "two", "protocol": "TLS", "hostname": "2"},
            {"name": "none", "protocol": "TLS"}, {"name": "other", "protocol": "HTTPS", "hostname": "3"}]}});
        let y = json!({"spec": {"listeners": [{"name": "one", "protocol": "TLS", "hostname": "1"}, {"name": "four", "protocol": "TLS", "hostname": "4"}]}});
        let [a, b] = [Some("a"), Some("b")].map(Namespace::from_written);
        let (place, builds) = (ObjectPlace::default(), Builds::default());
        let objects = [
            ObjectView { kind: &g, namespace: &a, name: Some("x"), value: &x, place },
            ObjectView { kind: &s, namespace: &b, name: Some("y"), value: &y, place },
        ];
        let context = Context::new(objects, &builds);
        let object = json!({"metadata": {"namespace": "a"}, "spec": spec});
        let mut session = Session::in_context(object, &context, completeness);
        match operation(LOOKUP).run(&mut session) {
            Ok(()) => Ok(session.object()["spec"].clone()),
            Err(Halt::Refused { at, .. }) => Err(at.to_string()),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_come_from_the_referenced_object() {
        let refs = json!([{"name": "x", "sectionName": "two"}, {"kind": "ListenerSet", "group": GROUP, "name": "y", "namespace": "b"}, {"name": "x", "sectionName": "one"}]);
        let expected = json!({"parentRefs": refs, "hostnames": ["2", "1", "4"]});
        assert_eq!(run(json!({"parentRefs": refs}), Completeness::Whole), Ok(expected.clone()));
        assert_eq!(run(json!({"parentRefs": refs, "hostnames": []}), Completeness::Whole), Ok(expected));
    }

    #[test]
    fn existing_values_are_kept() {
        for spec in [json!({"hostnames": ["9"]}), json!({"parentRefs": [{"name": "z"}], "hostnames": ["9"]})] {
            assert_eq!(run(spec.clone(), Completeness::Whole), Ok(spec));
        }
        let patch = json!({"rules": []});
        assert_eq!(run(patch.clone(), Completeness::Partial), Ok(patch));
    }

    #[test]
    fn unreadable_values_are_refused() {
        let at = |refs: Value| run(json!({"parentRefs": refs}), Completeness::Whole).unwrap_err();
        assert_eq!(run(json!({}), Completeness::Whole), Err("spec.hostnames".to_owned()));
        assert_eq!(at(json!([{"name": "x", "sectionName": "one"}, {"name": "z"}])), "spec.parentRefs[1]");
        assert_eq!(at(json!([{"name": "x"}])), "spec.parentRefs[0]");
        assert_eq!(at(json!([{"name": "x", "sectionName": "other"}])), "spec.parentRefs[0]");
        assert_eq!(at(json!([{"name": "x", "kind": "Q"}])), "spec.parentRefs[0]");
        assert_eq!(at(json!([{"name": "x", "namespace": "b"}])), "spec.parentRefs[0]");
    }
}

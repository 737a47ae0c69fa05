//! Answers: which other objects of the run reference this one, and which does it reference?
//!
//! A [`ReferencedBy`] is a reference in objects of another kind that resolves to the session's object; a [`References`] is one
//! in the session's object. Both resolve as Kubernetes resolves them: kind and group count where they are set, and a reference
//! without a namespace is to an object of its own namespace.
//!
//! Invariant: what is read of another object is what its file has.

use serde::Deserialize;
use serde_json::Value;

use super::context::{Candidates, Context, Namespace, ObjectView, some_of};
use super::session::Session;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{FieldPath, FieldPattern};
use crate::syntax::variable::has_variable;

/// A reference to the object in others: `{ kind: ShopClass.example.com, refs: spec.parametersRef }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReferencedBy {
    /// The kind of the objects with the reference.
    pub(super) kind: GroupKind,
    /// The references in them: mappings with `name`, and `kind`, `group` and `namespace` where they are not those implied.
    refs: FieldPattern,
    /// The key of the reference whose value is read, where one is: `value: namespace`.
    #[serde(default)]
    value: String,
}

/// A reference in the object: `{ kind: ShopConfig.example.com, refs: spec.parametersRef, value: metadata.namespace }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct References {
    /// The kind of the referenced objects.
    pub(super) kind: GroupKind,
    /// The references in this object: mappings with `name`, and `kind`, `group` and `namespace` where they are not those implied; or
    /// texts, each the name of one that has no namespace.
    refs: FieldPattern,
    /// The field of the referenced object whose value is read, where one is.
    #[serde(default)]
    value: FieldPattern,
}

/// Objects with references to another one.
#[derive(Debug, Default)]
pub(super) struct Referrers<'a> {
    /// Those that reference it.
    pub(super) certain: Vec<(ObjectView<'a>, &'a Value)>,
    /// Those that reference it if they are in its namespace, which the files do not show.
    pub(super) possible: Vec<(ObjectView<'a>, &'a Value)>,
}

impl ReferencedBy {
    /// Returns the objects that reference the session's object, or may, each with its reference.
    pub(super) fn referrers<'a>(&self, session: &Session<'a>) -> Referrers<'a> {
        let mut found = Referrers::default();
        let Some(context) = session.context() else { return found };
        for other in referring(session, context, &self.kind, &self.refs) {
            for reference in self.refs.values(other.value) {
                match resolves_to_own(reference, &other, session) {
                    Some(true) => found.certain.push((other, reference)),
                    Some(false) => {}
                    None => found.possible.push((other, reference)),
                }
            }
        }
        found
    }

    /// Returns the value of the references to the session's object, and the objects that have them.
    pub(super) fn value<'a>(&self, session: &Session<'a>) -> FoundValue<'a> {
        let Referrers { certain, possible } = self.referrers(session);
        let all = certain.into_iter().chain(possible);
        merged(all.filter_map(|(one, reference)| Some((one, Ok(reference.get(&self.value)?.clone())))).collect())
    }
}

impl References {
    /// Returns the objects that the session's object references, or may reference.
    pub(super) fn targets<'a>(&self, session: &Session<'a>) -> Vec<ObjectView<'a>> {
        let Some(context) = session.context() else { return Vec::new() };
        let own = session.object();
        let places = self.refs.matches(own);
        let references = places.iter().filter_map(|path| path.get(own));
        let targets = references.filter(|reference| is_to(reference, &self.kind)).flat_map(|reference| {
            let file = session.place().file;
            if let Some(name) = reference.as_str() {
                return context.named(&self.kind, name, file);
            }
            let candidates = resolved(reference, &self.kind, session.namespace(), context, file);
            candidates.certain.into_iter().chain(candidates.possible).collect()
        });
        targets.collect()
    }

    /// Returns the objects that the session's object references, or may reference; where there is none, those of its file of which it is not
    /// known whether they have the name that it references.
    pub(super) fn possible_targets<'a>(&self, session: &Session<'a>) -> Vec<ObjectView<'a>> {
        let (own, targets) = (session.object(), self.targets(session));
        let places = self.refs.matches(own).into_iter();
        let mut references =
            places.filter_map(|path| Some((path.get(own)?, path))).filter(|(it, _)| is_to(it, &self.kind));
        let (Some(context), true, Some((first, place))) = (session.context(), targets.is_empty(), references.next())
        else {
            return targets;
        };
        let is_open = |(reference, place): (&Value, FieldPath)| {
            has_variable(reference.get("name").unwrap_or(reference)) || session.printed_into(&place).is_some()
        };
        let is_any = references.chain([(first, place)]).any(is_open);
        let has_open_name = |other: &ObjectView<'_>| other.name.is_some_and(|name| has_variable(&Value::from(name)));
        let may_be =
            |other: &&ObjectView<'_>| other.place.file == session.place().file && (is_any || has_open_name(other));
        context.of_kind(&self.kind).iter().filter(may_be).copied().collect()
    }

    /// Returns the value in the objects that the session's object references, and those objects.
    pub(super) fn value<'a>(&self, session: &Session<'a>) -> FoundValue<'a> {
        let targets = self.targets(session).into_iter();
        merged(targets.filter_map(|target| Some((target, self.value_in(&target)?))).collect())
    }

    /// Returns the value in a referenced object; its namespace as a kustomization sets it, or why it is unknown.
    fn value_in(&self, target: &ObjectView<'_>) -> Option<Result<Value, String>> {
        let is_namespace = self.value == FieldPath::default().key("metadata").key("namespace").pattern();
        match target.namespace {
            Namespace::Named(name) if is_namespace => Some(Ok(Value::from(name.as_str()))),
            Namespace::Several(_) if is_namespace => Some(Err(target.namespace.description())),
            _ if self.is_printed_in(target) => Some(Err("has what an action prints".to_owned())),
            _ => self.value.matches(target.value).first()?.get(target.value).cloned().map(Ok),
        }
    }

    /// Returns whether an action prints the value in a referenced object, or a part of it, as far as its data does not have that.
    fn is_printed_in(&self, target: &ObjectView<'_>) -> bool {
        let place = self.value.matches(target.value).into_iter().next();
        target.place.open.contents().any(|hole| match &place {
            Some(place) => hole.starts_with(place),
            None => self.value.starts_with(&hole.pattern()),
        })
    }

    /// Returns the first reference whose namespace has no such object, while another namespace has: the place of the namespace in
    /// the reference, the namespace, and the object.
    pub(super) fn in_wrong_namespace<'a>(&self, session: &Session<'a>) -> Option<(FieldPath, String, ObjectView<'a>)> {
        let context = session.context()?;
        let own = session.object();
        self.refs.matches(own).into_iter().find_map(|path| {
            let reference = path.get(own).filter(|reference| is_to(reference, &self.kind))?;
            let (written, name) = (text(reference, "namespace")?, text(reference, "name")?);
            let file = session.place().file;
            let found = context.resolve(&self.kind, &Namespace::Named(written.to_owned()), name, file);
            let is_found = found.all().next().is_some();
            let other = context.named(&self.kind, name, file).into_iter().next().filter(|_| !is_found)?;
            Some((path.key("namespace"), written.to_owned(), other))
        })
    }
}

/// A value read from other objects of the run.
#[derive(Debug)]
pub(super) enum FoundValue<'a> {
    /// This value, from these objects.
    One(Value, Vec<ObjectView<'a>>),
    /// Several values: what each object has, as a list for people.
    Several(String),
    /// None of them has a value.
    Nothing,
}

/// Returns the one value that all objects have, with the objects. An object can have a reason why its value is unknown.
fn merged<'a>(values: Vec<(ObjectView<'a>, Result<Value, String>)>) -> FoundValue<'a> {
    let Some((_, first)) = values.first() else { return FoundValue::Nothing };
    match first.clone() {
        Ok(value) if values.iter().all(|(_, other)| other.as_ref() == Ok(&value)) => {
            FoundValue::One(value, values.into_iter().map(|(object, _)| object).collect())
        }
        _ => FoundValue::Several(some_of(&values, |(object, value)| described(object, value))),
    }
}

/// Returns which value one object has, for people.
fn described(object: &ObjectView<'_>, value: &Result<Value, String>) -> String {
    let title = object.described();
    match value {
        Ok(Value::String(text)) => format!("{title} has {text}"),
        Ok(value) => format!("{title} has {value}"),
        Err(why) => format!("{title} {why}"),
    }
}

/// Returns why it is unknown whether the session's object, in namespace `own`, and one of `others` are in one namespace.
pub(super) fn unknown_namespaces(others: &[ObjectView<'_>], own: &Namespace) -> String {
    if own.name().is_none() {
        return format!("the namespace of the object is unknown: it {}", own.description());
    }
    let unknown = |other: &ObjectView<'_>| {
        let (title, description) = (other.described(), other.namespace.description());
        format!("the namespace of {title} is unknown: it {description}")
    };
    some_of(others, unknown)
}

/// Returns the namespace of what is referenced: the one that is written, or else that of the object with the reference.
pub(super) fn namespace_of(reference: &Value, own: &Namespace) -> Namespace {
    text(reference, "namespace").map_or_else(|| own.clone(), |name| Namespace::Named(name.to_owned()))
}

/// Returns the objects of `kind` that a reference in `file`, in an object in namespace `own`, can resolve to.
fn resolved<'a>(
    reference: &Value,
    kind: &GroupKind,
    own: &Namespace,
    context: &Context<'a>,
    file: &str,
) -> Candidates<'a> {
    context.resolve(kind, &namespace_of(reference, own), text(reference, "name").unwrap_or_default(), file)
}

/// The text under a key.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Returns whether a reference is to objects of `kind`, as far as its keys show.
fn is_to(reference: &Value, kind: &GroupKind) -> bool {
    text(reference, "kind").is_none_or(|name| name == kind.kind)
        && text(reference, "group").is_none_or(|group| group == kind.group)
}

/// Returns the objects of `kind` that may reference the session's object at `refs`.
pub(super) fn referring<'a>(
    session: &Session<'_>,
    context: &Context<'a>,
    kind: &GroupKind,
    refs: &FieldPattern,
) -> Vec<ObjectView<'a>> {
    let (own, Some(name)) = own(session.object()) else { return Vec::new() };
    let Some(id) = session.place().id.filter(|_| context.has_namesakes(&own, name)) else {
        return context.referencing(kind, refs, name);
    };
    let owners = |other: &ObjectView<'a>| {
        let references = refs.values(other.value).into_iter().filter(|reference| is_to(reference, &own));
        let named = references.filter(|reference| text(reference, "name").is_some());
        let found = named.map(|reference| resolved(reference, &own, other.namespace, context, other.place.file));
        found.flat_map(|found| found.all().filter_map(|one| one.place.id).collect::<Vec<_>>()).collect()
    };
    context.belonging(id, &own, kind, refs, owners)
}

/// Returns the kind and the name of an object.
fn own(object: &Value) -> (GroupKind, Option<&str>) {
    let group = ApiVersion::parse(text(object, "apiVersion").unwrap_or_default()).group;
    let kind = GroupKind::new(text(object, "kind").unwrap_or_default(), group);
    (kind, object.get("metadata").and_then(|metadata| text(metadata, "name")))
}

/// Returns whether `reference`, in `other`, resolves to the session's object; `None` where the files do not show it.
pub(super) fn resolves_to_own(reference: &Value, other: &ObjectView<'_>, session: &Session<'_>) -> Option<bool> {
    let (kind, name) = own(session.object());
    if !is_to(reference, &kind) || name.is_none() || text(reference, "name") != name {
        return Some(false);
    }
    let wanted = namespace_of(reference, other.namespace);
    let nearest = session.context().zip(session.place().id).zip(name).and_then(|((context, own), name)| {
        let has_namesakes = context.has_namesakes(&kind, name);
        has_namesakes.then(|| context.resolve(&kind, &wanted, name, other.place.file).has(own))
    });
    nearest.unwrap_or_else(|| wanted.same_as(session.namespace()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::knowledge::lens::context::{Builds, ObjectPlace};
    use crate::knowledge::lens::session::Completeness;

    /// Checks which namespace the objects with the given references to the object `a` have for it.
    #[track_caller]
    fn check(object: Value, references: &[Value], expected: Option<&str>) {
        let class = GroupKind::new("GatewayClass", "g");
        let values: Vec<Value> = references.iter().map(|it| json!({"spec": {"parametersRef": it}})).collect();
        let (place, builds) = (ObjectPlace::default(), Builds::default());
        let view = |value| ObjectView { kind: &class, namespace: &Namespace::Unset, name: Some("c"), value, place };
        let context = Context::new(values.iter().map(view), &builds);
        let session = Session::in_context(object, &context, Completeness::Whole);
        let named: ReferencedBy =
            serde_yaml::from_str("{ kind: GatewayClass.g, refs: spec.parametersRef, value: namespace }").unwrap();
        let found = match named.value(&session) {
            FoundValue::One(value, _) => value.as_str().map(str::to_owned),
            FoundValue::Several(all) => Some(all),
            FoundValue::Nothing => None,
        };
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn references_that_resolve_to_the_object_are_read() {
        let object = json!({"apiVersion": "n/v1", "kind": "NginxProxy", "metadata": {"name": "a"}});
        let to = |namespace: &str| json!({"group": "n", "kind": "NginxProxy", "name": "a", "namespace": namespace});
        check(object.clone(), &[to("x")], Some("x"));
        check(object.clone(), &[to("x"), to("x")], Some("x"));
        check(object.clone(), &[to("x"), to("y")], Some("GatewayClass c has x, GatewayClass c has y"));
        check(object.clone(), &[json!({"name": "a"})], None);
        check(object.clone(), &[json!({"group": "m", "kind": "NginxProxy", "name": "a", "namespace": "x"})], None);
        check(object, &[json!({"group": "n", "kind": "NginxProxy", "name": "b", "namespace": "x"})], None);
        let elsewhere =
            json!({"apiVersion": "n/v1", "kind": "NginxProxy", "metadata": {"name": "a", "namespace": "y"}});
        check(elsewhere, &[to("x")], None);
    }
}

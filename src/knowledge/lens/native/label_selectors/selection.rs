//! Which listeners of a Gateway select a route ([`Selection`]), and which Gateways do, of those that it sees ([`Selecting`])?
//!
//! Both sides decide: a listener selects routes of one kind, of some namespaces, with some labels; a route allows Gateways in its
//! namespace, all Gateways, or those that it lists.
//!
//! A Gateway anywhere in a tree may have labels that select the route; those that are nearest to it count. A route that lists its
//! Gateways names each of them.
//!
//! What the files do not show is [`Selected::Unknown`], never guessed.

use serde_json::{Map, Value};

use super::super::super::context::{Context, Namespace, ObjectView, some_of};
use super::super::super::references::text;
use super::super::fields::{items, path, pattern};
use super::api::{
    FROM_LIST, GATEWAY_REFS, GATEWAYS, OLD_GROUP, gateway_kind, listed, listeners, namespace_kind, route_kinds, title,
};
use crate::knowledge::release::GroupKind;

/// Whether a route is selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selected {
    Yes,
    No,
    /// The files do not show it, for this reason.
    Unknown(String),
}

impl Selected {
    fn of(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// Whether both hold.
    fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Yes => other(),
            Self::No => Self::No,
            Self::Unknown(reason) => match other() {
                Self::No => Self::No,
                _ => Self::Unknown(reason),
            },
        }
    }
}

/// The relation of a route and a Gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    /// For each listener, in order: whether it selects the route.
    pub(super) selected: Vec<Selected>,
    /// Whether every listener that admits the kind and namespace of the route selects it, whatever labels the listener requires.
    pub(super) is_whole: bool,
}

impl Selection {
    /// Looks namespaces up in `context`.
    pub(super) fn of(route: &ObjectView<'_>, gateway: &ObjectView<'_>, context: &Context<'_>) -> Self {
        let allows = allows(route, gateway);
        let mut selection = Self { selected: Vec::new(), is_whole: true };
        for listener in listeners(gateway.value) {
            let admits = admits(listener, route, gateway, context).and(|| allows.clone());
            let selects = selects(path("routes.selector").get(listener), &labels(route));
            selection.is_whole &= admits == Selected::No || selects == Selected::Yes;
            selection.selected.push(admits.and(|| selects));
        }
        selection
    }

    /// Whether any listener selects, or may select, the route.
    pub(super) fn is_possible(&self) -> bool {
        self.selected.iter().any(|selected| *selected != Selected::No)
    }

    /// Whether it is known which listeners select the route, and some do.
    pub(super) fn is_certain(&self) -> bool {
        self.is_possible() && self.unknown().is_none()
    }

    /// Why it is unknown which listeners select the route, where it is.
    pub(super) fn unknown(&self) -> Option<&str> {
        self.selected.iter().find_map(|selected| match selected {
            Selected::Unknown(reason) => Some(reason.as_str()),
            Selected::Yes | Selected::No => None,
        })
    }
}

/// Whether a listener requires labels.
pub(super) fn requires_labels(listener: &Value) -> bool {
    let labels = path("routes.selector.matchLabels").get(listener).and_then(Value::as_object);
    let has_expressions = !items(listener, &path("routes.selector.matchExpressions")).is_empty();
    labels.is_some_and(|labels| !labels.is_empty()) || has_expressions
}

fn labels(object: &ObjectView<'_>) -> Map<String, Value> {
    path("metadata.labels").get(object.value).and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Whether both are in one namespace, which also holds where neither has one: they are applied together.
fn shares_namespace(route: &ObjectView<'_>, gateway: &ObjectView<'_>) -> Selected {
    match (route.namespace.same_as(gateway.namespace), route.namespace.name()) {
        (Some(same), _) => Selected::of(same),
        (None, None) => unknown_namespace(route),
        (None, Some(_)) => unknown_namespace(gateway),
    }
}

fn unknown_namespace(object: &ObjectView<'_>) -> Selected {
    Selected::Unknown(format!("{} {}", title(object), object.namespace.description()))
}

/// Whether the route allows the Gateway.
fn allows(route: &ObjectView<'_>, gateway: &ObjectView<'_>) -> Selected {
    match path("spec.gateways.allow").get(route.value).and_then(Value::as_str).unwrap_or("SameNamespace") {
        "All" => Selected::Yes,
        "SameNamespace" => shares_namespace(route, gateway),
        FROM_LIST => {
            let references = items(route.value, &path(GATEWAY_REFS)).iter();
            let mut named = references.filter(|reference| text(reference, "name") == gateway.name).peekable();
            match gateway.namespace.name() {
                Some(namespace) => Selected::of(named.any(|reference| text(reference, "namespace") == Some(namespace))),
                None if named.peek().is_none() => Selected::No,
                None => unknown_namespace(gateway),
            }
        }
        other => Selected::Unknown(format!("spec.gateways.allow is {other}")),
    }
}

/// Whether a listener admits routes of the kind and namespace of `route`.
fn admits(listener: &Value, route: &ObjectView<'_>, gateway: &ObjectView<'_>, context: &Context<'_>) -> Selected {
    let Some(admitted) = listener.get("routes") else { return Selected::No };
    let group = text(admitted, "group").unwrap_or(&gateway.kind.group);
    if GroupKind::new(text(admitted, "kind").unwrap_or_default(), group) != *route.kind {
        return Selected::No;
    }
    let namespaces = admitted.get("namespaces").unwrap_or(&Value::Null);
    match text(namespaces, "from").unwrap_or("Same") {
        "All" => Selected::Yes,
        "Same" => shares_namespace(route, gateway),
        "Selector" => selects_namespace(namespaces.get("selector"), route, context),
        other => Selected::Unknown(format!("routes.namespaces.from of an item is {other}")),
    }
}

/// Whether a label selector selects the namespace of a route.
fn selects_namespace(selector: Option<&Value>, route: &ObjectView<'_>, context: &Context<'_>) -> Selected {
    let Some(name) = route.namespace.name() else { return unknown_namespace(route) };
    let namespaces = context.named(&namespace_kind(), name, route.place.file);
    let mut selected = namespaces.iter().map(|namespace| {
        let mut labels = labels(namespace);
        labels.insert("kubernetes.io/metadata.name".to_owned(), Value::from(name));
        selects(selector, &labels)
    });
    let Some(first) = selected.next() else {
        let reason = format!("it depends on the labels of Namespace {name}, which is not among the files");
        return Selected::Unknown(reason);
    };
    if selected.all(|other| other == first) {
        return first;
    }
    let places = some_of(&namespaces, ObjectView::described);
    Selected::Unknown(format!("it depends on the labels of a Namespace, which differ: {places}"))
}

/// Whether a label selector selects `labels`; one without requirements selects everything.
///
/// Source: Kubernetes, labels and selectors.
fn selects(selector: Option<&Value>, labels: &Map<String, Value>) -> Selected {
    let Some(selector) = selector else { return Selected::Yes };
    let equal = selector.get("matchLabels").and_then(Value::as_object);
    let mut selected = Selected::of(equal.into_iter().flatten().all(|(key, value)| labels.get(key) == Some(value)));
    for expression in items(selector, &path("matchExpressions")) {
        selected = selected.and(|| matches(expression, labels));
    }
    selected
}

fn matches(expression: &Value, labels: &Map<String, Value>) -> Selected {
    let label = labels.get(text(expression, "key").unwrap_or_default());
    let is_among = label.is_some_and(|label| items(expression, &path("values")).contains(label));
    match text(expression, "operator").unwrap_or_default() {
        "In" => Selected::of(is_among),
        "NotIn" => Selected::of(!is_among),
        "Exists" => Selected::of(label.is_some()),
        "DoesNotExist" => Selected::of(label.is_none()),
        other => Selected::Unknown(format!("a label selector has the operator {other}")),
    }
}

/// The Gateways that select a route.
pub(super) struct Selecting<'a> {
    /// The nearest that select it or may, in the order of the run.
    pub(super) nearest: Vec<ObjectView<'a>>,
    /// The same for each build of its file, as far as they differ; nothing where it lists its Gateways.
    pub(super) in_each_build: Option<Vec<Vec<ObjectView<'a>>>>,
}

impl<'a> Selecting<'a> {
    pub(super) fn of(route: &ObjectView<'_>, context: &Context<'a>) -> Self {
        let Some(references) = listed(route.value) else {
            let in_each_build = nearest(route, context, |_| true);
            return Self { nearest: in_order(in_each_build.concat()), in_each_build: Some(in_each_build) };
        };
        let mut gateways = Vec::new();
        for reference in references {
            let namespace = Namespace::from_written(text(reference, "namespace"));
            let is_it = |gateway: &ObjectView<'a>| {
                gateway.name == text(reference, "name") && namespace.same_as(gateway.namespace) != Some(false)
            };
            gateways.extend(nearest(route, context, is_it).into_iter().flatten());
        }
        Self { nearest: in_order(gateways), in_each_build: None }
    }

    /// The Gateways that would select `route` too if they were applied to the same cluster, which two of one name and namespace cannot
    /// be.
    pub(super) fn farther(&self, route: &ObjectView<'_>, context: &Context<'a>) -> Vec<ObjectView<'a>> {
        let kind = gateway_kind(OLD_GROUP);
        let gateways = if self.in_each_build.is_none() { &[] } else { context.of_kind(&kind) };
        let is_other = |gateway: &&ObjectView<'a>| {
            let is_near = |near: &ObjectView<'a>| (near.name, near.namespace) == (gateway.name, gateway.namespace);
            !self.nearest.iter().any(is_near) && Selection::of(route, gateway, context).is_certain()
        };
        gateways.iter().filter(is_other).copied().collect()
    }
}

/// The nearest Gateways that select `route` or may, of those for which `counts` holds, for each build of its file.
fn nearest<'a>(
    route: &ObjectView<'_>,
    context: &Context<'a>,
    counts: impl Fn(&ObjectView<'a>) -> bool,
) -> Vec<Vec<ObjectView<'a>>> {
    let fits = |gateway: &ObjectView<'a>| {
        if !counts(gateway) {
            return Some(false);
        }
        let selection = Selection::of(route, gateway, context);
        if selection.is_certain() { Some(true) } else { (!selection.is_possible()).then_some(false) }
    };
    let found = context.nearest_in_each_build(&gateway_kind(OLD_GROUP), route.place.file, &fits);
    found.iter().map(|found| in_order(found.all().copied().collect())).collect()
}

/// Each of `gateways` once, in the order of the run.
fn in_order(mut gateways: Vec<ObjectView<'_>>) -> Vec<ObjectView<'_>> {
    gateways.sort_by_key(|gateway| gateway.place.id);
    gateways.dedup_by_key(|gateway| gateway.place.id);
    gateways
}

/// The routes that `gateway` selects or may select.
pub(super) fn routes<'a>(gateway: &ObjectView<'_>, context: &Context<'a>) -> Vec<ObjectView<'a>> {
    let Some(id) = gateway.place.id else { return Vec::new() };
    let (owner, field) = (gateway_kind(OLD_GROUP), pattern(GATEWAYS));
    let owners = |route: &ObjectView<'a>| {
        Selecting::of(route, context).nearest.into_iter().filter_map(|gateway| gateway.place.id).collect()
    };
    let kinds = route_kinds(OLD_GROUP);
    kinds.iter().flat_map(|kind| context.belonging(id, &owner, kind, &field, owners)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::super::context::{Builds, Namespace, ObjectPlace};
    use super::super::api::{OLD_GROUP, view};
    use super::*;
    use serde_json::json;

    const UNKNOWN: &str = "?";

    #[track_caller]
    fn check(route: &Value, gateway: &Value, expected: &[&str]) {
        let (routes, gateways) = (GroupKind::new("HTTPRoute", OLD_GROUP), GroupKind::new("Gateway", OLD_GROUP));
        let namespaces = GroupKind::new("Namespace", "");
        let shop = json!({"metadata": {"name": "shop", "labels": {"team": "a"}}});
        let unset = Namespace::Unset;
        let (place, builds) = (ObjectPlace::default(), Builds::default());
        let view_of_shop = ObjectView { kind: &namespaces, namespace: &unset, name: Some("shop"), value: &shop, place };
        let context = Context::new([view_of_shop], &builds);
        let [in_route, in_gateway] =
            [route, gateway].map(|value| Namespace::from_written(value["metadata"]["namespace"].as_str()));
        let (route, gateway) = (view(&routes, &in_route, route, place), view(&gateways, &in_gateway, gateway, place));
        let selection = Selection::of(&route, &gateway, &context);
        let word = |selected: &Selected| match selected {
            Selected::Yes => "yes",
            Selected::No => "no",
            Selected::Unknown(_) => UNKNOWN,
        };
        assert_eq!(selection.selected.iter().map(word).collect::<Vec<_>>(), expected);
    }

    fn route(namespace: Option<&str>, labels: &Value, gateways: &Value) -> Value {
        json!({"metadata": {"namespace": namespace, "labels": labels}, "spec": {"gateways": gateways}})
    }

    fn gateway(namespace: Option<&str>, routes: &[Value]) -> Value {
        let listeners: Vec<_> = routes.iter().map(|routes| json!({"routes": routes})).collect();
        json!({"metadata": {"name": "gw", "namespace": namespace}, "spec": {"listeners": listeners}})
    }

    #[test]
    fn kind_and_labels_select() {
        let listeners = [
            json!({"kind": "HTTPRoute"}),
            json!({"kind": "TCPRoute"}),
            json!({"kind": "HTTPRoute", "group": "other"}),
            json!({"kind": "HTTPRoute", "selector": {"matchLabels": {"app": "a"}}}),
            json!({"kind": "HTTPRoute", "selector": {"matchLabels": {"app": "b"}}}),
            json!({"kind": "HTTPRoute", "selector": {}}),
        ];
        let here = route(Some("a"), &json!({"app": "a"}), &json!({}));
        check(&here, &gateway(Some("a"), &listeners), &["yes", "no", "no", "yes", "no", "yes"]);
    }

    #[test]
    fn expressions_select() {
        let expression = |key: &str, operator: &str, values: &Value| json!({"kind": "HTTPRoute", "selector": {"matchExpressions": [{"key": key, "operator": operator, "values": values}]}});
        let listeners = [
            expression("app", "In", &json!(["b", "a"])),
            expression("app", "NotIn", &json!(["b"])),
            expression("none", "NotIn", &json!(["b"])),
            expression("app", "Exists", &json!(null)),
            expression("app", "DoesNotExist", &json!(null)),
            expression("none", "In", &json!(["a"])),
            expression("app", "Near", &json!(["a"])),
        ];
        let here = route(None, &json!({"app": "a"}), &json!({}));
        check(&here, &gateway(None, &listeners), &["yes", "yes", "yes", "yes", "no", "no", UNKNOWN]);
    }

    #[test]
    fn both_sides_select_namespaces() {
        let from = |from: &str| json!({"kind": "HTTPRoute", "namespaces": {"from": from, "selector": {"matchLabels": {"team": "a"}}}});
        let listeners = [from("All"), from("Same"), from("Selector")];
        let of = |namespace, allow: &str| route(namespace, &json!({}), &json!({"allow": allow}));
        check(&of(Some("shop"), "All"), &gateway(Some("infra"), &listeners), &["yes", "no", "yes"]);
        check(&of(Some("shop"), "SameNamespace"), &gateway(Some("infra"), &listeners), &["no", "no", "no"]);
        check(&of(Some("blog"), "All"), &gateway(Some("blog"), &listeners), &["yes", "yes", UNKNOWN]);
        check(&of(None, "All"), &gateway(Some("infra"), &listeners), &["yes", UNKNOWN, UNKNOWN]);
        check(&of(None, "SameNamespace"), &gateway(None, &listeners[..2]), &["yes", "yes"]);
        check(&of(Some("shop"), "Near"), &gateway(Some("shop"), &listeners[..1]), &[UNKNOWN]);
    }

    #[test]
    fn a_list_allows_parents() {
        let listeners = [json!({"kind": "HTTPRoute", "namespaces": {"from": "All"}})];
        let of = |refs: &Value| route(Some("shop"), &json!({}), &json!({"allow": "FromList", "gatewayRefs": refs}));
        let named = json!([{"name": "x", "namespace": "infra"}, {"name": "gw", "namespace": "infra"}]);
        check(&of(&named), &gateway(Some("infra"), &listeners), &["yes"]);
        check(&of(&named), &gateway(Some("shop"), &listeners), &["no"]);
        check(&of(&named), &gateway(None, &listeners), &[UNKNOWN]);
        check(&of(&json!([{"name": "x", "namespace": "infra"}])), &gateway(None, &listeners), &["no"]);
        check(&of(&json!(null)), &gateway(Some("infra"), &listeners), &["no"]);
    }
}

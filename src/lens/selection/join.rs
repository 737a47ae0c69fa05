//! Which items of a parent select a child: [`Join`].
//!
//! Both sides decide: an item selects children of one kind, of some namespaces, with some labels; a child allows parents in its
//! namespace, all parents, or those that it lists.
//!
//! What the files do not show is [`Selected::Unknown`], never guessed.

use serde_json::{Map, Value};

use super::super::context::Context;
use super::super::object_view::{ObjectView, some_of};
use super::fields::{Fields, text, title};
use crate::release::GroupKind;

/// Whether a child is selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Selected {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// The files do not show it, for this reason.
    Unknown(String),
}

impl Selected {
    fn of(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// Returns whether both hold.
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

/// The relation of a child and a parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Join {
    /// For each item, in order: whether it selects the child.
    pub(super) selected: Vec<Selected>,
    /// Whether every item that admits the kind and namespace of the child selects it, whatever labels the item requires.
    pub(super) is_whole: bool,
}

impl Join {
    /// Joins `child` and `parent`; namespaces are looked up in `context`.
    pub(super) fn of(fields: &Fields, child: &ObjectView<'_>, parent: &ObjectView<'_>, context: &Context<'_>) -> Self {
        let allows = allows(fields, child, parent);
        let of_item = |item: &Value| {
            let admits = admits(fields, item, child, parent, context).and(|| allows.clone());
            let selects = selects(fields.parent.child_selector.get(item), &labels(child));
            (admits.clone().and(|| selects.clone()), admits == Selected::No || selects == Selected::Yes)
        };
        let (selected, whole): (Vec<_>, Vec<_>) = fields.items(parent.value).iter().map(of_item).unzip();
        Self { selected, is_whole: whole.into_iter().all(|is_whole| is_whole) }
    }

    /// Returns whether any item selects, or may select, the child.
    pub(super) fn is_possible(&self) -> bool {
        self.selected.iter().any(|selected| *selected != Selected::No)
    }

    /// Returns whether it is known which items select the child, and some do.
    pub(super) fn is_certain(&self) -> bool {
        self.is_possible() && self.unknown().is_none()
    }

    /// Returns why it is unknown which items select the child, where it is.
    pub(super) fn unknown(&self) -> Option<&str> {
        self.selected.iter().find_map(|selected| match selected {
            Selected::Unknown(reason) => Some(reason.as_str()),
            Selected::Yes | Selected::No => None,
        })
    }
}

/// Returns whether an item requires labels.
pub(super) fn requires_labels(fields: &Fields, item: &Value) -> bool {
    let selector = fields.parent.child_selector.get(item);
    let labels = selector.and_then(|selector| selector.get("matchLabels")).and_then(Value::as_object);
    let expressions = selector.and_then(|selector| selector.get("matchExpressions")).and_then(Value::as_array);
    labels.is_some_and(|labels| !labels.is_empty()) || expressions.is_some_and(|expressions| !expressions.is_empty())
}

/// The kind whose labels an item can require.
pub(super) fn namespace_kind() -> GroupKind {
    GroupKind::new("Namespace", "")
}

fn labels(object: &ObjectView<'_>) -> Map<String, Value> {
    let labels = object.value.get("metadata").and_then(|metadata| metadata.get("labels"));
    labels.and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Returns whether both are in one namespace, which also holds where neither has one: they are applied together.
fn shares_namespace(left: &ObjectView<'_>, right: &ObjectView<'_>) -> Selected {
    match (left.namespace.same_as(right.namespace), left.namespace.name()) {
        (Some(same), _) => Selected::of(same),
        (None, None) => unknown_namespace(left),
        (None, Some(_)) => unknown_namespace(right),
    }
}

fn unknown_namespace(object: &ObjectView<'_>) -> Selected {
    Selected::Unknown(format!("{} {}", title(object), object.namespace.description()))
}

/// Returns whether the child allows the parent.
fn allows(fields: &Fields, child: &ObjectView<'_>, parent: &ObjectView<'_>) -> Selected {
    let (field, allow) = (&fields.children.field, &fields.children.allow);
    let mapping = field.get(child.value).unwrap_or(&Value::Null);
    match text(mapping, &allow.key).unwrap_or_else(|| allow.default.clone()) {
        value if value == allow.all => Selected::Yes,
        value if value == allow.same => shares_namespace(child, parent),
        value if value == allow.listed => {
            let list = mapping.get(&fields.children.list).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let named = list.iter().filter(|one| one.get("name").and_then(Value::as_str) == parent.name);
            let named: Vec<_> = named.map(|one| one.get("namespace").and_then(Value::as_str)).collect();
            match parent.namespace.name() {
                Some(namespace) => Selected::of(named.contains(&Some(namespace))),
                None if named.is_empty() => Selected::No,
                None => unknown_namespace(parent),
            }
        }
        other => Selected::Unknown(format!("{} is {other}", field.key(&allow.key))),
    }
}

/// Returns whether an item admits children of the kind and namespace of `child`.
fn admits(
    fields: &Fields,
    item: &Value,
    child: &ObjectView<'_>,
    parent: &ObjectView<'_>,
    context: &Context<'_>,
) -> Selected {
    let of_item = &fields.parent;
    let text = |path: &crate::field::FieldPath| path.get(item).and_then(Value::as_str).map(str::to_owned);
    let group = text(&of_item.child_group).unwrap_or_else(|| parent.kind.group.clone());
    let kind = text(&of_item.child_kind).unwrap_or_default();
    if GroupKind::new(kind, group) != *child.kind {
        return Selected::No;
    }
    let namespaces = &of_item.child_namespaces;
    match text(&namespaces.field).unwrap_or_else(|| namespaces.default.clone()) {
        value if value == namespaces.all => Selected::Yes,
        value if value == namespaces.same => shares_namespace(child, parent),
        value if value == namespaces.selected => {
            let Some(name) = child.namespace.name() else { return unknown_namespace(child) };
            let found = context.named(&namespace_kind(), name, child.place.file);
            let selects_one = |namespace: &ObjectView<'_>| {
                let mut labels = labels(namespace);
                labels.insert("kubernetes.io/metadata.name".to_owned(), Value::from(name));
                selects(namespaces.selector.get(item), &labels)
            };
            let mut all = found.iter().map(selects_one);
            let Some(first) = all.next() else {
                return Selected::Unknown(format!(
                    "it depends on the labels of Namespace {name}, which is not among the files"
                ));
            };
            if all.all(|other| other == first) {
                return first;
            }
            let places = some_of(&found, ObjectView::described);
            Selected::Unknown(format!("it depends on the labels of a Namespace, which differ: {places}"))
        }
        other => Selected::Unknown(format!("{} of an item is {other}", namespaces.field)),
    }
}

/// Returns whether a label selector selects `labels`; one without requirements selects everything.
///
/// Source: Kubernetes, labels and selectors.
fn selects(selector: Option<&Value>, labels: &Map<String, Value>) -> Selected {
    let Some(selector) = selector else { return Selected::Yes };
    let equal = selector.get("matchLabels").and_then(Value::as_object);
    let mut selected = Selected::of(equal.into_iter().flatten().all(|(key, value)| labels.get(key) == Some(value)));
    for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
        selected = selected.and(|| matches(expression, labels));
    }
    selected
}

fn matches(expression: &Value, labels: &Map<String, Value>) -> Selected {
    let text = |key: &str| expression.get(key).and_then(Value::as_str).unwrap_or_default();
    let label = labels.get(text("key"));
    let among = || {
        let values = expression.get("values").and_then(Value::as_array);
        values.is_some_and(|values| label.is_some_and(|label| values.contains(label)))
    };
    match text("operator") {
        "In" => Selected::of(among()),
        "NotIn" => Selected::of(!among()),
        "Exists" => Selected::of(label.is_some()),
        "DoesNotExist" => Selected::of(label.is_none()),
        other => Selected::Unknown(format!("a label selector has the operator {other}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::namespace::Namespace;
    use super::super::super::nearest::Builds;
    use super::super::super::object_view::ObjectPlace;
    use super::super::fields::view;
    use super::*;

    const FIELDS: &str = "{ parent: { kind: Gateway.g, items: 'spec.listeners[]', names: { key: name, from: [protocol] }, \
        child-kind: routes.kind, child-group: routes.group, child-selector: routes.selector, child-namespaces: { field: \
        routes.namespaces.from, default: Same, all: All, same: Same, selected: Selector, selector: routes.namespaces.selector } }, \
        children: { kinds: [HTTPRoute.g], field: spec.gateways, allow: { key: allow, default: SameNamespace, all: All, same: \
        SameNamespace, listed: FromList }, list: gatewayRefs }, references: { field: spec.parentRefs, group: new, item: { \
        key: sectionName, help: h }, unsupported: [] } }";

    const UNKNOWN: &str = "?";

    #[track_caller]
    fn check(route: &Value, gateway: &Value, expected: &[&str]) {
        let (routes, gateways) = (GroupKind::new("HTTPRoute", "g"), GroupKind::new("Gateway", "g"));
        let namespaces = GroupKind::new("Namespace", "");
        let shop = json!({"metadata": {"name": "shop", "labels": {"team": "a"}}});
        let unset = Namespace::Unset;
        let (place, builds) = (ObjectPlace::default(), Builds::default());
        let view_of_shop = ObjectView { kind: &namespaces, namespace: &unset, name: Some("shop"), value: &shop, place };
        let context = Context::new([view_of_shop], &builds);
        let [in_route, in_gateway] =
            [route, gateway].map(|value| Namespace::from_written(value["metadata"]["namespace"].as_str()));
        let (route, gateway) = (view(&routes, &in_route, route, place), view(&gateways, &in_gateway, gateway, place));
        let fields: Fields = serde_yaml::from_str(FIELDS).unwrap();
        let join = Join::of(&fields, &route, &gateway, &context);
        let word = |selected: &Selected| match selected {
            Selected::Yes => "yes",
            Selected::No => "no",
            Selected::Unknown(_) => UNKNOWN,
        };
        assert_eq!(join.selected.iter().map(word).collect::<Vec<_>>(), expected);
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

//! Answers: which listeners of a Gateway did a route of v1alpha1 belong to?
//!
//! Both sides had a say: a listener took routes of one kind, of some namespaces, with some labels; a route took Gateways of
//! its namespace, of any, or those it listed. [`Join::of`] puts the two together.
//!
//! Invariant: what the files do not tell is [`Answer::Unknown`], never guessed.
//!
//! Source: gateway-api v0.4.3, apis/v1alpha1, RouteBindingSelector and RouteGateways.

use serde_json::{Map, Value};

use super::super::context::{Context, OtherObject};
use super::super::namespace::Namespace;
use crate::release::GroupKind;

/// Whether something holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It holds.
    Yes,
    /// It does not.
    No,
    /// The files do not tell, because of this.
    Unknown(String),
}

impl Answer {
    fn of(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// Returns whether both hold.
    fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Yes => other(),
            Self::No => Self::No,
            Self::Unknown(what) => match other() {
                Self::No => Self::No,
                _ => Self::Unknown(what),
            },
        }
    }
}

/// A route or Gateway, as much as the join needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Party<'a> {
    pub(super) kind: &'a GroupKind,
    pub(super) namespace: &'a Namespace,
    pub(super) name: Option<&'a str>,
    pub(super) value: &'a Value,
}

impl<'a> Party<'a> {
    /// Takes another object of the run.
    pub(super) const fn neighbour(other: &OtherObject<'a>) -> Self {
        Self { kind: other.kind, namespace: other.namespace, name: other.name, value: other.value }
    }

    /// Takes the object of a session, which lives in `namespace`.
    pub(super) fn of(kind: &'a GroupKind, namespace: &'a Namespace, value: &'a Value) -> Self {
        let name = value.get("metadata").and_then(|metadata| metadata.get("name")).and_then(Value::as_str);
        Self { kind, namespace, name, value }
    }

    /// Returns what messages call it: `Gateway infra/public`.
    pub(super) fn title(&self) -> String {
        let name = self.name.unwrap_or("(no name)");
        let place = self.namespace.name().map_or_else(String::new, |namespace| format!("{namespace}/"));
        format!("{} {place}{name}", self.kind.kind)
    }

    fn labels(&self) -> Map<String, Value> {
        let labels = self.value.get("metadata").and_then(|metadata| metadata.get("labels"));
        labels.and_then(Value::as_object).cloned().unwrap_or_default()
    }

    /// Returns a Gateway's listeners.
    pub(super) fn listeners(&self) -> &'a [Value] {
        let listeners = self.value.get("spec").and_then(|spec| spec.get("listeners"));
        listeners.and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Says whether both are in one namespace; where neither names one, they are applied together.
    fn shares_namespace(&self, other: &Self) -> Answer {
        match (self.namespace.same_as(other.namespace), self.namespace.name()) {
            (Some(same), _) => Answer::of(same),
            (None, None) => self.unplaced(),
            (None, Some(_)) => other.unplaced(),
        }
    }

    /// Answers what its namespace would decide.
    fn unplaced(&self) -> Answer {
        Answer::Unknown(format!("{} {}", self.title(), self.namespace.unknown()))
    }
}

/// What a route and a Gateway are to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Join {
    /// Each listener's answer, in their order: whether the route belongs to it.
    pub(super) attached: Vec<Answer>,
    /// Whether the route belongs to every listener that takes its kind and namespace, whatever labels that asks for.
    pub(super) unlabelled: bool,
}

impl Join {
    /// Joins `route` and `gateway`; Namespaces are looked up in `context`.
    pub(super) fn of(route: &Party<'_>, gateway: &Party<'_>, context: &Context<'_>) -> Self {
        let takes = route_takes(route, gateway);
        let of_listener = |listener: &Value| {
            let binding = listener.get("routes").unwrap_or(&Value::Null);
            let admits = admits(binding, route, gateway, context).and(|| takes.clone());
            let selects = selects(binding.get("selector"), &route.labels());
            (admits.clone().and(|| selects.clone()), admits == Answer::No || selects == Answer::Yes)
        };
        let (attached, unlabelled): (Vec<_>, Vec<_>) = gateway.listeners().iter().map(of_listener).unzip();
        Self { attached, unlabelled: unlabelled.into_iter().all(|same| same) }
    }

    /// Says whether the route belongs, or may belong, to any listener.
    pub(super) fn is_possible(&self) -> bool {
        self.attached.iter().any(|answer| *answer != Answer::No)
    }

    /// Returns what the files do not tell, where that decides.
    pub(super) fn unknown(&self) -> Option<&str> {
        self.attached.iter().find_map(|answer| match answer {
            Answer::Unknown(what) => Some(what.as_str()),
            Answer::Yes | Answer::No => None,
        })
    }
}

/// Says whether the route takes the Gateway: `gateways: { allow: FromList, gatewayRefs: [{ name: a, namespace: b }] }`.
fn route_takes(route: &Party<'_>, gateway: &Party<'_>) -> Answer {
    let gateways = route.value.get("spec").and_then(|spec| spec.get("gateways")).unwrap_or(&Value::Null);
    match gateways.get("allow").and_then(Value::as_str).unwrap_or("SameNamespace") {
        "All" => Answer::Yes,
        "SameNamespace" => route.shares_namespace(gateway),
        "FromList" => {
            let refs = gateways.get("gatewayRefs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let named = refs.iter().filter(|one| one.get("name").and_then(Value::as_str) == gateway.name);
            let named: Vec<_> = named.map(|one| one.get("namespace").and_then(Value::as_str)).collect();
            match gateway.namespace.name() {
                Some(namespace) => Answer::of(named.contains(&Some(namespace))),
                None if named.is_empty() => Answer::No,
                None => gateway.unplaced(),
            }
        }
        other => Answer::Unknown(format!("spec.gateways.allow is {other}")),
    }
}

/// Says whether a listener takes routes of the kind and namespace of `route`.
fn admits(binding: &Value, route: &Party<'_>, gateway: &Party<'_>, context: &Context<'_>) -> Answer {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let group = text(binding, "group").unwrap_or_else(|| gateway.kind.group.clone());
    let kind = text(binding, "kind").unwrap_or_default();
    if GroupKind::new(kind, group) != *route.kind {
        return Answer::No;
    }
    let namespaces = binding.get("namespaces").unwrap_or(&Value::Null);
    match text(namespaces, "from").as_deref().unwrap_or("Same") {
        "All" => Answer::Yes,
        "Same" => route.shares_namespace(gateway),
        "Selector" => {
            let Some(name) = route.namespace.name() else { return route.unplaced() };
            let Some(namespace) = context.cluster_scoped(&super::namespace(), name).map(Party::neighbour) else {
                return Answer::Unknown(format!("Namespace {name}, whose labels decide, is not among the files"));
            };
            let mut labels = namespace.labels();
            labels.insert("kubernetes.io/metadata.name".to_owned(), Value::from(name));
            selects(namespaces.get("selector"), &labels)
        }
        other => Answer::Unknown(format!("a listener takes namespaces from {other}")),
    }
}

/// Says whether a label selector selects `labels`; one without requirements selects everything.
///
/// Source: Kubernetes, labels and selectors.
fn selects(selector: Option<&Value>, labels: &Map<String, Value>) -> Answer {
    let Some(selector) = selector else { return Answer::Yes };
    let equal = selector.get("matchLabels").and_then(Value::as_object);
    let mut answer = Answer::of(equal.into_iter().flatten().all(|(key, value)| labels.get(key) == Some(value)));
    for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
        answer = answer.and(|| meets(expression, labels));
    }
    answer
}

fn meets(expression: &Value, labels: &Map<String, Value>) -> Answer {
    let text = |key: &str| expression.get(key).and_then(Value::as_str).unwrap_or_default();
    let label = labels.get(text("key"));
    let among = || {
        let values = expression.get("values").and_then(Value::as_array);
        values.is_some_and(|values| label.is_some_and(|label| values.contains(label)))
    };
    match text("operator") {
        "In" => Answer::of(among()),
        "NotIn" => Answer::of(!among()),
        "Exists" => Answer::of(label.is_some()),
        "DoesNotExist" => Answer::of(label.is_none()),
        other => Answer::Unknown(format!("a selector has the operator {other}")),
    }
}

/// Says whether a listener asks for labels.
pub(super) fn asks_for_labels(listener: &Value) -> bool {
    let selector = listener.get("routes").and_then(|routes| routes.get("selector"));
    let labels = selector.and_then(|selector| selector.get("matchLabels")).and_then(Value::as_object);
    let expressions = selector.and_then(|selector| selector.get("matchExpressions")).and_then(Value::as_array);
    labels.is_some_and(|labels| !labels.is_empty()) || expressions.is_some_and(|expressions| !expressions.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const UNKNOWN: &str = "?";

    #[track_caller]
    fn check(route: &Value, gateway: &Value, expected: &[&str]) {
        let (routes, gateways) = (GroupKind::new("HTTPRoute", "g"), GroupKind::new("Gateway", "g"));
        let namespaces = GroupKind::new("Namespace", "");
        let shop = json!({"metadata": {"name": "shop", "labels": {"team": "a"}}});
        let open = Namespace::Unset;
        let context =
            Context::new([OtherObject { kind: &namespaces, namespace: &open, name: Some("shop"), value: &shop }]);
        let [in_route, in_gateway] =
            [route, gateway].map(|value| Namespace::from_written(value["metadata"]["namespace"].as_str()));
        let (route, gateway) = (Party::of(&routes, &in_route, route), Party::of(&gateways, &in_gateway, gateway));
        let join = Join::of(&route, &gateway, &context);
        let word = |answer: &Answer| match answer {
            Answer::Yes => "yes",
            Answer::No => "no",
            Answer::Unknown(_) => UNKNOWN,
        };
        assert_eq!(join.attached.iter().map(word).collect::<Vec<_>>(), expected);
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
        let expression = |key: &str, operator: &str, values: &Value| {
            json!({"kind": "HTTPRoute", "selector": {"matchExpressions": [{"key": key, "operator": operator, "values": values}]}})
        };
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
    fn both_sides_choose_namespaces() {
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
    fn a_list_names_gateways() {
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

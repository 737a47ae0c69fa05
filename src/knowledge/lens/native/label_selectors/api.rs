//! The kinds and fields of the Gateway API that the conversion is about.

use serde_json::Value;

use super::super::super::context::{Namespace, ObjectPlace, ObjectView};
use super::super::fields::{items, path};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPath;

/// The group of `v1alpha1`, and the one since.
pub(super) const OLD_GROUP: &str = "networking.x-k8s.io";
pub(super) const NEW_GROUP: &str = "gateway.networking.k8s.io";

/// The Gateways that a route allows, in `v1alpha1`, and those that it references since.
pub(super) const GATEWAYS: &str = "spec.gateways";
pub(super) const GATEWAY_REFS: &str = "spec.gateways.gatewayRefs";
pub(super) const PARENT_REFS: &str = "spec.parentRefs";

/// What `allow` in `spec.gateways` says where the route lists its Gateways.
pub(super) const FROM_LIST: &str = "FromList";

/// The key of a reference that names a listener.
pub(super) const SECTION: &str = "sectionName";

pub(super) fn gateway_kind(group: &str) -> GroupKind {
    GroupKind::new("Gateway", group)
}

pub(super) fn route_kinds(group: &str) -> [GroupKind; 4] {
    ["HTTPRoute", "TCPRoute", "TLSRoute", "UDPRoute"].map(|kind| GroupKind::new(kind, group))
}

/// The kind whose labels a listener can require.
pub(super) fn namespace_kind() -> GroupKind {
    GroupKind::new("Namespace", "")
}

pub(super) fn listeners(gateway: &Value) -> &[Value] {
    items(gateway, &path("spec.listeners"))
}

/// The label selector of a listener for its routes.
pub(super) fn selector(index: usize) -> FieldPath {
    path("spec.listeners").index(index).key("routes").key("selector")
}

/// The Gateways that a route lists, where it has a list.
pub(super) fn listed(route: &Value) -> Option<&[Value]> {
    let allow = path("spec.gateways.allow").get(route).and_then(Value::as_str);
    (allow == Some(FROM_LIST)).then(|| items(route, &path(GATEWAY_REFS)))
}

/// The view of the object of a session, which is in `namespace` and at `place`.
pub(super) fn view<'a>(
    kind: &'a GroupKind,
    namespace: &'a Namespace,
    value: &'a Value,
    place: ObjectPlace<'a>,
) -> ObjectView<'a> {
    let name = path("metadata.name").get(value).and_then(Value::as_str);
    ObjectView { kind, namespace, name, value, place }
}

/// The title of an object with its namespace: `Gateway infra/public`.
pub(super) fn title(object: &ObjectView<'_>) -> String {
    let name = object.name.unwrap_or("(no name)");
    let namespace = object.namespace.name().map_or_else(String::new, |namespace| format!("{namespace}/"));
    format!("{} {namespace}{name}", object.kind.kind)
}

/// The title of an object with its namespace and place.
pub(super) fn described(object: &ObjectView<'_>) -> String {
    object.with_place(&title(object))
}

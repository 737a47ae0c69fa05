//! Answers: which Gateways does a route name that used to be selected by its labels?
//!
//! The operation `attach`: routes name the Gateways that selected them by label, as Gateway API changed it in v0.4.0.
//!
//! On a route, the other objects of the run tell which listeners it belonged to, and it names them; on a Gateway, the label
//! selectors go once routes of the run name it instead. Both rely on each other: neither is converted alone.
//!
//! Invariant: a selector goes only where every route that it selects, or may select, is converted in the same run.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::fidelity::Fidelity;
use super::halt::Halt;
use super::image::{Claims, Image};
use super::operation::{Description, Operation};
use super::session::Session;
use crate::field::FieldPattern;
use crate::release::GroupKind;

mod gateway;
mod join;
mod route;

/// `attach: { gateways: Gateway.old, routes: [HTTPRoute.old], group: new, names: { key: name, from: [protocol, port] } }`
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attach {
    /// The kind of the Gateways.
    gateways: GroupKind,
    /// The kinds of the routes.
    routes: Vec<GroupKind>,
    /// The group that the kinds have on the new side.
    group: String,
    /// How listeners without a name are called on the new side.
    names: Names,
}

/// How listeners are called.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Names {
    key: String,
    from: Vec<String>,
}

impl Attach {
    pub(super) const DESCRIPTION: Description = Description {
        name: "attach",
        text: "On a route of `routes`, replaces `spec.gateways` by `spec.parentRefs`: one for each Gateway of the run that \
               takes the route and that the route takes, with `sectionName` (as `identify` with `names` calls the listener) \
               where labels chose among its listeners. On a Gateway of `gateways`, removes `routes.selector` of listeners \
               whose routes are in the run. Refused, naming what is missing, where the files do not tell. The inverse lists \
               the Gateways of `parentRefs`; label selectors do not come back.",
        example: "attach: { gateways: Gateway.networking.x-k8s.io, routes: [HTTPRoute.networking.x-k8s.io], \
                  group: gateway.networking.k8s.io, names: { key: name, from: [protocol, port, hostname] } }",
    };

    /// Returns which of the kinds a session's object is.
    fn side(&self, object: &Value) -> Option<Side<'_>> {
        let kind = object.get("kind").and_then(Value::as_str)?;
        if kind == self.gateways.kind {
            return Some(Side::Gateway);
        }
        self.routes.iter().find(|route| route.kind == kind).map(Side::Route)
    }

    fn field(text: &str) -> FieldPattern {
        FieldPattern::parse(text).expect("it is written here as a field")
    }

    /// Returns the Gateways and the routes of both sides, and what says how a namespace is labelled.
    fn parties(&self) -> Vec<GroupKind> {
        let old = self.routes.iter().chain([&self.gateways]);
        let both = old.flat_map(|kind| [kind.clone(), GroupKind::new(kind.kind.as_str(), self.group.as_str())]);
        both.chain([namespace()]).collect()
    }

    fn claimed(&self) -> Claims {
        let old = ["spec.gateways", "spec.listeners[].routes.selector"];
        Claims { old: old.into_iter().map(Self::field).collect(), new: vec![Self::field("spec.parentRefs")] }
    }
}

/// The kind whose labels a listener can ask for.
fn namespace() -> GroupKind {
    GroupKind::new("Namespace", "")
}

/// What an object is in the join.
#[derive(Clone, Copy, Debug)]
enum Side<'a> {
    Gateway,
    Route(&'a GroupKind),
}

/// What a claimed field says is said on the other side in other parts, or by another object.
fn parts_go(claims: &Claims, field: &FieldPattern) -> Image {
    if claims.old.iter().any(|old| field.starts_with(old)) { Image::Dropped } else { Image::Kept }
}

/// What the join can do to an object, on either way: routes that list their Gateways come back as they were written.
fn both_ways() -> BTreeSet<Fidelity> {
    BTreeSet::from([Fidelity::Exact, Fidelity::Normalized, Fidelity::Refused])
}

fn refused(at: crate::field::FieldPath, reason: impl Into<String>, help: &str) -> Halt {
    Halt::Refused { at, reason: reason.into(), help: Some(help.to_owned()) }
}

impl Operation for Attach {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        match self.side(session.object()) {
            Some(Side::Gateway) => self.forget_selectors(session),
            Some(Side::Route(kind)) => self.name_parents(kind, session),
            None => Ok(()),
        }
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Detach { attach: self.clone() })
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        self.parties()
    }

    fn claims(&self) -> Claims {
        self.claimed()
    }

    fn image(&self, field: &FieldPattern) -> Image {
        parts_go(&self.claims(), field)
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Refused)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        both_ways()
    }
}

/// The way back from [`Attach`]. Not written in rule files.
#[derive(Clone, Debug)]
struct Detach {
    attach: Attach,
}

impl Operation for Detach {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        match self.attach.side(session.object()) {
            Some(Side::Route(_)) => self.attach.list_gateways(session),
            Some(Side::Gateway) => {
                self.attach.rely_on_routes(session);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(self.attach.clone())
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        self.attach.parties()
    }

    fn claims(&self) -> Claims {
        let Claims { old, new } = self.attach.claimed();
        Claims { old: new, new: old }
    }

    fn image(&self, field: &FieldPattern) -> Image {
        parts_go(&self.claims(), field)
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Refused)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        both_ways()
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::operation;
    use super::super::context::{Context, OtherObject};
    use super::super::namespace::Namespace;
    use super::super::session::{Completeness, ObjectName};
    use super::*;
    use serde_json::json;

    const ATTACH: &str =
        "attach: { gateways: Gateway.old, routes: [HTTPRoute.old], group: new, names: { key: name, from: [protocol, port] } }";

    /// Runs one way on `object` among `others` of kinds `Gateway` and `HTTPRoute`.
    fn run(
        operation: &dyn Operation,
        object: &Value,
        group: &str,
        others: &[Value],
        completeness: Completeness,
    ) -> Result<(Value, Vec<ObjectName>), Halt> {
        let kinds = ["Gateway", "HTTPRoute"].map(|kind| GroupKind::new(kind, group));
        let text = |value: &Value, key: &str| value["metadata"][key].as_str().map(str::to_owned);
        let namespace = |value: &Value| Namespace::from_written(text(value, "namespace").as_deref());
        let names: Vec<_> = others.iter().map(|other| (namespace(other), text(other, "name"))).collect();
        let neighbours = others.iter().zip(&names).map(|(value, (namespace, name))| OtherObject {
            kind: kinds.iter().find(|kind| value["kind"] == kind.kind.as_str()).expect("one of the two"),
            namespace,
            name: name.as_deref(),
            value,
        });
        let context = Context::new(neighbours);
        let mut session = Session::in_context(object.clone(), &context, completeness);
        operation.run(&mut session)?;
        let relies = session.converts_with().iter().cloned().collect();
        Ok((std::sync::Arc::unwrap_or_clone(session.finish().0), relies))
    }

    fn up(object: &Value, others: &[Value]) -> Result<Value, Halt> {
        run(&*operation(ATTACH), object, "old", others, Completeness::Whole).map(|(value, _)| value)
    }

    fn down(object: &Value, others: &[Value]) -> Result<Value, Halt> {
        let back = operation(ATTACH).inverse(&GroupKind::new("A", ""));
        run(&*back, object, "new", others, Completeness::Whole).map(|(value, _)| value)
    }

    #[track_caller]
    fn check_refused(outcome: Result<Value, Halt>, place: &str) {
        match outcome {
            Err(Halt::Refused { at, .. }) => assert_eq!(at.to_string(), place),
            other => panic!("{other:?}"),
        }
    }

    fn route(namespace: &str, spec: &Value) -> Value {
        json!({"kind": "HTTPRoute", "metadata": {"name": "r", "namespace": namespace, "labels": {"app": "a"}}, "spec": spec})
    }

    fn listener(protocol: &str, kind: &str, app: Option<&str>) -> Value {
        let selector = app.map_or_else(|| json!({}), |app| json!({"matchLabels": {"app": app}}));
        json!({"protocol": protocol, "port": 1, "routes": {"kind": kind, "selector": selector, "namespaces": {"from": "All"}}})
    }

    fn gateway(namespace: &str, listeners: &[Value]) -> Value {
        json!({"kind": "Gateway", "metadata": {"name": "gw", "namespace": namespace}, "spec": {"listeners": listeners}})
    }

    #[test]
    fn a_route_names_the_gateways_that_took_it() {
        let gateways = [
            gateway("a", &[listener("HTTP", "HTTPRoute", Some("a")), listener("TCP", "TCPRoute", None)]),
            gateway("b", &[listener("HTTP", "HTTPRoute", Some("b"))]),
            gateway("c", &[listener("HTTP", "HTTPRoute", Some("b")), listener("HTTPS", "HTTPRoute", Some("a"))]),
        ];
        let all = route("a", &json!({"gateways": {"allow": "All"}, "rules": []}));
        let parents = json!([{"name": "gw"}, {"name": "gw", "namespace": "c", "sectionName": "https"}]);
        assert_eq!(up(&all, &gateways), Ok(route("a", &json!({"parentRefs": parents, "rules": []}))));
        let here = route("a", &json!({"rules": []}));
        assert_eq!(up(&here, &gateways), Ok(route("a", &json!({"parentRefs": [{"name": "gw"}], "rules": []}))));
    }

    #[test]
    fn a_list_of_gateways_is_kept_in_its_order() {
        let two = [listener("HTTP", "HTTPRoute", Some("a")), listener("HTTPS", "HTTPRoute", Some("a")), listener("X", "HTTPRoute", Some("b"))];
        let gateways = [gateway("a", &[listener("HTTP", "HTTPRoute", None)]), gateway("b", &two), gateway("c", &[])];
        let refs = json!([{"name": "gw", "namespace": "c"}, {"namespace": "b", "name": "gw"}, {"name": "gw", "namespace": "a"}]);
        let listing = route("a", &json!({"gateways": {"allow": "FromList", "gatewayRefs": refs}}));
        let parents = json!([
            {"namespace": "b", "name": "gw", "sectionName": "http"},
            {"name": "gw", "namespace": "b", "sectionName": "https"},
            {"name": "gw"},
        ]);
        assert_eq!(up(&listing, &gateways), Ok(route("a", &json!({"parentRefs": parents}))));
    }

    #[test]
    fn what_is_missing_is_named() {
        let one = [gateway("a", &[listener("HTTP", "HTTPRoute", Some("b"))])];
        check_refused(up(&route("a", &json!({})), &one), "");
        check_refused(up(&route("a", &json!({"gateways": {"allow": "All"}})), &[]), "spec.gateways");
        let listing = json!({"gateways": {"allow": "FromList", "gatewayRefs": [{"name": "x", "namespace": "a"}]}});
        check_refused(up(&route("a", &listing), &one), "spec.gateways.gatewayRefs[0]");
        let mut unplaced = gateway("a", &[listener("HTTP", "HTTPRoute", None)]);
        unplaced["metadata"]["namespace"] = Value::Null;
        check_refused(up(&route("a", &json!({})), &[unplaced]), "");
        let differing = [gateway("a", &[listener("HTTP", "HTTPRoute", None)]), gateway("a", &[listener("HTTP", "HTTPRoute", None), listener("X", "HTTPRoute", Some("b"))])];
        check_refused(up(&route("a", &json!({})), &differing), "");
        let twice = [gateway("a", &[listener("HTTP", "HTTPRoute", None)]), gateway("a", &[listener("HTTP", "HTTPRoute", None)])];
        assert_eq!(up(&route("a", &json!({})), &twice), Ok(route("a", &json!({"parentRefs": [{"name": "gw"}]}))));
    }

    #[test]
    fn a_gateway_forgets_labels_that_routes_answer() {
        let asking = gateway("a", &[listener("HTTP", "HTTPRoute", Some("a")), listener("HTTPS", "HTTPRoute", None)]);
        let mut free = asking.clone();
        for index in 0..2 {
            free["spec"]["listeners"][index]["routes"].as_object_mut().unwrap().remove("selector");
        }
        let routes = [route("a", &json!({})), route("b", &json!({}))];
        let (value, relies) = run(&*operation(ATTACH), &asking, "old", &routes, Completeness::Whole).unwrap();
        assert_eq!(value, free);
        let name = (GroupKind::new("HTTPRoute", "old"), Namespace::from_written(Some("a")), Some("r".to_owned()));
        assert_eq!(relies, [name]);
        check_refused(up(&asking, &routes[1..]), "spec.listeners[0].routes.selector");
        assert_eq!(down(&free, &[]), Ok(free));
    }

    #[test]
    fn a_patch_is_left_to_a_person() {
        let patch = |object: &Value| run(&*operation(ATTACH), object, "old", &[], Completeness::Partial).map(|(value, _)| value);
        assert_eq!(patch(&route("a", &json!({}))), Ok(route("a", &json!({}))));
        check_refused(patch(&route("a", &json!({"gateways": {}}))), "spec.gateways");
        check_refused(patch(&gateway("a", &[listener("HTTP", "HTTPRoute", Some("a"))])), "spec.listeners[0].routes.selector");
    }

    #[test]
    fn the_way_back_lists_gateways() {
        let refs = json!([{"group": "new", "kind": "Gateway", "name": "gw"}, {"name": "gw", "namespace": "b"}, {"name": "gw", "namespace": "a"}]);
        let listed = json!([{"name": "gw", "namespace": "a"}, {"name": "gw", "namespace": "b"}]);
        let expected = route("a", &json!({"gateways": {"allow": "FromList", "gatewayRefs": listed}}));
        assert_eq!(down(&route("a", &json!({"parentRefs": refs})), &[]), Ok(expected));
        let none = route("a", &json!({"gateways": {"allow": "FromList"}}));
        assert_eq!(down(&route("a", &json!({})), &[]), Ok(none.clone()));
        assert_eq!(down(&route("a", &json!({"parentRefs": []})), &[]), Ok(none.clone()));
        assert_eq!(up(&none, &[]), Ok(route("a", &json!({}))));
    }

    #[test]
    fn a_section_goes_only_where_it_chooses_nothing() {
        let named = |name: &str| json!({"name": name, "allowedRoutes": {}});
        let two = [gateway("a", &[named("x"), named("y")])];
        let one = route("a", &json!({"parentRefs": [{"name": "gw", "sectionName": "x"}]}));
        let both = route("a", &json!({"parentRefs": [{"name": "gw", "sectionName": "x"}, {"name": "gw", "sectionName": "y"}]}));
        let expected = json!({"gateways": {"allow": "FromList", "gatewayRefs": [{"name": "gw", "namespace": "a"}]}});
        assert_eq!(down(&both, &two), Ok(route("a", &expected)));
        check_refused(down(&one, &two), "spec.parentRefs[0].sectionName");
        check_refused(down(&one, &[]), "spec.parentRefs[0].sectionName");
    }

    #[test]
    fn what_no_list_can_hold_is_refused() {
        let back = |parent: &Value| down(&route("a", &json!({"parentRefs": [parent]})), &[]);
        check_refused(back(&json!({"name": "x", "kind": "Service", "group": ""})), "spec.parentRefs[0].kind");
        check_refused(back(&json!({"name": "x", "port": 80})), "spec.parentRefs[0].port");
        let unplaced = json!({"kind": "HTTPRoute", "metadata": {"name": "r"}, "spec": {"parentRefs": [{"name": "x"}]}});
        check_refused(down(&unplaced, &[]), "spec.parentRefs[0]");
    }
}

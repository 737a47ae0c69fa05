//! The operation `selectors-to-references`, and its inverse.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::super::fidelity::Fidelity;
use super::super::halt::Halt;
use super::super::image::{Claims, Image};
use super::super::operation::{Description, Operation};
use super::super::session::Session;
use super::fields::Fields;
use super::join::namespace_kind;
use super::{child, parent};
use crate::field::{FieldPattern, Part};
use crate::release::GroupKind;

/// `selectors-to-references: { parent: {...}, children: {...}, references: {...} }`
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct SelectorsToReferences(Fields);

impl SelectorsToReferences {
    pub(crate) const DESCRIPTION: Description = Description {
        name: "selectors-to-references",
        text: "Replaces label selectors of parents by references in their children. On an object of `children.kinds`, replaces \
               `children.field` (which parents it allows: all, those of its namespace, or those in a list) by \
               `references.field`: one reference for each parent of the run that selects the child, with the key \
               `references.item.key` (the name of the item, as `identify` with `parent.names` derives it) where only some of the \
               items select it. On an object of `parent.kind`, removes `parent.child-selector` of the items whose children \
               are in the run. Refused, with what is missing, where the files do not show which parents select the child. \
               The inverse lists the referenced parents; label selectors do not come back.",
        example: "selectors-to-references: { parent: { kind: Shop.old.example.com, items: \"spec.shelves[]\", names: { key: name, \
                  from: [topic, floor] }, child-kind: books.kind, child-group: books.group, child-selector: books.selector, \
                  child-namespaces: { field: books.namespaces.from, default: Same, all: All, same: Same, selected: Selector, \
                  selector: books.namespaces.selector } }, children: { kinds: [Book.old.example.com], field: spec.shops, allow: { \
                  key: allow, default: SameNamespace, all: All, same: SameNamespace, listed: FromList }, list: shopRefs }, \
                  references: { field: spec.parentRefs, group: example.com, item: { key: sectionName, help: select it by labels }, unsupported: [] } }",
    };

    /// Returns the side of the relation of a session's object.
    fn side(&self, object: &Value) -> Option<Side<'_>> {
        let kind = object.get("kind").and_then(Value::as_str)?;
        if kind == self.0.parent_kind() {
            return Some(Side::Parent);
        }
        self.0.children.kinds.iter().find(|child| child.kind == kind).map(Side::Child)
    }

    /// Returns the kinds of parents and children on both sides, and the kind of namespaces, whose labels items can require.
    fn kinds(&self) -> Vec<GroupKind> {
        let old = self.0.children.kinds.iter().chain([&self.0.parent.kind]).cloned();
        old.chain(self.0.new_children()).chain([self.0.new_parent(), namespace_kind()]).collect()
    }

    fn claimed(&self) -> Claims {
        let items = self.0.parent.items.pattern().with(Part::Items);
        let selector = items.join(&self.0.parent.child_selector.pattern());
        Claims { old: vec![self.0.children.field.pattern(), selector], new: vec![self.0.references.field.pattern()] }
    }
}

/// The side of the relation that an object is on.
#[derive(Clone, Copy, Debug)]
enum Side<'a> {
    Parent,
    Child(&'a GroupKind),
}

/// A claimed field has another form on the other side, or is in another object there.
fn image(claims: &Claims, field: &FieldPattern) -> Image {
    if claims.old.iter().any(|old| field.starts_with(old)) { Image::Dropped } else { Image::Kept }
}

/// All fidelities of the operation, in both directions: lists of parents come back as they were written.
fn fidelities() -> BTreeSet<Fidelity> {
    BTreeSet::from([Fidelity::Exact, Fidelity::Normalized, Fidelity::Refused])
}

impl Operation for SelectorsToReferences {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        match self.side(session.object()) {
            Some(Side::Parent) => parent::remove_selectors(&self.0, session),
            Some(Side::Child(kind)) => child::add_references(&self.0, kind, session),
            None => Ok(()),
        }
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(Inverse(self.clone()))
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        self.kinds()
    }

    fn kinds_converted_with(&self) -> Vec<GroupKind> {
        self.kinds()
    }

    fn claims(&self) -> Claims {
        self.claimed()
    }

    fn image(&self, field: &FieldPattern) -> Image {
        image(&self.claims(), field)
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Refused)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        fidelities()
    }
}

/// The inverse of [`SelectorsToReferences`]. Not written in rule files.
#[derive(Clone, Debug)]
struct Inverse(SelectorsToReferences);

impl Operation for Inverse {
    fn run(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let SelectorsToReferences(fields) = &self.0;
        match self.0.side(session.object()) {
            Some(Side::Child(_)) => child::list_parents(fields, session),
            Some(Side::Parent) => {
                parent::convert_with_children(fields, session);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn inverse(&self, _kind: &GroupKind) -> Box<dyn Operation> {
        Box::new(self.0.clone())
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        self.0.kinds()
    }

    fn kinds_converted_with(&self) -> Vec<GroupKind> {
        self.0.kinds()
    }

    fn claims(&self) -> Claims {
        let Claims { old, new } = self.0.claimed();
        Claims { old: new, new: old }
    }

    fn image(&self, field: &FieldPattern) -> Image {
        image(&self.claims(), field)
    }

    fn fidelity(&self) -> Option<Fidelity> {
        Some(Fidelity::Refused)
    }

    fn fidelities(&self) -> BTreeSet<Fidelity> {
        fidelities()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::context::Context;
    use super::super::super::namespace::Namespace;
    use super::super::super::nearest::Builds;
    use super::super::super::object_view::{ObjectId, ObjectPlace, ObjectView};
    use super::super::super::session::Completeness;
    use super::super::super::trial::operation;
    use super::*;
    use serde_json::json;

    const OPERATION: &str = "selectors-to-references: { parent: { kind: Gateway.old, items: 'spec.listeners[]', names: { key: name, \
        from: [protocol, port] }, child-kind: routes.kind, child-group: routes.group, child-selector: routes.selector, \
        child-namespaces: { field: routes.namespaces.from, default: Same, all: All, same: Same, selected: Selector, selector: \
        routes.namespaces.selector } }, children: { kinds: [HTTPRoute.old], field: spec.gateways, allow: { key: allow, default: \
        SameNamespace, all: All, same: SameNamespace, listed: FromList }, list: gatewayRefs }, references: { field: \
        spec.parentRefs, group: new, item: { key: sectionName, help: h }, unsupported: [{ key: port, reason: r, help: h }] } }";

    /// Runs one way on `object` among `others` of the parent and child kinds.
    fn run(
        operation: &dyn Operation,
        object: &Value,
        group: &str,
        others: &[Value],
        completeness: Completeness,
    ) -> Result<(Value, Vec<ObjectId>), Halt> {
        let kinds = ["Gateway", "HTTPRoute"].map(|kind| GroupKind::new(kind, group));
        let text = |value: &Value, key: &str| value["metadata"][key].as_str().map(str::to_owned);
        let namespace = |value: &Value| Namespace::from_written(text(value, "namespace").as_deref());
        let names: Vec<_> = others.iter().map(|other| (namespace(other), text(other, "name"))).collect();
        let views = others.iter().zip(&names).enumerate().map(|(at, (value, (namespace, name)))| ObjectView {
            kind: kinds.iter().find(|kind| value["kind"] == kind.kind.as_str()).expect("one of the two"),
            namespace,
            name: name.as_deref(),
            value,
            place: ObjectPlace { id: Some((0, at)), ..ObjectPlace::default() },
        });
        let builds = Builds::default();
        let others_of_run: Vec<_> = views.collect();
        let own = others_of_run.iter().find(|other| other.value == object).map(|own| own.place).unwrap_or_default();
        let context = Context::new(others_of_run, &builds);
        let mut session = Session::in_context(object.clone(), &context, completeness).at(own);
        operation.run(&mut session)?;
        let together = session.converts_with().iter().copied().collect();
        Ok((std::sync::Arc::unwrap_or_clone(session.finish().0), together))
    }

    fn forward(object: &Value, others: &[Value]) -> Result<Value, Halt> {
        run(&*operation(OPERATION), object, "old", others, Completeness::Whole).map(|(value, _)| value)
    }

    fn backward(object: &Value, others: &[Value]) -> Result<Value, Halt> {
        let back = operation(OPERATION).inverse(&GroupKind::new("A", ""));
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
    fn a_child_references_the_parents_that_select_it() {
        let gateways = [
            gateway("a", &[listener("HTTP", "HTTPRoute", Some("a")), listener("TCP", "TCPRoute", None)]),
            gateway("b", &[listener("HTTP", "HTTPRoute", Some("b"))]),
            gateway("c", &[listener("HTTP", "HTTPRoute", Some("b")), listener("HTTPS", "HTTPRoute", Some("a"))]),
        ];
        let all = route("a", &json!({"gateways": {"allow": "All"}, "rules": []}));
        let parents = json!([{"name": "gw"}, {"name": "gw", "namespace": "c", "sectionName": "https"}]);
        assert_eq!(forward(&all, &gateways), Ok(route("a", &json!({"parentRefs": parents, "rules": []}))));
        let here = route("a", &json!({"rules": []}));
        assert_eq!(forward(&here, &gateways), Ok(route("a", &json!({"parentRefs": [{"name": "gw"}], "rules": []}))));
    }

    #[test]
    fn a_list_of_parents_keeps_its_order() {
        let two = [
            listener("HTTP", "HTTPRoute", Some("a")),
            listener("HTTPS", "HTTPRoute", Some("a")),
            listener("X", "HTTPRoute", Some("b")),
        ];
        let gateways = [gateway("a", &[listener("HTTP", "HTTPRoute", None)]), gateway("b", &two), gateway("c", &[])];
        let refs = json!([{"name": "gw", "namespace": "c"}, {"namespace": "b", "name": "gw"}, {"name": "gw", "namespace": "a"}]);
        let listing = route("a", &json!({"gateways": {"allow": "FromList", "gatewayRefs": refs}}));
        let parents = json!([
            {"namespace": "b", "name": "gw", "sectionName": "http"},
            {"name": "gw", "namespace": "b", "sectionName": "https"},
            {"name": "gw"},
        ]);
        assert_eq!(forward(&listing, &gateways), Ok(route("a", &json!({"parentRefs": parents}))));
    }

    #[test]
    fn refusals_have_the_path_of_the_missing_value() {
        let one = [gateway("a", &[listener("HTTP", "HTTPRoute", Some("b"))])];
        check_refused(forward(&route("a", &json!({})), &one), "");
        check_refused(forward(&route("a", &json!({"gateways": {"allow": "All"}})), &[]), "spec.gateways");
        let listing = json!({"gateways": {"allow": "FromList", "gatewayRefs": [{"name": "x", "namespace": "a"}]}});
        check_refused(forward(&route("a", &listing), &one), "spec.gateways.gatewayRefs[0]");
        let mut no_namespace = gateway("a", &[listener("HTTP", "HTTPRoute", None)]);
        no_namespace["metadata"]["namespace"] = Value::Null;
        check_refused(forward(&route("a", &json!({})), &[no_namespace]), "");
        let differing = [
            gateway("a", &[listener("HTTP", "HTTPRoute", None)]),
            gateway("a", &[listener("HTTP", "HTTPRoute", None), listener("X", "HTTPRoute", Some("b"))]),
        ];
        check_refused(forward(&route("a", &json!({})), &differing), "");
        let twice = [
            gateway("a", &[listener("HTTP", "HTTPRoute", None)]),
            gateway("a", &[listener("HTTP", "HTTPRoute", None)]),
        ];
        assert_eq!(forward(&route("a", &json!({})), &twice), Ok(route("a", &json!({"parentRefs": [{"name": "gw"}]}))));
    }

    #[test]
    fn a_parent_loses_selectors_whose_children_are_in_the_run() {
        let asking = gateway("a", &[listener("HTTP", "HTTPRoute", Some("a")), listener("HTTPS", "HTTPRoute", None)]);
        let mut free = asking.clone();
        for index in 0..2 {
            free["spec"]["listeners"][index]["routes"].as_object_mut().unwrap().remove("selector");
        }
        let routes = [route("a", &json!({})), route("b", &json!({}))];
        let [here, elsewhere] = routes;
        let all = [here, elsewhere.clone(), asking.clone()];
        let (value, together) = run(&*operation(OPERATION), &asking, "old", &all, Completeness::Whole).unwrap();
        assert_eq!(value, free);
        assert_eq!(together, [(0, 0)]);
        check_refused(forward(&asking, &[elsewhere, asking.clone()]), "spec.listeners[0].routes.selector");
        assert_eq!(backward(&free, &[]), Ok(free));
    }

    #[test]
    fn patches_are_refused() {
        let patch = |object: &Value| {
            run(&*operation(OPERATION), object, "old", &[], Completeness::Partial).map(|(value, _)| value)
        };
        assert_eq!(patch(&route("a", &json!({}))), Ok(route("a", &json!({}))));
        check_refused(patch(&route("a", &json!({"gateways": {}}))), "spec.gateways");
        check_refused(
            patch(&gateway("a", &[listener("HTTP", "HTTPRoute", Some("a"))])),
            "spec.listeners[0].routes.selector",
        );
    }

    #[test]
    fn the_inverse_lists_parents() {
        let refs = json!([{"group": "new", "kind": "Gateway", "name": "gw"}, {"name": "gw", "namespace": "b"}, {"name": "gw", "namespace": "a"}]);
        let listed = json!([{"name": "gw", "namespace": "a"}, {"name": "gw", "namespace": "b"}]);
        let expected = route("a", &json!({"gateways": {"allow": "FromList", "gatewayRefs": listed}}));
        assert_eq!(backward(&route("a", &json!({"parentRefs": refs})), &[]), Ok(expected));
        let none = route("a", &json!({"gateways": {"allow": "FromList"}}));
        assert_eq!(backward(&route("a", &json!({})), &[]), Ok(none.clone()));
        assert_eq!(backward(&route("a", &json!({"parentRefs": []})), &[]), Ok(none.clone()));
        assert_eq!(forward(&none, &[]), Ok(route("a", &json!({}))));
    }

    #[test]
    fn an_item_is_removed_only_where_all_items_are_referenced() {
        let named = |name: &str| json!({"name": name, "allowedRoutes": {}});
        let two = [gateway("a", &[named("x"), named("y")])];
        let one = route("a", &json!({"parentRefs": [{"name": "gw", "sectionName": "x"}]}));
        let both = route(
            "a",
            &json!({"parentRefs": [{"name": "gw", "sectionName": "x"}, {"name": "gw", "sectionName": "y"}]}),
        );
        let expected = json!({"gateways": {"allow": "FromList", "gatewayRefs": [{"name": "gw", "namespace": "a"}]}});
        assert_eq!(backward(&both, &two), Ok(route("a", &expected)));
        check_refused(backward(&one, &two), "spec.parentRefs[0].sectionName");
        check_refused(backward(&one, &[]), "spec.parentRefs[0].sectionName");
    }

    #[test]
    fn references_without_an_old_form_are_refused() {
        let back = |parent: &Value| backward(&route("a", &json!({"parentRefs": [parent]})), &[]);
        check_refused(back(&json!({"name": "x", "kind": "Service", "group": ""})), "spec.parentRefs[0].kind");
        check_refused(back(&json!({"name": "x", "port": 80})), "spec.parentRefs[0].port");
        let no_namespace =
            json!({"kind": "HTTPRoute", "metadata": {"name": "r"}, "spec": {"parentRefs": [{"name": "x"}]}});
        check_refused(backward(&no_namespace, &[]), "spec.parentRefs[0]");
    }
}

//! The native conversion `label-selectors-to-parent-refs`, and the Gateway's side of it: its label selectors are removed.

use serde_json::Value;

use super::super::super::context::Context;
use super::super::super::operation::{Claims, Description, Direction, Fidelity, Image, Operation, Pass};
use super::super::super::references::{referring, resolves_to_own};
use super::super::super::session::{Completeness, Halt, Session};
use super::super::fields::pattern;
use super::api::{
    GATEWAYS, NEW_GROUP, OLD_GROUP, PARENT_REFS, gateway_kind, listeners, namespace_kind, route_kinds, selector, view,
};
use super::route;
use super::selection::{Selected, Selection, requires_labels, routes};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::FieldPattern;

pub(in super::super) const DESCRIPTION: Description = Description {
    name: "label-selectors-to-parent-refs",
    text: "Replaces the label selectors of Gateways by references in their routes. On a route, replaces `spec.gateways` (which Gateways \
           it allows: all, those of its namespace, or those in a list) by `spec.parentRefs`: one reference for each Gateway of the run \
           that selects the route, with `sectionName` (the name of the listener, as `listener-names` derives it) where only some of the \
           listeners select it. On a Gateway, removes `routes.selector` of the listeners whose routes are in the run. Refused, with \
           what is missing, where the files do not show which Gateways select the route. The inverse lists the referenced Gateways; \
           label selectors do not come back.",
    example: "native: label-selectors-to-parent-refs",
};

#[derive(Debug)]
pub(in super::super) struct LabelSelectors;

impl Operation for LabelSelectors {
    fn run(&self, pass: &Pass<'_>, session: &mut Session<'_>) -> Result<(), Halt> {
        let kind = session.object().get("kind").and_then(Value::as_str).unwrap_or_default();
        let route = route_kinds(OLD_GROUP).into_iter().find(|route| route.kind == kind);
        match (route, pass.direction) {
            (Some(kind), Direction::Forward) => route::add_references(&kind, session),
            (Some(_), Direction::Backward) => route::list_gateways(session),
            (None, _) if kind != gateway_kind(OLD_GROUP).kind => Ok(()),
            (None, Direction::Forward) => remove_selectors(session),
            (None, Direction::Backward) => {
                convert_with_routes(session);
                Ok(())
            }
        }
    }

    fn kinds_read(&self) -> Vec<GroupKind> {
        let of_group = |group| route_kinds(group).into_iter().chain([gateway_kind(group)]);
        of_group(OLD_GROUP).chain(of_group(NEW_GROUP)).chain([namespace_kind()]).collect()
    }

    fn claims(&self) -> Claims {
        Claims {
            old: vec![pattern(GATEWAYS), pattern("spec.listeners[].routes.selector")],
            new: vec![pattern(PARENT_REFS)],
        }
    }

    /// A claimed field has another form on the other side, or is in another object there.
    fn image(&self, direction: Direction, field: &FieldPattern) -> Image {
        let claims = self.claims().facing(direction);
        if claims.old.iter().any(|old| field.starts_with(old)) { Image::Dropped } else { Image::Kept }
    }

    /// Lists of Gateways come back as they were written.
    fn fidelities(&self, _direction: Direction) -> Vec<Fidelity> {
        vec![Fidelity::Exact, Fidelity::Normalized, Fidelity::Refused]
    }
}

/// Removes the label selectors of the listeners, all of whose routes are in the run.
pub(super) fn remove_selectors(session: &mut Session<'_>) -> Result<(), Halt> {
    let empty = Context::default();
    let context = session.context().unwrap_or(&empty);
    let (object, own, kind) = (session.object().clone(), session.namespace().clone(), gateway_kind(OLD_GROUP));
    let gateway = view(&kind, &own, &object, session.place());
    let listeners = listeners(&object);
    let requiring = listeners.iter().position(requires_labels);
    if let (Some(index), Completeness::Partial) = (requiring, session.completeness()) {
        let reason = "a patch does not show which objects its label selector selects";
        let help = format!("write the whole Gateway, or reference it in {PARENT_REFS} of those objects by hand");
        return Err(Halt::refused(selector(index), reason, help));
    }
    let mut is_selecting = vec![false; listeners.len()];
    for route in &routes(&gateway, context) {
        let selection = Selection::of(route, &gateway, context);
        if selection.is_possible() {
            session.convert_together_with(route);
        }
        for (is_selecting, selected) in is_selecting.iter_mut().zip(&selection.selected) {
            *is_selecting |= *selected != Selected::No;
        }
    }
    for (index, is_selecting) in is_selecting.into_iter().enumerate() {
        let path = selector(index);
        if requires_labels(&listeners[index]) && !is_selecting {
            let reason = "it selects no object among the files, and in the target release those objects reference the Gateway themselves";
            let help = format!(
                "convert the selected objects together with the Gateway, or reference it in their {PARENT_REFS} by hand and remove the selector"
            );
            return Err(Halt::refused(path, reason, help));
        }
        if path.get(session.object()).is_some_and(Value::is_object) {
            let reason = format!("the objects that it selects reference the Gateway in {PARENT_REFS} instead");
            session.record_normalization(&path, reason);
            session.delete(path)?;
        }
    }
    Ok(())
}

/// Records the routes that reference the Gateway: they convert back together.
pub(super) fn convert_with_routes(session: &mut Session<'_>) {
    let empty = Context::default();
    let context = session.context().unwrap_or(&empty);
    let references = pattern(PARENT_REFS).items();
    for kind in &route_kinds(NEW_GROUP) {
        for route in referring(session, context, kind, &references) {
            let written = references.values(route.value);
            if written.into_iter().any(|reference| resolves_to_own(reference, &route, session) != Some(false)) {
                session.convert_together_with(&route);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::context::{Builds, Context, Namespace, ObjectId, ObjectPlace, ObjectView};
    use super::super::super::super::sequence::Lens;
    use super::super::super::super::session::Completeness;
    use super::super::super::super::trial::{inverse, operation};
    use super::*;
    use serde_json::json;

    const OPERATION: &str = "native: label-selectors-to-parent-refs";

    /// Runs one way on `object` among `others` of the parent and child kinds.
    fn run(
        lens: &Lens,
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
            place: ObjectPlace { id: Some(ObjectId { file: 0, at }), ..ObjectPlace::default() },
        });
        let builds = Builds::default();
        let others_of_run: Vec<_> = views.collect();
        let own = others_of_run.iter().find(|other| other.value == object).map(|own| own.place).unwrap_or_default();
        let context = Context::new(others_of_run, &builds);
        let mut session = Session::in_context(object.clone(), &context, completeness).at(own);
        lens.run(&mut session)?;
        let together = session.converts_with().iter().copied().collect();
        Ok((std::sync::Arc::unwrap_or_clone(session.finish().0), together))
    }

    fn forward(object: &Value, others: &[Value]) -> Result<Value, Halt> {
        run(&operation(OPERATION), object, OLD_GROUP, others, Completeness::Whole).map(|(value, _)| value)
    }

    fn backward(object: &Value, others: &[Value]) -> Result<Value, Halt> {
        let back = inverse(OPERATION);
        run(&back, object, NEW_GROUP, others, Completeness::Whole).map(|(value, _)| value)
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
        let (value, together) = run(&operation(OPERATION), &asking, OLD_GROUP, &all, Completeness::Whole).unwrap();
        assert_eq!(value, free);
        assert_eq!(together, [ObjectId { file: 0, at: 0 }]);
        check_refused(forward(&asking, &[elsewhere, asking.clone()]), "spec.listeners[0].routes.selector");
        assert_eq!(backward(&free, &[]), Ok(free));
    }

    #[test]
    fn patches_are_refused() {
        let patch = |object: &Value| {
            run(&operation(OPERATION), object, OLD_GROUP, &[], Completeness::Partial).map(|(value, _)| value)
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
        let refs = json!([{"group": NEW_GROUP, "kind": "Gateway", "name": "gw"}, {"name": "gw", "namespace": "b"}, {"name": "gw", "namespace": "a"}]);
        let listed = json!([{"name": "gw", "namespace": "a"}, {"name": "gw", "namespace": "b"}]);
        let expected = route("a", &json!({"gateways": {"allow": "FromList", "gatewayRefs": listed}}));
        assert_eq!(backward(&route("a", &json!({"parentRefs": refs})), &[]), Ok(expected));
        // Two that were written alike are what somebody wrote.
        let twice = json!([{"name": "gw", "namespace": "a"}, {"name": "gw", "namespace": "a"}]);
        let kept = route("a", &json!({"gateways": {"allow": "FromList", "gatewayRefs": twice}}));
        assert_eq!(backward(&route("a", &json!({"parentRefs": twice})), &[]), Ok(kept));
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

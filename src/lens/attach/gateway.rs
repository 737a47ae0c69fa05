//! The Gateway's side of `attach`: label selectors go.

use serde_json::Value;

use super::super::context::Context;
use super::super::halt::Halt;
use super::super::namespace::Namespace;
use super::super::session::{Completeness, Session};
use super::join::{Answer, Join, Party, asks_for_labels};
use super::{Attach, refused};
use crate::field::FieldPath;
use crate::release::GroupKind;
use crate::yaml::Intent;

impl Attach {
    /// Records the routes that name the Gateway: they list it on the way back, or stay with it.
    pub(super) fn rely_on_routes(&self, session: &mut Session<'_>) {
        let alone = Context::default();
        let context = session.context().unwrap_or(&alone);
        let object = session.object().clone();
        let own = session.namespace().clone();
        let gateway = Party::of(&self.gateways, &own, &object);
        let text = |one: &Value, key: &str| one.get(key).and_then(Value::as_str).map(str::to_owned);
        let kinds: Vec<_> = self.routes.iter().map(|kind| GroupKind::new(kind.kind.as_str(), self.group.as_str())).collect();
        for route in kinds.iter().flat_map(|kind| context.of_kind(kind)) {
            let names_it = |parent: &Value| {
                let namespace = text(parent, "namespace").map_or_else(|| route.namespace.clone(), Namespace::Named);
                let apart = namespace.same_as(gateway.namespace) == Some(false);
                let kind = text(parent, "kind").is_none_or(|kind| kind == self.gateways.kind);
                kind && !apart && text(parent, "name").as_deref() == gateway.name
            };
            let parents = route.value.get("spec").and_then(|spec| spec.get("parentRefs")).and_then(Value::as_array);
            if parents.is_some_and(|parents| parents.iter().any(names_it)) {
                session.convert_together_with(route);
            }
        }
    }

    /// Removes the label selectors of the listeners, all of whose routes are in the run.
    pub(super) fn forget_selectors(&self, session: &mut Session<'_>) -> Result<(), Halt> {
        let alone = Context::default();
        let context = session.context().unwrap_or(&alone);
        let object = session.object().clone();
        let own = session.namespace().clone();
        let gateway = Party::of(&self.gateways, &own, &object);
        let count = gateway.listeners().len();
        let selector = |index: usize| {
            let listener = FieldPath::default().key("spec").key("listeners").index(index);
            listener.key("routes").key("selector")
        };
        let asking = (0..count).find(|index| asks_for_labels(&gateway.listeners()[*index]));
        if let (Some(index), Completeness::Partial) = (asking, session.completeness()) {
            let reason = "a patch does not tell which routes its labels select";
            return Err(refused(selector(index), reason, "write the whole Gateway, or name it in the routes' parentRefs by hand"));
        }
        let mut selected = vec![false; count];
        for route in self.routes.iter().flat_map(|kind| context.of_kind(kind)) {
            let join = Join::of(&Party::neighbour(route), &gateway, context);
            if join.is_possible() {
                session.convert_together_with(route);
            }
            let may = join.attached.iter().map(|answer| *answer != Answer::No);
            selected.iter_mut().zip(may).for_each(|(selected, may)| *selected |= may);
        }
        for (index, selected) in selected.into_iter().enumerate() {
            let path = selector(index);
            if asks_for_labels(&gateway.listeners()[index]) && !selected {
                let reason = "no route among the files has these labels, and since v0.4.0 it is the routes that name the Gateway";
                let help = "convert the routes together with the Gateway, or name it in their parentRefs by hand and remove this";
                return Err(refused(path, reason, help));
            }
            if path.get(session.object()).is_some_and(Value::is_object) {
                session.record_normalization(&path, "the routes that it selects among the files name the Gateway instead");
                session.change(Intent::Delete { path })?;
            }
        }
        Ok(())
    }
}

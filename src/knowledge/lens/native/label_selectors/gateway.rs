//! The Gateway's side of the conversion: its label selectors are removed.

use serde_json::Value;

use super::super::super::context::Context;
use super::super::super::halt::Halt;
use super::super::super::references::{referring, resolves_to_own};
use super::super::super::session::{Completeness, Session};
use super::super::fields::pattern;
use super::api::{NEW_GROUP, OLD_GROUP, PARENT_REFS, gateway_kind, listeners, route_kinds, selector, view};
use super::nearest::routes;
use super::selection::{Selected, Selection, requires_labels};
use crate::syntax::yaml::Intent;

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
            session.change(Intent::Delete { path })?;
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

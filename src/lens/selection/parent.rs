//! The parent's side of the operation: its label selectors are removed.

use serde_json::Value;

use super::super::context::Context;
use super::super::halt::Halt;
use super::super::namespace::Namespace;
use super::super::session::{Completeness, Session};
use super::fields::{Fields, refused, text, view};
use super::join::{Join, Selected, requires_labels};
use crate::yaml::Intent;

/// Removes the label selectors of the items, all of whose children are in the run.
pub(super) fn remove_selectors(fields: &Fields, session: &mut Session<'_>) -> Result<(), Halt> {
    let empty = Context::default();
    let context = session.context().unwrap_or(&empty);
    let object = session.object().clone();
    let own = session.namespace().clone();
    let parent = view(&fields.parent.kind, &own, &object);
    let items = fields.items(&object);
    let kind = fields.parent_kind();
    let requiring = items.iter().position(|item| requires_labels(fields, item));
    if let (Some(index), Completeness::Partial) = (requiring, session.completeness()) {
        let reason = "a patch does not show which objects its label selector selects";
        let help =
            format!("write the whole {kind}, or reference it in {} of those objects by hand", fields.references.field);
        return Err(refused(fields.selector(index), reason, help));
    }
    let mut selected = vec![false; items.len()];
    for child in fields.children.kinds.iter().flat_map(|kind| context.of_kind(kind)) {
        let join = Join::of(fields, child, &parent, context);
        if join.is_possible() {
            session.convert_together_with(child);
        }
        let may = join.selected.iter().map(|one| *one != Selected::No);
        selected.iter_mut().zip(may).for_each(|(selected, may)| *selected |= may);
    }
    for (index, selected) in selected.into_iter().enumerate() {
        let path = fields.selector(index);
        let references = &fields.references.field;
        if requires_labels(fields, &items[index]) && !selected {
            let reason = format!(
                "it selects no object among the files, and in the target release those objects reference the {kind} themselves"
            );
            let help = format!(
                "convert the selected objects together with the {kind}, or reference it in their {references} by hand and remove the selector"
            );
            return Err(refused(path, reason, help));
        }
        if path.get(session.object()).is_some_and(Value::is_object) {
            let reason = format!("the objects that it selects reference the {kind} in {references} instead");
            session.record_normalization(&path, reason);
            session.change(Intent::Delete { path })?;
        }
    }
    Ok(())
}

/// Records the children that reference the parent: they convert back together.
pub(super) fn convert_with_children(fields: &Fields, session: &mut Session<'_>) {
    let empty = Context::default();
    let context = session.context().unwrap_or(&empty);
    let object = session.object().clone();
    let own = session.namespace().clone();
    let parent = view(&fields.parent.kind, &own, &object);
    let children = fields.new_children();
    for child in children.iter().flat_map(|kind| context.of_kind(kind)) {
        let is_to_parent = |reference: &Value| {
            let namespace = text(reference, "namespace").map_or_else(|| child.namespace.clone(), Namespace::Named);
            let kind = text(reference, "kind").is_none_or(|kind| kind == fields.parent_kind());
            kind && namespace.same_as(parent.namespace) != Some(false)
                && text(reference, "name").as_deref() == parent.name
        };
        let references = fields.references.field.get(child.value).and_then(Value::as_array);
        if references.is_some_and(|references| references.iter().any(is_to_parent)) {
            session.convert_together_with(child);
        }
    }
}

//! The parent's side of the operation: its label selectors are removed.

use serde_json::Value;

use super::super::context::Context;
use super::super::halt::Halt;
use super::super::references::{referring, resolves_to_own};
use super::super::session::{Completeness, Session};
use super::fields::{Fields, refused, view};
use super::join::{Join, Selected, requires_labels};
use super::nearest::children;
use crate::field::Part;
use crate::yaml::Intent;

/// Removes the label selectors of the items, all of whose children are in the run.
pub(super) fn remove_selectors(fields: &Fields, session: &mut Session<'_>) -> Result<(), Halt> {
    let empty = Context::default();
    let context = session.context().unwrap_or(&empty);
    let object = session.object().clone();
    let own = session.namespace().clone();
    let parent = view(&fields.parent.kind, &own, &object, session.place());
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
    for child in &children(fields, parent.place.id, context) {
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
    let references = fields.references.field.pattern().with(Part::Items);
    let kinds = fields.new_children();
    let children = kinds.iter().flat_map(|kind| referring(session, context, (kind, &references)));
    for child in children.collect::<Vec<_>>() {
        let is_to_parent = |reference: &Value| resolves_to_own(reference, &child, session) != Some(false);
        if references.values(child.value).into_iter().any(is_to_parent) {
            session.convert_together_with(&child);
        }
    }
}

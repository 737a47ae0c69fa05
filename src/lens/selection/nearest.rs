//! Which parents select a child, of those that it sees? [`Selecting`].
//!
//! A parent anywhere in a tree may have labels that select the child; those that are nearest to it count. A child that lists its
//! parents names each of them.

use serde_json::Value;

use super::super::context::Context;
use super::super::namespace::Namespace;
use super::super::object_view::{ObjectId, ObjectView};
use super::fields::{Fields, text};
use super::join::Join;
use crate::release::GroupKind;

/// The parents that select a child.
pub(super) struct Selecting<'a> {
    /// The nearest that select it or may, in the order of the run.
    pub(super) nearest: Vec<ObjectView<'a>>,
    /// The same for each build of its file, as far as they differ; nothing where it lists its parents.
    pub(super) in_each_build: Option<Vec<Vec<ObjectView<'a>>>>,
}

impl<'a> Selecting<'a> {
    /// Finds the parents of `child`.
    pub(super) fn of(fields: &Fields, child: &ObjectView<'_>, context: &Context<'a>) -> Self {
        let fits = |parent: &ObjectView<'a>| {
            let join = Join::of(fields, child, parent, context);
            if join.is_certain() { Some(true) } else { (!join.is_possible()).then_some(false) }
        };
        let find = |fits: &dyn Fn(&ObjectView<'a>) -> Option<bool>| {
            let found = context.nearest_in_each_build(&fields.parent.kind, child.place.file, fits);
            found.iter().map(|found| in_order(found.all().copied().collect())).collect::<Vec<_>>()
        };
        match listed(fields, child) {
            None => {
                let in_each_build = find(&fits);
                Self { nearest: in_order(in_each_build.concat()), in_each_build: Some(in_each_build) }
            }
            Some(items) => {
                let named = |item: &Value| {
                    let (name, namespace) = (text(item, "name"), text(item, "namespace"));
                    let namespace = Namespace::from_written(namespace.as_deref());
                    let is_it = |parent: &ObjectView<'_>| {
                        parent.name == name.as_deref() && namespace.same_as(parent.namespace) != Some(false)
                    };
                    find(&|parent| if is_it(parent) { fits(parent) } else { Some(false) })
                };
                Self { nearest: in_order(items.iter().flat_map(named).flatten().collect()), in_each_build: None }
            }
        }
    }

    /// Returns the parents that would select `child` too if they were applied to the same cluster, which two of one name and
    /// namespace cannot be.
    pub(super) fn farther(
        &self,
        fields: &Fields,
        child: &ObjectView<'_>,
        context: &Context<'a>,
    ) -> Vec<ObjectView<'a>> {
        let is_other = |parent: &&ObjectView<'a>| {
            let is_same = |near: &ObjectView<'a>| (near.name, near.namespace) == (parent.name, parent.namespace);
            let join = || Join::of(fields, child, parent, context);
            !self.nearest.iter().any(is_same) && join().is_certain()
        };
        let all = if self.in_each_build.is_none() { &[] } else { context.of_kind(&fields.parent.kind) };
        all.iter().filter(is_other).copied().collect()
    }
}

/// Returns each of `parents` once, in the order of the run.
fn in_order(mut parents: Vec<ObjectView<'_>>) -> Vec<ObjectView<'_>> {
    parents.sort_by_key(|parent| parent.place.id);
    parents.dedup_by_key(|parent| parent.place.id);
    parents
}

/// Returns the parents that a child lists, where it has a list.
pub(super) fn listed<'v>(fields: &Fields, child: &ObjectView<'v>) -> Option<&'v [Value]> {
    let mapping = fields.children.field.get(child.value).unwrap_or(&Value::Null);
    let allow = text(mapping, &fields.children.allow.key);
    let items = || fields.list().get(child.value).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    (allow.as_deref() == Some(fields.children.allow.listed.as_str())).then(items)
}

/// Returns the objects that the parent at `id` selects or may select.
pub(super) fn children<'a>(fields: &Fields, id: Option<ObjectId>, context: &Context<'a>) -> Vec<ObjectView<'a>> {
    let (parent, field) = (&fields.parent.kind, fields.children.field.pattern());
    let owners = |child: &ObjectView<'a>| {
        let parents = Selecting::of(fields, child, context).nearest.into_iter();
        parents.filter_map(|parent| parent.place.id).collect()
    };
    let of_kind = |(id, kind): (ObjectId, &GroupKind)| context.belonging((id, parent), (kind, &field), owners);
    let kinds = fields.children.kinds.iter();
    kinds.filter_map(|kind| Some((id?, kind))).flat_map(of_kind).collect()
}

//! Which Gateways select a route, of those that it sees? [`Selecting`].
//!
//! A Gateway anywhere in a tree may have labels that select the route; those that are nearest to it count. A route that lists its
//! Gateways names each of them.

use super::super::super::context::Context;
use super::super::super::namespace::Namespace;
use super::super::super::object_view::ObjectView;
use super::super::fields::{pattern, text};
use super::api::{GATEWAYS, OLD_GROUP, gateway_kind, listed, route_kinds};
use super::selection::Selection;

/// The Gateways that select a route.
pub(super) struct Selecting<'a> {
    /// The nearest that select it or may, in the order of the run.
    pub(super) nearest: Vec<ObjectView<'a>>,
    /// The same for each build of its file, as far as they differ; nothing where it lists its Gateways.
    pub(super) in_each_build: Option<Vec<Vec<ObjectView<'a>>>>,
}

impl<'a> Selecting<'a> {
    pub(super) fn of(route: &ObjectView<'_>, context: &Context<'a>) -> Self {
        let Some(references) = listed(route.value) else {
            let in_each_build = nearest(route, context, |_| true);
            return Self { nearest: in_order(in_each_build.concat()), in_each_build: Some(in_each_build) };
        };
        let mut gateways = Vec::new();
        for reference in references {
            let namespace = Namespace::from_written(text(reference, "namespace"));
            let is_it = |gateway: &ObjectView<'a>| {
                gateway.name == text(reference, "name") && namespace.same_as(gateway.namespace) != Some(false)
            };
            gateways.extend(nearest(route, context, is_it).into_iter().flatten());
        }
        Self { nearest: in_order(gateways), in_each_build: None }
    }

    /// The Gateways that would select `route` too if they were applied to the same cluster, which two of one name and namespace cannot
    /// be.
    pub(super) fn farther(&self, route: &ObjectView<'_>, context: &Context<'a>) -> Vec<ObjectView<'a>> {
        let kind = gateway_kind(OLD_GROUP);
        let gateways = if self.in_each_build.is_none() { &[] } else { context.of_kind(&kind) };
        let is_other = |gateway: &&ObjectView<'a>| {
            let is_near = |near: &ObjectView<'a>| (near.name, near.namespace) == (gateway.name, gateway.namespace);
            !self.nearest.iter().any(is_near) && Selection::of(route, gateway, context).is_certain()
        };
        gateways.iter().filter(is_other).copied().collect()
    }
}

/// The nearest Gateways that select `route` or may, of those for which `counts` holds, for each build of its file.
fn nearest<'a>(
    route: &ObjectView<'_>,
    context: &Context<'a>,
    counts: impl Fn(&ObjectView<'a>) -> bool,
) -> Vec<Vec<ObjectView<'a>>> {
    let fits = |gateway: &ObjectView<'a>| {
        if !counts(gateway) {
            return Some(false);
        }
        let selection = Selection::of(route, gateway, context);
        if selection.is_certain() { Some(true) } else { (!selection.is_possible()).then_some(false) }
    };
    let found = context.nearest_in_each_build(&gateway_kind(OLD_GROUP), route.place.file, &fits);
    found.iter().map(|found| in_order(found.all().copied().collect())).collect()
}

/// Each of `gateways` once, in the order of the run.
fn in_order(mut gateways: Vec<ObjectView<'_>>) -> Vec<ObjectView<'_>> {
    gateways.sort_by_key(|gateway| gateway.place.id);
    gateways.dedup_by_key(|gateway| gateway.place.id);
    gateways
}

/// The routes that `gateway` selects or may select.
pub(super) fn routes<'a>(gateway: &ObjectView<'_>, context: &Context<'a>) -> Vec<ObjectView<'a>> {
    let Some(id) = gateway.place.id else { return Vec::new() };
    let (owner, field) = (gateway_kind(OLD_GROUP), pattern(GATEWAYS));
    let owners = |route: &ObjectView<'a>| {
        Selecting::of(route, context).nearest.into_iter().filter_map(|gateway| gateway.place.id).collect()
    };
    let kinds = route_kinds(OLD_GROUP);
    kinds.iter().flat_map(|kind| context.belonging(id, &owner, kind, &field, owners)).collect()
}

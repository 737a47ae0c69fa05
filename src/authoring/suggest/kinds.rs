//! Which kind of the new release is which kind of the old one?

use std::collections::{BTreeMap, BTreeSet};

use crate::authoring::renames::{likeness, to_u32, words};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::release::{GroupKind, ReleaseId};
use crate::syntax::field::FieldPattern;

/// What is certain enough for a kind to be taken for another one, in percent.
const SURE: u32 = 80;

/// A kind that the new release lacks, and what it may have become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Successor {
    pub(super) kind: GroupKind,
    /// In percent.
    pub(super) confidence: u32,
    pub(super) reason: String,
    pub(super) is_sure: bool,
}

/// Finds the successors of the kinds that `new` lacks; `None` for one that nothing resembles.
pub(super) fn successors(
    catalogs: &[&Catalog],
    old: ReleaseId,
    new: ReleaseId,
) -> BTreeMap<GroupKind, Option<Successor>> {
    let came: Vec<&&Catalog> =
        catalogs.iter().filter(|one| !one.releases().contains(old) && one.releases().contains(new)).collect();
    // A kind that came in another group is the successor of one that is still served, too.
    let comes_again = |one: &Catalog| came.iter().any(|other| other.kind().kind == one.kind().kind);
    let gone = catalogs
        .iter()
        .filter(|one| one.releases().contains(old) && (!one.releases().contains(new) || comes_again(one)));
    let mut found: BTreeMap<GroupKind, Option<Successor>> = gone
        .map(|kind| {
            let all = came.iter().map(|other| successor(kind, old, other, new));
            let best = all.max_by_key(|one| {
                (one.kind.kind == kind.kind().kind, one.confidence, std::cmp::Reverse(one.kind.clone()))
            });
            (kind.kind().clone(), best.filter(|best| best.confidence >= 50))
        })
        .collect();
    // Of several kinds that would become one, none can come back.
    let kinds: Vec<GroupKind> = found.values().flatten().map(|found| found.kind.clone()).collect();
    for successor in found.values_mut().flatten() {
        successor.is_sure &= kinds.iter().filter(|kind| **kind == successor.kind).count() == 1;
    }
    found
}

fn successor(kind: &Catalog, old: ReleaseId, other: &Catalog, new: ReleaseId) -> Successor {
    let fields = |catalog: &Catalog, release| -> BTreeSet<FieldPattern> {
        catalog.fields_in(release).map(|field| field.pattern).collect()
    };
    let (own, its) = (fields(kind, old), fields(other, new));
    let shared = own.intersection(&its).count();
    let shape = if own.is_empty() { 50 } else { 100 * to_u32(shared) / to_u32(own.len()) };
    let name = likeness(&words(&kind.kind().kind), &words(&other.kind().kind));
    let is_same = kind.kind().kind == other.kind().kind;
    let confidence = if is_same { 80 + shape * 17 / 100 } else { (shape * 60 + name * 40) / 100 };
    let reason = match is_same {
        true => format!("the kind has the same name in another group, and {shape} % of its fields"),
        false => format!("it has {shape} % of the fields of the kind"),
    };
    Successor { kind: other.kind().clone(), confidence, reason, is_sure: confidence >= SURE }
}

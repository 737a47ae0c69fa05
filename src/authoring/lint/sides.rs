//! The catalogs on both sides of a step on the release line: [`Sides`].

use std::collections::BTreeSet;

use crate::authoring::constraints::has;
use crate::authoring::rule_path::RulePath;
use crate::knowledge::catalog::{Catalog, Field};
use crate::knowledge::lens::Image;
use crate::knowledge::release::ReleaseId;
use crate::syntax::field::FieldPattern;

/// The catalogs of what is one kind to its objects, before and after a step on the release line.
pub(super) struct Sides<'p> {
    pub(super) old: &'p Catalog,
    pub(super) new: &'p Catalog,
    pub(super) from: ReleaseId,
    pub(super) to: ReleaseId,
    pub(super) path: RulePath<'p>,
}

impl Sides<'_> {
    /// Returns the fields of the older side.
    pub(super) fn fields(&self) -> BTreeSet<FieldPattern> {
        let patterns = self.old.fields().filter(|field| field.releases.contains(self.from)).map(|field| field.pattern);
        let patterns: BTreeSet<FieldPattern> = patterns.collect();
        patterns.into_iter().filter(|field| has(self.old, field, self.from)).collect()
    }

    /// Returns every place in which the fields that match `field` can be found afterwards.
    pub(super) fn places(&self, field: &FieldPattern) -> Vec<FieldPattern> {
        self.path.images(field).iter().filter_map(|image| image.place(field)).collect()
    }

    /// Returns the fields that the newer side requires in something that the older one has, and that no rule sets.
    pub(super) fn newly_required(&self) -> Vec<FieldPattern> {
        let there: BTreeSet<FieldPattern> = self.fields().iter().flat_map(|field| self.places(field)).collect();
        let back = self.path.reversed(self.old.kind());
        let is_new = |field: &FieldPattern| {
            let above = field.split_last().map(|(above, _)| above).unwrap_or_default();
            let open = above.parts().is_empty() || there.contains(&above);
            open && !there.contains(field) && back.images(field) == BTreeSet::from([Image::Kept])
        };
        let patterns = self.new.fields().filter(|field| field.releases.contains(self.to)).map(|field| field.pattern);
        let patterns: BTreeSet<FieldPattern> = patterns.collect();
        patterns.into_iter().filter(|field| is_required(self.new, field, self.to) && is_new(field)).collect()
    }
}

/// Returns whether every apiVersion that `release` serves requires a field and has no default for it.
pub(super) fn is_required(catalog: &Catalog, field: &FieldPattern, release: ReleaseId) -> bool {
    let served = catalog.served(release);
    let requires = |field: &Field<'_>| field.required && field.attributes.default.is_none();
    !served.is_empty()
        && served.iter().all(|version| catalog.field(field, release, version.name).as_ref().is_some_and(requires))
}

//! Answers: which scopes and apiVersions does a kind have in each release?
//!
//! Invariant: apiVersions are sorted, the most stable first.

use super::listing::Listing;
use super::row::Scope;
use crate::knowledge::release::{self, GroupKind, ReleaseSet};

/// What a catalog says of the kind itself.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(super) kind: GroupKind,
    pub(super) scopes: Vec<(Scope, ReleaseSet)>,
    /// The releases whose CRD names a webhook that converts between its versions.
    pub(super) webhook: ReleaseSet,
    pub(super) listings: Vec<Listing>,
}

impl Header {
    /// Makes a header without apiVersions.
    pub(crate) const fn new(kind: GroupKind, scopes: Vec<(Scope, ReleaseSet)>, webhook: ReleaseSet) -> Self {
        Self { kind, scopes, webhook, listings: Vec::new() }
    }

    /// Returns the listing of the apiVersion `name`, which is made where there is none.
    pub(crate) fn listing(&mut self, name: &str) -> &mut Listing {
        let known = self.listings.iter().position(|listing| listing.name == name);
        let at = known.unwrap_or_else(|| {
            self.listings.push(Listing { name: name.to_owned(), ..Listing::default() });
            self.listings.len() - 1
        });
        &mut self.listings[at]
    }

    pub(super) fn sort(&mut self) {
        self.listings.sort_by(|left, right| release::by_stability(&right.name, &left.name));
    }
}

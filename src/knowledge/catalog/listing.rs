//! Answers: which apiVersions of a kind does each release list?
//!
//! Invariant: a release serves, stores or deprecates an apiVersion only where it lists it.

use crate::knowledge::release::ReleaseSet;

/// An apiVersion that a release serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version<'c> {
    /// The version within the group: `v1beta1`.
    pub name: &'c str,
    /// Whether the release calls it deprecated.
    pub deprecated: bool,
    /// Whether the release stores objects in it.
    pub storage: bool,
}

/// One apiVersion through the releases.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    pub(super) name: String,
    pub(crate) served: ReleaseSet,
    pub(crate) unserved: ReleaseSet,
    pub(crate) storage: ReleaseSet,
    pub(crate) deprecated: ReleaseSet,
}

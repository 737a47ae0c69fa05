//! Answers: which scopes and apiVersions does a kind have in each release?
//!
//! Invariant: apiVersions are sorted, the most stable first; a release serves, stores or deprecates one only where it lists it.

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

    /// Notes the releases that say something of the apiVersion `name`.
    pub(crate) fn list(&mut self, name: &str, word: Word, releases: ReleaseSet) {
        let known = self.listings.iter().position(|listing| listing.name == name);
        let at = known.unwrap_or_else(|| {
            self.listings.push(Listing { name: name.to_owned(), ..Listing::default() });
            self.listings.len() - 1
        });
        self.listings[at].releases[word as usize] = releases;
    }

    pub(super) fn sort(&mut self) {
        self.listings.sort_by(|left, right| release::by_stability(&right.name, &left.name));
    }
}

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
    /// The releases of each [`Word`], in their order.
    releases: [ReleaseSet; 4],
}

impl Listing {
    /// Returns the releases that say this of the apiVersion.
    pub(super) const fn of(&self, word: Word) -> ReleaseSet {
        self.releases[word as usize]
    }

    /// Returns the releases that list the apiVersion, served or not.
    pub(super) fn listed(&self) -> ReleaseSet {
        self.of(Word::Served) | self.of(Word::Unserved)
    }
}

/// What a release says of an apiVersion: the keyword of a header line, in the order of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Word {
    /// The API server answers for the version in these releases.
    Served,
    /// The CRD lists the version and does not serve it.
    Unserved,
    /// Objects are stored in the version.
    Storage,
    /// The CRD calls the version deprecated.
    Deprecated,
}

impl Word {
    const ALL: [Self; 4] = [Self::Served, Self::Unserved, Self::Storage, Self::Deprecated];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Served => "served",
            Self::Unserved => "unserved",
            Self::Storage => "storage",
            Self::Deprecated => "deprecated",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.name() == text)
    }
}

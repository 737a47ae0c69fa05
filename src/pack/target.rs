//! Answers: which release of which pack are objects converted to?
//!
//! Invariant: the release is one of the pack's own line.

use super::pack::Pack;
use crate::release::ReleaseId;

/// A release of a pack that objects are taken to.
#[derive(Clone, Copy, Debug)]
pub struct Target<'p> {
    /// The pack.
    pub pack: &'p Pack,
    /// The release.
    pub release: ReleaseId,
}

impl<'p> Target<'p> {
    /// Returns the last release of a pack's line.
    pub fn newest(pack: &'p Pack) -> Option<Self> {
        pack.line().iter().last().map(|(release, _)| Self { pack, release })
    }
}

impl std::fmt::Display for Target<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.pack.name(), self.pack.line().get(self.release))
    }
}

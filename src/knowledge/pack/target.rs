//! Answers: which release of which pack are objects converted to?
//!
//! Invariant: the release is one of the pack's own line.

use std::borrow::Cow;

use anyhow::Result;

use super::pack::Pack;
use crate::knowledge::release::{Named, Release, ReleaseId};

/// A release of a pack that objects are taken to.
#[derive(Clone, Copy, Debug)]
pub struct Target<'p> {
    /// The pack.
    pub pack: &'p Pack,
    /// The release.
    pub release: ReleaseId,
    /// Which of the releases with its APIs is meant.
    pub named: Named,
}

impl<'p> Target<'p> {
    /// Makes the target `release` of `pack`, which is named by its bundle.
    pub const fn new(pack: &'p Pack, release: ReleaseId) -> Self {
        Self { pack, release, named: Named::Bundle }
    }

    /// Finds what `bundle[/channel]` names: `1.4/standard`, `1.4`, `latest`.
    ///
    /// # Errors
    /// As [`Pack::release`].
    pub fn find(pack: &'p Pack, text: &str) -> Result<Self> {
        let (release, named) = pack.named(text)?;
        Ok(Self { pack, release, named })
    }

    /// Returns the last release of a pack's line.
    pub fn newest(pack: &'p Pack) -> Option<Self> {
        pack.line().iter().last().map(|(release, _)| Self::new(pack, release))
    }

    /// Returns the name of the release that is meant, which is that of the bundle or of one with the same APIs: `v1.4.2`.
    pub fn name(&self) -> Cow<'p, str> {
        self.pack.line().name(self.pack.line().get(self.release).order, self.named)
    }
}

impl std::fmt::Display for Target<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let release = Release { bundle: self.name().into_owned(), ..self.pack.line().get(self.release).clone() };
        write!(f, "{}@{release}", self.pack.name())
    }
}

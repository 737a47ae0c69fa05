//! The steps from one version of a release to the next.

use serde::{Deserialize, Serialize};

/// A step, from the least to the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bump {
    /// The version may stay.
    #[default]
    None,
    /// The third number.
    Patch,
    /// The second number.
    Minor,
    /// The first number.
    Major,
    /// A new apiVersion beside the old one, which stays as it is: no number is enough.
    NewVersion,
}

impl Bump {
    /// Returns what messages call it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::None => "no new release",
            Self::Patch => "a patch release",
            Self::Minor => "a minor release",
            Self::Major => "a major release",
            Self::NewVersion => "a new apiVersion",
        }
    }

    /// Returns the step between two versions; the version can name nothing, or go back.
    pub(super) fn between(old: [u64; 3], new: [u64; 3]) -> Self {
        let steps = [Self::Major, Self::Minor, Self::Patch];
        let first = old.iter().zip(&new).zip(steps).find(|((old, new), _)| old != new);
        first.filter(|((old, new), _)| new > old).map_or(Self::None, |(_, step)| step)
    }

    /// Returns the step that a version is from the release before it, as far as its own numbers show it.
    pub(super) const fn to(version: [u64; 3]) -> Self {
        match version {
            [_, 0, 0] => Self::Major,
            [_, _, 0] => Self::Minor,
            _ => Self::Patch,
        }
    }
}

/// Reads the numbers at the start of a version: `1.4.0` of `v1.4.0-rc.1`.
pub(super) fn numbers(version: &str) -> Option<[u64; 3]> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let end = version.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(version.len());
    let parts: Option<Vec<u64>> = version[..end].split('.').map(|part| part.parse().ok()).collect();
    match parts?.as_slice() {
        [major, minor] => Some([*major, *minor, 0]),
        [major, minor, patch] => Some([*major, *minor, *patch]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_that_grows_is_the_step() {
        let step = |old, new| Bump::between(numbers(old).unwrap(), numbers(new).unwrap());
        let steps = [step("v1.2.3", "v1.2.4"), step("v1.2.3", "v1.3.0"), step("1.2", "2.0"), step("v1.2.3", "v1.1.9")];
        assert_eq!(steps, [Bump::Patch, Bump::Minor, Bump::Major, Bump::None]);
        assert_eq!([numbers("v1.4.0-rc.1"), numbers("standard"), numbers("v1")], [Some([1, 4, 0]), None, None]);
    }
}

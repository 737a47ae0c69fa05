//! Which release a set of CRDs is, as far as it says so: by an annotation of the project, or by the name of its folder.

use std::path::Path;

use super::bump::{Bump, numbers};
use super::set::{CHANNELS, Crd, CrdSet};
use crate::engine::finding::Location;
use crate::knowledge::release::version_of;
use crate::syntax::field::FieldPath;

/// How the key of the annotation ends that names the bundle.
pub(super) const BUNDLE: &str = "/bundle-version";

/// How the key of the annotation ends that names the channel.
pub(super) const CHANNEL: &str = "/channel";

/// What a set says of its release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Release {
    /// Its name.
    pub(super) bundle: Option<String>,
    pub(super) channel: Option<String>,
    /// Where it is named, or else the first CRD.
    pub(super) place: Option<Location>,
}

impl Release {
    pub(super) fn of(set: &CrdSet<'_>) -> Self {
        let named = |ending: &str| set.crds.values().find_map(|crd| annotation(crd, ending));
        let bundle = named(BUNDLE);
        let place = bundle.as_ref().map(|found| found.place.clone());
        Self {
            bundle: bundle.map(|found| found.value).or_else(|| folder_bundle(&set.name)),
            channel: named(CHANNEL).map(|found| found.value).or_else(|| folder_channel(&set.name)),
            place: place.or_else(|| set.crds.values().next().map(Crd::place)),
        }
    }

    fn version(&self) -> Option<&str> {
        self.bundle.as_deref().map(version_of)
    }

    /// Returns the step that the names of two releases claim; `None` where one of them has no version.
    pub(super) fn claims(&self, new: &Self) -> Option<Bump> {
        let [old, new] = [self.version()?, new.version()?];
        let (before, after) = (numbers(old)?, numbers(new)?);
        // What is tried out as `v1.4.0-rc.1` becomes v1.4.0, which is a minor release.
        let was_tried_out = before == after && old.contains('-') && !new.contains('-');
        Some(if was_tried_out { Bump::to(after) } else { Bump::between(before, after) })
    }
}

/// Returns the name of the release of a set, as far as it says so: in an annotation, or by the name of its folder or reference of git.
pub(crate) fn bundle_of(set: &CrdSet<'_>) -> Option<String> {
    Release::of(set).bundle
}

/// An annotation of a CRD, and where it is.
pub(super) struct Annotation {
    pub(super) value: String,
    pub(super) place: Location,
}

/// Finds the annotation of a CRD whose key ends so.
pub(super) fn annotation(crd: &Crd<'_>, ending: &str) -> Option<Annotation> {
    let at = FieldPath::default().key("metadata").key("annotations");
    let (key, value) = at.get(&crd.value)?.as_object()?.iter().find(|(key, _)| key.ends_with(ending))?;
    Some(Annotation { value: value.as_str()?.to_owned(), place: crd.locate(&at.key(key)) })
}

/// Returns the parts of the name of a set, the innermost first.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    Path::new(name).components().rev().filter_map(|part| part.as_os_str().to_str())
}

/// Returns the version that the name of a set has: of its folder, of one around it, or a reference of git.
pub(super) fn folder_bundle(name: &str) -> Option<String> {
    parts(name).find(|part| numbers(version_of(part)).is_some()).map(str::to_owned)
}

/// Returns the channel that a folder of a set is named after.
pub(super) fn folder_channel(name: &str) -> Option<String> {
    parts(name).find(|part| CHANNELS.contains(part)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_names_bundle_and_channel() {
        let named = |name| (folder_bundle(name), folder_channel(name));
        assert_eq!(named("crds/v1.4.0/standard"), (Some("v1.4.0".to_owned()), Some("standard".to_owned())));
        assert_eq!(named("crds"), (None, None));
        assert_eq!(named("-"), (None, None));
    }
}

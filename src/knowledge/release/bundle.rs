//! Answers: which version is in the name of a bundle, and which bundles and patch releases of them does a version name?
//!
//! Invariant: names are compared, never ordered.

/// Returns the name of a bundle without the `v` in front of its number: `1.4.0` of `v1.4.0`.
pub(crate) fn bare(bundle: &str) -> &str {
    bundle.strip_prefix('v').filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit())).unwrap_or(bundle)
}

/// Splits the name of a bundle before its version: `kubernetes-` and `1.28.0`, `v` and `1.4.0`; a name without a version is
/// all prefix.
pub(super) fn split_version(name: &str) -> (&str, &str) {
    let is_start = |at: &usize| {
        let before = &name[..*at];
        let before = before.strip_suffix('v').unwrap_or(before);
        name[*at..].starts_with(|first: char| first.is_ascii_digit())
            && !before.ends_with(|last: char| last.is_alphanumeric() || last == '.')
    };
    let start = name.char_indices().map(|(at, _)| at).find(is_start).unwrap_or(name.len());
    name.split_at(start)
}

/// Returns the version in the name of a bundle, or in that of a chart or the tag of an image: `1.28.0` of `kubernetes-1.28.0`; all
/// of a name without one, and of a range, which names none: `>=1.28.0`, `<1 || 1.28.0`.
pub(crate) fn version_of(name: &str) -> &str {
    match split_version(name) {
        (_, "") => name,
        (before, _) if before.contains(RANGE) => name,
        (_, version) => version,
    }
}

/// What no name has before its version, and a range does. Source: github.com/Masterminds/semver/v3, constraints.go; `=` alone allows one version.
const RANGE: [char; 9] = ['<', '>', '!', '~', '^', '*', '|', ',', ' '];

/// Returns whether a bundle is a pre-release: its version has a suffix, as in `1.2.3-rc.1` or `1.2.3rc1`.
///
/// Source: Semantic Versioning 2.0.0, item 9; PEP 440, "Pre-releases".
pub(super) fn is_prerelease(bundle: &str) -> bool {
    let (_, version) = split_version(bundle);
    let version = version.split('+').next().unwrap_or_default();
    version.contains(|character: char| !character.is_ascii_digit() && character != '.')
}

/// How a text names a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// By its version: `1.4.0`, `v1.4.0`.
    Version,
    /// By the start of its version: `1.4`, `1`, `1.4.0-rc`.
    Start,
}

/// Returns how `text` names `bundle`, if it does. What stands before its version must be that of the bundle, but for a `v`.
pub(super) fn naming(text: &str, bundle: &str) -> Option<Naming> {
    let ((prefix, version), (own_prefix, own_version)) = (split_version(text), split_version(bundle));
    if version.is_empty() || !(["", "v", own_prefix].contains(&prefix)) {
        return None;
    }
    let ends_with_digit = version.ends_with(|last: char| last.is_ascii_digit());
    match own_version.strip_prefix(version)?.chars().next() {
        None => Some(Naming::Version),
        Some(next) if next.is_alphanumeric() && next.is_ascii_digit() == ends_with_digit => None,
        Some(_) => Some(Naming::Start),
    }
}

/// Returns which patch release of `bundle` a text names, if it names one: 3 for `v1.25.3+k3s1` of `v1.25.0`, whose own number is 0.
///
/// What distributors add, as in `1.29.4-gke.100`, does not count. A pre-release of the bundle itself is not one of its patch
/// releases: it can lack what the bundle has.
pub(super) fn patch_of(text: &str, bundle: &str) -> Option<u32> {
    let ((prefix, version), (own_prefix, own)) = (split_version(text), split_version(bundle));
    if !["", "v", own_prefix].contains(&prefix) {
        return None;
    }
    let end = version.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(version.len());
    let (numbers, suffix) = version.split_at(end);
    let (patch, own_patch) = (patch_number(numbers)?, patch_number(own)?);
    let is_early = suffix.strip_prefix('-').is_some_and(|rest| PRERELEASES.iter().any(|word| rest.starts_with(word)));
    let is_release = suffix.is_empty() || suffix.starts_with('+') || suffix.starts_with('-');
    let is_later = patch.1 > own_patch.1 || patch.1 == own_patch.1 && !suffix.is_empty() && !is_early;
    (patch.0 == own_patch.0 && is_release && is_later).then_some(patch.1)
}

/// What the suffixes of pre-releases start with; those of distributors' releases look the same otherwise.
const PRERELEASES: [&str; 3] = ["alpha", "beta", "rc"];

/// Splits the third number from a version of three: `1.25` and 3.
pub(super) fn patch_number(version: &str) -> Option<(&str, u32)> {
    let (minor, patch) = version.rsplit_once('.')?;
    let is_minor = minor.split('.').count() == 2;
    Some((minor, patch.parse().ok().filter(|_| is_minor)?))
}

/// Returns the name of a patch release of `bundle`: `v1.25.3` of `v1.25.0`.
pub(super) fn patch_name(bundle: &str, patch: u32) -> String {
    let minor = bundle.rsplit_once('.').map_or(bundle, |(minor, _)| minor);
    format!("{minor}.{patch}")
}

//! Answers: which known names are closest to an unknown one, and is a version that no release has a newer one?
//!
//! Invariant: equally near names keep their order.

use crate::knowledge::release::{GroupKind, Named, ReleaseLine, version_of};

/// Returns up to five of `releases`, oldest first, nearest to `wanted` first: by their numbers, where it is one.
pub(crate) fn near_releases<'n>(requested: &str, releases: impl DoubleEndedIterator<Item = &'n str>) -> Vec<&'n str> {
    let newest_first = releases.rev();
    let Some(requested_numbers) = numbers(requested) else { return nearest(requested, newest_first) };
    let line = |[major, minor, patch]: [u64; 3]| (major << 32) + (minor << 16) + patch;
    let distance = |bundle: &&str| numbers(bundle).map(|found| line(found).abs_diff(line(requested_numbers)));
    let mut ranked: Vec<_> = newest_first.collect();
    ranked.sort_by_cached_key(|bundle| (distance(bundle).is_none(), distance(bundle)));
    ranked.truncate(5);
    ranked
}

/// Returns whether every version that `range` allows, as Helm reads it, is that of `bundle` or a newer one: `1.16.x`, `>=1.15 <2`.
pub(crate) fn is_from(range: &str, bundle: &str) -> bool {
    let first = range.trim().trim_start_matches(['>', '=', '~', '^']).trim_start();
    let lowest = first.split([' ', ',']).next().unwrap_or_default().replace(['x', 'X', '*'], "0");
    let is_bound = !range.contains("||") && lowest.starts_with(|start: char| start == 'v' || start.is_ascii_digit());
    is_bound && numbers(&lowest).zip(numbers(bundle)).is_some_and(|(lowest, bundle)| lowest >= bundle)
}

/// Reads up to three numbers of a version with dots between them; those that are not there are 0, and suffixes do not count.
fn numbers(bundle: &str) -> Option<[u64; 3]> {
    let mut numbers = [0; 3];
    let version = version_of(bundle).split(['-', '+']).next().unwrap_or_default();
    for (at, part) in version.split('.').enumerate() {
        *numbers.get_mut(at)? = part.parse::<u16>().ok()?.into();
    }
    Some(numbers)
}

/// Returns up to five of `names`, nearest to `wanted` first, equally near ones in their order.
pub(crate) fn nearest<'n>(requested: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let bare = |text: &str| text.trim_start_matches('v').to_owned();
    let mut ranked: Vec<_> =
        names.map(|name| (strsim::damerau_levenshtein(&bare(requested), &bare(name)), name)).collect();
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().take(5).map(|(_, name)| name).collect()
}

/// Returns the name most similar to `text`, if at most a third of its letters differ.
pub(crate) fn near<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let text = text.to_lowercase();
    let first = nearest(&text, names).into_iter().next()?;
    is_near(&text, first).then_some(first)
}

/// Returns whether at most a third of the letters of `text` differ from `name`.
pub(crate) fn is_near(text: &str, name: &str) -> bool {
    strsim::damerau_levenshtein(text, name) <= (text.chars().count() / 3).max(1)
}

/// Returns the kind among `kinds` that `kind` may stand for: one of the same name in another group, or of nearly the same name.
pub(crate) fn kind_alike<'k>(kind: &GroupKind, kinds: impl Iterator<Item = &'k GroupKind>) -> Option<&'k GroupKind> {
    let kinds: Vec<&GroupKind> = kinds.filter(|other| *other != kind).collect();
    let same_kind = kinds.iter().filter(|other| other.kind == kind.kind);
    let near_group = same_kind.clone().find(|other| is_near(&kind.group, &other.group) || kind.group.is_empty());
    let in_group = || {
        let names: Vec<&str> =
            kinds.iter().filter(|other| other.group == kind.group).map(|other| other.kind.as_str()).collect();
        let name = nearest(&kind.kind, names.iter().copied()).into_iter().next()?;
        is_near(&kind.kind, name).then(|| kinds.iter().find(|other| other.group == kind.group && other.kind == name))?
    };
    near_group.or_else(in_group).copied()
}

/// Says that a pack has no such kind, and which one may be meant.
pub(crate) fn no_catalog<'k>(kind: &GroupKind, kinds: impl Iterator<Item = &'k GroupKind>) -> String {
    match kind_alike(kind, kinds) {
        Some(meant) => format!("the pack has no catalog of {kind}: did you mean {meant}?"),
        None => format!("the pack has no catalog of {kind}: make it with `reversion pack build`"),
    }
}

/// Says that a pack has no such bundle, and which ones are near.
pub(crate) fn no_bundle(bundle: &str, line: &ReleaseLine) -> String {
    if let Some((order, Named::Same(_) | Named::Patch(_))) =
        line.named(bundle).filter(|_| !line.of_version(bundle).is_empty())
    {
        return format!("`{bundle}` has the same APIs as {own}: write {own}", own = line.bundles()[order]);
    }
    let near = near_releases(bundle, line.bundles().iter().map(String::as_str));
    format!("`{bundle}` is not a bundle of this pack: closest matches: {}", near[..near.len().min(3)].join(", "))
}

//! Answers: which known names are closest to an unknown one?
//!
//! Invariant: equally near names keep their order.

/// Returns up to five of `bundles`, nearest to `wanted` first: by their numbers, where it is one.
pub(super) fn near_bundles<'n>(requested: &str, bundles: &'n [String]) -> Vec<&'n str> {
    let newest_first = bundles.iter().rev().map(String::as_str);
    let Some(requested_numbers) = numbers(requested) else { return nearest(requested, newest_first) };
    let line = |[major, minor, patch]: [u64; 3]| (major << 32) + (minor << 16) + patch;
    let distance = |bundle: &&str| numbers(bundle).map(|found| line(found).abs_diff(line(requested_numbers)));
    let mut ranked: Vec<_> = newest_first.collect();
    ranked.sort_by_cached_key(|bundle| (distance(bundle).is_none(), distance(bundle)));
    ranked.truncate(5);
    ranked
}

/// Reads up to three numbers with dots between them; those that are not there are 0.
fn numbers(bundle: &str) -> Option<[u64; 3]> {
    let mut numbers = [0; 3];
    for (at, part) in bundle.trim_start_matches('v').split('.').enumerate() {
        *numbers.get_mut(at)? = part.parse::<u16>().ok()?.into();
    }
    Some(numbers)
}

/// Returns up to five of `names`, nearest to `wanted` first, equally near ones in their order.
pub fn nearest<'n>(requested: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let bare = |text: &str| text.trim_start_matches('v').to_owned();
    let mut ranked: Vec<_> =
        names.map(|name| (strsim::damerau_levenshtein(&bare(requested), &bare(name)), name)).collect();
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().take(5).map(|(_, name)| name).collect()
}

/// Returns the name most similar to `text`, if at most a third of its letters differ.
pub fn near<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let text = text.to_lowercase();
    let first = nearest(&text, names).into_iter().next()?;
    is_near(&text, first).then_some(first)
}

/// Returns whether at most a third of the letters of `text` differ from `name`.
pub fn is_near(text: &str, name: &str) -> bool {
    strsim::damerau_levenshtein(text, name) <= (text.chars().count() / 3).max(1)
}

//! The known name that a misspelt one is meant to be.

use crate::pack::nearest;

/// Returns the name most similar to `text`, if at most a third of its letters differ.
pub(super) fn near<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let text = text.to_lowercase();
    let first = nearest(&text, names).into_iter().next()?;
    is_near(&text, first).then_some(first)
}

/// Returns whether at most a third of the letters of `text` differ from `name`.
pub(super) fn is_near(text: &str, name: &str) -> bool {
    strsim::damerau_levenshtein(text, name) <= (text.chars().count() / 3).max(1)
}

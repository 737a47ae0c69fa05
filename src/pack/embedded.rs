//! Answers: which packs does the program bring along?
//!
//! Those that only describe carriers are not loaded: every pack that is loaded reads those.
//!
//! Invariant: a pack in `rules/` is in the program; there is no other place to register one.

use anyhow::Result;

use super::built_in;
use super::load;
use super::pack::{Pack, PackFiles};
use super::packs::{self, Packs};

/// Loads the packs built into the program together with `more`.
///
/// # Errors
/// A failure where two packs share a name or an API group.
pub fn with(more: Vec<Pack>) -> Result<Packs> {
    let replaced = |name: &str| more.iter().any(|pack| pack.name() == name);
    let carriers = packs::carriers(more.iter().map(|pack| (pack.name(), pack.carriers())));
    let built_in = built_in::files().into_iter().filter(|(name, (files, _))| !replaced(name) && has_knowledge(files));
    let built_in = built_in.map(|(name, (files, prepared))| load::load_prepared(name, files, &prepared, &carriers));
    let mut all = built_in.collect::<Result<Vec<_>>>()?;
    let has_others = more.len() > 1 && more.iter().any(|pack| !pack.carriers().carriers.is_empty());
    for pack in more {
        // It was loaded before the carriers of the others were known.
        let is_whole = pack.charts().is_empty() || !has_others;
        all.push(if is_whole { pack } else { load::load_with(&pack.folder, pack.files.clone(), &carriers)? });
    }
    Packs::new(all)
}

/// Returns whether a pack knows more than carriers.
fn has_knowledge(files: &PackFiles) -> bool {
    files.keys().any(|path| !["pack.yaml", built_in::CARRIERS].contains(&path.as_str()))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    #[test]
    fn the_embedded_files_equal_the_source_files() {
        for (name, (files, prepared)) in built_in::files() {
            assert_eq!(prepared.len(), files.keys().filter(|path| path.ends_with(".yaml")).count());
            let written = load::load(name, files.clone()).unwrap();
            let read = load::load_prepared(name, files, &prepared, &packs::carriers([])).unwrap();
            assert_eq!(read.name(), name);
            assert_eq!(format!("{read:?}"), format!("{written:?}"));
        }
    }

    #[test]
    fn only_embedded_files_are_read() {
        for (name, (files, prepared)) in built_in::files() {
            let unread = |(path, text): (String, _)| {
                let text = if path.ends_with(".yaml") { Cow::Borrowed("- no pack's file\n") } else { text };
                (path, text)
            };
            let files = files.into_iter().map(unread).collect();
            load::load_prepared(name, files, &prepared, &packs::carriers([])).unwrap();
        }
    }
}

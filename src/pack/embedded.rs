//! Answers: which packs does the program bring along?
//!
//! The build script lists every file under `rules/`; this module groups them by pack. What is YAML in them was made JSON when
//! the program was built, since every start reads it.
//!
//! Invariant: a pack in `rules/` is in the program; there is no other place to register one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::Result;

use super::load::{self, Prepared};
use super::pack::{Pack, PackFiles};
use super::packs::Packs;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Returns the files of each pack built into the program, and the same as JSON where they are YAML.
fn built_in() -> BTreeMap<&'static str, (PackFiles, Prepared)> {
    let mut packs: BTreeMap<&str, (PackFiles, Prepared)> = BTreeMap::new();
    for (path, text, json) in FILES {
        if let Some((pack, path)) = path.split_once('/') {
            let (files, prepared) = packs.entry(pack).or_default();
            files.insert(path.to_owned(), Cow::Borrowed(text));
            prepared.extend(json.map(|json| (path, json)));
        }
    }
    packs
}

/// Loads the packs built into the program together with `more`.
///
/// # Errors
/// A failure where two packs share a name or an API group.
pub fn with(more: Vec<Pack>) -> Result<Packs> {
    let replaced = |name: &str| more.iter().any(|pack| pack.name() == name);
    let built_in = built_in().into_iter().filter(|(name, _)| !replaced(name));
    let built_in = built_in.map(|(name, (files, prepared))| load::load_prepared(name, files, &prepared));
    let mut all = built_in.collect::<Result<Vec<_>>>()?;
    all.extend(more);
    Packs::new(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_files_equal_the_source_files() {
        for (name, (files, prepared)) in built_in() {
            assert_eq!(prepared.len(), files.keys().filter(|path| path.ends_with(".yaml")).count());
            let written = load::load(name, files.clone()).unwrap();
            let read = load::load_prepared(name, files, &prepared).unwrap();
            assert_eq!(read.name(), name);
            assert_eq!(format!("{read:?}"), format!("{written:?}"));
        }
    }

    #[test]
    fn only_embedded_files_are_read() {
        for (name, (files, prepared)) in built_in() {
            let unread = |(path, text): (String, _)| {
                let text = if path.ends_with(".yaml") { Cow::Borrowed("- no pack's file\n") } else { text };
                (path, text)
            };
            load::load_prepared(name, files.into_iter().map(unread).collect(), &prepared).unwrap();
        }
    }
}

//! Answers: which packs does the program bring along?
//!
//! Those that only describe carriers are not loaded: every pack that is loaded reads those.
//!
//! Invariant: a pack in `rules/` is in the program; there is no other place to register one.

use std::sync::Arc;

use anyhow::Result;

use super::built_in;
use super::load;
use super::pack::Pack;
use super::packs::{self, Packs};

/// Loads the packs built into the program together with `more`.
///
/// # Errors
/// A failure where two packs share a name or an API group.
pub fn with(more: Vec<Pack>) -> Result<Packs> {
    let is_replaced = |name: &str| more.iter().any(|pack| pack.name() == name);
    let carriers = Arc::new(packs::carriers(more.iter().map(|pack| (pack.name(), pack.carriers()))));
    let built_in = built_in::packs().iter().filter(|pack| !is_replaced(pack.name) && !pack.is_carriers_alone);
    let mut packs: Vec<Pack> = built_in.map(|pack| Pack::built_in(pack, &carriers)).collect();
    let has_others = more.len() > 1 && more.iter().any(|pack| !pack.carriers().carriers.is_empty());
    for pack in more {
        // It was loaded before the carriers of the others were known.
        let is_whole = pack.charts().is_empty() || !has_others;
        let carriers = Arc::clone(&carriers);
        packs.push(if is_whole {
            pack
        } else {
            load::load_with(pack.folder, pack.own_carriers.into_owned(), carriers)?
        });
    }
    Packs::with_carriers(packs, carriers)
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::lens::Direction;
    use crate::knowledge::pack::folder::Folder;

    /// Reads everything of a pack.
    #[track_caller]
    fn everything(pack: &Pack) -> String {
        let catalogs = pack.kinds().map(|kind| pack.catalog(kind).unwrap());
        let catalogs: Vec<_> =
            catalogs.map(|catalog| (catalog.listed(), catalog.fields().collect::<Vec<_>>())).collect();
        let lenses: Vec<_> = pack.rules().iter().map(|rule| rule.lens(Direction::Backward)).collect();
        let index = (pack.rule_kinds(), pack.rules_about_schemas(), pack.default_groups(), pack.carriers());
        let places = pack.places();
        format!("{:?}", (&pack.head, &pack.releases, &pack.rules, catalogs, lenses, index, places))
    }

    #[test]
    fn packs_of_the_program_are_what_their_files_say() {
        let packs = with(Vec::new()).unwrap();
        assert!(packs.iter().count() >= 6);
        for pack in packs.iter() {
            pack.line();
            let written = load::load(pack.name(), pack.folder.copied()).unwrap();
            assert!(everything(pack) == everything(&written), "{}", pack.name());
            for other in packs.iter() {
                assert_eq!(pack.is_bound_to(other), written.is_bound_to(other), "{} {}", pack.name(), other.name());
            }
        }
        for pack in built_in::packs() {
            let folder = Folder::built_in(pack);
            let written = load::load(pack.name, folder.copied()).unwrap();
            assert_eq!(written.has_releases(), !pack.is_carriers_alone, "{}", pack.name);
            let carriers = built_in::carriers().get(pack.name).cloned().unwrap_or_default();
            assert_eq!(format!("{:?}", written.carriers()), format!("{carriers:?}"));
        }
    }
}

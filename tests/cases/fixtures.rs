//! Every rule on its fixtures: one named test for each folder, as described in `reversion::internals::fixture`. Besides those of the built-in
//! packs there are packs that show what the language of rules can say, each with its own fixtures: `fixtures/packs/<pack>`.

use std::path::PathBuf;

use libtest_mimic::Trial;
use reversion::internals::fixture::{Fixture, of_pack};
use reversion::internals::pack::{Packs, load};

use crate::support::{packs, root};
use crate::{built_in, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = trials_of("", packs(), built_in::fixtures(packs()));
    trials.extend(own_packs().into_iter().flat_map(|(packs, fixtures)| trials_of("packs/", packs, fixtures)));
    trials
}

/// Loads each pack in `fixtures/packs` alone, with its fixtures.
fn own_packs() -> Vec<(&'static Packs, Vec<Fixture>)> {
    let root = root().join("fixtures/packs");
    let mut folders: Vec<_> =
        root.read_dir().expect("fixtures/packs").map(|entry| entry.expect("a readable folder").path()).collect();
    folders.sort();
    // One that only describes carriers has cases in `fixtures/carriers`.
    folders.retain(|folder| !folder.join("carriers.yaml").is_file() || folder.join(load::FIXTURES).is_dir());
    let load = |folder: PathBuf| {
        let pack = load::read_folder(&folder).expect("the pack loads");
        let files = load::read_texts(&folder.join(load::FIXTURES)).expect("the pack has fixtures, which are texts");
        let fixtures = of_pack(&pack, load::FIXTURES, &files);
        assert!(fixtures.problems.is_empty(), "{}: {:?}", folder.display(), fixtures.problems);
        assert!(!fixtures.cases.is_empty(), "{} has no fixtures", folder.display());
        let packs: &'static Packs = Box::leak(Box::new(Packs::new(vec![pack]).expect("one pack")));
        (packs, fixtures.cases)
    };
    folders.into_iter().map(load).collect()
}

fn trials_of(prefix: &str, packs: &'static Packs, fixtures: Vec<Fixture>) -> Vec<Trial> {
    let named = fixtures.into_iter().map(|fixture| (format!("{prefix}{}", fixture.name), fixture));
    named
        .map(|(name, fixture)| {
            trial("fixtures", &name, move || fixture.run(packs).map_err(|failure| failure.to_string().into()))
        })
        .collect()
}

//! Every rule on its fixtures: one named test for each folder, as described in `fixture`. Besides those of the built-in packs there
//! are packs that show what the language of rules can say, each with its own fixtures: `fixtures/packs/<pack>`.
//!
//! `REVERSION_PACK` is the folder of a pack that replaces the built-in one of the same name.

use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Trial};
use reversion::pack::{Packs, Rule, embedded, load};

mod fixture;

fn main() {
    let arguments = Arguments::from_args();
    let more = std::env::var_os("REVERSION_PACK").map(|pack| load::read_folder(pack.as_ref()).expect("REVERSION_PACK"));
    let packs = embedded::with(more.into_iter().collect()).expect("the packs load");
    let packs: &'static Packs = Box::leak(Box::new(packs));
    let trial = |fixture: fixture::Fixture| Trial::test(fixture.name.clone(), move || fixture.run(packs));
    let mut trials: Vec<Trial> = fixture::all(packs).into_iter().map(trial).collect();
    trials.extend(own_packs().into_iter().flat_map(|(packs, fixtures)| trials_of(packs, fixtures)));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Loads each pack in `fixtures/packs` alone, with its fixtures.
fn own_packs() -> Vec<(&'static Packs, Vec<fixture::Fixture>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/packs");
    let mut folders: Vec<_> =
        root.read_dir().expect("fixtures/packs").map(|entry| entry.expect("a readable folder").path()).collect();
    folders.sort();
    // One that only describes carriers has cases in `fixtures/carriers`.
    folders.retain(|folder| !folder.join("carriers.yaml").is_file() || folder.join(load::FIXTURES).is_dir());
    let load = |folder: PathBuf| {
        let pack = load::read_folder(&folder).expect("the pack loads");
        let root = folder.join(load::FIXTURES);
        let folder_of = |rule: &Rule| root.join(rule.id.split_once('/').expect("an id begins with the pack's name").1);
        let fixtures = fixture::of_pack(&pack, folder_of);
        assert!(!fixtures.is_empty(), "{} has no fixtures", folder.display());
        let packs: &'static Packs = Box::leak(Box::new(Packs::new(vec![pack]).expect("one pack")));
        (packs, fixtures)
    };
    folders.into_iter().map(load).collect()
}

fn trials_of(packs: &'static Packs, fixtures: Vec<fixture::Fixture>) -> Vec<Trial> {
    let trial = |fixture: fixture::Fixture| Trial::test(format!("packs/{}", fixture.name), move || fixture.run(packs));
    fixtures.into_iter().map(trial).collect()
}

//! Every rule on its fixtures: one named test for each folder, as described in `reversion::fixture`. Besides those of the built-in
//! packs there are packs that show what the language of rules can say, each with its own fixtures: `fixtures/packs/<pack>`.
//!
//! `REVERSION_PACK` is the folder of a pack that replaces the built-in one of the same name.

use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Trial};
use reversion::fixture::{Fixture, of_pack};
use reversion::pack::{Packs, embedded, load};

mod fixture;

fn main() {
    let arguments = Arguments::from_args();
    let more = std::env::var_os("REVERSION_PACK").map(|pack| load::read_folder(pack.as_ref()).expect("REVERSION_PACK"));
    let packs = embedded::with(more.into_iter().collect()).expect("the packs load");
    let packs: &'static Packs = Box::leak(Box::new(packs));
    let mut trials = trials("", packs, fixture::all(packs));
    trials.extend(own_packs().into_iter().flat_map(|(packs, fixtures)| self::trials("packs/", packs, fixtures)));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Loads each pack in `fixtures/packs` alone, with its fixtures.
fn own_packs() -> Vec<(&'static Packs, Vec<Fixture>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/packs");
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

fn trials(prefix: &str, packs: &'static Packs, fixtures: Vec<Fixture>) -> Vec<Trial> {
    let trial = |fixture: Fixture| {
        let name = format!("{prefix}{}", fixture.name);
        Trial::test(name, move || fixture.run(packs).map_err(|failure| failure.to_string().into()))
    };
    fixtures.into_iter().map(trial).collect()
}

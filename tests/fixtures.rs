//! Every rule on its fixtures: one named test for each folder, as described in `fixture`.
//!
//! `REVERSION_PACK` is the folder of a pack that replaces the built-in one of the same name.

use libtest_mimic::{Arguments, Trial};
use reversion::pack::{Packs, embedded, load};

mod fixture;

fn main() {
    let arguments = Arguments::from_args();
    let more = std::env::var_os("REVERSION_PACK").map(|pack| load::read_folder(pack.as_ref()).expect("REVERSION_PACK"));
    let packs = embedded::with(more.into_iter().collect()).expect("the packs load");
    let packs: &'static Packs = Box::leak(Box::new(packs));
    let trial = |fixture: fixture::Fixture| Trial::test(fixture.name.clone(), move || fixture.run(packs));
    libtest_mimic::run(&arguments, fixture::all(packs).into_iter().map(trial).collect()).exit();
}

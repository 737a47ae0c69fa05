//! The fixtures of the built-in packs, which are below `fixtures/`.

use reversion::internals::fixture::{self, Fixture};
use reversion::internals::pack::{Pack, Packs, load};

use crate::support::root;

/// Returns the fixtures of every rule of `packs`.
pub(crate) fn fixtures(packs: &Packs) -> Vec<Fixture> {
    packs.iter().flat_map(fixtures_of).collect()
}

/// Returns the fixtures of every rule of `pack`.
///
/// # Panics
/// Where a file below `fixtures/<pack>` is no part of a case.
pub(crate) fn fixtures_of(pack: &Pack) -> Vec<Fixture> {
    let folder = format!("fixtures/{}", pack.name());
    let files = load::read_texts(&root().join(&folder)).expect("the fixtures are texts");
    let fixtures = fixture::of_pack(pack, &folder, &files);
    assert!(fixtures.problems.is_empty(), "{:?}", fixtures.problems);
    fixtures.cases
}

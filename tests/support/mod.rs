//! Code shared by the two test programs: the built-in packs, the engine behind one function, trees in which the program is run.

#![allow(dead_code, reason = "each of the two programs uses a part")]

use std::sync::LazyLock;

use reversion::pack::{Packs, embedded, load};
use reversion::yaml::{self, read_value};
use serde_json::Value;

pub(crate) mod engine;
pub(crate) mod random;
pub(crate) mod trees;

static PACKS: LazyLock<Packs> = LazyLock::new(|| {
    let pack = std::env::var_os("REVERSION_PACK").map(|pack| load::read_folder(pack.as_ref()).expect("REVERSION_PACK"));
    embedded::with(pack.into_iter().collect()).expect("the built-in packs load")
});

/// Returns the built-in packs, which are made once for all tests of a process. `REVERSION_PACK` is the folder of a pack that
/// replaces the built-in one of the same name.
pub(crate) fn packs() -> &'static Packs {
    &PACKS
}

/// Reads the documents of a text.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn values(text: &str) -> Result<Vec<Value>, String> {
    let tree = yaml::parse(text).map_err(|problem| format!("{problem:?} in\n{text}"))?;
    let value =
        |document: &yaml::Document| read_value(&tree, text, document.root).map_err(|problem| format!("{problem:?}"));
    tree.documents().iter().map(value).collect()
}

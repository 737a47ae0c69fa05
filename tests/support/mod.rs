//! Code shared by the two test programs: the built-in packs, the engine behind one function, trees in which the program is run.

#![allow(dead_code, reason = "each of the two programs uses a part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use reversion::internals::pack::{Packs, embedded, load};
use reversion::internals::yaml::{self, read_value};
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

/// Returns the project's folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Finds a file or folder in the folder `SHARED`, or else in `../shared`; without it, the test is reported as skipped.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("SHARED").map_or_else(|| root().join("../shared"), |folder| root().join(folder));
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    skipped(name);
    None
}

/// Reports a test that cannot run here.
#[expect(clippy::print_stderr, reason = "a skipped test is reported")]
pub(crate) fn skipped(what: &str) {
    eprintln!("skipped: {what}");
}

/// Makes a command that runs the program, without the variables that set its flags.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reversion"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("REVERSION_")) {
        command.env_remove(name);
    }
    command
}

/// Copies what is in a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
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

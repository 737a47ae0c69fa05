//! Answers: which catalogs do the tests of this module build, and of what?
//!
//! Invariant: each pack and its schemas are in a folder of their own.

use std::fs;

use anyhow::Result;

use super::build;
use super::catalogs::Built;

/// Builds the catalogs of the pack whose `pack.yaml` is `pack` from `files`, by their paths in the folder of schemas.
pub(super) fn built(pack: &str, files: &[(&str, &str)]) -> Result<Built> {
    let folder = tempfile::tempdir().unwrap();
    let (home, schemas) = (folder.path().join("pack"), folder.path().join("schemas"));
    fs::create_dir(&home).unwrap();
    fs::write(home.join("pack.yaml"), pack).unwrap();
    for (name, text) in files {
        let path = schemas.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    build(&home, &schemas)
}

//! Whole repositories under `fixtures/repos`: converting back restores the bytes, and a second run changes nothing.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

type Tree = BTreeMap<PathBuf, Vec<u8>>;

#[test]
fn the_shop_converts_from_v1_0_and_back() {
    check("shop-1.0-experimental", "gateway-api@1.6/experimental", "gateway-api@1.0/experimental");
}

#[test]
fn the_platform_converts_from_v1_3_and_back() {
    check("platform-1.3", "gateway-api@1.6/experimental", "gateway-api@1.3/experimental");
}

#[track_caller]
fn check(name: &str, forward: &str, backward: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repos").join(name);
    let folder = TempDir::new().unwrap();
    let before = read(&source);
    for (path, bytes) in &before {
        let place = folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    }
    apply(folder.path(), forward);
    let newer = read(folder.path());
    assert!(newer != before, "{forward} changes nothing");
    apply(folder.path(), forward);
    assert_eq!(differing(&read(folder.path()), &newer), Vec::<PathBuf>::new(), "the second run changes something");
    apply(folder.path(), backward);
    assert_eq!(
        differing(&read(folder.path()), &before),
        Vec::<PathBuf>::new(),
        "converting back does not restore the files"
    );
}

fn apply(folder: &Path, target: &str) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_reversion"));
    let output = program
        .args(["apply", "--yes", "--allow-no-vcs", "--allow-dirty", "--to", target, "."])
        .current_dir(folder)
        .output();
    let output = output.unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    // What is not converted, such as a template, is the same before and after.
    let code = i32::from(printed.contains(" unresolved; "));
    assert!(output.status.code() == Some(code) && printed.contains(", 0 held back"), "{printed}");
}

/// Reads every file except those in the program's own folder.
fn read(folder: &Path) -> Tree {
    let walk = walkdir::WalkDir::new(folder).into_iter().filter_entry(|entry| entry.file_name() != ".reversion");
    let files = walk.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    files.map(|file| (file.path().strip_prefix(folder).unwrap().to_owned(), fs::read(file.path()).unwrap())).collect()
}

fn differing(left: &Tree, right: &Tree) -> Vec<PathBuf> {
    let paths = left.keys().chain(right.keys()).filter(|path| left.get(*path) != right.get(*path));
    paths.cloned().collect()
}

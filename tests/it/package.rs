//! What `cargo install` and docs.rs get: everything that the build and a user need, and nothing that only developers use.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::root;

/// What is at the top of the package besides the folders `src` and `rules`.
const TOP: [&str; 12] = [
    ".cargo_vcs_info.json",
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "Cargo.toml.orig",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "build.rs",
    "docs/src/reversion.schema.json",
    "plan.schema.json",
    "report.schema.json",
];

/// Adds the files of a folder, as paths from the top of the project.
fn collect(folder: &Path, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.join("Cargo.toml").exists() {
            // A package of its own.
        } else if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/"));
        }
    }
}

#[test]
fn the_package_holds_the_program_its_rules_and_what_a_user_reads() {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root()).args(["package", "--list", "--allow-dirty", "--offline", "--package", "reversion"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed: BTreeSet<String> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| line.replace('\\', "/")).collect();
    let mut expected: BTreeSet<String> = TOP.map(str::to_owned).into();
    for folder in ["src", "rules"] {
        collect(&root().join(folder), &mut expected);
    }
    // Outside of a git repository cargo does not write this one.
    let missing: Vec<_> = expected.difference(&listed).filter(|file| *file != ".cargo_vcs_info.json").collect();
    let unexpected: Vec<_> = listed.difference(&expected).collect();
    assert!(missing.is_empty() && unexpected.is_empty(), "missing: {missing:?}; unexpected: {unexpected:?}");
}

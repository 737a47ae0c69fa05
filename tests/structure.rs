//! What the program says of conversions in the pack `fixtures/packs/structure`, whose fixtures show the texts.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod trees;

use trees::Tree;

const PACK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/packs/structure");

/// Returns what `check` says of one file, in a format.
fn said(file: &str, format: &str) -> String {
    let arguments =
        ["check", "--to", "structure@2.0.0", "--from", "structure@1.0.0", "-v", "--pack", PACK, "--format", format];
    Tree::of(&[("a.yaml", file)]).run(&arguments).out
}

fn upstream(spec: &str) -> String {
    format!("apiVersion: structure.example.com/v1\nkind: Upstream\nmetadata: {{name: a}}\nspec:\n{spec}")
}

#[test]
fn a_field_that_does_not_come_back_to_its_place_is_reported() {
    let reported = "spec.hostname is written in an equivalent form: converting back puts it in another place";
    let far = said(&upstream("  hostname: a\n  port: 1\n  tls: {authorities: [a]}\n"), "text");
    assert!(far.contains(reported), "{far}");
    let near = said(&upstream("  port: 1\n  hostname: a\n  tls: {authorities: [a]}\n"), "text");
    assert!(near.contains("1 file") && !near.contains("normalized"), "{near}");
}

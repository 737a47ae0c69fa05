//! Releases of any project: channels of any names or none, thousands of releases, names and aliases of packs.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod trees;

use std::borrow::Cow;
use std::fs;

use reversion::pack::{Pack, PackFiles, Packs, lint, load};
use trees::{Run, Tree};

/// Returns the files of a pack of `Box.example.com`, whose field `old` became `new` in the bundle `changed`. `line` is what pack.yaml
/// says after its groups; `sides` are the releases before and after the change.
fn pack_files(line: &str, changed: &str, [before, after, all]: [&str; 3]) -> [(String, String); 3] {
    let head = format!("title: Boxes\nsource: s\ngroups: [example.com]\n{line}");
    let catalog = format!(
        "kind\tBox.example.com\nscope\tNamespaced\t{all}\nserved\tv1\t{all}\npath\ttype\trequired\tattributes\tapiVersions\treleases\n\
         spec\tobject\t\t\t\t{all}\nspec.new\tstring\t\t\t\t{after}\nspec.old\tstring\t\t\t\t{before}\n"
    );
    let rule =
        "summary: old became new\nkind: Box.example.com\nsource: s\nlens:\n  - rename: { field: spec.old, to: new }\n";
    [
        ("pack.yaml".to_owned(), head),
        ("catalog/Box.example.com.tsv".to_owned(), catalog),
        (format!("{changed}/renamed.yaml"), rule.to_owned()),
    ]
}

fn load(folder: &str, files: impl IntoIterator<Item = (String, String)>) -> Result<Pack, String> {
    let files: PackFiles = files.into_iter().map(|(path, text)| (path, Cow::Owned(text))).collect();
    load::load(folder, files).map_err(|error| format!("{error:#}"))
}

fn write(tree: &Tree, folder: &str, files: impl IntoIterator<Item = (String, String)>) {
    for (name, text) in files {
        let path = tree.path(folder).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn object(field: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Box\nmetadata:\n  name: a\nspec:\n  {field}: x\n")
}

fn apply(tree: &Tree, to: &str) -> Run {
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--pack", "p", "--glob", "a.yaml", "--to", to])
}

#[test]
fn a_value_of_an_object_that_has_crossed_its_rule_is_not_converted_again() {
    let line = "name: boxes\nreleases: [{ bundle: v1 }, { bundle: v2 }]\n";
    let mut files = pack_files(line, "v2", ["v1", "v2", "v1..v2"]);
    files[1].1.push_str("spec.size\tstring\t\t\t\tv1..v2\n");
    files[2].1.push_str("  - values: { field: spec.size, table: { s: small } }\n");
    let sized = |field: &str, size: &str| object(field) + &format!("  size: {size}\n");
    let tree = Tree::of(&[("a.yaml", &sized("old", "s"))]);
    write(&tree, "p", files);
    apply(&tree, "boxes@v2").check(0);
    assert_eq!(tree.text("a.yaml"), sized("new", "small"));
    fs::write(tree.path("a.yaml"), sized("new", "s")).unwrap();
    apply(&tree, "boxes@v2").check(0);
    assert_eq!(tree.text("a.yaml"), sized("new", "s"));
    fs::write(tree.path("a.yaml"), sized("old", "small")).unwrap();
    apply(&tree, "boxes@v1").check(0);
    assert_eq!(tree.text("a.yaml"), sized("old", "small"));
}

const TWO_CHANNELS: &str = "\
name: boxes
aliases: [bx]
channels: [stable, edge]
releases:
- { bundle: v1, channels: [edge, stable] }
- { bundle: v2, channels: [edge] }
- { bundle: v3, channels: [edge, stable] }
";

fn two_channels() -> [(String, String); 3] {
    pack_files(TWO_CHANNELS, "v2", ["stable v1, edge v1", "stable v3, edge v2..v3", "stable v1 v3, edge v1..v3"])
}

#[test]
fn a_target_without_a_channel_means_the_most_stable_one() {
    let pack = load("p", two_channels()).unwrap();
    let reached = |text: &str| pack.line().get(pack.release(text).unwrap()).to_string();
    assert_eq!([reached("3"), reached("v2"), reached("latest")], ["3/stable", "2/edge", "3/stable"]);
    assert_eq!(reached("3/edge"), "3/edge");
    let error = pack.release("2/stable").unwrap_err().to_string();
    assert_eq!(error, "boxes v2 has no channel `stable`; its channels: edge");
}

#[test]
fn objects_convert_between_channels_of_any_names() {
    let tree = Tree::of(&[("a.yaml", &object("old"))]);
    write(&tree, "p", two_channels());
    apply(&tree, "boxes@2").check(0);
    assert_eq!(tree.text("a.yaml"), object("new"));
    apply(&tree, "bx@1/edge").check(0);
    assert_eq!(tree.text("a.yaml"), object("old"));
    let found = tree.run(&["detect", "--pack", "p", "--glob", "a.yaml"]);
    assert!(found.out.contains("stable v1, edge v1"), "{}", found.all());
    let json = tree.run(&["detect", "--pack", "p", "--glob", "a.yaml", "--format", "json"]);
    assert!(json.out.contains("\"channel\": \"edge\""), "{}", json.all());
    let near = tree.run(&["check", "--pack", "p", "--to", "boxes@3-edge"]);
    assert!(near.err.contains("did you mean boxes@3/edge?"), "{}", near.all());
    let explained = tree.run(&["explain", "--pack", "p", "boxes/v2/renamed"]);
    assert!(explained.out.contains("made in: Boxes v2 (edge)"), "{}", explained.all());
    let listed = tree.run(&["releases", "--pack", "p", "bx"]);
    assert!(listed.out.contains("aliases: bx\n") && listed.out.contains("  v3  stable, edge\n"), "{}", listed.all());
}

#[test]
fn a_project_without_channels_never_shows_one() {
    let line = "name: boxes\nreleases: [{ bundle: 2024.1 }, { bundle: 2024.2 }, { bundle: 2025.1-rc.1 }]\n";
    let tree = Tree::of(&[("a.yaml", &object("old"))]);
    write(&tree, "p", pack_files(line, "2024.2", ["2024.1", "2024.2..2025.1-rc.1", "2024.1..2025.1-rc.1"]));
    let found = tree.run(&["detect", "--pack", "p", "--glob", "a.yaml"]);
    assert!(found.out.contains("boxes: by fields 2024.1\n") && !found.out.contains("single"), "{}", found.all());
    apply(&tree, "boxes@latest").check(0);
    assert_eq!(tree.text("a.yaml"), object("new"));
    for text in ["boxes@2024.2", "boxes/2024.2/renamed", "boxes"] {
        let explained = tree.run(&["explain", "--pack", "p", text]);
        explained.check(0);
        assert!(explained.out.contains("2024") && !explained.out.contains("single"), "{}", explained.all());
    }
    let listed = tree.run(&["releases", "--pack", "p", "boxes"]);
    assert!(listed.out.contains("\n  2024.2\n  2025.1-rc.1\n"), "{}", listed.all());
    let beta = tree.run(&["check", "--pack", "p", "--to", "boxes@2024.1/beta"]);
    assert!(beta.err.contains("boxes 2024.1 has no channels: write boxes@2024.1"), "{}", beta.all());
}

#[test]
fn a_bundle_from_before_channels_has_none() {
    let line = "name: boxes\nreleases: [{ bundle: v1 }, { bundle: v2, channels: [lts, rapid] }]\n";
    let sides = ["single v1", "lts v2, rapid v2", "single v1, lts v2, rapid v2"];
    let pack = load("p", pack_files(line, "v2", sides)).unwrap();
    assert_eq!(pack.line().describe(pack.line().all()), sides[2]);
    assert_eq!(lint::lint(&pack, None), []);
    assert_eq!(pack.line().get(pack.release("1").unwrap()).to_string(), "1");
    assert_eq!(pack.line().get(pack.release("2").unwrap()).to_string(), "2/lts");
}

#[test]
fn a_wrong_name_is_an_error_with_the_file_and_what_to_write() {
    let refused = |line: &str, message: &str| {
        let error = load("p", pack_files(line, "v1", ["v1"; 3])).unwrap_err();
        assert!(error.starts_with("p/pack.yaml") && error.contains(message), "{error}");
    };
    let releases = "releases: [{ bundle: v1 }]\n";
    refused(releases, "the pack has no name: add the line `name: p`");
    refused(&format!("name: My Pack\n{releases}"), "`My Pack` cannot name a pack");
    refused(&format!("name: boxes\naliases: [bx, boxes]\n{releases}"), "`aliases` repeats the name boxes");
    refused("name: boxes\nreleases: [{ bundle: v1, channels: [a/b] }]\n", "`a/b` is not the name of a channel");
    refused("name: boxes\nchannels: [edge]\nreleases: [{ bundle: v1, channels: [egde] }]\n", "the channel egde is not");
    let notes = "advisories: [{ id: a, bundle: v1, direction: forward, channels: [egde], message: m }]\n";
    refused(
        &format!("name: boxes\n{releases}{notes}"),
        "`egde` is not a channel of this pack, which has none: remove it",
    );
    let mut files = two_channels();
    files[2].1.push_str("channels: [egde]\n");
    let error = load("p", files).unwrap_err();
    assert_eq!(error, "p/v2/renamed.yaml:6:1: channels: `egde` is not a channel of this pack: write stable or edge");
}

#[test]
fn a_name_or_alias_belongs_to_one_pack() {
    let pack = |folder: &str, names: &str, group: &str| {
        let head = format!("{names}title: T\nsource: s\ngroups: [{group}]\nreleases: [{{ bundle: v1 }}]\n");
        load(folder, [("pack.yaml".to_owned(), head)]).unwrap()
    };
    let both = |one: &str, two: &str| Packs::new(vec![pack("p", one, "a.com"), pack("q", two, "b.com")]);
    let message = |one: &str, two: &str| both(one, two).unwrap_err().to_string();
    let found = message("name: one\n", "name: one\n");
    assert_eq!(found, "two packs have the name one: change it in p/pack.yaml or in q/pack.yaml");
    let aliases = "two packs have the name or alias x: change it in p/pack.yaml or in q/pack.yaml";
    assert_eq!(message("name: one\naliases: [x]\n", "name: two\naliases: [x]\n"), aliases);
    assert_eq!(message("name: one\naliases: [x]\n", "name: x\n"), aliases);
    let packs = both("name: one\naliases: [x]\n", "name: two\n").unwrap();
    assert_eq!(packs.target("x@v1").unwrap().to_string(), "one@1");
}

#[test]
fn an_alias_names_the_pack_wherever_a_pack_is_named() {
    let line = "name: boxes\naliases: [bx]\nparameters: [{ name: ns, description: d, format: dns-label }]\nreleases: [{ bundle: v1 }, { bundle: v2 }]\n";
    let tree = Tree::of(&[("a.yaml", &object("old"))]);
    write(&tree, "p", pack_files(line, "v2", ["v1", "v2", "v1..v2"]));
    let run = |arguments: &[&str]| {
        let run = tree.run(&[arguments, &["--pack", "p"]].concat());
        assert!(run.code == Some(0) || run.code == Some(1), "{}", run.all());
        run
    };
    run(&["check", "--glob", "a.yaml", "--to", "bx@2", "--from", "bx@1", "--set", "bx.ns=a"]);
    assert!(run(&["matrix", "bx", "--from", "v1", "--to", "v2"]).out.contains("boxes"));
    assert!(run(&["explain", "bx"]).out.starts_with("boxes: Boxes v1..v2"));
    run(&["pack", "lint", "bx"]);
    fs::write(tree.path("reversion.toml"), "to = [\"bx@2\"]\n[set]\nbx.ns = \"a\"\n").unwrap();
    assert!(run(&["diff", "--glob", "a.yaml"]).out.contains("+  new: x"));
    fs::write(tree.path("reversion.toml"), "[set]\nbx.ns = \"a\"\nboxes.ns = \"b\"\n").unwrap();
    let twice = tree.run(&["check", "--pack", "p", "--glob", "a.yaml", "--to", "bx@2"]);
    assert!(twice.err.contains("boxes.ns is set twice"), "{}", twice.all());
}

#[test]
fn rules_of_a_pack_are_called_by_its_name_and_their_files_by_its_folder() {
    let mut files = two_channels();
    files[2].1 = files[2].1.replace("to: new", "to: newer");
    let pack = load("folder", files).unwrap();
    assert_eq!(pack.rules()[0].id, "boxes/v2/renamed");
    let found = lint::lint(&pack, None);
    assert!(found.iter().any(|message| message.file == "folder/v2/renamed.yaml"), "{found:?}");
    assert!(found.iter().all(|message| message.file.starts_with("folder/")), "{found:?}");
}

#[test]
fn a_pack_of_three_thousand_bundles_converts_as_a_small_one() {
    let bundles: String =
        (0..3000).map(|at| format!("- {{ bundle: v1.{at}.0, channels: [stable, edge] }}\n")).collect();
    let ranges = |range: &str| format!("stable {range}, edge {range}");
    let [before, after, all] = ["v1.0.0..v1.1999.0", "v1.2000.0..v1.2999.0", "v1.0.0..v1.2999.0"].map(ranges);
    let files = pack_files(&format!("name: boxes\nreleases:\n{bundles}"), "v1.2000.0", [&before, &after, &all]);
    let pack = load("p", files.clone()).unwrap();
    assert_eq!(lint::lint(&pack, None), []);
    let tree = Tree::of(&[("a.yaml", &object("old"))]);
    write(&tree, "p", files);
    let found = tree.run(&["detect", "--pack", "p", "--glob", "a.yaml"]);
    assert!(found.out.contains(&before), "{}", found.all());
    apply(&tree, "boxes@1.2999").check(0);
    assert_eq!(tree.text("a.yaml"), object("new"));
    apply(&tree, "boxes@1.5/edge").check(0);
    assert_eq!(tree.text("a.yaml"), object("old"));
}

//! Releases of any project: channels of any names or none, thousands of releases, names and aliases of packs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use reversion::internals::pack::{Pack, PackFiles, Packs, lint, load};

use crate::support::trees::{Run, Tree};
use crate::support::{packs, shared};

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

/// Returns a pack in which `v2` changed the default of `spec.size`, and a Box of `version` with the fields `spec`.
fn changed_default(version: &str, spec: &str) -> Tree {
    let [head, mut catalog, mut rule] = pack_files(
        "name: boxes\nreleases: [{ bundle: v1 }, { bundle: v2 }, { bundle: v3 }]\n\
         parameters: [{ name: defaults, description: d, choices: [freeze, adopt], default: freeze }]\n",
        "v2",
        ["v1", "v2..v3", "v1..v3"],
    );
    catalog.1 = "kind\tBox.example.com\nscope\tNamespaced\tv1..v3\nserved\tv1\tv2..v3\nserved\tv1beta1\tv1..v2\nserved\tv1alpha1\tv1\n\
                 path\ttype\trequired\tattributes\tapiVersions\treleases\n\
                 spec\tobject\t\t\t\tv1..v3\nspec.late\tstring\t\t\t\tv2..v3\nspec.name\tstring\t\t\t\tv1..v3\n\
                 spec.size\tinteger\t\t\t\tv1..v3\n"
        .to_owned();
    rule.1 = "summary: the default of size became 2\nkind: Box.example.com\nneeds: from\nsource: s\nlens:\n  \
              - changed-default: { field: spec.size, old: 1, new: 2, parameter: boxes.defaults }\n"
        .to_owned();
    let object = format!("apiVersion: example.com/{version}\nkind: Box\nmetadata:\n  name: a\nspec:\n  {spec}: x\n");
    let tree = Tree::of(&[("a.yaml", &object)]);
    write(&tree, "p", [head, catalog, rule]);
    tree
}

const ASKED: &str = "the files do not show whether the object comes from before v2 or after, so this is left as it is: the default of size became 2";

/// An object was accepted by a release that serves its apiVersion and has its fields.
#[test]
fn an_api_version_and_fields_show_on_which_side_of_a_changed_default_an_object_is() {
    let runs = |version: &str, spec: &str, to: &str| {
        let tree = changed_default(version, spec);
        let run = apply(&tree, to);
        run.check(0);
        let size = tree.text("a.yaml").lines().find_map(|line| line.strip_prefix("  size: ").map(str::to_owned));
        (size, run.all().contains(ASKED))
    };
    let size = |text: &str| Some(text.to_owned());
    // Only v1 serves v1alpha1, and only v2 and v3 serve v1.
    assert_eq!(runs("v1alpha1", "name", "boxes@v3"), (size("1"), false));
    assert_eq!(runs("v1beta1", "name", "boxes@v3"), (None, true));
    assert_eq!(runs("v1beta1", "late", "boxes@v3"), (None, false));
    assert_eq!(runs("v1", "name", "boxes@v3"), (None, false));
    // On the way back, an upgrade can have written the apiVersion.
    assert_eq!(runs("v1", "name", "boxes@v1"), (None, false));
    assert_eq!(runs("v1beta1", "name", "boxes@v1"), (None, true));
    assert_eq!(runs("v1alpha1", "name", "boxes@v1"), (None, false));
}

/// What an upgrade left open stays open on the way back, so that the two are the identity; where the release is named, its default is
/// written.
#[test]
fn an_upgrade_and_its_rollback_are_the_identity_about_a_changed_default() {
    let apply = |tree: &Tree, more: &[&str]| {
        let run =
            tree.run(&[&["apply", "--allow-no-vcs", "--yes", "--pack", "p", "--glob", "a.yaml", "-v"], more].concat());
        run.check(0);
        run.all()
    };
    let tree = changed_default("v1beta1", "name");
    let before = tree.text("a.yaml");
    apply(&tree, &["--to", "boxes@v3"]);
    assert_eq!(tree.text("a.yaml"), before.replace("v1beta1", "v1"));
    let back = apply(&tree, &["--to", "boxes@v1"]);
    assert!(
        back.contains("the object can have been upgraded from before v2 as it was, so this is left as it is"),
        "{back}"
    );
    assert_eq!(tree.text("a.yaml"), before);
    apply(&tree, &["--to", "boxes@v3"]);
    apply(&tree, &["--from", "boxes@v3", "--to", "boxes@v1"]);
    assert_eq!(tree.text("a.yaml"), format!("{before}  size: 2\n"));
}

#[test]
fn an_object_that_cannot_come_from_the_release_that_is_passed_is_asked_about() {
    let tree = changed_default("v1beta1", "name");
    let check = |from: &str| {
        let run = tree.run(&["check", "--pack", "p", "--glob", "a.yaml", "--from", from, "--to", "boxes@v3"]);
        run.check(1);
        run.all()
    };
    let open = check("boxes@v3");
    assert!(open.contains(ASKED) && open.contains("it cannot come from where the others do"), "{open}");
    for known in ["boxes@v1", "boxes@v2"] {
        let known = check(known);
        assert!(!known.contains(ASKED), "{known}");
    }
}

/// Adds a Box to the tree, in a file of its own.
fn add_box(tree: &Tree, name: &str, version: &str) {
    let text = format!("apiVersion: example.com/{version}\nkind: Box\nmetadata: {{name: {name}}}\nspec: {{name: x}}\n");
    fs::write(tree.path(&format!("{name}.yaml")), text).unwrap();
}

/// Runs a command about all boxes, with the target v3.
fn about_boxes(tree: &Tree, command: &str, more: &[&str]) -> Run {
    let read = [command, "--pack", "p", "--glob", "*.yaml", "--glob", "!p/**"];
    let to: &[&str] = if command == "detect" { &[] } else { &["--to", "boxes@v3"] };
    tree.run(&[&read, to, more].concat())
}

/// What is asked about one default is one finding with all places, and a comment at an object still accepts it there.
#[test]
fn what_is_asked_about_a_default_is_asked_once() {
    let tree = changed_default("v1beta1", "name");
    ["b", "c", "d"].into_iter().for_each(|name| add_box(&tree, name, "v1beta1"));
    let check = |more: &[&str]| about_boxes(&tree, "check", more).all();
    let all = check(&[]);
    assert!(all.contains(&format!("{ASKED}; also b.yaml:1:1 Box b, c.yaml:1:1 Box c and 1 more\n")), "{all}");
    assert_eq!(all.matches(ASKED).count(), 1, "{all}");
    assert_eq!(about_boxes(&tree, "check", &["--format", "json"]).out.matches(ASKED).count(), 4);
    let accepted = format!("# reversion: ignore[advisory] known\n{}", tree.text("b.yaml"));
    fs::write(tree.path("b.yaml"), accepted).unwrap();
    let rest = check(&[]);
    assert!(rest.contains(&format!("{ASKED}; also c.yaml:1:1 Box c, d.yaml:1:1 Box d\n")), "{rest}");
    assert!(!rest.contains("unused-ignore"), "{rest}");
}

/// One cluster runs one release: what only one object shows counts for all.
#[test]
fn what_objects_of_one_tree_fit_together_bounds_where_each_of_them_comes_from() {
    for (other, fits, size) in [("v1alpha1", "all fit v1\n", "+  size: 1\n"), ("v1", "all fit v2\n", "")] {
        let tree = changed_default("v1beta1", "name");
        let alone = about_boxes(&tree, "diff", &["-v"]);
        assert!(!alone.out.contains("size: 1") && alone.err.contains(ASKED), "{}", alone.all());
        add_box(&tree, "b", other);
        let together = about_boxes(&tree, "diff", &["-v", "a.yaml", "b.yaml"]);
        assert!(!together.all().contains(ASKED), "{}", together.all());
        assert_eq!(together.out.contains("+  size: 1\n"), !size.is_empty(), "{other}: {}", together.all());
        assert!(about_boxes(&tree, "detect", &[]).out.contains(fits), "{}", about_boxes(&tree, "detect", &[]).all());
        // The listed files are those that are reported; the others are read all the same. What is not read shows nothing.
        fs::write(tree.path("list"), "a.yaml\n").unwrap();
        let listed = about_boxes(&tree, "diff", &["-v", "--files-from", "list"]);
        assert!(!listed.all().contains(ASKED) && listed.out.contains(size), "{}", listed.all());
        let detected = about_boxes(&tree, "detect", &["--files-from", "list"]);
        assert!(detected.out.contains(&fits.replace("all fit", "fits")), "{}", detected.all());
        assert!(about_boxes(&tree, "diff", &["-v", "a.yaml"]).all().contains(ASKED));
    }
}

#[test]
fn an_object_that_contradicts_the_others_is_reported_and_goes_by_itself() {
    let tree = changed_default("v1beta1", "name");
    for (name, version) in [("b", "v1alpha1"), ("c", "v1alpha1"), ("d", "v1")] {
        add_box(&tree, name, version);
    }
    let told = "boxes: Box d (d.yaml:1:1) is for v2..v3, and the other objects are for v1; it is converted by itself\n";
    let run = about_boxes(&tree, "diff", &["-v"]);
    assert!(run.err.contains(told) && !run.all().contains(ASKED), "{}", run.all());
    assert!(run.out.contains("+  size: 1\n") && !run.out.contains("+++ b/d.yaml"), "{}", run.all());
    assert!(about_boxes(&tree, "detect", &[]).out.contains("; all but 1 fit v1\n"));
    // Of two that contradict each other, neither is the rest.
    fs::remove_file(tree.path("c.yaml")).unwrap();
    let run = about_boxes(&tree, "diff", &["-v"]);
    assert!(!run.err.contains("by itself") && run.err.contains(ASKED), "{}", run.all());
    assert!(about_boxes(&tree, "detect", &[]).out.contains("; no release fits all"));
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
    let found = tree.run(&["detect", "--verbose", "--pack", "p", "--glob", "a.yaml"]);
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
    assert!(
        found.out.contains("boxes: 1 object, 1 to convert to 2024.2; fits 2024.1\n") && !found.out.contains("single"),
        "{}",
        found.all()
    );
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

/// What pack.yaml says of boxes whose releases v1.0.1 and v1.1.0 have the APIs of v1.0.0, and v2.0.1 those of v2.0.0.
const SAME_APIS: &str = "\
name: boxes
triggers: [boxes]
artifacts: [boxes]
releases:
- { bundle: v1.0.0, same-apis: [v1.0.1, v1.1.0] }
- { bundle: v2.0.0, same-apis: [v2.0.1] }
excluded:
- { releases: [v1.1.1, v1.1.2], instead: v1.1.0, reason: it has fields that v2.0.0 lacks }
";

fn same_apis() -> [(String, String); 3] {
    pack_files(SAME_APIS, "v2.0.0", ["v1.0.0", "v2.0.0", "v1.0.0..v2.0.0"])
}

/// Returns what `check` says of a tree with a HelmRelease of Flux that no field dates, and a file of this name and text.
fn beside_a_release(name: &str, text: &str) -> Run {
    Tree::of(&[("a.yaml", RELEASE), (name, text)]).run(&["check", "-v", "--to", "flux@2.9"])
}

const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2beta1\nkind: HelmRelease\nmetadata: {name: a}\nspec:\n  interval: 1h\n  chart: {spec: {chart: a, sourceRef: {kind: HelmRepository, name: b}}}\n";

const COMPONENTS: &str = "---\n# Flux version: v0.14.1\napiVersion: v1\nkind: Namespace\nmetadata:\n  name: flux-system\n  labels:\n    app.kubernetes.io/part-of: flux\n    app.kubernetes.io/version: v0.14.1\n---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: flux-system, labels: {app.kubernetes.io/part-of: flux, app.kubernetes.io/version: v0.14.1}, annotations: {a: helm.toolkit.fluxcd.io}}\n";

/// What `flux bootstrap` writes, and the places that its manifests are taken from, name the release, once for each file.
#[test]
fn marks_of_manifests_name_the_release_that_objects_come_from() {
    let source = |kind: &str, url: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1beta2\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n  interval: 1h\n  url: {url}\n  ref:\n    tag: v0.40.2\n"
        )
    };
    let resource = |url: &str| {
        format!("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- a.yaml\n- {url}\n")
    };
    let repository = "https://github.com/fluxcd/flux2";
    let install = format!("{repository}/manifests/install?ref=v0.40.2");
    let download = format!("{repository}/releases/download/v0.40.2/install.yaml");
    let oci = "oci://ghcr.io/fluxcd/flux-manifests";
    for (file, text, line, mark) in [
        ("b.yaml", COMPONENTS.to_owned(), "2:1", "comment Flux version: v0.14.1"),
        ("b.yaml", COMPONENTS.replace("# Flux version", "# Flux Version"), "2:1", "comment Flux Version: v0.14.1"),
        ("b.yaml", COMPONENTS.replace("# Flux version", "# version"), "9:5", "label app.kubernetes.io/version v0.14.1"),
        ("kustomization.yaml", resource(&install), "5:1", &install),
        ("kustomization.yaml", resource(&download), "5:1", &download),
        ("b.yaml", source("OCIRepository", oci), "8:5", "manifests flux-manifests v0.40.2"),
        ("b.yaml", source("GitRepository", repository), "8:5", "manifests fluxcd/flux2 v0.40.2"),
    ] {
        let run = beside_a_release(file, &text);
        let bundle = if mark.contains("v0.14.1") {
            "v0.14.0, which has the same APIs"
        } else {
            "v0.40.0, which has the same APIs"
        };
        let named = format!("flux objects come from {bundle}: {mark} ({file}:{line})\n");
        assert!(run.err.contains(&named), "{mark}: {}", run.all());
        let pinned: Vec<&str> = run.out.lines().filter(|line| line.contains("pinned-version")).collect();
        assert!(matches!(*pinned, [pinned] if pinned.contains(mark)), "{mark}: {}", run.all());
        assert!(!run.all().contains("do not show whether"), "{mark}: {}", run.all());
    }
}

/// Where objects come from is said while there is something to do or to know, and not on the later runs of a tree in which all is known.
#[test]
fn where_objects_come_from_is_not_said_where_all_is_acknowledged() {
    let tree = Tree::of(&[("a.yaml", RELEASE), ("b.yaml", COMPONENTS)]);
    let checked = |flags: &[&str]| tree.run(&[&["check", "--to", "flux@2.9"][..], flags].concat());
    let origin = "flux objects come from v0.14.0";
    let first = checked(&[]);
    assert!(first.err.starts_with(origin), "{}", first.all());
    checked(&["--write-baseline", "known.json"]).check(0);
    let known = checked(&["--baseline", "known.json"]);
    known.check(0);
    assert_eq!((known.err.contains(origin), known.all().lines().count()), (false, 1), "{}", known.all());
}

/// Of what is at the target, the pinned version alone is left to be said, and it names its place itself.
#[test]
fn where_objects_come_from_is_not_said_where_none_of_them_changes() {
    let route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: a}\nspec: {hostnames: [a.example.com]}\n";
    let certificate = "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: a}\nspec: {secretName: a, dnsNames: [a.example.com], issuerRef: {name: b}}\n";
    let chart = "apiVersion: v2\nname: top\nversion: 1.0.0\ndependencies: [{name: cert-manager, version: v1.5.0, repository: https://charts.example.com}]\n";
    let tree = Tree::of(&[
        ("a.yaml", certificate),
        ("b.yaml", &route.replace("io/v1\n", "io/v1beta1\n")),
        ("Chart.yaml", chart),
    ]);
    let origin = "cert-manager objects come from v1.5.0: chart cert-manager v1.5.0 (Chart.yaml:4:37)\n";
    let checked = |flags: &[&str]| {
        let to = ["check", "--to", "cert-manager@1.20", "--to", "gateway-api@1.4/standard"];
        tree.run(&[&to[..], flags].concat())
    };
    // That an object of another pack changes makes no difference.
    let usual = checked(&[]);
    assert!(
        usual.out.contains("b.yaml:1:1: HTTPRoute a: ")
            && usual.out.contains("chart cert-manager v1.5.0 is not edited"),
        "{}",
        usual.all()
    );
    assert!(!usual.all().contains("objects come from"), "{}", usual.all());
    assert!(checked(&["-v"]).err.contains(origin), "{}", checked(&["-v"]).all());
    fs::write(tree.path("a.yaml"), certificate.replace("io/v1\n", "io/v1alpha2\n")).unwrap();
    assert!(checked(&[]).err.contains(origin), "{}", checked(&[]).all());
}

/// Two releases that are installed are two clusters: what changed between them may concern either, although the fields of all objects
/// fit the newer one.
#[test]
fn what_differs_between_two_installed_releases_is_reported() {
    let deployment = |image: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: nginx-gateway}}\nspec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n      - {{name: nginx-gateway, args: [static-mode], image: \"ghcr.io/nginx/nginx-gateway-fabric:{image}\"}}\n      - {{name: nginx, image: nginx}}\n"
        )
    };
    let proxy = "apiVersion: gateway.nginx.org/v1alpha2\nkind: NginxProxy\nmetadata: {name: a}\nspec: {kubernetes: {deployment: {replicas: 1}}}\n";
    let gateway = "apiVersion: gateway.nginx.org/v1alpha1\nkind: NginxGateway\nmetadata: {name: a}\nspec: {logging: {level: info}}\n";
    let tree = Tree::of(&[
        ("prod/d.yaml", &deployment("1.6.2")),
        ("prod/g.yaml", gateway),
        ("staging/d.yaml", &deployment("2.0.0")),
        ("staging/p.yaml", proxy),
    ]);
    let moved = "prod/d.yaml:5:3: warning[advisory] Deployment nginx-gateway: spec.replicas is not edited";
    for paths in [&["prod"][..], &["."]] {
        let run = tree.run(&[&["check", "--to", "ngf@2.6", "--isolated"], paths].concat());
        assert!(run.out.contains(moved), "{paths:?}: {}", run.all());
    }
    assert!(!tree.run(&["check", "--to", "ngf@2.6", "--isolated", "staging"]).out.contains("spec.replicas is not"));
}

/// What only looks like a mark is none: a text in an object, a label without the one that says whose it is, another repository.
#[test]
fn what_only_looks_like_a_mark_names_nothing() {
    let other = "# See the Flux version: v0.14.1\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {app.kubernetes.io/version: v0.14.1}, annotations: {a: helm.toolkit.fluxcd.io}}\ndata:\n  a: |\n    # Flux version: v0.14.1\n";
    let resource = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- https://github.com/fluxcd/flux2-kustomize-helm-example/apps?ref=v0.40.2\n";
    for (file, text) in [("b.yaml", other), ("kustomization.yaml", resource)] {
        let run = beside_a_release(file, text);
        assert!(!run.err.contains("flux objects come from") && !run.out.contains("pinned-version"), "{}", run.all());
    }
}

/// What the objects agree on still tells where they come from.
#[test]
fn a_mark_that_objects_contradict_shows_nothing_and_the_objects_do() {
    let newer = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: b}\nspec: {interval: 1h, chartRef: {kind: OCIRepository, name: b}}\n";
    let run = beside_a_release("b.yaml", &format!("{COMPONENTS}---\n{newer}"));
    let pinned = "comment Flux version: v0.14.1 is not edited; the target is ";
    let unused = "; it does not show where the objects come from: HelmRelease b (b.yaml:15:1) is for v2.3.0..";
    assert_eq!(run.all().matches("Flux version: v0.14.1").count(), 1, "{}", run.all());
    assert!(run.out.contains(pinned) && run.out.contains(unused), "{}", run.all());
    assert!(!run.all().contains("do not show whether"), "{}", run.all());
}

/// A HelmRelease that installs boxes.
fn install(version: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: boxes\nspec:\n  chart:\n    spec:\n      chart: boxes\n      version: {version}\n"
    )
}

#[test]
fn a_target_can_name_any_release_with_the_apis_of_a_bundle() {
    let tree = Tree::of(&[("a.yaml", &object("old"))]);
    write(&tree, "p", same_apis());
    for (to, field) in [("boxes@2.0.1", "new"), ("boxes@v1.0.1", "old"), ("boxes@2", "new"), ("boxes@1.1", "old")] {
        apply(&tree, to).check(0);
        assert_eq!(tree.text("a.yaml"), object(field), "{to}");
    }
    let check = |to: &str| tree.run(&["check", "--pack", "p", "--glob", "a.yaml", "--to", to, "--format", "json"]);
    let typed = check("boxes@v1.0.1");
    assert!(typed.out.contains("\"boxes@1.0.1\""), "{}", typed.all());
    // `releases` lists what has the same APIs: a pipeline is not told at each run.
    assert!(!typed.err.contains("same APIs"), "{}", typed.all());
    let newest = check("boxes@latest");
    assert!(newest.out.contains("\"boxes@2.0.1\""), "{}", newest.all());
    let unknown = check("boxes@1.0.2");
    let near =
        "pack boxes has no release `1.0.2`; its releases are v1.0.0 to v2.0.1; closest matches: v1.0.1, v1.0.0, v1.1.0";
    assert!(unknown.err.contains(near), "{}", unknown.all());
}

#[test]
fn the_releases_of_a_pack_are_listed_with_those_that_have_their_apis() {
    let tree = Tree::of(&[]);
    write(&tree, "p", same_apis());
    let listed = tree.run(&["releases", "--pack", "p", "boxes"]);
    let expected = "
releases, those with the same APIs on one line:
  v1.0.0..v1.1.0
  v2.0.0..v2.0.1
  not v1.1.1..v1.1.2: it has fields that v2.0.0 lacks; write boxes@1.1.0

";
    let (head, rest) = listed.out.split_once('\n').unwrap();
    assert_eq!(head, "boxes: Boxes v1.0.0..v2.0.1, 5 releases, 1 kind, 1 rule");
    let (source, rest) = rest.split_once('\n').unwrap();
    let hash = source.strip_prefix("from p#sha256=").unwrap_or_default();
    assert!(hash.len() == 64 && rest.starts_with(expected), "{}", listed.all());
    let explained = tree.run(&["explain", "--pack", "p", "boxes@1.1"]);
    let release =
        "boxes@1.1.0: release v1.1.0 of Boxes, with the same APIs as v1.0.0; pass it with `--to` or `--from`\n";
    assert_eq!(explained.out, release, "{}", explained.all());
}

#[test]
fn charts_of_releases_with_the_same_apis_name_the_bundle() {
    let tree = Tree::of(&[("a.yaml", &object("old")), ("install.yaml", &install("1.1.0"))]);
    write(&tree, "p", same_apis());
    let check = |more: &[&str]| {
        let run = tree.run(&[&["check", "--pack", "p", "--glob", "*.yaml", "--glob", "!p/**"], more].concat());
        assert!(!run.err.contains("error:"), "{}", run.all());
        run
    };
    let older = check(&["--to", "boxes@2.0.1"]);
    let from = "boxes objects come from v1.0.0, which has the same APIs: chart boxes 1.1.0 (install.yaml:9:7)\n";
    assert!(older.err.contains(from), "{}", older.all());
    let pin = "chart boxes 1.1.0 is not edited; the target is v2.0.1\n  help: set it to 2.0.1 when";
    assert!(older.all().contains(pin), "{}", older.all());
    fs::write(tree.path("install.yaml"), install("v1.1.0")).unwrap();
    let written_with_v = check(&["--to", "boxes@2.0.1"]);
    let pin = "chart boxes v1.1.0 is not edited; the target is v2.0.1\n  help: set it to v2.0.1 when";
    assert!(written_with_v.all().contains(pin), "{}", written_with_v.all());
    fs::write(tree.path("install.yaml"), install("1.1.0")).unwrap();
    // The files fit what is installed, whichever of the releases that is.
    let same = check(&["--to", "boxes@1.0.1"]);
    assert!(!same.all().contains("is not edited"), "{}", same.all());
    let passed = check(&["--to", "boxes@2", "--from", "boxes@1.0.1"]);
    assert!(!passed.err.contains("same APIs"), "{}", passed.all());
}

/// A range allows releases that it does not name, so it shows none. Source: Masterminds/semver, "Checking Version Constraints".
#[test]
fn a_range_of_versions_shows_no_release() {
    let tree = Tree::of(&[("a.yaml", &object("old"))]);
    write(&tree, "p", same_apis());
    let checked = |version: &str| {
        fs::write(tree.path("install.yaml"), install(&format!("'{version}'"))).unwrap();
        tree.run(&["check", "-v", "--pack", "p", "--glob", "*.yaml", "--glob", "!p/**", "--to", "boxes@2.0.1"])
    };
    for exact in ["1.1.0", "v1.1.0", "=1.1.0"] {
        assert!(checked(exact).err.contains("boxes objects come from v1.0.0"), "{exact}");
    }
    for range in [
        ">=1.1.0",
        "> 1.1.0",
        "<1.1.0",
        "<=1.1.0",
        "=>1.1.0",
        "!=1.1.0",
        "^1.1.0",
        "~1.1.0",
        "~> 1.1.0",
        "1.1.x",
        "1.1",
        "*",
        ">=1.1.0 <2",
        ">=1.0.0,<1.1.0",
        "1.0.0 - 1.1.0",
        "* || 1.1.0",
        "<1 || 1.1.0",
        "1.0.1 || 1.1.0",
    ] {
        let run = checked(range);
        let shown =
            format!("chart boxes {range} does not show where the objects come from: it is not exactly a known release");
        assert!(!run.err.contains("objects come from") && run.all().contains(&shown), "{range}: {}", run.all());
    }
}

#[test]
fn a_release_that_fits_nowhere_is_never_taken_for_another() {
    let tree = Tree::of(&[("a.yaml", &object("old")), ("install.yaml", &install("1.1.2"))]);
    write(&tree, "p", same_apis());
    for flag in ["--to", "--from"] {
        let run = tree.run(&["check", "--pack", "p", "--to", "boxes@2", flag, "boxes@v1.1.2"]);
        let error =
            "boxes v1.1.2 is no release to convert to or from: it has fields that v2.0.0 lacks; write boxes@1.1.0";
        assert!(run.code == Some(2) && run.err.contains(error), "{}", run.all());
    }
    let run = tree.run(&["check", "--pack", "p", "--glob", "*.yaml", "--glob", "!p/**", "--to", "boxes@2"]);
    let pinned = "install.yaml:9:7: warning[pinned-version] chart boxes 1.1.2 is not edited; the target is v2.0.1; it does not show where the objects come from: it has fields that v2.0.0 lacks\n  help: set it to 2.0.1 when the converted files are applied; to convert from the nearest release, pass --from boxes@1.1.0\n";
    assert!(run.out.contains(pinned) && !run.err.contains("boxes 1.1.2"), "{}", run.all());
}

#[test]
fn crds_of_a_release_with_the_same_apis_are_a_target() {
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: boxes.example.com\n  annotations:\n    boxes.example.com/version: v2.0.1\nspec:\n  group: example.com\n  names: { kind: Box }\n";
    let tree = Tree::of(&[("a.yaml", &object("old")), ("crd.yaml", crd)]);
    let line = format!("{SAME_APIS}annotations: {{ bundle: boxes.example.com/version }}\n");
    write(&tree, "p", pack_files(&line, "v2.0.0", ["v1.0.0", "v2.0.0", "v1.0.0..v2.0.0"]));
    let run = tree.run(&["diff", "--pack", "p", "--glob", "*.yaml", "--glob", "!p/**"]);
    assert!(run.err.contains("target boxes@2.0.1, from the CRDs: v2.0.1 (crd.yaml:6:5)\n"), "{}", run.all());
    assert!(run.out.contains("+  new: x"), "{}", run.all());
}

#[test]
fn patch_releases_of_kubernetes_mean_the_minor_release() {
    for (text, target, bundle) in [
        ("k8s@1.25.3", "kubernetes@1.25.3", "v1.25.0"),
        ("k8s@v1.25.3+k3s1", "kubernetes@1.25.3", "v1.25.0"),
        ("kubernetes@1.29.4-gke.100", "kubernetes@1.29.4", "v1.29.0"),
        ("kubernetes@v1.29.3-eks-adc7111", "kubernetes@1.29.3", "v1.29.0"),
        ("k8s@1.25", "kubernetes@1.25.0", "v1.25.0"),
        ("k8s@1.25.0", "kubernetes@1.25.0", "v1.25.0"),
    ] {
        let found = packs().target(text).unwrap();
        assert_eq!(found.to_string(), target);
        assert_eq!(found.pack.line().get(found.release).bundle, bundle, "{text}");
    }
    // What is no patch release of a known one.
    for text in ["k8s@1.13.2", "k8s@1.99.1", "k8s@1.25.0-rc.1", "k8s@1.25.x"] {
        let error = packs().target(text).unwrap_err().to_string();
        assert!(error.contains("has no release"), "{error}");
    }
}

/// Every tag of a project is a target: of the bundle whose CRDs it has, by the lists that were made from them.
#[test]
fn every_release_of_the_built_in_packs_is_a_target() {
    let Some(shared) = shared("facts") else { return };
    for (name, expected) in [("flux", 204), ("external-secrets", 134), ("cert-manager", 145), ("gateway-api", 28)] {
        let read = |file: &str| fs::read_to_string(shared.join(name).join(file)).unwrap();
        let mut rows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for row in read("api-targets.tsv").lines().skip(1) {
            let (before, rest) = row.split_once("\tv").unwrap();
            let (tag, after) = rest.split_once('\t').unwrap();
            rows.entry(format!("v{tag}")).or_default().insert(format!("{before}\t{after}"));
        }
        assert_eq!(rows.len(), expected, "{name}");
        let changes = read("changes.md");
        let identical = changes.lines().filter_map(|line| line.strip_prefix("- identical to ")?.split_once(": "));
        let same: BTreeMap<&str, &str> =
            identical.flat_map(|(of, tags)| tags.split(", ").map(move |tag| (tag, of))).collect();
        let pack = packs().named(name).unwrap();
        for tag in rows.keys() {
            let bundle = same.get(tag.as_str()).copied().unwrap_or(tag);
            if pack.exclusion(tag).is_some() {
                assert_eq!((name, bundle), ("cert-manager", "v1.12.13"), "{tag}");
                continue;
            }
            let found = packs().target(&format!("{name}@{tag}")).unwrap();
            assert_eq!(found.name(), tag.as_str());
            assert_eq!(pack.line().get(found.release).bundle, bundle, "{name} {tag}");
            assert_eq!(rows[tag], rows[bundle], "{name} {tag}");
        }
    }
    let newest = |name: &str| packs().target(&format!("{name}@latest")).unwrap().to_string();
    assert_eq!(newest("flux"), "flux@2.9.4");
    assert_eq!(newest("cert-manager"), "cert-manager@1.21.1");
    assert_eq!(newest("external-secrets"), "external-secrets@2.9.0");
}

/// A HelmRelease gives its values to a chart that another object brings: nothing in it names the chart.
#[test]
fn values_that_do_not_show_their_chart_are_no_green_run() {
    let release = |values: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: cm, namespace: cm}}\nspec:\n  interval: 1h\n  chartRef: {{kind: OCIRepository, name: cmo}}\n{values}"
        )
    };
    let repository = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: cmo, namespace: cm}\nspec: {interval: 1h, url: oci://quay.io/jetstack/charts/cert-manager, ref: {tag: v1.12.0}}\n";
    for (values, severity, part) in [
        (
            "  values: {crds: {enabled: true}}\n",
            "unresolved",
            "the values of the HelmRelease that names it by chartRef are not converted",
        ),
        ("  values: {}\n", "warning", "no HelmRelease that names it by chartRef has values that are converted"),
        ("", "warning", "no HelmRelease that names it by chartRef has values that are converted"),
    ] {
        let tree = Tree::of(&[("h.yaml", &release(values)), ("o.yaml", repository)]);
        for targets in [&["--to", "cert-manager@1.21"][..], &["--to", "cert-manager@1.21", "--to", "flux@2.9"]] {
            let run = tree.run(&[&["check"], targets].concat());
            let line = format!("o.yaml:4:22: {severity}[values-not-converted]");
            assert!(run.out.lines().any(|one| one.starts_with(&line) && one.contains(part)), "{line}\n{}", run.all());
            let code = if severity == "unresolved" {
                1
            } else if targets.len() == 2 {
                3
            } else {
                0
            };
            run.check(code);
        }
    }
}

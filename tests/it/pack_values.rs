//! Operations on values and lists, run through the program with the pack in `fixtures/packs/values`: what is told, which parameters
//! choose, and what is an error of a pack.

use std::fs;
use std::path::Path;

use reversion::internals::pack::{lint::lint, load};

use crate::support::trees::{Run, Tree};

const PACK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/packs/values");

/// An object of the pack.
fn object(kind: &str, version: &str, spec: &str) -> String {
    format!("apiVersion: values.example.com/{version}\nkind: {kind}\nmetadata:\n  name: one\nspec:\n{spec}")
}

fn check(tree: &Tree, more: &[&str]) -> Run {
    tree.run(&[&["check", "-v", "--pack", PACK, "--to", "values@2.0.0"], more].concat())
}

/// Returns the lines of the output about changed defaults.
fn told(run: &Run) -> Vec<String> {
    let text = run.all();
    let lines = text.lines().filter_map(|line| Some(line.split_once("note[changed-default] ")?.1));
    lines.map(str::to_owned).collect()
}

const FROZEN: &str = "spec.history: 2 is written, since without it the target means 10 (values.defaults=freeze)";
const ADOPTED: &str = "spec.history is absent, which meant 2 and means 10 in the target (values.defaults=adopt)";

#[test]
fn a_changed_default_is_told_once_for_all_objects() {
    let server = object("Server", "v1beta1", "  strategy: {type: Rolling}\n");
    let tree = Tree::of(&[("a.yaml", &server), ("b.yaml", &server.replace("one", "two"))]);
    let run = check(&tree, &[]);
    run.check(1);
    assert_eq!(told(&run), [format!("Server one: {FROZEN}")]);
    assert!(run.all().contains("\n  also b.yaml:5:1 Server two\n"), "{}", run.all());
}

#[test]
fn the_user_chooses_for_one_pack_or_for_all() {
    let server = object("Server", "v1beta1", "  strategy: {type: Rolling}\n");
    let choose = |config: &str, flags: &[&str]| {
        let tree = Tree::of(&[("a.yaml", &server), ("reversion.toml", config)]);
        told(&check(&tree, flags))
    };
    assert_eq!(choose("", &["--set", "values.defaults=adopt"]), [ADOPTED]);
    assert_eq!(choose("", &["--set", "defaults=adopt"]), [ADOPTED]);
    // The name with the pack takes precedence, in whatever order.
    assert_eq!(choose("", &["--set", "values.defaults=adopt,defaults=freeze"]), [ADOPTED]);
    assert_eq!(choose("", &["--set", "defaults=freeze,values.defaults=adopt"]), [ADOPTED]);
    assert_eq!(choose("[set]\ndefaults = 'adopt'\n", &[]), [ADOPTED]);
    assert_eq!(choose("[set]\nvalues.defaults = 'adopt'\n", &[]), [ADOPTED]);
    assert_eq!(choose("[set]\nvalues.defaults = 'adopt'\n", &["--set", "defaults=freeze"]), [FROZEN]);
}

#[test]
fn a_wrong_choice_is_an_error() {
    let tree = Tree::of(&[("a.yaml", &object("Server", "v1beta1", "  {}\n"))]);
    for (set, message) in [
        ("defaults=adpt", "`adpt` is not a valid cert-manager.defaults: did you mean adopt?"),
        ("values.defaults=later", "`later` is not a valid values.defaults: write freeze or adopt"),
        ("defalts=adopt", "no pack has the parameter `defalts`: did you mean defaults?"),
        ("values.default=adopt", "no pack has the parameter `values.default`: did you mean values.defaults?"),
        ("defaults=adopt,defaults=freeze", "defaults is set twice"),
    ] {
        let run = check(&tree, &["--set", set]);
        run.check(2);
        assert!(run.err.contains(message), "{set}: {}", run.err);
    }
    let run = tree.run(&["releases", "--pack", PACK, "values"]);
    let line = "  values.defaults: what becomes of fields whose default changed (freeze by default, or adopt)\n";
    assert!(run.out.contains(line), "{}", run.out);
}

#[test]
fn what_is_read_as_a_number_is_told() {
    let route = object("Route", "v1beta1", "  backend: {servicePort: \"8080\"}\n");
    let run = check(&Tree::of(&[("a.yaml", &route)]), &[]);
    let note = "note[normalized] spec.backend.servicePort is written in an equivalent form: the text \"8080\" is read as the number 8080";
    assert!(run.all().contains(note), "{}", run.all());
}

#[test]
fn a_merged_kind_is_told_and_does_not_come_back() {
    let tree = Tree::of(&[("a.yaml", &object("Shed", "v1", "  doors: 2\n"))]);
    let note = "kind is written in an equivalent form: converting back leaves Building, and does not make Shed of it";
    assert!(check(&tree, &[]).all().contains(note));
    // The older release has no Buildings.
    let catalog = "catalog/Building.values.example.com.tsv";
    let pack = changed(&[(catalog, "v1.0.0..v2.0.0", "v2.0.0")]);
    fs::write(pack.path("a.yaml"), object("Building", "v1", "  doors: 2\n")).unwrap();
    let run = pack.run(&["check", "--pack", "values", "--glob", "a.yaml", "--to", "values@1.0.0"]);
    assert!(run.all().contains("kind-not-in-target"), "{}", run.all());
}

/// Copies the pack into a tree, with other texts in some files.
fn changed(changes: &[(&str, &str, &str)]) -> Tree {
    let tree = Tree::of(&[]);
    for name in load::list_folder(Path::new(PACK)).unwrap().into_iter().filter(|name| !name.starts_with("fixtures/")) {
        let mut text = fs::read_to_string(Path::new(PACK).join(&name)).unwrap();
        for (_, from, to) in changes.iter().filter(|(file, ..)| *file == name) {
            assert!(text.contains(from), "{name}: {from}");
            text = text.replace(from, to);
        }
        let path = tree.path("values").join(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    tree
}

#[test]
fn errors_of_a_pack_name_the_parameter() {
    let (pack, rule) = ("pack.yaml", "v2.0.0/server-defaults.yaml");
    let undeclared = "values/v2.0.0/server-defaults.yaml:7:60: the pack has no parameter values.default: did you mean values.defaults?";
    for (change, message) in [
        (
            (pack, "default: freeze", "default: keep"),
            "the default `keep` of the parameter defaults is none of its choices: freeze, adopt",
        ),
        (
            (pack, "  default: freeze\n", ""),
            "the parameter defaults needs either `format`, or `choices` and their `default`",
        ),
        ((pack, "name: defaults", "name: a.b"), "choose a name without dots, commas and `=`"),
        (
            (pack, "choices: [freeze, adopt]", "choices: [freeze, later]"),
            "the parameter values.defaults has no choice `adopt`",
        ),
        ((rule, "values.defaults", "values.default"), undeclared),
        ((rule, "new: 10", "new: 2"), "`old` and `new` are the same, so the default of spec.history did not change"),
    ] {
        let error = format!("{:#}", load::read_folder(&changed(&[change]).path("values")).unwrap_err());
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn lint_compares_constants_with_the_catalogs() {
    let messages = |change| {
        let pack = load::read_folder(&changed(&[change]).path("values")).unwrap();
        lint(&pack, None).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let whole = load::read_folder(Path::new(PACK)).unwrap();
    assert_eq!(lint(&whole, None), vec![]);
    let defaults = "v2.0.0/server-defaults.yaml";
    let wrong = "values/v2.0.0/server-defaults.yaml:7:22: the default of spec.history before the change is 2 in the catalog, and not 3\n  help: write 2";
    assert_eq!(messages((defaults, "old: 2,", "old: 3,")), [wrong]);
    let error = load::read_folder(&changed(&[(defaults, "new: 10", "new: ten")]).path("values")).unwrap_err();
    let wrong = "no release under values.example.com/v1 allows \"ten\" in Server.values.example.com spec.history\n  help: its type is integer";
    assert!(error.to_string().ends_with(wrong), "{error}");
    let mode = "v2.0.0/pull-mode-became-a-mapping.yaml";
    let error = load::read_folder(&changed(&[(mode, "new: { all: {} }", "new: 5")]).path("values")).unwrap_err();
    let wrong = "no release from v2.0.0 on allows 5 in Pull.values.example.com spec.mode\n  help: its type is object";
    assert!(error.to_string().ends_with(wrong), "{error}");
}

#[test]
fn only_one_of_several_merged_kinds_comes_back() {
    let (barn, shed) = ("v2.0.0/barns-became-buildings.yaml", "v2.0.0/sheds-became-buildings.yaml");
    let exact = |rule| (rule, ", one-way: true", "");
    let messages = |changes: &[(&str, &str, &str)]| {
        let pack = load::read_folder(&changed(changes).path("values")).unwrap();
        lint(&pack, None).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(messages(&[exact(barn)]), Vec::<String>::new());
    let ambiguous = "values/v2.0.0/sheds-became-buildings.yaml:5:1: a Building.values.example.com was a Shed.values.example.com or, by \
                     values/v2.0.0/barns-became-buildings, a Barn.values.example.com\n  help: write `one-way: true` in one of the two \
                     rules, or a `when` whose `back` tells them apart";
    assert_eq!(messages(&[exact(barn), exact(shed)]), [ambiguous]);
}

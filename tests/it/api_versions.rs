//! Rules between two apiVersions that releases serve side by side: a small pack, run through the program.
//!
//! The pack has three bundles. A Store is served as `v1alpha1` (1 and 2), `v1beta1` (1 to 3) and `v1` (2 and 3); an Entry is in
//! the group `old.example.com` (1 and 2) and in `example.com` (2 and 3).

use std::fs;

use crate::support::trees::{Run, Tree};

const PACK: &str = "\
name: p
title: T
source: s
groups: [old.example.com, example.com]
releases:
- { bundle: v1, channels: [single] }
- { bundle: v2, channels: [single] }
- { bundle: v3, channels: [single] }
";

const STORE: &str = "\
kind|Store.example.com
scope|Namespaced|single v1..v3
served|v1|single v2..v3
served|v1beta1|single v1..v3
served|v1alpha1|single v1..v2
path|type|required|attributes|apiVersions|releases
spec|object||||single v1..v3
spec.engine|string||||single v1..v3
spec.extra|string|||v1beta1|single v1..v3
spec.mode|string|||v1|single v2..v3
spec.new|string|||v1beta1|single v1
spec.new|string|||v1beta1,v1|single v2..v3
spec.newest|string||||single v3
spec.old|string|||v1alpha1|single v1..v2
";

const OLD_ENTRY: &str = "\
kind|Entry.old.example.com
scope|Namespaced|single v1..v2
served|v1|single v1..v2
path|type|required|attributes|apiVersions|releases
spec|object||||single v1..v2
spec.to|string||||single v1..v2
";

const ENTRY: &str = "\
kind|Entry.example.com
scope|Namespaced|single v2..v3
served|v1|single v2..v3
path|type|required|attributes|apiVersions|releases
spec|object||||single v2..v3
spec.only|string||||single v3
spec.target|string||||single v2..v3
";

const RENAME: &str = "\
summary: spec.old became spec.new, and no engine now means another one
kind: Store.example.com
apiVersions: [example.com/v1alpha1, example.com/v1beta1]
channels: [single]
source: s
lens:
  - rename: { field: spec.old, to: new }
  - default: { field: spec.engine, value: first, forward: write, backward: elide }
";

const REGROUP: &str = "\
summary: Entry moved to example.com, and spec.to became spec.target
kind: Entry.old.example.com
apiVersions: [old.example.com/v1, example.com/v1]
channels: [single]
source: s
lens:
  - rename: { field: spec.to, to: target }
  - retype: { group: example.com }
";

fn tree(files: &[(&str, &str)]) -> Tree {
    let tree = Tree::of(files);
    let pack = [
        ("pack.yaml", PACK.to_owned()),
        ("catalog/Store.example.com.tsv", STORE.replace('|', "\t")),
        ("catalog/Entry.old.example.com.tsv", OLD_ENTRY.replace('|', "\t")),
        ("catalog/Entry.example.com.tsv", ENTRY.replace('|', "\t")),
        ("v1/rename.yaml", RENAME.to_owned()),
        ("v2/regroup.yaml", REGROUP.to_owned()),
    ];
    for (name, text) in pack {
        let path = tree.path("p").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    tree
}

fn apply(tree: &Tree, to: &str, more: &[&str]) -> Run {
    let to = format!("p@{to}");
    let all = ["apply", "--yes", "--allow-no-vcs", "-v", "--pack", "p", "--glob", "a.yaml", "--to", &to];
    tree.run(&[&all[..], more].concat())
}

fn store(version: &str, spec: &str) -> String {
    format!("apiVersion: example.com/{version}\nkind: Store\nmetadata:\n  name: a\nspec:\n{spec}")
}

fn entry(group: &str, spec: &str) -> String {
    format!("apiVersion: {group}/v1\nkind: Entry\nmetadata:\n  name: a\nspec:\n{spec}")
}

/// Converts `before` to a release, and checks what it becomes and with which exit code.
#[track_caller]
fn check(before: &str, (to, code): (&str, i32), after: &str) -> Run {
    let tree = tree(&[("a.yaml", before)]);
    let run = apply(&tree, to, &[]);
    run.check(code);
    assert_eq!(fs::read_to_string(tree.path("a.yaml")).unwrap(), after, "{}{}", run.out, run.err);
    run
}

#[test]
fn an_object_takes_every_step_to_the_most_stable_api_version() {
    let old = store("v1alpha1", "  old: x   # kept\n  engine: e\n");
    check(&old, ("v1", 0), &store("v1beta1", "  new: x   # kept\n  engine: e\n"));
    check(&old, ("v2", 0), &store("v1", "  new: x   # kept\n  engine: e\n"));
    check(&old, ("v3", 0), &store("v1", "  new: x   # kept\n  engine: e\n"));
}

/// Only the apiVersion shows which default an absent field has.
#[test]
fn the_api_version_of_an_object_decides_which_steps_it_takes() {
    check(&store("v1alpha1", "  old: x\n"), ("v3", 0), &store("v1", "  new: x\n  engine: first\n"));
    check(&store("v1beta1", "  new: x\n"), ("v3", 0), &store("v1", "  new: x\n"));
    check(&store("v1", "  new: x\n"), ("v3", 0), &store("v1", "  new: x\n"));
}

#[test]
fn fields_of_another_api_version_decide_instead() {
    let run = check(&store("v1alpha1", "  new: x\n"), ("v3", 0), &store("v1", "  new: x\n"));
    let message = "the fields are those of example.com/v1beta1, and not of example.com/v1alpha1";
    assert!(run.err.contains(message), "{}", run.err);
}

#[test]
fn an_object_gets_the_most_stable_api_version_that_holds_it() {
    let held = store("v1beta1", "  extra: e\n  new: x\n");
    let run = check(&held, ("v3", 0), &held);
    let message = "the object gets example.com/v1beta1, because example.com/v1 cannot hold it: spec.extra";
    assert!(run.err.contains(message), "{}", run.err);
    let old = store("v1alpha1", "  old: x\n  engine: e\n");
    check(&old.replace("  old", "  extra: y\n  old"), ("v3", 1), &old.replace("  old", "  extra: y\n  old"));
}

/// Where every apiVersion loses something, one that loses more is not taken because it is more stable.
#[test]
fn an_object_gets_the_api_version_that_loses_least() {
    let before = store("v1beta1", "  extra: e\n  new: x\n  newest: n\n");
    let tree = tree(&[("a.yaml", &before)]);
    apply(&tree, "v2", &["--allow-loss=dropped-field"]).check(0);
    let after = store("v1beta1", "  extra: e\n  new: x\n");
    assert_eq!(fs::read_to_string(tree.path("a.yaml")).unwrap(), after);
    // Of two that lose the same, the more stable one is taken.
    let before = store("v1beta1", "  new: x\n  newest: n\n");
    let tree = self::tree(&[("a.yaml", &before)]);
    apply(&tree, "v2", &["--allow-loss=dropped-field"]).check(0);
    assert_eq!(fs::read_to_string(tree.path("a.yaml")).unwrap(), store("v1", "  new: x\n"));
}

#[test]
fn a_rollback_takes_the_steps_back() {
    check(&store("v1", "  new: x\n"), ("v1", 0), &store("v1beta1", "  new: x\n"));
    let newer = store("v1", "  mode: m\n  new: x\n");
    let run = check(&newer, ("v1", 1), &newer);
    assert!(run.err.contains("held-back[dropped-field]"), "{}", run.err);
    check(&entry("example.com", "  target: x\n"), ("v1", 0), &entry("old.example.com", "  to: x\n"));
}

#[test]
fn a_group_that_is_served_beside_its_successor_is_left() {
    let old = entry("old.example.com", "  to: x\n");
    check(&old, ("v1", 0), &old);
    check(&old, ("v2", 0), &entry("example.com", "  target: x\n"));
    check(&old, ("v3", 0), &entry("example.com", "  target: x\n"));
}

#[test]
fn an_api_version_that_is_kept_keeps_its_fields() {
    let old = store("v1alpha1", "  old: x\n");
    let tree = tree(&[("a.yaml", &old)]);
    apply(&tree, "v2", &["--keep-api-version"]).check(0);
    assert_eq!(fs::read_to_string(tree.path("a.yaml")).unwrap(), old);
}

#[test]
fn the_stash_is_in_the_terms_of_the_api_version_that_was_left() {
    let newer = store("v1", "  mode: m\n  new: x\n");
    let tree = tree(&[("a.yaml", &newer)]);
    apply(&tree, "v1", &["--stash"]).check(0);
    let older = fs::read_to_string(tree.path("a.yaml")).unwrap();
    assert!(older.starts_with("apiVersion: example.com/v1beta1") && !older.contains("\n  mode:"), "{older}");
    apply(&tree, "v3", &[]).check(0);
    assert_eq!(fs::read_to_string(tree.path("a.yaml")).unwrap(), newer);
}

#[test]
fn mistakes_in_a_rule_are_reported() {
    let text = store("v1", "  new: x\n");
    for (versions, message) in [
        ("[example.com/v1, example.com/v1]", "apiVersions: the second one is the same as the first"),
        ("[other.com/v1alpha1, example.com/v1]", "other.com/v1alpha1 is not of the group of Store.example.com"),
        ("[example.com/v0, example.com/v1]", "no release has Store.example.com under example.com/v0"),
        ("[example.com/next, example.com/v1]", "`example.com/next` is not an apiVersion"),
    ] {
        let tree = tree(&[("a.yaml", &text)]);
        let rule = RENAME.replace("[example.com/v1alpha1, example.com/v1beta1]", versions);
        fs::write(tree.path("p/v1/rename.yaml"), rule).unwrap();
        let run = apply(&tree, "v3", &[]);
        run.check(2);
        assert!(run.err.contains("p/v1/rename.yaml") && run.err.contains(message), "{}", run.err);
    }
}

/// One rule gives the object another group, the next one other fields; the first bundle that has both introduced them together.
#[test]
fn a_chain_of_steps_is_followed_whatever_the_folders_of_its_rules() {
    let regrouped = "summary: s\nkind: Ing.old.example.com\napiVersions: [old.example.com/v1beta1, example.com/v1beta1]\nchannels: [single]\nsource: s\nlens:\n  - retype: { to: Ingress.example.com }\n";
    let renamed = "summary: s\nkind: Ingress.example.com\napiVersions: [example.com/v1beta1, example.com/v1]\nchannels: [single]\nsource: s\nlens:\n  - rename: { field: spec.backend, to: default }\n";
    let old = "kind|Ing.old.example.com\nscope|Namespaced|single v1..v2\nserved|v1beta1|single v1..v2\npath|type|required|attributes|apiVersions|releases\nspec|object||||single v1..v2\nspec.backend|string||||single v1..v2\n";
    let new = "kind|Ingress.example.com\nscope|Namespaced|single v2..v3\nserved|v1|single v2..v3\nserved|v1beta1|single v2..v3\npath|type|required|attributes|apiVersions|releases\nspec|object||||single v2..v3\nspec.backend|string|||v1beta1|single v2..v3\nspec.default|string|||v1|single v2..v3\n";
    let before = "apiVersion: old.example.com/v1beta1\nkind: Ing\nmetadata:\n  name: a\nspec:\n  backend: s   # kept\n";
    let after = "apiVersion: example.com/v1\nkind: Ingress\nmetadata:\n  name: a\nspec:\n  default: s   # kept\n";
    for (one, other) in [("v2", "v2"), ("v3", "v2"), ("v2", "v3"), ("v1", "v1")] {
        let tree = tree(&[("a.yaml", before)]);
        fs::remove_dir_all(tree.path("p")).unwrap();
        let files = [
            ("pack.yaml".to_owned(), PACK.to_owned()),
            ("catalog/Ing.old.example.com.tsv".to_owned(), old.replace('|', "\t")),
            ("catalog/Ingress.example.com.tsv".to_owned(), new.replace('|', "\t")),
            (format!("{one}/a.yaml"), regrouped.to_owned()),
            (format!("{other}/b.yaml"), renamed.to_owned()),
        ];
        for (name, text) in files {
            let path = tree.path("p").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        for (to, expected) in [("v3", after), ("v3", after), ("v1", before)] {
            apply(&tree, to, &[]).check(0);
            assert_eq!(fs::read_to_string(tree.path("a.yaml")).unwrap(), expected, "{one} {other} to {to}");
        }
    }
}

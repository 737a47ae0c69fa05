//! CRDs of an API that no pack knows: the program converts by them alone, whether they are passed or stand in the tree.

use std::fmt::Write as _;

use crate::support::shared;
use crate::support::trees::{Run, Tree};

/// One version of a CRD: name, state, and the properties of `spec`.
type Version<'t> = (&'t str, &'t str, &'t str);

const SERVED: &str = "served: true, storage: false";
pub(crate) const STORED: &str = "served: true, storage: true";
pub(crate) const DEPRECATED: &str = "served: true, storage: false, deprecated: true";
const UNSERVED: &str = "served: false, storage: false";

pub(crate) fn crd(kind: &str, strategy: &str, versions: &[Version<'_>]) -> String {
    let mut text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {0}s.home.example\nspec:\n  \
         group: home.example\n  names: {{kind: {kind}, plural: {0}s}}\n  scope: Namespaced\n  conversion: {{strategy: {strategy}}}\n  \
         versions:\n",
        kind.to_lowercase()
    );
    for (name, state, properties) in versions {
        writeln!(
            text,
            "  - {{name: {name}, {state}, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, \
             properties: {{{properties}}}}}}}}}}}}}"
        )
        .unwrap();
    }
    text
}

pub(crate) fn lamp(version: &str, spec: &str) -> String {
    format!("apiVersion: home.example/{version}\nkind: Lamp\nmetadata: {{name: a}}\nspec: {{{spec}}} # lit\n")
}

/// Runs `diff` on one object with one set of CRDs.
fn diff_one(versions: &[Version<'_>], strategy: &str, object: &str) -> (Tree, Run) {
    let tree = Tree::of(&[("new/lamp.yaml", &crd("Lamp", strategy, versions)), ("a.yaml", object)]);
    let run = tree.run(&["apply", "--yes", "--allow-dirty", "-v", "--crds", "new", "a.yaml"]);
    (tree, run)
}

/// Checks that an object gets another version, with nothing else changed.
#[track_caller]
fn moves(versions: &[Version<'_>], strategy: &str, (from, to): (&str, &str), spec: &str) -> String {
    let (tree, run) = diff_one(versions, strategy, &lamp(from, spec));
    assert_eq!(tree.text("a.yaml"), lamp(to, spec), "{}", run.all());
    run.check(0);
    run.all()
}

/// Checks that an object is held back with this code and these texts.
#[track_caller]
fn is_held(versions: &[Version<'_>], strategy: &str, from: &str, spec: &str, expected: &[&str]) {
    let (tree, run) = diff_one(versions, strategy, &lamp(from, spec));
    assert_eq!(tree.text("a.yaml"), lamp(from, spec));
    run.check(1);
    let printed = run.all();
    assert!(expected.iter().all(|text| printed.contains(text)), "{expected:?}\n{printed}");
}

pub(crate) const ROOM: &str = "room: {type: string}";

#[test]
fn only_the_api_version_changes_without_a_webhook() {
    let versions = [("v1beta1", UNSERVED, ROOM), ("v1", STORED, "room: {type: string, maxLength: 9}")];
    let printed = moves(&versions, "None", ("v1beta1", "v1"), "room: hall");
    assert!(!printed.contains("converted-by-schema"), "{printed}");
    is_held(&versions, "None", "v1beta1", "room: long corridor", &["invalid-in-target", "at most 9 characters"]);
    let narrower = [("v1beta1", UNSERVED, "room: {type: string}, lit: {type: boolean}"), ("v1", STORED, ROOM)];
    is_held(&narrower, "None", "v1beta1", "room: hall, lit: true", &["dropped-field", "spec.lit"]);
}

#[test]
fn a_webhook_is_trusted_only_where_the_schemas_are_the_same() {
    let old = "room: {type: string}, watts: {type: string}, gone: {type: string}";
    let new = "room: {type: string}, watts: {type: integer}, added: {type: string}";
    let versions = [("v1beta1", UNSERVED, old), ("v1", STORED, new)];
    let printed = moves(&versions, "Webhook", ("v1beta1", "v1"), "room: hall");
    assert!(printed.contains("note[converted-by-schema] Lamp a: v1beta1 becomes v1 by schema"), "{printed}");
    is_held(
        &versions,
        "Webhook",
        "v1beta1",
        "gone: a, room: hall, watts: '5'",
        &[
            "held-back[schema-differs] Lamp a: from v1beta1 to v1, spec.gone disappears",
            "from v1beta1 to v1, spec.watts changes in type (\"string\", then \"integer\")",
            "kubectl get Lamp.v1.home.example NAME -o yaml",
        ],
    );
}

#[test]
fn a_schema_that_describes_nothing_vouches_for_nothing() {
    let open = "inputs: {type: object, x-kubernetes-preserve-unknown-fields: true}, data: {x-kubernetes-preserve-unknown-fields: true}";
    let versions = [("v1beta1", UNSERVED, open), ("v1", STORED, open)];
    is_held(&versions, "Webhook", "v1beta1", "inputs: {a: 1}", &["spec.inputs.a is described by no schema"]);
    moves(&versions, "Webhook", ("v1beta1", "v1"), "data: {a: 1}, inputs: {}");
    moves(&versions, "None", ("v1beta1", "v1"), "inputs: {a: 1}");
}

#[test]
fn what_the_newest_version_cannot_hold_gets_a_deprecated_one_that_is_served() {
    let new = "room: {type: string, maxLength: 9}";
    let versions = [("v1alpha1", UNSERVED, ROOM), ("v1beta1", DEPRECATED, ROOM), ("v1", STORED, new)];
    let because = |printed: &str, strategy: &str| {
        let gets =
            "the object gets home.example/v1beta1, which the CRD in new has deprecated, because home.example/v1 ";
        assert!(printed.contains("warning[less-stable-version]") && printed.contains(gets), "{strategy}: {printed}");
    };
    for from in ["v1alpha1", "v1beta1"] {
        let printed = moves(&versions, "Webhook", (from, "v1beta1"), "room: hall");
        because(&printed, "Webhook");
        assert!(printed.contains("cannot hold it: from "), "{printed}");
        let printed = moves(&versions, "None", (from, "v1beta1"), "room: long corridor");
        because(&printed, "None");
        assert!(printed.contains("rejects it: spec.room must be at most 9 characters long"), "{printed}");
        let printed = moves(&versions, "None", (from, "v1"), "room: hall");
        assert!(!printed.contains("less-stable-version"), "{printed}");
    }
}

#[test]
fn a_default_that_changes_holds_back_what_does_not_write_it() {
    let versions = [
        ("v1beta1", UNSERVED, "room: {type: string}, dim: {type: boolean, default: false}"),
        ("v1", STORED, "room: {type: string}, dim: {type: boolean, default: true}"),
    ];
    for strategy in ["None", "Webhook"] {
        is_held(&versions, strategy, "v1beta1", "room: hall", &["schema-differs", "spec.dim", "write `dim: false`"]);
        moves(&versions, strategy, ("v1beta1", "v1"), "dim: false, room: hall");
    }
}

#[test]
fn what_defaulting_fills_in_counts_as_a_whole() {
    let dim = |level: &str| {
        format!(
            "{ROOM}, dim: {{type: object, default: {{}}, properties: {{level: {{type: integer, default: {level}}}}}}}"
        )
    };
    let (one, two, own) = (dim("1"), dim("2"), format!("{ROOM}, dim: {{type: integer, default: 2}}"));
    for strategy in ["None", "Webhook"] {
        let nested = [("v1beta1", UNSERVED, &*one), ("v1", STORED, &*two)];
        let expected = "spec.dim is not written, and its default changes ({\"level\":1}, then {\"level\":2})";
        is_held(&nested, strategy, "v1beta1", "room: hall", &["schema-differs", expected]);
        moves(&nested, strategy, ("v1beta1", "v1"), "dim: {level: 2}");
        let added = [("v1beta1", UNSERVED, ROOM), ("v1", STORED, &*own)];
        let expected = "spec.dim is not written, and its default changes (no default, then 2)";
        is_held(&added, strategy, "v1beta1", "room: hall", &["schema-differs", expected]);
    }
}

#[test]
fn keywords_that_catalogs_lack_are_compared_under_a_webhook() {
    let pairs = [
        ("multipleOf", "5", "7"),
        ("exclusiveMinimum", "false", "true"),
        ("oneOf", "[{minimum: 1}]", "[{minimum: 2}]"),
        ("not", "{enum: [7]}", "{enum: [8]}"),
        ("x-kubernetes-validations", "[{rule: 'self > 1'}]", "[{rule: 'self > 2'}]"),
        ("x-kubernetes-embedded-resource", "true", "false"),
    ];
    for (keyword, old, new) in pairs {
        let watts = |value: &str| format!("watts: {{type: integer, minimum: 1, {keyword}: {value}}}, {ROOM}");
        let (old, new) = (watts(old), watts(new));
        let versions = [("v1beta1", UNSERVED, &*old), ("v1", STORED, &*new)];
        let expected = format!("spec.watts changes in {keyword}");
        is_held(&versions, "Webhook", "v1beta1", "watts: 35", &["schema-differs", &expected]);
        moves(&versions, "Webhook", ("v1beta1", "v1"), "room: hall");
        let same = [("v1beta1", UNSERVED, &*old), ("v1", STORED, &*old)];
        if keyword != "x-kubernetes-embedded-resource" {
            moves(&same, "Webhook", ("v1beta1", "v1"), "watts: 35");
        }
    }
    let (old, new) = ("room: {type: string, pattern: '^(?=h)'}", "room: {type: string, pattern: '^(?=a)'}");
    let versions = [("v1beta1", UNSERVED, old), ("v1", STORED, new)];
    is_held(&versions, "Webhook", "v1beta1", "room: hall", &["spec.room changes in pattern"]);
}

#[test]
fn a_field_that_no_schema_has_is_not_alike() {
    let versions = [("v1beta1", UNSERVED, ROOM), ("v1", STORED, ROOM)];
    is_held(&versions, "Webhook", "v1beta1", "typo: a", &["schema-differs", "spec.typo is described by no schema"]);
}

#[test]
fn null_that_becomes_a_default_holds_the_object_back() {
    let versions = [
        ("v1beta1", UNSERVED, "room: {type: string, nullable: true, default: hall}"),
        ("v1", STORED, "room: {type: string, default: hall}"),
    ];
    is_held(&versions, "None", "v1beta1", "room: null", &["spec.room is null, which changes (null, then \"hall\")"]);
    moves(&versions, "None", ("v1beta1", "v1"), "room: attic");
}

#[test]
fn an_object_at_a_version_that_is_served_and_not_deprecated_stays() {
    let versions = [("v1beta1", SERVED, ROOM), ("v1", STORED, ROOM)];
    let (tree, run) = diff_one(&versions, "None", &lamp("v1beta1", "room: hall"));
    assert_eq!(tree.text("a.yaml"), lamp("v1beta1", "room: hall"));
    run.check(0);
}

#[test]
fn the_most_stable_version_is_chosen_that_holds_the_object() {
    let versions = [
        ("v1alpha1", DEPRECATED, ROOM),
        ("v1beta2", SERVED, ROOM),
        ("v1beta1", SERVED, ROOM),
        ("v1", STORED, "room: {type: integer}"),
        ("v2", DEPRECATED, ROOM),
    ];
    moves(&versions, "None", ("v1alpha1", "v1beta2"), "room: hall");
    moves(&versions, "Webhook", ("v1alpha1", "v1beta2"), "room: hall");
}

#[test]
fn where_every_version_is_deprecated_a_served_one_stays() {
    let versions = [("v1beta1", DEPRECATED, ROOM), ("v1", DEPRECATED, ROOM)];
    let (_, run) = diff_one(&versions, "None", &lamp("v1beta1", "room: hall"));
    run.check(0);
    assert!(run.all().contains("0 to change"), "{}", run.all());
}

#[test]
fn versions_can_have_any_name() {
    let versions = [("alpha", UNSERVED, ROOM), ("foo10", SERVED, ROOM), ("foo1", SERVED, ROOM)];
    moves(&versions, "None", ("alpha", "foo1"), "room: hall");
    let versions = [("alpha", UNSERVED, ROOM), ("foo1", SERVED, ROOM), ("v1alpha1", STORED, ROOM)];
    moves(&versions, "None", ("alpha", "v1alpha1"), "room: hall");
}

#[test]
fn a_version_that_no_crd_lists_holds_the_object_back() {
    let versions = [("v1", STORED, ROOM)];
    is_held(&versions, "None", "v1alpha1", "room: hall", &["held-back[unknown-api-version]", "--crds OLD --crds NEW"]);
    is_held(&versions, "None", "${VERSION}", "room: hall", &["not-convertible", "looks like a variable"]);
}

/// A tree with two sets of CRDs: what is removed in the new one is known from the old one.
fn two_sets(strategy: &str, object: &str) -> Tree {
    let old = crd("Lamp", strategy, &[("v1alpha1", SERVED, ROOM), ("v1beta1", STORED, ROOM)]);
    let new = crd("Lamp", strategy, &[("v1beta1", SERVED, ROOM), ("v1", STORED, ROOM)]);
    Tree::of(&[("old/crds/a.yaml", &old), ("new/crds/a.yaml", &new), ("a.yaml", object)])
}

#[test]
fn a_version_that_only_the_old_set_lists_is_known() {
    for strategy in ["None", "Webhook"] {
        let tree = two_sets(strategy, &lamp("v1alpha1", "room: hall"));
        let run = tree.run(&["apply", "--yes", "--allow-dirty", "--crds", "old/crds", "--crds", "new/crds", "a.yaml"]);
        run.check(0);
        assert!(run.err.contains("target crds@new, from the CRDs: new/crds (1 CRD)"), "{}", run.err);
        assert_eq!(tree.text("a.yaml"), lamp("v1", "room: hall"));
    }
}

#[test]
fn a_conversion_is_judged_by_the_set_that_lists_both_versions() {
    let alpha = ("v1alpha1", SERVED, ROOM);
    let old = crd("Lamp", "Webhook", &[alpha, ("v1", STORED, ROOM)]);
    let new = crd("Lamp", "Webhook", &[("v1", STORED, "room: {type: string, maxLength: 9}")]);
    let object = lamp("v1alpha1", "room: hall");
    let tree = Tree::of(&[("old.yaml", &old), ("new.yaml", &new), ("a.yaml", &object)]);
    let sets = ["apply", "--yes", "--allow-dirty", "--crds", "old.yaml", "--crds", "new.yaml", "a.yaml"];
    tree.run(&sets).check(0);
    assert_eq!(tree.text("a.yaml"), lamp("v1", "room: hall"));
    // Where no set lists both, the schemas of the two sets are compared.
    let apart = crd("Lamp", "None", &[alpha]);
    let tree = Tree::of(&[("old.yaml", &apart), ("new.yaml", &new), ("a.yaml", &object)]);
    let run = tree.run(&sets);
    run.check(1);
    assert!(run.all().contains("spec.room changes in maxLength (none, then 9)"), "{}", run.all());
}

/// Runs `check` on an object with the CRDs of two sets.
fn between(old: &str, new: &str, object: &str) -> Run {
    let tree = Tree::of(&[("old.yaml", old), ("new.yaml", new), ("a.yaml", object)]);
    tree.run(&["check", "-v", "--crds", "old.yaml", "--crds", "new.yaml", "a.yaml"])
}

#[test]
fn a_default_that_changes_from_set_to_set_holds_the_object_back() {
    let dim = |level: u8| format!("{ROOM}, dim: {{type: integer, default: {level}}}");
    let (one, two) = (dim(1), dim(2));
    let new = crd("Lamp", "None", &[("v1", STORED, &two)]);
    let both = crd("Lamp", "None", &[("v1beta1", SERVED, &one), ("v1", STORED, &one)]);
    let text = "spec.dim is not written, and its default changes (1, then 2)";
    for version in ["v1beta1", "v1"] {
        let run = between(&both, &new, &lamp(version, "room: hall"));
        run.check(1);
        assert!(run.all().contains("held-back[schema-differs]") && run.all().contains(text), "{}", run.all());
        let run = between(&both, &new, &lamp(version, "dim: 1"));
        assert!(!run.all().contains("schema-differs"), "{}", run.all());
    }
    between(&both, &both, &lamp("v1", "room: hall")).check(0);
}

#[test]
fn a_scope_that_changes_from_set_to_set_holds_the_object_back() {
    let old = crd("Lamp", "None", &[("v1", STORED, ROOM)]);
    let run = between(&old, &old.replace("Namespaced", "Cluster"), &lamp("v1", "room: hall"));
    run.check(1);
    assert!(run.all().contains("the scope of Lamp.home.example changes from Namespaced to Cluster"), "{}", run.all());
}

#[test]
fn a_stash_of_a_set_with_another_name_is_not_passed_over() {
    let old = crd("Lamp", "None", &[("v1", STORED, "room: {type: string}, lit: {type: boolean}")]);
    let new = crd("Lamp", "None", &[("v1", STORED, ROOM)]);
    let files = [("old.yaml", &*old), ("new.yaml", &new), ("a.yaml", &lamp("v1", "room: hall, lit: true"))];
    let tree = Tree::of(&files);
    let write = ["apply", "--yes", "--allow-dirty"];
    tree.run(&[&write[..], &["--stash", "--crds", "old.yaml", "--crds", "new.yaml", "a.yaml"]].concat()).check(0);
    let stashed = tree.text("a.yaml");
    std::fs::rename(tree.path("old.yaml"), tree.path("first.yaml")).unwrap();
    let run = tree.run(&[&write[..], &["--crds", "new.yaml", "--crds", "first.yaml", "a.yaml"]].concat());
    run.check(1);
    assert!(run.all().contains("held-back[invalid-stash]") && run.all().contains("crds@old"), "{}", run.all());
    assert_eq!(tree.text("a.yaml"), stashed);
}

#[test]
fn another_set_can_be_the_target() {
    let tree = two_sets("None", &lamp("v1", "room: hall"));
    let run = tree.run(&["diff", "--crds", "old/crds", "--crds", "new/crds", "--to", "crds@old", "a.yaml"]);
    assert!(run.out.contains("-apiVersion: home.example/v1\n+apiVersion: home.example/v1beta1\n"), "{}", run.all());
    let run = tree.run(&["diff", "--crds", "old/crds", "--crds", "new/crds", "--to", "crds@older", "a.yaml"]);
    run.check(2);
    assert!(run.err.contains("closest matches: "), "{}", run.err);
}

#[test]
fn crds_come_in_lists_in_json_and_from_standard_input() {
    let one = crd("Lamp", "None", &[("v1beta1", DEPRECATED, ROOM), ("v1", STORED, ROOM)]);
    let items: String = one
        .lines()
        .enumerate()
        .fold(String::new(), |text, (at, line)| text + if at == 0 { "- " } else { "  " } + line + "\n");
    let list = format!("apiVersion: v1\nkind: List\nitems:\n{items}");
    let json = serde_json::to_string(&serde_yaml::from_str::<serde_json::Value>(&list).unwrap()).unwrap();
    let object = lamp("v1beta1", "room: hall");
    let tree = Tree::of(&[("list.yaml", &list), ("list.json", &json), ("a.yaml", &object)]);
    for file in ["list.yaml", "list.json"] {
        let run = tree.run(&["diff", "--crds", file, "a.yaml"]);
        run.check(1);
        assert!(run.out.contains("+apiVersion: home.example/v1\n"), "{file}: {}", run.all());
    }
    let run = tree.run_fed(&["diff", "--crds", "-", "a.yaml"], &list);
    assert!(run.out.contains("+apiVersion: home.example/v1\n"), "{}", run.all());
    for arguments in [
        &["convert", "--crds", "-", "-"][..],
        &["check", "--crds", "-", "-"],
        &["check", "--crds", "-", "--crds", "-", "a.yaml"],
    ] {
        let run = tree.run_fed(arguments, &list);
        run.check(2);
        assert!(run.err.contains("`-` is standard input"), "{}", run.err);
    }
    let run = tree.run_fed(&["convert", "--crds", "list.yaml", "-"], &object);
    assert_eq!(run.out, lamp("v1", "room: hall"));
}

#[test]
fn crds_in_the_tree_are_used_where_nothing_else_is_named() {
    let definition = crd("Lamp", "None", &[("v1beta1", DEPRECATED, ROOM), ("v1", STORED, ROOM)]);
    let object = lamp("v1beta1", "room: hall");
    let tree = Tree::of(&[("crds/lamp.yaml", &definition), ("a.yaml", &object)]);
    let run = tree.run(&["diff", "."]);
    run.check(1);
    assert!(run.err.contains("target crds@tree, from the CRDs: crds/lamp.yaml:1:1\n"), "{}", run.err);
    assert!(run.out.contains("+apiVersion: home.example/v1\n"), "{}", run.out);
    let run = tree.run(&["detect", "."]);
    run.check(0);
    let expected = "warning[outdated-version] Lamp a: home.example/v1beta1 is deprecated in crds@tree, which serves v1";
    assert!(run.out.contains(expected), "{}", run.out);
    // What the command does, it says itself.
    let detected: serde_json::Value =
        serde_json::from_str(&tree.run(&["detect", "--format", "json", "."]).out).unwrap();
    assert_eq!(detected["update"], serde_json::json!({"targets": [], "commands": [["reversion", "diff", "."]]}));
    let run = tree.run_fed(&["check", "-"], format!("{definition}---\n{object}"));
    run.check(1);
    assert!(run.out.contains("Lamp a: home.example/v1beta1 -> home.example/v1"), "{}", run.all());
}

#[test]
fn crds_in_the_tree_that_contradict_each_other_are_not_used() {
    let one = crd("Lamp", "None", &[("v1beta1", DEPRECATED, ROOM), ("v1", STORED, ROOM)]);
    let other = crd("Lamp", "None", &[("v1beta1", STORED, ROOM)]);
    let switch = crd("Switch", "None", &[("v1", STORED, ROOM)]);
    let object = lamp("v1beta1", "room: hall");
    let files = [("a.yaml", &*object), ("b/lamp.yaml", &one), ("c/lamp.yaml", &other), ("c/switch.yaml", &switch)];
    let tree = Tree::of(&files);
    let run = tree.run(&["check", "."]);
    let expected = "warning[mixed-crds] the CRD at c/lamp.yaml:1:1 defines Lamp.home.example otherwise than this one";
    assert!(run.all().contains(expected), "{}", run.all());
    assert!(run.all().contains("0 to change"), "{}", run.all());
    // The same CRD twice says nothing new.
    let tree = Tree::of(&[("a.yaml", &object), ("b/lamp.yaml", &one), ("c/lamp.yaml", &one)]);
    let run = tree.run(&["check", "."]);
    assert!(run.all().contains("1 to change in 1 file") && !run.all().contains("mixed-crds"), "{}", run.all());
}

/// The kustomization of a CRD, and the patch that Kubebuilder adds to it.
#[test]
fn a_patch_can_add_the_webhook() {
    let definition = crd("Lamp", "None", &[("v1beta1", DEPRECATED, "room: {type: integer}"), ("v1", STORED, ROOM)]);
    let merge = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lamps.home.example}\n\
                 spec: {conversion: {strategy: Webhook}}\n";
    let json = "- {op: add, path: /spec/conversion, value: {strategy: Webhook}}\n";
    let target = "target: {kind: CustomResourceDefinition, name: lamps.home.example}";
    let object = "apiVersion: home.example/v1beta1\nkind: Lamp\nmetadata: {name: a}\nspec: {room: hall}\n";
    for (entry, patch, expected) in [
        ("path: patch.yaml".to_owned(), merge, true),
        (format!("path: patch.yaml, {target}"), json, true),
        (format!("patch: '[{{op: add, path: /spec/conversion/strategy, value: Webhook}}]', {target}"), "", true),
        (format!("patch: '[{{op: add, path: /metadata/labels/a, value: b}}]', {target}"), "", false),
        ("path: patch.yaml".to_owned(), &merge.replace("lamps", "shades"), false),
    ] {
        let kustomization = format!("resources: [lamp.yaml]\npatches:\n- {{{entry}}}\n");
        let files = [
            ("crds/lamp.yaml", &*definition),
            ("crds/kustomization.yaml", &kustomization),
            ("crds/patch.yaml", patch),
            ("a.yaml", object),
        ];
        let tree = Tree::of(&files);
        for arguments in [&["check", "."][..], &["check", "--crds", "crds", "a.yaml"]] {
            let printed = tree.run(arguments).all();
            assert_eq!(printed.contains("held-back[schema-differs]"), expected, "{entry}\n{printed}");
        }
    }
}

#[test]
fn keywords_that_are_not_checked_are_reported() {
    let versions = [
        ("v1beta1", DEPRECATED, ROOM),
        ("v1", STORED, "room: {type: string, pattern: '^(?=h)'}, watts: {type: integer, multipleOf: 5}"),
    ];
    let printed = moves(&versions, "None", ("v1beta1", "v1"), "room: hall");
    assert!(printed.contains("note[unchecked-rule]") && printed.contains("`pattern` of spec.room"), "{printed}");
    assert!(!printed.contains("multipleOf"), "{printed}");
    let versions =
        [("v1beta1", DEPRECATED, ROOM), ("v1", STORED, "room: {type: string, pattern: '((h{1,99}){1,99}){1,99}'}")];
    let printed = moves(&versions, "None", ("v1beta1", "v1"), "room: hall");
    assert!(printed.contains("note[unchecked-rule]") && printed.contains("`pattern` of spec.room"), "{printed}");
}

#[test]
fn crds_that_no_target_is_about_are_told() {
    let Some(crds) = shared("crds/gateway-api/v1.4.1/standard") else { return };
    let routes = std::fs::read_dir(crds).unwrap().map(|entry| entry.unwrap().path());
    let routes = routes.into_iter().find(|path| path.to_string_lossy().contains("httproutes")).unwrap();
    let routes = std::fs::read_to_string(routes).unwrap();
    let one = crd("Lamp", "None", &[("v1beta1", DEPRECATED, ROOM), ("v1", STORED, ROOM)]);
    let object = lamp("v1beta1", "room: hall");
    let tree = Tree::of(&[("g/gateway.yaml", &*routes), ("g/lamp.yaml", &one), ("a.yaml", &object)]);
    let run = tree.run(&["check", "--to", "gateway-api@1.4", "--crds", "g", "a.yaml"]);
    let expected =
        "--crds: g defines Lamp.home.example too, which the target is not about; for their objects add --to crds@g";
    assert!(run.err.contains(expected), "{}", run.err);
    let run = tree.run(&["check", "--to", "gateway-api@1.4", "--to", "crds@g", "--crds", "g", "a.yaml"]);
    assert!(!run.err.contains("is not about") && run.out.contains("v1beta1 -> home.example/v1\n"), "{}", run.all());
}

#[test]
fn a_kind_without_a_served_version_is_reported_as_that() {
    let versions = [("v1beta1", UNSERVED, ROOM), ("v1", "served: false, storage: true", ROOM)];
    is_held(&versions, "None", "v1beta1", "room: hall", &["the CRD serves no version of Lamp"]);
}

#[test]
fn crds_that_cannot_be_used_are_errors() {
    let one = crd("Lamp", "None", &[("v1", STORED, ROOM)]);
    let object = lamp("v1", "room: hall");
    let malformed = one.replace("scope: Namespaced", "scope: Galaxy");
    let files = [("twice/a.yaml", &*one), ("twice/b.yaml", &one), ("bad/a.yaml", &malformed), ("a.yaml", &object)];
    let tree = Tree::of(&files);
    let check = |folder: &str, expected: &str| {
        let run = tree.run(&["check", "--crds", folder, "a.yaml"]);
        run.check(2);
        assert!(run.err.contains(expected), "{}", run.err);
    };
    check("twice", "twice/b.yaml:1:1: Lamp.home.example is defined by another CRD too, at twice/a.yaml:1:1");
    check("bad", "bad/a.yaml:1:1: Lamp.home.example: `Galaxy` is not a scope");
    check("a.yaml", "--crds: a.yaml contains no CRD");
    let run = tree.run(&["check", "--to", "gateway-api@1.4", "--crds", "twice/a.yaml", "a.yaml"]);
    run.check(2);
    assert!(
        run.err.contains(
            "--crds: twice/a.yaml contains no CRD of gateway-api; for objects of its own CRDs write --to crds@a"
        ),
        "{}",
        run.err
    );
}

#[test]
fn cel_rules_of_the_crds_are_run() {
    let rule = "x-kubernetes-validations: [{rule: \"self != 'attic'\", message: not in the attic}]";
    let versions = [("v1beta1", DEPRECATED, ROOM), ("v1", STORED, &*format!("room: {{type: string, {rule}}}"))];
    moves(&versions, "None", ("v1beta1", "v1"), "room: hall");
    is_held(&versions, "None", "v1beta1", "room: attic", &["invalid-in-target", "not in the attic"]);
}

#[test]
fn patches_follow_the_objects_that_they_are_merged_with() {
    let definition = crd(
        "Lamp",
        "Webhook",
        &[
            ("v1beta1", DEPRECATED, "room: {type: string}, dim: {type: boolean, default: false}"),
            ("v1", STORED, "room: {type: string}, dim: {type: boolean, default: false}"),
        ],
    );
    let kustomization = "resources: [lamp.yaml]\npatches: [{path: patch.yaml}]\n";
    let patch = "apiVersion: home.example/v1beta1\nkind: Lamp\nmetadata: {name: a}\nspec: {room: attic}\n";
    let object = lamp("v1beta1", "room: hall");
    let files = [
        ("crds.yaml", &*definition),
        ("app/kustomization.yaml", kustomization),
        ("app/lamp.yaml", &object),
        ("app/patch.yaml", patch),
    ];
    let tree = Tree::of(&files);
    tree.run(&["apply", "--yes", "--allow-dirty", "--crds", "crds.yaml", "app"]).check(0);
    assert_eq!(tree.text("app/lamp.yaml"), lamp("v1", "room: hall"));
    assert_eq!(tree.text("app/patch.yaml"), patch.replace("v1beta1", "v1"));
}

/// What a conversion by CRDs changed, the way back undoes, byte for byte.
#[test]
fn there_and_back_is_the_same_text() {
    for strategy in ["None", "Webhook"] {
        let old = crd("Lamp", strategy, &[("v1beta1", STORED, ROOM)]);
        let new = crd("Lamp", strategy, &[("v1beta1", UNSERVED, ROOM), ("v1", STORED, ROOM)]);
        let object = lamp("v1beta1", "room: hall");
        let tree = Tree::of(&[("old.yaml", &old), ("new.yaml", &new), ("a.yaml", &object)]);
        let sets = ["--crds", "old.yaml", "--crds", "new.yaml", "a.yaml"];
        let run = |to: &str| tree.run(&[&["apply", "--yes", "--allow-dirty", "--to", to][..], &sets].concat());
        run("crds@new").check(0);
        assert_eq!(tree.text("a.yaml"), lamp("v1", "room: hall"));
        run("crds@old").check(0);
        assert_eq!(tree.text("a.yaml"), object);
    }
}

#[test]
fn a_crd_that_keeps_every_key_has_no_unknown_ones() {
    let old = |option: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {{name: lamps.home.example}}\nspec:\n  \
             group: home.example\n  names: {{kind: Lamp, plural: lamps}}\n  scope: Namespaced\n{option}  version: v1\n  validation:\n    \
             openAPIV3Schema: {{properties: {{spec: {{type: object, properties: {{a: {{type: object}}}}}}}}}}\n"
        )
    };
    let unknown = |crd: &str| {
        let tree = Tree::of(&[("lamps.yaml", crd), ("a.yaml", &lamp("v1", "a: {b: 1}, c: 2"))]);
        let printed = tree.run(&["detect", "."]).all();
        assert!(printed.contains("crds: 1 object"), "{printed}");
        ["spec.a.b", "spec.c"].map(|field| printed.contains(&format!("no release has the field {field};")))
    };
    assert_eq!(unknown(&old("")), [false, false]);
    assert_eq!(unknown(&old("  preserveUnknownFields: true\n")), [false, false]);
    assert_eq!(unknown(&old("  preserveUnknownFields: false\n")), [true, true]);
    assert_eq!(unknown(&crd("Lamp", "None", &[("v1", STORED, "a: {type: object}")])), [true, true]);
}

/// A ClusterRole beside objects of the CRDs does not make Kubernetes the API that a target is missing for.
#[test]
fn crds_of_a_known_api_that_name_no_release_are_what_a_target_is_wanted_of() {
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: middlewares.traefik.io}\nspec:\n  \
               group: traefik.io\n  scope: Namespaced\n  names: {kind: Middleware, plural: middlewares}\n  versions:\n  - {name: v1alpha1, served: true, \
               storage: true, schema: {openAPIV3Schema: {type: object}}}\n";
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\nrules: []\n";
    let tree = Tree::of(&[("old.yaml", crd), ("new.yaml", crd), ("a.yaml", role)]);
    let run = tree.run(&["check", "--crds", "old.yaml", "--crds", "new.yaml", "a.yaml"]);
    run.check(2);
    let told =
        "error: no target: the CRDs of --crds name no release of traefik; pass a target, such as --to traefik@latest";
    assert!(run.err.starts_with(told), "{}", run.all());
}

/// There is no pack of that name for those who have CRDs alone.
#[test]
fn a_run_in_vain_with_crds_asks_for_the_others() {
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lamps.new.example}\nspec:\n  group: new.example\n  names: {kind: Lamp, plural: lamps}\n  scope: Namespaced\n  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n";
    let tree = Tree::of(&[
        ("crds/lamps.yaml", crd),
        ("app/a.yaml", "apiVersion: old.example/v1\nkind: Lamp\nmetadata: {name: a}\n"),
    ]);
    let run = tree.run(&["check", "--crds", "crds", "app"]);
    run.check(3);
    assert!(run.err.contains("no object of a kind that the CRDs describe in app"), "{}", run.err);
    assert!(run.err.contains("`--crds OLD --crds NEW`"), "{}", run.err);
}

//! What kustomizations name and the walk does not lead to: it is read, never written, and reported where it needs changes. Files that
//! are data of ConfigMaps stay as they are.

use crate::support::trees::{Run, Tree};

const INGRESS: &str = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: shop}\nspec:\n  rules:\n  - host: a.example.com\n    http:\n      paths:\n      - {path: /, pathType: Prefix, backend: {serviceName: shop, servicePort: 80}}\n";
const CURRENT: &str = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: shop}\nspec:\n  rules:\n  - host: a.example.com\n    http:\n      paths:\n      - {path: /, pathType: Prefix, backend: {service: {name: shop, port: {number: 80}}}}\n";
const PDB: &str = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: 1, selector: {matchLabels: {app: a}}}\n";
const PATCH: &str = "patches:\n- target: {kind: Ingress}\n  patch: |-\n    - {op: replace, path: /spec/rules/0/http/paths/0/backend/serviceName, value: x}\n";

/// Runs a command on `paths`.
fn run(tree: &Tree, command: &[&str], paths: &[&str]) -> Run {
    tree.run(&[command, &["--to", "kubernetes@1.25"], paths].concat())
}

fn apply(tree: &Tree, paths: &[&str]) -> Run {
    run(tree, &["apply", "--yes", "--allow-no-vcs"], paths)
}

#[track_caller]
fn check_unread(resource: &str, files: &[(&str, &str)], name: &str) {
    let kustomization = format!("resources:\n- pdb.yaml\n- {resource}\n{PATCH}");
    let tree = Tree::of(&[&[("kustomization.yaml", &*kustomization), ("pdb.yaml", PDB)], files].concat());
    let check = run(&tree, &["check"], &["."]);
    check.check(1);
    let finding = format!("kustomization.yaml:3:1: unresolved[not-in-run] what is built includes {name}, ");
    assert!(check.out.contains(&finding), "{}", check.all());
    apply(&tree, &["."]).check(1);
    assert_eq!(tree.text("kustomization.yaml"), kustomization, "the patch waits for its object");
    assert!(tree.text("pdb.yaml").contains("policy/v1\n"));
    assert_eq!(tree.text(name), files.iter().find(|(file, _)| *file == name).unwrap().1);
}

#[test]
fn what_is_hidden_or_ignored_or_has_another_extension_is_reported_where_it_is_named() {
    let base = |folder: &str| {
        [(format!("{folder}/kustomization.yaml"), "resources: [i.yaml]\n"), (format!("{folder}/i.yaml"), INGRESS)]
    };
    for folder in [".base", "ignored"] {
        let files = base(folder);
        let files = files.each_ref().map(|(name, text)| (&**name, *text));
        let ignore = (".reversionignore", "ignored/\n");
        check_unread(folder, &[&files[..], &[ignore]].concat(), &format!("{folder}/i.yaml"));
    }
    check_unread("i.txt", &[("i.txt", INGRESS)], "i.txt");
    check_unread(".i.yaml", &[(".i.yaml", &format!("{INGRESS}a: [\n"))], ".i.yaml");
}

#[test]
fn what_needs_no_change_or_is_not_there_is_not_reported() {
    let kustomization = "resources: [.base, none.yaml, service.txt]\n";
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: shop}\n";
    let tree = Tree::of(&[
        ("kustomization.yaml", kustomization),
        (".base/kustomization.yaml", "resources: [i.yaml]\n"),
        (".base/i.yaml", CURRENT),
        ("service.txt", service),
        ("pdb.yaml", &PDB.replace("v1beta1", "v1")),
    ]);
    let check = run(&tree, &["check"], &["."]);
    check.check(0);
    assert!(!check.all().contains("not-in-run"), "{}", check.all());
}

#[test]
fn what_is_outside_of_the_paths_is_read_and_not_written() {
    let overlay = format!("resources: [../../base, pdb.yaml]\n{PATCH}");
    let files = |ingress| {
        Tree::of(&[
            ("base/kustomization.yaml", "resources: [i.yaml]\n"),
            ("base/i.yaml", ingress),
            ("overlays/a/kustomization.yaml", &overlay),
            ("overlays/a/pdb.yaml", PDB),
        ])
    };
    let tree = files(INGRESS);
    for paths in [["overlays/a"], ["overlays/a/kustomization.yaml"]] {
        let check = run(&tree, &["check"], &paths);
        check.check(1);
        let finding = "overlays/a/kustomization.yaml:1:13: unresolved[not-in-run] what is built includes base/i.yaml, ";
        assert!(check.out.contains(finding), "{}", check.all());
    }
    let applied = apply(&tree, &["overlays/a"]);
    applied.check(1);
    assert_eq!(
        (tree.text("base/i.yaml"), tree.text("overlays/a/kustomization.yaml")),
        (INGRESS.into(), overlay.clone())
    );
    assert!(
        applied.all().contains("base/i.yaml changes with it, and is not among the files of this run"),
        "{}",
        applied.all()
    );
    apply(&tree, &["."]).check(0);
    let ready = "resources: [../../base, pdb.yaml]\n";
    let tree = files(CURRENT);
    std::fs::write(tree.path("overlays/a/kustomization.yaml"), ready).unwrap();
    apply(&tree, &["overlays/a"]).check(0);
    assert!(tree.text("overlays/a/pdb.yaml").contains("policy/v1\n"));
}

#[cfg(unix)]
#[test]
fn a_link_that_stays_in_the_tree_is_followed_where_it_is_named() {
    use std::os::unix::fs::symlink;

    let tree = Tree::of(&[
        ("o/kustomization.yaml", &format!("resources: [base]\n{PATCH}")),
        ("p/kustomization.yaml", "resources: [i.yaml]\npatches: [{path: patch.yaml, target: {kind: Ingress}}]\n"),
        ("real/kustomization.yaml", "resources: [i.yaml]\n"),
        ("real/i.yaml", INGRESS),
        ("real/patch.yaml", "[{op: replace, path: /spec/rules/0/http/paths/0/backend/serviceName, value: y}]\n"),
    ]);
    symlink("../real", tree.path("o/base")).unwrap();
    symlink("../real/i.yaml", tree.path("p/i.yaml")).unwrap();
    symlink("../real/patch.yaml", tree.path("p/patch.yaml")).unwrap();
    let applied = apply(&tree, &["."]);
    applied.check(0);
    assert!(!tree.text("o/kustomization.yaml").contains("serviceName"), "{}", applied.all());
    assert!(!tree.text("real/patch.yaml").contains("serviceName") && tree.text("real/i.yaml").contains("io/v1\n"));
    assert!(tree.path("p/i.yaml").is_symlink());
}

#[cfg(unix)]
#[test]
fn a_link_that_leaves_the_tree_is_one_to_a_file_that_is_not_of_the_run() {
    let outside = Tree::of(&[("kustomization.yaml", "resources: [i.yaml]\n"), ("i.yaml", INGRESS)]);
    let overlay = format!("resources: [base]\n{PATCH}");
    let tree = Tree::of(&[("kustomization.yaml", &overlay), ("pdb.yaml", PDB)]);
    std::os::unix::fs::symlink(outside.path("."), tree.path("base")).unwrap();
    let applied = apply(&tree, &["."]);
    applied.check(1);
    assert!(applied.all().contains("kustomization.yaml:1:13: unresolved[not-in-run]"), "{}", applied.all());
    assert_eq!((tree.text("kustomization.yaml"), outside.text("i.yaml")), (overlay, INGRESS.into()));
}

#[test]
fn a_file_that_is_data_of_a_config_map_alone_is_not_converted() {
    let generator = "configMapGenerator:\n- name: data\n  files: [key.yaml=pdb.yaml]\n";
    let tree = Tree::of(&[("a/kustomization.yaml", generator), ("a/pdb.yaml", PDB)]);
    let applied = apply(&tree, &["."]);
    applied.check(0);
    let note = "a/pdb.yaml: warning[data-file] it is data of ConfigMap data and nothing else, so it is not converted";
    assert!(applied.all().contains(note), "{}", applied.all());
    assert_eq!(tree.text("a/pdb.yaml"), PDB);
    // What is built, or scanned by a controller, is an object too.
    let built = format!("resources: [pdb.yaml]\n{generator}");
    let scanned =
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: ./a/b}\n";
    let below = generator.replace("pdb.yaml", "b/pdb.yaml");
    let values = generator.replace("pdb.yaml", "values.yaml");
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec: {valuesFrom: [{kind: ConfigMap, name: data}]}\n";
    let extra = format!("extraObjects:\n- {}", PDB.trim_end().replace('\n', "\n  "));
    for files in [
        [("a/kustomization.yaml", &*built), ("a/pdb.yaml", PDB), ("x.yaml", "")],
        [("a/kustomization.yaml", &*below), ("a/b/pdb.yaml", PDB), ("x.yaml", scanned)],
        [("a/kustomization.yaml", &*values), ("a/values.yaml", &*extra), ("x.yaml", release)],
    ] {
        let tree = Tree::of(&files);
        let applied = run(&tree, &["apply", "-v", "--yes", "--allow-no-vcs"], &["."]);
        applied.check(0);
        assert!(applied.all().contains("warning[data-file] it is data of ConfigMap data too"), "{}", applied.all());
        assert!(tree.text(files[1].0).contains("policy/v1\n"));
    }
    // Whatever a file of values is called, nothing in it stays unreported.
    let tree = Tree::of(&[("a/kustomization.yaml", generator), ("a/pdb.yaml", &extra), ("x.yaml", release)]);
    let applied = apply(&tree, &["."]);
    applied.check(1);
    assert!(applied.all().contains("a/pdb.yaml:2:1: unresolved[not-an-object]"), "{}", applied.all());
}

//! `--shard` splits what is reported and written: every object is in one shard, and the shards together report what a run on the whole tree
//! reports. `report merge` joins their reports into the one of the whole tree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::trees::Tree;
use crate::support::{program, root, shared};

const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [a.example.com]}\n";
const BROKEN: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: cart\n";
const TO: [&str; 2] = ["--to", "gateway-api@1.6/standard"];

/// Reports a tree, or a shard of it, as JSON.
fn report(folder: &Path, arguments: &[&str]) -> Value {
    let mut command = program();
    command.current_dir(folder).args(arguments).args(["--format", "json"]);
    let output = command.output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{err}"))
}

/// What must be the same for the whole and its shards together: lists as sets, since each shard reports what is about the tree.
fn union(reports: &[Value]) -> Vec<BTreeSet<String>> {
    let list = |name: &str| -> BTreeSet<String> {
        let items = reports.iter().flat_map(|report| report[name].as_array().unwrap());
        items.map(Value::to_string).collect()
    };
    ["files", "objects", "findings", "advisories"].map(list).into()
}

fn count(reports: &[Value], list: &str) -> usize {
    reports.iter().map(|report| report[list].as_array().unwrap().len()).sum()
}

/// Compares a run with those on its shards, and with their merged report; returns how many objects there are.
#[track_caller]
fn check(folder: &Path, arguments: &[&str]) -> usize {
    let whole = report(folder, arguments);
    let objects = whole["objects"].as_array().unwrap().len();
    for shards in [2, 3, 7] {
        let parts: Vec<Value> = (1..=shards)
            .map(|at| report(folder, &[arguments, &["--shard", &format!("{at}/{shards}")]].concat()))
            .collect();
        let of = format!("{} {arguments:?} in {shards}", folder.display());
        assert_eq!(union(&parts), union(std::slice::from_ref(&whole)), "{of}");
        assert_eq!(
            (count(&parts, "objects"), count(&parts, "files")),
            (objects, count(std::slice::from_ref(&whole), "files")),
            "{of}"
        );
        let tree = Tree::new(0);
        let names: Vec<String> = (1..=shards).map(|at| format!("{at}.json")).collect();
        for (name, part) in names.iter().zip(&parts) {
            fs::write(tree.path(name), part.to_string()).unwrap();
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut merged = report(&tree.path(""), &[&["report", "merge"], &names[..]].concat());
        assert_eq!(union(std::slice::from_ref(&merged)), union(std::slice::from_ref(&whole)), "{of}");
        for same in ["summary", "totals", "exitCode", "targets", "folder", "shard", "leftOut"] {
            assert_eq!(merged[same].take(), whole[same], "{of}: {same}");
        }
    }
    objects
}

#[test]
fn shards_together_report_what_the_whole_run_reports() {
    let root = root();
    let repositories = [
        (&["check", "fixtures/repos/shop-1.0-experimental", "--to", "gateway-api@1.6/experimental"][..], 8),
        (&["check", "fixtures/repos/platform-1.3", "--to", "gateway-api@1.0/standard"], 14),
        (&["check", "fixtures/repos/platform-1.3", "--to", "gateway-api@1.6/standard"], 14),
        (&["check", "fixtures/repos/edge-ngf-1.6", "--to", "ngf@2.6"], 5),
        (&["check", "fixtures/repos/charts-ngf-1.6", "--to", "ngf@2.6"], 1),
        (&["check", "fixtures/repos", "--to", "ngf@2.6", "--to", "gateway-api@1.5.1/standard"], 30),
    ];
    for (arguments, least) in repositories {
        assert!(check(root, arguments) >= least, "{arguments:?}");
    }
}

/// Real manifests before a migration by their maintainers.
#[test]
fn shards_of_real_manifests_report_what_the_whole_run_reports() {
    let Some(pairs) = shared("pairs") else { return };
    let entries = fs::read_dir(pairs).unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    let objects: usize = folders
        .iter()
        .step_by(folders.len().div_ceil(6).max(1))
        .map(|folder| check(folder, &["check", ".", TO[0], TO[1]]))
        .sum();
    assert!(objects > 0);
}

/// A chart is one shard's, so what it names is judged by its own objects.
#[test]
fn names_in_a_chart_are_judged_by_its_own_objects() {
    let chart = "apiVersion: v2\nname: a\nversion: 1.0.0\n";
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: \"{{ .Release.Name }}\"}\nrules:\n- {apiGroups: [extensions], resources: [ingresses], verbs: [get]}\n";
    let held = "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: \"{{ .Release.Name }}\"}\nspec: {backend: {serviceName: a, servicePort: \"{{ .Values.port }}\"}}\n";
    let tree = Tree::of(&[
        ("a/Chart.yaml", chart),
        ("a/templates/role.yaml", role),
        ("b/Chart.yaml", chart),
        ("b/templates/ingress.yaml", held),
        ("c/Chart.yaml", chart),
        ("c/templates/role.yaml", role),
        ("c/templates/ingress.yaml", held),
    ]);
    check(&tree.path(""), &["check", ".", "--to", "kubernetes@1.33"]);
    let run = tree.run(&["check", "--to", "kubernetes@1.33"]);
    run.check(1);
    let named = |file: &str| run.out.contains(&format!("{file}:5:1: unresolved[reference-not-updated]"));
    assert_eq!((named("a/templates/role.yaml"), named("c/templates/role.yaml")), (true, false), "{}", run.all());
}

fn tree() -> Tree {
    let files: Vec<(String, String)> =
        (0..12).map(|at| (format!("apps/{at}.yaml"), ROUTE.replace("shop", &format!("shop-{at}")))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Tree::of(&files)
}

#[test]
fn each_shard_writes_its_files_and_all_of_them_write_the_tree() {
    let tree = tree();
    let converted = |tree: &Tree| (0..12).filter(|at| !tree.text(&format!("apps/{at}.yaml")).contains("beta1")).count();
    let apply = ["apply", "--yes", "--allow-no-vcs", TO[0], TO[1], "--shard"];
    tree.run(&[&apply[..], &["1/3"]].concat()).check(0);
    let first = converted(&tree);
    assert!((1..12).contains(&first), "{first}");
    tree.run(&[&apply[..], &["2/3"]].concat()).check(0);
    tree.run(&[&apply[..], &["3/3"]].concat()).check(0);
    assert_eq!(converted(&tree), 12);
}

/// One file, so most shards have none; a tree without a known object still ends with 3.
#[test]
fn a_shard_without_an_object_is_clean_where_another_one_has_some() {
    let tree = Tree::of(&[("a.yaml", ROUTE)]);
    let codes: Vec<i32> =
        (1..=4).map(|at| tree.run(&["check", TO[0], TO[1], "--shard", &format!("{at}/4")]).code.unwrap()).collect();
    assert_eq!(
        (codes.iter().filter(|code| **code == 0).count(), codes.iter().filter(|code| **code == 1).count()),
        (3, 1)
    );
    let detected = |at: u32| tree.run(&["detect", "--shard", &format!("{at}/4")]).code;
    assert!((1..=4).all(|at| detected(at) == Some(0)));
    let none = Tree::of(&[("a.yaml", "kind: Service\n")]);
    none.run(&["check", TO[0], TO[1], "--shard", "1/4"]).check(3);
}

/// A file that cannot be parsed fails its own shard only.
#[test]
fn a_broken_file_fails_its_shard() {
    let tree = Tree::of(&[("a.yaml", ROUTE), ("b.yaml", BROKEN), ("c.yaml", &ROUTE.replace("shop", "other"))]);
    let run = |at: u32| tree.run(&["check", TO[0], TO[1], "--shard", &format!("{at}/4")]);
    let failed: Vec<String> = (1..=4).map(run).filter(|run| run.code == Some(2)).map(|run| run.all()).collect();
    assert_eq!(failed.len(), 1);
    assert!(failed[0].contains("b.yaml:3:11: error[parse-error]"), "{}", failed[0]);
    check(&tree.path(""), &["check", TO[0], TO[1]]);
    check(&tree.path(""), &["check", TO[0], TO[1], "--keep-going"]);
}

/// `--exit-zero` is for the runs on the shards, so that all of them report; what they found decides for the whole.
#[test]
fn merged_reports_end_as_the_whole_run_does() {
    let tree = tree();
    for at in 1..=2 {
        let (shard, out) = (format!("{at}/2"), format!("{at}.json"));
        let check =
            ["check", TO[0], TO[1], "--shard", &shard, "--format", "json", "--exit-zero", "--output-file", &out];
        tree.run(&check).check(0);
    }
    tree.run(&["report", "merge", "1.json", "2.json"]).check(1);
}

#[test]
fn a_wrong_shard_is_refused() {
    let run = tree().run(&["check", TO[0], TO[1], "--shard", "4/3"]);
    run.check(2);
    assert!(run.err.contains("write I/N, such as 1/4"), "{}", run.err);
}

/// Writes the reports of the shards of a tree, and returns it.
fn reported(shards: u32) -> Tree {
    let tree = tree();
    for at in 1..=shards {
        let (shard, file) = (format!("{at}/{shards}"), format!("{at}.report"));
        tree.run(&["check", TO[0], TO[1], "--shard", &shard, "--format", "json", "--output-file", &file]).check(1);
    }
    tree
}

#[test]
fn merged_reports_are_shown_in_every_format() {
    let tree = reported(2);
    let merge = |format: &str| tree.run(&["report", "merge", "1.report", "2.report", "--format", format]);
    let summary =
        "12 files read, 12 objects recognized: 12 to change in 12 files, 0 held back; 0 files skipped, 0 failed\n";
    for format in ["text", "json", "jsonl", "github", "gitlab", "sarif", "junit", "markdown"] {
        let merged = merge(format);
        merged.check(1);
        assert_eq!(merged.err.lines().last().map(|line| format!("{line}\n")).as_deref(), Some(summary), "{format}");
        // Lines for people name the first of what changes alike.
        assert!(format == "text" || merged.out.contains("shop-4"), "{format}: {}", merged.out);
        let whole = tree.run(&["check", TO[0], TO[1], "--format", format]);
        if format == "text" {
            assert_eq!(merged.out, whole.out);
        } else if !["json", "jsonl"].contains(&format) {
            assert_eq!(merged.out.lines().count(), whole.out.lines().count(), "{format}");
        }
    }
}

#[test]
fn reports_that_do_not_fit_together_are_refused() {
    let tree = reported(2);
    let refused = |arguments: &[&str], expected: &str| {
        let run = tree.run(&[&["report", "merge"], arguments].concat());
        run.check(2);
        assert!(run.err.contains(expected), "{}", run.err);
    };
    refused(&["1.report"], "shard 2/2 is missing");
    refused(&["1.report", "2.report", "2.report"], "shard 1/2 is missing");
    let check = |name: &str, arguments: &[&str]| {
        let report = ["--format", "json", "--output-file", name];
        tree.run(&[&["check"], arguments, &report].concat());
    };
    check("whole", &TO);
    check("older", &["--to", "gateway-api@1.5/standard"]);
    refused(&["whole", "whole"], "apps/0.yaml is in both whole and whole");
    refused(&["whole", "older"], "they have different targets");
    tree.run(&["detect", "--format", "json", "--output-file", "detected"]).check(0);
    refused(&["detected"], "it is a report of `detect`");
    let mut old: Value = serde_json::from_str(&tree.text("whole")).unwrap();
    old["schemaVersion"] = json!(1);
    fs::write(tree.path("old"), old.to_string()).unwrap();
    refused(&["old"], "old: its schemaVersion is 1, and this program reads 2");
    refused(&["apps/0.yaml"], "not a report: not JSON");
    refused(&["none"], "none: ");
}

/// Two repositories, each reported in its own folder: their paths are from their roots, and equal ones are refused.
#[test]
fn reports_of_several_repositories_are_joined() {
    let tree = Tree::of(&[("one/deploy/a.yaml", ROUTE), ("two/b.yaml", &ROUTE.replace("shop", "other"))]);
    for (folder, name) in [("one", "one.report"), ("two", "two.report")] {
        tree.git(&["init", "--quiet", folder]);
        let run_in = if folder == "one" { "one/deploy" } else { "two" };
        let run = tree.run_in(run_in, &["check", TO[0], TO[1], "--format", "json"]);
        run.check(1);
        fs::write(tree.path(name), run.out).unwrap();
    }
    let merged = tree.run(&["report", "merge", "one.report", "two.report", "--format", "json"]);
    merged.check(1);
    let merged: Value = serde_json::from_str(&merged.out).unwrap();
    let files: Vec<&str> = merged["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|object| object["location"]["file"].as_str().unwrap())
        .collect();
    assert_eq!((files, &merged["folder"]), (vec!["b.yaml", "deploy/a.yaml"], &json!("")));
}

/// What the run on everything says, the merged report says too, and in the order of that.
#[test]
fn a_merged_report_is_ordered_and_counts_advisories_as_the_whole_run_does() {
    let job = "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\nspec: {schedule: '@daily', jobTemplate: {spec: {template: {metadata: {annotations: \
               {container.apparmor.security.beta.kubernetes.io/a: runtime/default}}, spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}}}\n";
    let names: Vec<String> = (0..6).flat_map(|at| [format!("a/{at}.yaml"), format!("a-b/{at}.yaml")]).collect();
    let tree = Tree::of(&names.iter().map(|name| (name.as_str(), job)).collect::<Vec<_>>());
    let json = |arguments: &[&str]| -> Value {
        let run = tree.run(&[arguments, &["--format", "json"]].concat());
        serde_json::from_str(&run.out).unwrap()
    };
    let check = ["check", "--to", "kubernetes@1.33", "a", "a-b"];
    let whole = json(&check);
    for at in ["1", "2", "3"] {
        let part = json(&[&check[..], &["--shard", &format!("{at}/3")]].concat());
        fs::write(tree.path(&format!("{at}.json")), part.to_string()).unwrap();
    }
    // In any order of the reports.
    let merged = json(&["report", "merge", "3.json", "1.json", "2.json"]);
    assert_eq!(whole["totals"]["codes"]["advisory"], 12, "{whole}");
    for list in ["files", "objects", "findings", "advisories", "totals"] {
        assert_eq!(merged[list], whole[list], "{list}");
    }
}

/// A patch and what it patches, in two shards.
#[test]
fn apply_holds_back_what_needs_a_change_in_another_shard() {
    let files = [
        ("base/kustomization.yaml", "resources: [route.yaml]\n".to_owned()),
        ("base/route.yaml", ROUTE.to_owned()),
        ("live/kustomization.yaml", "resources: [../base]\npatches: [{path: patch.yaml}]\n".to_owned()),
        ("live/patch.yaml", ROUTE.replace("a.example", "b.example")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let tree = Tree::of(&files);
    let shard_of = |file: &str| {
        (1..=8).find(|at| tree.run(&["check", TO[0], TO[1], "--shard", &format!("{at}/8")]).out.contains(file)).unwrap()
    };
    let (base, patch) = (shard_of("base/route.yaml"), shard_of("live/patch.yaml"));
    assert_ne!(base, patch, "the two files are in different shards of 8");
    let run = tree.run(&["apply", "--yes", "--allow-no-vcs", TO[0], TO[1], "--shard", &format!("{base}/8")]);
    run.check(1);
    assert!(run.err.contains("live/patch.yaml changes with it, and is in another shard\n"), "{}", run.err);
    assert!(run.err.contains("  help: write the whole tree, without `--shard`\n"), "{}", run.err);
    assert!(tree.text("base/route.yaml").contains("beta1"));
    tree.run(&["apply", "--yes", "--allow-no-vcs", TO[0], TO[1]]).check(0);
}

/// A CRD that does not serve what objects of other shards need is one finding of all shards together.
#[test]
fn a_crd_is_reported_by_one_shard() {
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: httproutes.gateway.networking.k8s.io}\n\
               spec:\n  group: gateway.networking.k8s.io\n  scope: Namespaced\n  names: {kind: HTTPRoute, plural: httproutes}\n  versions:\n  \
               - {name: v1beta1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n";
    let routes = ["a", "b", "c", "d", "e", "f"].map(|name| (format!("{name}.yaml"), ROUTE.replace("shop", name)));
    let mut files: Vec<(&str, &str)> = routes.iter().map(|(file, text)| (&**file, &**text)).collect();
    files.push(("crd.yaml", crd));
    let tree = Tree::of(&files);
    let check = |more: &[&str]| tree.run(&[&["check", "--glob", "*.yaml"], &TO[..], more].concat());
    let whole = check(&[]);
    assert_eq!(whole.out.matches("[crd-not-serving]").count(), 1, "{}", whole.all());
    for shard in ["1/2", "2/2"] {
        let run = check(&["--format", "json", "--shard", shard]);
        assert!(run.out.contains("\"objects\": [\n"), "each shard has a route: {}", run.out);
        fs::write(tree.path(&format!("{}.json", &shard[..1])), run.out).unwrap();
    }
    let merged = tree.run(&["report", "merge", "1.json", "2.json"]);
    assert_eq!(merged.all().matches("[crd-not-serving]").count(), 1, "{}", merged.all());
    assert!(merged.err.contains("1 unresolved"), "{}", merged.all());
}

#[test]
fn totals_of_merged_reports_are_those_of_the_whole_run() {
    let route = |name: &str| ROUTE.replace("shop", name);
    let routes = ["a", "b", "c", "d", "e", "f"].map(|name| (format!("{name}.yaml"), route(name)));
    let files: Vec<(&str, &str)> = routes.iter().map(|(file, text)| (&**file, &**text)).collect();
    let tree = Tree::of(&files);
    let check = |more: &[&str]| tree.run(&[&["check", "--glob", "*.yaml"], &TO[..], more].concat());
    for shard in ["1/2", "2/2"] {
        let run = check(&["--format", "json", "--shard", shard]);
        fs::write(tree.path(&format!("{}.json", &shard[..1])), run.out).unwrap();
    }
    let whole = check(&["--statistics"]);
    let merged = tree.run(&["report", "merge", "1.json", "2.json", "--statistics"]);
    assert!(whole.out.contains("objects to change, by kind:\n"), "{}", whole.all());
    assert_eq!(merged.out, whole.out, "{}", merged.all());
    tree.run(&["report", "merge", "1.json", "2.json", "--statistics", "--format", "json"]).check(2);
}

#[test]
fn what_templates_of_other_shards_are_advised_of_is_what_the_whole_run_says() {
    let certificate = |name: &str| {
        format!(
            "apiVersion: cert-manager.io/v1alpha2\nkind: Certificate\nmetadata: {{name: one}}\nspec:\n  \
             secretName: {name}\n  issuerRef: {{name: ca}}\n"
        )
    };
    let mut files = vec![("a.yaml".to_owned(), certificate("x"))];
    for chart in ["c", "d", "e", "f"] {
        files.push((format!("{chart}/Chart.yaml"), format!("apiVersion: v2\nname: {chart}\nversion: 1.0.0\n")));
        files.push((format!("{chart}/templates/t.yaml"), certificate("{{ .Release.Name }}")));
    }
    let tree = Tree::of(&files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>());
    let folder = tree.path("");
    assert_eq!(check(&folder, &["check", ".", "--to", "cert-manager@1.21", "--isolated"]), 5);
    let whole = report(&folder, &["check", ".", "--to", "cert-manager@1.21", "--isolated"]);
    let advisory = "without privateKey.rotationPolicy a renewal makes a new private key";
    assert_eq!(whole.to_string().matches(advisory).count(), 5, "{whole}");
}

//! Advisories about the cluster or a release are reported once, apart from the findings about files, in every format.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod trees;

use std::fs;

use serde_json::Value;
use trees::{Run, Tree};

/// A rollback from v1.5 or newer crosses the policy that denies older CRDs.
const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [a.example.com]}\n";

const SECTION: &str = "about the cluster:\n  warning[advisory] Gateway API: v1.5.0 and newer install the ValidatingAdmissionPolicy safe-upgrades.gateway.networking.k8s.io, which denies the CRDs of older bundles\n    help: delete that policy and its binding before you apply the older CRDs\n";

fn tree() -> Tree {
    Tree::of(&[("a.yaml", ROUTE), ("b.yaml", &ROUTE.replace("shop", "other"))])
}

fn run(tree: &Tree, arguments: &[&str]) -> Run {
    tree.run(&[arguments, &["--to", "gateway-api@0.8/standard"]].concat())
}

#[test]
fn the_text_has_a_section_without_a_place() {
    let tree = tree();
    for command in ["check", "diff"] {
        let preview = run(&tree, &[command]);
        preview.check(1);
        // `check` prints its report, `diff` a diff.
        let report = if command == "check" { &preview.out } else { &preview.err };
        assert!(report.contains(SECTION), "{report}");
        assert_eq!(report.matches("safe-upgrades").count(), 1, "{report}");
    }
    assert!(!run(&tree, &["check", "-q"]).out.contains("advisory"));
    run(&tree, &["plan", "-o", "a.plan"]).check(0);
    assert!(tree.run(&["show", "a.plan"]).err.contains(SECTION));
    let applied = tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "a.plan"]);
    applied.check(0);
    assert!(applied.err.starts_with(SECTION), "{}", applied.err);
}

#[test]
fn json_has_a_list_and_github_an_annotation_without_a_file() {
    let tree = tree();
    let report: Value = serde_json::from_str(&run(&tree, &["check", "--format", "json"]).out).unwrap();
    let advisory = &report["advisories"][0];
    assert_eq!((&advisory["about"], &advisory["severity"]), (&"cluster".into(), &"warning".into()));
    assert!(advisory["help"].as_str().unwrap().starts_with("delete that policy"));
    assert!(report["totals"]["codes"].as_object().unwrap().keys().all(|code| code != "advisory"));
    let github = run(&tree, &["check", "--format", "github"]);
    assert!(github.out.starts_with("::warning title=advisory::Gateway API: v1.5.0 and newer"), "{}", github.out);
}

/// Where one listed file is concerned, what the cluster needs is said, whatever the first file of the tree is.
#[test]
fn a_list_of_files_has_the_advisories_of_its_files() {
    let tree = tree();
    fs::write(tree.path("list"), "b.yaml\n").unwrap();
    assert!(run(&tree, &["check", "--files-from", "list"]).out.contains(SECTION));
    fs::write(tree.path("list"), "gone.yaml\n").unwrap();
    assert!(!run(&tree, &["check", "--files-from", "list"]).out.contains("advisory"));
}

/// An advisory about many objects is one finding, with their number, the first places and, in JSON, all of them.
#[test]
fn an_advisory_about_many_objects_is_one_finding() {
    let policy = |number: usize| {
        let text = format!(
            "apiVersion: gateway.nginx.org/v1alpha1\nkind: UpstreamSettingsPolicy\nmetadata: {{name: p{number:02}}}\nspec: {{zoneSize: 1m, targetRefs: [{{group: \"\", kind: Service, name: s{number:02}}}]}}\n"
        );
        (format!("p{number:02}.yaml"), text)
    };
    let files: Vec<(String, String)> = (0..86).map(policy).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let tree = Tree::of(&files);
    let check =
        |format: &str| tree.run(&["check", "--from", "ngf@1.6.0", "--to", "ngf@2.6.7", "-v", "--format", format]).out;
    let sentence = "before, it kept none (86 objects: p00.yaml:1:1, p01.yaml:1:1, p02.yaml:1:1 and 83 more)";
    for format in ["text", "github", "gitlab", "sarif", "junit"] {
        let out = check(format);
        assert_eq!(out.matches(sentence).count(), 1, "{format}: {out}");
    }
    // Markdown escapes the places.
    assert_eq!(check("markdown").matches("it kept none (86 objects: ").count(), 1);
    // The page repeats what is to be done by hand above the files.
    assert_eq!(check("html").matches(sentence).count(), 2);
    let report: Value = serde_json::from_str(&check("json")).unwrap();
    let objects = report["objects"].as_array().unwrap();
    let findings: Vec<&Value> = objects.iter().flat_map(|object| object["findings"].as_array().unwrap()).collect();
    let advisories: Vec<&&Value> = findings.iter().filter(|finding| finding["code"] == "advisory").collect();
    let [advisory] = advisories.as_slice() else { panic!("{advisories:?}") };
    let others = advisory["others"].as_array().unwrap();
    assert_eq!(others.len(), 85);
    assert_eq!(others[84]["title"], "UpstreamSettingsPolicy p85");
    assert_eq!(others[84]["location"]["file"], "p85.yaml");
}

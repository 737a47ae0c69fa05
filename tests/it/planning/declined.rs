//! Objects that the user declined to change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use reversion::internals::field::FieldPath;
use reversion::internals::finding::{Code, Location};
use reversion::internals::manifest::Manifest;
use reversion::internals::plan::{self, Choices, FileSurvey, Goal, Outcome, Plan, Planner, Scope, Surveyor};
use reversion::internals::report::changes::by_object;

use super::{OLD_GATEWAY, OLD_ROUTE, read};
use crate::support::{engine, packs, root};

const SIMPLE_ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: help}\n\
                      spec: {rules: [{backendRefs: [{name: help, port: 80}]}]}\n";

fn manifests(files: &[(&str, &str)]) -> Vec<Manifest> {
    files.iter().map(|(file, text)| read(file, text)).collect()
}

/// Plans `manifests` for a release of Gateway API without the objects that start at the places `declined`.
fn plan_without(manifests: &[Manifest], target: &str, declined: &[Location]) -> Plan {
    let target = engine::target(&format!("gateway-api@{target}"));
    let goal = Goal { packs: packs(), targets: vec![target], choices: Choices::default() };
    let surveyor = Surveyor::new(packs(), &goal.targets);
    let surveys: Vec<FileSurvey> = manifests.iter().map(|manifest| surveyor.survey(manifest)).collect();
    let scope = Scope { declined, ..Scope::default() };
    let Ok(plan) = plan::plan_files(&Planner::new(&goal), &surveys, &manifests, &scope);
    plan
}

/// Plans `files` without the first objects of the files `declined`.
fn run_without(files: &[(&str, &str)], target: &str, declined: &[&str]) -> Plan {
    let manifests = manifests(files);
    let of_file = |file: &&str| {
        let manifest = manifests.iter().find(|manifest| manifest.file == *file).unwrap();
        manifest.locate(&manifest.objects[0], &FieldPath::default())
    };
    let declined: Vec<_> = declined.iter().map(of_file).collect();
    plan_without(&manifests, target, &declined)
}

#[test]
fn a_declined_object_holds_back_what_converts_together_with_it() {
    let files = [("gateway.yaml", OLD_GATEWAY), ("help.yaml", SIMPLE_ROUTE), ("route.yaml", OLD_ROUTE)];
    let names = |plan: &Plan| plan.files.iter().map(|file| file.file.clone()).collect::<Vec<_>>();
    assert_eq!(names(&run_without(&files, "1.6.1/standard", &[])), ["gateway.yaml", "help.yaml", "route.yaml"]);
    for (declined, other) in [("gateway.yaml", "route.yaml"), ("route.yaml", "gateway.yaml")] {
        let plan = run_without(&files, "1.6.1/standard", &[declined]);
        assert_eq!(names(&plan), ["help.yaml"]);
        let held = |file: &str| {
            let found = plan.findings.iter().filter(|finding| finding.location.file == file);
            found.map(|finding| finding.code).collect::<Vec<_>>()
        };
        assert_eq!(held(declined), [Code::Declined]);
        assert!(held(other).contains(&Code::ConvertsTogether), "{:?}", plan.findings);
    }
}

#[test]
fn an_object_of_a_file_without_links_is_declined_alone() {
    let two = format!("{SIMPLE_ROUTE}---\n{}", SIMPLE_ROUTE.replace("help", "docs"));
    let plan = run_without(&[("two.yaml", &two)], "1.6.1/standard", &["two.yaml"]);
    let outcomes: BTreeMap<_, _> = plan.objects.iter().map(|object| (object.title.as_str(), object.outcome)).collect();
    assert_eq!(
        outcomes,
        [("HTTPRoute docs", Outcome::Changed), ("HTTPRoute help", Outcome::HeldBack)].into_iter().collect()
    );
    assert_eq!(plan.files[0].after(), two.replacen("v1beta1", "v1", 2).replacen("v1\n", "v1beta1\n", 1));
}

#[test]
fn an_object_that_needs_no_change_is_not_held_back() {
    let done = SIMPLE_ROUTE.replace("v1beta1", "v1");
    let plan = run_without(&[("help.yaml", &done)], "1.6.1/standard", &["help.yaml"]);
    assert!(plan.files.is_empty());
}

/// Reads the manifests of a repository among the fixtures.
fn repository(name: &str) -> Vec<(String, String)> {
    let root = root().join("fixtures/repos").join(name);
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_manifest = path.extension().is_some_and(|extension| extension == "yaml");
            if path.is_dir() {
                folders.push(path);
            } else if is_manifest {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
                let text = fs::read_to_string(&path).unwrap();
                let is_template = text.contains("{{ ");
                if !is_template && (text.contains("gateway.networking.k8s.io") || path.ends_with("kustomization.yaml"))
                {
                    files.push((name, text));
                }
            }
        }
    }
    files.sort();
    files
}

/// What is declined is unchanged, nothing else changes instead, and every edit is shown with one object.
#[test]
fn any_object_of_a_repository_can_be_declined() {
    let files = repository("shop-1.0-experimental");
    let files = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>();
    let manifests = manifests(&files);
    let run = |declined: &[Location]| plan_without(&manifests, "1.6.1/experimental", declined);
    let changed = |plan: &Plan| -> BTreeSet<Location> {
        let changed = plan.objects.iter().filter(|object| object.outcome == Outcome::Changed);
        changed.map(|object| object.location.clone()).collect()
    };
    let all = run(&[]);
    assert!(changed(&all).len() > 10);
    for one in changed(&all) {
        let plan = run(std::slice::from_ref(&one));
        assert!(!changed(&plan).contains(&one), "{one}");
        assert!(changed(&plan).is_subset(&changed(&all)), "{one}");
        for plan in [&all, &plan] {
            let changes = by_object(&plan.files, &plan.objects);
            assert!(changes.iter().all(|change| !change.file.edits.is_empty()), "{one}");
            for file in &plan.files {
                let of_file = changes.iter().filter(|change| change.file.file == file.file);
                let mut edits: Vec<_> = of_file.flat_map(|change| change.file.edits.edits()).cloned().collect();
                edits.sort();
                assert_eq!(edits, file.edits.edits(), "{one}: {}", file.file);
            }
        }
    }
    assert!(run(&changed(&all).into_iter().collect::<Vec<_>>()).files.is_empty());
}

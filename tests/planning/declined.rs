//! Objects that the user declined to change.

use std::collections::BTreeMap;
use std::convert::Infallible;

use reversion::field::FieldPath;
use reversion::finding::Code;
use reversion::pack::embedded;
use reversion::plan::{self, Choices, Goal, Outcome, Plan, Planner, RunFile, Scope};

use super::{OLD_GATEWAY, OLD_ROUTE, read};

const SIMPLE_ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: help}\n\
                      spec: {rules: [{backendRefs: [{name: help, port: 80}]}]}\n";

/// Plans `files` for a release of Gateway API without the first objects of the files `declined`.
fn run_without(files: &[(&str, &str)], target: &str, declined: &[&str]) -> Plan {
    let packs = embedded::with(Vec::new()).unwrap();
    let manifests: Vec<_> = files.iter().map(|(file, text)| read(&packs, file, text)).collect();
    let target = packs.target(&format!("gateway-api@{target}")).unwrap();
    let goal = Goal { packs: &packs, targets: vec![target], choices: Choices::default() };
    let planner = Planner::new(&goal);
    let file = |manifest| match plan::plan_local(&planner, manifest) {
        Some(planned) => RunFile::Local(Box::new(planned)),
        None => RunFile::Linked(manifest),
    };
    let of_file = |file: &&str| {
        let manifest = manifests.iter().find(|manifest| manifest.file == *file).unwrap();
        manifest.locate(&manifest.objects[0], &FieldPath::default())
    };
    let declined: Vec<_> = declined.iter().map(of_file).collect();
    let scope = Scope { declined: &declined, ..Scope::default() };
    let files = manifests.iter().map(file).collect();
    let Ok(plan) = plan::plan_files(&planner, files, &scope, |at, _| Ok::<_, Infallible>(&manifests[at]));
    plan
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

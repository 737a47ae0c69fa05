//! Folders that Flux or Argo CD takes from this repository or from another one.

use reversion::internals::finding::Severity;

use super::{Outcome, run};

const INGRESS: &str = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: shop}\nspec:\n  rules:\n  - host: shop\n    \
                       http:\n      paths:\n      - {path: /, pathType: Prefix, backend: {serviceName: shop, servicePort: 80}}\n";

/// A Kustomization that has the folder `apps/shop` of a source applied, and gives its Ingress another backend.
fn patched(name: &str, source: &str) -> String {
    format!(
        "{}  patches:\n  - target: {{kind: Ingress, name: shop}}\n    patch: |-\n      - {{op: replace, path: \
         /spec/rules/0/http/paths/0/backend/serviceName, value: {name}}}\n",
        applied(name, "apps/shop", source)
    )
}

/// A Kustomization that has a folder of a source applied.
fn applied(name: &str, path: &str, source: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  \
         interval: 5m\n  path: ./{path}\n  prune: true\n  sourceRef: {{kind: GitRepository, name: {source}}}\n"
    )
}

fn repository(name: &str, url: &str) -> String {
    format!(
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: {name}, namespace: flux-system}}\nspec: \
         {{interval: 5m, url: \"{url}\"}}\n"
    )
}

/// Converts an Ingress that the sources `fleet` and `vendor` are both said to have.
fn convert(others: &[(&str, &str)]) -> Outcome {
    let (fleet, vendor) = (patched("fleet", "fleet"), patched("vendor", "vendor"));
    let files =
        [("apps/shop/ingress.yaml", INGRESS), ("clusters/fleet.yaml", &fleet), ("clusters/vendor.yaml", &vendor)];
    run(&[&files, others].concat(), "kubernetes@1.25")
}

const CONVERTED: &str = "/spec/rules/0/http/paths/0/backend/service/name, value: ";

/// The patch of a folder of another repository, of which nothing shows what its objects are.
const ELSEWHERE: &str = "clusters/vendor.yaml held-back patch-target [0].path";

/// The object that has the folder of the clusters applied, to which it belongs itself.
fn cluster() -> String {
    applied("cluster", "clusters", "fleet")
}

fn sources(vendor: &str) -> String {
    format!("{}---\n{}", repository("fleet", "https://git.example.com/me/fleet"), repository("vendor", vendor))
}

#[track_caller]
fn check_one_converted(outcome: &Outcome) {
    outcome.check_findings(Severity::Warning, &[ELSEWHERE]);
    outcome.check_message("it selects no object of this run");
    assert_eq!(outcome.after.keys().collect::<Vec<_>>(), ["apps/shop/ingress.yaml", "clusters/fleet.yaml"]);
    assert!(outcome.after["clusters/fleet.yaml"].contains(&format!("{CONVERTED}fleet")));
}

#[test]
fn the_source_that_has_its_own_objects_applied_is_this_repository() {
    let (cluster, sources) = (cluster(), sources("https://git.example.com/vendor/apps"));
    check_one_converted(&convert(&[("clusters/cluster.yaml", &cluster), ("clusters/sources.yaml", &sources)]));
}

#[test]
fn one_address_is_one_repository() {
    let cluster = cluster();
    for address in
        ["ssh://git@git.example.com/me/fleet", "git@git.example.com:me/fleet.git", "https://git.example.com/Me/Fleet/"]
    {
        let sources = sources(address);
        let outcome = convert(&[("clusters/cluster.yaml", &cluster), ("clusters/sources.yaml", &sources)]);
        outcome.check_findings(Severity::Warning, &[]);
        assert_eq!(outcome.after.len(), 3, "{address}");
    }
}

/// Where nothing tells the two sources apart, the object and both patches stay as they are.
#[test]
fn a_folder_of_two_sources_is_held_back() {
    let sources = sources("https://git.example.com/vendor/apps");
    let cluster = cluster();
    // Of the source that is not this repository, the address can be missing.
    for others in [&[][..], &[("clusters/sources.yaml", &*sources)], &[("clusters/cluster.yaml", &*cluster)]] {
        let outcome = convert(others);
        outcome.check_message("nothing shows which of them is this repository");
        assert!(outcome.after.is_empty(), "{:?}", outcome.after);
        let is_held = |line: &String| line.starts_with("apps/shop/ingress.yaml held-back ");
        assert!(outcome.reported.iter().any(is_held), "{}", outcome.messages);
    }
}

/// What `flux bootstrap` calls the source of the repository that a cluster is set up from.
#[test]
fn a_source_of_this_name_is_this_repository() {
    let named = |name: &str, source: &str| patched(name, source);
    let (fleet, vendor) = (named("fleet", "flux-system"), named("vendor", "vendor"));
    let sources = sources("https://git.example.com/vendor/apps").replace("name: fleet", "name: flux-system");
    let files = [
        ("apps/shop/ingress.yaml", INGRESS),
        ("clusters/fleet.yaml", &*fleet),
        ("clusters/sources.yaml", &*sources),
        ("clusters/vendor.yaml", &*vendor),
    ];
    for above in ["", "repository/"] {
        let files: Vec<_> = files.iter().map(|(file, text)| (format!("{above}{file}"), *text)).collect();
        let files: Vec<_> = files.iter().map(|(file, text)| (file.as_str(), *text)).collect();
        let outcome = run(&files, "kubernetes@1.25");
        outcome.check_findings(Severity::Warning, &[&format!("{above}{ELSEWHERE}")]);
        assert_eq!(outcome.after.len(), 2);
    }
}

/// An Application that has a folder of a repository applied, with a backend for its Ingress.
fn application(name: &str, path: &str, address: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  source:\n    repoURL: {address}\n    \
         path: {path}\n    kustomize:\n      patches:\n      - target: {{kind: Ingress, name: shop}}\n        patch: |-\n          \
         - {{op: replace, path: /spec/rules/0/http/paths/0/backend/serviceName, value: {name}}}\n"
    )
}

#[test]
fn argo_cd_names_the_repository_itself() {
    let fleet = "https://git.example.com/me/fleet";
    let (own, other) = (
        application("fleet", "apps/shop", fleet),
        application("vendor", "apps/shop", "https://git.example.com/vendor/apps"),
    );
    let cluster = application("cluster", "clusters", &format!("{fleet}.git"));
    let files = [
        ("apps/shop/ingress.yaml", INGRESS),
        ("clusters/cluster.yaml", &*cluster),
        ("clusters/fleet.yaml", &*own),
        ("clusters/vendor.yaml", &*other),
    ];
    let outcome = run(&files, "kubernetes@1.25");
    assert_eq!(
        outcome.after.keys().collect::<Vec<_>>(),
        ["apps/shop/ingress.yaml", "clusters/fleet.yaml"],
        "{}",
        outcome.messages
    );
    assert!(outcome.reported.iter().any(|line| line.starts_with("clusters/vendor.yaml held-back patch-target")));
}

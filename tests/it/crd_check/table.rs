//! What the releases of published projects did, which version that needed, and which they claimed: the pages of the book hold it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use reversion::internals::crd_check::{Bump, Class, Comparison, CrdSet, Policy, Releases, check};
use reversion::internals::finding::Severity;
use reversion::internals::manifest::{Manifest, Reading, Recognizer, read};

use crate::support::{root, shared};

/// An API: the folder of its CRDs, the name of its pack, what the project is called, and its policy.
struct Api {
    folder: &'static str,
    page: &'static str,
    title: &'static str,
    policy: &'static str,
}

const fn api(folder: &'static str, page: &'static str, title: &'static str, policy: &'static str) -> Api {
    Api { folder, page, title, policy }
}

/// The APIs that have a pack.
const APIS: [Api; 14] = [
    api("cert-manager", "cert-manager", "cert-manager", "kubernetes"),
    api("cilium", "cilium", "Cilium", "kubernetes"),
    api("cluster-api", "cluster-api", "Cluster API", "kubernetes"),
    api("envoy-gateway", "envoy-gateway", "Envoy Gateway", "kubernetes"),
    api("external-secrets", "external-secrets", "External Secrets Operator", "kubernetes"),
    api("flux", "flux", "Flux", "kubernetes"),
    api("gateway-api", "gateway-api", "Gateway API", "gateway-api"),
    api(
        "gateway-api-inference-extension",
        "gateway-api-inference-extension",
        "Gateway API Inference Extension",
        "gateway-api",
    ),
    api("istio", "istio", "Istio", "kubernetes"),
    api("karpenter", "karpenter", "Karpenter", "kubernetes"),
    api("keda", "keda", "KEDA", "kubernetes"),
    api("nginx-gateway-fabric", "ngf", "NGINX Gateway Fabric", "nginx"),
    api("tekton", "tekton", "Tekton Pipelines", "kubernetes"),
    api("traefik", "traefik", "Traefik", "kubernetes"),
];

/// A release in one channel, or in the only one.
struct Release {
    name: String,
    channel: String,
    manifests: Vec<Manifest>,
}

/// A step from one release to the next.
pub(super) struct Step {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) channel: String,
    pub(super) comparison: Comparison,
}

/// Returns the numbers of a release, to sort by.
fn numbers(name: &str) -> Vec<u64> {
    name.trim_start_matches('v').split(['.', '-']).map(|part| part.parse().unwrap_or(0)).collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = listed.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Reads the CRDs of a folder.
fn manifests(folder: &Path) -> Vec<Manifest> {
    let recognizer = Recognizer::new(["apiextensions.k8s.io"]);
    let listed = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = listed.filter(|path| path.is_file() && !name(path).starts_with('_')).collect();
    files.sort();
    // These copies lack the address of the webhook that they name.
    let address = "{clientConfig: {service: {name: a, namespace: b}}, conversionReviewVersions: [v1]}";
    let webhook = format!("strategy: Webhook\n    webhook: {address}\n  group");
    let text = |file: &PathBuf| fs::read_to_string(file).unwrap().replace("strategy: Webhook\n  group", &webhook);
    let read = |file: &PathBuf| match read(&file.display().to_string(), text(file).as_bytes(), &recognizer) {
        Reading::Manifest(manifest) => Some(*manifest),
        _ => None,
    };
    files.iter().filter_map(read).collect()
}

/// Reads the releases of an API that are meant, the oldest first.
fn releases(folder: &Path, is_meant: impl Fn(&str) -> bool) -> Vec<Release> {
    let mut bundles = folders(folder);
    bundles.retain(|bundle| is_meant(&name(bundle)));
    bundles.sort_by_key(|bundle| numbers(&name(bundle)));
    let of_bundle = |bundle: PathBuf| {
        let channels = folders(&bundle);
        let release = |channel: &str, folder: &Path| Release {
            name: name(&bundle),
            channel: channel.to_owned(),
            manifests: manifests(folder),
        };
        match channels.is_empty() {
            true => vec![release("", &bundle)],
            false => channels.iter().map(|channel| release(&name(channel), channel)).collect(),
        }
    };
    bundles.into_iter().flat_map(of_bundle).filter(|release| !release.manifests.is_empty()).collect()
}

/// Compares each release that is meant with the one before it of its channel.
pub(super) fn steps(folder: &Path, policy: &str, is_meant: impl Fn(&str) -> bool) -> Vec<Step> {
    let (releases, policy) = (releases(folder, is_meant), Policy::built_in(policy).unwrap());
    let sets = releases.iter().map(|release| {
        let name = format!("{}/{}", release.name, release.channel);
        CrdSet::read(&name, &release.manifests).unwrap()
    });
    let sets: Vec<CrdSet> = sets.collect();
    let mut last: BTreeMap<&str, (&Release, &CrdSet)> = BTreeMap::new();
    let mut steps = Vec::new();
    for (release, new) in releases.iter().zip(&sets) {
        if let Some((before, old)) = last.insert(&release.channel, (release, new)) {
            let all = Releases { earlier: &[], old, new, experimental: None };
            let comparison = check(all, None, &policy);
            let (old, new, channel) = (before.name.clone(), release.name.clone(), release.channel.clone());
            steps.push(Step { old, new, channel, comparison });
        }
    }
    steps
}

const fn bump(bump: Bump) -> &'static str {
    match bump {
        Bump::None => "none",
        Bump::Patch => "patch",
        Bump::Minor => "minor",
        Bump::Major => "major",
        Bump::NewVersion => "new apiVersion",
    }
}

/// Prints a step as a row.
fn row(step: &Step) -> String {
    let Step { old, new, channel, comparison } = step;
    let count = |class: &Class| match comparison.step.changes.get(class).copied().unwrap_or_default() {
        0 => String::new(),
        count => count.to_string(),
    };
    let counts: Vec<String> = Class::ALL.iter().filter(|class| **class != Class::Documentation).map(count).collect();
    let wrong: Vec<_> = comparison.findings.iter().filter(|finding| finding.severity == Severity::Unresolved).collect();
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    wrong.iter().for_each(|finding| *codes.entry(finding.code.name()).or_default() += 1);
    let codes: Vec<String> = codes.iter().map(|(code, count)| format!("`{code}` {count}")).collect();
    let claims = comparison.step.claims.map_or("", bump);
    let channel = if channel.is_empty() { String::new() } else { format!(" {channel}") };
    let needs = bump(comparison.step.needs);
    format!("| {old} to {new}{channel} | {} | {claims} | {needs} | {} |\n", counts.join(" | "), codes.join(", "))
}

/// Makes the page of an API.
fn page(api: &Api, steps: &[Step]) -> String {
    let Api { title, policy, .. } = api;
    let mut page = format!(
        "# Steps of {title}\nWhat each release changed in its CRDs, from the one before it with other CRDs, by the policy `{policy}` of [`crd check`](../../how-to/crd-check.md). `claims` is the step that the names of the two claim, `needs` the least one that the policy allows, and the last column counts what it forbids. Descriptions are not compared. A test writes this page from the CRDs of all releases.\n\n"
    );
    let short: Vec<_> =
        steps.iter().filter(|step| step.comparison.step.claims < Some(step.comparison.step.needs)).collect();
    let _infallible = writeln!(page, "{} steps, of which {} claim less than they need.\n", steps.len(), short.len());
    page.push_str(
        "| step | additive | loosened | tightened | breaking | renamed | dropped | claims | needs | forbidden |\n",
    );
    page.push_str("|---|---|---|---|---|---|---|---|---|---|\n");
    page.extend(steps.iter().map(row));
    page
}

#[test]
fn the_pages_have_the_steps_of_each_release() {
    let Some(crds) = shared("crds") else { return };
    let mut differences = String::new();
    for api in &APIS {
        let after = page(api, &steps(&crds.join(api.folder), api.policy, |_| true));
        let path = root().join(format!("docs/src/reference/steps/{}.md", api.page));
        let before = fs::read_to_string(&path).unwrap_or_default();
        if std::env::var_os("REVERSION_WRITE_BLOCKS").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &after).unwrap();
        }
        let diff = similar::TextDiff::from_lines(&before, &after);
        differences.push_str(&diff.unified_diff().header(api.page, "what the CRDs say").to_string());
    }
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn published_crds_are_compared_the_same_way_twice() {
    let Some(crds) = shared("crds") else { return };
    let found = || -> Vec<String> {
        let steps = steps(&crds.join("istio"), "kubernetes", |_| true);
        steps.iter().map(|step| format!("{} {:?}", row(step), step.comparison.findings)).collect()
    };
    let first = found();
    assert!(first.len() > 20);
    assert_eq!(first, found());
}

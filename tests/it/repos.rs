//! Whole repositories under `fixtures/repos`: a second run changes nothing, and converting back restores the bytes, or all except those that a
//! test names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{program, root};

/// Releases of the packs that the home-labs need, for their conversion forward.
const NEWER: [&str; 4] = ["kubernetes@1.33", "flux@2.9", "external-secrets@2.9", "cert-manager@1.21"];

type Tree = BTreeMap<PathBuf, Vec<u8>>;

#[test]
fn the_shop_converts_from_v1_0_and_back() {
    // A template prints fields that a rule renames.
    check("shop-1.0-experimental", ["gateway-api@1.6/experimental", "gateway-api@1.0/experimental"], 1);
}

#[test]
fn the_platform_converts_from_v1_3_and_back() {
    check("platform-1.3", ["gateway-api@1.6/experimental", "gateway-api@1.3/experimental"], 0);
}

#[test]
fn the_home_lab_of_2022_leaves_four_decisions_to_a_person() {
    let held_back = [
        // The selector {} selected nothing and would select everything.
        "apps/base/miniflux/pdb.yaml: PodDisruptionBudget all",
        // Other clusters get the old version of its chain of conditions.
        "charts/doorbell/templates/ingress.yaml: Ingress {{ .Release.Name }}",
        // Its template reads .Updated.Images, for which .Changed has no field that is always equal.
        "infrastructure/image-automation/update.yaml: ImageUpdateAutomation all",
        // The kind is gone.
        "infrastructure/policies/psp.yaml: PodSecurityPolicy hardware",
    ];
    let not_restored = [
        // Kubernetes v1.23 serves the newer apiVersions too, and what is served is left as it is.
        "apps/attic/kustomization.yaml",
        "apps/attic/miniflux-hosts.yaml",
        "apps/attic/miniflux-ops.yaml",
        "apps/base/cloud/scale.yaml",
        // Only Flux v2.3.0 and newer serve v2 of HelmRelease, whose default of maxHistory is then written.
        "apps/base/doorbell/doorbell.yaml",
        "apps/base/house/home-assistant.yaml",
        // As those of Kubernetes above.
        "apps/base/house/mosquitto.yaml",
        // v2beta1 has valuesFiles too.
        "apps/base/media/jellyfin.yaml",
        "apps/base/media/navidrome.yaml",
        "apps/base/miniflux/cleanup.yaml",
        // Its annotation for a seccomp profile became a field, which Kubernetes v1.23 has.
        "apps/base/miniflux/deployment.yaml",
        "apps/base/miniflux/ingress.yaml",
        "apps/base/miniflux/pdb.yaml",
        "charts/doorbell/templates/budget.yaml",
        // v1beta2 has patches too, and nothing reads validation.
        "clusters/attic/apps.yaml",
        // gitImplementation and its comment.
        "clusters/attic/flux-system/sync-patch.yaml",
        // validation.
        "clusters/attic/infrastructure.yaml",
        "components/small/kustomization.yaml",
        // A HelmRelease of v2.
        "infrastructure/cert-manager/helmrelease.yaml",
        // cert-manager v1.7 serves only v1.
        "infrastructure/cert-manager/old-wildcard.yaml",
        // A HelmRelease of v2.
        "infrastructure/external-secrets/helmrelease.yaml",
        // A value in JSON is valid where a valueMap was.
        "infrastructure/external-secrets/stores.yaml",
        "infrastructure/ingress-nginx/class.yaml",
        // Flux v0.27 has no patches in post-renderers, so the HelmRelease stays as it is.
        "infrastructure/ingress-nginx/helmrelease.yaml",
        "infrastructure/policies/admission.yaml",
        "infrastructure/policies/rbac.yaml",
        // gitImplementation, accessFrom and valuesFile.
        "infrastructure/sources/charts.yaml",
    ];
    let older = ["kubernetes@1.23", "flux@0.27", "external-secrets@0.4", "cert-manager@1.7"];
    check_home_lab("homelab-2022", (&older, 1), &held_back, &not_restored);
}

#[test]
fn the_home_lab_of_2024_leaves_two_templates_to_a_person() {
    let held_back = [
        // Its template is one of engine v1.
        "apps/base/database/postgres.yaml: ExternalSecret postgres",
        // A patch inside a patch of clusters/pantry/cluster.yaml selects them by their version.
        "apps/base/house/frigate/app/helmrelease.yaml: HelmRelease frigate",
        "apps/base/house/grafana/app/helmrelease.yaml: HelmRelease grafana",
        "apps/try/kustomization.yaml: HelmRelease any",
        // Its template reads .Updated.
        "infrastructure/image-automation/update.yaml: ImageUpdateAutomation pantry",
    ];
    let not_restored = [
        // A health check named a version that its HelmRelease does not have.
        "apps/base/house/frigate/ks.yaml",
        // Kubernetes v1.29 serves v1.
        "infrastructure/cluster/fairness.yaml",
        // The old default of a path is written, and a value in JSON is valid where a valueMap was.
        "infrastructure/external-secrets/stores.yaml",
        // There is no v1 of Alert.
        "infrastructure/notifications/chat.yaml",
        // Flux v2.2 serves v1.
        "infrastructure/notifications/push.yaml",
        // accessFrom, and gitImplementation.
        "infrastructure/repositories/bucket.yaml",
        "inventory/nodes.yaml",
    ];
    let older = ["kubernetes@1.29", "flux@2.2", "external-secrets@0.9.16", "cert-manager@1.14"];
    check_home_lab("homelab-2024", (&older, 0), &held_back, &not_restored);
}

/// Converts a repository of several packs to [`NEWER`] releases and back. `held_back` are the objects that the way there leaves unchanged, by
/// file, and `not_restored` the files that the way back, to `older` releases and with an exit code, leaves different.
#[track_caller]
fn check_home_lab(name: &str, (older, code): (&[&str], i32), held_back: &[&str], not_restored: &[&str]) {
    let (folder, before) = copy(name);
    assert_eq!(held_back_by(folder.path(), &NEWER), held_back);
    convert(folder.path(), &NEWER, 1);
    let newer = read(folder.path());
    convert(folder.path(), &NEWER, 1);
    assert_eq!(differing(&read(folder.path()), &newer), Vec::<PathBuf>::new(), "the second run changes something");
    convert(folder.path(), older, code);
    let not_restored: Vec<_> = not_restored.iter().map(PathBuf::from).collect();
    assert_eq!(differing(&read(folder.path()), &before), not_restored);
}

/// Returns the objects that would be held back.
fn held_back_by(folder: &Path, targets: &[&str]) -> Vec<String> {
    let output = run(folder, &["check", "--format", "json"], targets);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let objects = report["objects"].as_array().unwrap().iter();
    let held_back = objects.filter(|object| object["outcome"] == "held-back");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let place = |object: &Value| format!("{}: {}", text(&object["location"]["file"]), text(&object["object"]));
    let mut places: Vec<_> = held_back.map(place).collect();
    places.sort();
    places
}

/// Converts what can be converted, which ends with this exit code.
#[track_caller]
fn convert(folder: &Path, targets: &[&str], code: i32) {
    let output = run(folder, &["apply", "--yes", "--allow-no-vcs", "--allow-dirty"], targets);
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
}

fn run(folder: &Path, arguments: &[&str], targets: &[&str]) -> Output {
    let mut program = program();
    program.args(arguments).args(targets.iter().flat_map(|target| ["--to", *target])).arg(".");
    program.current_dir(folder).output().unwrap()
}

/// Copies a repository and returns its files.
fn copy(name: &str) -> (TempDir, Tree) {
    let source = root().join("fixtures/repos").join(name);
    let folder = TempDir::new().unwrap();
    let files = read(&source);
    for (path, bytes) in &files {
        let place = folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    }
    (folder, files)
}

/// Converts a repository there and back; `held` objects are held back on the way there.
#[track_caller]
fn check(name: &str, [forward, backward]: [&str; 2], held: usize) {
    let (folder, before) = copy(name);
    apply(folder.path(), forward, held);
    let newer = read(folder.path());
    assert!(newer != before, "{forward} changes nothing");
    apply(folder.path(), forward, held);
    assert_eq!(differing(&read(folder.path()), &newer), Vec::<PathBuf>::new(), "the second run changes something");
    apply(folder.path(), backward, 0);
    assert_eq!(
        differing(&read(folder.path()), &before),
        Vec::<PathBuf>::new(),
        "converting back does not restore the files"
    );
}

fn apply(folder: &Path, target: &str, held: usize) {
    let output = run(folder, &["apply", "--yes", "--allow-no-vcs", "--allow-dirty"], &[target]);
    let printed = String::from_utf8_lossy(&output.stderr);
    // What is not converted, such as a template, is the same before and after.
    let code = i32::from(printed.contains(" unresolved; ") || held > 0);
    assert!(output.status.code() == Some(code) && printed.contains(&format!(", {held} held back")), "{printed}");
}

/// Reads every file except those in the program's own folder.
fn read(folder: &Path) -> Tree {
    let walk = walkdir::WalkDir::new(folder).into_iter().filter_entry(|entry| entry.file_name() != ".reversion");
    let files = walk.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    files.map(|file| (file.path().strip_prefix(folder).unwrap().to_owned(), fs::read(file.path()).unwrap())).collect()
}

fn differing(left: &Tree, right: &Tree) -> Vec<PathBuf> {
    let paths: BTreeSet<_> = left.keys().chain(right.keys()).collect();
    paths.into_iter().filter(|path| left.get(*path) != right.get(*path)).cloned().collect()
}

//! Patches of objects that hold values of charts: they follow what is built, or hold it back, whichever packs are targets.

use crate::support::trees::{Run, Tree};

const OLD: &str = "{installCRDs: true}";
const NEW: &str = "{crds: {enabled: true}}";

/// A HelmRelease of Flux with this version of the chart of cert-manager, and these fields.
fn release(version: &str, fields: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: certs}}\nspec:\n  interval: 5m\n  chart:\n    spec: \
         {{chart: cert-manager, version: {version}, sourceRef: {{kind: HelmRepository, name: jetstack}}}}\n{fields}"
    )
}

fn with_values(version: &str, values: &str) -> String {
    release(version, &format!("  values: {values}\n"))
}

/// An Application of Argo CD with these values.
fn application(values: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: certs}}\nspec:\n  source:\n    chart: cert-manager\n    \
         targetRevision: v1.18.2\n    helm:\n      valuesObject: {values}\n"
    )
}

/// A JSON patch for what `target` selects.
fn json(target: &str, path: &str, value: &str) -> String {
    format!(
        "resources: [../base]\npatches:\n- target: {{{target}}}\n  patch: |-\n    - {{op: replace, path: {path}, value: {value}}}\n"
    )
}

/// A strategic merge patch of the HelmRelease.
fn merge(fields: &str) -> String {
    format!(
        "resources: [../base]\npatches:\n- patch: |-\n    apiVersion: helm.toolkit.fluxcd.io/v2\n    kind: HelmRelease\n    metadata: {{name: \
         certs}}\n    spec: {fields}\n"
    )
}

const FLUX: [&str; 2] = ["cert-manager@1.18", "cert-manager@1.18,flux@2.6"];

/// Applies the conversion to a base and what is built of it, and returns the tree.
#[track_caller]
fn apply(base: &str, overlay: &str, targets: &str, code: i32) -> (Tree, Run) {
    let tree = Tree::of(&[
        ("base/app.yaml", base),
        ("base/kustomization.yaml", "resources: [app.yaml]\n"),
        ("prod/kustomization.yaml", overlay),
    ]);
    let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", targets]);
    run.check(code);
    (tree, run)
}

/// Checks that both files are left as they are.
#[track_caller]
fn check_held(base: &str, overlay: &str, targets: &str) -> Run {
    let (tree, run) = apply(base, overlay, targets, 1);
    assert_eq!([tree.text("base/app.yaml"), tree.text("prod/kustomization.yaml")], [base, overlay], "{}", run.all());
    run
}

/// Checks what both files become.
#[track_caller]
fn check_converted(before: [&str; 2], after: [&str; 2], targets: &str) {
    let (tree, run) = apply(before[0], before[1], targets, 0);
    assert_eq!([tree.text("base/app.yaml"), tree.text("prod/kustomization.yaml")], after, "{}", run.all());
}

#[test]
fn a_json_patch_of_the_version_of_the_chart_holds_the_values_back() {
    let base = with_values("v1.18.2", OLD);
    for targets in FLUX {
        for target in ["kind: HelmRelease", "name: certs", "kind: Helm.*"] {
            let run = check_held(&base, &json(target, "/spec/chart/spec/version", "v1.12.0"), targets);
            assert!(
                run.all().contains(
                    "held-back[converts-together] HelmRelease certs: it is patched by the JSON patch at prod/kustomization.yaml:5:5"
                ),
                "{}",
                run.all()
            );
        }
    }
    let base = application(OLD);
    check_held(&base, &json("kind: Application", "/spec/source/targetRevision", "v1.9.0"), FLUX[0]);
    check_held(&base, &json("kind: Application", "/spec/source/targetRevision", "v1.9.0"), FLUX[1]);
}

#[test]
fn a_json_patch_of_values_follows_them() {
    let (old, new) = ("/spec/values/installCRDs", "/spec/values/crds/enabled");
    for targets in FLUX {
        let patch = |path| json("kind: HelmRelease", path, "false");
        let [before, after] = [OLD, NEW].map(|values| with_values("v1.18.2", values));
        check_converted([&before, &patch(old)], [&after, &patch(new)], targets);
        let (old, new) = ("/spec/source/helm/valuesObject/installCRDs", "/spec/source/helm/valuesObject/crds/enabled");
        let patch = |path| json("kind: Application", path, "false");
        check_converted([&application(OLD), &patch(old)], [&application(NEW), &patch(new)], targets);
    }
}

#[test]
fn values_in_a_text_are_held_back_where_a_build_gives_them_another_chart_or_text() {
    let text = |values: &str| {
        let values = format!("      values: |\n        {values}\n");
        application("{}").replace("      valuesObject: {}\n", &values)
    };
    let base = text("installCRDs: true");
    let patch = |path: &str, value: &str| json("kind: Application", &format!("/spec/source/{path}"), value);
    for patch in
        [patch("targetRevision", "v1.9.0"), patch("chart", "shop"), patch("helm/values", "\"installCRDs: false\"")]
    {
        let run = check_held(&base, &patch, FLUX[0]);
        assert!(run.all().contains("base/app.yaml:10:9: held-back[converts-together]"), "{}", run.all());
    }
    let newer = patch("targetRevision", "v1.17.0");
    let (tree, _) = apply(&base, &newer, FLUX[0], 0);
    assert_eq!(tree.text("base/app.yaml"), text("crds:\n          enabled: true"));
}

#[test]
fn a_json_patch_of_releases_of_several_charts_holds_the_values_back() {
    let other = with_values("1.0.0", OLD).replace("cert-manager", "shop").replace("name: certs", "name: shop");
    let base = with_values("v1.18.2", OLD);
    let files = [
        ("base/app.yaml", &*base),
        ("base/kustomization.yaml", "resources: [app.yaml, shop.yaml]\n"),
        ("base/shop.yaml", &other),
        ("prod/kustomization.yaml", &json("kind: HelmRelease", "/spec/values/installCRDs", "false")),
    ];
    let tree = Tree::of(&files);
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", FLUX[0]]).check(1);
    assert_eq!(tree.text("base/app.yaml"), base);
}

#[test]
fn patches_of_flux_hold_the_values_back() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\nspec:\n  \
                interval: 5m\n  path: ./apps\n  prune: true\n  sourceRef: {kind: GitRepository, name: flux-system}\n  patches:\n  - target: {kind: \
                HelmRelease}\n    patch: |-\n      - {op: replace, path: /spec/chart/spec/version, value: v1.9.0}\n";
    for targets in FLUX {
        for (values, code) in [(OLD, "held-back[converts-together]"), (NEW, "unresolved[chart-too-old]")] {
            let app = with_values("v1.18.2", values);
            let tree = Tree::of(&[("apps/app.yaml", &*app), ("flux.yaml", flux)]);
            let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", targets]);
            run.check(1);
            assert!(run.all().contains(code), "{}", run.all());
            assert_eq!(tree.text("apps/app.yaml"), app);
        }
    }
}

#[test]
fn values_that_a_patch_adds_are_converted_by_the_chart_of_the_build() {
    let values = |values| merge(&format!("{{values: {values}}}"));
    for targets in FLUX {
        let base = release("v1.18.2", "");
        check_converted([&base, &values(OLD)], [&base, &values(NEW)], targets);
        let [before, after] = [OLD, NEW].map(|values| with_values("v1.18.2", values));
        let off = |values: &str| merge(&format!("{{values: {}}}", values.replace("true", "false")));
        check_converted([&before, &off(OLD)], [&after, &off(NEW)], targets);
        // The patch is in a file that does not name the chart.
        let tree = Tree::of(&[
            ("app.yaml", &*base),
            ("kustomization.yaml", "resources: [app.yaml]\npatches: [{path: patch.yaml}]\n"),
            ("patch.yaml", &release("x", "").replace("  chart:\n    spec: {chart: cert-manager, version: x, sourceRef: {kind: HelmRepository, name: jetstack}}\n", "  values: {installCRDs: true}\n")),
        ]);
        tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", targets]).check(0);
        assert!(
            tree.text("patch.yaml").ends_with("  values: {crds: {enabled: true}}\n"),
            "{}",
            tree.text("patch.yaml")
        );
    }
}

#[test]
fn values_that_a_patch_adds_are_reported_where_the_chart_of_the_build_is_too_old() {
    let told = "a chart before v1.15.0 ignores crds.enabled, and so removes the CRDs that it installed, with every object of \
                cert-manager; the version of the chart is v1.12.0";
    for targets in FLUX {
        for fields in ["", "  values: {replicaCount: 1}\n"] {
            let run = check_held(&release("v1.12.0", fields), &merge("{values: {installCRDs: true}}"), targets);
            assert_eq!(run.all().matches(told).count(), 1, "{}", run.all());
            assert!(run.all().contains("prod/kustomization.yaml:7:21: unresolved[chart-too-old]"), "{}", run.all());
        }
        let run = check_held(
            &with_values("v1.12.0", "{replicaCount: 1}"),
            &json("kind: HelmRelease", "/spec/values/installCRDs", "true"),
            targets,
        );
        assert_eq!(run.all().matches(told).count(), 1, "{}", run.all());
        assert!(run.all().contains("as Kustomize builds it"), "{}", run.all());
    }
}

#[test]
fn a_patch_of_what_a_chart_renders_is_held_back() {
    let patch = "      - patch: |-\n          apiVersion: policy/v1beta1\n          kind: PodDisruptionBudget\n          metadata: {name: shop}\n          \
                 spec: {minAvailable: 1}\n";
    let text = release("1.0.0", &format!("  postRenderers:\n  - kustomize:\n      patches:\n{patch}"));
    let tree = Tree::of(&[("app.yaml", &*text)]);
    let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "kubernetes@1.25"]);
    run.check(1);
    assert!(run.all().contains("held-back[converts-together] PodDisruptionBudget shop"), "{}", run.all());
    assert_eq!(tree.text("app.yaml"), text);
    // Beside a target, the apiVersion of a patch says nothing.
    let selected = text.replace("      - patch", "      - target: {kind: PodDisruptionBudget}\n        patch");
    let tree = Tree::of(&[("app.yaml", &*selected)]);
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "kubernetes@1.25"]).check(0);
    assert_eq!(tree.text("app.yaml"), selected.replace("v1beta1", "v1"));
}

#[test]
fn a_patch_of_what_a_chart_renders_inside_a_patch_is_reported() {
    let patch =
        |patches: &str| merge(&format!("\n      postRenderers:\n      - kustomize:\n          patches:\n{patches}"));
    let merged = |version: &str| {
        patch(&format!(
            "          - patch: |-\n              apiVersion: {version}\n              kind: PodDisruptionBudget\n              metadata: {{name: shop}}\n"
        ))
    };
    let json = |path: &str| {
        patch(&format!(
            "          - target: {{kind: Ingress}}\n            patch: |-\n              - {{op: replace, path: {path}, value: x}}\n"
        ))
    };
    let base = release("1.0.0", "");
    let check = |overlay: &str, finding: &str| {
        let run = check_held(&base, overlay, "kubernetes@1.25");
        assert!(run.all().contains(finding), "{}", run.all());
    };
    check(&merged("policy/v1beta1"), "prod/kustomization.yaml:11:13: unresolved[inline-patch]");
    check(&json("/spec/backend"), "prod/kustomization.yaml:12:13: held-back[patch-target]");
    for overlay in [merged("policy/v1"), json("/spec/rules")] {
        // No object of Kubernetes is in the files.
        let (_, run) = apply(&base, &overlay, "kubernetes@1.25", 3);
        assert!(!run.all().contains("prod/kustomization.yaml:"), "{}", run.all());
    }
}

/// A HelmChart of K3s with this version of the chart of cert-manager, and these fields.
fn helm_chart(version: &str, fields: &str) -> String {
    format!(
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {{name: certs}}\nspec:\n  chart: cert-manager\n  version: {version}\n{fields}"
    )
}

const TEXT: &str = "  valuesContent: |\n    installCRDs: true\n";

#[test]
fn values_in_the_text_of_a_helm_chart_count_with_the_version_that_is_built() {
    let base = helm_chart("v1.18.2", TEXT);
    let run = check_held(&base, &json("kind: HelmChart", "/spec/version", "v1.9.0"), FLUX[0]);
    assert!(run.all().contains("base/app.yaml:8:5: held-back[converts-together]"), "{}", run.all());
    let newer = json("kind: HelmChart", "/spec/version", "v1.17.0");
    let (tree, _) = apply(&base, &newer, FLUX[0], 0);
    assert_eq!(
        tree.text("base/app.yaml"),
        helm_chart("v1.18.2", "  valuesContent: |\n    crds:\n      enabled: true\n")
    );
}

#[test]
fn values_in_the_text_of_a_patch_are_reported_where_only_the_build_shows_their_chart() {
    let patch = |values: &str| {
        format!(
            "resources: [../base]\npatches:\n- patch: |-\n    apiVersion: helm.cattle.io/v1\n    kind: HelmChart\n    metadata: {{name: certs}}\n    \
             spec: {{valuesContent: \"{values}\"}}\n"
        )
    };
    let base = helm_chart("v1.18.2", "");
    let run = check_held(&base, &patch("installCRDs: true"), FLUX[0]);
    let expected = "prod/kustomization.yaml:7:12: unresolved[values-not-converted] HelmChart certs: spec.valuesContent holds values of the chart \
                    cert-manager, as Kustomize builds it, that are not converted";
    assert!(run.all().contains(expected), "{}", run.all());
    // These mean the same in the target.
    let same = patch("replicaCount: 2");
    let (tree, run) = apply(&base, &same, FLUX[0], 3);
    assert_eq!([tree.text("base/app.yaml"), tree.text("prod/kustomization.yaml")], [base, same], "{}", run.all());
}

//! What a person has to do before the files are applied: it is reported, and the exit code says so, until the tree shows that it is done.

use crate::support::trees::{Run, Tree};

/// A HelmRelease of the chart of cert-manager with this version and these values.
fn release(version: &str, values: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: cert-manager}}\nspec:\n  interval: 5m\n  chart:\n    spec: \
         {{chart: cert-manager, version: {version}, sourceRef: {{kind: HelmRepository, name: jetstack}}}}\n  values:\n    {values}\n"
    )
}

fn check(tree: &Tree, code: i32) -> Run {
    let run = tree.run(&["check", "--to", "cert-manager@1.21"]);
    run.check(code);
    run
}

#[test]
fn a_value_that_the_chart_ignores_is_unresolved_until_the_chart_is_new_enough() {
    let converted = "crds: {enabled: true}";
    let old = check(&Tree::of(&[("a.yaml", &release("v1.8.0", converted))]), 1);
    let finding = "a.yaml:9:12: unresolved[chart-too-old] HelmRelease cert-manager: a chart before v1.15.0 ignores \
                   crds.enabled, and so removes the CRDs that it installed, with every object of cert-manager; the version of the chart \
                   is v1.8.0";
    assert!(old.out.contains(finding), "{}", old.out);
    assert!(!old.out.contains("pinned-version"), "it is said once that the chart is to be newer: {}", old.out);
    // The pack knows no release as new as the last one.
    for new in ["v1.15.0", "v1.21.1", "1.16.x", "v1.99.0"] {
        assert!(!check(&Tree::of(&[("a.yaml", &release(new, converted))]), 0).all().contains("chart-too-old"), "{new}");
    }
    for unknown in ["1.x", "\"<2\"", "\">=1.15 || 1.8\"", "\"${VERSION}\""] {
        assert!(
            check(&Tree::of(&[("a.yaml", &release(unknown, converted))]), 1).out.contains("chart-too-old"),
            "{unknown}"
        );
    }
    // Nothing is written that it ignores, and all else is converted.
    let tree = Tree::of(&[(
        "a.yaml",
        &release("v1.8.0", "installCRDs: true").replace("toolkit.fluxcd.io/v2", "toolkit.fluxcd.io/v2beta2"),
    )]);
    let apply = tree.run(&["apply", "--to", "cert-manager@1.21,flux@2.9", "--yes", "--allow-no-vcs"]);
    apply.check(1);
    assert!(
        apply.all().contains(
            "a.yaml:9:5: unresolved[chart-too-old] HelmRelease cert-manager: spec.values.installCRDs is not converted: "
        ),
        "{}",
        apply.all()
    );
    assert_eq!(tree.text("a.yaml"), release("v1.8.0", "installCRDs: true"));
    // Without its CRDs, nothing is removed.
    check(&Tree::of(&[("a.yaml", &release("v1.8.0", "crds: {enabled: false}"))]), 0);
}

#[test]
fn the_charts_of_the_run_decide_where_none_is_beside_the_values() {
    let chart = |version: &str| {
        format!(
            "apiVersion: v2\nname: top\nversion: 1.0.0\ndependencies: [{{name: cert-manager, version: {version}, repository: https://charts.example.com}}]\n"
        )
    };
    let values = "cert-manager:\n  installCRDs: true\n  cainjector: {enabled: true}\n";
    let held = "unresolved[chart-too-old]";
    let run = check(&Tree::of(&[("values.yaml", values)]), 1);
    assert!(run.out.contains(held) && run.out.contains("nothing shows the version of the chart"), "{}", run.out);
    let run = check(&Tree::of(&[("Chart.yaml", &chart("v1.14.0")), ("values.yaml", values)]), 1);
    assert!(run.out.contains(held) && run.out.contains("the files are for v1.14.0"), "{}", run.out);
    let tree = Tree::of(&[("Chart.yaml", &chart("v1.16.0")), ("values.yaml", values)]);
    tree.run(&["apply", "--to", "cert-manager@1.21", "--yes", "--allow-no-vcs"]).check(0);
    assert_eq!(tree.text("values.yaml"), values.replace("installCRDs: true", "crds:\n    enabled: true"));
}

/// A CRD of Flux that serves these versions.
fn crd(kind: &str, versions: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {kind}}}\nspec:\n  group: source.toolkit.fluxcd.io\n  \
         names: {{kind: {kind}}}\n  versions: [{versions}]\n---\n"
    )
}

const SERVED: &str = "{name: v1beta2, served: true, storage: true}";

#[test]
fn a_crd_that_is_patched_serves_what_is_built_of_it() {
    let served = "{name: v1, served: true, storage: true}";
    let repository = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: a}\nspec: {interval: 5m, url: https://example.com/a}\n";
    let patched = |path: &str, operations: &str| {
        format!(
            "resources: [{path}]\npatches:\n- target: {{kind: CustomResourceDefinition}}\n  patch: |-\n    [{operations}]\n"
        )
    };
    let run = |versions: &str, kustomizations: &[(&str, String)]| {
        let crds = crd("GitRepository", versions);
        let mut files = vec![("base/crds.yaml", &*crds), ("a.yaml", repository)];
        files.extend(kustomizations.iter().map(|(file, text)| (*file, &**text)));
        Tree::of(&files).run(&["check", "-q", "--to", "flux@2.9"])
    };
    let not_served = "{op: replace, path: /spec/versions/0/served, value: false}";
    let stopped = patched("crds.yaml", not_served);
    let found = run(served, &[("base/kustomization.yaml", stopped.clone())]);
    found.check(1);
    assert!(found.out.contains("it serves no version, but objects need v1 (a.yaml:1:1)"), "{}", found.out);
    // A kustomization above adds the version again.
    let adds = "{op: add, path: /spec/versions/-, value: {name: v1, served: true, storage: false}}";
    let added = patched("../base", adds);
    run(served, &[("base/kustomization.yaml", stopped), ("top/kustomization.yaml", added.clone())]).check(0);
    let bare = "resources: [crds.yaml]\n".to_owned();
    run(SERVED, &[("base/kustomization.yaml", bare.clone()), ("top/kustomization.yaml", added.clone())]).check(0);
    // Of several that build it, each must serve the version.
    let others = ("other/kustomization.yaml", "resources: [../base]\n".to_owned());
    let found = run(SERVED, &[("base/kustomization.yaml", bare.clone()), ("top/kustomization.yaml", added), others]);
    found.check(1);
    assert!(found.out.contains("it serves v1beta2, but objects need v1"), "{}", found.out);
    // Where it is deleted, the files do not say what the cluster serves.
    let delete = "resources: [crds.yaml]\npatches:\n- target: {kind: CustomResourceDefinition}\n  patch: |-\n    $patch: delete\n    \
                  apiVersion: apiextensions.k8s.io/v1\n    kind: CustomResourceDefinition\n    metadata: {name: any}\n";
    run(SERVED, &[("base/kustomization.yaml", delete.to_owned())]).check(0);
}

#[test]
fn crds_that_do_not_serve_what_objects_get_are_unresolved_once() {
    let repository = "apiVersion: source.toolkit.fluxcd.io/v1beta2\nkind: GitRepository\nmetadata: {name: a}\nspec: {interval: 5m, url: https://example.com/a}\n";
    let crds = crd("GitRepository", SERVED) + &crd("Bucket", SERVED);
    let tree = Tree::of(&[
        ("flux/crds.yaml", &crds),
        ("apps/a.yaml", repository),
        ("apps/b.yaml", &repository.replace("name: a", "name: b")),
    ]);
    let told = "flux/crds.yaml:7:3: unresolved[crd-not-serving] CustomResourceDefinition GitRepository: it serves v1beta2, but objects need v1 \
                (2 objects: apps/a.yaml:1:1 and apps/b.yaml:1:1)\n  help: put the CRDs of flux@2.9.4 into the tree, at the latest in the same commit\n";
    let apply = tree.run(&["apply", "--to", "flux@2.9", "--yes", "--allow-no-vcs"]);
    apply.check(1);
    assert!(apply.all().contains(told), "{}", apply.all());
    // What is there already is no better.
    let again = tree.run(&["check", "--to", "flux@2.9"]);
    again.check(1);
    assert_eq!(again.out, told);
    // Where only an object is listed, it is the same finding, which a baseline of the whole tree knows.
    std::fs::write(tree.path("list"), "apps/b.yaml\n").unwrap();
    let listed = tree.run(&["check", "--to", "flux@2.9", "--files-from", "list"]);
    listed.check(1);
    assert_eq!(listed.out, told);
    tree.run(&["check", "--to", "flux@2.9", "--write-baseline", "b.json"]).check(0);
    for arguments in [&[][..], &["--files-from", "list"]] {
        tree.run(&[&["check", "--to", "flux@2.9", "--baseline", "b.json"], arguments].concat()).check(0);
    }
    // Each CRD is a finding, so that what is known of one is not of another; they are printed together.
    let bucket = "apiVersion: source.toolkit.fluxcd.io/v1beta2\nkind: Bucket\nmetadata: {name: a}\nspec: {interval: 5m, bucketName: a, endpoint: example.com}\n";
    std::fs::write(tree.path("apps/c.yaml"), bucket).unwrap();
    let known = tree.run(&["check", "-q", "--to", "flux@2.9", "--baseline", "b.json"]);
    known.check(1);
    let of_bucket = "unresolved[crd-not-serving] CustomResourceDefinition Bucket: it serves v1beta2, but objects need v1 (apps/c.yaml:1:1)\n";
    assert!(known.out.contains(of_bucket) && !known.out.contains("GitRepository: it serves"), "{}", known.out);
    let both = tree.run(&["check", "-q", "--to", "flux@2.9"]);
    let found: Vec<&str> = both.out.lines().filter(|line| line.contains("crd-not-serving")).collect();
    assert!(found.len() == 1 && found[0].starts_with(told.lines().next().unwrap()), "{}", both.out);
    assert!(both.out.contains("; also flux/crds.yaml:15:3 CustomResourceDefinition Bucket\n"), "{}", both.out);
    // A target that serves the old version changes nothing.
    let older = Tree::of(&[("flux/crds.yaml", &*crds), ("apps/a.yaml", repository)]);
    older.run(&["check", "--to", "flux@0.41"]).check(0);
}

/// What a project publishes as one file is replaced as a whole: that is said once, with all that the file names.
#[test]
fn a_file_of_an_old_release_is_one_thing_to_do() {
    let repository = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: a}\nspec: {interval: 5m, url: https://example.com/a}\n";
    let crds = format!("# Flux version: v0.41.2\n{}", crd("GitRepository", SERVED));
    let files = [("flux/gotk.yaml", &*crds), ("apps/a.yaml", repository)];
    let check = |flags: &[&str]| Tree::of(&files).run(&[&["check", "--to", "flux@2.9"][..], flags].concat());
    let expected = "flux/gotk.yaml:8:3: unresolved[crd-not-serving] CustomResourceDefinition GitRepository: it serves v1beta2, but objects need v1; \
                    the file has the comment Flux version: v0.41.2 (apps/a.yaml:1:1)\n  help: replace the file by the one of v2.9.4, at the latest in the same commit\n";
    assert_eq!(check(&[]).out, expected);
    let note = "flux/gotk.yaml:1:1: note[pinned-version] comment Flux version: v0.41.2 is not edited";
    assert!(check(&["-v"]).out.contains(note), "{}", check(&["-v"]).all());
    // Where no CRD is in it, replacing it is still one thing; an image of another release is another one.
    let certificate = "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: a}\nspec: {secretName: a, dnsNames: [a.example.com], issuerRef: {name: b}, revisionHistoryLimit: 1, privateKey: {rotationPolicy: Never}}\n";
    for (tag, count) in [("v1.7.0", 1), ("v1.8.0", 2)] {
        let text = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a, labels: {{app.kubernetes.io/name: cert-manager, app.kubernetes.io/version: v1.7.0}}}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata: {{labels: {{a: b}}}}\n    spec:\n      containers:\n      - {{name: a, image: quay.io/jetstack/cert-manager-controller:{tag}}}\n"
        );
        let tree = Tree::of(&[("cert-manager.yaml", &*text), ("a.yaml", certificate)]);
        let run = tree.run(&["check", "--to", "cert-manager@1.20"]);
        assert_eq!(run.out.matches("warning[pinned-version]").count(), count, "{}", run.all());
        assert_eq!(tree.run(&["check", "-v", "--to", "cert-manager@1.20"]).out.matches("[pinned-version]").count(), 2);
    }
}

#[test]
fn the_nearest_crds_count() {
    let repository = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: a}\nspec: {interval: 5m, url: https://example.com/a}\n";
    let (old, new) = (crd("GitRepository", SERVED), crd("GitRepository", "{name: v1, served: true, storage: true}"));
    let tree = |at: &str| Tree::of(&[("old/crds.yaml", &*old), ("new/crds.yaml", &new), (at, repository)]);
    tree("new/apps/a.yaml").run(&["check", "--to", "flux@2.9"]).check(0);
    tree("old/apps/a.yaml").run(&["check", "--to", "flux@2.9"]).check(1);
    // It can be applied to both clusters.
    tree("apps/a.yaml").run(&["check", "--to", "flux@2.9"]).check(1);
}

#[test]
fn of_what_a_rule_refuses_its_help_is_all_that_is_to_be_done() {
    let release = "apiVersion: helm.fluxcd.io/v1\nkind: HelmRelease\nmetadata: {name: a, namespace: b}\nspec:\n  releaseName: a\n  chart: {repository: https://charts.example.com, name: a, version: 1.0.0}\n";
    let tree = Tree::of(&[("a.yaml", release)]);
    for (target, source, helm) in [("flux@2.9", "v1", "v2"), ("flux@0.41", "v1beta2", "v2beta1")] {
        let run = tree.run(&["check", "-v", "--to", target]);
        run.check(1);
        let findings = run.out.lines().filter(|line| line.contains("held-back[") || line.contains("warning["));
        assert_eq!(findings.count(), 1, "{}", run.out);
        for named in [
            format!("apiVersion: source.toolkit.fluxcd.io/{source}\n"),
            format!("apiVersion: helm.toolkit.fluxcd.io/{helm}\n"),
        ] {
            assert!(run.out.contains(&named), "{named}: {}", run.out);
        }
    }
}

#[test]
fn old_defaults_that_are_written_out_are_one_line_of_the_summary() {
    let deployment = "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: {app: a}}\n    spec: {containers: [{name: c, image: i}]}\n";
    let tree = Tree::of(&[("a.yaml", deployment), ("b.yaml", &deployment.replace("name: a", "name: b"))]);
    let line = "kubernetes: old defaults are written into 2 objects to keep the meaning; `--set kubernetes.defaults=adopt` takes the new ones";
    let run = tree.run(&["check", "--to", "kubernetes@1.25"]);
    assert_eq!(run.err.lines().last(), Some(line), "{}", run.err);
    let adopted = tree.run(&["check", "--to", "kubernetes@1.25", "--set", "kubernetes.defaults=adopt"]);
    assert!(!adopted.err.contains("old defaults"), "{}", adopted.err);
}

#[test]
fn a_deprecated_apiversion_that_is_kept_is_a_warning_with_what_to_do() {
    let crd = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: foos.x.k8s.io}\nspec:\n  group: x.k8s.io\n  version: v1\n  names: {kind: Foo, plural: foos}\n  scope: Cluster\n";
    let run = Tree::of(&[("a.yaml", crd)]).run(&["check", "--to", "kubernetes@1.21"]);
    run.check(0);
    let warning = "warning[less-stable-version] CustomResourceDefinition foos.x.k8s.io: the object gets apiextensions.k8s.io/v1beta1, which kubernetes@1.21.0 has deprecated, because apiextensions.k8s.io/v1 cannot hold it: ";
    assert!(run.out.contains(warning) && run.out.contains("unapproved"), "{}", run.out);
}

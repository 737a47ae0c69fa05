//! What Kustomize builds before and after: what is not among the files, schemas, transformers, several patches of one object.

use reversion::internals::finding::Severity;

use super::run;

const TO: &str = "1.1.0/experimental";

/// A policy whose `tls` becomes `validation`, and whose one target becomes a list.
const POLICY: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: BackendTLSPolicy
metadata: {name: up}
spec:
  targetRef: {group: \"\", kind: Service, name: up}
  tls: {hostname: a.example.com, wellKnownCACerts: System}
";

/// A patch of the policy with this `tls`.
fn patch(tls: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {{name: up}}\nspec: {{tls: {tls}}}\n"
    )
}

#[test]
fn a_patch_of_an_object_from_elsewhere_is_held_back() {
    let patch = patch("{hostname: b}");
    let with = |resources: &str| {
        let kustomization = format!("resources: [{resources}]\npatches: [{{path: patch.yaml}}]\n");
        run(&[("live/kustomization.yaml", &kustomization), ("live/patch.yaml", &patch), ("base/up.yaml", POLICY)], TO)
    };
    let held = with("https://example.com/base?ref=v1");
    held.check_findings(Severity::Held, &["live/patch.yaml held-back converts-together -"]);
    held.check_message("the object that it is merged into is not known to this run");
    assert_eq!(held.after.into_keys().collect::<Vec<_>>(), ["base/up.yaml"]);
    let both = with("../base/up.yaml");
    both.check_findings(Severity::Held, &[]);
    assert_eq!(both.after.len(), 2);
}

#[test]
fn patches_of_one_object_are_checked_one_after_the_other() {
    // The second operation finds what the first patch adds, in its new form.
    let first = patch("{caCertRefs: [{group: \"\", kind: ConfigMap, name: ca}]}");
    let second = "- {op: replace, path: /spec/tls/caCertRefs/0/name, value: other}\n";
    let kustomization =
        "resources: [up.yaml]\npatches:\n- path: first.yaml\n- target: {kind: BackendTLSPolicy}\n  path: second.yaml\n";
    let files =
        [("kustomization.yaml", kustomization), ("up.yaml", POLICY), ("first.yaml", &first), ("second.yaml", second)];
    let outcome = run(&files, TO);
    outcome.check_findings(Severity::Held, &[]);
    assert_eq!(outcome.after["second.yaml"], second.replace("/tls/caCertRefs/", "/validation/caCertificateRefs/"));
}

#[test]
fn a_patch_that_two_overlays_share_must_follow_in_both() {
    let policy = POLICY.replace("v1alpha2", "v1alpha3").replace(
        "targetRef: {group: \"\", kind: Service, name: up}",
        "targetRefs: [{group: \"\", kind: Service, name: up}]",
    );
    let new = policy.replace("tls:", "validation:").replace("wellKnownCACerts", "wellKnownCACertificates");
    let overlay = |base: &str| {
        format!("resources: [{base}]\npatches: [{{path: ../patch.yaml, target: {{kind: BackendTLSPolicy}}}}]\n")
    };
    let files = [
        ("a/kustomization.yaml", overlay("../old.yaml")),
        ("b/kustomization.yaml", overlay("../new.yaml")),
        ("new.yaml", new),
        ("old.yaml", POLICY.to_owned()),
        // In the new form, the field of the old one does not exist, and the patch adds it nowhere.
        ("patch.yaml", "- {op: add, path: /spec/tls, value: {hostname: b}}\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (*file, text.as_str())).collect();
    let outcome = run(&files, TO);
    outcome.check_findings(
        Severity::Held,
        &["old.yaml held-back converts-together -", "patch.yaml held-back patch-target -"],
    );
    assert!(outcome.after.is_empty());
}

#[test]
fn lists_that_a_schema_merges_are_held_back() {
    let kustomization = |schema: &str| format!("resources: [up.yaml]\npatches: [{{path: patch.yaml}}]\n{schema}");
    let patch = patch("{caCertRefs: [{group: \"\", kind: ConfigMap, name: ca}]}");
    let with = |schema: &str| {
        let kustomization = kustomization(schema);
        run(&[("kustomization.yaml", &kustomization), ("patch.yaml", &patch), ("up.yaml", POLICY)], TO)
    };
    with("").check_findings(Severity::Held, &[]);
    let held = with("openapi: {path: schema.json}\n");
    held.check_findings(
        Severity::Held,
        &["patch.yaml held-back converts-together -", "up.yaml held-back converts-together -"],
    );
    held.check_message("a schema of its own (`openapi`)");
}

#[test]
fn builtin_transformers_and_replacements_follow() {
    let kustomization = "resources: [up.yaml]\ntransformers: [patch.yaml]\nreplacements: [{path: host.yaml}]\nvars:\n\
                         - name: HOST\n  objref: {apiVersion: gateway.networking.k8s.io/v1alpha2, kind: BackendTLSPolicy, name: up}\n  \
                         fieldref: {fieldpath: spec.tls.hostname}\n";
    let transformer = "apiVersion: builtin\nkind: PatchJson6902Transformer\nmetadata: {name: x}\ntarget: {kind: BackendTLSPolicy, version: v1alpha2}\n\
                       jsonOp: |-\n  - {op: replace, path: /spec/tls/hostname, value: c}\n";
    let replacement = "source: {kind: ConfigMap, name: settings, fieldPath: data.host}\ntargets:\n- select: {kind: BackendTLSPolicy}\n  \
                       fieldPaths: [spec.tls.hostname, spec.targetRef.name]\n";
    let files = [
        ("host.yaml", replacement),
        ("kustomization.yaml", kustomization),
        ("patch.yaml", transformer),
        ("up.yaml", POLICY),
    ];
    let outcome = run(&files, TO);
    outcome.check_findings(Severity::Held, &[]);
    let new = |text: &str| {
        text.replace("v1alpha2", "v1alpha3")
            .replace("/spec/tls/", "/spec/validation/")
            .replace("spec.tls.", "spec.validation.")
    };
    assert_eq!(outcome.after["patch.yaml"], new(transformer));
    assert_eq!(outcome.after["kustomization.yaml"], new(kustomization));
    assert_eq!(outcome.after["host.yaml"], new(replacement).replace("spec.targetRef.name", "spec.targetRefs.0.name"));
}

#[test]
fn what_a_kustomization_does_unseen_holds_its_objects_back() {
    let with = |rest: &str| {
        let kustomization = format!("resources: [up.yaml]\n{rest}\n");
        run(&[("kustomization.yaml", &kustomization), ("up.yaml", POLICY)], TO)
    };
    let unseen = [
        ("patches: [{path: patch.txt}]", "patches[0]"),
        ("patchesStrategicMerge: [.hidden/patch.yaml]", "patchesStrategicMerge[0]"),
        ("replacements: [{path: host.yaml}]", "replacements[0]"),
        ("configurations: [labels.yaml]", "configurations[0]"),
        ("transformers: [program.yaml]", "transformers[0]"),
        ("Patches: []", "Patches"),
        ("transformers: [\"{apiVersion: builtin, kind: PatchTransformer, metadata: {name: x}}\"]", "transformers[0]"),
    ];
    for (rest, place) in unseen {
        let reported = format!("kustomization.yaml held-back patch-target {place}");
        with(rest).check_findings(Severity::Held, &[&reported, "up.yaml held-back converts-together -"]);
    }
    let program = "apiVersion: example.com/v1\nkind: Any\nmetadata: {name: x}\n# gateway.networking.k8s.io\n";
    let kustomization = "resources: [up.yaml]\ntransformers: [program.yaml]\n";
    let files = [("kustomization.yaml", kustomization), ("program.yaml", program), ("up.yaml", POLICY)];
    let reported =
        ["kustomization.yaml held-back patch-target transformers[0]", "up.yaml held-back converts-together -"];
    let outcome = run(&files, TO);
    outcome.check_findings(Severity::Held, &reported);
    outcome
        .check_message("what is named `program.yaml` is applied to BackendTLSPolicy up at up.yaml:1:1; it is not read");
    for rest in ["patches: []", "patches: [{path: patch.yaml}]", "generators: [any.txt]", "crds: [any.txt]"] {
        with(rest).check_findings(Severity::Held, &[]);
    }
}

#[test]
fn a_path_that_moves_in_objects_from_elsewhere_is_never_a_clean_run() {
    let entry =
        |path: &str| format!("{{target: {{kind: BackendTLSPolicy}}, patch: \"[{{op: remove, path: {path}}}]\"}}");
    let overlay = |base: &str, path: &str| format!("resources: [{base}]\npatches: [{}]\n", entry(path));
    let release = |path: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec:\n  postRenderers: [{{kustomize: {{patches: [{}]}}}}]\n",
            entry(path)
        )
    };
    for text in [overlay("https://example.com/base?ref=v1", "/spec/tls"), overlay("../linked", "/spec/tls")] {
        let outcome = run(&[("live/kustomization.yaml", &text)], TO);
        outcome.check_findings(Severity::Warning, &["live/kustomization.yaml held-back patch-target [0].path"]);
        outcome.check_message("/spec/tls is spec.validation of BackendTLSPolicy in gateway-api@1.1.0/experimental");
    }
    let outcome = run(&[("release.yaml", &release("/spec/tls/hostname"))], TO);
    outcome.check_findings(Severity::Warning, &["release.yaml held-back patch-target [0].path"]);
    let clean = [
        ("live/kustomization.yaml", overlay("https://example.com/base?ref=v1", "/metadata/labels")),
        // Everything that is built is here, and has no policy.
        ("live/kustomization.yaml", overlay("deployment.yaml", "/spec/tls")),
        ("release.yaml", release("/spec/validation/hostname")),
    ];
    for (file, text) in clean {
        run(&[(file, &text)], TO).check_findings(Severity::Warning, &[]);
    }
}

#[test]
fn a_list_of_one_kind_that_the_target_lacks_is_reported() {
    let list = |group: &str, version: &str, kind: &str| {
        let item = format!("apiVersion: {group}/{version}\n  kind: {kind}\n  metadata: {{name: a}}\n  spec: {{}}\n");
        format!("apiVersion: {group}/{version}\nkind: {kind}List\nitems:\n- {item}")
    };
    let unresolved = ["a.yaml unresolved reference-not-updated apiVersion"];
    let old = list("gateway.networking.k8s.io", "v1alpha2", "HTTPRoute");
    let done = run(&[("a.yaml", &old)], "1.4");
    done.check_findings(Severity::Warning, &unresolved);
    done.check_message("write apiVersion: v1 and kind: List there, or apiVersion: gateway.networking.k8s.io/v1 and kind: HTTPRouteList");
    let renamed = list("gateway.networking.x-k8s.io", "v1alpha1", "XListenerSet");
    run(&[("a.yaml", &renamed)], "1.6.1/standard").check_findings(Severity::Unresolved, &unresolved);
    run(&[("a.yaml", &list("gateway.networking.k8s.io", "v1", "HTTPRoute"))], "1.4")
        .check_findings(Severity::Warning, &[]);
    let plain = old.replacen("gateway.networking.k8s.io/v1alpha2\nkind: HTTPRouteList", "v1\nkind: List", 1);
    run(&[("a.yaml", &plain)], "1.4").check_findings(Severity::Warning, &[]);
}

/// Kustomize takes two objects for one where they have the same apiVersion too.
#[test]
fn an_object_keeps_the_api_version_that_distinguishes_it_in_a_build() {
    let old = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: a}\nspec: {hostnames: [a.example.com]}\n";
    let new = old.replace("v1beta1", "v1").replace("a.example", "b.example");
    let files = [("a.yaml", old), ("b.yaml", &*new)];
    // Two files that nothing builds together are of two clusters.
    assert_eq!(run(&files, "1.4").after.len(), 1);
    let built = |kustomization| run(&[files[0], files[1], ("kustomization.yaml", kustomization)], "1.4");
    let both = built("resources: [a.yaml, b.yaml]\n");
    both.check_findings(Severity::Held, &["a.yaml held-back name-conflict metadata.name"]);
    assert!(both.after.is_empty());
    let one = built("resources: [a.yaml]\n");
    one.check_findings(Severity::Held, &[]);
    assert_eq!(one.after.len(), 1);
}

#[test]
fn a_patch_of_what_is_fetched_or_rendered_is_reported_and_its_selector_stays() {
    let target = "{group: gateway.networking.k8s.io, version: v1alpha2, kind: BackendTLSPolicy, name: far}";
    let with = |build: &str, path: &str| {
        let patch = format!("[{{op: replace, path: {path}, value: a.example.com}}]");
        let kustomization = format!("{build}patches: [{{target: {target}, path: patch.yaml}}]\n");
        run(&[("kustomization.yaml", &kustomization), ("patch.yaml", &patch), ("up.yaml", POLICY)], TO)
    };
    let builds = [
        "resources: [up.yaml, \"https://example.com/far.yaml\"]\n",
        "resources: [\"https://example.com/far.yaml\"]\n",
        "resources: [up.yaml, \"git@example.com:far.yaml\"]\n",
        "resources: [up.yaml]\nhelmCharts: [{name: far}]\n",
    ];
    for build in builds {
        let outcome = with(build, "/spec/tls/hostname");
        outcome.check_findings(Severity::Held, &["patch.yaml held-back patch-target [0].path"]);
        let version = "kustomization.yaml unresolved patch-target patches[0].target.version";
        outcome.check_findings(Severity::Unresolved, &[version, "patch.yaml held-back patch-target [0].path"]);
        outcome.check_message("/spec/tls/hostname is spec.validation.hostname of BackendTLSPolicy");
        assert_eq!(outcome.after.into_keys().collect::<Vec<_>>(), ["up.yaml"], "{build}");
    }
    // No field of it moves, but what it selects has the old version for all that is known.
    let outcome = with(builds[0], "/metadata/labels/a");
    outcome.check_findings(Severity::Held, &[]);
    outcome.check_message("since no object of this run has that version");
    assert_eq!(outcome.after.into_keys().collect::<Vec<_>>(), ["up.yaml"]);
}

#[test]
fn a_patch_that_flux_has_as_data_is_held_back_with_its_object_and_its_holder() {
    let release = |spec: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2beta1\nkind: HelmRelease\nmetadata: {{name: shop, namespace: web}}\nspec:\n  chart: {{spec: {{{spec}}}}}\n"
        )
    };
    let applied = |patch: &str| {
        let item: String = patch.lines().map(|line| format!("    {line}\n")).collect();
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1beta2\nkind: Kustomization\nmetadata: {{name: apps, namespace: web}}\nspec:\n  \
             interval: 5m\n  path: ./apps\n  prune: true\n  sourceRef: {{kind: GitRepository, name: shop}}\n  patchesStrategicMerge:\n  - {}",
            &item[4..]
        )
    };
    let base = release("chart: shop, valuesFile: a.yaml, sourceRef: {kind: HelmRepository, name: shop}")
        .replace("spec:\n", "spec:\n  interval: 5m\n");
    let held = run(&[("ks.yaml", &applied(&release("valuesFile: b.yaml"))), ("apps/shop.yaml", &base)], "flux@2.9.0");
    let reported = [
        "apps/shop.yaml held-back converts-together -",
        "ks.yaml held-back patch-target spec.patchesStrategicMerge[0]",
    ];
    held.check_findings(Severity::Held, &reported);
    assert!(held.after.is_empty(), "{:?}", held.after);
    // Nor does it become a text, which the next run would convert, where its object is not there.
    let alone = run(&[("ks.yaml", &applied(&release("valuesFile: b.yaml")))], "flux@2.9.0");
    alone.check_findings(Severity::Held, &["ks.yaml held-back inline-patch spec.patchesStrategicMerge[0]"]);
    assert!(alone.after.is_empty(), "{:?}", alone.after);
    // Of an object that does not change, the patch only becomes a text.
    let new = |text: &str| text.replace("v2beta1", "v2").replace("valuesFile: a.yaml", "valuesFiles: [a.yaml]");
    let patch = new(&release("valuesFiles: [b.yaml]"));
    let free = run(&[("ks.yaml", &applied(&patch)), ("apps/shop.yaml", &new(&base))], "flux@2.9.0");
    free.check_findings(Severity::Held, &[]);
    assert_eq!(free.after.into_keys().collect::<Vec<_>>(), ["ks.yaml"]);
}

#[test]
fn a_pattern_of_versions_follows_all_that_it_selects() {
    let ingress = "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: shop}\nspec: {backend: {serviceName: a, servicePort: 80}}\n";
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: 1, selector: {matchLabels: {app: a}}}\n";
    let other = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: other}\nspec: {defaultBackend: {service: {name: a, port: {number: 80}}}}\n";
    let kustomization = |resources: &str, version: &str| {
        format!(
            "resources: [{resources}]\npatches:\n- target: {{version: {version}}}\n  patch: '[{{op: add, path: /metadata/annotations, value: {{x: \"y\"}}}}]'\n"
        )
    };
    let with = |resources: &str, version: &str| {
        let kustomization = kustomization(resources, version);
        let files =
            [("i.yaml", ingress), ("j.yaml", other), ("kustomization.yaml", &*kustomization), ("p.yaml", budget)];
        run(&files, "kubernetes@1.25.0")
    };
    let both = with("i.yaml, p.yaml", "\"v1beta.*\"");
    both.check_findings(Severity::Held, &[]);
    assert_eq!(both.after["kustomization.yaml"], kustomization("i.yaml, p.yaml", "\"v1\""));
    // It would select what it does not select now.
    let more = with("i.yaml, j.yaml", "v1beta1");
    more.check_message("no group, version and kind would select just these");
    assert!(!more.after.contains_key("i.yaml"));
}

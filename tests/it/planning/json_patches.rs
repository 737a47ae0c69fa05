//! JSON patches, and merge patches with a target, follow what they are applied to.

use reversion::internals::finding::Severity;

use super::run;

/// A policy whose `tls` becomes `validation`, and whose one target becomes a list.
const POLICY: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: BackendTLSPolicy
metadata: {name: up}
spec:
  targetRef: {group: \"\", kind: Service, name: up}
  tls: {hostname: a.example.com, wellKnownCACerts: System}
";

/// Converts the policy with one entry of the patches of its kustomization.
fn with_patch(entry: &str, others: &[(&str, &str)]) -> super::Outcome {
    let text = format!("namePrefix: my-\nresources: [up.yaml]\npatches:\n- {entry}\n");
    let mut files = vec![("live/kustomization.yaml", &*text), ("live/up.yaml", POLICY)];
    files.extend(others);
    run(&files, "1.1.0/experimental")
}

#[test]
fn the_paths_of_a_json_patch_follow_what_its_target_selects() {
    let entry = |target: &str, operation: &str| format!("target: {{{target}}}\n  patch: '[{operation}]'");
    let add = |path: &str, value: &str| format!("{{\"op\": \"add\", \"path\": \"{path}\", \"value\": {value}}}");
    let check_with = |target: &str, old: &str, new: &str, findings: &[&str]| {
        let outcome = with_patch(&entry(target, old), &[]);
        outcome.check_findings(Severity::Warning, findings);
        let kustomization = outcome.after.get("live/kustomization.yaml").map_or("", String::as_str);
        let expected = entry(target, new);
        assert!(old == new && kustomization.is_empty() || kustomization.contains(&expected), "{kustomization}");
    };
    let check = |target: &str, old: &str, new: &str| check_with(target, old, new, &[]);
    let hostname = ["/spec/tls/hostname", "/spec/validation/hostname"].map(|path| add(path, "\"b\""));
    for target in ["name: up", "name: my-up", "kind: .*Policy", "version: 'v1alpha[123]', name: u."] {
        check(target, &hostname[0], &hostname[1]);
    }
    // A whole field, one that becomes an item of a list, and what does not change.
    let whole = ["wellKnownCACerts", "wellKnownCACertificates"]
        .map(|key| format!("{{\"hostname\": \"b\", \"{key}\": \"System\"}}"));
    check("name: up", &add("/spec/tls", &whole[0]), &add("/spec/validation", &whole[1]));
    check("name: up", &add("/spec/targetRef/name", "\"c\""), &add("/spec/targetRefs/0/name", "\"c\""));
    let removed = |path: &str| format!("{{\"op\": \"remove\", \"path\": \"{path}\"}}");
    let [old, new] = ["/spec/tls/wellKnownCACerts", "/spec/validation/wellKnownCACertificates"].map(removed);
    check_with("name: up", &old, &new, &["live/up.yaml warning already-invalid spec.tls"]);
    let label = add("/metadata/labels", "{\"a\": \"b\"}");
    check("name: up", &label, &label);
    let elsewhere = add("/spec/tls/hostname", "\"b\"");
    check("name: down", &elsewhere, &elsewhere);
    check("kind: Service", &elsewhere, &elsewhere);
    // Kustomize adds a key that an operation replaces, where the mapping has it not.
    let replace = |path: &str| format!("{{\"op\": \"replace\", \"path\": \"{path}\", \"value\": []}}");
    let [old, new] = ["/spec/tls/caCertRefs", "/spec/validation/caCertificateRefs"].map(replace);
    check("name: up", &old, &new);
    // The value of an operation is converted where it holds what changes.
    let reference = "{\"group\": \"\", \"kind\": \"Service\", \"name\": \"x\"}";
    let old = format!("{{\"targetRef\": {reference}, \"tls\": {}}}", whole[0]);
    let new = format!("{{\"targetRefs\": [{reference}], \"validation\": {}}}", whole[1]);
    check("name: up", &add("/spec", &old), &add("/spec", &new));
}

#[test]
fn a_json_patch_in_a_file_of_its_own_follows_however_it_is_written() {
    let kustomization = "resources: [up.yaml]\npatches: [{path: patch.yaml, target: {kind: BackendTLSPolicy}}]\n";
    for patch in [
        "- op: replace\n  path: /spec/tls/hostname\n  value: b\n",
        "-\n  op: replace\n  path: /spec/tls/hostname\n  value: b\n",
        "- {op: replace, path: /spec/tls/hostname, value: b}\n",
        "- {path: /spec/tls/hostname,op: replace, value: b}\n",
        "- {path: /spec/tls/hostname,\nop: replace, value: b}\n",
        "[{\nop: replace,\npath: /spec/tls/hostname,\nvalue: b}]\n",
        "[{\n\top: replace,\n\tpath: /spec/tls/hostname,\n\tvalue: b}]\n",
        "[{\"op\": \"replace\", \"path\": \"/spec/tls/hostname\", \"value\": \"b\"}]\n",
        "- {'op': replace, 'path': /spec/tls/hostname, 'value': b}\n",
        "- ? op\n  : replace\n  ? path\n  : /spec/tls/hostname\n  ? value\n  : b\n",
        "- op : replace\n  path : /spec/tls/hostname\n  value : b\n",
    ] {
        let files = [("live/kustomization.yaml", kustomization), ("live/up.yaml", POLICY), ("live/patch.yaml", patch)];
        let outcome = run(&files, "1.1.0/experimental");
        outcome.check_findings(Severity::Warning, &[]);
        let expected = patch.replace("/spec/tls/", "/spec/validation/");
        assert_eq!(outcome.after.get("live/patch.yaml"), Some(&expected), "{patch}");
    }
}

#[test]
fn a_json_patch_that_cannot_follow_is_held_back_with_what_it_patches() {
    // The target gives no kind, so that it can select objects of a file that is not read.
    let text = "resources: [up.yaml, rest.yaml]\npatches:\n- target: {name: up}\n  patch: |\n    \
                - {op: replace, path: /spec/tls/hostname, value: b}\n";
    let held = ["live/kustomization.yaml held-back patch-target -", "live/up.yaml held-back converts-together -"];
    let outcome = run(&[("live/kustomization.yaml", text), ("live/up.yaml", POLICY)], "1.1.0/experimental");
    outcome.check_findings(Severity::Warning, &held);
    outcome.check_message("the JSON patch is applied to BackendTLSPolicy up at live/up.yaml:1:1");
    assert!(outcome.after.is_empty());
    let known = text.replace("name: up", "kind: BackendTLSPolicy");
    let outcome = run(&[("live/kustomization.yaml", &known), ("live/up.yaml", POLICY)], "1.1.0/experimental");
    assert_eq!(outcome.after["live/kustomization.yaml"], known.replace("/spec/tls/", "/spec/validation/"));
}

#[test]
fn a_patch_with_a_target_is_merged_whatever_its_own_kind() {
    let dummy = |api: &str, kind: &str, spec: &str| {
        format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: any}}\nspec: {{{spec}}}\n")
    };
    let inline = |patch: &str| patch.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let (api, kind) = ("gateway.networking.k8s.io/v1alpha2", "BackendTLSPolicy");
    for target in ["kind: BackendTLSPolicy", "name: up", "group: gateway.networking.k8s.io, kind: BackendTLSPolicy"] {
        let entry = |patch: &str| format!("target: {{{target}}}\n  patch: |\n{}", inline(patch));
        let reported = |patch: &str| with_patch(&entry(patch), &[]).reported;
        assert_eq!(
            reported(&dummy("any/v1", "Any", "tls: {hostname: b}")),
            ["live/up.yaml held-back converts-together -"]
        );
        assert_eq!(reported(&dummy("any/v1", "Any", "a: {hostname: b}")), [""; 0], "{target}");
        assert_eq!(reported(&dummy(api, kind, "tls: {hostname: b}")), [""; 0], "{target}");
    }
    // A patch in a file, which may not be in the run.
    let file = |target: &str, others: &[(&str, &str)]| {
        with_patch(&format!("{{path: ../p.yaml, target: {{{target}}}}}"), others).reported
    };
    let held =
        ["live/kustomization.yaml held-back patch-target patches[0]", "live/up.yaml held-back converts-together -"];
    assert_eq!(file("name: up", &[]), held);
    assert_eq!(file("name: down", &[]), [""; 0]);
    assert_eq!(file("name: up", &[("p.yaml", &dummy(api, kind, "tls: {hostname: b}"))]), [""; 0]);
    let other = format!("# for gateway.networking.k8s.io\n{}", dummy("any/v1", "Any", "tls: {hostname: b}"));
    assert_eq!(file("name: up", &[("p.yaml", &other)]), ["live/up.yaml held-back converts-together -"]);
}

/// A workload in which nothing tells that it is an endpoint picker, so that its file is not read.
const PICKER: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: epp}\nspec:\n  selector: {matchLabels: {app: epp}}\n  template:\n    metadata: {labels: {app: epp}}\n    spec: {containers: [{name: epp, image: registry.example.com/epp}]}\n";

#[test]
fn what_a_patch_writes_to_a_workload_that_is_not_read_is_reported_where_a_rule_refuses_it() {
    let target = "gateway-api-inference-extension@1.0.0";
    let report = |selected: &str, operations: &str| {
        let patch: String = operations.lines().map(|line| format!("    - {{{line}}}\n")).collect();
        let text = format!("resources: [epp.yaml]\npatches:\n- target: {{{selected}}}\n  patch: |\n{patch}");
        let found = run(&[("kustomization.yaml", &text)], target);
        assert!(found.after.is_empty(), "{:?}", found.after);
        found.reported
    };
    let at = |place: &str| vec![format!("kustomization.yaml held-back patch-target {place}")];
    let containers = "/spec/template/spec/containers";
    let named = "kind: Deployment, name: epp";
    let args = format!("op: add, path: {containers}/0/args, value: [-poolName, llama]");
    for selected in [named, "labelSelector: app=epp", "name: epp", "group: apps"] {
        assert_eq!(report(selected, &args), at("[0].value"), "{selected}");
    }
    // One by one, in another container, with the container, and with the whole template.
    let one = format!("op: add, path: {containers}/1/args/-, value: --v=1");
    let two = format!("op: add, path: {containers}/1/args/-, value: -poolName=llama");
    assert_eq!(report(named, &format!("{one}\n{two}")), at("[1].value"));
    let flag = format!("op: add, path: {containers}/1/args/0, value: --pool-group");
    let value = format!("op: add, path: {containers}/1/args/1, value: inference.networking.x-k8s.io");
    assert_eq!(report(named, &format!("{flag}\n{value}")), at("[1].value"));
    let container = "{name: epp, command: [/epp, -poolName, llama]}";
    assert_eq!(report(named, &format!("op: add, path: {containers}/-, value: {container}")), at("[0].value"));
    let spec = format!("{{template: {{spec: {{containers: [{container}]}}}}}}");
    assert_eq!(report(named, &format!("op: replace, path: /spec, value: {spec}")), at("[0].value"));
    // What is no flag of the picker, what removes it, and what no rule is about.
    assert_eq!(report(named, &one), Vec::<String>::new());
    assert_eq!(report(named, &format!("op: remove, path: {containers}/0/args")), Vec::<String>::new());
    assert_eq!(report("kind: ConfigMap, name: epp", &args), Vec::<String>::new());
}

#[test]
fn what_a_patch_writes_to_a_workload_that_is_not_read_is_reported_where_a_rule_changes_it() {
    let annotations = "{karpenter.sh/do-not-evict: \"true\"}";
    let operations = |annotations: &str| {
        format!(
            "resources: [web.yaml]\npatches:\n- target: {{kind: Deployment}}\n  patch: |\n    - {{op: add, path: /spec/replicas, value: 3}}\n    - {{op: add, path: /spec/template/metadata/annotations, value: {annotations}}}\n"
        )
    };
    let found = run(&[("kustomization.yaml", &operations(annotations))], "karpenter@0.32.2");
    assert_eq!(found.reported, ["kustomization.yaml held-back patch-target [1].value"]);
    found.check_message("it selects no Deployment that is known to this run");
    let found = run(&[("kustomization.yaml", &operations("{example.com/a: \"true\"}"))], "karpenter@0.32.2");
    assert_eq!(found.reported, Vec::<String>::new());
}

#[test]
fn a_patch_of_a_workload_that_is_read_is_judged_by_what_is_built() {
    let patch = "op: add, path: /spec/template/spec/containers/0/args, value: [-poolName, llama]";
    let kustomization = format!(
        "resources: [epp.yaml]\npatches:\n- target: {{kind: Deployment, name: epp}}\n  patch: |\n    - {{{patch}}}\n"
    );
    let files = [("epp.yaml", PICKER), ("kustomization.yaml", &*kustomization)];
    let found = run(&files, "gateway-api-inference-extension@1.0.0");
    assert!(found.after.is_empty() && !found.reported.is_empty(), "{:?}", found.reported);
    found.check_message("since v1.0.0 the flags of the endpoint picker have other names");
}

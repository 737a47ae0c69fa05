//! Patches that Kustomize applies to objects that have others created: what they change of these is converted with them, or neither is.

use crate::support::trees::{Run, Tree};

const RELEASE: &str = "\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: app}
spec:
  values:
    image: {tag: v1}
    extraObjects:
    - apiVersion: cilium.io/v2alpha1
      kind: CiliumLoadBalancerIPPool
      metadata: {name: blue}
      spec:
        cidrs:
        - cidr: 10.0.0.0/24
";

/// What becomes of its pool.
fn converted(text: &str) -> String {
    text.replace("cilium.io/v2alpha1", "cilium.io/v2")
        .replace("        cidrs:", "        allowFirstLastIPs: \"No\"\n        blocks:")
}

/// A pool as patches write it, before the field was renamed.
const GREEN: &str = "{apiVersion: cilium.io/v2alpha1, kind: CiliumLoadBalancerIPPool, metadata: {name: green}, spec: {cidrs: [{cidr: 10.1.0.0/24}]}}";

/// The same pool as it is written now.
const CURRENT: &str = "{apiVersion: cilium.io/v2, kind: CiliumLoadBalancerIPPool, metadata: {name: green}, spec: {allowFirstLastIPs: 'No', blocks: [{cidr: 10.1.0.0/24}]}}";

/// Applies to a release that has `blocks` what a kustomization with this patch builds.
fn applied(patch: &str, more: &[(&str, &str)]) -> (Tree, Run) {
    let kustomization = format!("resources: [release.yaml]\npatches:\n- {patch}");
    let tree = Tree::of(&[&[("release.yaml", RELEASE), ("kustomization.yaml", kustomization.as_str())], more].concat());
    let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "cilium@1.18.2"]);
    (tree, run)
}

fn json(operation: &str) -> String {
    format!("target: {{kind: HelmRelease}}\n  patch: |-\n    - {operation}\n")
}

#[test]
fn what_a_json_patch_changes_of_a_created_object_holds_it_back() {
    for operation in [
        "{op: replace, path: /spec/values/extraObjects/0/spec/cidrs/0/cidr, value: 10.2.0.0/24}",
        "{op: remove, path: /spec/values/extraObjects/0/spec/cidrs}",
    ] {
        let (tree, run) = applied(&json(operation), &[]);
        assert!(run.all().contains("held-back[converts-together] CiliumLoadBalancerIPPool blue"), "{}", run.all());
        assert!(!run.all().contains("unresolved"), "{}", run.all());
        assert_eq!(tree.text("release.yaml"), RELEASE);
        run.check(1);
    }
}

#[test]
fn what_reads_or_writes_a_field_of_a_created_object_holds_it_back() {
    let cidr = "spec.values.extraObjects.0.spec.cidrs.0.cidr";
    let replacement = |source: &str, target: &str| {
        format!(
            "target: {{kind: None}}\n  patch: \"[]\"\nreplacements:\n- source: {{kind: HelmRelease, fieldPath: {source}}}\n  targets:\n  - select: {{kind: HelmRelease}}\n    fieldPaths: [{target}]\n"
        )
    };
    let operation =
        |operation: &str| json(&format!("{{{operation}, path: /spec/values/extraObjects/0/spec/cidrs/0/cidr}}"));
    for patch in [
        replacement("spec.values.image.tag", cidr),
        replacement(cidr, "spec.values.image.tag"),
        operation("op: test, value: 10.0.0.0/24"),
        json("{op: copy, from: /spec/values/extraObjects/0/spec/cidrs/0/cidr, path: /spec/values/image/tag}"),
    ] {
        let (tree, run) = applied(&patch, &[]);
        assert!(
            run.all().contains("held-back[converts-together] CiliumLoadBalancerIPPool blue"),
            "{patch}{}",
            run.all()
        );
        assert_eq!(tree.text("release.yaml"), RELEASE);
        run.check(1);
    }
    let kept = replacement("spec.values.extraObjects.0.metadata.name", "spec.values.image.tag");
    let (tree, run) = applied(&kept, &[]);
    assert_eq!(tree.text("release.yaml"), converted(RELEASE), "{}", run.all());
    run.check(0);
}

#[test]
fn an_object_that_a_patch_has_created_is_reported_where_it_is_not_converted() {
    let merge = format!(
        "patch: |-\n    apiVersion: helm.toolkit.fluxcd.io/v2\n    kind: HelmRelease\n    metadata: {{name: app}}\n    spec: {{values: {{extraObjects: [{GREEN}]}}}}\n"
    );
    let operation = |what: &str| json(&format!("{{{what}, value: {GREEN}}}"));
    let added = operation("op: add, path: /spec/values/extraObjects/-");
    let replaced = operation("op: replace, path: /spec/values/extraObjects/0");
    let list = json(&format!("{{op: replace, path: /spec/values/extraObjects, value: [{GREEN}]}}"));
    let values = json(&format!("{{op: replace, path: /spec/values, value: {{extraObjects: [{GREEN}]}}}}"));
    for patch in [&merge, &added, &replaced, &list, &values] {
        let (tree, run) = applied(patch, &[]);
        assert!(run.all().contains("unresolved[not-an-object]"), "{}", run.all());
        assert!(run.all().contains("holds CiliumLoadBalancerIPPool green, as Kustomize builds it"), "{}", run.all());
        assert_eq!(tree.text("release.yaml"), converted(RELEASE));
        run.check(1);
    }
}

#[test]
fn patches_that_leave_created_objects_as_they_are_hold_nothing_back() {
    let plain = json("{op: replace, path: /spec/values/image/tag, value: v2}");
    let removed = json("{op: remove, path: /spec/values/extraObjects}");
    let field = json("{op: add, path: /spec/values/extraObjects/0/spec/disabled, value: true}");
    let first = format!(
        "target: {{kind: HelmRelease}}\n  patch: |-\n    - {{op: add, path: /spec/values/extraObjects/0, value: {CURRENT}}}\n    - {{op: remove, path: /spec/values/extraObjects/0}}\n"
    );
    let current = json(&format!("{{op: add, path: /spec/values/extraObjects/-, value: {CURRENT}}}"));
    for patch in [&plain, &removed, &field, &first, &current] {
        let (tree, run) = applied(patch, &[]);
        assert_eq!(tree.text("release.yaml"), converted(RELEASE), "{}", run.all());
        run.check(0);
    }
    // The object in a file of a patch is read by itself.
    let patch = RELEASE.replace("blue", "green").replace("    image: {tag: v1}\n", "");
    let (tree, run) = applied("path: patch.yaml\n", &[("patch.yaml", &patch)]);
    for (file, text) in [("release.yaml", RELEASE), ("patch.yaml", &patch)] {
        assert_eq!(tree.text(file), converted(text), "{}", run.all());
    }
    run.check(0);
}

/// An Application whose chart gets these values as a text.
fn application(values: &str) -> String {
    let lines: String = values.lines().map(|line| format!("        {line}\n")).collect();
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: app}}\nspec:\n  source:\n    chart: app\n    helm:\n      values: |\n{lines}"
    )
}

const VALUES: &str = "\
# Printed by the chart.
extraObjects:
- apiVersion: cilium.io/v2alpha1 # old
  kind: CiliumLoadBalancerIPPool
  metadata: {name: blue}
  spec:
    cidrs:
    - cidr: 10.0.0.0/24
";

/// What becomes of them.
fn converted_values() -> String {
    VALUES.replace("v2alpha1 # old", "v2 # old").replace("    cidrs:", "    allowFirstLastIPs: \"No\"\n    blocks:")
}

#[test]
fn objects_in_a_text_with_values_are_converted_there() {
    let old = application(VALUES);
    let tree = Tree::of(&[("app.yaml", &*old)]);
    let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "cilium@1.18.2"]);
    assert_eq!(tree.text("app.yaml"), application(&converted_values()), "{}", run.all());
    run.check(0);
    let run = tree.run(&["check", "--to", "cilium@1.18.2"]);
    run.check(0);
    // Nobody knows what a text of a ConfigMap is for.
    let data = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  text: |\n{}",
        old.split_once("|\n").unwrap().1
    );
    let tree = Tree::of(&[("data.yaml", &*data), ("other.yaml", CURRENT)]);
    let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "cilium@1.18.2"]);
    assert!(run.all().contains("warning[not-an-object]"), "{}", run.all());
    assert_eq!(tree.text("data.yaml"), data);
    run.check(0);
}

#[test]
fn objects_in_a_text_with_values_that_are_not_converted_are_reported() {
    for values in [
        VALUES.replace("extraObjects", "things"),
        // The chart gets it by `tpl`.
        VALUES.replace("name: blue", "name: {{ .Release.Name }}"),
        in_a_text(VALUES),
    ] {
        let old = application(&values);
        let tree = Tree::of(&[("app.yaml", &*old), ("other.yaml", CURRENT)]);
        let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "cilium@1.18.2"]);
        assert!(run.all().contains("unresolved[not-an-object]"), "{}", run.all());
        assert_eq!(tree.text("app.yaml"), old);
        run.check(1);
    }
}

#[test]
fn what_a_patch_writes_to_a_text_with_values_is_converted_or_reported() {
    let patched = |operation: &str| {
        let kustomization = format!(
            "resources: [app.yaml]\npatches:\n- target: {{kind: Application}}\n  patch: |-\n    - {operation}\n"
        );
        let tree = Tree::of(&[("app.yaml", &*application(VALUES)), ("kustomization.yaml", &*kustomization)]);
        let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "cilium@1.18.2"]);
        (tree, run)
    };
    let (tree, run) = patched("{op: add, path: /spec/source/targetRevision, value: 1.0.0}");
    assert_eq!(tree.text("app.yaml"), application(&converted_values()), "{}", run.all());
    run.check(0);
    let green = format!("\"extraObjects: [{}]\"", GREEN.replace('"', "'"));
    let (tree, run) = patched(&format!("{{op: replace, path: /spec/source/helm/values, value: {green}}}"));
    assert!(run.all().contains("held-back[converts-together] CiliumLoadBalancerIPPool blue"), "{}", run.all());
    assert_eq!(tree.text("app.yaml"), application(VALUES));
    run.check(1);
    let (_, run) =
        patched(&format!("{{op: add, path: /spec/sources, value: [{{chart: b, helm: {{values: {green}}}}}]}}"));
    assert!(run.all().contains("holds CiliumLoadBalancerIPPool green, as Kustomize builds it"), "{}", run.all());
    run.check(1);
}

#[test]
fn objects_inside_other_data_are_reported_where_they_are_not_what_the_target_needs() {
    let pool = |object: &str| format!("things:\n- {object}\n");
    let [old, current] = [GREEN, CURRENT].map(pool);
    let data = |name: &str, values: &str| {
        let lines: String = values.lines().map(|line| format!("    {line}\n")).collect();
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n  values.yaml: |\n{lines}")
    };
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: app}\nspec: {valuesFrom: [{kind: ConfigMap, name: values}]}\n";
    let check = |file: &str, text: &str| {
        let tree = Tree::of(&[(file, text), ("release.yaml", release), ("other.yaml", CURRENT)]);
        tree.run(&["check", "--to", "cilium@1.18.2"])
    };
    for (file, text) in [
        ("values.yaml", current.clone()),
        ("app.yaml", application(&current)),
        ("data.yaml", data("values", &current)),
        ("data.yaml", data("notes", &current)),
    ] {
        let run = check(file, &text);
        assert!(!run.all().contains("not-an-object"), "{}", run.all());
        run.check(0);
    }
    for (file, text, severity, code) in [
        ("values.yaml", old.clone(), "unresolved", 1),
        ("app.yaml", application(&old), "unresolved", 1),
        ("data.yaml", data("values", &old), "unresolved", 1),
        ("data.yaml", data("notes", &old), "warning", 0),
        // Nobody knows what a template prints.
        (
            "data.yaml",
            data("values", &format!("{{{{ if .a }}}}\n{}", VALUES.replace("extraObjects", "things"))),
            "unresolved",
            1,
        ),
    ] {
        let run = check(file, &text);
        assert!(run.all().contains(&format!("{severity}[not-an-object]")), "{file} {}", run.all());
        run.check(code);
    }
}

/// The pool of [`VALUES`] as a text in a list.
fn in_a_text(values: &str) -> String {
    let lines: String = values.lines().skip(2).map(|line| format!("  {}\n", &line[2..])).collect();
    format!("extraObjects:\n- |\n{lines}")
}

#[test]
fn objects_that_are_texts_of_json_in_values_are_converted_there() {
    let text = |version: &str| {
        format!(
            "extraObjects:\n- |\n  {{\"apiVersion\": \"policy/{version}\", \"kind\": \"PodDisruptionBudget\", \"metadata\": {{\"name\":\"a\"}}, \"spec\": {{\"minAvailable\":1}}}}\n- '{{\"apiVersion\":\"policy/{version}\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{{\"name\":\"b\"}},\"spec\":{{}}}}'\n- |\n  \"kind\": PodDisruptionBudget\n  \"apiVersion\": policy/{version}\n  \"metadata\": {{name: c}}\n"
        )
    };
    let tree = Tree::of(&[("values.yaml", &*text("v1beta1"))]);
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "kubernetes@1.33"]).check(0);
    assert_eq!(tree.text("values.yaml"), text("v1"));
    // A text whose lines are joined is held back.
    let folded = text("v1beta1").replace("- |\n  {", "- >-\n  {");
    let run = Tree::of(&[("values.yaml", &*folded)]).run(&["check", "--to", "kubernetes@1.33"]);
    assert!(run.out.contains("PodDisruptionBudget a: the text that the object is in is not converted"), "{}", run.out);
    run.check(1);
}

#[test]
fn objects_that_are_texts_in_values_are_converted_there() {
    let [old, new] = [VALUES, &converted_values()].map(in_a_text);
    let release = |values: &str| {
        let lines: String = values.lines().map(|line| format!("    {line}\n")).collect();
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: app}}\nspec:\n  values:\n{lines}"
        )
    };
    let patched = "resources: [release.yaml]\npatches:\n- target: {kind: HelmRelease}\n  patch: |-\n    - {op: add, path: /spec/interval, value: 1h}\n";
    for kustomization in ["resources: [release.yaml]\n", patched] {
        let files = [("values.yaml", &*old), ("release.yaml", &*release(&old)), ("kustomization.yaml", kustomization)];
        let tree = Tree::of(&files);
        let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "cilium@1.18.2"]);
        assert_eq!(tree.text("values.yaml"), new, "{}", run.all());
        assert_eq!(tree.text("release.yaml"), release(&new), "{}", run.all());
        run.check(0);
    }
    // A chart that does more with the list than print it.
    let counted = "{{- range .Values.extraObjects }}\n---\n{{ tpl . $ }}\n{{- end }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {all: {{ .Values.extraObjects | toJson | quote }}}\n";
    let files = [
        ("Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
        ("values.yaml", &old),
        ("templates/all.yaml", counted),
    ];
    let tree = Tree::of(&files);
    let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "cilium@1.18.2"]);
    assert!(run.all().contains("values.yaml:2:1: unresolved[not-an-object]"), "{}", run.all());
    assert_eq!(tree.text("values.yaml"), old);
    run.check(1);
    // What the chart makes of actions is not known.
    let open = old.replace("blue", "{{ .Release.Name }}");
    let tree = Tree::of(&[("values.yaml", &*open)]);
    let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "cilium@1.18.2"]);
    assert!(run.all().contains("unresolved[not-an-object]"), "{}", run.all());
    assert_eq!(tree.text("values.yaml"), open);
    run.check(1);
}

#[test]
fn what_a_text_has_besides_values_of_a_known_chart_is_reported() {
    let data = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  values.yaml: |\n    cainjector: {{enabled: true}}\n    extraObjects:\n    - {GREEN}\n"
    );
    let tree = Tree::of(&[("data.yaml", &*data), ("other.yaml", CURRENT)]);
    let run = tree.run(&["check", "--to", "cilium@1.18.2", "--to", "cert-manager@1.16"]);
    assert!(run.all().contains("warning[not-an-object]"), "{}", run.all());
}

#[test]
fn what_an_object_inside_other_data_names_counts() {
    let scaler = |version: &str| {
        format!(
            "things:\n- apiVersion: autoscaling/v2\n  kind: HorizontalPodAutoscaler\n  metadata: {{name: a}}\n  spec:\n    maxReplicas: 3\n    scaleTargetRef: {{apiVersion: {version}, kind: Deployment, name: x}}\n"
        )
    };
    for (version, code) in [("apps/v1", 0), ("apps/v1beta1", 1)] {
        let other = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {}\n";
        let tree = Tree::of(&[("values.yaml", &*scaler(version)), ("other.yaml", other)]);
        let run = tree.run(&["check", "--to", "kubernetes@1.33"]);
        assert_eq!(run.all().contains("unresolved[not-an-object]"), code == 1, "{}", run.all());
        run.check(code);
    }
}

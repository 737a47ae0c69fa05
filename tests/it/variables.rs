//! Texts with variables, such as `${INTERVAL}`, that Flux substitutes before it applies an object.

use crate::support::trees::{Run, Tree};

/// Converts a file, and checks what it becomes and with which exit code.
#[track_caller]
fn check(before: &str, (to, code): (&str, i32), after: &str) -> Run {
    let tree = Tree::of(&[("a.yaml", before)]);
    let run = tree.run(&["apply", "--yes", "--allow-no-vcs", "-v", "--to", to]);
    assert_eq!(tree.text("a.yaml"), after, "{}", run.all());
    run.check(code);
    run
}

const RELEASE: &str = "\
apiVersion: helm.toolkit.fluxcd.io/v2beta1
kind: HelmRelease
metadata: { name: a, namespace: b }
spec:
  interval: ${INTERVAL:=30m}
  suspend: ${SUSPENDED}
  maxHistory: ${HISTORY}
  chart: { spec: { chart: a, sourceRef: { kind: HelmRepository, name: '${SOURCE}' } } }
";

#[test]
fn a_pattern_says_nothing_of_a_text_that_is_substituted_later() {
    let run = check(RELEASE, ("flux@latest", 0), &RELEASE.replace("v2beta1", "v2"));
    let note = "note[unchecked-rule] spec.interval is known only after its variables are substituted";
    assert!(run.all().contains(note), "{}", run.all());
    // Its dollar sign is escaped, so it is a text.
    let text = RELEASE.replace("${INTERVAL:=30m}", "$${INTERVAL}");
    let run = check(&text, ("flux@latest", 1), &text);
    assert!(run.all().contains("invalid-in-target"), "{}", run.all());
    let repository = "apiVersion: source.toolkit.fluxcd.io/v1beta1\nkind: HelmRepository\nmetadata: { name: a, namespace: b }\nspec:\n  interval: ${INTERVAL}\n  url: ${URL}\n";
    check(repository, ("flux@latest", 0), &repository.replace("v1beta1", "v1"));
    let secret = "apiVersion: external-secrets.io/v1beta1\nkind: ExternalSecret\nmetadata: { name: a }\nspec:\n  secretStoreRef: { name: '${STORE}' }\n  target: { name: '${APP}-x' }\n  dataFrom: [{ extract: { key: a } }]\n";
    check(secret, ("external-secrets@latest", 0), &secret.replace("v1beta1", "v1"));
}

#[test]
fn an_api_version_that_a_variable_decides_is_reported() {
    let budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: b }\nspec: { minAvailable: 1, selector: { matchLabels: { a: b } } }\n";
    let ingress = |version: &str| {
        format!(
            "apiVersion: {version}\nkind: Ingress\nmetadata: {{ name: a }}\nspec: {{ backend: {{ serviceName: x, servicePort: 80 }} }}\n---\n{budget}"
        )
    };
    let open = ingress("${API:=networking.k8s.io/v1beta1}");
    let run = check(&open, ("kubernetes@1.33", 1), &open);
    let finding =
        "1:1: unresolved[not-an-object] Ingress a: apiVersion: it is known only after its variables are substituted";
    assert!(run.all().contains(finding), "{}", run.all());
    // Its default is of no API of the run.
    let other = ingress("${API:=example.com/v1}");
    assert!(!check(&other, ("kubernetes@1.33", 0), &other).all().contains("not-an-object"));
}

fn certificate(version: &str, algorithm: &str) -> String {
    format!(
        "apiVersion: cert-manager.io/{version}\nkind: Certificate\nmetadata: {{ name: a }}\nspec:\n  secretName: a\n  issuerRef: {{ name: a }}\n  {algorithm}\n"
    )
}

#[test]
fn a_value_that_has_to_be_replaced_is_held_back_where_a_variable_can_become_it() {
    let open = certificate("v1alpha2", "keyAlgorithm: ${ALG}");
    let run = check(&open, ("cert-manager@latest", 1), &open);
    let message =
        "the conversion depends on the value of `${ALG}`, which is known only after its variables are substituted";
    assert!(run.all().contains(message), "{}", run.all());
    // No value of this variable makes it one that is replaced.
    let other = certificate("v1alpha2", "keySize: ${SIZE}");
    let after = certificate("v1", "privateKey:\n    size: ${SIZE}");
    check(&other, ("cert-manager@latest", 0), &after);
}

#[test]
fn a_variable_in_a_template_brings_no_actions() {
    let secret = "apiVersion: external-secrets.io/v1beta1\nkind: ExternalSecret\nmetadata: { name: a }\nspec:\n  secretStoreRef: { name: a }\n  target:\n    template:\n      engineVersion: v2\n      data: { url: '{{ .HOST }}/${APP}', word: '${WORD}' }\n  dataFrom: [{ extract: { key: a } }]\n";
    let run = check(secret, ("external-secrets@latest", 0), &secret.replace("v1beta1", "v1"));
    assert!(!run.all().contains("calls a function"), "{}", run.all());
}

const PACK: &str = "\
name: p
title: T
source: s
groups: [example.com]
releases:
- { bundle: v1, channels: [single] }
- { bundle: v2, channels: [single] }
";

const CATALOG: &str = "\
kind|Store.example.com
scope|Namespaced|single v1..v2
served|v1|single v1..v2
path|type|required|attributes|apiVersions|releases
spec|object||||single v1..v2
spec.count|string||||single v1
spec.count|integer||||single v2
spec.engine|string||||single v1..v2
spec.fast|boolean||||single v2
spec.url|string||||single v1..v2
";

const RULE: &str = "\
summary: a fast engine is a field
kind: Store.example.com
source: s
lens:
  - refuse:
      direction: forward
      if: { text: { field: spec.url, starts: 'ftp:' } }
      at: spec.url
      reason: there is no FTP
      help: use HTTPS
  - when:
      if: { equals: { field: spec.engine, value: fast } }
      then: [{ default: { field: spec.fast, value: true, forward: write, backward: elide } }]
";

#[track_caller]
fn check_pack(spec: &str, expected: Result<&str, &str>) {
    let file = |spec: &str| format!("apiVersion: example.com/v1\nkind: Store\nmetadata:\n  name: a\nspec:\n{spec}");
    let before = file(spec);
    let tree = Tree::of(&[
        ("a.yaml", &before),
        ("p/pack.yaml", PACK),
        ("p/catalog/Store.example.com.tsv", &CATALOG.replace('|', "\t")),
        ("p/v2/fast.yaml", RULE),
    ]);
    let arguments =
        ["apply", "--yes", "--allow-no-vcs", "-v", "--pack", "p", "--glob", "a.yaml", "--from", "p@v1", "--to", "p@v2"];
    let run = tree.run(&arguments);
    match expected {
        Ok(after) => assert_eq!(tree.text("a.yaml"), file(after), "{}", run.all()),
        Err(message) => {
            assert_eq!(tree.text("a.yaml"), before, "{}", run.all());
            assert!(run.all().contains(message), "{}", run.all());
        }
    }
}

#[test]
fn a_condition_that_a_variable_decides_holds_the_object_back() {
    check_pack("  engine: fast\n", Ok("  engine: fast\n  fast: true\n"));
    check_pack("  engine: ${ENGINE}\n", Err("the value of `${ENGINE}`"));
    check_pack("  engine: f${ENGINE}\n", Err("the value of `f${ENGINE}`"));
    check_pack("  engine: slow-${ENGINE}\n", Ok("  engine: slow-${ENGINE}\n"));
    check_pack("  url: https://${HOST}/\n", Ok("  url: https://${HOST}/\n"));
    check_pack("  url: ${URL}\n", Err("for some values there is no FTP"));
    check_pack("  url: ftp://${HOST}/\n", Err("there is no FTP"));
    // The operation would change nothing.
    check_pack("  engine: ${ENGINE}\n  fast: false\n", Ok("  engine: ${ENGINE}\n  fast: false\n"));
}

#[test]
fn a_variable_is_none_of_a_template_whatever_it_is_called() {
    for variable in ["${NAME}", "${TEMPLATE_NAME}", "${TEMPLATE_1}"] {
        let text = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a}}\nspec:\n  selector: {{matchLabels: {{a: b}}}}\n  template:\n    metadata:\n      \
             labels: {{a: b}}\n      annotations:\n        \"{variable}\": x\n    spec: {{containers: [{{name: a, image: b}}]}}\n"
        );
        let run = Tree::of(&[("a.yaml", &*text)]).run(&["check", "--to", "kubernetes@1.33"]);
        run.check(1);
        assert!(run.all().contains("a.yaml:9:7: held-back[invalid-in-target]"), "{}", run.all());
    }
}

/// Whatever the variable stands for: a mapping of the old form would be left behind.
#[test]
fn a_variable_for_a_mapping_that_has_to_be_converted_holds_its_object_back() {
    let ingress = |backend: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata:\n  name: web\n  labels: ${{LABELS}}\nspec:\n  backend: {backend}\n"
        )
    };
    let tree = Tree::of(&[("a.yaml", &*ingress("${BACKEND}"))]);
    let run = tree.run(&["check", "--to", "kubernetes@1.33"]);
    run.check(1);
    let expected = "a.yaml:7:3: held-back[not-convertible] Ingress web: what the variable here stands for can have spec.backend.serviceName";
    assert!(run.out.contains(expected), "{}", run.all());
    assert_eq!(run.out.matches("held-back").count(), 1, "{}", run.all());
    // A variable elsewhere is none of those, and one in a value that no rule looks into.
    let named = Tree::of(&[("a.yaml", &*ingress("{serviceName: \"${NAME}\", servicePort: 80}"))]);
    named.run(&["apply", "--yes", "--allow-no-vcs", "--to", "kubernetes@1.33"]).check(0);
    assert!(named.text("a.yaml").contains("name: \"${NAME}\""), "{}", named.text("a.yaml"));
}

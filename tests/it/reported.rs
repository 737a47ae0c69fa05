//! A finding about a file has its line and column and the same message, whatever the reason and wherever it is found.

use reversion::internals::finding::{Code, Finding};
use reversion::internals::manifest::{self, Reading, Recognizer};
use reversion::internals::plan::Choices;

use crate::support::engine;

/// Converts a file to a release of Gateway API and returns its text, changed or not, with the findings.
fn run(text: &str, target: &str) -> (String, Vec<Finding>) {
    run_to(text, &format!("gateway-api@{target}"))
}

fn run_to(text: &str, target: &str) -> (String, Vec<Finding>) {
    let manifest = match engine::reading("a.yaml", text.as_bytes()) {
        Reading::Manifest(manifest) => *manifest,
        Reading::Failed(finding) | Reading::Template(finding) => return (text.to_owned(), vec![finding]),
        Reading::Irrelevant | Reading::Kustomization(_) | Reading::Triggered(_) => panic!("not read as a manifest"),
    };
    let plan = engine::plan(engine::target(target), Choices::default(), &[manifest]);
    let after = plan.files.first().map_or_else(|| text.to_owned(), |file| file.after());
    let reported = plan.findings.into_iter().filter(|finding| finding.code != Code::Advisory);
    (after, reported.collect())
}

/// Checks every finding of a file: `line:column severity[code] message`.
#[track_caller]
fn check(text: &str, target: &str, expected: &[&str]) -> String {
    let (after, findings) = run(text, target);
    let reported = findings.iter().map(|finding| {
        let place = finding.location.to_string();
        let place = place.strip_prefix("a.yaml:").unwrap_or_default();
        format!("{place} {}[{}] {}", finding.severity.name(), finding.code, finding.sentence())
    });
    assert_eq!(reported.collect::<Vec<_>>(), expected, "{text}");
    after
}

const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: GRPCRoute
metadata: {name: a}
spec:
  rules:
  - backendRefs:
    - name: b
      port: 80
";

/// Returns the route as written for releases that serve it as `v1`.
fn newer(text: &str) -> String {
    text.replacen("gateway.networking.k8s.io/v1alpha2", "gateway.networking.k8s.io/v1", 1)
}

#[test]
fn a_duplicate_key_in_another_document_of_a_changed_file_is_reported() {
    let text = format!("{ROUTE}---\nkind: ConfigMap\ndata:\n  a: 1\n  a: 2\n");
    let twice = "13:3 warning[duplicate-key] duplicate key `a` in one mapping";
    assert_eq!(check(&text, "1.4", &[twice]), newer(&text));
    check(&newer(&text), "1.4", &[]);
    // A duplicate key inside the object holds it back: which value counts is not guessed.
    let inside = ROUTE.replace("      port: 80\n", "      port: 80\n      port: 81\n");
    let twice = "9:7 error[duplicate-key] duplicate key `port` in one mapping";
    assert_eq!(check(&inside, "1.4", &[twice]), inside);
}

#[test]
fn a_template_in_another_document_of_a_changed_file_is_reported() {
    let text = format!("---\nname: {{{{ .Values.name }}}}\n---\n{ROUTE}");
    let (after, findings) = run(&text, "1.4");
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.code, finding.severity.name()), (Code::ComplexKey, "warning"));
    assert_eq!(finding.location.to_string(), "a.yaml:2:8");
    assert_eq!(after, newer(&text));
    check(&newer(&text), "1.4", &[]);
}

#[test]
fn a_yaml_version_that_kubernetes_rejects_is_reported() {
    let refused = "warning[parse-error] Kubernetes rejects a document that declares a YAML version other than 1.1";
    for (directive, line) in [("%YAML 1.2\n", 1), ("# first\n\n%YAML 1.2 # why\n", 3), ("\u{feff}%YAML 1.3\n", 1)] {
        let text = format!("{directive}---\n{ROUTE}");
        assert_eq!(check(&text, "1.4", &[&format!("{line}:1 {refused}")]), newer(&text));
        check(&newer(&text), "1.4", &[]);
    }
    let plain = format!("%YAML 1.1\n---\n{ROUTE}");
    assert_eq!(check(&plain, "1.4", &[]), newer(&plain));
    let other = format!("{ROUTE}...\n%YAML 1.2\n---\nb: 1\n");
    assert_eq!(check(&other, "1.4", &[&format!("10:1 {refused}")]), newer(&other));
}

#[test]
fn a_lone_carriage_return_is_reported() {
    let held = "held-back[limit-exceeded] GRPCRoute a: a line ends in a carriage return without a line feed; use a line feed instead";
    let in_quotes = ROUTE.replace("{name: a}", "{name: a, x: \"b\r c\"}");
    assert_eq!(check(&in_quotes, "1.4", &[&format!("3:26 {held}")]), in_quotes);
    let between = ROUTE.replace("  rules:\n", "  rules:\r");
    assert_eq!(check(&between, "1.4", &[&format!("5:9 {held}")]), between);
    let broken = ROUTE.replace("  rules:\n", "  # x\ry\n  rules:\n");
    let message = "a carriage return without a line feed ends the line here, and what follows is not valid YAML";
    assert_eq!(check(&broken, "1.4", &[&format!("5:6 error[parse-error] {message}")]), broken);
    // In another document, which is left unchanged, it is not reported.
    let other = format!("{ROUTE}---\na: 1\rb: 2\n");
    assert_eq!(check(&other, "1.4", &[]), newer(&other));
}

#[test]
fn the_first_alias_over_the_limit_is_reported() {
    let bomb = "  a0: &a0 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n".to_owned()
        + &(1..6).fold(String::new(), |text, level| {
            let items = vec![format!("*a{}", level - 1); 10].join(", ");
            format!("{text}  a{level}: &a{level} [{items}]\n")
        });
    let (_, findings) = run(&format!("{ROUTE}x:\n{bomb}"), "1.4");
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(finding.code, Code::AliasExpansion);
    let place = finding.location.position.unwrap();
    let line = format!("{ROUTE}x:\n{bomb}").lines().nth(place.line - 1).unwrap().to_owned();
    // The lists up to `a3` expand to 1,111 and 11,111 values; the list of `a4` is the first that comes near the limit.
    assert!(line.starts_with("  a4:") || line.starts_with("  a5:"), "{line}");
    assert!(line[place.column - 1..].starts_with("*a"), "{line}");
    let endless = format!("{ROUTE}x: &x\n  y: *x\n");
    check(&endless, "1.4", &["10:6 error[alias-expansion] the alias refers to a value that contains it"]);
}

#[test]
fn a_shared_value_is_reported_with_both_places() {
    let policy = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: BackendTLSPolicy
metadata:
  name: a
spec:
  targetRef: {group: \"\", kind: Service, name: b}
  tls: &tls
    hostname: b.example.com
    wellKnownCACerts: System
  x-copy: *tls
";
    let held = "7:8 held-back[not-editable] BackendTLSPolicy a: the value of `&tls` would also change at the alias \
                `*tls`; replace the alias by a copy of the value first (line 10, column 11)";
    let unknown =
        "10:3 warning[unknown-field] BackendTLSPolicy a: no release has the field spec.x-copy; it is left unchanged";
    assert_eq!(check(policy, "1.1/experimental", &[held, unknown]), policy);
}

const GATEWAY: &str = "apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge}
spec:
  gatewayClassName: edge
  listeners:
";

fn listener(name: &str, port: u16, tls: &str) -> String {
    format!("  - name: {name}\n    port: {port}\n    protocol: HTTPS\n    tls:\n{tls}")
}

const CERTIFICATE: &str = "      certificateRefs: [{name: edge}]\n";
const VALIDATION: &str =
    "      frontendValidation:\n        caCertificateRefs: [{group: \"\", kind: ConfigMap, name: ca}]\n";

#[test]
fn a_validation_restored_at_another_place_is_reported() {
    let first = format!("{GATEWAY}{}", listener("a", 443, &format!("{VALIDATION}{CERTIFICATE}")));
    let last = format!("{GATEWAY}{}", listener("a", 443, &format!("{CERTIFICATE}{VALIDATION}")));
    let (new, findings) = run(&first, "1.4/experimental");
    assert_eq!(codes(&findings), ["normalized"]);
    assert!(findings[0].message.contains("converting back writes it last in its item of spec.listeners"));
    assert_eq!(run(&new, "1.3/experimental"), (last.clone(), Vec::new()));
    let (again, findings) = run(&last, "1.4/experimental");
    assert_eq!((again, codes(&findings)), (new, Vec::new()));
}

#[test]
fn a_validation_shared_by_several_listeners_is_reported() {
    let two = format!(
        "{GATEWAY}{}{}",
        listener("a", 443, &format!("{CERTIFICATE}{VALIDATION}")),
        listener("b", 8443, &format!("{CERTIFICATE}{VALIDATION}"))
    );
    let (new, findings) = run(&two, "1.4/experimental");
    assert_eq!(codes(&findings), ["normalized"]);
    assert!(findings[0].message.contains("it is written once for several items, as in the first of them"));
    assert!(new.contains("default:"), "{new}");
    // The first is restored as it was, the other as the program writes it.
    let anew = VALIDATION.replace(
        " [{group: \"\", kind: ConfigMap, name: ca}]\n",
        "\n        - group: \"\"\n          kind: ConfigMap\n          name: ca\n",
    );
    let back = two.strip_suffix(VALIDATION).unwrap().to_owned() + &anew;
    assert_eq!(run(&new, "1.3/experimental"), (back, Vec::new()));
}

fn codes(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| finding.code.to_string()).collect()
}

#[test]
fn a_validation_of_one_port_restored_as_the_shared_one_is_reported() {
    let references = "[{group: \"\", kind: ConfigMap, name: ca}]";
    let of_port = format!(
        "{GATEWAY}{}  tls:\n    frontend:\n      default: {{}}\n      perPort:\n      - port: 443\n        tls:\n          \
         validation:\n            caCertificateRefs: {references}\n",
        listener("a", 443, CERTIFICATE)
    );
    let (old, findings) = run(&of_port, "1.3/experimental");
    assert_eq!(codes(&findings), ["normalized"], "{findings:?}");
    assert_eq!(findings[0].field.as_deref(), Some("spec.tls.frontend"));
    assert_eq!(old, format!("{GATEWAY}{}", listener("a", 443, &format!("{CERTIFICATE}{VALIDATION}"))));
    let (new, findings) = run(&old, "1.4/experimental");
    assert_eq!(codes(&findings), Vec::<String>::new());
    let of_all = "      default:\n        validation:\n          caCertificateRefs: ";
    assert!(new.ends_with(&format!("  tls:\n    frontend:\n{of_all}{references}\n")), "{new}");
}

#[test]
fn the_removed_comment_among_equal_ones_is_reported() {
    let validation =
        "      frontendValidation: # b\n        caCertificateRefs: [{group: \"\", kind: ConfigMap, name: ca}]\n";
    let text = format!(
        "{GATEWAY}{}  # b\n{}",
        listener("a", 443, &format!("{CERTIFICATE}{VALIDATION}")),
        listener("b", 8443, &format!("{CERTIFICATE}{validation}"))
    );
    let (after, findings) = run(&text, "1.4/experimental");
    let dropped = findings.iter().find(|finding| finding.code == Code::CommentDropped).unwrap();
    assert_eq!(dropped.location.to_string(), "a.yaml:20:27");
    assert!(after.contains("  # b\n  - name: b\n"), "{after}");
}

#[test]
fn unreadable_chart_values_are_reported() {
    let recognizer =
        Recognizer::new(["example.com"]).with_triggers(["Opaque"]).with_charts([("fabric", "nginxGateway")]);
    let met = |text: &str| match manifest::read("values.yaml", text.as_bytes(), &recognizer) {
        Reading::Failed(finding) | Reading::Template(finding) => Some(finding.code),
        Reading::Irrelevant => None,
        Reading::Manifest(_) | Reading::Kustomization(_) | Reading::Triggered(_) => panic!("{text:?} was read"),
    };
    assert_eq!(met("nginxGateway: {}\na: 1\na: 2\n"), Some(Code::DuplicateKey));
    assert_eq!(met("chart: fabric\na: [\n"), Some(Code::ParseError));
    assert_eq!(met("nginxGateway:\n  {{- toYaml . }}\n"), Some(Code::Template));
    // Another trigger alone is not enough: such a file can be anything.
    assert_eq!(met("type: Opaque\na: [\n"), None);
    // Of a template, an apiVersion counts: anything else that names a group can be a text.
    let template = |line: &str| met(&format!("{{{{- if .Values.x }}}}\n{line}\n{{{{- end }}}}\n"));
    for shown in [
        "apiVersion: example.com/v1",
        "- { \"apiVersion\": \"example.com/v1\" }",
        "apiVersion: {{ if .x }}example.com/v1{{ end }}",
    ] {
        assert_eq!(template(shown), Some(Code::Template), "{shown}");
    }
    assert_eq!(template("link: https://a.test/example.com/v1/b"), None);
    assert_eq!(template("apiVersion: v1\nkind: ConfigMap\ndata: {a: example.com/v1 jobs}"), None);
}

/// Returns a list item with a GatewayClass as written for older releases, in column 0.
fn item(name: &str) -> String {
    let meta = format!("metadata: {{name: {name}}}");
    format!(
        "- apiVersion: gateway.networking.k8s.io/v1beta1\n  kind: GatewayClass\n  {meta}\n  spec: {{controllerName: e.com/c}}\n"
    )
}

#[test]
fn objects_inside_other_data_are_reported_once_for_a_file() {
    let message = "unresolved[not-an-object] an object of a known API is inside other data and is not converted";
    let several =
        "unresolved[not-an-object] 3 objects of known APIs are inside other data and are not converted; the first is";
    let (a, b, c) = (item("a"), item("b"), item("c"));
    let one = format!("name: case\nclasses:\n{a}");
    assert_eq!(check(&one, "1.4", &[&format!("3:1 {message}: GatewayClass a, at classes[0]")]), one);
    let three = format!(
        "classes:\n{a}{b}---\nmore: {{more:\n [{}]}}\n",
        c.replace("- ", "{").replace("\n  ", ", ").replace("}\n", "}}\n")
    );
    assert_eq!(check(&three, "1.4", &[&format!("2:1 {several} GatewayClass a, at classes[0]")]), three);
    // In an object of another group, next to one that is converted.
    let work = format!(
        "kind: ManifestWork\napiVersion: work.example.com/v1\nspec:\n  manifests:\n  {}",
        a.replace("\n  ", "\n    ")
    );
    let text = format!("{ROUTE}---\n{work}");
    let expected = format!("14:3 {message}: GatewayClass a, at spec.manifests[0]");
    assert_eq!(check(&text, "1.4", &[&expected]), newer(&text));
}

#[test]
fn references_and_items_of_lists_are_no_objects_inside_other_data() {
    let one = item("a").replace("v1beta1", "v1");
    let list = format!("apiVersion: v1\nkind: List\nitems:\n{one}");
    check(&list, "1.4", &[]);
    let inner = one.replace("- ", "  - ").replace("\n  ", "\n    ");
    check(
        &format!("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n{inner}"),
        "1.4",
        &[],
    );
    let reference = "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, name: a, namespace: b}";
    check(&format!("kind: Check\napiVersion: c.example.com/v1\nspec:\n  target: {reference}\n"), "1.4", &[]);
    // A bare list is reported as one.
    let bare = "the document mentions a known API but is not an object; it is not converted";
    check(&one, "1.4", &[&format!("1:1 warning[not-an-object] {bare}")]);
}

#[test]
fn an_object_that_another_one_has_created_is_converted() {
    let template = |version: &str, kind: &str| {
        format!(
            "apiVersion: triggers.tekton.dev/v1beta1\nkind: TriggerTemplate\nmetadata: {{name: a}}\nspec:\n  \
             resourcetemplates:\n  - apiVersion: tekton.dev/{version}\n    kind: {kind}\n    metadata: {{name: b}}\n    \
             spec: {{pipelineRef: {{name: c}}}}\n"
        )
    };
    for (target, version, after) in [
        ("0.44.0", "v1beta1", "v1"),
        ("0.44.0", "v1", "v1"),
        ("0.42.0", "v1", "v1beta1"),
        ("0.10.0", "v1beta1", "v1alpha1"),
    ] {
        let (text, findings) = run_to(&template(version, "PipelineRun"), &format!("tekton@{target}"));
        assert_eq!(text, template(after, "PipelineRun"), "{target}");
        assert!(findings.iter().all(|finding| finding.code != Code::NotAnObject), "{target} {version}: {findings:?}");
    }
}

#[test]
fn an_object_that_a_rule_converts_in_a_text_is_not_reported() {
    let text = |group: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: envoy-gateway-config, namespace: envoy-gateway-system}}\n\
             data:\n  envoy-gateway.yaml: |\n    apiVersion: {group}/v1alpha1\n    kind: EnvoyGateway\n    provider:\n      \
             type: Kubernetes\n"
        )
    };
    let (after, findings) = run_to(&text("config.gateway.envoyproxy.io"), "envoy-gateway@0.6.0");
    assert_eq!(after, text("gateway.envoyproxy.io"));
    assert!(findings.iter().all(|finding| finding.code != Code::NotAnObject), "{findings:?}");
}

#[test]
fn a_version_that_is_older_than_the_written_one_is_a_warning() {
    let task = |version: &str, [first, second]: [&str; 2]| {
        format!(
            "apiVersion: tekton.dev/{version}\nkind: Task\nmetadata: {{name: a}}\nspec:\n  steps:\n  - image: i\n    \
             {first}: {{limits: {{cpu: 1}}}}\n  - image: i\n    {second}: {{limits: {{cpu: 1}}}}\n"
        )
    };
    // No version has both: it gets the older one, in which they are the same field.
    let (after, findings) = run_to(&task("v1", ["resources", "computeResources"]), "tekton@1.0.0");
    assert_eq!(after, task("v1beta1", ["resources", "resources"]));
    let less_stable = findings.iter().find(|finding| finding.code == Code::LessStableVersion).unwrap();
    assert_eq!(less_stable.severity.name(), "warning", "{less_stable:?}");
}

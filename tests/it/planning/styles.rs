//! The style of lists in documents that show none: that of the other documents of the file, or of its neighbors.

use super::run;

/// A policy without a list, one of whose fields becomes a list.
const POLICY: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: BackendTLSPolicy
metadata:
  name: p
spec:
  targetRef:
    group: ''
    kind: Service
    name: s
  tls:
    hostname: a.example.com
    wellKnownCACerts: System
";

/// The policy with a list that is not indented.
const FLUSH: &str = "  targetRefs:
  - group: ''
    kind: Service
    name: s
";

/// The policy with a list that is indented.
const INDENTED: &str = "  targetRefs:
    - group: ''
      kind: Service
      name: s
";

/// Returns a route with lists whose dashes are `indent` columns below their key; those inside of lists are not indented.
fn route(name: &str, indent: usize) -> String {
    let pad = " ".repeat(indent);
    format!(
        "apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: {name}
spec:
  hostnames:
  {pad}- a.example.com
  rules:
  {pad}- backendRefs:
  {pad}  - name: s
  {pad}    port: 80
  {pad}  matches:
  {pad}  - path:
  {pad}      value: /
"
    )
}

/// Converts the policy as `file` among other files.
#[track_caller]
fn check(file: &str, text: &str, others: &[(&str, usize)], expected: &str) {
    let routes: Vec<_> =
        others.iter().zip(0..).map(|((_, indent), number)| route(&format!("r{number}"), *indent)).collect();
    let files = others.iter().zip(&routes).map(|((file, _), text)| (*file, text.as_str()));
    let outcome = run(&files.chain([(file, text)]).collect::<Vec<_>>(), "1.4/standard");
    assert_eq!(outcome.after.keys().collect::<Vec<_>>(), [file]);
    assert!(outcome.after[file].contains(expected), "{}", outcome.after[file]);
}

#[test]
fn a_file_without_lists_takes_the_style_of_its_folder() {
    check("a/p.yaml", POLICY, &[], FLUSH);
    check("a/p.yaml", POLICY, &[("a/r.yaml", 2)], INDENTED);
    check("a/p.yaml", POLICY, &[("a/r.yaml", 0), ("r.yaml", 2)], FLUSH);
    check("p.yaml", POLICY, &[("r.yaml", 2)], INDENTED);
    // Most files decide; of two styles that are as common, the one without indentation.
    check("a/p.yaml", POLICY, &[("a/r.yaml", 2), ("a/s.yaml", 0), ("a/z.yaml", 2)], INDENTED);
    check("a/p.yaml", POLICY, &[("a/r.yaml", 2), ("a/s.yaml", 0)], FLUSH);
}

#[test]
fn a_folder_without_style_takes_that_of_the_nearest_folder_above() {
    check("a/b/c/p.yaml", POLICY, &[("a/r.yaml", 2), ("r.yaml", 0)], INDENTED);
    check("a/b/c/p.yaml", POLICY, &[("r.yaml", 2), ("a/x/r.yaml", 0)], INDENTED);
    check("a/p.yaml", POLICY, &[("a/b/r.yaml", 2), ("b/r.yaml", 2)], FLUSH);
}

#[test]
fn a_document_without_lists_takes_the_style_of_its_file() {
    let after = |indent| format!("{}---\n{POLICY}", route("x", indent));
    check("a/p.yaml", &after(2), &[("a/r.yaml", 0), ("a/s.yaml", 0)], INDENTED);
    check("a/p.yaml", &after(0), &[("a/r.yaml", 2)], FLUSH);
}

#[test]
fn a_document_keeps_its_own_style() {
    let own = |list: &str| POLICY.replace("metadata:\n", &format!("metadata:\n  finalizers:\n{list}"));
    check("a/p.yaml", &own("  - a\n"), &[("a/r.yaml", 2)], FLUSH);
    check("a/p.yaml", &own("    - a\n"), &[("a/r.yaml", 0)], INDENTED);
}

/// Converts a class with a group that becomes empty as `a/c.yaml`, next to a route with `hostname` in `beside`.
#[track_caller]
fn check_quotes(annotation: &str, (beside, hostname): (&str, &str), expected: &str) {
    let class = format!(
        "apiVersion: networking.x-k8s.io/v1alpha1
kind: GatewayClass
metadata:
  name: c
  annotations: {{note: {annotation}}}
spec:
  controller: example.com/c
  parametersRef:
    group: core
    kind: ConfigMap
    name: p
"
    );
    let route = route("r", 0).replace("- a.example.com", &format!("- {hostname}"));
    let outcome = run(&[("a/c.yaml", &class), (beside, &route)], "0.4/single");
    assert!(outcome.after["a/c.yaml"].contains(expected), "{}\n{}", outcome.after["a/c.yaml"], outcome.messages);
}

#[test]
fn a_string_that_needs_quotes_gets_those_of_the_document_or_its_neighbors() {
    check_quotes("x", ("a/r.yaml", "a.example.com"), "group: \"\"\n");
    check_quotes("x", ("a/r.yaml", "'*.example.com'"), "group: ''\n");
    check_quotes("x", ("r.yaml", "'*.example.com'"), "group: ''\n");
    check_quotes("x", ("b/r.yaml", "'*.example.com'"), "group: \"\"\n");
    check_quotes("'x'", ("a/r.yaml", "\"*.example.com\""), "group: ''\n");
    check_quotes("\"x\"", ("a/r.yaml", "'*.example.com'"), "group: \"\"\n");
}

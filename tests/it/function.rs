//! `reversion fn`: what it makes of a ResourceList, called directly and by the Kustomize of the installed kubectl.
//!
//! kubectl runs functions in containers only, so that a script named `docker` stands for the container's image.
//! Without kubectl those tests are skipped, unless `REVERSION_KUBECTL` is `required`.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::trees::PROGRAM;
use crate::support::{program, root};

/// What a run printed, and its exit code.
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Run {
    /// Returns the list that was written.
    #[track_caller]
    fn list(&self, code: i32) -> Value {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        serde_yaml::from_str(&self.out).unwrap()
    }

    /// Returns the results of the list.
    #[track_caller]
    fn results(&self, code: i32) -> Vec<Value> {
        self.list(code)["results"].as_array().cloned().unwrap_or_default()
    }
}

/// Runs the program without the variables that set its flags.
fn run(arguments: &[&str], input: &str) -> Run {
    let mut command = program();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn function(list: &str) -> Run {
    run(&["fn"], list)
}

/// A ResourceList of these items, each indented by two columns, and with a ConfigMap of this data.
fn list(items: &str, data: &str) -> String {
    format!(
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: reversion}}\n  data: {data}\n"
    )
}

/// The list without its results, which the function writes last.
fn without_results(text: &str) -> &str {
    text.split_once("\nresults:\n").map_or(text, |(list, _)| &text[..=list.len()])
}

const ROUTE: &str = "- apiVersion: gateway.networking.k8s.io/v1beta1 # old\n  kind: HTTPRoute\n  metadata:\n    name: shop\n    namespace: store\n    annotations: {internal.config.kubernetes.io/path: 'apps/a.yaml', internal.config.kubernetes.io/index: '1'}\n  spec: {hostnames:   [a.example.com]}\n";

/// An object whose field is acknowledged, or would be, that standard releases lack.
const RETRY: &str = "- apiVersion: gateway.networking.k8s.io/v1\n  kind: HTTPRoute\n  metadata: {name: pay}\n  spec:\n    rules:\n    - retry: {attempts: 3} # reversion: ignore[dropped-field] the bank is slow\n";

/// An object that has no place in older releases for one of its values.
const HELD: &str = "- apiVersion: gateway.networking.k8s.io/v1alpha3\n  kind: BackendTLSPolicy\n  metadata: {name: pair}\n  spec:\n    targetRefs:\n    - {group: '', kind: Service, name: a}\n    - {group: '', kind: Service, name: b}\n    validation: {hostname: a.example.com, wellKnownCACertificates: System}\n";

const SERVICE: &str = "# between items\n- {apiVersion: v1, kind: Service, metadata: {name:  odd}}\n";

#[test]
fn only_what_must_change_in_an_item_changes() {
    for version in ["v1", "v1beta1", "v1alpha1"] {
        let before = list(&format!("{ROUTE}{SERVICE}"), "{to: gateway-api@1.1}")
            .replace("config.kubernetes.io/v1\n", &format!("config.kubernetes.io/{version}\n"));
        let run = function(&before);
        let results = run.results(0);
        assert_eq!(without_results(&run.out), before.replace("/v1beta1 # old", "/v1 # old"));
        let converted = json!({
            "message": "HTTPRoute store/shop: converted from gateway.networking.k8s.io/v1beta1 to gateway.networking.k8s.io/v1",
            "severity": "info",
            "resourceRef": {
                "apiVersion": "gateway.networking.k8s.io/v1beta1", "kind": "HTTPRoute", "name": "shop", "namespace": "store",
            },
            "file": {"path": "apps/a.yaml", "index": 1},
            "field": {
                "path": "apiVersion",
                "currentValue": "gateway.networking.k8s.io/v1beta1",
                "proposedValue": "gateway.networking.k8s.io/v1",
            },
        });
        assert_eq!(results[0], converted);
        assert!(
            run.err.contains("\n2 files read, 1 object recognized: 1 changed in 1 file, 0 held back"),
            "{}",
            run.err
        );
    }
}

/// A list that is converted needs no change and gets no results about its items.
#[test]
fn what_is_at_the_target_is_left_as_it_is() {
    let before =
        list(&ROUTE.replace("v1beta1", "v1"), "{to: gateway-api@1.1}").replace("functionConfig", "\nfunctionConfig");
    let run = function(&before);
    assert!(run.results(0).iter().all(|result| result.get("resourceRef").is_none()));
    assert_eq!(without_results(&run.out), before);
}

#[test]
fn a_first_key_that_changes_keeps_its_dash() {
    let policy = "  - spec: {targetRef: {group: '', kind: Service, name: a}, tls: {hostname: a.example.com, wellKnownCACerts: System}}\n    kind: BackendTLSPolicy\n    metadata: {name: p}\n    apiVersion: gateway.networking.k8s.io/v1alpha2\n";
    let run = function(&list(policy, "{to: gateway-api@1.1/experimental}"));
    let item = &run.list(0)["items"][0];
    assert_eq!(item["spec"]["validation"], json!({"hostname": "a.example.com", "wellKnownCACertificates": "System"}));
    assert!(run.out.contains("\n  - spec: {targetRefs: ["), "{}", run.out);
}

#[test]
fn lists_in_json_are_converted() {
    let item = |name: &str| json!({"apiVersion": "gateway.networking.k8s.io/v1beta1", "kind": "HTTPRoute", "metadata": {"name": name}, "spec": {}});
    let config =
        json!({"apiVersion": "reversion.dev/v1alpha1", "kind": "Reversion", "spec": {"to": ["gateway-api@1.1"]}});
    let mut value = json!({
        "apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [item("a"), item("b")],
        "functionConfig": config,
    });
    for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
        let run = function(&text);
        let mut after: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}", run.out));
        let results = after.as_object_mut().unwrap().remove("results").unwrap();
        assert_eq!(results.as_array().unwrap().iter().filter(|result| result["severity"] == "info").count(), 2);
        for item in value["items"].as_array_mut().unwrap() {
            item["apiVersion"] = "gateway.networking.k8s.io/v1".into();
        }
        assert_eq!(after, value);
        value["items"] = json!([item("a"), item("b")]);
    }
}

#[test]
fn a_held_back_item_fails_the_function_unless_it_is_told_otherwise() {
    let items = format!("{ROUTE}{HELD}");
    for (more, code, severity) in [("", 1, "error"), (", exit-zero: 'true'", 0, "warning")] {
        let before = list(&items, &format!("{{to: gateway-api@1.0/experimental{more}}}"));
        let run = function(&before);
        let results = run.results(code);
        let held = results.iter().find(|result| result["tags"]["code"] == "too-many-items").unwrap();
        assert_eq!((&held["severity"], &held["field"]["path"]), (&json!(severity), &json!("spec.targetRefs[1]")));
        assert_eq!(held["resourceRef"]["name"], "pair");
        assert_eq!(without_results(&run.out), before.replace("/v1beta1 # old", "/v1 # old"));
        assert!(run.err.contains("-:17:5: held-back[too-many-items] BackendTLSPolicy pair: "), "{}", run.err);
    }
    let allowed = function(&list(&items, "{to: gateway-api@1.0/experimental, allow-loss: too-many-items}"));
    assert_eq!(allowed.list(0)["items"][1]["spec"]["targetRef"]["name"], "a");
    let kept = function(&list(&items, "{to: gateway-api@1.0/experimental, stash: 'true'}")).list(0);
    assert!(kept["items"][1]["metadata"]["annotations"]["reversion.dev/stash"].is_string());
}

#[test]
fn what_a_comment_acknowledges_is_counted_and_an_information() {
    let before = list(RETRY, "{to: gateway-api@1.6}");
    let run = function(&before);
    let acknowledged = json!({
        "message": "HTTPRoute pay: spec.rules[0].retry would be lost: gateway-api@1.6.1/standard has no such field (acknowledged by a comment: the bank is slow)",
        "severity": "info",
        "resourceRef": {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "name": "pay"},
        "tags": {"code": "dropped-field"},
        "field": {"path": "spec.rules[0].retry"},
    });
    assert_eq!(run.results(0), [acknowledged]);
    assert_eq!(without_results(&run.out), before);
    assert_eq!(
        run.err,
        "1 file read, 1 object recognized: 0 changed in 0 files, 0 held back, 1 acknowledged; 0 files skipped, 0 failed\n"
    );
}

#[test]
fn comments_that_acknowledge_nothing_are_warnings() {
    for (codes, code, severity, exit) in [
        ("dropped-field, too-many-items", "unused-ignore", "warning", 0),
        ("dropped-field, nope", "invalid-ignore", "error", 1),
    ] {
        let run = function(&list(&RETRY.replace("dropped-field", codes), "{to: gateway-api@1.6}"));
        let results = run.results(exit);
        let found: Vec<_> = results.iter().map(|result| (&result["severity"], &result["tags"]["code"])).collect();
        assert_eq!(found, [(&json!(severity), &json!(code)), (&json!("info"), &json!("dropped-field"))]);
        assert_eq!(results[0]["resourceRef"]["name"], "pay");
        assert!(run.err.starts_with("-:9:28: ") && run.err.contains(&format!("[{code}] ")), "{}", run.err);
    }
}

/// Whether `check` of the same items as a List says that everything is acknowledged.
fn is_acknowledged_in_a_list(items: &str) -> bool {
    let checked =
        run(&["check", "-", "--to", "gateway-api@1.6"], &format!("apiVersion: v1\nkind: List\nitems:{items}"));
    checked.code == Some(0) && checked.err.contains(" acknowledged;")
}

#[test]
fn a_comment_holds_wherever_it_is_at_an_item() {
    let first = "- apiVersion: gateway.networking.k8s.io/v1\n  kind: Gateway\n  metadata: {name: edge}\n  spec: {gatewayClassName: a, listeners: [{name: web, port: 80, protocol: HTTP}]}\n";
    let frozen = "# reversion: ignore[changes-needed] frozen";
    let api = "apiVersion: gateway.networking.k8s.io/v1beta1";
    let rest = "  kind: HTTPRoute\n  metadata: {name: shop}\n  spec: {}\n";
    let flow = format!("{{{api}, kind: HTTPRoute, metadata: {{name: shop}}, spec: {{}}}}");
    let routes = [
        // As kpt writes the comment above a document.
        format!("- {frozen}\n  {api}\n{rest}"),
        format!("{frozen}\n- {api}\n{rest}"),
        format!("  {frozen}\n# and more\n\n- {api}\n{rest}"),
        format!("- {api} {frozen}\n{rest}"),
        format!("- {frozen}\n\n  # and more\n  {api}\n{rest}"),
        format!("{frozen}\n- {flow}\n"),
        format!("- {flow} {frozen}\n"),
        format!("- {frozen}\n  {flow}\n"),
    ];
    let in_block = routes.iter().flat_map(|route| ["", first].map(|before| format!("\n{before}{route}{first}")));
    let in_brackets = [
        format!(" [\n  {frozen}\n  {flow},\n  {{}}]\n"),
        format!(" [\n  {{}},\n  {flow}, {frozen}\n  {{}}]\n"),
        format!(" [{{}}, {{}},\n  {flow}] {frozen}\n"),
        format!(" [{{}},\n  {{}}, # and more\n  {frozen}\n  {flow}\n]\n"),
    ];
    // In a List these are above the first field alone; here they are above a document, which has no dash.
    let of_documents =
        [format!("\n- # and more\n  {frozen}\n  {api}\n{rest}"), format!("\n-\n  {frozen}\n  {api}\n{rest}")];
    let alike: Vec<String> = in_block.chain(in_brackets).collect();
    for items in &alike {
        assert!(is_acknowledged_in_a_list(items), "{items}");
    }
    for items in alike.into_iter().chain(of_documents) {
        for items in [items.clone(), items.replace('\n', "\r\n")] {
            let before = list("", "{to: gateway-api@1.6}").replace("items:\n", &format!("items:{items}"));
            let run = function(&before);
            assert!(run.err.contains(": 0 changed in 0 files, 0 held back, 1 acknowledged;"), "{items}{}", run.err);
            let results = run.results(0);
            assert_eq!((results.len(), &results[0]["tags"]["code"]), (1, &json!("changes-needed")), "{results:?}");
            assert_eq!(results[0]["resourceRef"]["name"], "shop", "{items}");
            assert_eq!(without_results(&run.out), before);
        }
    }
    let lost = RETRY.replace(" # reversion: ignore[dropped-field] the bank is slow", "");
    let lost = format!("# reversion: ignore[dropped-field] the bank is slow\n{lost}");
    assert!(is_acknowledged_in_a_list(&format!("\n{lost}")));
    assert_eq!(function(&list(&lost, "{to: gateway-api@1.6}")).results(0)[0]["tags"]["code"], "dropped-field");
}

#[test]
fn a_comment_that_is_at_no_item_is_a_warning() {
    let text = list(ROUTE, "{to: gateway-api@1.6}");
    let comment = "# reversion: ignore[changes-needed] all";
    for (text, line) in [
        (format!("{comment}\n{text}"), 1),
        (text.replace("items:", &format!("items: {comment}")), 3),
        (text.replace("functionConfig:", &format!("functionConfig: {comment}")), 11),
    ] {
        let run = function(&text);
        let results = run.results(0);
        let warning = results.iter().find(|result| result["severity"] == "warning").unwrap();
        assert_eq!(warning["tags"]["code"], "unused-ignore");
        let message = format!("the comment on line {line} of the ResourceList is at no item");
        assert!(warning["message"].as_str().unwrap().starts_with(&message), "{results:?}");
        assert_eq!(without_results(&run.out), text.replace("/v1beta1 # old", "/v1 # old"));
    }
}

/// A dash stands before the first key, whatever was there and above it.
#[test]
fn items_with_comments_keep_their_dash() {
    let policy = |key: &str, comment: &str| {
        format!(
            "{comment}{key}: {{targetRef: {{group: '', kind: Service, name: a}}, tls: {{hostname: a.example.com, wellKnownCACerts: System}}}}\n  kind: BackendTLSPolicy\n  metadata: {{name: p}}\n  apiVersion: gateway.networking.k8s.io/v1alpha2\n"
        )
    };
    for comment in ["- # one\n  ", "# one\n- ", "  # one\n# two\n\n- ", "# one\n- # two\n  ", "-\n  # one\n  "] {
        let run = function(&list(&policy("spec", comment), "{to: gateway-api@1.1/experimental}"));
        let spec = &run.list(0)["items"][0]["spec"];
        assert_eq!(spec["validation"], json!({"hostname": "a.example.com", "wellKnownCACertificates": "System"}));
        assert!(run.out.contains(&format!("items:\n{comment}spec: {{targetRefs: [")), "{}", run.out);
    }
}

#[test]
fn comments_for_editors_follow_the_item_below_them() {
    let schema = |version: &str| {
        format!(
            "# yaml-language-server: $schema=https://example.org/gateway.networking.k8s.io/httproute_{version}.json"
        )
    };
    let item = |version: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/{version}\n  kind: HTTPRoute\n  metadata: {{name: a}}\n  spec: {{}}\n"
        )
    };
    let above = |version: &str| format!("{}\n- {}", schema(version), item(version));
    let inside = |version: &str| format!("- {}\n  {}", schema(version), item(version));
    for (before, after) in [(above("v1beta1"), above("v1")), (inside("v1beta1"), inside("v1"))] {
        let run = function(&list(&before, "{to: gateway-api@1.6}"));
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert_eq!(without_results(&run.out), list(&after, "{to: gateway-api@1.6}"));
    }
}

#[test]
fn references_between_items_follow_and_paths_are_files() {
    let set = "- apiVersion: gateway.networking.x-k8s.io/v1alpha1\n  kind: XListenerSet\n  metadata: {name: extra}\n  spec:\n    parentRef: {name: edge}\n    listeners: [{name: web, port: 80, protocol: HTTP}]\n";
    let route = "- apiVersion: gateway.networking.k8s.io/v1\n  kind: HTTPRoute\n  metadata: {name: naming}\n  spec:\n    parentRefs: [{group: gateway.networking.x-k8s.io, kind: XListenerSet, name: extra}]\n";
    let done = function(&list(&format!("{set}{route}"), "{to: gateway-api@1.6}")).list(0);
    assert_eq!(done["items"][0]["kind"], "ListenerSet");
    assert_eq!(done["items"][1]["spec"]["parentRefs"][0]["kind"], "ListenerSet");

    let at = |path: &str| format!("annotations: {{internal.config.kubernetes.io/path: {path}}}");
    let policy = format!(
        "- apiVersion: gateway.networking.k8s.io/v1alpha2\n  kind: BackendTLSPolicy\n  metadata: {{name: p, {}}}\n  spec:\n    targetRef: {{group: '', kind: Service, name: a}}\n    tls: {{hostname: a.example.com, wellKnownCACerts: System}}\n",
        at("sub/policy.yaml")
    );
    let kustomization = format!(
        "- apiVersion: kustomize.config.k8s.io/v1beta1\n  kind: Kustomization\n  metadata: {{name: k, {}}}\n  resources: [policy.yaml]\n  patches:\n  - target: {{kind: BackendTLSPolicy}}\n    patch: |-\n      - op: replace\n        path: /spec/tls/hostname\n        value: b.example.com\n",
        at("sub/kustomization.yaml")
    );
    let run = function(&list(&format!("{kustomization}{policy}"), "{to: gateway-api@1.1/experimental}"));
    assert!(run.list(0)["items"][1]["spec"]["validation"].is_object());
    assert!(run.out.contains("\n        path: /spec/validation/hostname\n"), "{}", run.out);
}

#[test]
fn what_cannot_be_done_is_said_and_leaves_the_items() {
    let cases = [
        ("{two: gateway-api@1.1}", "functionConfig: data has the unknown key `two`: did you mean to?"),
        ("{to: gateway-api@9.9}", "functionConfig: "),
        ("{stash: 'true'}", "functionConfig: no target: "),
    ];
    for (data, message) in cases {
        let before = list(ROUTE, data);
        let run = function(&before);
        let results = run.results(2);
        assert!(results[0]["message"].as_str().unwrap().starts_with(message), "{results:?}");
        assert_eq!((results.len(), &results[0]["severity"]), (1, &json!("error")));
        assert_eq!(without_results(&run.out), before);
        assert!(run.err.contains(&format!("error: {message}")), "{}", run.err);
    }
    let before = list(ROUTE, "{}");
    let (before, _) = before.split_once("functionConfig").unwrap();
    let run = function(before);
    assert_eq!(run.results(2)[0]["message"], "the ResourceList has no functionConfig, which names the target");
}

#[test]
fn other_input_is_refused() {
    let cases = [
        ("", "error: standard input is empty\n"),
        ("apiVersion: v1\nkind: List\nitems: []\n", "error: standard input is not a ResourceList\n"),
        (
            "apiVersion: config.kubernetes.io/v7\nkind: ResourceList\n",
            "error: the ResourceList has the unknown apiVersion",
        ),
        (
            "kind: ResourceList\n---\nkind: ResourceList\n",
            "error: standard input holds 2 documents, not one ResourceList\n",
        ),
        ("kind: [\n", "error: standard input cannot be read: -:1:7: "),
        (
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: {}\n",
            "error: `items` of the ResourceList is not",
        ),
    ];
    for (input, message) in cases {
        let run = function(input);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{input}");
        assert!(run.err.starts_with(message), "{}", run.err);
    }
}

#[test]
fn a_list_without_known_objects_passes_and_says_so() {
    let run = function(&list(SERVICE, "{to: gateway-api@1.1}"));
    let results = run.results(0);
    let message = "no object of a kind that the pack gateway-api knows is in the list";
    assert_eq!(results, [json!({"message": message, "severity": "info"})]);
}

#[test]
fn earlier_results_are_kept() {
    let before = format!("{}results:\n- message: earlier\n  severity: info\n", list(SERVICE, "{to: gateway-api@1.1}"));
    let results = function(&before).results(0);
    assert_eq!(results.len(), 2);
    assert_eq!(results[0]["message"], "earlier");
}

/// Flags and variables of other commands do not reach the function, and neither does a file of the folder.
#[test]
fn nothing_but_the_list_is_read() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("reversion.toml"), "not = [ toml").unwrap();
    let mut command = program();
    command.arg("fn").env("REVERSION_TO", "gateway-api@9.9").env("REVERSION_PACK", "missing").current_dir(&folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(list(ROUTE, "{to: gateway-api@1.1}").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("/v1 # old"));
}

/// The data of a Secret must not be in results, which kpt prints and keeps.
#[test]
fn results_do_not_show_what_a_secret_holds() {
    let secret = "- apiVersion: v1\n  kind: Secret\n  metadata: {name: nplus-license, namespace: nginx-gateway}\n  data: {license.jwt: c2VjcmV0LXZhbHVl}\n  type: Opaque\n";
    let run = function(&list(&format!("{secret}{ROUTE}"), "{to: 'ngf@2.0, gateway-api@1.1', from: ngf@1.4}"));
    let (_, results) = run.out.split_once("\nresults:\n").unwrap();
    assert!(!results.contains("c2VjcmV0") && !run.err.contains("c2VjcmV0"), "{}", run.out);
}

/// Every fifth fixture, as items: the function gives what `convert` gives for the same objects in a stream.
#[test]
fn items_become_what_a_stream_of_objects_becomes() {
    let mut seen = (0, 0);
    let root = root();
    let fixtures = root.join("fixtures");
    for file in before_files(&fixtures).iter().step_by(5) {
        let text = fs::read_to_string(file).unwrap();
        let Some(items) = items(&text) else { continue };
        let folder = file.strip_prefix(&fixtures).unwrap().iter().next().unwrap().to_string_lossy();
        let target = match &*folder {
            "gateway-api" => "gateway-api@1.6/experimental".to_owned(),
            "ngf" => "ngf@2.6".to_owned(),
            pack if fs::exists(root.join("rules").join(pack)).unwrap() => format!("{pack}@latest"),
            _ => continue,
        };
        let stream = run(&["convert", "-", "--to", &target], &text);
        let function = function(&list(&items, &format!("{{to: {target}}}")));
        // What becomes two objects is held back.
        if function.err.contains("a function gets no files to add objects to") {
            assert_eq!(function.code, Some(1), "{}", file.display());
            continue;
        }
        assert_eq!(function.code == Some(1), stream.code == Some(1), "{}: {}", file.display(), function.err);
        let expected = list(&self::items(&stream.out).unwrap(), &format!("{{to: {target}}}"));
        assert_eq!(without_results(&function.out), expected, "{}", file.display());
        seen = (seen.0 + 1, seen.1 + usize::from(stream.out != text));
    }
    assert!(seen.0 > 100 && seen.1 > 40, "{seen:?}");
}

/// Lists the `before.yaml` below a folder.
fn before_files(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    walk.filter(|entry| entry.file_name() == "before.yaml").map(walkdir::DirEntry::into_path).collect()
}

/// Writes the documents of a text as items, where they are objects in plain blocks of lines.
fn items(text: &str) -> Option<String> {
    let is_plain =
        |line: &str| !line.starts_with(['%', ' ', '\t', '{', '[', '"', '\u{feff}', '.']) && !line.contains("--- ");
    let mut items = String::new();
    for document in text.split("---\n").filter(|document| !document.is_empty()) {
        if !document.starts_with("apiVersion:") && !document.contains("\napiVersion:") {
            return None;
        }
        let first = document.lines().next().filter(|line| is_plain(line) && !line.starts_with(['#', '-']))?;
        let _infallible = writeln!(items, "- {first}");
        for line in document.lines().skip(1) {
            if line.starts_with(['#', '%', '.', '}', ']']) || line.is_empty() {
                return None;
            }
            let _infallible = writeln!(items, "  {line}");
        }
    }
    (text.ends_with('\n') && !text.contains('\r') && !items.is_empty()).then_some(items)
}

/// Whether kubectl must be there; otherwise its tests are skipped without it.
fn has_kubectl() -> bool {
    let is_there = Command::new("kubectl").args(["kustomize", "--help"]).output().is_ok_and(|run| run.status.success());
    let is_required = std::env::var_os("REVERSION_KUBECTL").is_some_and(|value| value == "required");
    assert!(is_there || !is_required, "kubectl is required");
    is_there
}

/// A folder with a base, an overlay of it, and the function as a transformer of the base.
fn kustomize(data: &str, base: &str, overlay: &str) -> Run {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    write("base/kustomization.yaml", "resources: [objects.yaml]\ntransformers: [reversion.yaml]\nnamePrefix: eu-\n");
    write("base/objects.yaml", base);
    write(
        "base/reversion.yaml",
        &format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: reversion\n  annotations:\n    config.kubernetes.io/function: |\n      container:\n        image: reversion\ndata: {data}\n"
        ),
    );
    write("live/kustomization.yaml", &format!("resources: [../base]\n{overlay}"));
    let docker = write("bin/docker", &format!("#!/bin/sh\nexec '{PROGRAM}' fn\n"));
    fs::set_permissions(docker, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("kubectl");
    command.args(["kustomize", "--enable-alpha-plugins"]).arg(folder.path().join("live")).env("PATH", path);
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The documents that a build printed.
fn built(run: &Run) -> Vec<Value> {
    use serde::Deserialize as _;
    assert_eq!(run.code, Some(0), "{}", run.err);
    serde_yaml::Deserializer::from_str(&run.out).map(|document| Value::deserialize(document).unwrap()).collect()
}

const BASE_ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [a.example.com]}\n";

#[test]
fn kustomize_builds_with_the_function_as_a_transformer_of_a_base() {
    if !has_kubectl() {
        return;
    }
    let set = "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XListenerSet\nmetadata: {name: extra}\nspec:\n  parentRef: {name: edge}\n  listeners: [{name: web, port: 80, protocol: HTTP}]\n";
    // The patch of the overlay is for the release that the base is converted to.
    let patch = "namespace: store\npatches:\n- patch: |-\n    apiVersion: gateway.networking.k8s.io/v1\n    kind: HTTPRoute\n    metadata: {name: eu-shop}\n    spec: {hostnames: [b.example.com]}\n";
    let run = kustomize("{to: gateway-api@1.6}", &format!("{BASE_ROUTE}---\n{set}"), patch);
    let mut objects = built(&run);
    objects.sort_by_key(|object| object["kind"].to_string());
    let heads: Vec<_> =
        objects.iter().map(|object| (&object["apiVersion"], &object["kind"], &object["metadata"])).collect();
    let api = json!("gateway.networking.k8s.io/v1");
    let (route, set) =
        (json!({"name": "eu-shop", "namespace": "store"}), json!({"name": "eu-extra", "namespace": "store"}));
    assert_eq!(heads, [(&api, &json!("HTTPRoute"), &route), (&api, &json!("ListenerSet"), &set)]);
    assert_eq!(objects[0]["spec"]["hostnames"], json!(["b.example.com"]));
}

#[test]
fn a_build_fails_where_an_object_is_held_back_or_the_configuration_is_wrong() {
    if !has_kubectl() {
        return;
    }
    let held = HELD.replace("\n  ", "\n").replacen("- ", "", 1);
    let run = kustomize("{to: gateway-api@1.0/experimental}", &held, "");
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""));
    assert!(run.err.contains("held-back[too-many-items] BackendTLSPolicy eu-pair: spec.targetRefs[1]"), "{}", run.err);
    let run = kustomize("{to: gateway-api@1.0/experimental, exit-zero: 'true'}", &held, "");
    assert_eq!(built(&run)[0]["spec"]["targetRefs"].as_array().unwrap().len(), 2);
    let run = kustomize("{too: gateway-api@1.0/experimental}", &held, "");
    assert_eq!((run.code, run.out.as_str()), (Some(1), ""));
    assert!(run.err.contains("error: functionConfig: data has the unknown key `too`: did you mean to?"), "{}", run.err);
}

#[test]
fn a_build_of_many_objects_is_converted() {
    if !has_kubectl() {
        return;
    }
    let objects: Vec<String> = (0..200).map(|at| BASE_ROUTE.replace("shop", &format!("shop-{at:04}"))).collect();
    let objects = built(&kustomize("{to: gateway-api@1.1}", &objects.join("---\n"), ""));
    assert_eq!(objects.len(), 200);
    assert!(objects.iter().all(|object| object["apiVersion"] == "gateway.networking.k8s.io/v1"));
}

//! What the API server demands of a CRD around its schemas.

use std::slice::from_ref;

use serde_json::{Value, json};

use super::{crd, merge, run, version};
use crate::support::trees::Tree;

/// Checks that one fault is found in a CRD with the first, which is changed, and none with the second.
#[track_caller]
fn check(wrong: &Value, right: &Value, message: &str) {
    let whole = |more: &Value| {
        let mut whole = crd(&json!({}));
        merge(&mut whole, more);
        whole
    };
    let [wrong, right] = [wrong, right].map(whole);
    let refused = run(from_ref(&wrong), from_ref(&wrong), &[]);
    refused.check(1);
    assert_eq!(refused.out.matches("[crd-invalid]").count(), 1, "{}", refused.all());
    assert!(refused.out.contains(&format!(": {message}")), "{}", refused.all());
    let accepted = run(from_ref(&right), from_ref(&right), &[]);
    assert!(!accepted.all().contains("crd-invalid"), "{}", accepted.all());
}

fn spec(spec: Value) -> Value {
    json!({ "spec": spec })
}

/// Makes a CRD of one version with more than a schema.
fn of_version(more: Value) -> Value {
    let mut one = version("v1", &json!({"a": {"type": "string"}, "o": {"type": "object"}}));
    merge(&mut one, &more);
    spec(json!({"versions": [one]}))
}

#[test]
fn names_are_labels_and_fit_each_other() {
    let names = |names: Value| spec(json!({"names": names}));
    check(
        &json!({"metadata": {"name": "bike.ride.example"}}),
        &json!({}),
        "the name \"bike.ride.example\" is not bikes.ride.example",
    );
    let group = |group: &str| json!({"metadata": {"name": format!("bikes.{group}")}, "spec": {"group": group}});
    check(&group("ride"), &group("ride.example"), "the group ride is no domain with a dot");
    check(&group("Ride.example"), &group("2-ride.example"), "the group Ride.example is no domain");
    check(
        &names(json!({"listKind": "Bike"})),
        &names(json!({"listKind": "BikeList"})),
        "the kind is that of lists too",
    );
    check(&names(json!({"singular": "Bike"})), &names(json!({"singular": "bike"})), "\"Bike\" is no DNS label");
    check(&names(json!({"kind": "Bike_1"})), &names(json!({"kind": "Bike1"})), "\"Bike_1\" is no DNS label");
    check(&names(json!({"shortNames": ["b", "B"]})), &names(json!({"shortNames": ["b"]})), "\"B\" is no DNS label");
    check(&names(json!({"categories": [""]})), &names(json!({"categories": ["all"]})), "\"\" is no DNS label");
    let version = |name: &str| spec(json!({"versions": [version(name, &json!({}))]}));
    check(&version("1.0"), &version("v1-0"), "\"1.0\" is no DNS label");
    check(
        &spec(json!({"preserveUnknownFields": true})),
        &spec(json!({"preserveUnknownFields": false})),
        "preserveUnknownFields cannot be true",
    );
}

#[test]
fn a_webhook_can_be_called() {
    let conversion =
        |strategy: &str, webhook: Value| spec(json!({"conversion": {"strategy": strategy, "webhook": webhook}}));
    let client =
        |client: Value| conversion("Webhook", json!({"conversionReviewVersions": ["v1"], "clientConfig": client}));
    let service = || json!({"service": {"name": "bikes", "namespace": "ride"}});
    let url = |url: &str| json!({ "url": url });
    check(
        &spec(json!({"conversion": {"strategy": "Webhook"}})),
        &client(service()),
        "the strategy Webhook needs webhook.clientConfig",
    );
    check(
        &client(json!({"caBundle": "Cg=="})),
        &client(url("https://ride.example")),
        "the clientConfig of the webhook needs url or service",
    );
    check(
        &client(url("http://ride.example")),
        &client(url("https://ride.example")),
        "the url of the webhook must start with https://",
    );
    check(
        &client(json!({"service": {"name": "bikes"}})),
        &client(service()),
        "the service of the webhook needs a name and a namespace",
    );
    let versions = |versions: &[&str]| {
        conversion("Webhook", json!({"conversionReviewVersions": versions, "clientConfig": service()}))
    };
    check(
        &versions(&[]),
        &versions(&["v1beta1"]),
        "the conversionReviewVersions of the webhook must have v1 or v1beta1",
    );
    check(
        &versions(&["v2"]),
        &versions(&["v2", "v1"]),
        "the conversionReviewVersions of the webhook must have v1 or v1beta1",
    );
    check(
        &conversion("None", json!({"clientConfig": service()})),
        &conversion("None", json!({})),
        "a webhook needs the strategy Webhook",
    );
    check(
        &spec(json!({"conversion": {"webhook": {}}})),
        &spec(json!({"conversion": {"strategy": "None"}})),
        "the conversion has no strategy",
    );
}

#[test]
fn what_is_shown_and_scaled_can_be_found() {
    let column = |more: Value| {
        let mut column = json!({"name": "A", "type": "string", "jsonPath": ".spec.a"});
        merge(&mut column, &more);
        of_version(json!({"additionalPrinterColumns": [column]}))
    };
    let filtered = || column(json!({"jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}));
    check(&column(json!({"name": null})), &column(json!({})), "v1: name absent is not a text");
    check(
        &column(json!({"type": "object"})),
        &column(json!({"type": "date"})),
        "v1: type \"object\" is not boolean, date",
    );
    check(
        &column(json!({"format": "uri"})),
        &column(json!({"format": "date-time"})),
        "v1: format \"uri\" is not byte, date",
    );
    check(
        &column(json!({"jsonPath": "spec.a"})),
        &filtered(),
        "v1: jsonPath \"spec.a\" is not a path such as .spec.size",
    );
    let scale = |more: Value| {
        let mut scale = json!({"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"});
        merge(&mut scale, &more);
        of_version(json!({"subresources": {"scale": scale}}))
    };
    let with_selector = || scale(json!({"labelSelectorPath": ".status.b"}));
    check(
        &scale(json!({"specReplicasPath": "spec.a"})),
        &scale(json!({})),
        "v1: specReplicasPath \"spec.a\" is not a path below .spec",
    );
    check(
        &scale(json!({"statusReplicasPath": null})),
        &scale(json!({})),
        "v1: statusReplicasPath absent is not a path below .status",
    );
    check(
        &scale(json!({"labelSelectorPath": ".metadata.labels"})),
        &with_selector(),
        "v1: labelSelectorPath \".metadata.labels\" is not",
    );
    let selectable = |paths: &[&str]| {
        let fields: Vec<Value> = paths.iter().map(|path| json!({"jsonPath": path})).collect();
        of_version(json!({"selectableFields": fields}))
    };
    check(&selectable(&[".spec.b"]), &selectable(&[".spec.a"]), "v1: the jsonPath names no field");
    check(&selectable(&["spec.a"]), &selectable(&[".spec.a"]), "v1: the jsonPath names no field");
    check(&selectable(&[".spec.o"]), &selectable(&[".spec.a"]), "v1: the field is no string, boolean or integer");
    check(&selectable(&[".spec.a", ".spec.a"]), &selectable(&[".spec.a"]), "v1: the field is listed twice");
}

#[test]
fn a_version_has_a_schema_and_a_warning_where_it_is_deprecated() {
    check(&of_version(json!({"schema": null})), &of_version(json!({})), "v1: the version has no schema");
    let warning = |is_deprecated: bool, warning: &str| {
        of_version(json!({"deprecated": is_deprecated, "deprecationWarning": warning}))
    };
    check(&warning(false, "use v2"), &warning(true, "use v2"), "v1: a version that is not deprecated has no warning");
    check(&warning(true, ""), &warning(true, "use v2"), "v1: the warning is empty");
    check(
        &warning(true, &"x".repeat(257)),
        &warning(true, &"x".repeat(256)),
        "v1: the warning has more than 256 bytes",
    );
}

#[test]
fn what_an_older_api_server_accepted_is_left() {
    let mut old = crd(&json!({"preserveUnknownFields": true, "versions": [version("v1", &json!({"a": {}}))]}));
    old["apiVersion"] = "apiextensions.k8s.io/v1beta1".into();
    run(from_ref(&old), from_ref(&old), &[]).check(0);
    old["apiVersion"] = "apiextensions.k8s.io/v1".into();
    let refused = run(from_ref(&old), from_ref(&old), &[]);
    assert_eq!(refused.out.matches("[crd-invalid]").count(), 2, "{}", refused.all());
}

#[test]
fn what_is_around_schemas_is_checked_at_its_place() {
    let tree = |text: &str| Tree::of(&[("crd.yaml", text)]);
    let with = |scope: &str, more: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: ride.example\n  \
             names: {{kind: Bike, plural: bikes}}\n{scope}  versions:\n  - {{name: v1, served: true, {more}}}\n"
        )
    };
    let conversion = "  scope: Cluster\n  conversion:\n    strategy: webhook\n";
    for (scope, more, message) in [
        (
            "  scope: cluster\n",
            "storage: true",
            ":6:3: the CRD is malformed: scope \"cluster\" is not Cluster or Namespaced",
        ),
        ("", "storage: true", ":3:1: the CRD is malformed: scope is missing: write Cluster or Namespaced"),
        (conversion, "storage: true", ":8:5: the CRD is malformed: strategy \"webhook\" is not None or Webhook"),
        ("  scope: Cluster\n", "storage: \"\"", ":8:30: the CRD is malformed: storage \"\" is not true or false"),
        (
            "  scope: Cluster\n",
            "storage: true, schema: {openAPIV3Schema: {required: [n]}}",
            ":8:72: the CRD is malformed: required is not a list of texts",
        ),
    ] {
        let run = tree(&with(scope, more)).run(&["crd", "check", "crd.yaml", "crd.yaml"]);
        assert_eq!(run.code, Some(2), "{}", run.all());
        assert!(run.err.contains(&format!("crd.yaml{message}")), "{message}: {}", run.all());
    }
}

#[test]
fn what_cannot_be_read_as_a_crd_fails_beside_others() {
    let bike = crd(&json!({})).to_string();
    let nameless = crd(&json!({"names": null})).to_string();
    let template =
        "{{- if .Values.crds }}\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n{{- end }}\n";
    // As in the folders of Kubebuilder, beside the CRD that it is for.
    let patch = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: bikes.ride.example}\nspec: {conversion: {strategy: Webhook}}\n";
    let versions = crd(&json!({"names": null, "group": null})).to_string();
    let of_another = nameless.replace("bikes.ride.example", "cars.ride.example");
    for (other, message) in [
        (of_another.as_str(), "new/b.yaml:1:115: the CRD is malformed: it does not say which kind it defines"),
        (template, "new/b.yaml: a template of a CRD cannot be read; render the chart first"),
        (patch, ""),
        (versions.as_str(), ""),
        ("# A patch\nkind: Job\n{{/* CustomResourceDefinitions are elsewhere: apiextensions.k8s.io */}}\n", ""),
    ] {
        let tree = Tree::of(&[("old/a.yaml", &bike), ("new/a.yaml", &bike), ("new/b.yaml", other)]);
        for (run, read) in [
            (tree.run(&["crd", "check", "old", "new"]), 0),
            (tree.run(&["check", "--crds", "new", "old", "--allow-empty"]), 0),
        ] {
            let expected = if message.is_empty() { read } else { 2 };
            assert_eq!(run.code, Some(expected), "{}", run.all());
            assert!(run.err.contains(message), "{message}: {}", run.all());
        }
    }
}

#[test]
fn a_template_of_a_crd_in_a_commit_is_no_clean_release() {
    let bike = crd(&json!({})).to_string();
    let template =
        "{{- if .Values.crds }}\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n{{- end }}\n";
    let tree = Tree::of(&[("crds/a.yaml", &bike), ("crds/b.yaml", template)]);
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "first"]] {
        tree.git(arguments);
    }
    let run = tree.run(&["crd", "check", "HEAD", "HEAD", "--path", "crds"]);
    assert_eq!(run.code, Some(2), "{}", run.all());
    assert!(run.err.contains("HEAD:crds/b.yaml: a template of a CRD cannot be read"), "{}", run.all());
}

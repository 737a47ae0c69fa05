//! Comments that name the schema of an object for editors.

use reversion::internals::finding::Severity;

use super::run;

const HOST: &str = "https://schemas.example.com/crds";

/// Returns a comment with the schema of an HTTPRoute.
fn comment(version: &str) -> String {
    format!("# yaml-language-server: $schema={HOST}/gateway.networking.k8s.io/httproute_{version}.json\n")
}

fn route(name: &str, version: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/{version} # served\nkind: HTTPRoute\nmetadata:\n  name: {name}\nspec: {{}}\n"
    )
}

/// Checks that `old` becomes `new`, and back, with the line ends of either system.
#[track_caller]
fn check(old: &str, new: &str) {
    for end in ["\n", "\r\n"] {
        let [old, new] = [old, new].map(|text| text.replace('\n', end));
        for (before, after, target) in [(&old, &new, "1.6.1/standard"), (&new, &old, "0.8.1/standard")] {
            let outcome = run(&[("a.yaml", before)], target);
            outcome.check_findings(Severity::Warning, &[]);
            assert_eq!(&outcome.after["a.yaml"], after, "{target}");
        }
    }
}

/// Checks that only the apiVersion below a comment changes.
#[track_caller]
fn check_kept(comment: &str) {
    check(&format!("{comment}{}", route("a", "v1beta1")), &format!("{comment}{}", route("a", "v1")));
}

#[test]
fn a_comment_that_names_the_schema_of_an_object_follows_it() {
    let text = |version: &str| comment(version) + &route("a", version);
    check(&text("v1beta1"), &text("v1"));
    for form in ["# $schema: X", "#$schema=X  ", "# yaml-language-server : x=y $schema=X \t", "# $schema: X # by hand"]
    {
        let schema =
            |version: &str| form.replace('X', &format!("../gateway.networking.k8s.io/httproute_{version}.json"));
        let text = |version: &str| format!("# Team: shop\n\n---\n{}\n\n{}", schema(version), route("a", version));
        check(&text("v1beta1"), &text("v1"));
    }
}

#[test]
fn a_comment_that_names_anything_else_stays() {
    check_kept(&comment("v1alpha2"));
    check_kept(&comment("v1beta1").replace("httproute", "grpcroute"));
    check_kept(&comment("v1beta1").replace("httproute", "HTTPRoute"));
    check_kept(&comment("v1beta1").replace("gateway.networking.k8s.io", "networking.k8s.io"));
    check_kept(&comment("v1beta1").replace("/gateway.networking", "/x.gateway.networking"));
    check_kept(&comment("v1beta1").replace(".json", ".json?ref=main"));
    check_kept(&comment("v1beta1").replace("yaml-language-server: $schema=", "see "));
    check_kept("# yaml-language-server: $schema=https://example.com/route.json\n");
}

#[test]
fn every_document_has_its_own_comment() {
    let text = |version: &str| {
        let (comment, a, b) = (comment(version), route("a", version), route("b", version));
        format!(
            "{comment}---\n{a}---\n# b\n{comment}{b}---\napiVersion: v1\nkind: ConfigMap\n# not this one\n\n{comment}\n---\n"
        )
    };
    let last = |text: String| {
        let at = text.rfind("# yaml").unwrap();
        text[..at].to_owned() + &comment("v1beta1") + "\n---\n"
    };
    check(&last(text("v1beta1")), &last(text("v1")));
}

#[test]
fn a_comment_directly_above_a_document_is_about_it() {
    let text = |version: &str| {
        let (comment, a, b) = (comment(version), route("a", version), route("b", version));
        format!("apiVersion: v1\nkind: ConfigMap\n# next:\n{comment}---\n{a}# next:\n{comment}---\n{b}")
    };
    check(&text("v1beta1"), &text("v1"));
    // Not where the document that has its bytes cannot be read as a whole.
    let schema = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nopenAPIV3Schema: {a: 1, a: 2}\n";
    let text = |version: &str| format!("{schema}{}---\n{}", comment("v1beta1"), route("a", version));
    let outcome = run(&[("a.yaml", &text("v1beta1"))], "1.6.1/standard");
    assert_eq!(outcome.after["a.yaml"], text("v1"), "{}", outcome.messages);
}

#[test]
fn an_object_that_is_held_back_keeps_its_comment() {
    // An apiVersion that an alias repeats cannot be changed.
    let held = route("held", "v1beta1").replace(" gateway", " &v gateway").replace("{}", "{hostnames: [*v]}");
    let text = |below: &str, version: &str| {
        format!("{}{held}{}---\n{}", comment("v1beta1"), comment(below), route("a", version))
    };
    let outcome = run(&[("a.yaml", &text("v1beta1", "v1beta1"))], "1.6.1/standard");
    outcome.check_findings(Severity::Held, &["a.yaml held-back not-editable -"]);
    assert_eq!(outcome.after["a.yaml"], text("v1", "v1"));
}

#[test]
fn comments_in_inline_patches_follow_and_those_of_lists_stay() {
    let text = |version: &str| {
        let patch = comment(version) + &route("a", version);
        let lines: String = patch.lines().map(|line| format!("      {line}\n")).collect();
        format!("kind: Kustomization\nresources: [a.yaml]\npatches:\n  - patch: |\n{lines}")
    };
    let base = route("a", "v1beta1");
    let files = [("kustomization.yaml", &*text("v1beta1")), ("a.yaml", &base)];
    let after = run(&files, "1.6.1/standard").after;
    assert_eq!(after["kustomization.yaml"], text("v1"));
    let list = |version: &str| {
        let item = route("a", version).replace('\n', "\n  ");
        format!("{}apiVersion: v1\nkind: List\nitems:\n- {}\n", comment("v1beta1"), item.trim_end())
    };
    let after = run(&[("a.yaml", &list("v1beta1"))], "1.6.1/standard").after;
    assert_eq!(after["a.yaml"], list("v1"));
}

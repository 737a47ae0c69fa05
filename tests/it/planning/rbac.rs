//! Rules of roles and lists of Argo CD that name a renamed kind.

use reversion::internals::finding::Severity;
use reversion::internals::plan::Choices;

use super::{Outcome, run, run_with};

#[test]
fn rbac_rules_for_the_new_kind_need_the_same_rights() {
    let old = "{apiGroups: [gateway.networking.x-k8s.io], resources: [xlistenersets], verbs: [get, list]}";
    let rule = |rest: &str| format!("{{apiGroups: [gateway.networking.k8s.io], resources: [listenersets], {rest}}}");
    let named = format!("{}, resourceNames: [a]}}", old.trim_end_matches('}'));
    let (get, list) = (rule("verbs: [get]"), rule("verbs: [list]"));
    for (rules, reported) in [
        (vec![old, &rule("verbs: [list, get, watch]")], false),
        (vec![old, &get, &list], false),
        (vec![old, &rule("verbs: ['*']")], false),
        (vec![&named, &rule("verbs: [get, list], resourceNames: [a, b]")], false),
        (vec![old, &get], true),
        (vec![old, &rule("verbs: [get, list], resourceNames: [a]")], true),
        (vec![&named, &rule("verbs: [get, list], resourceNames: [b]")], true),
    ] {
        let rules = rules.join(", ");
        let role = format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {{name: listenersets}}\nrules: [{rules}]\n"
        );
        let outcome = run(&[("role.yaml", &role)], "1.5.1/standard");
        assert_eq!(!outcome.reported.is_empty(), reported, "{rules}: {:?}", outcome.reported);
    }
}

#[test]
fn rbac_rules_for_a_renamed_kind_are_reported_until_they_list_the_new_kind() {
    let role = |rules: &str| {
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {{name: listenersets}}\nrules: [{rules}]\n"
        )
    };
    let reported = |text: &str| run(&[("a.yaml", text)], "1.6.1/standard").reported;
    let old = "{apiGroups: [gateway.networking.x-k8s.io], resources: [xlistenersets/status]}";
    let kept = ["a.yaml unresolved reference-not-updated rules[0]"];
    assert_eq!(reported(&role(old)), kept);
    let status = "{apiGroups: [gateway.networking.k8s.io], resources: [listenersets/status]}";
    assert_eq!(reported(&role(&format!("{old}, {status}"))), [""; 0]);
    assert_eq!(reported(&role(&format!("{old}, {}", status.replace("/status", "")))), kept);
    assert_eq!(reported(&role("{apiGroups: ['*'], resources: [xlistenersets]}")), kept);
    assert_eq!(reported(&role("{apiGroups: [gateway.networking.x-k8s.io], resources: ['*']}")), kept);
    assert_eq!(reported(&role("{apiGroups: ['*'], resources: ['*']}")), [""; 0]);
    let project = |items: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {{name: a}}\nspec:\n  namespaceResourceWhitelist: [{items}]\n"
        )
    };
    let all = "{group: gateway.networking.x-k8s.io, kind: '*'}";
    assert_eq!(reported(&project(all)), ["a.yaml unresolved reference-not-updated spec.namespaceResourceWhitelist[0]"]);
    assert_eq!(reported(&project(&format!("{all}, {{group: gateway.networking.k8s.io, kind: ListenerSet}}"))), [""; 0]);
    let named =
        run(&[("a.yaml", &project("{group: gateway.networking.x-k8s.io, kind: XListenerSet}"))], "1.6.1/standard");
    assert!(named.after["a.yaml"].contains("[{group: gateway.networking.k8s.io, kind: ListenerSet}]"));
}

/// What a user chooses so that rules get the new group beside the old one.
fn extended(files: &[(&str, &str)], target: &str) -> Outcome {
    let pack = target.split_once('@').map_or("gateway-api", |(pack, _)| pack);
    let parameters = [(format!("{pack}.rbac"), "extend".to_owned())].into();
    run_with(files, target, Choices { parameters, ..Choices::default() })
}

fn role(rules: &str) -> String {
    format!("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: shop}}\nrules:\n{rules}")
}

#[test]
fn rules_about_a_group_that_moved_get_the_new_one_beside_the_old() {
    let rules = "# for the shop
- apiGroups:
  - \"\" # pods
  - certmanager.k8s.io # certificates
  resources: [pods, certificates, certificates/status]
  verbs: [get]
- {apiGroups: ['certmanager.k8s.io'], resources: [issuers, orders], verbs: [list]}
- {apiGroups: [certmanager.k8s.io, cert-manager.io], resources: [certificates], verbs: [list]}
";
    let expected = rules
        .replace(
            "  - certmanager.k8s.io # certificates\n",
            "  - certmanager.k8s.io # certificates\n  - cert-manager.io\n",
        )
        .replace("['certmanager.k8s.io']", "['certmanager.k8s.io', acme.cert-manager.io, cert-manager.io]");
    let role = (role(rules), role(&expected));
    let found = extended(&[("role.yaml", &role.0)], "cert-manager@1.16");
    assert_eq!(found.after.get("role.yaml"), Some(&role.1), "{:?}", found.reported);
    found.check_findings(Severity::Note, &[]);
    // What is there already is not added again.
    assert!(extended(&[("role.yaml", &role.1)], "cert-manager@1.16").after.is_empty());
    // Without the choice, it is for a person to decide.
    let found = run(&[("role.yaml", &role.0)], "cert-manager@1.16");
    assert!(found.after.is_empty());
    let reported =
        ["role.yaml unresolved reference-not-updated rules[0]", "role.yaml unresolved reference-not-updated rules[1]"];
    found.check_findings(Severity::Note, &reported);
}

#[test]
fn rules_get_an_old_group_on_the_way_back() {
    let rules = "- {apiGroups: [cert-manager.io], resources: [certificates], verbs: [get]}\n";
    let found = extended(&[("role.yaml", &role(rules))], "cert-manager@0.10");
    let expected = rules.replace("[cert-manager.io]", "[cert-manager.io, certmanager.k8s.io]");
    assert_eq!(found.after.get("role.yaml"), Some(&role(&expected)), "{:?}", found.reported);
}

#[test]
fn rules_that_would_permit_more_are_reported() {
    for rules in [
        // The resource has another name.
        "- {apiGroups: [gateway.networking.x-k8s.io], resources: [xlistenersets], verbs: [get]}\n",
        // The new group has resources that the old one never had.
        "- {apiGroups: [networking.x-k8s.io], resources: ['*'], verbs: [get]}\n",
    ] {
        let found = extended(&[("role.yaml", &role(rules))], "1.6.1/standard");
        assert!(found.after.is_empty(), "{:?}", found.after);
        found.check_findings(Severity::Note, &["role.yaml unresolved reference-not-updated rules[0]"]);
    }
}

#[test]
fn webhooks_get_the_new_group_with_its_version() {
    let webhook = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: shop}
webhooks:
- name: shop.example.com
  rules:
  - apiGroups: [certmanager.k8s.io]
    apiVersions: [v1alpha1]
    operations: [CREATE]
    resources: [certificates]
";
    let found = extended(&[("webhook.yaml", webhook)], "cert-manager@1.16");
    let expected = webhook
        .replace("[certmanager.k8s.io]", "[certmanager.k8s.io, cert-manager.io]")
        .replace("[v1alpha1]", "[v1alpha1, v1]");
    assert_eq!(found.after.get("webhook.yaml"), Some(&expected), "{:?}", found.reported);
    found.check_findings(Severity::Note, &[]);
}

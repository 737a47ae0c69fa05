//! Rules of roles and lists of Argo CD that name a renamed kind.

use super::run;

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

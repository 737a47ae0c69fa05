//! Trees in which many objects have one name: which of them does an object mean?

use reversion::internals::finding::Severity;

use super::{OLD_PROXY, class, listener_set, run};

const TARGET: &str = "1.6.1/standard";

/// Returns a Gateway with a host.
fn gateway(host: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: edge}}\nspec:\n  gatewayClassName: lb\n  \
         listeners:\n  - {{name: mail, protocol: TLS, port: 993, hostname: {host}, tls: {{mode: Passthrough}}}}\n"
    )
}

/// A route that needs the host of its Gateway.
const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: TLSRoute
metadata: {name: mail}
spec:
  parentRefs: [{name: edge}]
  rules:
  - backendRefs: [{name: mail, port: 993}]
";

/// Converts the files, and checks the host that each of the routes gets: all of those that change.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[(&str, &str)]) {
    let found = run(files, TARGET);
    found.check_findings(Severity::Held, &[]);
    let host = |text: &str| {
        text.lines().find_map(|line| line.trim().strip_prefix("- ").map(str::to_owned)).unwrap_or_default()
    };
    let hosts: Vec<_> = found.after.iter().map(|(file, text)| (file.as_str(), host(text))).collect();
    let hosts: Vec<_> = hosts.iter().map(|(file, host)| (*file, host.as_str())).collect();
    assert_eq!(hosts, expected, "{:?}", found.after);
}

/// Checks that the route in `file` is held back, and that the message contains each of `parts`.
#[track_caller]
fn check_open(files: &[(&str, &str)], file: &str, parts: &[&str]) {
    let found = run(files, TARGET);
    found.check_findings(Severity::Held, &[&format!("{file} held-back invalid-in-target spec.parentRefs[0]")]);
    parts.iter().for_each(|part| found.check_message(part));
}

#[test]
fn a_tenant_means_its_own_gateway() {
    let (a, b) = (gateway("a.example.com"), gateway("b.example.com"));
    let files = [
        ("tenants/a/gateway.yaml", a.as_str()),
        ("tenants/a/route.yaml", ROUTE),
        ("tenants/b/gateway.yaml", &b),
        ("tenants/b/route.yaml", ROUTE),
    ];
    let expected = [("tenants/a/route.yaml", "a.example.com"), ("tenants/b/route.yaml", "b.example.com")];
    check(&files, &expected);
    // A kustomization for each, whose Gateway is in another folder.
    let files = [
        ("gateways/a.yaml", a.as_str()),
        ("gateways/b.yaml", &b),
        ("tenants/a/kustomization.yaml", "resources: [route.yaml, ../../gateways/a.yaml]\n"),
        ("tenants/a/route.yaml", ROUTE),
        ("tenants/b/kustomization.yaml", "resources: [route.yaml, ../../gateways/b.yaml]\n"),
        ("tenants/b/route.yaml", ROUTE),
    ];
    check(&files, &expected);
    // The same without kustomizations: both Gateways are equally near.
    let open = [files[0], files[1], files[3]];
    check_open(
        &open,
        "tenants/a/route.yaml",
        &["differ in hostname: Gateway edge (gateways/a.yaml:1), Gateway edge (gateways/b.yaml:1)"],
    );
}

#[test]
fn the_nearest_gateway_counts_and_one_that_is_far_away_is_found() {
    let (near, far, other) = (gateway("near.example.com"), gateway("far.example.com"), gateway("other.example.com"));
    // In the file itself, then in its folder, then in the folder above.
    let both = format!("{near}---\n{ROUTE}");
    let found = run(&[("shop/both.yaml", &both), ("shop/gateway.yaml", &far)], TARGET);
    found.check_findings(Severity::Held, &[]);
    assert!(found.after["shop/both.yaml"].contains("- near.example.com"));
    let route = ("apps/shop/route.yaml", ROUTE);
    let expected = |host| [("apps/shop/route.yaml", host)];
    check(&[("apps/gateway.yaml", &far), ("apps/shop/gateway.yaml", &near), route], &expected("near.example.com"));
    check(&[("apps/gateway.yaml", &near), ("gateway.yaml", &far), route], &expected("near.example.com"));
    // Anywhere below the nearest folder above.
    check(
        &[("apps/shared/edge/gateway.yaml", &near), route, ("infra/gateway.yaml", &far)],
        &expected("near.example.com"),
    );
    check(&[route, ("infra/edge/gateway.yaml", &far)], &expected("far.example.com"));
    // A folder above comes before its other folders, which do not hide what is farther up.
    let shared = ("apps/gateway.yaml", near.as_str());
    check(&[("apps/blog/gateway.yaml", &other), shared, route], &expected("near.example.com"));
    check_open(
        &[("apps/blog/gateway.yaml", &other), route, ("gateway.yaml", &far)],
        "apps/shop/route.yaml",
        &["Gateway edge (apps/blog/gateway.yaml:1), Gateway edge (gateway.yaml:1)"],
    );
    // Where all agree, it does not matter which one it is.
    check(&[("infra/a/gateway.yaml", &far), ("infra/b/gateway.yaml", &far), route], &expected("far.example.com"));
}

#[test]
fn many_candidates_are_counted() {
    let names: Vec<(String, String)> =
        (1..=6).map(|number| (format!("infra/{number}.yaml"), gateway(&format!("{number}.example.com")))).collect();
    let mut files = vec![("apps/route.yaml", ROUTE)];
    files.extend(names.iter().map(|(file, text)| (file.as_str(), text.as_str())));
    check_open(&files, "apps/route.yaml", &["Gateway edge (infra/4.yaml:1) and 2 more"]);
}

#[test]
fn a_candidate_must_be_right_in_every_overlay() {
    let (live, test) = (gateway("live.example.com"), gateway("test.example.com"));
    let files = |test| {
        [
            ("base/kustomization.yaml", "resources: [route.yaml]\n"),
            ("base/route.yaml", ROUTE),
            ("live/gateway.yaml", live.as_str()),
            ("live/kustomization.yaml", "resources: [../base, gateway.yaml]\n"),
            ("test/gateway.yaml", test),
            ("test/kustomization.yaml", "resources: [../base, gateway.yaml]\n"),
        ]
    };
    let both = ["differ in hostname: Gateway edge (live/gateway.yaml:1), Gateway edge (test/gateway.yaml:1)"];
    check_open(&files(&test), "base/route.yaml", &both);
    check(&files(&live), &[("base/route.yaml", "live.example.com")]);
    // An overlay without a Gateway of its own: the only one of the run.
    let all = files(&test);
    let silent = [all[0], all[1], all[2], all[3], ("test/kustomization.yaml", "resources: [../base]\n")];
    check(&silent, &[("base/route.yaml", "live.example.com")]);
    // Of two Gateways, the overlay sees its own.
    let one = [all[0], all[1], all[2], all[3], all[4]];
    check(&one, &[("base/route.yaml", "live.example.com")]);
}

#[test]
fn a_component_belongs_to_the_builds_that_have_it() {
    let (shared, other) = (gateway("shared.example.com"), gateway("other.example.com"));
    let files = [
        ("app/kustomization.yaml", "resources: [route.yaml]\ncomponents: [../edge]\n"),
        ("app/route.yaml", ROUTE),
        ("edge/gateway.yaml", shared.as_str()),
        ("edge/kustomization.yaml", "kind: Component\nresources: [gateway.yaml]\n"),
        ("other/gateway.yaml", &other),
        ("other/kustomization.yaml", "resources: [gateway.yaml]\n"),
    ];
    check(&files, &[("app/route.yaml", "shared.example.com")]);
    // The route in the component, and the Gateway next to it or not.
    let files = [
        ("app/gateway.yaml", shared.as_str()),
        ("app/kustomization.yaml", "resources: [gateway.yaml]\ncomponents: [../edge]\n"),
        ("edge/kustomization.yaml", "kind: Component\nresources: [route.yaml]\n"),
        ("edge/route.yaml", ROUTE),
        ("other/gateway.yaml", &other),
    ];
    check(&files, &[("edge/route.yaml", "shared.example.com")]);
}

/// Returns an object that has Flux apply a folder.
fn flux(name: &str, path: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n\
         spec: {{path: {path}, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )
}

#[test]
fn folders_that_flux_applies_to_one_cluster_belong_together() {
    let (live, test) = (gateway("live.example.com"), gateway("test.example.com"));
    let objects =
        |cluster: &str| (flux("apps", &format!("./apps/{cluster}")), flux("infra", &format!("./infra/{cluster}")));
    let (of_live, of_test) = (objects("live"), objects("test"));
    let files = [
        ("apps/live/route.yaml", ROUTE),
        ("apps/test/route.yaml", ROUTE),
        ("clusters/live/apps.yaml", of_live.0.as_str()),
        ("clusters/live/infra.yaml", &of_live.1),
        ("clusters/test/apps.yaml", &of_test.0),
        ("clusters/test/infra.yaml", &of_test.1),
        ("infra/live/gateway.yaml", &live),
        ("infra/test/gateway.yaml", &test),
    ];
    let expected = [("apps/live/route.yaml", "live.example.com"), ("apps/test/route.yaml", "test.example.com")];
    check(&files, &expected);
    // Seen from a folder above the repository.
    let above: Vec<_> = files.iter().map(|(file, text)| (format!("repository/{file}"), *text)).collect();
    let above: Vec<_> = above.iter().map(|(file, text)| (file.as_str(), *text)).collect();
    let (one, two) =
        (("repository/apps/live/route.yaml", expected[0].1), ("repository/apps/test/route.yaml", expected[1].1));
    check(&above, &[one, two]);
    // With kustomizations in the folders, which take in a base.
    let kustomized = [
        ("apps/base/kustomization.yaml", "resources: [route.yaml]\n"),
        ("apps/base/route.yaml", ROUTE),
        ("apps/live/kustomization.yaml", "resources: [../base]\n"),
        files[2],
        files[3],
        files[6],
        files[7],
    ];
    check(&kustomized, &[("apps/base/route.yaml", "live.example.com")]);
    // Both clusters apply the base: one Gateway must be right in both.
    let both =
        [&kustomized[..], &[("apps/test/kustomization.yaml", "resources: [../base]\n"), files[4], files[5]]].concat();
    let places = "Gateway edge (infra/live/gateway.yaml:1), Gateway edge (infra/test/gateway.yaml:1)";
    check_open(&both, "apps/base/route.yaml", &[places]);
    // Without the objects of Flux, nothing shows which Gateway is meant.
    let found = run(&[files[0], files[6], files[7]], TARGET);
    found.check_message(places);
}

#[test]
fn a_cluster_is_what_flux_applies_from_its_own_folder_on() {
    let (live, test) = (gateway("live.example.com"), gateway("test.example.com"));
    // The object of Flux that applies the folder with the others stands in it.
    let (sync, apps, infra) =
        (flux("flux-system", "./clusters/live"), flux("apps", "apps"), flux("infra", "infra/live"));
    let files = [
        ("apps/route.yaml", ROUTE),
        ("clusters/live/apps.yaml", apps.as_str()),
        ("clusters/live/flux-system/sync.yaml", &sync),
        ("clusters/live/more/infra.yaml", &infra),
        ("infra/live/gateway.yaml", &live),
        ("infra/test/gateway.yaml", &test),
    ];
    check(&files, &[("apps/route.yaml", "live.example.com")]);
    // Without it, the two objects are in different folders.
    let found = run(&[files[0], files[1], files[3], files[4], files[5]], TARGET);
    found.check_findings(Severity::Held, &["apps/route.yaml held-back invalid-in-target spec.parentRefs[0]"]);
}

#[test]
fn folders_of_argo_cd_applications_belong_together() {
    let (live, test) = (gateway("live.example.com"), gateway("test.example.com"));
    let application = |paths: &[&str]| {
        let sources: Vec<_> = paths.iter().map(|path| format!("{{path: {path}}}")).collect();
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec: {{sources: [{}]}}\n",
            sources.join(", ")
        )
    };
    let (one, two) = (application(&["apps/live", "infra/live"]), application(&["apps/test", "infra/test"]));
    let files = [
        ("apps/live/route.yaml", ROUTE),
        ("apps/test/route.yaml", ROUTE),
        ("argo/live/shop.yaml", one.as_str()),
        ("argo/test/shop.yaml", &two),
        ("infra/live/gateway.yaml", &live),
        ("infra/test/gateway.yaml", &test),
    ];
    check(&files, &[("apps/live/route.yaml", "live.example.com"), ("apps/test/route.yaml", "test.example.com")]);
}

#[test]
fn templates_of_a_chart_belong_together() {
    let (own, other) = (gateway("own.example.com"), gateway("other.example.com"));
    let files = [
        ("charts/blog/templates/gateway.yaml", other.as_str()),
        ("charts/shop/templates/gateways/edge.yaml", &own),
        ("charts/shop/templates/routes/mail.yaml", ROUTE),
    ];
    check(&files, &[("charts/shop/templates/routes/mail.yaml", "own.example.com")]);
}

#[test]
fn a_namespace_counts_before_distance() {
    let in_namespace =
        |host: &str, name: &str| gateway(host).replace("{name: edge}", &format!("{{name: edge, namespace: {name}}}"));
    let (blog, shop) = (in_namespace("blog.example.com", "blog"), in_namespace("shop.example.com", "shop"));
    let route = ROUTE.replace("[{name: edge}]", "[{name: edge, namespace: shop}]");
    let files = [("app/gateway.yaml", blog.as_str()), ("app/route.yaml", &route), ("infra/gateway.yaml", &shop)];
    check(&files, &[("app/route.yaml", "shop.example.com")]);
    // A nearer one without a namespace may be it.
    let open = gateway("open.example.com");
    check_open(
        &[("app/gateway.yaml", &open), files[1], files[2]],
        "app/route.yaml",
        &["Gateway edge (infra/gateway.yaml:1), Gateway edge (app/gateway.yaml:1)"],
    );
    // A farther one without a namespace is not.
    check(
        &[("app/gateway.yaml", &shop), files[1], ("infra/gateway.yaml", &open)],
        &[("app/route.yaml", "shop.example.com")],
    );
    // All of which the namespace is not known are listed.
    check_open(
        &[files[1], ("infra/a.yaml", &open), ("infra/b.yaml", &open)],
        "app/route.yaml",
        &[
            "the namespace of Gateway edge (infra/a.yaml:1) is unknown",
            "the namespace of Gateway edge (infra/b.yaml:1) is unknown",
        ],
    );
}

const SELECTING: &str = "apiVersion: networking.x-k8s.io/v1alpha1
kind: Gateway
metadata:
  name: edge
spec:
  gatewayClassName: lb
  listeners:
  - protocol: HTTP
    port: 80
    routes:
      kind: HTTPRoute
      selector: {matchLabels: {tier: web}}
";

const SELECTED: &str = "apiVersion: networking.x-k8s.io/v1alpha1
kind: HTTPRoute
metadata:
  name: cart
  labels: {tier: web}
spec:
  rules:
  - forwardTo: [{serviceName: cart, port: 80}]
";

#[test]
fn a_route_belongs_to_the_nearest_gateways_that_select_it() {
    let public = SELECTING.replace("name: edge", "name: public");
    let files = [
        ("one/gateway.yaml", SELECTING),
        ("one/route.yaml", SELECTED),
        ("two/gateway.yaml", public.as_str()),
        ("two/route.yaml", SELECTED),
    ];
    let found = run(&files, "0.4");
    found.check_findings(Severity::Warning, &[]);
    assert!(
        found.after["one/route.yaml"].contains("- name: edge\n") && !found.after["one/route.yaml"].contains("public")
    );
    assert!(
        found.after["two/route.yaml"].contains("- name: public\n") && !found.after["two/route.yaml"].contains("edge")
    );
    // The other one is told, because both may be applied to one cluster.
    found.check_message(
        "if they are applied to the same cluster, it is also selected by Gateway public (two/gateway.yaml:1)",
    );
    // Two of one name cannot be.
    let found = run(&[files[0], files[1], ("two/gateway.yaml", SELECTING), files[3]], "0.4");
    found.check_findings(Severity::Warning, &[]);
    assert!(!found.messages.contains("same cluster"), "{}", found.messages);
    // A route without a Gateway near it belongs to all that select it.
    let found =
        run(&[("apps/route.yaml", SELECTED), ("infra/one.yaml", SELECTING), ("infra/two.yaml", &public)], "0.4");
    found.check_findings(Severity::Warning, &[]);
    assert!(
        found.after["apps/route.yaml"].contains("- name: edge\n")
            && found.after["apps/route.yaml"].contains("- name: public\n")
    );
}

#[test]
fn a_route_that_overlays_give_different_gateways_is_held_back() {
    let public = SELECTING.replace("name: edge", "name: public");
    let files = |test| {
        [
            ("base/kustomization.yaml", "resources: [route.yaml]\n"),
            ("base/route.yaml", SELECTED),
            ("live/gateway.yaml", SELECTING),
            ("live/kustomization.yaml", "resources: [../base, gateway.yaml]\n"),
            ("test/gateway.yaml", test),
            ("test/kustomization.yaml", "resources: [../base, gateway.yaml]\n"),
        ]
    };
    let found = run(&files(&public), "0.4");
    found.check_message(
        "it is selected by different Gateway objects in different builds: Gateway edge (live/gateway.yaml:1), Gateway public (test/gateway.yaml:1)",
    );
    assert!(found.after.is_empty(), "{:?}", found.after);
    let found = run(&files(SELECTING), "0.4");
    found.check_findings(Severity::Warning, &[]);
    assert!(found.after["base/route.yaml"].contains("parentRefs:\n  - name: edge\n"), "{:?}", found.after);
}

#[test]
fn an_object_that_is_held_back_holds_back_its_own_partners_alone() {
    // What the Gateway's namespace is in one tenant does not concern the other.
    let in_shop = SELECTED.replace("name: cart\n", "name: cart\n  namespace: shop\n");
    let files = [
        ("one/gateway.yaml", SELECTING),
        ("one/route.yaml", SELECTED),
        ("two/gateway.yaml", SELECTING),
        ("two/route.yaml", in_shop.as_str()),
    ];
    let found = run(&files, "0.4");
    found.check_findings(
        Severity::Held,
        &["two/gateway.yaml held-back converts-together -", "two/route.yaml held-back not-convertible -"],
    );
    found.check_message("the files do not show whether Gateway edge (two/gateway.yaml:1) selects the object");
    assert_eq!(found.after.keys().collect::<Vec<_>>(), ["one/gateway.yaml", "one/route.yaml"]);
}

#[test]
fn a_list_of_gateways_names_each_of_them() {
    let in_namespace = |name: &str| {
        let named = SELECTING.replace("name: edge\n", &format!("name: edge\n  namespace: {name}\n"));
        named.replace("kind: HTTPRoute\n", "kind: HTTPRoute\n      namespaces: {from: All}\n")
    };
    let (shop, infra) = (in_namespace("shop"), in_namespace("infra"));
    let list = "gateways:\n    allow: FromList\n    gatewayRefs:\n    - {name: edge, namespace: shop}\n    - {name: edge, namespace: infra}\n  ";
    let route = SELECTED
        .replace("  rules:", &format!("  {list}rules:"))
        .replace("name: cart\n", "name: cart\n  namespace: shop\n");
    let found =
        run(&[("infra/gateway.yaml", &infra), ("shop/gateway.yaml", &shop), ("shop/route.yaml", &route)], "0.4");
    found.check_findings(Severity::Warning, &[]);
    assert!(found.after["shop/route.yaml"].contains("namespace: infra"), "{}", found.after["shop/route.yaml"]);
    assert_eq!(found.after["shop/route.yaml"].matches("name: edge").count(), 2);
}

#[test]
fn a_reference_follows_the_nearest_object_of_a_renamed_kind() {
    let route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: r, namespace: a}\nspec:\n  \
                 parentRefs: [{name: web, kind: XListenerSet, group: gateway.networking.x-k8s.io}]\n";
    // One of the sets is held back: the renamed set would have the name of another object of its folder.
    let (set, taken) =
        (listener_set("web", 80), listener_set("web", 80).replace("x-k8s.io/v1alpha1\nkind: X", "k8s.io/v1\nkind: "));
    let files = [
        ("one/route.yaml", route),
        ("one/set.yaml", set.as_str()),
        ("two/route.yaml", route),
        ("two/set.yaml", set.as_str()),
        ("two/taken.yaml", taken.as_str()),
    ];
    let found = run(&files, "1.5/experimental");
    found.check_findings(
        Severity::Warning,
        &[
            "two/route.yaml unresolved reference-not-updated spec.parentRefs[0]",
            "two/set.yaml held-back name-conflict metadata.name",
        ],
    );
    assert!(found.after["one/route.yaml"].contains("kind: ListenerSet"), "{:?}", found.after);
    assert_eq!(found.after.keys().collect::<Vec<_>>(), ["one/route.yaml", "one/set.yaml"]);
}

#[test]
fn a_proxy_belongs_to_the_class_beside_it() {
    let (a, b) = (class("one", "a"), class("two", "b"));
    let files = [
        ("a/class.yaml", a.as_str()),
        ("a/proxy.yaml", OLD_PROXY),
        ("b/class.yaml", b.as_str()),
        ("b/proxy.yaml", OLD_PROXY),
    ];
    let found = run(&files, "ngf@2.0.0");
    found.check_findings(Severity::Held, &[]);
    assert!(found.after["a/proxy.yaml"].contains("  namespace: a\n"), "{:?}", found.after);
    assert!(found.after["b/proxy.yaml"].contains("  namespace: b\n"), "{:?}", found.after);
    // One proxy for both classes has no one namespace.
    let found = run(&[files[0], files[2], ("shared/proxy.yaml", OLD_PROXY)], "ngf@2.0.0");
    found.check_findings(Severity::Held, &["shared/proxy.yaml held-back not-convertible metadata"]);
    found.check_message("GatewayClass one (a/class.yaml:1) has a, GatewayClass two (b/class.yaml:1) has b");
}

/// A name such as `n`, which Kubernetes reads as a boolean and Kustomize as a text, is a name: a patch finds its object by it, and
/// nothing else.
#[test]
fn words_for_booleans_are_names() {
    let route = |name: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {{name: {name}}}\nspec: {{a: b}}\n"
        )
    };
    let routes = [route("n"), route("y")].join("---\n");
    let patch = route("no").replace("{a: b}", "{rules: []}");
    let kustomization =
        format!("resources: [routes.yaml]\npatches:\n- patch: |\n    {}", patch.replace('\n', "\n    "));
    let found = run(&[("routes.yaml", &routes), ("kustomization.yaml", &kustomization)], TARGET);
    assert!(
        found.after.contains_key("routes.yaml") && !found.after.contains_key("kustomization.yaml"),
        "{:?}",
        found.reported
    );
    found.check_message("HTTPRoute no");
}

/// Checks what holds back the objects of `files`: the lines of the findings.
#[track_caller]
fn check_held(files: &[(&str, &str)], target: &str, expected: &[&str]) {
    let found = run(files, target);
    found.check_findings(Severity::Held, expected);
    if !expected.is_empty() {
        found.check_message("Kustomize does not build a patch that finds several objects");
        assert_eq!(found.after, std::collections::BTreeMap::new());
    }
}

#[test]
fn a_patch_that_finds_one_object_by_its_version_would_find_two() {
    let route = |version: &str, rest: &str| {
        format!("apiVersion: gateway.networking.k8s.io/{version}\nkind: HTTPRoute\nmetadata: {{name: r}}\n{rest}")
    };
    let spec = "spec:\n  parentRefs: [{name: g}]\n  rules: [{backendRefs: [{name: a, port: 80}]}]\n";
    let (old, new) = (route("v1beta1", spec), route("v1", spec));
    for (list, patch_version) in [("patches: [{path: p.yaml}]", "v1"), ("patchesStrategicMerge: [p.yaml]", "v1beta1")] {
        let patch = route(patch_version, "spec: {hostnames: [x.com]}\n");
        let top = format!("resources: [../a, ../b]\n{list}\n");
        let files = [
            ("a/a.yaml", &*old),
            ("a/kustomization.yaml", "resources: [a.yaml]\nnamePrefix: a-\n"),
            ("b/b.yaml", &new),
            ("b/kustomization.yaml", "resources: [b.yaml]\nnamePrefix: b-\n"),
            ("top/kustomization.yaml", &top),
            ("top/p.yaml", &patch),
        ];
        let held: &[&str] = match patch_version {
            "v1" => &["a/a.yaml held-back patch-target -"],
            _ => &["a/a.yaml held-back converts-together -", "top/p.yaml held-back patch-target -"],
        };
        check_held(&files, TARGET, held);
        // Kustomize builds the two in different folders, each with a patch of its own.
        let apart = [
            files[0],
            files[1],
            ("b/b.yaml", &*new),
            ("b/kustomization.yaml", "resources: [b.yaml]\npatches: [{path: p.yaml}]\n"),
            ("b/p.yaml", &*patch),
        ];
        if patch_version == "v1" {
            let found = run(&apart, TARGET);
            found.check_findings(Severity::Held, &[]);
            assert_eq!(found.after.len(), 1);
        }
    }
}

#[test]
fn a_patch_finds_objects_of_its_own_namespace_only() {
    let budget = |version: &str, namespace: &str, rest: &str| {
        format!("apiVersion: policy/{version}\nkind: PodDisruptionBudget\nmetadata: {{name: r{namespace}}}\n{rest}")
    };
    let spec = "spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}\n";
    let patch = budget("v1", "", "spec: {minAvailable: 2}\n");
    let (old, new) = (budget("v1beta1", ", namespace: one", spec), budget("v1", "", spec));
    let top = "resources: [a.yaml, b.yaml]\npatches: [{path: p.yaml}]\n";
    let files = [("a.yaml", &*old), ("b.yaml", &*new), ("kustomization.yaml", top), ("p.yaml", &*patch)];
    check_held(&files, "kubernetes@1.33", &[]);
}

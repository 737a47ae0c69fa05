//! Versions that name objects follow these, wherever they are written, and nothing that follows is reported as left.

use crate::support::trees::{Run, Tree};

const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: shop, namespace: home}\nspec:\n  interval: 30m\n  chart: {spec: {chart: a, sourceRef: {kind: HelmRepository, name: b}}}\n";

const KUSTOMIZATION: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shop, namespace: flux-system}
spec:
  interval: 30m
  prune: true
  path: ./app
  sourceRef: {kind: GitRepository, name: flux-system}
  healthChecks:
    - {apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, name: shop, namespace: home}
";

const PATCHES: &str = "\
resources: [shop.yaml]
patches:
  - target: {kind: Kustomization, name: shop}
    patch: |-
      - op: replace
        path: /spec/healthChecks/0/apiVersion
        value: helm.toolkit.fluxcd.io/v2
";

fn apply(tree: &Tree, to: &str) -> Run {
    tree.run(&["apply", "--yes", "--allow-no-vcs", "-v", "--to", to])
}

#[test]
fn what_a_json_patch_writes_into_a_reference_follows_the_object_that_it_names() {
    let tree =
        Tree::of(&[("app/release.yaml", RELEASE), ("shop.yaml", KUSTOMIZATION), ("kustomization.yaml", PATCHES)]);
    apply(&tree, "flux@2.2").check(0);
    let older = |text: &str| text.replace("helm.toolkit.fluxcd.io/v2", "helm.toolkit.fluxcd.io/v2beta2");
    for (file, text) in [("app/release.yaml", RELEASE), ("shop.yaml", KUSTOMIZATION), ("kustomization.yaml", PATCHES)] {
        assert_eq!(tree.text(file), older(text));
    }
    apply(&tree, "flux@latest").check(0);
    assert_eq!(tree.text("kustomization.yaml"), PATCHES);
}

#[test]
fn a_version_of_an_object_outside_the_run_becomes_what_objects_get() {
    let files = [("shop.yaml", KUSTOMIZATION), ("kustomization.yaml", PATCHES)];
    let tree = Tree::of(&files);
    let check = |version: &str, run: &Run| {
        for (file, text) in files {
            assert_eq!(tree.text(file), text.replace("helm.toolkit.fluxcd.io/v2", version), "{}", run.all());
        }
        assert!(!run.all().contains("reference-not-updated"), "{}", run.all());
        run.check(0);
    };
    check("helm.toolkit.fluxcd.io/v2beta2", &apply(&tree, "flux@2.2"));
    // It is served, but deprecated.
    check("helm.toolkit.fluxcd.io/v2", &apply(&tree, "flux@2.6"));
}

#[test]
fn a_version_that_no_release_has_is_reported() {
    let files = [("shop.yaml", KUSTOMIZATION), ("kustomization.yaml", PATCHES)];
    let files =
        files.map(|(file, text)| (file, text.replace("helm.toolkit.fluxcd.io/v2", "helm.toolkit.fluxcd.io/v7")));
    let tree = Tree::of(&files.each_ref().map(|(file, text)| (*file, text.as_str())));
    let run = apply(&tree, "flux@2.6");
    assert_eq!(tree.text("shop.yaml"), files[0].1);
    let at = |file: &str| run.all().lines().any(|line| line.contains(file) && line.contains("reference-not-updated"));
    assert!(at("kustomization.yaml:7:") && at("shop.yaml:10:"), "{}", run.all());
    assert!(run.all().contains("since no release has that version"), "{}", run.all());
}

const AUTOSCALER: &str = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n";

/// A Deployment whose defaults are written, so that only its apiVersion changes.
fn deployment(version: &str) -> String {
    format!(
        "apiVersion: {version}\nkind: Deployment\nmetadata: {{name: web}}\nspec: {{replicas: 1, progressDeadlineSeconds: 9, revisionHistoryLimit: 9, strategy: {{type: Recreate}}, selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: a, image: b}}]}}}}}}\n"
    )
}

#[test]
fn a_reference_follows_its_object_by_whichever_old_group_it_names_it() {
    let groups = ["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2", "apps/v1"];
    for (named, written) in groups.iter().flat_map(|named| groups.map(|written| (named, written))) {
        let autoscaler = AUTOSCALER.replace("apps/v1", named);
        for deployment in [Some(deployment(written)), None] {
            let mut files = vec![("hpa.yaml", autoscaler.as_str())];
            files.extend(deployment.as_deref().map(|text| ("web.yaml", text)));
            let tree = Tree::of(&files);
            let run = apply(&tree, "kubernetes@1.25");
            assert_eq!(tree.text("hpa.yaml"), AUTOSCALER, "{named} {written}: {}", run.all());
            assert!(!run.all().contains("reference-not-updated"), "{named} {written}: {}", run.all());
        }
    }
}

#[test]
fn a_deprecated_version_follows_the_object_that_gets_another_one() {
    let receiver = |version: &str| {
        format!(
            "apiVersion: notification.toolkit.fluxcd.io/v1\nkind: Receiver\nmetadata: {{name: a}}\nspec:\n  type: generic\n  secretRef: {{name: s}}\n  resources: [{{apiVersion: source.toolkit.fluxcd.io/{version}, kind: GitRepository, name: x}}]\n"
        )
    };
    let source = |version: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/{version}\nkind: GitRepository\nmetadata: {{name: x}}\nspec: {{interval: 5m, url: 'https://example.com'}}\n"
        )
    };
    let tree = Tree::of(&[("receiver.yaml", &receiver("v1beta2")), ("source.yaml", &source("v1beta2"))]);
    apply(&tree, "flux@2.3").check(0);
    assert_eq!((tree.text("receiver.yaml"), tree.text("source.yaml")), (receiver("v1"), source("v1")));
}

#[test]
fn a_name_reference_of_kustomize_that_follows_is_not_reported_as_left() {
    let source = "apiVersion: source.toolkit.fluxcd.io/v1beta1\nkind: HelmRepository\nmetadata: {name: b}\nspec: {interval: 1h, url: 'https://charts.example.com'}\n";
    let names = "nameReference:\n- kind: HelmRepository\n  version: v1beta1\n  group: source.toolkit.fluxcd.io\n  fieldSpecs:\n  - kind: HelmRelease\n    path: spec/chart/spec/sourceRef/name\n";
    let kustomization = "resources: [source.yaml]\nconfigurations: [names.yaml]\n";
    let tree = Tree::of(&[("source.yaml", source), ("names.yaml", names), ("kustomization.yaml", kustomization)]);
    let run = apply(&tree, "flux@latest");
    assert_eq!(tree.text("names.yaml"), names.replace("v1beta1", "v1"), "{}", run.all());
    assert!(!run.all().contains("is not updated"), "{}", run.all());
    run.check(0);
}

#[test]
fn a_version_is_one_that_the_kind_itself_has() {
    let pool = |version: &str| {
        format!(
            "apiVersion: a.example/v1\nkind: Pool\nmetadata: {{name: a}}\nspec:\n  nodeClassRef: {{apiVersion: \
             karpenter.k8s.aws/{version}, kind: EC2NodeClass, name: b}}\n"
        )
    };
    let tree = Tree::of(&[("a.yaml", &pool("v1"))]);
    // The release has an AWSNodeTemplate too, in v1alpha1 of the same group.
    apply(&tree, "karpenter@0.32.2").check(0);
    assert_eq!(tree.text("a.yaml"), pool("v1beta1"));
}

const MESH_POLICY: &str = "apiVersion: authentication.istio.io/v1alpha1\nkind: MeshPolicy\nmetadata: {name: default}\nspec: {peers: [{mtls: {}}]}\n";
const NAMESPACED: &str = "its conversion writes its namespace, and a kustomization gives it another one";
const NAMED: &str = "its conversion depends on its name, to which a kustomization adds a prefix or suffix";

/// Converts the MeshPolicy in `file` of a tree; it is held back for the reason `held`.
fn check_mesh_policy(tree: &Tree, file: &str, held: Option<&str>) {
    let converted = "apiVersion: security.istio.io/v1beta1\nkind: PeerAuthentication\nmetadata: {name: default, namespace: istio-system}\nspec: {mtls: {mode: STRICT}}\n";
    let to = ["--to", "istio@1.6.0", "--set", "istio.root-namespace=istio-system"];
    let run = tree.run(&[&["apply", "--yes", "--allow-no-vcs"][..], &to].concat());
    assert_eq!(tree.text(file), if held.is_some() { MESH_POLICY } else { converted }, "{}", run.all());
    assert!(held.is_none_or(|message| run.all().contains(message)), "{}", run.all());
}

/// A MeshPolicy of the mesh, which gets a namespace that kustomizations replace or a name that they change.
#[test]
fn a_conversion_that_depends_on_a_name_or_namespace_that_is_built_is_held_back() {
    for (field, held) in [
        ("", None),
        ("namespace: istio-system\n", None),
        ("namespace: prod\n", Some(NAMESPACED)),
        ("namePrefix: x-\n", Some(NAMED)),
    ] {
        let kustomization = format!("{field}resources: [a.yaml]\n");
        let tree = Tree::of(&[("a.yaml", MESH_POLICY), ("kustomization.yaml", &kustomization)]);
        check_mesh_policy(&tree, "a.yaml", held);
    }
}

/// The same where the controller that applies the folder gives them, with a kustomization in it and without.
#[test]
fn a_name_or_namespace_that_a_controller_gives_is_that_of_a_kustomization_around_the_folder() {
    let flux = |field: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: mesh, namespace: flux-system}}\n\
             spec: {{path: ./live/mesh, {field}prune: true, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
        )
    };
    let argo = |field: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: mesh}}\n\
             spec: {{source: {{repoURL: 'https://git.example.com/me/mesh', path: live/mesh, kustomize: {{{field}}}}}}}\n"
        )
    };
    for (applied, held) in [
        (flux(""), None),
        (flux("targetNamespace: istio-system, "), None),
        (flux("targetNamespace: prod, "), Some(NAMESPACED)),
        (flux("namePrefix: x-, "), Some(NAMED)),
        (flux("nameSuffix: -x, "), Some(NAMED)),
        (flux("targetNamespace: prod, ").replace("live/mesh", "live/others"), None),
        (argo("namespace: istio-system"), None),
        (argo("namespace: prod"), Some(NAMESPACED)),
        (argo("nameSuffix: '-{{cluster}}'"), Some(NAMED)),
    ] {
        let with = [("live/mesh/a.yaml", MESH_POLICY), ("clusters/mesh.yaml", &applied)];
        check_mesh_policy(&Tree::of(&with), with[0].0, held);
        let kustomization = ("live/mesh/kustomization.yaml", "resources: [a.yaml]\n");
        check_mesh_policy(&Tree::of(&[&with[..], &[kustomization]].concat()), with[0].0, held);
        // What another kustomization takes in of the folder.
        let outer = ("live/kustomization.yaml", "resources: [mesh]\n");
        check_mesh_policy(&Tree::of(&[&with[..], &[kustomization, outer]].concat()), with[0].0, held);
    }
}

/// A Policy becomes one for the whole mesh where Flux puts it into the root namespace, whatever namespace is written in it.
#[test]
fn a_namespace_that_a_controller_gives_is_the_one_that_rules_see() {
    let policy = "apiVersion: authentication.istio.io/v1alpha1\nkind: Policy\nmetadata: {name: default, namespace: foo}\nspec: {peers: [{mtls: {}}]}\n";
    for (namespace, is_converted) in [("bar", true), ("istio-system", false)] {
        let flux = format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: mesh, namespace: flux-system}}\n\
             spec: {{path: ./mesh, targetNamespace: {namespace}, prune: true, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
        );
        let tree = Tree::of(&[("mesh/a.yaml", policy), ("clusters/mesh.yaml", &flux)]);
        let to = ["--to", "istio@1.6.0", "--set", "istio.root-namespace=istio-system"];
        let run = tree.run(&[&["apply", "--yes", "--allow-no-vcs"][..], &to].concat());
        assert_eq!(tree.text("mesh/a.yaml") != policy, is_converted, "{}", run.all());
        run.check(i32::from(!is_converted));
    }
}

/// An object that a chart has created is converted, and is no reference of what holds its values.
#[test]
fn an_object_in_values_is_no_mention_of_its_kind() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: app}\nspec:\n  values:\n    extraObjects:\n    - apiVersion: traefik.containo.us/v1alpha1\n      kind: Middleware\n      metadata: {name: strip}\n      spec: {stripPrefix: {prefixes: [/a]}}\n";
    let tree = Tree::of(&[("a.yaml", release)]);
    let run = apply(&tree, "traefik@3.3");
    assert_eq!(tree.text("a.yaml"), release.replace("traefik.containo.us", "traefik.io"), "{}", run.all());
    assert!(!run.all().contains("reference-not-updated"), "{}", run.all());
    run.check(0);
}

/// What a patch or a replacement writes into the namespace counts where the conversion depends on it, as `namespace` of a kustomization
/// does: a PeerAuthentication of the root namespace applies to the mesh, a Policy to its namespace.
#[test]
fn a_namespace_that_is_built_counts_as_one_that_is_written() {
    let policy = "apiVersion: authentication.istio.io/v1alpha1\nkind: Policy\nmetadata: {name: default, namespace: shop}\nspec: {peers: [{mtls: {mode: PERMISSIVE}}]}\n";
    let patch = |namespace: &str| {
        format!(
            "patches:\n- target: {{kind: Policy}}\n  patch: '[{{op: replace, path: /metadata/namespace, value: {namespace}}}]'\n"
        )
    };
    let replacement = |namespace: &str| {
        format!(
            "configMapGenerator: [{{name: x, literals: [ns={namespace}]}}]\nreplacements:\n- source: {{kind: ConfigMap, name: x, fieldPath: data.ns}}\n  targets: [{{select: {{kind: Policy}}, fieldPaths: [metadata.namespace]}}]\n"
        )
    };
    let transformer = |namespace: &str| {
        format!(
            "transformers:\n- |\n  apiVersion: builtin\n  kind: NamespaceTransformer\n  metadata: {{name: n, namespace: {namespace}}}\n  fieldSpecs: [{{path: metadata/namespace, create: true}}]\n"
        )
    };
    for (built, is_converted) in [
        (transformer("istio-system"), false),
        (transformer("cart"), true),
        (patch("istio-system"), false),
        (patch("cart"), true),
        (replacement("istio-system"), false),
        // What a generator makes is not read, so that any namespace counts.
        (replacement("cart"), false),
        ("namespace: istio-system\n".to_owned(), false),
    ] {
        let tree = Tree::of(&[("p.yaml", policy), ("kustomization.yaml", &format!("resources: [p.yaml]\n{built}"))]);
        let to = ["--to", "istio@1.6.0", "--set", "istio.root-namespace=istio-system"];
        let run = tree.run(&[&["apply", "--yes", "--allow-no-vcs"][..], &to].concat());
        assert_eq!(tree.text("p.yaml") != policy, is_converted, "{built}: {}", run.all());
        assert_eq!(run.all().contains("applies to its namespace"), !is_converted, "{built}: {}", run.all());
    }
}

/// A replacement comes behind the namespace that its kustomization gives.
#[test]
fn a_namespace_that_is_written_after_one_is_given_counts() {
    let policy = "apiVersion: authentication.istio.io/v1alpha1\nkind: Policy\nmetadata: {name: default, namespace: shop}\nspec: {peers: [{mtls: {mode: PERMISSIVE}}]}\n";
    // Which of two is the last one is not followed.
    for (given, written, is_converted) in [
        ("shop", "istio-system", false),
        ("istio-system", "shop", false),
        ("cart", "office", false),
        ("cart", "cart", true),
    ] {
        let build = format!(
            "namespace: {given}\nresources: [p.yaml, c.yaml]\nreplacements:\n- source: {{kind: ConfigMap, name: c, fieldPath: data.ns}}\n  targets: [{{select: {{name: default}}, fieldPaths: [metadata.namespace]}}]\n"
        );
        let config = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{ns: {written}}}\n");
        let tree = Tree::of(&[("p.yaml", policy), ("c.yaml", &config), ("kustomization.yaml", &build)]);
        let to = ["--to", "istio@1.6.0", "--set", "istio.root-namespace=istio-system"];
        let run = tree.run(&[&["apply", "--yes", "--allow-no-vcs"][..], &to].concat());
        assert_eq!(tree.text("p.yaml") != policy, is_converted, "{given}, {written}: {}", run.all());
    }
}

/// Two Gateways of different projects, of these versions, of which the first one is Istio's.
fn gateways(istio: &str, other: &str) -> [(&'static str, String); 2] {
    [
        (
            "a.yaml",
            format!(
                "apiVersion: networking.istio.io/{istio}\nkind: Gateway\nmetadata: {{name: a}}\nspec: {{selector: {{a: b}}, servers: []}}\n"
            ),
        ),
        (
            "b.yaml",
            format!(
                "apiVersion: gateway.networking.k8s.io/{other}\nkind: Gateway\nmetadata: {{name: b}}\nspec: {{gatewayClassName: c, listeners: []}}\n"
            ),
        ),
    ]
}

/// Converts a kustomization with `lines`, over the files, and returns it afterwards; the exit code is `code`.
fn converted_kustomization(files: &[(&str, String)], lines: &str, target: &str, code: i32) -> String {
    let resources: Vec<&str> = files.iter().map(|(file, _)| *file).collect();
    let text = format!("resources: [{}]\n{lines}\n", resources.join(", "));
    let mut all: Vec<(&str, &str)> = files.iter().map(|(file, text)| (*file, &**text)).collect();
    all.push(("kustomization.yaml", &text));
    let tree = Tree::of(&all);
    apply(&tree, target).check(code);
    tree.text("kustomization.yaml").split_once('\n').unwrap().1.trim_end().to_owned()
}

/// The files, what a target is before, and what it becomes.
type Case<'c> = (&'c [(&'c str, String)], &'c str, String);

#[test]
fn a_selector_of_kustomize_selects_no_object_of_another_group_afterwards() {
    let patch = |target: &str| format!("patches: [{{path: p.json, target: {{{target}}}}}]");
    let service = ("c.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: c}\nspec: {ports: []}\n".to_owned());
    let [one, other] = gateways("v1alpha3", "v1");
    let in_one = [("a.yaml", format!("{}---\n{}", one.1, other.1))];
    let both = [one.clone(), other];
    let alone = [one.clone()];
    let with_service = [one, service];
    let old = "kind: Gateway, version: v1alpha3";
    let group = "group: networking.istio.io";
    let cases: [Case<'_>; 6] = [
        (&both, old, format!("{group}, kind: Gateway, version: v1")),
        (&in_one, old, format!("{group}, kind: Gateway, version: v1")),
        (&with_service, "version: v1alpha3", format!("{group}, version: v1")),
        (&both, "kind: Gateway, version: v1alpha3, name: a", "kind: Gateway, version: v1, name: a".to_owned()),
        (&with_service, old, "kind: Gateway, version: v1".to_owned()),
        (&alone, "version: v1alpha3", "version: v1".to_owned()),
    ];
    for (files, before, after) in cases {
        assert_eq!(converted_kustomization(files, &patch(before), "istio@1.30.3", 0), patch(&after), "{before}");
    }
    let generated = |target: &str| format!("configMapGenerator: [{{name: c, literals: [x=y]}}]\n{}", patch(target));
    let after = converted_kustomization(&alone, &generated("version: v1alpha3"), "istio@1.30.3", 0);
    assert_eq!(after, generated(&format!("{group}, version: v1")));
}

#[test]
fn a_selector_that_objects_of_another_group_need_holds_back_what_it_selects_besides() {
    let patch = |target: &str| format!("patches: [{{path: p.json, target: {{{target}}}}}]");
    for (versions, before, target) in [
        (["v1beta1", "v1beta1"], "kind: Gateway, version: v1beta1", "istio@1.30.3"),
        (["v1beta1", "v1beta1"], "version: v1beta1", "istio@1.30.3"),
        (["v1", "v1"], "kind: Gateway, version: v1", "istio@1.21.0"),
    ] {
        let files = gateways(versions[0], versions[1]);
        assert_eq!(converted_kustomization(&files, &patch(before), target, 1), patch(before), "{before}");
    }
    let old = "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: a}\nspec: {providerRef: {name: a}, requirements: []}\n";
    let other = "apiVersion: provisioning.example.io/v1\nkind: Provisioner\nmetadata: {name: b}\nspec: {}\n";
    let select = "replacements:\n- source: {kind: ConfigMap, name: c, fieldPath: data.x}\n  targets:\n  - select: {kind: Provisioner}\n    fieldPaths: [metadata.labels.a]";
    let files = [("a.yaml", old.to_owned()), ("b.yaml", other.to_owned())];
    assert_eq!(converted_kustomization(&files, select, "karpenter@v1.14.1", 1), select);
}

/// What cannot be read can have any object. A group says that none of it is selected.
#[test]
fn a_selector_without_a_group_is_kept_where_a_file_cannot_be_read() {
    let patch = |target: &str| format!("patches: [{{path: p.json, target: {{{target}}}}}]");
    let [one, _] = gateways("v1alpha3", "v1");
    let broken = "apiVersion: example.com/v1\nkind: Gateway\nmetadata: {name: b\nspec: {}\n";
    for unread in ["a: [\n", broken] {
        let files = [one.clone(), ("c.yaml", unread.to_owned())];
        for (before, after, code) in [
            ("kind: Gateway, version: v1alpha3", "kind: Gateway, version: v1alpha3", 1),
            (
                "group: networking.istio.io, kind: Gateway, version: v1alpha3",
                "group: networking.istio.io, kind: Gateway, version: v1",
                0,
            ),
            ("kind: Gateway", "kind: Gateway", 0),
        ] {
            assert_eq!(
                converted_kustomization(&files, &patch(before), "istio@1.30.3", code),
                patch(after),
                "{unread}: {before}"
            );
        }
    }
}

#[test]
fn what_controllers_and_configurations_select_is_of_the_group_of_what_it_was() {
    let [one, other] = gateways("v1alpha3", "v1");
    let names = |version: &str, group: &str| {
        format!(
            "nameReference:\n- {group}kind: Gateway\n  version: {version}\n  fieldSpecs:\n  - {{path: spec/gateways, kind: VirtualService, version: {version}}}\n"
        )
    };
    let flux = |target: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: x, namespace: flux-system}}\nspec:\n  path: ./app\n  prune: true\n  interval: 1h\n  \
             sourceRef: {{kind: GitRepository, name: flux-system}}\n  patches:\n  - target: {{{target}}}\n    patch: |\n      - {{op: add, path: /metadata/labels, value: {{a: b}}}}\n"
        )
    };
    let route = "apiVersion: networking.istio.io/v1alpha3\nkind: VirtualService\nmetadata: {name: a}\nspec: {hosts: [a], gateways: [a, b]}\n";
    let (old_names, old_flux) = (names("v1alpha3", ""), flux("kind: Gateway, version: v1alpha3"));
    let tree = Tree::of(&[
        ("app/a.yaml", &one.1),
        ("app/b.yaml", &other.1),
        ("app/names.yaml", &old_names),
        ("app/route.yaml", route),
        (
            "app/kustomization.yaml",
            "namePrefix: p-\nresources: [a.yaml, b.yaml, route.yaml]\nconfigurations: [names.yaml]\n",
        ),
        ("flux.yaml", &old_flux),
    ]);
    apply(&tree, "istio@1.30.3").check(0);
    assert_eq!(tree.text("app/names.yaml"), names("v1", "group: networking.istio.io\n  "));
    assert_eq!(tree.text("flux.yaml"), flux("group: networking.istio.io, kind: Gateway, version: v1"));
}

#[test]
fn a_rule_in_a_language_that_was_left_is_marked_only_where_it_can_come_from_before() {
    let route = |syntax: &str| {
        format!(
            "apiVersion: traefik.io/v1alpha1\nkind: IngressRoute\nmetadata: {{name: b}}\nspec:\n  routes:\n  - kind: Rule\n    match: HostRegexp(`{{sub:[a-z]+}}.a.com`)\n{syntax}    \
             services: [{{name: x, port: 80}}]\n"
        )
    };
    let (open, marked) = (route(""), route("    syntax: v2\n"));
    let check = |from: &[&str], files: &[(&str, &str)], expected: &str| {
        let mut all = vec![("a.yaml", &*open)];
        all.extend(files);
        let tree = Tree::of(&all);
        let run = tree.run(&[&["apply", "--yes", "--allow-no-vcs", "--to", "traefik@v3.7.9"], from].concat());
        run.check(0);
        assert_eq!(tree.text("a.yaml"), expected, "{}", run.all());
        run
    };
    check(&[], &[], &marked);
    check(&["--from", "traefik@v2.11.0"], &[], &marked);
    let image = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: t}\nspec: {template: {spec: {containers: [{name: t, image: 'traefik:v3.1.0'}]}}}\n";
    for run in [check(&["--from", "traefik@v3.1.0"], &[], &open), check(&[], &[("t.yaml", image)], &open)] {
        assert!(run.all().contains("the object comes from v3.0.0 or after, so this is left as it is"), "{}", run.all());
    }
    // A field shows it, and goes: the next run cannot know.
    let tree = Tree::of(&[("a.yaml", &open.replace("spec:\n", "spec:\n  ingressClassName: c\n"))]);
    let run = tree.run(&["check", "--to", "traefik@v3.4.0"]);
    assert!(run.all().contains("the object comes from v3.0.0 or after, so this is left as it is"), "{}", run.all());
}

#[test]
fn patches_of_a_cluster_class_select_templates_in_the_version_that_these_get() {
    let class = |version: &str, key: &str, template: &str| {
        format!(
            "apiVersion: cluster.x-k8s.io/{version}\nkind: ClusterClass\nmetadata: {{name: a, namespace: b}}\nspec:\n  \
             controlPlane:\n    {key}: {{apiVersion: controlplane.cluster.x-k8s.io/{template}, kind: KubeadmControlPlaneTemplate, name: c}}\n  \
             infrastructure:\n    {key}: {{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerClusterTemplate, name: d}}\n  \
             patches:\n  - name: e\n    definitions:\n    - selector: {{apiVersion: controlplane.cluster.x-k8s.io/{template}, kind: KubeadmControlPlaneTemplate, matchResources: {{controlPlane: true}}}}\n      \
             jsonPatches: [{{op: add, path: /spec/template/spec/kubeadmConfigSpec/preKubeadmCommands, value: [date]}}]\n"
        )
    };
    let template = |settings: &str| {
        format!(
            "apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlaneTemplate\nmetadata: {{name: c, namespace: b}}\n\
             spec: {{template: {{spec: {{kubeadmConfigSpec: {{clusterConfiguration: {{{settings}}}}}}}}}}}\n"
        )
    };
    let old = class("v1beta1", "ref", "v1beta1");
    let tree = Tree::of(&[("class.yaml", &old), ("template.yaml", &template("imageRepository: f"))]);
    apply(&tree, "cluster-api@1.14").check(0);
    assert_eq!(tree.text("class.yaml"), class("v1beta2", "templateRef", "v1beta2"));
    // This setting has no place in v1beta2, so the template stays.
    let tree = Tree::of(&[("class.yaml", &old), ("template.yaml", &template("networking: {dnsDomain: f}"))]);
    let run = apply(&tree, "cluster-api@1.14");
    assert!(run.all().contains("names a KubeadmControlPlaneTemplate that stays in v1beta1"), "{}", run.all());
    run.check(1);
    assert_eq!(tree.text("class.yaml"), old);
}

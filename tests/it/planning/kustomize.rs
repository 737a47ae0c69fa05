//! Merges of Kustomize: patches in files and inline, their bases, and selectors.

use reversion::internals::finding::Severity;

use super::{listener_set, run};

/// Returns a base and a patch of it in two folders.
fn patched<'a>(base: &'a str, patch: &'a str) -> [(&'a str, &'a str); 4] {
    [
        ("base/kustomization.yaml", "resources: [object.yaml]\n"),
        ("base/object.yaml", base),
        ("live/kustomization.yaml", "resources: [../base]\npatches: [{path: patch.yaml}]\n"),
        ("live/patch.yaml", patch),
    ]
}

#[test]
fn a_patch_and_its_base_convert_together_or_not_at_all() {
    let patch = "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XListenerSet\nmetadata: {name: a}\nspec:\n  \
             parentRef: {name: other}\n";
    let (good, bad) = (listener_set("a", 80), listener_set("a", 0));
    let both = run(&patched(&good, patch), "1.6.1/standard");
    both.check_findings(Severity::Warning, &[]);
    assert_eq!(both.after.keys().collect::<Vec<_>>(), ["base/object.yaml", "live/patch.yaml"]);
    // A patch that corrects the object converts with it.
    let list = patch.replace("parentRef: {name: other}", "listeners: [{name: web, port: 81, protocol: HTTP}]");
    let corrected = run(&patched(&bad, &list), "1.6.1/standard");
    corrected.check_findings(Severity::Warning, &[]);
    assert_eq!(corrected.after.len(), 2);
    let base_held = run(&patched(&bad, patch), "1.6.1/standard");
    let reported = [
        "base/object.yaml held-back invalid-in-target spec.listeners[0].port",
        "live/patch.yaml held-back converts-together -",
    ];
    base_held.check_findings(Severity::Warning, &reported);
    base_held.check_message("it is merged into XListenerSet a/a at base/object.yaml:1:1, which is left unchanged");
    assert!(base_held.after.is_empty());
    // An object of the same name that the patch does not apply to is independent.
    let separate = [("other/object.yaml", &*bad), ("other/kustomization.yaml", "resources: [object.yaml]\n")];
    let separate: Vec<_> = patched(&good, patch).into_iter().chain(separate).collect();
    assert_eq!(run(&separate, "1.6.1/standard").after.len(), 2);
    // A component patches the resources of the kustomization that includes it.
    let mut component = patched(&bad, patch);
    component[0].1 = "resources: [object.yaml]\ncomponents: [../live]\n";
    component[2].1 = "kind: Component\npatchesStrategicMerge: [patch.yaml]\n";
    run(&component, "1.6.1/standard").check_findings(Severity::Warning, &reported);
    // An object in another namespace is a different one, unless a kustomization sets the namespace.
    let other_namespace = patch.replace("{name: a}", "{name: a, namespace: b}");
    let mut separate = patched(&bad, &other_namespace);
    run(&separate, "1.6.1/standard").check_findings(Severity::Warning, &reported[..1]);
    separate[0].1 = "resources: [object.yaml]\nnamespace: b\n";
    run(&separate, "1.6.1/standard").check_findings(Severity::Warning, &reported);
    // The patch uses the name after the inner kustomization's affixes.
    let renamed = patch.replace("name: a", "name: my-a-too");
    let mut affixed = patched(&bad, &renamed);
    affixed[0].1 = "resources: [object.yaml]\nnamePrefix: my-\nnameSuffix: -too\n";
    run(&affixed, "1.6.1/standard").check_findings(Severity::Warning, &reported);
    affixed[0].1 = "resources: [object.yaml]\nnamePrefix: my-\n";
    run(&affixed, "1.6.1/standard").check_findings(Severity::Warning, &reported[..1]);
}

#[test]
fn a_base_stays_when_its_patch_is_held_back() {
    let base = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TCPRoute\nmetadata: {name: a}\nspec:\n  rules:\n  \
                - backendRefs: [{name: b, port: 80}]\n";
    let plain = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TCPRoute\nmetadata: {name: a, labels: {a: b}}\n";
    assert_eq!(run(&patched(base, plain), "1.6.1/standard").after.len(), 2);
    let lossy = format!("{plain}spec: {{useDefaultGateways: All}}\n");
    let held = run(&patched(base, &lossy), "1.6.1/standard");
    let reported = [
        "base/object.yaml held-back converts-together -",
        "live/patch.yaml held-back dropped-field spec.useDefaultGateways",
    ];
    held.check_findings(Severity::Warning, &reported);
    held.check_message("it is patched by TCPRoute a at live/patch.yaml:1:1, which is left unchanged");
    assert!(held.after.is_empty());
}

#[test]
fn a_patch_and_its_base_get_the_version_of_what_is_built() {
    let head = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TCPRoute\nmetadata: {name: a}\nspec:\n  rules:\n";
    let rule = "  - backendRefs: [{name: b, port: 80}]\n";
    let (one, two) = (format!("{head}{rule}"), format!("{head}{rule}{rule}"));
    // Only v1alpha2, which is served next to v1, allows two rules.
    assert_eq!(run(&patched(&one, &one), "1.6.1/experimental").after.len(), 2);
    assert!(run(&[("a.yaml", &two)], "1.6.1/experimental").after.is_empty());
    // The list of the patch replaces the other one.
    let replaced = run(&patched(&two, &one), "1.6.1/experimental");
    replaced.check_findings(Severity::Note, &[]);
    assert_eq!(replaced.after.len(), 2);
    let kept = run(&patched(&one, &two), "1.6.1/experimental");
    let warning = |file: &str| format!("{file} warning less-stable-version spec.rules");
    let expected = ["base/object.yaml", "live/patch.yaml"].map(warning);
    kept.check_findings(Severity::Note, &expected.each_ref().map(String::as_str));
    assert!(kept.after.is_empty());
}

#[test]
fn a_selector_whose_objects_change_differently_is_reported() {
    let route = |name: &str, spec: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TCPRoute\nmetadata: {{name: {name}}}\nspec:\n{spec}  rules:\n  \
             - backendRefs: [{{name: b, port: 80}}]\n"
        )
    };
    let (lossless, lossy) = (route("goes", ""), route("stays", "  useDefaultGateways: All\n"));
    let kustomization = "resources: [goes.yaml, stays.yaml]\npatches:\n\
                         - {path: p.json, target: {group: gateway.networking.k8s.io, version: v1alpha2, kind: TCPRoute}}\n";
    let files = [("kustomization.yaml", kustomization), ("goes.yaml", &lossless), ("stays.yaml", &lossy)];
    let outcome = run(&files, "1.6.1/standard");
    outcome.check_message(
        "patches[0].target selects 2 of the known objects, and no group, version and kind would select just these after the conversion",
    );
    assert!(outcome.after.is_empty());
    // A selector with a name selects that object only.
    let named = kustomization.replace("kind: TCPRoute}", "kind: TCPRoute, name: goes}");
    let named = run(&[("kustomization.yaml", &named), files[1], files[2]], "1.6.1/standard");
    assert!(named.after["kustomization.yaml"].contains("version: v1, kind: TCPRoute, name: goes"));
    let together = run(&[files[0], files[1]], "1.6.1/standard");
    assert!(!together.messages.contains("move to another version"));
    assert!(together.after["kustomization.yaml"].contains("version: v1, kind: TCPRoute"));
}

#[test]
fn a_selector_follows_its_objects_or_holds_them_back() {
    let route = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TLSRoute\nmetadata: {name: a}\nspec:\n  \
                 hostnames: [a.example.com]\n  rules:\n  - backendRefs: [{name: b, port: 443}]\n";
    let gateway =
        "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: a}\nspec: {gatewayClassName: b}\n";
    let set = listener_set("a", 80);
    let patch = "[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {}}]";
    let converted = |lines: &str| {
        let text = format!("namePrefix: my-\nresources: [route.yaml, gateway.yaml, set.yaml]\n{lines}\n");
        let kustomization = ("kustomization.yaml", &*text);
        let files =
            [kustomization, ("route.yaml", route), ("gateway.yaml", gateway), ("set.yaml", &set), ("p.json", patch)];
        run(&files, "1.6.1/standard")
    };
    let target = |target: &str| converted(&format!("patches: [{{path: p.json, target: {{{target}}}}}]"));
    // The TLSRoute becomes v1, which the Gateway has too, and the XListenerSet becomes a ListenerSet.
    let lost = [
        ("version: v1alpha2", "route.yaml"),
        ("version: v1", "route.yaml set.yaml"),
        ("version: v1alpha.", "route.yaml set.yaml"),
        ("group: gateway.networking.k8s.io, version: v1alpha2", "route.yaml"),
        ("group: gateway.networking.k8s.io, version: v1alpha2, kind: TLS.*|Gateway", "route.yaml"),
        ("kind: XListenerSet|Service", "set.yaml"),
        ("group: gateway.networking.x-.*", "set.yaml"),
    ];
    for (selector, files) in lost {
        let mut held = vec!["kustomization.yaml held-back patch-target patches[0].target".to_owned()];
        held.extend(files.split(' ').map(|file| format!("{file} held-back patch-target -")));
        target(selector).check_findings(Severity::Held, &held.iter().map(String::as_str).collect::<Vec<_>>());
    }
    target(lost[3].0).check_message(
        "patches[0].target selects 1 of the known objects, and no group, version and kind would select just these after the conversion \
         (TLSRoute of v1alpha2 becomes TLSRoute of v1)",
    );
    let kept = [
        "kind: .*",
        "kind: TLS.*|Gateway",
        "version: v1.*",
        "version: v1.*2|v1alpha1|v1",
        "name: a, version: v1beta1",
        "name: b, version: v1alpha2",
    ];
    for selector in kept {
        let outcome = target(selector);
        outcome.check_findings(Severity::Held, &[]);
        assert!(!outcome.after.contains_key("kustomization.yaml"), "{selector}");
    }
    let followed = [
        ("version: v1alpha2, kind: \".*Route\", name: my-a", "version: v1, kind: \".*Route\", name: my-a"),
        ("kind: XListenerSet", "kind: ListenerSet"),
        ("version: v1alpha1, kind: X?ListenerSet", "version: v1, kind: X?ListenerSet"),
    ];
    for (old, new) in followed {
        let outcome = target(old);
        outcome.check_findings(Severity::Held, &[]);
        assert!(outcome.after["kustomization.yaml"].contains(&format!("{{{new}}}")), "{old}");
    }
    let replacement = "replacements:\n- source: {kind: ConfigMap, name: a}\n  targets:\n  - select: {version: v1alpha2}\n    \
                       reject: [{kind: X.*}]\n    fieldPaths: [a]\n";
    let held = [
        "kustomization.yaml held-back patch-target replacements[0].targets[0].select",
        "kustomization.yaml held-back patch-target replacements[0].targets[0].reject[0]",
        "route.yaml held-back patch-target -",
        "set.yaml held-back patch-target -",
    ];
    converted(replacement).check_findings(Severity::Held, &held);
}

/// Returns a base with a route and a listener set, and an overlay that contains `patches`.
fn with_inline<'a>(set: &'a str, patches: &'a str) -> [(&'a str, &'a str); 4] {
    const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: a}\nspec:\n  \
                         rules:\n  - backendRefs: [{name: b, port: 80}]\n";
    [
        ("base/kustomization.yaml", "resources: [route.yaml, set.yaml]\n"),
        ("base/route.yaml", ROUTE),
        ("base/set.yaml", set),
        ("live/kustomization.yaml", patches),
    ]
}

const INLINE: &str = "resources: [../base]
patches:
- patch: |-   # as it stands
    # two in one
    apiVersion: gateway.networking.k8s.io/v1beta1
    kind: HTTPRoute
    metadata: {name: a}
    spec:
      parentRefs:
      - {name: a, group: gateway.networking.x-k8s.io, kind: XListenerSet}

      - name: edge
    ---
    apiVersion: gateway.networking.x-k8s.io/v1alpha1
    kind: XListenerSet
    metadata:
      name: a
    spec: {listeners: [{name: web, port: 81, protocol: HTTP}]}
patchesStrategicMerge:
- |
  kind: XListenerSet
  apiVersion: gateway.networking.x-k8s.io/v1alpha1
  metadata: {name: a}
";

/// Returns `text` with the old kind, group and versions replaced by the new ones.
fn converted(text: &str) -> String {
    let text = text.replace("gateway.networking.x-k8s.io/v1alpha1", "gateway.networking.k8s.io/v1");
    let text = text.replace("gateway.networking.x-k8s.io", "gateway.networking.k8s.io").replace("v1beta1", "v1");
    text.replace("XListenerSet", "ListenerSet")
}

#[test]
fn inline_patches_are_converted_in_place() {
    let set = listener_set("a", 80);
    let found = run(&with_inline(&set, INLINE), "1.6.1/standard");
    found.check_findings(Severity::Note, &[]);
    assert_eq!(found.after["live/kustomization.yaml"], converted(INLINE));
    let windows = INLINE.replace('\n', "\r\n");
    let found = run(&with_inline(&set, &windows), "1.6.1/standard");
    assert_eq!(found.after["live/kustomization.yaml"], converted(&windows));
    // A patch of an object of another API is converted too.
    let policy = "patches:\n- patch: |\n    apiVersion: example.com/v1\n    kind: Policy\n    metadata: {name: a}\n    spec:\n      \
                  targetRef: {group: gateway.networking.x-k8s.io, kind: XListenerSet, name: a}\n";
    let found = run(&[("kustomization.yaml", policy)], "1.6.1/standard");
    found.check_findings(Severity::Note, &[]);
    assert_eq!(found.after["kustomization.yaml"], converted(policy));
    // Forward and backward, with lines added and removed.
    let policy = "patches:\n  - patch: |\n      apiVersion: gateway.networking.k8s.io/v1alpha2\n      kind: BackendTLSPolicy\n      metadata: {name: a}\n      \
                  spec:\n        targetRef:\n          group: ''\n          kind: Service\n          name: a\n\n        tls: {hostname: a.b}\n    path: \"\"\n";
    let newer = "patches:\n  - patch: |\n      apiVersion: gateway.networking.k8s.io/v1\n      kind: BackendTLSPolicy\n      metadata: {name: a}\n      \
                  spec:\n        targetRefs:\n          - group: ''\n            kind: Service\n            name: a\n\n        validation: {hostname: a.b}\n    path: \"\"\n";
    assert_eq!(run(&[("kustomization.yaml", policy)], "1.4.1/standard").after["kustomization.yaml"], newer);
    let back = run(&[("kustomization.yaml", newer)], "1.0.0/experimental");
    assert_eq!(back.after["kustomization.yaml"], policy);
}

#[test]
fn inline_patches_and_their_bases_convert_together_or_not_at_all() {
    let bad = listener_set("a", 0);
    let inline = INLINE.replace("listeners: [{name: web, port: 81, protocol: HTTP}]", "parentRef: {name: other}");
    let reported = [
        "base/set.yaml held-back invalid-in-target spec.listeners[0].port",
        "live/kustomization.yaml unresolved reference-not-updated spec.parentRefs[0]",
        "live/kustomization.yaml held-back converts-together -",
        "live/kustomization.yaml held-back converts-together -",
    ];
    let held = run(&with_inline(&bad, &inline), "1.6.1/standard");
    held.check_findings(Severity::Warning, &reported);
    held.check_message("it is merged into XListenerSet a/a at base/set.yaml:1:1, which is left unchanged");
    // The target selector decides what is patched, whatever name the patch has.
    let selecting = |name: &str| {
        format!(
            "resources: [../base]\npatches:\n- target: {{kind: XListenerSet, group: gateway.networking.x-k8s.io, name: {name}}}\n  patch: |\n    apiVersion: gateway.networking.x-k8s.io/v1alpha1\n    kind: XListenerSet\n    metadata: {{name: any}}\n"
        )
    };
    let is_merged =
        |name| run(&with_inline(&bad, &selecting(name)), "1.6.1/standard").messages.contains("it is merged into");
    assert_eq!(["a", "b"].map(is_merged), [true, false]);
    assert!(held.after["live/kustomization.yaml"].contains("kind: XListenerSet\n    metadata:\n      name: a"));
    assert!(
        held.after["live/kustomization.yaml"].contains("apiVersion: gateway.networking.k8s.io/v1\n    kind: HTTPRoute")
    );
}

#[test]
fn inline_patches_that_are_not_converted_are_reported() {
    let object = |style: &str| {
        format!(
            "patches:\n- target: {{group: gateway.networking.k8s.io, kind: HTTPRoute}}\n  patch: {style}\n    apiVersion: gateway.networking.k8s.io/v1beta1\n    \
             kind: HTTPRoute\n    metadata: {{name: a}}\n"
        )
    };
    let reported = |text: &str| run(&[("kustomization.yaml", text)], "1.6.1/standard").reported;
    assert_eq!(reported(&object("|")), [""; 0]);
    for style in ["&a |", "!!str |"] {
        assert_eq!(reported(&object(style)), ["kustomization.yaml held-back inline-patch -"], "{style}");
    }
    let quoted = "patchesStrategicMerge: ['{\"apiVersion\": \"gateway.networking.x-k8s.io/v1alpha1\", \"kind\": \"XListenerSet\",\n  \"metadata\": {\"name\": \"a\"}}']\n";
    let quoted = format!("resources: [../base]\n{quoted}");
    let held = run(&with_inline(&listener_set("a", 80), &quoted), "1.6.1/standard");
    let expected = ["base/set.yaml held-back converts-together -", "live/kustomization.yaml held-back inline-patch -"];
    held.check_findings(Severity::Warning, &expected);
    run(&with_inline(&listener_set("a", 80), &quoted), "1.4.1/experimental").check_findings(Severity::Warning, &[]);
    let json = "patchesJson6902:\n- target: {group: gateway.networking.k8s.io, version: v1beta1, kind: HTTPRoute, name: a}\n  patch: |-\n    \
                - {op: replace, path: /spec/hostnames, value: [a.b]}\n    - op: add\n      path: /spec/parentRefs/-\n      value: {kind: XListenerSet, name: a}\n";
    assert_eq!(reported(json), ["kustomization.yaml unresolved patch-target [1].value"]);
    let broken = object("|").replace("{name: a}", "{name: a");
    assert_eq!(reported(&broken), ["kustomization.yaml unresolved inline-patch patches[0]"]);
}

#[test]
fn a_kustomization_with_another_file_name_is_reported() {
    let text = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- patch: |\n    apiVersion: gateway.networking.x-k8s.io/v1alpha1\n    \
                kind: XListenerSet\n    metadata: {name: a}\n";
    let reported = |file: &str| {
        run(&[(file, text)], "1.6.1/standard")
            .reported
            .into_iter()
            .filter(|reported| reported.contains("inline-patch"))
            .collect::<Vec<_>>()
    };
    for file in ["-", "live.yaml"] {
        assert_eq!(reported(file), [format!("{file} warning inline-patch patches")]);
    }
    assert_eq!(reported("kustomization.yml"), [""; 0]);
}

/// Returns objects of Flux and Argo CD that contain patches for Kustomize as text.
fn generators(version: &str, kind: &str, group: &str) -> [(&'static str, String); 3] {
    let patches = |indent: &str| {
        let text = format!(
            "patches:\n- target: {{group: {group}, version: {version}, kind: {kind}}}\n  patch: |\n    apiVersion: {group}/{version}\n    \
             kind: {kind}\n    metadata: {{name: a}}\n    spec:\n      listeners:\n      - {{name: web, port: 82, protocol: HTTP}}\n"
        );
        text.lines().map(|line| format!("{indent}{line}\n")).collect::<String>()
    };
    [
        (
            "application.yaml",
            format!(
                "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec:\n  sources:\n  - path: apps/a\n    kustomize:\n{}",
                patches("      ")
            ),
        ),
        (
            "flux.yaml",
            format!(
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a}}\nspec:\n  path: ./apps/a\n{}",
                patches("  ")
            ),
        ),
        (
            "release.yaml",
            format!(
                "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec:\n  postRenderers:\n  - kustomize:\n{}",
                patches("      ")
            ),
        ),
    ]
}

#[test]
fn patches_of_flux_and_argo_cd_convert_with_their_objects() {
    let old = generators("v1alpha1", "XListenerSet", "gateway.networking.x-k8s.io");
    let new = generators("v1", "ListenerSet", "gateway.networking.k8s.io");
    let with = |set| {
        let mut files = vec![("repo/apps/a/set.yaml", set)];
        files.extend(old[..2].iter().map(|(file, text)| (*file, text.as_str())));
        files
    };
    let good = listener_set("a", 80);
    let found = run(&with(&good), "1.6.1/standard");
    found.check_findings(Severity::Warning, &[]);
    for (file, text) in &new[..2] {
        assert_eq!(found.after[*file], *text);
    }
    // An item of a List is converted like the object alone.
    let list = |text: &str| {
        let item: String = text.lines().map(|line| format!("  {line}\n")).collect();
        format!("apiVersion: v1\nkind: List\nitems:\n-{}", &item[1..])
    };
    let found = run(&[("repo/apps/a/set.yaml", &good), ("list.yaml", &list(&old[1].1))], "1.6.1/standard");
    assert_eq!(found.after["list.yaml"], list(&new[1].1));
    // Objects in the referenced folder hold the patch back, unless it corrects them; the output of a chart is unknown.
    let bad = listener_set("a", 0);
    assert_eq!(run(&with(&bad), "1.6.1/standard").after.len(), 3);
    let (file, text) = &old[2];
    let rendered = run(&[(*file, text.as_str())], "1.6.1/standard");
    assert!(
        rendered.reported.contains(&"release.yaml held-back converts-together -".to_owned()),
        "{}",
        rendered.messages
    );
    assert!(rendered.after.is_empty());
    let is_spec = |line: &str| line.starts_with(' ') && ["spec:", "listeners:"].contains(&line.trim());
    let is_list = |line: &&str| is_spec(line) || line.contains("port: 82");
    let without = |text: &str| text.lines().filter(|line| !is_list(line)).map(|line| format!("{line}\n")).collect();
    let others: Vec<(&str, String)> = old[..2].iter().map(|(file, text)| (*file, without(text))).collect();
    let others = others.iter().map(|(file, text)| (*file, text.as_str()));
    let files: Vec<(&str, &str)> = [("repo/apps/a/set.yaml", bad.as_str())].into_iter().chain(others).collect();
    let held = run(&files, "1.6.1/standard");
    let held: Vec<_> = held.reported.iter().filter(|reported| reported.contains("converts-together")).collect();
    assert_eq!(held, ["application.yaml held-back converts-together -", "flux.yaml held-back converts-together -"]);
}

#[test]
fn selectors_of_flux_and_components_are_updated_with_their_objects() {
    let route = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: a}\n";
    let target = |version: &str| {
        format!("{{target: {{group: gateway.networking.k8s.io, version: {version}, kind: HTTPRoute}}, path: p.yaml}}")
    };
    let texts = |version: &str| {
        let target = target(version);
        [
            format!("kind: Component\npatches: [{target}]\n"),
            format!(
                "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: a}}\nspec:\n  postRenderers: [{{kustomize: {{patches: [{target}]}}}}]\n"
            ),
        ]
    };
    let (old, new) = (texts("v1beta1"), texts("v1"));
    let files = [("component/kustomization.yaml", &*old[0]), ("release.yaml", &*old[1]), ("route.yaml", route)];
    let after = run(&files, "1.6.1/standard").after;
    assert_eq!([&after["component/kustomization.yaml"], &after["release.yaml"]], [&new[0], &new[1]]);
    // Selected objects outside the run are unknown; a version that is no longer served is reported.
    let alone = |target| run(&[("release.yaml", &*old[1])], target).reported;
    let reported = ["release.yaml unresolved patch-target spec.postRenderers[0].kustomize.patches[0].target.version"];
    assert_eq!(alone("1.6.1/standard"), [""; 0]);
    assert_eq!(alone("0.4.0"), reported);
}

#[test]
fn the_build_of_converted_files_equals_the_converted_build() {
    let gateway = |listeners: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: edge}}\nspec:\n  gatewayClassName: nginx\n  \
             listeners: [{listeners}]\n"
        )
    };
    let trust = |name: &str| {
        format!("frontendValidation: {{caCertificateRefs: [{{group: \"\", kind: ConfigMap, name: {name}}}]}}")
    };
    let listener = |port: u16, validation: &str| {
        format!(
            "{{name: p{port}, port: {port}, protocol: HTTPS, tls: {{certificateRefs: [{{name: c}}], {validation}}}}}"
        )
    };
    // The base's validation would override the patch's: both ports share one, and the patch sets another for one port.
    let base = gateway(&format!("{}, {}", listener(443, &trust("one")), listener(8443, "")));
    let patch = gateway(&listener(443, &trust("two"))).replace("  gatewayClassName: nginx\n", "");
    let held = run(&patched(&base, &patch), "1.6.1/standard");
    let reported = ["base/object.yaml held-back converts-together -", "live/patch.yaml held-back converts-together -"];
    held.check_findings(Severity::Held, &reported);
    held.check_message("they would build a `spec.tls.frontend.perPort` that differs");
    assert!(held.after.is_empty());
    // A base is converted independently if the patch does not touch the changed fields.
    let other = gateway("").replace("  listeners: []\n", "  addresses: [{value: 10.0.0.1}]\n");
    let alone = run(&patched(&base, &other), "1.6.1/standard");
    alone.check_findings(Severity::Held, &[]);
    assert_eq!(alone.after.keys().collect::<Vec<_>>(), ["base/object.yaml"]);
}

#[test]
fn a_patch_with_a_target_converts_with_every_selected_object() {
    let base = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {name: up}\nspec:\n  \
                targetRef: {group: \"\", kind: Service, name: up}\n  tls: {hostname: a.example.com, wellKnownCACerts: System}\n";
    let patch = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {name: any}\nspec: {targetRef: {name: other}}\n";
    let held = |target: &str| {
        let mut files = patched(base, patch);
        let live =
            format!("namePrefix: my-\nresources: [../base]\npatches: [{{path: patch.yaml, target: {target}}}]\n");
        files[2].1 = &live;
        run(&files, "1.6.1/experimental").after.is_empty()
    };
    // The last one selects nothing yet, and would select the policy once that is v1.
    let selecting =
        ["{kind: BackendTLSPolicy}", "{name: up}", "{name: my-u.*, version: v1alpha2}", "{}", "{version: v1}"];
    assert_eq!(selecting.map(held), [true; 5]);
    let others = ["{kind: HTTPRoute}", "{name: any}", "{name: u}"];
    assert_eq!(others.map(held), [false; 3]);
    let inline: String = patch.lines().map(|line| format!("    {line}\n")).collect();
    let inline = format!("resources: [../base]\npatches:\n- target: {{kind: BackendTLSPolicy}}\n  patch: |\n{inline}");
    let files = [
        ("base/kustomization.yaml", "resources: [up.yaml]\n"),
        ("base/up.yaml", base),
        ("live/kustomization.yaml", &*inline),
    ];
    let outcome = run(&files, "1.6.1/experimental");
    outcome
        .check_message("it is patched by BackendTLSPolicy any at live/kustomization.yaml:5:5, which is left unchanged");
    assert!(outcome.after.is_empty());
}

#[test]
fn a_base_gets_the_version_that_its_patch_makes_possible() {
    let route = |spec: &str| {
        format!("apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TLSRoute\nmetadata: {{name: a}}\nspec:\n{spec}")
    };
    let base = route("  rules:\n  - backendRefs: [{name: b, port: 443}]\n");
    let patch = route("  hostnames: [a.example.com]\n");
    // Only v1 requires the host names.
    assert!(run(&[("a.yaml", &base)], "1.6.1/experimental").after.is_empty());
    let outcome = run(&patched(&base, &patch), "1.6.1/experimental");
    outcome.check_findings(Severity::Note, &[]);
    assert!(outcome.after.values().all(|text| text.contains("io/v1\n")) && outcome.after.len() == 2);
}

#[test]
fn conflicts_visible_only_in_the_build_are_reported() {
    let policy = |spec: &str| {
        format!(
            "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XBackendTrafficPolicy\nmetadata: {{name: a}}\nspec:\n{spec}"
        )
    };
    let base = policy(
        "  targetRefs: [{group: \"\", kind: Service, name: a}]\n  sessionPersistence: {type: Header, sessionName: x}\n",
    );
    let patch = policy("  sessionPersistence: {cookieConfig: {lifetimeType: Session}}\n");
    let outcome = run(&patched(&base, &patch), "1.6.1/experimental");
    outcome.check_findings(Severity::Held, &["live/patch.yaml held-back converts-together -"]);
    outcome.check_message("which neither of the two files shows alone");
    let other = policy("  sessionPersistence: {sessionName: y}\n");
    run(&patched(&base, &other), "1.6.1/experimental").check_findings(Severity::Held, &[]);
}

#[test]
fn merge_directives_of_kustomize_hold_back_patch_and_base() {
    let policy = |spec: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {{name: a}}\nspec:\n{spec}"
        )
    };
    let base = policy(
        "  targetRef: {group: \"\", kind: Service, name: a}\n  tls: {hostname: a.example.com, wellKnownCACerts: System}\n",
    );
    let patch = policy("  targetRef: {$patch: replace, group: \"\", kind: Service, name: b}\n");
    let outcome = run(&patched(&base, &patch), "1.6.1/experimental");
    outcome.check_findings(
        Severity::Held,
        &["base/object.yaml held-back converts-together -", "live/patch.yaml held-back converts-together -"],
    );
    outcome.check_message("the patch has a directive for Kustomize");
}

#[test]
fn a_deletion_that_would_leave_an_empty_parent_is_held_back() {
    let gateway = |spec: &str| {
        format!("apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: a}}\nspec:\n{spec}")
    };
    let base = gateway("  gatewayClassName: nginx\n  listeners: [{name: a, port: 80, protocol: HTTP}]\n");
    let outcome = run(&patched(&base, &gateway("  backendTLS: null\n")), "1.6.1/experimental");
    // Kustomize would build `tls: {}`, which the Gateway does not have.
    outcome.check_findings(Severity::Held, &["live/patch.yaml held-back converts-together -"]);
    outcome.check_message("they would build a `spec.tls` that differs from the conversion of what they build now");
}

#[test]
fn an_object_fragment_with_a_version_is_reported_and_left_unchanged() {
    let policy = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {name: a}\nspec:\n  \
                  targetRef: {group: \"\", kind: Service, name: a}\n  tls: {hostname: a.example.com, wellKnownCACerts: System}\n";
    let generate = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: b}\nspec:\n  generate:\n    \
                    apiVersion: gateway.networking.k8s.io/v1alpha2\n    kind: BackendTLSPolicy\n    data: {spec: {tls: {hostname: b}}}\n";
    let outcome = run(&[("a.yaml", policy), ("b.yaml", generate)], "1.6.1/experimental");
    outcome.check_findings(Severity::Warning, &["b.yaml unresolved reference-not-updated spec.generate.apiVersion"]);
    outcome.check_message("what stands beside it can be part of such an object");
    assert!(!outcome.after.contains_key("b.yaml"));
    let named = generate.replace("    data: {spec: {tls: {hostname: b}}}\n", "    name: a\n");
    let followed = run(&[("a.yaml", policy), ("b.yaml", &named)], "1.6.1/experimental");
    assert_eq!(followed.after["b.yaml"], named.replace("v1alpha2", "v1"));
}

const OLD_RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: edge}
spec:
  chart: {spec: {chart: nginx-gateway-fabric}}
  values:
    service:
      type: NodePort
";

/// A patch of the release that contains neither the chart nor one of its keys.
const RELEASE_PATCH: &str = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: edge}
spec:
  values:
    service:
      loadBalancerIP: 10.0.0.1
";

fn inline(patch: &str) -> String {
    let lines: String = patch.lines().map(|line| format!("    {line}\n")).collect();
    format!("resources: [base.yaml]\npatches:\n- patch: |\n{lines}")
}

#[test]
fn a_values_patch_is_identified_by_the_chart_of_its_base() {
    let in_file = "resources: [base.yaml]\npatches: [{path: patch.yaml}]\n";
    let files = [("base.yaml", OLD_RELEASE), ("kustomization.yaml", in_file), ("patch.yaml", RELEASE_PATCH)];
    let separate = run(&files, "ngf@2.5");
    separate.check_findings(Severity::Held, &[]);
    assert_eq!(separate.after.keys().collect::<Vec<_>>(), ["base.yaml", "patch.yaml"]);
    let text = inline(RELEASE_PATCH);
    let separate = run(&[("base.yaml", OLD_RELEASE), ("kustomization.yaml", &text)], "ngf@2.5");
    separate.check_findings(Severity::Held, &[]);
    assert_eq!(separate.after.keys().collect::<Vec<_>>(), ["base.yaml", "kustomization.yaml"]);
}

#[test]
fn an_inline_patch_of_values_is_converted_if_a_key_identifies_it() {
    let patch = RELEASE_PATCH.replace("    service:\n", "    nginxGateway: {}\n    service:\n");
    let text = inline(&patch);
    let both = run(&[("base.yaml", OLD_RELEASE), ("kustomization.yaml", &text)], "ngf@2.5");
    both.check_findings(Severity::Held, &[]);
    assert!(
        both.after["kustomization.yaml"].contains("        nginx:\n          service:\n            loadBalancerIP")
    );
    assert!(both.after["base.yaml"].contains("    nginx:\n      service:\n        type"));
}

#[test]
fn an_inline_patch_of_a_secret_is_converted_like_one_in_a_file() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: auth, namespace: shop}\ntype: nginx.org/htpasswd\n";
    let filter = "apiVersion: gateway.nginx.org/v1alpha1
kind: AuthenticationFilter
metadata: {name: auth, namespace: shop}
spec:
  type: Basic
  basic: {realm: shop, secretRef: {name: auth}}
";
    let base = format!("{filter}---\n{secret}");
    let text = inline(secret);
    let both = run(&[("base.yaml", &base), ("kustomization.yaml", &text)], "ngf@2.5");
    both.check_findings(Severity::Held, &[]);
    assert!(both.after["base.yaml"].contains("\ntype: Opaque\n"));
    assert!(both.after["kustomization.yaml"].contains("    type: Opaque\n"));
}

#[test]
fn a_reference_added_by_a_patch_gets_its_namespace() {
    let class = "apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: nginx}
spec:
  controllerName: gateway.nginx.org/nginx-gateway-controller
";
    let patch = "apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: nginx}
spec:
  parametersRef: {group: gateway.nginx.org, kind: NginxProxy, name: edge}
";
    let proxy = "apiVersion: gateway.nginx.org/v1alpha2\nkind: NginxProxy\nmetadata: {name: edge, namespace: edge-system}\nspec: {}\n";
    let base = format!("{class}---\n{proxy}");
    let text = inline(patch);
    let both = run(&[("base.yaml", &base), ("kustomization.yaml", &text)], "ngf@2.5");
    both.check_findings(Severity::Held, &[]);
    assert!(both.after["kustomization.yaml"].contains("name: edge, namespace: edge-system}"));
}

#[test]
fn a_json_patch_of_values_follows_the_release_that_holds_them() {
    let text = "resources: [base.yaml]
patches:
- target: {kind: HelmRelease, name: edge}
  patch: |
    - {op: add, path: /spec/values/nginxGateway, value: {replicaCount: 1}}
    - {op: add, path: /spec/values/service/type, value: LoadBalancer}
- target: {kind: HelmRelease, name: other}
  patch: |
    - {op: add, path: /spec/values/replicaCount, value: 2}
";
    let run = run(&[("base.yaml", OLD_RELEASE), ("kustomization.yaml", text)], "ngf@2.5");
    run.check_findings(Severity::Warning, &[]);
    let expected =
        text.replace("{replicaCount: 1}", "{replicas: 1}").replace("/values/service/", "/values/nginx/service/");
    assert_eq!(run.after["kustomization.yaml"], expected);
}

/// A configuration of a group that a pack knows is no object, whether a generator reads it or nothing does.
#[test]
fn a_file_of_an_unknown_kind_is_reported_as_data_too() {
    let text = "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: EnvoyGateway\nprovider: {type: Kubernetes}\n";
    let kustomization = "configMapGenerator: [{name: c, files: [envoy-gateway.yaml]}]\n";
    let reported = ["envoy-gateway.yaml unresolved unknown-kind kind"];
    let alone = run(&[("envoy-gateway.yaml", text)], "envoy-gateway@1.5.0");
    let data = run(&[("envoy-gateway.yaml", text), ("kustomization.yaml", kustomization)], "envoy-gateway@1.5.0");
    assert_eq!([alone.reported, data.reported], [reported, reported]);
}

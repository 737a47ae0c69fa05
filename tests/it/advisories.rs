//! Advisories about the cluster or a release are reported once, apart from the findings about files, in every format.

use std::fs;

use serde_json::Value;

use crate::support::trees::{Run, Tree};

/// A rollback from v1.5 or newer crosses the policy that denies older CRDs.
const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [a.example.com]}\n";

const LINE: &str = "about the cluster: warning[advisory] Gateway API: v1.5.0 and newer install the ValidatingAdmissionPolicy safe-upgrades.gateway.networking.k8s.io, which denies the CRDs of older bundles; delete that policy and its binding before you apply the older CRDs\n";

fn tree() -> Tree {
    Tree::of(&[("a.yaml", ROUTE), ("b.yaml", &ROUTE.replace("shop", "other"))])
}

fn run(tree: &Tree, arguments: &[&str]) -> Run {
    tree.run(&[arguments, &["--to", "gateway-api@0.8/standard"]].concat())
}

#[test]
fn the_text_has_a_line_without_a_place() {
    let tree = tree();
    for command in ["check", "diff"] {
        let preview = run(&tree, &[command]);
        preview.check(1);
        // `check` prints its report, `diff` a diff.
        let report = if command == "check" { &preview.out } else { &preview.err };
        assert!(report.contains(LINE), "{report}");
        assert_eq!(report.matches("safe-upgrades").count(), 1, "{report}");
    }
    assert!(!run(&tree, &["check", "-q"]).out.contains("advisory"));
    run(&tree, &["plan", "-o", "a.plan"]).check(0);
    assert!(tree.run(&["show", "a.plan"]).err.contains(LINE));
    let applied = tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "a.plan"]);
    applied.check(0);
    assert!(applied.err.starts_with(LINE), "{}", applied.err);
}

/// Whoever wrote the baseline was told; with `--verbose` it is said again, and JSON keeps it.
#[test]
fn a_baseline_accepts_what_is_said_about_the_cluster() {
    let tree = tree();
    run(&tree, &["check", "--write-baseline", "known.json"]).check(0);
    // By its name, which stays when it is worded otherwise.
    assert!(tree.text("known.json").contains("\n    \"gateway-api/safe-upgrades-policy-denies-older-crds\"\n"));
    let known = run(&tree, &["check", "--baseline", "known.json"]);
    known.check(0);
    assert!(known.out.is_empty() && known.err.contains("0 held back, 3 acknowledged; "), "{}", known.all());
    let verbose = run(&tree, &["check", "--baseline", "known.json", "-v"]);
    assert!(verbose.out.contains("warning[advisory] Gateway API: v1.5.0 and newer"), "{}", verbose.out);
    assert!(verbose.out.contains("  acknowledged by the baseline\n"), "{}", verbose.out);
    let json: Value =
        serde_json::from_str(&run(&tree, &["check", "--baseline", "known.json", "--format", "json"]).out).unwrap();
    assert_eq!((&json["advisories"], &json["summary"]["acknowledged"]), (&serde_json::json!([]), &3.into()), "{json}");
    assert!(json["acknowledgedAdvisories"][0]["message"].as_str().unwrap().contains("safe-upgrades"), "{json}");
    for format in ["markdown", "github", "gitlab", "junit", "sarif"] {
        let report = run(&tree, &["check", "--baseline", "known.json", "--format", format]);
        assert!(!report.all().contains("safe-upgrades"), "{format}: {}", report.all());
    }
}

#[test]
fn json_has_a_list_and_github_an_annotation_without_a_file() {
    let tree = tree();
    let report: Value = serde_json::from_str(&run(&tree, &["check", "--format", "json"]).out).unwrap();
    let advisory = &report["advisories"][0];
    assert_eq!((&advisory["about"], &advisory["severity"]), (&"cluster".into(), &"warning".into()));
    assert!(advisory["help"].as_str().unwrap().starts_with("delete that policy"));
    // Each format counts them with the other findings.
    assert_eq!(report["totals"]["codes"]["advisory"], report["advisories"].as_array().unwrap().len());
    let github = run(&tree, &["check", "--format", "github"]);
    assert!(github.out.starts_with("::warning title=advisory::Gateway API: v1.5.0 and newer"), "{}", github.out);
}

/// Where one listed file is concerned, what the cluster needs is said, whatever the first file of the tree is.
#[test]
fn a_list_of_files_has_the_advisories_of_its_files() {
    let tree = tree();
    fs::write(tree.path("list"), "b.yaml\n").unwrap();
    assert!(run(&tree, &["check", "--files-from", "list"]).out.contains(LINE));
    fs::write(tree.path("list"), "gone.yaml\n").unwrap();
    assert!(!run(&tree, &["check", "--files-from", "list"]).out.contains("advisory"));
}

const CERTIFICATE: &str = "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: a}\nspec: {secretName: a, dnsNames: [a.example.com], issuerRef: {name: b}}\n";

const ROTATED: &str = "cert-manager: without privateKey.rotationPolicy a renewal makes a new private key";

const KEPT: &str = "cert-manager: without revisionHistoryLimit only the newest CertificateRequest is kept";

/// What an object means can change although its text does not.
#[test]
fn an_object_that_surely_crosses_a_release_is_warned_of_although_its_text_stays() {
    let tree = Tree::of(&[("a.yaml", CERTIFICATE), ("b.yaml", &CERTIFICATE.replace("name: a", "name: c"))]);
    let check = |arguments: &[&str]| {
        let run = tree.run(&[&["check", "-v", "--to", "cert-manager@1.20"], arguments].concat());
        run.check(0);
        run.out
    };
    let count = |out: &str, severity: &str| {
        let is_warned = |line: &str| line.contains(&format!("{severity}[advisory]"));
        let is_about_keys = |line: &str| line.contains(ROTATED) || line.contains(KEPT);
        let lines: Vec<&str> = out.lines().collect();
        let of_both = |pair: &&[&str]| pair[1].trim_start() == "also b.yaml:1:1 Certificate c";
        lines.windows(2).filter(of_both).filter(|pair| is_warned(pair[0]) && is_about_keys(pair[0])).count()
    };
    let known = check(&["--from", "cert-manager@1.7"]);
    assert_eq!([count(&known, "warning"), count(&known, "note")], [2, 0], "{known}");
    let unknown = check(&[]);
    assert_eq!([count(&unknown, "warning"), count(&unknown, "note")], [0, 2], "{unknown}");
    let crossed = check(&["--from", "cert-manager@1.18"]);
    assert!(!crossed.contains(ROTATED) && !crossed.contains(KEPT), "{crossed}");
    let chart = "apiVersion: v2\nname: top\nversion: 1.0.0\ndependencies: [{name: cert-manager, version: v1.7.0, repository: https://charts.example.com}]\n";
    fs::write(tree.path("Chart.yaml"), chart).unwrap();
    let named = check(&[]);
    assert_eq!([count(&named, "warning"), count(&named, "note")], [2, 0], "{named}");
}

/// A baseline knows which advisory was accepted of an object.
#[test]
fn one_advisory_is_not_accepted_for_another() {
    let spec = |more: &str| CERTIFICATE.replace("spec: {", &format!("spec: {{{more}, "));
    let tree = Tree::of(&[("a.yaml", &spec("revisionHistoryLimit: 3"))]);
    let check = ["check", "--from", "cert-manager@1.7", "--to", "cert-manager@1.20"];
    let first = tree.run(&check);
    assert!(first.out.contains(ROTATED) && !first.out.contains(KEPT), "{}", first.all());
    tree.run(&[&check[..], &["--write-baseline", "b.json"]].concat()).check(0);
    let known = || tree.run(&[&check[..], &["--baseline", "b.json"]].concat()).all();
    assert!(!known().contains(ROTATED), "{}", known());
    fs::write(tree.path("a.yaml"), spec("privateKey: {rotationPolicy: Never}")).unwrap();
    assert!(
        known().contains(KEPT) && known().contains("1 entry of the baseline b.json no longer occurs"),
        "{}",
        known()
    );
}

#[test]
fn a_default_that_is_written_out_is_not_advised_of() {
    let tree = Tree::of(&[("a.yaml", CERTIFICATE)]);
    let to = ["--from", "cert-manager@1.7", "--to", "cert-manager@1.20", "--set", "defaults=freeze"];
    let diff = tree.run(&[&["diff"][..], &to].concat());
    assert!(diff.out.contains("+spec: {") && diff.out.contains("rotationPolicy: Never"), "{}", diff.all());
    assert!(!diff.err.contains(ROTATED) && diff.err.contains(KEPT), "{}", diff.all());
    // The way back is the same about the other default.
    let back =
        tree.run(&["diff", "--from", "cert-manager@1.20", "--to", "cert-manager@1.7", "--set", "defaults=freeze"]);
    assert!(back.out.contains("rotationPolicy: Always"), "{}", back.all());
    assert!(!back.err.contains("keeps its private key"), "{}", back.all());
    assert!(
        back.err.contains("every CertificateRequest of a Certificate without revisionHistoryLimit"),
        "{}",
        back.all()
    );
}

/// Only releases that serve an apiVersion accepted the object.
#[test]
fn an_api_version_shows_on_which_side_of_a_change_an_object_is() {
    let old = CERTIFICATE.replace("cert-manager.io/v1", "cert-manager.io/v1alpha2");
    let tree = Tree::of(&[("a.yaml", &old)]);
    let frozen = tree.run(&["diff", "--to", "cert-manager@1.20", "--set", "defaults=freeze"]);
    assert!(frozen.out.contains("rotationPolicy: Never") && !frozen.err.contains(ROTATED), "{}", frozen.all());
    let flux = |api: &str, kind: &str, spec: &str| {
        let text = format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{interval: 1h, {spec}}}\n");
        let run = Tree::of(&[("a.yaml", &text)]).run(&["check", "-v", "--to", "flux@latest"]);
        run.out.contains("the files do not show whether")
    };
    let [release, source] =
        ["chart: {spec: {chart: a, sourceRef: {kind: HelmRepository, name: b}}}", "url: https://example.com/a"];
    assert!(flux("helm.toolkit.fluxcd.io/v2beta1", "HelmRelease", release));
    assert!(flux("source.toolkit.fluxcd.io/v1beta1", "GitRepository", source));
    for version in ["v2beta2", "v2"] {
        let api = format!("helm.toolkit.fluxcd.io/{version}");
        assert!(!flux(&api, "HelmRelease", release));
    }
    assert!(!flux("source.toolkit.fluxcd.io/v1", "GitRepository", source));
}

/// An advisory about many objects is a finding at each of them, so that one is accepted without the others; people read it once.
#[test]
fn an_advisory_about_many_objects_is_a_finding_at_each_and_is_printed_once() {
    let policy = |number: usize| {
        let text = format!(
            "apiVersion: gateway.nginx.org/v1alpha1\nkind: UpstreamSettingsPolicy\nmetadata: {{name: p{number:02}}}\nspec: {{zoneSize: 1m, targetRefs: [{{group: \"\", kind: Service, name: s{number:02}}}]}}\n"
        );
        (format!("p{number:02}.yaml"), text)
    };
    let files: Vec<(String, String)> = (0..86).map(policy).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let tree = Tree::of(&files);
    let to = ["check", "--from", "ngf@1.6.0", "--to", "ngf@2.6.7", "-v"];
    let check = |format: &str| tree.run(&[&to[..], &["--format", format]].concat()).out;
    let sentence = "before, it kept none";
    for format in ["text", "markdown"] {
        let out = check(format);
        assert_eq!(out.matches(sentence).count(), 1, "{format}: {out}");
    }
    assert!(check("text").contains("p85.yaml:1:1 UpstreamSettingsPolicy p85"));
    for format in ["gitlab", "sarif", "junit", "json"] {
        assert_eq!(check(format).matches(sentence).count(), 86, "{format}");
    }
    // What is accepted of the first ones is not accepted of one that comes later.
    tree.run(&[&to[..], &["--write-baseline", "accepted.json"]].concat());
    let known = tree.run(&[&to[..], &["--baseline", "accepted.json", "--format", "json"]].concat());
    let (_, text) = policy(86);
    fs::write(tree.path("p86.yaml"), text).unwrap();
    let more = tree.run(&[&to[..], &["--baseline", "accepted.json", "--format", "json"]].concat());
    let open = |out: &str| -> Vec<Value> {
        let report: Value = serde_json::from_str(out).unwrap();
        let objects = report["objects"].as_array().unwrap().iter();
        let open = objects.filter(|object| object["codes"].as_array().unwrap().iter().any(|code| code == "advisory"));
        open.map(|object| object["object"].clone()).collect()
    };
    assert_eq!(open(&known.out), [""; 0]);
    assert_eq!(open(&more.out), ["UpstreamSettingsPolicy p86"]);
}

/// What is to be done on the nodes is told by the run that converts the objects: a later one sees objects that may never have been older.
#[test]
fn an_apply_says_that_advisories_are_told_now() {
    let old = "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: \
               b}}\n    spec:\n      nodeSelector: {node-role.kubernetes.io/master: \"\"}\n      containers: [{name: a, image: a}]\n";
    let told = "note these advisories: once the objects are converted, later runs show them only with `--verbose`, if at all\n";
    let to = ["--to", "kubernetes@1.30", "."];
    let tree = Tree::of(&[("a.yaml", old)]);
    let check = tree.run(&[&["check"], &to[..]].concat());
    assert!(check.out.contains("warning[advisory]") && !check.all().contains(told), "{}", check.all());
    let apply = tree.run(&[&["apply", "--yes", "--allow-no-vcs"], &to[..]].concat());
    assert!(apply.all().contains("warning[advisory]") && apply.err.ends_with(told), "{}", apply.all());
    // Also with a saved plan; with -q they are not told.
    let saved = Tree::of(&[("a.yaml", old)]);
    saved.run(&[&["plan", "-o", "a.plan"], &to[..]].concat()).check(0);
    let run = saved.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "a.plan"]);
    assert!(run.err.contains(told), "{}", run.all());
    let quiet = Tree::of(&[("a.yaml", old)]).run(&[&["apply", "-q", "--yes", "--allow-no-vcs"], &to[..]].concat());
    assert!(!quiet.all().contains("told now"), "{}", quiet.all());
    // That is so.
    assert!(!tree.run(&[&["check"], &to[..]].concat()).all().contains("[advisory]"));
    assert!(
        tree.run(&[&["check", "-v"], &to[..]].concat())
            .out
            .contains("note[advisory] Deployment a: Kubernetes: since v1.24.0 kubeadm no longer")
    );
    // Where there is none, there is nothing to say.
    let plain = Tree::of(&[("a.yaml", &old.replace("node-role.kubernetes.io/master", "disk"))]);
    let apply = plain.run(&[&["apply", "--yes", "--allow-no-vcs"], &to[..]].concat());
    assert!(apply.err.contains("1 changed in 1 file") && !apply.all().contains(told), "{}", apply.all());
}

/// What names a value of a chart is said where the tree has that value, and where values cannot be read; with `--verbose` it is said
/// all the same, and JSON has it as a note.
#[test]
fn an_advisory_about_a_value_of_a_chart_needs_the_value() {
    let said = "cert-manager: featureGates in the values of the chart sets the gates of the controller only";
    let release = |values: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: cm}}\nspec:\n  interval: 1h\n  chart: {{spec: {{chart: cert-manager, version: v1.7.0, sourceRef: {{kind: HelmRepository, name: j}}}}}}\n{values}"
        )
    };
    let severity = |values: &str| {
        let tree = Tree::of(&[("a.yaml", CERTIFICATE), ("b.yaml", &release(values))]);
        let run = tree.run(&["check", "--to", "cert-manager@1.20", "--format", "json"]);
        let report: Value = serde_json::from_str(&run.out).unwrap();
        let all = report["advisories"].as_array().unwrap();
        let of = |one: &&Value| one["message"].as_str().unwrap().starts_with(said);
        let severity = all.iter().find(of).map(|one| one["severity"].as_str().unwrap().to_owned());
        let text = tree.run(&["check", "--to", "cert-manager@1.20"]);
        assert_eq!(text.out.contains(said), severity.as_deref() == Some("warning"), "{}", text.all());
        severity.unwrap()
    };
    assert_eq!(severity("  values: {featureGates: AdditionalCertificateOutputFormats=true}\n"), "warning");
    assert_eq!(severity("  values: {replicaCount: 2}\n"), "note");
    assert_eq!(severity("  values: {featureGates: A=true, webhook: {featureGates: A=true}}\n"), "note");
    assert_eq!(severity(""), "note");
    // Nobody knows what is in these.
    assert_eq!(severity("  valuesFrom: [{kind: ConfigMap, name: v}]\n"), "warning");
}

/// The values alone show that a release is crossed, where what installs them names it.
#[test]
fn an_advisory_about_a_value_of_a_chart_needs_no_object() {
    let release = |version: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: cm}}\nspec:\n  source: {{repoURL: https://charts.jetstack.io, chart: cert-manager, targetRevision: {version}, helm: {{valuesObject: {{featureGates: A=true}}}}}}\n  destination: {{namespace: a}}\n"
        )
    };
    let said = "featureGates in the values of the chart";
    for (version, is_said) in [("v1.7.0", true), ("v1.20.0", false)] {
        let tree = Tree::of(&[("a.yaml", &release(version))]);
        for flags in [&[][..], &["-v"]] {
            let run = tree.run(&[&["check", "--to", "cert-manager@1.20"][..], flags].concat());
            assert_eq!(run.out.contains(said), is_said, "{version}: {}", run.all());
        }
    }
}

/// What a run adds to its targets is said where it matters, as where objects come from is.
#[test]
fn a_target_that_is_added_is_said_where_its_objects_change() {
    let tree = |version: &str| {
        let route = ROUTE.replace("HTTPRoute", "GRPCRoute").replace("io/v1\n", &format!("io/{version}\n"));
        Tree::of(&[("a.yaml", &route)])
    };
    let added = "target gateway-api@1.5.1/standard, which ngf@2.6.7 supports\n";
    let check = |version: &str, flags: &[&str]| tree(version).run(&[&["check", "--to", "ngf@2.6"][..], flags].concat());
    let clean = check("v1", &[]);
    assert_eq!((clean.out.is_empty(), clean.err.lines().count()), (true, 1), "{}", clean.all());
    assert!(check("v1", &["-v"]).err.starts_with(added));
    let old = check("v1alpha2", &[]);
    assert!(old.err.starts_with(added), "{}", old.all());
    // Values of the chart are converted by rules of another pack.
    let values = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: ngf}\nspec:\n  chart: {spec: {chart: nginx-gateway-fabric}}\n  values: {service: {type: NodePort}}\n";
    let values = Tree::of(&[("a.yaml", values)]).run(&["check", "--to", "ngf@2.6"]);
    assert!(values.out.contains("HelmRelease ngf: helm.toolkit.fluxcd.io/v2, other fields\n"), "{}", values.all());
    assert!(!values.err.contains("target "), "{}", values.err);
}

/// A rollback within one apiVersion, where the fields stay and the older release does not keep them or have them.
#[test]
fn what_an_older_release_loses_without_a_change_of_the_file_is_a_warning() {
    let pool = |spec: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: a}}\nspec:\n  template:\n    spec:\n      nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}}\n      requirements: [{{key: kubernetes.io/os, operator: In, values: [linux]}}]\n{spec}"
        )
    };
    let class = |spec: &str| {
        format!(
            "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {{name: a}}\nspec:\n  role: r\n  subnetSelectorTerms: [{{id: subnet-1}}]\n  securityGroupSelectorTerms: [{{id: sg-1}}]\n{spec}"
        )
    };
    let plain = "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 5m}\n";
    let late = "  disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 5m}\n";
    let latest = "  amiSelectorTerms: [{alias: al2023@latest}]\n";
    let pinned = "  amiSelectorTerms: [{alias: al2023@v20240703}]\n";
    let kubelet = format!("{latest}  kubelet: {{maxPods: 10}}\n");
    let pipeline = |spec: &str| {
        format!(
            "apiVersion: tekton.dev/v1beta1\nkind: Pipeline\nmetadata: {{name: a}}\nspec:\n  tasks: [{{name: a, taskRef: {{name: a}}}}]\n{spec}"
        )
    };
    let scaled = |key: &str| {
        format!(
            "apiVersion: keda.k8s.io/v1alpha1\nkind: ScaledObject\nmetadata: {{name: a, labels: {{deploymentName: a}}}}\nspec:\n  scaleTargetRef: {{deploymentName: a}}\n  triggers: [{{type: kafka, metadata: {{{key}: 'kafka:9092', topic: a, consumerGroup: a, lagThreshold: '5'}}}}]\n"
        )
    };
    let custom = |kind: &str, field: &str, holds: &str| {
        format!(
            "apiVersion: tekton.dev/v1beta1\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n  {field}: {{apiVersion: a.example.com/v1, kind: Loop, spec: {{{holds}}}}}\n"
        )
    };
    let bundle = |image: &str| {
        format!(
            "apiVersion: tekton.dev/v1beta1\nkind: PipelineRun\nmetadata: {{name: a}}\nspec:\n  pipelineSpec: {{tasks: [{{name: a, taskRef: {{name: a, bundle: {image}}}}}]}}\n"
        )
    };
    let service = |strategy: &str| {
        format!(
            "apiVersion: traefik.io/v1alpha1\nkind: TraefikService\nmetadata: {{name: a}}\nspec: {{weighted: {{services: [{{name: b, port: 80, strategy: {strategy}}}]}}}}\n"
        )
    };
    let [v1, v0_37, v0_37_4] = ["karpenter@1.1.1", "karpenter@0.37.1", "karpenter@0.37.4"];
    let finally = "  finally: [{name: b, taskRef: {name: b}}]\n";
    for (text, [from, to], said) in [
        (pool(plain), [v1, v0_37], None),
        (pool(late), [v1, v0_37], Some("stores NodePools in v1beta1")),
        (pool(late), [v1, v0_37_4], Some("stores NodePools in v1beta1")),
        (pool(late), [v1, "karpenter@1.0.4"], None),
        (class(latest), [v1, v0_37], None),
        (class(&kubelet), [v1, v0_37_4], Some("loses spec.kubelet")),
        (class(pinned), [v1, v0_37], Some("loses the version in the alias")),
        (class(pinned), [v1, v0_37_4], None),
        (pipeline(""), ["tekton@0.42", "tekton@0.13"], None),
        (pipeline(finally), ["tekton@0.42", "tekton@0.13"], Some("before v0.18.0")),
        (bundle("b"), ["tekton@0.44", "tekton@1.0"], Some("was pulled with the service account of the run")),
        (bundle("''"), ["tekton@0.44", "tekton@1.0"], None),
        (bundle("b"), ["tekton@0.11", "tekton@0.42"], None),
        (custom("CustomRun", "customSpec", "pipelineSpec: {tasks: []}"), ["tekton@0.42", "tekton@1.0"], Some("is not converted")),
        (custom("CustomRun", "customSpec", "tasks: []"), ["tekton@1.0", "tekton@0.42"], Some("is not converted")),
        (custom("CustomRun", "customSpec", "iterate: []"), ["tekton@0.42", "tekton@1.0"], None),
        (
            custom("PipelineRun", "pipelineSpec", "").replace("{apiVersion: a.example.com/v1, kind: Loop, spec: {}}", "{finally: [{name: a, taskSpec: {apiVersion: a.example.com/v1, kind: Loop, spec: {pipelineSpec: {}}}}]}"),
            ["tekton@0.42", "tekton@1.0"],
            Some("is not converted"),
        ),
        (scaled("bootstrapServers"), ["keda@1.5", "keda@1.1"], Some("names its brokers in brokerList")),
        (scaled("brokerList"), ["keda@1.5", "keda@1.1"], None),
        (service("p2c"), ["traefik@3.2", "traefik@3.7"], Some("a route with another one is not served")),
        (service("p2c"), ["traefik@3.4", "traefik@3.7"], None),
        (service("RoundRobin"), ["traefik@3.2", "traefik@3.7"], None),
    ] {
        let run = Tree::of(&[("a.yaml", &text)]).run(&["check", "--from", from, "--to", to]);
        let warned = run.out.contains("warning[advisory]");
        assert_eq!(warned, said.is_some(), "{to}: {text}{}", run.all());
        assert!(said.is_none_or(|said| run.out.contains(said)), "{to}: {text}{}", run.all());
    }
}

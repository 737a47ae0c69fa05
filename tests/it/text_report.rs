//! The report as text: complete where it goes, in colours only where asked, and no more lines than there are things to know.

use std::fs;
use std::process::Stdio;

use crate::support::program;
use crate::support::trees::Tree;

const TO: &str = "gateway-api@1.4/standard";

/// A route that changes.
fn route(name: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {{name: {name}}}\nspec: {{rules: [{{backendRefs: [{{name: {name}, port: 80}}]}}]}}\n"
    )
}

/// A route of a kind that the target lacks.
fn held(name: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: TCPRoute\nmetadata: {{name: {name}}}\nspec: {{rules: [{{backendRefs: [{{name: {name}, port: 80}}]}}]}}\n"
    )
}

const HELD: &str = "a.yaml:2:1: held-back[kind-not-in-target] TCPRoute s: gateway-api@1.4.1/standard does not have the kind TCPRoute.gateway.networking.k8s.io, which exists in single v0.4.0..v0.4.3, standard v1.6.0..v1.6.1, experimental v0.5.0..v1.6.1\n";
const HELP: &str = "  help: choose a release that has it, or remove the route from the tree; the experimental channel has it since v0.5.0, the standard channel has TCPRoute since v1.6.0\n";
const CHANGE: &str = "b.yaml:1:1: HTTPRoute b: gateway.networking.k8s.io/v1beta1 -> gateway.networking.k8s.io/v1\n";
const SUMMARY: &str =
    "2 files read, 6 objects recognized: 1 to change in 1 file, 5 held back; 0 files skipped, 0 failed\n";

/// Five routes that are held back in the first file, and one that changes in the second.
fn tree() -> Tree {
    let five: Vec<String> = ["s", "t", "u", "v", "w"].map(held).to_vec();
    Tree::of(&[("a.yaml", &five.join("---\n")), ("b.yaml", &route("b"))])
}

/// The places of the kinds of the routes that are held back; from one to the next it is five lines.
const OTHERS: [&str; 4] =
    ["a.yaml:7:1 TCPRoute t", "a.yaml:12:1 TCPRoute u", "a.yaml:17:1 TCPRoute v", "a.yaml:22:1 TCPRoute w"];

/// The first two of them.
fn first_places() -> String {
    format!("; also {} and 2 more (-v lists them)\n", OTHERS[..2].join(", "))
}

#[test]
fn a_check_reports_changes_and_findings_together() {
    let run = tree().run(&["check", "--to", TO]);
    run.check(1);
    assert_eq!(run.out, format!("{}{}{HELP}{CHANGE}", HELD.trim_end(), first_places()));
    assert_eq!(run.err, SUMMARY);
}

/// A field that only documentation had is a known mistake, and not an unknown field besides.
#[test]
fn a_known_mistake_is_said_once() {
    let proxy = "apiVersion: gateway.nginx.org/v1alpha2\nkind: NginxProxy\nmetadata: {name: a, namespace: b}\nspec:\n  kubernetes:\n    service:\n      annotations: {a: b}\n      other: 1\n";
    let run = Tree::of(&[("a.yaml", proxy)]).run(&["check", "--to", "ngf@2.4"]);
    let found: Vec<&str> = run.out.lines().filter(|line| line.contains("warning[")).map(str::trim_start).collect();
    let starts = [
        "a.yaml:7:7: warning[advisory] NginxProxy b/a: no release supports annotations here",
        "a.yaml:8:7: warning[unknown-field] no release has the field spec.kubernetes.service.other",
    ];
    assert_eq!(found.len(), 2, "{}", run.all());
    assert!(found.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{}", run.all());
}

/// A Deployment whose settings belong elsewhere: they are one line and one thing to do, and with `--verbose` a line each.
#[test]
fn what_holds_for_several_fields_of_an_object_is_one_line() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: gateway}\nspec:\n  replicas: 2\n  template:\n    spec:\n      tolerations: []\n      containers:\n      - {name: nginx-gateway, args: [static-mode]}\n      - {name: nginx, image: nginx}\n";
    let tree = Tree::of(&[("a.yaml", deployment)]);
    let run = tree.run(&["check", "--to", "ngf@2.0"]);
    let line = "a.yaml:5:3: warning[advisory] Deployment gateway: spec.replicas is not edited; from v2.0.0 on, this is configured elsewhere; so with 3 more fields\n  help: configure by hand:\n    spec.replicas: NginxProxy spec.kubernetes.deployment.replicas\n    spec.template.spec.tolerations: NginxProxy spec.kubernetes.deployment.pod.tolerations, for NGINX\n    spec.template.spec.containers[0].args[0]: the argument controller in the same place\n    spec.template.spec.containers[1].image: NginxProxy spec.kubernetes.deployment.container.image, split into repository and tag\n";
    assert_eq!(run.out, line, "{}", run.all());
    let all = tree.run(&["check", "-v", "--to", "ngf@2.0"]);
    assert_eq!(all.out.matches("configured elsewhere").count(), 4, "{}", all.out);
}

/// What names a release says nothing where nothing is done, and a version that is no release is for `--verbose`.
#[test]
fn the_report_of_a_clean_tree_is_one_line() {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: cilium}\nspec:\n  source: {repoURL: https://helm.cilium.io/, chart: cilium, targetRevision: 1.11.5}\n  destination: {namespace: kube-system}\n";
    let policy = "apiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: a}\nspec: {endpointSelector: {}, ingress: [{}]}\n";
    let tree = Tree::of(&[("a.yaml", application), ("b.yaml", policy)]);
    let run = tree.run(&["check", "--to", "cilium@latest"]);
    run.check(0);
    assert_eq!((run.out.lines().count(), run.err.lines().count()), (0, 1), "{}", run.all());
    let verbose = tree.run(&["check", "-v", "--to", "cilium@latest"]);
    let note = "note[pinned-version] chart cilium 1.11.5 does not show where the objects come from: it is not exactly a known release";
    assert!(verbose.out.contains(note), "{}", verbose.all());
}

#[test]
fn a_file_has_the_whole_report_and_every_place() {
    let tree = tree();
    let run = tree.run(&["check", "--to", TO, "--output-file", "report", "--color", "auto"]);
    run.check(1);
    let all: String = OTHERS.map(|place| format!("  also {place}\n")).concat();
    assert_eq!(tree.text("report"), format!("{HELD}{all}{HELP}{CHANGE}"));
    assert_eq!((run.out, run.err), (String::new(), SUMMARY.to_owned()));
    assert!(tree.run(&["check", "-v", "--to", TO]).out.starts_with(&tree.text("report")));
}

#[test]
fn the_file_of_a_diff_is_a_diff_and_that_of_a_plan_has_the_findings() {
    let tree = tree();
    let diff = tree.run(&["diff", "--to", TO, "--output-file", "a.diff"]);
    assert!(tree.text("a.diff").starts_with("--- a/b.yaml\n") && !tree.text("a.diff").contains("held-back"));
    assert!(diff.out.is_empty() && diff.err.starts_with(HELD) && diff.err.ends_with(SUMMARY), "{}", diff.err);
    let plan = tree.run(&["plan", "-o", "a.plan", "--to", TO, "--output-file", "findings"]);
    assert!(tree.text("findings").starts_with(HELD) && plan.err.starts_with(SUMMARY), "{}", plan.err);
    let shown = tree.run(&["show", "a.plan"]).err;
    assert!(shown.contains(&format!("{}{}", HELD.trim_end(), first_places())), "{shown}");
}

#[test]
fn totals_take_the_place_of_objects() {
    let tree = tree();
    let run = tree.run(&["check", "--statistics", "--to", TO]);
    run.check(1);
    let expected = "\
objects held back, by kind:
  5 TCPRoute.gateway.networking.k8s.io
objects to change, by kind:
  1 HTTPRoute.gateway.networking.k8s.io
findings:
  5 held-back[kind-not-in-target]
";
    assert_eq!((run.out.as_str(), run.err.as_str()), (expected, SUMMARY));
    let detected = tree.run(&["detect", "--statistics"]).out;
    let expected = "\
kinds:
  5 TCPRoute.gateway.networking.k8s.io
  1 HTTPRoute.gateway.networking.k8s.io
releases:
  5 gateway-api: single v0.4.0..v0.4.3, experimental v0.5.0..v1.6.1
  1 gateway-api: standard v0.5.0..v1.6.1, experimental v0.5.0..v1.6.1
";
    assert!(detected.starts_with(expected), "{detected}");
    for command in [&["check", "--to", TO][..], &["detect"]] {
        tree.run(&[command, &["--statistics", "--format", "json"]].concat()).check(2);
    }
}

/// Runs `check` with variables that ask for colours and links, into pipes.
fn forced(tree: &Tree, arguments: &[&str]) -> String {
    let mut command = program();
    command.args(["check", "--to", TO]).args(arguments).current_dir(tree.path("")).stdin(Stdio::null());
    let variables = [("FORCE_COLOR", "1"), ("FORCE_HYPERLINK", "1"), ("TERM", "xterm-kitty")];
    let output = command.envs(variables).env_remove("NO_COLOR").output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn a_pipe_has_colours_only_where_forced_and_never_links() {
    let tree = tree();
    let coloured = forced(&tree, &[]);
    assert!(
        coloured.starts_with("\u{1b}[34ma.yaml:2:1\u{1b}[0m: \u{1b}[1m\u{1b}[35mheld-back[kind-not-in-target]\u{1b}[0m \u{1b}[1mTCPRoute s"),
        "{coloured}"
    );
    // The summary is on standard error.
    assert!(coloured.contains("\u{1b}[1m\u{1b}[35m5 held back\u{1b}[0m"), "{coloured}");
    assert!(!coloured.contains("\u{1b}]8"), "{coloured}");
    assert!(!forced(&tree, &["--color", "never"]).contains('\u{1b}'));
    forced(&tree, &["--output-file", "report", "--color", "auto"]);
    assert!(!tree.text("report").contains("\u{1b}]8"));
}

#[test]
fn a_kind_that_no_release_has_is_reported_once() {
    let other = |name: &str| held(name).replace("TCPRoute", "QuicRoute");
    let documents = ["a", "b", "c", "d", "e", "f"].map(other).join("---\n");
    let run = Tree::of(&[("a.yaml", &documents)]).run(&["check", "--to", TO]);
    assert_eq!(run.out.matches("unresolved[unknown-kind]").count(), 1, "{}", run.out);
    assert!(run.out.contains(" and 3 more (-v lists them)\n"), "{}", run.out);
}

#[test]
fn a_group_in_a_comment_is_no_mention() {
    let text =
        |key: &str| format!("kind: Other # like gateway.networking.k8s.io\n{key}: 1 # gateway.networking.k8s.io\n");
    let tree = Tree::of(&[("a.yaml", &text("replicas")), ("b.yaml", &text("gateway.networking.k8s.io/x"))]);
    let run = tree.run(&["check", "--to", TO]);
    assert!(!run.out.contains("a.yaml") && run.out.starts_with("b.yaml:1:1: warning[not-an-object]"), "{}", run.out);
}

#[test]
fn the_comments_of_neighbouring_lines_are_one_finding() {
    let retry = "    retry:\n      # one\n      # two\n      attempts: 3 # three\n      backoff: 1s\n      codes: [500] # five\n";
    let text = route("r").replace(
        "spec: {rules: [{backendRefs: [{name: r, port: 80}]}]}\n",
        &format!("spec:\n  rules:\n  - backendRefs: [{{name: r, port: 80}}]\n{retry}"),
    );
    let tree = Tree::of(&[("a.yaml", &text)]);
    let run = tree.run(&["check", "--allow-loss", "--to", TO]);
    run.check(1);
    let block = "a.yaml:8:7: warning[comment-dropped] the comments of 3 lines, from `# one` on, are removed with their fields\n";
    assert!(run.out.contains(block), "{}", run.out);
    let apart = "a.yaml:12:20: warning[comment-dropped] the comment `# five` is removed with its field\n";
    assert!(run.out.contains(apart), "{}", run.out);
    assert_eq!(run.out.matches("comment-dropped").count(), 2, "{}", run.out);
}

#[test]
fn advice_is_a_warning_only_where_it_may_matter() {
    let from = |spec: &str, kind: &str| {
        format!("apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: {kind}\nmetadata: {{name: r}}\nspec: {spec}\n")
    };
    let advised = |text: &str, what: &str, arguments: &[&str]| {
        let tree = Tree::of(&[("a.yaml", text)]);
        let run = tree.run(&[&["check", "--to", "gateway-api@1.6/standard"], arguments].concat());
        run.out.lines().find(|line| line.contains(what)).map(str::to_owned)
    };
    let cases = [
        (
            "rule without a valid backend",
            "{rules: [{backendRefs: [{name: s, port: 80}]}]}",
            "{rules: [{matches: [{path: {value: /a}}]}]}",
        ),
        ("a port in the Host header", "{rules: []}", "{hostnames: [a.example.com]}"),
        (
            "a redirect without a port",
            "{rules: [{filters: [{type: RequestRedirect, requestRedirect: {hostname: b}}]}]}",
            "{rules: [{filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}]}]}",
        ),
    ];
    for (what, without, with) in cases {
        assert_eq!(advised(&from(without, "HTTPRoute"), what, &["-v"]), None);
        let found = advised(&from(with, "HTTPRoute"), what, &[]).unwrap();
        assert!(found.contains("warning[advisory]"), "{found}");
    }
    let shared = from("{hostnames: [a.example.com]}", "GRPCRoute");
    assert_eq!(advised(&shared, "can use the same hostname", &[]), None);
    let found = advised(&shared, "can use the same hostname", &["-v"]).unwrap();
    assert!(found.contains("note[advisory]"), "{found}");
}

/// An object that older releases have too may have been written for them: nothing shows that the CRDs in the cluster are newer.
#[test]
fn advice_about_a_rollback_is_a_warning_only_for_what_is_newer() {
    let policy = |arguments: &[&str]| {
        let tree = Tree::of(&[("a.yaml", &route("r"))]);
        let run = tree.run(&[&["check"], arguments].concat());
        run.out.lines().find(|line| line.contains("safe-upgrades")).map(str::to_owned)
    };
    assert_eq!(policy(&["--to", "gateway-api@1.4/standard"]), None);
    assert!(
        policy(&["-v", "--to", "gateway-api@1.4/standard"]).unwrap().starts_with("about the cluster: note[advisory]")
    );
    assert!(
        policy(&["--from", "gateway-api@1.6", "--to", TO]).unwrap().starts_with("about the cluster: warning[advisory]")
    );
}

/// What becomes of each object of a file is said by its lines: the counts follow where they say more.
#[test]
fn a_file_whose_lines_say_all_has_no_counts() {
    let at_target = route("c").replace("v1beta1", "v1");
    let deployment = "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: d, labels: {a: b}}\nspec: {template: {metadata: {labels: {a: b}}, spec: {containers: [{name: d, image: d}]}}}\n";
    let files = [("b.yaml", &*route("b")), ("a.yaml", &held("s")), ("c.yaml", &at_target), ("d/d.yaml", deployment)];
    let tree = Tree::of(&files);
    let check = |arguments: &[&str]| tree.run(&[&["check", "--to", TO], arguments].concat());
    let one = check(&["b.yaml"]);
    one.check(1);
    assert_eq!((&*one.out, &*one.err), (CHANGE, ""));
    assert_eq!(check(&["a.yaml"]).all(), format!("{HELD}{HELP}"));
    // Not said by a line: what is at the target, how many files there were, and what was asked for besides.
    assert!(check(&["c.yaml"]).err.starts_with("1 file read, 1 object recognized: 0 to change"));
    for arguments in [&["a.yaml", "b.yaml"][..], &["-q", "b.yaml"], &["-v", "b.yaml"], &["--statistics", "b.yaml"]] {
        assert!(check(arguments).err.contains(" recognized: 1 to change in 1 file, "), "{arguments:?}");
    }
    assert!(check(&["--output-file", "report.txt", "b.yaml"]).err.starts_with("1 file read, "));
    // Old defaults are of no object's line.
    let defaults = "kubernetes: old defaults are written into 1 object to keep the meaning; `--set kubernetes.defaults=adopt` takes the new ones\n";
    let to = ["check", "--to", "kubernetes@1.22"];
    assert_eq!(tree.run(&[&to[..], &["d/d.yaml"]].concat()).err, defaults);
    let folder = tree.run(&[&to[..], &["d"]].concat()).err;
    assert_eq!(
        folder.strip_prefix(
            "1 file read, 1 object recognized: 1 to change in 1 file, 0 held back; 0 files skipped, 0 failed\n"
        ),
        Some(defaults)
    );
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    let tree = tree();
    for at in 0..20 {
        fs::write(tree.path(&format!("c{at}.yaml")), route("c") + "---\n" + &held("d")).unwrap();
    }
    let run = |threads: &str| tree.run(&["check", "--to", TO, "-j", threads]).out;
    assert_eq!(run("1"), run("8"));
    assert!(run("1").contains(" and 22 more (-v lists them)\n"), "{}", run("1"));
}

#[test]
fn what_becomes_of_a_file_of_many_documents_does_not_depend_on_the_number_of_threads() {
    let document = |at: usize| match at % 3 {
        0 => held(&format!("h{at}")),
        1 => format!("# of {at}\n{}", route(&format!("r{at}"))),
        _ => format!("apiVersion: v1\nkind: Service\nmetadata:\n  name: s{at}\n"),
    };
    let text: String = (0..1200).map(|at| document(at) + "---\n").collect();
    let tree = Tree::of(&[("many.yaml", &text)]);
    let run = |threads: &str| tree.run(&["diff", "--to", TO, "-j", threads]).out;
    assert_eq!(run("1"), run("3"));
    let changed = run("3").lines().filter(|line| line.starts_with("+apiVersion:")).count();
    assert_eq!(changed, 400, "the routes change, the others do not");
}

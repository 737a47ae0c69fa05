//! Each format for pipelines is read back by a reader of its own: SARIF with the official schema, JUnit with the structure of
//! junit-10.xsd (Jenkins, xunit-plugin), GitLab's report with the fields that GitLab documents, Markdown as GitHub reads it, and workflow
//! commands as the runner does.

use std::collections::BTreeSet;
use std::fs;

use reversion::internals::finding::Severity;
use reversion::internals::report::document::{ObjectRecord, ReportDocument};
use reversion::internals::report::{address, github, junit, markdown, sarif};
use reversion::internals::text::Position;
use serde_json::{Value, json};

use crate::formats::{Case, check_junit, document, sarif_schema};
use crate::support::program;
use crate::support::trees::Tree;

const ROUTE: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [a.example.com]}\n";
const HELD: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: TLSRoute\nmetadata: {name: feeds}\nspec: {hostnames: [b.example.com], rules: [{backendRefs: [{name: feeds, port: 443}]}]}\n";
const BROKEN: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: cart\n";
const TEMPLATE: &str =
    "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata:\n  {{- include \"x\" . | nindent 2 }}\n";
const TO: [&str; 2] = ["--to", "gateway-api@1.0/standard"];

/// A repository with an object that changes, one that is held back, a template and a file that cannot be parsed.
fn tree() -> Tree {
    let tree = Tree::of(&[
        ("deploy/route.yaml", ROUTE),
        ("deploy/a b/held.yaml", HELD),
        ("deploy/chart.yaml", TEMPLATE),
        ("deploy/broken.yaml", BROKEN),
    ]);
    tree.git(&["init", "--quiet"]);
    tree
}

/// Reports `paths` from the folder `deploy`.
fn report(tree: &Tree, format: &str, paths: &[&str], code: i32) -> String {
    let run = tree.run_in("deploy", &[&["check", "--format", format], &TO[..], paths].concat());
    run.check(code);
    run.out
}

fn sarif_of(tree: &Tree, paths: &[&str], code: i32) -> Value {
    let log: Value = serde_json::from_str(&report(tree, "sarif", paths, code)).unwrap();
    let flaws: Vec<_> =
        sarif_schema().iter_errors(&log).map(|flaw| format!("{}: {flaw}", flaw.instance_path())).collect();
    assert_eq!(flaws, [""; 0], "{log:#}");
    log
}

#[test]
fn sarif_is_valid_and_names_places_from_the_root() {
    let log = sarif_of(&tree(), &[], 2);
    let run = &log["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], json!(false));
    assert_eq!(run["invocations"][0]["exitCode"], json!(2));
    let results = run["results"].as_array().unwrap();
    let place = |result: &Value| result["locations"][0]["physicalLocation"]["artifactLocation"].clone();
    let found: Vec<Value> =
        results.iter().map(|result| json!([place(result)["uri"], result["ruleId"], result["level"]])).collect();
    let expected = [
        json!(["deploy/a%20b/held.yaml", "kind-not-in-target", "error"]),
        json!(["deploy/broken.yaml", "parse-error", "error"]),
        json!(["deploy/chart.yaml", "template", "error"]),
        json!(["deploy/route.yaml", "changes-needed", "warning"]),
    ];
    assert_eq!(found, expected);
    for result in results {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!((&rule["id"], &place(result)["uriBaseId"]), (&result["ruleId"], &json!("%SRCROOT%")));
    }
    assert_eq!(results[3]["locations"][0]["physicalLocation"]["region"], json!({"startLine": 1, "startColumn": 1}));
    let rules: Vec<&str> =
        run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(rules, ["advisory", "changes-needed", "kind-not-in-target", "parse-error", "template"]);
    let clean = sarif_of(&tree(), &["chart.yaml", "--allow-empty"], 1);
    assert_eq!(clean["runs"][0]["invocations"][0]["executionSuccessful"], json!(true));
}

#[test]
fn an_acknowledged_finding_is_suppressed_in_sarif() {
    let log: Value = serde_json::from_str(&sarif::report(&document(&Case::plain()))).unwrap();
    assert!(sarif_schema().is_valid(&log));
    let results = log["runs"][0]["results"].as_array().unwrap();
    let suppressed: Vec<&Value> = results.iter().filter_map(|result| result.get("suppressions")).collect();
    assert_eq!(suppressed, [&json!([{"kind": "inSource", "status": "accepted", "justification": "reason"}])]);
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let addresses: Vec<Option<&str>> = rules.iter().map(|rule| rule["helpUri"].as_str()).collect();
    let expected = ["advisory", "changes-needed", "dropped-field"].map(address::of);
    assert_eq!(addresses, expected.each_ref().map(Option::as_deref));
    let notifications = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(notifications[0]["message"]["text"], "about the cluster: advice");
}

/// The fingerprints of a tree, as SARIF and GitLab have them.
fn fingerprints(tree: &Tree) -> [Vec<String>; 2] {
    let log = sarif_of(tree, &[], 2);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let sarif = results.iter().map(|result| text(&result["partialFingerprints"]["reversion/v1"])).collect();
    let issues: Vec<Value> = serde_json::from_str(&report(tree, "gitlab", &[], 2)).unwrap();
    [sarif, issues.iter().map(|issue| text(&issue["fingerprint"])).collect()]
}

#[test]
fn fingerprints_are_unique_and_stay_when_lines_move() {
    let tree = tree();
    let before = fingerprints(&tree);
    assert_eq!(before[0], before[1]);
    assert_eq!(before[0].iter().collect::<BTreeSet<_>>().len(), 4);
    for file in ["deploy/route.yaml", "deploy/a b/held.yaml", "deploy/broken.yaml"] {
        fs::write(tree.path(file), format!("# one\n# two\n{}", tree.text(file))).unwrap();
    }
    assert_eq!(fingerprints(&tree), before);
    fs::write(tree.path("deploy/route.yaml"), ROUTE.replace("shop", "other")).unwrap();
    let changed = fingerprints(&tree)[0].iter().zip(&before[0]).filter(|(new, old)| new != old).count();
    assert_eq!(changed, 1, "another object is another finding");
}

/// Source of the fields and severities: GitLab, "Code Quality report format".
#[test]
fn gitlab_reports_have_the_documented_fields() {
    let issues: Vec<Value> = serde_json::from_str(&report(&tree(), "gitlab", &[], 2)).unwrap();
    let found: Vec<_> =
        issues.iter().map(|issue| (&issue["location"], &issue["check_name"], &issue["severity"])).collect();
    let [held, broken, template, route] =
        [("a b/held.yaml", 2), ("broken.yaml", 3), ("chart.yaml", 4), ("route.yaml", 1)]
            .map(|(file, line)| json!({"path": format!("deploy/{file}"), "lines": {"begin": line}}));
    let [kind, parse, skipped, change] =
        ["kind-not-in-target", "parse-error", "template", "changes-needed"].map(Value::from);
    let [major, critical, minor] = ["major", "critical", "minor"].map(Value::from);
    let expected = [
        (&held, &kind, &major),
        (&broken, &parse, &critical),
        (&template, &skipped, &major),
        (&route, &change, &minor),
    ];
    assert_eq!(found, expected);
    for issue in &issues {
        let keys: BTreeSet<&str> = issue.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, BTreeSet::from(["check_name", "description", "fingerprint", "location", "severity"]));
    }
    assert!(issues[0]["description"].as_str().unwrap().starts_with("TLSRoute feeds: "));
}

#[test]
fn junit_has_a_suite_for_each_file_and_a_case_for_each_object() {
    let suites = check_junit(&report(&tree(), "junit", &[], 2));
    let cases: Vec<(&str, &str, &str)> = suites
        .iter()
        .flat_map(|suite| suite.cases.iter().map(|case| (&*suite.name, &*case.name, &*case.status)))
        .collect();
    let expected = [
        ("deploy/a b/held.yaml", "TLSRoute feeds", "failure kind-not-in-target"),
        ("deploy/broken.yaml", "parse-error", "error parse-error"),
        ("deploy/chart.yaml", "template", "failure template"),
        ("deploy/route.yaml", "HTTPRoute shop", "failure changes-needed"),
    ];
    assert_eq!(cases, expected);
    let at_target = tree().run(&[
        "check",
        "deploy/route.yaml",
        "--to",
        "gateway-api@0.8",
        "--format",
        "junit",
        "--from",
        "gateway-api@0.8",
    ]);
    let suites = check_junit(&at_target.out);
    assert_eq!((&*suites[0].cases[0].name, &*suites[0].cases[0].status), ("HTTPRoute shop", "passed"));
}

/// What makes `check` fail makes the pipeline fail that reads the report instead.
#[test]
fn a_template_is_no_green_test_case() {
    let suites = check_junit(&report(&tree(), "junit", &["chart.yaml", "--exit-zero"], 0));
    let statuses: Vec<&str> = suites.iter().flat_map(|suite| &suite.cases).map(|case| &*case.status).collect();
    assert_eq!(statuses, ["failure template"]);
}

#[test]
fn junit_skips_what_is_acknowledged() {
    let suites = check_junit(&junit::report(&document(&Case::plain())));
    let status = |name: &str| {
        suites.iter().flat_map(|suite| &suite.cases).find(|case| case.name == name).unwrap().status.clone()
    };
    assert_eq!(status("Route accepted"), "skipped");
    assert_eq!(status("title"), "failure dropped-field");
}

/// A document with so many findings of each severity, in objects of their own.
fn crowd(held: usize, warnings: usize, notes: usize) -> ReportDocument {
    let mut document = document(&Case::plain());
    let object = document.objects.remove(0);
    document.objects.clear();
    document.findings.clear();
    document.advisories.clear();
    let severities = [(Severity::Note, notes), (Severity::Warning, warnings), (Severity::Held, held)];
    for (severity, count) in severities {
        for at in 0..count {
            let mut object = object.clone();
            object.object = format!("Route {}-{at}", severity.name());
            object.location.position = Some(Position { line: document.objects.len() + 1, column: 1 });
            object.acknowledged.clear();
            object.findings[0].severity = severity;
            object.findings[0].location = object.location.clone();
            document.objects.push(object);
        }
    }
    document
}

/// Source of the numbers: GitHub shows 10 errors, 10 warnings and 10 notices of a step.
#[test]
fn github_gets_the_worst_findings_first_and_no_more_than_it_shows() {
    let commands = github::commands(&crowd(12, 11, 30));
    let count = |level: &str| commands.lines().filter(|line| line.starts_with(level)).count();
    assert_eq!((count("::error "), count("::warning "), count("::notice ")), (10, 10, 10));
    let first: Vec<&str> = commands.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert!(
        first[..10].iter().all(|level| *level == "::error") && first[10..20].iter().all(|level| *level == "::warning")
    );
    let last = "::notice title=reversion::2 errors, 1 warning, 21 notices not shown here; the step summary and the format `text` have them";
    assert_eq!(commands.lines().last(), Some(last));
    let all = github::commands(&crowd(10, 10, 10));
    assert_eq!(all.lines().count(), 30);
    assert!(!all.contains("not shown"));
}

#[test]
fn a_github_step_summary_has_every_reason() {
    let tree = tree();
    let summary = tree.path("summary.md");
    let mut command = program();
    command.args(["check", "--format", "github", "deploy"]).args(TO).current_dir(tree.path(""));
    let output = command.env("GITHUB_STEP_SUMMARY", &summary).output().unwrap();
    let commands = String::from_utf8(output.stdout).unwrap();
    assert!(commands.starts_with("::error file=deploy/broken.yaml,line=3,"), "{commands}");
    assert!(commands.contains("::error file=deploy/a b/held.yaml,line=2,"), "{commands}");
    let summary = fs::read_to_string(summary).unwrap();
    let reason = "**Held back (1)**\n\n- <code>TLSRoute feeds</code>: gateway-api&#64;&#8203;1.0.0/standard does not have the kind";
    assert!(summary.contains(reason), "{summary}");
}

#[test]
fn markdown_fits_into_a_comment_and_says_what_it_leaves_out() {
    let mut document = crowd(2_000, 2_000, 2_000);
    // What says the same is printed once, with a few places.
    let alike = markdown::report(&document, markdown::COMMENT);
    assert!(alike.contains("**Held back (2,000)**") && alike.contains(" and 1,994 more"), "{alike}");
    assert!(alike.len() < 3_000 && !alike.contains("left out"), "{alike}");
    for (number, object) in document.objects.iter_mut().enumerate() {
        object.findings.iter_mut().for_each(|finding| finding.message += &format!(" {number}"));
    }
    let comment = markdown::report(&document, markdown::COMMENT);
    assert!(comment.len() <= 65_000 && comment.len() > 50_000, "{}", comment.len());
    let shown = comment.lines().filter(|line| line.starts_with("- ") || line.contains(". <code>")).count();
    let left_out: usize = comment
        .lines()
        .filter_map(|line| line.strip_suffix(" more left out: the text would be too long."))
        .map(|count| count.replace(',', "").parse::<usize>().unwrap())
        .sum();
    assert_eq!(shown + left_out, 6_000);
    assert!(comment.contains("**Held back (2,000)**"));
    assert_eq!(comment.matches("<details>").count(), comment.matches("</details>").count());
    let summary = markdown::report(&document, markdown::STEP_SUMMARY);
    assert!(!summary.contains("left out") && summary.len() < 1 << 20);
}

/// What is unresolved needs a person most, and is counted.
#[test]
fn markdown_has_what_is_unresolved_first() {
    let mut document = crowd(0, 1, 0);
    let mut unresolved = document.objects[0].clone();
    unresolved.object = "Route z".to_owned();
    unresolved.findings[0].severity = Severity::Unresolved;
    document.objects.push(unresolved);
    document.summary.unresolved = 1;
    let text = markdown::report(&document, markdown::COMMENT);
    assert!(text.contains("| held back | unresolved | acknowledged |"), "{text}");
    let section = "**To do by hand (2, 1 unresolved)**\n\n1. **unresolved** <code>Route z</code>: message";
    assert!(text.contains(section), "{text}");
    assert!(text.contains("\n2. <code>Route warning-0</code>: message"), "{text}");
    // What says the same is one item.
    let again = ObjectRecord { object: "Route zz".to_owned(), ..document.objects[1].clone() };
    document.objects.push(again);
    let text = markdown::report(&document, markdown::COMMENT);
    assert!(text.contains("**To do by hand (3 in 2 items, 2 unresolved)**\n"), "{text}");
}

/// What a run prints beside its findings is in its reports too: where objects come from, which old defaults are written, and which fields
/// change in an object without a rule.
#[test]
fn reports_have_what_is_known_of_the_run_and_of_fields() {
    let certificate = "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: web}\nspec: {secretName: web, dnsNames: [a.example.com], issuerRef: {name: ca}}\n";
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: cm}\nspec:\n  source: {repoURL: https://charts.jetstack.io, chart: cert-manager, targetRevision: v1.17.0}\n";
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}}\n";
    let kustomization = "resources: [budget.yaml]\npatches:\n- target: {version: v1beta1, kind: PodDisruptionBudget}\n  patch: |-\n    - {op: add, path: /metadata/labels, value: {team: a}}\n";
    let tree = Tree::of(&[
        ("web.yaml", certificate),
        ("cm.yaml", application),
        ("b/budget.yaml", budget),
        ("b/kustomization.yaml", kustomization),
    ]);
    let to = ["check", "--to", "cert-manager@1.21", "--to", "kubernetes@1.25", "--set", "cert-manager.defaults=freeze"];
    let origin = "cert-manager objects come from v1.17.0: chart cert-manager v1.17.0 (cm.yaml:5:70)";
    let defaults = "cert-manager: old defaults are written into 1 object";
    let text = tree.run(&to);
    text.check(1);
    assert!(text.err.contains(&format!("{origin}\n")) && text.err.contains(defaults), "{}", text.err);
    let fields = "b/kustomization.yaml:1:1: Kustomization: kustomize.config.k8s.io/v1beta1, other fields: patches[0].target.version\n";
    assert!(text.out.contains(fields), "{}", text.out);
    let of_format = |format: &str| tree.run(&[&to[..], &["--format", format]].concat()).out;
    let json: Value = serde_json::from_str(&of_format("json")).unwrap();
    assert_eq!(json["origins"], json!([origin]));
    let kustomization = json["objects"].as_array().unwrap().iter().find(|object| object["object"] == "Kustomization");
    assert_eq!(kustomization.unwrap()["fields"], json!(["patches[0].target.version"]));
    let others = json["objects"].as_array().unwrap().iter().filter(|object| object.get("fields").is_some());
    assert_eq!(others.count(), 1);
    fs::write(tree.path("report.json"), json.to_string()).unwrap();
    let merged = tree.run(&["report", "merge", "report.json"]);
    tree.run(&[&["plan", "-o", "a.plan"], &to[1..]].concat()).check(0);
    let shown = tree.run(&["show", "a.plan"]);
    let markdown = of_format("markdown").replace("&#64;", "@").replace("&#8203;", "");
    for report in [merged.all(), shown.all(), markdown, of_format("html")] {
        for said in ["cert-manager objects come from v1.17.0: chart cert-manager v1.17.0", defaults] {
            assert!(report.contains(said), "{said}: {report}");
        }
    }
}

#[test]
fn a_run_that_recognizes_nothing_says_why_in_the_step_summary_and_in_a_notice() {
    let tree = Tree::of(&[
        ("deploy/service.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"),
        ("deploy/notes.txt", ""),
    ]);
    let summary = tree.path("summary.md");
    let mut command = program();
    command.args(["check", "--format", "github", "deploy"]).args(TO).current_dir(tree.path(""));
    let output = command.env("GITHUB_STEP_SUMMARY", &summary).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let why = "nothing recognized: no object of a kind that the pack gateway-api knows in deploy (1 file read; not read: 1 file with another extension)";
    let commands = String::from_utf8(output.stdout).unwrap();
    assert!(commands.starts_with(&format!("::notice title=reversion::{why}%0A  help: ")), "{commands}");
    assert!(String::from_utf8(output.stderr).unwrap().contains(why));
    let summary = fs::read_to_string(summary).unwrap();
    let lines: Vec<&str> = summary.lines().collect();
    assert!(lines[2].starts_with(why) && lines[2].contains("<br>help: ") && !summary.contains('|'), "{summary}");
}

const SECRET: &str =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: ngf-license}\ndata:\n  license.jwt: c2VjcmV0LXZhbHVl\n---\n";

#[test]
fn what_a_secret_holds_is_in_no_format() {
    let tree = Tree::of(&[("a.yaml", &format!("{SECRET}{ROUTE}"))]);
    for format in ["text", "json", "jsonl", "github", "gitlab", "sarif", "junit", "markdown"] {
        let run = tree.run(&["check", "--to", "gateway-api@1.6", "--format", format]);
        run.check(1);
        assert!(run.out.contains("shop") && !run.out.contains("c2VjcmV0"), "{format}: {}", run.out);
    }
}

/// The keys of a Secret can be secrets too; those of other objects are named.
#[test]
fn a_key_that_a_secret_has_twice_is_in_no_format() {
    let twice = "  t0psecret: a\n  t0psecret: b\n";
    let note = "metadata: {annotations: {note: gateway.networking.k8s.io}}\n";
    for secret in [
        format!("{note}data:\n{twice}kind: Secret\n"),
        format!("kind: \"Secret\"\n{note}stringData:\n{twice}"),
        format!("kind: SecretList\nitems:\n- {}", format!("{note}data:\n{twice}").trim_end().replace('\n', "\n  ")),
    ] {
        let tree = Tree::of(&[("a.yaml", &secret)]);
        for format in ["text", "json", "jsonl", "github", "gitlab", "sarif", "junit", "markdown"] {
            let run = tree.run(&["check", "--to", "gateway-api@1.6", "--format", format]);
            run.check(2);
            assert!(run.out.contains("duplicate key in one mapping"), "{format}: {}", run.out);
            assert!(!format!("{}{}", run.out, run.err).contains("t0psecret"), "{format}: {}", run.out);
        }
    }
    let tree = Tree::of(&[("a.yaml", &format!("kind: ConfigMap\n{note}data:\n{twice}"))]);
    let run = tree.run(&["check", "--to", "gateway-api@1.6"]);
    run.check(2);
    assert!(run.out.contains("duplicate key `t0psecret` in one mapping"), "{}", run.out);
}

#[test]
fn detect_has_the_formats_that_can_hold_it() {
    let tree = tree();
    for format in ["text", "json", "jsonl", "html", "github", "gitlab", "sarif"] {
        tree.run(&["detect", "deploy/a b", "--format", format]).check(0);
    }
    for format in ["junit", "markdown"] {
        let run = tree.run(&["detect", "--format", format]);
        run.check(2);
        let expected = "error: `detect` lists what there is, and has no format junit or markdown; use text, json, jsonl, html, github, gitlab or sarif\n";
        assert_eq!(run.err, expected);
    }
}

/// A path from the root of the file system is one from the root of the repository too.
#[test]
fn places_are_the_same_however_files_are_named() {
    let tree = tree();
    let folder = fs::canonicalize(tree.path("deploy")).unwrap();
    for format in ["sarif", "gitlab", "junit", "github", "markdown"] {
        let below = report(&tree, format, &["a b", "route.yaml"], 1);
        let absolute = ["a b", "route.yaml"].map(|file| folder.join(file).to_string_lossy().into_owned());
        let absolute = report(&tree, format, &absolute.each_ref().map(String::as_str), 1);
        assert_eq!(absolute, below, "{format}");
        let indirect =
            ["a b", "route.yaml"].map(|file| folder.join("a b/./..").join(file).to_string_lossy().into_owned());
        let indirect = report(&tree, format, &indirect.each_ref().map(String::as_str), 1);
        assert_eq!(indirect, below, "{format}");
        let above = tree.run(&[&["check", "--format", format, "deploy/a b", "./deploy/route.yaml"], &TO[..]].concat());
        assert_eq!(above.out, below, "{format}");
    }
}

/// The limit is that of the file, to which the step may have written before.
#[test]
fn a_step_summary_leaves_room_for_what_is_there_already() {
    let routes: Vec<String> = (0..2_000).map(|at| ROUTE.replace("shop", &format!("shop-{at}"))).collect();
    let tree = Tree::of(&[("deploy/a.yaml", &routes.join("---\n"))]);
    let summary = tree.path("summary.md");
    let before = "#".repeat(950_000);
    for (before, is_cut) in [("", false), (before.as_str(), true)] {
        fs::write(&summary, before).unwrap();
        let mut command = program();
        command.args(["check", "--format", "github", "deploy"]).args(TO).current_dir(tree.path(""));
        command.env("GITHUB_STEP_SUMMARY", &summary).output().unwrap();
        let text = fs::read_to_string(&summary).unwrap();
        let added = text.strip_prefix(before).unwrap();
        assert!(added.starts_with("### reversion check") && text.len() <= 1_000_000, "{}", text.len());
        assert_eq!(added.contains("left out: the text would be too long"), is_cut);
    }
}

/// Git applies a diff whose file names are quoted, and a terminal shows nothing in another order.
#[cfg(unix)]
#[test]
fn a_name_that_reorders_text_is_quoted_in_a_diff_for_git() {
    let name = "a\u{202e}b.yaml";
    let tree = Tree::of(&[(name, ROUTE)]);
    tree.git(&["init", "--quiet"]);
    let run = tree.run(&[&["diff", "--output-file", "changes.diff"], &TO[..]].concat());
    run.check(1);
    let diff = tree.text("changes.diff");
    assert!(diff.starts_with("--- \"a/a\\342\\200\\256b.yaml\"\n+++ \"b/a\\342\\200\\256b.yaml\"\n"), "{diff}");
    tree.git(&["apply", "changes.diff"]);
    assert_eq!(tree.text(name), ROUTE.replace("v1beta1", "v1"));
}

/// Kinds of one name can be of several groups.
#[test]
fn totals_are_by_kind_and_group() {
    let tree = Tree::of(&[("a.yaml", ROUTE)]);
    let run = tree.run(&[&["check", "--format", "json"], &TO[..]].concat());
    run.check(1);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let expected = json!({"HTTPRoute.gateway.networking.k8s.io": {"unchanged": 0, "changed": 1, "heldBack": 0, "acknowledged": 0}});
    assert_eq!(report["totals"]["kinds"], expected);
}

/// What is one line in the text is one line in every format: a name cannot look like help.
#[test]
fn a_line_break_in_a_name_is_written_out_in_every_format() {
    let route = ROUTE.replace("name: shop", "name: \"shop\\nhelp: nothing to do\"");
    let tree = Tree::of(&[("a.yaml", &route)]);
    for format in ["text", "github", "gitlab", "sarif", "junit", "markdown"] {
        let run = tree.run(&[&["check", "--format", format], &TO[..]].concat());
        run.check(1);
        // A backslash is two in JSON, and its number in Markdown.
        let name = match format {
            "gitlab" | "sarif" => "shop\\\\nhelp: nothing to do",
            "markdown" => "shop&#92;nhelp: nothing to do",
            _ => "shop\\nhelp: nothing to do",
        };
        assert!(run.out.contains(name), "{format}: {}", run.out);
        for line_break in ["shop\n", "shop%0A", "shop&#10;"] {
            assert!(!run.out.contains(line_break), "{format}: {}", run.out);
        }
    }
}

/// Two runs on the same files print the same, and no machine's path.
#[test]
fn reports_are_the_same_again() {
    let tree = tree();
    let folder = tree.path("").to_string_lossy().into_owned();
    for format in ["json", "jsonl", "github", "gitlab", "sarif", "junit", "markdown"] {
        let [first, second] = [(), ()].map(|()| report(&tree, format, &[], 2));
        assert_eq!(first, second, "{format}");
        assert!(!first.contains(&folder), "{format}");
    }
}

//! What `detect` says about a tree: what is old in each API, and what brings it up to date.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::support::trees::{Run, Tree};

const CRON_JOB: &str = "apiVersion: batch/v1beta1
kind: CronJob
metadata: {name: backup, namespace: media}
spec:
  schedule: '@daily'
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: backup, image: registry.example/backup:1}]
";

const INGRESS: &str = "apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: photos, namespace: media}
spec:
  defaultBackend: {service: {name: photos, port: {number: 80}}}
";

const ISSUER: &str = "apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: internal}
spec: {selfSigned: {}}
";

const SOURCE: &str = "apiVersion: source.toolkit.fluxcd.io/v1beta2
kind: HelmRepository
metadata: {name: charts, namespace: flux-system}
spec: {interval: 1h, url: https://charts.example}
";

fn home() -> Tree {
    Tree::of(&[
        ("apps/backup.yaml", CRON_JOB),
        ("apps/photos.yaml", INGRESS),
        ("issuer.yaml", ISSUER),
        ("flux/charts.yaml", SOURCE),
    ])
}

#[test]
fn the_summary_says_what_is_old_and_how_to_bring_it_up_to_date() {
    let run = home().run(&["detect"]);
    run.check(0);
    let line = |start: &str| run.out.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
    // What is current is one line; of the range only what older objects decide is certain in every version of the packs.
    assert!(line("cert-manager: ").starts_with("cert-manager: 1 object, all current in v1."), "{}", run.out);
    assert!(line("flux: ").starts_with("flux: 1 object, 1 outdated in v2."), "{}", run.out);
    let kubernetes = line("kubernetes: ");
    assert!(kubernetes.starts_with("kubernetes: 2 objects, 1 outdated in v1."), "{}", run.out);
    assert!(kubernetes.ends_with("; all fit v1.19.0..v1.24.0"), "{}", run.out);
    let old = "
  removed in v1.25.0, deprecated since v1.21.0:
    1 CronJob batch/v1beta1 -> v1
";
    assert!(run.out.contains(old), "{}", run.out);
    assert!(run.out.contains("    1 HelmRepository source.toolkit.fluxcd.io/v1beta2 -> v1\n"), "{}", run.out);
    let command = line("  reversion diff ");
    assert!(command.contains(" --to flux@2.") && command.contains(" --to kubernetes@1."), "{command}");
    for unnamed in ["Ingress", "ClusterIssuer", "gateway-api", "external-secrets", "--to cert-manager", "backup.yaml"] {
        assert!(!run.out.contains(unnamed), "{unnamed}: {}", run.out);
    }
}

#[test]
fn the_objects_are_listed_with_verbose() {
    let run = home().run(&["detect", "--verbose"]);
    run.check(0);
    let object = "apps/photos.yaml:1:1: Ingress media/photos (networking.k8s.io/v1): v1.19.0..v1.";
    assert!(run.out.contains(object) && run.out.contains("1 CronJob batch/v1beta1 -> v1"), "{}", run.out);
    assert!(!run.out.contains("`--verbose` lists"), "{}", run.out);
}

#[test]
fn what_is_current_is_one_line() {
    let run = Tree::of(&[("a.yaml", ISSUER)]).run(&["detect"]);
    run.check(0);
    let lines: Vec<&str> = run.out.lines().collect();
    let [api, help] = lines.as_slice() else { panic!("{}", run.out) };
    assert!(api.starts_with("cert-manager: 1 object, all current in v1.") && help.starts_with("help: "), "{}", run.out);
    let json = json_of(&Tree::of(&[("a.yaml", ISSUER)]), &[]);
    assert_eq!((&json["update"], &json["apis"][0]["outdated"]), (&Value::Null, &json!(0)));
}

#[test]
fn objects_that_no_release_fits_are_named() {
    let old = "apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {}}\n";
    let run = Tree::of(&[("new.yaml", INGRESS), ("old.yaml", old)]).run(&["detect"]);
    run.check(0);
    let expected = "
  no release fits both:
    new.yaml:1:1: Ingress media/photos fits v1.19.0..v1.37.0
    old.yaml:1:1: Deployment web fits v1.14.0..v1.15.0
";
    assert!(run.out.contains("no release fits all"), "{}", run.out);
    assert!(run.out.contains(expected), "{}", run.out);
}

#[test]
fn an_api_version_that_no_release_serves_is_old() {
    let unknown = CRON_JOB.replace("v1beta1", "v3");
    let json = json_of(&Tree::of(&[("a.yaml", &unknown)]), &[]);
    assert_eq!(json["apis"][0]["kinds"][0]["state"], "unknown", "{json}");
}

#[test]
fn json_has_the_same_facts() {
    let json = json_of(&home(), &[]);
    let apis: BTreeMap<&str, &Value> =
        json["apis"].as_array().unwrap().iter().map(|api| (api["pack"].as_str().unwrap(), api)).collect();
    assert_eq!(apis.keys().copied().collect::<Vec<_>>(), ["cert-manager", "flux", "kubernetes"]);
    let kubernetes = apis["kubernetes"];
    assert_eq!((&kubernetes["objects"], &kubernetes["outdated"]), (&json!(2), &json!(1)));
    assert_eq!(kubernetes["withApiVersions"], json!([{"channel": "single", "first": "v1.19.0", "last": "v1.24.0"}]));
    let job = json!({
        "kind": "CronJob.batch",
        "apiVersion": "batch/v1beta1",
        "objects": 1,
        "state": "removed",
        "deprecatedSince": "v1.21.0",
        "removedIn": "v1.25.0",
        "changed": 1,
        "heldBack": 0,
        "becomes": [{"kind": "CronJob.batch", "apiVersion": "batch/v1"}],
    });
    assert_eq!(kubernetes["kinds"][0], job);
    assert_eq!(kubernetes["kinds"][1]["state"], "current");
    let update = &json["update"];
    assert_eq!((&update["changed"], &update["files"], &update["heldBack"]), (&json!(2), &json!(2), &json!(0)));
    assert_eq!(json["objects"].as_array().unwrap().len(), 4);
}

/// As `check` says it of the same object.
#[test]
fn fields_of_another_version_than_the_objects_own_are_reported() {
    let old = "backend: {serviceName: photos, servicePort: 80}";
    let mixed = INGRESS.replace("defaultBackend: {service: {name: photos, port: {number: 80}}}", old);
    let tree = Tree::of(&[("a.yaml", &mixed)]);
    let run = tree.run(&["detect"]);
    run.check(0);
    let expected = "a.yaml:1:1: warning[api-version-mismatch] Ingress media/photos: the fields are those of networking.k8s.io/v1beta1, and not of networking.k8s.io/v1; the fields decide\n";
    assert!(run.out.contains(expected), "{}", run.out);
    let check = tree.run(&["check", "--to", "kubernetes@latest"]);
    assert!(check.out.contains("warning[api-version-mismatch] the fields are those"), "{}", check.out);
}

const CHART: (&str, &str) = ("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");

const JOB_TEMPLATE: &str = "apiVersion: batch/v1beta1
kind: CronJob
metadata: {name: {{ .Release.Name }}}
spec:
  schedule: '@daily'
  jobTemplate: {spec: {template: {spec: {containers: []}}}}
";

/// What only some clusters get counts once: in the branch that the newest release takes.
#[test]
fn objects_of_templates_count_as_check_reads_them() {
    let branches = "{{- if .Capabilities.APIVersions.Has \"policy/v1/PodDisruptionBudget\" }}
apiVersion: policy/v1
{{- else }}
apiVersion: policy/v1beta1
{{- end }}
kind: PodDisruptionBudget
metadata: {name: {{ .Release.Name }}}
";
    let tree = Tree::of(&[CHART, ("web/templates/job.yaml", JOB_TEMPLATE), ("web/templates/budget.yaml", branches)]);
    let run = tree.run(&["detect", "--verbose"]);
    run.check(0);
    assert!(run.out.contains("kubernetes: 2 objects, 1 outdated in v1."), "{}", run.out);
    assert!(run.out.contains("    1 CronJob batch/v1beta1 -> v1\n"), "{}", run.out);
    assert!(
        run.out.contains("web/templates/job.yaml:1:1: CronJob {{ .Release.Name }} (batch/v1beta1): "),
        "{}",
        run.out
    );
    assert!(!run.out.contains("warning[template]"), "{}", run.out);
    let check = tree.run(&["check", "--to", "kubernetes@latest"]);
    let read = |run: &Run| run.err.lines().last().unwrap().split([':', ';']).next().unwrap().to_owned();
    assert_eq!(read(&run), "3 files read, 2 objects recognized", "{}", run.err);
    assert_eq!(read(&check), read(&run), "{}", check.err);
}

#[test]
fn what_cannot_be_read_of_templates_is_said_as_check_says_it() {
    let open = "apiVersion: {{ include \"library.version\" . }}\nkind: Ingress\nmetadata: {name: web}\n";
    let unclosed = format!("{{{{- if .Values.job }}}}\n{JOB_TEMPLATE}");
    let tree = Tree::of(&[
        CHART,
        ("web/templates/job.yaml", JOB_TEMPLATE),
        ("web/templates/ingress.yaml", open),
        ("web/templates/unclosed.yaml", &unclosed),
        ("other/job.yaml", JOB_TEMPLATE),
    ]);
    let about_templates = |arguments: &[&str]| -> Vec<String> {
        let run = tree.run(arguments);
        run.check(1);
        let lines = run.out.lines().filter(|line| line.contains("[template")).map(str::to_owned);
        lines.collect()
    };
    let unresolved = |run: &Run| {
        run.err
            .lines()
            .last()
            .unwrap()
            .split([',', ':', ';'])
            .find_map(|part| part.trim().strip_suffix(" unresolved").map(str::to_owned))
    };
    let (found, checked) = (tree.run(&["detect"]), tree.run(&["check", "--to", "kubernetes@latest"]));
    assert!(found.err.contains(" recognized: 3 unresolved; "), "{}", found.err);
    assert_eq!(unresolved(&found), unresolved(&checked), "{}", checked.err);
    let detected = about_templates(&["detect"]);
    assert_eq!(detected, about_templates(&["check", "--to", "kubernetes@latest"]));
    assert!(detected.iter().any(|line| line.contains("unresolved[template-action]")), "{detected:#?}");
    assert_eq!(detected.iter().filter(|line| line.contains("unresolved[template]")).count(), 2, "{detected:#?}");
}

/// The figures are those of a conversion that nobody has run yet: `check` must find the same, with the targets of the command.
#[test]
fn the_command_changes_what_the_summary_says() {
    let repos: Vec<String> = fs::read_dir("fixtures/repos")
        .unwrap()
        .map(|entry| entry.unwrap().path().to_string_lossy().into_owned())
        .collect();
    let mut updates = 0;
    for repo in &repos {
        let found: Value = serde_json::from_str(&reversion(&["detect", "--format", "json", repo]).out).unwrap();
        let Some(commands) = found["update"]["commands"].as_array() else { continue };
        let [command] = commands.as_slice() else { panic!("{repo}: {commands:?}") };
        let words: Vec<&str> = command.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        assert_eq!(words[..2], ["reversion", "diff"]);
        let check = reversion(&[&["check"], &words[2..]].concat());
        let (changed, files) = (&found["update"]["changed"], &found["update"]["files"]);
        let held = &found["update"]["heldBack"];
        let plural = |count: &Value| if *count == json!(1) { "" } else { "s" };
        let expected = format!("{changed} to change in {files} file{}, {held} held back", plural(files));
        assert!(check.err.contains(&expected), "{repo}: {expected}\n{}", check.err);
        updates += 1;
    }
    assert!(updates >= 4, "{updates}");
}

#[test]
fn the_command_reads_the_same_files() {
    let tree = home();
    let json = json_of(&tree, &["--glob", "apps/**", "--no-ignore", "."]);
    let command = json["update"]["commands"][0].as_array().unwrap();
    let words: Vec<&str> = command.iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(words[4..], ["--glob", "apps/**", "--no-ignore", "."], "{words:?}");
    let text = tree.run(&["detect", "--glob", "apps/**"]).out;
    assert!(text.contains(" --glob 'apps/**' .\n"), "{text}");
}

#[test]
fn only_listed_files_count() {
    let tree = home();
    fs::write(tree.path("list"), "apps/photos.yaml\nissuer.yaml\n").unwrap();
    let json = json_of(&tree, &["--files-from", "list"]);
    let outdated: Vec<&Value> = json["apis"].as_array().unwrap().iter().map(|api| &api["outdated"]).collect();
    assert_eq!((outdated, &json["update"]), (vec![&json!(0), &json!(0)], &Value::Null), "{json}");
}

/// What is longer holds a path or the command. Findings come before the summary.
#[test]
fn the_lines_of_the_summary_fit_a_hundred_columns() {
    let is_heading = |line: &str| line.split(": ").nth(1).is_some_and(|rest| rest.contains(" object"));
    for folder in ["fixtures/repos", "fixtures/kubernetes", "fixtures/flux", "fixtures/gateway-api"] {
        let run = reversion(&["detect", folder]);
        let summary: Vec<&str> = run.out.lines().skip_while(|line| !is_heading(line)).collect();
        let is_long = |line: &&&str| line.chars().count() > 100 && !line.contains("fixtures/");
        let long: Vec<_> = summary.iter().filter(is_long).collect();
        assert!(long.is_empty() && !summary.is_empty(), "{folder}: {long:#?}");
    }
}

/// Runs the program in the folder of the project.
fn reversion(arguments: &[&str]) -> Run {
    Tree::of(&[]).run_in(env!("CARGO_MANIFEST_DIR"), arguments)
}

fn json_of(tree: &Tree, more: &[&str]) -> Value {
    let run = tree.run(&[&["detect", "--format", "json"], more].concat());
    run.check(0);
    serde_json::from_str(&run.out).unwrap()
}

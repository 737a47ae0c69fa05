//! The GitHub Action and the scripts of a release do what their documentation says: they are run here against a local repository, with a
//! stand-in for `gh` and releases in a folder.

#![cfg(unix)]
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PROGRAM: &str = env!("CARGO_BIN_EXE_reversion");
const OLD: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec: {hostnames: [a.example.com]}\n";
/// Held back: v1.0 has no place for the second target.
const HELD: &str = "apiVersion: gateway.networking.k8s.io/v1alpha3\nkind: BackendTLSPolicy\nmetadata: {name: pair}\nspec:\n  targetRefs: [{group: '', kind: Service, name: a}, {group: '', kind: Service, name: b}]\n  validation: {hostname: a.example.com, wellKnownCACertificates: System}\n";

/// A stand-in for `gh pr`: writes its arguments to a log and keeps the URL of the one pull request in a file.
const GH: &str = r#"#!/bin/sh
printf '%s\n' "$*" >>"$FAKE/log"
case "$1 $2" in
'pr list') cat "$FAKE/url" 2>/dev/null || : ;;
'pr create') echo https://example.com/pull/1 | tee "$FAKE/url" ;;
esac
for argument; do
    if [ "$before" = --body-file ]; then cp "$argument" "$FAKE/body"; fi
    before=$argument
done
"#;

/// A clone of a bare repository with manifests, and the folders that a runner provides.
struct Runner {
    folder: TempDir,
}

impl Runner {
    fn new(files: &[(&str, &str)]) -> Self {
        let runner = Self { folder: TempDir::new().unwrap() };
        for name in ["bin", "temp", "fake"] {
            fs::create_dir(runner.path(name)).unwrap();
        }
        write_program(&runner.path("bin/gh"), GH);
        std::os::unix::fs::symlink(PROGRAM, runner.path("bin/reversion")).unwrap();
        runner.git(".", &["init", "--quiet", "--bare", "--initial-branch=main", "origin"]);
        runner.git(".", &["clone", "--quiet", "origin", "work"]);
        runner.git("work", &["switch", "--quiet", "--create", "main"]);
        for (name, text) in files {
            fs::write(runner.path("work").join(name), text).unwrap();
        }
        runner.git("work", &["add", "."]);
        runner.git("work", &["commit", "--quiet", "--message", "manifests"]);
        runner.git("work", &["push", "--quiet", "origin", "main"]);
        runner
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    #[track_caller]
    fn git(&self, folder: &str, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.path(folder)).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        let output = command.args(["-c", "commit.gpgsign=false"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", all(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a script of the action with these inputs, as a step that has its own output and summary files.
    fn run(&self, script: &str, inputs: &[(&str, &str)]) -> Output {
        for file in ["output", "summary"] {
            fs::write(self.path(file), "").unwrap();
        }
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("sh");
        command.arg(Path::new(ROOT).join("packaging").join(script)).current_dir(self.path("work"));
        command.env("PATH", path).env("FAKE", self.path("fake")).env("RUNNER_TEMP", self.path("temp"));
        command.env("GITHUB_OUTPUT", self.path("output")).env("GITHUB_STEP_SUMMARY", self.path("summary"));
        command.env("GITHUB_REF_NAME", "main").env("GITHUB_PATH", self.path("path"));
        for name in ["GITHUB_BASE_REF", "GITHUB_REF", "GITHUB_SHA", "GITHUB_ACTION_PATH", "RUNNER_OS", "RUNNER_ARCH"] {
            command.env_remove(name);
        }
        command.envs(inputs.iter().copied()).output().unwrap()
    }

    /// Replaces the clone by what `actions/checkout` makes by default: one commit without its history.
    fn check_out(&self, reference: &str) {
        fs::remove_dir_all(self.path("work")).unwrap();
        self.git(".", &["init", "--quiet", "work"]);
        let url = format!("file://{}", self.path("origin").display());
        self.git("work", &["remote", "add", "origin", &url]);
        self.git("work", &["fetch", "--quiet", "--depth=1", "origin", reference]);
        self.git("work", &["checkout", "--quiet", "--detach", "FETCH_HEAD"]);
    }

    /// Writes a file, commits it and pushes the commit; returns its name.
    fn push(&self, file: &str, text: &str, reference: &str) -> String {
        fs::write(self.path("work").join(file), text).unwrap();
        self.git("work", &["add", "."]);
        self.git("work", &["commit", "--quiet", "--message", file]);
        self.git("work", &["push", "--quiet", "origin", &format!("HEAD:{reference}")]);
        self.git("work", &["rev-parse", "HEAD"]).trim().to_owned()
    }

    fn output(&self, name: &str) -> Option<String> {
        let text = self.read("output");
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
    }
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn all(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[track_caller]
fn expect(output: &Output, code: i32, texts: &[&str]) {
    let printed = all(output);
    assert_eq!(output.status.code(), Some(code), "{printed}");
    for text in texts {
        assert!(printed.contains(text), "`{text}` is not in:\n{printed}");
    }
}

#[test]
fn check_annotates_summarizes_and_fails_as_the_program_does() {
    let runner = Runner::new(&[("route.yaml", OLD)]);
    let inputs = [("INPUT_TO", "gateway-api@1.4"), ("INPUT_PATHS", "."), ("INPUT_SARIF", "out.sarif")];
    let output = runner.run("action/check.sh", &inputs);
    expect(&output, 1, &["::warning file=route.yaml,line=1,col=1,title=changes-needed::HTTPRoute shop"]);
    assert!(runner.read("summary").contains("| 1 | 1 | 1 | 0 |"), "{}", runner.read("summary"));
    assert_eq!(runner.read("summary").matches("### reversion check").count(), 1);
    assert_eq!(runner.output("exit-code").as_deref(), Some("1"));
    assert_eq!(runner.output("changed").as_deref(), Some("1"));
    assert_eq!(runner.output("held-back").as_deref(), Some("0"));
    let written = runner.path("work").canonicalize().unwrap().join("out.sarif");
    assert_eq!(runner.output("sarif").as_deref(), written.to_str());
    let sarif: serde_json::Value = serde_json::from_str(&runner.read("work/out.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "changes-needed");

    let passes = [("INPUT_TO", "gateway-api@1.4"), ("INPUT_FAIL", "false")];
    expect(&runner.run("action/check.sh", &passes), 0, &["changes-needed"]);
    assert_eq!(runner.output("exit-code").as_deref(), Some("1"));
}

#[test]
fn check_passes_paths_with_blanks_several_targets_and_further_flags() {
    let runner = Runner::new(&[("a b.yaml", OLD), ("c.yaml", OLD)]);
    let inputs = [
        ("INPUT_TO", "gateway-api@1.4, ngf@2.2\n"),
        ("INPUT_PATHS", "a b.yaml\n"),
        ("INPUT_ARGS", "--unpaired\n--keep-api-version\n"),
    ];
    expect(&runner.run("action/check.sh", &inputs), 0, &["1 file read, 1 object recognized: 0 to change"]);
}

/// A repository of many old files. A branch changes one, while another one is added to main; both are merged for the pull request.
struct PullRequest {
    runner: Runner,
    /// The commit of main that the branch started from.
    start: String,
    /// The newest commits of the branch and of main, and the one that merges them.
    branch: String,
    base: String,
    merge: String,
}

impl PullRequest {
    fn new() -> Self {
        let files: Vec<(String, String)> =
            (0..300).map(|at| (format!("old-{at}.yaml"), OLD.replace("shop", &format!("shop-{at}")))).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let runner = Runner::new(&files);
        let start = runner.git("work", &["rev-parse", "HEAD"]).trim().to_owned();
        runner.git("work", &["switch", "--quiet", "--create", "topic"]);
        let branch = runner.push("new.yaml", OLD, "refs/heads/topic");
        runner.git("work", &["switch", "--quiet", "main"]);
        let base = runner.push("of-main.yaml", &OLD.replace("shop", "other"), "refs/heads/main");
        runner.git("work", &["merge", "--quiet", "--no-edit", "topic"]);
        runner.git("work", &["push", "--quiet", "origin", "HEAD:refs/pull/1/merge"]);
        let merge = runner.git("work", &["rev-parse", "HEAD"]).trim().to_owned();
        Self { runner, start, branch, base, merge }
    }
}

#[test]
fn with_changed_files_the_check_reports_those_of_the_event() {
    let PullRequest { runner, start, branch, base, merge } = PullRequest::new();
    let run = |inputs: &[(&str, &str)]| {
        let always = [("INPUT_TO", "gateway-api@1.4"), ("INPUT_CHANGED_FILES", "true")];
        runner.run("action/check.sh", &[&always[..], inputs].concat())
    };
    let only_new = |output: &Output| {
        expect(output, 1, &["file=new.yaml", "1 of 1 listed file read, 1 object recognized: 1 to change"]);
        assert_eq!(runner.output("changed").as_deref(), Some("1"));
    };
    // The event can be older than the merge: its base is not what the commit was merged into.
    let pull =
        [("GITHUB_REF", "refs/pull/1/merge"), ("GITHUB_SHA", merge.as_str()), ("INPUT_EVENT_BASE", start.as_str())];
    runner.check_out("refs/pull/1/merge");
    only_new(&run(&pull));
    // The newest commit of the branch, without and with the history.
    runner.check_out("refs/heads/topic");
    let of_branch = [pull[0], pull[1], ("INPUT_EVENT_BASE", base.as_str())];
    expect(&run(&of_branch), 2, &["::error title=reversion::", "fetch-depth: 0"]);
    runner.git("work", &["fetch", "--quiet", "--unshallow", "origin", "topic", "main"]);
    only_new(&run(&of_branch));
    // With the rights of the base, the base is what is checked out, unless the workflow names the branch.
    let of_target = |sha| {
        [
            ("GITHUB_EVENT_NAME", "pull_request_target"),
            ("GITHUB_REF", "refs/heads/main"),
            ("GITHUB_SHA", sha),
            ("INPUT_EVENT_BASE", sha),
        ]
    };
    only_new(&run(&of_target(&base)));
    // A merge group, and a push: from one commit to another, which is fetched.
    runner.check_out(&branch);
    only_new(&run(&[("GITHUB_REF", "refs/heads/topic"), ("GITHUB_SHA", &branch), ("INPUT_EVENT_BASE", &start)]));
    // A new branch has no commit before it, and git may have lost the one before a push by force: all files are checked.
    for digit in ["0", "1"] {
        let none = digit.repeat(40);
        let output = run(&[("GITHUB_REF", "refs/heads/topic"), ("GITHUB_SHA", &branch), ("INPUT_EVENT_BASE", &none)]);
        expect(&output, 1, &["::notice title=reversion::no earlier commit", "301 files read"]);
    }
    runner.check_out(&base);
    expect(&run(&of_target(&base)), 2, &["::error title=reversion::the base of the pull request is checked out"]);
}

#[test]
fn a_failed_check_fails_whatever_the_input_says() {
    let runner = Runner::new(&[("route.yaml", "apiVersion: gateway.networking.k8s.io/v1\nkind: [\n")]);
    let broken = [("INPUT_TO", "gateway-api@1.4"), ("INPUT_FAIL", "false")];
    expect(&runner.run("action/check.sh", &broken), 2, &["::error file=route.yaml,line=2", "parse-error"]);
    let unknown = [("INPUT_TO", "nothing@1"), ("INPUT_FAIL", "false")];
    let failed = runner.run("action/check.sh", &unknown);
    expect(&failed, 2, &["error: there is no pack `nothing`", "::error title=reversion::there is no pack `nothing`"]);
    assert_eq!(runner.output("report"), None);
    fs::remove_file(runner.path("work").join("route.yaml")).unwrap();
    let nothing = runner.run("action/check.sh", &[("INPUT_TO", "gateway-api@1.4")]);
    expect(&nothing, 3, &["::warning title=reversion::nothing recognized: no object of a kind that"]);
}

#[test]
fn migrate_opens_one_pull_request_and_keeps_it_up_to_date() {
    let runner = Runner::new(&[("route.yaml", OLD), ("pair.yaml", HELD)]);
    let start = runner.git("work", &["rev-parse", "HEAD"]);
    let inputs = [("INPUT_TO", "gateway-api@1.0/experimental")];
    expect(&runner.run("action/migrate.sh", &inputs), 0, &["https://example.com/pull/1"]);
    assert_eq!(runner.output("pull-request").as_deref(), Some("https://example.com/pull/1"));
    assert_eq!(runner.output("branch").as_deref(), Some("reversion/migrate"));
    assert_eq!((runner.output("changed").as_deref(), runner.output("held-back").as_deref()), (Some("1"), Some("1")));
    // The branch has one commit with the changes; the work tree and the base are as before.
    assert_eq!(runner.git("origin", &["rev-parse", "reversion/migrate^"]), start);
    assert_eq!(runner.git("origin", &["show", "reversion/migrate:route.yaml"]), OLD.replace("v1beta1", "v1"));
    assert_eq!(runner.git("origin", &["diff", "--name-only", "main", "reversion/migrate"]), "route.yaml\n");
    assert_eq!(runner.git("origin", &["rev-parse", "main"]), start);
    assert_eq!(runner.git("work", &["status", "--porcelain"]), "");
    let title = "Migrate manifests to gateway-api@1.0.0/experimental";
    assert_eq!(runner.git("origin", &["log", "-1", "--format=%s", "reversion/migrate"]).trim(), title);
    // Its text has what changed and what is held back, and so has the summary.
    for text in [runner.read("fake/body"), runner.read("summary")] {
        assert!(
            text.contains("HTTPRoute shop")
                && text.contains("BackendTLSPolicy pair")
                && text.contains("too-many-items"),
            "{text}"
        );
    }
    assert!(
        runner.read("fake/log").contains(&format!("pr create --head reversion/migrate --base main --title {title}"))
    );

    // A second run changes nothing.
    let first = runner.git("origin", &["rev-parse", "reversion/migrate"]);
    expect(&runner.run("action/migrate.sh", &inputs), 0, &["The branch reversion/migrate is up to date."]);
    assert_eq!(runner.git("origin", &["rev-parse", "reversion/migrate"]), first);
    assert!(runner.read("fake/log").contains("pr edit https://example.com/pull/1"));
    assert_eq!(runner.read("fake/log").matches("pr create").count(), 1);

    // A new commit of the base: the branch is made again on top of it.
    fs::write(runner.path("work/more.yaml"), OLD.replace("shop", "cart")).unwrap();
    runner.git("work", &["add", "."]);
    runner.git("work", &["commit", "--quiet", "--message", "more"]);
    runner.git("work", &["push", "--quiet", "origin", "main"]);
    expect(&runner.run("action/migrate.sh", &inputs), 0, &["https://example.com/pull/1"]);
    assert_eq!(runner.git("origin", &["diff", "--name-only", "main", "reversion/migrate"]), "more.yaml\nroute.yaml\n");

    // A commit of a person is not overwritten.
    runner.git("work", &["switch", "--quiet", "--create", "mine", "origin/reversion/migrate"]);
    runner.git("work", &["commit", "--quiet", "--allow-empty", "--message", "by hand"]);
    runner.git("work", &["push", "--quiet", "origin", "mine:reversion/migrate"]);
    runner.git("work", &["switch", "--quiet", "main"]);
    fs::write(runner.path("work/more.yaml"), OLD.replace("shop", "other")).unwrap();
    runner.git("work", &["commit", "--quiet", "--all", "--message", "other"]);
    expect(&runner.run("action/migrate.sh", &inputs), 2, &["the checked-out commit is not the newest one of main"]);
    runner.git("work", &["push", "--quiet", "origin", "main"]);
    expect(&runner.run("action/migrate.sh", &inputs), 2, &["is not of this action"]);
    let elsewhere = [inputs[0], ("INPUT_BASE", "5/merge")];
    expect(&runner.run("action/migrate.sh", &elsewhere), 2, &["the base 5/merge is not a branch of the remote"]);
}

#[test]
fn migrate_opens_nothing_where_nothing_changes_and_refuses_a_changed_tree() {
    let runner = Runner::new(&[("route.yaml", &OLD.replace("v1beta1", "v1"))]);
    expect(&runner.run("action/migrate.sh", &[("INPUT_TO", "gateway-api@1.4")]), 0, &["Nothing to change"]);
    assert_eq!(runner.read("fake/log"), "");
    assert_eq!(runner.git("origin", &["branch", "--list", "reversion/*"]), "");
    fs::write(runner.path("work/route.yaml"), OLD).unwrap();
    expect(&runner.run("action/migrate.sh", &[("INPUT_TO", "gateway-api@1.4")]), 2, &["uncommitted changes"]);
    assert_eq!(runner.read("work/route.yaml"), OLD);
}

#[test]
fn install_takes_the_archive_whose_checksum_is_right() {
    let runner = Runner::new(&[("route.yaml", OLD)]);
    let releases = runner.path("releases");
    let folder = releases.join("download/v0.1.0");
    fs::create_dir_all(&folder).unwrap();
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    assert!(script(&runner, "archive.sh", &[], 2).contains("usage: archive.sh"));
    script(&runner, "archive.sh", &["0.1.0", &target, PROGRAM, folder.to_str().unwrap()], 0);
    let archive = format!("reversion-v0.1.0-{target}.tar.gz");
    let listed = Command::new("tar").arg("-tzf").arg(folder.join(&archive)).output().unwrap();
    for name in [
        "reversion",
        "LICENSE-MIT",
        "README.md",
        "completions/reversion.bash",
        "completions/_reversion",
        "man/reversion-check.1",
    ] {
        expect(&listed, 0, &[&format!("reversion-v0.1.0-{target}/{name}\n")]);
    }
    let digest = Sha256::digest(fs::read(folder.join(&archive)).unwrap());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(folder.join("SHA256SUMS"), format!("{digest}  {archive}\n")).unwrap();

    let url = format!("file://{}", releases.display());
    let of_system =
        [("RUNNER_OS", "Linux"), ("RUNNER_ARCH", if std::env::consts::ARCH == "aarch64" { "ARM64" } else { "X64" })];
    let named = [("INPUT_VERSION", "0.1.0"), ("INPUT_REPOSITORY", "o/n"), ("REVERSION_RELEASES", url.as_str())];
    expect(&runner.run("action/install.sh", &[&named[..], &of_system].concat()), 0, &["reversion 0.1.0"]);
    assert_eq!(runner.read("path").trim(), runner.path("temp/reversion/bin").canonicalize().unwrap().to_str().unwrap());
    // Without the input, the tag of the action is the version, and its repository has the releases.
    let tagged = [("GITHUB_ACTION_PATH", "/runner/_actions/o/n/v0.1.0"), ("REVERSION_RELEASES", url.as_str())];
    expect(&runner.run("action/install.sh", &[&tagged[..], &of_system].concat()), 0, &["reversion 0.1.0"]);

    fs::write(folder.join("SHA256SUMS"), format!("{}  {archive}\n", "0".repeat(64))).unwrap();
    expect(&runner.run("action/install.sh", &[&named[..], &of_system].concat()), 2, &["the checksum of", "is wrong"]);
    let other = [&named[..], &[("RUNNER_OS", "macOS"), ("RUNNER_ARCH", "ARM64")]].concat();
    expect(&runner.run("action/install.sh", &other), 2, &["has no archive for aarch64-apple-darwin"]);
    expect(&runner.run("action/install.sh", &[("INPUT_VERSION", "installed")]), 0, &[]);
}

/// Runs a script of `packaging` with arguments and returns what it printed.
#[track_caller]
fn script(runner: &Runner, name: &str, arguments: &[&str], code: i32) -> String {
    let mut command = Command::new("sh");
    command.arg(Path::new(ROOT).join("packaging").join(name)).args(arguments).current_dir(runner.folder.path());
    let output = command.output().unwrap();
    expect(&output, code, &[]);
    all(&output)
}

#[test]
fn the_krew_manifest_and_the_formula_get_the_checksum_of_each_archive() {
    let runner = Runner::new(&[("route.yaml", OLD)]);
    let targets = [
        ("x86_64-unknown-linux-musl", "tar.gz"),
        ("aarch64-unknown-linux-musl", "tar.gz"),
        ("x86_64-apple-darwin", "tar.gz"),
        ("aarch64-apple-darwin", "tar.gz"),
        ("x86_64-pc-windows-msvc", "zip"),
    ];
    let sum = |at: usize| at.to_string().repeat(64);
    let sums: Vec<String> = (0..targets.len())
        .map(|at| format!("{}  reversion-v1.2.3-{}.{}\n", sum(at), targets[at].0, targets[at].1))
        .collect();
    fs::write(runner.path("SHA256SUMS"), sums.concat()).unwrap();
    script(&runner, "render.sh", &["1.2.3", "o/n", "SHA256SUMS", "out"], 0);
    let krew: serde_yaml::Value = serde_yaml::from_str(&runner.read("out/reversion.yaml")).unwrap();
    assert_eq!(krew["spec"]["version"], "v1.2.3");
    let platforms = krew["spec"]["platforms"].as_sequence().unwrap();
    assert_eq!(platforms.len(), targets.len());
    let formula = runner.read("out/reversion.rb");
    for (at, (target, suffix)) in targets.iter().enumerate() {
        let url = format!("https://github.com/o/n/releases/download/v1.2.3/reversion-v1.2.3-{target}.{suffix}");
        let platform = platforms.iter().find(|platform| platform["uri"] == url.as_str()).unwrap();
        assert_eq!(platform["sha256"], sum(at).as_str());
        let text = format!("url \"{url}\"\n      sha256 \"{}\"", sum(at));
        assert_eq!(formula.contains(&text), !target.contains("windows"), "{target}");
    }
    assert!(!formula.contains('@') || !formula.contains("@SHA"), "{formula}");
    fs::write(runner.path("SHA256SUMS"), &sums[0]).unwrap();
    let printed = script(&runner, "render.sh", &["1.2.3", "o/n", "SHA256SUMS", "out"], 1);
    assert!(printed.contains("has no archive of version 1.2.3 for aarch64-unknown-linux-musl"), "{printed}");
}

/// Returns the documents of a YAML file below `packaging`, after the inputs of a GitLab template are filled in.
fn documents(file: &str, inputs: &[(&str, &str)]) -> Vec<serde_yaml::Value> {
    let mut text = fs::read_to_string(Path::new(ROOT).join("packaging").join(file)).unwrap();
    for (name, value) in inputs {
        text = text.replace(&format!("$[[ inputs.{name} ]]"), value);
    }
    let documents = serde_yaml::Deserializer::from_str(&text);
    documents.map(|document| serde::Deserialize::deserialize(document).unwrap()).collect()
}

/// Runs the script of a container in `folder` as its shell would.
fn shell(runner: &Runner, folder: &str, flags: &str, script: &str, variables: &[(&str, &str)]) -> Output {
    let path = format!("{}:{}", runner.path("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args([flags, script]).current_dir(runner.path(folder)).env("PATH", path);
    command.envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn the_gitlab_job_writes_its_reports_and_fails_as_the_program_does() {
    let runner = Runner::new(&[("route.yaml", OLD)]);
    let inputs = |fail| {
        [
            ("paths", "."),
            ("args", "--keep-going"),
            ("fail", fail),
            ("to", ""),
            ("stage", "test"),
            ("image", "i"),
            ("changed_files", "false"),
        ]
    };
    for (fail, code) in [("true", 1), ("false", 0)] {
        let job = &documents("gitlab/reversion.gitlab-ci.yml", &inputs(fail))[1]["reversion"];
        let script = job["script"][0].as_str().unwrap();
        let output = shell(&runner, "work", "-ec", script, &[("REVERSION_TO", "gateway-api@1.4")]);
        expect(&output, code, &["HTTPRoute shop"]);
        let reports = &job["artifacts"]["reports"];
        let quality = runner.read(&format!("work/{}", reports["codequality"].as_str().unwrap()));
        let quality: serde_json::Value = serde_json::from_str(&quality).unwrap();
        assert_eq!(quality[0]["location"]["path"], "route.yaml");
        assert!(runner.read(&format!("work/{}", reports["junit"].as_str().unwrap())).contains("<testsuite"));
    }
    let job = &documents("gitlab/reversion.gitlab-ci.yml", &inputs("false"))[1]["reversion"];
    let output = shell(&runner, "work", "-ec", job["script"][0].as_str().unwrap(), &[("REVERSION_TO", "nothing@1")]);
    expect(&output, 2, &["there is no pack"]);
}

#[test]
fn with_changed_files_the_gitlab_job_reports_those_of_the_merge_request() {
    let PullRequest { runner, start, .. } = PullRequest::new();
    let job = |changed| {
        let inputs = [
            ("paths", "."),
            ("args", ""),
            ("fail", "true"),
            ("to", ""),
            ("stage", "test"),
            ("image", "i"),
            ("changed_files", changed),
        ];
        documents("gitlab/reversion.gitlab-ci.yml", &inputs)[1]["reversion"]["script"][0].as_str().unwrap().to_owned()
    };
    let always = ("REVERSION_TO", "gateway-api@1.4");
    let base = ("CI_MERGE_REQUEST_DIFF_BASE_SHA", start.as_str());
    let listed = "1 of 1 listed file read, 1 object recognized: 1 to change";
    runner.check_out("refs/heads/topic");
    expect(&shell(&runner, "work", "-ec", &job("true"), &[always, base]), 1, &["new.yaml:1:1", listed]);
    runner.check_out("refs/pull/1/merge");
    let merged = [always, base, ("CI_MERGE_REQUEST_EVENT_TYPE", "merged_result")];
    expect(&shell(&runner, "work", "-ec", &job("true"), &merged), 1, &["new.yaml:1:1", listed]);
    // A pipeline of a branch, and the default.
    expect(&shell(&runner, "work", "-ec", &job("true"), &[always]), 1, &["302 files read"]);
    expect(&shell(&runner, "work", "-ec", &job("false"), &merged), 1, &["302 files read"]);
}

/// Runs the container of an indexed Job once for each index; returns the names of the reports, and what the pods say.
fn pods(runner: &Runner, job: &serde_yaml::Value, folder: &str, variables: &[(&str, &str)]) -> (Vec<String>, String) {
    let container = &job["spec"]["template"]["spec"]["containers"][0];
    let mut messages = String::new();
    let reports = (0..job["spec"]["completions"].as_u64().unwrap()).map(|index| {
        let (index, message) = (index.to_string(), runner.path("message"));
        let mut all = vec![("JOB_COMPLETION_INDEX", index.as_str()), ("MESSAGES", message.to_str().unwrap())];
        for variable in container["env"].as_sequence().unwrap() {
            all.push((variable["name"].as_str().unwrap(), variable["value"].as_str().unwrap()));
        }
        all.extend(variables);
        let flags = container["command"][1].as_str().unwrap();
        let output = shell(runner, folder, flags, container["args"][0].as_str().unwrap(), &all);
        messages += &runner.read("message");
        assert_eq!(output.status.code(), Some(0), "{messages}");
        let report = runner.path(&format!("report-{index}.json"));
        fs::write(&report, &output.stdout).unwrap();
        report.to_str().unwrap().to_owned()
    });
    (reports.collect(), messages)
}

#[test]
fn the_merged_reports_of_the_indexed_job_are_the_report_of_the_whole() {
    let files: Vec<(String, String)> =
        (0..12).map(|at| (format!("{at}.yaml"), OLD.replace("shop", &format!("shop-{at}")))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let runner = Runner::new(&files);
    let job = &documents("examples/indexed-job-shards.yaml", &[])[0];
    let (reports, messages) = pods(&runner, job, "work", &[]);
    assert_eq!(messages.matches(" recognized: ").count(), reports.len(), "{messages}");
    let merge = |format: &str| {
        let mut command = Command::new(PROGRAM);
        command.args(["report", "merge", "--format", format]).args(&reports).current_dir(runner.path("work"));
        command.output().unwrap()
    };
    let whole = |format: &str| {
        let mut command = Command::new(PROGRAM);
        command
            .args(["check", "--to", "gateway-api@1.4/standard", "--format", format])
            .current_dir(runner.path("work"));
        command.output().unwrap()
    };
    for format in ["junit", "markdown", "sarif"] {
        let (merged, whole) = (merge(format), whole(format));
        assert_eq!(String::from_utf8_lossy(&merged.stdout), String::from_utf8_lossy(&whole.stdout), "{format}");
        assert_eq!((merged.status.code(), whole.status.code()), (Some(1), Some(1)));
    }
}

#[test]
fn the_indexed_job_about_repositories_names_files_by_repository() {
    let runner = Runner::new(&[("route.yaml", OLD)]);
    runner.git(".", &["clone", "--quiet", "--bare", "origin", "team-b.git"]);
    let url = |name: &str| format!("file://{}\n", runner.path(name).display());
    fs::write(runner.path("repositories"), url("origin") + &url("team-b.git")).unwrap();
    fs::create_dir(runner.path("manifests")).unwrap();
    let job = &documents("examples/indexed-job-repositories.yaml", &[])[1];
    let list = runner.path("repositories");
    let (reports, _) = pods(&runner, job, "manifests", &[("LIST", list.to_str().unwrap())]);
    let output = Command::new(PROGRAM).args(["report", "merge", "--verbose"]).args(&reports).output().unwrap();
    expect(
        &output,
        1,
        &["origin/route.yaml:1:1", "team-b/route.yaml:1:1", "2 files read, 2 objects recognized: 2 to change"],
    );
}

#[test]
fn the_examples_fit_the_releases_that_they_are_for() {
    let mut command = Command::new(PROGRAM);
    command.args(["check", "--isolated", "--to", "kubernetes@1.33", "--to", "flux@2.6", "packaging/examples"]);
    expect(&command.current_dir(ROOT).output().unwrap(), 0, &["6 objects recognized: 0 to change"]);
}

/// Pages and examples name the images of the version that the project has.
#[test]
fn examples_name_the_image_of_this_version() {
    let listed = Command::new("git").args(["ls-files", "packaging", "docs"]).current_dir(ROOT).output().unwrap();
    for file in String::from_utf8(listed.stdout).unwrap().lines() {
        let text = String::from_utf8_lossy(&fs::read(Path::new(ROOT).join(file)).unwrap_or_default()).into_owned();
        let tags =
            text.split("reversion:").skip(1).filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
        for rest in tags {
            assert!(rest.starts_with(env!("CARGO_PKG_VERSION")), "{file} names an image of another version");
        }
    }
}

/// What the action declares is what its steps use, what its scripts write, and what its page lists.
#[test]
fn the_action_declares_and_documents_its_inputs_and_outputs() {
    let read = |name: &str| fs::read_to_string(Path::new(ROOT).join(name)).unwrap();
    let (text, page) = (read("action.yml"), read("docs/src/how-to/github-actions.md"));
    let action: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
    let names = |key: &str| -> Vec<String> {
        action[key].as_mapping().unwrap().keys().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let used = |prefix: &str| -> Vec<String> {
        let ends = |letter: char| !letter.is_ascii_lowercase() && letter != '-';
        text.split(prefix).skip(1).map(|rest| rest.split(ends).next().unwrap().to_owned()).collect()
    };
    let (inputs, outputs) = (names("inputs"), names("outputs"));
    for name in &inputs {
        assert!(used("inputs.").contains(name), "no step uses the input {name}");
        assert!(page.contains(&format!("`{name}`")), "the page does not list the input {name}");
    }
    assert!(used("inputs.").iter().all(|name| inputs.contains(name)), "a step uses an input that is not declared");
    let scripts = ["common", "check", "migrate"].map(|name| read(&format!("packaging/action/{name}.sh"))).concat();
    for name in used("outputs.").iter().chain(&outputs) {
        assert!(scripts.contains(&format!("output {name} ")), "no script writes the output {name}");
        assert!(page.contains(&format!("`{name}`")), "the page does not list the output {name}");
    }
}

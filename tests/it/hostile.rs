//! Hostile input: encrypted files, Secrets next to changed objects, names and values with terminal control sequences,
//! lines in quotes that YAML forbids and kubectl reads, damaged journals and plans, and a tree that a killed run left with old and new files.

use std::fs;

use crate::support::skipped;
use crate::support::trees::{OLD, Run, Tree, new_text};

const TO: &str = "gateway-api@1.6/standard";
const APPLY: [&str; 5] = ["apply", "--yes", "--allow-no-vcs", "--to", TO];

/// Returns a Gateway that changes when it is converted to [`TO`].
fn gateway(name: &str) -> String {
    format!(
        "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: Gateway\nmetadata:\n  name: {name}\nspec:\n  gatewayClassName: b\n  listeners: []\n"
    )
}

fn tree(files: &[(&str, &str)]) -> Tree {
    let tree = Tree::new(0);
    for (name, text) in files {
        let path = tree.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    tree
}

fn read(tree: &Tree, name: &str) -> String {
    fs::read_to_string(tree.path(name)).unwrap()
}

#[test]
fn an_object_beside_lines_in_quotes_in_any_column_is_converted() {
    let other = |end: &str| {
        let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  note: \"first\n  second:\n# third\"  # x \n  last: 'a\n\n  b\n'\n---\n";
        config.replace('\n', end)
    };
    for end in ["\n", "\r\n"] {
        let route = gateway("a")
            .replace('\n', end)
            .replace("name: a", &format!("name: a{end}  annotations:{end}    n: 'x{end}y: z'"));
        let tree = tree(&[("a.yaml", &(other(end) + &route))]);
        tree.run(&APPLY).check(0);
        assert_eq!(read(&tree, "a.yaml"), other(end) + &route.replace("v1beta1", "v1"));
    }
    let text = gateway("a") + "---\nnote: \"first\n---\nsecond\"\n";
    let tree = tree(&[("a.yaml", &text)]);
    let run = tree.run(&APPLY);
    assert_ne!(run.code, Some(0));
    assert!(
        run.err.contains("a.yaml:10:1: error[parse-error] the quote opened at 9:7 is still open here"),
        "{}",
        run.err
    );
    assert_eq!(read(&tree, "a.yaml"), text);
}

/// The metadata that SOPS adds to a document.
const SOPS: &str = "sops:\n  age: []\n  lastmodified: \"2026-01-01T00:00:00Z\"\n  mac: ENC[AES256_GCM,data:QUJD,iv:QUJD,tag:QUJD,type:str]\n  version: 3.9.0\n";

/// Checks that a file is held back as encrypted, and another one in the same tree is converted.
#[track_caller]
fn check_encrypted(name: &str, text: &str) {
    let tree = tree(&[(name, text), ("plain.yaml", &gateway("plain"))]);
    let applied = tree.run(&APPLY);
    applied.check(1);
    assert!(applied.err.contains("held-back[encrypted] Gateway "), "{}", applied.err);
    assert!(applied.err.contains("sops decrypt"), "{}", applied.err);
    assert_eq!(read(&tree, name), text);
    assert_eq!(read(&tree, "plain.yaml"), gateway("plain").replace("v1beta1", "v1"));
}

#[test]
fn files_that_sops_encrypted_are_held_back() {
    check_encrypted("a.yaml", &(gateway("a") + SOPS));
    let list =
        format!("apiVersion: v1\nkind: List\nitems:\n- {}{SOPS}", gateway("a").trim_end().replace('\n', "\n  ") + "\n");
    check_encrypted("list.yaml", &list);
    check_encrypted(
        "documents.yaml",
        &format!("{}{SOPS}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\n{SOPS}", gateway("a")),
    );
    let json = r#"{"apiVersion": "gateway.networking.k8s.io/v1beta1", "kind": "Gateway", "metadata": {"name": "a"},
 "spec": {"gatewayClassName": "b", "listeners": []}, "sops": {"mac": "ENC[AES256_GCM,data:QUJD,type:str]"}}"#;
    check_encrypted("a.json", json);
}

/// SOPS adds its metadata to every document of a file, so that a document without them is not covered by its checksum.
#[test]
fn documents_beside_encrypted_ones_are_converted() {
    let secret = format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: c}}\n{SOPS}");
    let sealed = format!("{}{SOPS}", gateway("sealed"));
    let stream = |version: &str| format!("{}---\n{secret}---\n{sealed}", gateway("a").replace("v1beta1", version));
    let tree = tree(&[]);
    let run = tree.run_fed(&["convert", "-", "--to", "gateway-api@1.4"], stream("v1beta1"));
    assert_eq!(run.out, stream("v1"), "{}", run.err);
    let message = "held-back[encrypted] Gateway sealed: the document is encrypted by SOPS";
    assert!(run.err.contains(message), "{}", run.err);
    run.check(1);
}

#[test]
fn files_that_sops_did_not_encrypt_or_that_do_not_change_have_no_finding() {
    let at_target = gateway("a").replace("v1beta1", "v1") + SOPS;
    let no_checksum = gateway("b") + "sops: {version: 3.9.0}\n";
    let tree = tree(&[("a.yaml", &at_target), ("b.yaml", &no_checksum)]);
    let applied = tree.run(&APPLY);
    applied.check(0);
    assert!(!applied.err.contains("encrypted"), "{}", applied.err);
    assert_eq!(read(&tree, "a.yaml"), at_target);
    assert_eq!(read(&tree, "b.yaml"), no_checksum.replace("v1beta1", "v1"));
}

/// The value of a Secret in these tests, in every form.
const HELD: [&str; 2] = ["dDBwLXMzY3IzdA==", "t0p-s3cr3t"];

#[track_caller]
fn check_hidden(what: &str, text: &str) {
    for held in HELD {
        assert!(!text.contains(held), "{what}: {text}");
    }
}

/// Files with a Secret and an object that changes, each with whether a diff can be shown.
fn beside_secrets() -> Vec<(&'static str, String, bool)> {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  password: dDBwLXMzY3IzdA==\nstringData:\n  token: t0p-s3cr3t\n";
    let flow = "{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {token: t0p-s3cr3t}}\n";
    let applied = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"apiVersion\":\"v1\",\"data\":{\"password\":\"dDBwLXMzY3IzdA==\"},\"kind\":\"Secret\"}\n";
    let item = |text: &str| format!("- {}\n", text.trim_end().replace('\n', "\n  "));
    let list = |items: &[&str]| {
        format!("apiVersion: v1\nkind: List\nitems:\n{}", items.iter().map(|text| item(text)).collect::<String>())
    };
    let (a, b) = (gateway("a"), gateway("b"));
    let json = |separator: &str| {
        [
            r#"{"apiVersion": "v1", "kind": "List", "items": ["#,
            r#"{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"},"#,
            r#""data": {"password": "dDBwLXMzY3IzdA=="}},"#,
            r#"{"apiVersion": "gateway.networking.k8s.io/v1beta1", "kind": "Gateway", "metadata": {"name": "a"},"#,
            r#""spec": {"gatewayClassName": "b", "listeners": []}}]}"#,
        ]
        .join(separator)
            + "\n"
    };
    vec![
        ("between.yaml", format!("{a}---\n{secret}---\n{b}"), true),
        ("first.yaml", format!("{secret}---\n{a}"), true),
        ("flow.yaml", format!("{flow}---\n{a}---\n{flow}---\n{b}"), true),
        ("applied.yaml", format!("{applied}---\n{a}"), true),
        ("list.yaml", list(&[&a, secret, &b]), true),
        ("lines.json", json("\n"), true),
        ("one-line.json", json(" "), false),
        // The last changed line of the Gateway is directly followed by the Secret.
        ("touching.yaml", "apiVersion: v1\nkind: List\nitems:\n- {spec: {gatewayClassName: b, listeners: []}, metadata: {name: a}, kind: Gateway, apiVersion: gateway.networking.k8s.io/v1beta1}\n- {stringData: {token: t0p-s3cr3t}, kind: Secret, apiVersion: v1, metadata: {name: s}}\n".to_owned(), false),
    ]
}

#[test]
fn no_diff_shows_secret_values_and_diffs_still_apply() {
    for (name, text, is_shown) in beside_secrets() {
        let tree = tree(&[(name, &text)]);
        let diff = tree.run(&["diff", "--to", TO]);
        diff.check(1);
        check_hidden(name, &diff.out);
        check_hidden(name, &diff.err);
        let coloured = tree.run(&["diff", "--color", "always", "--to", TO]);
        check_hidden(name, &coloured.out);
        assert_eq!(diff.err.contains("its diff would show values of a Secret"), !is_shown, "{name}: {}", diff.err);
        assert_eq!(diff.out.is_empty(), !is_shown, "{name}: {}", diff.out);
        if is_shown {
            fs::write(tree.path("changes.diff"), &diff.out).unwrap();
            tree.git(&["init", "--quiet"]);
            tree.git(&["apply", "changes.diff"]);
            let by_git = read(&tree, name);
            fs::write(tree.path(name), &text).unwrap();
            tree.run(&["apply", "--yes", "--allow-dirty", "--to", TO]).check(0);
            assert_eq!(read(&tree, name), by_git);
        }
    }
}

/// Every format of a report.
const FORMATS: [&str; 8] = ["text", "json", "jsonl", "github", "gitlab", "sarif", "junit", "markdown"];

#[test]
fn no_report_or_plan_shows_secret_values() {
    for (name, text, _) in beside_secrets() {
        let tree = tree(&[(name, &text)]);
        for format in FORMATS {
            let report = tree.run(&["check", "--verbose", "--stash", "--format", format, "--to", TO]);
            report.check(1);
            check_hidden(name, &(report.out + &report.err));
        }
        let plan = tree.run(&["plan", "--out", "a.plan", "--to", TO]);
        plan.check(0);
        check_hidden(name, &read(&tree, "a.plan"));
        let shown = tree.run(&["show", "a.plan"]);
        check_hidden(name, &(shown.out + &shown.err));
        let applied = tree.run(&["apply", "--yes", "--allow-no-vcs", "--diff", "--plan", "a.plan"]);
        applied.check(0);
        check_hidden(name, &(applied.out + &applied.err));
        assert_eq!(
            read(&tree, name),
            text.replace("gateway.networking.k8s.io/v1beta1", "gateway.networking.k8s.io/v1")
        );
        let detected = tree.run(&["detect", "--verbose", "--format", "json"]);
        check_hidden(name, &(detected.out + &detected.err));
    }
}

#[test]
fn unreadable_text_of_a_secret_is_not_quoted() {
    let secret = "---\napiVersion: v1 # gateway.networking.k8s.io\nkind: Secret\nstringData:\n  a: ";
    for value in ["!!binary t0p-s3cr3t", "!!int t0p-s3cr3t", "*t0p-s3cr3t", "[t0p-s3cr3t", "\"t0p-s3cr3t"] {
        let tree = tree(&[("a.yaml", &format!("{}{secret}{value}\n", gateway("a")))]);
        let run = tree.run(&["check", "--verbose", "--to", TO]);
        run.check(2);
        check_hidden(value, &(run.out + &run.err));
    }
}

/// Checks that nothing but text and line breaks was printed.
#[track_caller]
fn check_printable(run: &Run) {
    for text in [&run.out, &run.err] {
        let steers = |character: char| character.is_control() && character != '\n' || character == '\u{202e}';
        assert!(!text.contains(steers), "{text:?}");
    }
}

/// Removes the colours that the program prints, and nothing else.
fn without_colours(text: &str) -> String {
    let own = ["0", "1", "2", "31", "32", "33", "34", "35", "36"].map(|number| format!("\u{1b}[{number}m"));
    assert!(own.iter().any(|colour| text.contains(colour.as_str())), "{text:?}");
    own.iter().fold(text.to_owned(), |text, colour| text.replace(colour.as_str(), ""))
}

#[cfg(unix)]
#[test]
fn terminal_control_sequences_in_names_and_values_are_escaped() {
    let name = "evil\u{1b}[2J\u{9b}31m\n::error::\u{202e}.yaml";
    let text = gateway("\"a\\u001b[2J\\u009b\"")
        .replace("gatewayClassName: b", "gatewayClassName: b\n  nonsense: \"\u{202e}\u{2066}\"");
    let tree = tree(&[
        (name, &text),
        ("broken\u{1b}[2J.yaml", "gateway.networking.k8s.io: [\n"),
        ("template\u{7}.yaml", "gateway.networking.k8s.io: {{ x }\n"),
    ]);
    for format in FORMATS {
        for command in ["check", "detect", "diff"] {
            let target = if command == "detect" { &[][..] } else { &["--to", TO] };
            let run = tree
                .run(&[&[command, "--verbose", "--inspect", "--format", format, "--color", "never"], target].concat());
            run.check(2);
            if (command, format) == ("diff", "text") {
                // The lines are unescaped, for `git apply`; the file name is quoted like git does.
                assert!(run.out.starts_with("--- \"a/evil\\033[2J"), "{}", run.out);
                check_printable(&Run { out: String::new(), ..run });
            } else {
                check_printable(&run);
            }
        }
    }
    let not_broken = ["--glob", "!broken*", "--glob", "!template*", "--to", TO];
    let planned = tree.run(&[&["plan", "--out", "a.plan"][..], &not_broken].concat());
    planned.check(0);
    check_printable(&planned);
    let shown = tree.run(&["show", "a.plan", "--color", "always", "--output-file", "shown"]);
    check_printable(&Run { err: without_colours(&shown.err), ..shown });
    check_printable(&tree.run(&["check", "--no-such-flag\u{1b}[2J"]));
    check_printable(&tree.run(&["check", "--to", "x\u{1b}[2J"]));
    check_printable(&tree.run(&[&APPLY[..], &["none\u{1b}[2J"]].concat()));
    let applied = tree.run(&["apply", "--yes", "--plan", "a.plan"]);
    applied.check(2);
    check_printable(&applied);
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "a.plan"]).check(0);
    fs::write(tree.path(name), "changed").unwrap();
    let refused = tree.run(&["undo"]);
    refused.check(2);
    check_printable(&refused);
}

#[test]
fn an_unreadable_journal_prevents_writing_and_is_reported() {
    for garbage in [&b"\0\xff\x1b[2J"[..], b"{\"schemaVersion\": 1}", b"[[[[", b""] {
        let tree = tree(&[("a.yaml", &gateway("a")), (".reversion/journal/record.json", "")]);
        fs::write(tree.path(".reversion/journal/record.json"), garbage).unwrap();
        for command in [&APPLY[..], &["undo"], &["undo", "--list"], &["apply", "--resume"], &["check", "--to", TO]] {
            let run = tree.run(command);
            run.check(2);
            assert!((run.out.clone() + &run.err).contains("is damaged"), "{}", run.err);
            check_printable(&run);
        }
        assert_eq!(read(&tree, "a.yaml"), gateway("a"));
    }
}

#[test]
fn a_plan_over_the_size_limit_is_rejected_unread() {
    let tree = tree(&[]);
    for (name, size) in [("large.plan", 1 << 30), ("a.plan", 0)] {
        fs::File::create(tree.path(name)).unwrap().set_len(size).unwrap();
        for command in [&["show", name][..], &["apply", "--yes", "--plan", name]] {
            tree.run(command).check(2);
        }
    }
    let refused = tree.run(&["show", "large.plan"]);
    assert!(refused.err.contains("is larger than the limit of 256 MiB"), "{}", refused.err);
}

#[test]
fn read_only_commands_report_an_interrupted_tree() {
    let tree = Tree::new(2);
    fs::write(tree.path("gateway.yaml"), gateway("a")).unwrap();
    tree.plan("up.plan", &tree.edits(OLD, &new_text(0)));
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "up.plan"]).check(0);
    // The tree as left by a kill between the first and the second file.
    fs::rename(tree.path(".reversion/undo/1"), tree.path(".reversion/journal")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&read(&tree, ".reversion/journal/record.json")).unwrap();
    let staged = format!(".reversion-{}-1.tmp", record["token"].as_str().unwrap());
    fs::rename(tree.path("1.yaml"), tree.path(&staged)).unwrap();
    fs::copy(tree.path(".reversion/journal/1"), tree.path("1.yaml")).unwrap();
    for command in [&["check"][..], &["diff"], &["plan", "--out", "a.plan"], &["apply", "--yes", "--allow-no-vcs"]] {
        let run = tree.run(&[command, &["--to", TO]].concat());
        run.check(2);
        let reported =
            "error[interrupted-run] an earlier apply to test@1/standard was interrupted: 1 of 2 files replaced";
        let printed = run.out + &run.err;
        assert!(printed.contains(reported) && printed.contains("`reversion undo` reverts it"), "{printed}");
    }
    assert!(!tree.path("a.plan").exists());
    let json = tree.run(&["check", "--format", "json", "--to", TO]);
    json.check(2);
    assert!(json.out.contains("\"interrupted-run\""), "{}", json.out);
    tree.run(&["undo"]).check(0);
    tree.run(&["check", "--to", TO]).check(1);
}

#[cfg(unix)]
#[test]
fn a_journal_without_read_permission_is_not_treated_as_absent() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(1);
    fs::write(tree.path("gateway.yaml"), gateway("a")).unwrap();
    let journal = tree.path(".reversion");
    let allow = |mode| fs::set_permissions(&journal, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir(&journal).unwrap();
    allow(0o000);
    if fs::read_dir(&journal).is_ok() {
        return skipped("a_journal_without_read_permission_is_not_treated_as_absent: this user may read everything");
    }
    let run = tree.run(&["check", "--to", TO]);
    allow(0o700);
    run.check(2);
    assert!(
        run.out.contains("error[interrupted-run] cannot check whether a run of another user was interrupted"),
        "{}",
        run.out
    );
}

/// A change to a tree of `0.yaml`, `sub/a.yaml` and `last.yaml` between a plan and its apply.
type Meddling = fn(&Tree);

/// Concurrent changes to a tree, and the error for each.
const MEDDLING: [(&str, Meddling, &str); 9] = [
    ("a file is edited", |tree| fs::write(tree.path("sub/a.yaml"), "edited").unwrap(), "the plan is stale"),
    ("a file is removed", |tree| fs::remove_file(tree.path("sub/a.yaml")).unwrap(), "the plan is stale"),
    ("a folder disappears", |tree| fs::remove_dir_all(tree.path("sub")).unwrap(), "the plan is stale"),
    ("a folder is renamed", |tree| fs::rename(tree.path("sub"), tree.path("gone")).unwrap(), "the plan is stale"),
    ("a folder takes a file's place", folder_instead, "the plan is stale"),
    #[cfg(unix)]
    ("a file becomes read-only", read_only, "is read-only; make it writable first"),
    #[cfg(unix)]
    ("a file gets a second name", second_name, "has 2 hard links"),
    #[cfg(unix)]
    ("a file becomes a link to one outside", |tree| linked(tree, "sub/a.yaml"), "is outside the tree; check"),
    #[cfg(unix)]
    ("a folder becomes a link to one outside", |tree| linked(tree, "sub"), "is outside the tree; check"),
];

fn folder_instead(tree: &Tree) {
    fs::remove_file(tree.path("sub/a.yaml")).unwrap();
    fs::create_dir(tree.path("sub/a.yaml")).unwrap();
}

#[cfg(unix)]
fn read_only(tree: &Tree) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(tree.path("sub/a.yaml"), fs::Permissions::from_mode(0o444)).unwrap();
}

#[cfg(unix)]
fn second_name(tree: &Tree) {
    fs::hard_link(tree.path("sub/a.yaml"), tree.path("sub/b.txt")).unwrap();
}

/// Moves something to another folder and leaves a link to it.
#[cfg(unix)]
fn linked(tree: &Tree, name: &str) {
    let outside = tree.path("../outside");
    fs::create_dir_all(&outside).unwrap();
    fs::rename(tree.path(name), outside.join("it")).unwrap();
    std::os::unix::fs::symlink(outside.join("it"), tree.path(name)).unwrap();
}

#[test]
fn concurrent_changes_to_a_tree_prevent_writing_and_are_reported() {
    for (what, meddle, error) in MEDDLING {
        let outer = tree(&[]);
        let tree = Tree::below(&outer, "tree");
        for name in ["0.yaml", "sub/a.yaml", "last.yaml"] {
            fs::create_dir_all(tree.path("sub")).unwrap();
            fs::write(tree.path(name), gateway("a")).unwrap();
        }
        tree.run(&["plan", "--out", "a.plan", "--to", TO]).check(0);
        meddle(&tree);
        let refused = tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "a.plan"]);
        refused.check(2);
        assert!(refused.err.contains(error) && refused.err.contains("sub/a.yaml"), "{what}: {}", refused.err);
        for name in ["0.yaml", "last.yaml"] {
            assert_eq!(read(&tree, name), gateway("a"), "{what}");
        }
        let outside = outer.path("outside/it");
        for path in [outside.clone(), outside.join("a.yaml")].iter().filter(|path| path.is_file()) {
            assert_eq!(fs::read_to_string(path).unwrap(), gateway("a"), "{what}");
        }
    }
}

/// Writes a pack with a kind named Secret: `data.old` became `data.new`, and `data.gone` was removed.
fn secret_pack(tree: &Tree, lens: &str) {
    secret_pack_with(tree, lens, "");
}

/// Writes the same pack, with more rows in its catalog.
fn secret_pack_with(tree: &Tree, lens: &str, rows: &str) {
    let all = "single v1..v2";
    let catalog = format!(
        "kind\tSecret.example.com\nscope\tNamespaced\t{all}\nserved\tv1\t{all}\npath\ttype\trequired\tattributes\tapiVersions\treleases\n\
         data\tobject\t\t\t\t{all}\n{rows}data.gone\tstring\t\t\t\tsingle v1\ndata.new\tstring\t\t\t\tsingle v2\ndata.old\tstring\t\t\t\tsingle v1\n"
    );
    let pack = "name: p\ntitle: T\nsource: S\ngroups: [example.com]\nreleases:\n- { bundle: v1, channels: [single] }\n- { bundle: v2, channels: [single] }\n";
    let rule = format!("summary: s\nkind: Secret.example.com\nchannels: [single]\nsource: s\nlens:\n{lens}");
    for (name, text) in
        [("pack.yaml", pack), ("catalog/Secret.example.com.tsv", catalog.as_str()), ("v2/rule.yaml", rule.as_str())]
    {
        let path = tree.path("p").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

const BY_PACK: [&str; 6] = ["--pack", "p", "--glob", "a.yaml", "--to", "p@v2/single"];

#[test]
fn a_changed_secret_is_never_shown() {
    let text = "apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: s}\ndata:\n  old: t0p-s3cr3t\n";
    let tree = tree(&[("a.yaml", text)]);
    secret_pack(&tree, "  - rename: { field: data.old, to: new }\n");
    let by_pack = |command: &[&str]| tree.run(&[command, &BY_PACK].concat());
    let formats = FORMATS.map(|format| ["check", "--verbose", "--format", format]);
    for command in formats.iter().map(|command| &command[..]).chain([&["diff"][..]]) {
        let run = by_pack(command);
        run.check(1);
        check_hidden("a.yaml", &(run.out + &run.err));
    }
    let refused = by_pack(&["plan", "--out", "a.plan"]);
    refused.check(2);
    assert!(refused.err.contains("an edit holds values of a Secret"), "{}", refused.err);
    assert!(!tree.path("a.plan").exists());
    by_pack(&["apply", "--yes", "--allow-no-vcs"]).check(0);
    assert_eq!(read(&tree, "a.yaml"), text.replace("old", "new"));
}

#[test]
fn removed_secret_values_are_neither_stashed_nor_reported() {
    let text = "apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: s}\ndata:\n  gone: t0p-s3cr3t\n";
    let tree = tree(&[("a.yaml", text)]);
    secret_pack(&tree, "  - rename: { field: data.old, to: new }\n");
    for format in FORMATS {
        let run =
            tree.run(&[&["apply", "--yes", "--allow-no-vcs", "--stash", "--format", format][..], &BY_PACK].concat());
        run.check(1);
        let reported = run.out + &run.err;
        check_hidden("a.yaml", &reported);
        assert!(reported.contains("dropped-field"), "{reported}");
    }
    assert_eq!(read(&tree, "a.yaml"), text);
}

#[test]
fn an_object_that_rules_grow_without_end_is_held_back() {
    let text = "apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: s}\ndata: {old: x}\n";
    let tree = tree(&[("a.yaml", text)]);
    let twice = |at: usize| format!("  - default: {{ field: data.c{at:02}, like: data, forward: write }}\n");
    let row = |at: usize| format!("data.c{at:02}\tany\t\t\t\tsingle v2\n");
    secret_pack_with(&tree, &(0..100).map(twice).collect::<String>(), &(0..100).map(row).collect::<String>());
    let run = tree.run(&[&["apply", "--yes", "--allow-no-vcs"][..], &BY_PACK].concat());
    run.check(1);
    assert!(run.err.contains("held-back[not-convertible]"), "{}", run.err);
    assert_eq!(read(&tree, "a.yaml"), text);
}

#[cfg(target_os = "linux")]
#[test]
fn only_colour_codes_reach_a_terminal() {
    let text = gateway("a") + "# \u{202e}evil\n";
    let tree = tree(&[("a.yaml", &text.replace("v1beta1\n", "v1beta1 # \u{202e}evil\n"))]);
    let program = env!("CARGO_BIN_EXE_reversion");
    for (variable, command) in
        [("NO_COLOR", "diff"), ("TERM", "diff"), ("TERM", "plan --out -"), ("NO_COLOR", "convert - < a.yaml")]
    {
        let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
        let line = format!("{program} {name} --to {TO} {rest}");
        let mut script = std::process::Command::new("script");
        script
            .args(["-qec", &line, "/dev/null"])
            .current_dir(tree.path(""))
            .env("SHELL", "/bin/sh")
            .env(variable, "xterm");
        let Ok(output) = script.stdin(std::process::Stdio::null()).output() else {
            return skipped("only_colour_codes_reach_a_terminal: no script to make a terminal");
        };
        let seen = String::from_utf8(output.stdout).unwrap();
        assert!(seen.contains("202e"), "{command}: {seen}");
        assert!(!seen.contains('\u{202e}'), "{command}: {seen:?}");
    }
}

//! Undo, saved plans, locks and git, tested by running the program in temporary trees.

use std::fs;
use std::path::Path;

use crate::support::trees::{OLD, Tree, new_text, old_text};

#[test]
fn undo_reverts_one_apply_after_another_and_reports_it() {
    let tree = Tree::new(3);
    let first = tree.contents();
    tree.plan("up.plan", &tree.edits(OLD, "2"));
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "up.plan"]).check(0);
    let second = tree.contents();
    tree.plan("further.plan", &tree.edits("2", "3"));
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "further.plan"]).check(0);
    let list = tree.run(&["undo", "--list"]);
    list.check(0);
    let lines: Vec<_> = list.out.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].starts_with("2  ") && lines[1].ends_with("  3 files  test@1/standard"),
        "{lines:?}"
    );
    let undone = tree.run(&["undo"]);
    undone.check(0);
    assert_eq!(undone.err, "reverted 3 files of the apply to test@1/standard\n");
    assert_eq!(tree.contents(), second);
    tree.run(&["undo"]).check(0);
    assert_eq!(tree.contents(), first);
    let nothing = tree.run(&["undo"]);
    nothing.check(0);
    assert!(nothing.err.starts_with("nothing to undo in "), "{}", nothing.err);
}

#[test]
fn undo_refuses_and_lists_files_changed_since() {
    let tree = Tree::new(3);
    tree.plan("up.plan", &tree.edits(OLD, "2"));
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "up.plan"]).check(0);
    fs::write(tree.path("1.yaml"), "edited").unwrap();
    let before = tree.contents();
    let refused = tree.run(&["undo"]);
    refused.check(2);
    let lines: Vec<_> = refused.err.lines().collect();
    assert_eq!(lines.len(), 3, "{}", refused.err);
    assert!(lines[1].ends_with("1.yaml: changed since that run"));
    assert_eq!(tree.contents(), before);
    let undone = tree.run(&["undo", "--skip-changed"]);
    undone.check(1);
    assert!(undone.err.starts_with("reverted 2 files of the apply to test@1/standard; 1 changed file not reverted\n"));
    assert_eq!(fs::read_to_string(tree.path("0.yaml")).unwrap(), old_text(0));
    assert_eq!(fs::read_to_string(tree.path("1.yaml")).unwrap(), "edited");
    // What was left can still be undone.
    fs::write(tree.path("1.yaml"), "2").unwrap();
    let rest = tree.run(&["undo"]);
    rest.check(0);
    assert_eq!(rest.err, "reverted 1 file of the apply to test@1/standard\n");
    assert_eq!(tree.contents(), tree.state(old_text));
}

#[test]
fn the_way_out_where_a_file_is_gone_is_named_and_leads_out() {
    let old = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: 1}\n";
    let tree = Tree::of(&[("a.yaml", old), ("b.yaml", old)]);
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "kubernetes@1.33", "a.yaml"]).check(0);
    std::fs::remove_file(tree.path("a.yaml")).unwrap();
    tree.run(&["undo"]).check(2);
    let run = tree.run(&["undo", "--skip-changed"]);
    run.check(1);
    let line = run.err.lines().find(|line| line.contains("a.yaml is gone")).unwrap_or_else(|| panic!("{}", run.all()));
    let kept = line.split_once("its old content is in ").unwrap().1.split_once(": copy it").unwrap().0;
    std::fs::copy(tree.path(kept), tree.path("a.yaml")).unwrap();
    assert_eq!(tree.text("a.yaml"), old);
    // It has its old content already; the run is over by that.
    tree.run(&["undo"]).check(0);
    assert_eq!(tree.text("a.yaml"), old);
    let run = tree.run(&["undo"]);
    run.check(0);
    assert!(run.err.contains("nothing to undo"), "{}", run.all());
}

#[test]
fn an_interrupted_undo_is_described_as_one_and_each_command_leads_out() {
    for commands in [&[&["undo"][..]][..], &[&["apply", "--resume"], &["undo"]]] {
        let tree = Tree::new(2);
        tree.plan("up.plan", &tree.edits(OLD, "2"));
        tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "up.plan"]).check(0);
        // As an undo leaves it that was killed between its two files.
        let record: serde_json::Value = serde_json::from_str(&tree.text(".reversion/undo/1/record.json")).unwrap();
        let mut undo = record.clone();
        undo["act"] = serde_json::json!({"undo": 1});
        for at in 0..2 {
            (undo["files"][at]["before"], undo["files"][at]["after"]) =
                (record["files"][at]["after"].clone(), record["files"][at]["before"].clone());
        }
        fs::create_dir(tree.path(".reversion/journal")).unwrap();
        fs::write(tree.path(".reversion/journal/record.json"), undo.to_string()).unwrap();
        let token = record["token"].as_str().unwrap();
        for at in 0..2 {
            fs::write(tree.path(&format!(".reversion/journal/{at}")), "2").unwrap();
        }
        fs::write(tree.path("0.yaml"), old_text(0)).unwrap();
        fs::write(tree.path(&format!(".reversion-{token}-0.tmp")), "2").unwrap();
        fs::write(tree.path(&format!(".reversion-{token}-1.tmp")), old_text(1)).unwrap();
        let state = "undo of the apply to test@1/standard was interrupted: 1 of 2 files restored";
        let help = "`reversion undo` finishes it, `reversion apply --resume` reverts it";
        for command in
            [&["undo", "--list"][..], &["check", "--to", "gateway-api@1.4"], &["apply", "--yes", "--plan", "up.plan"]]
        {
            let told = tree.run(command).all();
            assert!(told.contains(state) && told.contains(help), "{command:?}: {told}");
        }
        for command in commands {
            tree.run(command).check(0);
        }
        assert_eq!(tree.contents(), tree.state(old_text), "{commands:?}");
        assert!(!tree.path(".reversion/undo/1").exists());
    }
}

#[test]
fn a_stale_plan_is_rejected_but_can_be_shown() {
    let tree = Tree::new(3);
    tree.plan("up.plan", &tree.edits(OLD, "2"));
    let shown = tree.run(&["show", "up.plan"]);
    shown.check(0);
    assert!(shown.out.contains("--- a/0.yaml\n+++ b/0.yaml\n@@ -1,3 +1 @@\n"), "{}", shown.out);
    fs::write(tree.path("0.yaml"), "edited").unwrap();
    fs::remove_file(tree.path("2.yaml")).unwrap();
    let before = tree.contents();
    let refused = tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "up.plan"]);
    refused.check(2);
    assert!(refused.err.contains("\n  0.yaml\n  2.yaml\n"), "{}", refused.err);
    assert_eq!(tree.contents(), before);
    let shown = tree.run(&["show", "up.plan"]);
    shown.check(0);
    assert!(shown.out.contains("@@ bytes "), "{}", shown.out);
    assert!(shown.err.contains("2.yaml: changed or removed since the plan was made"), "{}", shown.err);
}

#[test]
fn a_generated_plan_is_applied_once_and_then_has_nothing_left_to_do() {
    let tree = Tree::new(0);
    let text = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: Gateway\nmetadata: {name: a}\nspec:\n  gatewayClassName: b\n  listeners: []\n";
    fs::create_dir(tree.path("sub")).unwrap();
    fs::write(tree.path("sub/a.yaml"), text).unwrap();
    let absolute = tree.path("sub");
    let target = ["--to", "gateway-api@1.4/standard"];
    let saved = tree.run(&[&["plan", "--out", "a.plan", absolute.to_str().unwrap()][..], &target].concat());
    saved.check(0);
    let plan = fs::read_to_string(tree.path("a.plan")).unwrap();
    assert!(plan.contains("\"path\": \"sub/a.yaml\"") && plan.contains("\"noop\": false"), "{plan}");
    tree.run(&["apply", "--yes", "--allow-no-vcs", "--plan", "a.plan"]).check(0);
    assert_eq!(fs::read_to_string(tree.path("sub/a.yaml")).unwrap(), text.replace("v1beta1", "v1"));
    let noop = tree.run(&[&["plan", "--out", "-", "sub"][..], &target].concat());
    noop.check(0);
    assert!(noop.out.contains("\"noop\": true"), "{}", noop.out);
    fs::write(tree.path("noop.plan"), &noop.out).unwrap();
    tree.run(&["apply", "--plan", "noop.plan"]).check(0);
    fs::create_dir(tree.path("other")).unwrap();
    let target = ["--to", "gateway-api@0.8/standard"];
    let below = tree.run_in("sub", &[&["plan", "--out", "-", ".."][..], &target].concat());
    below.check(0);
    let outside = tree.run_in("other", &[&["plan", "--out", "-", "../sub"][..], &target].concat());
    outside.check(2);
    assert!(outside.err.contains("names files from the current folder"), "{}", outside.err);
}

/// Checks that a plan whose only file has this path is rejected, and that `name` is left unchanged.
#[track_caller]
fn check_outside(tree: &Tree, path: &str, touched: &Path) {
    let before = fs::read(touched).unwrap();
    let edits = vec![(path.to_owned(), String::from_utf8(before.clone()).unwrap(), "evil".to_owned())];
    tree.plan("evil.plan", &edits);
    for command in [&["apply", "--yes", "--allow-no-vcs", "--plan", "evil.plan"][..], &["show", "evil.plan"]] {
        let refused = tree.run_in("tree", command);
        refused.check(2);
        assert_eq!(refused.out, "", "{path}");
    }
    assert_eq!(fs::read(touched).unwrap(), before, "{path}");
}

#[test]
fn a_plan_neither_writes_nor_shows_files_outside_its_folder() {
    let tree = Tree::new(0);
    fs::create_dir_all(tree.path("tree/.git/hooks")).unwrap();
    for name in ["secret", "tree/.git/config", "tree/a.yaml"] {
        fs::write(tree.path(name), "content\n").unwrap();
    }
    let secret = tree.path("secret");
    fs::rename(tree.path("tree"), tree.path("moved")).unwrap();
    fs::create_dir_all(tree.path("tree")).unwrap();
    fs::rename(tree.path("moved"), tree.path("tree/tree")).unwrap();
    fs::rename(tree.path("tree/tree/.git"), tree.path("tree/.git")).unwrap();
    for path in ["../secret", "tree/../../secret", secret.to_str().unwrap(), "./../secret", ""] {
        check_outside(&tree, path, &secret);
    }
    for path in [".git/config", ".GIT/config", "tree/../.git/config"] {
        check_outside(&tree, path, &tree.path("tree/.git/config"));
    }
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_out_of_the_folder_is_not_written_through() {
    let tree = Tree::new(0);
    fs::create_dir(tree.path("tree")).unwrap();
    fs::create_dir(tree.path("outside")).unwrap();
    fs::write(tree.path("outside/a.yaml"), "content\n").unwrap();
    std::os::unix::fs::symlink("../outside", tree.path("tree/linked")).unwrap();
    std::os::unix::fs::symlink("../outside/a.yaml", tree.path("tree/a.yaml")).unwrap();
    for path in ["linked/a.yaml", "a.yaml"] {
        tree.plan("tree/up.plan", &[(path.to_owned(), "content\n".to_owned(), "evil".to_owned())]);
        let refused = tree.run_in("tree", &["apply", "--yes", "--allow-no-vcs", "--plan", "up.plan"]);
        refused.check(2);
        assert!(refused.err.contains("is outside the tree; check"), "{}", refused.err);
    }
    assert_eq!(fs::read(tree.path("outside/a.yaml")).unwrap(), b"content\n");
}

#[test]
fn a_hostile_journal_writes_nothing_outside_its_tree() {
    let tree = Tree::new(1);
    fs::create_dir_all(tree.path("tree/.git")).unwrap();
    fs::create_dir_all(tree.path("tree/.reversion/journal")).unwrap();
    fs::write(tree.path("tree/.reversion/journal/0"), "evil").unwrap();
    let before = tree.contents();
    for path in ["../0.yaml", "/etc/hostname", ".git/config"] {
        let prints = ["1-00000000000000000000000000000000", "2-00000000000000000000000000000000"];
        let record = format!(
            "{{\"schemaVersion\": 1, \"tool\": \"0\", \"act\": \"apply\", \"label\": \"\", \"time\": \"\", \"token\": \"0123456789abcdef\", \
             \"files\": [{{\"path\": \"{path}\", \"before\": \"{}\", \"after\": \"{}\"}}]}}",
            prints[0], prints[1]
        );
        fs::write(tree.path("tree/.reversion/journal/record.json"), record).unwrap();
        for command in [&["undo"][..], &["undo", "--skip-changed"], &["apply", "--resume"]] {
            let refused = tree.run_in("tree", command);
            refused.check(2);
            assert!(refused.err.contains("is not a path in the tree"), "{}", refused.err);
        }
    }
    assert_eq!(tree.contents(), before);
    assert!(!tree.path("tree/.git/config").exists());
}

#[test]
fn uncommitted_files_and_files_outside_a_repository_are_refused() {
    let tree = Tree::new(2);
    tree.plan("up.plan", &tree.edits(OLD, "2"));
    let apply = ["apply", "--yes", "--plan", "up.plan"];
    let refused = tree.run(&apply);
    refused.check(2);
    assert!(
        refused.err.contains("is not in a git repository") && refused.err.contains("--allow-no-vcs"),
        "{}",
        refused.err
    );
    tree.git(&["init", "--quiet"]);
    tree.git(&["add", "0.yaml"]);
    tree.git(&["commit", "--quiet", "--message", "x"]);
    let refused = tree.run(&apply);
    refused.check(2);
    assert!(refused.err.contains("1 file to be written is not committed\n  1.yaml\n"), "{}", refused.err);
    tree.run(&[&apply[..], &["--allow-no-vcs"]].concat()).check(2);
    assert_eq!(tree.contents(), tree.state(old_text));
    tree.git(&["add", "1.yaml"]);
    tree.git(&["commit", "--quiet", "--message", "x"]);
    tree.run(&apply).check(0);
    assert_eq!(tree.contents(), tree.state(new_text));
    assert_eq!(tree.git(&["status", "--porcelain", "--", ".reversion"]), "", "git does not see the journal");
    tree.run(&["undo"]).check(0);
    assert_eq!(tree.git(&["status", "--porcelain", "--", "0.yaml", "1.yaml"]), "");
    fs::write(tree.path("0.yaml"), old_text(0) + "# more\n").unwrap();
    tree.plan("up.plan", &[("0.yaml".to_owned(), old_text(0) + "# more\n", "2".to_owned())]);
    tree.run(&apply).check(2);
    tree.run(&[&apply[..], &["--allow-dirty"]].concat()).check(0);
}

#[test]
fn a_run_is_refused_while_another_one_locks_the_tree() {
    let tree = Tree::new(2);
    tree.plan("up.plan", &tree.edits(OLD, "2"));
    fs::create_dir(tree.path(".reversion")).unwrap();
    let lock = fs::File::create(tree.path(".reversion/lock")).unwrap();
    let apply = ["apply", "--yes", "--allow-no-vcs", "--plan", "up.plan"];
    lock.lock().unwrap();
    for command in [&apply[..], &["undo"], &["apply", "--resume"]] {
        let refused = tree.run(command);
        refused.check(2);
        assert!(refused.err.contains("another run is writing in this tree"), "{}", refused.err);
    }
    assert_eq!(tree.contents(), tree.state(old_text));
    // Closing it would not do: a process that another test just starts can have it open, too.
    lock.unlock().unwrap();
    tree.run(&apply).check(0);
}

#[test]
fn only_one_of_two_concurrent_runs_writes() {
    let tree = Tree::new(30);
    let plans = [("a.plan", "2"), ("b.plan", "3")];
    plans.iter().for_each(|(plan, text)| tree.plan(plan, &tree.edits(OLD, text)));
    let start = |plan| tree.start(&["apply", "--yes", "--allow-no-vcs", "--plan", plan]);
    let codes: Vec<_> =
        plans.map(|(plan, _)| start(plan)).into_iter().map(|mut run| run.wait().unwrap().code()).collect();
    let done = codes.iter().position(|code| *code == Some(0)).expect("one comes through");
    assert_eq!(codes[1 - done], Some(2));
    let text = plans[done].1;
    assert!(tree.contents().values().all(|content| content == text.as_bytes()));
}

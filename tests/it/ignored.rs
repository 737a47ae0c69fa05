//! What a `.reversionignore` leaves out of a run.

use crate::support::trees::Tree;

const BUDGET: &str = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\nspec: {minAvailable: 1, selector: {matchLabels: {a: b}}}\n";

#[test]
fn it_is_counted_and_listed() {
    let files = [
        (".reversionignore", "old/\n/b.yaml\n"),
        (".ignore", "c.yaml\n"),
        ("a.yaml", BUDGET),
        ("b.yaml", BUDGET),
        ("c.yaml", BUDGET),
        ("old/a.yaml", BUDGET),
        ("old/deep/b.yaml", BUDGET),
    ];
    let tree = Tree::of(&files);
    let check = |options: &[&str]| tree.run(&[&["check", "--to", "kubernetes@1.25"], options].concat());
    let counted = "1 file read, 1 object recognized: 1 to change in 1 file, 0 held back; 0 files skipped, 2 paths ignored by .reversionignore, 0 failed\n";
    let usual = check(&[]);
    usual.check(1);
    assert!(usual.err.ends_with(counted), "{}", usual.all());
    assert!(!usual.out.contains("old"), "{}", usual.all());
    let verbose = check(&["-v"]);
    let listed = "b.yaml: note[ignored-path] the path is ignored by .reversionignore\n  also old\n";
    assert!(verbose.out.contains(listed), "{}", verbose.all());
    assert!(!verbose.out.contains("c.yaml"), "{}", verbose.all());
    let json: serde_json::Value = serde_json::from_str(&check(&["--format", "json"]).out).unwrap();
    assert_eq!(json["summary"]["ignored"], 2);
    let listed = json["findings"].as_array().unwrap().iter().filter(|finding| finding["code"] == "ignored-path");
    assert_eq!(listed.count(), 2);
    let all = check(&["--no-ignore"]);
    assert!(all.err.contains("5 files read") && !all.err.contains("ignored by"), "{}", all.all());
}

#[cfg(unix)]
#[test]
fn what_to_do_about_one_that_is_a_link_is_said() {
    let tree = Tree::of(&[("a.yaml", BUDGET), ("rules.txt", "b.yaml\n")]);
    std::os::unix::fs::symlink("rules.txt", tree.path(".gitignore")).unwrap();
    let run = tree.run(&["check", "--to", "kubernetes@1.25"]);
    run.check(2);
    let help =
        "links of ignore files are not followed: replace it by a regular file of at most 1 MiB, or pass `--no-ignore`";
    assert!(run.all().contains(help), "{}", run.all());
    let all = tree.run(&["check", "--to", "kubernetes@1.25", "--no-ignore"]);
    assert!(all.err.contains("1 to change"), "{}", all.all());
}

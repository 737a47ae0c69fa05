//! The Chart.yaml of charts, which is an object by its name.

use crate::support::trees::Tree;

/// Names and texts.
type Files<'f> = &'f [(&'f str, &'f str)];

const OLD: &str = "apiVersion: v1 # of the chart\nname: shop\nversion: 1.0.0\n";
const REQUIREMENTS: &str =
    "dependencies:\n- name: database\n  version: 1.0.0\n  repository: https://charts.example.com\n";

fn apply(target: &str) -> [&str; 5] {
    ["apply", "--yes", "--allow-no-vcs", "--to", target]
}

#[test]
fn a_chart_is_converted_and_back() {
    let tree = Tree::of(&[("Chart.yaml", OLD), ("values.yaml", "a: 1\n"), ("templates/a.yaml", "a: {{ .x }}\n")]);
    tree.run(&apply("helm@3")).check(0);
    assert_eq!(tree.text("Chart.yaml"), OLD.replace("v1", "v2"));
    tree.run(&["check", "--to", "helm@3"]).check(0);
    tree.run(&apply("helm@2")).check(0);
    assert_eq!(tree.text("Chart.yaml"), OLD);
}

/// The digests that Helm 2 and Helm 3 write into the lock of `REQUIREMENTS`: SHA-256 of the dependencies as JSON, and of a list of those and of
/// what was found for them.
const DIGESTS: [&str; 2] = [
    "sha256:e5e4e7b1501d3999c1557a684f119b6c209eaea608cd3c84687e02ea347f1738",
    "sha256:26466e405bea919b36e30abfc24e4b1050f9a45ba66ccacbefbb9166f154bb3f",
];

fn lock(digest: &str) -> String {
    let found = "dependencies:\n- name: database\n  repository: https://charts.example.com\n  version: 1.0.0\n";
    format!("{found}digest: {digest}\ngenerated: \"2019-06-20T13:43:23Z\"\n")
}

#[test]
fn the_dependencies_of_a_chart_move_between_files_and_back() {
    // Text that stays as it is: comments, quotes, blank lines.
    let requirements = format!("# what it needs\n{REQUIREMENTS}  tags: ['a']  # of ours\n");
    let chart = format!("{OLD}tillerVersion: \">2.9\" # the old one\n");
    let tree = Tree::of(&[("Chart.yaml", &chart), ("requirements.yaml", &requirements)]);
    let run = tree.run(&["check", "--to", "helm@3", "-v", "--allow-loss"]);
    run.check(1);
    assert!(
        run.all().contains("Chart.yaml: note[chart] its dependencies move: requirements.yaml is removed"),
        "{}",
        run.all()
    );
    tree.run(&[&apply("helm@3")[..], &["--allow-loss"]].concat()).check(0);
    assert_eq!(tree.text("Chart.yaml"), format!("{}{requirements}", OLD.replace("v1", "v2")));
    assert!(!tree.path("requirements.yaml").exists());
    tree.run(&["check", "--to", "helm@3"]).check(0);

    let back = tree.run(&[&apply("helm@2")[..], &["-v"]].concat());
    back.check(0);
    assert!(!back.all().contains("comment-dropped"), "its comments move with it: {}", back.all());
    assert_eq!(tree.text("Chart.yaml"), OLD);
    assert_eq!(tree.text("requirements.yaml"), requirements);

    // Both runs are undone, the last one first.
    for _ in 0..2 {
        let undo = tree.run(&["undo"]);
        undo.check(0);
        assert!(!undo.all().contains("is gone"), "{}", undo.all());
    }
    assert_eq!((tree.text("Chart.yaml"), tree.text("requirements.yaml")), (chart, requirements));
}

#[test]
fn the_lock_of_a_chart_moves_with_its_dependencies() {
    let stale = "sha256:00";
    for [old, new] in [DIGESTS, [DIGESTS[1]; 2], [stale; 2]] {
        let tree =
            Tree::of(&[("Chart.yaml", OLD), ("requirements.yaml", REQUIREMENTS), ("requirements.lock", &lock(old))]);
        tree.run(&apply("helm@3")).check(0);
        assert_eq!(tree.text("Chart.lock"), lock(new), "one that does not fit stays as it is");
        assert!(!tree.path("requirements.lock").exists());
    }
    // Of an alias, Helm 3 hashes the address that it stands for.
    let alias = REQUIREMENTS.replace("https://charts.example.com", "'@charts'");
    let fitting = lock("sha256:c9451f7bd1b6a285f5cc5a87e0e2e89353f3a8babb92d747b63a1408ed47eb3d");
    let tree = Tree::of(&[("Chart.yaml", OLD), ("requirements.yaml", &alias), ("requirements.lock", &fitting)]);
    tree.run(&apply("helm@3")).check(0);
    assert_eq!(tree.text("Chart.lock"), fitting);
    let chart = format!("{}{REQUIREMENTS}", OLD.replace("v1", "v2"));
    let tree = Tree::of(&[("Chart.yaml", &chart), ("Chart.lock", &lock(DIGESTS[1]))]);
    tree.run(&apply("helm@2")).check(0);
    assert_eq!(
        (tree.text("requirements.yaml"), tree.text("requirements.lock")),
        (REQUIREMENTS.to_owned(), lock(DIGESTS[0]))
    );
    assert!(!tree.path("Chart.lock").exists());
}

/// What charts of v1 do not have is removed with them, in one edit.
#[test]
fn dependencies_move_from_beside_the_type_of_a_chart() {
    let new = OLD.replace("v1", "v2");
    for chart in [
        format!("{new}type: application\n{REQUIREMENTS}"),
        format!("{new}{REQUIREMENTS}type: application\n"),
        format!("{new}{REQUIREMENTS}type: application\nkeywords: [a]\n"),
    ] {
        let tree = Tree::of(&[("Chart.yaml", &chart)]);
        tree.run(&apply("helm@2")).check(0);
        assert_eq!(tree.text("requirements.yaml"), REQUIREMENTS, "{chart}");
        let left = chart.replace(REQUIREMENTS, "").replace("type: application\n", "").replace("v2", "v1");
        assert_eq!(tree.text("Chart.yaml"), left);
    }
}

#[test]
fn dependencies_that_cannot_move_hold_the_chart_back() {
    let new = OLD.replace("v1", "v2");
    let with_own = format!("{OLD}{REQUIREMENTS}");
    let with_both = format!("{new}{REQUIREMENTS}");
    let lock = lock(DIGESTS[0]);
    let both_locks = [("requirements.yaml", REQUIREMENTS), ("requirements.lock", &lock), ("Chart.lock", &lock)];
    let cases: [(&str, &str, Files<'_>, &str); 8] = [
        ("helm@3", &with_own, &both_locks[..1], "both are there"),
        ("helm@2", &with_both, &both_locks[..1], "both are there"),
        ("helm@3", OLD, &both_locks, "both requirements.lock and Chart.lock are there"),
        ("helm@3", OLD, &[("requirements.yaml", "dependencies: []\nname: other\n")], "cannot be moved as it stands"),
        (
            "helm@3",
            OLD,
            &[("requirements.yaml", "dependencies: []\n---\ndependencies: []\n")],
            "cannot be moved as it stands",
        ),
        ("helm@3", OLD, &[("requirements.yaml", "dependencies: [\n")], "cannot be moved as it stands"),
        ("helm@3", OLD, &[("requirements.yaml", " dependencies: []\n")], "cannot be moved as it stands"),
        (
            "helm@2",
            "{apiVersion: v2, name: a, version: 1.0.0, dependencies: []}\n",
            &[],
            "cannot be moved as it stands",
        ),
    ];
    for (target, chart, others, why) in cases {
        let files = [&[("Chart.yaml", chart)], others].concat();
        let tree = Tree::of(&files);
        let run = tree.run(&[&apply(target)[..], &["--keep-going"]].concat());
        assert!(
            run.all().contains(why) && run.all().contains("held-back[not-convertible]"),
            "{chart}{others:?}: {}",
            run.all()
        );
        assert!(files.iter().all(|(name, text)| tree.text(name) == *text), "{chart}{others:?}");
    }
}

/// What is not of the run is not made, changed or removed.
#[test]
fn dependencies_move_only_between_files_of_the_run() {
    let files = [("a/Chart.yaml", OLD), ("a/requirements.yaml", REQUIREMENTS), ("list", "a/Chart.yaml\n")];
    let left_out = "requirements.yaml is not of the run: it is excluded or not listed, a symbolic link or no text";
    for (arguments, why) in [
        (&["a/Chart.yaml"][..], "pass the folder of the chart as a path"),
        (&["--files-from", "list"], left_out),
        (&["--glob", "!requirements.yaml"], left_out),
        (&["--glob", "Chart.yaml"], left_out),
    ] {
        let tree = Tree::of(&files);
        let run = tree.run(&[&apply("helm@3")[..], arguments].concat());
        run.check(1);
        assert!(run.all().contains(why), "{}", run.all());
        assert_eq!(tree.text("a/Chart.yaml"), OLD);
        tree.run(&[&apply("helm@3")[..], &["./a"]].concat()).check(0);
        assert_eq!(tree.text("a/Chart.yaml"), format!("{}{REQUIREMENTS}", OLD.replace("v1", "v2")));
    }
    // The shard of the Chart.yaml has all of them.
    let tree = Tree::of(&files);
    for shard in ["1/2", "2/2"] {
        let run = tree.run(&[&apply("helm@3")[..], &["--shard", shard, "--allow-empty"]].concat());
        run.check(0);
    }
    assert!(!tree.path("a/requirements.yaml").exists());
}

/// What git has of the files that are there is enough.
#[test]
fn files_are_made_in_a_repository_and_get_their_modes_back() {
    use std::os::unix::fs::PermissionsExt as _;
    let tree =
        Tree::of(&[("Chart.yaml", OLD), ("requirements.yaml", REQUIREMENTS), ("requirements.lock", &lock(DIGESTS[0]))]);
    let mode = |name: &str| std::fs::metadata(tree.path(name)).unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(tree.path("requirements.lock"), std::fs::Permissions::from_mode(0o600)).unwrap();
    tree.git(&["init", "-q"]);
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "a"]);
    tree.run(&["apply", "--yes", "--to", "helm@3"]).check(0);
    assert_eq!(mode("Chart.lock"), mode("Chart.yaml"));
    tree.run(&["undo"]).check(0);
    assert_eq!((mode("requirements.lock"), mode("requirements.yaml")), (0o600, mode("Chart.yaml")));
    std::fs::write(tree.path("requirements.yaml"), format!("{REQUIREMENTS}# mine\n")).unwrap();
    let dirty = tree.run(&["apply", "--yes", "--to", "helm@3"]);
    dirty.check(2);
    assert!(dirty.all().contains("not committed"), "{}", dirty.all());
}

#[test]
fn a_saved_plan_makes_and_removes_files_too() {
    let texts = || {
        Tree::of(&[("Chart.yaml", OLD), ("requirements.yaml", REQUIREMENTS), ("requirements.lock", &lock(DIGESTS[0]))])
    };
    let tree = texts();
    tree.run(&["plan", "-o", "saved.plan", "--to", "helm@3"]).check(0);
    let apply = ["apply", "--yes", "--allow-no-vcs", "--plan", "saved.plan"];
    std::fs::write(tree.path("Chart.lock"), "").unwrap();
    let occupied = tree.run(&apply);
    occupied.check(2);
    assert!(occupied.all().contains("Chart.lock: is there already"), "{}", occupied.all());
    assert_eq!(tree.text("Chart.yaml"), OLD);
    std::fs::remove_file(tree.path("Chart.lock")).unwrap();
    tree.run(&apply).check(0);
    assert_eq!(tree.text("Chart.lock"), lock(DIGESTS[1]));
    assert!(!tree.path("requirements.yaml").exists());
    // The diff is one that git applies.
    let other = texts();
    std::fs::write(other.path("a.patch"), other.run(&["diff", "--to", "helm@3"]).out).unwrap();
    other.git(&["init", "-q"]);
    other.git(&["apply", "a.patch"]);
    for name in ["Chart.yaml", "Chart.lock"] {
        assert_eq!(other.text(name), tree.text(name));
    }
    assert!(!other.path("requirements.yaml").exists() && !other.path("requirements.lock").exists());
}

#[test]
fn a_vendored_chart_is_converted_only_if_a_path_names_it() {
    let tree = Tree::of(&[("Chart.yaml", &OLD.replace("v1", "v2")), ("charts/lib/Chart.yaml", OLD)]);
    tree.run(&apply("helm@3")).check(0);
    assert_eq!(tree.text("charts/lib/Chart.yaml"), OLD);
    for path in ["charts/lib", "./charts/lib"] {
        std::fs::write(tree.path("charts/lib/Chart.yaml"), OLD).unwrap();
        tree.run(&["apply", "--yes", "--allow-no-vcs", "--to", "helm@3", path]).check(0);
        assert_eq!(tree.text("charts/lib/Chart.yaml"), OLD.replace("v1", "v2"));
    }
}

#[test]
fn only_a_chart_is_an_object_by_its_name() {
    let tree = Tree::of(&[("plugin.yaml", OLD), ("a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n")]);
    tree.run(&["check", "--to", "helm@3"]).check(3);
    let tree = Tree::of(&[("Chart.yaml", "apiVersion: v1\nname: [shop\n")]);
    tree.run(&["check", "--to", "helm@3"]).check(2);
    // The target is not about what templates print, and no other one is about the file.
    let tree = Tree::of(&[("Chart.yaml", OLD), ("templates/a.yaml", "{{ include \"common.all\" . }}\n")]);
    let run = tree.run(&apply("helm@3"));
    run.check(0);
    assert!(!run.all().contains("common.all"), "{}", run.all());
    let tree = Tree::of(&[("Chart.yaml", OLD)]);
    tree.run(&["check", "--to", "kubernetes@1.33"]).check(3);
}

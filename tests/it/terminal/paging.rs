//! The pager, the colours, and the width of what is printed.

use std::fs;

use super::pty::{Terminal, plain, without_progress};
use super::{converted, route, routes};
use crate::support::trees::Tree;

const DIFF: &str = "reversion diff --to gateway-api@1.6.1/standard";
const PAGER: (&str, &str) = ("PAGER", "sed s/^/paged:/");

/// Runs a command on a terminal of so many rows, and returns what stays on it.
fn run(tree: &Tree, rows: u16, variables: &[(&str, &str)], command: &str) -> (String, Option<i32>) {
    let (shown, code) = Terminal::with(tree, (rows, 80), variables, command).end();
    (without_progress(&shown), code)
}

#[test]
fn output_that_is_longer_than_the_screen_is_paged() {
    let tree = routes();
    let (shown, code) = run(&tree, 10, &[PAGER], DIFF);
    assert!(shown.contains("paged:\u{1b}[1m--- a/a.yaml"), "{shown:?}");
    // The summary stays on the screen.
    let last = "2 files read, 3 objects recognized: 3 to change in 2 files, 0 held back; 0 files skipped, 0 failed\n";
    assert!(plain(&shown).ends_with(&format!("\n{last}")) && !shown.contains("paged:2 files"), "{shown}");
    assert_eq!(code, Some(1));
    let first = [PAGER, ("GIT_PAGER", "sed s/^/first:/")];
    assert!(run(&tree, 10, &first, DIFF).0.contains("first:"));
    let check = "reversion check -v --to gateway-api@1.6.1/standard";
    let (shown, _) = run(&tree, 3, &[PAGER], check);
    assert!(plain(&shown).contains("paged:a.yaml:1:1: HTTPRoute one"), "{shown}");
    run(&tree, 40, &[], "reversion plan -o plan --to gateway-api@1.6.1/standard");
    assert!(run(&tree, 10, &[PAGER], "reversion show plan").0.contains("paged:"));
}

#[test]
fn output_is_not_paged_where_git_would_not() {
    let tree = routes();
    for (rows, variables, command) in [
        (40, &[PAGER][..], DIFF.to_owned()),
        (10, &[PAGER], format!("{DIFF} --no-pager")),
        (10, &[PAGER, ("REVERSION_NO_PAGER", "1")], DIFF.to_owned()),
        (10, &[PAGER, ("TERM", "dumb")], DIFF.to_owned()),
        (10, &[PAGER, ("CI", "true")], DIFF.to_owned()),
        (10, &[("PAGER", "")], DIFF.to_owned()),
        (10, &[PAGER], format!("{DIFF} | cat")),
        (10, &[PAGER], format!("{DIFF} --output-file diff; cat diff")),
    ] {
        let (shown, _) = run(&tree, rows, variables, &command);
        assert!(!shown.contains("paged:") && shown.contains("+++ b/b.yaml"), "{command}: {shown}");
    }
}

#[test]
fn a_pager_that_is_closed_or_missing_loses_nothing() {
    let tree = routes();
    let (shown, code) = run(&tree, 10, &[("PAGER", "head -n 1")], DIFF);
    assert!(shown.contains("a/a.yaml") && !shown.contains("b/b.yaml"), "{shown}");
    assert_eq!(code, Some(1));
    // More than a pipe holds, so that the pager is closed while it is written to.
    let long = (0..2_000).map(|at| route(&format!("r{at}"))).collect::<Vec<_>>().join("---\n");
    let large = Tree::of(&[("a.yaml", &long)]);
    let (shown, code) = run(&large, 10, &[("PAGER", "true")], DIFF);
    assert!(plain(&shown).starts_with("1 file read, 2,000 objects recognized"), "{shown}");
    assert_eq!(code, Some(1));
    let (shown, code) = run(&tree, 10, &[("PAGER", "no-such-pager")], DIFF);
    assert!(shown.contains("no pager: `no-such-pager` cannot be run\n"), "{shown}");
    assert!(shown.contains("+++ b/a.yaml") && shown.contains("+++ b/b.yaml"), "{shown}");
    assert_eq!(code, Some(1));
}

type Variables<'v> = &'v [(&'v str, &'v str)];

/// Each case: the variables, the arguments, whether standard output is a terminal, and whether there are colours.
#[test]
fn colours_follow_the_terminal_the_variables_and_the_flag() {
    let tree = routes();
    let cases: [(Variables<'_>, &str, bool, bool); 16] = [
        (&[], "", true, true),
        (&[], "", false, false),
        (&[("NO_COLOR", "1")], "", true, false),
        (&[("NO_COLOR", "")], "", true, true),
        (&[("NO_COLOR", "1")], " --color always", true, true),
        (&[("TERM", "dumb")], "", true, false),
        (&[("TERM", "dumb")], " --color always", true, true),
        (&[("FORCE_COLOR", "1")], "", false, true),
        (&[("FORCE_COLOR", "0")], "", false, false),
        (&[("FORCE_COLOR", "1")], " --color never", false, false),
        (&[("CLICOLOR_FORCE", "1")], "", false, true),
        (&[("CLICOLOR_FORCE", "0")], "", false, false),
        (&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], "", false, true),
        (&[], " --color never", true, false),
        (&[], " --color always", false, true),
        (&[("REVERSION_COLOR", "never")], "", true, false),
    ];
    for (variables, arguments, terminal, coloured) in cases {
        let redirection = if terminal { "" } else { " > out 2> err; cat out" };
        let (shown, _) = run(&tree, 60, variables, &format!("{DIFF}{arguments}{redirection}"));
        assert!(shown.contains("+++ b/a.yaml"), "{shown}");
        assert_eq!(shown.contains("\u{1b}["), coloured, "{variables:?} {arguments} {terminal}: {shown:?}");
    }
}

#[test]
fn counts_of_lines_fit_the_terminal_and_are_those_of_git() {
    let name = format!("{}/route.yaml", ["clusters", "production", "applications", "storefront"].join("/"));
    let many = (0..60).map(|at| route(&format!("r{at}"))).collect::<Vec<_>>().join("---\n");
    let tree = Tree::of(&[(&*name, &many), ("b.yaml", &route("b"))]);
    let stat = format!("{DIFF} --stat");
    let (narrow, _) = Terminal::with(&tree, (24, 40), &[("NO_COLOR", "1")], &stat).end();
    let narrow = without_progress(&narrow);
    assert!(narrow.lines().take(2).all(|line| line.len() <= 40 && line.contains(" | ")), "{narrow}");
    let ours = tree.run(&["diff", "--stat", "--to", "gateway-api@1.6.1/standard"]);
    ours.check(1);
    tree.git(&["init", "--quiet"]);
    tree.git(&["add", "."]);
    fs::write(tree.path("b.yaml"), converted("b")).unwrap();
    let after = (0..60).map(|at| converted(&format!("r{at}"))).collect::<Vec<_>>().join("---\n");
    fs::write(tree.path(&name), after).unwrap();
    assert_eq!(ours.out, tree.git(&["diff", "--stat", "--stat-width=80"]));
}

#[test]
fn an_interrupt_is_left_to_an_open_pager() {
    let tree = routes();
    let pager = ("PAGER", "trap : INT; cat > /dev/null; echo waiting; sleep 9; echo closed");
    let mut terminal = Terminal::with(&tree, (10, 80), &[pager], DIFF);
    terminal.control("waiting", 'c');
    let (shown, _) = terminal.end();
    let (_, after) = shown.split_once("closed\n").unwrap();
    assert!(after.starts_with("2 files read, 3 objects recognized"), "{shown}");
}

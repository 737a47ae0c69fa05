//! The question of `apply`.

use super::pty::{Terminal, plain};
use super::{APPLY, converted, git, route, routes};
use crate::support::trees::Tree;

#[test]
fn the_files_and_a_short_diff_are_shown_before_the_question() {
    let tree = routes();
    let mut terminal = Terminal::with(&tree, (60, 80), &[], APPLY);
    let shown = terminal.answer("write 2 files? [y/N/d/?] ", "y");
    let files = " a.yaml | 1 object, 1 edit   \u{1b}[32m+\u{1b}[0m\u{1b}[31m-\u{1b}[0m\n b.yaml | 2 objects, 2 edits";
    assert!(shown.contains(files), "{shown:?}");
    assert!(shown.contains("+++ b/a.yaml") && shown.contains("+++ b/b.yaml"), "{shown}");
    assert!(plain(&shown).ends_with("3 to change in 2 files, 0 held back; 0 files skipped, 0 failed\n"), "{shown}");
    let (end, code) = terminal.end();
    assert_eq!(
        plain(&end),
        "2 files read, 3 objects recognized: 3 changed in 2 files, 0 held back; 0 files skipped, 0 failed\n"
    );
    assert_eq!((code, tree.text("a.yaml")), (Some(0), converted("one")));
}

#[test]
fn a_long_diff_is_shown_when_it_is_asked_for() {
    let tree = routes();
    let pager = [("PAGER", "sed s/^/paged:/")];
    let mut terminal = Terminal::with(&tree, (20, 80), &pager, APPLY);
    let shown = terminal.answer("write 2 files? [y/N/d/?] ", "d");
    assert!(shown.contains(" a.yaml |") && !shown.contains("+++ b/a.yaml"), "{shown}");
    let diff = terminal.answer("write 2 files? [y/N/d/?] ", "?");
    assert!(diff.contains("paged:\u{1b}[1m+++ b/a.yaml"), "{diff:?}");
    let help = terminal.answer("write 2 files? [y/N/d/?] ", "");
    assert!(help.contains("d - show the diff\n"), "{help}");
    let (end, code) = terminal.end();
    assert_eq!((end.as_str(), code), ("nothing was written\n", Some(1)));
    assert_eq!(tree.text("a.yaml"), route("one"));
}

#[test]
fn the_end_of_the_input_writes_nothing() {
    let tree = routes();
    let mut terminal = Terminal::run(&tree, &format!("{APPLY} --diff"));
    terminal.control("write 2 files? [y/N/d/?] ", 'd');
    let (end, code) = terminal.end();
    assert_eq!((end.trim_start(), code), ("nothing was written\n", Some(1)));
    assert_eq!(tree.text("a.yaml"), route("one"));
}

#[test]
fn the_diff_of_what_is_written_is_printed_once_on_a_terminal_and_to_a_pipe() {
    for (redirection, times) in [("", 1), (" > diff", 1)] {
        let tree = routes();
        let mut terminal = Terminal::with(&tree, (60, 80), &[], &format!("{APPLY} --diff{redirection}"));
        let mut shown = terminal.answer("write 2 files? [y/N/d/?] ", "y");
        let (end, code) = terminal.end();
        shown.push_str(&end);
        assert_eq!((shown.matches("+++ b/a.yaml").count(), code), (times, Some(0)), "{shown}");
        if !redirection.is_empty() {
            assert!(tree.text("diff").starts_with("--- a/a.yaml\n+++ b/a.yaml\n@@ -1,4 +1,4 @@\n"));
        }
    }
}

#[test]
fn a_long_run_shows_how_far_it_is_and_clears_the_line() {
    let text = |file: usize| (0..800).map(|at| route(&format!("r{file}-{at}"))).collect::<Vec<_>>().join("---\n");
    let files: Vec<(String, String)> = (0..20).map(|file| (format!("{file}.yaml"), text(file))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let large = Tree::of(&files);
    let check = "reversion check -j 1 --to gateway-api@1.6.1/standard";
    let (shown, _) = Terminal::run(&large, &format!("{check} > out")).end();
    assert!(shown.contains(" read") || shown.contains(" planning"), "{shown:?}");
    // What is printed after it starts on a line that was cleared.
    let (drawn, printed) = shown.rsplit_once("\r\u{1b}[2K").unwrap();
    assert!(!drawn.contains('\n') && plain(printed).starts_with("20 files read, "), "{shown:?}");
    assert!(!large.text("out").contains('\u{1b}'));
    for command in [format!("{check} -q > out"), format!("{check} > out 2> err"), format!("TERM=dumb {check} > out")] {
        let (shown, _) = Terminal::run(&large, &command).end();
        assert!(!shown.contains("\u{1b}[2K"), "{command}: {shown:?}");
    }
    assert!(!large.text("err").contains('\u{1b}'));
    let (short, _) = Terminal::run(&routes(), &format!("{check} > out")).end();
    assert!(!short.contains("\u{1b}[2K"), "{short:?}");
}

#[test]
fn a_file_that_git_no_longer_has_when_the_answer_is_yes_is_not_written() {
    let tree = routes();
    git(&tree, &["init", "-q"]);
    git(&tree, &["add", "."]);
    git(&tree, &["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "files"]);
    let mut terminal = Terminal::run(&tree, "reversion apply --to gateway-api@1.6.1/standard");
    terminal.until("write 2 files? [y/N/d/?] ");
    git(&tree, &["rm", "-q", "--cached", "b.yaml"]);
    terminal.send("y");
    let (end, code) = terminal.end();
    assert!(end.contains("nothing was written: 1 file to be written is not committed\n  b.yaml"), "{end}");
    assert_eq!((code, tree.text("a.yaml")), (Some(2), route("one")));
}

//! `apply --interactive`.

use std::fs;

use super::pty::{KEYS, Terminal, plain};
use super::{APPLY, converted, git, route, routes};
use crate::support::trees::Tree;

fn start(tree: &Tree) -> Terminal {
    Terminal::run(tree, &format!("{APPLY} -i"))
}

#[track_caller]
fn check(tree: &Tree, one: &str, two: &str, three: &str) {
    assert_eq!([tree.text("a.yaml"), tree.text("b.yaml")], [one.to_owned(), format!("{two}---\n{three}")]);
}

#[test]
fn each_object_is_asked_for_and_only_those_accepted_are_written() {
    let tree = routes();
    let mut terminal = Terminal::run(&tree, &format!("{APPLY} -i -v"));
    let shown = terminal.choose("1/3", "y");
    assert!(
        shown.contains(
            "a.yaml:1:1: HTTPRoute one: apiVersion gateway.networking.k8s.io/v1beta1 must become gateway.networking.k8s.io/v1"
        ),
        "{shown}"
    );
    let [red, green] = [("31m-", "v1beta1"), ("32m+", "v1")].map(|(sign, version)| {
        format!("\u{1b}[{sign}apiVersion: gateway.networking.k8s.io/\u{1b}[7m{version}\u{1b}[27m\u{1b}[0m\n")
    });
    assert!(shown.contains(&(red + &green)), "{shown:?}");
    terminal.choose("2/3", "n");
    // Enter is yes.
    let third = terminal.choose("3/3", "");
    assert!(third.contains("b.yaml:9:1: HTTPRoute three") && !third.contains("HTTPRoute two"), "{third}");
    let (end, code) = terminal.end();
    let end = plain(&end);
    assert!(end.contains("a.yaml | 1 object, 1 edit") && end.contains("b.yaml | 1 object, 1 edit"), "{end}");
    assert!(end.contains("held-back[declined] HTTPRoute two: it is left unchanged, as you answered"), "{end}");
    assert!(end.contains("3 objects recognized: 2 changed in 2 files, 1 held back"), "{end}");
    assert_eq!(code, Some(1));
    check(&tree, &converted("one"), &route("two"), &converted("three"));
}

#[test]
fn all_of_the_rest_are_accepted_at_once() {
    let tree = routes();
    let mut terminal = start(&tree);
    terminal.choose("1/3", "n");
    terminal.choose("2/3", "a");
    let (end, code) = terminal.end();
    // The user knows what they answered.
    assert!(end.contains("1 held back") && !end.contains("declined"), "{end}");
    assert_eq!(code, Some(1));
    check(&tree, &route("one"), &converted("two"), &converted("three"));
    // Everything is accepted, so nothing remains.
    let mut terminal = start(&tree);
    terminal.choose("1/1", "yes");
    assert_eq!(terminal.end().1, Some(0));
    check(&tree, &converted("one"), &converted("two"), &converted("three"));
}

#[test]
fn none_of_the_rest_is_written_and_what_was_accepted_is() {
    let tree = routes();
    let mut terminal = start(&tree);
    terminal.choose("1/3", "y");
    terminal.choose("2/3", "d");
    assert_eq!(terminal.end().1, Some(1));
    check(&tree, &converted("one"), &route("two"), &route("three"));
}

#[test]
fn a_file_is_skipped_from_the_object_on() {
    let tree = Tree::of(&[
        ("b.yaml", &format!("{}---\n{}---\n{}", route("one"), route("two"), route("three"))),
        ("c.yaml", &route("four")),
    ]);
    let mut terminal = start(&tree);
    terminal.choose("1/4", "y");
    terminal.choose("2/4", "s");
    terminal.choose("4/4", "y");
    assert_eq!(terminal.end().1, Some(1));
    assert_eq!(tree.text("b.yaml"), format!("{}---\n{}---\n{}", converted("one"), route("two"), route("three")));
    assert_eq!(tree.text("c.yaml"), converted("four"));
}

#[test]
fn answers_are_undone_one_by_one() {
    let tree = routes();
    let mut terminal = start(&tree);
    terminal.choose("1/3", "u");
    terminal.until("there is no earlier answer");
    terminal.choose("1/3", "y");
    terminal.choose("2/3", "s");
    assert_eq!(terminal.end().1, Some(1));
    check(&tree, &converted("one"), &route("two"), &route("three"));
    let tree = routes();
    let mut terminal = start(&tree);
    terminal.choose("1/3", "n");
    terminal.choose("2/3", "y");
    terminal.choose("3/3", "u");
    terminal.choose("2/3", "u");
    terminal.choose("1/3", "y");
    terminal.choose("2/3", "n");
    terminal.choose("3/3", "n");
    assert_eq!(terminal.end().1, Some(1));
    check(&tree, &converted("one"), &route("two"), &route("three"));
}

#[test]
fn stopping_asks_whether_to_write_what_was_accepted() {
    for (answer, one) in [("y", converted("one")), ("", route("one"))] {
        let tree = routes();
        let mut terminal = start(&tree);
        terminal.choose("1/3", "y");
        terminal.choose("2/3", "q");
        let shown = terminal.answer("write 1 file? [y/N/d/?] ", answer);
        assert!(shown.contains(" a.yaml | 1 object, 1 edit"), "{shown}");
        assert_eq!(terminal.end().1, Some(1));
        check(&tree, &one, &route("two"), &route("three"));
    }
    let tree = routes();
    let mut terminal = start(&tree);
    terminal.choose("1/3", "q");
    let (end, code) = terminal.end();
    assert!(end.ends_with("nothing was written\n"), "{end}");
    assert_eq!(code, Some(1));
}

/// What holds an object back is asked about no object, so that the report is the only place of it.
#[test]
fn what_is_held_back_is_reported_where_all_else_is_declined() {
    let tree = routes();
    fs::write(tree.path("held.yaml"), "# reversion: ignor\n".to_owned() + &route("held")).unwrap();
    let mut terminal = start(&tree);
    for number in 1..=3 {
        terminal.choose(&format!("{number}/3"), "n");
    }
    let (end, code) = terminal.end();
    assert!(plain(&end).contains("held-back[invalid-ignore]"), "{end}");
    assert!(end.ends_with("nothing was written\n"), "{end}");
    assert_eq!(code, Some(1));
}

#[test]
fn the_end_of_the_input_and_an_interrupt_write_nothing() {
    for (key, code) in [('d', Some(1)), ('c', None)] {
        let tree = routes();
        let mut terminal = start(&tree);
        terminal.choose("1/3", "y");
        terminal.control(&format!("(2/3) {KEYS}"), key);
        let (end, found) = terminal.end();
        assert_eq!(end.contains("nothing was written"), key == 'd', "{end}");
        if key == 'd' {
            assert_eq!(found, code);
        } else {
            assert_ne!(found, Some(0));
        }
        check(&tree, &route("one"), &route("two"), &route("three"));
    }
}

#[test]
fn keys_and_rules_are_explained() {
    let policy = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {name: up}\nspec:\n  \
                  targetRef: {group: \"\", kind: Service, name: up}\n  tls: {hostname: up.example.com, wellKnownCACerts: System}\n";
    let tree = Tree::of(&[("policy.yaml", policy)]);
    let mut terminal = start(&tree);
    let shown = terminal.choose("1/1", "e");
    let rule = "gateway-api/v1.1.0/backendtlspolicy-tls-renamed-to-validation";
    assert!(shown.contains(&format!("  forward {rule}\n")), "{shown}");
    let explained = terminal.choose("1/1", "?");
    assert!(
        explained.contains(&format!("{rule}\n")) && explained.contains("made in: Gateway API v1.1.0"),
        "{explained}"
    );
    let help = terminal.choose("1/1", "x");
    for key in ["y", "n", "a", "d", "u", "s", "q", "e", "?"] {
        assert!(help.contains(&format!("\n{key} - ")) || help.starts_with(&format!("{key} - ")), "{key}: {help}");
    }
    // Another key is answered with the help too.
    assert!(terminal.choose("1/1", "n").contains("? - show this help"));
    assert_eq!(terminal.end().1, Some(1));
    assert_eq!(tree.text("policy.yaml"), policy);
}

const OLD_GATEWAY: &str = "apiVersion: networking.x-k8s.io/v1alpha1\nkind: Gateway\nmetadata: {name: edge}\nspec:\n  \
                           gatewayClassName: lb\n  listeners:\n  - protocol: HTTP\n    port: 80\n    routes:\n      \
                           kind: HTTPRoute\n      selector: {matchLabels: {tier: web}}\n";
const OLD_ROUTE: &str = "apiVersion: networking.x-k8s.io/v1alpha1\nkind: HTTPRoute\nmetadata:\n  name: cart\n  \
                         labels: {tier: web}\nspec:\n  gateways: {allow: All}\n  rules:\n  - forwardTo: [{serviceName: cart, port: 80}]\n";

#[test]
fn what_converts_together_is_dropped_together_and_comes_back_with_undo() {
    let tree = Tree::of(&[("gateway.yaml", OLD_GATEWAY), ("other.yaml", &route("other")), ("route.yaml", OLD_ROUTE)]);
    let mut terminal = start(&tree);
    terminal.choose("1/3", "n");
    let dropped = plain(&terminal.choose("2/3", "u"));
    assert!(
        dropped.contains("1 object left unchanged with it:\nroute.yaml:1:1: held-back[converts-together]"),
        "{dropped}"
    );
    terminal.choose("1/3", "y");
    terminal.choose("2/3", "y");
    // Declining the last one takes back what was accepted of the other.
    terminal.choose("3/3", "n");
    let (end, code) = terminal.end();
    let end = plain(&end);
    assert!(end.contains("1 object left unchanged with it:\ngateway.yaml:1:1: held-back[converts-together]"), "{end}");
    assert_eq!(code, Some(1));
    assert_eq!([tree.text("gateway.yaml"), tree.text("route.yaml")], [OLD_GATEWAY, OLD_ROUTE]);
    assert_eq!(tree.text("other.yaml"), converted("other"));
}

#[test]
fn nothing_from_a_file_steers_the_terminal() {
    let text = route("one").replace("metadata:", "# \u{202e}reversed\nmetadata:");
    let tree = Tree::of(&[("a\u{1b}[2J.yaml", &text)]);
    let mut terminal = start(&tree);
    let shown = terminal.choose("1/1", "d");
    assert!(shown.contains("a\\u{1b}[2J.yaml:1:1") && shown.contains("# \\u{202e}reversed"), "{shown:?}");
    let (end, _) = terminal.end();
    for shown in [shown, end] {
        assert!(!shown.contains('\u{202e}') && !shown.contains("\u{1b}[2J"), "{shown:?}");
    }
}

#[test]
fn it_needs_a_terminal() {
    let run = routes().run(&["apply", "-i", "--to", "gateway-api@1.6.1/standard"]);
    run.check(2);
    assert!(run.err.contains("`--interactive` asks on a terminal, and there is none"), "{}", run.err);
    let both = routes().run(&["apply", "-i", "--yes", "--to", "gateway-api@1.6.1/standard"]);
    both.check(2);
}

#[test]
fn a_narrow_terminal_has_room_for_the_counts() {
    let tree = Tree::of(&[("clusters/production/storefront/routes.yaml", &route("one"))]);
    let mut terminal = Terminal::with(&tree, (10, 50), &[("NO_COLOR", "1")], &format!("{APPLY} -i"));
    terminal.choose("1/1", "y");
    let (end, code) = terminal.end();
    let line = end.lines().find(|line| line.contains(" | ")).unwrap();
    assert!(
        line.starts_with(" ...") && line.ends_with("routes.yaml | 1 object, 1 edit +-") && line.len() <= 50,
        "{end}"
    );
    assert_eq!(code, Some(0));
}

/// Commits a tree, and starts the questions without a flag that allows what git does not have.
fn start_committed(tree: &Tree) -> Terminal {
    git(tree, &["init", "-q"]);
    git(tree, &["add", "."]);
    git(tree, &["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "files"]);
    Terminal::run(tree, "reversion apply -i --to gateway-api@1.6.1/standard")
}

type Edit = fn(&Tree);

fn edit_the_second(tree: &Tree) {
    fs::write(tree.path("b.yaml"), format!("# edited\n{}", route("two"))).unwrap();
}

fn add_a_third(tree: &Tree) {
    fs::write(tree.path("c.yaml"), route("three")).unwrap();
}

const TREE_CHANGES: [(Edit, &str); 2] =
    [(edit_the_second, "b.yaml was changed"), (add_a_third, "files appeared or disappeared")];

/// What shows that it is planned once at the end, and not after each answer: a change of the tree is noticed there.
#[test]
fn what_is_declined_is_planned_once_at_the_end_where_nothing_depends_on_it() {
    for (change, why) in TREE_CHANGES {
        let tree = Tree::of(&[
            ("a.yaml", &route("one")),
            ("b.yaml", &route("two")),
            ("d.yaml", &route("four")),
            ("e.yaml", &route("five")),
        ]);
        let mut terminal = start_committed(&tree);
        terminal.until(&format!("(1/4) {KEYS}"));
        change(&tree);
        terminal.send("n");
        terminal.choose("2/4", "n");
        terminal.choose("3/4", "y");
        terminal.choose("4/4", "n");
        let (end, code) = terminal.end();
        assert!(end.contains(&format!("nothing was written: {why} after the first question")), "{end}");
        assert_eq!((code, tree.text("d.yaml")), (Some(2), route("four")));
    }
}

#[test]
fn what_is_declined_is_planned_before_a_question_that_may_depend_on_it() {
    for (change, why) in TREE_CHANGES {
        let both = format!("{}---\n{}", route("one"), route("three"));
        let tree = Tree::of(&[("a.yaml", &both), ("b.yaml", &route("two"))]);
        let mut terminal = start_committed(&tree);
        terminal.until(&format!("(1/3) {KEYS}"));
        change(&tree);
        terminal.send("n");
        let (end, code) = terminal.end();
        assert!(end.contains(&format!("nothing was written: {why} after the first question")), "{end}");
        assert_eq!((code, tree.text("a.yaml")), (Some(2), both));
    }
}

#[test]
fn git_is_asked_again_before_anything_is_written() {
    let tree = Tree::of(&[("a.yaml", &route("one")), ("b.yaml", &converted("two")), ("c.yaml", &route("three"))]);
    let mut terminal = start_committed(&tree);
    terminal.until(&format!("(1/2) {KEYS}"));
    fs::write(tree.path("b.yaml"), route("two")).unwrap();
    terminal.send("n");
    terminal.choose("2/2", "y");
    // An object that is new among the changes counts.
    terminal.choose("2/3", "y");
    let (end, code) = terminal.end();
    assert!(end.contains("nothing was written: 1 file to be written is not committed\n  b.yaml"), "{end}");
    assert_eq!([tree.text("b.yaml"), tree.text("c.yaml")], [route("two"), route("three")]);
    assert_eq!(code, Some(2));
}

const GRANT: &str = "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: ReferenceGrant\nmetadata: {name: read, namespace: certs}\n\
                     spec:\n  from:\n  - {group: gateway.networking.x-k8s.io, kind: XListenerSet, namespace: blog}\n  \
                     to:\n  - {group: \"\", kind: Secret}\n";
const LISTENERS: &str = "apiVersion: gateway.networking.x-k8s.io/v1alpha1\nkind: XListenerSet\nmetadata: {name: blog, namespace: blog}\n\
                         spec:\n  parentRef: {name: edge}\n  listeners:\n  - {name: web, port: 80, protocol: HTTP}\n";

#[test]
fn an_accepted_change_that_becomes_another_one_by_stopping_is_asked_about_again() {
    let tree = Tree::of(&[("grant.yaml", GRANT), ("listeners.yaml", LISTENERS), ("route.yaml", &route("one"))]);
    let mut terminal = start(&tree);
    let first = plain(&terminal.choose("1/3", "y"));
    assert!(first.contains("kind: ListenerSet"), "{first}");
    terminal.choose("2/3", "q");
    let again = plain(&terminal.choose("1/3", "y"));
    assert!(again.contains("(again: ") && !again.contains("kind: ListenerSet"), "{again}");
    terminal.answer("write 1 file? [y/N/d/?] ", "y");
    assert_eq!(terminal.end().1, Some(1));
    let written = GRANT.replace("k8s.io/v1beta1", "k8s.io/v1");
    assert_eq!([tree.text("grant.yaml"), tree.text("listeners.yaml")], [written, LISTENERS.to_owned()]);
    assert_eq!(tree.text("route.yaml"), route("one"));
}

#[test]
fn an_undone_stop_does_not_ask_once_more_at_the_end() {
    let tree = Tree::of(&[("grant.yaml", GRANT), ("listeners.yaml", LISTENERS)]);
    let mut terminal = start(&tree);
    terminal.choose("1/2", "y");
    terminal.choose("2/2", "q");
    terminal.choose("1/2", "u");
    terminal.choose("2/2", "y");
    let (end, code) = terminal.end();
    let end = plain(&end);
    assert!(end.contains("2 changed in 2 files") && !end.contains("write 2 files?"), "{end}");
    assert_eq!(code, Some(0));
}

#[test]
fn a_file_has_what_was_declined_and_the_terminal_has_not() {
    let tree = routes();
    let mut terminal = Terminal::run(&tree, &format!("{APPLY} -i --output-file report"));
    terminal.choose("1/3", "y");
    terminal.choose("2/3", "n");
    terminal.choose("3/3", "y");
    let (end, _) = terminal.end();
    assert!(end.contains("1 held back") && !end.contains("declined"), "{end}");
    let declined = "b.yaml:1:1: held-back[declined] HTTPRoute two: it is left unchanged, as you answered\n";
    assert_eq!(tree.text("report"), declined);
}

#[test]
fn what_names_a_kind_whose_objects_are_all_declined_is_not_advised_to_change() {
    let note = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note}\ndata:\n  group: gateway.networking.x-k8s.io\n  kind: XListenerSet\n";
    for (answer, advised) in [("n", false), ("y", true)] {
        let tree = Tree::of(&[("a.yaml", LISTENERS), ("b.yaml", note), ("c.yaml", &route("one"))]);
        let mut terminal = start(&tree);
        terminal.choose("1/2", answer);
        terminal.choose("2/2", "y");
        let (end, _) = terminal.end();
        let end = plain(&end);
        assert!(end.contains("2 objects recognized"), "{end}");
        assert_eq!(end.contains("renamed to ListenerSet"), advised, "{end}");
        assert_eq!(end.contains("1 unresolved"), advised, "{end}");
    }
}

#[test]
fn an_object_of_a_template_that_is_declined_is_left_in_all_its_readings() {
    let template = format!("{{{{- if .Values.a }}}}\n# a\n{{{{- end }}}}\n{}---\n{}", route("one"), route("two"));
    let tree = Tree::of(&[("Chart.yaml", "name: a\nversion: 1.0.0\n"), ("templates/a.yaml", &template)]);
    let mut terminal = start(&tree);
    terminal.choose("1/2", "n");
    terminal.choose("2/2", "y");
    let (end, code) = terminal.end();
    assert!(end.contains("1 held back"), "{end}");
    assert_eq!(code, Some(1));
    assert_eq!(tree.text("templates/a.yaml"), template.replace(&route("two"), &converted("two")));
}

#[test]
fn files_that_cannot_be_replaced_are_named_before_anybody_is_asked() {
    for command in [format!("{APPLY} -i"), APPLY.to_owned()] {
        let tree = routes();
        let mut permissions = fs::metadata(tree.path("a.yaml")).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(tree.path("a.yaml"), permissions).unwrap();
        let (end, code) = Terminal::run(&tree, &command).end();
        let end = plain(&end);
        assert!(end.contains("nothing was written") && end.contains("a.yaml: is read-only"), "{end}");
        assert!(!end.contains("1/3") && !end.contains('?'), "{end}");
        assert_eq!(code, Some(2));
        check(&tree, &route("one"), &route("two"), &route("three"));
    }
}

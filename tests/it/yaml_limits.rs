//! What exceeds a limit is rejected with a finding that names the place, the limit and what to do.

use reversion::internals::finding::{Code, Finding, Severity};
use reversion::internals::manifest::{self, Reading, Recognizer};

const HEAD: &str = "apiVersion: example.org/v1\nkind: Thing\nspec:\n";

fn read(rest: &str) -> Reading {
    manifest::read("a.yaml", format!("{HEAD}{rest}").as_bytes(), &Recognizer::new(["example.org"]))
}

#[track_caller]
fn check_read(rest: &str) {
    assert!(matches!(read(rest), Reading::Manifest(_)), "it is not read");
}

/// Reads the manifest with `rest` appended, which must be rejected with a line and column inside `rest`.
#[track_caller]
fn check_refused(rest: &str, code: Code, place: [usize; 2], message: &str) -> Finding {
    let Reading::Failed(finding) = read(rest) else { panic!("it is not refused") };
    assert_eq!((finding.code, finding.severity), (code, Severity::Error));
    let [line, column] = place;
    assert_eq!(finding.location.to_string(), format!("a.yaml:{line}:{column}"));
    assert_eq!(finding.message, message);
    assert!(finding.help.is_some());
    finding
}

#[test]
fn nesting_is_limited_in_every_style() {
    let message = "nested more than 200 levels deep";
    // Two levels are around and above: the manifest itself, and the mapping of `a`.
    let flow = |depth: usize| format!("  a: {}1{}\n", "[".repeat(depth), "]".repeat(depth));
    check_read(&flow(198));
    check_refused(&flow(199), Code::LimitExceeded, [4, 6 + 198], message);
    let json = |depth: usize| format!("  a: {}1{}\n", "{\"b\":".repeat(depth), "}".repeat(depth));
    check_read(&json(198));
    check_refused(&json(199), Code::LimitExceeded, [4, 6 + 198 * 5], message);
    let dashes = |depth: usize| format!("  a:\n  {}1\n", "- ".repeat(depth));
    check_read(&dashes(198));
    check_refused(&dashes(199), Code::LimitExceeded, [5, 3 + 198 * 2], message);
    // This is no template, whatever its brackets look like; if none is closed, each bracket counts.
    check_refused(&format!("  a: {}", "{{".repeat(50_000)), Code::LimitExceeded, [4, 6 + 200], message);
}

#[test]
fn aliases_are_limited() {
    let bomb: String = (1..10).fold("  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, level| {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        format!("{text}  a{level}: &a{level} [{items}]\n")
    });
    let Reading::Failed(finding) = read(&bomb) else { panic!("it is not refused") };
    assert_eq!(finding.code, Code::AliasExpansion);
    assert_eq!(finding.message, "aliases expand to more than 100000 values");
    let place = finding.location.position.unwrap();
    let line = bomb.lines().nth(place.line - HEAD.lines().count() - 1).unwrap();
    assert!(line[place.column - 1..].starts_with("*a"), "{place:?} is no alias of {line}");
    check_refused("  a: &x\n    b: *x\n", Code::AliasExpansion, [5, 8], "the alias refers to a value that contains it");
    let chain: String = (1..300)
        .fold("  a0: &a0 [x]\n".to_owned(), |text, level| format!("{text}  a{level}: &a{level} [*a{}]\n", level - 1));
    let Reading::Failed(finding) = read(&chain) else { panic!("it is not refused") };
    assert_eq!(finding.code, Code::LimitExceeded);
}

#[test]
fn lines_are_limited() {
    let line = |length: usize| format!("  a: {}\n", "x".repeat(length - 5));
    check_read(&line(16 << 20));
    let message = "a line is longer than 16 MiB; split it into several lines";
    check_refused(&line((16 << 20) + 1), Code::LimitExceeded, [4, 1], message);
}

#[test]
fn keys_are_limited_as_in_yaml() {
    check_read(&format!("  {}: 1\n", "k".repeat(1024)));
    let Reading::Failed(finding) = read(&format!("  {}: 1\n", "k".repeat(1025))) else { panic!("it is not refused") };
    assert_eq!(finding.code, Code::ParseError);
}

#[test]
fn comments_are_not_limited() {
    check_read(&format!("  a: 1\n{}  b: 2\n", "  # c\n".repeat(100_000)));
}

//! How kubectl reads a text, and which strings are quoted so that no parser misreads them.
//!
//! kubectl reads with sigs.k8s.io/yaml on yaml.v2 (mostly YAML 1.1), kustomize with yaml.v3 (mostly 1.2). What
//! they agree on is read like that; if they differ, kubectl's reading counts, and if kubectl fails the text is rejected.

use reversion::internals::field::FieldPath;
use reversion::internals::yaml::{self, Intent, Place, ProblemCode, Style, read_value};
use serde_json::{Value, json};

fn read(text: &str) -> Result<Value, ProblemCode> {
    let tree = yaml::parse(text).map_err(|problem| problem.code)?;
    read_value(&tree, text, tree.documents()[0].root).map_err(|problem| problem.code)
}

/// Checks the value that several spellings are read as.
#[track_caller]
fn check(spellings: &[&str], expected: &Value) {
    for spelling in spellings {
        for text in [format!("a: {spelling}\n"), format!("[{spelling}]"), format!("- {spelling} # x\n")] {
            let found = read(&text).unwrap();
            let value = found.get("a").or_else(|| found.get(0)).unwrap();
            assert_eq!(value, expected, "{text}");
        }
    }
}

#[track_caller]
fn check_refused(texts: &[&str], code: ProblemCode) {
    for text in texts {
        assert_eq!(read(text), Err(code), "{text}");
    }
}

#[test]
fn plain_words_are_read_as_booleans_and_null() {
    check(&["yes", "Yes", "YES", "y", "Y", "on", "On", "ON", "true", "True", "TRUE"], &json!(true));
    check(&["no", "No", "NO", "n", "N", "off", "Off", "OFF", "false", "False", "FALSE"], &json!(false));
    check(&["~", "null", "Null", "NULL", "!!null null"], &Value::Null);
    for text in ["yEs", "tRue", "oN", "nULL", "none"] {
        check(&[text], &json!(text));
    }
}

#[test]
fn numbers_accept_the_prefixes_of_go() {
    check(&["012", "0o12", "0xA", "0b1010", "10", "+10", "1_0", "10.0", "1e1", "1E+1", "!!int 10"], &json!(10));
    check(&["0777", "0x1FF"], &json!(511));
    check(&["0o17", "15"], &json!(15));
    check(&["0x1F"], &json!(31));
    check(&["0b101"], &json!(5));
    check(&["08", "8"], &json!(8));
    check(&["1_000", "1e3", "1000"], &json!(1000));
    check(&["1.0", "1"], &json!(1));
    check(&["-1.5", "-15e-1"], &json!(-1.5));
}

#[test]
fn text_that_resembles_other_types_is_read_as_text() {
    for text in ["1:30", "12:30:45", "2001-12-14", "2001-12-14T21:59:43Z", "10.0.0.1", "1.2.3", "0x", "1e", "v1", "="] {
        check(&[text], &json!(text));
    }
    check(&["!x 12", "!!str 12", "'12'", "\"12\""], &json!("12"));
    check(&["\"\\/\""], &json!("/"));
}

#[test]
fn lines_in_quotes_may_have_any_indentation() {
    let note =
        |scalar: &str| read(&format!("a:\n  note: {scalar}\n  last: 1\n")).map(|value| value["a"]["note"].clone());
    for (scalar, expected) in [
        ("\"first\n  second\"", "first second"),
        ("\"first\nsecond\" # x", "first second"),
        ("'first\n\n''second'' \n x'", "first\n'second' x"),
        ("\"first\\\nsecond\"", "firstsecond"),
        ("\"first\nb: c\n\"", "first b: c "),
        ("\"first\n# second\"", "first # second"),
        ("\"first\n- second\"", "first - second"),
        ("\"first\r\n ---\r\n\"", "first --- "),
        ("\"first\n \tsecond\n\t\n third\"", "first second\nthird"),
        ("\n    \"first\nsecond\"", "first second"),
        ("&x !!str \"1\n2\"", "1 2"),
    ] {
        assert_eq!(note(scalar), Ok(json!(expected)), "{scalar}");
    }
    for scalar in ["\"first\n---\nsecond\"", "\"first\n---x\"", "'first\n...\nsecond'", "\"first\n--- x\""] {
        assert_eq!(note(scalar), Err(ProblemCode::ParseError), "{scalar}");
    }
    check_refused(&["a:\n  \"b\nc\": 1\n", "a: \"b\nc: \"d\"\n", "a: \"b\nc: d\n"], ProblemCode::ParseError);
}

#[test]
fn input_that_kubectl_cannot_read_is_rejected() {
    check_refused(&["a: .inf\n", "a: -.INF\n", "a: .NaN\n", "a: !!binary aGk=\n"], ProblemCode::UnreadableValue);
    check_refused(&["null: 1\n", "~: 1\n", "? [a]\n: 1\n", "a: {{ .x }}\n", "{{ .x }}: 1\n"], ProblemCode::ComplexKey);
    check_refused(&["a: \"b\"#c\n"], ProblemCode::ParseError);
}

#[test]
fn keys_are_compared_by_text_and_are_unique() {
    assert_eq!(read("on: 1\n0x10: 2\n1: 3\n"), Ok(json!({"on": 1, "0x10": 2, "1": 3})));
    check_refused(
        &["a: 1\na: 2\n", "1: a\n\"1\": b\n", "on: 1\nyes: 2\n", "{a: 1, 'a': 2}"],
        ProblemCode::DuplicateKey,
    );
}

#[test]
fn merges_are_applied() {
    let base = "base: &base {a: 1, b: 2}\n";
    let merged = |text: &str| read(&format!("{base}{text}")).map(|value| value["x"].clone());
    assert_eq!(merged("x: {<<: *base, c: 3}\n"), Ok(json!({"a": 1, "b": 2, "c": 3})));
    // An explicit key overrides a merged one, in either order.
    assert_eq!(merged("x:\n  <<: *base\n  a: 9\n"), Ok(json!({"a": 9, "b": 2})));
    assert_eq!(merged("x:\n  a: 9\n  <<: *base\n"), Ok(json!({"a": 9, "b": 2})));
}

#[test]
fn directives_and_unknown_tags_are_ignored() {
    assert_eq!(read("%YAML 1.2\n---\na: !x v\n"), Ok(json!({"a": "v"})));
}

/// Checks how a string is written in block style, flow style and JSON.
#[track_caller]
fn check_written(text: &str, [lines, brackets, in_json]: [&str; 3]) {
    let written = |before: &str| {
        let (key, place) = ("k".to_owned(), Place::Last);
        let insert = Intent::Insert { path: FieldPath::default().key("a").key(&key), value: json!(text), place };
        yaml::rewrite(before, &[vec![insert]], Style::default()).unwrap().text
    };
    assert_eq!(written("a:\n  b: 1\n"), format!("a:\n  b: 1\n  k: {lines}\n"));
    assert_eq!(written("a: {b: 1}\n"), format!("a: {{b: 1, k: {brackets}}}\n"));
    assert_eq!(written("{\"a\":{\"b\":1}}\n"), format!("{{\"a\":{{\"b\":1,\"k\":{in_json}}}}}\n"));
}

#[test]
fn strings_that_any_parser_would_misread_are_quoted() {
    let words = ["yes", "No", "y", "N", "on", "OFF", "true", "False", "null", "~", "Null", "<<", "=", ""];
    let integers =
        ["012", "0777", "0o17", "0x1F", "0b101", "08", "1_000", "1", "-1", "+1", "-0", "18446744073709551616"];
    let others = ["1:30", "12:30:45", "1.0", "1e3", ".5", "5.", "1e999", ".inf", "-.Inf", ".nan"];
    let dates = ["2001-12-14", "2001-12-14T21:59:43Z", "2001-1-2 03:04"];
    for text in [&words[..], &integers[..], &others[..], &dates[..]].concat() {
        let quoted = format!("\"{text}\"");
        check_written(text, [&quoted; 3]);
    }
    for text in ["a", "v1", "10.0.0.1", "1.2.3", "example.org/v1", "8080-tcp", "5s", "12Mi", "nope", "a:b"] {
        check_written(text, [text, text, &format!("\"{text}\"")]);
    }
    // Characters special in flow style only are quoted there only.
    check_written("a, b", ["a, b", "\"a, b\"", "\"a, b\""]);
}

#[test]
fn keys_that_any_parser_would_misread_are_quoted() {
    let renamed = |text: &str, to: &str| {
        let rename = Intent::Rename { path: FieldPath::default().key("a"), to: to.to_owned() };
        yaml::rewrite(text, &[vec![rename]], Style::default()).unwrap().text
    };
    for name in ["on", "y", "no", "null", "012", "1", "~", "<<"] {
        assert_eq!(renamed("a: 1\n", name), format!("\"{name}\": 1\n"));
        assert_eq!(renamed("{a: 1}\n", name), format!("{{\"{name}\": 1}}\n"));
    }
    assert_eq!(renamed("a: 1\n", "example.org/x"), "example.org/x: 1\n");
}

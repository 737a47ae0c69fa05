//! Encodings, line ends and rare characters: each text is changed exactly, or rejected with a message that says what to do.

use reversion::internals::field::FieldPath;
use reversion::internals::finding::{Code, Finding, Severity};
use reversion::internals::manifest::{self, Reading, Recognizer};
use reversion::internals::yaml::{self, EditedText, FrontEnd, Intent, Place, ProblemCode, Style, read_value};
use serde_json::{Value, json};

fn key(name: &str) -> FieldPath {
    FieldPath::default().key(name)
}

fn rename(path: FieldPath, to: &str) -> Intent {
    Intent::Rename { path, to: to.to_owned() }
}

fn insert_last(path: FieldPath, key: &str, value: Value) -> Intent {
    Intent::Insert { path: path.key(key), value, place: Place::Last }
}

/// Makes one change in the last document of `before`, and checks the bytes and their data.
#[track_caller]
fn check(before: &str, intent: Intent, after: &str) {
    let tree = yaml::parse(before).unwrap();
    let last = *tree.documents().last().unwrap();
    let mut value = read_value(&tree, before, last.root).unwrap();
    let outcome = yaml::rewrite(last.span.of(before), &[vec![intent.clone()]], Style::default()).unwrap();
    let whole = before[..last.span.start].to_owned() + &outcome.text;
    assert_eq!(whole, after);
    intent.apply_data(&mut value).unwrap();
    let mut expected = vec![None; tree.documents().len() - 1];
    expected.push(Some(value));
    let (tree, expected, removed_comments) = (&tree, &expected[..], &outcome.removed_comments[..]);
    let edited = EditedText { before, tree, after, expected, removed_comments, added_comments: &[] };
    assert_eq!(edited.verify(FrontEnd::Exact), Ok(()));
}

#[track_caller]
fn check_value(text: &str, expected: &Value) {
    let tree = yaml::parse(text).unwrap();
    assert_eq!(read_value(&tree, text, tree.documents()[0].root).unwrap(), *expected, "{text:?}");
}

const MANIFEST: &str = "apiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: é\n";

fn read(bytes: &[u8]) -> Reading {
    manifest::read("a.yaml", bytes, &Recognizer::new(["example.org"]))
}

/// Reads bytes that are not valid UTF-8, and returns the finding.
#[track_caller]
fn refused(bytes: &[u8]) -> Finding {
    let Reading::Failed(finding) = read(bytes) else { panic!("it was read") };
    assert_eq!((finding.code, finding.severity), (Code::InvalidEncoding, Severity::Error));
    finding
}

#[test]
fn a_byte_order_mark_is_left_in_place() {
    check("\u{feff}a: 1\nb: 2\n", rename(key("a"), "c"), "\u{feff}c: 1\nb: 2\n");
    check("\u{feff}a: 1\nb: 2\n", Intent::Delete { path: key("a") }, "\u{feff}b: 2\n");
    check(
        "\u{feff}# of a\na: 1\nb:\n  c: 2\n",
        Intent::Move { from: key("a"), to: key("b").key("a"), place: Place::First },
        "\u{feff}b:\n  # of a\n  a: 1\n  c: 2\n",
    );
    check("a: 1\n...\n\u{feff}---\nb: 2\n", rename(key("b"), "c"), "a: 1\n...\n\u{feff}---\nc: 2\n");
    check("a: 1\n...\n\u{feff}b: 2\nc: 3\n", Intent::Delete { path: key("b") }, "a: 1\n...\n\u{feff}c: 3\n");
    // A byte order mark is rejected, not skipped, unless `...` ended the previous document.
    for text in ["a: 1\n---\n\u{feff}b: 2\n", "a: 1\n\u{feff}---\nb: 2\n"] {
        let problem = yaml::parse(text).unwrap_err();
        assert_eq!((problem.code, problem.at), (ProblemCode::ParseError, text.find('\u{feff}').unwrap()), "{text:?}");
    }
    for mark in ["", "\u{feff}"] {
        let Reading::Manifest(manifest) = read(format!("{mark}{MANIFEST}").as_bytes()) else { panic!("not read") };
        assert_eq!(manifest.objects[0].name.as_deref(), Some("é"));
    }
}

#[test]
fn utf_16_and_utf_32_are_rejected_by_name() {
    type Encode = fn(char) -> Vec<u8>;
    let encodings: [(&str, Encode); 4] = [
        ("UTF-16LE", |character| utf_16_units(character).into_iter().flat_map(u16::to_le_bytes).collect()),
        ("UTF-16BE", |character| utf_16_units(character).into_iter().flat_map(u16::to_be_bytes).collect()),
        ("UTF-32LE", |character| u32::from(character).to_le_bytes().to_vec()),
        ("UTF-32BE", |character| u32::from(character).to_be_bytes().to_vec()),
    ];
    for (name, encode) in encodings {
        for mark in ["", "\u{feff}"] {
            let bytes: Vec<u8> = format!("{mark}{MANIFEST}").chars().flat_map(encode).collect();
            let finding = refused(&bytes);
            assert_eq!(finding.message, format!("the file is {name}, not UTF-8"));
            let help = format!("convert the file with `iconv -f {name} -t UTF-8`");
            assert_eq!(finding.help, Some(help));
            let other: Vec<u8> = format!("{mark}a: 1\n").chars().flat_map(encode).collect();
            assert!(matches!(read(&other), Reading::Irrelevant), "{name}");
        }
    }
}

fn utf_16_units(character: char) -> Vec<u16> {
    character.encode_utf16(&mut [0; 2]).to_vec()
}

#[test]
fn invalid_utf_8_is_rejected_at_its_byte() {
    // In Latin-1 the letter is a single byte that UTF-8 does not allow there.
    let bytes: Vec<u8> = MANIFEST.chars().map(|character| character as u8).collect();
    let finding = refused(&bytes);
    let at = MANIFEST.find('é').unwrap();
    assert_eq!(finding.message, format!("the file is not valid UTF-8 at byte {at}"));
    assert_eq!(finding.location.to_string(), "a.yaml:4:9");
    assert!(finding.help.unwrap().contains("-t UTF-8"));
}

#[test]
fn a_nul_byte_is_rejected() {
    for text in ["a: \"x\0y\"\n", "a: x\0\n", "# \0\na: 1\n"] {
        let problem = yaml::parse(text).unwrap_err();
        assert_eq!((problem.code, problem.at), (ProblemCode::ParseError, text.find('\0').unwrap()), "{text:?}");
    }
    check_value("a: \"x\\0y\"\n", &json!({"a": "x\0y"}));
    check("a: 1\n", insert_last(FieldPath::default(), "b", json!("x\0y")), "a: 1\nb: \"x\\u0000y\"\n");
}

#[test]
fn inserted_lines_use_the_line_ends_of_adjacent_lines() {
    let insert = || insert_last(FieldPath::default(), "z", json!({"x": 1}));
    check("a: 1\r\nb: 2\r\n", insert(), "a: 1\r\nb: 2\r\nz:\r\n  x: 1\r\n");
    check("a: 1\r\nb: 2", insert(), "a: 1\r\nb: 2\r\nz:\r\n  x: 1");
    // Both line ends in one text: each line keeps its own.
    let mixed = "a:\r\n  b: 1\r\nc:\n  d: 2\n";
    check(mixed, insert_last(key("a"), "e", json!(3)), "a:\r\n  b: 1\r\n  e: 3\r\nc:\n  d: 2\n");
    check(mixed, insert_last(key("c"), "e", json!(3)), "a:\r\n  b: 1\r\nc:\n  d: 2\n  e: 3\n");
    check(mixed, Intent::Delete { path: key("a").key("b") }, "a: {}\r\nc:\n  d: 2\n");
    check(mixed, Intent::Wrap { path: key("c").key("d").index(0) }, "a:\r\n  b: 1\r\nc:\n  d:\n  - 2\n");
    check_value("a: |\r\n  x\r\n  y\nb: 'c\r\n\r\n  d'\r\n", &json!({"a": "x\ny\n", "b": "c\nd"}));
}

#[test]
fn a_lone_carriage_return_is_read_but_not_edited() {
    // YAML reads it as a line end.
    check_value("a: 1\rb: 2\n", &json!({"a": 1, "b": 2}));
    check_value("a: \"x\r  y\"\n", &json!({"a": "x y"}));
    for text in ["a: 1\rb: 2\n", "a: \"x\r  y\"\n", "a: 1 # x\ry: 2\n", "a: |\n  x\ry\n", "a: 1\n# x\ry\nb: 2\n"] {
        let Err(refusal) = yaml::rewrite(text, &[vec![rename(key("a"), "c")]], Style::default()) else {
            panic!("{text:?} was changed")
        };
        let problem = refusal.problem;
        assert!([ProblemCode::ParseError, ProblemCode::Limit].contains(&problem.code), "{text:?}");
        assert_eq!(problem.at, text.find('\r').unwrap(), "{text:?}");
        assert!(problem.message.contains("carriage return"), "{text:?}: {}", problem.message);
    }
}

#[test]
fn tabs_are_kept_where_yaml_allows_them() {
    check("a:\t1\t# x\nb:\t\t2\n", rename(key("a"), "c"), "c:\t1\t# x\nb:\t\t2\n");
    check("a:\t1\t# x\nb: 2\n", Intent::Replace { path: key("a"), value: json!(3) }, "a:\t3\t# x\nb: 2\n");
    check("{\ta:\t1\t,\tb: 2\t}\n", rename(key("b"), "c"), "{\ta:\t1\t,\tc: 2\t}\n");
    check("{\n\t\"a\": 1,\n\t\"b\": 2\n}\n", Intent::Delete { path: key("a") }, "{\n\t\"b\": 2\n}\n");
    let nested = "{\n\t\"a\": {\n\t\t\"b\": {\n\t\t\t\"c\": [\n\t\t\t\t1\n\t\t\t]\n\t\t}\n\t},\n\t\"d\": 2\n}\n";
    let up = Intent::Move { from: key("a").key("b").key("c"), to: FieldPath::default().key("c"), place: Place::Last };
    check(nested, up, "{\n\t\"a\": {\n\t\t\"b\": {}\n\t},\n\t\"d\": 2,\n\t\"c\": [\n\t\t1\n\t]\n}\n");
    check(nested, insert_last(FieldPath::default(), "e", json!(3)), &nested.replace(": 2\n", ": 2,\n\t\"e\": 3\n"));
    let first = Intent::Insert { path: key("a").key("e"), value: json!(3), place: Place::First };
    check(nested, first, &nested.replace("\t\t\"b\"", "\t\t\"e\": 3,\n\t\t\"b\""));
    check("a: |\n  x\n  \ty\n", rename(key("a"), "b"), "b: |\n  x\n  \ty\n");
    check("a: 1\n\t\nb: 2\nc: 3\n", Intent::Delete { path: key("c") }, "a: 1\n\t\nb: 2\n");
    assert_eq!(yaml::parse("a:\n\tb: 1\n").unwrap_err().code, ProblemCode::ParseError);
}

#[test]
fn line_ends_only_valid_in_yaml_1_1_are_read_as_text() {
    for separator in ['\u{85}', '\u{2028}', '\u{2029}'] {
        let text = format!("a: x{separator}y # c{separator}d\nb: \"x{separator}y\"\n");
        let value = format!("x{separator}y");
        check_value(&text, &json!({"a": value.clone(), "b": value.clone()}));
        for intent in [rename(key("a"), "k"), Intent::Delete { path: key("a") }] {
            let refusal = yaml::rewrite(&text, &[vec![intent]], Style::default()).unwrap_err();
            assert_eq!((refusal.problem.code, refusal.problem.at), (ProblemCode::Limit, 4), "{separator:?}");
        }
        let escaped = format!("\\u{:04x}", u32::from(separator));
        check("a: 1\n", insert_last(FieldPath::default(), "b", json!(value)), &format!("a: 1\nb: \"x{escaped}y\"\n"));
    }
}

#[test]
fn columns_are_counted_in_characters() {
    check("😀:\n- é: 1\n  ü: 2\n", rename(key("😀").index(0).key("é"), "😀😀"), "😀:\n- 😀😀: 1\n  ü: 2\n");
    check("😀: {é: 1}\n", rename(key("😀"), "ключ"), "ключ: {é: 1}\n");
    check("- 😀: 1\n  b: 2\n", Intent::Delete { path: FieldPath::default().index(0).key("😀") }, "- b: 2\n");
    check("a: 1\n", insert_last(FieldPath::default(), "😀", json!("é 😀")), "a: 1\n😀: é 😀\n");
}

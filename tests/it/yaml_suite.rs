//! The yaml-test-suite, if `YAML_TEST_SUITE` is the path of a copy: valid texts are read, others are rejected.
//!
//! A copy is either the folder of its `data` branch (`ID/in.yaml` or `ID/NN/in.yaml`, with a file `error` next to what is not
//! valid) or of its main branch (`src/ID.yaml`, lists of `yaml` and `fail`). A valid text also goes through a change that
//! changes nothing, and both front ends must agree on every text.

#![expect(clippy::print_stderr, reason = "skipped tests and the number of texts are reported")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use reversion::internals::yaml::{
    EditedText, FrontEnd, ProblemCode, Style, parse, parse_exact, read_value, rewrite_document, scan,
};
use serde_json::Value;

use crate::support::skipped;

/// The texts with another result than in the suite, and why. The list is exact: a text whose result changes fails.
const DEVIATIONS: &[(&str, &str)] =
    &[("9C9N", "read although a line in brackets is indented less than its key: kubectl reads it too")];

/// The codes with which an unchanged document may be refused: it is YAML, but not what Kubernetes reads.
const NOT_FOR_KUBERNETES: [ProblemCode; 4] =
    [ProblemCode::ComplexKey, ProblemCode::DuplicateKey, ProblemCode::RecursiveAlias, ProblemCode::UnreadableValue];

/// One text of the suite.
#[derive(Debug, PartialEq, Eq)]
struct Sample {
    text: String,
    is_valid: bool,
}

/// The texts of a suite by name: `229Q`, or `VJP3/01` for one of several.
type Suite = BTreeMap<String, Sample>;

/// Reads a copy of the suite, in either layout.
fn suite_in(folder: &Path) -> Suite {
    let source = folder.join("src");
    if source.is_dir() { from_source(&source) } else { from_data(folder) }
}

/// Lists a folder's entries whose names are those of samples: four capital letters or digits.
fn samples_in(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path)));
    let is_id = |id: &str| id.len() == 4 && id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    named.filter(|(id, _)| is_id(id)).collect()
}

fn from_data(folder: &Path) -> Suite {
    let mut suite = Suite::new();
    for (id, path) in samples_in(folder) {
        let parts = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
        let parts: Vec<PathBuf> = parts.filter(|path| path.join("in.yaml").is_file()).collect();
        let numbered = parts.iter().map(|part| (format!("{id}/{}", part.file_name().unwrap().display()), part.clone()));
        let all: Vec<(String, PathBuf)> =
            if parts.is_empty() { vec![(id.clone(), path.clone())] } else { numbered.collect() };
        for (name, folder) in all {
            let text = fs::read_to_string(folder.join("in.yaml")).unwrap();
            suite.insert(name, Sample { text, is_valid: !folder.join("error").exists() });
        }
    }
    suite
}

fn from_source(folder: &Path) -> Suite {
    let mut suite = Suite::new();
    for (id, path) in samples_in(folder) {
        let text = fs::read_to_string(&path).unwrap();
        let tree = parse(&text).unwrap();
        let listed = read_value(&tree, &text, tree.documents()[0].root).unwrap();
        let listed = listed.as_array().unwrap();
        // An entry inherits every key but `fail` from the one before.
        let mut shown = String::new();
        for (number, entry) in listed.iter().enumerate() {
            shown = entry["yaml"].as_str().map_or(shown, decoded);
            if entry["skip"] == Value::Bool(true) {
                continue;
            }
            let name = if listed.len() == 1 { id.clone() } else { format!("{id}/{number:02}") };
            let is_valid = entry["fail"] != Value::Bool(true);
            suite.insert(name, Sample { text: shown.clone(), is_valid });
        }
    }
    suite
}

/// Replaces the suite's symbols for invisible characters by those characters.
fn decoded(shown: &str) -> String {
    let mut text = String::new();
    for character in shown.chars() {
        match character {
            '␣' => text.push(' '),
            '»' => {
                text.truncate(text.trim_end_matches('—').len());
                text.push('\t');
            }
            '←' => text.push('\r'),
            '⇔' => text.push('\u{feff}'),
            '↵' => {}
            other => text.push(other),
        }
    }
    text.strip_suffix("∎\n").map_or(text.clone(), str::to_owned)
}

/// Returns how the result for a text differs from the suite.
fn check(sample: &Sample) -> Result<(), String> {
    let text = sample.text.as_str();
    let (exact, fast) = (parse_exact(text), scan(text));
    if fast.as_ref().is_some_and(|fast| exact.as_ref() != Ok(fast)) {
        return Err(format!("the front ends disagree: {fast:?} {exact:?}"));
    }
    match (parse(text), sample.is_valid) {
        (Ok(_), false) => Err("read, and is not valid".to_owned()),
        (Err(problem), true) => Err(format!("refused, and is valid: {problem}")),
        (Err(_), false) => Ok(()),
        (Ok(_), true) => check_unchanged(text),
    }
}

/// Returns the error of rewriting a valid text without changes.
fn check_unchanged(text: &str) -> Result<(), String> {
    let tree = parse(text).unwrap();
    let slices: String = tree.documents().iter().map(|document| document.span.of(text)).collect();
    if !tree.documents().is_empty() && slices != text {
        return Err(format!("the documents are not the text: {slices:?}"));
    }
    for (document, number) in tree.documents().iter().zip(0..) {
        let source = document.span.of(text);
        let alone = tree.of_document(number);
        if parse(source).as_ref() != Ok(&*alone) {
            return Err(format!("document {number} has another tree than its slice"));
        }
        match rewrite_document(source, &alone, &[Vec::new()], Style::default()) {
            Ok(outcome) if outcome.text == source && outcome.edits.edits().is_empty() => {}
            Err(refusal) if NOT_FOR_KUBERNETES.contains(&refusal.problem.code) => {}
            Err(refusal) if refusal.problem.code == ProblemCode::Limit && source.contains('\r') => {}
            outcome => return Err(format!("to change nothing gives {outcome:?}")),
        }
    }
    let unchanged: Vec<Option<serde_json::Value>> = vec![None; tree.documents().len()];
    let (before, tree, expected) = (text, &tree, &unchanged[..]);
    let edited = EditedText { before, tree, after: text, expected, removed_comments: &[], added_comments: &[] };
    edited.verify(FrontEnd::Exact).map_err(|problem| format!("does not verify as itself: {problem}"))
}

#[test]
fn every_text_of_the_suite_has_the_expected_result() {
    let Some(folder) = std::env::var_os("YAML_TEST_SUITE") else {
        skipped("yaml-test-suite (YAML_TEST_SUITE is not set)");
        return;
    };
    let suite = suite_in(Path::new(&folder));
    assert!(suite.len() > 300, "only {} texts in {}", suite.len(), folder.display());
    let wrong: BTreeMap<&str, String> =
        suite.iter().filter_map(|(name, sample)| Some((name.as_str(), check(sample).err()?))).collect();
    let valid = suite.values().filter(|sample| sample.is_valid).count();
    let scanned = suite.values().filter(|sample| scan(&sample.text).is_some()).count();
    eprintln!(
        "yaml-test-suite: {valid} valid, {} not valid, {} with a different result; the scanner reads {scanned}",
        suite.len() - valid,
        wrong.len()
    );
    let listed: Vec<&str> = DEVIATIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(wrong.keys().copied().collect::<Vec<_>>(), listed, "{wrong:#?}");
}

#[test]
fn invisible_characters_are_decoded() {
    assert_eq!(decoded("a:␣␣\n—»b——»c»\n⇔d←\n↵\n"), "a:  \n\tb\tc\t\n\u{feff}d\r\n\n");
    assert_eq!(decoded("a∎\n"), "a");
    assert_eq!(decoded("a — b\n"), "a — b\n");
}

#[test]
fn both_layouts_give_the_same_samples() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("data/AAAA/in.yaml", "a\n");
    write("data/BBBB/00/in.yaml", "b: [\n");
    write("data/BBBB/00/error", "");
    write("data/BBBB/01/in.yaml", " b");
    write("data/name/no-sample/in.yaml", "x\n");
    write("main/src/AAAA.yaml", "---\n- name: A\n  yaml: |\n    a\n");
    write("main/src/BBBB.yaml", "---\n- fail: true\n  yaml: |\n    b: [\n\n- yaml: |2\n     b∎\n");
    let sample = |text: &str, is_valid| Sample { text: text.to_owned(), is_valid };
    let expected: Suite =
        [("AAAA", sample("a\n", true)), ("BBBB/00", sample("b: [\n", false)), ("BBBB/01", sample(" b", true))]
            .map(|(name, sample)| (name.to_owned(), sample))
            .into();
    for layout in ["data", "main"] {
        assert_eq!(suite_in(&folder.path().join(layout)), expected, "{layout}");
    }
    let wrong = |text, is_valid| check(&sample(text, is_valid)).is_err();
    assert!(wrong("a: [", true) && wrong("a", false) && !wrong("a: [", false) && !wrong("? [a]: b", true));
}

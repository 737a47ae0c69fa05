//! Edit cases: a YAML file, a list of changes, and the expected bytes or error.
//!
//! Each case is a folder with `input.yaml`, `edit.json` and `expected.yaml`; `expect_error` in `edit.json` replaces
//! the last. `fixtures/yaml` holds this project's own cases; another set is read from `SHARED` or `../shared` if it exists.

use std::fs;
use std::path::{Path, PathBuf};

use reversion::internals::field::{FieldPath, Step};
use reversion::internals::yaml::{self, EditedText, FrontEnd, Intent, Naming, Place, Style, read_value};
use serde_json::Value;

use crate::support::{root, shared};

fn path(value: &Value) -> FieldPath {
    let step = |step: &Value| match step {
        Value::String(key) => Step::Key(key.clone()),
        index => Step::Index(usize::try_from(index.as_u64().unwrap()).unwrap()),
    };
    FieldPath::new(value.as_array().unwrap().iter().map(step))
}

fn place(change: &Value) -> Place {
    let text = |name: &str| change[name].as_str().map(str::to_owned);
    match (text("before"), text("after"), change["first"].as_bool()) {
        (Some(key), _, _) => Place::Before(key),
        (_, Some(key), _) => Place::After(key),
        (_, _, Some(true)) => Place::First,
        _ => Place::Last,
    }
}

fn naming(change: &Value) -> Naming {
    let names = change["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
    Naming { names: names.collect(), key: "name".to_owned(), value: "value".to_owned() }
}

fn intent(change: &Value) -> Intent {
    let at = || path(change.get("path_after").unwrap_or(&change["path"]));
    let text = |name: &str| change[name].as_str().unwrap().to_owned();
    let value = || change["value"].clone();
    match change["op"].as_str().unwrap() {
        "rename" => Intent::Rename { path: at(), to: text("to") },
        "replace" => Intent::Replace { path: at(), value: value() },
        "delete" => Intent::Delete { path: at() },
        "insert" => Intent::Insert { path: at().key(&text("key")), value: value(), place: place(change) },
        "insert-item" => {
            let index = usize::try_from(change["index"].as_u64().unwrap()).unwrap();
            Intent::Insert { path: at().index(index), value: value(), place: Place::Last }
        }
        "move" => {
            let from = path(&change["from"]);
            let key = change["key"].as_str().or(from.last_key()).unwrap().to_owned();
            Intent::Move { from, to: path(&change["to"]).key(&key), place: place(change) }
        }
        "to-item" => {
            let index = usize::try_from(change["index"].as_u64().unwrap()).unwrap();
            Intent::Move { from: path(&change["from"]), to: path(&change["to"]).index(index), place: Place::Last }
        }
        "items" => {
            let number = |name: &str| usize::try_from(change[name].as_u64().unwrap()).unwrap();
            let (from, list) = (path(&change["from"]), path(&change["to"]));
            Intent::MoveItems { from, list, index: number("index"), count: number("count") }
        }
        "from-item" => {
            let (from, to) = (path(&change["from"]), path(&change["to"]));
            Intent::Move { from, to: to.key(&text("key")), place: place(change) }
        }
        "wrap" => Intent::Wrap { path: at().index(0) },
        "unwrap" => Intent::Unwrap { path: at().index(0) },
        "nest" => Intent::Wrap { path: at().key(&text("key")) },
        "hoist" => Intent::Unwrap { path: at().key(&text("key")) },
        "to-items" => Intent::MappingToList { path: at(), naming: naming(change) },
        "to-entries" => Intent::ListToMapping { path: at(), naming: naming(change) },
        other => panic!("unknown change `{other}`"),
    }
}

/// Applies the changes of `edit` to `text`, document by document, and verifies the result; an error starts with its code.
fn run(text: &str, edit: &Value) -> Result<String, String> {
    let code = |problem: yaml::Problem| format!("{}: {problem}", problem.code.name());
    let tree = yaml::parse(text).map_err(code)?;
    let mut programs = vec![Vec::new(); tree.documents().len()];
    for change in edit["ops"].as_array().unwrap() {
        programs[usize::try_from(change["doc"].as_u64().unwrap_or(0)).unwrap()].push(intent(change));
    }
    let mut after = String::new();
    let mut expected = Vec::new();
    let mut removed_comments = Vec::new();
    for (document, program) in tree.documents().iter().zip(programs) {
        let source = document.span.of(text);
        if program.is_empty() {
            after.push_str(source);
            expected.push(None);
            continue;
        }
        let mut value = read_value(&tree, text, document.root).map_err(code)?;
        let outcome = yaml::rewrite(source, std::slice::from_ref(&program), Style::default())
            .map_err(|refusal| code(refusal.problem))?;
        assert_eq!(outcome.edits.apply(source), outcome.text, "the edits give the text");
        for intent in &program {
            intent.apply_data(&mut value).map_err(|problem| format!("plain data: {}", code(problem)))?;
        }
        after.push_str(&outcome.text);
        expected.push(Some(value));
        removed_comments.extend(outcome.removed_comments);
    }
    let (after_text, removed_comments) = (&after, &removed_comments);
    let edited = EditedText {
        before: text,
        tree: &tree,
        after: after_text,
        expected: &expected,
        removed_comments,
        added_comments: &[],
    };
    edited.verify(FrontEnd::Exact).map_err(code)?;
    Ok(after)
}

/// Runs the case in `folder`; `code_of` names its refusals, and an error describes the difference.
fn check(folder: &Path, code_of: fn(&str) -> &str) -> Result<(), String> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"));
    let edit: Value = serde_json::from_str(&read("edit.json")?).map_err(|error| error.to_string())?;
    let outcome = run(&read("input.yaml")?, &edit);
    match (outcome, edit["expect_error"].as_str()) {
        (Err(error), Some(code)) if error.split(':').next().map(code_of) == Some(code) => Ok(()),
        (outcome, Some(code)) => Err(format!("expected a refusal `{code}`, found {outcome:?}")),
        (Err(error), None) => Err(format!("refused: {error}")),
        (Ok(found), None) => {
            let expected = read("expected.yaml")?;
            if found == expected { Ok(()) } else { Err(format!("--- expected\n{expected}--- found\n{found}")) }
        }
    }
}

/// Shared cases that expect the blank lines of both sides to stay where an entry is removed; here those of one side go with it
/// (`delete-takes-own-comments`).
const KEEP_BLANK_LINES: &[&str] = &["02-delete-own-comments"];

/// Runs every case below `folder`, and returns how many there are.
#[track_caller]
fn check_all(folder: &Path, code_of: fn(&str) -> &str) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_ours = |case: &PathBuf| !KEEP_BLANK_LINES.iter().any(|name| case.ends_with(name));
    let mut cases: Vec<PathBuf> = entries.filter(|path| path.is_dir()).filter(is_ours).collect();
    cases.sort();
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let name = case.file_name().unwrap_or_default().display().to_string();
            check(case, code_of).err().map(|error| format!("== {name}\n{error}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {} cases fail\n{}", failures.len(), cases.len(), failures.join("\n"));
    cases.len()
}

#[test]
fn own_cases() {
    let folder = root().join("fixtures/yaml");
    assert!(check_all(&folder, |code| code) >= 100);
}

#[test]
fn shared_cases() {
    let Some(folder) = shared("cases/yaml") else { return };
    // The shared cases report excessive nesting as a parse error; here limits have a code of their own.
    assert!(check_all(&folder, |code| if code == "limit" { "parse-error" } else { code }) >= 57);
}

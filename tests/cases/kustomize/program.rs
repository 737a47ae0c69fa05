//! Answers: what does `kubectl kustomize` build, and what does the program do to a folder?

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize as _;
use serde_json::Value;

use crate::support::program;

/// Whether kubectl must be there; otherwise the law is skipped without it.
const REQUIRED: &str = "REVERSION_KUBECTL";

/// Returns whether builds are possible.
///
/// # Panics
/// If kubectl is absent although it is required.
pub(crate) fn can_build() -> bool {
    let is_there = Command::new("kubectl").args(["kustomize", "--help"]).output().is_ok_and(|run| run.status.success());
    assert!(is_there || std::env::var_os(REQUIRED).is_none_or(|value| value != "required"), "kubectl is required");
    is_there
}

/// Builds the kustomization in `folder` and returns the text.
///
/// # Errors
/// What kubectl says if it fails.
pub(crate) fn build(folder: &Path) -> Result<String, String> {
    // A build is over before its garbage is worth collecting, or work worth sharing: without both, it takes a fourth less.
    let output =
        Command::new("kubectl").arg("kustomize").arg(folder).envs([("GOGC", "off"), ("GOMAXPROCS", "1")]).output();
    let output = output.expect("kubectl was there before");
    if output.status.success() {
        Ok(String::from_utf8(output.stdout).expect("kubectl writes UTF-8"))
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

/// Returns the documents of a YAML text.
///
/// # Errors
/// A message if it is no YAML.
pub(crate) fn objects(text: &str) -> Result<Vec<Value>, String> {
    let documents = serde_yaml::Deserializer::from_str(text).map(Value::deserialize);
    let values: Result<Vec<_>, _> = documents.collect();
    Ok(values.map_err(|error| error.to_string())?.into_iter().filter(|value| !value.is_null()).collect())
}

/// What a run of the program did.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    /// The files that its report says are edited.
    pub(crate) edited: BTreeSet<String>,
    /// How many objects it converts.
    pub(crate) converted: usize,
    /// Findings that hold something back or report a failure, as lines.
    pub(crate) held: Vec<String>,
    pub(crate) findings: Vec<String>,
    pub(crate) errors: String,
}

/// Converts the files in `folder` to the targets in `to`, which spaces separate.
pub(crate) fn apply(folder: &Path, from: Option<&str>, to: &str) -> Run {
    let mut command = program();
    command.args(["apply", "--yes", "--allow-no-vcs", "--allow-dirty", "--format", "json"]);
    command.args(to.split(' ').flat_map(|to| ["--to", to]));
    command.args(from.into_iter().flat_map(|from| ["--from", from])).arg(".").current_dir(folder);
    let output = command.output().expect("the program is built");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |finding: &Value| {
        let (file, line) = (&finding["location"]["file"], &finding["location"]["line"]);
        format!(
            "{}:{line}: {}[{}] {}",
            text(file),
            text(&finding["severity"]),
            text(&finding["code"]),
            text(&finding["message"])
        )
    };
    let holds = |finding: &&Value| ["held-back", "held", "error"].contains(&finding["severity"].as_str().unwrap_or(""));
    let of_objects =
        list("objects").into_iter().flat_map(|object| object["findings"].as_array().cloned().unwrap_or_default());
    let found: Vec<Value> = of_objects.chain(list("findings")).collect();
    Run {
        code: output.status.code(),
        edited: list("files").iter().map(|file| text(&file["file"])).collect(),
        converted: list("objects").iter().filter(|object| object["outcome"] == "changed").count(),
        held: found.iter().filter(holds).map(line).collect(),
        findings: found.iter().map(line).collect(),
        errors: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Reads every file below `folder`, except those in the program's own folder.
pub(crate) fn read(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let walk = walkdir::WalkDir::new(folder).into_iter();
    let files = walk.filter_entry(|entry| entry.file_name() != OsStr::new(".reversion")).flatten();
    files
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(folder).expect("it is below").to_string_lossy().into_owned();
            (path, fs::read(entry.path()).expect("it was just listed"))
        })
        .collect()
}

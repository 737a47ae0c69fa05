//! What is in the folder of a chart, and which chart is a file of?
//!
//! Invariant: what cannot be read is not there.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use crate::engine::plan::{CHART, REQUIREMENTS};
use crate::shell::disk::{self, WalkOptions};
use crate::syntax::yaml;

/// The folder with the templates of a chart.
pub(super) const TEMPLATES: &str = "templates";

/// The folder with the charts that another one depends on.
pub(super) const VENDORED: &str = "charts";

/// The template whose text is shown to the user.
pub(super) const NOTES: &str = "NOTES.txt";

/// The file with what the users of a chart set, as it is where they set nothing.
pub(super) const VALUES: &str = "values.yaml";

/// Returns the options to walk files of any name.
pub(super) fn every_name() -> WalkOptions {
    WalkOptions { every_name: true, ..WalkOptions::default() }
}

/// Returns the folder of the chart that brings another one.
pub(super) fn chart_around(chart: &Path) -> Option<&Path> {
    let around = chart.parent().filter(|folder| folder.ends_with(VENDORED)).and_then(Path::parent);
    around.filter(|around| disk::is_file(&around.join(CHART)))
}

/// Returns the folder of the chart that a file is a template of.
pub(super) fn chart_of(file: &Path) -> Option<&Path> {
    let folders = file.ancestors().skip(1).filter(|folder| folder.ends_with(TEMPLATES));
    folders.filter_map(Path::parent).find(|chart| disk::is_file(&chart.join(CHART)))
}

/// Returns the folder of the chart whose templates a path leads into without showing that.
pub(super) fn hidden_chart(path: &Path) -> Option<PathBuf> {
    let full = disk::full_path(path);
    let is_shown = || chart_of(&path.join(CHART)).is_some();
    chart_of(&full.join(CHART)).filter(|_| !is_shown()).map(Path::to_owned)
}

/// Returns the folder of the chart of which a file decides what several templates print: its own data, values, or definitions.
pub(super) fn chart_decided_by(file: &Path) -> Option<&Path> {
    let has_definitions = file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"_"));
    let is_yaml = file.extension().is_some_and(|extension| ["yaml", "yml"].iter().any(|yaml| extension == *yaml));
    let beside = || file.parent().filter(|folder| is_yaml && disk::is_file(&folder.join(CHART)));
    chart_of(file).filter(|_| has_definitions).or_else(beside)
}

/// Returns the keys that the values of a chart have in those of the chart around it: each prints the chart once.
pub(super) fn names_in(chart: &Path, around: &Path) -> Vec<String> {
    let text = |data: &Value, key: &str| data.get(key).and_then(Value::as_str).map(str::to_owned);
    let Some(name) = data_of(&chart.join(CHART)).and_then(|data| text(&data, "name")) else { return Vec::new() };
    let listed = dependencies(around).into_iter().filter(|one| text(one, "name").as_ref() == Some(&name));
    let names: Vec<String> = listed.map(|one| text(&one, "alias").unwrap_or_else(|| name.clone())).collect();
    if names.is_empty() { vec![name] } else { names }
}

/// Returns what a chart lists as its dependencies.
pub(super) fn dependencies(chart: &Path) -> Vec<Value> {
    let files = [CHART, REQUIREMENTS].into_iter().filter_map(|file| data_of(&chart.join(file)));
    files.filter_map(|data| data.get("dependencies")?.as_array().cloned()).flatten().collect()
}

/// Returns the folders of the charts that a chart depends on and that stand elsewhere on this disk.
pub(super) fn local_dependencies(chart: &Path) -> Vec<PathBuf> {
    let places = dependencies(chart).into_iter().filter_map(|one| {
        let place = one.get("repository")?.as_str()?.strip_prefix("file://")?.to_owned();
        Some(Path::new(&place).components().fold(chart.to_owned(), |mut folder, component| {
            match component {
                Component::ParentDir if folder.file_name().is_some() => {
                    folder.pop();
                }
                Component::CurDir => {}
                other => folder.push(other),
            }
            folder
        }))
    });
    places.filter(|folder| disk::is_file(&folder.join(CHART))).collect()
}

/// Returns the data of a file in YAML.
pub(super) fn data_of(file: &Path) -> Option<Value> {
    values(&text_of(file)?)
}

/// Returns the text of a file.
pub(super) fn text_of(file: &Path) -> Option<String> {
    String::from_utf8(disk::read(file).ok()?).ok()
}

/// Reads the data of a values.yaml.
pub(super) fn values(text: &str) -> Option<Value> {
    let tree = yaml::parse(text).ok()?;
    let root = tree.documents().first().map(|document| document.root);
    let data = root.map_or(Ok(Value::Null), |root| yaml::read_value(&tree, text, root)).ok()?;
    Some(if data.is_null() { Value::Object(Map::new()) } else { data })
}

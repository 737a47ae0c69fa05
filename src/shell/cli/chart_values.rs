//! What do a chart, and those that it brings, do with the values in a file, and which other files have values of it?
//!
//! Invariant: what cannot be read of a template counts as a use of what it can name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::chart_folder::{
    NOTES, TEMPLATES, VALUES, VENDORED, chart_around, chart_of, data_of, every_name, names_in, text_of,
};
use crate::engine::manifest::{ChartUses, ValuesFile};
use crate::engine::plan::CHART;
use crate::shell::disk::{self, WalkOptions};
use crate::syntax::field::FieldPath;
use crate::syntax::template::{self, Defines, Template, Uses};

/// The file that says what values have to be.
const SCHEMA: &str = "values.schema.json";

/// What is in the name of each function that prints a text as a template.
const TPL: &str = "tpl";

/// The extensions of files for readers, which no template prints, unless it names them.
const PROSE: [&str; 2] = ["gotmpl", "md"];

/// What a chart prints with.
#[derive(Default)]
struct Printing {
    templates: Vec<Arc<Template>>,
    /// The texts of its notes, and of what are no templates.
    others: Vec<String>,
}

/// Returns the folder of the chart that a file with values is in.
fn chart_above(file: &Path) -> Option<&Path> {
    file.ancestors().skip(1).find(|folder| disk::is_file(&folder.join(CHART)))
}

/// Returns what the chart that a file is in does with values, and the charts in its folder `charts` do with theirs.
pub(super) fn uses_around(file: &Path) -> Option<ChartUses> {
    let chart = chart_above(file)?;
    let (mut charts, mut has_tpl): (BTreeMap<PathBuf, Printing>, bool) = Default::default();
    let read = |path: &Path, bytes: &[u8]| chart_of(path).and_then(|_| String::from_utf8(bytes.to_vec()).ok());
    for (path, text) in disk::scan(&folders(chart), &every_name(), read).visited {
        let Some(owner) = chart_of(&path) else { continue };
        has_tpl |= text.contains(TPL);
        let own = charts.entry(owner.to_owned()).or_default();
        match Template::parse(&*text) {
            Ok(template) if path.file_name().is_some_and(|name| name != NOTES) => {
                own.templates.push(Arc::new(template))
            }
            _ => own.others.push(text),
        }
    }
    let (mut defines, mut brought) = (Defines::default(), Defines::default());
    for (owner, own) in &charts {
        let all = if owner == chart { &mut defines } else { &mut brought };
        own.templates.iter().for_each(|template| all.add(template));
    }
    defines.add_brought(brought);
    let printed = if has_tpl { printed_texts(file, chart, &charts) } else { Vec::new() };
    let mut found = ChartUses { uses: Uses::default(), schemas: Vec::new() };
    charts.entry(chart.to_owned()).or_default();
    for (owner, own) in &charts {
        let texts = own.others.iter().chain(&printed).map(String::as_str);
        let uses = Uses::of(own.templates.iter().map(|template| &**template), texts, &defines);
        for names in places(owner, chart) {
            found.uses.add(names.iter().rev().fold(uses.clone(), |uses, name| uses.below(name)));
            let place = names.iter().fold(FieldPath::default(), |place, name| place.key(name));
            found.schemas.extend(data_of(&owner.join(SCHEMA)).map(|schema| (place, schema)));
        }
    }
    // The charts around one that is brought have values for it as well.
    found.uses = if chart_around(chart).is_some() { found.uses.unprinted() } else { found.uses };
    Some(found)
}

/// Returns the files besides one that can have values of the chart that it is in.
pub(super) fn others_around(file: &Path) -> Vec<ValuesFile> {
    let Some(chart) = chart_above(file) else { return Vec::new() };
    let left = folders(chart);
    let is_other = |path: &Path| path != file && left.iter().all(|folder| !path.starts_with(folder));
    let read = |path: &Path, bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok().filter(|_| is_other(path));
    let of = |path: &Path, place, text| ValuesFile { file: path.to_string_lossy().into_owned(), place, text };
    let own = disk::scan(&[folder(chart)], &WalkOptions::default(), read).visited.into_iter();
    let own = own.map(|(path, text)| of(&path, FieldPath::default(), text));
    let is_chart = |path: &Path, _: &[u8]| path.ends_with(CHART).then_some(());
    let brought = disk::scan(&left[1..], &WalkOptions::default(), is_chart).visited;
    let brought = brought.iter().filter_map(|(path, ())| path.parent()).flat_map(|owner| {
        let values = owner.join(VALUES);
        let text = text_of(&values).unwrap_or_default();
        let places = places(owner, chart).into_iter();
        let place = |names: Vec<String>| names.iter().fold(FieldPath::default(), |place, name| place.key(name));
        places.map(move |names| of(&values, place(names), text.clone())).collect::<Vec<_>>()
    });
    own.chain(brought).collect()
}

/// Returns the folders with what a chart prints.
fn folders(chart: &Path) -> [PathBuf; 2] {
    [TEMPLATES, VENDORED].map(|folder| chart.join(folder))
}

/// Returns the folder of a chart as it is walked.
fn folder(chart: &Path) -> PathBuf {
    if chart.as_os_str().is_empty() { PathBuf::from(".") } else { chart.to_owned() }
}

/// Returns the places of the values of `chart` in those of one around it, as keys.
fn places(chart: &Path, around: &Path) -> Vec<Vec<String>> {
    if chart == around {
        return vec![Vec::new()];
    }
    let Some(outer) = chart_around(chart).filter(|outer| outer.starts_with(around)) else { return Vec::new() };
    let names = names_in(chart, outer);
    let of_outer = places(outer, around).into_iter();
    of_outer.flat_map(|keys| names.iter().map(move |name| [&*keys, std::slice::from_ref(name)].concat())).collect()
}

/// Returns the texts that templates can print as templates: those in values, and of the files that they read.
fn printed_texts(file: &Path, chart: &Path, charts: &BTreeMap<PathBuf, Printing>) -> Vec<String> {
    let mut found = Vec::new();
    let own = charts.keys().map(|owner| owner.join(VALUES)).chain([file.to_owned(), chart.join(VALUES)]);
    own.filter_map(|file| data_of(&file)).for_each(|values| add_texts(&values, &mut found));
    let templates = charts.values().flat_map(|printing| &printing.templates);
    let named: Vec<String> = templates.flat_map(|template| template::files_read(template)).collect();
    if named.is_empty() {
        return found;
    }
    let is_named = |path: &Path| {
        let is_prose = path.extension().is_some_and(|one| PROSE.iter().any(|prose| one == *prose));
        let can_name = |place: &str, start: &String| place.starts_with(start) && (!is_prose || !start.is_empty());
        let mut places = charts.keys().filter_map(|owner| path.strip_prefix(owner).ok()?.to_str());
        chart_of(path).is_none() && places.any(|place| named.iter().any(|start| can_name(place, start)))
    };
    let read = |path: &Path, bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).ok().filter(|text| is_named(path) && text.contains("{{"));
        text.map(str::to_owned)
    };
    let files = disk::scan(&[folder(chart)], &every_name(), read).visited;
    found.extend(files.into_iter().map(|(_, text)| text));
    found
}

/// Adds the texts in a value.
fn add_texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|one| add_texts(one, found)),
        Value::Object(map) => map.values().for_each(|one| add_texts(one, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

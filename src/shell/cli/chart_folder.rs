//! What is in the folder of a chart, and which lists in its values do its own templates print item by item, as documents?
//!
//! Invariant: a list of which that is not certain is none of these.

use std::path::Path;
use std::sync::Arc;

use crate::engine::plan::CHART;
use crate::shell::disk::{self, WalkOptions};
use crate::syntax::field::FieldPath;
use crate::syntax::template::{self, Defines, Template};

/// The folder with the templates of a chart.
pub(super) const TEMPLATES: &str = "templates";

/// The folder with the charts that another one depends on.
pub(super) const VENDORED: &str = "charts";

/// The template whose text is shown to the user.
pub(super) const NOTES: &str = "NOTES.txt";

/// Returns the options to walk files of any name.
pub(super) fn every_name() -> WalkOptions {
    WalkOptions { every_name: true, ..WalkOptions::default() }
}

/// Returns the folder of the chart that brings another one.
pub(super) fn chart_around(chart: &Path) -> Option<&Path> {
    let around = chart.parent().filter(|folder| folder.ends_with(VENDORED)).and_then(Path::parent);
    around.filter(|around| disk::is_file(&around.join(CHART)))
}

/// Returns the places of these lists in the values of the chart that a file is in; none for a chart that another one brings.
pub(super) fn printed_lists(file: &Path) -> Vec<FieldPath> {
    let chart = file.ancestors().skip(1).find(|folder| disk::is_file(&folder.join(CHART)));
    let Some(chart) = chart.filter(|chart| chart_around(chart).is_none()) else { return Vec::new() };
    let folders = [TEMPLATES, VENDORED].map(|folder| chart.join(folder));
    let parse = |_: &Path, bytes: &[u8]| Template::parse(std::str::from_utf8(bytes).ok()?).ok().map(Arc::new);
    let (mut defines, mut brought, mut own) = (Defines::default(), Defines::default(), Vec::new());
    for (path, template) in disk::scan(&folders, &every_name(), parse).visited {
        if !path.starts_with(&folders[0]) {
            brought.add(&template);
            continue;
        }
        defines.add(&template);
        own.extend(Some(template).filter(|_| path.file_name().is_some_and(|name| name != NOTES)));
    }
    defines.add_brought(brought);
    let keys = template::printed_items(own.iter().map(|template| &**template), &defines);
    keys.iter().map(|key| key.split('.').fold(FieldPath::default(), |path, key| path.key(key))).collect()
}

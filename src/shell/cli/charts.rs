//! Which of the skipped templates belong to charts, and what do these define?
//!
//! Those of a chart that is vendored in another one belong to its own project: they are converted only where a path leads into it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::input::SkippedTemplate;
use crate::engine::plan::TemplateFile;
use crate::shell::disk::{self, WalkOptions};
use crate::syntax::template::{Defines, Template};

/// The folder with the templates of a chart.
const TEMPLATES: &str = "templates";

/// The folder with the charts that another one depends on.
const VENDORED: &str = "charts";

/// The file that makes a folder a chart.
const CHART: &str = "Chart.yaml";

/// Returns those of `skipped` that are templates of charts, with what their charts define, where `roots` are the paths of the run.
pub(super) fn templates(skipped: &[SkippedTemplate], roots: &[PathBuf]) -> Vec<TemplateFile> {
    let mut defines: BTreeMap<&Path, Arc<Defines>> = BTreeMap::new();
    let mut found = Vec::new();
    for SkippedTemplate { file, text } in skipped {
        let Some(chart) = chart_of(Path::new(file)).filter(|chart| !is_vendored(chart, roots)) else { continue };
        let defines = defines.entry(chart).or_insert_with(|| Arc::new(defines_of(chart)));
        found.push(TemplateFile { file: file.clone(), text: Arc::clone(text), defines: Arc::clone(defines) });
    }
    found
}

/// Returns the folder of the chart that a file is a template of.
fn chart_of(file: &Path) -> Option<&Path> {
    let folders = file.ancestors().skip(1).filter(|folder| folder.ends_with(TEMPLATES));
    folders.filter_map(Path::parent).find(|chart| disk::is_file(&chart.join(CHART)))
}

fn is_vendored(chart: &Path, roots: &[PathBuf]) -> bool {
    let around = chart.parent().filter(|folder| folder.ends_with(VENDORED)).and_then(Path::parent);
    around.is_some_and(|around| disk::is_file(&around.join(CHART))) && !roots.iter().any(|root| root.starts_with(chart))
}

/// Reads what the templates of a chart define, and those of the charts that it depends on and that are folders.
fn defines_of(chart: &Path) -> Defines {
    let folders: Vec<PathBuf> =
        [TEMPLATES, VENDORED].into_iter().map(|folder| chart.join(folder)).filter(|folder| folder.is_dir()).collect();
    let options = WalkOptions { no_ignore: true, extensions: vec!["tpl".to_owned()], ..WalkOptions::default() };
    let read = |_: &Path, bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).ok().filter(|text| text.contains("define"))?;
        Template::parse(text).ok()
    };
    let mut defines = Defines::default();
    for (_, template) in disk::scan(&folders, &options, read).visited {
        defines.add(&Arc::new(template));
    }
    defines
}

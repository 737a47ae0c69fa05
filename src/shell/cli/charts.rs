//! Which of the skipped templates belong to charts, what do these define, and what do they add to what was read?
//!
//! Those of a chart that is vendored in another one belong to its own project: they are converted only where a path leads into it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::input::{Input, SkippedTemplate, TEMPLATES, VENDORED, chart_of, is_vendored, makes_chart};
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::links::ChartFolder;
use crate::engine::manifest::{self, OpenTemplate, Recognizer};
use crate::engine::plan::{self, CHART, Definitions, Goal, ObjectPlan, TemplateFile};
use crate::shell::disk::{self, Skip, WalkOptions};
use crate::shell::report::Counts;
use crate::syntax::template::{self, Template};
use crate::syntax::yaml;

/// The file with what the users of a chart set, as it is where they set nothing.
const VALUES: &str = "values.yaml";

/// The extension of an archive with a chart.
const ARCHIVE: &str = "tgz";

/// The file in which a chart of Helm 2 has its dependencies.
const REQUIREMENTS: &str = "requirements.yaml";

/// The extension of files with definitions.
const DEFINITIONS: &str = "tpl";

/// Returns the skipped templates that are of charts, with what their charts define, and the files of definitions of all charts of the run
/// that mention a known API group.
pub(super) fn templates<T>(input: &Input<T>, recognizer: &Recognizer) -> Vec<TemplateFile> {
    let mut charts: BTreeMap<&Path, Arc<Definitions>> = BTreeMap::new();
    let mut found = Vec::new();
    let skipped = input.templates.iter();
    let skipped = skipped.filter_map(|one| Some((chart_of(Path::new(&one.file))?, Some(one))));
    let all = input.charts.iter().map(|chart| (&**chart, None)).chain(skipped);
    for (chart, skipped) in all.filter(|(chart, _)| !is_vendored(chart, &input.roots)) {
        let definitions = charts.entry(chart).or_insert_with(|| {
            let (definitions, files) = definitions_of(chart, recognizer);
            let definitions = Arc::new(definitions);
            let is_one = |(file, text): &(String, Arc<str>)| {
                recognizer.mentions_group(text.as_bytes()) || is_open(file, text, &definitions, recognizer)
            };
            let files = files.into_iter().filter(is_one);
            found.extend(files.map(|(file, text)| TemplateFile { file, text, definitions: Arc::clone(&definitions) }));
            definitions
        });
        let skipped = skipped.filter(|one| one.is_reported || is_open(&one.file, &one.text, definitions, recognizer));
        found.extend(skipped.map(|SkippedTemplate { file, text, .. }| TemplateFile {
            file: file.clone(),
            text: Arc::clone(text),
            definitions: Arc::clone(definitions),
        }));
    }
    found.extend(input.templates.iter().filter(|one| one.is_alone).map(alone));
    found
}

/// Reports the charts of the run that are not for the target's version of Kubernetes.
pub(super) fn excluded<T>(input: &Input<T>, goal: &Goal<'_>) -> Vec<Finding> {
    let of_templates = input.templates.iter().filter_map(|one| chart_of(Path::new(&one.file)));
    let charts: BTreeSet<&Path> = input.charts.iter().map(PathBuf::as_path).chain(of_templates).collect();
    let own = charts.into_iter().filter(|chart| !is_vendored(chart, &input.roots)).map(|chart| chart.join(CHART));
    let listed = own.filter(|file| input.is_listed(file));
    let found = listed.filter_map(|file| {
        let bytes = disk::read(&file).ok()?;
        plan::excluded(&file.to_string_lossy(), std::str::from_utf8(&bytes).ok()?, goal)
    });
    found.collect()
}

/// Reports the charts that others bring, and that are left as they are; what was skipped of such a chart is reported once.
pub(super) fn report_vendored<T>(input: &Input<T>, findings: &mut Vec<Finding>) {
    let mut skipped: BTreeMap<PathBuf, Vec<Finding>> = BTreeMap::new();
    findings.retain(|finding| {
        let chart = chart_of(Path::new(&finding.location.file)).filter(|_| finding.code == Code::Template);
        let chart = chart.filter(|chart| is_vendored(chart, &input.roots));
        chart.map(|chart| skipped.entry(chart.to_owned()).or_default().push(finding.clone())).is_none()
    });
    let mut all: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for chart in &input.charts {
        let around = chart.parent().and_then(Path::parent).filter(|_| is_vendored(chart, &input.roots));
        match around {
            Some(around) => all.entry(around.to_owned()).or_default().extend(name_of(chart)),
            None => all.entry(chart.clone()).or_default().extend(archives(chart)),
        }
    }
    let listed = all.iter().filter(|(chart, names)| !names.is_empty() && input.is_listed(&chart.join(CHART)));
    findings.extend(listed.map(|(chart, names)| {
        let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let message = format!("the charts that it brings in its folder charts are left as they are: {names}");
        let location = Location { file: chart.join(CHART).to_string_lossy().into_owned(), position: None };
        let help = "pass a path into the folder of one to convert it, or depend on a newer version of it";
        Finding::new(location, Code::Chart, Severity::Note, message).help(help)
    }));
    findings.extend(skipped.into_iter().filter_map(|(chart, found)| {
        let (count, first) = (found.len(), found.into_iter().next()?);
        let more = if count > 1 { format!("; likewise {} more", count - 1) } else { String::new() };
        let message = format!(
            "the template mentions a known API, and was skipped: its chart {} is one that another chart brings{more}",
            name_of(&chart)?
        );
        let help = format!("pass {} to convert it, or depend on a newer version of it", chart.display());
        Some(Finding { message, ..first }.help(help))
    }));
}

/// Returns the name of the folder of a chart.
fn name_of(chart: &Path) -> Option<String> {
    Some(chart.file_name()?.to_string_lossy().into_owned())
}

/// Returns the names of the archives of charts that a chart brings.
fn archives(chart: &Path) -> Vec<String> {
    let folder = chart.join(VENDORED);
    if disk::is_missing(&folder) {
        return Vec::new();
    }
    let is_one =
        |path: &Path| path.parent() == Some(&*folder) && path.extension().is_some_and(|extension| extension == ARCHIVE);
    let options = WalkOptions { extensions: vec![ARCHIVE.to_owned()], ..WalkOptions::default() };
    let scan = disk::scan(std::slice::from_ref(&folder), &options, |path, _| is_one(path).then_some(()));
    let binary = scan.skipped.into_iter().filter(|(path, skip)| *skip == Skip::Binary && is_one(path));
    let all = scan.visited.into_iter().map(|(path, ())| path).chain(binary.map(|(path, _)| path));
    all.filter_map(|path| name_of(&path)).collect()
}

/// Returns what the folder of a file of the run says about it, where it is a Chart.yaml.
pub(super) fn folder_of<T>(file: &str, input: &Input<T>) -> ChartFolder {
    let chart = Path::new(file).parent().filter(|_| makes_chart(file));
    match chart {
        Some(chart) if is_vendored(chart, &input.roots) => ChartFolder::Vendored,
        Some(chart) if disk::is_file(&chart.join(REQUIREMENTS)) => ChartFolder::Requirements,
        _ => ChartFolder::Plain,
    }
}

/// Returns whether a template that mentions no known API group can print known objects in its chart.
fn is_open(file: &str, text: &str, definitions: &Definitions, recognizer: &Recognizer) -> bool {
    match manifest::open_template(file, text.as_bytes(), recognizer) {
        Some(OpenTemplate::ByItself) => true,
        Some(OpenTemplate::WithValues) => definitions.has_triggers,
        None => false,
    }
}

/// Takes a template with nothing but its own definitions.
fn alone(template: &SkippedTemplate) -> TemplateFile {
    let mut definitions = Definitions::default();
    if let Ok(parsed) = Template::parse(Arc::clone(&template.text)) {
        add(&Arc::new(parsed), &mut definitions);
    }
    let (file, text) = (template.file.clone(), Arc::clone(&template.text));
    TemplateFile { file, text, definitions: Arc::new(definitions) }
}

/// Adds what a template of the chart itself defines.
fn add(template: &Arc<Template>, definitions: &mut Definitions) {
    definitions.all.add(template);
    definitions.own.extend(template.parts().filter_map(|part| part.name().map(str::to_owned)));
}

/// Returns the names of the files of `templates`.
pub(super) fn names(templates: &[TemplateFile]) -> BTreeSet<&str> {
    templates.iter().map(|template| &*template.file).collect()
}

/// Removes the findings that say that a template was skipped which is one of `templates`.
pub(super) fn without_skipped(findings: &mut Vec<Finding>, templates: &[TemplateFile]) {
    let converted = names(templates);
    findings.retain(|finding| finding.code != Code::Template || !converted.contains(&*finding.location.file));
}

/// Counts `templates` as files that were read, and what they print of the `objects` of a plan.
pub(super) fn count<T>(input: &Input<T>, templates: &[TemplateFile], objects: &[ObjectPlan]) -> Counts {
    let converted = names(templates);
    let is_skipped = |one: &&SkippedTemplate| one.is_reported && !converted.contains(&*one.file);
    let listed = converted.iter().filter(|file| input.is_listed(Path::new(file)));
    let printed = objects.iter().filter(|object| converted.contains(&*object.location.file));
    Counts {
        templates: input.templates.iter().filter(is_skipped).count(),
        parsed: input.counts.parsed + listed.count(),
        objects: input.counts.objects + printed.count(),
        ..input.counts.clone()
    }
}

/// Returns the names of the definitions whose texts conditions of a template ask for.
fn asked(template: &Template) -> impl Iterator<Item = &str> {
    let conditions = template.actions().iter().filter(|action| action.is_condition());
    conditions.flat_map(|action| {
        let calls = action.content.of(template.text()).split("(include \"").skip(1);
        calls.filter_map(|call| Some(call.split_once('"')?.0))
    })
}

/// Reads the data of a values.yaml.
fn values(text: &str) -> Option<Value> {
    let tree = yaml::parse(text).ok()?;
    let root = tree.documents().first().map(|document| document.root);
    let data = root.map_or(Ok(Value::Null), |root| yaml::read_value(&tree, text, root)).ok()?;
    Some(if data.is_null() { Value::Object(Map::new()) } else { data })
}

/// Reads what the templates of a chart define, and those of the charts that it depends on and that are folders; returns with that its own
/// files that hold nothing but definitions. What is ignored is neither read nor changed.
fn definitions_of(chart: &Path, recognizer: &Recognizer) -> (Definitions, Vec<(String, Arc<str>)>) {
    let folders = [TEMPLATES, VENDORED].map(|folder| chart.join(folder));
    let options = WalkOptions { extensions: vec![DEFINITIONS.to_owned()], ..WalkOptions::default() };
    let read = |path: &Path, bytes: &[u8]| {
        let counts = |text: &&str| {
            let is_of_definitions = path.extension().is_some_and(|one| one == DEFINITIONS);
            is_of_definitions
                || ["define", "fromYaml", "(include ", "set", "merge"].iter().any(|part| text.contains(part))
        };
        let text: Arc<str> = std::str::from_utf8(bytes).ok().filter(counts)?.into();
        Some((Arc::new(Template::parse(Arc::clone(&text)).ok()?), text))
    };
    // A chart without the file has no defaults.
    let written = disk::read(&chart.join(VALUES)).unwrap_or_default();
    let mut definitions = Definitions {
        chart: chart.to_string_lossy().into_owned(),
        values: std::str::from_utf8(&written).ok().and_then(values),
        has_triggers: recognizer.mentions_trigger(&written),
        ..Definitions::default()
    };
    let mut files = Vec::new();
    for (path, (template, text)) in disk::scan(&folders, &options, read).visited {
        definitions.reads_yaml |= text.contains("fromYaml");
        definitions.asked.extend(asked(&template).map(str::to_owned));
        if path.starts_with(&folders[0]) {
            add(&template, &mut definitions);
            definitions.values.iter_mut().for_each(|values| template::hide_changed(&template, values));
            let is_file = path.extension().is_some_and(|one| one == DEFINITIONS);
            files.extend(path.to_str().filter(|_| is_file).map(|path| (path.to_owned(), text)));
        } else {
            definitions.all.add(&template);
        }
    }
    (definitions, files)
}

//! Which of the skipped templates belong to charts, what do these define, and what do they add to what was read?
//!
//! Those of a chart that is vendored in another one belong to its own project: they are converted only where a path leads into it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::chart_folder::{
    NOTES, TEMPLATES, VALUES, VENDORED, chart_around, chart_of, data_of, dependencies, every_name, local_dependencies,
    names_in, text_of, values,
};
use super::chart_overrides::{self, GLOBAL};
use super::input::{Input, SkippedTemplate, as_named, is_vendored, makes_chart};
use super::pack_source::sha256;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::links::{ChartFiles, ChartFolder};
use crate::engine::manifest::{self, OpenTemplate, Recognizer};
use crate::engine::plan::{self, CHART, Definitions, Goal, LOCK, OLD_LOCK, ObjectPlan, REQUIREMENTS, TemplateFile};
use crate::shell::disk::{self, Skip, WalkOptions};
use crate::shell::report::Counts;
use crate::syntax::template::{self, Action, Defines, Template, YamlReads};
use crate::syntax::text::Position;

/// The extension of an archive with a chart.
const ARCHIVE: &str = "tgz";

/// The extension of files with definitions.
const DEFINITIONS: &str = "tpl";

/// What is said of the charts in folders that another one brings.
const LEFT: &str = "the charts that it brings in its folder charts are left as they are";

/// What is said of those in archives.
const UNREAD: &str = "the charts that it brings as archives are not read";

/// What is said of those that are not there.
const ABSENT: &str = "the charts that it depends on are not in its folder charts, and not read";

/// What to do about a chart in a folder.
const PASS: &str = "pass a path into the folder of one to convert it, or depend on a newer version of it";

/// What to do about others.
const PRINTED: &str = "check what they print, `helm template ... | reversion check - --to ...`, and depend on newer versions where that is old";

/// The folder with the tests of a chart.
const UNIT_TESTS: &str = "tests";

/// What a template has that matters for others.
const READ: [&str; 8] = ["define", "fromYaml", "(include ", "set", "merge", ".Files", "eplace", "b64enc"];

/// What one has that prints a text inside of another one.
const ENCLOSING: [&str; 2] = [": |", "ndent"];

/// What makes an argument of a definition.
const MADE: [&str; 3] = ["dict ", "list ", "tuple "];

/// The extension of files for readers, which no template prints, unless it names them.
const PROSE: &str = "md";

/// A file, with its text.
type TextFile = (String, Arc<str>);

/// The apiVersions in the templates of charts that others bring, by file.
pub(super) type Brought = BTreeMap<PathBuf, Vec<String>>;

/// What is found in the folders of a chart besides what it defines.
#[derive(Default)]
struct Beside {
    /// The files that its templates can print as they are, and that are not read by their names.
    texts: Vec<TextFile>,
    brought: Brought,
}

/// What the charts of a run have.
pub(super) struct Charts {
    /// The skipped templates that are of charts, with what their charts define, and the templates of all charts of the run that are no
    /// manifests by their names and mention a known API group.
    pub(super) templates: Vec<TemplateFile>,
    /// The files that templates can print as they are, are not read by their names, and mention a known API group.
    texts: Vec<TextFile>,
    /// The values files, each with its data and what else its chart has.
    values: Vec<(PathBuf, Arc<Definitions>)>,
    /// What is reported of values files, and of those of the charts around.
    findings: Vec<Finding>,
    pub(super) brought: Brought,
}

impl Charts {
    /// Returns the templates, all that planning needs: what charts without any define is dropped before.
    pub(super) fn into_templates(self) -> Vec<TemplateFile> {
        self.templates
    }
}

/// Returns what the charts of a run have.
pub(super) fn charts<T>(input: &Input<T>, recognizer: &Recognizer) -> Charts {
    let mut charts: BTreeMap<&Path, Arc<Definitions>> = BTreeMap::new();
    let (mut found, mut beside, mut overridden) = (Vec::new(), Beside::default(), Vec::new());
    let named: BTreeSet<&str> = input.templates.iter().map(|one| &*one.file).collect();
    let skipped = input.templates.iter();
    let skipped = skipped.filter_map(|one| Some((chart_of(Path::new(&one.file))?, Some(one))));
    let all = input.charts.iter().map(|chart| (&**chart, None)).chain(skipped);
    for (chart, skipped) in all.filter(|(chart, _)| !is_vendored(chart, &input.roots)) {
        let definitions = charts.entry(chart).or_insert_with(|| {
            let (mut definitions, files) = definitions_of(chart, &input.charts, recognizer, &mut beside);
            let outer = |chart: &Path| definitions_of(chart, &input.charts, recognizer, &mut Beside::default()).0;
            let set = chart_overrides::take_in(chart, &mut definitions, outer, name_in);
            overridden.extend(set.filter(|_| input.is_listed(&chart.join(CHART))));
            let definitions = Arc::new(definitions);
            let is_one = |(file, text): &TextFile| {
                let mentions = recognizer.mentions_group(text.as_bytes());
                !named.contains(&**file) && (mentions || is_open(file, text, &definitions, recognizer))
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
    // Of one that is brought by a chart that is not of the run, nothing is read yet.
    let is_unread =
        |chart: &&PathBuf| is_vendored(chart, &input.roots) && !charts.keys().any(|own| chart.starts_with(own));
    for chart in input.charts.iter().filter(is_unread) {
        let versions = |_: &Path, bytes: &[u8]| std::str::from_utf8(bytes).ok().map(versions_in);
        beside.brought.extend(disk::scan(&[chart.join(TEMPLATES)], &every_name(), versions).visited);
    }
    let own = charts.iter().map(|(chart, definitions)| (chart.join(VALUES), Arc::clone(definitions)));
    let values: Vec<_> = own.filter(|(file, own)| own.values.is_some() && input.is_listed(file)).collect();
    let findings = values.iter().filter_map(|(file, _)| open_object(file, recognizer)).chain(overridden).collect();
    Charts { templates: found, texts: beside.texts, values, findings, brought: beside.brought }
}

/// Reports the first object of a known kind in a values file whose apiVersion is an action: `tpl` prints it.
fn open_object(file: &Path, recognizer: &Recognizer) -> Option<Finding> {
    let written = disk::read(file).ok()?;
    let text = std::str::from_utf8(&written).ok().filter(|text| text.contains("apiVersion:"))?;
    let field = |line: &'_ str, key: &str| {
        let value = line.trim_start_matches([' ', '-']).strip_prefix(key)?.strip_prefix(':')?;
        Some(value.trim().trim_matches(['"', '\'']).to_owned())
    };
    let is_known = |kind: &str| recognizer.is_known_kind(None, kind);
    text.lines().find(|line| field(line, "kind").is_some_and(|kind| is_known(&kind)))?;
    let mut versions = text.lines().enumerate().filter_map(|(at, line)| Some((at, field(line, "apiVersion")?)));
    let (line, version) = versions.find(|(_, version)| version.starts_with("{{"))?;
    let message = format!("the apiVersion of an object is `{version}`, and nothing shows which that is");
    let location =
        Location { file: file.to_string_lossy().into_owned(), position: Some(Position { line: line + 1, column: 1 }) };
    let help =
        "write the apiVersion out, or check what the chart prints: `helm template ... | reversion check - --to ...`";
    Some(Finding::new(location, Code::TemplateAction, Severity::Unresolved, message).help(help))
}

/// Reports the files with an apiVersion that goes if templates of their chart can print them as they are.
pub(super) fn old_texts<T>(input: &Input<T>, charts: &Charts, goal: &Goal<'_>) -> Vec<Finding> {
    let texts = charts.texts.iter().filter(|(file, _)| input.is_listed(Path::new(file)));
    let found = texts.filter_map(|(file, text)| {
        let versions = text.lines().enumerate().filter_map(|(at, line)| Some((at, line.strip_prefix("apiVersion:")?)));
        let mut versions = versions.map(|(at, version)| (at, version.trim().trim_matches(['"', '\''])));
        let (line, version) = versions.find(|(_, version)| plan::leaves_version(goal, version))?;
        let message =
            format!("an object of {version} is in a file that templates of its chart can print, and that is not read by its name");
        let position = Some(Position { line: line + 1, column: 1 });
        let help = "give it a name that ends in .yaml, or convert it by hand";
        let location = Location { file: file.clone(), position };
        Some(Finding::new(location, Code::NotAnObject, Severity::Unresolved, message).help(help))
    });
    let parts = charts.values.iter().filter_map(|(file, chart)| {
        let message = format!(
            "a part of an object of {}, to which a template can print the rest, is not converted",
            part_of_object(chart.values.as_ref()?, goal)?
        );
        let location = Location { file: file.to_string_lossy().into_owned(), position: None };
        let help = "write the object out in the template, or convert it by hand";
        Some(Finding::new(location, Code::NotAnObject, Severity::Unresolved, message).help(help))
    });
    found.chain(parts).chain(charts.findings.iter().cloned()).chain(old_aliases(input, goal)).collect()
}

/// Returns the first apiVersion that goes of a mapping with some fields of an object, but not all.
fn part_of_object<'v>(values: &'v Value, goal: &Goal<'_>) -> Option<&'v str> {
    match values {
        Value::Object(map) => {
            let has = |key: &str| map.contains_key(key);
            let is_part = if has("kind") { !has("metadata") && !has("name") } else { has("spec") };
            let version = map.get("apiVersion").and_then(Value::as_str).filter(|_| is_part);
            let leaves = |version: &&str| match map.get("kind").and_then(Value::as_str) {
                Some(kind) => plan::leaves_type(goal, version, kind),
                None => plan::leaves_version(goal, version),
            };
            let own = version.filter(leaves);
            own.or_else(|| map.values().find_map(|one| part_of_object(one, goal)))
        }
        Value::Array(items) => items.iter().find_map(|one| part_of_object(one, goal)),
        _ => None,
    }
}

/// Returns the charts of the run that no other one brings.
fn own_charts<T>(input: &Input<T>) -> impl Iterator<Item = &Path> {
    let of_templates = input.templates.iter().filter_map(|one| chart_of(Path::new(&one.file)));
    let charts: BTreeSet<&Path> = input.charts.iter().map(PathBuf::as_path).chain(of_templates).collect();
    charts.into_iter().filter(|chart| !is_vendored(chart, &input.roots))
}

/// Reports the tests of the charts of the run that expect an apiVersion that goes: files of helm-unittest, and what it saved.
pub(super) fn unit_tests<T>(input: &Input<T>, goal: &Goal<'_>) -> Vec<Finding> {
    let old = |_: &Path, bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut words = text.split([' ', '\n', '\r', '"', '\'', ',', '{', '}']).filter(|word| word.contains('/'));
        words.find(|word| plan::leaves_version(goal, word)).map(str::to_owned)
    };
    let found = own_charts(input).filter_map(|chart| {
        let folder = chart.join(UNIT_TESTS);
        if disk::is_missing(&folder) {
            return None;
        }
        let named = disk::scan(&[folder], &every_name(), old).visited;
        let (file, version) = named.into_iter().find(|(file, _)| input.is_listed(file))?;
        let message = format!(
            "the tests of the chart name {version}, which the target does not serve; they are left as they are"
        );
        let location = Location { file: file.to_string_lossy().into_owned(), position: None };
        Some(
            Finding::new(location, Code::Chart, Severity::Warning, message)
                .help("change by hand what they expect (helm-unittest)"),
        )
    });
    found.collect()
}

/// Reports the charts of the run that are not for the target's version of Kubernetes.
pub(super) fn excluded<T>(input: &Input<T>, goal: &Goal<'_>) -> Vec<Finding> {
    let listed = own_charts(input).map(|chart| chart.join(CHART)).filter(|file| input.is_listed(file));
    let found = listed.filter_map(|file| {
        let bytes = disk::read(&file).ok()?;
        plan::excluded(&file.to_string_lossy(), std::str::from_utf8(&bytes).ok()?, goal)
    });
    found.collect()
}

/// Reports the charts that others bring, and that are left as they are, and what was skipped of them.
pub(super) fn report_vendored<T>(
    input: &Input<T>,
    brought: &Brought,
    recognizer: &Recognizer,
    goal: &Goal<'_>,
    findings: &mut Vec<Finding>,
) {
    let mut skipped: BTreeSet<PathBuf> = BTreeSet::new();
    for finding in findings.iter_mut().filter(|finding| finding.code == Code::Template) {
        let chart = chart_of(Path::new(&finding.location.file)).filter(|chart| is_vendored(chart, &input.roots));
        let Some((chart, name)) = chart.and_then(|chart| Some((chart, name_of(chart)?))) else { continue };
        skipped.insert(chart.to_owned());
        finding.message = format!(
            "the template mentions a known API, and was skipped: its chart {name} is one that another chart brings"
        );
        finding.help = Some(format!("pass {} to convert it, or depend on a newer version of it", chart.display()));
    }
    let [mut folders, mut packed, mut absent]: [BTreeMap<PathBuf, BTreeSet<String>>; 3] = Default::default();
    // What the charts around define is read once, where it is needed.
    let mut defined: BTreeMap<&Path, OnceCell<Definitions>> = BTreeMap::new();
    for chart in &input.charts {
        let around = chart.parent().and_then(Path::parent).filter(|_| is_vendored(chart, &input.roots));
        match around {
            Some(around) => {
                folders.entry(around.to_owned()).or_default().extend(name_of(chart));
                let own = defined.entry(around).or_default();
                let read = || definitions_of(around, &input.charts, recognizer, &mut Beside::default()).0;
                let definitions = || own.get_or_init(read);
                let old = old_inside(chart, around, brought, definitions, goal);
                findings.extend(old.filter(|_| !skipped.contains(chart)));
            }
            None => {
                let archives = archives(chart);
                absent.entry(chart.clone()).or_default().extend(missing(chart, &archives));
                packed.entry(chart.clone()).or_default().extend(archives);
            }
        }
    }
    for (charts, severity, what, help) in [
        (folders, Severity::Note, LEFT, PASS),
        (packed, Severity::Warning, UNREAD, PRINTED),
        (absent, Severity::Note, ABSENT, PRINTED),
    ] {
        let listed = charts.iter().filter(|(chart, names)| !names.is_empty() && input.is_listed(&chart.join(CHART)));
        findings.extend(listed.map(|(chart, names)| {
            let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let location = Location { file: chart.join(CHART).to_string_lossy().into_owned(), position: None };
            Finding::new(location, Code::Chart, severity, format!("{what}: {names}")).help(help)
        }));
    }
}

/// Returns the name of the folder of a chart.
fn name_of(chart: &Path) -> Option<String> {
    Some(chart.file_name()?.to_string_lossy().into_owned())
}

/// Returns the key that the values of a chart have in those of the chart around it: its name, or what that one calls it first.
fn name_in(chart: &Path, around: &Path) -> Option<String> {
    names_in(chart, around).into_iter().next()
}

/// Reports a chart that another one brings, and of which no template shows an API, if its values or definitions have an apiVersion that goes;
/// `definitions` are those of the chart around it.
fn old_inside<'d>(
    chart: &Path,
    around: &Path,
    brought: &Brought,
    definitions: impl Fn() -> &'d Definitions,
    goal: &Goal<'_>,
) -> Option<Finding> {
    let folder = chart.join(TEMPLATES);
    let is_one = |version: &&String| version.contains("{{") || plan::leaves_version(goal, version);
    let own = brought.range(folder.clone()..).take_while(|(file, _)| file.starts_with(&folder));
    let mut all = own.flat_map(|(file, versions)| versions.iter().filter(is_one).map(move |version| (file, version)));
    let names = || names_in(chart, around);
    let (file, version) = all.find_map(|(file, version)| match version.contains("{{") {
        // Values can print it.
        true => {
            let in_values = names().iter().find_map(|name| old_in_values(chart, around, name, goal));
            in_values.or_else(|| Some((file.clone(), old_printed(chart, file, definitions(), goal)?)))
        }
        false => Some((file.clone(), version.clone())),
    })?;
    let message = format!(
        "the chart {}, which another one brings, prints {version}, which the target does not serve",
        name_of(chart)?
    );
    let help = format!("pass {} to convert it, or depend on a newer version of it", chart.display());
    let location = Location { file: file.to_string_lossy().into_owned(), position: None };
    Some(Finding::new(location, Code::Template, Severity::Unresolved, message).help(help))
}

/// Returns an apiVersion that goes of what a template of a chart prints by default on a cluster of the target.
fn old_printed(chart: &Path, file: &Path, around: &Definitions, goal: &Goal<'_>) -> Option<String> {
    let written = disk::read(file).ok()?;
    plan::printed_version(goal, around, data_of(&chart.join(VALUES)).as_ref(), std::str::from_utf8(&written).ok()?)
}

/// Returns the apiVersions in a text, or the actions that print them.
fn versions_in(text: &str) -> Vec<String> {
    let versions = text.lines().filter_map(|line| line.trim_start_matches([' ', '-']).strip_prefix("apiVersion:"));
    // An action can make an object with one.
    let made = text.contains("\"apiVersion\" ").then(|| "{{".to_owned());
    versions.map(|version| version.trim().trim_matches(['"', '\'']).to_owned()).chain(made).collect()
}

/// Returns an apiVersion that goes in the values of a chart as the chart around it sets them under a name, with the file that has it.
fn old_in_values(chart: &Path, around: &Path, name: &str, goal: &Goal<'_>) -> Option<(PathBuf, String)> {
    let mut own = data_of(&chart.join(VALUES)).unwrap_or_else(|| Value::Object(Map::new()));
    let outer = data_of(&around.join(VALUES)).unwrap_or_default();
    let set = outer.get(name).and_then(Value::as_object).into_iter().flatten();
    let set = set.map(|(key, value)| (key.as_str(), value));
    for (key, value) in set.chain(outer.get(GLOBAL).map(|global| (GLOBAL, global))) {
        if let Some(version) = old_in(value, goal) {
            return Some((around.join(VALUES), version));
        }
        chart_overrides::overrides(&mut own, key, value);
    }
    Some((chart.join(VALUES), old_in(&own, goal)?))
}

/// Returns an apiVersion that goes in some values.
fn old_in(values: &Value, goal: &Goal<'_>) -> Option<String> {
    match values {
        Value::String(text) => plan::leaves_version(goal, text).then(|| text.clone()),
        Value::Array(items) => items.iter().find_map(|one| old_in(one, goal)),
        Value::Object(map) => map.values().find_map(|one| old_in(one, goal)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Reports the charts of the run that charts around them print under another name too, with an apiVersion that goes in the values for it.
fn old_aliases<T>(input: &Input<T>, goal: &Goal<'_>) -> Vec<Finding> {
    let own =
        input.charts.iter().filter(|chart| !is_vendored(chart, &input.roots) && input.is_listed(&chart.join(CHART)));
    let found = own.filter_map(|chart| {
        let full = disk::full_path(chart);
        let around = chart_around(chart).or_else(|| chart_around(&full))?;
        let (name, version) = names_in(chart, around).into_iter().skip(1).find_map(|name| {
            let (_, version) = old_in_values(chart, around, &name, goal)?;
            Some((name, version))
        })?;
        let message = format!(
            "a chart around it prints it as {name} too, with {version} in its values, which the target does not serve"
        );
        let help = format!("write another apiVersion under {name} in {}", around.join(VALUES).display());
        let location = Location { file: chart.join(CHART).to_string_lossy().into_owned(), position: None };
        Some(Finding::new(location, Code::Template, Severity::Unresolved, message).help(help))
    });
    found.collect()
}

/// Returns the names of the charts of other places that a chart depends on and that are neither folders nor `archives` in it.
fn missing(chart: &Path, archives: &[String]) -> Vec<String> {
    let own = dependencies(chart).into_iter().filter_map(|one| {
        let text = |key: &str| one.get(key).and_then(Value::as_str);
        let is_local = text("repository").is_some_and(|place| place.starts_with("file:"));
        text("name").filter(|_| !is_local).map(str::to_owned)
    });
    let is_there = |name: &String| {
        archives.iter().any(|archive| archive.strip_prefix(&**name).is_some_and(|rest| rest.starts_with('-')))
            || !disk::is_missing(&chart.join(VENDORED).join(name))
    };
    own.filter(|name| !is_there(name)).collect()
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
pub(super) fn folder_of<T>(file: &str, input: &Input<T>, goal: &Goal<'_>) -> Option<Box<ChartFolder>> {
    let chart = Path::new(file).parent().filter(|_| makes_chart(file))?;
    let is_converted = || goal.targets.iter().flat_map(|target| target.pack.files()).any(|file| file.name == CHART);
    let folder = match is_vendored(chart, &input.roots) {
        true => ChartFolder::Vendored,
        false if is_converted() => ChartFolder::Files(files_beside(chart, input)),
        false => return None,
    };
    Some(Box::new(folder))
}

/// Reads the files in the folder of a chart that its Chart.yaml can be converted with.
fn files_beside<T>(chart: &Path, input: &Input<T>) -> ChartFiles {
    let paths = [REQUIREMENTS, OLD_LOCK, LOCK].map(|name| chart.join(name));
    let there: Vec<&PathBuf> = paths.iter().filter(|path| !disk::is_missing(path)).collect();
    let text = |path: &PathBuf| text_of(path).map(Arc::from);
    let texts: BTreeMap<&PathBuf, Option<Arc<str>>> = there.iter().map(|path| (*path, text(path))).collect();
    let is_below = |root: &PathBuf| chart.starts_with(as_named(root));
    let closed = if input.roots.iter().any(is_below) {
        let visited = if there.is_empty() { BTreeSet::new() } else { visited_in(chart, &input.options) };
        let is_of_run = |path: &PathBuf| {
            let is_listed = input.listed.as_ref().is_none_or(|listed| listed.has(path));
            is_listed && visited.contains(path) && !disk::is_link(path) && texts[path].is_some()
        };
        let left_out = there.iter().find(|path| !is_of_run(path)).and_then(|path| name_of(path));
        left_out
            .map(|name| format!("{name} is not of the run: it is excluded or not listed, a symbolic link or no text"))
    } else {
        Some("pass the folder of the chart as a path, so that files beside it may be written".to_owned())
    };
    let [requirements, old_lock, lock] =
        paths.each_ref().map(|path| texts.get(path).map(|text| text.clone().unwrap_or_default()));
    ChartFiles { sha256, closed, requirements, old_lock, lock }
}

/// Returns the files of any name that a walk of a folder visits.
fn visited_in(folder: &Path, options: &WalkOptions) -> BTreeSet<PathBuf> {
    let options = WalkOptions { every_name: true, ..options.clone() };
    let scan = disk::scan(&[Path::new(".").join(folder)], &options, |_, _| Some(()));
    scan.visited.into_iter().map(|(path, ())| path).collect()
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
    let is_converted = |one: &&SkippedTemplate| {
        one.is_reported && converted.contains(&*one.file) && input.is_listed(Path::new(&one.file))
    };
    let listed = converted.iter().filter(|file| input.is_listed(Path::new(file)));
    let printed = objects.iter().filter(|object| converted.contains(&*object.location.file));
    Counts {
        templates: input.counts.templates - input.templates.iter().filter(is_converted).count(),
        parsed: input.counts.parsed + listed.count(),
        objects: input.counts.objects + printed.count(),
        ..input.counts.clone()
    }
}

/// Returns the names of the definitions whose texts conditions of a template ask for, or actions change or print inside of another text.
fn asked(template: &Template) -> impl Iterator<Item = &str> {
    let conditions = template.actions().iter().filter(|action| action.is_condition());
    let asked = conditions.flat_map(|action| {
        let calls = action.content.of(template.text()).split("(include \"").skip(1);
        calls.filter_map(|call| Some(call.split_once('"')?.0))
    });
    let enclosed = template.actions().iter().filter_map(Action::encloses_text_of);
    asked.chain(template.actions().iter().filter_map(Action::changes_text_of)).chain(enclosed)
}

/// Returns whether a file is walked as a manifest.
fn is_walked(path: &Path) -> bool {
    WalkOptions::default().includes(path)
}

/// Reads what the templates of a chart define, and those of the charts that it depends on and that are folders; returns with that its own
/// templates that are no manifests by their names. What is ignored is neither read nor changed. What `charts` of the run define is planned there.
fn definitions_of(
    chart: &Path,
    charts: &BTreeSet<PathBuf>,
    recognizer: &Recognizer,
    beside: &mut Beside,
) -> (Definitions, Vec<TextFile>) {
    let elsewhere = local_dependencies(chart);
    let all = std::iter::once(chart).chain(elsewhere.iter().map(PathBuf::as_path));
    let folders: Vec<PathBuf> = all.flat_map(|chart| [TEMPLATES, VENDORED].map(|folder| chart.join(folder))).collect();
    let is_of_run = |path: &Path| elsewhere.iter().any(|one| path.starts_with(one) && charts.contains(one));
    let options = every_name();
    let read = |path: &Path, bytes: &[u8]| {
        let is_own = path.starts_with(&folders[0]);
        let is_shown = path.file_name().is_some_and(|name| name == NOTES);
        let is_of_definitions = path.extension().is_some_and(|one| one == DEFINITIONS);
        let counts = |text: &&str| {
            is_of_definitions
                || is_own && !is_walked(path) && !is_shown
                || is_walked(path)
                    && (READ.iter().chain(&MADE).any(|part| text.contains(part))
                        || ENCLOSING.iter().all(|part| text.contains(part)))
        };
        let text = std::str::from_utf8(bytes).ok()?;
        let versions = if path.starts_with(&folders[1]) { versions_in(text) } else { Vec::new() };
        let template = Some(text).filter(counts).and_then(|text| Template::parse(text).ok()).map(Arc::new);
        (template.is_some() || !versions.is_empty()).then_some((template, versions))
    };
    // A chart without the file has no defaults.
    let written = disk::read(&chart.join(VALUES)).unwrap_or_default();
    let mut definitions = Definitions {
        chart: chart.to_string_lossy().into_owned(),
        values: std::str::from_utf8(&written).ok().and_then(values),
        values_text: String::from_utf8_lossy(&written).into_owned(),
        has_triggers: recognizer.mentions_text_of_rules(&written),
        ..Definitions::default()
    };
    let (mut files, mut brought, mut named, mut makes) = (Vec::new(), Defines::default(), Vec::new(), false);
    let (mut reads, mut planned) = (YamlReads::default(), BTreeSet::new());
    for (path, (template, versions)) in disk::scan(&folders, &options, read).visited {
        if !versions.is_empty() {
            beside.brought.insert(path.clone(), versions);
        }
        let Some(template) = template else { continue };
        let text = template.text();
        reads.add(&template);
        definitions.asked.extend(asked(&template).map(str::to_owned));
        definitions.has_triggers |= text.contains("define") && recognizer.mentions_text_of_rules(text.as_bytes());
        if path.starts_with(&folders[0]) {
            named.extend(template::files_read(&template));
            makes |= MADE.iter().any(|made| text.contains(made));
            definitions.calling.push(Arc::clone(&template));
            add(&template, &mut definitions);
            definitions.changes.add(&template);
            files.extend(path.to_str().filter(|_| !is_walked(&path)).map(|path| (path.to_owned(), text.into())));
        } else {
            if is_of_run(&path) {
                planned.extend(template.parts().filter_map(|part| part.name().map(str::to_owned)));
            }
            brought.add(&template);
        }
    }
    if !makes {
        definitions.calling.clear();
    }
    definitions.asked.extend(reads.among(&definitions.own, &definitions.values_text));
    definitions.replacing = definitions.own.iter().filter(|name| brought.has(name)).cloned().collect();
    definitions.all.add_brought(brought);
    definitions.own.append(&mut planned);
    if !named.is_empty() {
        let read = |path: &Path, bytes: &[u8]| {
            let is_elsewhere = is_walked(path) || folders.iter().any(|folder| path.starts_with(folder));
            let place = path.strip_prefix(chart).ok().and_then(Path::to_str);
            let is_prose = path.extension().is_some_and(|one| one == PROSE);
            let can_name = |start: &String, place: &str| place.starts_with(start) && (!is_prose || !start.is_empty());
            let is_named = place.is_some_and(|place| named.iter().any(|start| can_name(start, place)));
            let is_one = is_named && !is_elsewhere && recognizer.mentions_group(bytes);
            std::str::from_utf8(bytes).ok().filter(|_| is_one).map(Arc::from)
        };
        let folder = if chart.as_os_str().is_empty() { Path::new(".") } else { chart };
        let found = disk::scan(&[folder.to_owned()], &options, read).visited;
        beside.texts.extend(found.into_iter().filter_map(|(path, text)| Some((path.to_str()?.to_owned(), text))));
    }
    (definitions, files)
}

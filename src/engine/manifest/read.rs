//! Answers: what becomes of the bytes of one file?
//!
//! Invariant: a file is irrelevant only if its bytes contain neither a known API group nor a trigger.

use std::sync::Arc;

use memchr::memmem;
use serde_json::Value;

use super::embedded::Embedded;
use super::ignore_comment::Ignores;
use super::inline::TextWithObjects;
use super::kustomization::{self, Kustomization};
use super::manifest::Manifest;
use super::object::{Document, Object, is_bare, is_list, take as take_objects};
use super::problem::{failure, not_utf8, template_finding};
use super::recognizer::Recognizer;
use super::values::is_values_file;
use super::{applied, carried_values, configuration, embedded, ignores, inline, json6902, replacement};
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::knowledge::carrier::Carried;
use crate::knowledge::release::ApiVersion;
use crate::syntax::field::{Entries, FieldPath};
use crate::syntax::template::{Action, Part, Template};
use crate::syntax::text::{LineIndex, Span};
use crate::syntax::yaml::{self, Problem, ProblemCode, Tree};

/// What became of a file.
#[derive(Debug)]
pub enum Reading {
    /// It mentions no known API group: not parsed, or not parseable, and left unchanged.
    Irrelevant,
    /// It was parsed; it may still hold no object.
    Manifest(Box<Manifest>),
    /// It mentions no known API group, but it is a kustomization: it is parsed for the files that it names.
    Kustomization(Box<Manifest>),
    /// It mentions no known API group, but a trigger of a pack: its content may be relevant to known objects.
    Triggered(Box<Manifest>),
    /// It is a template, not a manifest.
    Template(Finding),
    /// It could not be understood.
    Failed(Finding),
}

/// Reads the bytes of `file`.
pub fn read(file: &str, bytes: &[u8], recognizer: &Recognizer) -> Reading {
    read_if(file, bytes, recognizer, false)
}

/// Reads a text of `file` in which an action prints an apiVersion: it may be one of a known API group.
pub(crate) fn read_open(file: &str, text: &str, recognizer: &Recognizer) -> Reading {
    read_if(file, text.as_bytes(), recognizer, true)
}

/// How a template that names no known API group can print known objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenTemplate {
    /// An action prints an apiVersion, or a part of it, and the kind can be a known one; it has a text that rules look for in other kinds; or
    /// nothing is in it but calls of definitions.
    ByItself,
    /// It has a kind of another group that rules are about: the values of the chart can have a text that they look for.
    WithValues,
}

/// Returns how a file that names no known API group can print known objects, if it is a template, by its folder.
pub(crate) fn open_template(file: &str, bytes: &[u8], recognizer: &Recognizer) -> Option<OpenTemplate> {
    let is_kind = |kind: &str| {
        let end = kind.find(|one: char| !one.is_ascii_alphanumeric()).unwrap_or(kind.len());
        kind.starts_with("{{") || recognizer.is_known_kind(None, &kind[..end])
    };
    let prints_all = |text: &str| {
        let calls = |line: &str| ["include", "template"].iter().any(|call| line.contains(call));
        let is_part = |line: &str| line.contains("indent") && !line.contains("indent 0");
        let can_print = |line: &str| line.starts_with("{{") && calls(line) && !is_part(line);
        let prints = |action: &Action| action.prints_whole().is_some();
        let is_one = |part: Part<'_>| part.name().is_none() && part.has_document_of(prints);
        let is_called =
            text.lines().map(str::trim).any(can_print) || rests(text, "kind").next().is_none() && calls(text);
        is_called && Template::parse(text).is_ok_and(|template| template.parts().any(is_one))
    };
    let text = is_in_templates(file).then(|| std::str::from_utf8(bytes).ok()).flatten()?;
    // Without an action, it prints what it is.
    memmem::find(bytes, b"{{")?;
    let is_foreign = recognizer.mentions_foreign_kind(text);
    let has_open_version = || rests(text, "apiVersion").any(|version| version.contains("{{") || version.contains('%'));
    // An action can make the object, its kind can be from values.
    let is_made = || {
        let mut kinds = text.split("\"kind\" ").skip(1).map(|kind| kind.trim_start_matches('"')).peekable();
        text.contains("\"apiVersion\" ") && (kinds.peek().is_none() || kinds.any(is_kind))
    };
    let is_open = || has_open_version() && rests(text, "kind").any(is_kind) || is_made();
    let has_open_kind = || rests(text, "kind").any(|kind| kind.starts_with("{{"));
    if (is_foreign || has_open_kind()) && recognizer.mentions_text_of_rules(bytes) || is_open() || prints_all(text) {
        return Some(OpenTemplate::ByItself);
    }
    is_foreign.then_some(OpenTemplate::WithValues)
}

/// Returns what the lines go on with from where the value of `key` begins, in any style: the value can be in quotes, on the next line or a block
/// scalar.
pub(crate) fn rests<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    let mut left = text;
    std::iter::from_fn(move || {
        loop {
            left = &left[memmem::find(left.as_bytes(), key.as_bytes())? + key.len()..];
            let Some(value) = left.trim_start_matches(['"', '\'']).trim_start_matches(' ').strip_prefix(':') else {
                continue;
            };
            let value = value.trim_start_matches([' ', '>', '|', '-', '\r', '\n', '"', '\'']);
            left = value;
            return value.lines().next();
        }
    })
}

/// Returns the values of `key` where it begins a line or an item, without quotes: not what a comment says.
pub(crate) fn values_on_lines<'t>(text: &'t str, key: &'t str) -> impl Iterator<Item = &'t str> {
    memmem::find_iter(text.as_bytes(), key).filter_map(move |at| {
        let start = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
        let value = text[at + key.len()..].strip_prefix(':')?.lines().next().unwrap_or_default();
        let is_first = text[start..at].trim_start_matches([' ', '-']).is_empty();
        is_first.then(|| value.trim().trim_matches(['"', '\'']))
    })
}

fn is_in_templates(file: &str) -> bool {
    file.contains("templates") && file.split(['/', '\\']).any(|folder| folder == "templates")
}

/// Reads the bytes of `file`, whatever they mention if it `is_open`.
fn read_if(file: &str, bytes: &[u8], recognizer: &Recognizer, is_open: bool) -> Reading {
    if let Some(reading) = foreign_encoding(file, bytes, recognizer) {
        return reading;
    }
    let is_kustomization = kustomization::is_one(file);
    let is_declared = recognizer.chart_of(file).is_some() || recognizer.kind_of_file(file).is_some();
    if !is_open && !is_kustomization && !is_declared && !recognizer.mentions_any(bytes) {
        return Reading::Irrelevant;
    }
    let hit = is_open || recognizer.mentions_group(bytes);
    let is_relevant = hit || is_declared || recognizer.mentions_chart(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Arc::from(text),
        Err(_) if !is_relevant => return Reading::Irrelevant,
        Err(error) => return Reading::Failed(not_utf8(file, bytes, error.valid_up_to())),
    };
    let lines = LineIndex::new(&text);
    let location = |at| Location { file: file.to_owned(), position: Some(lines.position(&text, at)) };
    let tree = match yaml::parse(&text) {
        Ok(tree) => tree,
        Err(_) if !is_relevant => return Reading::Irrelevant,
        Err(problem) if problem.code != ProblemCode::Limit && has_actions(&text) => {
            return unread_template(&text, recognizer, location(problem.at));
        }
        Err(problem) => return Reading::Failed(failure(location(problem.at), &problem)),
    };
    // A kustomization is followed in any case: what it names would be read without it.
    if let Some(at) = ytt_comment(&tree, &text).filter(|_| is_relevant && !is_kustomization) {
        return Reading::Template(template_finding(location(at)));
    }
    let mut manifest = empty(file, text, tree, lines);
    match collect(&mut manifest, recognizer, is_open) {
        Ok(()) if hit => Reading::Manifest(Box::new(manifest)),
        Ok(()) if is_kustomization => Reading::Kustomization(Box::new(manifest)),
        Ok(()) => Reading::Triggered(Box::new(manifest)),
        Err(_) if !is_relevant => Reading::Irrelevant,
        Err(problem) if has_actions(&manifest.text) => {
            unread_template(&manifest.text, recognizer, manifest.location(problem.at))
        }
        Err(problem) => Reading::Failed(failure(manifest.location(problem.at), &problem)),
    }
}

/// Reads the text that a manifest was made of once more: what it mentions and that it can be read is known.
pub(crate) fn reread(file: &str, text: Arc<str>, recognizer: &Recognizer) -> Manifest {
    let (lines, tree) = (LineIndex::new(&text), yaml::parse(&text).expect("it was parsed before"));
    let mut manifest = empty(file, text, tree, lines);
    collect(&mut manifest, recognizer, false).expect("it was read before");
    manifest
}

/// Makes the manifest of a text before anything is found in it.
fn empty(file: &str, text: Arc<str>, tree: Tree, lines: LineIndex) -> Manifest {
    Manifest {
        file: file.to_owned(),
        text,
        tree,
        objects: Vec::new(),
        inline_patches: Vec::new(),
        data_patches: Vec::new(),
        patches: Vec::new(),
        kustomization: None,
        transformer: None,
        applied: Vec::new(),
        repositories: Vec::new(),
        ignores: Ignores::default(),
        embedded: Vec::new(),
        merged: Vec::new(),
        is_judged: false,
        findings: Vec::new(),
        document_warnings: Vec::new(),
        unparsed: Vec::new(),
        lines,
    }
}

/// Returns whether a text has actions of Helm or Go, or statements of Jinja.
fn has_actions(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

/// Finds a comment in which ytt has code: to YAML, the value that it computes is null, and the block that it decides about is there.
fn ytt_comment(tree: &Tree, text: &str) -> Option<usize> {
    let is_code = |comment: &&Span| {
        let code = comment.of(text).strip_prefix("#@");
        code.is_some_and(|code| {
            code.starts_with(' ') || code.split_once('/').is_some_and(|(module, _)| YTT.contains(&module))
        })
    };
    tree.comments().iter().find(is_code).map(|comment| comment.start)
}

/// The modules of ytt that annotate YAML.
const YTT: [&str; 4] = ["data", "overlay", "schema", "yaml"];

/// Reports a template that cannot be read, where it shows the apiVersion of known objects, or values of a known chart. A group can stand in a
/// text too.
fn unread_template(text: &str, recognizer: &Recognizer, location: Location) -> Reading {
    let is_named =
        |line: &str| line.find("apiVersion").is_some_and(|at| recognizer.mentions_group(&line.as_bytes()[at..]));
    let is_of_chart = || recognizer.chart_of(&location.file).is_some() || recognizer.mentions_chart(text.as_bytes());
    // Lines of conditions can part the apiVersion of what a chart prints from its key.
    let is_of_templates = || is_in_templates(&location.file) && recognizer.mentions_group(text.as_bytes());
    // What is of Jinja alone can be a broken manifest as well.
    match !text.contains("{{") || text.lines().any(is_named) || is_of_chart() || is_of_templates() {
        true => Reading::Template(template_finding(location)),
        false => Reading::Irrelevant,
    }
}

/// Reports UTF-16 and UTF-32, whose bytes would hide an API group from the recognizer.
fn foreign_encoding(file: &str, bytes: &[u8], recognizer: &Recognizer) -> Option<Reading> {
    let encoding = wide_encoding(bytes)?;
    let narrowed: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    if !recognizer.mentions_group(&narrowed) {
        return Some(Reading::Irrelevant);
    }
    let message = format!("the file is {encoding}, not UTF-8");
    let help = format!("convert the file with `iconv -f {encoding} -t UTF-8`");
    let location = Location { file: file.to_owned(), position: None };
    Some(Reading::Failed(Finding::new(location, Code::InvalidEncoding, Severity::Error, message).help(help)))
}

/// Returns the encoding with more than one byte for each character that a text is in, by its byte order mark or its first
/// two characters, which are ASCII in any manifest.
fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [1..=255, 0, 0, 0, ..] => Some("UTF-32LE"),
        [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, 1..=255, ..] => Some("UTF-32BE"),
        [0xff, 0xfe, ..] | [1..=255, 0, 1..=255, 0, ..] => Some("UTF-16LE"),
        [0xfe, 0xff, ..] | [0, 1..=255, 0, 1..=255, ..] => Some("UTF-16BE"),
        _ => None,
    }
}

/// Reads every document that holds an object. A document that cannot be read as data fails the file where it may hold
/// an object of a known group or values of a chart, and is left unchanged otherwise. Of an open text, none is left out.
fn collect(manifest: &mut Manifest, recognizer: &Recognizer, is_open: bool) -> Result<(), Problem> {
    // Such a file is known by its name; of another one, only documents that mention something known are read.
    let is_known_by_name = kustomization::is_one(&manifest.file) || recognizer.chart_of(&manifest.file).is_some();
    let mut embedded = Vec::new();
    let documents = manifest.tree.documents().to_vec();
    // The file was read for what it mentions.
    let are_all_read = is_open || is_known_by_name || documents.len() == 1;
    for (number, document) in documents.into_iter().enumerate() {
        manifest.document_warnings.extend(other_version(manifest, document.span));
        let bytes = document.span.of(&manifest.text).as_bytes();
        if !are_all_read && manifest.tree.is_mapping(document.root) && !recognizer.mentions_any(bytes) {
            manifest.unparsed.push(number);
            continue;
        }
        match manifest.data(document.root, recognizer) {
            Ok(value) => embedded.extend(take_document(manifest, number, value, recognizer)),
            // What a kustomization does that cannot be read is not known.
            Err(_)
                if !(is_known_by_name || recognizer.is_relevant(bytes) || is_open && is_foreign(bytes, recognizer)) =>
            {
                manifest.unparsed.push(number)
            }
            Err(problem) => return Err(problem),
        }
    }
    let Manifest { tree, text, objects, .. } = manifest;
    objects.iter_mut().filter(|object| object.inline_patch.is_none()).for_each(|object| object.take_name(tree, text));
    manifest.embedded = embedded;
    manifest.ignores = ignores::find(manifest);
    Ok(())
}

/// Returns whether a text can hold an object of another group that rules are about, with a text that they look for.
fn is_foreign(bytes: &[u8], recognizer: &Recognizer) -> bool {
    recognizer.mentions_trigger(bytes)
        && std::str::from_utf8(bytes).is_ok_and(|text| recognizer.mentions_foreign_kind(text))
}

/// Recognizes a document by its shape.
fn document_of(value: &Value) -> Document {
    if json6902::is_one(value) {
        Document::JsonPatch
    } else if replacement::is_one(value) {
        Document::Replacements
    } else if configuration::is_one(value) {
        Document::Configuration
    } else {
        Document::Object
    }
}

/// Takes in what a document says to Kustomize, its objects, and what it carries; returns the known objects inside other data of it.
fn take_document(manifest: &mut Manifest, number: usize, value: Value, recognizer: &Recognizer) -> Vec<Embedded> {
    let (document, is_kustomization) = (document_of(&value), kustomization::is_one(&manifest.file));
    let has_group = mentions_group(manifest, number, recognizer);
    let mut is_reported = document == Document::JsonPatch;
    match document {
        _ if is_kustomization => {
            manifest.patches.extend(kustomization::patches(&manifest.file, &value));
            // Documents without content do not count.
            if value.is_object() || manifest.kustomization.is_none() {
                manifest.kustomization = Some(Arc::new(Kustomization::read(&manifest.file, &value)));
            }
        }
        // What it means for objects shows once all files are read.
        Document::JsonPatch | Document::Replacements => {}
        _ if value.text("apiVersion") == Some("builtin") => {
            manifest.patches.extend(kustomization::patches(&manifest.file, &value));
            manifest.transformer = Some(Arc::new(Kustomization::of_transformer(&value)));
        }
        _ if has_group => {
            let incomplete = incomplete(manifest, number, &value, recognizer);
            is_reported = incomplete.is_some();
            let place = |path: &FieldPath| manifest.place_in(number, path);
            let mut findings: Vec<Finding> = incomplete.into_iter().collect();
            findings.extend(configuration::findings(&value, recognizer, &place));
            findings.extend(kustomization::misnamed(&manifest.file, &value, &place));
            manifest.findings.extend(findings);
        }
        _ => {}
    }
    if is_bare(&value) && !is_kustomization && document == Document::Object {
        let values: Vec<Object> = match recognizer.chart_of(&manifest.file) {
            Some(chart) => vec![chart.object(number, FieldPath::default(), &value)],
            None => {
                let charts = recognizer.charts().iter();
                charts.flat_map(|chart| chart.objects(&manifest.file, number, &value)).collect()
            }
        };
        manifest.objects.extend(values);
    }
    let carried = recognizer.carriers().in_document(&manifest.file, &value);
    manifest.applied.extend(applied::folders(&carried));
    manifest.repositories.extend(applied::repositories(&carried));
    manifest.data_patches.extend(inline::components(number, &carried));
    let patches = inline::patches(&value, &carried, recognizer);
    let values = carried_values::find(number, &value, &carried, recognizer);
    let (mut embedded, mut texts) = (Vec::new(), Vec::new());
    if !is_reported && has_group {
        let text = manifest.tree.documents()[number].span.of(&manifest.text);
        embedded = embedded::find(number, text, &value, recognizer);
        embedded.retain(|inner| !patches.iter().any(|patch| inner.path.starts_with(&patch.path)));
        carried_values::sort_out(&mut embedded, &carried, &values);
        (embedded, texts) = take_created(manifest, &value, &carried, embedded);
    }
    match document {
        Document::JsonPatch | Document::Replacements => manifest.objects.push(Object::unnamed(document, number, value)),
        // Kustomize fills in apiVersion and kind.
        _ if is_kustomization && ["apiVersion", "kind"].iter().any(|key| value.entry(key).is_none()) => {
            manifest.objects.push(Object::kustomization(number, value));
        }
        Document::Configuration if !is_kustomization => manifest.objects.push(Object::unnamed(document, number, value)),
        _ => {
            let by_carrier = carried.iter().find_map(Carried::kind_of_file).cloned();
            let by_name = match (recognizer.kind_of_file(&manifest.file), by_carrier) {
                (Some(kind), _) => Object::of_file(kind, number, value),
                (None, Some(kind)) => Ok(Object::of_carrier(kind, number, value)),
                (None, None) => Err(value),
            };
            match by_name {
                Ok(object) => manifest.objects.push(object),
                Err(value) => take_objects(number, FieldPath::default(), value, &mut manifest.objects),
            }
        }
    }
    patches.into_iter().for_each(|patch| patch.take(manifest, number));
    values.into_iter().for_each(|values| values.take(manifest, number));
    texts.into_iter().for_each(|text| text.take(manifest, number));
    embedded
}

/// Takes in those of the objects `inside` other data of a document that it has created; returns the others, and the texts with such objects.
fn take_created(
    manifest: &mut Manifest,
    document: &Value,
    carried: &[Carried<'_>],
    inside: Vec<Embedded>,
) -> (Vec<Embedded>, Vec<TextWithObjects>) {
    let is_values = is_bare(document) && is_values_file(&manifest.file);
    let created = embedded::created(carried, is_values);
    let (mut others, mut texts) = (Vec::new(), Vec::new());
    for one in inside {
        if !created.iter().any(|created| created.has(&one.path)) {
            others.push(one);
        } else if let Some(text) = one.path.text(document) {
            match TextWithObjects::created(one.path.clone(), text) {
                Some(text) => texts.push(text),
                None => others.push(one),
            }
        } else {
            manifest.objects.extend(one.created(document));
        }
    }
    (others, texts)
}

/// Returns whether a document mentions a known API group, other than in one of its comments.
fn mentions_group(manifest: &Manifest, number: usize, recognizer: &Recognizer) -> bool {
    let document = manifest.tree.documents()[number].span;
    let comments = manifest.tree.comments_in(document);
    let starts = std::iter::once(document.start).chain(comments.iter().map(|comment| comment.end));
    let ends = comments.iter().map(|comment| comment.start).chain([document.end]);
    let text = manifest.text.as_bytes();
    starts.zip(ends).any(|(start, end)| start < end && recognizer.mentions_group(&text[start..end]))
}

/// Reports a `%YAML` line with another version than the one that Kubernetes reads.
fn other_version(manifest: &Manifest, document: Span) -> Option<Finding> {
    let mut at = document.start;
    for line in document.of(&manifest.text).split_inclusive('\n') {
        let content = line.trim_start_matches('\u{feff}');
        if !content.starts_with(['%', '#']) && !content.trim().is_empty() {
            return None;
        }
        if content.starts_with("%YAML ") && content.split_whitespace().nth(1) != Some("1.1") {
            let location = manifest.location(at + line.len() - content.len());
            let message = "Kubernetes rejects a document that declares a YAML version other than 1.1";
            let finding = Finding::new(location, Code::ParseError, Severity::Warning, message);
            return Some(finding.help("remove the %YAML line"));
        }
        at += line.len();
    }
    None
}

/// Returns whether `group` is known by its name.
fn is_known(group: &str, recognizer: &Recognizer) -> bool {
    !group.is_empty() && recognizer.is_known_group(group)
}

/// Reports a known API group in a document that resembles an object and is none.
fn incomplete(manifest: &Manifest, document: usize, value: &Value, recognizer: &Recognizer) -> Option<Finding> {
    // A version alone is no sign of the core group where there is no kind: charts have one too.
    let is_named = |value: &Value| match value.text("apiVersion") {
        Some(version) => is_known(&ApiVersion::parse(version).group, recognizer),
        None => {
            recognizer.mentions_dotted_group(manifest.tree.documents()[document].span.of(&manifest.text).as_bytes())
        }
    };
    let half = |value: &Value| {
        let has = |key: &str| value.entry(key).is_some();
        value.is_object() && has("apiVersion") != has("kind") && is_named(value)
    };
    let incomplete = match value {
        Value::Array(items) => items
            .iter()
            .any(|item| item.get("apiVersion").is_some())
            .then_some("put the objects of the bare list into a `kind: List`"),
        Value::Object(map) if ["apiVersion", "kind"].iter().all(|key| map.text(key).is_some()) => {
            let items = map.items("items").iter();
            let typed = is_list(value) && map["kind"] != "List" && items.clone().any(|item| item.get("kind").is_none());
            typed.then_some("the items of the typed list have no apiVersion and kind: write a `kind: List` and set both in each item")
        }
        Value::Object(map) if ["apiVersion", "kind"].iter().all(|key| map.entry(key).is_some()) || half(value) => {
            Some("set both apiVersion and kind, as strings")
        }
        Value::String(_) if is_named(value) => Some("the document is a single string, not an object"),
        _ => None,
    };
    let help = incomplete?;
    let location = manifest.place_in(document, &FieldPath::default());
    let message = "the document mentions a known API but is not an object; it is not converted";
    Some(Finding::new(location, Code::NotAnObject, Severity::Warning, message).help(help))
}

//! Answers: how are the conversions of a file's objects made in its text, and checked?
//!
//! `edit` performs the objects' changes on the documents that hold them, joins the edits of the file and verifies the result
//! by double entry: the edited text must read back as the converted data, with every other document and comment as before. An
//! inline patch is edited and verified as a text of its own first; then its edits are made in the file, which must hold its new
//! text.
//!
//! Invariant: a file plan that is returned has been verified; an object whose text cannot be changed exactly is rejected.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::schema_comments::{self, SchemaComment};
use crate::convert::Conversion;
use crate::field::FieldPath;
use crate::finding::{Code, Finding, FindingObject, Location, Severity};
use crate::manifest::{InlinePatch, Manifest, Object, SourceText, problem_code, sops};
use crate::text::{Edit, EditSet, Span};
use crate::yaml::{self, FrontEnd, Intent, Literal, Problem, ProblemCode, Rewrite, Style, TextFormat, read_value};

/// One file that changes.
#[derive(Clone, Debug)]
pub struct FilePlan {
    /// The file as the user named it.
    pub file: String,
    /// Its text.
    pub before: Arc<str>,
    /// The edits that lead to its new text.
    pub edits: EditSet,
}

impl FilePlan {
    /// Returns the file's new text.
    pub fn after(&self) -> String {
        self.edits.apply(&self.before)
    }
}

/// A file's edits and what there is to report about them.
pub(crate) struct Edited {
    pub(crate) file: FilePlan,
    pub(crate) findings: Vec<Finding>,
}

/// Objects, by their position in the manifest, whose text cannot be changed.
pub(crate) type Rejected = Vec<(usize, Finding)>;

/// The edits of the text of a manifest, or of an inline patch in it.
struct Changed {
    edits: EditSet,
    findings: Vec<Finding>,
}

/// An inset that changes.
struct Within<'m> {
    inline_patch: &'m InlinePatch,
    /// Its objects that change.
    objects: Vec<usize>,
    /// Its text afterwards.
    text: String,
    /// Its edits, in the text of the file; none where the file gets its new text as a value.
    edits: Option<EditSet>,
}

impl Within<'_> {
    /// Returns the change of the file's document that gives it the new text as a value.
    fn replacement(&self, document: usize) -> Option<Vec<Intent>> {
        let is_in = self.edits.is_none() && self.inline_patch.document == document;
        let (path, value) = (self.inline_patch.place.clone(), Value::from(self.text.as_str()));
        is_in.then(|| vec![Intent::Replace { path, value }])
    }
}

/// The objects that change in one text, by their document in it.
type ByDocument = BTreeMap<usize, Vec<usize>>;

/// Turns the changes of a manifest's objects into edits, which `front_end` verifies; `None` where nothing changes.
/// `schema_forms` are the ends of the URLs of schemas that packs know. What is written
/// anew has the style of its document, of the other documents of the file, or `neighbors`, whichever shows one first.
pub(crate) fn edit(
    manifest: &Manifest,
    conversions: &[Option<Conversion>],
    neighbors: Style,
    (front_end, schema_forms): (FrontEnd, &[&str]),
) -> Result<Option<Edited>, Rejected> {
    let mut by_text: BTreeMap<Option<usize>, ByDocument> = BTreeMap::new();
    for (object, at) in manifest.objects.iter().zip(0..) {
        if conversions[at].as_ref().is_some_and(|conversion| !conversion.program.is_empty()) {
            by_text.entry(object.inline_patch).or_default().entry(object.document).or_default().push(at);
        }
    }
    if by_text.is_empty() {
        return Ok(None);
    }
    let sealed = sops::Encrypted::of(manifest);
    let changing = by_text.values().flat_map(BTreeMap::values).flatten();
    let in_sealed = changing.filter(|at| sealed.has(manifest, &manifest.objects[**at]));
    let in_sealed: Rejected = in_sealed.map(|at| (*at, encrypted(manifest, &manifest.objects[*at], &sealed))).collect();
    if !in_sealed.is_empty() {
        return Err(in_sealed);
    }
    let own = by_text.remove(&None).unwrap_or_default();
    // A document that is all of its file is its own style.
    let is_alone = manifest.tree.documents().len() == 1 && by_text.is_empty();
    let style = if is_alone { neighbors } else { manifest.style().or(neighbors) };
    let (mut within, mut findings, mut rejected) = (Vec::new(), Vec::new(), Rejected::new());
    for (number, objects) in by_text.iter().filter_map(|(number, objects)| Some((number.as_ref()?, objects))) {
        let inline_patch = &manifest.inline_patches[*number];
        let source = manifest.source_text(Some(*number));
        if inline_patch.literal.is_none() && !inline_patch.is_on_one_line {
            rejected.extend(objects.values().flatten().map(|at| (*at, unwritable(source, &manifest.objects[*at]))));
            continue;
        }
        let style = Style::of(source.text(), source.tree()).or(style);
        match change(manifest, (source, style, front_end, schema_forms), objects, &[], conversions) {
            Ok(changed) => {
                let outward = |literal: &Literal| literal.outward(&changed.edits);
                let (text, edits) =
                    (changed.edits.apply(&inline_patch.text), inline_patch.literal.as_ref().map(outward));
                within.push(Within {
                    inline_patch,
                    objects: objects.values().flatten().copied().collect(),
                    text,
                    edits,
                });
                findings.extend(changed.findings);
            }
            Err(more) => rejected.extend(more),
        }
    }
    match change(manifest, (manifest.source_text(None), style, front_end, schema_forms), &own, &within, conversions) {
        Ok(changed) if rejected.is_empty() => {
            findings.extend(changed.findings);
            findings.extend(manifest.document_warnings());
            let (file, before) = (manifest.file.clone(), Arc::clone(&manifest.text));
            Ok(Some(Edited { file: FilePlan { file, before, edits: changed.edits }, findings }))
        }
        Ok(_) => Err(rejected),
        Err(more) => Err(rejected.into_iter().chain(more).collect()),
    }
}

/// Changes the objects of one text, and the inline patches `within` it.
fn change(
    manifest: &Manifest,
    (source, style, front_end, schema_forms): (SourceText<'_>, Style, FrontEnd, &[&str]),
    by_document: &ByDocument,
    within: &[Within<'_>],
    conversions: &[Option<Conversion>],
) -> Result<Changed, Rejected> {
    let mut joined = Joined::default();
    let mut rejected = Rejected::new();
    let replaced = within.iter().filter(|within| within.edits.is_none()).map(|within| within.inline_patch.document);
    for document in by_document.keys().copied().chain(replaced).collect::<BTreeSet<usize>>() {
        let objects = by_document.get(&document).map_or(&[][..], Vec::as_slice);
        match edit_document(manifest, source, document, (objects, within), conversions, style) {
            Ok(done) => {
                let object = match objects {
                    [at] => Some(source.finding_object(&manifest.objects[*at])),
                    _ => None,
                };
                joined.add(source, document, (done, object));
            }
            Err(more) => rejected.extend(more),
        }
    }
    if !rejected.is_empty() {
        return Err(rejected);
    }
    joined.edits.extend(within.iter().filter_map(|within| within.edits.as_ref()).flat_map(EditSet::edits).cloned());
    let inner = || within.iter().flat_map(|within| &within.objects);
    let reject = |at: &usize, problem: &Problem| (*at, rejection(source, &manifest.objects[*at], 0, problem));
    let edits = EditSet::new(joined.edits).map_err(|overlap| {
        let message = "the text around this inline patch changes too";
        let problem = Problem::new(ProblemCode::WrongShape, overlap.at, message);
        inner().map(|at| reject(at, &problem)).collect::<Rejected>()
    })?;
    let comments = schema_comments_of(manifest, source, (conversions, by_document), &edits, schema_forms);
    joined.findings.extend(comments.unknown);
    let comments = comments.following;
    let edits = edits.edits().iter().chain(comments.iter().map(|comment| &comment.edit)).cloned().collect();
    let edits = EditSet::new(edits).expect("no edit overlaps the comments");
    let after = edits.apply(source.text());
    let mut expected = expected(manifest, source, conversions, by_document, (within, &comments));
    let (old_comments, new_comments): (Vec<_>, Vec<_>) =
        comments.into_iter().map(|comment| (comment.before, comment.after)).unzip();
    let removed = [joined.removed, old_comments].concat();
    let added = [joined.added, new_comments].concat();
    let writes_text =
        |at: &usize| program(&manifest.objects[*at], conversions[*at].as_ref()).iter().any(Intent::writes_text);
    let with_text = by_document.iter().filter(|(_, objects)| objects.iter().any(writes_text));
    adopt_texts(&after, with_text.map(|(document, _)| *document), &mut expected);
    match yaml::verify((source.text(), source.tree()), &after, &expected, (&removed, &added), front_end) {
        Ok(()) => Ok(Changed { edits, findings: joined.findings }),
        Err(problem) => Err(by_document.values().flatten().chain(inner()).map(|at| reject(at, &problem)).collect()),
    }
}

/// The comments that name schemas of the objects that change.
#[derive(Default)]
struct OfSchemas {
    following: Vec<SchemaComment>,
    /// What is reported of the others.
    unknown: Vec<Finding>,
}

/// Finds the comments that name the schemas of the objects that change; not those that `edits` remove or move.
fn schema_comments_of(
    manifest: &Manifest,
    source: SourceText<'_>,
    (conversions, changed): (&[Option<Conversion>], &ByDocument),
    edits: &EditSet,
    forms: &[&str],
) -> OfSchemas {
    let mut all = OfSchemas::default();
    for at in changed.values().flatten() {
        let (object, Some(conversion)) = (&manifest.objects[*at], &conversions[*at]) else { continue };
        let found = schema_comments::find(source, object, conversion, forms);
        all.following.extend(found.following.into_iter().filter(|comment| is_apart(comment.span, edits.edits())));
        let unknown = found.unknown.into_iter().filter(|(comment, _)| is_apart(*comment, edits.edits()));
        all.unknown.extend(unknown.map(|(comment, url)| Finding {
            location: source.location(comment.start),
            code: Code::ReferenceNotUpdated,
            severity: Severity::Note,
            object: Some(source.finding_object(object)),
            field: None,
            message: format!(
                "the comment names a schema of {} {}, and stays: {url}",
                object.api_version, object.kind.kind
            ),
            help: Some("write the URL of the new schema there, if there is one".to_owned()),
        }));
    }
    all
}

/// The documents' edits, put together for their text.
#[derive(Default)]
struct Joined {
    edits: Vec<Edit>,
    /// The comments that are no comments any more.
    removed: Vec<String>,
    /// The comments that were part of a text.
    added: Vec<String>,
    findings: Vec<Finding>,
}

impl Joined {
    fn add(&mut self, source: SourceText<'_>, document: usize, (done, object): (Rewrite, Option<FindingObject>)) {
        let span = source.tree().documents()[document].span;
        let edits = done.edits.shifted(span.start);
        let mut comments = edited_comments(source, span, edits.edits());
        let mut removed = Vec::new();
        for comment in &done.removed_comments {
            let found = comments.iter().position(|place| place.of(source.text()) == comment);
            removed.push((source.location(found.map_or(span.start, |found| comments.remove(found).start)), comment));
        }
        removed.sort();
        let line = |(location, _): &(Location, &String)| location.position.map(|position| position.line);
        let is_block = |above: &(_, _), below: &(_, _)| line(above).map(|line| line + 1) == line(below);
        self.findings.extend(removed.chunk_by(is_block).map(|block| dropped_comments(block, object.clone())));
        self.edits.extend(edits.edits().iter().cloned());
        self.removed.extend(done.removed_comments);
        self.removed.extend(done.comments_into_text);
        self.added.extend(done.comments_out_of_text);
    }
}

/// Changes the objects of one document and the inline patches in it that get a new text as a value, or reports every one whose text
/// cannot be changed.
fn edit_document(
    manifest: &Manifest,
    source: SourceText<'_>,
    document: usize,
    (objects, within): (&[usize], &[Within<'_>]),
    conversions: &[Option<Conversion>],
    style: Style,
) -> Result<Rewrite, Rejected> {
    let span = source.tree().documents()[document].span;
    let mut objects = objects.to_vec();
    let mut rejected = Rejected::new();
    let replacements: Vec<_> =
        within.iter().filter_map(|within| Some((within, within.replacement(document)?))).collect();
    loop {
        let mut programs: Vec<_> =
            objects.iter().map(|at| program(&manifest.objects[*at], conversions[*at].as_ref())).collect();
        programs.extend(replacements.iter().map(|(_, intents)| intents.clone()));
        match yaml::rewrite(span.of(source.text()), &programs, style) {
            Ok(done) if rejected.is_empty() => return Ok(done),
            Ok(_) => return Err(rejected),
            Err(yaml::Refusal { program, problem }) if program >= objects.len() => {
                let inner = &replacements[program - objects.len()].0.objects;
                let reject = |at: &usize| (*at, rejection(source, &manifest.objects[*at], span.start, &problem));
                return Err(rejected.into_iter().chain(inner.iter().map(reject)).collect());
            }
            Err(yaml::Refusal { program, problem }) => {
                let at = objects.remove(program);
                rejected.push((at, rejection(source, &manifest.objects[at], span.start, &problem)));
                // A document that cannot be edited at all is rejected whatever the change.
                if objects.is_empty() && replacements.is_empty() {
                    return Err(rejected);
                }
            }
        }
    }
}

/// Returns an object's changes with paths from its document.
fn program(object: &Object, conversion: Option<&Conversion>) -> Vec<Intent> {
    let intents = conversion.iter().flat_map(|conversion| &conversion.program);
    intents.map(|intent| intent.under(&object.place)).collect()
}

/// Returns the data that each changed document must hold afterwards.
fn expected(
    manifest: &Manifest,
    source: SourceText<'_>,
    conversions: &[Option<Conversion>],
    changed: &ByDocument,
    (within, comments): (&[Within<'_>], &[SchemaComment]),
) -> Vec<Option<Arc<Value>>> {
    let documents = source.tree().documents();
    let read = |document: usize| {
        let root = read_value(source.tree(), source.text(), documents[document].root);
        root.expect("a document with objects, or with a comment that changes, was read before")
    };
    let mut expected: Vec<Option<Arc<Value>>> = vec![None; documents.len()];
    for (document, objects) in changed {
        if let Some((object, made)) = the_whole(manifest, conversions, objects) {
            expected[*document] = Some(data_after(manifest, object, made));
            continue;
        }
        let mut value = read(*document);
        for at in objects {
            let place = manifest.objects[*at].place.get_mut(&mut value).expect("the object was read from this place");
            if let Some(conversion) = &conversions[*at] {
                place.clone_from(conversion.value.as_ref());
            }
        }
        expected[*document] = Some(Arc::new(value));
    }
    for Within { inline_patch, text, .. } in within {
        let document = expected[inline_patch.document].get_or_insert_with(|| Arc::new(read(inline_patch.document)));
        // Where a change removes the inline patch, verification rejects the edits in it.
        if let Some(value) = inline_patch.place.get_mut(Arc::make_mut(document)) {
            *value = Value::from(text.as_str());
        }
    }
    for SchemaComment { document, .. } in comments {
        expected[*document].get_or_insert_with(|| Arc::new(read(*document)));
    }
    expected
}

/// Makes the texts that hold structures, in `documents`, those of `after` where they hold the same: data has no comments.
fn adopt_texts(after: &str, documents: impl Iterator<Item = usize>, expected: &mut [Option<Arc<Value>>]) {
    let mut documents = documents.peekable();
    let Some(tree) = documents.peek().and_then(|_| yaml::parse(after).ok()) else { return };
    for document in documents {
        let found = tree.documents().get(document).and_then(|found| read_value(&tree, after, found.root).ok());
        if let (Some(found), Some(expected)) = (found, &mut expected[document]) {
            adopt(Arc::make_mut(expected), found);
        }
    }
}

fn adopt(expected: &mut Value, found: Value) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (key, found) in found {
                if let Some(expected) = expected.get_mut(&key) {
                    adopt(expected, found);
                }
            }
        }
        (Value::Array(expected), Value::Array(found)) => {
            expected.iter_mut().zip(found).for_each(|(expected, found)| adopt(expected, found));
        }
        (Value::String(expected), Value::String(found)) if *expected != found => {
            let holds_the_same = |format: TextFormat| {
                let structure = format.structure_of(expected);
                structure.as_ref().is_ok_and(|structure| format.text_of(structure) == *expected)
                    && format.structure_of(&found) == structure
            };
            if [TextFormat::Yaml, TextFormat::Json].into_iter().any(holds_the_same) {
                *expected = found;
            }
        }
        _ => {}
    }
}

/// Returns what becomes of the object that is the whole document, where one is.
fn the_whole<'c>(
    manifest: &'c Manifest,
    conversions: &'c [Option<Conversion>],
    objects: &[usize],
) -> Option<(&'c Object, &'c Conversion)> {
    let [at] = objects else { return None };
    let object = Some(&manifest.objects[*at]).filter(|object| object.place.steps().is_empty());
    object.zip(conversions[*at].as_ref())
}

/// Returns what an object holds after its conversion: that of a CRD that was converted without its schemas has them.
fn data_after(manifest: &Manifest, object: &Object, made: &Conversion) -> Arc<Value> {
    let whole = manifest.full_value(object).ok().filter(|whole| !Arc::ptr_eq(whole, &object.value));
    let Some(mut whole) = whole.filter(|whole| *whole != object.value) else { return Arc::clone(&made.value) };
    let after = Arc::make_mut(&mut whole);
    match made.program.iter().try_for_each(|intent| intent.apply_data(after)) {
        Ok(()) => whole,
        // Verification rejects what was not to be changed.
        Err(_) => Arc::clone(&made.value),
    }
}

/// Reports an object whose text cannot be changed; `from` is the offset in the file of the text that the problem is about.
fn rejection(source: SourceText<'_>, object: &Object, from: usize, problem: &Problem) -> Finding {
    let code = problem_code(problem.code);
    let severity = if code == Code::VerificationFailed { Severity::Error } else { Severity::Held };
    let help = match problem.code {
        ProblemCode::VerifyFailed => "nothing in this file was changed; please report the object as a bug",
        ProblemCode::SharedAnchor
        | ProblemCode::ThroughAlias
        | ProblemCode::ThroughMerge
        | ProblemCode::AnchorOrder
        | ProblemCode::RecursiveAlias
        | ProblemCode::AliasBudget => "write the value out without anchors and aliases, or change the object by hand",
        ProblemCode::FlowMove => "write the value in block style, or change the object by hand",
        _ => "rewrite the text at this place in plain block style, or change the object by hand",
    };
    Finding {
        location: source.location(from + problem.at),
        code,
        severity,
        object: Some(source.finding_object(object)),
        field: None,
        message: format!("{}{}", problem.message, other_place(source, from, problem)),
        help: Some(help.to_owned()),
    }
}

/// Returns the other place of a problem, where it has one.
fn other_place(source: SourceText<'_>, from: usize, problem: &Problem) -> String {
    let position = problem.other.and_then(|other| source.location(from + other).position);
    position.map_or_else(String::new, |position| format!(" (line {}, column {})", position.line, position.column))
}

/// Reports an inline patch whose text cannot be edited in its file.
fn unwritable(source: SourceText<'_>, object: &Object) -> Finding {
    let message =
        "the inline patch is not converted, because it is neither a literal block nor on one line, or has an anchor";
    Finding {
        location: source.location(0),
        code: Code::InlinePatch,
        severity: Severity::Held,
        object: Some(source.finding_object(object)),
        field: None,
        message: message.to_owned(),
        help: Some(
            "write it as a literal block (`|`) without an anchor, move it to a file of its own, or change it by hand"
                .to_owned(),
        ),
    }
}

/// Reports an object whose document is encrypted.
fn encrypted(manifest: &Manifest, object: &Object, sealed: &sops::Encrypted) -> Finding {
    let what = sealed.what();
    let message = format!("the {what} is encrypted by SOPS, and its checksum covers the values that would change");
    let help = sops::help(&manifest.file);
    Finding {
        location: manifest.locate(object, &FieldPath::default()),
        code: Code::Encrypted,
        severity: Severity::Held,
        object: Some(manifest.finding_object(object)),
        field: None,
        message,
        help: Some(help),
    }
}

/// Returns the comments in `span`, those that an edit touches first: of several with one text, one of these is removed.
fn edited_comments(source: SourceText<'_>, span: Span, edits: &[Edit]) -> Vec<Span> {
    let is_inside = |comment: &Span| span.start <= comment.start && comment.start < span.end;
    let mut comments: Vec<Span> = source.tree().comments().iter().copied().filter(is_inside).collect();
    comments.sort_by_key(|comment| is_apart(*comment, edits));
    comments
}

/// Returns whether no edit has bytes of `span`.
fn is_apart(span: Span, edits: &[Edit]) -> bool {
    let next = edits.partition_point(|edit| edit.span.end <= span.start);
    edits.get(next).is_none_or(|edit| edit.span.start >= span.end)
}

/// Reports the comments of neighbouring lines.
fn dropped_comments(block: &[(Location, &String)], object: Option<FindingObject>) -> Finding {
    let (location, comment) = &block[0];
    let message = match block {
        [_] => format!("the comment `{comment}` is removed with its field"),
        lines => format!("the comments of {} lines, from `{comment}` on, are removed with their fields", lines.len()),
    };
    Finding {
        location: location.clone(),
        code: Code::CommentDropped,
        severity: Severity::Warning,
        object,
        field: None,
        message,
        help: None,
    }
}

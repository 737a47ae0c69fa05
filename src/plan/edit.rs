//! Answers: which edits make a file's converted objects true in its text?
//!
//! [`edit`] runs the objects' changes on the documents that hold them, joins the edits of the file and verifies the result
//! by double entry: the edited text must read back as the converted data, with every other document and comment as before. An
//! inset is edited and verified as a text of its own first; then its edits are made in the file, which must hold its new text.
//!
//! Invariant: a file plan that is returned has been verified; an object whose text cannot be changed exactly is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::secret::is_encrypted;
use super::{Conversion, FilePlan};
use crate::field::FieldPath;
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{InlinePatch, Manifest, Object, SourceText, problem_code};
use crate::text::{Edit, EditSet, Span};
use crate::yaml::{self, FrontEnd, House, Intent, Problem, ProblemCode, Rewrite};

/// A file's edits and what to tell about them.
pub(super) struct Edited {
    pub(super) file: FilePlan,
    pub(super) findings: Vec<Finding>,
}

/// Objects, by their position in the manifest, that the text does not let change.
pub(super) type Refused = Vec<(usize, Finding)>;

/// What becomes of a text within a manifest, or of the manifest's own.
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
    /// Its edits, in the text of the file.
    edits: EditSet,
}

/// The objects that change on one page, by their document on it.
type ByDocument = BTreeMap<usize, Vec<usize>>;

/// Turns the changes of a manifest's objects into edits, which `front_end` verifies; `None` where nothing changes.
pub(super) fn edit(
    manifest: &Manifest,
    conversions: &[Option<Conversion>],
    front_end: FrontEnd,
) -> Result<Option<Edited>, Refused> {
    let mut pages: BTreeMap<Option<usize>, ByDocument> = BTreeMap::new();
    for (object, at) in manifest.objects.iter().zip(0..) {
        if conversions[at].as_ref().is_some_and(|conversion| !conversion.program.is_empty()) {
            pages.entry(object.inline_patch).or_default().entry(object.document).or_default().push(at);
        }
    }
    if pages.is_empty() {
        return Ok(None);
    }
    if is_encrypted(manifest) {
        let changing = pages.values().flat_map(BTreeMap::values).flatten();
        return Err(changing.map(|at| (*at, encrypted(manifest, &manifest.objects[*at]))).collect());
    }
    let own = pages.remove(&None).unwrap_or_default();
    // A document that is all of its file is its own house.
    let is_alone = manifest.tree.documents().len() == 1 && pages.is_empty();
    let house = if is_alone { House::default() } else { House::of(&manifest.text, &manifest.tree) };
    let (mut within, mut findings, mut refused) = (Vec::new(), Vec::new(), Refused::new());
    for (number, objects) in pages.iter().filter_map(|(number, objects)| Some((number.as_ref()?, objects))) {
        let inline_patch = &manifest.inline_patches[*number];
        let page = manifest.source_text(Some(*number));
        let Some(literal) = &inline_patch.literal else {
            refused.extend(objects.values().flatten().map(|at| (*at, unwritable(page, &manifest.objects[*at]))));
            continue;
        };
        let house = House::of(page.text(), page.tree()).or(house);
        match change(manifest, (page, house, front_end), objects, &[], conversions) {
            Ok(changed) => {
                let (text, edits) = (changed.edits.apply(&inline_patch.text), literal.outward(&changed.edits));
                within.push(Within {
                    inline_patch,
                    objects: objects.values().flatten().copied().collect(),
                    text,
                    edits,
                });
                findings.extend(changed.findings);
            }
            Err(more) => refused.extend(more),
        }
    }
    match change(manifest, (manifest.source_text(None), house, front_end), &own, &within, conversions) {
        Ok(changed) if refused.is_empty() => {
            findings.extend(changed.findings);
            findings.extend(manifest.document_warnings());
            let (file, before) = (manifest.file.clone(), Arc::clone(&manifest.text));
            Ok(Some(Edited { file: FilePlan { file, before, edits: changed.edits }, findings }))
        }
        Ok(_) => Err(refused),
        Err(more) => Err(refused.into_iter().chain(more).collect()),
    }
}

/// Changes the objects of one page, and the texts `within` it.
fn change(
    manifest: &Manifest,
    (page, house, front_end): (SourceText<'_>, House, FrontEnd),
    by_document: &ByDocument,
    within: &[Within<'_>],
    conversions: &[Option<Conversion>],
) -> Result<Changed, Refused> {
    let mut joined = Joined::default();
    let mut refused = Refused::new();
    for (document, objects) in by_document {
        match edit_document(manifest, page, *document, objects, conversions, house) {
            Ok(done) => joined.add(page, *document, done),
            Err(more) => refused.extend(more),
        }
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    joined.edits.extend(within.iter().flat_map(|within| within.edits.edits()).cloned());
    let inner = || within.iter().flat_map(|within| &within.objects);
    let told = |at: &usize, problem: &Problem| (*at, refusal(page, &manifest.objects[*at], 0, problem));
    let edits = EditSet::new(joined.edits).map_err(|overlap| {
        let message = "what stands around this text changes too";
        let problem = Problem::new(ProblemCode::WrongShape, overlap.at, message);
        inner().map(|at| told(at, &problem)).collect::<Refused>()
    })?;
    let after = edits.apply(page.text());
    let expected = expected(manifest, page, conversions, by_document, within);
    match yaml::verify((page.text(), page.tree()), &after, &expected, &joined.removed, front_end) {
        Ok(()) => Ok(Changed { edits, findings: joined.findings }),
        Err(problem) => Err(by_document.values().flatten().chain(inner()).map(|at| told(at, &problem)).collect()),
    }
}

/// The documents' edits, put together for their page.
#[derive(Default)]
struct Joined {
    edits: Vec<Edit>,
    removed: Vec<String>,
    findings: Vec<Finding>,
}

impl Joined {
    fn add(&mut self, page: SourceText<'_>, document: usize, done: Rewrite) {
        let span = page.tree().documents()[document].span;
        let edits = done.edits.shifted(span.start);
        let mut comments = edited_comments(page, span, edits.edits());
        for comment in &done.removed_comments {
            let found = comments.iter().position(|place| place.of(page.text()) == comment);
            let at = found.map_or(span.start, |found| comments.remove(found).start);
            self.findings.push(dropped_comment(page, at, comment));
        }
        self.edits.extend(edits.edits().iter().cloned());
        self.removed.extend(done.removed_comments);
    }
}

/// Changes the objects of one document, or tells every one whose text does not let it change.
fn edit_document(
    manifest: &Manifest,
    page: SourceText<'_>,
    document: usize,
    objects: &[usize],
    conversions: &[Option<Conversion>],
    house: House,
) -> Result<Rewrite, Refused> {
    let span = page.tree().documents()[document].span;
    let mut objects = objects.to_vec();
    let mut refused = Refused::new();
    loop {
        let programs: Vec<_> =
            objects.iter().map(|at| program(&manifest.objects[*at], conversions[*at].as_ref())).collect();
        match yaml::rewrite(span.of(page.text()), &programs, house) {
            Ok(done) if refused.is_empty() => return Ok(done),
            Ok(_) => return Err(refused),
            Err(yaml::Refusal { program, problem }) => {
                let at = objects.remove(program);
                refused.push((at, refusal(page, &manifest.objects[at], span.start, &problem)));
                // A document that cannot be worked on at all is refused whatever is asked of it.
                if objects.is_empty() {
                    return Err(refused);
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
    page: SourceText<'_>,
    conversions: &[Option<Conversion>],
    changed: &ByDocument,
    within: &[Within<'_>],
) -> Vec<Option<Arc<Value>>> {
    let documents = page.tree().documents();
    let read = |document: usize| {
        let root = page.tree().value(page.text(), documents[document].root);
        root.expect("a document with objects was read before")
    };
    let mut expected: Vec<Option<Arc<Value>>> = vec![None; documents.len()];
    for (document, objects) in changed {
        if let Some(made) = the_whole(manifest, conversions, objects) {
            expected[*document] = Some(Arc::clone(&made.value));
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
        // Where a change takes the text away, the edits in it are refused by what is read then.
        if let Some(value) = inline_patch.place.get_mut(Arc::make_mut(document)) {
            *value = Value::from(text.as_str());
        }
    }
    expected
}

/// Returns what becomes of the object that is the whole document, where one is.
fn the_whole<'c>(
    manifest: &Manifest,
    conversions: &'c [Option<Conversion>],
    objects: &[usize],
) -> Option<&'c Conversion> {
    let [at] = objects else { return None };
    conversions[*at].as_ref().filter(|_| manifest.objects[*at].place.steps().is_empty())
}

/// Tells that an object's text cannot be changed; `from` is where the text that the problem is about starts in the file.
fn refusal(page: SourceText<'_>, object: &Object, from: usize, problem: &Problem) -> Finding {
    let code = problem_code(problem.code);
    let severity = if code == Code::VerificationFailed { Severity::Error } else { Severity::Held };
    let help = match problem.code {
        ProblemCode::VerifyFailed => "nothing of this file was changed; please report the object",
        ProblemCode::SharedAnchor
        | ProblemCode::ThroughAlias
        | ProblemCode::ThroughMerge
        | ProblemCode::AnchorOrder
        | ProblemCode::RecursiveAlias
        | ProblemCode::AliasBudget => "write the value out without anchors and aliases, or change the object by hand",
        ProblemCode::FlowMove => "write the value in lines, or change the object by hand",
        _ => "write the text at this place in a plainer way, or change the object by hand",
    };
    Finding {
        location: page.location(from + problem.at),
        code,
        severity,
        object: Some(object.title()),
        field: None,
        message: format!("{}: {}{}", object.title(), problem.message, other_place(page, from, problem)),
        help: Some(help.to_owned()),
    }
}

/// Names the other place of a problem, where it has one.
fn other_place(page: SourceText<'_>, from: usize, problem: &Problem) -> String {
    let position = problem.other.and_then(|other| page.location(from + other).position);
    position.map_or_else(String::new, |position| format!(" (line {}, column {})", position.line, position.column))
}

/// Tells that an object's text has no place in the file that can be edited.
fn unwritable(page: SourceText<'_>, object: &Object) -> Finding {
    let message =
        format!("{}: an inline patch that is no literal block, or has an anchor, is not converted", object.title());
    Finding {
        location: page.location(0),
        code: Code::InlinePatch,
        severity: Severity::Held,
        object: Some(object.title()),
        field: None,
        message,
        help: Some("write it as a block (`|`), move it to a file of its own, or change it by hand".to_owned()),
    }
}

/// Tells that an object's file is encrypted.
fn encrypted(manifest: &Manifest, object: &Object) -> Finding {
    let message = format!("{}: SOPS encrypted the file, and its checksum is over what would change", object.title());
    let help = "decrypt it (`sops decrypt -i FILE`), convert, and encrypt it again (`sops encrypt -i FILE`)";
    Finding {
        location: manifest.locate(object, &FieldPath::default()),
        code: Code::Encrypted,
        severity: Severity::Held,
        object: Some(object.title()),
        field: None,
        message,
        help: Some(help.to_owned()),
    }
}

/// Returns the comments in `span`, those that an edit meets first: among several of one text, it is one of these that goes.
fn edited_comments(page: SourceText<'_>, span: Span, edits: &[Edit]) -> Vec<Span> {
    let is_inside = |comment: &Span| span.start <= comment.start && comment.start < span.end;
    let is_kept = |comment: &Span| {
        let next = edits.partition_point(|edit| edit.span.end <= comment.start);
        edits.get(next).is_none_or(|edit| edit.span.start >= comment.end)
    };
    let mut comments: Vec<Span> = page.tree().comments().iter().copied().filter(is_inside).collect();
    comments.sort_by_key(is_kept);
    comments
}

fn dropped_comment(page: SourceText<'_>, at: usize, comment: &str) -> Finding {
    Finding {
        location: page.location(at),
        code: Code::CommentDropped,
        severity: Severity::Warning,
        object: None,
        field: None,
        message: format!("the comment `{comment}` goes with its field"),
        help: None,
    }
}

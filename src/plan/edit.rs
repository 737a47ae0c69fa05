//! Answers: which edits make a file's converted objects true in its text?
//!
//! [`edit`] runs the objects' changes on the documents that hold them, joins the edits of the file and verifies the result
//! by double entry: the edited text must read back as the converted data, with every other document and comment as before.
//!
//! Invariant: a file plan that is returned has been verified; an object whose text cannot be changed exactly is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::secret::is_encrypted;
use super::{Conversion, FilePlan};
use crate::field::FieldPath;
use crate::finding::{Code, Finding, Severity};
use crate::manifest::{Manifest, Object, problem_code};
use crate::text::{Edit, EditSet, Span};
use crate::yaml::{self, House, Intent, Problem, ProblemCode, Rewrite};

/// A file's edits and what to tell about them.
pub(super) struct Edited {
    pub(super) file: FilePlan,
    pub(super) findings: Vec<Finding>,
}

/// Objects, by their position in the manifest, that the text does not let change.
pub(super) type Refused = Vec<(usize, Finding)>;

/// Turns the changes of a manifest's objects into edits; `None` where nothing changes.
pub(super) fn edit(manifest: &Manifest, conversions: &[Option<Conversion>]) -> Result<Option<Edited>, Refused> {
    let mut by_document: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, conversion) in conversions.iter().enumerate() {
        if conversion.as_ref().is_some_and(|conversion| !conversion.program.is_empty()) {
            by_document.entry(manifest.objects[at].document).or_default().push(at);
        }
    }
    if by_document.is_empty() {
        return Ok(None);
    }
    if is_encrypted(manifest) {
        return Err(by_document
            .values()
            .flatten()
            .map(|at| (*at, encrypted(manifest, &manifest.objects[*at])))
            .collect());
    }
    let house = House::of(&manifest.text, &manifest.tree);
    let mut joined = Joined::default();
    let mut refused = Refused::new();
    for (document, objects) in &by_document {
        match edit_document(manifest, *document, objects, conversions, house) {
            Ok(done) => joined.add(manifest, *document, done),
            Err(more) => refused.extend(more),
        }
    }
    if !refused.is_empty() {
        return Err(refused);
    }
    let edits = EditSet::new(joined.edits).expect("documents do not overlap");
    let after = edits.apply(&manifest.text);
    let expected = expected(manifest, conversions, &by_document);
    if let Err(problem) = yaml::verify(&manifest.text, &after, &expected, &joined.removed) {
        let told = |at: &usize| (*at, refusal(manifest, &manifest.objects[*at], 0, &problem));
        return Err(by_document.values().flatten().map(told).collect());
    }
    let file = FilePlan { file: manifest.file.clone(), before: manifest.text.clone(), edits };
    joined.findings.extend(manifest.unread.iter().cloned());
    Ok(Some(Edited { file, findings: joined.findings }))
}

/// The documents' edits, put together for the file.
#[derive(Default)]
struct Joined {
    edits: Vec<Edit>,
    removed: Vec<String>,
    findings: Vec<Finding>,
}

impl Joined {
    fn add(&mut self, manifest: &Manifest, document: usize, done: Rewrite) {
        let span = manifest.tree.documents()[document].span;
        let edits = done.edits.shifted(span.start);
        let mut comments = edited_comments(manifest, span, edits.edits());
        for comment in &done.removed_comments {
            let found = comments.iter().position(|place| place.of(&manifest.text) == comment);
            let at = found.map_or(span.start, |found| comments.remove(found).start);
            self.findings.push(dropped_comment(manifest, at, comment));
        }
        self.edits.extend(edits.edits().iter().cloned());
        self.removed.extend(done.removed_comments);
    }
}

/// Changes the objects of one document, or tells every one whose text does not let it change.
fn edit_document(
    manifest: &Manifest,
    document: usize,
    objects: &[usize],
    conversions: &[Option<Conversion>],
    house: House,
) -> Result<Rewrite, Refused> {
    let span = manifest.tree.documents()[document].span;
    let mut objects = objects.to_vec();
    let mut refused = Refused::new();
    loop {
        let programs: Vec<_> =
            objects.iter().map(|at| program(&manifest.objects[*at], conversions[*at].as_ref())).collect();
        match yaml::rewrite(span.of(&manifest.text), &programs, house) {
            Ok(done) if refused.is_empty() => return Ok(done),
            Ok(_) => return Err(refused),
            Err(yaml::Refusal { program, problem }) => {
                let at = objects.remove(program);
                refused.push((at, refusal(manifest, &manifest.objects[at], span.start, &problem)));
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
    conversions: &[Option<Conversion>],
    changed: &BTreeMap<usize, Vec<usize>>,
) -> Vec<Option<Arc<Value>>> {
    let documents = manifest.tree.documents();
    let mut expected: Vec<Option<Arc<Value>>> = vec![None; documents.len()];
    for (document, objects) in changed {
        if let Some(made) = the_whole(manifest, conversions, objects) {
            expected[*document] = Some(Arc::clone(&made.value));
            continue;
        }
        let root = manifest.tree.value(&manifest.text, documents[*document].root);
        let mut value = root.expect("a document with objects was read before");
        for at in objects {
            let place = manifest.objects[*at].place.get_mut(&mut value).expect("the object was read from this place");
            if let Some(conversion) = &conversions[*at] {
                place.clone_from(conversion.value.as_ref());
            }
        }
        expected[*document] = Some(Arc::new(value));
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
fn refusal(manifest: &Manifest, object: &Object, from: usize, problem: &Problem) -> Finding {
    let code = problem_code(problem.code);
    let severity = if code == Code::DoubleEntry { Severity::Error } else { Severity::Held };
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
        location: manifest.location(from + problem.at),
        code,
        severity,
        object: Some(object.title()),
        field: None,
        message: format!("{}: {}{}", object.title(), problem.message, other_place(manifest, from, problem)),
        help: Some(help.to_owned()),
    }
}

/// Names the other place of a problem, where it has one.
fn other_place(manifest: &Manifest, from: usize, problem: &Problem) -> String {
    let position = problem.other.and_then(|other| manifest.location(from + other).position);
    position.map_or_else(String::new, |position| format!(" (line {}, column {})", position.line, position.column))
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
fn edited_comments(manifest: &Manifest, span: Span, edits: &[Edit]) -> Vec<Span> {
    let is_inside = |comment: &Span| span.start <= comment.start && comment.start < span.end;
    let is_kept = |comment: &Span| {
        let next = edits.partition_point(|edit| edit.span.end <= comment.start);
        edits.get(next).is_none_or(|edit| edit.span.start >= comment.end)
    };
    let mut comments: Vec<Span> = manifest.tree.comments().iter().copied().filter(is_inside).collect();
    comments.sort_by_key(is_kept);
    comments
}

fn dropped_comment(manifest: &Manifest, at: usize, comment: &str) -> Finding {
    Finding {
        location: manifest.location(at),
        code: Code::CommentDropped,
        severity: Severity::Warning,
        object: None,
        field: None,
        message: format!("the comment `{comment}` goes with its field"),
        help: None,
    }
}

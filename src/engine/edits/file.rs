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

use super::documents::{NewDocument, changes_documents, list_changes, new_document, obstacle};
use super::schema_comments::{self, SchemaComment};
use crate::engine::convert::Conversion;
use crate::engine::finding::{Code, Finding, FindingObject, Location, Severity};
use crate::engine::manifest::{InlinePatch, Manifest, Object, SourceText, problem_code, sops};
use crate::syntax::field::FieldPath;
use crate::syntax::parallel;
use crate::syntax::text::{Edit, EditSet, Span};
use crate::syntax::yaml::{
    self, DocumentChanges, EditedText, FrontEnd, Intent, Problem, ProblemCode, Refusal, Rewrite, Style, TextFormat,
    read_value,
};

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

/// How the edits of a file are made and checked.
#[derive(Clone, Copy)]
pub(crate) struct EditOptions<'a> {
    /// The style of the files around it.
    pub(crate) neighbors: &'a (dyn Fn() -> Style + Sync),
    /// Which front end reads what was edited.
    pub(crate) front_end: FrontEnd,
    /// The ends of the URLs of schemas that packs know.
    pub(crate) schema_forms: &'a [&'a str],
    /// How many threads edit a text of many documents; 0 for as many as there are processors.
    pub(crate) threads: usize,
}

/// How many documents a thread edits at once.
const DOCUMENTS_AT_ONCE: usize = 128;

/// The objects that change in one text, by their document in it.
type ByDocument = BTreeMap<usize, Vec<usize>>;

/// Turns the changes of a manifest's objects into edits; `None` where nothing changes. What is written anew has the style of its
/// document, of the other documents of the file, or of its neighbors, whichever shows one first.
pub(crate) fn edit(
    manifest: &Manifest,
    conversions: &[Option<Conversion>],
    options: &EditOptions<'_>,
) -> Result<Option<Edited>, Rejected> {
    let mut by_text: BTreeMap<Option<usize>, ByDocument> = BTreeMap::new();
    for (object, at) in manifest.objects.iter().zip(0..) {
        let changes = |made: &Conversion| !made.program.is_empty() || changes_documents(made);
        if conversions[at].as_ref().is_some_and(changes) {
            by_text.entry(object.inline_patch).or_default().entry(object.document).or_default().push(at);
        }
    }
    if by_text.is_empty() {
        return Ok(None);
    }
    let changing = || by_text.values().flat_map(BTreeMap::values).flatten();
    refuse_encrypted(manifest, changing())?;
    refuse_misplaced(manifest, conversions, changing())?;
    let own = by_text.remove(&None).unwrap_or_default();
    // A document that is all of its file is its own style.
    let is_alone = manifest.tree.documents().len() == 1 && by_text.is_empty();
    let style = if is_alone { (options.neighbors)() } else { manifest.style().or((options.neighbors)()) };
    let mut rejected = Rejected::new();
    let mut patches = Vec::new();
    for (number, by_document) in by_text.iter().filter_map(|(number, objects)| Some((number.as_ref()?, objects))) {
        match EditedPatch::edit(manifest, *number, conversions, by_document, style, options) {
            Ok(patch) => patches.push(patch),
            Err(more) => rejected.extend(more),
        }
    }
    let source = manifest.source_text(None);
    let editor = Editor { manifest, conversions, source, style, options, by_document: &own, patches: &patches };
    let changed = editor.edit();
    match changed {
        Ok(changed) if rejected.is_empty() => {
            let mut findings: Vec<Finding> = patches.into_iter().flat_map(|patch| patch.changed.findings).collect();
            findings.extend(changed.findings);
            findings.extend(manifest.document_warnings());
            let (file, before) = (manifest.file.clone(), Arc::clone(&manifest.text));
            Ok(Some(Edited { file: FilePlan { file, before, edits: changed.edits }, findings }))
        }
        Ok(_) => Err(rejected),
        Err(more) => Err(rejected.into_iter().chain(more).collect()),
    }
}

/// Refuses to change objects that are encrypted.
fn refuse_encrypted<'o>(manifest: &Manifest, objects: impl Iterator<Item = &'o usize>) -> Result<(), Rejected> {
    let sealed = sops::Encrypted::of(manifest);
    let rejected: Rejected = objects
        .filter(|at| sealed.has(manifest, &manifest.objects[**at]))
        .map(|at| (*at, encrypted(manifest, &manifest.objects[*at], &sealed)))
        .collect();
    if rejected.is_empty() { Ok(()) } else { Err(rejected) }
}

/// Refuses to add objects behind those that stand where none can, and to remove such.
fn refuse_misplaced<'o>(
    manifest: &Manifest,
    conversions: &[Option<Conversion>],
    objects: impl Iterator<Item = &'o usize>,
) -> Result<(), Rejected> {
    let mut rejected = Rejected::new();
    for at in objects.filter(|at| conversions[**at].as_ref().is_some_and(changes_documents)) {
        let object = &manifest.objects[*at];
        let source = manifest.source_text(object.inline_patch);
        let problem = conversions[*at].as_ref().and_then(|made| obstacle(source, object, made));
        let help = "write it as a document of its own in block style, or convert it by hand";
        rejected.extend(problem.map(|problem| (*at, rejection(source, object, 0, &problem).help(help))));
    }
    if rejected.is_empty() { Ok(()) } else { Err(rejected) }
}

/// The edits of the text of a manifest, or of an inline patch in it.
struct Changed {
    edits: EditSet,
    findings: Vec<Finding>,
}

/// An inline patch that changes.
struct EditedPatch<'m> {
    inline_patch: &'m InlinePatch,
    /// Its objects that change.
    objects: Vec<usize>,
    /// Its text afterwards.
    text: String,
    /// Its edits, in the text of the file; none where the file gets its new text as a value.
    outward: Option<EditSet>,
    /// Its edits, in its own text.
    changed: Changed,
}

impl<'m> EditedPatch<'m> {
    /// Changes the objects of an inline patch in its own text.
    fn edit(
        manifest: &'m Manifest,
        number: usize,
        conversions: &[Option<Conversion>],
        by_document: &ByDocument,
        style: Style,
        options: &EditOptions<'_>,
    ) -> Result<Self, Rejected> {
        let inline_patch = &manifest.inline_patches[number];
        let source = manifest.source_text(Some(number));
        let objects: Vec<usize> = by_document.values().flatten().copied().collect();
        if inline_patch.literal.is_none() && !inline_patch.is_on_one_line {
            return Err(objects.iter().map(|at| (*at, unwritable(source, &manifest.objects[*at]))).collect());
        }
        let style = Style::of(source.text(), source.tree()).or(style);
        let editor = Editor { manifest, conversions, source, style, options, by_document, patches: &[] };
        let changed = editor.edit()?;
        let outward = inline_patch.literal.as_ref().map(|literal| literal.outward(&changed.edits));
        Ok(Self { inline_patch, objects, text: changed.edits.apply(&inline_patch.text), outward, changed })
    }

    /// Returns the change of the file's document that gives it the new text as a value.
    fn replacement(&self, document: usize) -> Option<Vec<Intent>> {
        let is_in = self.outward.is_none() && self.inline_patch.document == document;
        let (path, value) = (self.inline_patch.place.clone(), Value::from(self.text.as_str()));
        is_in.then(|| vec![Intent::Replace { path, value }])
    }
}

/// What changes in one text, and how.
struct Editor<'e, 'm> {
    manifest: &'m Manifest,
    conversions: &'e [Option<Conversion>],
    source: SourceText<'m>,
    /// The style of what shows none itself.
    style: Style,
    options: &'e EditOptions<'e>,
    by_document: &'e ByDocument,
    /// The inline patches in the text that change.
    patches: &'e [EditedPatch<'m>],
}

impl Editor<'_, '_> {
    /// Changes the objects of the text, and the inline patches in it.
    fn edit(&self) -> Result<Changed, Rejected> {
        let new_documents = self.new_documents()?;
        let joined = self.edit_documents(&new_documents)?;
        let mut edits = joined.edits;
        edits.extend(new_documents.iter().map(|new| new.edit(self.source)));
        edits.extend(self.patches.iter().filter_map(|patch| patch.outward.as_ref()).flat_map(EditSet::edits).cloned());
        let edits = EditSet::new(edits).map_err(|overlap| {
            let message = "the text around this inline patch changes too";
            self.reject_all(self.objects_of_patches(), &Problem::new(ProblemCode::WrongShape, overlap.at, message))
        })?;
        let comments = self.schema_comments(&edits);
        let edits =
            edits.edits().iter().chain(comments.following.iter().map(|comment| &comment.edit)).cloned().collect();
        let edits = EditSet::new(edits).expect("no edit overlaps the comments");
        let after = edits.apply(self.source.text());
        let mut expected = self.expected(&comments.following);
        let (old_comments, new_comments): (Vec<_>, Vec<_>) =
            comments.following.into_iter().map(|comment| (comment.before, comment.after)).unzip();
        let with_text = self.by_document.iter().filter(|(_, objects)| objects.iter().any(|at| self.writes_text(*at)));
        let changes = self.document_changes(new_documents);
        let numbers = with_text.map(|(document, _)| (*document, changes.number_after(*document)));
        adopt_texts(&after, numbers, &mut expected);
        let edited = EditedText {
            before: self.source.text(),
            tree: self.source.tree(),
            after: &after,
            expected: &expected,
            removed_comments: &[joined.removed, old_comments].concat(),
            added_comments: &[joined.added, new_comments].concat(),
        };
        edited.verify_with(&changes, self.options.front_end, self.options.threads).map_err(|problem| {
            self.reject_all(self.by_document.values().flatten().chain(self.objects_of_patches()), &problem)
        })?;
        let findings = joined.findings.into_iter().chain(comments.unknown).collect();
        Ok(Changed { edits, findings })
    }

    /// Returns an object's changes with paths from its document.
    fn program(&self, at: usize) -> impl Iterator<Item = Intent> {
        let intents = self.conversions[at].iter().flat_map(|conversion| &*conversion.program);
        intents.map(move |intent| intent.under(&self.manifest.objects[at].place))
    }

    fn writes_text(&self, at: usize) -> bool {
        self.conversions[at].iter().flat_map(|conversion| &*conversion.program).any(Intent::writes_text)
    }

    fn objects_of_patches(&self) -> impl Iterator<Item = &usize> {
        self.patches.iter().flat_map(|patch| &patch.objects)
    }

    /// Rejects objects because of a problem in the text.
    fn reject_all<'o>(&self, objects: impl Iterator<Item = &'o usize>, problem: &Problem) -> Rejected {
        objects.map(|at| (*at, self.rejection(*at, 0, problem))).collect()
    }

    fn conversion(&self, at: usize) -> Option<&Conversion> {
        self.conversions[at].as_ref()
    }

    /// Returns whether all of a document is an object that is removed.
    fn is_removed(&self, document: usize) -> bool {
        let objects = self.by_document.get(&document).map_or(&[][..], Vec::as_slice);
        let is_removed = |at: &usize| {
            self.manifest.objects[*at].place.steps().is_empty()
                && self.conversion(*at).is_some_and(|made| made.is_removed)
        };
        objects.iter().any(is_removed)
    }

    /// Makes the documents of what parts of documents become.
    fn new_documents(&self) -> Result<Vec<NewDocument>, Rejected> {
        let (mut new, mut rejected) = (Vec::new(), Rejected::new());
        for at in self.by_document.values().flatten() {
            let object = &self.manifest.objects[*at];
            let parts = self.conversion(*at).into_iter().flat_map(|made| &made.split_off);
            for part in parts.filter(|_| object.place.steps().is_empty()) {
                let from = self.source.tree().documents()[object.document].span.start;
                match new_document(self.source, object, part, self.style) {
                    Ok(document) => new.push(document),
                    Err(problem) => rejected.push((*at, self.rejection(*at, from, &problem))),
                }
            }
        }
        if rejected.is_empty() { Ok(new) } else { Err(rejected) }
    }

    /// Returns which documents the text gets and loses.
    fn document_changes(&self, new: Vec<NewDocument>) -> DocumentChanges<Arc<Value>> {
        DocumentChanges {
            new: new.into_iter().map(|new| (new.document, new.value)).collect(),
            removed: self.by_document.keys().copied().filter(|document| self.is_removed(*document)).collect(),
        }
    }

    /// Returns the changes of the lists of a document.
    fn list_changes(&self, objects: &[usize]) -> Vec<Intent> {
        let with_object = |at: &usize| Some((&self.manifest.objects[*at], self.conversion(*at)?));
        list_changes(objects.iter().filter_map(with_object))
    }

    /// Makes the changes in all documents.
    fn edit_documents(&self, new: &[NewDocument]) -> Result<Joined, Rejected> {
        let mut joined =
            Joined { moved: new.iter().flat_map(|new| new.comments.iter().cloned()).collect(), ..Joined::default() };
        joined.added.extend(joined.moved.iter().cloned());
        let mut rejected = Rejected::new();
        let replaced = self.patches.iter().filter(|patch| patch.outward.is_none());
        let replaced = replaced.map(|patch| patch.inline_patch.document);
        let changing = self.by_document.keys().copied().chain(replaced).collect::<BTreeSet<usize>>();
        let changing: Vec<usize> = changing.into_iter().collect();
        let objects_of = |document: usize| self.by_document.get(&document).map_or(&[][..], Vec::as_slice);
        let edit = |at: usize| {
            let document = changing[at];
            (!self.is_removed(document)).then(|| self.edit_document(document, objects_of(document)))
        };
        let edited = parallel::map(changing.len(), DOCUMENTS_AT_ONCE, self.options.threads, &edit);
        for (document, rewrite) in changing.iter().copied().zip(edited) {
            let objects = objects_of(document);
            let Some(rewrite) = rewrite else {
                let object = objects.first().map(|at| self.source.finding_object(&self.manifest.objects[*at]));
                joined.remove(self.source, document, object.as_ref());
                continue;
            };
            match rewrite {
                Ok(rewrite) => {
                    let object = match objects {
                        [at] => Some(self.source.finding_object(&self.manifest.objects[*at])),
                        _ => None,
                    };
                    joined.add(self.source, document, rewrite, object.as_ref());
                }
                Err(more) => rejected.extend(more),
            }
        }
        if rejected.is_empty() { Ok(joined) } else { Err(rejected) }
    }

    /// Changes the objects of one document and the inline patches in it that get a new text as a value, or reports every one whose
    /// text cannot be changed.
    fn edit_document(&self, document: usize, objects: &[usize]) -> Result<Rewrite, Rejected> {
        let span = self.source.tree().documents()[document].span;
        let tree = self.source.tree().of_document(document);
        let replacements: Vec<_> =
            self.patches.iter().filter_map(|patch| Some((patch, patch.replacement(document)?))).collect();
        let mut objects = objects.to_vec();
        let mut rejected = Rejected::new();
        loop {
            let mut programs: Vec<Vec<Intent>> = objects.iter().map(|at| self.program(*at).collect()).collect();
            programs.extend(replacements.iter().map(|(_, intents)| intents.clone()));
            let list_changes = self.list_changes(&objects);
            if !list_changes.is_empty() {
                // They shift the items that the others name.
                let program = programs.concat().into_iter().chain(list_changes).collect();
                let rewritten = yaml::rewrite_document(span.of(self.source.text()), &tree, &[program], self.style);
                return rewritten.map_err(|Refusal { problem, .. }| {
                    let changing = objects.iter().filter(|at| self.conversion(**at).is_some_and(changes_documents));
                    changing.map(|at| (*at, self.rejection(*at, span.start, &problem))).collect()
                });
            }
            match yaml::rewrite_document(span.of(self.source.text()), &tree, &programs, self.style) {
                Ok(rewrite) if rejected.is_empty() => return Ok(rewrite),
                Ok(_) => return Err(rejected),
                Err(Refusal { program, problem }) if program >= objects.len() => {
                    let inner = &replacements[program - objects.len()].0.objects;
                    rejected.extend(inner.iter().map(|at| (*at, self.rejection(*at, span.start, &problem))));
                    return Err(rejected);
                }
                Err(Refusal { program, problem }) => {
                    let at = objects.remove(program);
                    rejected.push((at, self.rejection(at, span.start, &problem)));
                    // A document that cannot be edited at all is rejected whatever the change.
                    if objects.is_empty() && replacements.is_empty() {
                        return Err(rejected);
                    }
                }
            }
        }
    }

    /// Finds the comments that name the schemas of the objects that change; not those that `edits` remove or move.
    fn schema_comments(&self, edits: &EditSet) -> OfSchemas {
        let source = self.source;
        let mut of_schemas = OfSchemas::default();
        for at in self.by_document.values().flatten() {
            let (object, Some(conversion)) = (&self.manifest.objects[*at], &self.conversions[*at]) else { continue };
            let comments = schema_comments::find(source, object, conversion, self.options.schema_forms);
            let following = comments.following.into_iter().filter(|comment| is_apart(comment.span, edits.edits()));
            of_schemas.following.extend(following);
            let unknown = comments.unknown.into_iter().filter(|(comment, _)| is_apart(*comment, edits.edits()));
            of_schemas.unknown.extend(unknown.map(|(comment, url)| {
                Finding::new(
                    source.location(comment.start),
                    Code::ReferenceNotUpdated,
                    Severity::Note,
                    format!(
                        "the comment names a schema of {} {}, and stays: {url}",
                        object.api_version, object.kind.kind
                    ),
                )
                .about(source.finding_object(object))
                .help("write the URL of the new schema there, if there is one")
            }));
        }
        of_schemas
    }

    /// Returns the data that each changed document must hold afterwards.
    fn expected(&self, comments: &[SchemaComment]) -> Vec<Option<Arc<Value>>> {
        let mut expected: Vec<Option<Arc<Value>>> = vec![None; self.source.tree().documents().len()];
        for (document, objects) in self.by_document {
            expected[*document] = Some(self.data_after(*document, objects));
        }
        for EditedPatch { inline_patch, text, .. } in self.patches {
            let number = inline_patch.document;
            let document = expected[number].get_or_insert_with(|| Arc::new(self.data_before(number)));
            // Where a change removes the inline patch, verification rejects the edits in it.
            let place = self.place_after(number, &inline_patch.place);
            if let Some(value) = place.and_then(|place| place.get_mut(Arc::make_mut(document))) {
                *value = Value::from(text.as_str());
            }
        }
        for SchemaComment { document, .. } in comments {
            expected[*document].get_or_insert_with(|| Arc::new(self.data_before(*document)));
        }
        expected
    }

    /// Returns where the value at `place` of a document is once its objects were converted; `None` where that removes it.
    fn place_after(&self, document: usize, place: &FieldPath) -> Option<FieldPath> {
        let objects = self.by_document.get(&document).into_iter().flatten();
        objects.flat_map(|at| self.program(*at)).try_fold(place.clone(), |place, intent| intent.destination(&place))
    }

    fn data_before(&self, document: usize) -> Value {
        let (tree, text) = (self.source.tree(), self.source.text());
        read_value(tree, text, tree.documents()[document].root)
            .expect("a document with objects, or with a comment that changes, was read before")
    }

    /// Returns what a document must hold when `objects` were converted.
    fn data_after(&self, document: usize, objects: &[usize]) -> Arc<Value> {
        if let [at] = objects
            && let (object, Some(conversion)) = (&self.manifest.objects[*at], &self.conversions[*at])
            && object.place.steps().is_empty()
        {
            return object_after(self.manifest, object, conversion);
        }
        let mut value = self.data_before(document);
        // What an object has created is where that is afterwards.
        let (created, others): (Vec<usize>, Vec<usize>) =
            objects.iter().partition(|at| self.manifest.objects[**at].is_created());
        for at in others.into_iter().chain(created) {
            let object = &self.manifest.objects[at];
            let moved = object.is_created().then(|| self.place_after(document, &object.place));
            let Some(place) = moved.unwrap_or_else(|| Some(object.place.clone())) else { continue };
            if let (Some(conversion), Some(object)) = (&self.conversions[at], place.get_mut(&mut value)) {
                object.clone_from(conversion.value.as_ref());
            }
        }
        for change in self.list_changes(objects) {
            change.apply_data(&mut value).expect("the items are those of the document");
        }
        Arc::new(value)
    }

    /// Reports an object whose text cannot be changed; `from` is the offset of the text that the problem is about.
    fn rejection(&self, at: usize, from: usize, problem: &Problem) -> Finding {
        rejection(self.source, &self.manifest.objects[at], from, problem)
    }
}

/// The comments that name schemas of the objects that change.
#[derive(Default)]
struct OfSchemas {
    following: Vec<SchemaComment>,
    /// What is reported of the others.
    unknown: Vec<Finding>,
}

/// The documents' edits, put together for their text.
#[derive(Default)]
struct Joined {
    edits: Vec<Edit>,
    /// The comments that are no comments any more.
    removed: Vec<String>,
    /// The comments that were part of a text, or are part of a new document.
    added: Vec<String>,
    /// The comments of new documents, as far as no document is known that lost them.
    moved: Vec<String>,
    findings: Vec<Finding>,
}

impl Joined {
    fn add(&mut self, source: SourceText<'_>, document: usize, rewrite: Rewrite, object: Option<&FindingObject>) {
        let span = source.tree().documents()[document].span;
        let edits = rewrite.edits.shifted(span.start);
        let mut comments = edited_comments(source, span, edits.edits());
        let mut removed = Vec::new();
        for comment in &rewrite.removed_comments {
            let place = comments.iter().position(|place| place.of(source.text()) == comment);
            let start = place.map_or(span.start, |place| comments.remove(place).start);
            match self.moved.iter().position(|moved| moved == comment) {
                Some(moved) => drop(self.moved.remove(moved)),
                None => removed.push(RemovedComment { location: source.location(start), comment }),
            }
        }
        self.report(removed, object);
        self.edits.extend(edits.edits().iter().cloned());
        self.removed.extend(rewrite.removed_comments);
        self.removed.extend(rewrite.comments_into_text);
        self.added.extend(rewrite.comments_out_of_text);
    }

    /// Removes a document.
    fn remove(&mut self, source: SourceText<'_>, document: usize, object: Option<&FindingObject>) {
        let span = source.tree().documents()[document].span;
        let comments = source.tree().comments_in(span).iter();
        let removed = comments.map(|comment| RemovedComment {
            location: source.location(comment.start),
            comment: comment.of(source.text()),
        });
        let removed: Vec<_> = removed.collect();
        self.removed.extend(removed.iter().map(|removed| removed.comment.to_owned()));
        self.report(removed, object);
        self.edits.push(Edit::new(span.start, span.end, ""));
    }

    /// Reports comments that are removed.
    fn report(&mut self, mut removed: Vec<RemovedComment<'_>>, object: Option<&FindingObject>) {
        removed.sort();
        let blocks = removed.chunk_by(|above, below| above.line().map(|line| line + 1) == below.line());
        self.findings.extend(blocks.map(|block| dropped_comments(block, object.cloned())));
    }
}

/// A comment that is removed with its field.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RemovedComment<'c> {
    location: Location,
    comment: &'c str,
}

impl RemovedComment<'_> {
    fn line(&self) -> Option<usize> {
        self.location.position.map(|position| position.line)
    }
}

/// Makes the texts that hold structures, in `documents`, each with its number now, those of `after` where they hold the same: data has no comments.
fn adopt_texts(after: &str, documents: impl Iterator<Item = (usize, usize)>, expected: &mut [Option<Arc<Value>>]) {
    let mut documents = documents.peekable();
    let Some(tree) = documents.peek().and_then(|_| yaml::parse(after).ok()) else { return };
    for (document, number) in documents {
        let found = tree.documents().get(number).and_then(|found| read_value(&tree, after, found.root).ok());
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

/// Returns what an object holds after its conversion: that of a CRD that was converted without its schemas has them.
fn object_after(manifest: &Manifest, object: &Object, conversion: &Conversion) -> Arc<Value> {
    let whole = manifest.full_value(object).ok().filter(|whole| !Arc::ptr_eq(whole, &object.value));
    let Some(mut whole) = whole.filter(|whole| *whole != object.value) else { return Arc::clone(&conversion.value) };
    let after = Arc::make_mut(&mut whole);
    match conversion.program.iter().try_for_each(|intent| intent.apply_data(after)) {
        Ok(()) => whole,
        // Verification rejects what was not to be changed.
        Err(_) => Arc::clone(&conversion.value),
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
    let message = format!("{}{}", problem.message, other_place(source, from, problem));
    Finding::new(source.location(from + problem.at), code, severity, message)
        .about(source.finding_object(object))
        .help(help)
}

/// Returns the other place of a problem, where it has one.
fn other_place(source: SourceText<'_>, from: usize, problem: &Problem) -> String {
    let position = problem.other.and_then(|other| source.location(from + other).position);
    position.map_or_else(String::new, |position| format!(" (line {}, column {})", position.line, position.column))
}

/// Reports an inline patch, or another text with an object, that cannot be edited in its file.
fn unwritable(source: SourceText<'_>, object: &Object) -> Finding {
    let what = if object.is_inline_patch() { "inline patch" } else { "text that the object is in" };
    let message =
        format!("the {what} is not converted, because it is neither a literal block nor on one line, or has an anchor");
    Finding::new(source.location(0), Code::InlinePatch, Severity::Held, message)
        .about(source.finding_object(object))
        .help("write it as a literal block (`|`) without an anchor, move it to a file of its own, or change it by hand")
}

/// Reports an object whose document is encrypted.
fn encrypted(manifest: &Manifest, object: &Object, sealed: &sops::Encrypted) -> Finding {
    let what = sealed.what();
    let message = format!("the {what} is encrypted by SOPS, and its checksum covers the values that would change");
    let help = sops::help(&manifest.file);
    Finding::new(manifest.locate(object, &FieldPath::default()), Code::Encrypted, Severity::Held, message)
        .about(manifest.finding_object(object))
        .help(help)
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
fn dropped_comments(block: &[RemovedComment<'_>], object: Option<FindingObject>) -> Finding {
    let RemovedComment { location, comment } = &block[0];
    let message = match block {
        [_] => format!("the comment `{comment}` is removed with its field"),
        lines => format!("the comments of {} lines, from `{comment}` on, are removed with their fields", lines.len()),
    };
    Finding::new(location.clone(), Code::CommentDropped, Severity::Warning, message).about(object)
}

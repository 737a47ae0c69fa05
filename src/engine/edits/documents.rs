//! Which documents and items of lists does a text get or lose, because parts of objects become objects, and objects become parts?
//!
//! The text of a new document is that of its source, rewritten: what leaves the source stands in it as it stood there, with its comments.

use std::sync::Arc;

use serde_json::Value;

use crate::engine::convert::{Conversion, SplitOff};
use crate::engine::manifest::{Object, SourceText};
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::text::{Edit, Span};
use crate::syntax::yaml::{self, Intent, Place, Problem, ProblemCode, Style};

/// A document behind the one that it was a part of.
pub(super) struct NewDocument {
    /// The number of that one.
    pub(super) document: usize,
    text: String,
    pub(super) value: Arc<Value>,
    /// Its comments, all of which the other one had.
    pub(super) comments: Vec<String>,
}

/// Returns whether an object brings another one into its file, or leaves it.
pub(super) fn changes_documents(made: &Conversion) -> bool {
    made.is_removed || !made.split_off.is_empty()
}

/// Returns the list and the index in it of an object that is an item of one.
fn item_of(object: &Object) -> Option<(FieldPath, usize)> {
    let (list, step) = object.place.split_last()?;
    match step {
        Step::Index(index) if list.last_key() == Some("items") => Some((list, *index)),
        Step::Index(_) | Step::Key(_) => None,
    }
}

/// Returns why no object can be added behind `object`, which became `made`, or why it cannot be removed.
pub(super) fn obstacle(source: SourceText<'_>, object: &Object, made: &Conversion) -> Option<Problem> {
    let document = &source.tree().documents()[object.document];
    let root = source.tree().span(document.root);
    let list_kind = || yaml::text_at(source.tree(), source.text(), document.root, "kind");
    let is_item = object.place.steps().len() == 2 && item_of(object).is_some();
    let is_ended = || document.span.of(source.text()).lines().any(|line| line.trim_end() == "...");
    let why = match object.place.steps().is_empty() {
        _ if object.inline_patch.is_some() => "it stands in another object",
        false if !is_item => "it stands in another object",
        false if list_kind().as_deref() != Some("List") => "the list that it stands in is one of one kind",
        true if root.of(source.text()).starts_with('{') => "it is a document in brackets",
        true if is_ended() => "the end of its document is marked with `...`",
        true | false => return None,
    };
    let what = match made.is_removed {
        true => "it would become a part of another object, and be removed",
        false => "a part of it would become an object of its own behind it",
    };
    Some(Problem::new(ProblemCode::WrongShape, root.start, format!("{what}; {why}")))
}

/// Makes the document of what a part of `object` became.
///
/// # Errors
/// Why it cannot be written; the place is an offset in the document of the object.
pub(super) fn new_document(
    source: SourceText<'_>,
    object: &Object,
    part: &SplitOff,
    style: Style,
) -> Result<NewDocument, Problem> {
    let span = source.tree().documents()[object.document].span;
    let tree = source.tree().of_document(object.document);
    let program = [part.made.program.to_vec()];
    let rewritten = yaml::rewrite_document(span.of(source.text()), &tree, &program, style);
    let text = content(&rewritten.map_err(|refusal| refusal.problem)?.text)?;
    let tree = yaml::parse(&text).map_err(|problem| Problem { at: 0, ..problem })?;
    let comments = tree.comments().iter().map(|comment| comment.of(&text).to_owned()).collect();
    Ok(NewDocument { document: object.document, value: Arc::clone(&part.made.value), comments, text })
}

/// Returns the lines of a document from its first to its last value.
fn content(text: &str) -> Result<String, Problem> {
    let tree = yaml::parse(text).map_err(|problem| Problem { at: 0, ..problem })?;
    let Span { start, end } = tree.span(tree.documents()[0].root);
    let start = text[..start].rfind('\n').map_or(0, |feed| feed + 1);
    let end = match text[..end].ends_with('\n') {
        true => end,
        false => text[end..].find('\n').map_or(text.len(), |feed| end + feed + 1),
    };
    // A byte order mark is for the start of a file.
    Ok(text[start..end].trim_start_matches('\u{feff}').to_owned())
}

impl NewDocument {
    /// Returns the edit that writes it.
    pub(super) fn edit(&self, source: SourceText<'_>) -> Edit {
        let Span { end, .. } = source.tree().documents()[self.document].span;
        let text = source.text();
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let own = self.text.trim_end_matches(['\r', '\n']);
        let written = match text[..end].ends_with('\n') {
            true => format!(
                "---{line_end}{}",
                if self.text.ends_with('\n') { self.text.clone() } else { format!("{own}{line_end}") }
            ),
            false => format!("{line_end}---{line_end}{own}"),
        };
        Edit::new(end, end, written)
    }
}

/// Returns the changes of the lists of a document whose items bring others, or leave it; from the last item to the first.
pub(super) fn list_changes<'o>(objects: impl Iterator<Item = (&'o Object, &'o Conversion)>) -> Vec<Intent> {
    let mut items: Vec<_> = objects
        .filter_map(|(object, made)| Some((item_of(object)?, made)))
        .filter(|(_, made)| changes_documents(made))
        .collect();
    items.sort_by(|(one, _), (other, _)| other.cmp(one));
    let mut changes = Vec::new();
    for ((list, index), made) in items {
        let new = made.split_off.iter().rev().map(|one| Intent::Insert {
            path: list.index(index + 1),
            value: one.made.value.as_ref().clone(),
            place: Place::Last,
        });
        changes.extend(new);
        changes.extend(made.is_removed.then(|| Intent::Delete { path: list.index(index) }));
    }
    changes
}

//! Answers: does a changed text have the expected data and comments, and nothing else?
//!
//! The changed text is parsed from scratch. Each document must have the value that the change of plain data gave, or, if nothing
//! was to change, the same bytes as before; only comments that the change named may be missing or new.
//!
//! Invariant: this is the last check before bytes are written, and it shares nothing with the code that made the edits except the tree of
//! the text before; with [`FrontEnd::Exact`], the changed text is parsed by another front end than the text before, unless only one can parse it.

use std::borrow::{Borrow, Cow};
use std::collections::BTreeMap;

use serde_json::Value;

use super::events::parse_exact;
use super::parse::parse;
use super::path::locate;
use super::problem::{Problem, ProblemCode};
use super::tree::Tree;
use super::value::read_value;
use crate::syntax::field::{FieldPath, Step, member};
use crate::syntax::parallel;

/// How many documents a thread checks at once.
const DOCUMENTS_AT_ONCE: usize = 128;

/// The front end that parses a changed text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrontEnd {
    /// The exact parser, which otherwise only parses texts that the fast one cannot.
    #[default]
    Exact,
    /// The fast one, which also parsed the text before.
    Fast,
}

impl FrontEnd {
    fn parse(self, text: &str) -> Result<Tree, Problem> {
        match self {
            Self::Exact => parse_exact(text),
            Self::Fast => parse(text),
        }
    }
}

/// A text before and after a change, and what the change is to do.
#[derive(Clone, Copy, Debug)]
pub struct EditedText<'a, V> {
    /// The text before.
    pub before: &'a str,
    /// Its tree.
    pub tree: &'a Tree,
    /// The text after.
    pub after: &'a str,
    /// The value that each document must have; `None` says that it must not have changed.
    pub expected: &'a [Option<V>],
    /// The comments that are to be missing.
    pub removed_comments: &'a [String],
    /// The comments that are to be new.
    pub added_comments: &'a [String],
}

impl<V: Borrow<Value>> EditedText<'_, V> {
    /// Checks the changed text, document by document; `front_end` reads those that were to change.
    ///
    /// The comments after must be those before without the removed ones and with the added ones. Numbers are compared by value:
    /// `1` is `1.0`.
    ///
    /// # Errors
    /// `VerifyFailed` with a place in the text after, or the problem in reading that.
    pub fn verify(&self, front_end: FrontEnd) -> Result<(), Problem> {
        self.verify_with(&DocumentChanges::default(), front_end, 1)
    }

    /// Checks a changed text that is to have other documents too, on several threads where it has many; 0 are as many as there are processors.
    ///
    /// # Errors
    /// As [`EditedText::verify`].
    pub fn verify_with(
        &self,
        changes: &DocumentChanges<V>,
        front_end: FrontEnd,
        threads: usize,
    ) -> Result<(), Problem> {
        let Self { before, tree, after, expected, .. } = *self;
        let mut comments = Comments::default();
        comments.add_before(self.added_comments.iter().map(String::as_str));
        if let ([document], [Some(value)]) = (tree.documents(), expected)
            && changes.is_empty()
        {
            // A text of one document is parsed once.
            comments.add_before(tree.comments_in(document.span).iter().map(|comment| comment.of(before)));
            comments.add_after(verify_value(after, 0, &front_end.parse(after)?, value.borrow())?);
            return comments.verify(self.removed_comments);
        }
        let new = parse(after)?;
        let wanted = changes.documents(tree.documents().len(), expected);
        let [before_count, after_count] = [tree.documents().len(), new.documents().len()];
        if expected.len() != before_count || after_count != wanted.len() {
            let count = wanted.len();
            return Err(failed(0, format!("{before_count} documents became {after_count}, expected {count}")));
        }
        let of_removed = changes.removed.iter().map(|number| tree.documents()[*number].span);
        comments.add_before(of_removed.flat_map(|span| tree.comments_in(span)).map(|comment| comment.of(before)));
        let verify = |number: usize| {
            let (old, expected): (Option<usize>, Option<&Value>) = wanted[number];
            let (span, old) = (new.documents()[number].span, old.map(|number| tree.documents()[number].span));
            let text = span.of(after);
            match expected {
                Some(value) => {
                    let alone = match front_end {
                        FrontEnd::Exact => Cow::Owned(
                            parse_exact(text).map_err(|problem| Problem { at: span.start + problem.at, ..problem })?,
                        ),
                        FrontEnd::Fast => new.of_document(number),
                    };
                    verify_value(text, span.start, &alone, value)
                }
                // Bytes that can be parsed alone read the same in either text.
                None if old.is_some_and(|old| old.of(before) == text) => Ok(Vec::new()),
                None => Err(failed(span.start, "a document changed that should have stayed the same")),
            }
        };
        let verified = parallel::map(wanted.len(), DOCUMENTS_AT_ONCE, threads, &verify);
        for ((old, expected), comments_after) in wanted.iter().zip(verified) {
            let changed = old.filter(|_| expected.is_some()).map(|number| tree.documents()[number].span);
            let of_old = changed.into_iter().flat_map(|span| tree.comments_in(span));
            comments.add_before(of_old.map(|comment| comment.of(before)));
            comments.add_after(comments_after?);
        }
        comments.verify(self.removed_comments)
    }
}

/// The documents that a changed text is to have besides those before, or is not to have any more.
#[derive(Clone, Debug)]
pub struct DocumentChanges<V> {
    /// The values of new documents, each with the number of the document that it is behind, in their order.
    pub new: Vec<(usize, V)>,
    /// The numbers of those that are removed.
    pub removed: Vec<usize>,
}

impl<V> Default for DocumentChanges<V> {
    fn default() -> Self {
        Self { new: Vec::new(), removed: Vec::new() }
    }
}

impl<V: Borrow<Value>> DocumentChanges<V> {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.new.is_empty() && self.removed.is_empty()
    }

    /// Returns the number in the changed text of the document `number` before.
    pub fn number_after(&self, number: usize) -> usize {
        let new = self.new.iter().filter(|(before, _)| *before < number).count();
        number + new - self.removed.iter().filter(|removed| **removed < number).count()
    }

    /// Returns the documents of the changed text: the number of each before, and the value that it must have.
    fn documents<'v>(&'v self, count: usize, expected: &'v [Option<V>]) -> Vec<(Option<usize>, Option<&'v Value>)> {
        let mut documents = Vec::new();
        for number in 0..count {
            if !self.removed.contains(&number) {
                let value = expected.get(number).and_then(Option::as_ref).map(Borrow::borrow);
                documents.push((Some(number), value));
            }
            let behind = self.new.iter().filter(|(before, _)| *before == number);
            documents.extend(behind.map(|(_, value)| (None, Some(value.borrow()))));
        }
        documents
    }
}

fn failed(at: usize, message: impl Into<String>) -> Problem {
    Problem::new(ProblemCode::VerifyFailed, at, message)
}

/// A comment, and where it starts.
type CommentAt<'t> = (usize, &'t str);

/// Checks a changed document, whose text starts at `start` and has the tree `tree`, and returns its comments.
fn verify_value<'t>(text: &'t str, start: usize, tree: &Tree, expected: &Value) -> Result<Vec<CommentAt<'t>>, Problem> {
    let [alone] = tree.documents() else {
        return Err(failed(start, format!("one document became {}", tree.documents().len())));
    };
    let value = read_value(tree, text, alone.root).map_err(|problem| Problem { at: start + problem.at, ..problem })?;
    match first_difference(expected, &value) {
        None => Ok(tree.comments().iter().map(|comment| (start + comment.start, comment.of(text))).collect()),
        Some(path) => {
            let at = start + locate(tree, text, alone.root, &path).start;
            Err(failed(at, format!("`{path}` does not have the expected value")))
        }
    }
}

/// The comments of the changed documents: how often each occurs before but not after.
#[derive(Default)]
struct Comments<'t> {
    counts: BTreeMap<&'t str, isize>,
    new: Vec<CommentAt<'t>>,
}

impl<'t> Comments<'t> {
    fn add_before(&mut self, old: impl Iterator<Item = &'t str>) {
        old.for_each(|comment| *self.counts.entry(comment).or_default() += 1);
    }

    fn add_after(&mut self, new: Vec<CommentAt<'t>>) {
        self.new.extend(new);
    }

    fn verify(mut self, removed: &'t [String]) -> Result<(), Problem> {
        for comment in removed {
            *self.counts.entry(comment).or_default() -= 1;
        }
        for (at, text) in self.new {
            let count = self.counts.entry(text).or_default();
            *count -= 1;
            if *count < 0 {
                return Err(failed(at, format!("comment `{text}` was not there before")));
            }
        }
        match self.counts.into_iter().find(|(_, count)| *count != 0) {
            None => Ok(()),
            Some((text, _)) => Err(failed(0, format!("comment `{text}` is lost"))),
        }
    }
}

/// Returns the path of the first place where two values differ; the order of keys does not count.
pub fn first_difference(expected: &Value, found: &Value) -> Option<FieldPath> {
    let below = |step: Step, inner: FieldPath| FieldPath::new([step]).join(&inner);
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            let differing = expected.iter().find_map(|(key, value)| {
                let inner =
                    member(found, key).map_or(Some(FieldPath::default()), |found| first_difference(value, found))?;
                Some(below(Step::Key(key.clone()), inner))
            });
            // Where nothing that is expected is missing, and there is as much, there is nothing else.
            let mut keys = found.keys().filter(|_| expected.len() != found.len());
            let extra = || keys.find(|key| !expected.contains_key(*key)).map(|key| FieldPath::default().key(key));
            differing.or_else(extra)
        }
        (Value::Array(expected), Value::Array(found)) => {
            let inner = expected.iter().zip(found).enumerate().find_map(|(index, (expected, found))| {
                Some(below(Step::Index(index), first_difference(expected, found)?))
            });
            inner.or_else(|| (expected.len() != found.len()).then(FieldPath::default))
        }
        (Value::Number(expected), Value::Number(found)) => {
            let same =
                expected == found || (expected.is_f64() || found.is_f64()) && expected.as_f64() == found.as_f64();
            (!same).then(FieldPath::default)
        }
        _ => (expected != found).then(FieldPath::default),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const BEFORE: &str = "a: 1 # x\n---\n# y\nb: {c: [1, 2]}\n";

    /// Verifies with both front ends, which must agree.
    fn verify(
        before: &str,
        after: &str,
        expected: &[Option<Value>],
        removed: &[&str],
        added: &[&str],
    ) -> Result<(), Problem> {
        let [removed, added] =
            [removed, added].map(|texts| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        let (removed_comments, added_comments) = (&removed[..], &added[..]);
        let tree = &parse(before)?;
        let edited = EditedText { before, tree, after, expected, removed_comments, added_comments };
        let [exact, fast] = [FrontEnd::Exact, FrontEnd::Fast].map(|front_end| edited.verify(front_end));
        assert_eq!(exact, fast);
        exact
    }

    #[track_caller]
    fn check(after: &str, expected: &[Option<Value>], removed: &[&str]) {
        assert_eq!(verify(BEFORE, after, expected, removed, &[]), Ok(()));
    }

    #[track_caller]
    fn check_refused(after: &str, expected: &[Option<Value>], removed: &[&str], message: &str) {
        assert_eq!(verify(BEFORE, after, expected, removed, &[]).unwrap_err().message, message);
    }

    #[track_caller]
    fn check_documents(after: &str, changes: &DocumentChanges<Value>, comments: [&str; 2], message: Option<&str>) {
        let tree = &parse(BEFORE).unwrap();
        let [removed, added] = comments.map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
        let expected = &[None, None];
        let edited =
            EditedText { before: BEFORE, tree, after, expected, removed_comments: &removed, added_comments: &added };
        for front_end in [FrontEnd::Exact, FrontEnd::Fast] {
            let problem = edited.verify_with(changes, front_end, 2).err();
            assert_eq!(problem.map(|problem| problem.message).as_deref(), message);
        }
    }

    #[test]
    fn documents_are_added_and_removed_where_they_are_to_be() {
        let new = |document, value| DocumentChanges { new: vec![(document, value)], removed: Vec::new() };
        let after = BEFORE.replace("---\n", "---\nn: 1 # z\n---\n");
        check_documents(&after, &new(0, json!({"n": 1})), ["", "# z"], None);
        check_documents(&after, &new(0, json!({"n": 2})), ["", "# z"], Some("`n` does not have the expected value"));
        check_documents(&after, &new(0, json!({"n": 1})), ["", ""], Some("comment `# z` was not there before"));
        check_documents(&after, &DocumentChanges::default(), ["", "# z"], Some("2 documents became 3, expected 2"));
        let moved = Some("a document changed that should have stayed the same");
        check_documents(&format!("n: 1\n---\n{BEFORE}"), &new(0, json!({"n": 1})), ["", ""], moved);
        let without = DocumentChanges { new: Vec::new(), removed: vec![1] };
        check_documents("a: 1 # x\n", &without, ["# y", ""], None);
        check_documents("a: 1 # x\n", &without, ["", ""], Some("comment `# y` is lost"));
        check_documents(BEFORE, &without, ["# y", ""], Some("2 documents became 2, expected 1"));
    }

    #[test]
    fn a_correct_change_passes() {
        check(BEFORE, &[None, None], &[]);
        check("a: 1 # x\n---\n# y\nb: {c: [1]}\n", &[None, Some(json!({"b": {"c": [1.0]}}))], &[]);
        check("a: 1\n---\n# y\nb: {c: [1, 2]}\n", &[Some(json!({"a": 1})), None], &["# x"]);
    }

    #[test]
    fn a_wrong_value_is_reported() {
        let expected = [None, Some(json!({"b": {"c": [1, 3]}}))];
        check_refused(BEFORE, &expected, &[], "`b.c[1]` does not have the expected value");
        let problem = verify(BEFORE, BEFORE, &expected, &[], &[]).unwrap_err();
        assert_eq!((problem.code, problem.at), (ProblemCode::VerifyFailed, BEFORE.find("2]").unwrap()));
        check_refused(BEFORE, &[None, Some(json!({}))], &[], "`b` does not have the expected value");
        check_refused(BEFORE, &[None, Some(json!({"b": "1"}))], &[], "`b` does not have the expected value");
    }

    #[test]
    fn a_result_that_cannot_be_read_is_rejected() {
        let expected = [Some(json!({"b": 1, "a": 2}))];
        let problem = verify("a: 1\na: 2\n", "b: 1\na: 2\na: 2\n", &expected, &[], &[]);
        assert_eq!(problem.unwrap_err().code, ProblemCode::DuplicateKey);
    }

    #[test]
    fn an_untouched_document_keeps_its_bytes() {
        let after = BEFORE.replace("a: 1 #", "a: 1  #");
        check_refused(&after, &[None, None], &[], "a document changed that should have stayed the same");
    }

    #[test]
    fn comments_and_documents_are_counted() {
        let after = BEFORE.replace("# y\n", "");
        let value = || [None, Some(json!({"b": {"c": [1, 2]}}))];
        check_refused(&after, &value(), &[], "comment `# y` is lost");
        check_refused(BEFORE, &value(), &["# y"], "comment `# y` was not there before");
        check_refused("a: 1 # x\n", &value(), &[], "2 documents became 1, expected 2");
    }

    #[test]
    fn a_comment_with_another_text_is_removed_and_added() {
        let after = BEFORE.replace("# y", "# z");
        let expected = [None, Some(json!({"b": {"c": [1, 2]}}))];
        assert_eq!(verify(BEFORE, &after, &expected, &["# y"], &["# z"]), Ok(()));
        for (removed, added) in [("# y", "# Z"), ("# Z", "# z"), ("# z", "# y")] {
            let problem = verify(BEFORE, &after, &expected, &[removed], &[added]).unwrap_err();
            assert_eq!(problem.code, ProblemCode::VerifyFailed);
        }
    }

    #[test]
    fn a_document_that_cannot_be_read_is_compared_as_bytes() {
        let before = "a: 1\na: 2\n---\nb: 1\n";
        let after = before.replace("b: 1", "b: 2");
        assert_eq!(verify(before, &after, &[None, Some(json!({"b": 2}))], &[], &[]), Ok(()));
    }
}

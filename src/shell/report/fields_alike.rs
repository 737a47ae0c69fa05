//! Which findings say the same of several fields of one object?
//!
//! Invariant: every field and everything that is to be done stays in the text.

use std::collections::BTreeMap;

use super::document::FindingRecord;
use super::escape::help_and_text;
use crate::engine::finding::{Location, Severity};

/// What stands for the field in a sentence that several findings share.
const FIELD: &str = "\u{0}";

/// Makes one finding, at the first place, of those that say the same of several fields of one object, in the order of the first ones.
pub(super) fn joined(findings: &[FindingRecord]) -> Vec<FindingRecord> {
    let mut at: BTreeMap<_, usize> = BTreeMap::new();
    let mut together: Vec<Vec<&FindingRecord>> = Vec::new();
    for finding in findings {
        let Some(key) = key(finding) else {
            together.push(vec![finding]);
            continue;
        };
        let number = *at.entry(key).or_insert(together.len());
        if number == together.len() {
            together.push(Vec::new());
        }
        together[number].push(finding);
    }
    together.into_iter().map(|findings| join(&findings)).collect()
}

/// What findings share that are printed as one: the object and the others, the severity and code, the sentence without the field, and how what to
/// do begins.
type Key<'f> = (&'f Location, Vec<&'f str>, (Severity, &'f str), String, Option<&'f str>);

fn key(finding: &FindingRecord) -> Option<Key<'_>> {
    let (object, field) = (finding.object.as_ref()?, finding.field.as_deref()?);
    let (sentence, _) = sentence(finding);
    let help = finding.help.as_deref();
    let is_sayable = sentence.contains(field) && help.is_none_or(|help| help_and_text(help).1.is_none());
    let others = finding.others.iter().map(|other| other.title.as_str()).collect();
    let shape = sentence.replace(field, FIELD);
    let beginning = help.map(|help| action(help).0);
    is_sayable.then_some((&object.location, others, (finding.severity, &*finding.code), shape, beginning))
}

/// Separates a sentence from the places of other objects behind it.
fn sentence(finding: &FindingRecord) -> (&str, &str) {
    let end = finding.message.rfind(" (").filter(|_| !finding.others.is_empty() && finding.message.ends_with(')'));
    finding.message.split_at(end.unwrap_or(finding.message.len()))
}

/// Separates what is to be done from what it is done to: `configure by hand: NginxProxy spec.metrics`.
fn action(help: &str) -> (&str, &str) {
    help.split_once(": ").unwrap_or((help, ""))
}

fn join(findings: &[&FindingRecord]) -> FindingRecord {
    let first = *findings.iter().min_by_key(|finding| &finding.location).expect("there is at least one");
    let others = findings.iter().filter(|finding| finding.field != first.field);
    let fields: Vec<&str> = others.filter_map(|finding| finding.field.as_deref()).collect();
    if fields.is_empty() {
        return first.clone();
    }
    let (sentence, places) = sentence(first);
    let message = format!("{sentence}; so with {}{places}", fields.join(", "));
    let mut done: Vec<&str> = findings.iter().filter_map(|finding| Some(action(finding.help.as_deref()?).1)).collect();
    done.dedup();
    let help = first.help.as_deref().map(|help| match &*done {
        [_] => help.to_owned(),
        several => format!("{}: {}", action(help).0, several.join("; ")),
    });
    FindingRecord { message, help, ..first.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::finding::{Code, Finding, FindingObject};
    use crate::syntax::field::FieldPath;

    fn record(object: &str, field: &str, help: &str) -> FindingRecord {
        let location = Location { file: format!("{object}.yaml"), position: None };
        let message = format!("{field} is not edited");
        let finding = Finding::new(location.clone(), Code::Advisory, Severity::Warning, message).help(help);
        let about = Some(FindingObject::new(object.to_owned(), location));
        let field = FieldPath::default().key(field).to_string();
        FindingRecord::new(&Finding { field: Some(field), ..finding.about(about) })
    }

    fn texts(findings: &[FindingRecord]) -> Vec<(String, Option<String>)> {
        joined(findings).into_iter().map(|one| (one.message, one.help)).collect()
    }

    #[test]
    fn fields_of_one_object_are_one_finding_with_all_that_is_to_be_done() {
        let findings = [
            record("a", "x", "configure: C x"),
            record("a", "y", "configure: C y"),
            record("b", "x", "configure: C x"),
        ];
        let expected = [
            ("x is not edited; so with y".to_owned(), Some("configure: C x; C y".to_owned())),
            ("x is not edited".to_owned(), Some("configure: C x".to_owned())),
        ];
        assert_eq!(texts(&findings), expected);
        let same = [record("a", "x", "check it"), record("a", "y", "check it")];
        assert_eq!(texts(&same), [("x is not edited; so with y".to_owned(), Some("check it".to_owned()))]);
    }

    #[test]
    fn what_is_done_in_other_ways_or_copied_stays_apart() {
        let apart = [record("a", "x", "remove it"), record("a", "y", "write it"), record("a", "z", "add:\nz: 1")];
        assert_eq!(texts(&apart).len(), 3);
    }
}

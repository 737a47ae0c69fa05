//! Which findings say the same of several fields of one object?
//!
//! Invariant: every field and everything that is to be done stays in the text.

use std::collections::BTreeMap;

use super::count::plural;
use super::document::FindingRecord;
use super::escape::help_and_text;
use super::finding_list::sentence;
use crate::engine::finding::{Location, Severity};

/// What stands for the field in a sentence that several findings share.
const FIELD: &str = "\u{0}";

/// What stands between an action and what it is done to, one in a line, where a help is about several fields.
pub(super) const PARTS: &str = ":\u{0}\n";

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

/// What findings share that are printed as one: the object and the others, the severity and code, the sentence without what it is about and
/// the rest of the field, and how what to do begins.
type Key<'f> = (&'f Location, Vec<&'f str>, (Severity, &'f str), (String, &'f str), Option<&'f str>);

fn key(finding: &FindingRecord) -> Option<Key<'_>> {
    let object = finding.object.as_ref()?;
    let (sentence, _) = sentence(finding);
    let (subject, rest) = subject(sentence, finding.field.as_deref()?)?;
    let others = finding.others.iter().map(|other| other.title.as_str()).collect();
    let shape = (sentence.replace(subject, FIELD), rest);
    // A text to be copied is one for all.
    let beginning = finding.help.as_deref().map(|help| match help_and_text(help) {
        (_, Some(_)) => help,
        (help, None) => action(help).0,
    });
    Some((&object.location, others, (finding.severity, &*finding.code), shape, beginning))
}

/// Separates what `sentence` is about, which is `field` or what it is in, from the rest of the field.
fn subject<'f>(sentence: &str, field: &'f str) -> Option<(&'f str, &'f str)> {
    let ends = field.char_indices().rev().filter(|(_, sign)| ['.', '['].contains(sign)).map(|(at, _)| at);
    let is_named = |end: &usize| {
        let behind = sentence.split(&field[..*end]).skip(1).map(|rest| rest.chars().next());
        let mut names = behind.map(|next| next.is_none_or(|next| !next.is_alphanumeric() && !".[-_".contains(next)));
        sentence.contains(&field[..*end]) && names.all(|is_name| is_name)
    };
    // What a field is in has a place in a list, or its name could be any word.
    let is_of_list = |end: &usize| field[..*end].ends_with(']');
    let whole = std::iter::once(field.len()).filter(|_| sentence.contains(field));
    whole.chain(ends.filter(is_of_list).filter(is_named)).next().map(|end| field.split_at(end))
}

/// Separates what is to be done from what it is done to: `configure by hand: NginxProxy spec.metrics`.
fn action(help: &str) -> (&str, &str) {
    help.split_once(": ").unwrap_or((help, ""))
}

fn join(findings: &[&FindingRecord]) -> FindingRecord {
    let first = *findings.iter().min_by_key(|finding| &finding.location).expect("there is at least one");
    let (sentence, places) = sentence(first);
    let about = |finding: &FindingRecord| {
        let field = finding.field.clone().unwrap_or_default();
        subject(self::sentence(finding).0, &field).map_or_else(String::new, |(subject, _)| subject.to_owned())
    };
    let own = about(first);
    let mut fields: Vec<String> = findings.iter().map(|finding| about(finding)).filter(|field| *field != own).collect();
    fields.dedup();
    if fields.is_empty() {
        return first.clone();
    }
    let done = findings.iter().filter_map(|finding| Some((about(finding), action(finding.help.as_deref()?).1)));
    let done: Vec<(String, &str)> = done.collect();
    let is_one = done.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let help = first.help.as_deref().map(|help| match is_one {
        true => help.to_owned(),
        false => {
            let parts: Vec<String> = done.iter().map(|(field, what)| format!("{field}: {what}")).collect();
            format!("{}{PARTS}{}", action(help).0, parts.join("\n"))
        }
    });
    // What is done names the fields too.
    let with = if is_one { fields.join(", ") } else { plural(fields.len(), "more field") };
    FindingRecord { message: format!("{sentence}; so with {with}{places}"), help, ..first.clone() }
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
            ("x is not edited; so with 1 more field".to_owned(), Some(format!("configure{PARTS}x: C x\ny: C y"))),
            ("x is not edited".to_owned(), Some("configure: C x".to_owned())),
        ];
        assert_eq!(texts(&findings), expected);
        let same = [record("a", "x", "check it"), record("a", "y", "check it")];
        assert_eq!(texts(&same), [("x is not edited; so with y".to_owned(), Some("check it".to_owned()))]);
    }

    #[test]
    fn what_is_said_of_items_of_a_list_is_one_finding() {
        let of = |field: &str, message: &str, help: &str| FindingRecord {
            field: Some(field.to_owned()),
            message: message.to_owned(),
            ..record("a", "x", help)
        };
        let hook = |at: usize| {
            let message = format!("webhooks[{at}].rules[0] matches boxes in v1beta1");
            of(&format!("webhooks[{at}].rules[0].apiVersions"), &message, "write v1 there by hand")
        };
        let expected =
            "webhooks[0].rules[0] matches boxes in v1beta1; so with webhooks[1].rules[0], webhooks[2].rules[0]";
        let help = Some("write v1 there by hand".to_owned());
        assert_eq!(texts(&[hook(0), hook(1), hook(2)]), [(expected.to_owned(), help)]);
        // A text to be copied is the same for all, or what it is for stays apart.
        let rule = |at: usize, text: &str| {
            let field = format!("rules[{at}]");
            of(&field, &format!("{field} names boxes"), &format!("add:\n{text}"))
        };
        assert_eq!(texts(&[rule(0, "a: 1"), rule(1, "a: 1"), rule(2, "a: 2")]).len(), 2);
        // What is in a longer name is none.
        assert_eq!(texts(&[of("a[0].b", "see a[0]-x", ""), of("a[1].b", "see a[1]-x", "")]).len(), 2);
    }

    #[test]
    fn what_is_done_in_other_ways_or_copied_stays_apart() {
        let apart = [record("a", "x", "remove it"), record("a", "y", "write it"), record("a", "z", "add:\nz: 1")];
        assert_eq!(texts(&apart).len(), 3);
    }
}

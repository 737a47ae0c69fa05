//! Which findings are accepted, by a comment in the manifest or by the configuration, and which objects are left as they are for that?
//!
//! An object whose change is accepted (`changes-needed`, or a rule that would change it) is not converted: [`kept`] holds it back, and
//! with it what would be inconsistent with it. [`partition`] separates what is accepted from what is reported.
//!
//! Invariant: an error is never accepted; what accepts nothing is reported, under `unused-ignore`.

use std::collections::{BTreeMap, BTreeSet};

use super::planner::Planner;
use super::withheld::would_change;
use crate::engine::convert::{Comments, Conversion, Goal, ObjectPlan, Remark, change};
use crate::engine::finding::{Acknowledged, AcknowledgedBy, Code, Finding, Location, Severity};
use crate::engine::links::{Id, TiedFiles};
use crate::engine::manifest::{Ignore, Ignores, Manifest, Object};
use crate::knowledge::lens::Direction;
use crate::knowledge::pack::{Pack, near};
use crate::syntax::field::FieldPath;
use crate::syntax::text::Position;

/// The rules that change an object, or would.
type Rules = [(String, Direction)];

/// Returns the comments of a file that count.
pub(super) fn ignores<'m>(manifest: &'m Manifest, goal: &Goal<'_>) -> Option<&'m Ignores> {
    match goal.choices.comments {
        Comments::Respect if !manifest.ignores.all().is_empty() => Some(&manifest.ignores),
        Comments::Respect | Comments::Disregard => None,
    }
}

/// Returns whether object number `at` is left as it is, although `rules` would change it.
fn is_kept(goal: &Goal<'_>, manifest: &Manifest, at: usize, rules: &Rules) -> bool {
    if goal.choices.ignored.has(&manifest.file, Code::ChangesNeeded) {
        return true;
    }
    let Some(ignores) = ignores(manifest, goal) else { return false };
    let position = manifest.locate(&manifest.objects[at], &FieldPath::default()).position;
    let keeps = |position, at: usize| keeps_at(&ignores.all()[at], position, rules).next().is_some();
    position.is_some_and(|position| ignores.about(position).into_iter().any(|at| keeps(position, at)))
}

/// Returns the numbers of the names in a comment for which an object that starts at `position` is left as it is, although `rules`
/// would change it. A comment about a part of the object can only name a rule.
fn keeps_at<'i>(ignore: &'i Ignore, position: Position, rules: &'i Rules) -> impl Iterator<Item = usize> + 'i {
    let (is_whole, is_part) = (ignore.has(position), ignore.object == Some(position));
    let keeps = move |name: &str| {
        let names_rule = || rules.iter().any(|(rule, _)| is_rule(name, rule));
        (is_whole && name == Code::ChangesNeeded.name()) || ((is_whole || is_part) && names_rule())
    };
    ignore.names.iter().enumerate().filter(move |(_, name)| keeps(name)).map(|(number, _)| number)
}

/// Returns whether `name` is that of a rule, or the last part of it.
fn is_rule(name: &str, rule: &str) -> bool {
    rule.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Returns whether an object is held back by itself.
fn is_blocked(made: &Conversion) -> bool {
    !made.blocks.is_empty()
}

/// Returns the objects that are left as they are and may change otherwise, with the finding that says so.
pub(super) fn kept(planner: &Planner<'_>, linked: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let kept = |(id, manifest, object): (Id, &Manifest, &Object)| {
        let made = linked.conversion(id);
        let rules = made.map_or(&[][..], |made| &made.rules);
        // What is held back anyway does not change, and says why.
        let may_change = || would_change(linked, id) && !made.is_some_and(is_blocked);
        (is_kept(planner.goal(), manifest, id.at, rules) && may_change()).then(|| {
            let unchanged = (&object.kind, object.api_version.to_string());
            let version =
                |made: &Conversion| made.value.get("apiVersion").and_then(|value| value.as_str()).map(str::to_owned);
            let becomes = made.and_then(|made| Some((&made.kind, version(made)?))).unwrap_or_else(|| unchanged.clone());
            let message = change(unchanged.0, &unchanged.1, becomes.0, &becomes.1);
            let remark = Remark::new(Code::ChangesNeeded, FieldPath::default(), message);
            (id, linked.finding(id, &remark, Severity::Held))
        })
    };
    linked.objects().filter_map(kept).collect()
}

/// Returns the objects that are held back for a comment of which nobody knows what it is meant to accept: their change, perhaps.
pub(super) fn unclear(planner: &Planner<'_>, linked: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let about = |(id, manifest, object): (Id, &Manifest, &Object)| {
        let ignores = ignores(manifest, planner.goal()).filter(|_| would_change(linked, id))?;
        let position = manifest.locate(object, &FieldPath::default()).position?;
        let mut comments = ignores.about(position).into_iter().map(|at| &ignores.all()[at]);
        let comment = comments.find_map(|ignore| about_invalid(planner.goal(), ignore).into_iter().next())?;
        let of_object = linked.finding(id, &Remark::new(comment.code, FieldPath::default(), ""), Severity::Held);
        Some((id, Finding { object: of_object.object, severity: Severity::Held, ..comment }))
    };
    linked.objects().filter_map(about).collect()
}

/// Leaves an object as it is, of which it is known what it would have become; the rules are kept for the comments that name them.
pub(super) fn leave(made: Conversion, object: &Object) -> Conversion {
    let rules = made.rules.clone();
    let mut left = made.hold_back(object);
    left.blocks.clear();
    Conversion { rules, ..left }
}

/// What there is to accept, and to accept it by.
pub(super) struct Accepting<'a> {
    pub(super) goal: &'a Goal<'a>,
    /// The comments of each file that is reported.
    pub(super) ignores: &'a [Ignores],
    /// The objects, those that are left as they are with the rules that would change them.
    pub(super) objects: &'a [ObjectPlan],
}

/// A name in a comment: the numbers of the file, of the comment and of the name.
type Name = (usize, usize, usize);

/// Separates what is accepted among `findings`, which are sorted, from the others; those about the comments are added to these.
pub(super) fn partition(findings: Vec<Finding>, accepting: &Accepting<'_>) -> (Vec<Finding>, Vec<Acknowledged>) {
    let (mut open, mut acknowledged) = (Vec::new(), Vec::new());
    let mut used: BTreeSet<Name> = BTreeSet::new();
    let by_file: BTreeMap<&str, usize> = accepting.files().collect();
    let rules: BTreeMap<&Location, &Rules> = match by_file.is_empty() {
        true => BTreeMap::new(),
        false => accepting.objects.iter().map(|object| (&object.location, &*object.rules)).collect(),
    };
    // What holds an object back is not reported at the comment too.
    let told: Vec<Finding> = findings.iter().filter(|finding| finding.code == Code::InvalidIgnore).cloned().collect();
    let is_told = |one: &Finding| told.iter().any(|told| told.location == one.location && told.message == one.message);
    for finding in findings {
        let of_object = rules.get(&finding.location).copied().unwrap_or_default();
        let file = by_file.get(finding.location.file.as_str()).copied();
        let by_comment = file.map_or_else(Vec::new, |file| accepting.by_comments(&finding, file, of_object));
        used.extend(by_comment.iter().copied());
        used.extend(file.into_iter().flat_map(|file| accepting.by_comments_at_held(&finding, file)));
        let by = match by_comment.first() {
            Some((file, at, _)) => Some((AcknowledgedBy::Comment, accepting.ignores[*file].all()[*at].reason.clone())),
            None => accepting.is_configured(&finding).then_some((AcknowledgedBy::Config, None)),
        };
        match by {
            Some((by, reason)) => {
                let is_kept = finding.code == Code::ChangesNeeded;
                let severity = if is_kept { Severity::Warning } else { finding.severity };
                acknowledged.push(Acknowledged { finding: Finding { severity, ..finding }, by, reason });
            }
            None => open.push(finding),
        }
    }
    let mut about_comments = accepting.about_comments(&used);
    about_comments.retain(|one| !is_told(one));
    if !about_comments.is_empty() {
        open.extend(about_comments);
        open.sort();
    }
    (open, acknowledged)
}

impl Accepting<'_> {
    /// Returns the files that have comments, each with its number.
    fn files(&self) -> impl Iterator<Item = (&str, usize)> {
        let first = self.ignores.iter().map(|ignores| ignores.all().first());
        first.enumerate().filter_map(|(file, first)| Some((first?.location.file.as_str(), file)))
    }

    /// Returns the names in the comments of file number `file` that accept a finding.
    fn by_comments(&self, finding: &Finding, file: usize, rules: &Rules) -> Vec<Name> {
        let Some(position) = finding.location.position.filter(|_| finding.severity != Severity::Error) else {
            return Vec::new();
        };
        let named = |at: usize| {
            let ignore = &self.ignores[file].all()[at];
            let numbers: Vec<usize> = match finding.code {
                Code::ChangesNeeded => keeps_at(ignore, position, rules).collect(),
                code => {
                    let names = ignore.names.iter().enumerate().filter(|(_, name)| *name == code.name());
                    names.filter(|_| ignore.has(position)).map(|(number, _)| number).collect()
                }
            };
            numbers.into_iter().map(move |number| (file, at, number))
        };
        self.ignores[file].about(position).into_iter().flat_map(named).collect()
    }

    /// Returns what in the comments of file number `file` accepts a change of the object that a finding holds back: nobody knows that
    /// it would not change.
    fn by_comments_at_held(&self, finding: &Finding, file: usize) -> Vec<Name> {
        let held = finding.object.as_ref().filter(|_| finding.severity == Severity::Held);
        let Some(position) = held.and_then(|object| object.location.position) else { return Vec::new() };
        let is_change = |name: &str| Code::parse(name).is_none_or(|code| code == Code::ChangesNeeded);
        let named = |at: usize| {
            let names = self.ignores[file].all()[at].names.iter().enumerate().filter(move |(_, name)| is_change(name));
            names.map(move |(number, _)| (file, at, number))
        };
        self.ignores[file].about(position).into_iter().flat_map(named).collect()
    }

    fn is_configured(&self, finding: &Finding) -> bool {
        finding.severity != Severity::Error && self.goal.choices.ignored.has(&finding.location.file, finding.code)
    }

    /// Reports comments that are not valid, and those of which a name is not `used`.
    fn about_comments(&self, used: &BTreeSet<Name>) -> Vec<Finding> {
        let mut found = Vec::new();
        let of_file = |(file, ignores): (usize, &'_ Ignores)| (0..ignores.all().len()).map(move |at| (file, at));
        for (file, at) in self.ignores.iter().enumerate().flat_map(of_file) {
            let ignore = &self.ignores[file].all()[at];
            found.extend(about_invalid(self.goal, ignore));
            for (number, name) in ignore.names.iter().enumerate() {
                if is_name(self.goal, name) && !used.contains(&(file, at, number)) {
                    found.push(unused(ignore, name));
                }
            }
        }
        found
    }
}

/// Returns whether `name` is that of a finding code or a rule.
fn is_name(goal: &Goal<'_>, name: &str) -> bool {
    Code::parse(name).is_some() || rules(goal).any(|rule| is_rule(name, rule))
}

fn rules<'g>(goal: &'g Goal<'_>) -> impl Iterator<Item = &'g str> {
    goal.packs.iter().flat_map(Pack::rules).map(|rule| rule.id.as_str())
}

/// Reports a comment that names nothing, or what it names that is neither a code nor a rule: nobody knows what it is meant to accept.
fn about_invalid(goal: &Goal<'_>, ignore: &Ignore) -> Vec<Finding> {
    if ignore.names.is_empty() {
        let message = "as it is written, the comment acknowledges nothing".to_owned();
        let help = "write `# reversion: ignore[CODE] reason`".to_owned();
        return vec![about_comment(ignore, Code::InvalidIgnore, message, help)];
    }
    let invalid = |name: &String| {
        let last_parts = rules(goal).filter_map(|rule| rule.rsplit('/').next());
        let names = Code::ALL.iter().map(|code| code.name()).chain(last_parts).chain(rules(goal));
        let help = match near(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write the code in brackets that a finding is printed with".to_owned(),
        };
        let message = format!("`{name}` is neither a finding code nor a rule");
        about_comment(ignore, Code::InvalidIgnore, message, help)
    };
    ignore.names.iter().filter(|name| !is_name(goal, name)).map(invalid).collect()
}

/// Reports a name in a comment that accepts nothing.
fn unused(ignore: &Ignore, name: &str) -> Finding {
    let is_misplaced = name == Code::ChangesNeeded.name() && ignore.object.is_some();
    let (message, help) = match (ignore.about, Code::parse(name)) {
        (None, _) => (
            format!("the comment is at nothing that `{name}` could be found at"),
            "write it behind a field or the first line of an object, or on a line above".to_owned(),
        ),
        (Some(_), Some(_)) if is_misplaced => (
            format!("`{name}` is found at objects, and the comment is at a field"),
            "write it behind the first line of the object, or on a line above".to_owned(),
        ),
        (Some(_), Some(_)) => (format!("there is no `{name}` here"), removal(ignore, name)),
        (Some(_), None) => (format!("the rule `{name}` would change nothing here"), removal(ignore, name)),
    };
    about_comment(ignore, Code::UnusedIgnore, message, help)
}

fn removal(ignore: &Ignore, name: &str) -> String {
    if ignore.names.len() == 1 { "remove the comment".to_owned() } else { format!("remove `{name}` from the comment") }
}

fn about_comment(ignore: &Ignore, code: Code, message: String, help: String) -> Finding {
    let location = ignore.location.clone();
    // Who wrote such a comment expects that something is accepted.
    let severity = if code == Code::InvalidIgnore { Severity::Unresolved } else { Severity::Warning };
    Finding::new(location, code, severity, message).help(help)
}

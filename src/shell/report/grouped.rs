//! What a run found, for people: each object with its rules and findings, one sentence once, and what remains to be done by hand.
//!
//! What fails comes first, then what is held back, what changes, and warnings; each in the order of places. Every line about a place
//! starts with all of it, so that it can be opened from a terminal or found in a log; findings of an object are below what it becomes, or
//! below the first of them.
//! What is alike is said at its first place, with the others below; rules, all places and long texts to be copied are for `--verbose` and files.
//! What to do is below its finding, or a list at the end where that is at several places, or is the same for several findings.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::count::{PLACES, named_fields, thousands};
use super::document::{AppliedRule, FindingRecord, ObjectRecord, TypeMeta};
use super::escape::{help_and_text, visible, visible_block};
use super::fields_alike::{PARTS, joined};
use super::finding_list::{general_message, said};
use super::one_line::on_one_line;
use super::paint::Painter;
use super::run_report::{Fate, changed_fields};
use crate::engine::finding::{Location, Severity};
use crate::engine::plan::{ObjectPlan, Outcome};

/// How many lines of a text to be copied are printed, where not all are.
const LINES: usize = 4;

/// How many lines of one are printed below the only finding that has it.
const LINES_OF_ONE: usize = 12;

/// How much is printed of what is alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The first places, and short texts to be copied.
    First,
    /// All places, and the rules: with `--verbose`, and in a file.
    All,
}

impl Shown {
    /// Returns how many lines of a text are printed: all, or `few`.
    const fn lines(self, few: usize) -> usize {
        match self {
            Self::First => few,
            Self::All => usize::MAX,
        }
    }
}

/// Returns what to do, where that is something to be done by hand.
fn to_do_by_hand(finding: &FindingRecord) -> Option<&str> {
    finding.help.as_deref().filter(|_| finding.severity > Severity::Note)
}

/// What becomes of the run because of an entry, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Fails,
    IsHeldBack,
    IsUnresolved,
    Changes,
    IsWarning,
    IsNote,
}

impl Effect {
    const fn of(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Fails,
            Severity::Held => Self::IsHeldBack,
            Severity::Unresolved => Self::IsUnresolved,
            Severity::Warning => Self::IsWarning,
            Severity::Note => Self::IsNote,
        }
    }
}

/// What is printed together.
enum Group<'r> {
    /// One sentence about several places.
    Repeated(Vec<&'r FindingRecord>),
    /// An object that changes, with its findings.
    Changed(&'r ChangedObject, Vec<&'r FindingRecord>),
    /// The findings of an object, or one without an object.
    Findings(Vec<&'r FindingRecord>),
    /// Objects that get the same apiVersion.
    Alike(Vec<&'r ChangedObject>),
}

impl<'r> Group<'r> {
    fn findings(&self) -> &[&'r FindingRecord] {
        match self {
            Self::Repeated(findings) | Self::Changed(_, findings) | Self::Findings(findings) => findings,
            Self::Alike(_) => &[],
        }
    }

    fn effect(&self) -> Effect {
        let changes = matches!(self, Self::Changed(..) | Self::Alike(_)).then_some(Effect::Changes);
        let effects = self.findings().iter().map(|finding| Effect::of(finding.severity));
        effects.chain(changes).min().expect("an entry has a finding or a change")
    }
}

/// Puts together what is printed together, in its order: objects that change alike too, where not all are printed.
fn entries<'r>(
    findings: &'r [FindingRecord],
    changes: &'r [ChangedObject],
    shown: Shown,
) -> Vec<(&'r Location, Group<'r>)> {
    let mut sentences: BTreeMap<_, Vec<&FindingRecord>> = BTreeMap::new();
    for finding in findings {
        sentences.entry(said(finding)).or_default().push(finding);
    }
    let mut objects: BTreeMap<&Location, (Option<&ChangedObject>, Vec<&FindingRecord>)> =
        changes.iter().map(|change| (&change.location, (Some(change), Vec::new()))).collect();
    let mut entries = Vec::new();
    for mut together in sentences.into_values() {
        together.sort_by_key(|finding| &finding.location);
        match (&*together, &together[0].object) {
            ([_, _, ..], _) => entries.push((&together[0].location, Group::Repeated(together))),
            ([finding], Some(object)) => objects.entry(&object.location).or_default().1.push(finding),
            _ => entries.push((&together[0].location, Group::Findings(together))),
        }
    }
    let alike = alike(changes, shown);
    for (location, (change, mut findings)) in objects {
        findings.sort_by_key(|finding| (Reverse(finding.severity), &finding.location));
        match (change, &*findings) {
            (Some(change), _) if !alike.contains_key(&change.becomes()) => {
                entries.push((location, Group::Changed(change, findings)));
            }
            (_, [first, ..]) => entries.push((&first.location, Group::Findings(findings))),
            _ => {}
        }
    }
    entries.extend(alike.into_values().map(|objects| (&objects[0].location, Group::Alike(objects))));
    entries.sort_by(|(left, group), (right, other)| (group.effect(), left).cmp(&(other.effect(), right)));
    entries
}

/// What an object becomes: both versions, and the kinds where they differ.
type Becomes<'r> = (&'r str, &'r str, Option<(&'r str, &'r str)>);

/// Puts objects together that become the same, several at least, where not all are printed.
fn alike(changes: &[ChangedObject], shown: Shown) -> BTreeMap<Becomes<'_>, Vec<&ChangedObject>> {
    let mut alike: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for change in changes.iter().filter(|_| shown == Shown::First) {
        alike.entry(change.becomes()).or_default().push(change);
    }
    alike.retain(|_, objects| objects.len() > 1);
    alike
}

/// Returns the kinds of objects, in their order; several with how many each has.
fn kinds(objects: &[&ChangedObject]) -> Vec<String> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for object in objects {
        match counts.iter_mut().find(|(kind, _)| *kind == object.from.kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((&object.from.kind, 1)),
        }
    }
    match counts.as_slice() {
        [(kind, _)] => vec![(*kind).to_owned()],
        several => several.iter().map(|(kind, count)| format!("{} {kind}", thousands(*count))).collect(),
    }
}

/// What to do by hand: what is printed of each help once, with its number.
#[derive(Default)]
struct ToDo<'r> {
    numbers: BTreeMap<&'r str, usize>,
    /// What is printed, and of how many helps.
    items: Vec<(String, usize)>,
    /// How many lines of a text are printed below a finding.
    lines_below: usize,
}

impl<'r> ToDo<'r> {
    /// Collects what to do; nothing where that is at one entry, a thing for each finding, which is printed there.
    fn of(entries: &'r [(&'r Location, Group<'r>)], shown: Shown) -> Self {
        let mut to_do = Self::default();
        let mut by_text: BTreeMap<String, usize> = BTreeMap::new();
        let (mut places, mut sentences) = (BTreeSet::new(), BTreeSet::new());
        let findings = entries.iter().flat_map(|(at, entry)| entry.findings().iter().map(move |finding| (at, finding)));
        for (at, finding) in findings {
            let Some(help) = to_do_by_hand(finding) else { continue };
            places.insert(at);
            sentences.insert(general_message(finding));
            if to_do.numbers.contains_key(help) {
                continue;
            }
            let text = with_text(help, "      ", shown.lines(LINES));
            let number = *by_text.entry(text).or_insert_with_key(|text| {
                to_do.items.push((text.clone(), 0));
                to_do.items.len() - 1
            });
            to_do.items[number].1 += 1;
            to_do.numbers.insert(help, number);
        }
        let things = to_do.items.len();
        let lines_below = shown.lines(if things > 1 { LINES } else { LINES_OF_ONE });
        let is_list = places.len() > 1 || sentences.len() > things;
        Self { lines_below, ..if is_list { to_do } else { Self::default() } }
    }

    fn number(&self, finding: &FindingRecord) -> Option<usize> {
        self.numbers.get(to_do_by_hand(finding)?).map(|at| at + 1)
    }

    fn print(&self, painter: &Painter) -> String {
        if self.items.is_empty() {
            return String::new();
        }
        let mut out = painter.strong("to do by hand:");
        let width = self.items.len().to_string().len();
        // One thing is no list.
        let start = if self.items.len() == 1 { " " } else { "\n  " };
        for ((text, helps), number) in self.items.iter().zip(1..) {
            let all = text.strip_suffix(HIDDEN).filter(|_| *helps > 1);
            let text = all.map_or(Cow::Borrowed(text), |text| {
                Cow::Owned(format!("{text} (-v prints the {} texts)", thousands(*helps)))
            });
            let _infallible = write!(out, "{start}{number:>width$}. {text}");
        }
        out + "\n"
    }
}

/// What stands for a text that is too long.
const HIDDEN: &str = " (-v prints the text)";

/// Prints what to do, with the text to be copied below it, or behind it where that fits on a line.
fn with_text(help: &str, indent: &str, most: usize) -> String {
    if let Some((action, parts)) = help.split_once(PARTS) {
        return format!("{}:\n{indent}{}", visible(action), visible_block(parts, indent));
    }
    let (help, Some(text)) = help_and_text(help) else { return visible(help) };
    let help = visible(help);
    match on_one_line(text) {
        Some(line) => format!("{help} {}", visible(&line)),
        None if text.lines().count() > most => format!("{}{HIDDEN}", help.trim_end_matches(':')),
        None => format!("{help}\n{indent}{}", visible_block(text, indent)),
    }
}

/// Prints changes and findings.
struct Printer<'p> {
    painter: &'p Painter,
    shown: Shown,
    to_do: &'p ToDo<'p>,
    /// Whether a line says that `--verbose` prints more.
    is_hinted: Cell<bool>,
}

impl Printer<'_> {
    fn entry(&self, out: &mut String, location: &Location, entry: &Group<'_>) {
        let painter = self.painter;
        match entry {
            Group::Repeated(findings) => self.repeated(out, findings),
            Group::Alike(objects) => self.alike(out, objects),
            Group::Findings(findings) => {
                let [first, others @ ..] = &**findings else { return };
                self.single(out, first, "");
                self.help(out, first, "  ");
                self.below(out, &first.location, others);
            }
            Group::Changed(change, findings) => {
                let title = painter.strong(&visible(&change.title));
                let _infallible = writeln!(out, "{}: {title}: {}", painter.place(location), changed(change));
                let rules = if self.shown == Shown::All { &*change.rules } else { &[] };
                for AppliedRule { rule, direction } in rules {
                    let line = format!("{} {}", visible(direction), painter.rule(rule));
                    let _infallible = writeln!(out, "  {}", painter.faint(&line));
                }
                self.below(out, location, findings);
            }
        }
    }

    /// Prints findings of an object of which a line before is at `location`.
    fn below(&self, out: &mut String, location: &Location, findings: &[&FindingRecord]) {
        for finding in findings {
            out.push_str("  ");
            if finding.location != *location {
                let _infallible = write!(out, "{}: ", self.painter.place(&finding.location));
            }
            self.sentence(out, finding, "", "");
            self.help(out, finding, "    ");
        }
    }

    /// Returns what stands behind the first number of what is not printed.
    fn hint(&self) -> &'static str {
        if self.is_hinted.replace(true) { "" } else { " (-v lists them)" }
    }

    /// Prints what objects become, with the place of the first of them: a few by their names, many by their kinds.
    fn alike(&self, out: &mut String, objects: &[&ChangedObject]) {
        let (painter, first) = (self.painter, objects[0]);
        let (place, more) = (painter.place(&first.location), thousands(objects.len() - 1));
        let (names, hint) = match objects.len() {
            ..=PLACES => (objects.iter().map(|object| object.title.clone()).collect(), ""),
            _ => (kinds(objects), self.hint()),
        };
        let names = painter.strong(&visible(&names.join(", ")));
        let _infallible = writeln!(out, "{place} and {more} more{hint}: {names}: {}", changed(first));
    }

    /// Prints the first of findings that say the same, and where the others are.
    fn repeated(&self, out: &mut String, findings: &[&FindingRecord]) {
        let [first, others @ ..] = findings else { return };
        let place = |finding: &&FindingRecord| {
            let title = finding.title().map_or(String::new(), |title| format!(" {}", visible(title)));
            format!("{}{title}", self.painter.place(&finding.location))
        };
        match self.shown {
            Shown::First => {
                let shown = others.len().min(PLACES - 1);
                let places: Vec<String> = others[..shown].iter().map(place).collect();
                let more = match others.len() - shown {
                    0 => String::new(),
                    more => format!(" and {} more{}", thousands(more), self.hint()),
                };
                self.single(out, first, &format!("; also {}{more}", places.join(", ")));
            }
            Shown::All => {
                self.single(out, first, "");
                out.extend(others.iter().map(|other| format!("  also {}\n", place(other))));
            }
        }
        self.help(out, first, "  ");
    }

    /// Prints one finding behind its place and the title of its object, with the other places behind it.
    fn single(&self, out: &mut String, finding: &FindingRecord, others: &str) {
        let title =
            finding.title().map_or(String::new(), |title| format!("{}: ", self.painter.strong(&visible(title))));
        let _infallible = write!(out, "{}: ", self.painter.place(&finding.location));
        self.sentence(out, finding, &title, others);
    }

    /// Prints a finding behind its place, with the number of what to do and the other places.
    fn sentence(&self, out: &mut String, finding: &FindingRecord, title: &str, others: &str) {
        let code = self.painter.code(finding.severity, &visible(&finding.code));
        let number = self.to_do.number(finding);
        let number =
            number.map_or(String::new(), |number| format!(" {}", self.painter.label(&format!("(to do {number})"))));
        let message = self.painter.message(&finding.message);
        let _infallible = writeln!(out, "{code} {title}{message}{number}{others}");
    }

    fn help(&self, out: &mut String, finding: &FindingRecord, indent: &str) {
        if let Some(help) = finding.help.as_ref().filter(|_| self.to_do.number(finding).is_none()) {
            let help = with_text(help, &format!("{indent}  "), self.to_do.lines_below);
            let _infallible = writeln!(out, "{indent}{} {help}", self.painter.label("help:"));
        }
    }
}

/// Prints what an object becomes.
fn changed(ChangedObject { from, to, fields, .. }: &ChangedObject) -> String {
    let (old, new) = (visible(&from.api_version), visible(&to.api_version));
    match (from.kind == to.kind, old == new) {
        // Values of a chart have no apiVersion.
        (true, true) if old.is_empty() => format!("other fields{}", named_fields(fields)),
        (true, true) => format!("{old}, other fields{}", named_fields(fields)),
        (true, false) => format!("{old} -> {new}"),
        (false, _) => format!("{old} {} -> {new} {}", visible(&from.kind), visible(&to.kind)),
    }
}

/// An object that changes, as much as is printed of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangedObject {
    location: Location,
    title: String,
    from: TypeMeta,
    to: TypeMeta,
    rules: Vec<AppliedRule>,
    fields: Vec<String>,
}

impl ChangedObject {
    fn becomes(&self) -> Becomes<'_> {
        let Self { from, to, .. } = self;
        let kinds = (from.kind != to.kind).then_some((&*from.kind, &*to.kind));
        (&from.api_version, &to.api_version, kinds)
    }

    /// Takes an object of a plan; nothing where it stays.
    pub(crate) fn of_plan(object: &ObjectPlan) -> Option<Self> {
        (object.outcome == Outcome::Changed).then(|| Self {
            location: object.location.clone(),
            title: object.title.clone(),
            from: TypeMeta::new(&object.from),
            to: TypeMeta::new(&object.to),
            rules: AppliedRule::all(object),
            fields: changed_fields(object),
        })
    }

    /// Takes an object of a report; nothing where it stays, or that is accepted.
    pub(crate) fn of_record(object: &ObjectRecord) -> Option<Self> {
        (object.outcome == Fate::Changed).then(|| Self {
            location: object.location.clone(),
            title: object.object.clone(),
            from: object.from.clone(),
            to: object.to.clone(),
            rules: object.rules.clone(),
            fields: object.fields.clone(),
        })
    }
}

/// A printed report: what is about places, and what is to be done by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Grouped {
    /// Changes and findings.
    pub(crate) lines: String,
    /// What to do by hand, where that is at several places.
    pub(crate) to_do: String,
}

/// Prints the objects that change and the findings.
pub(crate) fn grouped(
    changes: &[ChangedObject],
    findings: &[FindingRecord],
    painter: &Painter,
    shown: Shown,
) -> Grouped {
    let joined = (shown == Shown::First).then(|| joined(findings));
    let entries = entries(joined.as_deref().unwrap_or(findings), changes, shown);
    let to_do = ToDo::of(&entries, shown);
    let printer = Printer { painter, shown, to_do: &to_do, is_hinted: Cell::new(false) };
    let mut lines = String::new();
    for (location, entry) in &entries {
        printer.entry(&mut lines, location, entry);
    }
    Grouped { lines, to_do: to_do.print(painter) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::finding::{Code, Finding, FindingObject};
    use crate::knowledge::lens::Direction;
    use crate::knowledge::release::{ApiVersion, GroupKind};
    use crate::syntax::text::{Position, Span};

    fn place(file: &str, line: usize) -> Location {
        Location { file: file.to_owned(), position: Some(Position { line, column: 1 }) }
    }

    /// A finding of `code` at `line` of `a.yaml`, about the object that starts at line `object`.
    fn finding(line: usize, object: Option<usize>, (severity, code): (Severity, Code), texts: (&str, &str)) -> Finding {
        let object = object.map(|line| FindingObject::new(format!("Route r{line}"), place("a.yaml", line)));
        let help = Some(texts.1.to_owned()).filter(|help| !help.is_empty());
        let (location, message) = (place("a.yaml", line), texts.0.to_owned());
        Finding::new(location, code, severity, message).about(object).maybe_help(help)
    }

    fn change(line: usize) -> ObjectPlan {
        let side = |version: &str| {
            (GroupKind { group: "g".to_owned(), kind: "Route".to_owned() }, ApiVersion::parse(&format!("g/{version}")))
        };
        ObjectPlan {
            location: place("a.yaml", line),
            title: format!("Route r{line}"),
            name: None,
            from: side("v1"),
            to: side("v2"),
            outcome: Outcome::Changed,
            is_recognized: true,
            rules: vec![("p/v2/rule".to_owned(), Direction::Forward)],
            fields: std::collections::BTreeSet::new(),
            frozen_by: std::collections::BTreeSet::new(),
            data: None,
            extent: Span::new(0, 0),
        }
    }

    #[track_caller]
    fn check(changes: &[ObjectPlan], findings: &[Finding], shown: Shown, expected: &str) {
        let findings: Vec<FindingRecord> = findings.iter().map(FindingRecord::new).collect();
        let changes: Vec<ChangedObject> = changes.iter().filter_map(ChangedObject::of_plan).collect();
        let Grouped { lines, to_do } = grouped(&changes, &findings, &Painter::PLAIN, shown);
        assert_eq!(lines + &to_do, expected);
    }

    const WARNING: (Severity, Code) = (Severity::Warning, Code::UnknownKind);
    const HELD: (Severity, Code) = (Severity::Held, Code::DroppedField);

    #[test]
    fn the_worst_comes_first_and_findings_are_below_their_object() {
        let error = (Severity::Error, Code::ParseError);
        let findings = [
            finding(1, Some(1), WARNING, ("odd", "")),
            finding(3, None, WARNING, ("file is odd", "")),
            finding(12, Some(10), WARNING, ("below", "look at it")),
            finding(10, Some(10), WARNING, ("at its start", "")),
            finding(20, Some(20), HELD, ("first loss", "")),
            finding(24, Some(20), HELD, ("second loss", "")),
            finding(30, None, error, ("not YAML", "")),
        ];
        let expected = "\
a.yaml:30:1: error[parse-error] not YAML
a.yaml:20:1: held-back[dropped-field] Route r20: first loss
  a.yaml:24:1: held-back[dropped-field] second loss
a.yaml:10:1: Route r10: g/v1 -> g/v2
  warning[unknown-kind] at its start
  a.yaml:12:1: warning[unknown-kind] below
    help: look at it
a.yaml:1:1: warning[unknown-kind] Route r1: odd
a.yaml:3:1: warning[unknown-kind] file is odd
";
        check(&[change(10)], &findings, Shown::First, expected);
    }

    #[test]
    fn objects_that_change_alike_are_counted() {
        let changes = |count: usize| (1..=count).map(change).collect::<Vec<_>>();
        let one = |line: usize| format!("a.yaml:{line}:1: Route r{line}: g/v1 -> g/v2\n");
        let with_rule = |line: usize| one(line) + "  forward p/v2/rule\n";
        check(&changes(1), &[], Shown::First, &one(1));
        check(&changes(3), &[], Shown::All, &(1..=3).map(with_rule).collect::<String>());
        check(&changes(2), &[], Shown::First, "a.yaml:1:1 and 1 more: Route r1, Route r2: g/v1 -> g/v2\n");
        check(&changes(5), &[], Shown::First, "a.yaml:1:1 and 4 more (-v lists them): Route: g/v1 -> g/v2\n");
        // Other kinds and rules make no difference, and a finding of one is by itself.
        let mut all = changes(5);
        all[2].rules.clear();
        (all[3].from.0.kind, all[3].to.0.kind) = ("Gate".to_owned(), "Gate".to_owned());
        let odd = [finding(2, Some(2), WARNING, ("odd", ""))];
        let expected = "a.yaml:1:1 and 4 more (-v lists them): 4 Route, 1 Gate: g/v1 -> g/v2\na.yaml:2:1: warning[unknown-kind] Route r2: odd\n";
        check(&all, &odd, Shown::First, expected);
        // Several are below the first.
        let odd = [finding(2, Some(2), WARNING, ("odd", "")), finding(2, Some(2), WARNING, ("even", ""))];
        let expected = "\
a.yaml:1:1 and 2 more: Route r1, Route r2, Route r3: g/v1 -> g/v2
a.yaml:2:1: warning[unknown-kind] Route r2: even
  warning[unknown-kind] odd
";
        check(&changes(3), &odd, Shown::First, expected);
        // An object becomes one of another kind.
        for object in &mut all {
            "Path".clone_into(&mut object.to.0.kind);
        }
        let expected = "\
a.yaml:1:1 and 3 more (-v lists them): Route: g/v1 Route -> g/v2 Path
a.yaml:4:1: Route r4: g/v1 Gate -> g/v2 Path
";
        check(&all, &[], Shown::First, expected);
    }

    /// What is to be done at one object is there, as long as nothing is said twice.
    #[test]
    fn what_is_to_be_done_at_one_object_is_below_its_findings() {
        let [odd, even] = [("odd", "mend it"), ("even", "add it:\na: 0\nb: 1\nc: 2\nd: 3\ne: 4")];
        let findings = [finding(1, Some(1), WARNING, odd), finding(2, Some(1), WARNING, even)];
        let expected = "\
a.yaml:1:1: Route r1: g/v1 -> g/v2
  warning[unknown-kind] odd
    help: mend it
  a.yaml:2:1: warning[unknown-kind] even
    help: add it (-v prints the text)
";
        check(&[change(1)], &findings, Shown::First, expected);
        let [odd, even] = [("odd", "mend it"), ("even", "mend it")];
        let findings = [finding(1, Some(1), WARNING, odd), finding(2, Some(1), WARNING, even)];
        let expected = "\
a.yaml:1:1: Route r1: g/v1 -> g/v2
  warning[unknown-kind] odd (to do 1)
  a.yaml:2:1: warning[unknown-kind] even (to do 1)
to do by hand: 1. mend it
";
        check(&[change(1)], &findings, Shown::First, expected);
    }

    #[test]
    fn what_is_to_be_copied_is_short() {
        let text = |help: &str| with_text(help, "  ", LINES);
        assert_eq!(text("add it:\nspec:\n  key:\n    policy: Never\n"), "add it: spec: {key: {policy: Never}}");
        let block = |lines: &str| format!("add it:\n  {}", lines.replace('\n', "\n  "));
        assert_eq!(text("add it:\na: 1\nb: 2"), block("a: 1\nb: 2"));
        let long = "a: 0\nb: 1\nc: 2\nd: 3\ne: 4";
        assert_eq!(text(&format!("add it:\n{long}")), "add it (-v prints the text)");
        assert_eq!(with_text(&format!("add it:\n{long}"), "  ", usize::MAX), block(long));
    }

    #[test]
    fn what_differs_in_a_hidden_text_only_is_one_thing_to_do() {
        let help = |value: usize| format!("add it:\na: 0\nb: 1\nc: 2\nd: 3\ne: {value}");
        let findings = [
            finding(1, Some(1), WARNING, ("odd", &help(4))),
            finding(2, Some(2), WARNING, ("even", &help(5))),
            finding(3, Some(3), WARNING, ("odd", &help(4))),
        ];
        let expected = "\
a.yaml:1:1: warning[unknown-kind] Route r1: odd (to do 1); also a.yaml:3:1 Route r3
a.yaml:2:1: warning[unknown-kind] Route r2: even (to do 1)
to do by hand: 1. add it (-v prints the 2 texts)
";
        check(&[], &findings, Shown::First, expected);
        let text = |number: usize, value: usize| {
            format!("  {number}. add it:\n      a: 0\n      b: 1\n      c: 2\n      d: 3\n      e: {value}\n")
        };
        let expected = "\
a.yaml:1:1: warning[unknown-kind] Route r1: odd (to do 1)
  also a.yaml:3:1 Route r3
a.yaml:2:1: warning[unknown-kind] Route r2: even (to do 2)
to do by hand:
";
        check(&[], &findings, Shown::All, &format!("{expected}{}{}", text(1, 4), text(2, 5)));
    }

    #[test]
    fn a_sentence_is_printed_once_with_its_first_places() {
        let about = |lines: std::ops::Range<usize>| -> Vec<Finding> {
            lines.map(|line| finding(line, Some(line), WARNING, ("odd", "mend it"))).collect()
        };
        let (head, help) = ("a.yaml:1:1: warning[unknown-kind] Route r1: odd", "  help: mend it\n");
        let first = "; also a.yaml:2:1 Route r2, a.yaml:3:1 Route r3";
        check(&[], &about(1..4), Shown::First, &format!("{head}{first}\n{help}"));
        check(&[], &about(1..6), Shown::First, &format!("{head}{first} and 2 more (-v lists them)\n{help}"));
        let all: String = (2..6).map(|line| format!("  also a.yaml:{line}:1 Route r{line}\n")).collect();
        check(&[], &about(1..6), Shown::All, &format!("{head}\n{all}{help}"));
    }

    #[test]
    fn positions_in_a_field_do_not_make_another_sentence() {
        let at = |line: usize, field: &str| Finding {
            field: Some(field.to_owned()),
            ..finding(line, None, WARNING, (&format!("{field} is odd"), ""))
        };
        let findings = [at(1, "a[0].b[10]"), at(2, "a[3].b[1]"), at(3, "a.c[0]"), at(4, "d[\"0\"]")];
        let expected = "\
a.yaml:1:1: warning[unknown-kind] a[0].b[10] is odd; also a.yaml:2:1
a.yaml:3:1: warning[unknown-kind] a.c[0] is odd
a.yaml:4:1: warning[unknown-kind] d[\"0\"] is odd
";
        check(&[], &findings, Shown::First, expected);
    }

    #[test]
    fn what_is_to_be_done_is_a_numbered_list_of_different_things() {
        let note = (Severity::Note, Code::Normalized);
        let mut findings = vec![
            finding(1, Some(1), WARNING, ("odd", "mend it")),
            finding(2, Some(2), HELD, ("lost", "move it")),
            finding(3, Some(3), HELD, ("lost too", "move it")),
            finding(4, Some(4), note, ("fine", "nothing")),
        ];
        findings.extend((5..8).map(|line| finding(line, Some(line), WARNING, ("even", "mend it"))));
        let expected = "\
a.yaml:2:1: held-back[dropped-field] Route r2: lost (to do 1)
a.yaml:3:1: held-back[dropped-field] Route r3: lost too (to do 1)
a.yaml:1:1: warning[unknown-kind] Route r1: odd (to do 2)
a.yaml:5:1: warning[unknown-kind] Route r5: even (to do 2); also a.yaml:6:1 Route r6, a.yaml:7:1 Route r7
a.yaml:4:1: note[normalized] Route r4: fine
  help: nothing
to do by hand:
  1. move it
  2. mend it
";
        check(&[], &findings, Shown::First, expected);
    }
}

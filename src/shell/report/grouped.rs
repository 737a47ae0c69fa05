//! What a run found, for people: each object with its rules and findings, one sentence once, and what remains to be done by hand.
//!
//! What fails comes first, then what is held back, what changes, and warnings; each in the order of places. Every line about a place
//! starts with all of it, so that it can be opened from a terminal or found in a log; findings at the start of an object are below it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::count::{plural, thousands};
use super::document::FindingRecord;
use super::escape::{help_and_text, visible, visible_block};
use super::paint::Painter;
use crate::engine::finding::{Location, Severity};
use crate::engine::plan::{ObjectPlan, Outcome};

/// How many places of one sentence are printed, where not all are.
const PLACES: usize = 3;

/// Which places of a sentence that is about several are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShownPlaces {
    /// The first ones.
    First,
    /// All of them: with `--verbose`, and in a file.
    All,
}

/// Returns the message for all items of a list: without the positions in the field.
fn general_message(finding: &FindingRecord) -> Cow<'_, str> {
    match finding.field.as_deref().filter(|field| field.contains('[') && finding.message.contains(*field)) {
        Some(field) => Cow::Owned(finding.message.replace(field, &without_positions(field))),
        None => Cow::Borrowed(&finding.message),
    }
}

/// Returns what to do, where that is something to be done by hand.
fn to_do_by_hand(finding: &FindingRecord) -> Option<&str> {
    finding.help.as_deref().filter(|_| finding.severity > Severity::Note)
}

/// Turns `spec.rules[2].name` into `spec.rules[].name`.
pub(crate) fn without_positions(field: &str) -> String {
    let mut out = String::with_capacity(field.len());
    for part in field.split_inclusive('[') {
        let rest = part.trim_start_matches(|character: char| character.is_ascii_digit());
        let is_position = out.ends_with('[') && rest.starts_with(']');
        out.push_str(if is_position { rest } else { part });
    }
    out
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
    /// An object that changes or has several findings.
    Object { title: &'r str, change: Option<&'r ObjectPlan>, findings: Vec<&'r FindingRecord> },
    /// Any other finding.
    Single(&'r FindingRecord),
    /// Objects of one kind that become the same by the same rules, without findings.
    Alike(Vec<&'r ObjectPlan>),
}

impl<'r> Group<'r> {
    fn findings(&self) -> &[&'r FindingRecord] {
        match self {
            Self::Repeated(findings) | Self::Object { findings, .. } => findings,
            Self::Single(finding) => std::slice::from_ref(finding),
            Self::Alike(_) => &[],
        }
    }

    fn effect(&self) -> Effect {
        let changes = matches!(self, Self::Object { change: Some(_), .. } | Self::Alike(_)).then_some(Effect::Changes);
        let effects = self.findings().iter().map(|finding| Effect::of(finding.severity));
        effects.chain(changes).min().expect("an entry has a finding or a change")
    }
}

/// Puts together what is printed together, in its order: objects that change alike too, where only the first `places` are printed.
fn entries<'r>(
    findings: &'r [FindingRecord],
    changes: &[&'r ObjectPlan],
    places: ShownPlaces,
) -> Vec<(&'r Location, Group<'r>)> {
    let mut sentences: BTreeMap<_, Vec<&FindingRecord>> = BTreeMap::new();
    for finding in findings {
        let FindingRecord { severity, code, help, .. } = finding;
        let key = (Reverse(*severity), code, general_message(finding), help);
        sentences.entry(key).or_default().push(finding);
    }
    let mut objects: BTreeMap<&Location, (Option<&ObjectPlan>, Vec<&FindingRecord>)> =
        changes.iter().map(|change| (&change.location, (Some(*change), Vec::new()))).collect();
    let mut entries = Vec::new();
    for mut together in sentences.into_values() {
        together.sort_by_key(|finding| &finding.location);
        match (&*together, &together[0].object) {
            ([_, _, ..], _) => entries.push((&together[0].location, Group::Repeated(together))),
            ([finding], Some(object)) => objects.entry(&object.location).or_default().1.push(finding),
            _ => entries.push((&together[0].location, Group::Single(together[0]))),
        }
    }
    for (location, (change, mut findings)) in objects {
        findings.sort_by_key(|finding| (Reverse(finding.severity), &finding.location));
        let title = change.map(|change| &*change.title).or_else(|| findings[0].title()).unwrap_or_default();
        entries.push(match (change, &*findings) {
            (None, [finding]) => (&finding.location, Group::Single(finding)),
            _ => (location, Group::Object { title, change, findings }),
        });
    }
    if places == ShownPlaces::First {
        entries = alike(entries);
    }
    entries.sort_by(|(left, group), (right, other)| (group.effect(), left).cmp(&(other.effect(), right)));
    entries
}

/// Puts objects together that change alike, where these are so many that not all of them would be printed.
fn alike<'r>(entries: Vec<(&'r Location, Group<'r>)>) -> Vec<(&'r Location, Group<'r>)> {
    let what = |entry: &Group<'r>| match entry {
        Group::Object { change: Some(change), findings, .. } if findings.is_empty() => {
            Some((&change.from, &change.to, &change.rules))
        }
        _ => None,
    };
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for key in entries.iter().filter_map(|(_, entry)| what(entry)) {
        *counts.entry(key).or_default() += 1;
    }
    let mut out: Vec<(&Location, Group<'_>)> = Vec::new();
    let mut at: BTreeMap<_, usize> = BTreeMap::new();
    for (location, entry) in entries {
        let key = what(&entry).filter(|key| counts[key] > PLACES + 1);
        let (Some(key), Group::Object { change: Some(change), .. }) = (key, &entry) else {
            out.push((location, entry));
            continue;
        };
        match at.get(&key).map(|at| &mut out[*at].1) {
            Some(Group::Alike(objects)) => objects.push(change),
            _ => {
                at.insert(key, out.len());
                out.push((location, Group::Alike(vec![change])));
            }
        }
    }
    out
}

/// What to do by hand: each help once, with its number.
#[derive(Default)]
struct ToDo<'r> {
    numbers: BTreeMap<&'r str, usize>,
    items: Vec<(&'r str, Vec<&'r Location>)>,
}

impl<'r> ToDo<'r> {
    /// Collects what to do; nothing where that is one thing at one entry, which is printed there.
    fn of(entries: &'r [(&'r Location, Group<'r>)]) -> Self {
        let mut to_do = Self::default();
        let mut sentences = BTreeSet::new();
        for finding in entries.iter().flat_map(|(_, entry)| entry.findings()) {
            let Some(help) = to_do_by_hand(finding) else { continue };
            sentences.insert(general_message(finding));
            let number = *to_do.numbers.entry(help).or_insert(to_do.items.len());
            if number == to_do.items.len() {
                to_do.items.push((help, Vec::new()));
            }
            let others = finding.others.iter().map(|object| &object.location);
            to_do.items[number].1.extend([&finding.location].into_iter().chain(others));
        }
        if sentences.len() > 1 { to_do } else { Self::default() }
    }

    fn number(&self, finding: &FindingRecord) -> Option<usize> {
        self.numbers.get(to_do_by_hand(finding)?).map(|at| at + 1)
    }

    fn print(&self, painter: &Painter) -> String {
        if self.items.is_empty() {
            return String::new();
        }
        let mut out = format!("{}\n", painter.strong("to do by hand:"));
        let width = self.items.len().to_string().len();
        for ((help, places), number) in self.items.iter().zip(1..) {
            // What is to be copied stands below.
            let (help, text) = help_and_text(help);
            let text = text.map(|text| format!("\n      {}", visible_block(text, "      "))).unwrap_or_default();
            // A place can have several findings with the same help.
            let mut seen = BTreeSet::new();
            let places: Vec<&Location> = places.iter().copied().filter(|place| seen.insert(*place)).collect();
            let named: Vec<String> = places.iter().take(PLACES).map(|place| painter.place(place)).collect();
            let more = places.len() - named.len();
            let more = if more == 0 { String::new() } else { format!(" and {} more", thousands(more)) };
            let _infallible = writeln!(out, "  {number:>width$}. {} ({}{more}){text}", visible(help), named.join(", "));
        }
        out
    }
}

/// Prints changes and findings.
struct Printer<'p> {
    painter: &'p Painter,
    places: ShownPlaces,
    to_do: &'p ToDo<'p>,
}

impl Printer<'_> {
    fn entry(&self, out: &mut String, location: &Location, entry: &Group<'_>) {
        let painter = self.painter;
        match entry {
            Group::Single(finding) => {
                let title =
                    finding.title().map_or(String::new(), |title| format!("{}: ", painter.strong(&visible(title))));
                let _infallible = write!(out, "{}: ", painter.place(&finding.location));
                self.sentence(out, finding, &title, &finding.message);
                self.help(out, finding, "  ");
            }
            Group::Repeated(findings) => self.repeated(out, findings),
            Group::Alike(objects) => self.alike(out, objects),
            Group::Object { title, change, findings } => {
                let what = change.map_or(String::new(), |change| format!(": {}", changed(change)));
                let _infallible =
                    writeln!(out, "{}: {}{what}", painter.place(location), painter.strong(&visible(title)));
                for (rule, direction) in change.map_or(&[][..], |change| &change.rules) {
                    let _infallible = writeln!(out, "  {}", painter.faint(&format!("{} {rule}", direction.name())));
                }
                for finding in findings {
                    out.push_str("  ");
                    if finding.location != *location {
                        let _infallible = write!(out, "{}: ", painter.place(&finding.location));
                    }
                    self.sentence(out, finding, "", &finding.message);
                    self.help(out, finding, "    ");
                }
            }
        }
    }

    /// Prints what objects become, and the first of them.
    fn alike(&self, out: &mut String, objects: &[&ObjectPlan]) {
        let (painter, first) = (self.painter, objects[0]);
        let kind = format!("{} {}", thousands(objects.len()), visible(&first.from.0.kind));
        let _infallible = writeln!(out, "{}: {}", painter.strong(&kind), changed(first));
        for (rule, direction) in &first.rules {
            let _infallible = writeln!(out, "  {}", painter.faint(&format!("{} {rule}", direction.name())));
        }
        for object in &objects[..PLACES] {
            let _infallible = writeln!(out, "  {}: {}", painter.place(&object.location), visible(&object.title));
        }
        let more = plural(objects.len() - PLACES, "more object");
        let _infallible = writeln!(out, "  ... and {more}, -v lists them");
    }

    fn repeated(&self, out: &mut String, findings: &[&FindingRecord]) {
        let first = findings[0];
        let is_same = findings.iter().all(|finding| finding.message == first.message);
        let message = if is_same { Cow::Borrowed(first.message.as_str()) } else { general_message(first) };
        self.sentence(out, first, "", &message);
        // One more line would say that there is one more place.
        let shown = match self.places {
            ShownPlaces::First if findings.len() > PLACES + 1 => PLACES,
            _ => findings.len(),
        };
        for finding in &findings[..shown] {
            let title = finding.title().map_or(String::new(), |title| format!(": {}", visible(title)));
            let _infallible = writeln!(out, "  {}{title}", self.painter.place(&finding.location));
        }
        if shown < findings.len() {
            let more = plural(findings.len() - shown, "more place");
            let _infallible = writeln!(out, "  ... and {more}, -v lists them");
        }
        self.help(out, first, "  ");
    }

    /// Prints a finding behind its place, with the number of what to do.
    fn sentence(&self, out: &mut String, finding: &FindingRecord, title: &str, message: &str) {
        let code = self.painter.code(finding.severity, &visible(&finding.code));
        let number = self.to_do.number(finding);
        let number =
            number.map_or(String::new(), |number| format!(" {}", self.painter.label(&format!("(to do {number})"))));
        let _infallible = writeln!(out, "{code} {title}{}{number}", visible(message));
    }

    fn help(&self, out: &mut String, finding: &FindingRecord, indent: &str) {
        if let Some(help) = finding.help.as_ref().filter(|_| self.to_do.number(finding).is_none()) {
            let _infallible = writeln!(
                out,
                "{indent}{} {}",
                self.painter.label("help:"),
                visible_block(help, &format!("{indent}  "))
            );
        }
    }
}

/// Prints what an object becomes.
fn changed(object: &ObjectPlan) -> String {
    let ((old_kind, old), (new_kind, new)) = (&object.from, &object.to);
    let (old, new) = (visible(&old.to_string()), visible(&new.to_string()));
    match (old_kind.kind == new_kind.kind, old == new) {
        // Values of a chart have no apiVersion.
        (true, true) if old.is_empty() => "other fields".to_owned(),
        (true, true) => format!("{old}, other fields"),
        (true, false) => format!("{old} -> {new}"),
        (false, _) => format!("{old} {} -> {new} {}", visible(&old_kind.kind), visible(&new_kind.kind)),
    }
}

/// A printed report: what is about places, and what is to be done by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Grouped {
    /// Changes and findings.
    pub(crate) lines: String,
    /// What to do by hand, where that is more than one thing.
    pub(crate) to_do: String,
}

/// Prints the objects that change and the findings.
pub(crate) fn grouped<'a>(
    changes: impl IntoIterator<Item = &'a ObjectPlan>,
    findings: &[FindingRecord],
    painter: &Painter,
    places: ShownPlaces,
) -> Grouped {
    let changes: Vec<&ObjectPlan> = changes.into_iter().filter(|object| object.outcome == Outcome::Changed).collect();
    let entries = entries(findings, &changes, places);
    let to_do = ToDo::of(&entries);
    let printer = Printer { painter, places, to_do: &to_do };
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
            frozen_by: std::collections::BTreeSet::new(),
            data: None,
            extent: Span::new(0, 0),
        }
    }

    #[track_caller]
    fn check(changes: &[ObjectPlan], findings: &[Finding], places: ShownPlaces, expected: &str) {
        let shown: Vec<FindingRecord> = findings.iter().map(FindingRecord::new).collect();
        let Grouped { lines, to_do } = grouped(changes, &shown, &Painter::PLAIN, places);
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
a.yaml:20:1: Route r20
  held-back[dropped-field] first loss
  a.yaml:24:1: held-back[dropped-field] second loss
a.yaml:10:1: Route r10: g/v1 -> g/v2
  forward p/v2/rule
  warning[unknown-kind] at its start
  a.yaml:12:1: warning[unknown-kind] below
    help: look at it
a.yaml:1:1: warning[unknown-kind] Route r1: odd
a.yaml:3:1: warning[unknown-kind] file is odd
";
        check(&[change(10)], &findings, ShownPlaces::First, expected);
    }

    #[test]
    fn objects_that_change_alike_are_counted() {
        let changes = |count: usize| (1..=count).map(change).collect::<Vec<_>>();
        let one = |line: usize| format!("a.yaml:{line}:1: Route r{line}: g/v1 -> g/v2\n  forward p/v2/rule\n");
        let each = |count: usize| (1..=count).map(one).collect::<String>();
        check(&changes(4), &[], ShownPlaces::First, &each(4));
        check(&changes(5), &[], ShownPlaces::All, &each(5));
        let expected = "\
5 Route: g/v1 -> g/v2
  forward p/v2/rule
  a.yaml:1:1: Route r1
  a.yaml:2:1: Route r2
  a.yaml:3:1: Route r3
  ... and 2 more objects, -v lists them
";
        check(&changes(5), &[], ShownPlaces::First, expected);
        // One with a finding of its own is not like the others.
        let odd = [finding(2, Some(2), WARNING, ("odd", ""))];
        let findings = format!("{}  warning[unknown-kind] odd\n", one(2));
        check(&changes(5), &odd, ShownPlaces::First, &each(5).replace(&one(2), &findings));
    }

    #[test]
    fn what_is_to_be_done_at_several_objects_names_them() {
        let others = [7, 9].map(|line| FindingObject::new(format!("Route r{line}"), place("a.yaml", line)));
        let mut both = finding(5, Some(5), WARNING, ("odd (3 objects)", "mend them"));
        both.object.as_mut().unwrap().others = others.into();
        let findings = [both, finding(6, Some(6), WARNING, ("even", "mend it"))];
        let shown: Vec<FindingRecord> = findings.iter().map(FindingRecord::new).collect();
        let to_do = grouped([], &shown, &Painter::PLAIN, ShownPlaces::First).to_do;
        let expected =
            "to do by hand:\n  1. mend them (a.yaml:5:1, a.yaml:7:1, a.yaml:9:1)\n  2. mend it (a.yaml:6:1)\n";
        assert_eq!(to_do, expected);
    }

    #[test]
    fn a_sentence_is_printed_once_with_its_first_places() {
        let about = |lines: std::ops::Range<usize>| -> Vec<Finding> {
            lines.map(|line| finding(line, Some(line), WARNING, ("odd", "mend it"))).collect()
        };
        let head =
            "warning[unknown-kind] odd\n  a.yaml:1:1: Route r1\n  a.yaml:2:1: Route r2\n  a.yaml:3:1: Route r3\n";
        let (fourth, help) = ("  a.yaml:4:1: Route r4\n", "  help: mend it\n");
        check(&[], &about(1..5), ShownPlaces::First, &format!("{head}{fourth}{help}"));
        check(&[], &about(1..6), ShownPlaces::First, &format!("{head}  ... and 2 more places, -v lists them\n{help}"));
        let all = format!("{head}{fourth}  a.yaml:5:1: Route r5\n{help}");
        check(&[], &about(1..6), ShownPlaces::All, &all);
    }

    #[test]
    fn positions_in_a_field_do_not_make_another_sentence() {
        let at = |line: usize, field: &str| Finding {
            field: Some(field.to_owned()),
            ..finding(line, None, WARNING, (&format!("{field} is odd"), ""))
        };
        let findings = [at(1, "a[0].b[10]"), at(2, "a[3].b[1]"), at(3, "a.c[0]"), at(4, "d[\"0\"]")];
        let expected = "\
warning[unknown-kind] a[].b[] is odd
  a.yaml:1:1
  a.yaml:2:1
a.yaml:3:1: warning[unknown-kind] a.c[0] is odd
a.yaml:4:1: warning[unknown-kind] d[\"0\"] is odd
";
        check(&[], &findings, ShownPlaces::First, expected);
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
warning[unknown-kind] even (to do 2)
  a.yaml:5:1: Route r5
  a.yaml:6:1: Route r6
  a.yaml:7:1: Route r7
a.yaml:4:1: note[normalized] Route r4: fine
  help: nothing
to do by hand:
  1. move it (a.yaml:2:1, a.yaml:3:1)
  2. mend it (a.yaml:1:1, a.yaml:5:1, a.yaml:6:1 and 1 more)
";
        check(&[], &findings, ShownPlaces::First, expected);
    }

    #[test]
    fn a_place_is_to_be_looked_at_once_whatever_is_to_be_done_there() {
        let at = |line, message| finding(line, Some(1), WARNING, (message, "mend it"));
        let findings = [at(5, "odd"), at(5, "even"), at(6, "odd too"), at(7, "red"), at(7, "blue"), at(8, "low")];
        let shown: Vec<FindingRecord> = findings.iter().map(FindingRecord::new).collect();
        let to_do = grouped([], &shown, &Painter::PLAIN, ShownPlaces::First).to_do;
        assert_eq!(to_do, "to do by hand:\n  1. mend it (a.yaml:5:1, a.yaml:6:1, a.yaml:7:1 and 1 more)\n");
    }
}

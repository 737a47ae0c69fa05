//! `apply --interactive`: one question for each object that changes.
//!
//! The answers are for objects, not for lines: half a conversion would be an object of no release. An object that is declined is planned
//! again as one that is held back, and so is all that must be converted together with it; a change that has become another one by
//! that is asked about again. That is planned before the next question about something that may depend on the object, and at the end.
//!
//! Invariant: what is written is what was shown and accepted, by a plan without all that was declined.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use super::args::ApplyArgs;
use super::console::{Answer, Console};
use super::explain;
use super::output::{Level, about_places};
use super::planned::{Planned, planned_without};
use crate::engine::edits::FilePlan;
use crate::engine::finding::{Finding, Location, Severity};
use crate::engine::plan::{ObjectPlan, Outcome};
use crate::knowledge::pack::Packs;
use crate::shell::report::changes::{ObjectChange, by_object};
use crate::shell::report::diff::{self, Paint};
use crate::shell::report::{Painter, changes_needed, plural, stat, visible};
use crate::syntax::fingerprint::Fingerprint;

/// What each key does, in the order of the question.
const KEYS: [(char, &str); 9] = [
    ('y', "change this object; so does Enter"),
    ('n', "leave this object unchanged, and what must be converted together with it"),
    ('a', "change this object and all later ones"),
    ('d', "leave this object and all later ones unchanged, and write what was accepted"),
    ('u', "undo the last answer"),
    ('s', "skip this file: leave this object and the later ones in the file unchanged"),
    ('q', "stop: leave this object and all later ones unchanged, and ask whether to write what was accepted"),
    ('e', "explain the rules of this change"),
    ('?', "show this help"),
];

/// What the user wants done with a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Consent {
    /// It is written.
    Yes,
    /// It is not.
    No,
    /// That is still to be asked.
    Open,
}

/// One answer about an object.
#[derive(Clone, Debug)]
enum Choice {
    /// It becomes what these edits make of it.
    Accepted(FilePlan),
    /// It is left unchanged.
    Declined,
}

/// What was answered about the object that starts at a place.
struct Decision {
    place: Location,
    choice: Choice,
}

/// The answers that one key gave; `u` takes them back together.
type Step = Vec<Decision>;

/// Asks about each object that `planned` changes, and returns the plan of what was accepted.
pub(super) fn choose(
    planned: Planned<'static>,
    args: &ApplyArgs,
    packs: &'static Packs,
    console: Console,
) -> Result<(Planned<'static>, Consent)> {
    let paint = console.note_paint(&args.convert.output);
    let tree = TreeSeen::of(&planned);
    let session = Session { args, packs, console, paint, tree };
    session.run(planned)
}

/// What is remembered of the tree as it was before the first question.
struct TreeSeen {
    /// How many files were read.
    files: usize,
    /// The text of each file that was to change.
    texts: BTreeMap<String, Fingerprint>,
}

impl TreeSeen {
    fn of(planned: &Planned<'_>) -> Self {
        let text = |file: &FilePlan| (file.file.clone(), Fingerprint::of(file.before.as_bytes()));
        Self { files: planned.counts.files, texts: planned.plan.files.iter().map(text).collect() }
    }

    /// Refuses to go on where the answers are about a tree that is no longer there.
    fn ensure_same(&self, planned: &Planned<'_>) -> Result<()> {
        let is_other = |file: &&FilePlan| {
            self.texts.get(&file.file).is_some_and(|text| *text != Fingerprint::of(file.before.as_bytes()))
        };
        let what = match planned.plan.files.iter().find(is_other) {
            Some(file) => format!("{} was changed", file.file),
            None if planned.counts.files != self.files => "files appeared or disappeared".to_owned(),
            None => return Ok(()),
        };
        bail!(
            "nothing was written: {what} after the first question\n  help: run again when nothing else changes the files"
        )
    }
}

/// The number of each object that changes, from 1, and of those that did before some were declined.
#[derive(Default)]
struct Numbers(BTreeMap<Location, usize>);

impl Numbers {
    /// Adds the objects that `planned` changes. The numbers stay as they are unless one is new: others held it back before.
    fn add(&mut self, planned: &Planned<'_>) {
        let is_changed = |object: &&ObjectPlan| object.outcome == Outcome::Changed;
        let objects = &planned.plan.objects;
        if objects.iter().filter(is_changed).all(|object| self.0.contains_key(&object.location)) {
            return;
        }
        let counts = |object: &&ObjectPlan| is_changed(object) || self.0.contains_key(&object.location);
        self.0 = objects.iter().filter(counts).map(|object| object.location.clone()).zip(1..).collect();
    }

    /// Returns the question about an object.
    fn question(&self, object: &ObjectPlan) -> String {
        let (number, total) = (self.0[&object.location], self.0.len());
        let keys = KEYS.map(|(key, _)| key.to_string()).join(",");
        format!("({number}/{total}) change this object [{keys}]? ")
    }
}

/// The last answer about each object.
type Choices<'s> = BTreeMap<&'s Location, &'s Choice>;

/// A plan, and what was declined when it was made.
struct AnsweredPlan {
    planned: Planned<'static>,
    without: BTreeSet<Location>,
}

impl AnsweredPlan {
    /// Returns the changes that are to be asked about.
    fn open<'c, 'p>(&self, changes: &'c [ObjectChange<'p>], choices: &Choices<'_>) -> Vec<&'c ObjectChange<'p>> {
        let is_declined = |change: &ObjectChange<'_>| {
            let place = &change.object.location;
            !self.without.contains(place) && matches!(choices.get(place), Some(Choice::Declined))
        };
        changes.iter().filter(|change| !is_declined(change) && !is_accepted(change, choices)).collect()
    }

    /// Returns whether another plan must be made before the question about the object at `next`, or before the end. What was declined
    /// since the plan was made can change what becomes of the objects in its file and in those that were planned with it.
    fn is_outdated(&self, next: Option<&Location>, choices: &Choices<'_>) -> bool {
        let declined = declined(choices);
        let Some(next) = next else { return declined != self.without };
        let is_undone = !self.without.is_subset(&declined);
        is_undone || declined.difference(&self.without).any(|place| self.ties(&place.file, &next.file))
    }

    fn ties(&self, one: &str, other: &str) -> bool {
        let has_both = |group: &Vec<String>| [one, other].iter().all(|name| group.iter().any(|file| file == name));
        one == other || self.planned.plan.groups.iter().any(has_both)
    }
}

struct Session<'s> {
    args: &'s ApplyArgs,
    packs: &'static Packs,
    console: Console,
    paint: Paint,
    tree: TreeSeen,
}

impl Session<'_> {
    fn run(&self, planned: Planned<'static>) -> Result<(Planned<'static>, Consent)> {
        let mut steps: Vec<Step> = Vec::new();
        // How many steps there were when `q` was answered.
        let mut stopped: Option<usize> = None;
        let mut numbers = Numbers::default();
        let mut plan = AnsweredPlan { planned, without: BTreeSet::new() };
        let consent = loop {
            let choices = in_force(&steps);
            numbers.add(&plan.planned);
            let changes = by_object(&plan.planned.plan.files, &plan.planned.plan.objects);
            let open = plan.open(&changes, &choices);
            if plan.is_outdated(open.first().map(|change| &change.object.location), &choices) {
                plan = self.plan_again(&plan, &choices)?;
                continue;
            }
            let Some(current) = open.first() else {
                break if stopped.is_some() { Consent::Open } else { Consent::Yes };
            };
            self.show(current, choices.contains_key(&current.object.location), &plan.planned.plan.findings)?;
            let Some(key) = self.ask(&numbers.question(current.object))? else { break Consent::No };
            let file = &current.object.location.file;
            let in_file = |change: &&&ObjectChange<'_>| change.object.location.file == *file;
            let step: Step = match key {
                'y' => vec![accept(current)],
                'a' => open.iter().map(|change| accept(change)).collect(),
                'n' => vec![decline(current)],
                's' => open.iter().filter(in_file).map(|change| decline(change)).collect(),
                'd' | 'q' => open.iter().map(|change| decline(change)).collect(),
                'u' => {
                    if steps.pop().is_none() {
                        self.console.note("there is no earlier answer\n")?;
                    }
                    stopped = stopped.filter(|at| *at <= steps.len());
                    continue;
                }
                'e' => {
                    self.explain(current.object)?;
                    continue;
                }
                _ => {
                    self.help()?;
                    continue;
                }
            };
            steps.push(step);
            if key == 'q' {
                stopped = Some(steps.len());
            }
        };
        let planned = plan.planned;
        if planned.plan.files.is_empty() {
            return Ok((planned, Consent::No));
        }
        if consent == Consent::Yes {
            let changed = planned.plan.objects.iter().filter(|object| object.outcome == Outcome::Changed);
            let files = changed.map(|object| &*object.location.file);
            let columns = self.console.note_columns();
            self.console.painted_note(&stat::overview(&planned.plan.files, files, columns, self.paint))?;
        }
        Ok((planned, consent))
    }

    /// Plans without what was declined, and says what else is left unchanged by that.
    fn plan_again(&self, before: &AnsweredPlan, choices: &Choices<'_>) -> Result<AnsweredPlan> {
        let without = declined(choices);
        let places: Vec<Location> = without.iter().cloned().collect();
        let planned = planned_without(&self.args.convert, self.packs, &places, self.console.silent())?;
        self.tree.ensure_same(&planned)?;
        self.report_dropped(&before.planned, &planned, choices)?;
        Ok(AnsweredPlan { planned, without })
    }

    /// Shows a change and the findings about its object. `is_known` is whether another change of the object was accepted before.
    fn show(&self, change: &ObjectChange<'_>, is_known: bool, findings: &[Finding]) -> Result<()> {
        let needed = changes_needed(change.object);
        let head = format!("{}: {}", visible(&needed.location.to_string()), visible(&needed.sentence()));
        let again = if is_known { " (again: it has become another change by your other answers)" } else { "" };
        let head = format!("\n{}{again}\n", self.paint.strong(head));
        let painter = self.painter();
        let rules = change.object.rules.iter().map(|(rule, way)| format!("  {} {}\n", way.name(), painter.rule(rule)));
        let diff = match diff::unified(&change.file, self.paint) {
            // The name of the file is above.
            Some(diff) => diff.split_inclusive('\n').skip(2).collect(),
            None => "  its diff would show values of a Secret\n".to_owned(),
        };
        let level = Level::of(&self.args.convert.output);
        let about = findings.iter().filter(|finding| is_about(finding, change.object) && level.shows(finding));
        let about = about_places(about, &painter);
        self.console.painted_note(&[head, rules.collect(), diff, about].concat())
    }

    fn painter(&self) -> Painter {
        self.console.note_painter(self.args.convert.output.color)
    }

    /// Asks until there is an answer; `None` where there is no more input. A key that has no meaning is answered with the help.
    fn ask(&self, question: &str) -> Result<Option<char>> {
        match self.console.ask(question)? {
            Answer::End => Ok(None),
            Answer::Line(line) => {
                let mut characters = line.chars();
                let key = characters.next().map_or('y', |key| key.to_ascii_lowercase());
                let is_word = ["yes", "no"].contains(&line.to_lowercase().as_str());
                let is_key = characters.next().is_none() && KEYS.iter().any(|(known, _)| *known == key);
                Ok(Some(if is_key || is_word { key } else { '?' }))
            }
        }
    }

    fn explain(&self, object: &ObjectPlan) -> Result<()> {
        let mut seen = BTreeSet::new();
        let mut explained = Vec::new();
        for (rule, _) in object.rules.iter().filter(|(rule, _)| seen.insert(rule)) {
            explained.push(explain::answer(rule, self.packs)?);
        }
        if explained.is_empty() {
            explained.push(
                "no rule: the object gets an apiVersion that the target serves, or follows what other objects become\n"
                    .to_owned(),
            );
        }
        self.console.note(&explained.join("\n"))
    }

    fn help(&self) -> Result<()> {
        let lines: String = KEYS.iter().map(|(key, text)| format!("{key} - {text}\n")).collect();
        self.console.note(&format!("{lines}Ctrl-D and Ctrl-C write nothing.\n"))
    }

    /// Says which objects are left unchanged because others were declined.
    fn report_dropped(&self, before: &Planned<'_>, now: &Planned<'_>, choices: &Choices<'_>) -> Result<()> {
        let changed = |planned: &Planned<'_>| -> BTreeSet<Location> {
            let objects = planned.plan.objects.iter().filter(|object| object.outcome == Outcome::Changed);
            objects.map(|object| object.location.clone()).collect()
        };
        let still = changed(now);
        let is_dropped = |object: &&ObjectPlan| {
            object.outcome == Outcome::Changed
                && !still.contains(&object.location)
                && !matches!(choices.get(&object.location), Some(Choice::Declined))
        };
        let dropped: Vec<&ObjectPlan> = before.plan.objects.iter().filter(is_dropped).collect();
        if dropped.is_empty() {
            return Ok(());
        }
        let mut lines = format!("{} left unchanged with it:\n", plural(dropped.len(), "object"));
        for object in dropped {
            let held = now
                .plan
                .findings
                .iter()
                .filter(|finding| is_about(finding, object) && finding.severity == Severity::Held);
            let why = about_places(held, &self.painter());
            match why.is_empty() {
                true => {
                    let place = visible(&object.location.to_string());
                    lines.push_str(&format!("{place}: {} needs no change then\n", visible(&object.title)));
                }
                false => lines.push_str(&why),
            }
        }
        self.console.painted_note(&lines)
    }
}

/// Returns the last answer about each object.
fn in_force(steps: &[Step]) -> Choices<'_> {
    steps.iter().flatten().map(|decision| (&decision.place, &decision.choice)).collect()
}

/// Returns the places of the objects that are left unchanged.
fn declined(choices: &Choices<'_>) -> BTreeSet<Location> {
    let declined = choices.iter().filter(|(_, choice)| matches!(choice, Choice::Declined));
    declined.map(|(place, _)| (*place).clone()).collect()
}

/// Returns whether exactly this change was accepted.
fn is_accepted(change: &ObjectChange<'_>, choices: &Choices<'_>) -> bool {
    match choices.get(&change.object.location) {
        Some(Choice::Accepted(shown)) => shown.edits == change.file.edits && shown.before == change.file.before,
        Some(Choice::Declined) | None => false,
    }
}

fn accept(change: &ObjectChange<'_>) -> Decision {
    Decision { place: change.object.location.clone(), choice: Choice::Accepted(change.file.clone()) }
}

fn decline(change: &ObjectChange<'_>) -> Decision {
    Decision { place: change.object.location.clone(), choice: Choice::Declined }
}

fn is_about(finding: &Finding, object: &ObjectPlan) -> bool {
    finding.object.as_ref().is_some_and(|about| about.location == object.location)
}

//! What becomes of a template, given what is planned for each of its readings?
//!
//! Objects of several readings that share bytes of the template are one: they change together, by edits on which all readings agree, or
//! not at all. Findings are reported once, at their places in the template.
//!
//! Invariant: with the edits, every reading prints what was planned for it, but for the objects that are held back.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::chart_report::{Followed, Kinds};
use super::definitions::{Definitions, TemplateFile};
use super::file::PlannedFile;
use super::planned_text::{PlannedTemplate, PlannedText};
use super::printed_types::{made_versions, names_version, written_versions};
use super::reading_plan::{ReadingPlan, is_within};
use super::unknown_types::{OpenTypes, of_foreign, of_suffixed};
use crate::engine::convert::{ObjectPlan, Outcome};
use crate::engine::edits::FilePlan;
use crate::engine::finding::{Code, Finding, FindingObject, Location, Severity};
use crate::engine::manifest::{self, Ignore, Ignores, Recognizer};
use crate::engine::notices::pins::Pin;
use crate::syntax::field::FieldPath;
use crate::syntax::template::{
    self, Action, Disagreement, Edited, Environment, Hole, Obstacle, Part, Placeholders, Reading, Reason, Source,
    Template, Unprinted,
};
use crate::syntax::text::{EditSet, LineIndex, Position, Span};

/// What to do about an object that is held back because of an action.
pub(super) const BY_HAND: &str = "convert the object by hand; `helm template` shows what the chart prints";

/// What an action calls that makes an object of arguments or a text.
const MAKING: [&str; 6] = ["dict ", "fromYaml ", "list ", "set ", "tpl ", "tuple "];

/// How many definitions are looked into that pass all on to each other.
const PASSED_ON: u32 = 4;

/// A template whose readings are planned.
pub(super) struct TemplatePlan<'t> {
    file: &'t TemplateFile,
    template: &'t Template,
    placeholders: Placeholders,
    /// The first action that prints the same in some reading, where that is another one: an object is called alike in all readings.
    named: BTreeMap<usize, usize>,
    readings: Vec<ReadingPlan>,
    lines: LineIndex,
    findings: Vec<Finding>,
    /// The branches that no reading prints.
    unprinted: Vec<Unprinted>,
    /// The bytes of the objects that are held back because of actions.
    held: Vec<Span>,
    /// Whether readings want different things.
    disagrees: bool,
}

impl<'t> TemplatePlan<'t> {
    pub(super) fn new(
        file: &'t TemplateFile,
        template: &'t Template,
        readings: Vec<ReadingPlan>,
        unprinted: Vec<Unprinted>,
    ) -> Self {
        let (lines, placeholders) = (LineIndex::new(&file.text), Placeholders::new(template));
        Self {
            file,
            template,
            placeholders,
            named: first_named(&readings),
            readings,
            lines,
            findings: Vec::new(),
            unprinted,
            held: Vec::new(),
            disagrees: false,
        }
    }

    /// Reports why a reading cannot be read, and holds back everything: what it prints is not known.
    pub(super) fn fail(&mut self, reading: Reading, failure: &Finding) {
        let plan = ReadingPlan::new(reading, PlannedText::default(), self.template);
        let location = self.location(&plan, &failure.location);
        self.hold_back_all(location, &self.shown(&failure.message));
    }

    /// Leaves out a reading that prints a key twice, or a comma alone before an item: no chart that works does, so that its conditions exclude
    /// each other. What no other reading prints is not known then.
    pub(super) fn leave_out(&mut self, reading: Reading, failure: &Finding) {
        let literals = |reading: &Reading| -> BTreeSet<Span> {
            let sources = reading.segments.iter().map(|segment| segment.source);
            sources.filter_map(|source| if let Source::Literal(span) = source { Some(span) } else { None }).collect()
        };
        let printed: BTreeSet<Span> = self.readings.iter().flat_map(|one| literals(&one.reading)).collect();
        let own: BTreeSet<&str> =
            literals(&reading).difference(&printed).map(|span| span.of(&self.file.text).trim()).collect();
        let is_left = match failure.code {
            Code::DuplicateKey => own.iter().all(|text| text.is_empty() || *text == ","),
            _ => own.contains(",") && own.iter().all(|text| text.is_empty() || *text == ","),
        };
        if !is_left {
            self.fail(reading, failure);
        }
    }

    /// Reports that there is more than is read, and holds back everything.
    pub(super) fn fail_untried(&mut self, count: usize, of_what: &str) {
        self.hold_back_all(self.place(0), &format!("it has {count} {of_what} more than are read"));
    }

    fn hold_back_all(&mut self, location: Location, why: &str) {
        // Several readings can fail for the same reason.
        self.findings.extend(Some(unread(location, why)).filter(|finding| !self.findings.contains(finding)));
        self.held.push(Span::new(0, self.file.text.len()));
    }

    /// Reports the conditions by which clusters whose version has a suffix get an apiVersion that `leaves` the target.
    pub(super) fn find_suffixed(&mut self, leaves: impl Fn(&str) -> bool) {
        let is_one = |one: &&Unprinted| one.with_suffix && words(one.span.of(&self.file.text)).any(&leaves);
        // Several branches can have one condition.
        let actions: BTreeSet<usize> = self.unprinted.iter().filter(is_one).map(|one| one.action).collect();
        for action in actions {
            let place = self.place(self.template.actions()[action].span.start);
            self.findings.push(of_suffixed(&self.action(action), place));
        }
    }

    /// Reports the actions of a file with nothing else in it that print definitions of other charts, where these are not known, or print
    /// an apiVersion that `leaves` the target.
    pub(super) fn find_foreign(&mut self, leaves: impl Fn(&str) -> bool) {
        let is_own = |one: &&ReadingPlan| one.reading.definition(self.template).is_none();
        let known =
            self.readings.iter().filter(is_own).flat_map(|one| one.objects().map(|object| one.printed_by(object)));
        let known: BTreeSet<Option<usize>> = known.collect();
        let own = || self.readings.iter().filter(is_own).map(|one| &one.reading);
        let holes = || own().flat_map(|reading| reading.holes.iter().map(move |hole| (reading, hole)));
        let all: BTreeSet<usize> = holes().map(|(_, hole)| hole.action()).collect();
        let body = self.template.parts().find(|part| part.name().is_none() && part.is_without_text());
        let others = body.into_iter().flat_map(Part::action_numbers).filter(|number| !all.contains(number));
        // Of values that are empty, a definition prints nothing, and objects in values are converted there.
        let is_printed =
            |hole: &Hole| !hole.is_of_objects && hole.by_default.as_ref().is_none_or(|all| !all.is_empty());
        let documents =
            holes().filter(|(reading, hole)| template::is_document(&reading.text, hole) && is_printed(hole));
        let documents: BTreeSet<usize> = documents.map(|(_, hole)| hole.action()).chain(others).collect();
        for number in documents.into_iter().filter(|number| !known.contains(&Some(*number))) {
            let action = &self.template.actions()[number];
            if action.prints_whole().is_some_and(|name| is_foreign(name, &self.file.definitions, &leaves, PASSED_ON)) {
                let place = self.place(action.span.start);
                self.findings.push(of_foreign(&self.action(number), place));
            }
        }
    }

    /// Reports branches with known objects that no reading prints.
    pub(super) fn report_unprinted(&mut self, recognizer: &Recognizer) {
        let is_known = |one: &&Unprinted| recognizer.mentions_group(one.span.of(&self.file.text).as_bytes());
        let report = |one: &Unprinted| {
            let action = self.action(one.action);
            let (severity, why) = match one.reason {
                Reason::Target => {
                    let message =
                        format!("what `{action}` decides about is not printed for the target, and is left as it is");
                    return Finding::new(self.place(one.span.start), Code::TemplateBranch, Severity::Note, message);
                }
                Reason::Contradiction => (Severity::Unresolved, "contradicts what is around it"),
                Reason::Fails => (Severity::Note, "ends in `fail`"),
                Reason::Limit => (Severity::Unresolved, "is one of more branches than are read"),
            };
            let message = format!("`{action}` {why}: what it prints is left as it is");
            Finding::new(self.place(one.span.start), Code::TemplateBranch, severity, message).help(BY_HAND)
        };
        let found: Vec<Finding> = self.unprinted.iter().filter(is_known).map(report).collect();
        self.findings.extend(found);
    }

    /// Reports the actions that make an object of arguments (`dict "apiVersion" "policy/v1beta1"`), or pass an apiVersion to a definition, if
    /// that `leaves` the target; returns these apiVersions.
    pub(super) fn report_made(&mut self, recognizer: &Recognizer, leaves: impl Fn(&str) -> bool) -> BTreeSet<String> {
        let actions = self.template.actions().iter().enumerate().filter(|(_, action)| !action.is_comment());
        let made = actions.filter_map(|(number, action)| {
            let content = action.content.of(&self.file.text);
            let passes = MAKING.iter().any(|made| content.contains(made));
            let mut versions = action.texts().into_iter().filter(|_| passes).flat_map(words);
            let of_text = || {
                let is_known = |text: &str| {
                    manifest::values_on_lines(text, "kind").any(|kind| recognizer.is_known_kind(None, kind))
                };
                let is_object = self.file.definitions.all.has_literal(action.changes_text_of()?, is_known);
                is_object.then_some("a definition, whose text it changes")
            };
            let what = versions.find(|text| leaves(text)).or_else(of_text)?;
            let message = format!("`{}` makes an object of {what}, which is not converted", self.action(number));
            let place = self.place(action.span.start);
            let finding = Finding::new(place, Code::TemplateAction, Severity::Unresolved, message).help(BY_HAND);
            Some((what.to_owned(), finding))
        });
        let (reported, found): (BTreeSet<String>, Vec<Finding>) = made.unzip();
        self.findings.extend(found);
        reported
    }

    /// Reports the actions that print an object by default that they make, if its apiVersion `leaves` the target and was not `reported` where it
    /// is written: what they take from values or definitions as it is, is converted there.
    pub(super) fn report_computed(&mut self, reported: &BTreeSet<String>, leaves: impl Fn(&str) -> bool) {
        let definitions = &self.file.definitions;
        let own: LazyCell<Vec<&str>, _> =
            LazyCell::new(|| definitions.values.iter().flat_map(written_versions).collect());
        let calls_own = |action: usize| {
            let called = self.template.actions()[action].called(&self.file.text);
            called.is_some_and(|name| definitions.own.contains(name))
        };
        let mut found = BTreeMap::new();
        for one in &self.readings {
            let printed = one
                .reading
                .by_default()
                .flat_map(|(action, value)| made_versions(value).into_iter().map(move |version| (action, version)));
            let old = printed.filter(|(action, version)| {
                leaves(version) && !reported.contains(*version) && !own.contains(version) && !calls_own(*action)
            });
            found.extend(old.map(|(action, version)| (action, version.to_owned())));
        }
        let finding = |(action, version): (usize, String)| {
            let message =
                format!("`{}` makes an object of {version} by default, which is not converted", self.action(action));
            let place = self.place(self.template.actions()[action].span.start);
            Finding::new(place, Code::TemplateAction, Severity::Unresolved, message).help(BY_HAND)
        };
        let found: Vec<Finding> = found.into_iter().map(finding).collect();
        self.findings.extend(found);
    }

    /// Reports the actions that print an API group by default which kinds leave, as `moved` says, and the definitions that print nothing else:
    /// references name it by itself.
    pub(super) fn report_groups<'k>(&mut self, moved: impl Fn(&str) -> Vec<&'k str>) {
        let plan = &*self;
        let actions = plan.template.actions().iter().enumerate();
        let printing = actions.filter(|(_, action)| !action.is_comment() && !action.is_condition());
        let printed = printing.flat_map(|(number, action)| {
            // Other texts can be those of branches that are not for the target.
            let is_one = action.content.of(&plan.file.text).contains("default ");
            let texts = action.texts().into_iter().filter(move |_| is_one);
            texts.map(move |text| (action.span.start, format!("`{}`", plan.action(number)), text))
        });
        let defined = plan.template.parts().filter_map(|part| {
            let literals = part.literals();
            let mut texts = literals.iter().map(|span| {
                let text = span.of(&plan.file.text).trim_start();
                (span.end - text.len(), text.trim_end())
            });
            let (start, text) = texts.find(|(_, text)| !text.is_empty())?;
            let is_all = texts.all(|(_, text)| text.is_empty());
            Some((start, format!("the definition {}", part.name()?), text)).filter(|_| is_all)
        });
        let finding = |(start, what, group): (usize, String, &str)| {
            let kinds = Some(moved(group)).filter(|kinds| !kinds.is_empty())?.join(", ");
            let message = format!("{what} prints {group}, which {kinds} left; it is not updated");
            let finding = Finding::new(plan.place(start), Code::ReferenceNotUpdated, Severity::Unresolved, message);
            Some(finding.help(BY_HAND))
        };
        let found: Vec<Finding> = printed.chain(defined).filter_map(finding).collect();
        self.findings.extend(found);
    }

    /// Reports the definitions with an apiVersion that `leaves` the target if a chart that this one brings prints them in place of its own.
    pub(super) fn report_replacing(&mut self, leaves: impl Fn(&str) -> bool) {
        let replacing =
            |part: &Part<'_>| part.name().is_some_and(|name| self.file.definitions.replacing.contains(name));
        let found = self.template.parts().filter(replacing).filter_map(|part| {
            let literals = part.literals();
            let has_old = |span: &&Span| words(span.of(&self.file.text)).any(&leaves);
            let place = self.place(literals.iter().find(has_old)?.start);
            let message = format!(
                "a chart in the folder charts defines {} too, and prints this in place of its own",
                part.name().unwrap_or_default()
            );
            Some(Finding::new(place, Code::TemplateAction, Severity::Unresolved, message).help(BY_HAND))
        });
        let found: Vec<Finding> = found.collect();
        self.findings.extend(found);
    }

    /// Returns the kinds that the template names.
    pub(super) fn kinds(&self, recognizer: &Recognizer) -> Kinds {
        let named = |text: &str| -> Vec<String> {
            let kinds = manifest::values_on_lines(text, "kind");
            kinds.filter(|kind| recognizer.is_known_kind(None, kind)).map(str::to_owned).collect()
        };
        let left = self.unprinted.iter().filter(|one| one.reason == Reason::Target);
        Kinds {
            printed: self.readings.iter().flat_map(|one| named(&one.reading.text)).collect(),
            left: left.flat_map(|one| named(one.span.of(&self.file.text))).collect(),
        }
    }

    /// Returns what the template adds to the plan.
    pub(super) fn into_planned(mut self, environment: Environment<'_>, recognizer: &Recognizer) -> PlannedTemplate {
        let kinds = self.kinds(recognizer);
        let is_tied = self.readings.iter().any(|one| one.text.is_tied);
        let edits = self.agreed(environment);
        let mut all = Merged::default();
        for mut one in std::mem::take(&mut self.readings) {
            if let Some(own) = one.text.planned.take() {
                self.merge(&one, own, &mut all);
            }
        }
        let Merged { mut planned, objects, findings, open, followed, ignores } = all;
        self.file.file.clone_into(&mut planned.file);
        planned.ignores = Ignores::new(ignores.into_values().collect());
        planned.findings.extend(findings);
        planned.findings.append(&mut self.findings);
        planned.objects.extend(objects.into_values());
        let (file, before) = (self.file.file.clone(), Arc::clone(&self.file.text));
        planned.change = (!edits.is_empty()).then_some(FilePlan { file, before, edits });
        PlannedTemplate { planned, open, followed, kinds, is_tied, disagrees: self.disagrees }
    }

    /// Adds what is planned for a reading, but for objects that definitions of the chart print: these are planned where they stand.
    fn merge(&self, one: &ReadingPlan, own: PlannedFile, all: &mut Merged) {
        let mut elsewhere = BTreeSet::new();
        for object in own.objects {
            let place = object.location.clone();
            let is_open = one.text.types.open.iter().any(|(_, open)| *open == place);
            if is_open || self.is_printed(one, &object) {
                elsewhere.insert(place);
            } else {
                let object = self.object(one, object);
                match all.objects.get_mut(&(object.location.clone(), object.title.clone())) {
                    Some(same) => same.outcome = same.outcome.max(object.outcome),
                    None => drop(all.objects.insert((object.location.clone(), object.title.clone()), object)),
                }
            }
        }
        for (action, place) in &one.text.followed {
            let places = all.followed.entry(action.clone()).or_default();
            places.insert(self.location(one, place));
        }
        for (open, place) in one.text.types.open.iter().chain(&one.text.types.settled) {
            let places = all.open.entry(open.map(|text| self.shown(text))).or_default();
            places.insert(self.location(one, place));
        }
        let is_here =
            |finding: &Finding| !finding.object.as_ref().is_some_and(|about| elsewhere.contains(&about.location));
        let planned = &mut all.planned;
        let findings = own.findings.into_iter().filter(is_here).filter_map(|finding| self.about_document(one, finding));
        all.findings.extend(findings.map(|finding| self.finding(one, finding)));
        let names = own.old_names.into_iter();
        planned.old_names.extend(names.map(|names| names.map(|finding| self.finding(one, finding))));
        for (at, advised) in own.advised {
            advised.map(|object| self.finding_object(one, object)).add_to(&mut planned.advised, at);
        }
        planned.value_sources.extend(own.value_sources);
        planned.advised_values.extend(own.advised_values);
        let values = own.unconverted_values.into_iter();
        planned.unconverted_values.extend(values.map(|values| values.map(|finding| self.finding(one, finding))));
        let pins = own.pins.into_iter();
        planned.pins.extend(pins.map(|pin| Pin { finding: self.finding(one, pin.finding), ..pin }));
        own.ignores.all().iter().for_each(|ignore| self.add_ignore(one, ignore, &mut all.ignores));
    }

    /// Returns a finding about a document that is no object as it counts in a template: what a definition prints can be a part of a document, as
    /// a version; and what is printed is applied, so that an apiVersion that goes is not left to people.
    fn about_document(&self, one: &ReadingPlan, finding: Finding) -> Option<Finding> {
        if finding.code != Code::NotAnObject || finding.severity != Severity::Warning {
            return Some(finding);
        }
        let has = |key: &str| one.reading.text.lines().any(|line| line.trim_start_matches([' ', '-']).starts_with(key));
        let is_part = one.reading.definition(self.template).is_some() && !has("apiVersion:");
        let severity = if one.text.leaves_version { Severity::Unresolved } else { Severity::Warning };
        (!is_part).then_some(Finding { severity, ..finding })
    }

    /// Returns the edits on which all readings agree; holds back the objects on whose they do not.
    fn agreed(&mut self, environment: Environment<'_>) -> EditSet {
        let mut accepted = Vec::new();
        if self.readings.iter().any(ReadingPlan::changes_more) {
            let location = Location { file: self.file.file.clone(), position: None };
            self.hold_back_all(location, "more than its objects must change");
        }
        let mut before = 0;
        for part in self.parts() {
            let around = Span::new(std::mem::replace(&mut before, part.end), part.end);
            let wanted: Vec<EditSet> = self.readings.iter().map(|one| one.edits_within(part)).collect();
            if wanted.iter().all(EditSet::is_empty) || self.is_held(part) {
                continue;
            }
            if self.is_open(part) {
                // What is known of it is reported; its references are its own, too.
                self.held.push(part);
                continue;
            }
            if let Some(message) = self.defined_in_part(part) {
                self.held.push(part);
                self.report_held(part, self.place(part.start), message.to_owned());
                continue;
            }
            if let Some(action) = self.for_other_clusters(around, part) {
                let version = part.of(&self.file.text).find("apiVersion:").unwrap_or_default();
                let span = Span::new(part.start + version, part.end);
                self.hold_back(part, Disagreement::Conflict { span, is_addition: false, action });
                continue;
            }
            match template::agree(self.template, &edited(&self.readings, &wanted)) {
                Ok(mapped) => accepted.push(Accepted { part, edits: mapped.edits, wanted }),
                Err(disagreement) => {
                    self.disagrees |= matches!(disagreement, Disagreement::Conflict { .. });
                    self.hold_back(part, disagreement);
                }
            }
        }
        self.verified(accepted, environment)
    }

    /// Returns the edits of parts after checking what is printed with them; holds back those parts that print something else.
    fn verified(&mut self, mut accepted: Vec<Accepted>, environment: Environment<'_>) -> EditSet {
        if accepted.is_empty() {
            return EditSet::default();
        }
        if let Ok(edits) = self.check(&accepted, environment) {
            return edits;
        }
        accepted.retain(|one| match self.check(std::slice::from_ref(one), environment) {
            Ok(_) => true,
            Err(Some(obstacle)) => {
                self.hold_back(one.part, Disagreement::Obstacle(obstacle));
                false
            }
            Err(None) => {
                self.held.push(one.part);
                self.report_held(
                    one.part,
                    self.place(one.part.start),
                    "its edits do not print what was planned".to_owned(),
                );
                false
            }
        });
        self.check(&accepted, environment).unwrap_or_else(|_| {
            self.hold_back_all(self.place(0), "its edits do not print what was planned");
            EditSet::default()
        })
    }

    /// Returns the edits of all these parts.
    ///
    /// # Errors
    /// The action because of which the template prints something else with them, where that is known.
    fn check(&self, accepted: &[Accepted], environment: Environment<'_>) -> Result<EditSet, Option<Obstacle>> {
        let all = |sets: &mut dyn Iterator<Item = &EditSet>| {
            EditSet::new(sets.flat_map(|set| set.edits().iter().cloned()).collect()).map_err(|_| None)
        };
        let edits = all(&mut accepted.iter().map(|one| &one.edits))?;
        let of_reading = |at: usize| all(&mut accepted.iter().map(|one| &one.wanted[at]));
        let wanted: Vec<EditSet> = (0..self.readings.len()).map(of_reading).collect::<Result<_, _>>()?;
        match template::verify(self.template, &edits, &edited(&self.readings, &wanted), environment) {
            Ok(()) => Ok(edits),
            Err(mismatch) => Err(mismatch.obstacle()),
        }
    }

    /// Returns whether nothing shows which apiVersion the objects of a part have, or that is to be changed elsewhere first.
    fn is_open(&self, part: Span) -> bool {
        let is_open = |one: &ReadingPlan, object: &ObjectPlan| {
            one.text.types.open.iter().any(|(_, place)| *place == object.location)
        };
        self.objects_of(part).all(|(one, object)| is_open(one, object))
    }

    /// Returns the objects of the readings that come from a part.
    fn objects_of(&self, part: Span) -> impl Iterator<Item = (&ReadingPlan, &ObjectPlan)> {
        self.readings.iter().flat_map(move |one| {
            let own = one.objects_with_sources().filter(move |(_, source)| is_within(*source, part));
            own.map(move |(object, _)| (one, object))
        })
    }

    /// Returns why what becomes of the objects of a part does not show in the definition that prints them.
    fn defined_in_part(&self, part: Span) -> Option<&'static str> {
        let asked = &self.file.definitions.asked;
        self.objects_of(part).find_map(|(one, object)| {
            let name = one.reading.definition(self.template)?;
            let read =
                "the chart reads what its definition prints (`fromYaml`, a condition) or prints it inside another text";
            let head = "its definition prints no fields of it, and what prints them is not known";
            asked.contains(name).then_some(read).or_else(|| one.is_head(object).then_some(head))
        })
    }

    /// Returns the action that decides about the apiVersion of the objects of a part, by the cluster: those that other clusters get would
    /// change too. It is in `around`, from the end of the part before.
    fn for_other_clusters(&self, around: Span, part: Span) -> Option<usize> {
        let actions = self.template.actions();
        let decides = |one: &&Unprinted| {
            let text = one.span.of(&self.file.text);
            one.reason == Reason::Target && text.contains("apiVersion:") && !text.contains("kind:")
        };
        let unprinted =
            self.unprinted.iter().filter(|one| is_within(one.span, around)).find(decides).map(|one| one.action);
        let versions = self.objects_of(part).filter(|(_, object)| object.from.1 != object.to.1);
        let versions: BTreeSet<String> = versions.map(|(_, object)| object.from.1.to_string()).collect();
        let names_version = |text: &str| versions.iter().any(|version| names_version(text, version));
        let conditions = (0..actions.len()).filter(|at| actions[*at].is_condition());
        let mut guards = conditions.filter(|at| is_within(actions[*at].span, around));
        unprinted.or_else(|| guards.find(|at| names_version(actions[*at].span.of(&self.file.text))))
    }

    /// Returns the parts of the template that objects come from, those that overlap joined.
    fn parts(&self) -> Vec<Span> {
        let spans = self.readings.iter().flat_map(|one| {
            let own = one.objects_with_sources().filter(|(object, _)| !self.is_printed(one, object));
            own.map(|(_, source)| source)
        });
        let mut spans: Vec<Span> = spans.collect();
        spans.sort_unstable();
        let mut parts: Vec<Span> = Vec::new();
        for span in spans {
            match parts.last_mut().filter(|last| span.start < last.end) {
                Some(last) => last.end = last.end.max(span.end),
                None => parts.push(span),
            }
        }
        parts
    }

    /// Returns whether a definition of the chart itself prints an object whole.
    fn is_printed(&self, one: &ReadingPlan, object: &ObjectPlan) -> bool {
        let call = one.printed_by(object).and_then(|action| self.template.actions()[action].called(&self.file.text));
        call.is_some_and(|name| self.file.definitions.own.contains(name))
    }

    fn is_held(&self, part: Span) -> bool {
        self.held.iter().any(|held| is_within(part, *held))
    }

    /// Holds back the objects of a part, because of an action; where one of them is held back in a reading, that is the reason.
    fn hold_back(&mut self, part: Span, disagreement: Disagreement) {
        self.held.push(part);
        if self.objects_of(part).any(|(_, object)| object.outcome == Outcome::HeldBack) {
            return;
        }
        let (action, message) = match disagreement {
            Disagreement::Obstacle(Obstacle { action, .. }) => {
                (action, format!("`{}` stands in what must change", self.action(action)))
            }
            Disagreement::Conflict { span, is_addition, action } => {
                let (what, near) = if is_addition { ("is to be added", "beside") } else { ("must change", "at") };
                let place = self.field_at(span.start).map(|(field, line)| format!(" {near} {field} (line {line})"));
                let (place, action_text) = (place.unwrap_or_default(), self.action(action));
                (action, format!("what {what}{place} depends on `{action_text}`"))
            }
        };
        self.report_held(part, self.place(self.template.actions()[action].span.start), message);
    }

    /// Returns the field of an object that a byte of the template belongs to, with its line.
    fn field_at(&self, at: usize) -> Option<(FieldPath, usize)> {
        let text = &self.file.text;
        let at = text.len() - text[at..].trim_start().len();
        let printed =
            |one: &ReadingPlan| Some(template::field_at(&one.reading.text, one.reading.printed_at(self.template, at)?));
        let field = self.readings.iter().find_map(printed).filter(|field| !field.steps().is_empty())?;
        Some((field, self.lines.position(text, at).line))
    }

    /// Reports why the objects of a part are held back, with the first of them.
    fn report_held(&mut self, part: Span, location: Location, message: String) {
        let changed = self.objects_of(part).filter(|(_, object)| object.outcome == Outcome::Changed);
        let objects = changed
            .map(|(one, object)| FindingObject::new(self.shown(&object.title), self.location(one, &object.location)));
        let first = objects.min_by(|left, right| left.location.cmp(&right.location));
        let finding = Finding::new(location, Code::TemplateAction, Severity::Held, message);
        self.findings.push(finding.about(first).help(BY_HAND));
    }

    /// Adds a comment of a reading as one of the template: it is about all that it is about in one of the readings.
    fn add_ignore(&self, one: &ReadingPlan, ignore: &Ignore, all: &mut BTreeMap<Location, Ignore>) {
        let position = |position: Position| self.lines.position(&self.file.text, one.origin(self.template, position));
        let about = ignore.about.map(|(start, end)| (position(start), position(end)));
        let own = Ignore {
            location: self.location(one, &ignore.location),
            about,
            object: ignore.object.map(position),
            ..ignore.clone()
        };
        let same = all.entry(own.location.clone()).or_insert(own);
        same.about = match (same.about, about) {
            (Some((start, end)), Some((own_start, own_end))) => Some((start.min(own_start), end.max(own_end))),
            (same, own) => same.or(own),
        };
    }

    /// Returns an object of a reading as one of the template.
    fn object(&self, one: &ReadingPlan, object: ObjectPlan) -> ObjectPlan {
        let extent = one.source(self.template, &object);
        let is_held = object.outcome == Outcome::Changed && self.is_held(extent);
        ObjectPlan {
            location: self.location(one, &object.location),
            extent,
            title: self.shown(&object.title),
            name: object.name.as_deref().map(|name| self.shown(name)),
            outcome: if is_held { Outcome::HeldBack } else { object.outcome },
            ..object
        }
    }

    /// Returns a finding about a reading as one about the template. What is missing in a reading may be printed in others.
    fn finding(&self, one: &ReadingPlan, finding: Finding) -> Finding {
        Finding {
            location: self.location(one, &finding.location),
            severity: if finding.code == Code::AlreadyInvalid { Severity::Note } else { finding.severity },
            object: finding.object.map(|object| self.finding_object(one, object)),
            field: finding.field.as_deref().map(|field| self.shown(field)),
            message: self.shown_about(one, &finding.location, &finding.message),
            help: finding.help.as_deref().map(|help| self.shown_about(one, &finding.location, help)),
            ..finding
        }
    }

    /// Returns a text about a place in a reading, with the actions that its placeholders stand for there.
    fn shown_about(&self, one: &ReadingPlan, location: &Location, text: &str) -> String {
        let place = location.position.filter(|_| location.file == self.file.file);
        let at = place.map(|position| one.lines.offset(&one.reading.text, position));
        let near = |number: usize| one.reading.action_behind(number, at?);
        let named = |number: usize| near(number).or(self.named.get(&number).copied()).unwrap_or(number);
        self.placeholders.replaced(self.template, text, named)
    }

    fn finding_object(&self, one: &ReadingPlan, object: FindingObject) -> FindingObject {
        let others = object.others.into_iter().map(|other| self.finding_object(one, other)).collect();
        let location = self.location(one, &object.location);
        FindingObject { title: self.shown(&object.title), location, others }
    }

    /// Returns the place in the template of one in what a reading prints.
    fn location(&self, one: &ReadingPlan, location: &Location) -> Location {
        match location.position.filter(|_| location.file == self.file.file) {
            Some(position) => self.place(one.origin(self.template, position)),
            None => location.clone(),
        }
    }

    fn place(&self, at: usize) -> Location {
        let position = Some(self.lines.position(&self.file.text, at));
        Location { file: self.file.file.clone(), position }
    }

    fn action(&self, number: usize) -> String {
        self.template.actions()[number].on_one_line(&self.file.text)
    }

    /// Returns a text with the actions that its placeholders stand for.
    fn shown(&self, text: &str) -> String {
        self.placeholders.replaced(self.template, text, |number| self.named.get(&number).copied().unwrap_or(number))
    }
}

/// Returns the first action that prints the same as each one does in some reading, where that is another one.
fn first_named(readings: &[ReadingPlan]) -> BTreeMap<usize, usize> {
    let all = || readings.iter().flat_map(|one| one.reading.origins());
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (origin, number) in all() {
        first.entry(origin).and_modify(|known| *known = number.min(*known)).or_insert(number);
    }
    all().filter(|(origin, number)| first[origin] != *number).map(|(origin, number)| (number, first[origin])).collect()
}

/// A part of a template whose readings agree.
struct Accepted {
    part: Span,
    /// The edits of the template.
    edits: EditSet,
    /// What is to change in each reading.
    wanted: Vec<EditSet>,
}

/// What is planned for several readings.
#[derive(Default)]
struct Merged {
    planned: PlannedFile,
    /// The objects by their places and titles.
    objects: BTreeMap<(Location, String), ObjectPlan>,
    open: OpenTypes,
    followed: Followed,
    ignores: BTreeMap<Location, Ignore>,
    /// Once what several readings show.
    findings: BTreeSet<Finding>,
}

/// Returns the words of a text that can be an apiVersion.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !(one.is_ascii_alphanumeric() || matches!(one, '.' | '/' | '-')))
        .filter(|word| word.contains('/'))
}

/// Returns whether the definition of `name` prints what one of another chart makes, itself or by one that it passes all on to, if that is
/// not known or has an apiVersion that `leaves` the target.
fn is_foreign(name: &str, definitions: &Definitions, leaves: &impl Fn(&str) -> bool, levels: u32) -> bool {
    if definitions.own.contains(name) {
        let passing = definitions.all.get(name).filter(|part| levels > 0 && part.is_without_text());
        let mut called = passing.into_iter().flat_map(Part::actions).filter_map(Action::prints_whole);
        return called.any(|name| is_foreign(name, definitions, leaves, levels - 1));
    }
    match definitions.all.texts_of(name) {
        texts if texts.is_empty() => true,
        texts => texts.iter().any(|text| words(text).any(leaves)),
    }
}

/// Reports a template that cannot be read.
pub(super) fn unread(location: Location, why: &str) -> Finding {
    let message = format!("the template cannot be read, and is left as it is: {why}");
    let help = "check its rendered output (`helm template ... | reversion check - --to ...`) and change it by hand";
    Finding::new(location, Code::Template, Severity::Unresolved, message).help(help)
}

/// Pairs the readings with what is to change in each.
fn edited<'r>(readings: &'r [ReadingPlan], wanted: &'r [EditSet]) -> Vec<Edited<'r>> {
    readings.iter().zip(wanted).map(|(one, edits)| Edited { reading: &one.reading, edits }).collect()
}

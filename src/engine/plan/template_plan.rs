//! What becomes of a template, given what is planned for each of its readings?
//!
//! Objects of several readings that share bytes of the template are one: they change together, by edits on which all readings agree, or
//! not at all. Findings are reported once, at their places in the template.
//!
//! Invariant: with the edits, every reading prints what was planned for it, but for the objects that are held back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::file::PlannedFile;
use crate::engine::convert::{ObjectPlan, Outcome};
use crate::engine::edits::FilePlan;
use crate::engine::finding::{Code, Finding, FindingObject, Location, Severity};
use crate::engine::manifest::{Ignore, Ignores, Recognizer};
use crate::syntax::template::{
    self, Defines, Disagreement, Edited, Environment, Obstacle, Reading, Reason, Source, Template, Unprinted,
};
use crate::syntax::text::{Edit, EditSet, LineIndex, Position, Span};
use crate::syntax::variable::ACTION;

/// What to do about an object that is held back because of an action.
const BY_HAND: &str = "convert the object by hand; `helm template` shows what the chart prints";

/// A template of a chart.
pub(crate) struct TemplateFile {
    /// The file as the user named it.
    pub(crate) file: String,
    /// Its text.
    pub(crate) text: Arc<str>,
    /// What all templates of its chart define.
    pub(crate) defines: Arc<Defines>,
}

/// A reading, and what is planned for its text: nothing where that mentions nothing known.
pub(super) struct ReadingPlan {
    pub(super) reading: Reading,
    pub(super) planned: Option<PlannedFile>,
}

impl ReadingPlan {
    fn objects(&self) -> impl Iterator<Item = &ObjectPlan> {
        self.planned.iter().flat_map(|planned| &planned.objects)
    }

    /// Returns what prints an object, where that is one action.
    fn printed_by(&self, object: &ObjectPlan) -> Option<usize> {
        let text = object.extent.of(&self.reading.text);
        let start = object.extent.start + (text.len() - text.trim_start().len());
        let end = start + text.trim().len();
        let segment = self.reading.segments.iter().find(|one| one.printed.start <= start && end <= one.printed.end)?;
        match segment.source {
            Source::Known(action) => Some(action),
            Source::Literal(_) | Source::Opaque(_) => None,
        }
    }

    /// Returns the bytes of the template that an object comes from, as one span.
    fn source(&self, template: &Template, object: &ObjectPlan) -> Span {
        let last = object.extent.end.saturating_sub(1).max(object.extent.start);
        Span::new(self.reading.source_of(template, object.extent.start), self.reading.source_of(template, last) + 1)
    }

    /// Returns what is to change in the objects that come from these bytes of the template.
    fn edits_within(&self, template: &Template, part: Span) -> EditSet {
        let is_of_part = |object: &&ObjectPlan| is_within(self.source(template, object), part);
        let extents: Vec<Span> = self.objects().filter(is_of_part).map(|object| object.extent).collect();
        let has = |edit: &&Edit| extents.iter().any(|own| own.start <= edit.span.start && edit.span.end <= own.end);
        let edits = self.planned.iter().filter_map(PlannedFile::edits).flat_map(EditSet::edits);
        EditSet::new(edits.filter(has).cloned().collect()).expect("they are some of disjoint edits")
    }
}

/// A template whose readings are planned.
pub(super) struct TemplatePlan<'t> {
    file: &'t TemplateFile,
    template: &'t Template,
    readings: Vec<ReadingPlan>,
    lines: LineIndex,
    findings: Vec<Finding>,
    /// The branches that no reading prints.
    unprinted: Vec<Unprinted>,
    /// The bytes of the objects that are held back because of actions.
    held: Vec<Span>,
}

impl<'t> TemplatePlan<'t> {
    pub(super) fn new(
        file: &'t TemplateFile,
        template: &'t Template,
        readings: Vec<ReadingPlan>,
        unprinted: Vec<Unprinted>,
    ) -> Self {
        let lines = LineIndex::new(&file.text);
        Self { file, template, readings, lines, findings: Vec::new(), unprinted, held: Vec::new() }
    }

    /// Reports why a reading cannot be read, and holds back everything: what it prints is not known.
    pub(super) fn fail(&mut self, reading: &Reading, failure: &Finding) {
        let location = self.location(reading, &failure.location);
        self.findings.push(unread(location, &self.shown(&failure.message)));
        self.held.push(Span::new(0, self.file.text.len()));
    }

    /// Reports that there are more branches than are read, and holds back everything.
    pub(super) fn fail_untried(&mut self, branches: usize) {
        let why = format!("it has {branches} branches more than are read");
        self.findings.push(unread(self.place(0), &why));
        self.held.push(Span::new(0, self.file.text.len()));
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

    /// Returns what the template adds to the plan.
    pub(super) fn into_planned(mut self, environment: Environment<'_>) -> PlannedFile {
        let edits = self.agreed(environment);
        let mut planned = PlannedFile { file: self.file.file.clone(), ..PlannedFile::default() };
        let mut objects: BTreeMap<(Location, String), ObjectPlan> = BTreeMap::new();
        let mut versions: BTreeMap<String, BTreeSet<Location>> = BTreeMap::new();
        let mut ignores: BTreeMap<Location, Ignore> = BTreeMap::new();
        for mut one in std::mem::take(&mut self.readings) {
            let Some(own) = one.planned.take() else { continue };
            // An object that a definition prints whole is one of the definition.
            let is_own = |object: &ObjectPlan| !self.is_printed(&one, object);
            let (own_printed, printed): (Vec<ObjectPlan>, Vec<ObjectPlan>) = own.objects.into_iter().partition(is_own);
            let ReadingPlan { reading, .. } = one;
            let (open, own_objects): (Vec<ObjectPlan>, Vec<ObjectPlan>) =
                own_printed.into_iter().partition(has_open_version);
            let is_left_out = |finding: &Finding| {
                let about =
                    |object: &FindingObject| open.iter().chain(&printed).any(|other| other.location == object.location);
                finding.code == Code::AlreadyInvalid || finding.object.as_ref().is_some_and(about)
            };
            for object in &open {
                let place = self.location(&reading, &object.location);
                versions.entry(self.shown(&object.from.1.to_string())).or_default().insert(place);
            }
            let own_findings = own.findings.into_iter().filter(|finding| !is_left_out(finding));
            for object in own_objects {
                let object = self.object(&reading, object);
                match objects.get_mut(&(object.location.clone(), object.title.clone())) {
                    Some(same) => same.outcome = same.outcome.max(object.outcome),
                    None => drop(objects.insert((object.location.clone(), object.title.clone()), object)),
                }
            }
            planned.findings.extend(own_findings.map(|finding| self.finding(&reading, finding)));
            let names = own.old_names.into_iter();
            planned.old_names.extend(names.map(|names| names.map(|finding| self.finding(&reading, finding))));
            for (at, advised) in own.advised {
                advised.map(|object| self.finding_object(&reading, object)).add_to(&mut planned.advised, at);
            }
            planned.value_sources.extend(own.value_sources);
            own.ignores.all().iter().for_each(|ignore| self.add_ignore(&reading, ignore, &mut ignores));
        }
        planned.ignores = Ignores::new(ignores.into_values().collect());
        planned
            .findings
            .extend(versions.into_iter().filter_map(|(version, places)| unknown_version(&version, &places)));
        planned.objects.extend(objects.into_values());
        planned.findings.append(&mut self.findings);
        let (file, before) = (self.file.file.clone(), Arc::clone(&self.file.text));
        planned.change = (!edits.is_empty()).then_some(FilePlan { file, before, edits });
        planned
    }

    /// Returns the edits on which all readings agree; holds back the objects on whose they do not.
    fn agreed(&mut self, environment: Environment<'_>) -> EditSet {
        let (mut edits, mut accepted) = (Vec::new(), vec![Vec::new(); self.readings.len()]);
        for part in self.parts() {
            let wanted: Vec<EditSet> = self.readings.iter().map(|one| one.edits_within(self.template, part)).collect();
            if wanted.iter().all(EditSet::is_empty) || self.is_held(part) {
                continue;
            }
            if let Some(action) = self.for_other_clusters(part) {
                self.hold_back(part, Disagreement::Conflict { span: part, action });
                continue;
            }
            match template::agree(self.template, &edited(&self.readings, &wanted)) {
                Ok(mapped) => {
                    edits.extend(mapped.edits.edits().iter().cloned());
                    accepted.iter_mut().zip(wanted).for_each(|(all, own)| all.extend(own.edits().iter().cloned()));
                }
                Err(disagreement) => self.hold_back(part, disagreement),
            }
        }
        let set = |edits: Vec<Edit>| EditSet::new(edits).ok();
        let accepted: Option<Vec<EditSet>> = accepted.into_iter().map(set).collect();
        let verified = set(edits).zip(accepted).filter(|(edits, accepted)| {
            template::verify(self.template, edits, &edited(&self.readings, accepted), environment).is_ok()
        });
        verified.map_or_else(
            || {
                let location = Location { file: self.file.file.clone(), position: None };
                self.findings.push(unread(location, "its edits do not print what was planned"));
                self.held.push(Span::new(0, self.file.text.len()));
                EditSet::default()
            },
            |(edits, _)| edits,
        )
    }

    /// Returns the action that decides about the apiVersion of the objects of a part, by the cluster: those that other clusters get would
    /// change too.
    fn for_other_clusters(&self, part: Span) -> Option<usize> {
        let actions = self.template.actions();
        let before = self.parts().into_iter().map(|other| other.end).filter(|end| *end <= part.start).max();
        let is_around = |span: Span| span.start >= before.unwrap_or_default() && span.end <= part.end;
        let decides = |one: &&Unprinted| {
            let text = one.span.of(&self.file.text);
            one.reason == Reason::Target && text.contains("apiVersion:") && !text.contains("kind:")
        };
        let unprinted = self.unprinted.iter().filter(|one| is_around(one.span)).find(decides).map(|one| one.action);
        let objects = self.readings.iter().flat_map(|one| one.objects().map(move |object| (one, object)));
        let own = objects.filter(|(one, object)| is_within(one.source(self.template, object), part));
        let versions: BTreeSet<String> = own.map(|(_, object)| object.from.1.to_string()).collect();
        let names_version = |text: &str| versions.iter().any(|version| text.contains(&format!("{version}\"")));
        let around = (0..actions.len()).filter(|at| is_around(actions[*at].span));
        let mut guards = around.filter(|at| actions[*at].is_condition());
        unprinted.or_else(|| guards.find(|at| names_version(actions[*at].span.of(&self.file.text))))
    }

    /// Returns the parts of the template that objects come from, those that overlap joined.
    fn parts(&self) -> Vec<Span> {
        let spans = self.readings.iter().flat_map(|one| {
            let own = one.objects().filter(|object| !self.is_printed(one, object));
            own.map(|object| one.source(self.template, object))
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

    /// Returns whether a definition prints an object whole, which is read where it is.
    fn is_printed(&self, one: &ReadingPlan, object: &ObjectPlan) -> bool {
        one.printed_by(object).is_some_and(|action| self.template.actions()[action].calls_definition(&self.file.text))
    }

    fn is_held(&self, part: Span) -> bool {
        self.held.iter().any(|held| is_within(part, *held))
    }

    /// Holds back the objects of a part, because of an action; where one of them is held back in a reading, that is the reason.
    fn hold_back(&mut self, part: Span, disagreement: Disagreement) {
        self.held.push(part);
        let is_held = |one: &ReadingPlan| {
            let mut held = one.objects().filter(|object| object.outcome == Outcome::HeldBack);
            held.any(|object| is_within(one.source(self.template, object), part))
        };
        if self.readings.iter().any(is_held) {
            return;
        }
        let (action, message) = match disagreement {
            Disagreement::Obstacle(Obstacle { action, .. }) => {
                (action, format!("`{}` stands in what must change", self.action(action)))
            }
            Disagreement::Conflict { action, .. } => {
                (action, format!("what must change depends on `{}`", self.action(action)))
            }
        };
        let objects = self.readings.iter().flat_map(|one| {
            let is_it = |object: &&ObjectPlan| {
                object.outcome == Outcome::Changed && is_within(one.source(self.template, object), part)
            };
            let about = |object: &ObjectPlan| {
                FindingObject::new(self.shown(&object.title), self.location(&one.reading, &object.location))
            };
            one.objects().filter(is_it).map(about)
        });
        let first = objects.min_by(|left, right| left.location.cmp(&right.location));
        let finding = Finding::new(
            self.place(self.template.actions()[action].span.start),
            Code::TemplateAction,
            Severity::Held,
            message,
        );
        self.findings.push(finding.about(first).help(BY_HAND));
    }

    /// Adds a comment of a reading as one of the template: it is about all that it is about in one of the readings.
    fn add_ignore(&self, reading: &Reading, ignore: &Ignore, all: &mut BTreeMap<Location, Ignore>) {
        let position = |position: Position| {
            let at = LineIndex::new(&reading.text).offset(&reading.text, position);
            self.lines.position(&self.file.text, reading.source_of(self.template, at))
        };
        let about = ignore.about.map(|(start, end)| (position(start), position(end)));
        let own = Ignore {
            location: self.location(reading, &ignore.location),
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
    fn object(&self, reading: &Reading, object: ObjectPlan) -> ObjectPlan {
        let extent = Span::new(
            reading.source_of(self.template, object.extent.start),
            reading.source_of(self.template, object.extent.end.saturating_sub(1)) + 1,
        );
        let is_held = object.outcome == Outcome::Changed && self.is_held(extent);
        ObjectPlan {
            location: self.location(reading, &object.location),
            extent,
            title: self.shown(&object.title),
            name: object.name.as_deref().map(|name| self.shown(name)),
            outcome: if is_held { Outcome::HeldBack } else { object.outcome },
            ..object
        }
    }

    /// Returns a finding about a reading as one about the template.
    fn finding(&self, reading: &Reading, finding: Finding) -> Finding {
        Finding {
            location: self.location(reading, &finding.location),
            object: finding.object.map(|object| self.finding_object(reading, object)),
            field: finding.field.as_deref().map(|field| self.shown(field)),
            message: self.shown(&finding.message),
            help: finding.help.as_deref().map(|help| self.shown(help)),
            ..finding
        }
    }

    fn finding_object(&self, reading: &Reading, object: FindingObject) -> FindingObject {
        let others = object.others.into_iter().map(|other| self.finding_object(reading, other)).collect();
        let location = self.location(reading, &object.location);
        FindingObject { title: self.shown(&object.title), location, others }
    }

    /// Returns the place in the template of one in what a reading prints.
    fn location(&self, reading: &Reading, location: &Location) -> Location {
        match location.position.filter(|_| location.file == self.file.file) {
            Some(position) => {
                let at = LineIndex::new(&reading.text).offset(&reading.text, position);
                self.place(reading.source_of(self.template, at))
            }
            None => location.clone(),
        }
    }

    fn place(&self, at: usize) -> Location {
        let position = Some(self.lines.position(&self.file.text, at));
        Location { file: self.file.file.clone(), position }
    }

    /// Returns the text of an action, on one line.
    fn action(&self, number: usize) -> String {
        let text = self.template.actions()[number].span.of(&self.file.text);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns a text with the actions that its placeholders stand for.
    fn shown(&self, text: &str) -> String {
        let mut parts = text.split(ACTION);
        let mut shown = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let part = part.strip_prefix("FLOW_").unwrap_or(part);
            let named = part.split_once('}').and_then(|(number, rest)| Some((number.parse::<usize>().ok()?, rest)));
            match named.filter(|(number, _)| *number < self.template.actions().len()) {
                Some((number, rest)) => shown.extend([&self.action(number), rest]),
                None => shown.extend([ACTION, part]),
            }
        }
        shown
    }
}

/// Returns whether an action prints the apiVersion of an object, or a part of it, and nothing shows what that is.
fn has_open_version(object: &ObjectPlan) -> bool {
    let (_, version) = &object.from;
    version.version.contains(ACTION) || version.group.contains(ACTION)
}

/// Reports the objects of a template whose apiVersion nothing shows.
fn unknown_version(version: &str, places: &BTreeSet<Location>) -> Option<Finding> {
    let count = match places.len() {
        1 => "an object".to_owned(),
        count => format!("{count} objects"),
    };
    let message = format!("the apiVersion of {count} is `{version}`, and nothing in the chart shows which that is");
    let help =
        "render the chart with its dependencies, and check that: `helm template ... | reversion check - --to ...`";
    let first = places.first()?.clone();
    Some(Finding::new(first, Code::TemplateAction, Severity::Unresolved, message).help(help))
}

fn is_within(own: Span, part: Span) -> bool {
    part.start <= own.start && own.end <= part.end
}

/// Reports a template that cannot be read.
pub(super) fn unread(location: Location, why: &str) -> Finding {
    let message = format!("the template cannot be read, and was skipped: {why}");
    let help = "check its rendered output (`helm template ... | reversion check - --to ...`) and change it by hand";
    Finding::new(location, Code::Template, Severity::Unresolved, message).help(help)
}

/// Pairs the readings with what is to change in each.
fn edited<'r>(readings: &'r [ReadingPlan], wanted: &'r [EditSet]) -> Vec<Edited<'r>> {
    readings.iter().zip(wanted).map(|(one, edits)| Edited { reading: &one.reading, edits }).collect()
}

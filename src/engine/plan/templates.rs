//! What do the templates of charts add to the plan?
//!
//! Each reading of a template (`syntax::template`) is planned as a file of its own, and what changes in it is carried back to the template
//! (`template_plan`). What a target's packs know of the cluster decides conditions.
//!
//! Invariant: what a template adds depends on its own text, the definitions of its chart and the goal, besides the objects that lenses
//! read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::chart_report::ChartReport;
use super::definitions::{Definitions, TemplateFile};
use super::file::PlannedFile;
use super::group::{GroupContext, GroupPlanner};
use super::kube_versions::{cluster, kube_version};
use super::manifests::ReadObjects;
use super::planned_text::{PlannedTemplate, PlannedText};
use super::printed_references::{Leaving, printed_references};
use super::printed_types::{PrintedTypes, Texts, leaves_type, leaves_version, made_versions, names_version};
use super::reading_plan::ReadingPlan;
use super::relevant_blocks::{HolePlaces, RelevantBlocks, Views, add_relevant};
use super::repeated_items::repeated_items;
use super::template_plan::{BY_HAND, TemplatePlan, unread};
use super::unknown_types::{OpenType, OpenTypes};
use super::withheld::Withheld;
use crate::engine::convert::{ChartValues, Documents, Goal, Outcome};
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::links::{FileSurvey, Run, Surveyor, groups};
use crate::engine::manifest::{self, Manifest, Object, Reading, Recognizer};
use crate::engine::notices::old_names::KindsOfRun;
use crate::engine::notices::values;
use crate::knowledge::lens::{Context, Hole, OpenParts};
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::parallel;
use crate::syntax::template::{
    self, Arguments, Blocks, Coverage, Environment, Facts, KubeVersion, Part, Placeholders, Search, Template, Values,
};
use crate::syntax::text::{LineIndex, Position};
use crate::syntax::variable::{ACTION, Certainty, OpenPlace, open_places};
use crate::syntax::yaml::read_documents;

/// The most readings of one template, or of one definition in it.
const MOST_READINGS: usize = 256;

/// How many templates a thread plans at once.
const TEMPLATES_AT_ONCE: usize = 8;

/// The templates of charts that a run converts.
#[derive(Clone, Copy)]
pub struct Templates<'s> {
    /// Those that mention a known API group.
    pub(crate) files: &'s [TemplateFile],
    /// What shows whether there are known objects in what they print.
    pub(crate) recognizer: &'s Recognizer,
}

/// What is known of a chart where its users set nothing.
struct ChartDefaults {
    values: Option<Values>,
    /// What its templates call definitions with.
    arguments: Arguments,
}

/// A reading, and what is planned for it, or the finding about a text that cannot be read.
type Planned = (template::Reading, Result<PlannedText, Box<Finding>>);

/// A part of a template, and what is known of it.
struct PartContext<'p> {
    file: &'p TemplateFile,
    template: &'p Template,
    part: Part<'p>,
    environment: Environment<'p>,
    blocks: Blocks<'p>,
    /// The blocks that have a part in what becomes of its objects, as far as that is known.
    relevant: RefCell<RelevantBlocks>,
}

/// What plans templates.
pub(super) struct TemplatePlanner<'t, 'r> {
    /// What is shared with the other files of the run.
    pub(super) shared: &'t GroupContext<'r>,
    /// The objects of manifests that lenses see.
    pub(super) objects: &'t ReadObjects<'t>,
    pub(super) surveyor: &'t Surveyor<'t>,
    /// Where the objects start that the user does not want to change.
    pub(super) declined: &'t [Location],
    pub(super) recognizer: &'t Recognizer,
    pub(super) views: &'t Views<'r>,
}

impl TemplatePlanner<'_, '_> {
    /// Plans templates.
    pub(super) fn plan_all(&self, files: &[TemplateFile], threads: usize) -> Vec<PlannedFile> {
        let mut open: BTreeMap<&str, OpenTypes> = BTreeMap::new();
        let (mut all, mut charts) = (Vec::new(), ChartReport::default());
        // What a chart names is for its own objects: other charts may be of another shard, and for other clusters.
        let mut kinds: BTreeMap<&str, KindsOfRun> = BTreeMap::new();
        let facts = TargetFacts(self.shared.planner.goal());
        let mut defaults: BTreeMap<&str, ChartDefaults> = BTreeMap::new();
        for TemplateFile { definitions, .. } in files {
            let of_chart = || {
                let values = definitions.values.as_ref().map(|values| definitions.changes.of(values));
                let environment = environment(definitions, values.as_ref(), &facts);
                let arguments = Arguments::of(definitions.calling.iter().map(|one| &**one), environment);
                ChartDefaults { values, arguments }
            };
            defaults.entry(definitions.chart.as_str()).or_insert_with(of_chart);
        }
        let plan = |number: usize| self.plan(&files[number], &defaults[files[number].definitions.chart.as_str()]);
        let plans = parallel::map(files.len(), TEMPLATES_AT_ONCE, threads, &plan);
        for (file, template) in files.iter().zip(plans) {
            let PlannedTemplate { planned, open: types, followed, kinds: own, .. } = template;
            let chart = file.definitions.chart.as_str();
            charts.add(chart, &planned, followed, own);
            let of_chart = kinds.entry(chart).or_default();
            planned.objects.iter().for_each(|object| of_chart.add(object, &self.shared.planner.targets.renames));
            all.push(planned);
            for (open_type, places) in types {
                open.entry(chart).or_default().entry(open_type).or_default().extend(places);
            }
        }
        charts.add_manifests(self.shared.run.files);
        for (file, planned) in files.iter().zip(&mut all) {
            planned.settle_names(&kinds[file.definitions.chart.as_str()]);
        }
        all.extend(charts.findings().into_iter().map(|finding| PlannedFile {
            file: finding.location.file.clone(),
            findings: vec![finding],
            ..PlannedFile::default()
        }));
        open.values_mut().for_each(OpenType::settle_keys);
        let mut by_file: BTreeMap<&str, &mut Vec<Finding>> =
            all.iter_mut().map(|planned| (&*planned.file, &mut planned.findings)).collect();
        for (open_type, places) in open.values().flatten() {
            for place in places {
                let findings = by_file.get_mut(&*place.file).expect("the place is in one of the files");
                findings.push(open_type.finding(place.clone()));
            }
        }
        all
    }

    fn plan(&self, file: &TemplateFile, defaults: &ChartDefaults) -> PlannedTemplate {
        let (mut coverage, mut first) = (Coverage::Pairs, self.plan_once(file, defaults, Coverage::Pairs));
        if first.disagrees {
            // Which condition is why shows where each branch differs alone.
            coverage = Coverage::Each;
            first = self.plan_once(file, defaults, coverage);
        }
        let held = if first.is_tied { first.held() } else { Vec::new() };
        if held.is_empty() {
            return first;
        }
        // Which objects an action holds back is known last: those that are converted only with one of them are so too.
        let declined = &[self.declined, &held].concat();
        let again = TemplatePlanner { declined, ..*self };
        again.plan_once(file, defaults, coverage).with_reasons_of(&first)
    }

    fn plan_once(&self, file: &TemplateFile, defaults: &ChartDefaults, coverage: Coverage) -> PlannedTemplate {
        let template = match Template::parse(Arc::clone(&file.text)) {
            Ok(template) => template,
            Err(unclosed) => {
                let position = Some(LineIndex::new(&file.text).position(&file.text, unclosed.at));
                let location = Location { file: file.file.clone(), position };
                let findings = vec![unread(location, &unclosed.to_string())];
                let planned = PlannedFile { file: file.file.clone(), findings, ..PlannedFile::default() };
                return PlannedTemplate { planned, ..PlannedTemplate::default() };
            }
        };
        let facts = TargetFacts(self.shared.planner.goal());
        let environment = environment(&file.definitions, defaults.values.as_ref(), &facts);
        let (mut unprinted, mut planned, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        let (mut untried, mut untried_pairs, mut changes) = (0, 0, false);
        for part in template.parts() {
            // What a definition is printed with is not known.
            let values = environment.values.filter(|_| part.name().is_none());
            let arguments = part.name().and_then(|name| defaults.arguments.get(name));
            let environment = Environment { values, arguments, ..environment };
            let blocks = Blocks::of(part);
            let relevant = RefCell::default();
            let context = PartContext { file, template: &template, part, environment, blocks, relevant };
            let mut search = Search::new(part, environment, coverage, MOST_READINGS);
            let Some(plans) = self.plan_readings(&context, coverage, &mut search) else {
                return PlannedTemplate { disagrees: true, ..PlannedTemplate::default() };
            };
            let read = search.finish();
            unprinted.extend(read.unprinted);
            untried += read.untried;
            untried_pairs += read.untried_pairs;
            let kept = self.plan_keeping(&context, &plans);
            for (reading, own) in kept.unwrap_or(plans) {
                match own {
                    Ok(own) => {
                        changes |= own.planned.as_ref().is_some_and(|planned| planned.edits().is_some());
                        planned.push(ReadingPlan::new(reading, own, &template));
                    }
                    Err(failure) => failed.push((reading, failure)),
                }
            }
        }
        let mut plan = TemplatePlan::new(file, &template, planned, unprinted);
        for (reading, failure) in failed {
            plan.leave_out(reading, &failure);
        }
        plan.report_unprinted(self.recognizer);
        let reported = plan.report_made(self.recognizer, |version| self.leaves_version(version));
        plan.report_computed(&reported, |version| self.leaves_version(version));
        plan.report_replacing(|version| self.leaves_version(version));
        plan.report_groups(|text| self.moved_kinds(text));
        plan.find_suffixed(|version| self.leaves_version(version));
        // A target without kinds is not about what templates print.
        if self.shared.planner.goal().targets.iter().any(|target| target.pack.kinds().next().is_some()) {
            plan.find_foreign(|version| self.leaves_version(version));
        }
        if untried > 0 {
            plan.fail_untried(untried, "branches");
        }
        // Where no reading changes anything, a pair hardly does: what needs nothing is not held back for it.
        if untried_pairs > 0 && changes {
            plan.fail_untried(untried_pairs, "pairs of branches");
        }
        plan.into_planned(environment, self.recognizer)
    }

    /// Plans the readings of a part that a search finds: those that show its branches, and the pairs of these for blocks that have a part in what
    /// becomes of the objects. Returns nothing where each branch is to be read alone: one of the readings cannot be read.
    fn plan_readings(
        &self,
        context: &PartContext<'_>,
        coverage: Coverage,
        search: &mut Search<'_, '_>,
    ) -> Option<Vec<Planned>> {
        let mut plans: BTreeMap<usize, Vec<Planned>> = BTreeMap::new();
        let mut paired = 0;
        if coverage == Coverage::Each {
            context.relevant.borrow_mut().add_all(context.blocks.numbers());
        }
        search.read_branches();
        loop {
            let mut is_dropped = false;
            for number in search.take_new() {
                let mut own = self.plan_settled(context, search.reading(number).clone());
                // Helm refuses what is no YAML, too: these branches exclude each other.
                let is_behind = number >= search.required();
                let is_left = |own: &Planned| own.1.as_ref().is_err_and(|failure| failure.code != Code::Template);
                if is_behind && own.iter().any(is_left) {
                    own.retain(|own| !is_left(own));
                    search.drop_reading(number);
                    is_dropped = true;
                }
                if coverage == Coverage::Pairs && own.iter().any(|(_, own)| own.is_err()) {
                    return None;
                }
                plans.insert(number, own);
            }
            let relevant = context.relevant.borrow();
            if relevant.size() == paired && !is_dropped {
                return Some(plans.into_values().flatten().collect());
            }
            paired = relevant.size();
            search.read_pairs(&|one, other| relevant.are_together(one, other));
        }
    }

    /// Plans what a reading prints, if it prints an apiVersion that an action prints as it is by default, and each kind that one can print.
    fn plan_settled(&self, context: &PartContext<'_>, reading: template::Reading) -> Vec<Planned> {
        let PartContext { file, part, environment, .. } = *context;
        let mut own = self.plan_reading(context, &reading);
        let Ok(text) = &mut own else { return vec![(reading, own)] };
        let with = |texts: &Texts| {
            let texts = texts.iter().map(|(value, text)| (value.as_str(), text.as_str()));
            template::reading_with(part, environment, &reading, texts)
        };
        for left in std::mem::take(&mut text.types.left) {
            let planned = with(&left.texts).and_then(|printed| self.plan_reading(context, &printed).ok());
            let objects = planned.and_then(|planned| planned.planned).map(|planned| planned.objects);
            let object = objects.into_iter().flatten().find(|object| object.location == left.place);
            let wanted = object.map(|object| object.to.1.to_string());
            text.types.open.push(left.open_type(wanted.as_deref(), &reading, &file.definitions));
        }
        // What is taken for something is planned once more.
        let is_other = |printed: &template::Reading| printed.text != reading.text;
        let printed: Vec<template::Reading> = text.types.choices().iter().filter_map(with).filter(is_other).collect();
        let is_all = !printed.is_empty() && printed.iter().all(|one| one.takes_ways_of(&reading));
        if !is_all && !text.types.texts.is_empty() {
            context.relevant.borrow_mut().add_all(context.blocks.numbers());
        }
        let settled = std::mem::take(&mut text.types.settled);
        let plan = |printed: template::Reading| {
            let mut own = self.plan_settled(context, printed);
            if let Some((_, Ok(own))) = own.first_mut() {
                own.types.settled.extend(settled.clone());
            }
            own
        };
        let mut all: Vec<_> = printed.into_iter().flat_map(plan).collect();
        if !is_all {
            // What is printed with other values.
            text.types.open.extend(settled);
            all.push((reading, own));
        }
        all
    }

    /// Plans the readings of a part with placeholders for the actions that edits of `plans` remove with a text that stays, and for comments: they
    /// can move as they are. What is planned must be what was planned without, with all that is known; else `None`.
    fn plan_keeping(&self, context: &PartContext<'_>, plans: &[Planned]) -> Option<Vec<Planned>> {
        let PartContext { template, part, environment, .. } = *context;
        let edits =
            |own: &'_ PlannedText| own.planned.as_ref().and_then(PlannedFile::edits).cloned().unwrap_or_default();
        let removed =
            plans.iter().filter_map(|(reading, own)| Some(reading.removed(template, &edits(own.as_ref().ok()?))));
        let kept: BTreeSet<String> = removed.flatten().collect();
        if kept.is_empty() {
            return None;
        }
        let placeholders = Placeholders::new(template);
        let keep = |(reading, own): &Planned| {
            let printed = template::reading_keeping(part, environment, reading, &kept)?;
            let mut again = self.plan_settled(context, printed);
            let (printed, planned) = again.pop().filter(|_| again.is_empty())?;
            let (own, new) = match (own, &planned) {
                (Ok(own), Ok(new)) => (own, new),
                (Err(failure), _) => return Some((reading.clone(), Err(failure.clone()))),
                (Ok(_), Err(_)) => return None,
            };
            let becomes = |reading: &template::Reading, text: &PlannedText| {
                let lines = printed.printed_lines(&placeholders, &edits(text).apply(&reading.text));
                read_documents(&lines.join("\n"))
            };
            let told = |text: &PlannedText| {
                let findings = text.planned.iter().flat_map(|planned| &planned.findings);
                findings.map(|finding| (finding.code, finding.severity)).collect::<Vec<_>>()
            };
            let planned_so = becomes(reading, own)?;
            let is_same = becomes(&printed, new).is_some_and(|data| data == planned_so) && told(own) == told(new);
            is_same.then_some((printed, planned))
        };
        plans.iter().map(keep).collect()
    }

    /// Plans what a reading prints.
    ///
    /// # Errors
    /// The finding about a text that cannot be read.
    fn plan_reading(
        &self,
        context: &PartContext<'_>,
        reading: &template::Reading,
    ) -> Result<PlannedText, Box<Finding>> {
        let PartContext { template, file: TemplateFile { file, definitions, .. }, .. } = *context;
        let add_relevant = |manifest: Option<&Manifest>, text: &PlannedText, places: &[HolePlaces]| {
            let (mut relevant, manifest) = (context.relevant.borrow_mut(), manifest.map(|manifest| (manifest, places)));
            add_relevant(&mut relevant, self.views, (context.part, &context.blocks), reading, manifest, text);
        };
        if let Some(at) = glued_document(&reading.text) {
            let position = Some(LineIndex::new(&reading.text).position(&reading.text, at));
            let location = Location { file: file.clone(), position };
            let message = "it prints text behind the `---` of a document";
            return Err(Box::new(Finding::new(location, Code::Template, Severity::Unresolved, message)));
        }
        if let Some(at) = type_below_key(reading) {
            let position = Some(LineIndex::new(&reading.text).position(&reading.text, at));
            let location = Location { file: file.clone(), position };
            let message = "what kind of object it has, or its apiVersion, is on a line of its own";
            return Err(Box::new(Finding::new(location, Code::Template, Severity::Unresolved, message)));
        }
        let is_printed = |key: &str| manifest::rests(&reading.text, key).any(|value| value.contains(ACTION));
        let is_open = || is_printed("apiVersion") || is_printed("kind");
        // What an action prints by default can stand in it.
        let texts = [reading.text.as_str(), template.text()];
        let mentions = || texts.iter().any(|text| self.recognizer.mentions_text_of_rules(text.as_bytes()));
        let is_foreign =
            || self.recognizer.mentions_foreign_kind(&reading.text) && (definitions.has_triggers || mentions());
        let read = match is_open() || is_foreign() {
            true => manifest::read_open(file, &reading.text, self.recognizer),
            false => manifest::read(file, reading.text.as_bytes(), self.recognizer),
        };
        let manifest = match read {
            Reading::Irrelevant => {
                let text = PlannedText::default();
                add_relevant(None, &text, &[]);
                return Ok(text);
            }
            Reading::Manifest(manifest) | Reading::Kustomization(manifest) | Reading::Triggered(manifest) => manifest,
            Reading::Template(failure) | Reading::Failed(failure) => return Err(Box::new(failure)),
        };
        if let Some(failure) = goes_on(file, &manifest, template, reading) {
            return Err(Box::new(failure));
        }
        let GroupContext { planner, others, styles, .. } = *self.shared;
        let chart = (template, &**definitions);
        let places: Vec<HolePlaces> = reading.holes.iter().map(|hole| template::places(&reading.text, hole)).collect();
        let surveys = [self.survey(&manifest, chart, (reading, &places), &context.blocks)];
        let withheld = Withheld::default().and(&self.declined_in(file, &manifest, template, reading));
        let run = Run::new(&planner.targets, &surveys);
        // Objects that one reading prints are there together, as those of manifests are.
        let own = (manifest.objects.len() > 1).then(|| {
            let Ok(own) = ReadObjects::read(&run, &std::slice::from_ref(&*manifest));
            own
        });
        let own = own.filter(|own| !own.is_empty());
        let with_own = own.as_ref().map(|own| {
            let seen = self.objects.views_from_elsewhere().chain(own.views());
            Context::new(seen, self.shared.run.builds()).with_parameters(&planner.goal().choices.parameters)
        });
        let others = with_own.as_ref().unwrap_or(others);
        let shared = GroupContext { planner, run: &run, others, styles, documents: Documents::Printed, threads: 1 };
        let planned = groups(&run).into_iter().flat_map(|group| {
            let manifests = group.files.iter().map(|file| (*file, &*manifest));
            GroupPlanner::new(&shared, &group, manifests).plan(&withheld)
        });
        let mut versions = manifest::values_on_lines(&reading.text, "apiVersion");
        let leaves_version = versions.any(|version| self.leaves_version(version));
        let types = PrintedTypes::of(planner.goal(), &manifest, reading);
        let mut planned = planned.last().map(|planned| edited_behind_holes(planned, (template, reading)));
        let mut followed = followed(&manifest, chart, reading);
        // What changes does not follow the cluster to the target.
        let stays = |place: &Location| {
            let mut objects = planned.iter().flat_map(|planned| &planned.objects);
            objects.all(|object| object.location != *place || object.outcome == Outcome::Unchanged)
        };
        followed.retain(|(_, place)| stays(place));
        if let Some(planned) = &mut planned {
            for (object, survey) in manifest.objects.iter().zip(&surveys[0].objects) {
                let Some(open) = survey.open.as_deref() else { continue };
                planned.unconverted_values.extend(values::printed(&manifest, object, open, planner.goal()));
                planned.findings.extend(self.old_references(&manifest, object, open, (template, reading)));
            }
        }
        let text = PlannedText { planned, types, followed, leaves_version, is_tied: own.is_some() };
        add_relevant(Some(&manifest), &text, &places);
        Ok(text)
    }

    /// Returns whether the target serves some kind no more at an apiVersion that it once had.
    fn leaves_version(&self, api_version: &str) -> bool {
        leaves_version(self.shared.planner.goal(), api_version)
    }

    /// Returns the kinds of an API group that are in another one in the target.
    fn moved_kinds(&self, group: &str) -> Vec<&str> {
        let renames = self.shared.planner.targets.renames.iter();
        let moved = renames.filter(|(old, new)| old.group == group && new.kind().group != group);
        moved.map(|(old, _)| old.kind.as_str()).collect()
    }

    /// Reports what actions print into an object to name others that the target does not have so.
    fn old_references(
        &self,
        manifest: &Manifest,
        object: &Object,
        open: &OpenParts,
        (template, reading): (&Template, &template::Reading),
    ) -> Vec<Finding> {
        // `TemplatePlan::report_groups` reports a default in an action, wherever it is.
        let is_told = |(path, _): &(FieldPath, String)| {
            let text = path.get(&object.value).and_then(Value::as_str);
            let action = text.and_then(|text| reading.action_of(text)).map(|number| &template.actions()[number]);
            action.is_some_and(|action| action.content.of(template.text()).contains("default "))
        };
        let kinds = |group: &str| self.moved_kinds(group);
        let version = |version: &str, kind: &str| leaves_type(self.shared.planner.goal(), version, kind);
        let found = printed_references(object, open, &Leaving { kinds: &kinds, version: &version }).into_iter();
        let finding = |(path, name): (FieldPath, String)| {
            let message = format!("what an action prints here can be {name}; it is not updated");
            let place = manifest.locate(object, &path);
            Finding::new(place, Code::ReferenceNotUpdated, Severity::Unresolved, message).help(BY_HAND)
        };
        found.filter(|one| !is_told(one)).map(finding).collect()
    }

    /// Returns where the objects start in a reading that the user does not want to change.
    fn declined_in(
        &self,
        file: &str,
        manifest: &Manifest,
        template: &Template,
        reading: &template::Reading,
    ) -> Vec<Location> {
        let declined: BTreeSet<Position> =
            self.declined.iter().filter(|place| place.file == file).filter_map(|place| place.position).collect();
        if declined.is_empty() {
            return Vec::new();
        }
        let (printed, written) = (LineIndex::new(&reading.text), LineIndex::new(template.text()));
        let is_declined = |place: &Location| {
            let at = place.position.map(|position| printed.offset(&reading.text, position));
            let at = at.map(|at| written.position(template.text(), reading.source_of(template, at)));
            at.is_some_and(|at| declined.contains(&at))
        };
        let starts = manifest.objects.iter().map(|object| manifest.locate(object, &FieldPath::default()));
        starts.filter(is_declined).collect()
    }

    /// Takes the survey of what a reading prints, with the holes in each object.
    fn survey(
        &self,
        manifest: &Manifest,
        chart: (&Template, &Definitions),
        (reading, places): (&template::Reading, &[HolePlaces]),
        blocks: &Blocks<'_>,
    ) -> FileSurvey {
        let mut survey = self.surveyor.survey_with(manifest, |_| None);
        let holes: Vec<(usize, Hole)> =
            reading.holes.iter().zip(places).flat_map(|(hole, places)| holes_at(hole, places)).collect();
        let lines = LineIndex::new(&reading.text);
        for (object, survey) in manifest.objects.iter().zip(&mut survey.objects) {
            let extent = manifest.extent(object);
            // An item of a list ends before a hole on the next line.
            let end = reading.text.len() - reading.text[extent.end..].trim_start().len();
            let own = holes.iter().filter(|(at, _)| (extent.start..=end).contains(at));
            let own = own.filter_map(|(_, hole)| Some(Hole { path: hole.path.below(&object.place)?, ..hole.clone() }));
            let follows_cluster = version_action(manifest, object, chart, reading, &lines).is_some();
            let repeated = repeated_items(manifest, object, reading, (chart.0, blocks));
            let guard = guard_of(chart.0, object);
            let mut open = OpenParts { holes: own.collect(), follows_cluster, guard, repeated, ..OpenParts::default() };
            for OpenPlace { path, text, is_key } in open_places(&object.value) {
                // A kind that an action prints inside the object is of a reference.
                survey.has_names |= !is_key && path.steps().len() > 1 && path.last_key() == Some("kind");
                // A key that an action prints can be any.
                let is_part = if is_key { text.contains(ACTION) } else { reading.can_be_mapping(text) };
                open.values.extend(Some(path).filter(|path| is_part && is_in_content(path)));
                if let Some((values, by_default)) = reading.values_of(text) {
                    open.texts.push((text.to_owned(), values));
                    open.turns_of_texts = open.turns_of_texts.max(by_default);
                }
                open.keys.extend(reading.key_of(text).map(|key| (text.to_owned(), key.to_owned())));
                open.required.extend(reading.is_required(text).then(|| text.to_owned()));
                open.missing.extend(reading.is_missing(text).then(|| text.to_owned()));
            }
            survey.open = (open != OpenParts::default()).then(|| Box::new(open));
        }
        survey
    }
}

/// Returns the plan of a reading with edits that put nothing on the lines of holes.
fn edited_behind_holes(mut planned: PlannedFile, (template, reading): (&Template, &template::Reading)) -> PlannedFile {
    if let Some(change) = &mut planned.change {
        change.edits = reading.behind_holes(template, &change.edits);
    }
    planned
}

/// Returns what is known of the cluster and a chart.
fn environment<'e>(
    definitions: &'e Definitions,
    values: Option<&'e Values>,
    facts: &'e TargetFacts<'_>,
) -> Environment<'e> {
    Environment {
        defines: &definitions.all,
        facts,
        values: values.map(|values| &values.read),
        chart_values: values.map(|values| &values.read),
        unchanged: values.map(|values| &values.unchanged),
        arguments: None,
        defaults: match facts.0.choices.chart_values {
            ChartValues::Unknown => Certainty::Default,
            ChartValues::Default => Certainty::Accepted,
        },
    }
}

/// Returns an apiVersion that goes of what the template with a text prints by default on a cluster of the target, with these values.
pub(crate) fn printed_version(
    goal: &Goal<'_>,
    definitions: &Definitions,
    values: Option<&Value>,
    text: &str,
) -> Option<String> {
    let template = Template::parse(text).ok()?;
    let (facts, values) = (TargetFacts(goal), values.map(|values| definitions.changes.of(values)));
    let environment = environment(definitions, values.as_ref(), &facts);
    let mut readings = template
        .parts()
        .flat_map(|part| template::readings(part, environment, Coverage::Pairs, MOST_READINGS).readings);
    readings.find_map(|reading| {
        let written = manifest::rests(&reading.text, "apiVersion").flat_map(|version| {
            let version = version.split([' ', ',', '"', '\'']).next().unwrap_or_default();
            let by_default = reading.default_of(version).into_iter().flatten();
            let by_default = by_default.filter_map(|version| version.as_str().map(str::to_owned));
            by_default.chain(std::iter::once(version.to_owned())).collect::<Vec<_>>()
        });
        let made = reading.by_default().flat_map(|(_, value)| made_versions(value)).map(str::to_owned);
        written.chain(made).find(|version| leaves_version(goal, version))
    })
}

/// Returns the condition of a template that names the apiVersion of an object.
fn guard_of(template: &Template, object: &Object) -> Option<String> {
    let mut conditions = template.actions().iter().filter(|action| action.is_condition());
    let version = object.api_version.to_string();
    let guard = conditions.find(|action| names_version(action.span.of(template.text()), &version))?;
    Some(guard.on_one_line(template.text()))
}

/// Returns the actions that print the apiVersion of objects, where what they print is known: that follows from the cluster.
fn followed(
    manifest: &Manifest,
    chart: (&Template, &Definitions),
    reading: &template::Reading,
) -> Vec<(String, Location)> {
    let (template, _) = chart;
    let lines = LineIndex::new(&reading.text);
    let of_object = |object: &Object| {
        let action =
            version_action(manifest, object, chart, reading, &lines).filter(|action| !reading.is_given(*action))?;
        let text = template.actions()[action].on_one_line(template.text());
        Some((text, manifest.locate(object, &FieldPath::default())))
    };
    manifest.objects.iter().filter_map(of_object).collect()
}

/// Returns the action that prints the apiVersion of an object, where what it prints is known.
fn version_action(
    manifest: &Manifest,
    object: &Object,
    (template, definitions): (&Template, &Definitions),
    reading: &template::Reading,
    lines: &LineIndex,
) -> Option<usize> {
    let position = manifest.locate(object, &FieldPath::default().key("apiVersion")).position?;
    let rest = &reading.text[lines.offset(&reading.text, position)..];
    let version = object.value.get("apiVersion")?.as_str()?;
    let value = reading.text.len() - rest.len() + rest.find(version)?;
    let given =
        || (value..value + version.len()).find_map(|at| reading.known_action(at).filter(|one| reading.is_given(*one)));
    let action = reading.known_action(value).or_else(given)?;
    // One that prints all of the object, or the same on every cluster, chooses nothing.
    let is_all = |one: &template::Segment| one.printed.of(&reading.text).contains("kind:");
    if template::is_constant(template, action, &definitions.all) {
        return None;
    }
    let mut around = reading.segments.iter().filter(|one| (one.printed.start..one.printed.end).contains(&value));
    (!around.any(is_all)).then_some(action)
}

/// Reports an action in an object of which the lines behind it go on in what it prints: whose fields these are does not show.
fn goes_on(file: &str, manifest: &Manifest, template: &Template, reading: &template::Reading) -> Option<Finding> {
    let is_inside = |hole: &&template::Hole| {
        let extents = manifest.objects.iter().map(|object| manifest.extent(object));
        extents.into_iter().any(|extent| (extent.start..extent.end).contains(&hole.at))
    };
    let mut holes = reading.holes.iter().filter(is_inside);
    let (hole, at) = holes.find_map(|hole| Some((hole, template::goes_on(&reading.text, hole)?)))?;
    let position = Some(LineIndex::new(&reading.text).position(&reading.text, at));
    let location = Location { file: file.to_owned(), position };
    let action = template.actions().iter().find(|action| action.span.start == hole.source(template))?;
    let message = format!("this goes on in what `{}` prints", action.on_one_line(template.text()));
    Some(Finding::new(location, Code::Template, Severity::Unresolved, message))
}

/// Returns where an action prints the apiVersion or the kind of an object on the line below that key.
fn type_below_key(reading: &template::Reading) -> Option<usize> {
    let is_type = |key: &str| key == "apiVersion" || key == "kind";
    let is_below = |hole: &&template::Hole| {
        let line = reading.text[..hole.at].trim_end().lines().next_back();
        line.and_then(|line| line.split_once(':')).is_some_and(|(key, _)| is_type(key))
    };
    let is_in = |path: FieldPath| matches!(path.steps(), [Step::Key(key)] if is_type(key));
    let mut below = reading.holes.iter().filter(is_below);
    below.find(|hole| is_in(template::places(&reading.text, hole).0)).map(|hole| hole.at)
}

/// Returns where dashes that end a document for Helm have text behind them: for YAML, they are a part of it.
fn glued_document(text: &str) -> Option<usize> {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(feed, _)| feed + 1));
    let is_glued = |rest: &str| rest.strip_prefix("---").is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    starts.find(|start| is_glued(&text[*start..]))
}

/// Returns the hole at each of its places in its document, with its position: further items of a list can be printed there, or keys.
fn holes_at(hole: &template::Hole, (path, list): &HolePlaces) -> Vec<(usize, Hole)> {
    let by_default = &hole.by_default;
    // At two places there is nothing for what stands at the other one.
    let only = |is_list: bool| {
        let of_turn = |value: &Value| if value.is_array() == is_list { value.clone() } else { Value::Null };
        by_default.as_ref().map(|values| values.iter().map(of_turn).collect())
    };
    let is_two = list.is_some();
    // What is a list by default is no mapping for others.
    let is_list =
        is_two && by_default.as_ref().is_some_and(|values| !values.is_empty() && values.iter().all(Value::is_array));
    let mapping = Some((path, false)).filter(|_| !is_list);
    let places = [mapping, list.as_ref().map(|list| (list, true))].into_iter().flatten();
    let hole = |(path, is_list): (&FieldPath, bool)| {
        let by_default = if is_two { only(is_list) } else { by_default.clone() };
        let (key, required, has_branches) = (hole.key.clone(), hole.required.clone(), hole.has_branches);
        (hole.at, Hole { is_content: is_in_content(path), path: path.clone(), by_default, has_branches, key, required })
    };
    places.map(hole).collect()
}

/// Returns whether what is printed at a place can be more than metadata of the object or annotations, and more than whole fields of it.
fn is_in_content(path: &FieldPath) -> bool {
    let mut keys = path.steps().iter().filter_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Index(_) => None,
    });
    keys.clone().next().is_some_and(|top| top != "metadata") && !keys.any(|key| key == "annotations")
}

/// What the packs of the targets know of the cluster.
struct TargetFacts<'g>(&'g Goal<'g>);

impl Facts for TargetFacts<'_> {
    fn has_api(&self, name: &str) -> Option<bool> {
        let (group, rest) = name.split_once('/')?;
        let (version, kind) = rest.split_once('/').map_or((rest, None), |(version, kind)| (version, Some(kind)));
        let target = self.0.target_of(group)?;
        let kinds = target.pack.kinds().filter(|one| one.group == group);
        let mut kinds = kinds.filter(|one| kind.is_none_or(|kind| one.kind == kind)).peekable();
        kinds.peek()?;
        let mut catalogs = kinds.filter_map(|kind| target.pack.catalog(kind));
        Some(catalogs.any(|catalog| catalog.served(target.release).iter().any(|served| served.name == version)))
    }

    fn kube_version(&self) -> Option<KubeVersion> {
        kube_version(cluster(self.0)?)
    }
}

//! What does one file add to the plan?

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::mem;

use super::acknowledged::ignores;
use super::planner::Planner;
use crate::engine::convert::{Conversion, ObjectPlan};
use crate::engine::edits::{EditOptions, FilePlan, Rejected, edit};
use crate::engine::finding::{Code, Finding, FindingObject, Severity};
use crate::engine::links::{BuiltCrd, dangling};
use crate::engine::manifest::{Ignores, Manifest, Object, sops};
use crate::engine::notices::advisories::Advised;
use crate::engine::notices::old_names::{KindsOfRun, OldNames};
use crate::engine::notices::pins::{self, Pin};
use crate::engine::notices::values::{self, UnconvertedValues};
use crate::engine::notices::{mentions, moved_fields, old_keys, open_versions, rbac, typed_lists};
use crate::syntax::field::FieldPath;
use crate::syntax::text::EditSet;
use crate::syntax::yaml::Style;

/// What one file adds to the plan.
#[derive(Debug, Default)]
pub(super) struct PlannedFile {
    /// The file as the user named it.
    pub(super) file: String,
    /// The objects of targeted packs, in the order of the text.
    pub(super) objects: Vec<ObjectPlan>,
    pub(super) change: Option<FilePlan>,
    /// Files beside it that are made or removed with that.
    pub(super) beside: Vec<FilePlan>,
    pub(super) findings: Vec<Finding>,
    /// What is reported about names of renamed kinds, until [`PlannedFile::settle_names`].
    pub(super) old_names: Vec<OldNames<Finding>>,
    /// The objects of the file that advisories are about, by the number of the advisory.
    pub(super) advised: Vec<(usize, Advised)>,
    /// The numbers of the advisories about values of a chart, where such values are in the file.
    pub(super) advised_values: BTreeSet<usize>,
    /// The releases that the file is of, where it is to be replaced by that of another one.
    pub(super) pins: Vec<Pin>,
    /// The values of charts that are not converted in this file.
    pub(super) unconverted_values: Vec<UnconvertedValues>,
    /// Where values of charts are converted in this file.
    pub(super) value_sources: Vec<String>,
    /// Its CRDs that are patched.
    pub(super) built_crds: Vec<BuiltCrd>,
    /// The comments of the file that acknowledge findings.
    pub(super) ignores: Ignores,
}

impl PlannedFile {
    /// Plans a file whose objects became `conversions`, and whose neighbors show the style `neighbors`. `held` returns why an object is held back that its own conversion does not
    /// hold back; `findings` are those about links to other objects.
    ///
    /// # Errors
    /// The objects whose text cannot be changed.
    pub(super) fn new(
        planner: &Planner<'_>,
        manifest: &Manifest,
        conversions: Vec<Option<Conversion>>,
        neighbors: &(dyn Fn() -> Style + Sync),
        threads: usize,
        held: &dyn Fn(usize) -> Option<Finding>,
        findings: Vec<Finding>,
    ) -> Result<Self, Rejected> {
        let goal = planner.goal();
        let schema_forms: Vec<&str> =
            goal.packs.iter().flat_map(|pack| pack.schema_comments()).map(String::as_str).collect();
        let options =
            EditOptions { neighbors, front_end: goal.choices.front_end, schema_forms: &schema_forms, threads };
        let edited = edit(manifest, &conversions, &options)?;
        let (change, about_edits) = edited.map(|edited| (edited.file, edited.findings)).unzip();
        let mut planned = Self {
            file: manifest.file.clone(),
            objects: Vec::with_capacity(manifest.objects.len()),
            change,
            beside: Vec::new(),
            findings: manifest.findings.clone(),
            old_names: mentions::findings(manifest, &conversions, &planner.targets, &planner.kind_names),
            advised: Vec::new(),
            advised_values: BTreeSet::new(),
            pins: Vec::new(),
            unconverted_values: Vec::new(),
            value_sources: Vec::new(),
            built_crds: Vec::new(),
            ignores: ignores(manifest, goal).cloned().unwrap_or_default(),
        };
        planned.findings.extend(findings);
        planned.findings.extend(about_edits.into_iter().flatten());
        let pins = pins::pins(manifest, &conversions, &planner.installations, goal);
        let (replaced, set): (Vec<Pin>, Vec<Pin>) = pins.into_iter().partition(|pin| pin.replacement.is_some());
        planned.findings.extend(set.into_iter().map(|pin| pin.finding));
        planned.pins = replaced;
        planned.old_names.extend(rbac::findings(manifest, &conversions, &planner.targets));
        planned.unconverted_values.extend(values::unconverted_in_files(manifest, goal));
        planned.findings.extend(old_keys::findings(manifest, &conversions, &planner.old_keys, goal));
        planned.findings.extend(typed_lists::findings(manifest, &planner.targets));
        planned.findings.extend(open_versions::findings(manifest, &planner.targets));
        // All documents are read for it, so it is decided once, and only for files with an object that is held back.
        let sealed = LazyCell::new(|| sops::Encrypted::of(manifest));
        for (at, (object, conversion)) in manifest.objects.iter().zip(conversions).enumerate() {
            planned.findings.extend(moved_fields::findings(manifest, object, &planner.moves));
            let held = held(at);
            if held.is_none() {
                let dangling = dangling::findings(manifest, object, conversion.as_ref(), &planner.targets);
                planned.findings.extend(dangling);
            }
            planned.unconverted_values.extend(values::unconverted(manifest, object, goal));
            planned.value_sources.extend(values::sources(manifest, object, goal));
            if let Some(conversion) = conversion {
                planned.add(planner, manifest, object, conversion, held, &|| sealed.has(manifest, object));
            }
        }
        planned.shrink();
        Ok(planned)
    }

    /// Adds what became of one object.
    fn add(
        &mut self,
        planner: &Planner<'_>,
        manifest: &Manifest,
        object: &Object,
        conversion: Conversion,
        held: Option<Finding>,
        is_encrypted: &dyn Fn() -> bool,
    ) {
        let location = manifest.locate(object, &FieldPath::default());
        let is_kept = held.as_ref().is_some_and(|held| held.code == Code::ChangesNeeded);
        let found = findings(manifest, object, &conversion, is_encrypted).into_iter().chain(held).collect::<Vec<_>>();
        let is_held = found.iter().any(|finding| finding.severity >= Severity::Held);
        self.findings.extend(found);
        for (at, advisory) in planner.advisories.iter().enumerate() {
            if advisory.has_values_in(object) {
                self.advised_values.insert(at);
                if let Some(is_note) = advisory.is_note_about_values(&conversion) {
                    Advised::new(is_note, None).add_to(&mut self.advised, at);
                }
            }
            if !is_held && advisory.concerns(object, &conversion) {
                let named = advisory
                    .names_objects()
                    .then(|| (FindingObject::new(object.title(), location.clone()), advisory.help_for(object)));
                let is_note = advisory.is_note(&conversion);
                Advised::new(is_note, named).add_to(&mut self.advised, at);
            }
        }
        let goal = planner.goal();
        let pack = goal.packs.of_group(&object.kind.group);
        let is_unknown = pack.is_some_and(|pack| pack.catalog(&object.kind).is_none());
        if is_unknown && conversion.program.is_empty() && !is_held {
            return;
        }
        let is_known = !is_unknown && goal.target_of(&object.kind.group).is_some()
            || goal.holds_values(object)
            || goal.knows_file_of(object);
        let record = goal.choices.record;
        let (extent, is_held) = (manifest.extent(object), is_held && !is_kept);
        self.objects.push(ObjectPlan::new(location, extent, object, conversion, is_held, is_known, record));
    }

    /// Reports the names of renamed kinds, where what became of `kinds` asks for it.
    pub(super) fn settle_names(&mut self, kinds: &KindsOfRun) {
        self.findings.extend(mem::take(&mut self.old_names).into_iter().filter_map(|one| one.unless_kept(kinds)));
    }

    /// Returns what changes in the file's text.
    pub(super) fn edits(&self) -> Option<&EditSet> {
        self.change.as_ref().map(|change| &change.edits)
    }

    /// Frees unused capacity: a run keeps the plans of all its files.
    fn shrink(&mut self) {
        self.objects.shrink_to_fit();
        self.objects.iter_mut().for_each(|object| object.rules.shrink_to_fit());
        self.findings.shrink_to_fit();
        self.old_names.shrink_to_fit();
        self.advised.shrink_to_fit();
    }
}

/// Returns what a conversion reports.
fn findings(
    manifest: &Manifest,
    object: &Object,
    conversion: &Conversion,
    is_encrypted: &dyn Fn() -> bool,
) -> Vec<Finding> {
    let remarks = conversion.blocks.iter().map(|remark| (remark, Severity::Held));
    let remarks = remarks.chain(conversion.unresolved.iter().map(|remark| (remark, Severity::Unresolved)));
    let remarks = remarks.chain(conversion.warnings.iter().map(|remark| (remark, Severity::Warning)));
    let remarks = remarks.chain(conversion.losses.iter().map(|remark| (remark, Severity::Warning)));
    let remarks = remarks.chain(conversion.notes.iter().map(|remark| (remark, Severity::Note)));
    let mut findings: Vec<Finding> =
        remarks.map(|(remark, severity)| remark.finding(manifest, object, severity)).collect();
    let is_held = findings.iter().any(|finding| finding.severity >= Severity::Held);
    if is_held && is_encrypted() {
        // Nothing else helps before the file is decrypted.
        let held = findings.iter_mut().filter(|finding| finding.severity >= Severity::Held);
        held.for_each(|finding| finding.help = Some(sops::help(&manifest.file)));
    }
    findings
}

//! How does an object, as the rules leave it, fit the target?
//!
//! The object gets the apiVersion that the target serves, loses the fields that the target does not have, and is validated.
//!
//! Invariant: every value that is removed is recorded as a loss, or carried no information; nothing that the target rejects
//! is let through because of the conversion.

use std::cell::LazyCell;

use serde_json::Value;

use super::baseline::{Rejected, rejected_by_each, rejection};
use super::by_schema;
use super::choices::VersionChoice;
use super::remark::{Remark, Removal, help_with_values, impossible};
use super::run_rule::default_or_branch;
use super::shapes;
use super::state::{Log, Source};
use super::subject::Subject;
use super::target_schema::{TargetSchema, missing_kind};
use crate::engine::finding::Code;
use crate::engine::infer::infer;
use crate::knowledge::catalog::{Catalog, Version, Violation, ViolationKind};
use crate::knowledge::lens::{LossClass, Session};
use crate::knowledge::pack::wire::Union;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::yaml::Intent;

/// An object that the rules have converted, and the schema that it has to fit.
pub(super) struct Fitting<'f, 'a> {
    pub(super) subject: &'f Subject<'a>,
    pub(super) source: &'f Source,
    pub(super) schema: TargetSchema<'a>,
    pub(super) session: &'f mut Session<'a>,
    pub(super) log: &'f mut Log,
}

impl Fitting<'_, '_> {
    /// Gives the object of `kind` the apiVersion `wanted`, or one that the target serves, drops the fields that the target does not have,
    /// and validates the rest.
    ///
    /// # Errors
    /// What holds the object back.
    pub(super) fn fit(&mut self, kind: &GroupKind, wanted: Option<&str>) -> Result<(), Vec<Remark>> {
        let (subject, catalog) = (self.subject, self.schema.catalog);
        let mut served = catalog.served(self.schema.release);
        served.retain(|version| wanted.is_none_or(|wanted| version.name == wanted));
        let present = subject.object.api_version.version.as_str();
        let served = shapes::allowed(subject.target.pack, present, served);
        let Some(first) = served.first() else { return Err(vec![missing_kind(subject, kind)]) };
        let kept = match subject.choices().version {
            VersionChoice::MostStable => None,
            VersionChoice::Keep => served.iter().find(|version| version.name == present && !version.deprecated),
        };
        let fits = |version: &&Version<'_>| {
            self.violations(version.name).is_empty()
                && by_schema::vouch(subject, kind, version.name, self.session).is_ok()
        };
        let fitting = if kept.is_none() { served.iter().find(fits) } else { None };
        let version = kept.or(fitting).unwrap_or(first).name;
        let told = by_schema::vouch(subject, kind, version, self.session)?;
        let done = self.session.program().len();
        self.refuse_printed(version)?;
        self.tell_missing(version);
        self.drop_missing(if fitting.is_some() { Vec::new() } else { self.rejected(version) })?;
        self.keep_unknown()?;
        let is_known_to_fit = fitting.is_some() && self.session.program().len() == done;
        let mut violations = if is_known_to_fit { Vec::new() } else { self.violations(version) };
        let mut broken = self.run_cel_rules(version);
        self.report_unchecked_texts(version, &broken);
        broken.retain(|violation| !violation.is_open_in(self.session.object()));
        violations.extend(broken);
        self.validate(violations)?;
        if let Some(fitting) = fitting.filter(|fitting| fitting.name != first.name) {
            self.report_less_stable(fitting, first);
        }
        self.report_guarded(version, first);
        self.log.notes.extend(told);
        let api_version = ApiVersion { group: kind.group.clone(), version: version.to_owned() };
        self.session.set("apiVersion", Value::from(api_version.to_string())).map_err(impossible)
    }

    /// Reports that the object keeps its apiVersion although the target serves a more stable one, because a condition of its template names it.
    fn report_guarded(&mut self, version: &str, first: &Version<'_>) {
        let stays = version == self.subject.object.api_version.version && version != first.name;
        let Some(guard) = self.subject.open().guard.as_deref().filter(|_| stays) else { return };
        let group = &self.schema.catalog.kind().group;
        let message = format!(
            "the object stays {group}/{version}, which `{guard}` asks for; the target prefers {group}/{}",
            first.name
        );
        let remark = Remark::new(Code::LessStableVersion, FieldPath::default().key("apiVersion"), message);
        self.log.less_stable(remark.help("change both by hand to get the other one"), false);
    }

    /// Returns what the schema of a version rejects, whatever variables in the object become.
    pub(super) fn rejected(&self, version: &str) -> Vec<Violation> {
        let object = self.session.object();
        let mut rejected = self.schema.catalog.check(object, self.schema.release, version);
        rejected.retain(|violation| !violation.is_open_in(object));
        rejected
    }

    /// Reports that the object gets a less stable apiVersion than the target serves, and why the other one cannot hold it.
    fn report_less_stable(&mut self, fitting: &Version<'_>, first: &Version<'_>) {
        let (kind, violation) = (self.schema.catalog.kind(), self.violations(first.name).into_iter().next());
        let differing = || by_schema::vouch(self.subject, kind, first.name, self.session).err()?.into_iter().next();
        let differing = if violation.is_none() { differing() } else { None };
        let group = &kind.group;
        let [fitting_name, first_name] = [fitting.name, first.name].map(|name| format!("{group}/{name}"));
        let deprecated =
            if fitting.deprecated { format!(", which {} has deprecated", self.schema.name) } else { String::new() };
        let (path, why, help) = match (violation, differing) {
            (Some(violation), _) => {
                let verb = if violation.kind == ViolationKind::MissingRequired { "add" } else { "correct" };
                let help =
                    format!("{verb} {} by hand and run again: the object then gets {first_name}", violation.path);
                let path = self.session.origin(&violation.path);
                (path, format!("rejects it: {} {}", violation.path, violation.kind), Some(help))
            }
            (None, Some(block)) => (block.path, format!("cannot hold it: {}", block.message), block.help),
            (None, None) => return,
        };
        let message = format!("the object gets {fitting_name}{deprecated}, because {first_name} {why}");
        let remark = Remark::new(Code::LessStableVersion, path, message).maybe_help(help);
        let is_written = self.subject.object.api_version.version == first.name;
        self.log.less_stable(remark, fitting.deprecated || is_written);
    }

    /// Refuses an object in which an action prints a field by default that some release has and the target has not, nothing for one
    /// that only the target requires, or what only the target rejects.
    fn refuse_printed(&self, version: &str) -> Result<(), Vec<Remark>> {
        let TargetSchema { catalog, release, name, .. } = &self.schema;
        let before = LazyCell::new(|| self.subject.open().data_by_default(&self.subject.object.value));
        let written = LazyCell::new(|| self.rejected(version));
        for (turn, (trial, printed)) in self.session.by_default().into_iter().enumerate() {
            let rejected = catalog.check(trial.object(), *release, version);
            let is_lost = |violation: &&Violation| {
                matches!(violation.kind, ViolationKind::UnknownField { .. })
                    && printed.iter().any(|place| violation.path.starts_with(place))
                    && catalog.fields_of(&violation.path.pattern()).next().is_some()
            };
            let rejected_before =
                LazyCell::new(|| before.get(turn).map(|before| self.rejected_before(before)).unwrap_or_default());
            let was_accepted = |violation: &Violation| self.was_accepted(violation, &rejected_before);
            let around = |path: &FieldPath| path.split_last().map(|(around, _)| around);
            let is_beside = |one: &FieldPath, other: &FieldPath| around(one) == around(other);
            let is_needed = |violation: &&Violation| {
                violation.kind == ViolationKind::MissingRequired
                    && printed
                        .iter()
                        .any(|place| violation.path.starts_with(place) || is_beside(place, &violation.path))
                    && was_accepted(violation)
            };
            if let Some(needed) = rejected.iter().find(is_needed) {
                let message = format!(
                    "where the users of the chart set nothing else, an action prints nothing at {}, which {name} requires",
                    needed.path
                );
                let hints = self.subject.target.pack.release_notes();
                let hint = hints.hint(catalog.kind(), Some(&needed.path.pattern()));
                let by_hand = || "give it a value in the values of the chart (values.yaml)".to_owned();
                let help = hint.map_or_else(by_hand, |hint| hint.help_for(&self.subject.object.value));
                let path = self.session.origin(&needed.path);
                return Err(vec![Remark::new(Code::TemplateAction, path, message).help(help)]);
            }
            let lost = rejected.iter().find(is_lost).map(|violation| violation.path.clone());
            if let Some(lost) = lost.or_else(|| self.made_unknown_in(&trial, &printed)) {
                let message = format!(
                    "where the users of the chart set nothing else, an action prints {lost}, and {name} has no such field"
                );
                let key = self.session.open().key_of(self.session.object(), &lost);
                let help = help_with_values(key, Removal::Yes);
                return Err(vec![Remark::new(Code::TemplateAction, self.session.origin(&lost), message).help(help)]);
            }
            // What is empty then, users have to set.
            let is_to_be_set = |violation: &Violation| {
                let empty = |place: &&FieldPath| place.get(trial.object()).is_none_or(Value::is_null);
                let mut places = printed.iter().filter(empty);
                violation.kind.is_about_absence() && places.any(|place| place.starts_with(&violation.path))
            };
            let is_broken = |violation: &&Violation| {
                let is_count_or_relation =
                    matches!(violation.kind, ViolationKind::TooMany { .. } | ViolationKind::Relation { .. });
                (violation.kind.is_about_value() || is_count_or_relation)
                    && !is_to_be_set(violation)
                    && !violation.is_open_in(trial.object())
                    && !written.contains(violation)
                    && was_accepted(violation)
            };
            if let Some(broken) = rejected.iter().find(is_broken) {
                let when = default_or_branch(self.session.open(), turn);
                let message =
                    format!("{when}, an action prints what {name} does not allow: {} {}", broken.path, broken.kind);
                let origin = self.session.origin(&broken.path);
                let key = self.session.open().key_of(self.session.object(), &broken.path);
                let help = match key {
                    Some(key) => format!("change {key} in the values of the chart (values.yaml)"),
                    None => "change what it prints by hand".to_owned(),
                };
                return Err(vec![Remark::new(Code::TemplateAction, origin, message).help(help)]);
            }
        }
        Ok(())
    }

    /// Returns what each of the releases rejects that the object with the data `before` can have been written for, by its fields and if possible by
    /// its apiVersion.
    fn rejected_before(&self, before: &Value) -> Vec<Rejected> {
        let (catalog, version) = (self.subject.catalog(), &self.subject.object.api_version.version);
        let (inferred, listing) = (infer(before, catalog, version), catalog.listing(version));
        // Fields that exclude each other show nothing.
        let candidates = if inferred.is_conflict() { listing } else { inferred.candidates.within(listing) };
        rejected_by_each(candidates, (before, version), catalog)
    }

    /// Returns whether one of the releases that reject this accepts what the target rejects.
    fn was_accepted(&self, violation: &Violation, rejected: &[Rejected]) -> bool {
        let rejection = rejection(violation, &|path| self.session.origin(path));
        rejected.iter().any(|rejected| !rejected.contains(&rejection))
    }

    /// Records what an action prints nothing for, since the values of the chart do not have it, where only the target requires it.
    fn tell_missing(&mut self, version: &str) {
        let TargetSchema { catalog, release, name, .. } = &self.schema;
        let Some((data, places)) = self.session.open().without_missing(self.session.object()) else { return };
        let own = &self.subject.object.value;
        let before = self.subject.open().without_missing(own).map_or_else(|| Value::clone(own), |(before, _)| before);
        let rejected_before = LazyCell::new(|| self.rejected_before(&before));
        let is_needed = |violation: &Violation| {
            violation.kind == ViolationKind::MissingRequired
                && places.contains(&violation.path)
                && self.was_accepted(violation, &rejected_before)
        };
        let needed: Vec<Violation> = catalog.check(&data, *release, version).into_iter().filter(is_needed).collect();
        for Violation { path, .. } in needed {
            let hint = self.subject.target.pack.release_notes().hint(catalog.kind(), Some(&path.pattern()));
            let advice =
                hint.map_or_else(|| "write it out here".to_owned(), |hint| hint.help_for(&self.subject.object.value));
            let text = path.get(self.session.object()).and_then(Value::as_str).unwrap_or_default().to_owned();
            if !self.session.has_unknown(&path, &text) {
                let reason = format!("as nothing, {name} requires it");
                self.session.record_unknown(&path, &text, &reason, advice);
            }
        }
    }

    /// Removes the fields that the target does not have, and records each as a loss; `rejected` is what the target's schema rejects.
    fn drop_missing(&mut self, rejected: Vec<Violation>) -> Result<(), Vec<Remark>> {
        let mut missing: Vec<FieldPath> = Vec::new();
        for violation in rejected {
            match violation.kind {
                ViolationKind::UnknownField { .. } => missing.push(violation.path),
                ViolationKind::NotInEnum { .. }
                    if self.subject.accepted_before(&violation, self.schema.catalog.kind(), self.session) =>
                {
                    missing.extend(typed_item(self.subject, self.schema.catalog.kind(), &violation.path));
                }
                _ => {}
            }
        }
        missing.extend(self.made_unknown());
        missing.sort();
        missing.dedup_by(|inner, outer| inner.starts_with(outer));
        for path in missing.into_iter().rev() {
            let what = if path.last_key().is_some() { "field" } else { "item" };
            let reason = format!("{} has no such {what}", self.schema.name);
            self.session.record_loss(LossClass::DroppedField, &path, reason);
            self.session.change(Intent::Delete { path }).map_err(impossible)?;
        }
        Ok(())
    }

    /// Holds the object back where a field that no release has stood in something that rules removed as redundant: what the field
    /// means is not known.
    fn keep_unknown(&self) -> Result<(), Vec<Remark>> {
        let losses = self.session.losses();
        let is_reported = |path: &FieldPath| losses.iter().any(|loss| path.starts_with(&loss.path));
        let unknown = self.subject.unknown.iter();
        let removed = unknown.filter(|path| self.session.destination(path).is_none() && !is_reported(path));
        let block = |path: &FieldPath| {
            let message = format!("no release has the field {path}, and what contains it is removed by the conversion");
            Remark::new(Code::NotConvertible, path.clone(), message)
                .help("correct its spelling; or remove it, or write by hand what the target has instead of it")
        };
        let blocks: Vec<_> = removed.map(block).collect();
        if blocks.is_empty() { Ok(()) } else { Err(blocks) }
    }

    /// Returns the first field that an action prints at one of these places in `trial`, of which the object's catalog knows where it would have
    /// been before, and the target's does not know where it is.
    fn made_unknown_in(&self, trial: &Session<'_>, printed: &[FieldPath]) -> Option<FieldPath> {
        if self.session.program().is_empty() {
            return None;
        }
        let own = self.subject.catalog();
        let is_known = |path: &FieldPath| own.fields_of(&self.session.origin(path).pattern()).next().is_some();
        let is_printed = |path: &FieldPath| printed.iter().any(|place| path.starts_with(place));
        unknown(self.schema.catalog, trial.object()).into_iter().find(|path| is_printed(path) && is_known(path))
    }

    /// Returns the fields that the target's catalog does not know at the place where the rules put them: a newer field below a mapping
    /// that got its older name, or in a kind that never had it. What was unknown from the start, in the object or in what the stash gave
    /// back, is left unchanged.
    fn made_unknown(&self) -> Vec<FieldPath> {
        let Self { subject, source, session, .. } = self;
        let is_the_objects = std::ptr::eq(subject.catalog(), self.schema.catalog);
        if session.program().is_empty() && is_the_objects {
            return Vec::new();
        }
        let mut unknown = unknown(self.schema.catalog, session.object());
        if unknown.is_empty() {
            return unknown;
        }
        let in_source = subject.target.pack.catalog(&source.kind).map(|catalog| self::unknown(catalog, &source.value));
        let was_unknown = |path: &FieldPath| {
            let written = session.origin(path);
            match written.get(&subject.object.value) {
                Some(_) => subject.unknown.contains(&written),
                None => in_source.iter().flatten().any(|known| *known == session.origin_after(source.step, path)),
            }
        };
        unknown.retain(|path| !was_unknown(path));
        unknown
    }
}

/// Returns the list item whose type stands at `path`, where the pack says that such an item is dropped as a whole.
fn typed_item(subject: &Subject<'_>, kind: &GroupKind, path: &FieldPath) -> Option<FieldPath> {
    let (item, by) = path.split_last()?;
    let pattern = item.pattern();
    let typed =
        |union: &Union| union.kind == *kind && union.items == pattern && Step::Key(union.discriminator.clone()) == *by;
    subject.target.pack.release_notes().unions.iter().any(typed).then_some(item)
}

/// Returns the fields of `object` that no release has.
pub(super) fn unknown(catalog: &Catalog, object: &Value) -> Vec<FieldPath> {
    catalog.facts(object).unknown.into_iter().map(|unknown| unknown.path).collect()
}

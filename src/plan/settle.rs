//! Answers: is an object, as the rules leave it, right for its target, and what of it has no place there?
//!
//! The object gets the apiVersion that the target serves, loses what the target does not have and is checked with the
//! target's catalog, or with the user's own CRDs and their rules. What was wrong before the conversion too is told and left.
//!
//! Invariant: every value that goes is recorded as a loss, or is one that said nothing; nothing that the target refuses goes through because of the
//! conversion.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

use serde_json::Value;

use super::object::{Finality, Schema, Start, Trail, VersionChoice, Work, in_list, remark, stuck};
use crate::catalog::{Catalog, Version, Violation, ViolationKind};
use crate::field::{FieldPath, Step};
use crate::finding::Code;
use crate::lens::{Completeness, LossClass, Session};
use crate::pack::Rule;
use crate::pack::build::own::{OwnCrds, Verdict};
use crate::pack::notes::Union;
use crate::release::{ApiVersion, GroupKind, ReleaseId};
use crate::yaml::Intent;

use super::Remark;

/// What says whether an object is right: the catalog of its kind, in one release.
struct Authority<'a> {
    /// What messages call it.
    name: String,
    catalog: &'a Catalog,
    release: ReleaseId,
    /// The CRDs whose rules are run too.
    own: Option<&'a OwnCrds>,
}

/// Where something is wrong, and what.
type Wrong = HashSet<(FieldPath, Discriminant<ViolationKind>)>;

/// What the releases that an object can have been written for have against it as it is, found once for many questions.
#[derive(Default)]
pub(super) struct Past {
    wrong: OnceCell<Vec<Wrong>>,
    incomplete: OnceCell<bool>,
}

impl Work<'_> {
    /// Gives the object the apiVersion that the target serves, drops what the target does not have, checks the rest.
    pub(super) fn settle(
        &self,
        start: &Start,
        kind: &GroupKind,
        session: &mut Session<'_>,
        trail: &mut Trail,
    ) -> Result<(), Vec<Remark>> {
        let authority = self.authority(kind)?;
        let served = authority.catalog.served(authority.release);
        let Some(first) = served.first() else { return Err(vec![self.kind_missing(kind)]) };
        let present = self.object.api_version.version.as_str();
        let kept = match self.goal.choices.version {
            VersionChoice::MostStable => None,
            VersionChoice::Keep => served.iter().find(|version| version.name == present && !version.deprecated),
        };
        let fits = |version: &&Version<'_>| self.violations(&authority, session.object(), version.name).is_empty();
        let fitting = if kept.is_none() { served.iter().find(fits) } else { None };
        let version = kept.or(fitting).unwrap_or(first).name;
        let done = session.program().len();
        let against = match fitting {
            Some(_) => Vec::new(),
            None => authority.catalog.check(session.object(), authority.release, version),
        };
        self.drop_missing(start, &authority, against, session)?;
        self.keep_unknown(session)?;
        let is_known_to_fit = fitting.is_some() && session.program().len() == done;
        let mut violations =
            if is_known_to_fit { Vec::new() } else { self.violations(&authority, session.object(), version) };
        let rules = self.run_own_rules(&authority, session.object(), version);
        violations.extend(rules.broken);
        trail.notes.extend(rules.unknown.into_iter().map(|rule| unchecked(&authority, &rule)));
        self.judge(&authority, violations, session, trail)?;
        let api_version = ApiVersion { group: kind.group.clone(), version: version.to_owned() };
        session.set("apiVersion", Value::from(api_version.to_string())).map_err(stuck)
    }

    /// Returns what says whether an object of `kind` is right.
    fn authority(&self, kind: &GroupKind) -> Result<Authority<'_>, Vec<Remark>> {
        match &self.goal.choices.schema {
            Schema::Catalog => {
                let catalog = self.target.pack.catalog(kind).expect("rules lead to kinds that the pack has");
                Ok(Authority { name: self.target.to_string(), catalog, release: self.target.release, own: None })
            }
            Schema::Own(crds) => {
                let catalog = crds.catalog(kind).ok_or_else(|| vec![self.kind_missing(kind)])?;
                let name = format!("the CRD in {}", crds.name());
                Ok(Authority { name, catalog, release: crds.release(), own: Some(crds) })
            }
        }
    }

    /// Returns what holds the object back where its rules refused it with `blocks`: what they want is of no use where the target
    /// does not have the kind and no rule gives another one.
    pub(super) fn missing_for(&self, blocks: Vec<Remark>) -> Vec<Remark> {
        let kind = &self.object.kind;
        let retypes = |rule: &Rule| rule.kind != rule.new_kind && [&rule.kind, &rule.new_kind].contains(&kind);
        let stays = !self.target.pack.rules().iter().any(retypes);
        let is_refused = blocks.iter().all(|block| block.code == Code::NotConvertible);
        if is_refused && stays && !self.has_kind(kind) { vec![self.kind_missing(kind)] } else { blocks }
    }

    fn has_kind(&self, kind: &GroupKind) -> bool {
        let pack = self.target.pack;
        match &self.goal.choices.schema {
            Schema::Catalog => {
                pack.catalog(kind).is_some_and(|catalog| !catalog.served(self.target.release).is_empty())
            }
            Schema::Own(crds) => crds.catalog(kind).is_some(),
        }
    }

    /// Tells a kind that the target does not have.
    fn kind_missing(&self, kind: &GroupKind) -> Remark {
        let pack = self.target.pack;
        let catalog = pack.catalog(kind).expect("rules lead to kinds that the pack has");
        let had = pack.line().describe(catalog.releases());
        let target = match &self.goal.choices.schema {
            Schema::Catalog => self.target.to_string(),
            Schema::Own(crds) => crds.name().to_owned(),
        };
        let message = format!("{target} has no {kind}; the kind is in {had}");
        let elsewhere = pack.kinds().find(|other| other.kind == kind.kind && self.has_kind(other));
        let help = match (pack.notes().hint(kind, None), elsewhere) {
            (Some(hint), _) => hint.to_owned(),
            (None, Some(other)) => format!("write it anew as {other}, which the target has: no rule leads there"),
            (None, None) => "choose a target that has it, or remove the object".to_owned(),
        };
        remark(Code::KindNotInTarget, FieldPath::default().key("kind"), message, Some(help))
    }

    /// Holds the object back for what the target refuses, but not for what was refused all along (a field left to a patch,
    /// a variable that is filled in later): that is told and left.
    fn judge(
        &self,
        authority: &Authority<'_>,
        violations: Vec<Violation>,
        session: &Session<'_>,
        trail: &mut Trail,
    ) -> Result<(), Vec<Remark>> {
        let mut blocks = Vec::new();
        for violation in violations {
            let path = session.origin(&violation.path);
            let finality = self.finality(&path);
            if self.became_an_item(&violation, &path) {
                let message = format!("{} {}, and a patch replaces a list as a whole", violation.path, violation.kind);
                let help = "write the item out whole in the patch, then run again".to_owned();
                blocks.push(remark(Code::InvalidInTarget, path, message, Some(help)));
            } else if self.asked_for(authority, finality) || self.accepted_before(&path, &violation.kind) {
                let message = format!("{} does not allow this: {} {}", authority.name, violation.path, violation.kind);
                let kind = authority.catalog.kind();
                let hint = self.target.pack.notes().hint(kind, Some(&violation.path.pattern()));
                let help = hint.unwrap_or("change the value by hand, then run again").to_owned();
                blocks.push(remark(Code::InvalidInTarget, path, message, Some(help)));
            } else {
                let message = format!("{} {}, before and after the conversion", violation.path, violation.kind);
                trail.tell_wrong(finality, remark(Code::AlreadyInvalid, path, message, None));
            }
        }
        if blocks.is_empty() { Ok(()) } else { Err(blocks) }
    }

    /// Says whether the user asked for a check of what stands there, wrong before or not: with CRDs of their own.
    fn asked_for(&self, authority: &Authority<'_>, finality: Finality) -> bool {
        authority.own.is_some() && finality == Finality::Final
    }

    /// Says whether what stands at `path` is what a cluster will see.
    pub(super) fn finality(&self, path: &FieldPath) -> Finality {
        let is_open = path.get(&self.object.value).is_some_and(is_filled_in_later);
        match self.completeness() {
            Completeness::Whole if !is_open => Finality::Final,
            Completeness::Whole | Completeness::Partial => Finality::Open,
        }
    }

    /// Says whether a part of a patch, which was merged field by field, has become an incomplete item of a list.
    ///
    /// Source: Kustomize merges custom resources as JSON merge patches do, where a list takes the place of the other.
    fn became_an_item(&self, violation: &Violation, origin: &FieldPath) -> bool {
        violation.kind == ViolationKind::MissingRequired && in_list(&violation.path) && !in_list(origin)
    }

    /// Says whether some release that the object can have been written for has nothing against the value at `path`. What CEL
    /// rules those releases have is not known: a rule of the user's CRD always counts.
    fn accepted_before(&self, path: &FieldPath, kind: &ViolationKind) -> bool {
        let wrong = (path.clone(), discriminant(kind));
        let accepted = self.past.wrong.get_or_init(|| self.find_wrong_before()).iter().any(|met| !met.contains(&wrong));
        accepted
            && !(*kind == ViolationKind::MissingRequired
                && *self.past.incomplete.get_or_init(|| self.misses_something()))
    }

    /// Collects what each release that the object can have been written for has against it.
    fn find_wrong_before(&self) -> Vec<Wrong> {
        let (object, catalog) = (self.object, self.own_catalog());
        let wrong = |release: ReleaseId| {
            let served = catalog.served(release);
            let present = served.iter().find(|version| version.name == object.api_version.version);
            let version = present.or(served.first()).map_or("", |version| version.name);
            let violations = catalog.check(&object.value, release, version).into_iter();
            violations.map(|violation| (violation.path, discriminant(&violation.kind))).collect()
        };
        self.candidates.iter().map(wrong).collect()
    }

    fn own_catalog(&self) -> &Catalog {
        self.target.pack.catalog(&self.object.kind).expect("an object of an unknown kind is held back before")
    }

    /// Says whether every release that the object can have been written for misses something in it, as in a patch that no
    /// kustomization of the run names.
    fn misses_something(&self) -> bool {
        let catalog = self.own_catalog();
        let misses = |release: ReleaseId| {
            let version = catalog.served(release).first().map_or("", |version| version.name);
            let violations = catalog.check(&self.object.value, release, version);
            violations
                .iter()
                .any(|violation| violation.kind == ViolationKind::MissingRequired && !in_list(&violation.path))
        };
        self.candidates.iter().all(misses)
    }

    fn violations(&self, authority: &Authority<'_>, object: &Value, version: &str) -> Vec<Violation> {
        let mut violations = authority.catalog.check(object, authority.release, version);
        let is_left_to_the_whole = |one: &Violation| one.kind == ViolationKind::MissingRequired && !in_list(&one.path);
        if violations.iter().any(is_left_to_the_whole) && self.completeness() == Completeness::Partial {
            violations.retain(|violation| !is_left_to_the_whole(violation));
        }
        violations
    }

    /// Runs the rules of the user's CRD; on a part of an object they would say nothing true.
    fn run_own_rules(&self, authority: &Authority<'_>, object: &Value, version: &str) -> Verdict {
        match authority.own {
            Some(own) if self.completeness() == Completeness::Whole => {
                own.run_rules(authority.catalog.kind(), version, object)
            }
            _ => Verdict::default(),
        }
    }

    /// Removes the fields that the target does not have and records each as a loss; `against` is what the target's schema has
    /// against the object.
    fn drop_missing(
        &self,
        start: &Start,
        authority: &Authority<'_>,
        against: Vec<Violation>,
        session: &mut Session<'_>,
    ) -> Result<(), Vec<Remark>> {
        let mut missing: Vec<FieldPath> = Vec::new();
        for violation in against {
            match violation.kind {
                ViolationKind::UnknownField { .. } => missing.push(violation.path),
                ViolationKind::NotInEnum { .. }
                    if self.accepted_before(&session.origin(&violation.path), &violation.kind) =>
                {
                    missing.extend(self.typed_item(authority.catalog.kind(), &violation.path));
                }
                _ => {}
            }
        }
        missing.extend(self.made_unknown(start, authority.catalog, session));
        missing.sort();
        missing.dedup_by(|inner, outer| inner.starts_with(outer));
        for path in missing.into_iter().rev() {
            let what = if path.last_key().is_some() { "field" } else { "item" };
            session.record_loss(LossClass::DroppedField, &path, format!("{} has no such {what}", authority.name));
            session.change(Intent::Delete { path }).map_err(stuck)?;
        }
        Ok(())
    }

    /// Holds the object back where a field that no release has stood in something that rules took away as saying nothing:
    /// what the field says is not known.
    fn keep_unknown(&self, session: &Session<'_>) -> Result<(), Vec<Remark>> {
        let is_told = |path: &FieldPath| session.losses().iter().any(|loss| path.starts_with(&loss.path));
        let went = self.unknown.iter().filter(|path| session.destination(path).is_none() && !is_told(path));
        let blocks: Vec<_> = went
            .map(|path| {
                remark(
                    Code::NotConvertible,
                    path.clone(),
                    format!("no release has the field {path}, and what it stands in goes"),
                    Some(
                        "check its spelling, then remove it or write by hand what the target has in its place"
                            .to_owned(),
                    ),
                )
            })
            .collect();
        if blocks.is_empty() { Ok(()) } else { Err(blocks) }
    }

    /// Returns the item of a list whose type stands at `path`, where the pack says that such an item goes as a whole.
    fn typed_item(&self, kind: &GroupKind, path: &FieldPath) -> Option<FieldPath> {
        let (item, by) = path.split_last()?;
        let pattern = item.pattern();
        let typed = |union: &Union| union.kind == *kind && union.items == pattern && Step::Key(union.by.clone()) == *by;
        self.target.pack.notes().unions.iter().any(typed).then_some(item)
    }

    /// Says whether `catalog` is the one that the object was looked at with.
    fn is_the_objects(&self, catalog: &Catalog) -> bool {
        self.target.pack.catalog(&self.object.kind).is_some_and(|own| std::ptr::eq(own, catalog))
    }

    /// Returns the fields that `catalog` does not know at the place where the rules put them: a newer field below a mapping
    /// that took its older name, or in a kind that never had it. What was unknown from the start, in the object or in what
    /// came back to it, stays.
    fn made_unknown(&self, start: &Start, catalog: &Catalog, session: &Session<'_>) -> Vec<FieldPath> {
        let is_as_written = session.program().is_empty() && self.is_the_objects(catalog);
        let unknown = if is_as_written { Vec::new() } else { unknown(catalog, session.object()) };
        if unknown.is_empty() {
            return unknown;
        }
        let came_back = self.target.pack.catalog(&start.kind).map(|catalog| self::unknown(catalog, &start.value));
        let was_unknown = |path: &FieldPath| {
            let written = session.origin(path);
            match written.get(&self.object.value) {
                Some(_) => self.unknown.contains(&written),
                None => came_back.iter().flatten().any(|known| *known == session.origin_after(start.step, path)),
            }
        };
        unknown.into_iter().filter(|path| !was_unknown(path)).collect()
    }
}

/// Says whether a value holds a variable, or what is left of a template: `${PORT}`, `$PORT`, `$(port)`, `{{ .port }}`, `<% port %>`.
fn is_filled_in_later(value: &Value) -> bool {
    let is_variable = |text: &str| {
        let after_dollar = text.split('$').skip(1);
        let named = |rest: &str| rest.starts_with(|first: char| first.is_ascii_alphabetic() || "{(_".contains(first));
        ["{{", "<%", "%{", "#{"].iter().any(|mark| text.contains(mark)) || after_dollar.into_iter().any(named)
    };
    match value {
        Value::String(text) => is_variable(text),
        Value::Array(items) => items.iter().any(is_filled_in_later),
        Value::Object(map) => map.values().any(is_filled_in_later),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns the fields of `object` that no release has.
fn unknown(catalog: &Catalog, object: &Value) -> Vec<FieldPath> {
    catalog.facts(object).unknown.into_iter().map(|unknown| unknown.path).collect()
}

/// Tells a rule that cannot be run here.
fn unchecked(authority: &Authority<'_>, rule: &str) -> Remark {
    let message = format!("a rule of {} was not checked: {rule}", authority.name);
    remark(Code::UncheckedRule, FieldPath::default(), message, None)
}

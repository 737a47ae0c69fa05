//! How does an object, as the rules leave it, fit the target?
//!
//! The object gets the apiVersion that the target serves, loses the fields that the target does not have, and is validated.
//!
//! Invariant: every value that is removed is recorded as a loss, or carried no information; nothing that the target rejects
//! is let through because of the conversion.

use serde_json::Value;

use super::by_schema;
use super::choices::VersionChoice;
use super::remark::{Remark, impossible};
use super::state::{Log, Source};
use super::subject::Subject;
use super::target_schema::{TargetSchema, missing_kind};
use super::validate::{run_cel_rules, unchecked_texts, validate, violations};
use crate::engine::finding::Code;
use crate::knowledge::catalog::{Catalog, Version, Violation, ViolationKind};
use crate::knowledge::lens::{LossClass, Session};
use crate::knowledge::pack::wire::Union;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::yaml::Intent;

/// Gives the object the apiVersion `wanted`, or one that the target serves, drops the fields that the target does not have, validates the rest.
///
/// # Errors
/// What holds the object back.
pub(super) fn fit(
    subject: &Subject<'_>,
    source: &Source,
    kind: &GroupKind,
    wanted: Option<&str>,
    session: &mut Session<'_>,
    log: &mut Log,
) -> Result<(), Vec<Remark>> {
    let schema = TargetSchema::of(subject, kind)?;
    let mut served = schema.catalog.served(schema.release);
    served.retain(|version| wanted.is_none_or(|wanted| version.name == wanted));
    let served = by_schema::allowed(subject, served);
    let Some(first) = served.first() else { return Err(vec![missing_kind(subject, kind)]) };
    let present = subject.object.api_version.version.as_str();
    let kept = match subject.choices().version {
        VersionChoice::MostStable => None,
        VersionChoice::Keep => served.iter().find(|version| version.name == present && !version.deprecated),
    };
    let vouch = |version: &str, session: &Session<'_>| by_schema::vouch(subject, kind, version, session);
    let fits = |version: &&Version<'_>| {
        violations(subject, &schema, session.object(), version.name).is_empty() && vouch(version.name, session).is_ok()
    };
    let fitting = if kept.is_none() { served.iter().find(fits) } else { None };
    let version = kept.or(fitting).unwrap_or(first).name;
    let told = vouch(version, session)?;
    let done = session.program().len();
    let mut rejected = match fitting {
        Some(_) => Vec::new(),
        None => schema.catalog.check(session.object(), schema.release, version),
    };
    rejected.retain(|violation| !violation.is_open_in(session.object()));
    drop_missing(subject, source, &schema, rejected, session)?;
    keep_unknown(subject, session)?;
    let is_known_to_fit = fitting.is_some() && session.program().len() == done;
    let mut rejected =
        if is_known_to_fit { Vec::new() } else { violations(subject, &schema, session.object(), version) };
    let broken = run_cel_rules(subject, &schema, session.object(), version, log);
    log.notes.extend(unchecked_texts(subject, &schema, session, version, &broken));
    rejected.extend(broken.into_iter().filter(|violation| !violation.is_open_in(session.object())));
    validate(subject, &schema, rejected, session, log)?;
    if let Some(fitting) = fitting.filter(|fitting| fitting.name != first.name) {
        report_less_stable(subject, &schema, fitting, first, session, log);
    }
    log.notes.extend(told);
    let api_version = ApiVersion { group: kind.group.clone(), version: version.to_owned() };
    session.set("apiVersion", Value::from(api_version.to_string())).map_err(impossible)
}

/// Reports that the object gets a less stable apiVersion than the target serves, and what the other one rejects.
fn report_less_stable(
    subject: &Subject<'_>,
    schema: &TargetSchema<'_>,
    fitting: &Version<'_>,
    first: &Version<'_>,
    session: &Session<'_>,
    log: &mut Log,
) {
    let Some(violation) = violations(subject, schema, session.object(), first.name).into_iter().next() else { return };
    let path = session.origin(&violation.path);
    let group = &schema.catalog.kind().group;
    let [fitting_name, first_name] = [fitting.name, first.name].map(|name| format!("{group}/{name}"));
    let deprecated = if fitting.deprecated { format!(", which {} has deprecated", schema.name) } else { String::new() };
    let message = format!(
        "the object gets {fitting_name}{deprecated}, because {first_name} rejects it: {} {}",
        violation.path, violation.kind
    );
    let verb = if violation.kind == ViolationKind::MissingRequired { "add" } else { "correct" };
    let help = format!("{verb} {} by hand and run again: the object then gets {first_name}", violation.path);
    let remark = Remark::new(Code::LessStableVersion, path, message).help(help);
    if fitting.deprecated { log.warnings.push(remark) } else { log.notes.push(remark) }
}

/// Removes the fields that the target does not have and records each as a loss; `rejected` is what the target's schema rejects.
fn drop_missing(
    subject: &Subject<'_>,
    source: &Source,
    schema: &TargetSchema<'_>,
    rejected: Vec<Violation>,
    session: &mut Session<'_>,
) -> Result<(), Vec<Remark>> {
    let mut missing: Vec<FieldPath> = Vec::new();
    for violation in rejected {
        match violation.kind {
            ViolationKind::UnknownField { .. } => missing.push(violation.path),
            ViolationKind::NotInEnum { .. }
                if subject.accepted_before(&session.origin(&violation.path), &violation.kind) =>
            {
                missing.extend(typed_item(subject, schema.catalog.kind(), &violation.path));
            }
            _ => {}
        }
    }
    missing.extend(made_unknown(subject, source, schema.catalog, session));
    missing.sort();
    missing.dedup_by(|inner, outer| inner.starts_with(outer));
    for path in missing.into_iter().rev() {
        let what = if path.last_key().is_some() { "field" } else { "item" };
        session.record_loss(LossClass::DroppedField, &path, format!("{} has no such {what}", schema.name));
        session.change(Intent::Delete { path }).map_err(impossible)?;
    }
    Ok(())
}

/// Holds the object back where a field that no release has stood in something that rules removed as redundant: what the field
/// means is not known.
fn keep_unknown(subject: &Subject<'_>, session: &Session<'_>) -> Result<(), Vec<Remark>> {
    let is_reported = |path: &FieldPath| session.losses().iter().any(|loss| path.starts_with(&loss.path));
    let removed = subject.unknown.iter().filter(|path| session.destination(path).is_none() && !is_reported(path));
    let help = "correct its spelling; or remove it, or write by hand what the target has instead of it";
    let block = |path: &FieldPath| {
        let message = format!("no release has the field {path}, and what contains it is removed by the conversion");
        Remark::new(Code::NotConvertible, path.clone(), message).help(help)
    };
    let blocks: Vec<_> = removed.map(block).collect();
    if blocks.is_empty() { Ok(()) } else { Err(blocks) }
}

/// Returns the list item whose type stands at `path`, where the pack says that such an item is dropped as a whole.
fn typed_item(subject: &Subject<'_>, kind: &GroupKind, path: &FieldPath) -> Option<FieldPath> {
    let (item, by) = path.split_last()?;
    let pattern = item.pattern();
    let typed =
        |union: &Union| union.kind == *kind && union.items == pattern && Step::Key(union.discriminator.clone()) == *by;
    subject.target.pack.release_notes().unions.iter().any(typed).then_some(item)
}

/// Returns the fields that `catalog` does not know at the place where the rules put them: a newer field below a mapping that got
/// its older name, or in a kind that never had it. What was unknown from the start, in the object or in what the stash gave
/// back, is left unchanged.
fn made_unknown(subject: &Subject<'_>, source: &Source, catalog: &Catalog, session: &Session<'_>) -> Vec<FieldPath> {
    let is_the_objects = std::ptr::eq(subject.catalog(), catalog);
    let is_as_written = session.program().is_empty() && is_the_objects;
    let unknown = if is_as_written { Vec::new() } else { unknown(catalog, session.object()) };
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
    unknown.into_iter().filter(|path| !was_unknown(path)).collect()
}

/// Returns the fields of `object` that no release has.
pub(super) fn unknown(catalog: &Catalog, object: &Value) -> Vec<FieldPath> {
    catalog.facts(object).unknown.into_iter().map(|unknown| unknown.path).collect()
}

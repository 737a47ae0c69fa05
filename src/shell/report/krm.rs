//! The results of a KRM function: one for each finding, acknowledged ones too, and one for each object that was converted.
//!
//! Source: KRM Functions Specification, `results`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::count::known_to;
use super::run_report::Report;
use super::text_format::accepted_by;
use crate::engine::finding::{Finding, Location, Severity};
use crate::engine::plan::{ObjectPlan, Outcome};
use crate::syntax::field::FieldPattern;

/// An item of the function's input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<'a> {
    /// Its position in the list.
    pub(crate) number: usize,
    /// Its data.
    pub(crate) value: &'a Value,
    /// The file that it comes from.
    pub(crate) path: Option<&'a str>,
    /// Its position in that file.
    pub(crate) index: Option<u64>,
}

/// Returns the results of a run without notes, in the order of items and the worst first; `item_at` finds the item at a place, and `held` is the
/// severity of what is held back.
pub(crate) fn results<'a>(
    report: &Report<'_>,
    item_at: impl Fn(&Location) -> Option<Item<'a>>,
    held: Severity,
) -> Vec<Value> {
    let plans: BTreeMap<&Location, &ObjectPlan> = report.objects.iter().map(|plan| (&plan.location, plan)).collect();
    let mut results = Vec::new();
    let mut add = |finding: &Finding, severity: Severity, message: &str| {
        let item = item_at(&finding.location);
        let plan = finding.object.as_ref().and_then(|object| plans.get(&object.location));
        let mut result = result(message, severity, item);
        result.insert("tags".to_owned(), json!({"code": finding.code.name()}));
        let field = finding.field.as_deref().map(|field| field_of(field, item, plan.copied()));
        result.extend(field.map(|field| ("field".to_owned(), field)));
        results.push((item.map(|item| item.number), severity, result));
    };
    let is_shown = |finding: &Finding| finding.severity > Severity::Note;
    for finding in report.findings.iter().filter(|finding| is_shown(finding)) {
        let severity = if finding.severity == Severity::Held { held } else { finding.severity };
        add(finding, severity, &message(finding));
    }
    for acknowledged in report.acknowledged.iter().filter(|acknowledged| is_shown(&acknowledged.finding)) {
        let message = format!(
            "{} ({})",
            acknowledged.finding.sentence(),
            accepted_by(acknowledged.by, acknowledged.reason.as_deref())
        );
        add(&acknowledged.finding, Severity::Note, &message);
    }
    for plan in report.objects.iter().filter(|plan| plan.outcome == Outcome::Changed) {
        let item = item_at(&plan.location);
        let mut result = result(&converted(plan), Severity::Note, item);
        if plan.from.1 != plan.to.1 {
            let (before, after) = (plan.from.1.to_string(), plan.to.1.to_string());
            let field = json!({"path": "apiVersion", "currentValue": before, "proposedValue": after});
            result.insert("field".to_owned(), field);
        }
        let rules = plan.rules.iter().map(|(rule, direction)| format!("{} {rule}", direction.name()));
        let rules = rules.collect::<Vec<_>>().join(", ");
        if !rules.is_empty() {
            result.insert("tags".to_owned(), json!({"rules": rules}));
        }
        results.push((item.map(|item| item.number), Severity::Note, result));
    }
    for advisory in report.advisories.iter().filter(|advisory| advisory.severity > Severity::Note) {
        let message = with_help(advisory.message.clone(), advisory.help.as_deref());
        results.push((None, advisory.severity, result(&message, advisory.severity, None)));
    }
    // What is about the whole list comes last.
    results.sort_by_key(|(item, severity, _)| (item.is_none(), *item, std::cmp::Reverse(*severity)));
    results.into_iter().map(|(_, _, result)| Value::from(result)).collect()
}

/// Returns the result of a function that failed.
pub(crate) fn failure(message: &str) -> Value {
    Value::from(result(message, Severity::Error, None))
}

/// Returns the result of a function that found nothing to convert.
pub(crate) fn nothing_recognized(packs: &[&str]) -> Value {
    let message = format!("no {} is in the list", known_to(packs));
    Value::from(result(&message, Severity::Note, None))
}

fn result(message: &str, severity: Severity, item: Option<Item<'_>>) -> Map<String, Value> {
    let severity = match severity {
        Severity::Note => "info",
        Severity::Warning => "warning",
        Severity::Unresolved | Severity::Held | Severity::Error => "error",
    };
    let mut result = Map::new();
    result.insert("message".to_owned(), message.into());
    result.insert("severity".to_owned(), severity.into());
    if let Some(item) = item {
        result.insert("resourceRef".to_owned(), reference(item.value));
        if let Some(path) = item.path {
            let mut file = json!({"path": path});
            item.index.into_iter().for_each(|index| file["index"] = index.into());
            result.insert("file".to_owned(), file);
        }
    }
    result
}

/// Names an object.
fn reference(object: &Value) -> Value {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
    let parts = ["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace"];
    let parts = parts.iter().zip(["apiVersion", "kind", "name", "namespace"]);
    parts.filter_map(|(pointer, key)| Some((key.to_owned(), Value::from(text(pointer)?)))).collect::<Map<_, _>>().into()
}

/// Returns a field with its values, where they are plain: before, and after the conversion if that is another.
fn field_of(field: &str, item: Option<Item<'_>>, plan: Option<&ObjectPlan>) -> Value {
    let mut result = json!({"path": field});
    let path = FieldPattern::parse(field).ok().and_then(|pattern| pattern.as_path());
    let (Some(path), Some(item)) = (path, item) else { return result };
    // What a Secret holds is in no report.
    if item.value["kind"] == "Secret" {
        return result;
    }
    let plain = |value: &Value| !value.is_object() && !value.is_array() && !value.is_null();
    let sides = plan.and_then(|plan| plan.data.as_deref());
    let before = sides.and_then(|sides| path.get(&sides.before)).filter(|value| plain(value));
    let after = sides.and_then(|sides| path.get(&sides.after)).filter(|value| plain(value));
    if let Some(before) = before {
        result["currentValue"] = before.clone();
    }
    if let Some(after) = after.filter(|after| Some(*after) != before) {
        result["proposedValue"] = after.clone();
    }
    result
}

fn message(finding: &Finding) -> String {
    with_help(finding.sentence().into_owned(), finding.help.as_deref())
}

fn with_help(message: String, help: Option<&str>) -> String {
    match help {
        Some(help) => format!("{message} (help: {help})"),
        None => message,
    }
}

fn converted(plan: &ObjectPlan) -> String {
    let ((old_kind, old), (new_kind, new)) = (&plan.from, &plan.to);
    let what = match (old_kind.kind == new_kind.kind, old == new) {
        (true, true) => format!("converted within {old}"),
        (true, false) => format!("converted from {old} to {new}"),
        (false, _) => format!("converted from {old} {} to {new} {}", old_kind.kind, new_kind.kind),
    };
    format!("{}: {what}", plan.title)
}

//! What a pack's author can write about a message: the rule that nearly covers a removal, the field that has nearly this name.

use std::collections::BTreeSet;

use super::linter::Lint;
use crate::authoring::rule_path::patterns_in;
use crate::knowledge::catalog::Catalog;
use crate::knowledge::lens::{Direction, Image};
use crate::knowledge::pack::nearest::is_near;
use crate::knowledge::pack::place::{Place, test_around};
use crate::knowledge::pack::rules::Rule;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId};
use crate::syntax::field::{FieldPattern, Part};

/// The way out of a removal that no rule is near to.
const COVER: &str = "add a rule that converts it, or list it under `dropped`";

/// Returns the field of `kind` that `field` may stand for, or else those that are next to it, as help.
pub(super) fn alike(lint: &Lint<'_>, kind: &GroupKind, field: &FieldPattern) -> String {
    let Some(catalog) = lint.pack.catalog(kind) else { return String::new() };
    let fields: BTreeSet<FieldPattern> = catalog.fields().map(|field| field.pattern).collect();
    if fields.contains(field) {
        return format!("it is in {}", lint.pack.line().describe(catalog.having(field)));
    }
    alike_of(kind, &fields, field)
}

/// Returns the field that `release` has of `kind` and that `field` may stand for, or else those that are next to it, as help.
pub(super) fn alike_in(lint: &Lint<'_>, kind: &GroupKind, field: &FieldPattern, release: ReleaseId) -> String {
    let Some(catalog) = lint.pack.catalog(kind) else { return String::new() };
    alike_of(kind, &patterns_in(catalog, release), field)
}

/// Returns which of the fields of a kind `field` may stand for, or else those that are next to it, as help.
fn alike_of(kind: &GroupKind, fields: &BTreeSet<FieldPattern>, field: &FieldPattern) -> String {
    if let Some(meant) = meant(field, fields) {
        return format!("did you mean {meant}?");
    }
    let above = field.split_last().map(|(above, _)| above).unwrap_or_default();
    let items = above.with(Part::Items);
    if fields.contains(&items) {
        return format!("{above} is a list, and its items are {items}");
    }
    let is_next = |other: &&FieldPattern| other.split_last().is_some_and(|(parent, _)| parent == above);
    let last = |other: &FieldPattern| match other.split_last() {
        Some((_, Part::Key(key))) => key.clone(),
        _ => other.to_string(),
    };
    let next: Vec<String> = fields.iter().filter(is_next).map(last).collect();
    match next.as_slice() {
        [] => String::new(),
        next if above.parts().is_empty() => format!("the fields of {kind} are {}", some(next)),
        next => format!("the fields of {above} are {}", some(next)),
    }
}

/// Returns what to do about a field that the bundle at `order` removes: the rule that nearly converts it, where there is one.
pub(super) fn way_out_of_field(lint: &Lint<'_>, kind: &GroupKind, field: &FieldPattern, order: usize) -> String {
    let steps = || lint.pack.rules().iter().filter(|rule| rule.is_step());
    let converts = |rule: &&Rule| converts(rule, field);
    let here = |rule: &&Rule| rule.kind == *kind && rule.order == order && rule.within.is_none();
    if let Some(rule) = steps().filter(here).find(converts) {
        return open_branch(lint, rule, field);
    }
    if let Some(rule) = steps().filter(|rule| rule.kind == *kind && rule.order != order).find(converts) {
        let bundle = &lint.pack.line().bundles()[order];
        return format!(
            "{} converts it, but for another bundle: move it to the folder {bundle}",
            mention(lint, rule, field)
        );
    }
    if let Some(rule) = steps().filter(|rule| rule.kind != *kind && rule.order == order).find(converts) {
        return format!(
            "{} converts this field of {}: add {kind} to its `kind`, or list the field under `dropped`",
            mention(lint, rule, field),
            rule.kind
        );
    }
    let misnamed = steps().filter(here).find_map(|rule| {
        let claims = rule.lens(Direction::Forward).claims().old;
        let unknown = claims.iter().find(|claim| {
            lint.having(kind, claim, |_| true).is_empty() && meant(claim, &BTreeSet::from([field.clone()])).is_some()
        })?;
        Some(format!("{} names {unknown}: did you mean {field}?", mention(lint, rule, unknown)))
    });
    misnamed.unwrap_or_else(|| COVER.to_owned())
}

/// Returns what to do about objects that a rule about `field` leaves out.
fn open_branch(lint: &Lint<'_>, rule: &Rule, field: &FieldPattern) -> String {
    let text = lint.pack.folder.text(&rule.path());
    let test = text.and_then(|text| test_around(text, field));
    let mention = mention(lint, rule, field);
    match test {
        Some(test) => format!(
            "{mention} converts it only where {test} holds: add what becomes of the other objects, such as a `when` with `not`, or a `refuse`"
        ),
        None => format!("{mention} converts it only in some objects: add what becomes of the others"),
    }
}

/// Returns what to do about a value that the bundle at `order` removes.
pub(super) fn way_out_of_value(lint: &Lint<'_>, kind: &GroupKind, field: &FieldPattern, order: usize) -> String {
    let names = |rule: &&Rule| {
        let lens = rule.lens(Direction::Forward);
        rule.kind == *kind && rule.is_step() && lens.premises().iter().any(|premise| premise.written == *field)
    };
    let rule = lint.pack.rules().iter().filter(|rule| rule.order == order).find(names);
    let near = rule.map(|rule| format!("{} converts the field, but not this value; ", mention(lint, rule, field)));
    format!("{}{COVER}", near.unwrap_or_default())
}

/// Returns what to do about a kind that the bundle at `order` removes.
pub(super) fn way_out_of_kind(lint: &Lint<'_>, kind: &GroupKind, order: usize) -> String {
    let retypes = |rule: &&Rule| rule.kind == *kind && rule.new_kind != *kind && rule.order != order;
    let bundle = &lint.pack.line().bundles()[order];
    if let Some(rule) = lint.pack.rules().iter().find(retypes) {
        let name = rule.path();
        return format!(
            "{name} makes it {}, which {bundle} does not have either: add a rule that goes on from there",
            rule.new_kind
        );
    }
    let refuses = |rule: &&Rule| {
        rule.kind == *kind
            && rule.lens(Direction::Forward).fidelities().contains(&crate::knowledge::lens::Fidelity::Refused)
    };
    match lint.pack.rules().iter().filter(|rule| rule.order <= order).find(refuses) {
        Some(rule) => format!("{} refuses only some of its objects; {COVER}", rule.path()),
        None => same_in_another_group(lint, kind, order).unwrap_or_else(|| COVER.to_owned()),
    }
}

/// Returns the rule that makes the kind that of the same name in another group, if the bundle at `order` has one: of the bundle that
/// it came with, between two apiVersions where both groups were served side by side.
fn same_in_another_group(lint: &Lint<'_>, kind: &GroupKind, order: usize) -> Option<String> {
    let line = lint.pack.line();
    let orders = |other: &GroupKind| -> BTreeSet<usize> {
        line.iter().filter(|(id, _)| lint.pack.has_kind(other, *id)).map(|(_, release)| release.order).collect()
    };
    let is_same = |other: &&GroupKind| other.kind == kind.kind && *other != kind && orders(other).contains(&order);
    let mut others = lint.pack.kinds().filter(is_same);
    let other = others.next().filter(|_| others.next().is_none())?;
    let first = *orders(other).first()?;
    let bundle = &line.bundles()[first];
    let version = |kind: &GroupKind| {
        let versions: Vec<&str> = lint.pack.catalog(kind).into_iter().flat_map(Catalog::versions).collect();
        let version = if let [only] = versions[..] { only } else { "VERSION" };
        format!("{}/{version}", kind.group)
    };
    let versions = match first == order {
        true => String::new(),
        false => format!("`apiVersions: [{}, {}]`, ", version(kind), version(other)),
    };
    Some(format!(
        "{bundle} has {other}: write `kind: {kind}`, {versions}`lens: [{{ retype: {{ group: {} }} }}]` in a rule in the folder {bundle}, or list the kind under `dropped`",
        other.group
    ))
}

/// Returns how the objects before and after a rule can be told apart.
pub(super) fn way_to_distinguish(lint: &Lint<'_>, rule: &Rule) -> String {
    let bundle = &lint.pack.line().bundles()[rule.order];
    let from = "write `needs: from`, so that the rule runs where the release of the objects is known";
    let versions = match versions_around(lint, rule) {
        Some([old, new]) => format!("`apiVersions: [{old}, {new}]`, if the apiVersion shows the side"),
        None => "`apiVersions: [OLD, NEW]`, if the apiVersion shows the side".to_owned(),
    };
    let marker = match marker(lint, rule) {
        Some(field) => format!("a `when` that tests a field which only one side has, such as {field}"),
        None => "a `when` that tests a field which only one side has".to_owned(),
    };
    format!("{from}; or {versions}; or {marker}; or list the change of {bundle} under `undetectable` instead")
}

/// Returns two apiVersions of a rule's kind, the newer one of which came with the rule's bundle.
fn versions_around(lint: &Lint<'_>, rule: &Rule) -> Option<[ApiVersion; 2]> {
    let line = lint.pack.line();
    let first = |kind: &GroupKind, version: &str| {
        let serving = lint.pack.catalog(kind)?.listing(version);
        serving.iter().map(|id| line.get(id).order).min()
    };
    let versions = |kind: &GroupKind| -> Vec<String> {
        lint.pack.catalog(kind).map(|catalog| catalog.versions().map(str::to_owned).collect()).unwrap_or_default()
    };
    let came_with = |kind: &GroupKind, is: &dyn Fn(usize) -> bool| {
        let found = versions(kind).into_iter().find(|version| first(kind, version).is_some_and(is));
        found.map(|version| ApiVersion::parse(&format!("{}/{version}", kind.group)))
    };
    let new = came_with(&rule.new_kind, &|order| order == rule.order)?;
    let old = came_with(&rule.kind, &|order| order < rule.order)?;
    Some([old, new])
}

/// Returns a field of a rule's kind that the bundle added or removed.
fn marker(lint: &Lint<'_>, rule: &Rule) -> Option<FieldPattern> {
    let catalog = lint.pack.catalog(&rule.kind)?;
    let has = |field: &FieldPattern, order: usize| !lint.having(&rule.kind, field, |other| other == order).is_empty();
    let before = rule.order.checked_sub(1)?;
    let mut fields = catalog.fields().map(|field| field.pattern);
    fields.find(|field| has(field, before) != has(field, rule.order))
}

/// Returns the file and line at which a rule names `field`.
fn mention(lint: &Lint<'_>, rule: &Rule, field: &FieldPattern) -> String {
    let file = rule.path();
    let line = lint.pack.folder.text(&file).map(|text| Place::in_lens(field).position(text).0);
    line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"))
}

/// Returns whether a rule changes the fields that match `field`, at least in some objects.
fn converts(rule: &Rule, field: &FieldPattern) -> bool {
    rule.lens(Direction::Forward).images(field).iter().any(|image| *image != Image::Kept)
}

/// Returns the one of `fields` that `field` may stand for.
fn meant<'f>(field: &FieldPattern, fields: &'f BTreeSet<FieldPattern>) -> Option<&'f FieldPattern> {
    let keys = |field: &FieldPattern| -> Vec<String> {
        let key = |part: &Part| match part {
            Part::Key(key) => Some(key.clone()),
            Part::Items | Part::Values => None,
        };
        field.parts().iter().filter_map(key).collect()
    };
    let named = keys(field);
    let same = fields.iter().find(|other| **other != *field && keys(other) == named);
    let differs_in_one = |other: &&FieldPattern| {
        let pairs = field.parts().iter().zip(other.parts());
        let mut differing = pairs.filter(|(one, other)| one != other);
        let first = differing.next();
        let is_typo = matches!(first, Some((Part::Key(one), Part::Key(other))) if is_near(one, other));
        field.parts().len() == other.parts().len() && is_typo && differing.next().is_none()
    };
    let elsewhere = || {
        let mut found = fields.iter().filter(|other| {
            named.len() > 1
                && keys(other).last() == named.last()
                && other.split_last().is_some_and(|(_, part)| matches!(part, Part::Key(_)))
        });
        found.next().filter(|_| found.next().is_none())
    };
    same.or_else(|| fields.iter().find(differs_in_one)).or_else(elsewhere)
}

/// Lists up to eight names.
fn some(names: &[String]) -> String {
    const MOST: usize = 8;
    let listed = names.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{listed} and {} more", names.len() - MOST) } else { listed }
}

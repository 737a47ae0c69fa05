//! The checks of `pack.yaml`, and of the names that rules and `pack.yaml` share.

use std::collections::BTreeSet;

use super::linter::Lint;
use super::way_out::alike;
use crate::knowledge::lens::{Condition, Direction};
use crate::knowledge::pack::folder::HEAD;
use crate::knowledge::pack::nearest::kind_alike;
use crate::knowledge::pack::place::Place;
use crate::knowledge::pack::releases::AdvisoryScope;
use crate::knowledge::pack::rules::Rule;
use crate::knowledge::pack::wire::Dropped;
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPath, FieldPattern};

/// Reports an entry of `dropped` that stands for nothing.
pub(super) fn check_release_notes(lint: &mut Lint<'_>) {
    let notes = lint.pack.release_notes();
    for (at, entry) in notes.dropped.iter().enumerate().filter(|(at, _)| !lint.used.contains(at)).collect::<Vec<_>>() {
        let text = format!("`dropped` lists {}, which that bundle does not remove or a rule converts", named(entry));
        let help = match entry.field.as_ref().filter(|field| lint.having(&entry.kind, field, |_| true).is_empty()) {
            Some(field) => alike(lint, &entry.kind, field),
            None => "remove the entry, or write the first bundle without it".to_owned(),
        };
        lint.report(HEAD, &Place::item("dropped", at), text, help);
    }
}

/// Reports names in the pack that name nothing, or the same as another one.
pub(super) fn check_names(lint: &mut Lint<'_>) {
    check_catalogs(lint);
    let is_unknown = |group: &&String| !lint.pack.groups().contains(group);
    for group in lint.pack.shared_groups().iter().filter(is_unknown) {
        let text = format!("`groups` does not list {group:?}, so nothing is known of its kinds");
        lint.report(HEAD, &Place::text("shared-groups", group.as_str()), text, "correct it, or add it to `groups`");
    }
    check_kinds_of_rules(lint);
    check_charts(lint);
    check_advisories(lint);
    check_fields_of_notes(lint);
    let notes = lint.pack.release_notes();
    let ids = [
        ("advisories", notes.advisories.iter().map(|note| note.id.as_str()).collect::<Vec<_>>()),
        ("moves", notes.moves.iter().map(|note| note.id.as_str()).collect()),
        ("undetectable", notes.undetectable.iter().map(|note| note.id.as_str()).collect()),
    ];
    report_repeated(lint, "id", &ids);
    let (charts, parameters) = (lint.pack.charts(), lint.pack.parameters());
    let names = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    report_repeated(lint, "name", &[("parameters", names)]);
    report_repeated(lint, "name", &[("charts", charts.iter().map(|chart| chart.name.as_str()).collect())]);
    report_repeated(lint, "key", &[("charts", charts.iter().map(|chart| chart.key.as_str()).collect())]);
}

/// Reports each value of `key` in the items of these lists of `pack.yaml` that an item before has.
fn report_repeated(lint: &mut Lint<'_>, key: &str, lists: &[(&str, Vec<&str>)]) {
    let mut seen = BTreeSet::new();
    for (list, values) in lists {
        for (at, value) in values.iter().enumerate().filter(|(_, value)| !seen.insert(**value)) {
            let place = Place::At(FieldPath::default().key(list).index(at).key(key));
            lint.report(HEAD, &place, format!("the {key} {value} is used twice"), format!("write another `{key}`"));
        }
    }
}

/// Reports catalogs that no object can be looked up in.
fn check_catalogs(lint: &mut Lint<'_>) {
    for kind in lint.pack.kinds().cloned().collect::<Vec<_>>() {
        let file = format!("catalog/{kind}.tsv");
        let written = lint.pack.catalog(&kind).map(|catalog| catalog.kind().clone());
        if let Some(written) = written.filter(|written| *written != kind) {
            let text = format!("the catalog describes {written}, and its file is called {kind}.tsv");
            lint.report(&file, &Place::Line(1), text, format!("write `kind` and {kind}, or rename the file"));
        }
        if lint.pack.is_foreign(&kind) {
            let text = format!("the catalog is never read: `groups` does not list {:?}", kind.group);
            lint.report(&file, &Place::Line(1), text, format!("add it to `groups` in {HEAD}, or remove the file"));
        }
    }
}

/// Reports kinds in rules that no catalog has although they seem to be of the pack, and parameters that it does not have.
fn check_kinds_of_rules(lint: &mut Lint<'_>) {
    for rules in lint.pack.rule_files() {
        let file = rules[0].path();
        for rule in &rules {
            check_kind(lint, &file, &rule.kind, &Place::text("kind", rule.kind.to_string()));
            if rule.lens(Direction::Forward).retypes(&rule.kind).contains(&rule.kind) {
                let text = format!("`retype` gives objects of {} the kind that they have", rule.kind);
                lint.report(&file, &Place::key("lens"), text, "write another kind or group, or remove the operation");
            }
            if rule.new_kind != rule.kind {
                check_kind(lint, &file, &rule.new_kind, &Place::text("lens", rule.new_kind.to_string()));
            }
        }
        let lens = rules[0].lens(Direction::Forward);
        for kind in lens.kinds_read() {
            check_kind(lint, &file, &kind, &Place::text("lens", kind.to_string()));
        }
        for (kind, version) in lens.makes() {
            check_made(lint, &file, kind, version);
        }
        let known: Vec<String> =
            lint.pack.parameters().iter().map(|one| format!("{}.{}", lint.pack.name(), one.name)).collect();
        for name in lens.parameters_read().into_iter().filter(|name| known.iter().all(|known| known != name)) {
            let help = match known.as_slice() {
                [] => format!("add it to `parameters` in {HEAD}"),
                known => format!("the parameters of the pack are {}", known.join(", ")),
            };
            let text = format!("the pack has no parameter {name}");
            lint.report(&file, &Place::text("lens", name), text, help);
        }
    }
}

/// Reports a kind of which a rule makes objects, and that no release has in this version.
fn check_made(lint: &mut Lint<'_>, file: &str, kind: &GroupKind, version: &str) {
    let Some(catalog) = lint.pack.catalog(kind) else {
        let place = Place::text("lens", kind.to_string());
        return check_kind(lint, file, kind, &place);
    };
    if catalog.listing(version).is_empty() {
        let text = format!("no release has {kind} in the version {version}");
        lint.report(file, &Place::text("lens", version), text, "write a version that the catalog lists");
    }
}

/// Reports a kind without a catalog that is of a group of the pack, or that is nearly called like one of its kinds.
fn check_kind(lint: &mut Lint<'_>, file: &str, kind: &GroupKind, place: &Place) {
    if lint.pack.catalog(kind).is_some() {
        return;
    }
    let meant = kind_alike(kind, lint.pack.kinds());
    if meant.is_some() || !lint.pack.is_foreign(kind) {
        let help = match meant {
            Some(meant) => format!("did you mean {meant}?"),
            None => "make it with `reversion pack build`".to_owned(),
        };
        lint.report(file, place, format!("the pack has no catalog of {kind}"), help);
    }
}

/// Reports kinds and fields for the values of charts that do not exist.
fn check_charts(lint: &mut Lint<'_>) {
    for (at, chart) in lint.pack.charts().iter().enumerate() {
        let list = FieldPath::default().key("charts").index(at).key("values-in");
        for (at, place) in chart.values_in.iter().enumerate() {
            check_kind(lint, HEAD, &place.kind, &Place::At(list.index(at).key("kind")));
            check_field(lint, &place.kind, &place.field, &Place::At(list.index(at).key("field")));
        }
    }
}

/// Reports advisories that no conversion meets.
fn check_advisories(lint: &mut Lint<'_>) {
    let line = lint.pack.line();
    for (at, advisory) in lint.pack.release_notes().advisories.iter().enumerate() {
        let path = FieldPath::default().key("advisories").index(at);
        match &advisory.scope {
            AdvisoryScope::Bundle { order: 0, .. } => {
                let text = format!(
                    "advisory {} names {}, the first bundle, which no conversion crosses",
                    advisory.id,
                    line.bundles()[0]
                );
                lint.report(HEAD, &Place::At(path.key("bundle")), text, "write the bundle that made the change");
            }
            AdvisoryScope::Bundle { channels, .. } => {
                let is_met = line.iter().any(|(_, release)| channels.contains(&release.channel));
                if !is_met {
                    let text = format!("advisory {} names channels that no release has", advisory.id);
                    lint.report(HEAD, &Place::At(path.key("channels")), text, "write a channel of `releases`");
                }
            }
            AdvisoryScope::Between { from, to } => {
                for (set, key) in [(from, "from"), (to, "to")] {
                    if set.is_empty() {
                        let text = format!("`{key}` of advisory {} names no release", advisory.id);
                        lint.report(HEAD, &Place::At(path.key(key)), text, "write releases that `releases` lists");
                    }
                }
            }
        }
        check_condition(lint, &advisory.kinds, &advisory.condition, &path.key("if"));
    }
    for (at, moves) in lint.pack.release_notes().moves.iter().enumerate() {
        let path = FieldPath::default().key("moves").index(at);
        for kind in &moves.kinds {
            check_kind(lint, HEAD, kind, &Place::Text(path.key("kinds"), kind.to_string()));
        }
        check_condition(lint, &moves.kinds, &moves.condition, &path.key("if"));
    }
}

/// Reports a test on a field that none of `kinds` has, if the pack has all of them.
fn check_condition(lint: &mut Lint<'_>, kinds: &[GroupKind], condition: &Condition, path: &FieldPath) {
    if kinds.is_empty() || kinds.iter().any(|kind| lint.pack.catalog(kind).is_none()) {
        return;
    }
    for field in condition.premises().into_iter().map(|premise| premise.written).collect::<BTreeSet<_>>() {
        if kinds.iter().all(|kind| earlier_kinds(lint, kind).all(|kind| !reaches(lint, kind, &field))) {
            let text = format!("no release has {} {field}", kinds[0]);
            let help = alike(lint, &kinds[0], &field);
            lint.report(HEAD, &Place::Field(path.clone(), field), text, help);
        }
    }
}

/// Returns `kind` and those that rules make it from.
fn earlier_kinds<'k>(lint: &'k Lint<'_>, kind: &'k GroupKind) -> impl Iterator<Item = &'k GroupKind> {
    let makes = move |rule: &&Rule| rule.final_kind == *kind || rule.new_kind == *kind;
    std::iter::once(kind).chain(lint.pack.rules().iter().filter(makes).map(|rule| &rule.kind))
}

/// Reports fields of `hints`, `unions` and `moves` that no release has.
fn check_fields_of_notes(lint: &mut Lint<'_>) {
    let notes = lint.pack.release_notes();
    let hints = FieldPath::default().key("hints");
    for hint in &notes.hints {
        if let Some(field) = &hint.field {
            check_field(lint, &hint.kind, field, &Place::Text(hints.clone(), field.to_string()));
        }
    }
    for (at, union) in notes.unions.iter().enumerate() {
        let path = FieldPath::default().key("unions").index(at);
        let discriminator = union.items.join(&FieldPath::default().key(&union.discriminator).pattern());
        if check_field(lint, &union.kind, &union.items, &Place::At(path.key("items"))) {
            check_field(lint, &union.kind, &discriminator, &Place::At(path.key("discriminator")));
        }
    }
}

/// Reports a field of a kind of the pack that no release has; returns whether one has it.
fn check_field(lint: &mut Lint<'_>, kind: &GroupKind, field: &FieldPattern, place: &Place) -> bool {
    let is_there = reaches(lint, kind, field);
    if !is_there {
        lint.report(HEAD, place, format!("no release has {kind} {field}"), alike(lint, kind, field));
    }
    is_there
}

/// Returns whether objects of `kind` can have a field, as far as the pack knows.
pub(super) fn reaches(lint: &Lint<'_>, kind: &GroupKind, field: &FieldPattern) -> bool {
    let Some(catalog) = lint.pack.catalog(kind) else { return true };
    let reach = catalog.reach(field);
    field.parts().is_empty() || !reach.fields.is_empty() || !reach.open.is_empty()
}

fn named(entry: &Dropped) -> String {
    let field = entry.field.as_ref().map(|field| format!(" {field}")).unwrap_or_default();
    let value = entry.value.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
    format!("{}{field}{value}", entry.kind)
}

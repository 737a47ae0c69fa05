//! All checks of a pack: [`lint`], [`nonsense`], [`coverage`]; and those of constants, kinds that were merged, releases with the same APIs
//! and fixtures.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::linter::{Cover, Coverage, Lint, Message, Removed, Share};
use super::notes::{check_names, check_release_notes};
use super::premises::check_premises;
use super::removals::check_removals;
use super::rules::check_rules;
use crate::authoring::starter::{MARK, age};
use crate::knowledge::catalog::{Catalog, Field};
use crate::knowledge::lens::{Constant, Direction};
use crate::knowledge::pack::folder::HEAD;
use crate::knowledge::pack::pack::Pack;
use crate::knowledge::pack::place::Place;
use crate::knowledge::pack::rules::Rule;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId, ReleaseSet};
use crate::syntax::field::{FieldPath, FieldPattern};

/// Checks `pack`; `fixtures` are the files of its fixtures, as `<pack>/<bundle>/<rule>/<case>/<file>`, where they are at hand.
///
/// The messages are sorted by file and line.
pub fn lint(pack: &Pack, fixtures: Option<&[String]>) -> Vec<Message> {
    let mut lint = Lint::new(pack);
    check_releases(&mut lint);
    check_removals(&mut lint, |_| true);
    check_sense(&mut lint);
    check_rules(&mut lint);
    for (rule, place, text, help) in constants(pack).into_iter().chain(merged_kinds(pack)) {
        lint.report(&rule.path(), &place, text, help);
    }
    check_release_notes(&mut lint);
    check_marks(&mut lint);
    if let Some(fixtures) = fixtures {
        check_fixtures(&mut lint, fixtures);
    }
    lint.messages.into_iter().collect()
}

/// Returns how many places of a pack nobody has filled in yet.
pub(crate) fn open_places(pack: &Pack) -> usize {
    let files = pack.folder.iter().filter(|file| file.path.ends_with(".yaml"));
    files.map(|file| file.text().lines().filter(|line| line.contains(MARK)).count()).sum()
}

/// Reports the places that nobody has filled in yet.
fn check_marks(lint: &mut Lint<'_>) {
    for file in lint.pack.folder.iter().filter(|file| file.path.ends_with(".yaml")) {
        for (number, line) in file.text().lines().enumerate() {
            let Some(at) = line.find(MARK) else { continue };
            let what = line[at + MARK.len()..].trim_matches(|letter: char| !letter.is_alphanumeric());
            let column = line[..at].chars().count() + 1;
            let text = format!("a place is not filled in: {what}");
            lint.report_at(file.path, [number + 1, column], text, "write it, or make another operation of it");
        }
    }
}

/// Returns the messages of [`lint`] about what releases remove of the kinds that `is_asked` names.
pub fn removals(pack: &Pack, is_asked: impl Fn(&GroupKind) -> bool) -> Vec<Message> {
    let mut lint = Lint::new(pack);
    check_removals(&mut lint, is_asked);
    lint.messages.into_iter().collect()
}

/// Returns what in `pack` can do nothing sensible: what names kinds, fields and values that no release has, or says one thing twice.
///
/// The messages are sorted by file and line.
pub(crate) fn nonsense(pack: &Pack) -> Vec<Message> {
    let mut lint = Lint::new(pack);
    check_sense(&mut lint);
    lint.messages.into_iter().collect()
}

/// Checks what can do nothing sensible.
fn check_sense(lint: &mut Lint<'_>) {
    check_premises(lint);
    check_names(lint);
}

/// Counts what is removed between adjacent releases of `pack`, and what covers it.
pub fn coverage(pack: &Pack) -> Coverage {
    let mut lint = Lint::new(pack);
    check_removals(&mut lint, |_| true);
    let removed = lint.removed;
    let count = |subject: fn(&Removed) -> bool| {
        let of = |cover| removed.iter().filter(|(what, its)| subject(what) && **its == cover).count();
        Share { claimed: of(Cover::ByRule), dropped: of(Cover::Listed), missed: of(Cover::Missing) }
    };
    Coverage {
        kinds: count(|what| what.field.is_none()),
        fields: count(|what| what.field.is_some() && what.value.is_none()),
        values: count(|what| what.value.is_some()),
    }
}

/// Checks the constants of every rule on both of its sides: a rule, the place in its file, what is wrong there, and what to write.
fn constants(pack: &Pack) -> Vec<(&Rule, Place, String, String)> {
    let sides = |rule| [Direction::Forward, Direction::Backward].map(|direction| Side { pack, rule, direction });
    let rules = pack.rules().iter().filter(|rule| !pack.is_foreign(&rule.kind) && rule.values.is_none());
    rules.flat_map(sides).flat_map(|side| side.messages()).collect()
}

/// One side of a rule: the one that objects are on before it runs in `direction`.
struct Side<'p> {
    pack: &'p Pack,
    rule: &'p Rule,
    direction: Direction,
}

impl<'p> Side<'p> {
    fn messages(&self) -> Vec<(&'p Rule, Place, String, String)> {
        let message = |constant: &Constant| {
            let (text, help) = self.wrong(constant)?;
            Some((self.rule, Place::in_lens(&constant.field), text, help))
        };
        self.rule.lens(self.direction).constants().iter().filter_map(message).collect()
    }

    /// Returns what is wrong with a constant and what to write, where the catalogs say otherwise.
    fn wrong(&self, constant: &Constant) -> Option<(String, String)> {
        let Constant { field, value, is_default } = constant;
        let rows = self.rows(field);
        let side = match self.direction {
            Direction::Forward => "before",
            Direction::Backward => "after",
        };
        let kinds: Vec<&str> = rows.iter().map(|row| row.kind.name()).collect();
        if !rows.is_empty() && !rows.iter().any(|row| row.kind.accepts(value)) {
            let text = format!("{field} is never {value} {side} the change");
            return Some((text, format!("write a value of its type there, {}", kinds.join(" or "))));
        }
        let defaults: Vec<&Value> = rows.iter().filter_map(|row| row.attributes.default.as_ref()).collect();
        let is_other = *is_default && !defaults.is_empty() && !defaults.contains(&value);
        is_other.then(|| {
            let stated = defaults.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
            let text = format!("the default of {field} {side} the change is {stated} in the catalog, and not {value}");
            (text, format!("write {stated}"))
        })
    }

    /// Returns the schemas of a field on this side, next to the change.
    fn rows(&self, field: &FieldPattern) -> Vec<Field<'p>> {
        let (kind, version) = self.subject();
        let Some(catalog) = self.pack.catalog(kind) else { return Vec::new() };
        let line = self.pack.line();
        let order = match self.direction {
            Direction::Forward => self.rule.order.checked_sub(1),
            Direction::Backward => Some(self.rule.order),
        };
        let is_next = |id: ReleaseId| Some(line.get(id).order) == order;
        let is_here = |row: &Field<'_>| match version {
            // An apiVersion has its fields in whatever release.
            Some(version) => row.api_versions.is_empty() || row.api_versions.contains(&version.version),
            None => row.releases.iter().any(is_next),
        };
        catalog.fields_of(field).filter(is_here).collect()
    }

    /// Returns the kind and the apiVersion of objects on this side.
    fn subject(&self) -> (&'p GroupKind, Option<&'p ApiVersion>) {
        let versions = self.rule.api_versions.as_ref();
        match self.direction {
            Direction::Forward => (&self.rule.kind, versions.map(|[old, _]| old)),
            Direction::Backward => (&self.rule.new_kind, versions.map(|[_, new]| new)),
        }
    }
}

/// Finds the rules that would convert an object back although another rule of the bundle would, too: a rule, the place in its file,
/// what is wrong there, and what to write.
fn merged_kinds(pack: &Pack) -> Vec<(&Rule, Place, String, String)> {
    let mut first: BTreeMap<(usize, &GroupKind), &Rule> = BTreeMap::new();
    let mut messages = Vec::new();
    for rule in pack.rules().iter().filter(|rule| comes_back_always(rule)) {
        let Some(other) = first.insert((rule.order, &rule.new_kind), rule) else { continue };
        let text = format!("a {} was a {} or, by {}, a {}", rule.new_kind, rule.kind, other.id, other.kind);
        let help = "write `one-way: true` in one of the two rules, or a `when` whose `back` tells them apart";
        messages.push((rule, Place::key("lens"), text, help.to_owned()));
    }
    messages
}

/// Returns whether a rule gives every object of its new kind the old one back.
fn comes_back_always(rule: &Rule) -> bool {
    rule.lens(Direction::Backward).always_retypes(&rule.new_kind)
}

/// Reports a release with the APIs of a bundle that is listed before an older one.
///
/// Bundles can have any order; a release with the same APIs is newer than its bundle, and older than the next one if that is newer
/// than the bundle too.
fn check_releases(lint: &mut Lint<'_>) {
    let line = lint.pack.line();
    let bundles = line.bundles();
    for (order, bundle) in bundles.iter().enumerate() {
        let place = FieldPath::default().key("releases").index(order).key("same-apis");
        let next = bundles.get(order + 1).filter(|next| age(next) > age(bundle));
        let mut before = bundle;
        for name in line.same_apis(order) {
            let place = || Place::Text(place.clone(), name.clone());
            if age(name) < age(before) {
                let text = format!("{name} has the APIs of {bundle}, but is listed after {before}");
                lint.report(HEAD, &place(), text, "list the oldest first, and the oldest of all as the bundle");
            } else if let Some(next) = next.filter(|next| age(name) > age(next)) {
                let text = format!("{name} has the APIs of {bundle}, but {next} is between them");
                lint.report(HEAD, &place(), text, "list it with the bundle before it, or as a bundle of its own");
            }
            before = name;
        }
    }
}

/// Reports a rule without fixtures, or without one that must not change, and fixtures without a rule.
fn check_fixtures(lint: &mut Lint<'_>, files: &[String]) {
    let mut cases: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        let parts: Vec<&str> = file.split('/').collect();
        if let [pack, _, _, _, name] = parts.as_slice()
            && *pack == lint.pack.name()
        {
            let rule = &file[..parts[..3].iter().map(|part| part.len() + 1).sum::<usize>() - 1];
            cases.entry(rule).or_default().push(name);
        }
    }
    for rules in lint.pack.rule_files() {
        let (id, file) = (rules[0].id.as_str(), rules[0].path());
        let files = cases.get(id).map_or(&[][..], Vec::as_slice);
        if !files.contains(&"before.yaml") && !files.contains(&"after.yaml") {
            let text = "the rule has no fixture";
            lint.report(&file, &Place::Line(1), text, format!("add {id}/CASE with before.yaml or after.yaml"));
        }
        if !files.contains(&"same.yaml") {
            let text = "the rule has no fixture that it must not change";
            lint.report(&file, &Place::Line(1), text, format!("add {id}/CASE with same.yaml"));
        }
    }
    let ids: BTreeSet<&str> = lint.pack.rules().iter().map(|rule| rule.id.as_str()).collect();
    // Those of a release without a rule are about what its catalogs say.
    let of_release = |folder: &str| folder.split('/').nth(1).is_some_and(|bundle| has_relations(lint.pack, bundle));
    let lost = |folder: &&&str| !ids.contains(**folder) && !of_release(folder);
    for folder in cases.keys().filter(lost).copied().collect::<Vec<_>>() {
        lint.report_folder(folder, "the fixtures belong to no rule", "rename or remove the folder");
    }
}

/// Returns whether the catalogs of a bundle say what fields demand of each other.
pub(crate) fn has_relations(pack: &Pack, bundle: &str) -> bool {
    let Some(order) = pack.line().bundle_order(bundle) else { return false };
    let mut fields = pack.kinds().filter_map(|kind| pack.catalog(kind)).flat_map(Catalog::fields);
    fields.any(|field| {
        let is_of_bundle = |id: ReleaseId| pack.line().get(id).order == order;
        !field.attributes.relations.is_empty() && field.releases.iter().any(is_of_bundle)
    })
}

/// Returns the validations of CRDs that the catalogs of `pack` count and do not say, one sentence each.
pub(crate) fn unread(pack: &Pack) -> Vec<String> {
    let mut found: BTreeMap<(String, &String), ReleaseSet> = BTreeMap::new();
    for catalog in pack.kinds().filter_map(|kind| pack.catalog(kind)) {
        for field in catalog.fields() {
            for id in &field.attributes.unread {
                let releases = found.entry((format!("{} {}", catalog.kind(), field.pattern), id)).or_default();
                *releases = *releases | field.releases;
            }
        }
    }
    let sentence = |((place, id), releases): ((String, &String), ReleaseSet)| {
        format!("{place}: the catalog does not say a validation of {} ({id})", pack.line().describe(releases))
    };
    found.into_iter().map(sentence).collect()
}

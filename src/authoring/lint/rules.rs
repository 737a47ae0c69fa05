//! The checks of one rule against the releases that it is between, and against the other rules of its [`Bundle`].

use std::collections::{BTreeMap, BTreeSet};

use super::linter::{Lint, is_known};
use super::notes::reaches;
use super::removals::next;
use super::way_out::{alike, way_to_distinguish};
use crate::authoring::rule_path::RulePath;
use crate::knowledge::catalog::Catalog;
use crate::knowledge::lens::{Claims, Direction, Lens};
use crate::knowledge::pack::folder::HEAD;
use crate::knowledge::pack::pack::Pack;
use crate::knowledge::pack::place::Place;
use crate::knowledge::pack::rules::Rule;
use crate::knowledge::pack::wire::Needs;
use crate::knowledge::release::{ApiVersion, Channel, GroupKind, ReleaseId};
use crate::syntax::field::FieldPattern;

/// Checks every rule.
pub(super) fn check_rules(lint: &mut Lint<'_>) {
    lint.pack.rules().iter().for_each(|rule| check_rule(lint, rule));
    overlaps(lint);
}

fn check_rule(lint: &mut Lint<'_>, rule: &Rule) {
    let file = rule.path();
    let line = lint.pack.line();
    let bundle = &line.bundles()[rule.order];
    let of_bundle = line.iter().filter(|(_, release)| release.order == rule.order);
    let channels = of_bundle.map(|(_, release)| release.channel.name()).collect::<Vec<_>>().join(", ");
    for channel in &rule.channels {
        if line.find(bundle, channel.name()).is_none() {
            let text = format!("`channels` lists {channel}, but {bundle} has no such channel");
            let place = Place::text("channels", channel.name());
            lint.report(&file, &place, text, format!("the channels of {bundle} are {channels}"));
        }
    }
    if let Some(within) = rule.within {
        let fits = |id: ReleaseId| {
            let release = line.get(id);
            release.order >= rule.order && rule.is_made_in(&release.channel)
        };
        if within.is_empty() || !within.iter().all(fits) {
            let text = "`within` must list releases of the rule's channels that are not older than its bundle";
            lint.report(&file, &Place::key("within"), text, format!("begin with {bundle}, as in `CHANNEL {bundle}..`"));
        }
    }
    check_channels(lint, rule, &file);
    check_changed_defaults(lint, rule, &file);
    match rule.needs {
        // What objects of other packs and the values of charts have is not known here.
        _ if lint.pack.is_foreign(&rule.kind) || rule.values.is_some() => {}
        Some(Needs::Repair) => check_repair(lint, rule, &file),
        Some(Needs::From | Needs::Crossing) | None => match &rule.api_versions {
            Some(versions) => claims_of_versions(lint, rule, versions, &file),
            None => claims(lint, rule, &file),
        },
    }
}

/// Reports a rule about a changed default that does not say how objects without the field show which default they have.
fn check_changed_defaults(lint: &mut Lint<'_>, rule: &Rule, file: &str) {
    if has_open_default(lint.pack, rule) {
        let text = "nothing shows whether an object without the field has the old or the new default";
        let help = "write `apiVersions: [OLD, NEW]` if they differ in it, or else `needs: from`";
        lint.report(file, &Place::key("lens"), text, help);
    }
}

/// Returns whether a rule is about a changed default and does not say how objects without the field show which default they have.
pub(crate) fn has_open_default(pack: &Pack, rule: &Rule) -> bool {
    let is_known = rule.api_versions.is_some() || rule.needs.is_some() || pack.is_foreign(&rule.kind);
    !is_known && rule.lens(Direction::Forward).changes_defaults()
}

/// Reports a repair rule whose mistake a release has as a field, or whose result no release has.
fn check_repair(lint: &mut Lint<'_>, rule: &Rule, file: &str) {
    let claims = rule.lens(Direction::Forward).claims();
    for field in claims.old.iter().filter(|field| is_known(field)) {
        if !lint.having(&rule.kind, field, |_| true).is_empty() {
            let text = format!("a release has {} {field}, so the rule is not a repair", rule.kind);
            lint.report(file, &Place::key("needs"), text, "remove `needs: repair`");
        }
    }
    for field in claims.new.iter().filter(|field| is_known(field)) {
        if !lint.allows(&rule.kind, field, |_| true) {
            let help = alike(lint, &rule.kind, field);
            lint.report(file, &Place::in_lens(field), format!("no release has {} {field}", rule.kind), help);
        }
    }
}

/// Reports a rule that no object of its kind ever takes.
fn report_that_never_runs(lint: &mut Lint<'_>, rule: &Rule, file: &str) {
    let bundle = &lint.pack.line().bundles()[rule.order];
    if rule.order == 0 {
        let text =
            format!("the rule never runs: {bundle} is the first bundle, and nothing is converted from before it");
        return lint.report(
            file,
            &Place::key("lens"),
            text,
            "move it to the folder of the bundle that made the change",
        );
    }
    let bundle = lint.pack.rules().iter().filter(|other| other.order == rule.order && other.kind == rule.kind);
    let before = bundle.take_while(|other| other.id != rule.id);
    if !before.into_iter().any(|other| other.lens(Direction::Forward).always_retypes(&other.kind)) {
        return;
    }
    let text = "the rule never runs: an earlier rule of the bundle changes the kind of its objects";
    lint.report(file, &Place::key("kind"), text, "write the kind that the objects have by then");
}

/// Reports the channels that a rule omits or names without need: those of its releases, its fields or its kind count.
fn check_channels(lint: &mut Lint<'_>, rule: &Rule, file: &str) {
    if rule.channels.is_empty() {
        return;
    }
    let line = lint.pack.line();
    let about: BTreeSet<&Channel> = match rule.within {
        Some(within) => within.iter().map(|id| &line.get(id).channel).collect(),
        None => {
            let made = line.iter().filter(|(_, release)| release.order == rule.order);
            made.filter(|(id, _)| is_about(lint, rule, *id)).map(|(_, release)| &release.channel).collect()
        }
    };
    let named: BTreeSet<&Channel> = rule.channels.iter().collect();
    // Fields that no release has are reported separately.
    for channel in named.difference(&about).filter(|_| !about.is_empty()) {
        let text = format!("the channel {channel} has nothing that the rule changes");
        lint.report(file, &Place::text("channels", channel.name()), text, "remove it from `channels`");
    }
    // Without a claim it is the kind alone that is looked for, which may have the field in fewer channels.
    let claims = rule.lens(Direction::Forward).claims();
    let claims_nothing = rule.within.is_none() && claims.old.is_empty() && claims.new.is_empty();
    for channel in about.difference(&named).filter(|_| !claims_nothing) {
        let text = format!("the channel {channel} also has what the rule changes");
        lint.report(file, &Place::key("channels"), text, "add it to `channels`");
    }
}

/// Returns whether a rule is about the change that led to `release`, which is of its bundle: the kind that it gives is there,
/// one of its fields is, or was before.
fn is_about(lint: &Lint<'_>, rule: &Rule, release: ReleaseId) -> bool {
    let Some(bundle) = Bundle::of(lint.pack, rule) else { return true };
    let before: Vec<_> =
        lint.pack.line().iter().map(|(id, _)| id).filter(|id| next(lint, *id).contains(&release)).collect();
    let (old, new) = (&rule.kind, &bundle.path.kind);
    let served = |kind: &GroupKind, id: &ReleaseId| lint.pack.has_kind(kind, *id);
    let claims = bundle.at_its_ends(rule.lens(Direction::Forward).claims());
    let has = |kind: &GroupKind, fields: &[FieldPattern], id: &ReleaseId| {
        fields.iter().any(|field| lint.pack.catalog(kind).is_some_and(|it| it.having(field).contains(*id)))
    };
    if rule.kind != rule.new_kind {
        before.iter().any(|id| served(old, id)) && served(new, &release)
    } else if claims.old.iter().chain(&claims.new).any(is_known) {
        before.iter().any(|id| has(old, &claims.old, id)) || has(new, &claims.new, &release)
    } else {
        before.iter().any(|id| served(old, id)) || served(new, &release)
    }
}

/// Reports a field of a rule that no release on its side has, or that the other side has too. One that no release has at all
/// makes no sense, which is checked before.
fn claims(lint: &mut Lint<'_>, rule: &Rule, file: &str) {
    let Some(bundle) = Bundle::of(lint.pack, rule) else {
        return report_that_never_runs(lint, rule, file);
    };
    let claims = bundle.at_its_ends(rule.lens(Direction::Forward).claims());
    let (old, new) = (&rule.kind, &bundle.path.kind);
    let made_in = &lint.pack.line().bundles()[rule.order];
    for field in claims.old.iter().filter(|field| is_known(field)) {
        let kinds = kinds_of(lint, rule, Direction::Forward);
        let is_there = kinds.iter().any(|kind| reaches(lint, kind, field));
        if is_there && !kinds.iter().any(|kind| lint.allows(kind, field, |order| order < rule.order)) {
            let text = format!("no release before {made_in} has {old} {field}");
            lint.report(file, &Place::in_lens(field), text, alike(lint, old, field));
        }
    }
    for field in claims.new.iter().filter(|field| is_known(field)) {
        let kinds = kinds_of(lint, rule, Direction::Backward);
        let is_there = kinds.iter().any(|kind| reaches(lint, kind, field));
        if is_there && !kinds.iter().any(|kind| lint.allows(kind, field, |order| order >= rule.order)) {
            let text = format!("no release from {made_in} on has {new} {field}");
            lint.report(file, &Place::in_lens(field), text, alike(lint, new, field));
        }
    }
    for (field, side) in shared_fields(lint.pack, rule) {
        let text = format!("{field} exists {side} the change too, so old and new objects cannot be distinguished");
        lint.report(file, &Place::in_lens(&field), text, way_to_distinguish(lint, rule));
    }
}

/// Returns the fields of a rule between releases that must show on which side of it an object is, and that the other side has too: the one
/// before or after the change.
pub(crate) fn shared_fields(pack: &Pack, rule: &Rule) -> Vec<(FieldPattern, &'static str)> {
    let Some(bundle) = Bundle::of(pack, rule).filter(|bundle| {
        rule.api_versions.is_none()
            && !pack.is_foreign(&rule.kind)
            && rule.values.is_none()
            && rule.kind == bundle.path.kind
    }) else {
        return Vec::new();
    };
    let claims = bundle.at_its_ends(rule.lens(Direction::Forward).certain_claims());
    // No object has what only apiVersions have that are not served.
    let has = |field: &FieldPattern, is_there: &dyn Fn(usize) -> bool| {
        let is_in = |id: ReleaseId, catalog: &Catalog| is_there(pack.line().get(id).order) && catalog.has(field, id);
        let catalog = pack.catalog(&rule.kind);
        is_known(field) && catalog.is_some_and(|catalog| catalog.having(field).iter().any(|id| is_in(id, catalog)))
    };
    let after = claims.old.into_iter().filter(|field| has(field, &|order| order == rule.order));
    let before = claims.new.into_iter().filter(|field| has(field, &|order| order + 1 == rule.order));
    after.map(|field| (field, "after")).chain(before.map(|field| (field, "before"))).collect()
}

/// Reports a rule between two apiVersions in another bundle than the one that introduced the second of them, and fields of
/// the rule that its side never had.
fn claims_of_versions(lint: &mut Lint<'_>, rule: &Rule, [old, new]: &[ApiVersion; 2], file: &str) {
    let line = lint.pack.line();
    let listed = lint.pack.catalog(&rule.new_kind).map(|catalog| catalog.listing(&new.version));
    let first = listed.and_then(|listed| listed.iter().map(|id| line.get(id).order).min());
    if let Some(first) = first.filter(|first| *first != rule.order) {
        let bundle = &line.bundles()[first];
        let text = format!("{new} came with {bundle}");
        lint.report(file, &Place::key("apiVersions"), text, format!("move the rule to the folder {bundle}"));
    }
    let place = |group: &String| lint.pack.groups().iter().position(|other| other == group);
    if place(&old.group).zip(place(&new.group)).is_some_and(|(old, new)| new < old) {
        let (old, new) = (&old.group, &new.group);
        let text =
            format!("`groups` lists {new} before {old}, so that objects go back to {old} where a release serves both");
        let help = format!("list {old} before {new}: the later of two groups is the better one");
        lint.report(HEAD, &Place::text("groups", new.as_str()), text, help);
    }
    let claims = rule.lens(Direction::Forward).claims();
    for (kind, version, fields) in [(&rule.kind, old, &claims.old), (&rule.new_kind, new, &claims.new)] {
        let Some(catalog) = lint.pack.catalog(kind) else { continue };
        let has = |field: &FieldPattern| {
            let reach = catalog.reach(field);
            let mut rows = reach.fields.iter();
            rows.any(|row| row.api_versions.is_empty() || row.api_versions.contains(&version.version))
                || !reach.open.is_empty()
        };
        let wrong = fields.iter().filter(|field| is_known(field) && reaches(lint, kind, field) && !has(field));
        for field in wrong.collect::<Vec<_>>() {
            let text = format!("no release has {kind} {field} under {version}");
            lint.report(file, &Place::in_lens(field), text, alike(lint, kind, field));
        }
    }
}

/// Returns the kinds on the side of the rule's bundle that `direction` starts from; a rule about several kinds may claim
/// what only some of them have.
fn kinds_of(lint: &Lint<'_>, rule: &Rule, direction: Direction) -> Vec<GroupKind> {
    let alike = lint.pack.rules().iter().filter(|other| other.id == rule.id);
    match direction {
        Direction::Forward => alike.map(|rule| rule.kind.clone()).collect(),
        Direction::Backward => alike.filter_map(|rule| Some(Bundle::of(lint.pack, rule)?.path.kind)).collect(),
    }
}

/// Reports two rules of a bundle that convert one field.
fn overlaps(lint: &mut Lint<'_>) {
    let mut owners: BTreeMap<(usize, GroupKind, &str, FieldPattern), &str> = BTreeMap::new();
    for rule in lint.pack.rules().iter().filter(|rule| rule.is_step()) {
        let Some(bundle) = Bundle::of(lint.pack, rule) else { continue };
        let claims = bundle.at_its_ends(rule.lens(Direction::Forward).certain_claims());
        let old = claims.old.into_iter().map(|field| (rule.order, rule.kind.clone(), "old", field));
        let new = claims.new.into_iter().map(|field| (rule.order, bundle.path.kind.clone(), "new", field));
        for claim in old.chain(new).collect::<BTreeSet<_>>() {
            let (text, place) = (format!("{} {} is also converted by", claim.1, claim.3), Place::in_lens(&claim.3));
            if let Some(other) = owners.insert(claim, &rule.id) {
                let help = "make one rule of both, or move one to the folder of its own bundle";
                lint.report(&rule.path(), &place, format!("{text} {other}"), help);
            }
        }
    }
}

/// A rule among those of its bundle that objects of its kind run.
pub(super) struct Bundle<'p> {
    pub(super) path: RulePath<'p>,
    /// The rule's position in it; none where the rule runs after all others.
    pub(super) at: Option<usize>,
}

impl<'p> Bundle<'p> {
    /// Finds the rule's place in its bundle; `None` where it never runs.
    pub(super) fn of(pack: &'p Pack, rule: &Rule) -> Option<Self> {
        let path = RulePath::new(pack, &rule.kind, rule.order.checked_sub(1)?, rule.order);
        let at = path.rules.iter().position(|(other, _)| other.id == rule.id);
        (at.is_some() || rule.within.is_some()).then_some(Self { path, at })
    }

    /// Returns claims of the rule as the fields are called before the bundle and after it.
    pub(super) fn at_its_ends(&self, claims: Claims) -> Claims {
        let Some(at) = self.at else { return claims };
        let rules =
            |range: &[(&'p Rule, Direction)], direction| range.iter().map(|(rule, _)| rule.lens(direction)).collect();
        let after: Vec<&Lens> = rules(&self.path.rules[at + 1..], Direction::Forward);
        let mut before: Vec<&Lens> = rules(&self.path.rules[..at], Direction::Backward);
        before.reverse();
        Claims { old: follow(&before, claims.old), new: follow(&after, claims.new) }
    }
}

/// Returns the names of fields after `lenses`, without dropped ones.
fn follow(lenses: &[&Lens], fields: Vec<FieldPattern>) -> Vec<FieldPattern> {
    let followed = |field| lenses.iter().try_fold(field, |field, lens| lens.image(&field).place(field));
    fields.into_iter().filter_map(followed).collect()
}

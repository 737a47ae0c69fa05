//! Answers: how much of what the packs of the program convert does `pack suggest` find by itself?
//!
//! For every two adjacent releases of an API, what is suggested from the catalogs alone is compared with the rules that were written by
//! hand: which field becomes which, which value becomes an item or a key, which value is called otherwise. Thresholds were chosen by the
//! first half of the APIs; the second one shows how they do elsewhere. `-v` lists each difference.
//!
//! Invariant: rules are read only to say what is right.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::collections::{BTreeMap, BTreeSet};

use reversion::internals::catalog::{Catalog, Type};
use reversion::internals::field::{FieldPattern, Part};
use reversion::internals::lens::{Direction, Image};
use reversion::internals::pack::{Pack, Rule, embedded};
use reversion::internals::release::{GroupKind, ReleaseId};
use reversion::internals::suggest::{Sort, between};

/// The APIs by which thresholds were chosen: every other one, in the order of their names.
const TUNED: [&str; 7] = ["cert-manager", "cluster-api", "external-secrets", "gateway-api", "istio", "keda", "tekton"];

/// The others.
const UNSEEN: [&str; 7] =
    ["cilium", "envoy-gateway", "flux", "gateway-api-inference-extension", "karpenter", "ngf", "traefik"];

/// What is counted.
const SORTS: [(Sort, &str); 4] =
    [(Sort::Rename, "renames"), (Sort::Move, "moves"), (Sort::Wrap, "wraps"), (Sort::Value, "values")];

/// A change: the kind, the field (and its value), and what it becomes.
type Fact = (GroupKind, String, String);

/// A change of one sort, and the position of the bundle that made it.
type Found = (usize, (Sort, Fact));

/// What was found of one sort.
#[derive(Clone, Copy, Default)]
struct Count {
    written: usize,
    drafted: usize,
    /// Those of what was drafted that rules do.
    right: usize,
    /// Those of what was written that are drafted.
    found: usize,
    /// Those of what was written that are in a choice.
    offered: usize,
}

fn main() {
    let is_verbose = std::env::args().any(|argument| argument == "-v");
    let packs = embedded::with(Vec::new()).expect("the packs of the program are checked by its tests");
    println!(
        "| API | what | in rules | drafted | right | precision | recall | offered as a choice |\n|---|---|---|---|---|---|---|---|"
    );
    for (title, names) in [("all tuned", TUNED), ("all unseen", UNSEEN)] {
        let mut sum: BTreeMap<Sort, Count> = BTreeMap::new();
        for name in names {
            let pack = packs.iter().find(|pack| pack.name() == name).expect("the pack is built in");
            let counts = measure(pack, is_verbose);
            print(name, &counts);
            for (sort, count) in counts {
                let all = sum.entry(sort).or_default();
                all.written += count.written;
                all.drafted += count.drafted;
                all.right += count.right;
                all.found += count.found;
                all.offered += count.offered;
            }
        }
        print(title, &sum);
    }
}

fn print(name: &str, counts: &BTreeMap<Sort, Count>) {
    for (sort, what) in SORTS {
        let Some(count) = counts.get(&sort).filter(|count| count.written + count.drafted > 0) else { continue };
        let share = |part: usize, of: usize| {
            (100 * part).checked_div(of).map_or_else(|| "-".to_owned(), |share| format!("{share} %"))
        };
        let Count { written, drafted, right, found, offered } = count;
        let (precision, recall) = (share(*right, *drafted), share(*found, *written));
        println!("| {name} | {what} | {written} | {drafted} | {right} | {precision} | {recall} | {offered} |");
    }
}

/// Compares what is suggested with what the rules of a pack do, over all pairs of releases; a change that several channels made, or
/// several releases, counts once.
fn measure(pack: &Pack, is_verbose: bool) -> BTreeMap<Sort, Count> {
    let line = pack.line();
    let catalogs: Vec<&Catalog> = pack.kinds().filter_map(|kind| pack.catalog(kind)).collect();
    let (mut written, mut drafted, mut offered) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    // Every place that a field gets to, along with what it is in too.
    let mut places: BTreeSet<Found> = BTreeSet::new();
    for (new, release) in line.iter() {
        let before = line.iter().filter(|(_, other)| other.order + 1 == release.order);
        let before: Vec<_> = before.collect();
        let same = before.iter().find(|(_, other)| other.channel == release.channel).or_else(|| before.first());
        let Some((old, _)) = same else { continue };
        let bundles = [line.get(*old).bundle.as_str(), release.bundle.as_str()];
        let order = release.order;
        for kind in pack.kinds() {
            let rules = pack.rules().iter().filter(|rule| rule.order == order && rule.is_made_in(&release.channel));
            let (facts, all) = truth(pack, kind, &rules.collect::<Vec<_>>(), [*old, new]);
            written.extend(facts.into_iter().map(|fact| (order, fact)));
            places.extend(all.into_iter().map(|fact| (order, (Sort::Move, fact))));
        }
        for one in between(&catalogs, [*old, new], bundles, pack.name()).suggestions {
            let fact = (order, (one.sort, (one.kind, one.old, one.new.trim_matches('"').to_owned())));
            if one.is_sure {
                drafted.insert(fact)
            } else {
                offered.insert(fact)
            };
        }
    }
    let mut counts: BTreeMap<Sort, Count> = BTreeMap::new();
    for fact in &written {
        let count = counts.entry(fact.1.0).or_default();
        count.written += 1;
        let is_found = is_in(fact, &drafted);
        count.found += usize::from(is_found);
        count.offered += usize::from(!is_found && is_in(fact, &offered));
        if is_verbose && !is_found {
            show("missed", pack, fact);
        }
    }
    // Where an apiVersion goes, what rules made in the release in which its successor came is drafted once more.
    let is_new = |(order, fact): &&Found| !(0..*order).any(|before| is_in(&(before, fact.clone()), &written));
    let counted = drafted.iter().filter(|fact| SORTS.iter().any(|(sort, _)| *sort == fact.1.0)).filter(is_new);
    for fact in counted {
        let count = counts.entry(fact.1.0).or_default();
        count.drafted += 1;
        let is_right = is_in(fact, &written) || is_in(fact, &places) && fact.1.0 != Sort::Wrap;
        count.right += usize::from(is_right);
        if is_verbose && !is_right {
            show("wrong", pack, fact);
        }
    }
    counts
}

/// Returns whether a set has a change; whether a field was renamed or moved depends on what is around it.
fn is_in((order, (sort, fact)): &Found, set: &BTreeSet<Found>) -> bool {
    let has = |sort: Sort| set.contains(&(*order, (sort, fact.clone())));
    match sort {
        Sort::Rename | Sort::Move => has(Sort::Rename) || has(Sort::Move),
        sort => has(*sort),
    }
}

fn show(what: &str, pack: &Pack, (order, (sort, (kind, old, new))): &Found) {
    println!("{what}: {} {}: {} {kind} {old} -> {new}", pack.name(), pack.line().bundles()[*order], sort.word());
}

/// Lists what rules do to the fields of a kind.
fn truth(
    pack: &Pack,
    kind: &GroupKind,
    rules: &[&Rule],
    [old, new]: [ReleaseId; 2],
) -> (BTreeSet<(Sort, Fact)>, BTreeSet<Fact>) {
    let mut path: Vec<&Rule> = Vec::new();
    let mut now = kind.clone();
    for rule in rules.iter().filter(|rule| rule.within.is_none() && rule.values.is_none()) {
        if rule.kind == now {
            now = rule.new_kind.clone();
            path.push(rule);
        }
    }
    let (Some(before), Some(after)) = (pack.catalog(kind), pack.catalog(&now)) else { return Default::default() };
    if path.is_empty() || !before.releases().contains(old) {
        return Default::default();
    }
    let (mut facts, mut all) = (BTreeSet::new(), BTreeSet::new());
    let wraps = path.iter().any(|rule| rule.text.contains("wrap"));
    let fields: BTreeSet<FieldPattern> =
        before.fields().filter(|field| field.releases.contains(old)).map(|field| field.pattern).collect();
    for field in &fields {
        let becomes = images(&path, field);
        let places: BTreeSet<FieldPattern> =
            becomes.iter().filter(|place| after.having(place).contains(new)).cloned().collect();
        // Of a field that both releases have, the CRDs do not show that it is called otherwise.
        let newest = after.served(new).first().map_or("", |version| version.name);
        let is_gone = kind != &now || after.field(field, new, newest).is_none();
        let around = field.split_last().map(|(around, part)| (images(&path, &around), part.clone()));
        for place in &places {
            all.insert((kind.clone(), field.to_string(), place.to_string()));
            if let (Some((around, part)), true) = (&around, place != field && is_gone) {
                facts.extend(move_of(field, place, around, part).map(|sort| fact(sort, kind, field, place)));
            }
            if let Some((above, Part::Key(_))) = place.split_last().filter(|(above, _)| above == field && wraps) {
                facts.insert(fact(Sort::Wrap, kind, field, &above));
            }
            let type_of = |catalog: &Catalog, at: &FieldPattern, release| -> Vec<Type> {
                catalog.fields_of(at).filter(|row| row.releases.contains(release)).map(|row| row.kind).collect()
            };
            let was_list = type_of(before, field, old).contains(&Type::Array);
            let is_other = is_gone || place == field;
            if wraps && is_other && !was_list && type_of(after, place, new).contains(&Type::Array) {
                facts.insert(fact(Sort::Wrap, kind, field, place));
            }
        }
        for (value, other) in values(before, after, field, &places, &path, [old, new]) {
            facts.insert((Sort::Value, (kind.clone(), format!("{field}={value}"), other)));
        }
    }
    (facts, all)
}

fn fact(sort: Sort, kind: &GroupKind, field: &FieldPattern, place: &FieldPattern) -> (Sort, Fact) {
    (sort, (kind.clone(), field.to_string(), place.to_string()))
}

/// Returns how a field got to another place; `None` where it went along with what it is in.
fn move_of(field: &FieldPattern, place: &FieldPattern, around: &BTreeSet<FieldPattern>, part: &Part) -> Option<Sort> {
    let goes_along =
        |around: &FieldPattern| *place == around.with(part.clone()) || *place == around.items().with(part.clone());
    if around.iter().any(goes_along) || matches!(part, Part::Items | Part::Values) {
        return None;
    }
    let above = place.split_last().map(|(above, _)| above)?;
    if above == *field {
        return None;
    }
    Some(if around.contains(&above) { Sort::Rename } else { Sort::Move })
}

/// Returns where the values of a field can be after all rules.
fn images(path: &[&Rule], field: &FieldPattern) -> BTreeSet<FieldPattern> {
    let start = BTreeSet::from([Image::Kept]);
    let images = path.iter().fold(start, |images, rule| {
        let step = |field: &FieldPattern| rule.lens(Direction::Forward).images(field);
        images.iter().flat_map(|image| image.after(field, step)).collect()
    });
    let place = |image| match image {
        Image::Kept => Some(field.clone()),
        Image::Moved(place) => Some(place),
        Image::Dropped | Image::Refused => None,
    };
    images.into_iter().filter_map(place).collect()
}

/// Lists the listed values of a field that become others which the new release lists.
fn values(
    before: &Catalog,
    after: &Catalog,
    field: &FieldPattern,
    places: &BTreeSet<FieldPattern>,
    path: &[&Rule],
    [old, new]: [ReleaseId; 2],
) -> BTreeSet<(String, String)> {
    let newest = after.served(new).first().map_or("", |version| version.name);
    let rows = before.fields_of(field).filter(|row| row.releases.contains(old));
    let listed: Vec<_> = rows.filter_map(|row| row.attributes.allowed.clone()).flatten().collect();
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut found = BTreeSet::new();
    for value in listed {
        let mut name = field.clone();
        let mut now = value.clone();
        for rule in path {
            let lens = rule.lens(Direction::Forward);
            now = lens.value_image(&name, &now).unwrap_or(now);
            if let Image::Moved(place) = lens.image(&name) {
                name = place;
            }
        }
        let lists = |value: &serde_json::Value| {
            let has = |values: &Vec<serde_json::Value>| values.contains(value);
            let mut rows = places.iter().filter_map(|place| after.field(place, new, newest));
            rows.any(|row| row.attributes.allowed.as_ref().is_some_and(has))
        };
        // Of a value that is still listed, the CRDs do not show that it is called otherwise.
        if now != value && lists(&now) && !lists(&value) {
            found.insert((text(&value), text(&now)));
        }
    }
    found
}

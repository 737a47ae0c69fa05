//! What `detect` prints for people: what is old, for each API, and what brings it up to date; with `--verbose` each object's
//! releases too, with the fields that decide.
//!
//! Invariant: nothing but a place or a command is what makes a line longer than 100 columns.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::count::{plural, thousands};
use super::detection::{Api, Detected, Detection, KindInUse, Update, UpdateFigures};
use super::escape::visible;
use super::paint::Painter;
use crate::engine::finding::Location;
use crate::engine::infer::Age;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId, ReleaseSet};

/// How many columns a line may have.
const WIDTH: usize = 100;

/// How many of the charts and images that name a release are printed in a summary.
const MAX_NAMED: usize = 3;

/// Prints one paragraph for each object, and a line for each place with values of a chart, or that names a release.
pub(crate) fn objects(detection: &Detection<'_>, painter: &Painter) -> String {
    let values = detection.values.iter().map(|(pack, title, place, field)| {
        let title = visible(title);
        let field = if field.is_empty() { String::new() } else { format!(", in {}", visible(field)) };
        format!("{}: {}: values of a chart of {pack}{field}\n", painter.place(place), painter.strong(&title))
    });
    let evidence = detection.evidence.iter().map(|(name, evidence)| {
        let exactness = if evidence.is_exact() { "" } else { ", not exactly a known release" };
        format!("{}: {} of {name}{exactness}\n", painter.place(&evidence.location), visible(&evidence.text))
    });
    detection.objects.iter().map(|detected| object(detected, painter)).chain(values).chain(evidence).collect()
}

fn object(detected: &Detected<'_>, painter: &Painter) -> String {
    let place = painter.place(&detected.location);
    let inference = &detected.inference;
    let releases = detected.releases();
    let title = painter.strong(&visible(&detected.title));
    let mut out = format!("{place}: {title} ({}): {releases}\n", visible(&detected.kind.1.to_string()));
    for (fact, place) in inference.evidence.iter().zip(&detected.evidence) {
        let place = painter.place(place);
        let path = visible(&fact.path.to_string());
        let _infallible = writeln!(out, "  {place}: {path} is in {}", detected.pack.line().describe(fact.releases));
    }
    out
}

/// Prints a paragraph for each API, and the command that brings everything up to date.
pub(crate) fn summary(detection: &Detection<'_>, detail: Detail, painter: &Painter) -> String {
    let apis = detection.apis.iter().map(|api| {
        let installed = detection.crds.iter().filter(|installed| installed.pack.name() == api.newest.pack.name());
        let installed: String =
            installed.map(|installed| format!("  CRDs in the files: {}\n", visible(&installed.describe()))).collect();
        heading(api, detection, painter)
            + &kinds(api, painter)
            + &apart(api, painter)
            + &rules(api, detail, painter)
            + &installed
    });
    let update = detection.update.as_ref().map_or_else(String::new, |update| self::update(update, painter));
    let hint = match detail {
        Detail::Summary if !detection.objects.is_empty() => {
            format!(
                "{} `--verbose` lists each object, with the fields that show its releases\n",
                painter.label("help:")
            )
        }
        Detail::Summary | Detail::Objects => String::new(),
    };
    apis.collect::<String>() + &update + &hint
}

/// How much is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// What is to be known about each API.
    Summary,
    /// Each object too.
    Objects,
}

/// Prints what holds for all objects of an API; it goes on in further lines where one is too short.
fn heading(api: &Api<'_>, detection: &Detection<'_>, painter: &Painter) -> String {
    let pack = api.newest.pack;
    let newest = newest(api);
    let objects = match api.objects {
        0 => "no object".to_owned(),
        count => plural(count, "object"),
    };
    let state = match (api.outdated(), api.to_convert()) {
        _ if api.objects == 0 => String::new(),
        (0, 0) => format!(", all current in {newest}"),
        (0, some) => format!(", {} to convert to {newest}", thousands(some)),
        (some, 0) => format!(", {} outdated in {newest}", thousands(some)),
        (some, more) => format!(", {} outdated in {newest}, {} more to convert", thousands(some), thousands(more)),
    };
    let mut parts = vec![objects + &state];
    parts.extend(fitting(api));
    let foreign = thousands(api.foreign);
    match (api.values, api.foreign) {
        (0, 0) => {}
        (0, _) => parts.push(format!("{} of other APIs to convert", plural(api.foreign, "object"))),
        (values, 0) => parts.push(format!("values of its chart in {}", plural(values, "place"))),
        (values, _) => parts.push(format!("values of its chart in {}, {foreign} to convert", plural(values, "place"))),
    }
    let companions = pack.companions(api.with_versions.unwrap_or_default());
    if !companions.is_empty() {
        parts.push(format!("supports {}", companions.join(", ")));
    }
    let named = detection.evidence.iter().filter(|(name, _)| *name == pack.name());
    let named: BTreeSet<&str> = named.map(|(_, evidence)| evidence.text.as_str()).collect();
    let more = named.len().saturating_sub(MAX_NAMED);
    parts.extend(named.into_iter().take(MAX_NAMED).map(|text| format!("found {}", visible(text))));
    parts.extend((more > 0).then(|| format!("and {more} more")));
    wrapped(pack.name(), &parts, painter)
}

/// Names the release in which what is old is old: `v1.6.1 standard`.
fn newest(api: &Api<'_>) -> String {
    let (pack, release) = (api.newest.pack, api.newest.pack.line().get(api.newest.release));
    match pack.line().has_channels() {
        _ if pack.is_of_crds() => "the CRDs".to_owned(),
        true => format!("{} {}", release.bundle, release.channel),
        false => release.bundle.clone(),
    }
}

/// Says which releases all objects fit.
fn fitting(api: &Api<'_>) -> Option<String> {
    let line = api.newest.pack.line();
    let (by_fields, with_versions) = (api.by_fields?, api.with_versions?);
    Some(match (api.newest.pack.is_of_crds(), with_versions.is_empty(), by_fields.is_empty()) {
        (true, false, _) => return None,
        (_, false, _) if api.exceptions > 0 => {
            format!("all but {} fit {}", thousands(api.exceptions), line.describe(with_versions))
        }
        (_, false, _) if api.objects == 1 => format!("fits {}", line.describe(with_versions)),
        (_, false, _) => format!("all fit {}", line.describe(with_versions)),
        (_, true, true) => "no release fits all".to_owned(),
        (_, true, false) => format!("no release fits all, by fields alone {}", line.describe(by_fields)),
    })
}

/// Puts parts on a line, and those for which it is too short on further ones.
fn wrapped(name: &str, parts: &[String], painter: &Painter) -> String {
    let mut out = painter.strong(&format!("{name}:"));
    let mut column = name.len() + 1;
    for (at, part) in parts.iter().enumerate() {
        let separator = if at == 0 { "" } else { ";" };
        let next = usize::from(at + 1 < parts.len());
        if at > 0 && column + separator.len() + 1 + part.len() + next > WIDTH {
            let _infallible = write!(out, "{separator}\n  {part}");
            column = 2 + part.len();
        } else {
            let _infallible = write!(out, "{separator} {part}");
            column += separator.len() + 1 + part.len();
        }
    }
    out + "\n"
}

/// Lists the kinds that are old or change, below how old they are.
fn kinds(api: &Api<'_>, painter: &Painter) -> String {
    let is_listed = |kind: &&KindInUse| kind.age != Age::Current || kind.changed + kind.held_back > 0;
    let listed: Vec<&KindInUse> = api.kinds.iter().filter(is_listed).collect();
    let width = listed.iter().map(|kind| thousands(kind.objects).len()).max().unwrap_or_default();
    let (mut out, mut last) = (String::new(), None);
    for kind in listed {
        if last.replace(kind.age) != Some(kind.age) {
            let _infallible = writeln!(out, "  {}:", painter.faint(&state(kind.age, api)));
        }
        let (count, name) = (thousands(kind.objects), visible(&kind.kind.kind));
        let start = format!("    {count:>width$} {name} {}", visible(&kind.api_version.to_string()));
        let becomes: Vec<String> = kind.becomes.iter().map(|(new, version)| becomes(kind, new, version)).collect();
        let becomes = (!becomes.is_empty()).then(|| format!(" -> {}", becomes.join(" or ")));
        // What becomes of objects of CRDs without a pack is not known here.
        let remark = Some(kind).filter(|_| !api.newest.pack.is_of_crds()).and_then(remark);
        let remark = remark.map(|remark| format!(" ({remark})"));
        let end: String = becomes.into_iter().chain(remark).collect();
        let is_long = start.chars().count() + end.chars().count() > WIDTH;
        let end = if is_long { format!("\n    {:width$} {end}", "") } else { end };
        let _infallible = writeln!(out, "{start}{end}");
    }
    out
}

/// Says how old the apiVersion of a detected object is; nothing where it is current.
pub(super) fn outdated(detected: &Detected<'_>, apis: &[Api<'_>]) -> Option<String> {
    let (kind, version) = &detected.kind;
    let api = apis.iter().find(|api| api.newest.pack.name() == detected.pack.name())?;
    let of_object = |in_use: &&KindInUse| in_use.kind == *kind && in_use.api_version == *version;
    let age = api.kinds.iter().find(of_object)?.age;
    (age != Age::Current).then(|| state(age, api))
}

/// Says how old an apiVersion is.
fn state(age: Age, api: &Api<'_>) -> String {
    let line = api.newest.pack.line();
    let name = |id: ReleaseId| line.get(id).bundle.as_str();
    match age {
        Age::Removed { since: Some(since), deprecated: Some(deprecated) } => {
            format!("removed in {}, deprecated since {}", name(since), name(deprecated))
        }
        Age::Removed { since: Some(since), deprecated: None } => format!("removed in {}", name(since)),
        Age::Removed { since: None, .. } => format!("not served by {}", newest(api)),
        Age::Deprecated { since: Some(since) } => format!("deprecated since {}", name(since)),
        Age::Deprecated { since: None } => "deprecated".to_owned(),
        Age::Unknown => "served by no release".to_owned(),
        Age::Current => "still served, to be converted".to_owned(),
    }
}

/// Prints what a kind becomes: its version alone, where nothing else changes.
fn becomes(kind: &KindInUse, new: &GroupKind, version: &ApiVersion) -> String {
    match (new.kind == kind.kind.kind, version.group == kind.api_version.group) {
        (true, true) => visible(&version.version),
        (true, false) => visible(&version.to_string()),
        (false, _) => visible(&format!("{} {version}", new.kind)),
    }
}

/// Says which of the objects of a kind do not change.
fn remark(kind: &KindInUse) -> Option<String> {
    let rest = kind.objects - kind.changed - kind.held_back;
    let held = (kind.held_back > 0).then(|| format!("{} held back", thousands(kind.held_back)));
    let rest = (rest > 0).then(|| format!("{} unchanged", thousands(rest)));
    let parts: Vec<String> = held.into_iter().chain(rest).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Names two objects that no release fits.
fn apart(api: &Api<'_>, painter: &Painter) -> String {
    let Some(objects) = &api.apart else { return String::new() };
    let line = api.newest.pack.line();
    let object = |(title, place, releases): &(String, Location, ReleaseSet)| {
        format!("    {}: {} fits {}\n", painter.place(place), visible(title), line.describe(*releases))
    };
    format!("  {}:\n", painter.faint("no release fits both")) + &objects.iter().map(object).collect::<String>()
}

/// Lists or counts the rules that change objects.
fn rules(api: &Api<'_>, detail: Detail, painter: &Painter) -> String {
    match detail {
        _ if api.rules.is_empty() => String::new(),
        Detail::Summary => {
            format!("  {} (`--verbose` lists them)\n", applying(api.rules.len()))
        }
        Detail::Objects => {
            let rule =
                |(rule, objects): (&String, &usize)| format!("    {} {}\n", thousands(*objects), painter.rule(rule));
            "  rules that apply:\n".to_owned() + &api.rules.iter().map(rule).collect::<String>()
        }
    }
}

fn applying(rules: usize) -> String {
    format!("{} {}", plural(rules, "rule"), if rules == 1 { "applies" } else { "apply" })
}

/// Prints the command that brings everything up to date.
fn update(update: &Update, painter: &Painter) -> String {
    let figures = update.figures.as_ref().map(|UpdateFigures { changed, files, held_back }| {
        let (changed, files) = (plural(*changed, "object"), plural(*files, "file"));
        format!(" ({changed} to change in {files}, {} held back)", thousands(*held_back))
    });
    let what = format!("to bring everything up to date{}:", figures.unwrap_or_default());
    let mut out = painter.strong(&what) + "\n";
    for command in &update.commands {
        let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
        let _infallible = writeln!(out, "  {}", visible(&words.join(" ")));
    }
    if update.commands.iter().flatten().any(|word| word == "--move") {
        let help = painter.label("help:");
        let _infallible = writeln!(
            out,
            "  {help} `--move OLD=NEW` accepts that the kinds of the group OLD are those of NEW; leave it out where they are not"
        );
    }
    if !update.targets.is_empty() {
        let help = painter.label("help:");
        let _infallible =
            writeln!(out, "  {help} these are the newest releases; where you run older ones, write those");
    }
    out
}

/// Quotes a word for a shell, where that is needed.
fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_@%+=:,./-".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

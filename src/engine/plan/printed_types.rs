//! Which apiVersion and kind has an object of a template where actions print them?
//!
//! An apiVersion is what the chart prints by default, a kind each of those that can be printed.
//!
//! Invariant: an object is planned with a text that an action prints by default only if the target serves it as that, and has not deprecated it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::definitions::Definitions;
use super::unknown_types::{ByDefault, OpenType, RENDER};
use crate::engine::convert::Goal;
use crate::engine::finding::{Location, Severity};
use crate::engine::manifest::{self, Manifest};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::template::Reading;
use crate::syntax::text::LineIndex;
use crate::syntax::variable::ACTION;
use crate::syntax::yaml;

/// How many texts of one apiVersion are looked at.
const MOST: usize = 16;

/// The version that an object is taken to have where nothing shows it, and nothing depends on it.
const ASSUMED: &str = "v1";

/// The file with what a chart has by default.
const VALUES: &str = "values.yaml";

/// Texts, by the values of a reading that stand for them.
pub(super) type Texts = BTreeMap<String, String>;

/// A text with what its values stand for, and those.
type Printed = Vec<(Texts, String)>;

/// What actions print of the types of objects in a reading.
#[derive(Default)]
pub(super) struct PrintedTypes {
    /// The objects of which nothing shows the apiVersion or the kind, or which are left as they are.
    pub(super) open: Vec<(OpenType, Location)>,
    /// The objects with the apiVersion that they have by default.
    pub(super) settled: Vec<(OpenType, Location)>,
    /// The objects whose apiVersion by default is to become another one.
    pub(super) left: Vec<LeftType>,
    /// What the values that are settled stand for.
    pub(super) texts: BTreeMap<String, BTreeSet<String>>,
}

/// An apiVersion by default that is to become another one.
pub(super) struct LeftType {
    pub(super) place: Location,
    /// What its values stand for.
    pub(super) texts: Texts,
    /// The apiVersion, as it is in the reading.
    text: String,
    version: String,
    /// What it is in other calls or turns.
    others: BTreeSet<String>,
    is_served: bool,
}

impl PrintedTypes {
    /// Returns what actions print of the objects of a reading, if they are of a kind of a target, or can be.
    pub(super) fn of(goal: &Goal<'_>, manifest: &Manifest, reading: &Reading) -> Self {
        let mut all = Self::default();
        for object in &manifest.objects {
            let Some(version) = object.value.get("apiVersion").and_then(Value::as_str) else { continue };
            let kind = &object.kind.kind;
            if version.contains(ACTION) || kind.contains(ACTION) {
                all.add(goal, reading, (version, kind), manifest.locate(object, &FieldPath::default()));
            }
        }
        all
    }

    fn add(&mut self, goal: &Goal<'_>, reading: &Reading, (version, kind): (&str, &str), place: Location) {
        let texts = |value: &str| reading.texts_of(value).map(|texts| texts.iter().cloned().collect());
        let defaults_of =
            |text: &str| printed(text, |value| by_default(reading, value, text)).filter(|all| !all.is_empty());
        let (defaults, every) = (printed(version, |value| by_default(reading, value, version)), printed(kind, texts));
        let kinds = every.clone().or_else(|| defaults_of(kind));
        let old = defaults.iter().flatten().find(|(_, version)| leaves_version(goal, version));
        let open = |by_default| OpenType::Version { text: named(version, reading), by_default };
        match (kinds, &defaults) {
            (None, _) if !version.contains(ACTION) => {
                let (kind, version) = (kind.to_owned(), version.to_owned());
                self.open.extend(old.map(|_| (OpenType::Kind { kind, version, by_default: None }, place)));
            }
            (None, _) => self.open.extend(old.map(|_| (open(ByDefault::Unknown), place))),
            (Some(kinds), _) if !is_known(goal, &kinds) => {
                let known = || defaults.clone().filter(|defaults| !defaults.is_empty());
                let versions = known().or_else(|| printed(version, texts));
                self.settle_foreign(goal, (version, versions), &kinds);
            }
            (Some(kinds), Some(defaults)) if !defaults.is_empty() => {
                let pairs = || kinds.iter().flat_map(|kind| defaults.iter().map(move |version| (kind, version)));
                let find = |wanted: &[Standing]| {
                    let standing = |(kind, version): &(&(_, String), &(_, String))| standing(goal, &version.1, &kind.1);
                    pairs().find(|pair| standing(pair).is_some_and(|own| wanted.contains(&own)))
                };
                if !version.contains(ACTION) {
                    let is_old = find(&[Standing::Gone, Standing::Deprecated]).is_some();
                    let is_known = is_old || find(&[Standing::Current]).is_some();
                    kinds.iter().filter(|_| is_known).for_each(|(texts, _)| self.settle(texts));
                    if let Some((_, own)) = kinds.first().filter(|_| is_known && every.is_none()) {
                        // What is converted is right for that kind.
                        let severity = if is_old { Severity::Warning } else { Severity::Note };
                        let (kind, version) = (named(kind, reading), version.to_owned());
                        let by_default = Some((own.clone(), severity));
                        self.settled.push((OpenType::Kind { kind, version, by_default }, place));
                    }
                } else if let Some((_, (texts, left))) = find(&[Standing::Gone, Standing::Deprecated]) {
                    let is_served = find(&[Standing::Gone]).is_none();
                    let (texts, text, version) = (texts.clone(), version.to_owned(), left.clone());
                    let others = defaults.iter().map(|(_, other)| other.clone()).filter(|other| *other != version);
                    self.left.push(LeftType { place, texts, text, others: others.collect(), version, is_served });
                } else if let Some((_, (_, served))) = find(&[Standing::Current]) {
                    pairs().flat_map(|(kind, version)| [&kind.0, &version.0]).for_each(|texts| self.settle(texts));
                    self.settled.push((open(ByDefault::Served(served.clone())), place));
                }
            }
            (Some(kinds), defaults) => {
                let by_default = if defaults.is_some() { ByDefault::Nothing } else { ByDefault::Unknown };
                self.open.extend(is_known(goal, &kinds).then(|| (open(by_default), place)));
            }
        }
    }

    /// Settles an object of a kind that only rules are about: of its apiVersion, these ask for the group.
    fn settle_foreign(&mut self, goal: &Goal<'_>, (text, versions): (&str, Option<Printed>), kinds: &Printed) {
        for (of_kind, kind) in kinds {
            let is_one = |version: &str| {
                let group = version.split_once('/').map_or("", |(group, _)| group);
                foreign(goal, kind).any(|one| one.group == group)
            };
            let versions: Vec<Texts> = match &versions {
                Some(all) => {
                    all.iter().filter(|(_, version)| is_one(version)).map(|(texts, _)| texts.clone()).collect()
                }
                None => assumed(goal, kind, text).into_iter().collect(),
            };
            if !versions.is_empty() {
                self.settle(of_kind);
            }
            versions.iter().for_each(|texts| self.settle(texts));
        }
    }

    fn settle(&mut self, texts: &Texts) {
        for (value, text) in texts {
            self.texts.entry(value.clone()).or_default().insert(text.clone());
        }
    }

    /// Returns what the values that are settled can be taken for, so that each text is taken once.
    pub(super) fn choices(&self) -> Vec<Texts> {
        let first: Texts =
            self.texts.iter().filter_map(|(value, texts)| Some((value.clone(), texts.first()?.clone()))).collect();
        let others = self.texts.iter().flat_map(|(value, texts)| texts.iter().skip(1).map(move |text| (value, text)));
        let other = |(value, text): (&String, &String)| {
            let mut other = first.clone();
            other.insert(value.clone(), text.clone());
            other
        };
        let others: Vec<Texts> = others.map(other).collect();
        if first.is_empty() { Vec::new() } else { std::iter::once(first).chain(others).collect() }
    }
}

impl LeftType {
    /// Returns what is to be reported; the target wants the apiVersion `wanted`, if that is known.
    pub(super) fn open_type(
        self,
        wanted: Option<&str>,
        reading: &Reading,
        definitions: &Definitions,
    ) -> (OpenType, Location) {
        let wanted = wanted.filter(|wanted| *wanted != self.version);
        let mut at = None;
        let help = match wanted.and_then(|wanted| self.to_write(wanted)) {
            Some((value, written)) => {
                let before = &self.texts[value];
                let shown = if written.is_empty() { "\"\"" } else { written };
                match reading.origin_of(value).and_then(|origin| place_in_values(origin, before, definitions)) {
                    Some((key, place)) => {
                        at = Some((key.to_owned(), written.to_owned()));
                        let file = match definitions.chart.as_str() {
                            "" => VALUES.to_owned(),
                            chart => format!("{chart}/{VALUES}"),
                        };
                        format!("write {shown} {place} of {file}, and run it again: the fields follow")
                    }
                    None => format!("let `{value}` print {shown} by default, and run it again: the fields follow"),
                }
            }
            None => match wanted {
                Some(wanted) => format!("write {wanted} into the template, and run it again: the fields follow"),
                None => RENDER.to_owned(),
            },
        };
        let by_default =
            ByDefault::Left { version: self.version, others: self.others, is_served: self.is_served, at, help };
        (OpenType::Version { text: named(&self.text, reading), by_default }, self.place)
    }

    /// Returns the value that decides, with what it is to be for the apiVersion `wanted`.
    fn to_write<'w>(&self, wanted: &'w str) -> Option<(&str, &'w str)> {
        let [value] = self.texts.keys().collect::<Vec<_>>()[..] else { return None };
        let (before, behind) = self.text.split_once(value.as_str())?;
        Some((value, wanted.strip_prefix(before)?.strip_suffix(behind)?))
    }
}

/// Returns the first key in `origin` that has the value `text` in the values of a chart, with the place where that is written: what an alias
/// stands for is written at its anchor.
fn place_in_values<'o>(origin: &'o str, text: &str, definitions: &Definitions) -> Option<(&'o str, String)> {
    let keys = origin.split(".Values.").skip(1).map(|rest| {
        rest.split(|one: char| !(one.is_alphanumeric() || matches!(one, '.' | '_'))).next().unwrap_or_default()
    });
    let written = &definitions.values_text;
    let tree = yaml::parse(written).ok()?;
    let root = tree.documents().first()?.root;
    let values = yaml::read_value(&tree, written, root).ok()?;
    let has_it = |key: &str| {
        let value = key.split('.').try_fold(&values, |value, key| value.get(key));
        value.is_some_and(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned) == text)
    };
    let mut keys = keys.into_iter();
    let key = keys.find(|key| has_it(key))?;
    let path = FieldPath::new(key.split('.').map(|key| Step::Key(key.to_owned())));
    let lines: Vec<&str> = written.lines().collect();
    let line_of = |length: usize| {
        let path = FieldPath::new(path.steps()[..length].iter().cloned());
        LineIndex::new(written).position(written, yaml::locate(&tree, written, root, &path).start).line
    };
    let alias = |line: usize| lines.get(line - 1)?.split_once(": *")?.1.split_whitespace().next();
    let alias = (1..=path.steps().len()).find_map(|length| alias(line_of(length)));
    let Some(alias) = alias else { return Some((key, format!("at {key} in line {}", line_of(path.steps().len())))) };
    let anchor = format!("&{alias}");
    let is_anchor = |line: &&str| line.split([' ', ',', '{', '[']).any(|word| word == anchor);
    let at = lines.iter().position(is_anchor)?;
    let line = at + lines[at..].iter().position(|line| line.contains(text))? + 1;
    Some((key, format!("at {key}, which the anchor {anchor} has, in line {line}")))
}

/// Returns a text with the keys of values in place of what stands for them: they are called alike wherever they are printed.
fn named(text: &str, reading: &Reading) -> String {
    let mut out = text.to_owned();
    for value in
        text.match_indices(ACTION).filter_map(|(start, _)| Some(&text[start..=start + text[start..].find('}')?]))
    {
        if let Some(key) = reading.key_of(value) {
            out = out.replace(value, &format!("{{{{ .Values.{key} }}}}"));
        }
    }
    out
}

/// Returns the texts that a value which is a placeholder in a `whole` text stands for by default, if all of them are known.
fn by_default(reading: &Reading, value: &str, whole: &str) -> Option<Vec<String>> {
    let text = |printed: &Value| match printed {
        Value::Null => (value != whole).then(String::new),
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    reading.default_of(value)?.iter().map(text).collect()
}

/// Returns what is printed of a text in which values stand for one of several texts.
fn printed(text: &str, texts_of: impl Fn(&str) -> Option<Vec<String>>) -> Option<Printed> {
    let (mut all, mut rest) = (vec![(Texts::new(), String::new())], text);
    while let Some(start) = rest.find(ACTION) {
        let end = start + rest[start..].find('}')? + 1;
        let value = &rest[start..end];
        let texts: BTreeSet<String> = texts_of(value)?.into_iter().collect();
        let with = |(known, before): &(Texts, String), text: &String| {
            let mut known = known.clone();
            known.insert(value.to_owned(), text.clone());
            (known, format!("{before}{}{text}", &rest[..start]))
        };
        all = all.iter().flat_map(|one| texts.iter().map(move |text| with(one, text))).take(MOST + 1).collect();
        rest = &rest[end..];
    }
    all.iter_mut().for_each(|(_, text)| text.push_str(rest));
    (all.len() <= MOST).then_some(all)
}

/// Returns whether a target knows a kind that can be printed.
fn is_known(goal: &Goal<'_>, kinds: &Printed) -> bool {
    let mut known = goal.targets.iter().flat_map(|target| target.pack.kinds());
    known.any(|one| kinds.iter().any(|(_, kind)| one.kind == *kind))
}

/// Returns the kinds of this name that no target knows, and rules are about.
fn foreign<'g>(goal: &'g Goal<'_>, kind: &str) -> impl Iterator<Item = &'g GroupKind> {
    goal.targets.iter().flat_map(|target| target.pack.foreign_kinds()).filter(move |one| one.kind == kind)
}

/// Returns what the only value in an apiVersion is taken for, of a kind that only rules are about: that makes it one of its group.
fn assumed(goal: &Goal<'_>, kind: &str, text: &str) -> Option<Texts> {
    let start = text.find(ACTION)?;
    let end = start + text[start..].find('}')? + 1;
    let version = |group: &str| if group.is_empty() { ASSUMED.to_owned() } else { format!("{group}/{ASSUMED}") };
    let in_text = |version: String| Some(version.strip_prefix(&text[..start])?.strip_suffix(&text[end..])?.to_owned());
    let printed = foreign(goal, kind).filter_map(|one| in_text(version(&one.group))).last()?;
    Some(Texts::from([(text[start..end].to_owned(), printed)]))
}

/// What the target makes of an apiVersion of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Current,
    Deprecated,
    Gone,
}

/// Returns what the target makes of an apiVersion of a kind; `None` where the kind is of no target.
fn standing(goal: &Goal<'_>, api_version: &str, kind: &str) -> Option<Standing> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let kind = GroupKind { group: group.to_owned(), kind: kind.to_owned() };
    let (catalog, release) =
        goal.targets.iter().find_map(|target| Some((target.pack.catalog(&kind)?, target.release)))?;
    Some(match catalog.served(release).iter().find(|served| served.name == version) {
        Some(served) if served.deprecated => Standing::Deprecated,
        Some(_) => Standing::Current,
        None => Standing::Gone,
    })
}

/// Returns whether the target of `goal` serves some kind no more at an apiVersion that it once had.
pub(crate) fn leaves_version(goal: &Goal<'_>, api_version: &str) -> bool {
    let Some((group, version)) = api_version.split_once('/') else { return false };
    let Some(target) = goal.target_of(group) else { return false };
    let catalogs = target.pack.kinds().filter(|kind| kind.group == group).filter_map(|kind| target.pack.catalog(kind));
    let mut serving = catalogs.map(|catalog| catalog.serving(version)).filter(|releases| !releases.is_empty());
    serving.any(|releases| !releases.contains(target.release))
}

/// Returns whether the target of `goal` does not serve a kind at an apiVersion that it once had.
pub(crate) fn leaves_type(goal: &Goal<'_>, api_version: &str, kind: &str) -> bool {
    let ApiVersion { group, version } = ApiVersion::parse(api_version);
    let Some(target) = goal.target_of(&group) else { return false };
    let catalog = target.pack.catalog(&GroupKind { group, kind: kind.to_owned() });
    let serving = catalog.map(|catalog| catalog.serving(&version)).unwrap_or_default();
    !serving.is_empty() && !serving.contains(target.release)
}

/// Returns whether a condition names an apiVersion, alone or before a kind.
pub(super) fn names_version(condition: &str, version: &str) -> bool {
    let is_whole = |(at, _): (usize, &str)| condition[at + 1 + version.len()..].starts_with(['"', '/']);
    condition.match_indices(&format!("\"{version}")).any(is_whole)
}

/// Returns the apiVersions of the objects in some data.
pub(super) fn made_versions(data: &Value) -> Vec<&str> {
    versions_in(data, &|_| Vec::new())
}

/// Returns the apiVersions of the objects in some data, with those that are texts in it.
pub(super) fn written_versions(data: &Value) -> Vec<&str> {
    versions_in(data, &|text| manifest::values_on_lines(text, "apiVersion").collect())
}

fn versions_in<'v>(data: &'v Value, in_text: &dyn Fn(&'v str) -> Vec<&'v str>) -> Vec<&'v str> {
    match data {
        Value::Object(map) => {
            let version = map.get("apiVersion").and_then(Value::as_str).filter(|_| map.contains_key("kind"));
            version.into_iter().chain(map.values().flat_map(|value| versions_in(value, in_text))).collect()
        }
        Value::Array(items) => items.iter().flat_map(|item| versions_in(item, in_text)).collect(),
        Value::String(text) => in_text(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

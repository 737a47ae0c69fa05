//! Answers: how does a pack get from files into checked form?
//!
//! [`load`] takes a pack's files as (path, text) and reads `pack.yaml` and every rule; [`read_folder`] brings the files of a
//! folder given with `--pack`. Every failure names file, line and column.
//!
//! Invariant: the id of a rule is the name of its pack and its path, its release is its folder; nothing is defined twice.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::de::DeserializeOwned;

use super::pack::{LazyCatalog, Pack, PackFiles};
use super::release_notes::ReleaseNotes;
use super::rule::Rule;
use super::version_order::VersionOrder;
use super::{values, wire};
use crate::lens::{Direction, Fidelity, Lens};
use crate::release::{GroupKind, ReleaseLine};

/// The largest file of a pack, in bytes.
pub const MAX_PACK_FILE: u64 = 16 << 20;

/// The most that all files of a pack hold, in bytes; a rule's file counts once for each kind that it is about.
pub const MAX_PACK: usize = 64 << 20;

/// The folder of a pack that holds the fixtures of its rules, where it has its own: `fixtures/<bundle>/<rule>/<case>/<file>`. It is no
/// part of the pack's knowledge.
pub const FIXTURES: &str = "fixtures";

/// Files of a pack whose YAML is there as JSON too: path and JSON.
pub(super) type Prepared = BTreeMap<&'static str, &'static str>;

/// Reads the files of a pack folder that is not built in, and checks every catalog.
///
/// # Errors
/// A failure that names the file (and line) that cannot be read or is not what it should be.
pub fn read_folder(folder: &Path) -> Result<Pack> {
    ensure!(folder.is_dir(), "there is no pack in {}: no such folder", folder.display());
    let folder = folder.canonicalize().with_context(|| format!("cannot open the pack {}", folder.display()))?;
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .context("the name of the pack's folder must be valid UTF-8")?;
    let mut files = PackFiles::new();
    let mut size = 0;
    for entry in walkdir::WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot list the pack {}", folder.display()))?;
        let is_data = matches!(entry.path().extension().and_then(|text| text.to_str()), Some("yaml" | "tsv"));
        if !entry.file_type().is_file() || !is_data {
            continue;
        }
        let path = entry.path().strip_prefix(&folder).context("a walk stays in its folder")?;
        if path.starts_with(FIXTURES) {
            continue;
        }
        let path = path.to_str().with_context(|| format!("the file name {} is not valid UTF-8", path.display()))?;
        ensure!(entry.metadata()?.len() <= MAX_PACK_FILE, "{path} is larger than {MAX_PACK_FILE} bytes");
        let text =
            std::fs::read_to_string(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
        size += text.len();
        ensure!(size <= MAX_PACK, "the pack is larger than {} MiB", MAX_PACK >> 20);
        files.insert(path.replace('\\', "/"), Cow::Owned(text));
    }
    let pack = load(name, files)?;
    for kind in pack.kinds() {
        pack.try_catalog(kind)?;
    }
    check_versions(&pack)?;
    Ok(pack)
}

/// Checks that releases have the apiVersions of rules between two of them.
fn check_versions(pack: &Pack) -> Result<()> {
    let steps = pack.rules().iter().filter_map(|rule| Some((rule, rule.api_versions.as_ref()?)));
    for (rule, [old, new]) in steps {
        for (version, kind) in [(old, &rule.kind), (new, &rule.new_kind)] {
            let listed = pack.try_catalog(kind)?.is_some_and(|catalog| !catalog.listing(&version.version).is_empty());
            ensure!(listed, "{}: apiVersions: no release has {kind} under {version}", pack.file_of(rule));
        }
    }
    Ok(())
}

/// Reads the pack in `folder`; `None` where that is no pack's folder.
///
/// # Errors
/// As [`read_folder`].
pub fn read_if_pack(folder: &Path) -> Result<Option<Pack>> {
    folder.join("pack.yaml").is_file().then(|| read_folder(folder)).transpose()
}

/// Lists the files below a folder, as paths with `/`, sorted.
///
/// # Errors
/// A failure that names the folder that cannot be listed.
pub fn list_folder(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder).context("a walk stays in its folder")?;
            files.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(files)
}

/// Returns whether there is a folder of this path.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Reads the files below a folder, by their paths with `/`.
///
/// # Errors
/// A failure that names the folder that cannot be listed, or the file that cannot be read, is larger than a pack's may be, or is no
/// text.
pub fn read_texts(folder: &Path) -> Result<BTreeMap<String, String>> {
    let read = |path: String| {
        let file = folder.join(&path);
        let size = std::fs::metadata(&file).with_context(|| format!("cannot read {}", file.display()))?.len();
        ensure!(size <= MAX_PACK_FILE, "{} is larger than {MAX_PACK_FILE} bytes", file.display());
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        Ok((path, text))
    };
    list_folder(folder)?.into_iter().map(read).collect()
}

/// Reads a pack from its files; messages call their folder `folder`.
///
/// # Errors
/// A failure that names the file and line that is not what it should be.
pub fn load(folder: &str, files: PackFiles) -> Result<Pack> {
    load_prepared(folder, files, &Prepared::new())
}

/// Reads a pack from its files, some of which are `prepared`.
///
/// # Errors
/// As [`load`].
pub(super) fn load_prepared(folder: &str, mut files: PackFiles, prepared: &Prepared) -> Result<Pack> {
    let all = files.clone();
    let text =
        files.remove("pack.yaml").with_context(|| format!("{folder} has no pack.yaml: pass the folder of a pack"))?;
    let json = |path: &str| prepared.get(path).copied();
    let mut head: wire::PackFile = parse(&format!("{folder}/pack.yaml"), &text, json("pack.yaml"))?;
    head.check_names(folder).map_err(|message| anyhow!("{folder}/pack.yaml: {message}"))?;
    let line = head.line().map_err(|message| anyhow!("{folder}/pack.yaml: {message}"))?;
    for (value, correction) in &head.corrections {
        if let Some(bundle) = correction.bundles.iter().find(|bundle| line.bundle_order(bundle).is_none()) {
            bail!("{folder}/pack.yaml: `corrections` maps {value} to {bundle}, which is not a bundle of this pack");
        }
    }
    let readable = |chart: &str| values::places(chart, &head.charts).into_iter().filter(values::Place::is_readable);
    let places: Places<'_> =
        head.charts.iter().map(|chart| (chart.name.as_str(), readable(&chart.name).collect())).collect();
    let mut catalogs = BTreeMap::new();
    let mut rules = Vec::new();
    let mut size = 0;
    for (path, text) in files {
        let file = format!("{folder}/{path}");
        if let Some(stem) = path.strip_prefix("catalog/").and_then(|path| path.strip_suffix(".tsv")) {
            catalogs.insert(GroupKind::parse(stem), LazyCatalog { file, text, read: OnceLock::new() });
        } else if let Some(id) = path.strip_suffix(".yaml") {
            let id = format!("{}/{id}", head.name);
            let written = Written { file: &file, id: &id, text: &text, json: json(&path) };
            rules.extend(rules_of(&written, &line, &places, &mut size)?);
        }
    }
    check_kinds(&rules, &head, |kind| catalogs.contains_key(kind), folder)?;
    let retyping = rules.iter().filter(|rule| rule.kind != rule.new_kind);
    let settled: BTreeMap<_, _> =
        retyping.map(|rule| ((rule.order, rule.kind.clone()), rule.new_kind.clone())).collect();
    for rule in &mut rules {
        if let Some(kind) = settled.get(&(rule.order, rule.kind.clone())) {
            rule.final_kind.clone_from(kind);
        }
    }
    // Within a bundle, the rules about a kind's fields run before the one that gives it another kind, and what releases
    // reject is checked once everything that they require was written.
    rules.sort_by_cached_key(|rule| {
        (rule.order, rule.kind != rule.new_kind, is_check(rule), rule.id.clone(), rule.kind.clone())
    });
    let families = families(&rules);
    let rules_by_kind = rules_by_kind(&rules, &families);
    let of_versions = families.into_iter().filter(|family| has_version_rules(family, &rules));
    let version_orders = of_versions.map(VersionOrder::new).collect();
    let release_notes = ReleaseNotes::check(&mut head, &line, &|kind| catalogs.contains_key(kind))
        .with_context(|| format!("{folder}/pack.yaml"))?;
    let of_chart = |(number, chart): (usize, &wire::Chart)| {
        values::places(&chart.name, &head.charts).into_iter().map(move |place| (number, place)).collect::<Vec<_>>()
    };
    let values = head.charts.iter().enumerate().flat_map(of_chart).collect();
    Ok(Pack {
        name: head.name,
        aliases: head.aliases,
        folder: folder.to_owned(),
        files: all,
        title: head.title,
        source: head.source,
        groups: head.groups,
        annotations: head.annotations,
        corrections: head.corrections,
        companions: head.releases.into_iter().map(|release| release.companion).collect(),
        triggers: head.triggers,
        artifacts: head.artifacts,
        tag_suffixes: head.tag_suffixes,
        values,
        charts: head.charts,
        parameters: head.parameters,
        line,
        catalogs,
        rules,
        rules_by_kind,
        version_orders,
        release_notes,
    })
}

/// Checks that the pack has the kinds of its groups that rules are about.
fn check_kinds(rules: &[Rule], head: &wire::PackFile, has: impl Fn(&GroupKind) -> bool, folder: &str) -> Result<()> {
    for rule in rules {
        let unknown = |kind: &&&GroupKind| head.groups.contains(&kind.group) && !has(kind);
        if let Some(kind) = [&rule.kind, &rule.new_kind].iter().find(unknown) {
            let file = rule.id.strip_prefix(&head.name).unwrap_or_default();
            bail!("{folder}{file}.yaml: the pack has no catalog of {kind}: make it with `reversion pack build`");
        }
    }
    Ok(())
}

/// Returns whether a rule about one of the kinds was made between two apiVersions.
fn has_version_rules(family: &BTreeSet<GroupKind>, rules: &[Rule]) -> bool {
    rules.iter().any(|rule| rule.api_versions.is_some() && family.contains(&rule.kind))
}

/// Returns the kinds that rules are about, those together that rules convert into each other.
fn families(rules: &[Rule]) -> Vec<BTreeSet<GroupKind>> {
    let mut families: Vec<BTreeSet<&GroupKind>> = Vec::new();
    for rule in rules {
        let mut family = BTreeSet::from([&rule.kind, &rule.new_kind, &rule.final_kind]);
        families.retain(|other| {
            let is_apart = other.is_disjoint(&family);
            if !is_apart {
                family.extend(other);
            }
            is_apart
        });
        families.push(family);
    }
    families.into_iter().map(|family| family.into_iter().cloned().collect()).collect()
}

/// Returns the numbers of the rules that can apply to objects of each kind: those about any kind that rules convert it to, or from.
fn rules_by_kind(rules: &[Rule], families: &[BTreeSet<GroupKind>]) -> BTreeMap<GroupKind, Vec<usize>> {
    let of_family = |family: &BTreeSet<GroupKind>| {
        let about = rules.iter().enumerate().filter(|(_, rule)| family.contains(&rule.kind));
        let about: Vec<usize> = about.map(|(at, _)| at).collect();
        family.iter().map(|kind| (kind.clone(), about.clone())).collect::<Vec<_>>()
    };
    families.iter().flat_map(of_family).collect()
}

/// Returns whether a rule only checks what some releases reject.
fn is_check(rule: &Rule) -> bool {
    rule.within.is_some() && rule.lens(Direction::Forward).fidelities().into_iter().eq([Fidelity::Refused])
}

/// A rule's file as written.
struct Written<'t> {
    file: &'t str,
    id: &'t str,
    text: &'t str,
    json: Option<&'t str>,
}

impl Written<'_> {
    fn parse(&self) -> Result<wire::RuleFile> {
        parse(self.file, self.text, self.json)
    }
}

/// The places of a chart's values that rules can be about, by the chart's name.
type Places<'t> = BTreeMap<&'t str, Vec<values::Place>>;

/// Reads a rule's file: one rule for each kind that it is about. `size` is that of all rules so far.
fn rules_of(written: &Written<'_>, line: &ReleaseLine, charts: &Places, size: &mut usize) -> Result<Vec<Rule>> {
    let (file, mut first) = (written.file, written.parse()?);
    let places: Vec<values::Place> = match (first.kind.take(), &first.values) {
        (Some(kinds), None) => kinds.list().into_iter().map(values::Place::whole).collect(),
        (None, Some(chart)) => charts.get(chart.as_str()).cloned().unwrap_or_default(),
        _ => bail!("{file}: write exactly one of `kind` and `values`"),
    };
    ensure!(
        !places.is_empty(),
        "{file}: the rule matches no kind: list one under `kind`, or name a chart of pack.yaml under `values`"
    );
    *size = size.saturating_add(written.text.len().saturating_mul(places.len()));
    ensure!(
        *size <= MAX_PACK,
        "{file}: the rules of the pack, each counted once for every kind, exceed {} MiB",
        MAX_PACK >> 20
    );
    let mut lenses_by_kind: BTreeMap<GroupKind, Vec<Lens>> = BTreeMap::new();
    for place in places {
        let lens = place.around(first.lens.clone());
        lenses_by_kind.entry(place.kind).or_default().push(lens);
    }
    lenses_by_kind.into_iter().map(|(kind, lenses)| rule(written, &first, line, kind, Lens::chain(lenses))).collect()
}

fn rule(written: &Written<'_>, wire: &wire::RuleFile, line: &ReleaseLine, kind: GroupKind, lens: Lens) -> Result<Rule> {
    let Written { file, id, text, .. } = written;
    let bundle = id.split('/').nth(1).unwrap_or_default();
    let order = line
        .bundle_order(bundle)
        .with_context(|| format!("{file}: its folder `{bundle}` is not a bundle of this pack"))?;
    for channel in &wire.channels {
        line.channel(channel.name()).map_err(|message| anyhow!("{file}: channels: {message}"))?;
    }
    let within = wire.within.as_ref().map(|text| line.parse_set(text)).transpose();
    let new_kind = lens.retypes(&kind).unwrap_or_else(|| kind.clone());
    if let Some([old, new]) = &wire.api_versions {
        ensure!(wire.within.is_none(), "{file}: `within` names releases; a rule with `apiVersions` has none");
        ensure!(old != new, "{file}: apiVersions: the second one is the same as the first");
        for (version, kind) in [(old, &kind), (new, &new_kind)] {
            ensure!(version.group == kind.group, "{file}: apiVersions: {version} is not of the group of {kind}");
        }
    }
    let backward = lens.inverse(&kind);
    let written = text.split_once("\nlens:\n").map_or("", |(_, lens)| lens);
    Ok(Rule {
        id: (*id).to_owned(),
        text: written.to_owned(),
        summary: wire.summary.clone(),
        values: wire.values.clone(),
        kind,
        final_kind: new_kind.clone(),
        new_kind,
        channels: wire.channels.clone(),
        needs: wire.needs,
        advice: wire.advice.clone(),
        api_versions: wire.api_versions.clone(),
        within: within.map_err(|message| anyhow!("{file}: within: {message}"))?,
        source: wire.source.clone(),
        order,
        forward: lens,
        backward,
    })
}

/// Reads a file: from its JSON if there is one; errors come from the YAML, since JSON has no lines to name.
fn parse<T: DeserializeOwned>(file: &str, text: &str, json: Option<&str>) -> Result<T> {
    if let Some(read) = json.and_then(|json| serde_json::from_str(json).ok()) {
        return Ok(read);
    }
    serde_yaml::from_str(text).map_err(|error| match error.location() {
        Some(place) => anyhow!("{file}:{}:{}: not a valid file of a pack: {error}", place.line(), place.column()),
        None => anyhow!("{file}: not a valid file of a pack: {error}"),
    })
}

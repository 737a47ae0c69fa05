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

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use serde::de::DeserializeOwned;

use super::built_in::{CARRIERS, Prepared};
use super::lint::nonsense;
use super::nearest::{near, no_bundle, no_catalog};
use super::pack::{Author, LazyCatalog, Pack, PackFiles};
use super::place::{Place, Wrong};
use super::release_notes::ReleaseNotes;
use super::rule::Rule;
use super::version_order::VersionOrder;
use super::{packs, values, wire};
use crate::carrier::{CarrierFile, Carriers};
use crate::field::FieldPath;
use crate::lens::{Direction, Fidelity, Lens};
use crate::release::{GroupKind, ReleaseLine};

/// The largest file of a pack, in bytes.
pub const MAX_PACK_FILE: u64 = 16 << 20;

/// The most that all files of a pack hold, in bytes; a rule's file counts once for each kind that it is about.
pub const MAX_PACK: usize = 64 << 20;

/// The folder of a pack that holds the fixtures of its rules, where it has its own: `fixtures/<bundle>/<rule>/<case>/<file>`. It is no
/// part of the pack's knowledge.
pub const FIXTURES: &str = "fixtures";

/// Reads the files of a pack folder that is not built in, and checks every catalog, and that the pack makes sense.
///
/// # Errors
/// A failure that names the file (and line) that cannot be read or is not what it should be.
pub fn read_folder(folder: &Path) -> Result<Pack> {
    let pack = read_draft(folder)?;
    let messages = nonsense(&pack);
    if let [first, others @ ..] = messages.as_slice() {
        let more = match others.len() {
            0 => String::new(),
            more => format!("\nand {more} more: `reversion pack lint {}` lists all", folder.display()),
        };
        bail!("the pack {} makes no sense:\n{first}{more}", pack.name());
    }
    Ok(pack)
}

/// Reads the files of a pack folder that is being written, and checks every catalog.
///
/// # Errors
/// A failure that names the file (and line) that cannot be read or is not what it should be.
fn read_draft(folder: &Path) -> Result<Pack> {
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
        let extension = entry.path().extension().and_then(|text| text.to_str());
        let path = entry.path().strip_prefix(&folder).context("a walk stays in its folder")?;
        if !entry.file_type().is_file() || path.starts_with(FIXTURES) {
            continue;
        }
        ensure!(extension != Some("yml"), "{name}/{}: the files of a pack end in .yaml: rename it", path.display());
        if !matches!(extension, Some("yaml" | "tsv")) {
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
    check_parameters(&pack)?;
    Ok(pack)
}

/// Checks that releases have the apiVersions of rules between two of them.
fn check_versions(pack: &Pack) -> Result<()> {
    let steps = pack.rules().iter().filter_map(|rule| Some((rule, rule.api_versions.as_ref()?)));
    for (rule, [old, new]) in steps {
        for (version, kind) in [(old, &rule.kind), (new, &rule.new_kind)] {
            let catalog = pack.try_catalog(kind)?;
            if catalog.is_none_or(|catalog| catalog.listing(&version.version).is_empty()) {
                let versions = catalog.map(|catalog| catalog.versions().collect::<Vec<_>>().join(", "));
                let help = format!("its versions are {}", versions.unwrap_or_default());
                let message = format!("apiVersions: no release has {kind} under {version}: {help}");
                let wrong = Wrong::at(Place::key("apiVersions"), message);
                return Err(in_rule(rule, (&pack.folder, &pack.files), &wrong));
            }
        }
    }
    Ok(())
}

/// Checks what a pack says besides its releases, as far as it does not depend on catalogs.
fn check_head(head: &wire::PackFile, line: &ReleaseLine) -> Result<(), Wrong> {
    for (value, correction) in &head.corrections {
        if let Some(bundle) = correction.bundles.iter().find(|bundle| line.bundle_order(bundle).is_none()) {
            let place = Place::At(FieldPath::default().key("corrections").key(value).key("bundles"));
            return Err(Wrong::at(place, format!("corrections: {}", no_bundle(bundle, line))));
        }
    }
    for (at, excluded) in head.excluded.iter().enumerate() {
        check_excluded(excluded, line).map_err(|message| Wrong::at(Place::item("excluded", at), message))?;
    }
    for (at, reference) in head.references.iter().enumerate() {
        reference.check().map_err(|message| Wrong::at(Place::item("references", at), message))?;
    }
    for (at, form) in head.schema_comments.iter().enumerate() {
        check_schema_form(form).map_err(|message| Wrong::at(Place::item("schema-comments", at), message))?;
    }
    Ok(())
}

/// Checks that releases that no target can name are not listed, and that one that is listed can be named instead.
fn check_excluded(excluded: &wire::Excluded, line: &ReleaseLine) -> Result<(), String> {
    if let Some(listed) = excluded.releases.iter().find(|name| !line.of_version(name).is_empty()) {
        return Err(format!("excluded: `releases` lists {listed} too: remove it in one of the two places"));
    }
    let instead = &excluded.instead;
    match line.names().any(|name| name == instead) {
        true => Ok(()),
        false => Err(format!("excluded: `{instead}` is not a release of this pack: name one that is listed")),
    }
}

/// Checks how URLs of schemas end: with a kind and a version.
fn check_schema_form(form: &str) -> Result<(), String> {
    let names = ["{group}", "{group-prefix}", "{kind}", "{version}"];
    let rest = names.iter().fold(form.to_owned(), |rest, name| rest.replace(name, ""));
    if form.contains("{kind}") && form.contains("{version}") && !rest.contains(['{', '}']) {
        return Ok(());
    }
    let wanted = "{kind} and {version}, and besides them no braces but {group} and {group-prefix}";
    Err(format!("schema-comments: `{form}` must have {wanted}"))
}

/// Checks that the pack declares the parameters that its rules read, with the choices that they know.
fn check_parameters(pack: &Pack) -> Result<()> {
    let read = |rule| {
        let rule: &Rule = rule;
        rule.lens(Direction::Forward).parameters().into_iter().map(move |one| (rule, one))
    };
    let full = |one: &wire::Parameter| format!("{}.{}", pack.name(), one.name);
    for (rule, read) in pack.rules().iter().flat_map(read) {
        let Some(declared) = pack.parameters().iter().find(|one| full(one) == read.name) else {
            let names: Vec<String> = pack.parameters().iter().map(full).collect();
            let near = near(read.name, names.iter().map(String::as_str));
            let hint = near.map_or_else(
                || "list it under `parameters` of pack.yaml".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            let place = Place::Text(FieldPath::default(), read.name.to_owned());
            let wrong = Wrong::at(place, format!("the pack has no parameter {}: {hint}", read.name));
            return Err(in_rule(rule, (&pack.folder, &pack.files), &wrong));
        };
        let knows = |choice: &String| read.choices.contains(&choice.as_str());
        let fits = match &declared.values {
            wire::ParameterValues::Choices { choices, .. } => choices.iter().all(knows),
            wire::ParameterValues::Format(_) => false,
        };
        ensure!(
            read.choices.is_empty() || fits,
            "{}.yaml: the parameter {} must have the choices {}",
            rule.id,
            read.name,
            read.choices.join(", ")
        );
        let has = |wanted: &str| match &declared.values {
            wire::ParameterValues::Choices { choices, .. } => choices.iter().any(|choice| choice == wanted),
            wire::ParameterValues::Format(_) => false,
        };
        if let Some(wanted) = read.wanted.filter(|wanted| !has(wanted)) {
            let place = Place::Text(FieldPath::default(), wanted.to_owned());
            let wrong = Wrong::at(place, format!("the parameter {} has no choice `{wanted}`", read.name));
            return Err(in_rule(rule, (&pack.folder, &pack.files), &wrong));
        }
    }
    Ok(())
}

/// Reads the pack in `folder` even if it makes no sense; `None` where that is no pack's folder.
///
/// # Errors
/// A failure that names the file (and line) that cannot be read or is not what it should be.
pub fn read_if_pack(folder: &Path) -> Result<Option<Pack>> {
    folder.join("pack.yaml").is_file().then(|| read_draft(folder)).transpose()
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
    let own = carriers(folder, &files, &Prepared::new())?;
    load_with(folder, files, &packs::carriers([(folder, &own)]))
}

/// Reads a pack from its files; values of its charts can be in `carriers`, its own among them.
///
/// # Errors
/// As [`load`].
pub(super) fn load_with(folder: &str, files: PackFiles, carriers: &Carriers) -> Result<Pack> {
    load_prepared(folder, files, &Prepared::new(), carriers)
}

/// Reads the carriers that a pack describes.
fn carriers(folder: &str, files: &PackFiles, prepared: &Prepared) -> Result<CarrierFile> {
    let read = |text: &Cow<'static, str>| parse(&format!("{folder}/{CARRIERS}"), text, prepared.get(CARRIERS).copied());
    files.get(CARRIERS).map_or_else(|| Ok(CarrierFile::default()), read)
}

/// Reads a pack from its files, some of which are `prepared`.
///
/// # Errors
/// As [`load`].
pub(super) fn load_prepared(
    folder: &str,
    mut files: PackFiles,
    prepared: &Prepared,
    all_carriers: &Carriers,
) -> Result<Pack> {
    let all = files.clone();
    let text =
        files.remove("pack.yaml").with_context(|| format!("{folder} has no pack.yaml: pass the folder of a pack"))?;
    let json = |path: &str| prepared.get(path).copied();
    let mut head: wire::PackFile = parse(&format!("{folder}/pack.yaml"), &text, json("pack.yaml"))?;
    let own = carriers(folder, &files, prepared)?;
    files.remove(CARRIERS);
    let in_head = |wrong: &Wrong| wrong.in_file(&format!("{folder}/pack.yaml"), &text);
    head.check_names(folder).map_err(|message| anyhow!("{folder}/pack.yaml: {message}"))?;
    let line = head.line().map_err(|message| in_head(&Wrong::at(Place::key("releases"), message)))?;
    check_head(&head, &line).map_err(|wrong| in_head(&wrong))?;
    let places: Places =
        head.charts.iter().map(|chart| (chart.name.clone(), values::places(chart, all_carriers))).collect();
    let mut catalogs = BTreeMap::new();
    let mut rules = Vec::new();
    let mut size = 0;
    for (path, text) in files {
        let file = format!("{folder}/{path}");
        if let Some(stem) = path.strip_prefix("catalog/").and_then(|path| path.strip_suffix(".tsv")) {
            catalogs.insert(GroupKind::parse(stem), LazyCatalog { file, text, read: OnceLock::new() });
        } else if let Some(place) = misplaced(&path) {
            bail!("{file}: {place}");
        } else if let Some(id) = path.strip_suffix(".yaml") {
            let id = format!("{}/{id}", head.name);
            let written = Written { file: &file, id: &id, text: &text, json: json(&path) };
            rules.extend(rules_of(&written, &line, &places, &mut size)?);
        }
    }
    check_kinds(&rules, (folder, &all), &head.groups, &catalogs.keys().collect())?;
    let retyping = rules.iter().filter(|rule| rule.kind != rule.new_kind);
    let settled: BTreeMap<_, _> =
        retyping.map(|rule| ((rule.order, rule.kind.clone()), rule.new_kind.clone())).collect();
    for rule in rules.iter_mut().filter(|rule| rule.kind == rule.new_kind) {
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
    let release_notes =
        ReleaseNotes::check(&mut head, &line, &catalogs.keys().collect()).map_err(|wrong| in_head(&wrong))?;
    let values = places.into_values().flatten().collect();
    Ok(Pack {
        name: head.name,
        author: Author::Person,
        aliases: head.aliases,
        folder: folder.to_owned(),
        files: all,
        title: head.title,
        source: head.source,
        groups: head.groups,
        annotations: head.annotations,
        corrections: head.corrections,
        excluded: head.excluded,
        companions: head.releases.into_iter().map(|release| release.companion).collect(),
        triggers: head.triggers,
        artifacts: head.artifacts,
        tag_suffixes: head.tag_suffixes,
        schema_comments: head.schema_comments,
        references: head.references,
        values,
        charts: head.charts,
        parameters: head.parameters,
        line,
        catalogs,
        rules,
        rules_by_kind,
        version_orders,
        release_notes,
        carriers: own,
        default_groups: OnceLock::new(),
    })
}

/// Checks that the pack, of which the folder and the files are given, has `kinds` for all rules about kinds of its own groups.
fn check_kinds(
    rules: &[Rule],
    (folder, files): (&str, &PackFiles),
    groups: &[String],
    kinds: &BTreeSet<&GroupKind>,
) -> Result<()> {
    for rule in rules {
        let known = |kind: &&GroupKind| groups.contains(&kind.group);
        for kind in [&rule.kind, &rule.new_kind].into_iter().filter(known) {
            if !kinds.contains(kind) {
                let place = Place::Text(FieldPath::default(), kind.to_string());
                return Err(in_rule(rule, (folder, files), &Wrong::at(place, no_catalog(kind, kinds.iter().copied()))));
            }
        }
    }
    Ok(())
}

/// Makes the error that something is wrong in a rule's file; the folder and the files of its pack are given.
fn in_rule(rule: &Rule, (folder, files): (&str, &PackFiles), wrong: &Wrong) -> Error {
    let path = format!("{}.yaml", rule.id.split_once('/').map_or("", |(_, path)| path));
    let text = files.get(&path).map_or("", |text| text);
    wrong.in_file(&format!("{folder}/{path}"), text)
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
    /// Makes the error that something is wrong at a place in the file.
    fn wrong(&self, place: Place, message: impl Into<String>) -> Error {
        Wrong::at(place, message).in_file(self.file, self.text)
    }

    fn parse(&self) -> Result<wire::RuleFile> {
        parse(self.file, self.text, self.json)
    }
}

/// The places of a chart's values that rules can be about, by the chart's name.
type Places = BTreeMap<String, Vec<values::Place>>;

/// Says where a file belongs that is neither a catalog nor a rule.
fn misplaced(path: &str) -> Option<&'static str> {
    let is_catalog = path.ends_with(".tsv");
    match path.split('/').count() {
        _ if is_catalog => Some("a catalog is a file catalog/KIND.GROUP.tsv: move it to the folder catalog"),
        _ if path.starts_with("catalog/") => {
            Some("the folder catalog holds files KIND.GROUP.tsv alone: move or remove it")
        }
        2 => None,
        _ => Some("a rule is a file BUNDLE/RULE.yaml: move it to the folder of the bundle that made the change"),
    }
}

/// Reads a rule's file: one rule for each kind that it is about. `size` is that of all rules so far.
fn rules_of(written: &Written<'_>, line: &ReleaseLine, charts: &Places, size: &mut usize) -> Result<Vec<Rule>> {
    let (file, mut first) = (written.file, written.parse()?);
    let places: Vec<values::Place> = match (first.kind.take(), &first.values) {
        (Some(kinds), None) => kinds.list().into_iter().map(values::Place::whole).collect(),
        (None, Some(chart)) => match charts.get(chart.as_str()) {
            Some(places) => places.clone(),
            None => {
                let near = near(chart, charts.keys().map(String::as_str)).map(|near| format!(": did you mean {near}?"));
                let help = near.unwrap_or_else(|| ": add it to `charts` in pack.yaml".to_owned());
                return Err(written.wrong(Place::key("values"), format!("the pack has no chart {chart}{help}")));
            }
        },
        (Some(_), Some(_)) => {
            return Err(written.wrong(Place::key("values"), "write `kind` or `values`, not both"));
        }
        (None, None) => return Err(written.wrong(Place::key("summary"), "write the `kind` that the rule is about")),
    };
    if places.is_empty() {
        let place = if first.values.is_some() { "values" } else { "kind" };
        let message = "the rule matches no kind: list one under `kind`, or name a chart of pack.yaml under `values`";
        return Err(written.wrong(Place::key(place), message));
    }
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
    let order = line.bundle_order(bundle).with_context(|| format!("{file}: its folder {}", no_bundle(bundle, line)))?;
    for channel in &wire.channels {
        line.channel(channel.name())
            .map_err(|message| written.wrong(Place::key("channels"), format!("channels: {message}")))?;
    }
    let within = wire.within.as_ref().map(|text| line.parse_set(text)).transpose();
    let new_kind = new_kind(written, &lens, &kind)?;
    if let Some([old, new]) = &wire.api_versions {
        let wrong = |message: String| Err(written.wrong(Place::key("apiVersions"), message));
        if wire.within.is_some() {
            let message = "`within` names releases; a rule with `apiVersions` has none: remove one of them";
            return Err(written.wrong(Place::key("within"), message));
        }
        if old == new {
            return wrong(
                "apiVersions: the second one is the same as the first: write the one before and the one after"
                    .to_owned(),
            );
        }
        for (version, kind) in [(old, &kind), (new, &new_kind)] {
            if version.group != kind.group {
                let help = format!("write {}/{}, or another kind", kind.group, version.version);
                return wrong(format!("apiVersions: {version} is not of the group of {kind}: {help}"));
            }
        }
    }
    let backward = lens.inverse(&kind);
    let back_kind = backward.retypes(&new_kind).pop().unwrap_or_else(|| new_kind.clone());
    let within = within.map_err(|message| written.wrong(Place::key("within"), format!("within: {message}")))?;
    let lens_text = text.split_once("\nlens:\n").map_or("", |(_, lens)| lens);
    Ok(Rule {
        id: (*id).to_owned(),
        text: lens_text.to_owned(),
        summary: wire.summary.clone(),
        values: wire.values.clone(),
        kind,
        final_kind: new_kind.clone(),
        new_kind,
        back_kind,
        channels: wire.channels.clone(),
        needs: wire.needs,
        advice: wire.advice.clone(),
        api_versions: wire.api_versions.clone(),
        within,
        source: wire.source.clone(),
        order,
        forward: lens,
        backward,
    })
}

/// Returns the kind that a rule about `kind` gives its objects, which must be one alone: they come back from that.
fn new_kind(written: &Written<'_>, lens: &Lens, kind: &GroupKind) -> Result<GroupKind> {
    let kinds = lens.retypes(kind);
    let first = kinds.first().unwrap_or(kind);
    match kinds.iter().find(|other| *other != first) {
        Some(other) => {
            let message =
                format!("the rule makes of a {kind} a {first} or a {other}: write one rule for each new kind");
            Err(written.wrong(Place::text("lens", other.to_string()), message))
        }
        None => Ok(first.clone()),
    }
}

/// Reads a file: from its JSON if there is one; errors come from the YAML, since JSON has no lines to name.
fn parse<T: DeserializeOwned>(file: &str, text: &str, json: Option<&str>) -> Result<T> {
    if let Some(read) = json.and_then(|json| serde_json::from_str(json).ok()) {
        return Ok(read);
    }
    serde_yaml::from_str(text).map_err(|error| {
        let message = error.to_string();
        let place = error.location().map(|place| (place.line(), place.column()));
        let (line, column) = place.unwrap_or((1, 1));
        let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
        let (plain, meant) = (pair(message), meant(message).unwrap_or_default());
        anyhow!("{file}:{line}:{column}: {}{meant}", plain.as_deref().unwrap_or(message))
    })
}

/// Says what to write where a message is about a list that must hold two values.
fn pair(message: &str) -> Option<String> {
    let wanted = [", expected an array of length 2", ", expected sequence of 2 elements"];
    let start = wanted.iter().find_map(|wanted| message.strip_suffix(wanted))?;
    let (path, _) = start.split_once(": invalid")?;
    let key = path.rsplit('.').next().unwrap_or(path);
    Some(format!("{path}: there must be two in a list: write `{key}: [ONE, OTHER]`"))
}

/// Returns which of the names that a message lists may stand for the one that it is about.
fn meant(message: &str) -> Option<String> {
    let (_, rest) = message.split_once('`')?;
    let (name, rest) = rest.split_once('`')?;
    let (_, names) = rest.split_once("expected ").or_else(|| rest.split_once("the operations are "))?;
    let is_part = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_'));
    let names = names.split(is_part).filter(|word| !matches!(*word, "" | "one" | "of" | "or"));
    near(name, names).map(|near| format!("; did you mean `{near}`?"))
}

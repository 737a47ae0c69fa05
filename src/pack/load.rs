//! Answers: how does a pack get from files into checked form?
//!
//! [`load`] takes a pack's files as (path, text) and reads `pack.yaml` and every rule; [`read_folder`] brings the files of a
//! folder given with `--pack`. Every failure names file, line and column.
//!
//! Invariant: the id of a rule is its path, its release is its folder; nothing is said twice.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, ensure};
use serde::de::DeserializeOwned;

use super::{LazyCatalog, Pack, Rule, wire};
use crate::release::{GroupKind, ReleaseLine};

/// The largest file of a pack, in bytes.
pub const MAX_PACK_FILE: u64 = 16 << 20;

/// The files of one pack: path within the pack's folder with `/`, and text.
pub type PackFiles = BTreeMap<String, Cow<'static, str>>;

/// Reads the files of a pack folder that is not built in, and checks every catalog.
///
/// # Errors
/// A failure that names the file (and line) that cannot be read or is not what it should be.
pub fn read_folder(folder: &Path) -> Result<Pack> {
    let folder = folder.canonicalize().with_context(|| format!("cannot open the pack {}", folder.display()))?;
    let name = folder.file_name().and_then(|name| name.to_str()).context("a pack's folder has a name in UTF-8")?;
    let mut files = PackFiles::new();
    for entry in walkdir::WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot list the pack {}", folder.display()))?;
        let is_data = matches!(entry.path().extension().and_then(|text| text.to_str()), Some("yaml" | "tsv"));
        if !entry.file_type().is_file() || !is_data {
            continue;
        }
        let path = entry.path().strip_prefix(&folder).context("a walk stays in its folder")?;
        let path = path.to_str().with_context(|| format!("{} is no name in UTF-8", path.display()))?;
        ensure!(entry.metadata()?.len() <= MAX_PACK_FILE, "{path} is larger than {MAX_PACK_FILE} bytes");
        let text =
            std::fs::read_to_string(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
        files.insert(path.replace('\\', "/"), Cow::Owned(text));
    }
    let pack = load(name, files)?;
    for kind in pack.kinds() {
        pack.try_catalog(kind)?;
    }
    Ok(pack)
}

/// Reads a pack from its files.
///
/// # Errors
/// A failure that names the file and line that is not what it should be.
pub fn load(name: &str, mut files: PackFiles) -> Result<Pack> {
    let all = files.clone();
    let text = files.remove("pack.yaml").with_context(|| format!("{name} has no pack.yaml"))?;
    let head: wire::PackFile = parse(&format!("{name}/pack.yaml"), &text)?;
    let line = head.line().map_err(|message| anyhow!("{name}/pack.yaml: {message}"))?;
    let mut catalogs = BTreeMap::new();
    let mut rules = Vec::new();
    for (path, text) in files {
        let file = format!("{name}/{path}");
        if let Some(stem) = path.strip_prefix("catalog/").and_then(|path| path.strip_suffix(".tsv")) {
            catalogs.insert(GroupKind::parse(stem), LazyCatalog { file, text, read: OnceLock::new() });
        } else if let Some(id) = file.strip_suffix(".yaml") {
            rules.push(rule(&file, id, &text, &line)?);
        }
    }
    for rule in &rules {
        for kind in [&rule.kind, &rule.new_kind] {
            ensure!(catalogs.contains_key(kind), "{}.yaml: the pack has no catalog of {kind}", rule.id);
        }
    }
    rules.sort_by(|left, right| (left.order, &left.id).cmp(&(right.order, &right.id)));
    Ok(Pack {
        name: name.to_owned(),
        files: all,
        title: head.title,
        source: head.source,
        groups: head.groups,
        line,
        catalogs,
        rules,
    })
}

fn rule(file: &str, id: &str, text: &str, line: &ReleaseLine) -> Result<Rule> {
    let wire: wire::RuleFile = parse(file, text)?;
    let bundle = id.split('/').nth(1).unwrap_or_default();
    let order = line.bundle_order(bundle).with_context(|| format!("{file}: `{bundle}` is no bundle of this pack"))?;
    let new_kind = wire.lens.retypes().unwrap_or(&wire.kind).clone();
    let backward = wire.lens.inverse(&wire.kind);
    let written = text.split_once("\nlens:\n").map_or("", |(_, lens)| lens);
    Ok(Rule {
        id: id.to_owned(),
        text: written.to_owned(),
        summary: wire.summary,
        kind: wire.kind,
        new_kind,
        channels: wire.channels,
        source: wire.source,
        order,
        forward: wire.lens,
        backward,
    })
}

fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T> {
    serde_yaml::from_str(text).map_err(|error| match error.location() {
        Some(place) => anyhow!("{file}:{}:{}: {error}", place.line(), place.column()),
        None => anyhow!("{file}: {error}"),
    })
}

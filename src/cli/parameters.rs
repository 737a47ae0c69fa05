//! The values of `--set` and of `[set]` in `reversion.toml`: what no file shows.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use crate::pack::wire::{Format, Parameter};
use crate::pack::{Pack, Packs, near};

/// Reads `--set`: names as packs declare them.
pub(super) fn passed(values: &[String], packs: &Packs) -> Result<BTreeMap<String, String>> {
    let mut read = BTreeMap::new();
    for text in values.iter().filter(|text| !text.is_empty()) {
        let (name, value) = text
            .split_once('=')
            .with_context(|| format!("--set: write NAME=VALUE, such as ngf.namespace=nginx-gateway, not `{text}`"))?;
        let name = declared(name, value, packs).context("--set")?;
        ensure!(read.insert(name.clone(), value.to_owned()).is_none(), "--set: {name} is set twice");
    }
    Ok(read)
}

/// Checks that a pack declares the parameter `name`, and that `value` is valid for it; returns its name with that of the pack, where
/// `name` has an alias.
///
/// # Errors
/// A failure that lists the parameters, or the valid form of the value.
pub(super) fn declared(name: &str, value: &str, packs: &Packs) -> Result<String> {
    let of_alias =
        name.split_once('.').and_then(|(pack, rest)| Some(format!("{}.{rest}", packs.named(pack).ok()?.name())));
    let name = of_alias.as_deref().unwrap_or(name);
    let of_pack = |pack: &'_ Pack| {
        let named = |one: &Parameter| (format!("{}.{}", pack.name(), one.name), one.format);
        pack.parameters().iter().map(named).collect::<Vec<_>>()
    };
    let declared: BTreeMap<String, Format> = packs.iter().flat_map(of_pack).collect();
    let format = declared.get(name).with_context(|| {
        let names: Vec<&str> = declared.keys().map(String::as_str).collect();
        match near(name, names.iter().copied()) {
            Some(near) => format!("no pack has the parameter `{name}`: did you mean {near}?"),
            None => format!("no pack has the parameter `{name}`; there are: {}", names.join(", ")),
        }
    })?;
    ensure!(!value.is_empty(), "{name} has no value");
    ensure!(format.accepts(value), "`{value}` is not a valid {name}: write {}", format.description());
    Ok(name.to_owned())
}

//! The values of `--set` and of `[set]` in `reversion.toml`: what no file shows.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use super::near::near;
use crate::pack::wire::{Format, Parameter};
use crate::pack::{Pack, Packs};

/// Reads `--set`: names as packs declare them.
pub(super) fn passed(values: &[String], packs: &Packs) -> Result<BTreeMap<String, String>> {
    let mut read = BTreeMap::new();
    for text in values.iter().filter(|text| !text.is_empty()) {
        let (name, value) = text
            .split_once('=')
            .with_context(|| format!("--set: write NAME=VALUE, such as ngf.namespace=nginx-gateway, not `{text}`"))?;
        check(name, value, packs).context("--set")?;
        ensure!(read.insert(name.to_owned(), value.to_owned()).is_none(), "--set: {name} is set twice");
    }
    Ok(read)
}

/// Checks that a pack declares the parameter `name`, and that `value` is valid for it.
///
/// # Errors
/// A failure that lists the parameters, or the valid form of the value.
pub(super) fn check(name: &str, value: &str, packs: &Packs) -> Result<()> {
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
    Ok(())
}

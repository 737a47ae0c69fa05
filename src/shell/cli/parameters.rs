//! The values of `--set` and of `[set]` in `reversion.toml`: what no file shows, and what the user chooses.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use crate::knowledge::pack::wire::ParameterValues;
use crate::knowledge::pack::{Packs, near};

/// Values of parameters by their full names: `ngf.namespace`.
type Values = BTreeMap<String, String>;

/// Reads `--set`: names as packs declare them, with the pack or, for every pack that has the parameter, without.
pub(super) fn passed(values: &[String], packs: &Packs) -> Result<Values> {
    let mut written = Vec::new();
    for text in values.iter().filter(|text| !text.is_empty()) {
        let (name, value) = text
            .split_once('=')
            .with_context(|| format!("--set: write NAME=VALUE, such as ngf.namespace=nginx-gateway, not `{text}`"))?;
        let name = full_name(name, packs);
        ensure!(written.iter().all(|(other, _)| *other != name), "--set: {name} is set twice");
        check(&name, value, packs).context("--set")?;
        written.push((name, value));
    }
    Ok(by_full_name(written, packs))
}

/// Returns the name of a parameter with that of its pack, where it is written with an alias of the pack.
pub(super) fn full_name(name: &str, packs: &Packs) -> String {
    let of_pack = name.split_once('.').and_then(|(pack, rest)| Some((packs.named(pack).ok()?, rest)));
    of_pack.map_or_else(|| name.to_owned(), |(pack, rest)| format!("{}.{rest}", pack.name()))
}

/// Returns the values under the full names of their parameters; one that names its pack takes precedence over one for all packs.
pub(super) fn by_full_name<'t>(written: impl IntoIterator<Item = (String, &'t str)>, packs: &Packs) -> Values {
    let (of_one, of_all): (Vec<_>, Vec<_>) = written.into_iter().partition(|(name, _)| name.contains('.'));
    let mut values = Values::new();
    for (name, value) in of_all {
        let named = packs.parameters().filter(|(_, parameter)| parameter.name == name);
        values.extend(named.map(|(full, _)| (full, value.to_owned())));
    }
    values.extend(of_one.into_iter().map(|(name, value)| (name, value.to_owned())));
    values
}

/// Checks that a pack declares the parameter `name`, and that `value` is valid for it, in every pack that has it.
///
/// # Errors
/// A failure that lists the parameters, or the valid form of the value.
pub(super) fn check(name: &str, value: &str, packs: &Packs) -> Result<()> {
    let declared: Vec<_> = packs.parameters().collect();
    let named: Vec<_> = declared.iter().filter(|(full, parameter)| full == name || parameter.name == name).collect();
    if named.is_empty() {
        let full: Vec<&str> = declared.iter().map(|(full, _)| full.as_str()).collect();
        let bare = declared.iter().map(|(_, parameter)| parameter.name.as_str()).filter(|_| !name.contains('.'));
        match near(name, bare.chain(full.iter().copied())) {
            Some(near) => bail!("no pack has the parameter `{name}`: did you mean {near}?"),
            None => bail!("no pack has the parameter `{name}`; there are: {}", full.join(", ")),
        }
    }
    ensure!(!value.is_empty(), "{name} has no value");
    for (full, parameter) in named {
        ensure!(
            parameter.values.accepts(value),
            "`{value}` is not a valid {full}: {}",
            valid(value, &parameter.values)
        );
    }
    Ok(())
}

/// Says what to write instead of `value`.
fn valid(value: &str, values: &ParameterValues) -> String {
    let near = match values {
        ParameterValues::Choices { choices, .. } => near(value, choices.iter().map(String::as_str)),
        ParameterValues::Format(_) => None,
    };
    near.map_or_else(|| format!("write {}", values.description()), |near| format!("did you mean {near}?"))
}

//! How the values of options are read that are no plain texts or paths.

use clap::builder::{OsStringValueParser, TypedValueParser};

use super::pack_source::PackSource;
use crate::knowledge::pack::wire;

/// Reads where a pack is.
pub(super) fn pack_source() -> impl TypedValueParser<Value = PackSource> {
    OsStringValueParser::new().try_map(PackSource::parse)
}

/// Reads the variable of a switch.
pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text.to_lowercase().as_str() {
        "1" | "true" | "t" | "yes" | "y" | "on" => Ok(true),
        "0" | "false" | "f" | "no" | "n" | "off" => Ok(false),
        _ => Err("the REVERSION_* variable of a switch is 1 or 0, true or false, yes or no, on or off".to_owned()),
    }
}

/// Reads a word that is not empty.
pub(super) fn word(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("write a word of the output, such as held-back".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// Reads the name of a namespace.
pub(super) fn namespace(text: &str) -> Result<String, String> {
    let format = wire::Format::DnsLabel;
    if format.accepts(text) { Ok(text.to_owned()) } else { Err(format!("write {}", format.description())) }
}

/// Reads a number of threads.
pub(super) fn threads(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|number| *number <= 64);
    number.ok_or_else(|| "write a number from 0 to 64".to_owned())
}

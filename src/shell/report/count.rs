//! How many files and objects a run saw, and how numbers are printed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::escape::visible;
use crate::knowledge::pack::crds::from_crds;

/// How many of what is alike are named, where not all are.
pub(super) const PLACES: usize = 3;

/// How many files and objects a run saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// How many files are listed with `--files-from`; then the other counts are of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<usize>,
    /// Files with a manifest's extension that were read.
    pub files: usize,
    /// Of these, files that contain a known API group: only they were parsed.
    #[serde(rename = "parsedFiles")]
    pub parsed: usize,
    /// Objects in the parsed files.
    pub objects: usize,
    /// Of these, objects of a kind that a pack knows.
    pub recognized: usize,
    /// Templates, skipped.
    pub templates: usize,
    /// Files that are no text, skipped.
    pub binaries: usize,
    /// Files and folders that a `.reversionignore` names.
    pub ignored: usize,
    /// Files that could not be read or understood.
    pub failed: usize,
    /// Objects of groups that no pack and no CRD of the run has, where CRDs were passed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", rename = "unknownGroups")]
    pub unknown_groups: BTreeMap<String, usize>,
    /// Whether the run is about objects that do not count as recognized: those of other shards, or of branches of templates that are not for
    /// the target, and what is accepted.
    #[serde(skip)]
    pub is_about_others: bool,
}

/// Prints a number with a comma between thousands.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Prints a count with its noun: `1 file`, `1,203 files`.
pub(crate) fn plural(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Names the fields that change, behind words that say so; nothing where a rule says which.
pub(super) fn named_fields(fields: &[String]) -> String {
    match fields {
        [] => String::new(),
        fields if fields.len() <= PLACES => format!(": {}", visible(&fields.join(", "))),
        fields => {
            let (first, more) = fields.split_at(PLACES);
            format!(": {} and {} more", visible(&first.join(", ")), thousands(more.len()))
        }
    }
}

/// Lists what there is to choose from: `a, b or c`.
pub fn one_of(names: &[impl AsRef<str>]) -> String {
    match names {
        [] => String::new(),
        [name] => name.as_ref().to_owned(),
        [others @ .., last] => {
            let others: Vec<&str> = others.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", others.join(", "), last.as_ref())
        }
    }
}

/// Names what objects are looked for, which is not every object of an API: a pack knows some of its kinds.
pub(crate) fn known_to(packs: &[impl AsRef<str>]) -> String {
    if let [crds] = packs
        && crds.as_ref() == from_crds::NAME
    {
        return "object of a kind that the CRDs describe".to_owned();
    }
    let pack = if packs.len() == 1 { "the pack" } else { "one of the packs" };
    format!("object of a kind that {pack} {} knows", one_of(packs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas() {
        assert_eq!([0, 999, 1000, 1234567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(plural(1, "file"), "1 file");
        assert_eq!(plural(0, "file"), "0 files");
    }

    #[test]
    fn the_last_name_of_several_follows_or() {
        assert_eq!([&["a"][..], &["a", "b"], &["a", "b", "c"]].map(one_of), ["a", "a or b", "a, b or c"]);
    }
}

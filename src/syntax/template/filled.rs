//! Answers: is what a template prints still YAML after edits, whatever its holes print?
//!
//! In a reading a hole prints nothing. Keys or items that an edit puts beside it can have another column, be of another kind of collection, or be
//! there twice; behind `{}`, which `toYaml` prints of an empty mapping, there can be none.
//!
//! Invariant: what is no YAML before the edits is no reason against them.

use super::hole::{data, document, is_behind_item, region};
use super::reading::{Hole, Reading};
use super::written_yaml::write_yaml;
use crate::syntax::text::EditSet;

/// How many of the values that a hole prints by default are tried.
const MOST: usize = 4;

/// What users can set.
const ANY: [&str; 2] = ["reversion: 1", "- 1"];

/// Returns the action of the first hole of a reading in whose mapping or list something changes with `edits`, if the reading is YAML with what it
/// prints and `after`, which has these edits, is not.
pub(super) fn spoiled_hole(reading: &Reading, edits: &EditSet, after: &Reading) -> Option<usize> {
    let is_near = |hole: &Hole| {
        let region = region(&reading.text, hole);
        edits.edits().iter().any(|edit| edit.span.start <= region.end && region.start <= edit.span.end)
    };
    let mut pairs = reading.holes.iter().zip(&after.holes).filter(|(own, _)| is_near(own));
    let spoiled = |(own, new): &(&Hole, &Hole)| {
        let is_before = |printed: &str| is_yaml_with(&reading.text, own, printed);
        let stays = |printed: &str| is_yaml_with(&after.text, new, printed);
        // Where no item stands before it, it can be either.
        let any = &ANY[usize::from(is_behind_item(&reading.text, own))..];
        let mut any = any.iter().filter(|printed| is_before(printed)).map(|printed| stays(printed)).peekable();
        let is_lost = any.peek().is_some() && !any.any(|stays| stays);
        is_lost || by_default(own).iter().any(|printed| is_before(printed) && !stays(printed))
    };
    pairs.find(spoiled).map(|(own, _)| own.action)
}

/// Returns whether the document of a text that has a hole is YAML if that prints these lines.
fn is_yaml_with(text: &str, hole: &Hole, printed: &str) -> bool {
    let Some(column) = hole.column else { return false };
    let before = document(&text[..hole.at]);
    let behind = &text[hole.at..];
    let end = behind.find("\n---").map_or(behind.len(), |feed| feed + 1);
    let own = before.rfind('\n').map_or(before, |feed| &before[feed + 1..]);
    let indentation = " ".repeat(column);
    let lines = printed.lines().collect::<Vec<_>>().join(&format!("\n{indentation}"));
    let first = match own.trim().is_empty() {
        true => indentation.get(own.len()..).unwrap_or_default().to_owned(),
        false if own.len() == column && own.ends_with(' ') => String::new(),
        false => format!("\n{indentation}"),
    };
    data(&format!("{before}{first}{lines}{}", &behind[..end])).is_some()
}

/// Returns what a hole prints where users set nothing.
fn by_default(hole: &Hole) -> Vec<String> {
    hole.by_default.iter().flatten().filter(|value| !value.is_null()).take(MOST).map(write_yaml).collect()
}

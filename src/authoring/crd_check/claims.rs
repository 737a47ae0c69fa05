//! Whether the rules of a pack convert what breaks.

use super::change::{Change, Class};
use crate::engine::finding::Code;
use crate::knowledge::lens::{Direction, Image};
use crate::knowledge::pack::{Pack, Rule};
use crate::syntax::field::FieldPattern;

/// Lists the changes that break objects and that no rule of the pack is about, nor a reason that it gives for dropping something.
pub(super) fn changes(changes: &[Change], pack: &Pack) -> Vec<Change> {
    let unclaimed = changes.iter().filter(|change| is_of_objects(change) && !is_claimed(change, pack));
    let text = format!("no rule of the pack {} covers this", pack.name());
    unclaimed
        .map(|change| Change { code: Code::CrdUnclaimed, class: None, text: text.clone(), ..change.clone() })
        .collect()
}

/// Returns whether objects must be converted because of a change.
fn is_of_objects(change: &Change) -> bool {
    match change.class {
        Some(Class::Breaking | Class::Renamed) => change.field.is_some(),
        Some(Class::Dropped) => change.code == Code::CrdRemoved,
        Some(Class::Documentation | Class::Additive | Class::Loosened | Class::Tightened) | None => false,
    }
}

fn is_claimed(change: &Change, pack: &Pack) -> bool {
    let field = change.field.clone().unwrap_or_default();
    let converts = |rule: &Rule| match change.code {
        Code::CrdRemoved => rule.new_kind != rule.kind || rule.lens(Direction::Forward).image(&field) == Image::Refused,
        _ => is_about(rule, &field),
    };
    let is_dropped = pack.release_notes().dropped.iter().any(|entry| {
        let is_field = entry.field.as_ref().map_or(change.field.is_none(), |above| field.starts_with(above));
        entry.kind == change.kind && is_field
    });
    is_dropped || pack.rules().iter().any(|rule| rule.kind == change.kind && converts(rule))
}

/// Returns whether a rule moves, drops or refuses a field, or something in it.
fn is_about(rule: &Rule, field: &FieldPattern) -> bool {
    let lens = rule.lens(Direction::Forward);
    let claims = lens.claims();
    let mut claimed = claims.old.iter().chain(&claims.new);
    lens.image(field) != Image::Kept || claimed.any(|claimed| claimed.starts_with(field) || field.starts_with(claimed))
}

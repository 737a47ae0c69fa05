//! Answers: which kinds do several rules of one bundle make of other kinds, so that nothing tells what an object was before?
//!
//! Invariant: nothing is read but the rules.

use std::collections::BTreeMap;

use crate::knowledge::lens::Direction;
use crate::knowledge::pack::pack::Pack;
use crate::knowledge::pack::place::Place;
use crate::knowledge::pack::rule::Rule;
use crate::knowledge::release::GroupKind;

/// Finds the rules that would convert an object back although another rule of the bundle would, too: a rule, the place in its file,
/// what is wrong there, and what to write.
pub(super) fn check(pack: &Pack) -> Vec<(&Rule, Place, String, String)> {
    let mut first: BTreeMap<(usize, &GroupKind), &Rule> = BTreeMap::new();
    let mut messages = Vec::new();
    for rule in pack.rules().iter().filter(|rule| comes_back_always(rule)) {
        let Some(other) = first.insert((rule.order, &rule.new_kind), rule) else { continue };
        let text = format!("a {} was a {} or, by {}, a {}", rule.new_kind, rule.kind, other.id, other.kind);
        let help = "write `one-way: true` in one of the two rules, or a `when` whose `back` tells them apart";
        messages.push((rule, Place::key("lens"), text, help.to_owned()));
    }
    messages
}

/// Returns whether a rule gives every object of its new kind the old one back.
fn comes_back_always(rule: &Rule) -> bool {
    rule.lens(Direction::Backward).always_retypes(&rule.new_kind)
}

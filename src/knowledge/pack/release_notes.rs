//! Answers: what does a pack know beyond fields and rules?
//!
//! [`ReleaseNotes`] are the checked lists of `pack.yaml`: advisories, hints, unions, and removals without a rule, with the reason.
//!
//! Invariant: every note names bundles and kinds that the pack has.

use std::collections::BTreeSet;

use serde_json::Value;

use super::nearest::{no_bundle, no_catalog};
use super::place::{Place, Wrong};
use super::wire;
use crate::knowledge::lens::{Condition, Direction, Template};
use crate::knowledge::release::{Channel, GroupKind, ReleaseId, ReleaseLine, ReleaseSet};
use crate::syntax::field::{FieldPath, FieldPattern, Part};

/// Everything that a pack knows besides its rules.
#[derive(Debug, Default)]
pub struct ReleaseNotes {
    /// What to know when a conversion crosses a bundle, in the order written.
    pub advisories: Vec<Advisory>,
    /// What moved between objects, in the order written.
    pub moves: Vec<Moves>,
    /// What to do by hand about what a release rejects.
    pub hints: Vec<Hint>,
    /// Items of lists that are dropped as a whole if a release does not have their type.
    pub unions: Vec<Union>,
    /// What was removed without a rule, and why.
    pub dropped: Vec<Dropped>,
    /// Changes of meaning that no field shows.
    pub undetectable: Vec<Undetectable>,
}

/// The releases between which an advisory applies.
#[derive(Debug)]
pub enum AdvisoryScope {
    /// Conversions that cross a bundle.
    Bundle {
        /// The bundle, as its position on the release line: crossed between the one before and this one.
        order: usize,
        /// The direction of the conversion.
        direction: Direction,
        /// The channels of the targets.
        channels: Vec<Channel>,
    },
    /// Conversions from one set of releases to another, such as from channel to channel.
    Between {
        /// Where they come from.
        from: ReleaseSet,
        /// Where they lead to.
        to: ReleaseSet,
    },
}

/// Something to know, or to do by hand, when a conversion crosses a bundle or leads from one release to another.
#[derive(Debug)]
pub struct Advisory {
    /// A name that is unique in the pack.
    pub id: String,
    /// The conversions that it is about.
    pub scope: AdvisoryScope,
    /// What it tells something about.
    pub about: wire::About,
    /// Whether it needs no action: something became possible.
    pub additive: bool,
    /// The kinds that it concerns; every kind where there is none.
    pub kinds: Vec<GroupKind>,
    /// What must hold for an object.
    pub condition: Condition,
    /// What to know, as one sentence without a final dot.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// A text that is to be added by hand.
    pub add: Option<Template>,
}

impl Advisory {
    /// Returns what to do about `object`.
    pub fn help_for(&self, object: &Value) -> Option<String> {
        let help = self.help.as_deref()?;
        Some(self.add.as_ref().map_or_else(|| help.to_owned(), |add| add.below(help, object)))
    }

    /// Returns whether it applies to a conversion between two releases.
    pub(crate) fn applies_between(&self, line: &ReleaseLine, from: ReleaseId, to: ReleaseId) -> bool {
        match &self.scope {
            AdvisoryScope::Between { from: starts, to: goals } => starts.contains(from) && goals.contains(to),
            AdvisoryScope::Bundle { order, direction, channels } => {
                let (from, to) = (line.get(from), line.get(to));
                let (older, newer) = match direction {
                    Direction::Forward => (from, to),
                    Direction::Backward => (to, from),
                };
                older.order < *order && *order <= newer.order && channels.contains(&to.channel)
            }
        }
    }

    /// Returns whether it concerns objects of `kind`.
    pub fn has_kind(&self, kind: &GroupKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(kind)
    }
}

/// Fields of objects that move to other objects when a conversion crosses a bundle forward.
#[derive(Debug)]
pub struct Moves {
    /// A name that is unique in the pack.
    pub id: String,
    /// The bundle, as its position on the release line.
    pub order: usize,
    /// The kinds of the objects that had the fields before, of any group.
    pub kinds: Vec<GroupKind>,
    /// What must hold for an object.
    pub condition: Condition,
    /// The places in the object that the fields are written from.
    pub each: FieldPattern,
    /// What must hold for a place.
    pub only: Condition,
    /// The fields, and the new place of each.
    pub fields: Vec<(FieldPattern, String)>,
}

/// What to do by hand about a field, that a release rejects, or a kind that it does not have.
#[derive(Debug)]
pub struct Hint {
    /// The kind.
    pub kind: GroupKind,
    /// The field; the kind itself where there is none.
    pub field: Option<FieldPattern>,
    /// What to do.
    pub help: String,
    /// A text that is to be added by hand.
    pub add: Option<Template>,
}

impl Hint {
    /// Returns what to do about `object`.
    pub fn help_for(&self, object: &Value) -> String {
        self.add.as_ref().map_or_else(|| self.help.clone(), |add| add.below(&self.help, object))
    }
}

/// A list whose items are distinguished by a type, each with fields of its own.
#[derive(Debug)]
pub struct Union {
    /// The kind.
    pub kind: GroupKind,
    /// The items: `spec.rules[].filters[]`.
    pub items: FieldPattern,
    /// The field of an item that names its type.
    pub discriminator: String,
}

/// A kind, field or value that was removed in a bundle and that no rule converts.
#[derive(Debug)]
pub struct Dropped {
    /// The first bundle without it, as its position on the release line.
    pub order: usize,
    /// The channels that it was removed from.
    pub channels: Vec<Channel>,
    /// The kind.
    pub kind: GroupKind,
    /// The field; the kind itself where there is none.
    pub field: Option<FieldPattern>,
    /// The value; the field itself where there is none.
    pub value: Option<String>,
    /// Why no rule converts it.
    pub reason: String,
}

/// A change of meaning that no field shows.
#[derive(Debug)]
pub struct Undetectable {
    /// A name that is unique in the pack.
    pub id: String,
    /// The bundle that made the change, as its position on the release line.
    pub order: usize,
    /// The kinds that it is about.
    pub kinds: Vec<GroupKind>,
    /// What changed.
    pub change: String,
    /// Why no field shows it.
    pub reason: String,
}

impl ReleaseNotes {
    /// Takes the lists out of `head` and checks them; their bundles are on `line`, and the pack has `kinds`.
    pub(crate) fn take(
        head: &mut wire::PackFile,
        line: &ReleaseLine,
        kinds: &BTreeSet<&GroupKind>,
    ) -> Result<Self, Wrong> {
        let order = |bundle: &str, place: FieldPath| {
            let place = Place::At(place.key("bundle"));
            line.bundle_order(bundle).ok_or_else(|| Wrong::at(place, no_bundle(bundle, line)))
        };
        let kind = |kind: &GroupKind, place: FieldPath| {
            let is_there = kinds.contains(kind);
            let wrong = || Wrong::at(Place::Text(place, kind.to_string()), no_catalog(kind, kinds.iter().copied()));
            if is_there { Ok(()) } else { Err(wrong()) }
        };
        let item = |list: &str, at: usize| FieldPath::default().key(list).index(at);
        let mut notes = Self::default();
        for (at, wire) in head.advisories.drain(..).enumerate() {
            let here = item("advisories", at);
            wire.kinds.iter().try_for_each(|named| kind(named, here.key("kinds")))?;
            if wire.additive && wire.help.is_some() {
                let message =
                    format!("advisory {}: what is additive needs no action: remove `help` or `additive`", wire.id);
                return Err(Wrong::at(Place::At(here.key("help")), message));
            }
            if wire.add.is_some() && wire.help.is_none() {
                let message = format!("advisory {}: `add` has no `help`: write what to do with the text", wire.id);
                return Err(Wrong::at(Place::At(here.key("add")), message));
            }
            notes.advisories.push(Advisory {
                scope: scope(&wire, line).map_err(|(key, message)| {
                    Wrong::at(Place::At(here.key(key)), format!("advisory {}: {message}", wire.id))
                })?,
                id: wire.id,
                about: wire.about,
                additive: wire.additive,
                kinds: wire.kinds,
                condition: wire.r#if,
                message: wire.message,
                help: wire.help,
                add: wire.add,
            });
        }
        for (at, wire) in head.moves.drain(..).enumerate() {
            let wire::Moves { id, bundle, kinds, r#if: condition, each, only, fields } = wire;
            let (order, fields) = (order(&bundle, item("moves", at))?, fields.into_iter().collect());
            notes.moves.push(Moves { id, order, kinds, condition, each, only, fields });
        }
        for (at, wire) in head.hints.drain(..).enumerate() {
            let fields = wire.field.map_or_else(|| vec![None], |field| field.list().into_iter().map(Some).collect());
            for named in wire.kind.list() {
                kind(&named, item("hints", at).key("kind"))?;
                let hint = |field: &Option<FieldPattern>| Hint {
                    kind: named.clone(),
                    field: field.clone(),
                    help: wire.help.clone(),
                    add: wire.add.clone(),
                };
                notes.hints.extend(fields.iter().map(hint));
            }
        }
        for (at, wire) in head.unions.drain(..).enumerate() {
            kind(&wire.kind, item("unions", at).key("kind"))?;
            notes.unions.push(Union { kind: wire.kind, items: wire.items, discriminator: wire.discriminator });
        }
        for (at, wire) in head.dropped.drain(..).enumerate() {
            kind(&wire.kind, item("dropped", at).key("kind"))?;
            let order = order(&wire.bundle, item("dropped", at))?;
            let channels = channels(wire.channels, line)
                .map_err(|message| Wrong::at(Place::At(item("dropped", at).key("channels")), message))?;
            let wire::Dropped { kind, field, value, reason, .. } = wire;
            notes.dropped.push(Dropped { order, channels, kind, field, value, reason });
        }
        for (at, wire) in head.undetectable.drain(..).enumerate() {
            let here = item("undetectable", at);
            wire.kinds.iter().try_for_each(|named| kind(named, here.key("kinds")))?;
            let order = order(&wire.bundle, here)?;
            let wire::Undetectable { id, kinds, change, reason, .. } = wire;
            notes.undetectable.push(Undetectable { id, order, kinds, change, reason });
        }
        Ok(notes)
    }

    /// Returns what to do by hand if a release rejects `field` of `kind`, or does not have `kind`.
    pub fn hint(&self, kind: &GroupKind, field: Option<&FieldPattern>) -> Option<&Hint> {
        let same = |hint: Option<&FieldPattern>| match (hint, field) {
            (None, None) => true,
            (Some(hint), Some(field)) => is_one_of(field, hint),
            _ => false,
        };
        let about = |hint: &&Hint| hint.kind == *kind && same(hint.field.as_ref());
        self.hints.iter().find(about)
    }
}

/// Returns whether `field` is one of those that `hint` names; a key of a map is one of its values.
fn is_one_of(field: &FieldPattern, hint: &FieldPattern) -> bool {
    let same = |(one, other): (&Part, &Part)| one == other || matches!((one, other), (Part::Key(_), Part::Values));
    field.parts().len() == hint.parts().len() && field.parts().iter().zip(hint.parts()).all(same)
}

/// Returns the channels that an entry lists, or all.
fn channels(listed: Option<Vec<Channel>>, line: &ReleaseLine) -> Result<Vec<Channel>, String> {
    let Some(listed) = listed else { return Ok(line.channels().to_vec()) };
    for channel in &listed {
        line.channel(channel.name())?;
    }
    Ok(listed)
}

/// Reads which conversions an advisory is about; an error has the key that is wrong.
fn scope(wire: &wire::Advisory, line: &ReleaseLine) -> Result<AdvisoryScope, (&'static str, String)> {
    match (&wire.bundle, wire.direction, &wire.from, &wire.to) {
        (Some(bundle), Some(direction), None, None) => {
            let order = line.bundle_order(bundle).ok_or_else(|| ("bundle", no_bundle(bundle, line)))?;
            let channels = channels(wire.channels.clone(), line).map_err(|message| ("channels", message))?;
            Ok(AdvisoryScope::Bundle { order, direction, channels })
        }
        (None, None, Some(from), Some(to)) if wire.channels.is_none() => {
            let set = |key: &'static str, text: &str| line.parse_set(text).map_err(|message| (key, message));
            Ok(AdvisoryScope::Between { from: set("from", from)?, to: set("to", to)? })
        }
        _ => Err(("id", "write `bundle` and `direction`, or `from` and `to`".to_owned())),
    }
}

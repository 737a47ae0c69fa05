//! Answers: which releases does a project have, and what is known about them besides rules?
//!
//! [`ReleaseNotes`] are the checked lists of `pack.yaml`: advisories, hints, unions, and removals without a rule, with the reason.
//!
//! Invariant: everything here names bundles, channels and kinds that the pack has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::nearest::{no_bundle, no_catalog};
use super::place::{Place, Wrong};
use super::wire;
use crate::knowledge::lens::{Condition, Direction, Template};
use crate::knowledge::release::{Channel, GroupKind, ReleaseId, ReleaseLine, ReleaseSet};
use crate::syntax::field::{FieldPath, FieldPattern, Part};

/// What a run knows of the packs whose releases it is about.
#[derive(Debug)]
pub(crate) struct Releases {
    pub(crate) line: Arc<ReleaseLine>,
    /// The release of another pack for each bundle, by its order.
    pub(crate) companions: Vec<Option<String>>,
    pub(crate) corrections: BTreeMap<String, wire::Correction>,
    pub(crate) excluded: Vec<wire::Excluded>,
    pub(crate) notes: ReleaseNotes,
}

impl Releases {
    /// Takes the releases out of `pack.yaml` and checks them; the pack has `kinds`.
    pub(crate) fn take(written: &mut wire::PackFile, kinds: &BTreeSet<&GroupKind>) -> Result<Self, Wrong> {
        let line = written.line().map_err(|message| Wrong::at(Place::key("releases"), message))?;
        check_corrections(&written.corrections, &line)?;
        for (at, excluded) in written.excluded.iter().enumerate() {
            check_excluded(excluded, &line).map_err(|message| Wrong::at(Place::item("excluded", at), message))?;
        }
        let notes = ReleaseNotes::take(written, &line, kinds)?;
        (written.channels, written.patch_releases) = (Vec::new(), None);
        Ok(Self {
            notes,
            line: Arc::new(line),
            companions: written.releases.drain(..).map(|release| release.companion).collect(),
            corrections: std::mem::take(&mut written.corrections),
            excluded: std::mem::take(&mut written.excluded),
        })
    }
}

/// Checks that corrections name bundles.
fn check_corrections(corrections: &BTreeMap<String, wire::Correction>, line: &ReleaseLine) -> Result<(), Wrong> {
    for (value, correction) in corrections {
        if let Some(bundle) = correction.bundles.iter().find(|bundle| line.bundle_order(bundle).is_none()) {
            let place = Place::At(FieldPath::default().key("corrections").key(value).key("bundles"));
            return Err(Wrong::at(place, format!("corrections: {}", no_bundle(bundle, line))));
        }
    }
    Ok(())
}

/// Checks that releases that no target can name are not listed, and that one that is listed can be named instead.
fn check_excluded(excluded: &wire::Excluded, line: &ReleaseLine) -> Result<(), String> {
    if let Some(listed) = excluded.releases.iter().find(|name| !line.of_version(name).is_empty()) {
        return Err(format!("excluded: `releases` lists {listed} too: remove it in one of the two places"));
    }
    let instead = &excluded.instead;
    match line.names().any(|name| name == instead) {
        true => Ok(()),
        false => Err(format!("excluded: `{instead}` is not a release of this pack: name one that is listed")),
    }
}

/// Everything that a pack knows besides its rules.
#[derive(Debug, Default)]
pub struct ReleaseNotes {
    /// What to know when a conversion crosses a bundle, in the order written.
    pub advisories: Vec<Advisory>,
    /// What moved between objects, in the order written.
    pub moves: Vec<wire::Moves>,
    /// What to do by hand about what a release rejects.
    pub hints: Vec<Hint>,
    /// Items of lists that are dropped as a whole if a release does not have their type.
    pub unions: Vec<wire::Union>,
    /// What was removed without a rule, and why.
    pub dropped: Vec<wire::Dropped>,
    /// Changes of meaning that no field shows.
    pub undetectable: Vec<wire::Undetectable>,
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
    /// What must hold for an object, or for values of the chart.
    pub condition: Condition,
    /// The chart whose values it is about.
    pub values: Option<String>,
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
            check_keys(&wire).map_err(|(key, message)| {
                Wrong::at(Place::At(here.key(key)), format!("advisory {}: {message}", wire.id))
            })?;
            notes.advisories.push(Advisory {
                scope: scope(&wire, line).map_err(|(key, message)| {
                    Wrong::at(Place::At(here.key(key)), format!("advisory {}: {message}", wire.id))
                })?,
                id: wire.id,
                about: wire.about,
                additive: wire.additive,
                kinds: wire.kinds,
                condition: wire.r#if,
                values: wire.values,
                message: wire.message,
                help: wire.help,
                add: wire.add,
            });
        }
        for (at, mut moves) in head.moves.drain(..).enumerate() {
            moves.order = order(&moves.bundle, item("moves", at))?;
            notes.moves.push(moves);
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
        for (at, union) in head.unions.drain(..).enumerate() {
            kind(&union.kind, item("unions", at).key("kind"))?;
            notes.unions.push(union);
        }
        for (at, mut dropped) in head.dropped.drain(..).enumerate() {
            kind(&dropped.kind, item("dropped", at).key("kind"))?;
            dropped.order = order(&dropped.bundle, item("dropped", at))?;
            let channels = channels(dropped.channels.take(), line);
            let at_channels = Place::At(item("dropped", at).key("channels"));
            dropped.channels = Some(channels.map_err(|message| Wrong::at(at_channels, message))?);
            notes.dropped.push(dropped);
        }
        for (at, mut undetectable) in head.undetectable.drain(..).enumerate() {
            let here = item("undetectable", at);
            undetectable.kinds.iter().try_for_each(|named| kind(named, here.key("kinds")))?;
            undetectable.order = order(&undetectable.bundle, here)?;
            notes.undetectable.push(undetectable);
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

/// Checks that the keys of an advisory go together; an error has the key that is wrong.
fn check_keys(wire: &wire::Advisory) -> Result<(), (&'static str, &'static str)> {
    let is_of_object = wire.about == wire::About::Object;
    if wire.additive && wire.help.is_some() {
        return Err(("help", "what is additive needs no action: remove `help` or `additive`"));
    }
    if wire.add.is_some() && wire.help.is_none() {
        return Err(("add", "`add` has no `help`: write what to do with the text"));
    }
    if wire.add.is_some() && !is_of_object {
        return Err(("add", "`add` is shown for an object: remove `about`, or `add`"));
    }
    if wire.values.is_some() && (is_of_object || !wire.kinds.is_empty()) {
        return Err(("values", "values of a chart are no object of a kind: write `about: release`, and no `kinds`"));
    }
    Ok(())
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

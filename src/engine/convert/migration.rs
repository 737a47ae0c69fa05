//! What does an object become on the path to its target?
//!
//! With values of its stash to be restored, the path leads through the release that the stash names.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::choices::Keeping;
use super::fit::Fitting;
use super::remark::{Remark, impossible};
use super::rules::{self, Start};
use super::shapes::Shape;
use super::stash::Stash;
use super::state::{Log, Source};
use super::subject::Subject;
use super::target_schema::{TargetSchema, missing_kind};
use crate::engine::finding::Code;
use crate::engine::infer::infer;
use crate::knowledge::lens::Session;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseSet};
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::Intent;

/// The values of a stash that are restored on the path.
#[derive(Clone, Copy)]
pub(super) struct Restoring<'s> {
    pub(super) stash: &'s Stash,
    /// The numbers of the values.
    pub(super) numbers: &'s BTreeSet<usize>,
}

/// An object's data at the target.
#[derive(Clone)]
pub(super) struct Migration<'a> {
    pub(super) kind: GroupKind,
    /// Its apiVersion, where rules convert the kind between apiVersions.
    pub(super) version: Option<ApiVersion>,
    pub(super) session: Session<'a>,
    pub(super) source: Source,
    pub(super) log: Log,
    /// What the target rejects.
    pub(super) blocks: Vec<Remark>,
    /// Why its apiVersion rejects the object with what was lost on the way there, over a less stable one.
    pub(super) rejected: Option<String>,
}

impl<'a> Migration<'a> {
    /// Converts the object to the target, with these values of its stash restored: to the most stable apiVersion
    /// that holds the object without a loss, else to the one that holds most of it.
    ///
    /// # Errors
    /// Why the target is not reached.
    pub(super) fn run(subject: &Subject<'a>, restore: Option<Restoring<'_>>) -> Result<Self, Vec<Remark>> {
        let mut goals = subject.goals().iter();
        let first = Self::to(subject, restore, goals.next().expect("an object has a goal"));
        if first.as_ref().is_ok_and(Self::is_lossless) {
            return first;
        }
        let mut best: Option<Self> = None;
        for other in goals.filter_map(|goal| Self::to(subject, restore, goal).ok()) {
            let cost = other.cost(subject);
            // What a rule refuses is for the user to decide, and no reason to lose something.
            let least =
                best.as_ref().or(first.as_ref().ok()).map_or(Cost { blocks: 0, lost: 1 }, |best| best.cost(subject));
            // That the kind has no such apiVersion there is no reason where another one is held back for its own.
            let is_first_missing = || first.as_ref().is_ok_and(Self::is_missing) && !other.is_missing();
            if cost < least || best.is_none() && is_first_missing() {
                best = Some(other);
            }
            if cost == Cost::default() {
                break;
            }
        }
        let Some(mut fitting) = best else { return first };
        if !fitting.is_lossless() && fitting.blocks.is_empty() {
            let is_better = |goal: &&Shape| goal.version != fitting.version;
            let mut better = subject.goals().iter().take_while(is_better);
            let is_kept = restore.is_some() || subject.choices().keeping == Keeping::Stash;
            // It may hold the object now that something is lost.
            let onward = |goal: &Shape| {
                let start = Start::new(ReleaseSet::from_iter([goal.release]), fitting.version.as_ref());
                fitting
                    .onward(subject, start, goal)
                    .filter(|onward| !is_kept || onward.session.holds_places_of_losses())
            };
            if let Some(onward) = better.find_map(onward) {
                let blocks = first.as_ref().map_or_else(|blocks| blocks, |first| &first.blocks);
                return Ok(Self { rejected: blocks.first().map(|block| block.message.clone()), ..onward });
            }
        }
        if !fitting.blocks.is_empty() && first.as_ref().is_ok_and(Self::is_missing) {
            return Ok(fitting);
        }
        if let Some((remark, is_warning)) = less_stable(subject, &fitting, first.as_ref()) {
            fitting.log.less_stable(remark, is_warning);
        }
        Ok(fitting)
    }

    /// Converts the object to one shape.
    fn to(subject: &Subject<'a>, restore: Option<Restoring<'_>>, goal: &Shape) -> Result<Self, Vec<Remark>> {
        let mut session = subject.session(subject.object.value.clone());
        let mut log = Log::default();
        let (mut kind, mut version) = (subject.object.kind.clone(), subject.version.clone());
        let mut releases = subject.candidates;
        let mut restored = Vec::new();
        if let Some(Restoring { stash, numbers }) = restore.filter(|restoring| !restoring.numbers.is_empty()) {
            let start = Start::new(releases, version.as_ref());
            let mut bare = session.clone();
            let of_bare =
                rules::run(subject, start.without_origin(), &stash.left, kind.clone(), &mut bare, &mut Log::default());
            kind =
                rules::run(subject, start, &stash.left, kind, &mut session, &mut log).map_err(|block| vec![block])?;
            version.clone_from(&stash.left.version);
            releases = ReleaseSet::from_iter([stash.left.release]);
            let sight = subject.normal(&kind, session.shared());
            let bare = of_bare.ok().filter(|of_bare| *of_bare == kind).map(|kind| subject.normal(&kind, bare.shared()));
            let bare = bare.unwrap_or_else(|| Arc::clone(&sight));
            restored = stash.restore(numbers, &sight, &bare, &mut session).map_err(impossible)?;
        }
        let step = session.program().len();
        let source = Source { kind: kind.clone(), releases, version, value: session.shared(), step, restored };
        let (releases, version) = (source.releases, source.version.clone());
        let start = Start::new(releases, version.as_ref());
        Self { kind, version: None, session, source, log, blocks: Vec::new(), rejected: None }
            .arrive(subject, start, goal)
            .map(|arrived| arrived.settled(subject, goal))
    }

    /// Converts the object to the apiVersion that `complete` has, with these values of its stash restored: what comes back and is lost again
    /// decides about that too, in every run.
    ///
    /// # Errors
    /// Why the target is not reached.
    pub(super) fn like(complete: &Self, subject: &Subject<'a>, restore: Restoring<'_>) -> Result<Self, Vec<Remark>> {
        let goal = subject.goals().iter().find(|goal| goal.version == complete.version);
        let mut fitting = Self::to(subject, Some(restore), goal.expect("it was one of the goals"))?;
        let is_about_version = |remark: &&Remark| remark.code == Code::LessStableVersion;
        fitting.log.warnings.extend(complete.log.warnings.iter().filter(is_about_version).cloned());
        fitting.log.notes.extend(complete.log.notes.iter().filter(is_about_version).cloned());
        Ok(fitting)
    }

    /// Takes the object through the rules that fields of it ruled out, where the conversion removed these.
    fn settled(self, subject: &Subject<'a>, goal: &Shape) -> Self {
        // A new apiVersion alone removes none.
        let version = FieldPath::default().key("apiVersion");
        let is_version = |intent: &Intent| matches!(intent, Intent::Replace { path, .. } if *path == version);
        let start = Start::new(self.source.releases, self.version.as_ref()).without_origin();
        if self.session.program()[self.source.step..].iter().all(is_version)
            || !self.blocks.is_empty()
            || !rules::leaves_out(subject, start, goal, &self.kind)
        {
            return self;
        }
        let Some(catalog) = subject.target.pack.catalog(&self.kind) else { return self };
        let candidates = infer(self.session.object(), catalog, &subject.object.api_version.version).candidates;
        if subject.candidates.is_superset(candidates) {
            return self;
        }
        let start = Start::new(candidates, self.version.as_ref()).without_origin();
        let changes = |onward: &Self| onward.session.program().len() > self.session.program().len();
        self.onward(subject, start, goal).filter(changes).unwrap_or(self)
    }

    /// Takes the object on from `start` to a shape, if that holds it and nothing more is lost: a second run would do that.
    fn onward(&self, subject: &Subject<'a>, start: Start<'_>, goal: &Shape) -> Option<Self> {
        let lost = self.session.losses().len();
        let onward = self.clone().arrive(subject, start, goal).ok()?;
        (onward.blocks.is_empty() && onward.session.losses().len() == lost).then_some(onward)
    }

    /// Takes the object from `start` to one shape.
    fn arrive(self, subject: &Subject<'a>, start: Start<'_>, goal: &Shape) -> Result<Self, Vec<Remark>> {
        let Self { kind, mut session, source, mut log, .. } = self;
        let kind = rules::run(subject, start, goal, kind, &mut session, &mut log).map_err(|block| vec![block])?;
        if goal.version.as_ref().is_some_and(|version| version.group != kind.group) {
            return Err(vec![missing_kind(subject, &kind)]);
        }
        let version = goal.version.clone();
        let wanted = version.as_ref().map(|version| version.version.as_str()).or_else(|| subject.version_as(&kind));
        let fit = |schema| {
            Fitting { subject, source: &source, schema, session: &mut session, log: &mut log }.fit(&kind, wanted)
        };
        let blocks = TargetSchema::of(subject, &kind).and_then(fit).err().unwrap_or_default();
        Ok(Self { kind, version, session, source, log, blocks, rejected: None })
    }

    /// Returns whether the target does not have the kind, or not in the apiVersion.
    fn is_missing(&self) -> bool {
        self.blocks.iter().any(|block| block.code == Code::KindNotInTarget)
    }

    fn is_lossless(&self) -> bool {
        self.blocks.is_empty() && self.session.losses().is_empty()
    }

    /// Returns whether something that the stash restored is lost again.
    pub(super) fn loses_restored(&self) -> bool {
        let Self { session, source, .. } = self;
        let mut lost = session.losses().iter().filter_map(|loss| session.lost_from(source.step, loss));
        lost.any(|lost| source.restored.iter().any(|(_, path)| path.starts_with(&lost) || lost.starts_with(path)))
    }

    /// Returns what the object costs at its apiVersion.
    fn cost(&self, subject: &Subject<'_>) -> Cost {
        let lost = self.session.losses().iter().map(|loss| loss.path.get(&subject.object.value).map_or(1, scalars));
        Cost { blocks: self.blocks.len(), lost: lost.sum() }
    }
}

/// How far an apiVersion is from holding an object; of two that reject as much, the one that loses less is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    /// The number of remarks about what the target rejects.
    blocks: usize,
    /// The number of scalars that are lost, with empty lists and mappings.
    lost: usize,
}

/// Counts the scalars of a value; an empty list or mapping is one.
fn scalars(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(scalars).sum::<usize>().max(1),
        Value::Object(map) => map.values().map(scalars).sum::<usize>().max(1),
        _ => 1,
    }
}

/// Reports that the object gets a less stable apiVersion than the target serves, and what the most stable one cannot hold; and
/// returns whether that is a warning: the target has deprecated the one that it gets, the object is written with the other one, or an action is the reason. Nothing
/// where the more stable one is of another kind, which rules turn into this one.
fn less_stable(
    subject: &Subject<'_>,
    fitting: &Migration<'_>,
    first: Result<&Migration<'_>, &Vec<Remark>>,
) -> Option<(Remark, bool)> {
    let text = |version: Option<&ApiVersion>| version.map(ApiVersion::to_string).unwrap_or_default();
    let goal = subject.goals()[0].version.as_ref();
    let target = subject.target;
    let served = || {
        let catalog = target.pack.catalog(&fitting.kind);
        catalog.into_iter().flat_map(|catalog| catalog.served(target.release))
    };
    let is_other =
        |goal: &&ApiVersion| goal.group == fitting.kind.group && served().all(|one| one.name != goal.version);
    if goal.filter(is_other).is_some() {
        return None;
    }
    let is_written = goal == Some(&subject.object.api_version);
    let goal = text(goal);
    let blocks = first.map_or_else(|blocks| blocks, |first| &first.blocks);
    let lost = first.ok().and_then(|first| first.session.losses().first());
    let (why, help) = match lost {
        Some(loss) => (format!("{}: {}", loss.path, loss.reason), None),
        None => blocks.first().map(|block| (block.message.clone(), block.help.clone())).unwrap_or_default(),
    };
    let is_deprecated = served().any(|served| {
        served.deprecated && fitting.version.as_ref().is_some_and(|version| version.version == served.name)
    });
    let deprecated = if is_deprecated { format!(", which {} has deprecated", target) } else { String::new() };
    // What an action prints can be what it holds.
    let is_seen = lost.is_some() || !blocks.first().is_some_and(|block| subject.is_about_action(block));
    let cannot = if is_seen { "cannot hold it" } else { "may not be able to hold it" };
    let message =
        format!("the object gets {}{deprecated}, because {goal} {cannot}: {why}", text(fitting.version.as_ref()));
    let remark = Remark::new(Code::LessStableVersion, FieldPath::default().key("apiVersion"), message);
    Some((remark.maybe_help(help), is_deprecated || is_written || !is_seen))
}

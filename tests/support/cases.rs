//! Answers: which objects shall a rule be tried on, and on the way between which releases?
//!
//! For a rule and a direction, a [`Course`] lists the releases before and behind the rule, and [`Course::case`] draws an object
//! for one of them. Most objects are drawn until the rule has something to do with them, and half until the target can hold
//! what the rules make of them; the others are as they come.
//!
//! Invariant: a case depends on the seed, the rule, the direction and its number, and on nothing else.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use reversion::field::FieldPath;
use reversion::lens::{Direction, Session};
use reversion::pack::{Pack, Rule, Target, Way};
use reversion::release::{Channel, GroupKind, ReleaseId};
use serde_json::Value;

use super::hints::Hints;
use super::objects::Recipe;
use super::random::Random;

/// How many objects are drawn for one case before the last one is taken as it is.
const TRIES: usize = 60;

/// How many cases of a course are kept: each law asks for the same ones.
const KEPT: u64 = 200;

/// One object on its way from a release to another one.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The release that the object was drawn for.
    pub(crate) start: ReleaseId,
    /// The object's kind.
    pub(crate) kind: GroupKind,
    /// The version within the group that the object is written in.
    pub(crate) version: String,
    /// The release it goes to, on the other side of the rule.
    pub(crate) target: ReleaseId,
    /// The object.
    pub(crate) object: Value,
    /// What its text is drawn from.
    pub(crate) style: u64,
}

/// A rule in one direction, with every way over it.
#[derive(Debug)]
pub(crate) struct Course<'p> {
    pub(crate) pack: &'p Pack,
    pub(crate) rule: &'p Rule,
    pub(crate) direction: Direction,
    /// What tests and tables print.
    pub(crate) name: String,
    starts: Vec<ReleaseId>,
    targets: Vec<ReleaseId>,
    hints: Hints,
    drawn: Mutex<BTreeMap<(u64, u64), Option<Case>>>,
}

/// What the rules made of an object's data, and whether one of them had anything to do.
pub(crate) struct Passage<'s> {
    pub(crate) session: Session<'s>,
    /// The kind afterwards.
    pub(crate) kind: GroupKind,
    /// The rule of the course changed the object, lost something of it or refused it.
    pub(crate) is_met: bool,
    /// No rule refused the object.
    pub(crate) is_through: bool,
}

/// Returns every rule of `pack` in the directions it runs in.
pub(crate) fn courses(pack: &Pack) -> Vec<Course<'_>> {
    // Objects of other packs and mistakes are not drawn from catalogs, and runs here do not know where objects come from.
    let rules =
        pack.rules().iter().filter(|rule| rule.needs.is_none() && rule.values.is_none() && !pack.is_guest(&rule.kind));
    let both = rules.flat_map(|rule| [Direction::Forward, Direction::Backward].map(|direction| (rule, direction)));
    // What only some releases want is made so on the way there, and stays on the way back.
    let run = both.filter(|(rule, direction)| rule.within.is_none() || *direction == Direction::Forward);
    run.map(|(rule, direction)| Course::new(pack, rule, direction)).collect()
}

impl<'p> Course<'p> {
    fn new(pack: &'p Pack, rule: &'p Rule, direction: Direction) -> Self {
        let twins = pack.rules().iter().filter(|other| other.id == rule.id).count();
        let kind = if twins > 1 { format!(" {}", rule.kind.kind) } else { String::new() };
        let name = format!("{}{kind} {}", rule.id, direction.name());
        let beside =
            |other: &&Rule| other.order == rule.order && other.kind == rule.kind && !std::ptr::eq(*other, rule);
        let hints = Hints::of(rule, direction, pack.rules().iter().filter(beside));
        let mut course = Self {
            pack,
            rule,
            direction,
            name,
            starts: Vec::new(),
            targets: Vec::new(),
            hints,
            drawn: Mutex::default(),
        };
        course.starts = course.releases(direction);
        course.targets = course.releases(direction.reversed());
        course
    }

    pub(crate) const fn target(&self, release: ReleaseId) -> Target<'p> {
        Target { pack: self.pack, release }
    }

    /// Returns the releases on one side of the rule that serve its kind, under the name the kind has there.
    fn releases(&self, side: Direction) -> Vec<ReleaseId> {
        let line = self.pack.line();
        let is_newer = |id: ReleaseId| match self.rule.within {
            Some(within) => within.contains(id),
            None => line.get(id).order >= self.rule.order,
        };
        let has_kind = |id: &ReleaseId| self.kind_in(*id).is_some();
        let has_field = |id: &&ReleaseId| {
            let catalog = self.kind_in(**id).and_then(|kind| self.pack.catalog(&kind));
            catalog.is_some_and(|catalog| self.hints.fields.iter().any(|field| catalog.having(field).contains(**id)))
        };
        let is_wish = self.rule.within.is_some();
        let in_channel = |id: &ReleaseId| {
            let channel = line.get(*id).channel;
            is_wish || self.rule.channels.contains(&channel) || channel == Channel::Single
        };
        let served: Vec<ReleaseId> = line.iter().map(|(id, _)| id).filter(has_kind).filter(in_channel).collect();
        let on_side = |id: &&ReleaseId| is_newer(**id) == (side == Direction::Backward);
        let all: Vec<ReleaseId> = served.iter().filter(on_side).copied().collect();
        let with_field: Vec<ReleaseId> = all.iter().filter(has_field).copied().collect();
        match with_field.is_empty() {
            // What some releases want is asked of objects that were in such a release all along, too.
            true if is_wish && side == Direction::Forward => served.iter().filter(has_field).copied().collect(),
            true => all,
            false => with_field,
        }
    }

    /// Returns what the rule's kind is called in `release`, which serves it.
    fn kind_in(&self, release: ReleaseId) -> Option<GroupKind> {
        let called = [final_kind(self.pack, self.rule.from_kind(self.direction), release), self.rule.kind.clone()];
        called.into_iter().find(|kind| is_served(self.pack, kind, release))
    }

    /// Returns the case `number`; `None` where no release lies on one of the rule's sides.
    pub(crate) fn case(&self, seed: u64, number: u64) -> Option<Case> {
        if number >= KEPT {
            return self.draw(seed, number);
        }
        let kept = || self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(case) = kept().get(&(seed, number)) {
            return case.clone();
        }
        let case = self.draw(seed, number);
        kept().insert((seed, number), case.clone());
        case
    }

    fn draw(&self, seed: u64, number: u64) -> Option<Case> {
        let mut random = Random::new(seed, &[&self.name], number);
        let start = nearest(&self.starts, self.direction, &mut random)?;
        let channel = self.pack.line().get(start).channel;
        let same = self.targets.iter().filter(|target| self.pack.line().get(**target).channel == channel);
        let same: Vec<ReleaseId> = same.copied().collect();
        let targets = if same.is_empty() || random.chance(20) { &self.targets } else { &same };
        let target = nearest(targets, self.direction.reversed(), &mut random)?;
        let kind = self.kind_in(start)?;
        let catalog = self.pack.catalog(&kind)?;
        let version = random.pick(&catalog.served(start)).name.to_owned();
        let recipe = Recipe::new(self.pack, catalog, start, &version, &self.hints, target);
        let mut object = recipe.draw(&mut random);
        let (shall_meet, shall_fit) = (random.chance(85), random.chance(60));
        for _ in 0..TRIES {
            let passage = self.run_rules(&kind, &object, target);
            if (passage.is_met || !shall_meet) && (!shall_fit || self.fits(&passage, target)) {
                break;
            }
            let another = recipe.draw(&mut random);
            // Some objects that the rule has to do with never fit: it refuses them all.
            if !passage.is_met || self.run_rules(&kind, &another, target).is_met {
                object = another;
            }
        }
        Some(Case { start, kind, version, target, object, style: random.next() })
    }

    /// Says whether the target has nothing against what the rules made of an object.
    fn fits(&self, passage: &Passage<'_>, target: ReleaseId) -> bool {
        let Some(catalog) = self.pack.catalog(&passage.kind) else { return false };
        let accepts = |version: &str| catalog.check(passage.session.object(), target, version).is_empty();
        passage.is_through
            && passage.session.losses().is_empty()
            && catalog.served(target).iter().any(|version| accepts(version.name))
    }

    /// Runs every rule that leads to `target` on data alone, up to the first that refuses the object.
    pub(crate) fn run_rules(&self, kind: &GroupKind, object: &Value, target: ReleaseId) -> Passage<'static> {
        let mut session = Session::new(object.clone());
        let mut way = Way::new(kind.clone());
        let (mut is_met, mut is_through) = (false, true);
        for (rule, direction) in self.pack.rules_towards(target) {
            if !way.meets(rule, direction) || rule.needs.is_some() {
                continue;
            }
            let before = (session.program().len(), session.losses().len());
            is_through = rule.lens(direction).run(&mut session).is_ok();
            let acts = !is_through || before != (session.program().len(), session.losses().len());
            is_met |= acts && direction == self.direction && std::ptr::eq(rule, self.rule);
            if !is_through {
                break;
            }
            if acts {
                way.follow(rule, direction);
            }
        }
        Passage { session, kind: way.kind().clone(), is_met, is_through }
    }
}

/// Returns what the rules towards `release` make of `kind`.
pub(crate) fn final_kind(pack: &Pack, kind: &GroupKind, release: ReleaseId) -> GroupKind {
    let mut last = kind.clone();
    for (rule, direction) in pack.rules_towards(release) {
        if *rule.from_kind(direction) == last {
            last = rule.to_kind(direction).clone();
        }
    }
    last
}

/// Says whether `release` has `kind`.
pub(crate) fn is_served(pack: &Pack, kind: &GroupKind, release: ReleaseId) -> bool {
    pack.catalog(kind).is_some_and(|catalog| catalog.releases().contains(release))
}

/// Picks the release next to the rule half of the time, and any other one otherwise.
fn nearest(releases: &[ReleaseId], side: Direction, random: &mut Random) -> Option<ReleaseId> {
    let next = match side {
        Direction::Forward => releases.last()?,
        Direction::Backward => releases.first()?,
    };
    Some(if random.chance(50) { *next } else { *random.pick(releases) })
}

/// Returns every place below `value` with the value there, outermost first.
pub(crate) fn walk(value: &Value) -> Vec<(FieldPath, &Value)> {
    let mut found = vec![(FieldPath::default(), value)];
    let mut at = 0;
    while let Some((path, value)) = found.get(at).cloned() {
        at += 1;
        match value {
            Value::Object(map) => found.extend(map.iter().map(|(key, value)| (path.key(key), value))),
            Value::Array(items) => {
                found.extend(items.iter().enumerate().map(|(index, item)| (path.index(index), item)))
            }
            _ => {}
        }
    }
    found
}

//! Answers: on which objects is a rule tested, and between which releases?
//!
//! For a rule and a direction, a [`DirectedRule`] lists the releases on both sides of the rule, and [`DirectedRule::case`] draws an
//! object for one of them. The rule applies to most of the objects, and the target accepts half of them after the conversion; the
//! others are random. Where something else prevents the conversion, such as a field that another rule refuses, it is removed
//! from the object; where that does not help, another object is drawn.
//!
//! Invariant: a case depends on the seed, the rule, the direction and its number, and on nothing else.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use reversion::internals::field::FieldPath;
use reversion::internals::lens::{Context, Direction, Halt, Session};
use reversion::internals::pack::{KindTracker, Pack, Rule, Target};
use reversion::internals::release::{ApiVersion, Channel, GroupKind, ReleaseId};
use serde_json::Value;

use super::hints::Hints;
use super::objects::Recipe;
use crate::support::packs;
use crate::support::random::Random;

/// How many objects are tested between the same two releases before the last one that the rule applies to is used.
const TRIES: usize = 15;

/// How many pairs of releases are tried before an object is used to which the rule does not apply.
const PAIRS: usize = 4;

/// One object to be converted from a release to another one.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The release that the object was drawn for.
    pub(crate) start: ReleaseId,
    /// The object's kind.
    pub(crate) kind: GroupKind,
    /// The version within the group that the object is written in.
    pub(crate) version: String,
    /// The target release, on the other side of the rule.
    pub(crate) target: ReleaseId,
    /// The object.
    pub(crate) object: Value,
    /// What its text is drawn from.
    pub(crate) style: u64,
}

/// A rule in one direction, with the releases on both sides.
#[derive(Debug)]
pub(crate) struct DirectedRule<'p> {
    pub(crate) pack: &'p Pack,
    pub(crate) rule: &'p Rule,
    pub(crate) direction: Direction,
    /// The name that tests and tables print.
    pub(crate) name: String,
    starts: Vec<ReleaseId>,
    targets: Vec<ReleaseId>,
    hints: Hints,
}

/// The properties that an object must have.
struct Requirements {
    /// The rule applies to it.
    applies: bool,
    /// The target accepts the converted object.
    accepted: bool,
}

/// The result of the rules on an object's data.
pub(crate) struct RuleOutcome<'s> {
    pub(crate) session: Session<'s>,
    /// The kind afterwards.
    pub(crate) kind: GroupKind,
    /// The rule changed the object, lost data of it or refused it.
    pub(crate) applies: bool,
    /// The original path for which a rule refused the object; `None` if no rule did.
    pub(crate) refused: Option<FieldPath>,
}

/// Returns every rule of `pack` in the directions it runs in.
pub(crate) fn directed_rules(pack: &Pack) -> Vec<DirectedRule<'_>> {
    // Objects of other packs and mistakes are not drawn from catalogs, and the origin of objects is unknown here.
    let rules = pack
        .rules()
        .iter()
        .filter(|rule| rule.needs.is_none() && rule.values.is_none() && !pack.is_foreign(&rule.kind));
    let both = rules.flat_map(|rule| [Direction::Forward, Direction::Backward].map(|direction| (rule, direction)));
    // What only some releases require is added by the conversion, and kept when converting back.
    let run = both.filter(|(rule, direction)| rule.within.is_none() || *direction == Direction::Forward);
    let directed = run.map(|(rule, direction)| DirectedRule::new(pack, rule, direction));
    // No release of the pack serves an apiVersion that was removed before, and one that the first release has too is never left.
    let can_run =
        |one: &DirectedRule<'_>| one.rule.api_versions.is_none() || !one.starts.is_empty() && !one.targets.is_empty();
    directed.filter(can_run).collect()
}

impl<'p> DirectedRule<'p> {
    fn new(pack: &'p Pack, rule: &'p Rule, direction: Direction) -> Self {
        let same_id = pack.rules().iter().filter(|other| other.id == rule.id).count();
        let kind = if same_id > 1 { format!(" {}", rule.kind.kind) } else { String::new() };
        let name = format!("{}{kind} {}", rule.id, direction.name());
        let is_sibling =
            |other: &&Rule| other.order == rule.order && other.kind == rule.kind && !std::ptr::eq(*other, rule);
        let hints = Hints::of(rule, direction, pack.rules().iter().filter(is_sibling));
        let mut directed = Self { pack, rule, direction, name, starts: Vec::new(), targets: Vec::new(), hints };
        directed.starts = directed.releases(direction);
        directed.targets = directed.releases(direction.reversed());
        directed
    }

    pub(crate) const fn target(&self, release: ReleaseId) -> Target<'p> {
        Target::new(self.pack, release)
    }

    /// Returns the releases on one side of a rule between apiVersions: those that serve what it starts from, and those that serve
    /// what it leads to, without what it starts from where there are such.
    fn serving(&self, versions: &[ApiVersion; 2], side: Direction) -> Vec<ReleaseId> {
        let serves = |id: ReleaseId, version: &ApiVersion| {
            let kind = GroupKind::new(&self.rule.kind.kind, &version.group);
            let catalog = self.pack.catalog(&kind);
            catalog.is_some_and(|catalog| catalog.served(id).iter().any(|served| served.name == version.version))
        };
        let [old, new] = versions;
        let (own, other) = if side == Direction::Forward { (old, new) } else { (new, old) };
        let ids = || self.pack.line().iter().map(|(id, _)| id).filter(|id| serves(*id, own));
        if side == self.direction {
            return ids().collect();
        }
        let alone: Vec<ReleaseId> = ids().filter(|id| !serves(*id, other)).collect();
        // An object that is at its target stays; going back, the newer apiVersion is the better one.
        if alone.is_empty() && side == Direction::Backward { ids().collect() } else { alone }
    }

    /// Returns the releases on one side of the rule that serve its kind, under the kind's name there.
    fn releases(&self, side: Direction) -> Vec<ReleaseId> {
        if let (Some(versions), None) = (&self.rule.api_versions, self.rule.within) {
            return self.serving(versions, side);
        }
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
        let is_within = self.rule.within.is_some();
        let in_channel = |id: &ReleaseId| {
            let channel = &line.get(*id).channel;
            is_within || self.rule.is_made_in(channel) || *channel == Channel::SINGLE
        };
        let served: Vec<ReleaseId> = line.iter().map(|(id, _)| id).filter(has_kind).filter(in_channel).collect();
        let on_side = |id: &&ReleaseId| is_newer(**id) == (side == Direction::Backward);
        let all: Vec<ReleaseId> = served.iter().filter(on_side).copied().collect();
        // What some releases require is also required of objects that were in such a release from the start.
        let starts = if is_within && side == Direction::Forward { &served } else { &all };
        let with_field: Vec<ReleaseId> = starts.iter().filter(has_field).copied().collect();
        if with_field.is_empty() { all } else { with_field }
    }

    /// Returns the kind of the objects that are drawn for `release`.
    fn start_kind(&self, release: ReleaseId) -> Option<GroupKind> {
        match (&self.rule.api_versions, self.rule.within) {
            (Some(_), None) => Some(self.rule.from_kind(self.direction).clone()),
            _ => self.kind_in(release),
        }
    }

    /// Returns the name of the rule's kind in `release`, which serves it.
    fn kind_in(&self, release: ReleaseId) -> Option<GroupKind> {
        let names = [final_kind(self.pack, self.rule.from_kind(self.direction), release), self.rule.kind.clone()];
        names.into_iter().find(|kind| is_served(self.pack, kind, release))
    }

    /// Returns whether the rule changes or refuses any object in this direction.
    pub(crate) fn acts(&self) -> bool {
        !self.rule.lens(self.direction).fidelities().is_empty()
    }

    /// Returns the case `number`; `None` if one side of the rule has no release.
    pub(crate) fn case(&self, seed: u64, number: u64) -> Option<Case> {
        let mut random = Random::new(seed, &[&self.name], number);
        let required = Requirements { applies: self.acts() && random.chance(85), accepted: random.chance(60) };
        let mut last = None;
        for _ in 0..PAIRS {
            // Not every release and apiVersion of a kind has the fields of the rule.
            let (case, applies) = self.draw_case(&required, &mut random)?;
            if applies || !required.applies {
                return Some(case);
            }
            last = Some(case);
        }
        last
    }

    /// Picks two releases, and draws an object for the first one that is repaired, or drawn again, until it has its properties.
    /// Also returns whether the rule applies to it.
    fn draw_case(&self, required: &Requirements, random: &mut Random) -> Option<(Case, bool)> {
        let start = nearest(&self.starts, self.direction, random)?;
        let channel = &self.pack.line().get(start).channel;
        let same = self.targets.iter().filter(|target| self.pack.line().get(**target).channel == *channel);
        let same: Vec<ReleaseId> = same.copied().collect();
        let targets = if same.is_empty() || random.chance(20) { &self.targets } else { &same };
        let target = nearest(targets, self.direction.reversed(), random)?;
        let kind = self.start_kind(start)?;
        let catalog = self.pack.catalog(&kind)?;
        let version = random.pick(&catalog.served(start)).name.to_owned();
        let recipe = Recipe::new(self.pack, catalog, start, &version, &self.hints, target);
        let (mut object, mut applied_to) = (recipe.draw(random), None);
        for _ in 0..TRIES {
            let rule_outcome = self.run_rules(&kind, &object, target);
            if rule_outcome.applies {
                applied_to = Some(object.clone());
            }
            let is_suitable = rule_outcome.applies || !required.applies;
            let blocking = match (is_suitable, required.accepted) {
                (true, true) => self.obstacles(&rule_outcome, target),
                (true, false) => Vec::new(),
                (false, _) => rule_outcome.refused.iter().cloned().collect(),
            };
            if is_suitable && blocking.is_empty() {
                break;
            }
            let repaired = blocking.iter().find_map(|place| recipe.without(&object, place));
            object = repaired.unwrap_or_else(|| recipe.draw(random));
        }
        let applies = applied_to.is_some();
        let object = applied_to.filter(|_| required.applies).unwrap_or(object);
        Some((Case { start, kind, version, target, object, style: random.next() }, applies))
    }

    /// Returns the paths of an object that the rules refuse or lose, or that the target rejects.
    fn obstacles(&self, rule_outcome: &RuleOutcome<'_>, target: ReleaseId) -> Vec<FieldPath> {
        let session = &rule_outcome.session;
        let mut found: Vec<FieldPath> = rule_outcome.refused.iter().cloned().collect();
        found.extend(session.losses().iter().map(|loss| loss.path.clone()));
        if let Some(catalog) = self.pack.catalog(&rule_outcome.kind).filter(|_| found.is_empty()) {
            let violations = |version: &str| catalog.check(session.object(), target, version);
            let by_version = catalog.served(target).into_iter().map(|version| violations(version.name));
            let least = by_version.min_by_key(Vec::len).unwrap_or_default();
            found.extend(least.iter().map(|violation| session.origin(&violation.path)));
        }
        found
    }

    /// Runs every rule that leads to `target` on data alone, up to the first that refuses the object.
    pub(crate) fn run_rules(&self, kind: &GroupKind, object: &Value, target: ReleaseId) -> RuleOutcome<'static> {
        let mut session = session(object.clone());
        let mut tracker = KindTracker::new(kind.clone());
        let (mut applies, mut refused) = (false, None);
        for (rule, direction) in self.pack.rules_to(target) {
            if !tracker.is_subject_to(rule, direction) || rule.needs.is_some() {
                continue;
            }
            let before = (session.program().len(), session.losses().len());
            let halt = rule.lens(direction).run(&mut session).err();
            let acts = halt.is_some() || before != (session.program().len(), session.losses().len());
            applies |= acts && direction == self.direction && std::ptr::eq(rule, self.rule);
            if let Some(Halt::Refused { at: place, .. } | Halt::Conflict { old: place, .. }) = halt {
                refused = Some(session.origin(&place));
                break;
            }
            if acts {
                tracker.record(rule, direction);
            }
        }
        RuleOutcome { session, kind: tracker.kind().clone(), applies, refused }
    }
}

/// Starts with an object alone, in a run whose user chose nothing.
pub(crate) fn session(object: Value) -> Session<'static> {
    static PARAMETERS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| packs().default_parameters());
    static CONTEXT: LazyLock<Context<'static>> = LazyLock::new(|| Context::default().with_parameters(&PARAMETERS));
    Session::new(object).with_context(&CONTEXT)
}

/// Returns the kind that the rules convert `kind` to for `release`.
pub(crate) fn final_kind(pack: &Pack, kind: &GroupKind, release: ReleaseId) -> GroupKind {
    let mut last = kind.clone();
    for (rule, direction) in pack.rules_to(release) {
        if *rule.from_kind(direction) == last {
            last = rule.to_kind(direction).clone();
        }
    }
    last
}

/// Returns whether `release` has `kind`.
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

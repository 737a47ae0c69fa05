//! Answers: which objects shall a rule be tried on, and on the way between which releases?
//!
//! For a rule and a direction, a [`Course`] lists the pairs of releases that lead over the rule, and [`Course::case`] draws an
//! object for one of them. Half of the objects are drawn until the target can hold what the rule makes of them; the other
//! half are as they come.
//!
//! Invariant: a case depends on the seed, the rule, the direction and its number, and on nothing else.

use reversion::field::{FieldPath, FieldPattern, Part, Step};
use reversion::lens::{Claims, Direction, Session};
use reversion::pack::{Pack, Rule, Target};
use reversion::release::{Channel, GroupKind, ReleaseId};
use serde_json::Value;

use super::objects::Recipe;
use super::random::Random;

/// One object on its way from a release to another one.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The release that the object was drawn for.
    pub(crate) start: ReleaseId,
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
#[derive(Clone, Copy)]
pub(crate) struct Course<'p> {
    pub(crate) pack: &'p Pack,
    pub(crate) rule: &'p Rule,
    pub(crate) direction: Direction,
}

impl<'p> Course<'p> {
    /// Returns the name that tests and tables print.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.rule.id, self.direction.name())
    }

    pub(crate) const fn target(&self, release: ReleaseId) -> Target<'p> {
        Target { pack: self.pack, release }
    }

    /// Returns the releases before the rule (`Forward`) or from it on (`Backward`) that can hold what the rule is about.
    fn releases(&self, side: Direction) -> Vec<ReleaseId> {
        let catalog = self.pack.catalog(self.rule.from_kind(side)).expect("checked when the pack was loaded");
        let patterns: Vec<_> = places(self.rule, side);
        let holds = |id: &ReleaseId| {
            let release = self.pack.line().get(*id);
            let older = release.order < self.rule.order;
            let in_channel = self.rule.channels.contains(&release.channel) || release.channel == Channel::Single;
            let has_field = patterns.is_empty() || patterns.iter().any(|pattern| catalog.having(pattern).contains(*id));
            older == (side == Direction::Forward) && in_channel && catalog.releases().contains(*id) && has_field
        };
        self.pack.line().iter().map(|(id, _)| id).filter(holds).collect()
    }

    /// Draws the case `number`; `None` where no release lies on one of the rule's sides.
    pub(crate) fn case(&self, seed: u64, number: u64) -> Option<Case> {
        let mut random = Random::new(seed, &[&self.rule.id, self.direction.name()], number);
        let (starts, targets) = (self.releases(self.direction), self.releases(self.direction.reversed()));
        let start = nearest(&starts, self.direction, &mut random)?;
        let target = nearest(&targets, self.direction.reversed(), &mut random)?;
        let kind = self.rule.from_kind(self.direction);
        let catalog = self.pack.catalog(kind)?;
        let versions = catalog.served(start);
        let version = random.pick(&versions).name;
        let recipe = Recipe::new(self.pack, catalog, start, version, &places(self.rule, self.direction), target);
        let mut object = recipe.draw(&mut random);
        if random.chance(60) {
            for _ in 0..12 {
                if self.fits(&object, target) {
                    break;
                }
                object = recipe.draw(&mut random);
            }
        }
        Some(Case { start, version: version.to_owned(), target, object, style: random.next() })
    }

    /// Says whether the target has nothing against what the rules make of `object`.
    fn fits(&self, object: &Value, target: ReleaseId) -> bool {
        let Some((kind, session)) = self.run_rules(object, target) else { return false };
        let Some(catalog) = self.pack.catalog(&kind) else { return false };
        let served = catalog.served(target);
        let fits = served.iter().any(|version| catalog.check(session.object(), target, version.name).is_empty());
        fits && session.losses().is_empty()
    }

    /// Runs every rule that leads to `target` on data alone; `None` where one halts.
    pub(crate) fn run_rules(&self, object: &Value, target: ReleaseId) -> Option<(GroupKind, Session<'_>)> {
        let mut session = Session::new(object.clone());
        let mut kind = self.rule.from_kind(self.direction).clone();
        for (rule, direction) in self.pack.rules_towards(target) {
            if *rule.from_kind(direction) == kind {
                rule.lens(direction).run(&mut session).ok()?;
                kind = rule.to_kind(direction).clone();
            }
        }
        Some((kind, session))
    }
}

/// Picks the release next to the rule half of the time, and any other one otherwise.
fn nearest(releases: &[ReleaseId], side: Direction, random: &mut Random) -> Option<ReleaseId> {
    let next = match side {
        Direction::Forward => releases.last()?,
        Direction::Backward => releases.first()?,
    };
    Some(if random.chance(50) { *next } else { *random.pick(releases) })
}

/// Returns the fields that `rule` takes away in `direction`, under the names they have before it runs.
pub(crate) fn places(rule: &Rule, direction: Direction) -> Vec<FieldPattern> {
    let steps: Vec<Claims> = rule.lens(direction).operations().iter().map(|operation| operation.claims()).collect();
    let mut renamed: Vec<(FieldPattern, FieldPattern)> = Vec::new();
    let mut found = Vec::new();
    for step in steps {
        for (at, old) in step.old.iter().enumerate() {
            let first = original(&renamed, old);
            if let Some(new) = step.new.get(at) {
                renamed.push((new.clone(), first.clone()));
            }
            if !found.contains(&first) {
                found.push(first);
            }
        }
    }
    found
}

/// Returns what `pattern` was called before the renames.
fn original(renamed: &[(FieldPattern, FieldPattern)], pattern: &FieldPattern) -> FieldPattern {
    let by_length = renamed.iter().filter(|(new, _)| pattern.starts_with(new)).max_by_key(|(new, _)| new.parts().len());
    let Some((new, old)) = by_length else { return pattern.clone() };
    old.join(&FieldPattern::new(pattern.parts()[new.parts().len()..].iter().cloned()))
}

/// Returns the fields that a rule removes without a counterpart on the other side, which it may do without a loss.
pub(crate) fn dropped(rule: &Rule, direction: Direction) -> Vec<FieldPattern> {
    let operations = rule.lens(direction).operations().iter();
    operations
        .map(|operation| operation.claims())
        .filter(|step| step.new.is_empty())
        .flat_map(|step| step.old)
        .collect()
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

/// Says whether `pattern` leads to `path`.
pub(crate) fn leads(pattern: &FieldPattern, path: &FieldPath) -> bool {
    let fits = |(part, step): (&Part, &Step)| match (part, step) {
        (Part::Key(key), Step::Key(name)) => key == name,
        (Part::Items, Step::Index(_)) | (Part::Values, Step::Key(_)) => true,
        _ => false,
    };
    pattern.parts().len() == path.steps().len() && pattern.parts().iter().zip(path.steps()).all(fits)
}

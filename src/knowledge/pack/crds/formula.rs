//! Answers: which relations among fields say the same as a formula about them?
//!
//! What a CRD demands is a formula of statements about single fields. It is brought into clauses, of each of which one statement must hold;
//! those that follow from others go, and what is left is said as relations. Neither `a or not a` nor two values of
//! one field in a conjunction are simplified further than that.
//!
//! Invariant: an object that fits the formula fits its relations.

use serde_json::Value;

use crate::knowledge::catalog::{Literal, Relation};
use crate::syntax::field::FieldPattern;

/// The most clauses that a formula is brought into.
const MOST: usize = 256;

/// Statements that are combined.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Formula {
    One(Literal),
    /// All hold; of none: it is true.
    All(Vec<Self>),
    /// One holds; of none: it is false.
    Any(Vec<Self>),
}

/// Statements of which one must hold.
type Clause = Vec<Literal>;

impl Formula {
    pub(super) const TRUE: Self = Self::All(Vec::new());
    pub(super) const FALSE: Self = Self::Any(Vec::new());

    pub(super) fn not(self) -> Self {
        match self {
            Self::One(literal) => Self::One(literal.negated()),
            Self::All(parts) => Self::Any(parts.into_iter().map(Self::not).collect()),
            Self::Any(parts) => Self::All(parts.into_iter().map(Self::not).collect()),
        }
    }

    /// Says that `then` holds where `test` does, and `otherwise` where it does not.
    pub(super) fn either(test: &Self, then: Self, otherwise: Self) -> Self {
        let one = Self::All(vec![test.clone(), then]);
        Self::Any(vec![one, Self::All(vec![test.clone().not(), otherwise])])
    }

    /// Says that no two of `parts` hold.
    pub(super) fn at_most_one(parts: &[Self]) -> Self {
        let pair = |one: &Self, other: &Self| Self::Any(vec![one.clone().not(), other.clone().not()]);
        let pairs =
            parts.iter().enumerate().flat_map(|(at, one)| parts[at + 1..].iter().map(move |other| pair(one, other)));
        Self::All(pairs.collect())
    }

    /// Returns the statements that hold together, if the formula is no more than that.
    pub(super) fn literals(&self) -> Option<Vec<Literal>> {
        self.clauses()?.into_iter().map(|clause| <[Literal; 1]>::try_from(clause).ok().map(|[only]| only)).collect()
    }

    /// Returns the relations that say the same; `None` where these would be too many.
    pub(super) fn relations(&self) -> Option<Vec<Relation>> {
        let mut clauses = self.clauses()?;
        let mut found = exclusions(&mut clauses);
        found.extend(clauses.into_iter().map(implication));
        Some(found)
    }

    fn clauses(&self) -> Option<Vec<Clause>> {
        let clauses = match self {
            Self::One(literal) => vec![vec![literal.clone()]],
            Self::All(parts) => parts.iter().map(Self::clauses).collect::<Option<Vec<_>>>()?.concat(),
            Self::Any(parts) => {
                let mut all = vec![Clause::new()];
                for part in parts {
                    let clauses = part.clauses()?;
                    let both = |one: &Clause| clauses.iter().filter_map(|other| joined(one, other)).collect::<Vec<_>>();
                    all = irredundant(all.iter().flat_map(both).collect())?;
                }
                all
            }
        };
        irredundant(clauses)
    }
}

/// Joins two clauses; `None` where one of the statements always holds.
fn joined(one: &Clause, other: &Clause) -> Option<Clause> {
    let mut all = one.clone();
    for literal in other {
        if all.contains(&literal.clone().negated()) {
            return None;
        }
        if let Some((field, more)) = values(literal) {
            let same = all.iter_mut().find_map(|known| match known {
                Literal::Is(known, values) if known == field => Some(values),
                _ => None,
            });
            if let Some(values) = same {
                values.extend(more.iter().filter(|value| !values.contains(value)).cloned().collect::<Vec<_>>());
                values.sort_by_cached_key(Value::to_string);
                continue;
            }
        }
        if !all.iter().any(|known| implies(literal, known)) {
            all.retain(|known| !implies(known, literal));
            all.push(literal.clone());
        }
    }
    Some(all)
}

fn values(literal: &Literal) -> Option<(&FieldPattern, &[Value])> {
    match literal {
        Literal::Is(field, values) => Some((field, values)),
        _ => None,
    }
}

/// Removes the clauses that follow from others; `None` where too many are left.
fn irredundant(clauses: Vec<Clause>) -> Option<Vec<Clause>> {
    let mut kept: Vec<Clause> = Vec::new();
    for clause in clauses {
        let follows =
            |from: &Clause, clause: &Clause| from.iter().all(|one| clause.iter().any(|other| implies(one, other)));
        if !kept.iter().any(|other| follows(other, &clause)) {
            kept.retain(|other| !follows(&clause, other));
            kept.push(clause);
        }
        if kept.len() > MOST {
            return None;
        }
    }
    Some(kept)
}

/// Returns whether the second statement holds wherever the first does.
fn implies(one: &Literal, other: &Literal) -> bool {
    let Literal::Present(field) = other else { return one == other };
    let is_inside = one.field().starts_with(field);
    is_inside && !(matches!(one, Literal::Absent(_)) && one.field() == field)
}

/// Takes the clauses that exclude fields from each other.
fn exclusions(clauses: &mut Vec<Clause>) -> Vec<Relation> {
    let pairs: Vec<[FieldPattern; 2]> = clauses.iter().filter_map(pair).collect();
    let is_excluded = |one: &FieldPattern, other: &FieldPattern| {
        one != other && pairs.iter().any(|pair| pair.contains(one) && pair.contains(other))
    };
    let mut groups: Vec<Vec<FieldPattern>> = Vec::new();
    for field in pairs.iter().flatten() {
        if groups.iter().any(|group| group.contains(field)) {
            continue;
        }
        match groups.iter_mut().find(|group| group.iter().all(|other| is_excluded(field, other))) {
            Some(group) => group.push(field.clone()),
            None => groups.push(vec![field.clone()]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups.iter_mut().for_each(|group| group.sort());
    let in_group =
        |[one, other]: &[FieldPattern; 2], group: &Vec<FieldPattern>| group.contains(one) && group.contains(other);
    clauses.retain(|clause| pair(clause).is_none_or(|pair| !groups.iter().any(|group| in_group(&pair, group))));
    let relation = |group: Vec<FieldPattern>| {
        let is_whole = |clause: &Clause| {
            clause.len() == group.len()
                && clause.iter().all(|one| matches!(one, Literal::Present(field) if group.contains(field)))
        };
        match clauses.iter().position(is_whole) {
            Some(at) => {
                clauses.remove(at);
                Relation::ExactlyOneOf(group)
            }
            None => Relation::AtMostOneOf(group),
        }
    };
    groups.into_iter().map(relation).collect()
}

/// Returns the two fields of which a clause says that one is absent.
fn pair(clause: &Clause) -> Option<[FieldPattern; 2]> {
    match clause.as_slice() {
        [Literal::Absent(one), Literal::Absent(other)] => Some([one.clone(), other.clone()]),
        _ => None,
    }
}

/// Says a clause as what follows from what.
fn implication(clause: Clause) -> Relation {
    // Where a field is absent, nothing is said of what it holds.
    let is_guard = |literal: &Literal| {
        let is_about = |other: &Literal| other != literal && other.field().starts_with(literal.field());
        matches!(literal, Literal::Absent(_)) && clause.iter().any(is_about)
    };
    let ranks: Vec<usize> =
        clause.iter().map(|literal| if is_guard(literal) { GUARD } else { rank(literal) }).collect();
    let best = ranks.iter().min().copied().unwrap_or_default();
    let (then, others): (Vec<_>, Vec<_>) = clause.into_iter().zip(ranks).partition(|(_, rank)| *rank == best);
    let (then, others) = (literals(then), literals(others));
    Relation::Implies { when: others.into_iter().map(Literal::negated).collect(), then }
}

fn literals(ranked: Vec<(Literal, usize)>) -> Vec<Literal> {
    ranked.into_iter().map(|(literal, _)| literal).collect()
}

/// The rank of what only says that there is something to speak of.
const GUARD: usize = 5;

/// Orders statements by how well they say what is demanded.
fn rank(literal: &Literal) -> usize {
    match literal {
        Literal::Present(_) => 0,
        Literal::Is(_, values) if values.iter().all(|value| value == "") => 3,
        Literal::IsNot(_, values) if values.iter().all(|value| value == "") => 1,
        Literal::Is(..) | Literal::Longer(..) | Literal::Matches(..) | Literal::MoreItems(..) => 1,
        Literal::Absent(_) | Literal::MatchesNot(..) | Literal::NotMoreItems(..) => 2,
        Literal::NotLonger(..) => 3,
        Literal::IsNot(..) => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn present(name: &str) -> Formula {
        Formula::One(Literal::Present(FieldPattern::default().key(name)))
    }

    #[track_caller]
    fn says(formula: &Formula, expected: &Value) {
        let relations = formula.relations().unwrap();
        assert_eq!(serde_json::to_value(&relations).unwrap(), *expected);
    }

    #[test]
    fn alternatives_that_exclude_each_other_are_one_of_them() {
        let fields = ["a", "b", "c"].map(present);
        let only = |at: usize| {
            let parts = fields.iter().enumerate();
            Formula::All(
                parts.map(|(other, field)| if at == other { field.clone() } else { field.clone().not() }).collect(),
            )
        };
        says(&Formula::Any(vec![only(0), only(1), only(2)]), &json!([{"exactlyOneOf": ["a", "b", "c"]}]));
        says(&Formula::at_most_one(&fields), &json!([{"atMostOneOf": ["a", "b", "c"]}]));
    }

    #[test]
    fn what_follows_from_something_else_is_left_out() {
        let inner = Formula::One(Literal::Present(FieldPattern::parse("a.b").unwrap()));
        let longer = Formula::One(Literal::Longer(FieldPattern::default().key("a"), 0));
        says(&Formula::All(vec![present("a"), inner]), &json!([{"implies": {"then": [{"present": "a.b"}]}}]));
        let both = Formula::All(vec![present("a"), longer]);
        says(
            &Formula::Any(vec![both, present("b")]),
            &json!([
                {"implies": {"when": [{"notLonger": ["a", 0]}], "then": [{"present": "b"}]}}
            ]),
        );
    }
}

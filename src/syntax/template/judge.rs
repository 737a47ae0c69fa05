//! Answers: does a condition hold for the target, and in a reading?
//!
//! Conditions have three values. What is neither known of the cluster nor follows from what is assumed in a reading is open, and
//! can be assumed. Equal expressions have one value; a field that holds something is in one that does.
//!
//! Invariant: what is assumed never contradicts what is known, or what was assumed before.

use super::constraint::satisfies;
use super::description::Ranges;
use super::environment::Environment;
use super::expression::Expression;
use super::memo::{Asked, Found, Known, Memo};
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// How many steps one question may take.
const FUEL: u32 = 4000;

/// A resolved expression, with the text by which it is known what is assumed of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Resolved {
    pub(super) value: Expression,
    pub(super) text: Arc<str>,
    /// The words of the text.
    words: u64,
}

impl From<Expression> for Resolved {
    fn from(value: Expression) -> Self {
        let text: Arc<str> = value.to_string().into();
        Self { value, words: words(&text), text }
    }
}

/// What is assumed of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The action whose condition it is.
    pub(super) action: usize,
    /// Most claims are in many lists.
    pub(super) condition: Arc<Resolved>,
    pub(super) holds: bool,
}

/// One thing that was assumed, by the text of the expression.
#[derive(Clone)]
enum Assumed {
    Truth(Arc<str>),
    Constant(Arc<str>),
}

/// A condition made of others that something is assumed about.
#[derive(Clone)]
struct Composite {
    condition: Arc<Resolved>,
    holds: bool,
}

/// How much was assumed at a time, for [`Judge::forget`].
#[derive(Clone, Copy)]
pub(super) struct Mark {
    order: usize,
    composites: usize,
}

/// Decides about conditions.
#[derive(Clone)]
pub(super) struct Judge<'e> {
    pub(super) environment: Environment<'e>,
    /// What is assumed, by the text of the expression.
    truths: BTreeMap<Arc<str>, bool>,
    /// The constants that expressions are assumed to equal.
    constants: BTreeMap<Arc<str>, Expression>,
    composites: Vec<Composite>,
    /// What was assumed, in order.
    order: Vec<Assumed>,
    pub(super) level: Cell<u32>,
    fuel: Cell<u32>,
    /// What was looked up of what is assumed, while that is recorded.
    asked: RefCell<Option<Asked>>,
    /// What was found before in the same environment.
    pub(super) known: Rc<Known>,
}

impl<'e> Judge<'e> {
    pub(super) fn new(environment: Environment<'e>) -> Self {
        Self::with(environment, &Rc::default())
    }

    /// Creates a judge that takes what others `found` in the same environment.
    pub(super) fn with(environment: Environment<'e>, found: &Rc<Known>) -> Self {
        Self {
            environment,
            known: Rc::clone(found),
            truths: BTreeMap::new(),
            constants: BTreeMap::new(),
            composites: Vec::new(),
            order: Vec::new(),
            level: Cell::new(0),
            fuel: Cell::new(FUEL),
            asked: RefCell::new(None),
        }
    }

    /// Finds something; returns it with what was looked up for it of what is assumed.
    fn recording<T>(&self, find: impl FnOnce() -> T) -> (Asked, T) {
        let outer = self.asked.replace(Some(Asked::default()));
        let found = find();
        let asked = self.asked.replace(outer).unwrap_or_default();
        self.record_asked(|outer| outer.add(&asked));
        (asked, found)
    }

    /// Returns what was found for `text` where the same was assumed, else what is found now.
    pub(super) fn once<T>(&self, memo: &Memo<T>, text: &str, ranges: &Ranges, find: impl FnOnce() -> T) -> Rc<T> {
        let is_same = |found: &Found<T>| self.is_asked_alike(&found.asked, ranges) && self.spend_all(found.steps);
        if let Some(known) = memo.get(text, is_same) {
            self.record_asked(|asked| asked.add(&known.asked));
            return known.value;
        }
        let before = self.fuel.get();
        let (asked, value) = self.recording(find);
        let (steps, value) = (before.saturating_sub(self.fuel.get()), Rc::new(value));
        if asked.is_complete() && self.fuel.get() > 0 {
            memo.keep(text, Found { asked: Rc::new(asked), steps, value: Rc::clone(&value) });
        }
        value
    }

    /// Returns whether all that was looked up is the same here, where `ranges` go through these collections.
    fn is_asked_alike(&self, asked: &Asked, ranges: &Ranges) -> bool {
        asked.truths.iter().all(|(text, truth)| self.truths.get(text.as_str()) == truth.as_ref())
            && asked.constants.iter().all(|(text, constant)| self.constants.get(text.as_str()) == constant.as_ref())
            && asked.ranges.iter().all(|(range, collection)| ranges.get(range) == collection.as_ref())
    }

    /// Records what was looked up, if that is recorded.
    pub(super) fn record_asked(&self, record: impl FnOnce(&mut Asked)) {
        if let Some(asked) = self.asked.borrow_mut().as_mut() {
            record(asked);
        }
    }

    /// Returns what is assumed of the condition with a text.
    pub(super) fn assumed(&self, text: &str) -> Option<bool> {
        let truth = self.truths.get(text).copied();
        self.record_asked(|asked| asked.add_truth(text, truth));
        truth
    }

    /// Returns the constant that the expression with a text is assumed to be.
    pub(super) fn constant(&self, text: &str) -> Option<&Expression> {
        let constant = self.constants.get(text);
        self.record_asked(|asked| asked.add_constant(text, constant));
        constant
    }

    /// Takes one step of those that a question may take.
    pub(super) fn spend(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }

    /// Begins another question.
    pub(super) fn refuel(&self) {
        self.fuel.set(FUEL);
    }

    /// Takes as many steps at once, if there are more left; returns whether there are.
    fn spend_all(&self, steps: u32) -> bool {
        let left = self.fuel.get();
        self.fuel.set(if steps < left { left - steps } else { left });
        steps < left
    }

    /// Takes what is printed as `origin` for this text.
    pub(super) fn take_for(&mut self, origin: &str, text: &str) {
        self.constants.insert(origin.into(), Expression::Text(text.to_owned()));
    }

    /// Returns whether the resolved `condition` holds; `None` where that is open.
    pub(super) fn truth(&self, condition: &Expression) -> Option<bool> {
        if !self.spend() {
            return None;
        }
        self.assumed(&condition.to_string()).or_else(|| self.derived(condition))
    }

    /// Returns whether a condition holds, whose text is known.
    pub(super) fn truth_of(&self, condition: &Resolved) -> Option<bool> {
        if !self.spend() {
            return None;
        }
        self.assumed(&condition.text).or_else(|| self.derived(&condition.value))
    }

    /// Returns whether `condition` holds by the values of its parts.
    fn derived(&self, condition: &Expression) -> Option<bool> {
        match condition {
            Expression::Text(text) => Some(!text.is_empty()),
            Expression::Word(word) => Some(!matches!(word.as_str(), "false" | "nil" | "0")),
            Expression::Path(path) => self.holds_something(path),
            Expression::Member(..) | Expression::Data(_) => None,
            Expression::Call(function, arguments) => self.test(function, arguments),
        }
    }

    fn holds_something(&self, path: &str) -> Option<bool> {
        if let Some(constant) = self.constant(path) {
            return self.derived(constant);
        }
        let mut outer = path.match_indices('.').map(|(end, _)| &path[..end]);
        if outer.any(|outer| self.assumed(outer) == Some(false)) {
            return Some(false);
        }
        matches!(path, "$" | "$.Values" | "$.Chart" | "$.Release" | "$.Capabilities").then_some(true)
    }

    fn test(&self, function: &str, arguments: &[Expression]) -> Option<bool> {
        match (function, arguments) {
            ("not" | "empty", [value]) => self.truth(value).map(|truth| !truth),
            ("and", _) => self.all(arguments, true),
            ("or" | "default" | "coalesce", _) => self.all(arguments, false).map(|none| !none),
            ("ternary", [yes, no, condition]) => self.truth(if self.truth(condition)? { yes } else { no }),
            ("eq", [first, rest @ ..]) => {
                let equal: Vec<_> = rest.iter().map(|other| self.equal(first, other)).collect();
                let open = equal.contains(&None);
                (equal.contains(&Some(true)) || !open).then(|| equal.contains(&Some(true)))
            }
            ("ne", [_, _]) => self.truth(&Expression::call("eq", arguments.to_vec())).map(|equal| !equal),
            ("lt" | "le" | "gt" | "ge", [first, second]) => {
                Some(compare(function, self.number(first)?.cmp(&self.number(second)?)))
            }
            ("list" | "tuple" | "dict", _) => Some(!arguments.is_empty()),
            ("semverCompare", [constraint, version]) => {
                let version =
                    self.outputs(version).is_cluster_version().then(|| self.environment.facts.kube_version())??;
                satisfies(version, self.outputs(constraint).known()?)
            }
            (_, [name]) if function.ends_with(".Capabilities.APIVersions.Has") => {
                self.environment.facts.has_api(self.outputs(name).known()?)
            }
            ("include" | "template" | "printf" | "print" | "trim" | "toString", _) => {
                self.outputs(&Expression::call(function, arguments.to_vec())).truth()
            }
            _ => None,
        }
    }

    /// Returns whether all conditions have the value `expected`.
    fn all(&self, conditions: &[Expression], expected: bool) -> Option<bool> {
        let mut all = Some(true);
        for condition in conditions {
            match self.truth(condition) {
                Some(truth) if truth == expected => {}
                Some(_) => return Some(false),
                None => all = None,
            }
        }
        all
    }

    fn equal(&self, one: &Expression, other: &Expression) -> Option<bool> {
        let constant = |value: &Expression| self.constant(&value.to_string()).unwrap_or(value).clone();
        let (one, other) = (self.outputs(&constant(one)), self.outputs(&constant(other)));
        if one.known().is_some() && one == other {
            return Some(true);
        }
        let apart = !one.open && !other.open && one.texts.is_disjoint(&other.texts);
        (apart && !one.is_cluster_version() && !other.is_cluster_version()).then_some(false)
    }

    fn number(&self, value: &Expression) -> Option<i64> {
        self.outputs(value).known()?.parse().ok()
    }

    /// Assumes that `condition` holds or does not; returns whether that can be.
    pub(super) fn assume(&mut self, condition: &Arc<Resolved>, holds: bool) -> bool {
        self.refuel();
        let mark = self.mark();
        self.add(condition, holds) && self.is_coherent(mark)
    }

    fn add(&mut self, condition: &Arc<Resolved>, holds: bool) -> bool {
        if let Some(truth) = self.truth_of(condition) {
            return truth == holds;
        }
        self.record(&condition.text, holds);
        if matches!(condition.value, Expression::Call(..)) {
            self.composites.push(Composite { condition: Arc::clone(condition), holds });
        }
        self.follow(&condition.value, holds)
    }

    /// Adds a part of a condition.
    fn add_part(&mut self, condition: &Expression, holds: bool) -> bool {
        self.add(&Arc::new(condition.clone().into()), holds)
    }

    fn record(&mut self, text: &Arc<str>, holds: bool) {
        if !self.truths.contains_key(text) {
            self.order.push(Assumed::Truth(Arc::clone(text)));
            self.truths.insert(Arc::clone(text), holds);
        }
    }

    /// Assumes what follows from `condition`.
    fn follow(&mut self, condition: &Expression, holds: bool) -> bool {
        let Expression::Call(function, arguments) = condition else {
            if let (Expression::Path(path), true) = (condition, holds) {
                path.match_indices('.').for_each(|(end, _)| self.record(&path[..end].into(), true));
            }
            return true;
        };
        match (function.as_str(), arguments.as_slice(), holds) {
            ("not" | "empty", [value], _) => self.add_part(value, !holds),
            ("and", _, true) | ("or" | "default" | "coalesce", _, false) => {
                arguments.iter().all(|argument| self.add_part(argument, holds))
            }
            ("and" | "or", _, _) => {
                let open: Vec<_> = arguments.iter().filter(|argument| self.truth(argument).is_none()).collect();
                let mut open = open.into_iter();
                match (open.next(), open.next()) {
                    (Some(only), None) => self.add_part(only, holds),
                    _ => true,
                }
            }
            ("eq", [value, constant], true) | ("ne", [value, constant], false) if constant.is_constant() => {
                let text = Arc::from(value.to_string());
                if !self.constants.contains_key(&text) {
                    self.order.push(Assumed::Constant(Arc::clone(&text)));
                    self.constants.insert(text, constant.clone());
                }
                true
            }
            _ => true,
        }
    }

    /// Returns whether no condition has another value by its parts than the one assumed, after what was assumed since `mark`.
    fn is_coherent(&self, mark: Mark) -> bool {
        let new = self.order[mark.order..].iter().map(|(Assumed::Truth(new) | Assumed::Constant(new))| new);
        let new: Vec<(&str, u64)> = new.map(|new| (&**new, words(new))).collect();
        let touches = |composite: &&Composite| {
            let Resolved { text, words, .. } = &*composite.condition;
            new.iter().any(|(new, of_new)| of_new & !words == 0 && text.contains(new))
        };
        self.composites.iter().filter(touches).all(|composite| {
            self.refuel();
            self.derived(&composite.condition.value).is_none_or(|truth| truth == composite.holds)
        })
    }

    /// Decides about `condition`: as it must be, else as it is `preferred`, else as it can be.
    pub(super) fn decide(&mut self, condition: &Arc<Resolved>, preferred: bool) -> bool {
        self.refuel();
        if let Some(truth) = self.truth_of(condition) {
            return truth;
        }
        let mark = self.mark();
        if self.assume(condition, preferred) {
            return preferred;
        }
        self.forget(mark);
        self.assume(condition, !preferred);
        !preferred
    }

    /// Returns how much was assumed up to now.
    pub(super) fn mark(&self) -> Mark {
        Mark { order: self.order.len(), composites: self.composites.len() }
    }

    /// Forgets what was assumed since `mark`.
    pub(super) fn forget(&mut self, mark: Mark) {
        self.composites.truncate(mark.composites);
        for assumed in self.order.drain(mark.order..) {
            match assumed {
                Assumed::Truth(text) => {
                    self.truths.remove(&text);
                }
                Assumed::Constant(text) => {
                    self.constants.remove(&text);
                }
            }
        }
    }
}

/// Returns the words of a text as bits: a word whose bit is not set is not in the text.
fn words(text: &str) -> u64 {
    let (mut all, mut word) = (0, 0_u64);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            word = word.wrapping_mul(31).wrapping_add(u64::from(byte));
        } else {
            all |= 1 << (word % 61);
            word = 0;
        }
    }
    all | 1 << (word % 61)
}

fn compare(function: &str, order: Ordering) -> bool {
    match function {
        "lt" => order.is_lt(),
        "le" => order.is_le(),
        "gt" => order.is_gt(),
        _ => order.is_ge(),
    }
}

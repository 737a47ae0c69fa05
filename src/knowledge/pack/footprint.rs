//! Answers: which fields do rules look at or change?
//!
//! Each text of a rule that is a field pattern counts, but for what it says to people: a pattern that is no field costs little, and one that is
//! left out could hide what depends on it.
//!
//! Invariant: what a rule makes of an object depends on no field that its footprint has nothing to do with.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::syntax::field::{FieldPattern, Part, Step};

/// The keys of rules with no fields in what they have: what rules say to people, and where, what decides about the order of keys, and constants.
const ASIDE: [&str; 9] = ["add", "after", "at", "before", "help", "new", "old", "reason", "table"];

/// The keys of rules whose texts are words of the rules' own language, or types.
const WORDS: [&str; 13] = [
    "backward",
    "choice",
    "direction",
    "format",
    "forward",
    "group",
    "is",
    "kind",
    "loss",
    "nulls",
    "parameter",
    "position",
    "text",
];

/// The keys of rules with fields that can be the whole object.
const WHOLE: [&str; 4] = ["each", "field", "from", "of"];

/// The keys of rules with mappings whose keys are fields.
const FIELDS: [&str; 2] = ["defaults", "shared"];

/// Patterns of fields, each from the root of an object or from anything in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    patterns: BTreeSet<FieldPattern>,
    /// Whether any field can be part of it: Rust code converts the object, or the object as a whole is looked at.
    is_open: bool,
}

impl Footprint {
    /// Returns the footprint of a lens as it is written in a rule's file.
    pub(super) fn of_lens(text: &str) -> Self {
        let mut footprint = Self::default();
        match serde_yaml::from_str::<Value>(text) {
            Ok(lens) => footprint.add(&lens),
            Err(_) => footprint.is_open = true,
        }
        footprint
    }

    /// Adds the fields that match a pattern; the empty one is the whole object.
    pub(crate) fn add_pattern(&mut self, pattern: FieldPattern) {
        self.is_open |= pattern.parts().is_empty();
        self.patterns.insert(pattern);
    }

    /// Returns whether a field of one can be a field of the other one, or in it.
    fn meets(&self, other: &Self) -> bool {
        let meets = |one: &FieldPattern| self.patterns.iter().any(|own| can_meet(own.parts(), one.parts()));
        self.is_open || other.is_open || other.patterns.iter().any(meets)
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_text(text),
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(map) => {
                for (key, value) in map.iter().filter(|(key, _)| !ASIDE.contains(&key.as_str())) {
                    self.is_open |= key == "native";
                    let is_constant = match value {
                        // An empty field is the whole object.
                        Value::String(text) if text.is_empty() => !WHOLE.contains(&key.as_str()),
                        Value::String(_) => WORDS.contains(&key.as_str()),
                        _ => key == "value",
                    };
                    if is_constant {
                        continue;
                    }
                    if FIELDS.contains(&key.as_str()) {
                        value.as_object().into_iter().flatten().for_each(|(field, _)| self.add_text(field));
                    }
                    self.add(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Adds a text that is a pattern, or those in braces; it can also be a key.
    fn add_text(&mut self, text: &str) {
        if !text.is_empty() {
            self.add_pattern(FieldPattern::default().key(text));
        }
        match FieldPattern::parse(text) {
            Ok(pattern) => self.add_pattern(pattern),
            Err(_) => {
                let inside = text.split('{').skip(1).filter_map(|part| part.split_once('}'));
                let fields = inside.filter_map(|(field, _)| FieldPattern::parse(field).ok());
                fields.for_each(|field| self.add_pattern(field));
            }
        }
    }
}

/// Returns whether a field of one pattern can be a field of the other one, or in it, wherever one of them starts in the other.
fn can_meet(one: &[Part], other: &[Part]) -> bool {
    let can_be = |(one, other): (&Part, &Part)| match (one, other) {
        (Part::Items, other) => *other == Part::Items,
        (Part::Values, other) => *other != Part::Items,
        (Part::Key(_), other) => one == other || *other == Part::Values,
    };
    // Of a free key, it is not known whether a field begins there.
    let starts =
        |parts: &[Part]| (0..parts.len()).filter(|at| *at == 0 || parts[*at] != Part::Values).collect::<Vec<_>>();
    starts(one).into_iter().any(|at| one[at..].iter().zip(other).all(can_be))
        || starts(other).into_iter().any(|at| one.iter().zip(&other[at..]).all(can_be))
}

/// Several footprints, no two of which meet, by their numbers.
#[derive(Debug)]
pub(crate) struct Footprints {
    nodes: Vec<Joined>,
    /// The numbers of those that any field can be part of.
    open: Numbers,
}

/// What patterns with the same first parts have next.
#[derive(Debug, Default)]
struct Joined {
    keys: BTreeMap<String, usize>,
    items: Option<usize>,
    values: Option<usize>,
    /// The numbers of the footprints with a pattern that ends here.
    fields: Numbers,
    /// The numbers of those with one that does not.
    around: Numbers,
}

/// Numbers of footprints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers(u64);

impl Numbers {
    /// More than a kind has; those behind are one.
    const MOST: usize = u64::BITS as usize - 1;

    /// Returns the numbers.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let lowest = |bits: u64| (bits != 0).then_some(bits);
        std::iter::successors(lowest(self.0), move |bits| lowest(bits & (bits - 1)))
            .map(|bits| bits.trailing_zeros() as usize)
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    const fn of(number: usize) -> Self {
        Self(1 << if number < Self::MOST { number } else { Self::MOST })
    }

    const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}

/// Where a path from the root of an object leads to in footprints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cursor {
    /// The nodes that patterns have there.
    nodes: Vec<usize>,
    /// The numbers of the footprints that the field there is part of.
    pub(crate) inside: Numbers,
    /// The numbers of those with fields that can be in it.
    pub(crate) around: Numbers,
}

impl Footprints {
    /// Puts footprints together: those that meet get the same number.
    pub(crate) fn new(all: impl IntoIterator<Item = Footprint>) -> Self {
        let mut apart: Vec<Footprint> = Vec::new();
        for mut footprint in all {
            apart.retain_mut(|one| {
                let is_apart = !one.meets(&footprint);
                if !is_apart {
                    footprint.is_open |= one.is_open;
                    footprint.patterns.append(&mut one.patterns);
                }
                is_apart
            });
            apart.push(footprint);
        }
        let mut joined = Self { nodes: vec![Joined::default()], open: Numbers::default() };
        for (number, footprint) in apart.iter().enumerate() {
            let number = Numbers::of(number);
            if footprint.is_open {
                joined.open = joined.open.and(number);
            }
            footprint.patterns.iter().for_each(|pattern| joined.add(number, pattern));
        }
        joined
    }

    fn add(&mut self, number: Numbers, pattern: &FieldPattern) {
        let mut at = 0;
        for part in pattern.parts() {
            self.nodes[at].around = self.nodes[at].around.and(number);
            let (new, node) = (self.nodes.len(), &mut self.nodes[at]);
            at = match part {
                Part::Key(key) => *node.keys.entry(key.clone()).or_insert(new),
                Part::Items => *node.items.get_or_insert(new),
                Part::Values => *node.values.get_or_insert(new),
            };
            if at == new {
                self.nodes.push(Joined::default());
            }
        }
        self.nodes[at].fields = self.nodes[at].fields.and(number);
    }

    /// Returns the cursor one step below another one, which is that of the object where it is the default.
    pub(crate) fn step(&self, outer: &Cursor, step: &Step) -> Cursor {
        let mut cursor = Cursor { inside: outer.inside.and(self.open), ..Cursor::default() };
        for node in outer.nodes.iter().chain([&0]).map(|at| &self.nodes[*at]) {
            let below = match step {
                Step::Key(key) => [node.keys.get(key).copied(), node.values],
                Step::Index(_) => [node.items, None],
            };
            for at in below.into_iter().flatten().filter(|at| !cursor.nodes.contains(at)).collect::<Vec<_>>() {
                cursor.inside = cursor.inside.and(self.nodes[at].fields);
                cursor.around = cursor.around.and(self.nodes[at].around);
                cursor.nodes.push(at);
            }
        }
        cursor
    }

    /// Returns the cursor of a path.
    pub(crate) fn at(&self, path: &[Step]) -> Cursor {
        path.iter().fold(Cursor::default(), |outer, step| self.step(&outer, step))
    }
}

#[cfg(test)]
mod tests {
    use super::super::embedded;
    use super::*;
    use crate::syntax::field::FieldPath;

    fn footprint() -> Footprint {
        Footprint::of_lens(
            "- move: { from: spec.old.deep, to: spec.new }\n\
             - default: { field: 'spec.list[].port', value: 80 }\n\
             - refuse: { if: { repeats: { of: 'spec.rules[]', by: [name], defaults: { weight: 1 } } }, at: spec.rules, help: 'write metadata.other' }\n",
        )
    }

    /// How the field at a path is related to the footprint.
    #[derive(Debug, PartialEq)]
    enum Relation {
        None,
        /// A field of it can be in it.
        Around,
        /// It is part of it.
        Inside,
    }

    fn relation(footprint: Footprint, path: &FieldPath) -> Relation {
        let Cursor { inside, around, .. } = Footprints::new([footprint]).at(path.steps());
        match (inside.is_empty(), around.is_empty()) {
            (false, _) => Relation::Inside,
            (true, false) => Relation::Around,
            (true, true) => Relation::None,
        }
    }

    #[track_caller]
    fn is(path: &FieldPath, expected: Relation) {
        assert_eq!(relation(footprint(), path), expected, "{path}");
    }

    #[test]
    fn fields_and_what_is_in_them_are_part_of_it() {
        let spec = FieldPath::default().key("spec");
        is(&spec, Relation::Around);
        is(&spec.key("old"), Relation::Around);
        is(&spec.key("old").key("deep"), Relation::Inside);
        is(&spec.key("old").key("deep").key("x"), Relation::Inside);
        is(&spec.key("list").index(3), Relation::Around);
        is(&spec.key("list").index(3).key("port"), Relation::Inside);
        is(&spec.key("list").index(3).key("host"), Relation::None);
        is(&spec.key("own"), Relation::None);
    }

    #[test]
    fn a_field_counts_wherever_its_pattern_starts() {
        let item = FieldPath::default().key("spec").key("items").index(0);
        is(&item.key("name"), Relation::Inside);
        is(&item.key("weight"), Relation::Inside);
        is(&FieldPath::default().key("metadata").key("other"), Relation::None);
    }

    #[test]
    fn footprints_meet_where_a_field_of_one_is_in_a_field_of_the_other() {
        let of = |field: &str| Footprint::of_lens(&format!("- drop: {{ field: '{field}' }}\n"));
        for field in ["spec.old", "spec.new.deep", "spec.list[]", "spec.list[].port", "other.name", "spec.own.weight"] {
            assert!(footprint().meets(&of(field)), "{field}");
            assert!(of(field).meets(&footprint()), "{field}");
        }
        for field in ["spec.own", "spec.list[].host", "spec.old.other", "spec.own{}"] {
            assert!(!footprint().meets(&of(field)), "{field}");
            assert!(!of(field).meets(&footprint()), "{field}");
        }
    }

    #[test]
    fn what_is_not_data_has_any_field() {
        let path = FieldPath::default().key("spec");
        for lens in ["- native: listener-names\n", "- [\n"] {
            assert_eq!(relation(Footprint::of_lens(lens), &path), Relation::Inside, "{lens}");
        }
    }

    #[test]
    fn footprints_that_meet_get_one_number() {
        let of = |field: &str| Footprint::of_lens(&format!("- drop: {{ field: '{field}' }}\n"));
        let all = Footprints::new(["spec.a", "spec.b.c", "spec.d", "spec.b"].map(of));
        let number = |path: FieldPath| all.at(path.steps()).inside;
        let spec = FieldPath::default().key("spec");
        assert_eq!(all.at(spec.steps()).around.iter().count(), 3);
        assert_eq!(number(spec.key("b")), number(spec.key("b").key("c")));
        assert_ne!(number(spec.key("a")), number(spec.key("b")));
        assert_ne!(number(spec.key("a")), number(spec.key("d")));
    }

    #[test]
    fn every_built_in_rule_can_be_read() {
        let packs = embedded::with(Vec::new()).unwrap();
        for rule in packs.iter().flat_map(|pack| pack.rules()) {
            assert!(serde_yaml::from_str::<Value>(&rule.text).is_ok(), "{}", rule.id);
        }
    }
}

//! Answers: which values of a field does one release accept and another one reject?
//!
//! [`Constraints`] are those of the apiVersions that a release serves, of each limit the loosest: an object is
//! written in the one that can hold it. [`differences`] compares two of them, limit by limit. Listed values are compared as
//! values (see [`allowed`]); of two patterns that differ in listed words only, the one that accepts more is known
//! ([`accepts_all_of`]), otherwise each is treated as stricter than the other.
//!
//! Invariant: a value that both releases accept makes no difference, as far as constraints can be compared.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Number, Value};

use crate::knowledge::catalog::{Attributes, Catalog, Field, ListType, Type, compile};
use crate::knowledge::release::ReleaseId;
use crate::syntax::field::FieldPattern;

/// The constraints of a release on the values of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Constraints {
    required: bool,
    kinds: BTreeSet<Type>,
    allowed: Option<Vec<Value>>,
    /// The patterns of which a text must match one; empty if any text is allowed.
    patterns: BTreeSet<String>,
    bounds: Vec<Bound>,
    list: List,
}

/// A bound on the value, or on the number of its characters, items or keys.
#[derive(Clone, Debug, PartialEq)]
struct Bound {
    keyword: &'static str,
    what: &'static str,
    side: Side,
    at: Option<Number>,
}

/// Which side of a bound is the forbidden one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Smaller numbers are rejected.
    Least,
    /// Larger numbers are rejected.
    Most,
}

/// How the items of a list must differ.
#[derive(Clone, Debug, PartialEq, Eq)]
enum List {
    /// They need not.
    Free,
    /// In one of these fields.
    Keys(BTreeSet<String>),
    /// As a whole.
    Set,
}

/// One schema of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'s> {
    /// The type of its value.
    pub(crate) kind: Type,
    /// Everything else about it.
    pub(crate) attributes: &'s Attributes,
}

impl<'c> Schema<'c> {
    const fn of(field: &Field<'c>) -> Self {
        Self { kind: field.kind, attributes: field.attributes }
    }
}

/// What a limit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// Whether the field must be there.
    Presence,
    /// Which type its value has.
    Type,
    /// Which values are listed.
    Values,
    /// Which pattern a text must match.
    Texts,
    /// How large its value or the number of its parts may be: the keyword of the schema that says it.
    Bound(&'static str),
    /// How the items of a list must differ.
    List,
}

/// One constraint that differs between two releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// What it is about.
    pub(crate) about: About,
    /// The constraint before and after, as words.
    pub(crate) text: String,
    /// Whether the target release rejects what the source accepts.
    pub(crate) target_rejects: bool,
    /// Whether the source release rejects what the target accepts.
    pub(crate) source_rejects: bool,
    /// The one value that makes the difference, where it is one.
    pub(crate) only: Option<Value>,
}

/// What a bound of the value itself is about.
const NUMBER: &str = "the number";

type Reads = fn(&Attributes) -> Option<Number>;

/// The numbers that a schema bounds: by which keyword, what they count, which side, where they are.
const BOUNDS: [(&str, &str, Side, Reads); 8] = [
    ("minLength", "characters", Side::Least, |schema| schema.min_length.map(Number::from)),
    ("maxLength", "characters", Side::Most, |schema| schema.max_length.map(Number::from)),
    ("minItems", "items", Side::Least, |schema| schema.min_items.map(Number::from)),
    ("maxItems", "items", Side::Most, |schema| schema.max_items.map(Number::from)),
    ("minProperties", "keys", Side::Least, |schema| schema.min_properties.map(Number::from)),
    ("maxProperties", "keys", Side::Most, |schema| schema.max_properties.map(Number::from)),
    ("minimum", NUMBER, Side::Least, |schema| schema.minimum.clone()),
    ("maximum", NUMBER, Side::Most, |schema| schema.maximum.clone()),
];

impl Constraints {
    /// Reads the constraints of `release` on the fields of one pattern; `None` if it does not have them.
    pub(crate) fn of(catalog: &Catalog, field: &FieldPattern, release: ReleaseId) -> Option<Self> {
        let served = catalog.served(release);
        let fields = served.iter().filter_map(|version| catalog.field(field, release, version.name));
        let schemas: Vec<Schema<'_>> = fields.map(|field| Schema::of(&field)).collect();
        Self::loosest(&schemas, is_required(catalog, field, release))
    }

    /// Reads those that several schemas make together, the field being `required`.
    fn loosest(fields: &[Schema<'_>], required: bool) -> Option<Self> {
        let patterns: Option<BTreeSet<String>> = fields.iter().map(|field| field.attributes.pattern.clone()).collect();
        let bound = |(keyword, what, side, read): (&'static str, &'static str, Side, Reads)| {
            let numbers: Option<Vec<Number>> = fields.iter().map(|field| read(field.attributes)).collect();
            Bound { keyword, what, side, at: numbers.and_then(|numbers| side.loosest(numbers)) }
        };
        Some(Self {
            required,
            kinds: fields.iter().map(|field| field.kind).collect(),
            allowed: listed(fields.iter().copied()),
            patterns: patterns.unwrap_or_default(),
            bounds: BOUNDS.into_iter().map(bound).collect(),
            list: List::of(fields.first()?.attributes),
        })
    }

    /// Reads the constraints of one schema, whose field is `required` where it has no default.
    pub(crate) fn of_schema(schema: Schema<'_>, required: bool) -> Option<Self> {
        Self::loosest(&[schema], required && schema.attributes.default.is_none())
    }

    /// Returns the listed values that `other`, which lists values too, does not have.
    pub(crate) fn values_outside(&self, other: &Self) -> Vec<&Value> {
        let Some((own, others)) = self.allowed.as_ref().zip(other.allowed.as_ref()) else { return Vec::new() };
        own.iter().filter(|value| !others.contains(value)).collect()
    }

    fn has_pattern(&self, text: &Value) -> bool {
        let Some(text) = text.as_str() else { return true };
        let matches = |pattern: &String| compile(pattern).ok().is_none_or(|pattern| pattern.is_match(text));
        self.patterns.is_empty() || self.patterns.iter().any(matches)
    }

    /// Returns whether the patterns of `other` reject, or may reject, a text that these accept.
    fn has_texts_outside(&self, other: &Self) -> bool {
        match &self.allowed {
            Some(values) => !values.iter().all(|value| other.has_pattern(value)),
            None if self.patterns.is_empty() => !other.patterns.is_empty(),
            None if other.patterns.is_empty() => false,
            None => !self.patterns.iter().all(|here| other.patterns.iter().any(|there| accepts_all_of(there, here))),
        }
    }

    /// Returns whether `there` rejects values that these constraints accept, whose own bound is `here`: of listed values, one of them.
    fn has_outside(&self, here: &Bound, there: &Bound) -> bool {
        match &self.allowed {
            Some(values) => values.iter().any(|value| !here.rejects(value) && there.rejects(value)),
            None => here.accepts_more(there),
        }
    }

    /// Returns whether values of a type that `other` rejects are allowed here.
    fn has_types_outside(&self, other: &Self) -> bool {
        let takes = |kind: &Type, other: &Type| match (kind, other) {
            (_, Type::Any) => true,
            (Type::Integer, Type::Number) | (Type::Integer | Type::String, Type::IntegerOrString) => true,
            (Type::Integer | Type::Number | Type::String | Type::IntegerOrString, Type::Quantity) => true,
            _ => kind == other,
        };
        !self.kinds.iter().all(|kind| other.kinds.iter().any(|other| takes(kind, other)))
    }
}

impl Side {
    fn loosest(self, numbers: Vec<Number>) -> Option<Number> {
        match self {
            Self::Least => numbers.into_iter().min_by(order),
            Self::Most => numbers.into_iter().max_by(order),
        }
    }
}

/// Compares two numbers, whole ones exactly.
pub(crate) fn order(left: &Number, right: &Number) -> Ordering {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => left.as_f64().unwrap_or(0.0).total_cmp(&right.as_f64().unwrap_or(0.0)),
    }
}

impl Bound {
    /// Returns whether this bound accepts numbers that `other` rejects; counts are never below 0.
    fn accepts_more(&self, other: &Self) -> bool {
        match (&self.at, &other.at, self.side) {
            (_, None, _) => false,
            (None, Some(least), Side::Least) => self.what == NUMBER || order(least, &Number::from(0)).is_gt(),
            (None, Some(_), Side::Most) => true,
            (Some(here), Some(there), Side::Least) => order(here, there).is_lt(),
            (Some(here), Some(there), Side::Most) => order(here, there).is_gt(),
        }
    }

    /// Returns whether the bound rejects a value.
    fn rejects(&self, value: &Value) -> bool {
        let number = match (self.what, value) {
            (NUMBER, Value::Number(number)) => number.clone(),
            ("characters", Value::String(text)) => Number::from(text.chars().count()),
            ("items", Value::Array(items)) => Number::from(items.len()),
            ("keys", Value::Object(fields)) => Number::from(fields.len()),
            _ => return false,
        };
        self.at.as_ref().is_some_and(|at| match self.side {
            Side::Least => order(&number, at).is_lt(),
            Side::Most => order(&number, at).is_gt(),
        })
    }

    /// Returns a number of what is counted: `1 item`, `8 items`; a bound of the value itself is the number alone.
    fn amount(&self, at: &Number) -> String {
        match (self.what, at.as_u64()) {
            (NUMBER, _) => at.to_string(),
            (what, Some(1)) => format!("1 {}", what.trim_end_matches('s')),
            (what, _) => format!("{at} {what}"),
        }
    }

    fn words(&self) -> String {
        match (&self.at, self.side) {
            (None, _) if self.what == NUMBER => "any number".to_owned(),
            (None, Side::Least) => format!("at least 0 {}", self.what),
            (None, Side::Most) => format!("any number of {}", self.what),
            (Some(at), Side::Least) => format!("at least {}", self.amount(at)),
            (Some(at), Side::Most) => format!("at most {}", self.amount(at)),
        }
    }
}

impl List {
    fn of(schema: &Attributes) -> Self {
        match schema.list_type {
            None | Some(ListType::Atomic) => Self::Free,
            Some(ListType::Map) => Self::Keys(schema.list_keys.iter().cloned().collect()),
            Some(ListType::Set) => Self::Set,
        }
    }

    /// Returns whether this list may hold items that `other` may not.
    fn accepts_more(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Free) | (Self::Keys(_), Self::Set) => false,
            (Self::Free, _) | (Self::Set, Self::Keys(_)) => true,
            (Self::Keys(here), Self::Keys(there)) => !here.is_subset(there),
            (Self::Set, Self::Set) => false,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Free => "items need not be unique".to_owned(),
            Self::Keys(keys) => format!("items are unique by {}", keys.iter().cloned().collect::<Vec<_>>().join(", ")),
            Self::Set => "items are unique".to_owned(),
        }
    }
}

/// Compares the constraints of one field on two sides.
pub(crate) fn differences(source: &Constraints, target: &Constraints) -> Vec<Difference> {
    let mut found = Vec::new();
    if source.required != target.required {
        let need = |constraints: &Constraints| if constraints.required { "required" } else { "optional" };
        let text = format!("{} becomes {}", need(source), need(target));
        let (target_rejects, source_rejects) = (target.required, source.required);
        found.push(Difference { about: About::Presence, text, target_rejects, source_rejects, only: None });
    }
    let mut add = |about, [old, new]: [String; 2], target_rejects: bool, source_rejects: bool, only: Option<Value>| {
        if target_rejects || source_rejects {
            let text = format!("{old} becomes {new}");
            found.push(Difference { about, text, target_rejects, source_rejects, only });
        }
    };
    let kinds =
        |constraints: &Constraints| constraints.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" or ");
    let types = [kinds(source), kinds(target)];
    add(About::Type, types, source.has_types_outside(target), target.has_types_outside(source), None);
    let (listed, open) =
        (target.allowed.is_some() && source.allowed.is_none(), source.allowed.is_some() && target.allowed.is_none());
    add(About::Values, [values(source), values(target)], listed, open, None);
    let patterns = [texts(source), texts(target)];
    add(About::Texts, patterns, source.has_texts_outside(target), target.has_texts_outside(source), None);
    for (old, new) in source.bounds.iter().zip(&target.bounds) {
        let target_rejects = source.has_outside(old, new);
        let source_rejects = target.has_outside(new, old);
        let one = |bound: &Bound| bound.at.as_ref().and_then(Number::as_u64) == Some(1);
        let only = match old.what {
            _ if old.side == Side::Most || !one(old) && !one(new) => None,
            "characters" => Some(Value::from("")),
            "items" => Some(Value::Array(Vec::new())),
            _ => None,
        };
        add(About::Bound(old.keyword), [old.words(), new.words()], target_rejects, source_rejects, only);
    }
    add(
        About::List,
        [source.list.words(), target.list.words()],
        source.list.accepts_more(&target.list),
        target.list.accepts_more(&source.list),
        None,
    );
    found
}

/// Returns whether `pattern` certainly accepts every text that `other` accepts: they differ only in words in brackets, of which
/// `pattern` lists more.
fn accepts_all_of(pattern: &str, other: &str) -> bool {
    let plain = |text: &str| text.replace("\\d", "[0-9]");
    let (pattern, other) = (plain(pattern), plain(other));
    let (parts, others) = (parts(&pattern), parts(&other));
    let takes = |(part, other): (&Part<'_>, &Part<'_>)| match (part, other) {
        (Part::Words(words), Part::Words(others)) => words.is_superset(others),
        (part, other) => part == other,
    };
    parts.len() == others.len() && parts.iter().zip(&others).all(takes)
}

/// A part of a pattern.
#[derive(Debug, PartialEq, Eq)]
enum Part<'p> {
    /// The words of `(ms|s)`.
    Words(BTreeSet<&'p str>),
    /// Text that is compared literally.
    Text(&'p str),
}

/// Takes a pattern apart at its lists of words.
fn parts(pattern: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'|');
    while let Some((before, inner, after)) = first_group(rest).and_then(|at| {
        let (before, group) = rest.split_at(at);
        let (inner, after) = group[1..].split_once(')')?;
        is_word(inner).then_some((before, inner, after))
    }) {
        parts.extend([Part::Text(before), Part::Words(inner.split('|').collect())]);
        rest = after;
    }
    parts.push(Part::Text(rest));
    parts
}

/// Returns where the first group of a pattern opens: a bracket that is not escaped, and in no class of characters.
fn first_group(pattern: &str) -> Option<usize> {
    // What stands behind this is literal.
    if pattern.contains("\\Q") {
        return None;
    }
    let (mut is_class, mut bytes) = (false, pattern.bytes().enumerate());
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'(' if !is_class => return Some(at),
            // The brackets of a named class of characters close none around it.
            b'[' if is_class && pattern[at..].starts_with("[:") => drop(bytes.find(|(_, byte)| *byte == b']')),
            b'[' => is_class = true,
            // The first one in a class is a character of it.
            b']' => is_class = is_class && (pattern[..at].ends_with('[') || pattern[..at].ends_with("[^")),
            _ => {}
        }
    }
    None
}

fn values(constraints: &Constraints) -> String {
    let Some(values) = &constraints.allowed else { return "any value".to_owned() };
    format!("one of {}", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

fn texts(constraints: &Constraints) -> String {
    if constraints.patterns.is_empty() {
        return "any text".to_owned();
    }
    format!("text matching {}", constraints.patterns.iter().cloned().collect::<Vec<_>>().join(" or "))
}

/// Returns whether every apiVersion that `release` serves requires a field and has no default for it.
pub(crate) fn is_required(catalog: &Catalog, field: &FieldPattern, release: ReleaseId) -> bool {
    let served = catalog.served(release);
    let requires = |field: &Field<'_>| field.required && field.attributes.default.is_none();
    !served.is_empty()
        && served.iter().all(|version| catalog.field(field, release, version.name).as_ref().is_some_and(requires))
}

/// Returns the values that a release allows in a field, in the apiVersions that it serves; `None` where it allows any.
pub(crate) fn allowed(catalog: &Catalog, field: &FieldPattern, release: ReleaseId) -> Option<Vec<Value>> {
    let served = catalog.served(release);
    let fields = served.iter().filter_map(|version| catalog.field(field, release, version.name));
    listed(fields.map(|field| Schema::of(&field)))
}

/// Returns the values that schemas list together; `None` where one of them allows any.
fn listed<'s>(schemas: impl Iterator<Item = Schema<'s>>) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for schema in schemas {
        let listed = match (&schema.attributes.allowed, schema.kind) {
            (Some(listed), _) => listed.clone(),
            (None, Type::Boolean) => vec![Value::Bool(false), Value::Bool(true)],
            (None, _) => return None,
        };
        values.extend(listed.into_iter().filter(|value| !values.contains(value)).collect::<Vec<_>>());
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::catalog::Catalog;
    use crate::knowledge::release::ReleaseLine;

    /// Compares two rows of a field, each as `type required attributes`, in `v1` and `v2`: the differences, and which side rejects.
    #[track_caller]
    fn check(source: &str, target: &str, expected: &[(&str, bool, bool)]) {
        let bundles = ["v1", "v2"].map(|name| (name.to_owned(), Vec::new()));
        let line = ReleaseLine::new(Vec::new(), bundles).unwrap();
        let head = "kind\tA.g\nscope\tNamespaced\tv1..v2\nserved\tv1\tv1..v2\n";
        let columns = crate::knowledge::catalog::COLUMNS;
        let row = |row: &str, bundle: &str| format!("spec\t{}\t\t{bundle}\n", row.replace(' ', "\t"));
        let text = format!("{head}{columns}\n{}{}", row(source, "v1"), row(target, "v2"));
        let catalog = Catalog::parse(&text, &line).unwrap();
        let constraints = |bundle: &str| {
            let release = line.find(bundle, "single").unwrap();
            Constraints::of(&catalog, &FieldPattern::parse("spec").unwrap(), release).unwrap()
        };
        let found = differences(&constraints("v1"), &constraints("v2"));
        let found: Vec<_> =
            found.iter().map(|one| (one.text.as_str(), one.target_rejects, one.source_rejects)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn equal_constraints_have_no_difference() {
        check("string  {\"maxLength\":5}", "string  {\"maxLength\":5}", &[]);
        check("array  ", "array  {\"minItems\":0}", &[]);
        check("string required {\"default\":\"a\"}", "string  ", &[]);
        check("string  {\"enum\":[\"a\"]}", "string  {\"enum\":[\"b\"]}", &[]);
    }

    #[test]
    fn the_stricter_side_of_a_limit_is_found() {
        check("string  ", "string required ", &[("optional becomes required", true, false)]);
        check(
            "array  {\"maxItems\":8}",
            "array  {\"maxItems\":64}",
            &[("at most 8 items becomes at most 64 items", false, true)],
        );
        check("array  ", "array  {\"minItems\":1}", &[("at least 0 items becomes at least 1 item", true, false)]);
        check("integer  {\"minimum\":1}", "integer  ", &[("at least 1 becomes any number", false, true)]);
        check(
            "array  {\"listType\":\"atomic\"}",
            "array  {\"listType\":\"set\"}",
            &[("items need not be unique becomes items are unique", true, false)],
        );
        check("integer  ", "integer-or-string  ", &[("integer becomes integer-or-string", false, true)]);
    }

    #[test]
    fn patterns_are_compared_by_listed_values_if_present() {
        let pattern = "string  {\"pattern\":\"^[a-z]+$\"}";
        check("string  ", pattern, &[("any text becomes text matching ^[a-z]+$", true, false)]);
        check("string  {\"enum\":[\"a\"]}", pattern, &[("one of \"a\" becomes any value", false, true)]);
        let other = "string  {\"pattern\":\"^[a-y]+$\"}";
        check(pattern, other, &[("text matching ^[a-z]+$ becomes text matching ^[a-y]+$", true, true)]);
    }

    #[test]
    fn brackets_in_a_class_of_characters_are_characters() {
        let [few, many] = ["^[^(a|b)]$", "^[^(a|b|c)]$"];
        let row = |pattern: &str| format!("string  {{\"pattern\":\"{pattern}\"}}");
        let text = "text matching ^[^(a|b)]$ becomes text matching ^[^(a|b|c)]$";
        check(&row(few), &row(many), &[(text, true, true)]);
        let text = "text matching ^[^[:alpha:](1|2)]$ becomes text matching ^[^[:alpha:](1|2|3)]$";
        check(&row("^[^[:alpha:](1|2)]$"), &row("^[^[:alpha:](1|2|3)]$"), &[(text, true, true)]);
        let text = "text matching ^[]a]+(b|c)$ becomes text matching ^[]a]+(b|c|d)$";
        check(&row("^[]a]+(b|c)$"), &row("^[]a]+(b|c|d)$"), &[(text, false, true)]);
    }

    #[test]
    fn bounds_beside_listed_values_count_for_these() {
        let row = |values: &str, more: &str| format!("string  {{\"enum\":[{values}]{more}}}");
        let two = ",\"minLength\":2";
        let text = "at least 0 characters becomes at least 2 characters";
        check(&row("\"a\",\"bb\"", ""), &row("\"a\",\"bb\"", two), &[(text, true, false)]);
        check(&row("\"aa\",\"bb\"", ""), &row("\"aa\",\"bb\"", two), &[]);
        let text = "any number becomes at most 3";
        check("integer  {\"enum\":[1,5]}", "integer  {\"enum\":[1,5],\"maximum\":3}", &[(text, true, false)]);
    }

    #[test]
    fn large_numbers_are_told_apart() {
        let text = "at most 9007199254740993 becomes at most 9007199254740992";
        check(
            "integer  {\"maximum\":9007199254740993}",
            "integer  {\"maximum\":9007199254740992}",
            &[(text, true, false)],
        );
    }

    #[test]
    fn a_pattern_with_more_alternatives_accepts_more() {
        let [few, many, others] = ["^\\\\d+(ms|s)?$", "^[0-9]+(ms|s|m|h)?$", "^[0-9]+(s|d)?$"];
        let row = |pattern: &str| format!("string  {{\"pattern\":\"{pattern}\"}}");
        check(
            &row(few),
            &row(many),
            &[("text matching ^\\d+(ms|s)?$ becomes text matching ^[0-9]+(ms|s|m|h)?$", false, true)],
        );
        check(
            &row(many),
            &row(others),
            &[("text matching ^[0-9]+(ms|s|m|h)?$ becomes text matching ^[0-9]+(s|d)?$", true, true)],
        );
    }
}

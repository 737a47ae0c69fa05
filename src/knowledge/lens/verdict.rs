//! Does a condition hold for an object, whatever its variables are? A [`Verdict`] is yes, no, or a text that decides it.
//!
//! Invariant: two texts with variables in one list are the same where they are written the same.

use serde_json::Value;

use super::amount;
use super::condition::{Condition, Equals, Exceeds, Expression, Place, Test, Text, ValueType};
use super::session::Halt;
use crate::syntax::field::{FieldPath, FieldPattern, Part};
use crate::syntax::variable::{ACTION, OpenText, PrintedType, SOME_ENTRY, has_variable, is_of_action};

/// How long a text is that messages do not quote.
const LONG: usize = 80;

/// Whether a condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails,
    /// It depends on what becomes of the text at this path.
    Open(FieldPath),
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

impl Verdict {
    /// Returns whether one of `verdicts` holds.
    fn any(verdicts: impl IntoIterator<Item = Self>) -> Self {
        let mut any = Self::Fails;
        for verdict in verdicts {
            match verdict {
                Self::Holds => return Self::Holds,
                Self::Open(_) if any == Self::Fails => any = verdict,
                Self::Open(_) | Self::Fails => {}
            }
        }
        any
    }

    /// Whether all of `verdicts` hold: none fails.
    fn all(verdicts: impl IntoIterator<Item = Self>) -> Self {
        Self::any(verdicts.into_iter().map(Self::opposite)).opposite()
    }

    fn opposite(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
            Self::Open(at) => Self::Open(at),
        }
    }

    fn below(self, place: &FieldPath) -> Self {
        match self {
            Self::Open(at) => Self::Open(place.join(&at)),
            decided => decided,
        }
    }
}

/// Refuses an object whose conversion depends on what becomes of the text at `at`.
pub(super) fn undecided(at: FieldPath, object: &Value) -> Halt {
    let is_printed = |value: &Value| value.to_string().contains(ACTION);
    let (text, is_of_chart) = match at.get(object) {
        Some(Value::String(text)) if !text.contains(['$', '{']) => {
            (format!("what is compared with `{text}`"), is_printed(object))
        }
        Some(value @ Value::String(text)) if text.len() < LONG && !text.contains('\n') => {
            (format!("`{text}`"), is_printed(value))
        }
        Some(value) if has_variable(value) => ("this text".to_owned(), is_printed(value)),
        // The entries of a mapping that an action prints are no part of it.
        _ => ("what an action prints here".to_owned(), true),
    };
    let once = if is_of_chart { "the chart is rendered" } else { "its variables are substituted" };
    let reason = format!("the conversion depends on the value of {text}, which is known only after {once}");
    let help = "write the value out here, or write by hand what the target has instead of it".to_owned();
    Halt::Undecided { at, reason, help }
}

impl Condition {
    /// Whether it holds for `object`, whatever its variables are.
    pub(super) fn verdict(&self, object: &Value) -> Verdict {
        let Some(test) = self.0.as_deref() else { return Verdict::Holds };
        match test {
            Test::Present(field) => present(field, object),
            Test::Absent(field) => absent(field, object),
            Test::Equals(test) => equals(test, object),
            Test::Same([left, right]) => {
                let others = right.values(object);
                some_value(left, object, |value| Verdict::any(others.iter().map(|other| same(value, other))))
            }
            Test::Type(test) => some_value(&test.field, object, |value| has_type(test.is, value)),
            Test::More(test) => {
                let is_longer = |value: &Value| value.as_array().is_some_and(|items| items.len() > test.than);
                test.field.any(object, is_longer).into()
            }
            Test::Text(test) => some_value(&test.field, object, |value| text(test, value)),
            Test::Exceeds(test) => exceeds(test, object),
            Test::Total(test) => test.holds(object).into(),
            Test::Keys(test) => some_value(&test.of, object, |value| keys(test, value)),
            Test::Repeats(test) => test.holds(object).into(),
            Test::Some(test) => some_value(&test.of, object, |place| test.is.verdict(place)),
            Test::Unmatched(test) => test.holds(object).into(),
            Test::Not(test) => test.verdict(object).opposite(),
            Test::All(tests) => Verdict::all(tests.iter().map(|test| test.verdict(object))),
            Test::Any(tests) => Verdict::any(tests.iter().map(|test| test.verdict(object))),
        }
    }

    /// Whether it holds for `object`, whatever its variables are.
    pub fn holds(&self, object: &Value) -> bool {
        self.verdict(object) == Verdict::Holds
    }

    /// Whether some values of the variables in `object` make it hold.
    pub(crate) fn can_hold(&self, object: &Value) -> bool {
        self.verdict(object) != Verdict::Fails
    }
}

/// The verdict of the first value that matches `field` and passes `test`, else of the first that may.
fn some_value(field: &FieldPattern, object: &Value, test: impl Fn(&Value) -> Verdict) -> Verdict {
    let mut is_open = false;
    let holds = field.any(object, |value| {
        let verdict = test(value);
        is_open |= matches!(verdict, Verdict::Open(_));
        verdict == Verdict::Holds
    });
    if holds || !is_open {
        return holds.into();
    }
    let open = field.matches_where(object, |value| matches!(test(value), Verdict::Open(_))).into_iter().next();
    open.map_or(Verdict::Fails, |place| place.get(object).map_or(Verdict::Fails, test).below(&place))
}

/// Returns whether two values are the same.
fn same(left: &Value, right: &Value) -> Verdict {
    let can_be = match (OpenText::of(left), OpenText::of(right)) {
        (Some(_), Some(_)) => true,
        (Some(open), None) => open.can_be(right),
        (None, Some(open)) => open.can_be(left),
        (None, None) => false,
    };
    match left == right {
        true => Verdict::Holds,
        false if can_be => Verdict::Open(FieldPath::default()),
        false => Verdict::Fails,
    }
}

fn equals(test: &Equals, object: &Value) -> Verdict {
    // A variable can become any spelling of an amount.
    let is_amount = amount::is_amount(&test.value);
    let can_be = |value: &Value| OpenText::of(value).is_some_and(|open| is_amount || open.can_be(&test.value));
    some_value(&test.field, object, |value| match amount::equal(value, &test.value) {
        true => Verdict::Holds,
        false if can_be(value) => Verdict::Open(FieldPath::default()),
        false => Verdict::Fails,
    })
}

fn has_type(wanted: ValueType, value: &Value) -> Verdict {
    let can_be = |open: &OpenText<'_>| match wanted {
        ValueType::Number | ValueType::String => {
            open.can_consist_of(|one| one.is_ascii_digit() || ".-+e".contains(one))
        }
        ValueType::Bool => [true, false].into_iter().any(|constant| open.can_be(&Value::from(constant))),
        ValueType::Map | ValueType::List | ValueType::Null => false,
    };
    if let Some(printed) = PrintedType::of(value).filter(|printed| printed.is_settled()) {
        return (wanted == if printed.is_number { ValueType::Number } else { ValueType::String }).into();
    }
    match OpenText::of(value) {
        Some(open) if can_be(&open) => Verdict::Open(FieldPath::default()),
        _ => (ValueType::of(value) == wanted).into(),
    }
}

fn text(test: &Text, value: &Value) -> Verdict {
    let Some(open) = OpenText::of(value) else { return test.holds(value).into() };
    let text = value.as_str().unwrap_or_default();
    let begins = |part: &String| fixed(open.beginning().starts_with(part.as_str()), part.starts_with(open.beginning()));
    let ends = |part: &String| fixed(open.end().ends_with(part.as_str()), part.ends_with(open.end()));
    let contains = |part: &String| match is_of_template(text) || is_of_template(part) || part.contains('$') {
        true => text.contains(part.as_str()).into(),
        false => fixed(open.parts().iter().any(|fixed| fixed.contains(part.as_str())), true),
    };
    let matches = |expression: &Expression| match is_of_template(text) || is_of_template(expression.text()) {
        true => expression.is_match(text).into(),
        false => Verdict::Open(FieldPath::default()),
    };
    let is_address = |_| fixed(false, open.can_consist_of(|one| one.is_ascii_hexdigit() || ".:".contains(one)));
    let tests = [
        test.starts.as_ref().map(begins),
        test.ends.as_ref().map(ends),
        test.contains.as_ref().map(contains),
        test.matches.as_ref().map(matches),
        test.is.map(is_address),
    ];
    Verdict::all(tests.into_iter().flatten())
}

/// Returns whether a text is a template, `{{ .name }}`, or a regular expression is about some: a variable brings data and no actions, so that
/// these are compared as they are written.
fn is_of_template(text: &str) -> bool {
    ["{{", "\\{"].iter().any(|mark| text.contains(mark))
}

/// Returns the verdict of a test that is `certain`, or at least `possible`.
fn fixed(certain: bool, possible: bool) -> Verdict {
    match (certain, possible) {
        (true, _) => Verdict::Holds,
        (false, true) => Verdict::Open(FieldPath::default()),
        (false, false) => Verdict::Fails,
    }
}

fn exceeds(test: &Exceeds, object: &Value) -> Verdict {
    if test.holds(object) {
        return Verdict::Holds;
    }
    let open =
        |field: &FieldPattern| field.matches_where(object, |value| OpenText::of(value).is_some()).into_iter().next();
    // There is nothing to compare with where one of the two is absent.
    let is_present = |field: &FieldPattern| field.any(object, |_| true);
    let is_compared = is_present(&test.field) && (test.value.is_some() || test.other.as_ref().is_some_and(is_present));
    let at = [Some(&test.field), test.other.as_ref()].into_iter().flatten().find_map(open);
    at.filter(|_| is_compared).map_or(Verdict::Fails, Verdict::Open)
}

/// A list that an action prints is taken to have items, unless it has none where users set nothing.
fn present(field: &FieldPattern, object: &Value) -> Verdict {
    if field.any(object, |_| true) {
        return Verdict::Holds;
    }
    let Some((list, Part::Items)) = field.split_last() else { return Verdict::Fails };
    let is_printed = |value: &Value| is_of_action(value) || some_entry(value).is_some();
    match list.matches_where(object, is_printed).into_iter().next() {
        Some(place) if place.get(object).and_then(some_entry).is_some_and(Value::is_null) => Verdict::Open(place),
        Some(_) => Verdict::Holds,
        None => Verdict::Fails,
    }
}

/// Returns what stands for all of a value that an action prints.
fn some_entry(value: &Value) -> Option<&Value> {
    value.as_object().filter(|map| map.len() == 1)?.get(SOME_ENTRY)
}

/// A field is absent where it is in no mapping, and no action prints entries of one that it would be in.
fn absent(field: &FieldPattern, object: &Value) -> Verdict {
    let present = present(field, object);
    if present != Verdict::Fails {
        return present.opposite();
    }
    let around = field.split_last().map(|(around, _)| around).unwrap_or_default();
    let open = around.matches_where(object, |value| value.get(SOME_ENTRY).is_some());
    open.into_iter().next().map_or(Verdict::Holds, Verdict::Open)
}

fn keys(test: &Place, mapping: &Value) -> Verdict {
    let keys = mapping.as_object().into_iter().flat_map(serde_json::Map::keys);
    let verdicts = keys.map(|key| match test.is.verdict(&Value::from(key.as_str())) {
        // The path of the text ends at the mapping: a key has no value.
        Verdict::Open(_) => Verdict::Open(FieldPath::default()),
        decided => decided,
    });
    Verdict::any(verdicts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(condition: &str, expected: &str) {
        let object = json!({
            "a": "${A}", "x": "x-${A}", "l": [{"n": "b"}, {"n": "${B}"}], "d": "${D}s", "p": "/${P}/", "b": "b",
            "m": {"${K}": 1}, "t": "{{ .a }}/${T}", "s": "$${S}",
        });
        let condition: Condition = serde_yaml::from_str(condition).unwrap();
        let found = match condition.verdict(&object) {
            Verdict::Holds => "holds".to_owned(),
            Verdict::Fails => "fails".to_owned(),
            Verdict::Open(at) => at.to_string(),
        };
        assert_eq!(found, expected);
    }

    /// The name of what is not known is not a text that is known.
    #[test]
    fn what_is_not_known_is_named() {
        let object = json!({"a": "${A}", "b": "known", "c": format!("{ACTION}1}}")});
        for (at, expected) in [
            ("a", "the value of `${A}`, which is known only after its variables are substituted"),
            ("b", "the value of what is compared with `known`, which is known only after the chart is rendered"),
            ("d", "the value of what an action prints here, which is known only after the chart is rendered"),
        ] {
            let at = FieldPath::default().key(at);
            let Halt::Undecided { reason, .. } = undecided(at, &object) else { panic!("it is undecided") };
            assert_eq!(reason, format!("the conversion depends on {expected}"));
        }
    }

    #[test]
    fn a_constant_is_compared_with_what_a_variable_can_become() {
        check("equals: { field: a, value: rsa }", "a");
        check("equals: { field: x, value: rsa }", "fails");
        check("equals: { field: x, value: x-1 }", "x");
        check("equals: { field: 'l[].n', value: b }", "holds");
        check("equals: { field: 'l[].n', value: c }", "l[1].n");
        check("equals: { field: d, value: 1m }", "d");
        check("equals: { field: s, value: c }", "fails");
        check("same: [a, b]", "a");
        check("same: [a, a]", "holds");
        check("same: [x, b]", "fails");
        check("exceeds: { field: d, value: 1m }", "d");
        check("exceeds: { field: d, other: none }", "fails");
    }

    #[test]
    fn texts_and_types_are_known_as_far_as_the_parts_around_variables_show_them() {
        check("text: { field: p, starts: / }", "holds");
        check("text: { field: p, starts: /a }", "p");
        check("text: { field: p, starts: a }", "fails");
        check("text: { field: p, ends: / }", "holds");
        check("text: { field: x, contains: '-' }", "holds");
        check("text: { field: x, contains: '*' }", "x");
        check("text: { field: x, contains: '*', starts: y }", "fails");
        check("text: { field: p, matches: '^/' }", "p");
        // A variable brings data into a template, and no actions.
        check("text: { field: t, contains: fromJSON }", "fails");
        check("text: { field: t, matches: '^a' }", "fails");
        check(r"text: { field: a, matches: '\{\{' }", "fails");
        check("type: { field: a, is: number }", "a");
        check("type: { field: a, is: string }", "a");
        check("type: { field: x, is: string }", "holds");
        check("type: { field: x, is: bool }", "fails");
        check("keys: { of: m, is: { text: { contains: / } } }", "m");
    }

    #[test]
    fn verdicts_are_combined() {
        check("not: { equals: { field: a, value: rsa } }", "a");
        check("any: [{ present: b }, { equals: { field: a, value: rsa } }]", "holds");
        check("any: [{ absent: b }, { equals: { field: a, value: rsa } }]", "a");
        check("all: [{ absent: b }, { equals: { field: a, value: rsa } }]", "fails");
        check("all: [{ present: b }, { equals: { field: a, value: rsa } }]", "a");
        check("some: { of: 'l[]', is: { equals: { field: n, value: c } } }", "l[1].n");
        check("present: a", "holds");
        check("absent: a", "fails");
    }
}

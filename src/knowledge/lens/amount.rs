//! Answers: which of two numbers, durations or quantities is larger, and are they equal however they are written?
//!
//! A duration is written with the units of Kubernetes APIs: `1h30m`, `500ms`. A quantity is a number, or a text with a suffix or an
//! exponent: `0.5`, `500m`, `1Gi`, `1e3`. Two texts without a suffix are taken as texts: `1.0` can be a version.
//!
//! Source: Kubernetes, `resource.Quantity`.
//!
//! Invariant: what is no amount of the same measure cannot be compared: neither exceeds the other, and they are equal only where
//! they are the same value.

use core::cmp::Ordering;

use serde_json::Value;

/// The units of durations, in milliseconds. `ms` precedes its own beginning `m`, so that it is found.
const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// The suffixes of quantities, with the powers of ten and of two that they stand for.
const SUFFIXES: [(&str, i32, i32); 15] = [
    ("Ki", 0, 10),
    ("Mi", 0, 20),
    ("Gi", 0, 30),
    ("Ti", 0, 40),
    ("Pi", 0, 50),
    ("Ei", 0, 60),
    ("n", -9, 0),
    ("u", -6, 0),
    ("m", -3, 0),
    ("k", 3, 0),
    ("M", 6, 0),
    ("G", 9, 0),
    ("T", 12, 0),
    ("P", 15, 0),
    ("E", 18, 0),
];

/// Returns whether `value` is a larger number, a longer duration or a larger quantity than `other`.
pub(super) fn exceeds(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Number(value), Value::Number(other)) => {
            value.as_f64().partial_cmp(&other.as_f64()) == Some(Ordering::Greater)
        }
        _ => match durations(value, other) {
            Some((value, other)) => value > other,
            None => quantities(value, other).is_some_and(|(value, other)| value.size() > other.size()),
        },
    }
}

/// Returns whether two values are the same, or spellings of one amount: `500m` and `0.5`, `60s` and `1m`.
pub(super) fn equal(value: &Value, other: &Value) -> bool {
    value == other
        || durations(value, other).is_some_and(|(value, other)| value == other)
        || quantities(value, other).is_some_and(|(value, other)| value == other)
}

/// Returns whether a value can be spelled in several ways: a duration, a quantity.
pub(super) fn is_amount(value: &Value) -> bool {
    value.as_str().and_then(duration).is_some() || quantity(value).is_some()
}

/// Reads two texts as durations.
fn durations(value: &Value, other: &Value) -> Option<(u64, u64)> {
    duration(value.as_str()?).zip(duration(other.as_str()?))
}

/// Reads two values as quantities, one of which shows by its suffix that it is one.
fn quantities(value: &Value, other: &Value) -> Option<(Quantity, Quantity)> {
    let ((value, is_one), (other, is_other)) = (quantity(value)?, quantity(other)?);
    (is_one || is_other).then_some((value, other))
}

/// A quantity as an integer, which neither two nor five divides, times powers of two and five: equal ones have equal parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quantity {
    factor: i128,
    twos: i32,
    fives: i32,
}

impl Quantity {
    fn new(mut factor: i128, tens: i32, twos: i32) -> Self {
        let mut powers = [(2, tens + twos), (5, tens)];
        if factor == 0 {
            powers = [(2, 0), (5, 0)];
        }
        for (base, power) in &mut powers {
            while factor != 0 && factor % *base == 0 {
                factor /= *base;
                *power += 1;
            }
        }
        Self { factor, twos: powers[0].1, fives: powers[1].1 }
    }

    /// Returns the amount, as exactly as a comparison needs it.
    #[expect(clippy::cast_precision_loss, reason = "amounts that differ in the 16th digit are not told apart")]
    fn size(self) -> f64 {
        self.factor as f64 * 2_f64.powi(self.twos) * 5_f64.powi(self.fives)
    }
}

/// Reads a quantity, and whether it has a suffix or an exponent; `None` for another value, or one with too many digits.
fn quantity(value: &Value) -> Option<(Quantity, bool)> {
    let written = value.as_number().map(ToString::to_string);
    let text = written.as_deref().or(value.as_str())?;
    let is_digit = |one: char| one.is_ascii_digit() || one == '.';
    let signed = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (digits, unit) = signed.split_at(signed.find(|one| !is_digit(one)).unwrap_or(signed.len()));
    // Most texts are none.
    if digits.is_empty() {
        return None;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let factor = all.parse::<i128>().ok()?;
    let (tens, twos) = powers(unit)?;
    let places = i32::try_from(fraction.len()).ok()?;
    let factor = if text.starts_with('-') { -factor } else { factor };
    Some((Quantity::new(factor, tens.checked_sub(places)?, twos), value.is_string() && !unit.is_empty()))
}

/// Returns the powers of ten and of two that a suffix or an exponent stands for.
fn powers(unit: &str) -> Option<(i32, i32)> {
    if unit.is_empty() {
        return Some((0, 0));
    }
    if let Some((_, tens, twos)) = SUFFIXES.iter().find(|(suffix, ..)| *suffix == unit) {
        return Some((*tens, *twos));
    }
    let exponent = unit.strip_prefix(['e', 'E'])?.parse::<i32>().ok()?;
    (-100..=100).contains(&exponent).then_some((exponent, 0))
}

/// Reads a duration in milliseconds; `None` for another text, or one beyond 64 bits.
fn duration(text: &str) -> Option<u64> {
    let (mut rest, mut sum) = (text, 0_u64);
    while !rest.is_empty() {
        let (number, behind) = rest.split_at(rest.find(|one: char| !one.is_ascii_digit())?);
        let (unit, factor) = UNITS.into_iter().find(|(unit, _)| behind.starts_with(unit))?;
        sum = sum.checked_add(number.parse::<u64>().ok()?.checked_mul(factor)?)?;
        rest = &behind[unit.len()..];
    }
    (!text.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn durations_are_sums() {
        assert_eq!(duration("1h30m"), Some(5_400_000));
        assert_eq!(duration("0s"), Some(0));
        assert_eq!(duration("1m1ms"), Some(60_001));
        for text in ["", "1", "s", "1d", "1.5h", "-1s", "99999999999999999999s", "9999999999999999999h"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn only_like_is_compared() {
        assert!(exceeds(&json!(2), &json!(1.5)) && !exceeds(&json!(1), &json!(1)));
        assert!(exceeds(&json!("1s"), &json!("999ms")) && !exceeds(&json!("60s"), &json!("1m")));
        assert!(!exceeds(&json!(2), &json!("1s")) && !exceeds(&json!("1s"), &json!(null)));
        assert!(exceeds(&json!("1Gi"), &json!("1G")) && exceeds(&json!(1), &json!("999m")));
        assert!(!exceeds(&json!("1Gi"), &json!("1024Mi")) && !exceeds(&json!("10"), &json!("9")));
    }

    #[test]
    fn one_amount_has_many_spellings() {
        for (left, right) in [
            (json!("500m"), json!(0.5)),
            (json!("1Gi"), json!("1024Mi")),
            (json!("1Gi"), json!(1_073_741_824)),
            (json!("1.5k"), json!("1500")),
            (json!("1e3"), json!("1k")),
            (json!("0.1M"), json!("100e3")),
            (json!("-250m"), json!(-0.25)),
            (json!("0Ki"), json!(0)),
            (json!("60s"), json!("1m")),
            (json!([1]), json!([1])),
        ] {
            assert!(equal(&left, &right) && equal(&right, &left), "{left} {right}");
        }
        for (left, right) in [
            (json!("1.0"), json!("1")),
            (json!("80"), json!(80)),
            (json!("1Gi"), json!("1G")),
            (json!("1m"), json!("1M")),
            (json!("100m"), json!(true)),
            (json!("1e999"), json!("1k")),
            (json!("m"), json!("1m")),
            (json!("1Mib"), json!("1Mi")),
        ] {
            assert!(!equal(&left, &right), "{left} {right}");
        }
    }
}

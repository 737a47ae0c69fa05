//! Answers: which of two numbers is larger, and which of two durations is longer?
//!
//! A duration is written with the units of Kubernetes APIs: `1h30m`, `500ms`.
//!
//! Invariant: a number and a duration cannot be compared, so neither exceeds the other.

use core::cmp::Ordering;

use serde_json::Value;

/// The units of durations, in milliseconds. `ms` precedes its own beginning `m`, so that it is found.
const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// Returns whether `value` is a larger number, or a longer duration, than `other`.
pub(super) fn exceeds(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Number(value), Value::Number(other)) => {
            value.as_f64().partial_cmp(&other.as_f64()) == Some(Ordering::Greater)
        }
        (Value::String(value), Value::String(other)) => {
            duration(value).zip(duration(other)).is_some_and(|(a, b)| a > b)
        }
        _ => false,
    }
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
    }
}

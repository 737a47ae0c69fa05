//! Answers: is a value still the one that was seen before?
//!
//! A [`ValueHash`] is 64 bits of FNV-1a over the value's parts, each led by its type: mappings in the order of their keys'
//! names, whole numbers by value. It guards against mistakes, not against forgery: who can edit the stash can edit the object.
//!
//! Invariant: a hash does not depend on the order of keys, on how a text spells a value, or on this program's version.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Number, Value};

/// What a value looked like: sixteen hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueHash(u64);

impl ValueHash {
    /// Hashes `value`.
    pub(super) fn of(value: &Value) -> Self {
        let mut hash = Hash::new();
        hash.value(value);
        Self(hash.0)
    }

    /// Hashes `value`, and of a mapping as if it had no `key`.
    pub(super) fn of_but(value: &Value, key: Option<&str>) -> Self {
        match (value, key) {
            (Value::Object(map), Some(key)) => Self::without(map, key),
            _ => Self::of(value),
        }
    }

    /// Hashes a mapping as if it had no `key`.
    pub(super) fn without(map: &Map<String, Value>, key: &str) -> Self {
        let mut hash = Hash::new();
        hash.mapping(map, |name| name != key);
        Self(hash.0)
    }
}

impl fmt::Display for ValueHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for ValueHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ValueHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = u64::from_str_radix(&text, 16).ok().map(Self).filter(|print| print.to_string() == text);
        number.ok_or_else(|| serde::de::Error::custom("a hash is sixteen hexadecimal digits"))
    }
}

/// FNV-1a under way.
///
/// Source: draft-eastlake-fnv, the 64-bit offset basis and prime.
struct Hash(u64);

impl Hash {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&mut self, kind: u8, text: &str) {
        self.bytes(&[kind]);
        self.bytes(&text.len().to_le_bytes());
        self.bytes(text.as_bytes());
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.bytes(b"0"),
            Value::Bool(true) => self.bytes(b"t"),
            Value::Bool(false) => self.bytes(b"f"),
            Value::Number(number) => self.text(b'n', &spelled(number)),
            Value::String(text) => self.text(b's', text),
            Value::Array(items) => {
                self.bytes(b"[");
                items.iter().for_each(|item| self.value(item));
                self.bytes(b"]");
            }
            Value::Object(map) => self.mapping(map, |_| true),
        }
    }

    fn mapping(&mut self, map: &Map<String, Value>, counts: impl Fn(&str) -> bool) {
        let mut entries: Vec<_> = map.iter().filter(|(key, _)| counts(key)).collect();
        entries.sort_unstable_by_key(|(key, _)| key.as_str());
        self.bytes(b"{");
        for (key, value) in entries {
            self.text(b'k', key);
            self.value(value);
        }
        self.bytes(b"}");
    }
}

/// Spells a number, whole ones without a point: `1.0` is `1`.
fn spelled(number: &Number) -> String {
    match number.as_f64() {
        // Below 2^53 a float holds every whole number, so that none is mistaken for its neighbour.
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 => {
            format!("{float:.0}")
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn spelling_and_key_order_do_not_change_the_hash() {
        let same = [json!({"a": 1, "b": [2.0]}), json!({"b": [2], "a": 1.0})];
        assert_eq!(ValueHash::of(&same[0]), ValueHash::of(&same[1]));
    }

    #[test]
    fn every_other_difference_changes_the_hash() {
        let values = [
            json!({}),
            json!([]),
            json!(null),
            json!(""),
            json!("1"),
            json!(1),
            json!([1, 2]),
            json!([2, 1]),
            json!([[1], 2]),
            json!({"a": null}),
            json!({"a": {"b": 1}}),
            json!({"a": {}, "b": 1}),
            json!(["ab", "c"]),
            json!(["a", "bc"]),
        ];
        for (at, value) in values.iter().enumerate() {
            for other in &values[at + 1..] {
                assert_ne!(ValueHash::of(value), ValueHash::of(other), "{value} {other}");
            }
        }
    }

    #[test]
    fn a_key_can_be_left_out() {
        let Value::Object(map) = json!({"a": 1, "b": 2}) else { unreachable!("it is a mapping") };
        assert_eq!(ValueHash::without(&map, "b"), ValueHash::of(&json!({"a": 1})));
    }

    #[test]
    fn the_hash_of_a_value_never_changes() {
        // FNV-1a of the bytes `{`, `}` by hand: what older stashes hold must still match.
        let print = ValueHash::of(&json!({}));
        let by_hand = b"{}"
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(1_099_511_628_211));
        assert_eq!(print.to_string(), format!("{by_hand:016x}"));
        let read: ValueHash = serde_json::from_value(json!(print.to_string())).unwrap();
        assert_eq!(read, print);
        for text in ["", "+0000000000000001", "cbf29ce48422232", "CBF29CE484222325"] {
            assert!(serde_json::from_value::<ValueHash>(json!(text)).is_err(), "{text}");
        }
    }
}

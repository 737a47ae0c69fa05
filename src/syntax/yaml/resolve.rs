//! Answers: what does kubectl resolve a plain scalar to, and which strings must be quoted so that no parser misreads them?
//!
//! kubectl, controllers and client-go read YAML through sigs.k8s.io/yaml on yaml.v2: mostly YAML 1.1, with some of 1.2.
//! [`resolve`] follows yaml.v2's `resolve.go`. kustomize and others read YAML 1.2, so [`reads_as_text`] is stricter: a
//! string is only written plain if parsers of both versions resolve it to a string.
//!
//! Invariant: a string for which [`reads_as_text`] holds resolves to itself.

use serde_json::{Number, Value};

/// What a plain scalar resolves to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Resolved {
    /// Null, a boolean or a number: `~`, `yes`, `0x1F`.
    Value(Value),
    /// Text: `a`.
    Text,
    /// A number that JSON does not have: `.inf`.
    NoJson,
}

/// Resolves an unquoted, untagged scalar as yaml.v2 does.
pub(super) fn resolve(text: &str) -> Resolved {
    // The longest word that is not a string is `false`.
    let begins_number = |first: char| first.is_ascii_digit() || "+-.".contains(first);
    if text.len() > 5 && !text.starts_with(begins_number) {
        return Resolved::Text;
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Resolved::Value(Value::Null),
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Resolved::Value(Value::Bool(true));
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Resolved::Value(Value::Bool(false));
        }
        ".nan" | ".NaN" | ".NAN" => return Resolved::NoJson,
        _ if !text.starts_with(begins_number) => return Resolved::Text,
        _ => {}
    }
    if matches!(text.trim_start_matches(['+', '-']), ".inf" | ".Inf" | ".INF") && text.len() <= 5 {
        return Resolved::NoJson;
    }
    match number(text) {
        Some(number) => Resolved::Value(Value::Number(number)),
        None => Resolved::Text,
    }
}

fn number(text: &str) -> Option<Number> {
    match text.as_bytes().first()? {
        b'.' => float(text),
        b'0'..=b'9' | b'+' | b'-' => {
            let digits = text.replace('_', "");
            integer(&digits).or_else(|| float(&digits))
        }
        _ => None,
    }
}

/// Reads what Go's `ParseInt` with base 0 reads, and positive numbers up to 2^64 - 1.
fn integer(text: &str) -> Option<Number> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = radix(digits);
    if digits.is_empty() || !digits.bytes().all(|byte| char::from(byte).is_digit(radix)) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    match (negative, i64::try_from(magnitude)) {
        (false, Ok(value)) => Some(value.into()),
        (false, Err(_)) => (!text.starts_with('+')).then(|| magnitude.into()),
        (true, Ok(value)) => Some((-value).into()),
        (true, Err(_)) => (magnitude == i64::MIN.unsigned_abs()).then(|| i64::MIN.into()),
    }
}

/// Splits a number's prefix off: `0x1F` is `1F` in base 16, `017` and `0o17` are `17` in base 8.
fn radix(digits: &str) -> (u32, &str) {
    let Some(rest) = digits.strip_prefix('0').filter(|rest| !rest.is_empty()) else { return (10, digits) };
    match rest.as_bytes()[0].to_ascii_lowercase() {
        b'x' => (16, &rest[1..]),
        b'o' => (8, &rest[1..]),
        b'b' => (2, &rest[1..]),
        _ => (8, rest),
    }
}

/// Reads a decimal fraction; a whole number comes out as an integer, which is how Go prints it in JSON.
fn float(text: &str) -> Option<Number> {
    if !is_float(text) {
        return None;
    }
    let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
    let exact = 2f64.powi(53);
    if value.fract() == 0.0 && value.abs() <= exact { Some((value as i64).into()) } else { Number::from_f64(value) }
}

/// Matches `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_float(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = digits(unsigned);
    let mut rest = &unsigned[whole..];
    let mut fraction = 0;
    if let Some(after) = rest.strip_prefix('.') {
        fraction = digits(after);
        rest = &after[fraction..];
    }
    if whole + fraction == 0 {
        return false;
    }
    let Some(exponent) = rest.strip_prefix(['e', 'E']) else { return rest.is_empty() };
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    !exponent.is_empty() && digits(exponent) == exponent.len()
}

/// Returns whether parsers of YAML 1.1 and of YAML 1.2 all resolve the plain scalar to this string.
///
/// The syntax is not checked: `a: b` reads as text here, but cannot be written plain.
pub(super) fn reads_as_text(text: &str) -> bool {
    resolve(text) == Resolved::Text
        && !matches!(text, "<<" | "=" | ".")
        && !resembles_number(text)
        && !resembles_date(text)
}

/// Returns whether some parser may read a number: base 60 as `1:30`, too large a number, any digits with underscores.
fn resembles_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text).replace('_', "");
    let based = |prefix: &str, radix: u32| {
        digits
            .strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|digit| digit.is_digit(radix)))
    };
    let base_60 = || digits.contains(':') && digits.split(':').all(|part| !part.is_empty() && is_float(part));
    is_float(&digits) || based("0x", 16) || based("0o", 8) || based("0b", 2) || base_60()
}

/// Returns whether the text starts as a date does: `2001-12-14`, alone or with a time after it.
fn resembles_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let number = |part: Option<&str>, lengths: std::ops::RangeInclusive<usize>| {
        part.is_some_and(|part| lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let date = number(parts.next(), 4..=4) && number(parts.next(), 1..=2);
    let rest = parts.next().unwrap_or_default();
    let day = rest.bytes().take_while(u8::is_ascii_digit).count();
    date && (1..=2).contains(&day) && (rest.len() == day || rest[day..].starts_with(['T', 't', ' ', '\t']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(texts: &[&str], expected: &Value) {
        for text in texts {
            assert_eq!(resolve(text), Resolved::Value(expected.clone()), "{text}");
        }
    }

    #[test]
    fn null_and_booleans_are_those_of_yaml_1_1() {
        check(&["", "~", "null", "Null", "NULL"], &Value::Null);
        check(&["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"], &json!(true));
        check(&["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"], &json!(false));
    }

    #[test]
    fn integers_have_go_prefixes_and_underscores() {
        check(&["10", "+10", "012", "0o12", "0O12", "0xA", "0XA", "0b1010", "0B1010", "1_0", "1_0_"], &json!(10));
        check(&["-012", "-0xA", "-1_0"], &json!(-10));
        check(&["0", "00", "+0"], &json!(0));
        check(&["9223372036854775808", "0x8000000000000000"], &json!(9_223_372_036_854_775_808_u64));
        check(&["-9223372036854775808"], &json!(i64::MIN));
    }

    #[test]
    fn whole_floats_are_integers() {
        check(&["8", "08", "8.0", "8.", "0.8e1", "8e0", "+8.0"], &json!(8));
        check(&[".5", "0.5", "5e-1", "+.5"], &json!(0.5));
        check(&["1e3"], &json!(1000));
        check(&["123456789012345678901"], &json!(123_456_789_012_345_678_901.0));
    }

    #[test]
    fn other_scalars_are_text() {
        for text in [
            "1:30",
            "2001-12-14",
            "2001-12-14T01:02:03Z",
            "-",
            "+",
            ".",
            "0x",
            "0b2",
            "0o8",
            "1e",
            "1e999",
            "._5",
            "_1",
            "1.2.3",
            "10.0.0.1",
            "v1",
            "1a",
            "yEs",
            "tRUE",
            "nan",
            "inf",
            "0x1G",
            "--1",
            "<<",
            "=",
            "1 2",
        ] {
            assert_eq!(resolve(text), Resolved::Text, "{text}");
        }
        for text in [".inf", "-.inf", "+.Inf", ".INF", ".nan", ".NaN"] {
            assert_eq!(resolve(text), Resolved::NoJson, "{text}");
        }
        assert_eq!(resolve("+-.inf"), Resolved::Text);
    }

    #[test]
    fn strings_that_some_parser_misreads_do_not_read_as_text() {
        for text in [
            "",
            "yes",
            "n",
            "Off",
            "null",
            "~",
            "012",
            "0o17",
            "0x1F",
            "1_000",
            "08",
            "1:30",
            "12:30:45.5",
            "2001-12-14",
            "2001-1-2 03:04",
            "1.0",
            "1e3",
            "1e999",
            ".5",
            "<<",
            "=",
            ".inf",
            "-.inf",
            ".nan",
            "0xFFFFFFFFFFFFFFFFFF",
            "190:20:30",
            "-0b1_0",
        ] {
            assert!(!reads_as_text(text), "{text}");
        }
        for text in [
            "a",
            "v1",
            "10.0.0.1",
            "8080-tcp",
            "1.2.3",
            "a:b",
            "2001-12",
            "2001-12-14-x",
            "12Mi",
            "5s",
            "1h30m",
            "::1",
            "0x",
        ] {
            assert!(reads_as_text(text), "{text}");
        }
    }
}

//! How alike are two names?
//!
//! A name is compared as the words that it is made of: `caCertRefs` is ca, cert and ref. A word stands for one that it begins, as cert
//! does for certificate.

use crate::syntax::field::{FieldPattern, Part};

/// Returns the name of the last key of a field.
pub(crate) fn last_key(pattern: &FieldPattern) -> Option<&str> {
    match pattern.parts().last()? {
        Part::Key(key) => Some(key),
        Part::Items | Part::Values => None,
    }
}

/// Splits a name into its words, in lower case and in the singular.
pub(crate) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let starts = letter.is_uppercase()
            && (before.is_some_and(|before| !before.is_uppercase())
                || letters.get(at + 1).is_some_and(|after| after.is_lowercase()) && !is_plural(&letters[at + 1..]));
        let turns = before.is_some_and(|before| before.is_ascii_digit() != letter.is_ascii_digit());
        if starts || turns || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            words.last_mut().expect("there is a word").extend(letter.to_lowercase());
        }
    }
    words.iter().filter(|word| !word.is_empty()).map(|word| singular(word)).collect()
}

/// Returns whether an abbreviation before it is in the plural, as in `CAs`.
fn is_plural(letters: &[char]) -> bool {
    letters.first() == Some(&'s') && !letters.get(1).is_some_and(|letter| letter.is_lowercase())
}

/// Words that end like plurals and are none, most of them protocols of which a word without the ending is another one.
const SINGULARS: [&str; 17] = [
    "amqps", "aws", "dis", "dns", "ftps", "grpcs", "https", "imaps", "ldaps", "mqtts", "mtls", "nfs", "rediss",
    "smtps", "tcps", "tls", "wss",
];

/// Returns a word without the ending of the plural.
fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    // `refs` and `CAs`, but not `class` and `is`, nor `https`.
    let is_plural = |stem: &&str| stem.len() > 1 && !stem.ends_with(['s', 'u']) && !SINGULARS.contains(&word);
    let stem = word.strip_suffix('s').filter(is_plural);
    stem.unwrap_or(word).to_owned()
}

/// Returns how alike two names are, in percent.
pub(crate) fn likeness(one: &[String], other: &[String]) -> u32 {
    let (joined, joined_other) = (one.concat(), other.concat());
    if joined == joined_other {
        return 100;
    }
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if short.is_empty() {
        return 0;
    }
    let mut free: Vec<&String> = long.iter().collect();
    let mut shared = 0;
    for word in short {
        let best = free.iter().enumerate().map(|(at, other)| (likeness_of_words(word, other), at)).max_by_key(|best| {
            // Of equally good ones, the first.
            (best.0, std::cmp::Reverse(best.1))
        });
        if let Some((points, at)) = best.filter(|(points, _)| *points > 0) {
            shared += points;
            free.remove(at);
        }
    }
    let in_words = 2 * shared / to_u32(one.len() + other.len());
    // One name in the other says more than what they lack: controller, controllerName.
    let is_within = shared == 100 * to_u32(short.len());
    let within = if is_within { 60 + in_words / 5 } else { 0 };
    let in_letters = likeness_of_letters(&joined, &joined_other);
    let in_letters = if in_letters < 75 { 0 } else { in_letters * 9 / 10 };
    in_words.max(within).max(in_letters)
}

/// Returns how alike two words are, in percent: 0 for different ones.
fn likeness_of_words(one: &str, other: &str) -> u32 {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if short == long {
        100
    } else if short.len() > 1 && long.starts_with(short) {
        85
    } else if likeness_of_letters(short, long) >= 80 || is_abbreviation(short, long) {
        75
    } else {
        0
    }
}

/// Returns whether a word is a longer one without some of its letters: authz, authorization.
fn is_abbreviation(short: &str, long: &str) -> bool {
    let mut letters = long.chars();
    let is_inside = short.chars().all(|letter| letters.any(|other| other == letter));
    is_inside && short.chars().zip(long.chars()).take_while(|(one, other)| one == other).count() >= 3
}

/// Returns which part of the letters of two texts are in both, in the same order, in percent.
fn likeness_of_letters(one: &str, other: &str) -> u32 {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut row = vec![0_usize; other.len() + 1];
    for letter in &one {
        let mut diagonal = 0;
        for (at, found) in other.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if letter == found { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    let shared = row.last().copied().unwrap_or_default();
    200 * to_u32(shared) / to_u32(one.len() + other.len()).max(1)
}

/// Returns a count, which is small, as a number to divide.
pub(crate) fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        let cases: [(&str, &[&str]); 8] = [
            ("caCertRefs", &["ca", "cert", "ref"]),
            ("wellKnownCACerts", &["well", "known", "ca", "cert"]),
            ("policies", &["policy"]),
            ("class", &["class"]),
            ("status", &["status"]),
            ("http2-max_streams", &["http", "2", "max", "stream"]),
            ("CAs", &["ca"]),
            ("HTTPSPorts", &["https", "port"]),
        ];
        for (name, expected) in cases {
            assert_eq!(words(name), expected, "{name}");
        }
    }

    #[test]
    fn alike_names_are_told_from_others() {
        let alike = |one, other| likeness(&words(one), &words(other));
        assert_eq!(alike("owner", "owners"), 100);
        assert_eq!(alike("hostname", "hostName"), 100);
        assert!(alike("caCertRefs", "caCertificateRefs") >= 90);
        assert!(alike("controller", "controllerName") >= 70);
        assert!(alike("authzURL", "authorizationURL") >= 80);
        assert!(alike("tls", "validation") < 30);
        assert!(alike("size", "fax") < 30);
    }
}

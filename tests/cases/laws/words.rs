//! Answers: which strings do generated objects have?
//!
//! Plain words, words that YAML reads as other types, and words for the patterns of schemas. A string field gets
//! any of them that its schema allows. A pack adds words for patterns in `tests/laws/<pack>.yaml`.
//!
//! Invariant: every pattern of a required field of a built-in pack has a word here; the laws report which one lacks it.

use std::collections::BTreeMap;
use std::sync::Mutex;

use reversion::internals::catalog::{Attributes, compile};

use super::exceptions::Exceptions;
use crate::support::random::Random;

/// Words that most schemas allow; some are listed twice to be drawn more often.
const PLAIN: &[&str] = &[
    "shop",
    "store",
    "shop",
    "cart-v2",
    "a",
    "shop.example",
    "store.example.com",
    "Cookie",
    "Exact",
    "x-1",
    "web",
    "b0",
];

/// Words that a plain YAML scalar cannot hold, or that only quotes make a string.
const ODD: &[&str] = &[
    "",
    " ",
    "yes",
    "no",
    "on",
    "y",
    "null",
    "~",
    "true",
    "False",
    "1",
    "007",
    "0x1F",
    "1e3",
    ".5",
    "1_000",
    "1:30",
    "2024-01-31",
    "=",
    "<<",
    "a: b",
    "a:",
    ": a",
    "# a",
    "a #b",
    "a # b",
    "- a",
    "-",
    "---",
    "...",
    "{a}",
    "[a]",
    "a, b",
    "*a",
    "&a",
    "!a",
    "%a",
    "@a",
    "`a`",
    "'",
    "\"",
    "it's",
    "say \"a\"",
    "back\\slash",
    "tab\there",
    " lead",
    "trail ",
    "two\nlines",
    "three\n\nlines\n",
    "ends twice\n\n",
    "\nstarts",
    "  indented\nlines\n",
    "é",
    "日本 語",
    "🙂",
    "\u{a0}x",
    "spec:\n  tls: {}\n",
    "targetRef: a\n",
    "a long text that goes on and on, with a comma, and ends only after a good while",
    "{\"apiVersion\":\"v1\",\"spec\":{\"tls\":{}}}",
    "| a",
    "> a",
    "? a",
    "a?b=c&d=%20",
    "key=value",
];

/// Words for patterns: durations, hosts, paths, names with a domain, addresses.
const SHAPED: &[&str] = &[
    "10s",
    "1h30m",
    "250ms",
    "*.example.com",
    "example.com",
    "/",
    "/cart/items",
    "https://shop.example",
    "*",
    "example.com/policy",
    "gateway.networking.k8s.io/gateway-controller",
    "System",
    "Hostname",
    "IPAddress",
    "10.0.0.1",
    "SHOP_ID",
    "X-Header",
    "GET",
    "Service",
    "ConfigMap",
    "Gateway",
    "HTTPS",
    "TLS",
    "http://a.example:8080",
    "v1",
    "app",
    "spiffe://cluster.local/ns/shop",
    "HTTPRoute",
    "www.example.com",
    "1",
    "2001:db8::1",
    "10.0.0.0/8",
    "25%",
    "100m",
    "1Gi",
    "arn:aws:iam::123456789012:role/shop",
    "0",
    "256",
    "2024-01-31T10:00:00Z",
    "https://shop.example/token",
    "5m0s",
];

/// Keys of free mappings.
const KEYS: &[&str] = &[
    "app",
    "app.kubernetes.io/name",
    "example.com/a.b",
    "team",
    "a",
    "yes",
    "1",
    "é",
    "with space",
    "a: b",
    "x\"y",
    "on",
    "example.com/long-key-of-an-annotation",
    "tls",
    "spec",
    "kind",
    "#",
    "-",
    "null",
    "a'b",
];

/// Keys of labels and annotations, as Kubernetes allows them.
const LABELS: &[&str] = &["app", "app.kubernetes.io/name", "example.com/a.b_c", "tier", "on", "1"];

/// The words that match one pattern.
static MATCHING: Mutex<BTreeMap<String, Vec<&'static str>>> = Mutex::new(BTreeMap::new());

/// Draws a string that `attributes` allow; `None` where no word here does.
pub(crate) fn text(attributes: &Attributes, random: &mut Random) -> Option<String> {
    let words = match &attributes.pattern {
        Some(pattern) => matching(pattern),
        None if random.chance(60) => PLAIN.to_vec(),
        None => all().collect(),
    };
    let fits = |word: &&str| {
        let characters = word.chars().count() as u64;
        attributes.min_length.is_none_or(|least| characters >= least)
            && attributes.max_length.is_none_or(|most| characters <= most)
    };
    let words: Vec<_> = words.into_iter().filter(fits).collect();
    (!words.is_empty()).then(|| (*random.pick(&words)).to_owned())
}

/// Draws the key of a free mapping.
pub(crate) fn key(random: &mut Random) -> String {
    (*random.pick(KEYS)).to_owned()
}

/// Draws the key of a label or annotation.
pub(crate) fn label(random: &mut Random) -> String {
    (*random.pick(LABELS)).to_owned()
}

fn all() -> impl Iterator<Item = &'static str> {
    PLAIN.iter().chain(ODD).chain(SHAPED).copied()
}

fn matching(pattern: &str) -> Vec<&'static str> {
    let mut known = MATCHING.lock().expect("no test panics while it holds the lock");
    let find = || match compile(pattern) {
        Ok(regex) => all().chain(Exceptions::of_all().words()).filter(|word| regex.is_match(word)).collect(),
        // The engine checks nothing then, so any word will do.
        Err(_) => all().collect(),
    };
    known.entry(pattern.to_owned()).or_insert_with(find).clone()
}

//! Do two names, however alike, say different things?
//!
//! The words that only one of two names has are compared: numbers, units, a word that negates or is of another kind, and words of which one
//! is the opposite of, or an alternative to, the other.

use super::names::words;

/// Prefixes of which one makes another word, often the opposite one, of what the other makes a word of; none is a prefix too.
const PREFIXES: [[&str; 2]; 25] = [
    ["", "a"],
    ["", "anti"],
    ["", "de"],
    ["", "dis"],
    ["", "il"],
    ["", "im"],
    ["", "in"],
    ["", "ir"],
    ["", "mis"],
    ["", "no"],
    ["", "non"],
    ["", "not"],
    ["", "un"],
    ["at", "de"],
    ["down", "up"],
    ["e", "in"],
    ["en", "de"],
    ["en", "dis"],
    ["ex", "im"],
    ["ex", "in"],
    ["in", "de"],
    ["in", "out"],
    ["over", "under"],
    ["post", "pre"],
    ["on", "off"],
];

/// Words of which each excludes the others of its line.
const ALTERNATIVES: [&[&str]; 55] = [
    &["active", "passive"],
    &["after", "before"],
    &["allow", "block", "deny"],
    &["allowed", "blocked", "denied"],
    &["annotation", "label"],
    &["asc", "desc"],
    &["ascending", "descending"],
    &["blacklist", "whitelist"],
    &["black", "white"],
    &["child", "parent"],
    &["client", "server"],
    &["count", "percent"],
    &["cpu", "memory"],
    &["create", "delete", "update"],
    &["down", "up"],
    &["end", "start"],
    &["enable", "disable"],
    &["encrypt", "decrypt"],
    &["eq", "gt", "gte", "lt", "lte", "ne"],
    &["equal", "greater", "less"],
    &["failure", "success"],
    &["first", "last"],
    &["from", "to", "until"],
    &["gid", "uid"],
    &["grpc", "http", "https", "mtls", "sctp", "tcp", "tls", "udp", "ws", "wss"],
    &["group", "user"],
    &["hard", "soft"],
    &["height", "length", "width"],
    &["horizontal", "vertical"],
    &["high", "low", "medium"],
    &["in", "out"],
    &["left", "right"],
    &["limit", "request"],
    &["liveness", "readiness", "startup"],
    &["local", "remote"],
    &["lower", "upper"],
    &["many", "once"],
    &["master", "worker"],
    &["max", "min"],
    &["maximum", "minimum"],
    &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    &["namespace", "node", "pod"],
    &["new", "old"],
    &["off", "on"],
    &["only", "write"],
    &["prefix", "suffix"],
    &["private", "public"],
    &["read", "write"],
    &["request", "response"],
    &["source", "target"],
    &["src", "dst"],
    &["source", "destination"],
    &["true", "false"],
    &["connect", "idle", "read", "write"],
    &["config", "secret"],
];

/// Words that negate what they are with.
const NEGATIONS: [&str; 10] =
    ["disable", "disabled", "false", "ignore", "never", "no", "non", "not", "skip", "without"];

/// Words for something of its own: what has one more of them at its end is that, and not what it is of.
const THINGS: [&str; 8] = ["certificate", "class", "key", "limit", "password", "port", "secret", "token"];

/// Each with its other spellings.
const UNITS: [&[&str]; 38] = [
    &["bit"],
    &["byte"],
    &["c", "celsius"],
    &["centimeter", "cm"],
    &["core"],
    &["d", "day"],
    &["eur", "euro"],
    &["f", "fahrenheit"],
    &["g", "gram"],
    &["gb"],
    &["gi", "gib"],
    &["h", "hour"],
    &["k", "kelvin"],
    &["kb"],
    &["kg", "kilogram"],
    &["ki", "kib"],
    &["kilometer", "km"],
    &["kw", "kilowatt"],
    &["mb"],
    &["meter"],
    &["mi", "mib"],
    &["micro", "microsecond", "us", "usec"],
    &["milli", "millicore", "millisecond", "millis", "ms", "msec"],
    &["milligram", "mg"],
    &["millimeter", "mm"],
    &["min", "minute"],
    &["month"],
    &["nano", "nanosecond", "ns", "nsec"],
    &["pct", "percent"],
    &["permille"],
    &["s", "sec", "second"],
    &["tb"],
    &["ti", "tib"],
    &["usd", "dollar"],
    &["w", "watt"],
    &["week"],
    &["year"],
    &["mw", "megawatt"],
];

/// Returns whether two names say different things, so that a person decides whether the one became the other.
pub(crate) fn mean_different(one: &str, other: &str) -> bool {
    has_other_case_of_bits(one, other) || are_different(&words(one), &words(other))
}

/// Returns whether words of two paths exclude each other, so that a person decides whether what is at the one was at the other.
pub(crate) fn are_opposed(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    let (own, its) = (without(&one, &other), without(&other, &one));
    have_opposite(&own, &its)
}

fn have_opposite(own: &[String], its: &[String]) -> bool {
    own.iter().any(|word| its.iter().any(|other| are_opposite(word, other)))
}

/// Returns whether two names differ in the case of what counts bits in one and bytes in the other: `Mbps` and `MBps`.
fn has_other_case_of_bits(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let is_of_unit = |at: usize| {
        let before = at.checked_sub(1).map(|before| one[before].to_ascii_lowercase());
        let after = &one[at + 1..];
        before.is_some_and(|before| b"kmgtpi".contains(&before))
            && (after.first().is_none_or(|next| !next.is_ascii_lowercase())
                || after.starts_with(b"ps")
                || after.starts_with(b"it"))
    };
    one.eq_ignore_ascii_case(other)
        && (0..one.len()).any(|at| one[at].eq_ignore_ascii_case(&b'b') && one[at] != other[at] && is_of_unit(at))
}

fn are_different(one: &[String], other: &[String]) -> bool {
    let (own, its) = (without(one, other), without(other, one));
    if own.is_empty() && its.is_empty() {
        return false;
    }
    let joined = [one.concat(), other.concat()];
    have_other_numbers([one, other], [&own, &its])
        || have_other_units(&own, &its)
        || negates(&own)
        || negates(&its)
        || its.is_empty() && is_another_thing(&own, one)
        || own.is_empty() && is_another_thing(&its, other)
        || have_opposite(&own, &its)
        || have_other_prefixes(&joined[0], &joined[1])
}

/// Returns the words that only the first name has.
fn without(all: &[String], others: &[String]) -> Vec<String> {
    let mut left = others.to_vec();
    let is_more = |word: &&String| left.iter().position(|other| other == *word).map(|at| left.remove(at)).is_none();
    all.iter().filter(is_more).cloned().collect()
}

/// Returns whether both names have a number that the other one has not, or one of them ends with one: `s3Bucket` can be the `bucket` of `s3`.
fn have_other_numbers(names: [&[String]; 2], more: [&[String]; 2]) -> bool {
    // Of `hostA` and `hostB`, the letter is one.
    let is_number = |word: &&String| word.starts_with(|letter: char| letter.is_ascii_digit()) || word.len() == 1;
    let [own, its] = more.map(|words| words.iter().filter(is_number).collect::<Vec<_>>());
    let [one, other] = names.map(|words| words.last().filter(is_number));
    own != its && (!own.is_empty() && !its.is_empty() || one.is_some() != other.is_some())
}

/// A name that gains a unit says what was meant before.
fn have_other_units(own: &[String], its: &[String]) -> bool {
    let units = |all: &[String]| -> Vec<usize> {
        all.iter().filter_map(|word| UNITS.iter().position(|unit| unit.contains(&word.as_str()))).collect()
    };
    let (own, its) = (units(own), units(its));
    !own.is_empty() && !its.is_empty() && own != its
}

fn negates(more: &[String]) -> bool {
    more.iter().any(|word| NEGATIONS.contains(&word.as_str()))
}

/// Returns whether a name ends with a word that it has more, and that makes it something else.
fn is_another_thing(more: &[String], name: &[String]) -> bool {
    name.last().is_some_and(|last| more.contains(last) && THINGS.contains(&last.as_str()))
}

fn are_opposite(one: &str, other: &str) -> bool {
    // An ending of the plural is taken off before.
    let is_longer = |long: &str, short: &str| long.strip_suffix('s') == Some(short);
    ALTERNATIVES.iter().any(|words| words.contains(&one) && words.contains(&other))
        || have_other_prefixes(one, other)
        || is_longer(one, other)
        || is_longer(other, one)
}

fn have_other_prefixes(one: &str, other: &str) -> bool {
    let has = |a: &str, b: &str, prefixes: [&str; 2]| {
        let stems = [(a, prefixes[0]), (b, prefixes[1])].map(|(word, prefix)| word.strip_prefix(prefix));
        // What is left of a word that is none says nothing.
        matches!(stems, [Some(one), Some(other)] if one == other && one.len() > 1)
    };
    PREFIXES.iter().any(|[a, b]| has(one, other, [a, b]) || has(other, one, [a, b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_different(one: &str, other: &str) -> bool {
        assert_eq!(mean_different(one, other), mean_different(other, one), "{one:?} {other:?}");
        mean_different(one, other)
    }

    #[test]
    fn names_of_fields_that_say_different_things() {
        for (one, other) in [
            ("includePaths", "excludePaths"),
            ("insecure", "secure"),
            ("allowList", "denyList"),
            ("skipVerify", "verify"),
            ("cache", "noCache"),
            ("maxRetries", "minRetries"),
            ("tempC", "tempF"),
            ("sizeMB", "sizeGB"),
            ("timeoutSeconds", "timeoutMilliseconds"),
            ("cpuMillis", "cpuCores"),
            ("httpPort", "httpsPort"),
            ("timeoutSec", "timeoutMsec"),
            ("weightG", "weightKg"),
            ("ipv4CIDR", "ipv6CIDR"),
            ("inboundRules", "outboundRules"),
            ("tcpPort", "udpPort"),
            ("uid", "gid"),
            ("validFrom", "validTo"),
            ("attachPolicy", "detachPolicy"),
            ("uploadLimit", "downloadLimit"),
            ("runAsUser", "runAsGroup"),
            ("image", "imagePullSecret"),
            ("bandwidthMbps", "bandwidthMBps"),
            ("sizeMb", "sizeMB"),
            ("GBitRate", "GbitRate"),
            ("whitelist", "blacklist"),
            ("ingress", "egress"),
            ("width", "height"),
            ("tls", "mtls"),
            ("hostA", "hostB"),
            ("secretRef", "configMapRef"),
        ] {
            assert!(are_different(one, other), "{one} {other}");
        }
    }

    #[test]
    fn paths_whose_words_exclude_each_other() {
        for (one, other, expected) in [
            ("nodeSelector.matchLabels", "podSelector.matchLabels", true),
            ("secretName", "configMapRef.name", true),
            ("timeout", "a.timeout", false),
            ("secretName", "secret.name", false),
        ] {
            assert_eq!(are_opposed(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn values_that_say_different_things() {
        for (one, other) in [
            ("HTTP", "HTTPS"),
            ("tcp", "tcps"),
            ("Sync", "Async"),
            ("Mutable", "Immutable"),
            ("Required", "NotRequired"),
            ("In", "NotIn"),
            ("Allow", "Disallow"),
            ("Ingress", "Egress"),
            ("Internal", "External"),
            ("IPv4", "IPv6"),
            ("TLSv1.1", "TLSv1.3"),
            ("postgres12", "postgres15"),
            ("t2.micro", "t3.micro"),
            ("RetryOn4xx", "RetryOn5xx"),
            ("DisAllow", "Allow"),
            ("Ascending", "Descending"),
            ("HTTP", "HTTP2"),
        ] {
            assert!(are_different(one, other), "{one} {other}");
        }
    }

    #[test]
    fn names_that_can_say_the_same() {
        for (one, other) in [
            ("lights", "lamps"),
            ("parentRef", "parentRefs"),
            ("timeoutSeconds", "waitSec"),
            ("retention", "retentionDays"),
            ("brightnessPct", "brightnessPercent"),
            ("pkcs1", "PKCS1"),
            ("controller", "controllerName"),
            ("Prefix", "PathPrefix"),
            ("secret", "tlsSecret"),
            ("keyAlgorithm", "algorithm"),
            ("s3Bucket", "bucket"),
            ("memBytes", "membytes"),
            ("dbName", "DBName"),
            ("kubeBase", "kubebase"),
        ] {
            assert!(!are_different(one, other), "{one} {other}");
        }
    }
}

//! Answers: does a version of Kubernetes satisfy a constraint of `semverCompare`?
//!
//! Source: `github.com/Masterminds/semver/v3`, constraints.go. A version of which only the minor number is known satisfies a
//! constraint if each of its patches does.

use super::environment::KubeVersion;

/// The version of a comparator.
struct Bound {
    numbers: [u64; 3],
    /// How many of them are given; the others are wildcards.
    given: usize,
    prerelease: bool,
}

impl Bound {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('v').split('+').next()?;
        let (release, prerelease) = text.split_once('-').map_or((text, false), |(release, _)| (release, true));
        let (mut numbers, mut given) = ([0; 3], 0);
        for part in release.split('.') {
            if matches!(part, "x" | "X" | "*") {
                break;
            }
            *numbers.get_mut(given)? = part.parse().ok()?;
            given += 1;
        }
        Some(Self { numbers, given, prerelease })
    }

    /// Returns the first version behind those that differ in wildcards only, or from the number at `index` on.
    fn next(&self, index: usize) -> [u64; 3] {
        let mut next = [0; 3];
        next[..=index].copy_from_slice(&self.numbers[..=index]);
        next[index] = next[index].saturating_add(1);
        next
    }

    fn admits(&self, operator: &str, version: [u64; 3]) -> Option<bool> {
        let exact = self.given == 3 && self.prerelease;
        let Some(last) = self.given.checked_sub(1) else { return Some(!matches!(operator, "<" | ">" | "!=")) };
        let end = if exact { self.numbers } else { self.next(last) };
        Some(match operator {
            "" | "=" => self.numbers <= version && version < end,
            "!=" => version < self.numbers || end <= version,
            ">" => end <= version,
            ">=" | "=>" => self.numbers <= version,
            "<" => version < self.numbers,
            "<=" | "=<" => version < end,
            "~" | "~>" => self.numbers <= version && version < self.next(last.min(1)),
            "^" => self.numbers <= version && version < self.next(0),
            _ => return None,
        })
    }
}

struct Comparator<'t> {
    operator: &'t str,
    bound: Bound,
}

/// Reads comparators that must all hold.
fn comparators(text: &str) -> Option<Vec<Comparator<'_>>> {
    let (mut found, mut rest) = (Vec::<Comparator<'_>>::new(), text);
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        if rest.is_empty() {
            return Some(found);
        }
        let range = rest.strip_prefix("- ");
        let operators = range.unwrap_or(rest);
        let length = operators.find(|one| !"=<>!~^".contains(one)).unwrap_or(operators.len());
        let version = operators[length..].trim_start();
        let end = version.find([' ', ',']).unwrap_or(version.len());
        let operator = if range.is_some() { "<=" } else { &operators[..length] };
        if range.is_some() {
            found.last_mut()?.operator = ">=";
        }
        found.push(Comparator { operator, bound: Bound::parse(&version[..end])? });
        rest = &version[end..];
    }
}

/// Returns whether `version` satisfies `constraint`, which takes in pre-releases where one of the comparators that must all hold has one; `None` if that depends on its patch, or the constraint cannot be read.
pub fn satisfies(version: KubeVersion, constraint: &str) -> Option<bool> {
    let alternatives: Vec<_> = constraint.split("||").map(comparators).collect::<Option<_>>()?;
    let patches = alternatives.iter().flatten().map(|one| one.bound.numbers[2]);
    let patches: Vec<_> = patches.flat_map(|patch| [patch, patch.saturating_add(1)]).chain([0, u64::MAX]).collect();
    let takes = |one: &Vec<Comparator<'_>>| !version.has_suffix || one.iter().any(|one| one.bound.prerelease);
    let holds = |patch| {
        let version = [version.major, version.minor, patch];
        let all = |one: &Vec<Comparator<'_>>| {
            let first = takes(one);
            one.iter().try_fold(first, |all, one| Some(one.bound.admits(one.operator, version)? && all))
        };
        alternatives.iter().try_fold(false, |any, one| Some(all(one)? || any))
    };
    let first = holds(0)?;
    patches.iter().all(|patch| holds(*patch) == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_are_those_of_masterminds() {
        for (constraint, expected) in [
            (">=1.19-0", Some(true)),
            (">=1.22.0-0", Some(true)),
            (">= 1.23", Some(false)),
            ("<1.22-0", Some(false)),
            ("<1.22.1", None),
            (">1.22", Some(false)),
            (">1.21.9", Some(true)),
            ("<=1.22", Some(true)),
            ("1.22", Some(true)),
            ("=1.22.3", None),
            ("!=1.21.x", Some(true)),
            ("~1.22.0", Some(true)),
            ("^1.14-0", Some(true)),
            ("^2", Some(false)),
            ("1.14 - 1.21", Some(false)),
            ("1.14 - 1.22", Some(true)),
            (">=1.14, <1.20 || >=1.22-0", Some(true)),
            (">=1.14 <1.22", Some(false)),
            ("*", Some(true)),
            ("<v1.19", Some(false)),
            ("one", None),
            (">=1.2.3.4", None),
        ] {
            let version = KubeVersion { major: 1, minor: 22, has_suffix: false };
            assert_eq!(satisfies(version, constraint), expected, "{constraint}");
        }
    }

    #[test]
    fn a_version_with_a_suffix_is_a_pre_release() {
        for (constraint, expected) in [
            (">=1.19", Some(false)),
            (">=1.19-0", Some(true)),
            ("<1.19", Some(false)),
            (">=1.19-0 <1.25", Some(true)),
            (">=1.19 || >=1.20-0", Some(true)),
            ("1.22.x", Some(false)),
        ] {
            let version = KubeVersion { major: 1, minor: 22, has_suffix: true };
            assert_eq!(satisfies(version, constraint), expected, "{constraint}");
        }
    }
}

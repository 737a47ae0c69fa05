//! Whether one CEL rule accepts all that another one accepts, as far as their texts show it.
//!
//! Invariant: what is not certain is not claimed.

/// Returns whether `new` certainly accepts all that `old` accepts: each alternative of `old` is one of `new`, or all that `new` demands
/// is demanded by `old`.
pub(super) fn accepts_all_of(new: &str, old: &str) -> bool {
    let alternatives = parts(new, "||");
    let demands = parts(old, "&&");
    parts(old, "||").iter().all(|part| alternatives.iter().any(|wide| implies(part, wide)))
        || parts(new, "&&").iter().all(|wide| demands.iter().any(|part| implies(part, wide)))
}

/// A comparison with a number: `self.size() <= 8`.
struct Compared<'r> {
    /// All but the number.
    left: &'r str,
    number: i64,
}

impl<'r> Compared<'r> {
    fn read(rule: &'r str) -> Option<Self> {
        let (left, number) = rule.rsplit_once(' ')?;
        Some(Self { left, number: number.parse().ok()? })
    }

    /// Returns whether `wide` is the same comparison, and true for more.
    fn implies(&self, wide: &Self) -> bool {
        let is_most = [" <=", " <"].iter().any(|operator| self.left.ends_with(operator));
        let is_least = [" >=", " >"].iter().any(|operator| self.left.ends_with(operator));
        self.left == wide.left && (is_most && self.number <= wide.number || is_least && self.number >= wide.number)
    }
}

/// Returns whether what meets `part` meets `wide`: they are the same, or the same comparison with a number that leaves more.
fn implies(part: &str, wide: &str) -> bool {
    part == wide || Compared::read(part).zip(Compared::read(wide)).is_some_and(|(part, wide)| part.implies(&wide))
}

/// Splits a rule at an operator that stands in no brackets and no quotes; the whole is one part where one that binds less stands there.
fn parts(rule: &str, operator: &str) -> Vec<String> {
    let (mut parts, mut part, mut depth, mut quote) = (Vec::new(), String::new(), 0_usize, None);
    let mut letters = rule.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => {
                part.push(letter);
                part.extend(letters.next().map(|(_, letter)| letter));
                continue;
            }
            (Some(open), close) if open == close => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, '?') if depth == 0 => return vec![squeezed(rule)],
            (None, '|') if depth == 0 && operator == "&&" => return vec![squeezed(rule)],
            (None, _) if depth == 0 && rule[at..].starts_with(operator) => {
                letters.next();
                parts.push(squeezed(&std::mem::take(&mut part)));
                continue;
            }
            _ => {}
        }
        part.push(letter);
    }
    parts.push(squeezed(&part));
    parts
}

/// Removes white space around a text, brackets around the whole of it, and makes white space within one blank.
fn squeezed(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let inner = words.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    match inner.filter(|inner| closes_last(inner)) {
        Some(inner) => squeezed(inner),
        None => words,
    }
}

/// Returns whether no bracket in `inner` closes one in front of it.
fn closes_last(inner: &str) -> bool {
    let depth = inner.chars().try_fold(0_usize, |depth, letter| match letter {
        '(' => Some(depth + 1),
        ')' => depth.checked_sub(1),
        _ => Some(depth),
    });
    depth == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, loosened: bool, tightened: bool) {
        assert_eq!((accepts_all_of(new, old), accepts_all_of(old, new)), (loosened, tightened));
    }

    #[test]
    fn an_alternative_more_accepts_more() {
        check("self == 'a' || self == 'b'", "self=='a' || self == 'c'", false, false);
        check("self == 'a'", "self == 'a' || self == 'b'", true, false);
        check("(self == 'a')", "self == 'b' || (self  ==  'a')", true, false);
        check("self == 'x || y'", "self == 'x' || self == 'y'", false, false);
    }

    #[test]
    fn a_larger_number_accepts_more() {
        check("0 < self && self <= 6553", "0 < self && self <= 65535", true, false);
        check("self.size() >= 2", "self.size() >= 1 || has(self.a)", true, false);
        check("self <= 5", "self >= 5", false, false);
    }

    #[test]
    fn a_part_less_accepts_more() {
        check("has(self.a) && self.b > 1", "has(self.a)", true, false);
        check("!(has(self.a) && has(self.b))", "!has(self.a)", false, false);
        check("has(self.a) ? self.b : self.c", "has(self.a) ? self.b : self.c || true", false, false);
        check("a && b || c", "b || c", false, false);
    }
}

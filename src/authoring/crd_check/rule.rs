//! Whether one CEL rule accepts all that another one accepts, as far as their texts show it.
//!
//! Invariant: what is not certain is not claimed.

/// Returns whether `new` certainly accepts all that `old` accepts: it has every alternative of `old`, or demands only parts of it.
pub(super) fn accepts_all_of(new: &str, old: &str) -> bool {
    let has_all = |some: &[String], all: &[String]| all.iter().all(|part| some.contains(part));
    has_all(&parts(new, "||"), &parts(old, "||")) || has_all(&parts(old, "&&"), &parts(new, "&&"))
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
    fn a_part_less_accepts_more() {
        check("has(self.a) && self.b > 1", "has(self.a)", true, false);
        check("!(has(self.a) && has(self.b))", "!has(self.a)", false, false);
        check("has(self.a) ? self.b : self.c", "has(self.a) ? self.b : self.c || true", false, false);
        check("a && b || c", "b || c", false, false);
    }
}

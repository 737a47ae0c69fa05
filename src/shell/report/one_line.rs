//! Which text of YAML to be copied fits on one line?
//!
//! Invariant: the line holds the data of the text; what cannot be said in flow style as it stands stays as it is.

/// How long such a line is at most.
const WIDTH: usize = 120;

/// A line without its indentation, and how deep it is.
type Line<'t> = (usize, &'t str);

/// Writes a text on one line, where it is one entry, or one item of a list, and fits.
pub(super) fn on_one_line(text: &str) -> Option<String> {
    // Brackets around a value give it another end at these characters, and a comment ends with its line.
    if text.contains(['#', '|', '>', '{', '}', '[', ']', ',']) {
        return None;
    }
    let lines: Vec<Line<'_>> = text.trim_end().lines().map(|line| (indent_of(line), line.trim())).collect();
    let line = match &*parts(&lines)? {
        [part] if part[0].1.starts_with("- ") => format!("- {}", item(part)?),
        [part] => entry(part)?,
        _ => return None,
    };
    (line.len() <= WIDTH).then_some(line)
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Separates the items of a list, or the entries of a mapping, each with the lines below it.
fn parts<'l, 't>(lines: &'l [Line<'t>]) -> Option<Vec<&'l [Line<'t>]>> {
    let (indent, first) = *lines.first()?;
    let is_list = first.starts_with("- ");
    // The items of a list can be as deep as its key.
    let starts = |(depth, line): &Line<'_>| *depth == indent && line.starts_with("- ") == is_list;
    let is_below = lines.iter().all(|line| line.0 > indent || starts(line) || (line.0 == indent && !is_list));
    let at: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| starts(line)).map(|(at, _)| at).collect();
    let ends = at.iter().skip(1).copied().chain([lines.len()]);
    is_below.then(|| at.iter().zip(ends).map(|(at, end)| &lines[*at..end]).collect())
}

fn entry(lines: &[Line<'_>]) -> Option<String> {
    match lines {
        [(_, line)] => line.contains(": ").then(|| (*line).to_owned()),
        [(_, key), below @ ..] => key.strip_suffix(':').and_then(|key| Some(format!("{key}: {}", node(below)?))),
        [] => None,
    }
}

fn item(lines: &[Line<'_>]) -> Option<String> {
    let (indent, first) = lines.first()?;
    let own: Vec<Line<'_>> = std::iter::once((indent + 2, &first[2..])).chain(lines[1..].iter().copied()).collect();
    node(&own)
}

/// Writes a value in flow style.
fn node(lines: &[Line<'_>]) -> Option<String> {
    let all = |part: fn(&[Line<'_>]) -> Option<String>| {
        let parts: Option<Vec<String>> = parts(lines)?.into_iter().map(part).collect();
        Some(parts?.join(", "))
    };
    match lines {
        [(_, line), ..] if line.starts_with("- ") => Some(format!("[{}]", all(item)?)),
        [(_, line)] if !line.starts_with('-') && !line.ends_with(':') && !line.contains(": ") => {
            Some((*line).to_owned())
        }
        _ => Some(format!("{{ {} }}", all(entry)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_one_line() {
        let cases = [
            ("spec: x", "spec: x"),
            ("spec:\n  key:\n    policy: Never\n", "spec: { key: { policy: Never } }"),
            ("a:\n  b: 1\n  c:\n    d: e:f", "a: { b: 1, c: { d: e:f } }"),
            ("a:\n- b\n- c: 1\n  d: \"2\"\n", "a: [b, { c: 1, d: \"2\" }]"),
            (
                "- groups:\n  - g.k8s.io\n  verbs:\n    - get\n    - list",
                "- { groups: [g.k8s.io], verbs: [get, list] }",
            ),
            ("- - a\n  - b", "- [a, b]"),
        ];
        for (text, line) in cases {
            assert_eq!(on_one_line(text).as_deref(), Some(line), "{text}");
        }
    }

    #[test]
    fn what_is_more_or_cannot_be_said_so_stays() {
        let long = format!("a:\n  b: {}", "c".repeat(WIDTH));
        let texts = [
            "",
            "a",
            "a:",
            "a: 1\nb: 2",
            "- a\n- b",
            "a:\n  b: c # so",
            "a:\n  b: [c]",
            "a:\n  b: |\n    c",
            "a:\n  b: c\nd",
        ];
        let ended = [
            "a:\n  b: c, d",
            "a:\n  b: c}",
            "a:\n  b: c]",
            "a:\n  b:\n  c: 1",
            "a:\n    b: 1\n  c: 2",
            "a:\n  -",
            &long,
        ];
        for text in texts.iter().chain(&ended) {
            assert_eq!(on_one_line(text), None, "{text}");
        }
    }
}

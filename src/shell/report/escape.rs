//! Text from files as it may be printed: with its control characters written out.

/// Returns `text` with control characters written out, so that a file's name or value cannot steer a terminal.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if steers(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// Says whether a character can steer a terminal, or the order in which it shows others, or ends a line for some programs.
pub(super) fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns `text` as [`visible`] does, but with its line breaks.
pub fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// Returns `text` as [`visible`] does, but with its line breaks and `indent` in front of every line but the first.
pub(super) fn visible_block(text: &str, indent: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join(&format!("\n{indent}"))
}

/// Separates a help from the text to be copied that stands below it, where there is one.
pub(super) fn help_and_text(help: &str) -> (&str, Option<&str>) {
    help.split_once('\n').map_or((help, None), |(help, text)| (help, Some(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(visible("a\u{1b}[31mb\u{202e}é"), "a\\u{1b}[31mb\\u{202e}é");
        assert_eq!(visible("a\u{2028}b\u{2029}c\u{85}"), "a\\u{2028}b\\u{2029}c\\u{85}");
    }
}

//! The text of a page as it is written: markup from literals, everything else escaped.

use std::fmt::Write as _;

use crate::shell::report::escape::{help_and_text, visible};

/// A part of a page.
#[derive(Debug, Default)]
pub(super) struct Markup(String);

impl Markup {
    /// Adds markup; it is a literal, so nothing of a file can be in it.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds a text, with control characters written out. It is escaped for the content of an element and for an attribute in double
    /// quotes.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for character in visible(text).chars() {
            match character {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                _ => self.0.push(character),
            }
        }
        self
    }

    /// Adds what to do: one sentence, and below it the text to add, where there is one.
    pub(super) fn help(&mut self, help: &str) -> &mut Self {
        let (help, text) = help_and_text(help);
        self.raw("<p class=\"help\"><b>Help:</b> ").prose(help).raw("</p>");
        if let Some(text) = text {
            self.raw("<pre tabindex=\"0\">");
            for line in text.lines() {
                self.text(line).raw("\n");
            }
            self.raw("</pre>");
        }
        self
    }

    /// Adds a text in which what stands between backticks is code.
    pub(super) fn prose(&mut self, text: &str) -> &mut Self {
        let mut parts = text.split('`').peekable();
        let mut is_code = false;
        while let Some(part) = parts.next() {
            match (is_code, parts.peek()) {
                (true, Some(_)) => self.raw("<code>").text(part).raw("</code>"),
                // The last backtick has no partner.
                (true, None) => self.raw("`").text(part),
                (false, _) => self.text(part),
            };
            is_code = !is_code;
        }
        self
    }

    /// Adds a number.
    pub(super) fn number(&mut self, number: usize) -> &mut Self {
        let _infallible = write!(self.0, "{number}");
        self
    }

    /// Adds an attribute to the element that was begun.
    pub(super) fn attribute(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.raw(" ").raw(name).raw("=\"").text(value).raw("\"")
    }

    /// Adds another part.
    pub(super) fn append(&mut self, part: &Self) -> &mut Self {
        self.0.push_str(&part.0);
        self
    }

    /// Returns how many bytes there are.
    pub(super) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the text.
    pub(super) fn finish(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Markup) -> &mut Markup) -> String {
        let mut out = Markup::default();
        write(&mut out);
        out.finish()
    }

    #[test]
    fn texts_are_escaped_in_content_and_in_attributes() {
        let hostile = "</script><img src=x onerror='a' title=\"b\">&amp;";
        let escaped = "&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39; title=&quot;b&quot;&gt;&amp;amp;";
        assert_eq!(written(|out| out.text(hostile)), escaped);
        assert_eq!(written(|out| out.attribute("data-file", hostile)), format!(" data-file=\"{escaped}\""));
        assert_eq!(written(|out| out.prose("<`<`<")), "&lt;<code>&lt;</code>&lt;");
    }

    #[test]
    fn control_characters_are_visible() {
        assert_eq!(written(|out| out.text("a\0\u{1b}[2J\u{202e}\n")), "a\\u{0}\\u{1b}[2J\\u{202e}\\n");
    }

    #[test]
    fn only_pairs_of_backticks_are_code() {
        assert_eq!(written(|out| out.prose("use `a` or `b")), "use <code>a</code> or `b");
        assert_eq!(written(|out| out.prose("`a``b`")), "<code>a</code><code>b</code>");
        assert_eq!(written(|out| out.prose("plain")), "plain");
    }
}

//! The text of a page: everything that its templates print is escaped.

use std::borrow::Borrow;
use std::fmt::{self, Display, Write};

use askama::filters::{Escaper, Safe};
use askama::{Result, Values};

use crate::shell::report::escape::visible;

/// Escapes a text for the content of an element and for an attribute in double quotes, its control characters written out.
#[derive(Clone, Copy)]
pub(crate) struct Escape;

impl Escaper for Escape {
    fn write_escaped_str<W: Write>(&self, mut out: W, text: &str) -> fmt::Result {
        for character in visible(text).chars() {
            match character {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&#39;")?,
                _ => out.write_char(character)?,
            }
        }
        Ok(())
    }
}

/// The filters of the templates.
#[expect(unreachable_pub, reason = "`filter_fn` makes items that are `pub`")]
pub(super) mod filters {
    use super::{Borrow, Display, Escape, Escaper, Result, Safe, Values};
    use crate::shell::report::count;

    /// Prints a number with a comma between thousands.
    #[askama::filter_fn]
    pub(crate) fn thousands(number: impl Borrow<usize>, _: &dyn Values) -> Result<String> {
        Ok(count::thousands(*number.borrow()))
    }

    /// Prints a number with its noun.
    #[askama::filter_fn]
    pub(crate) fn counted(number: impl Borrow<usize>, _: &dyn Values, noun: &str) -> Result<String> {
        Ok(count::plural(*number.borrow(), noun))
    }

    /// Prints a text in which what stands between backticks is code.
    #[askama::filter_fn]
    pub(crate) fn prose(text: impl Display, _: &dyn Values) -> Result<Safe<String>> {
        let text = text.to_string();
        let mut parts = text.split('`').peekable();
        let (mut out, mut is_code) = (String::new(), false);
        while let Some(part) = parts.next() {
            // The last backtick may have no partner.
            let (start, end) = match (is_code, parts.peek()) {
                (true, Some(_)) => ("<code>", "</code>"),
                (true, None) => ("`", ""),
                (false, _) => ("", ""),
            };
            out.push_str(start);
            Escape.write_escaped_str(&mut out, part)?;
            out.push_str(end);
            is_code = !is_code;
        }
        Ok(Safe(out))
    }
}

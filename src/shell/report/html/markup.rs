//! How texts are escaped that the templates of a page print.

use std::fmt::{self, Write};

use askama::filters::Escaper;

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

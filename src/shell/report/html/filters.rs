//! What the templates of a page do with a value before it is printed.

use std::borrow::Borrow;
use std::fmt::Display;

use askama::filters::{Escaper, Safe};
use askama::{Result, Values};

use super::markup::Escape;
use crate::shell::report::{address, count};

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

/// Prints a text in which what stands between backticks is code, and ids of rules are links.
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
        for (text, url) in address::rules_in(part) {
            let (start, end) = match &url {
                Some(url) => (format!("<a href=\"{url}\">"), "</a>"),
                None => (String::new(), ""),
            };
            out.push_str(&start);
            Escape.write_escaped_str(&mut out, text)?;
            out.push_str(end);
        }
        out.push_str(end);
        is_code = !is_code;
    }
    Ok(Safe(out))
}

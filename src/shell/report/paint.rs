//! How a report is printed: in plain text, or with the colours and links of a terminal.

use std::fmt::{Display, Write as _};

use anstyle::{AnsiColor, Style};

use super::address;
use super::escape::visible;
use crate::engine::finding::{Location, Severity};

/// How lines are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// As they are: for a file, or for `git apply`.
    Plain,
    /// For a terminal: control characters of the content written out.
    Legible,
    /// For a terminal that has colours: ANSI colours, and control characters of the content written out.
    Colour,
}

impl Paint {
    /// Prints a text in a style, where there are colours.
    pub(super) fn styled(self, style: Style, text: impl Display) -> String {
        if self == Self::Colour { format!("{style}{text}{style:#}") } else { text.to_string() }
    }

    /// Prints the head of what follows.
    pub(crate) fn strong(self, text: impl Display) -> String {
        self.styled(Style::new().bold(), text)
    }
}

/// Prints the parts of a report that are emphasised; what comes from a file must be [`visible`] already, unless it is a place.
#[derive(Clone, Debug)]
pub struct Painter {
    paint: Paint,
    /// The current folder, where places, codes and rules are links.
    folder: Option<String>,
}

impl Painter {
    /// For a file or a pipe.
    pub const PLAIN: Self = Self { paint: Paint::Plain, folder: None };

    /// Makes one for a stream that is painted like `paint`, with links if the path of the current folder is given.
    pub const fn new(paint: Paint, folder: Option<String>) -> Self {
        Self { paint, folder }
    }

    /// Prints `severity[code]`, with the code as a link to what the book says of it.
    pub(super) fn code(&self, severity: Severity, code: &str) -> String {
        let linked = self.link(code, |_| address::of(code));
        self.paint.styled(colour(severity).bold(), format_args!("{}[{linked}]", severity.name()))
    }

    /// Prints the id of a rule as a link to what the book says of it.
    pub(crate) fn rule(&self, rule: &str) -> String {
        self.link(&visible(rule), |_| address::of(rule))
    }

    /// Prints what a finding says, with the rules that it names as links.
    pub(super) fn message(&self, text: &str) -> String {
        let text = visible(text);
        if self.folder.is_none() {
            return text;
        }
        address::rules_in(&text).map(|(part, url)| self.link(part, |_| url)).collect()
    }

    /// Prints a text as a link where the terminal has links; `url` is given the current folder.
    fn link(&self, text: &str, url: impl FnOnce(&str) -> Option<String>) -> String {
        match self.folder.as_deref().and_then(url) {
            Some(url) => format!("\u{1b}]8;;{url}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\"),
            None => text.to_owned(),
        }
    }

    /// Prints a word that starts a line, such as `help:`.
    pub(super) fn label(&self, text: &str) -> String {
        self.paint.styled(AnsiColor::Cyan.on_default().bold(), text)
    }

    /// Prints a heading or the title of an object.
    pub(super) fn strong(&self, text: &str) -> String {
        self.paint.strong(text)
    }

    /// Prints what matters less.
    #[cfg(feature = "cli")]
    pub(super) fn faint(&self, text: &str) -> String {
        self.paint.styled(Style::new().dimmed(), text)
    }

    /// Prints a count, in the colour of `severity` if it is not 0.
    pub(super) fn count(&self, count: usize, severity: Severity, text: String) -> String {
        if count == 0 { text } else { self.paint.styled(colour(severity).bold(), text) }
    }

    /// Prints a place: `file:line:column`, as a link to the file.
    pub(super) fn place(&self, location: &Location) -> String {
        let text = self.paint.styled(AnsiColor::Blue.on_default(), visible(&location.to_string()));
        self.link(&text, |folder| (location.file != "-").then(|| url(folder, location)))
    }
}

const fn colour(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Note => AnsiColor::Cyan,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Unresolved | Severity::Held => AnsiColor::Magenta,
        Severity::Error => AnsiColor::Red,
    };
    colour.on_default()
}

/// Returns the URL of a place: terminals that know lines take them from the fragment.
fn url(folder: &str, location: &Location) -> String {
    let file = location.file.strip_prefix("./").unwrap_or(&location.file);
    let path = if file.starts_with('/') { file.to_owned() } else { format!("{}/{file}", folder.trim_end_matches('/')) };
    let mut url = "file://".to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            url.push(char::from(byte));
        } else {
            let _infallible = write!(url, "%{byte:02X}");
        }
    }
    if let Some(position) = location.position {
        let _infallible = write!(url, "#{}", position.line);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::text::Position;

    fn location(file: &str) -> Location {
        Location { file: file.to_owned(), position: Some(Position { line: 7, column: 3 }) }
    }

    #[test]
    fn a_place_links_to_its_file_and_line_and_steers_nothing_else() {
        let painter = Painter::new(Paint::Legible, Some("/srv/a b".to_owned()));
        let link = |url: &str, text: &str| format!("\u{1b}]8;;{url}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\");
        let cases = [
            ("x/y.yaml", "file:///srv/a%20b/x/y.yaml#7", "x/y.yaml:7:3"),
            ("./y.yaml", "file:///srv/a%20b/y.yaml#7", "./y.yaml:7:3"),
            ("/var/#é\u{1b}", "file:///var/%23%C3%A9%1B#7", "/var/#é\\u{1b}:7:3"),
        ];
        for (file, url, text) in cases {
            assert_eq!(painter.place(&location(file)), link(url, text));
        }
        assert_eq!(painter.place(&location("-")), "-:7:3");
        assert_eq!(Painter::PLAIN.place(&location("a\u{7}")), "a\\u{7}:7:3");
    }

    #[test]
    fn colours_and_links_are_printed_where_there_are_some() {
        let held = |paint| Painter::new(paint, None).code(Severity::Held, "encrypted");
        assert_eq!([held(Paint::Plain), held(Paint::Legible)], ["held-back[encrypted]", "held-back[encrypted]"]);
        assert_eq!(held(Paint::Colour), "\u{1b}[1m\u{1b}[35mheld-back[encrypted]\u{1b}[0m");
        let linked = Painter::new(Paint::Legible, Some("/srv".to_owned()));
        let address = address::of("encrypted").expect("the book has every code");
        let link = format!("note[\u{1b}]8;;{address}\u{1b}\\encrypted\u{1b}]8;;\u{1b}\\]");
        assert_eq!(linked.code(Severity::Note, "encrypted"), link);
        assert_eq!(linked.code(Severity::Note, "of-another-version"), "note[of-another-version]");
        let rule = "gateway-api/v1.1.0/backendtlspolicy-tls-renamed-to-validation";
        let address = address::of(rule).expect("the book has every rule");
        assert_eq!(linked.rule(rule), format!("\u{1b}]8;;{address}\u{1b}\\{rule}\u{1b}]8;;\u{1b}\\"));
        assert_eq!(linked.rule("crds/new/plain-moved"), "crds/new/plain-moved");
        let named = linked.rule(rule);
        let message = |painter: &Painter| painter.message(&format!("{rule} and\u{7} a/b/c. (rule {rule}), {rule}."));
        let expected = |rule: &str| format!("{rule} and\\u{{7}} a/b/c. (rule {rule}), {rule}.");
        assert_eq!([message(&linked), message(&Painter::PLAIN)], [expected(&named), expected(rule)]);
        let count = |count| Painter::new(Paint::Colour, None).count(count, Severity::Error, format!("{count} failed"));
        assert_eq!([count(0), count(2)], ["0 failed", "\u{1b}[1m\u{1b}[31m2 failed\u{1b}[0m"]);
    }
}

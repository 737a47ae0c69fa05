//! How a report is printed: in plain text, or with the colours of a terminal.

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

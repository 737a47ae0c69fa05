//! The arguments that say what is printed, and how.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::arg_values::switch;

/// What is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub(super) struct OutputArgs {
    /// The format of the report
    #[arg(short = 'o', long, visible_alias = "output", value_enum, default_value_t = Format::Text, env = "REVERSION_FORMAT")]
    pub(super) format: Format,
    /// Write the report, or the diff where a diff is printed, to FILE instead of standard output
    #[arg(long, value_name = "FILE", env = "REVERSION_OUTPUT_FILE", hide_short_help = true)]
    pub(super) output_file: Option<PathBuf>,
    /// When to print colours, and links to files on a terminal
    #[arg(long, value_enum, default_value_t = Colour::Auto, env = "REVERSION_COLOR", hide_short_help = true)]
    pub(super) color: Colour,
    /// Do not show long output through $GIT_PAGER, $PAGER or less
    #[arg(long, env = "REVERSION_NO_PAGER", value_parser = switch, hide_short_help = true)]
    pub(super) no_pager: bool,
    /// Print only what affects the exit code, and the summary
    #[arg(short, long, env = "REVERSION_QUIET", value_parser = switch)]
    pub(super) quiet: bool,
    /// Print notes, rules and all places too
    #[arg(short, long, env = "REVERSION_VERBOSE", value_parser = switch)]
    pub(super) verbose: bool,
    /// Exit with 0 instead of 3 if no object was recognized; accept empty standard input
    #[arg(long, env = "REVERSION_ALLOW_EMPTY", value_parser = switch, hide_short_help = true)]
    pub(super) allow_empty: bool,
    /// Exit with 0 instead of 1 or 3
    #[arg(long, env = "REVERSION_EXIT_ZERO", value_parser = switch, hide_short_help = true)]
    pub(super) exit_zero: bool,
}

/// The formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Lines for people
    Text,
    /// One JSON document, with the RFC 6902 patch of each object
    Json,
    /// The same as JSON, one line for each record
    Jsonl,
    /// Workflow commands for GitHub Actions, and the step summary
    Github,
    /// A Code Quality report of GitLab
    Gitlab,
    /// SARIF 2.1.0 for code scanning
    Sarif,
    /// JUnit XML: a test case for each object
    Junit,
    /// A comment on a pull request
    Markdown,
    /// One page for a browser, with diffs and filters; it needs no network
    Html,
}

impl Format {
    /// Reads the format of `detect`; those that it refuses, with the reason, are not in its help.
    pub(super) fn of_detect() -> impl TypedValueParser<Value = Self> {
        let listed = |format: &Self| {
            let is_refused = matches!(format, Self::Junit | Self::Markdown);
            Some(format.to_possible_value()?.hide(is_refused))
        };
        let all = Self::value_variants().iter().filter_map(listed);
        PossibleValuesParser::new(all).try_map(|name| Self::from_str(&name, false))
    }
}

/// When colours are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

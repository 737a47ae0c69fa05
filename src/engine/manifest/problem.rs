//! Answers: which finding reports that a file, or a part of it, cannot be read?
//!
//! Invariant: every problem of the text layer has a code.

use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::syntax::text::LineIndex;
use crate::syntax::yaml::{Problem, ProblemCode};

pub(super) fn not_utf8(file: &str, bytes: &[u8], valid: usize) -> Finding {
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let position = Some(LineIndex::new(&before).position(&before, valid));
    let message = format!("the file is not valid UTF-8 at byte {valid}");
    Finding::new(Location { file: file.to_owned(), position }, Code::InvalidEncoding, Severity::Error, message)
        .help("convert the file to UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8`")
}

/// Reports a template by what keeps it from being read as a manifest.
pub(crate) fn template_finding(location: Location) -> Finding {
    let message = "the file is a template, not a manifest, and mentions a known API or chart; it was skipped";
    let help = "render it as your tool does (`helm template`, `ytt`), check the output (`... | reversion check - --to ...`), and change the template by hand";
    Finding::new(location, Code::Template, Severity::Unresolved, message).help(help)
}

pub(super) fn failure(location: Location, problem: &Problem) -> Finding {
    let help = match problem.code {
        ProblemCode::DuplicateKey => "remove one of the two keys",
        ProblemCode::ComplexKey => "quote the key or value that should be text",
        ProblemCode::AliasBudget => "replace the aliases with their values",
        ProblemCode::RecursiveAlias => "remove the alias inside its own anchor",
        ProblemCode::Limit => {
            "check what generated the file: no manifest needs this much; the rest of the file was not read"
        }
        _ => "fix the file at this place; the rest of the file was not read",
    };
    Finding::new(location, problem_code(problem.code), Severity::Error, problem.message.as_str()).help(help)
}

/// Returns the code that the user sees for a problem of the text layer.
pub(crate) const fn problem_code(code: ProblemCode) -> Code {
    match code {
        ProblemCode::ParseError => Code::ParseError,
        ProblemCode::ComplexKey => Code::ComplexKey,
        ProblemCode::DuplicateKey => Code::DuplicateKey,
        ProblemCode::AliasBudget | ProblemCode::RecursiveAlias => Code::AliasExpansion,
        ProblemCode::AnchorOrder => Code::AnchorOrder,
        ProblemCode::Limit => Code::LimitExceeded,
        ProblemCode::UnreadableValue => Code::UnsupportedValue,
        ProblemCode::VerifyFailed => Code::VerificationFailed,
        ProblemCode::Exists => Code::ConflictingFields,
        _ => Code::NotEditable,
    }
}

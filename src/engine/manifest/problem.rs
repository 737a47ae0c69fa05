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
    let help = "convert the file to UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8`";
    Finding {
        location: Location { file: file.to_owned(), position },
        ..whole_file(file, Code::InvalidEncoding, message, help)
    }
}

pub(super) fn whole_file(file: &str, code: Code, message: String, help: &str) -> Finding {
    Finding {
        location: Location { file: file.to_owned(), position: None },
        code,
        severity: Severity::Error,
        object: None,
        field: None,
        message,
        help: Some(help.to_owned()),
    }
}

/// Reports a template by what keeps it from being read as a manifest.
pub(super) fn template_finding(file: &str, text: &str, lines: &LineIndex, problem: &Problem) -> Finding {
    let message =
        "the file is a template, not a manifest, and mentions a known API or chart; it was skipped".to_owned();
    let help =
        "check its rendered output (`helm template ... | reversion check - --to ...`) and change the template by hand";
    let location = Location { file: file.to_owned(), position: Some(lines.position(text, problem.at)) };
    Finding { location, severity: Severity::Unresolved, ..whole_file(file, Code::Template, message, help) }
}

pub(super) fn failure(file: &str, text: &str, lines: &LineIndex, problem: &Problem) -> Finding {
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
    let position = Some(lines.position(text, problem.at));
    let location = Location { file: file.to_owned(), position };
    Finding { location, ..whole_file(file, problem_code(problem.code), problem.message.clone(), help) }
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

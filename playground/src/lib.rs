//! reversion in a web page: what the page of `index.html` calls.
//!
//! The page passes the text that was pasted and what was chosen, and is returned what the program would print, as JSON: which
//! releases each object can be for, what there is to report, the diff and the converted text. It decides nothing itself. Page and
//! module talk as `bindings/wasm` does with its host.
//!
//! Invariant: everything happens in memory; nothing is read or sent.

mod answer;
mod convert;
mod diff;
mod evidence;
mod examples;
mod targets;

use reversion_wasm::{Listed, NoRequest, answer, listed, taken, with_text};
use serde::{Deserialize, Serialize};

pub use answer::{Advisory, Answer, Change, DiffLine, Evidence, Finding, LineKind, Object, Place};
pub use convert::convert;
pub use examples::{Example, examples};
pub use reversion_wasm::State;
pub use targets::{Options, Wanted};

/// What the page shows before there is a text.
#[derive(Debug, Serialize)]
pub struct Contents {
    /// The version, and the packs with their releases.
    #[serde(flatten)]
    pub listed: Listed,
    /// The examples.
    pub examples: Vec<Example>,
}

/// Returns what the page shows before there is a text.
pub fn contents() -> Contents {
    Contents { listed: listed(), examples: examples() }
}

/// A text, and what was chosen for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The text.
    pub text: String,
    /// What was chosen.
    pub options: Options,
}

/// Answers the empty request `{}` with [`Contents`].
#[expect(unsafe_code, reason = "an export is found by its name, and only an unsafe attribute keeps that")]
#[unsafe(no_mangle)]
pub extern "C" fn playground_contents(request: usize) -> usize {
    with_text(answer(taken(request).as_deref(), |_: NoRequest| Ok(contents())))
}

/// Answers a [`Request`] with an [`Answer`].
#[expect(unsafe_code, reason = "an export is found by its name, and only an unsafe attribute keeps that")]
#[unsafe(no_mangle)]
pub extern "C" fn playground_convert(request: usize) -> usize {
    with_text(answer(taken(request).as_deref(), |request: Request| Ok(convert(&request.text, &request.options))))
}

//! reversion in a web page: what the page of `index.html` calls.
//!
//! The page passes the text that was pasted and what was chosen, and is returned what the program would print, as JSON: which
//! releases each object can be for, what there is to report, the diff and the converted text. It decides nothing itself.
//!
//! Invariant: everything happens in memory; nothing is read or sent.

mod answer;
mod convert;
mod diff;
mod evidence;
mod examples;
mod packs;
mod targets;

use std::panic;
use std::sync::Mutex;

use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

pub use answer::{Advisory, Answer, Change, DiffLine, Evidence, Finding, LineKind, Object, Place, State};
pub use convert::convert;
pub use examples::{Example, examples};
pub use packs::{Pack, Release, packs};
pub use targets::{Options, Wanted};

/// What the program said when it failed.
static FAILURE: Mutex<String> = Mutex::new(String::new());

/// Prepares the program: call it once, before anything else.
#[wasm_bindgen(js_name = start)]
pub fn start() {
    panic::set_hook(Box::new(|failure| {
        if let Ok(mut last) = FAILURE.lock() {
            *last = failure.to_string();
        }
    }));
}

/// Returns what the program said when it failed; the page asks for it after a call that did not return.
#[wasm_bindgen(js_name = failure)]
pub fn failure() -> String {
    FAILURE.lock().map_or_else(|_| String::new(), |last| last.clone())
}

/// Returns the version, the packs with their releases, and the examples, as JSON.
#[wasm_bindgen(js_name = contents)]
pub fn contents() -> String {
    #[derive(Serialize)]
    struct Contents {
        version: &'static str,
        packs: Vec<Pack>,
        examples: Vec<Example>,
    }
    let examples = examples();
    json(&Contents { version: env!("CARGO_PKG_VERSION"), packs: packs(), examples })
}

/// Converts `text` as `options` say, which are [`Options`] as JSON; returns an [`Answer`] as JSON.
#[wasm_bindgen(js_name = convert)]
pub fn convert_json(text: &str, options: &str) -> String {
    json(&match serde_json::from_str(options) {
        Ok(options) => convert(text, &options),
        Err(error) => Answer::failed(format!("the options of the page are not understood: {error}")),
    })
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the answers of this crate have only text for keys")
}

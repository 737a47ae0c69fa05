//! Answers: is there a text for which the scanner gives another tree than granit-parser's events?
//!
//! Run from the root of the repository, with the seeds of the test of the same law:
//! `cargo +nightly fuzz run front_end fuzz/corpus/front_end tests/it/yaml_front_end/seeds -- -dict=fuzz/front_end.dict`.
//!
//! Invariant: a text that the scanner accepts has the same tree as granit's events give; granit accepts it too.

#![no_main]

use libfuzzer_sys::fuzz_target;
use reversion::internals::yaml::{parse_exact, scan};

fuzz_target!(|text: &str| {
    let exact = parse_exact(text);
    if let Some(fast) = scan(text) {
        assert_eq!(exact.as_ref(), Ok(&fast));
    }
});

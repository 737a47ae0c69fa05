//! Answers: is there a file that makes a conversion panic, or give other data than planned?
//!
//! Run from the root of the repository: `cargo +nightly fuzz run conversion fuzz/corpus/conversion fixtures tests/it/yaml_front_end/seeds`.
//!
//! Invariant: no bytes make the program panic; the text after a conversion reads back as the data that was planned.

#![no_main]

mod engine;

use libfuzzer_sys::fuzz_target;
use reversion::internals::plan::Choices;

/// An old release, a new one, and one between in the other channel.
const TARGETS: [&str; 3] = ["gateway-api@1.6/experimental", "gateway-api@1.0/experimental", "gateway-api@0.8/standard"];

fuzz_target!(|bytes: &[u8]| {
    let packs = engine::packs();
    let targets = TARGETS.into_iter().map(|name| packs.target(name).expect("the release is known"));
    for (target, choices) in targets.zip(engine::choices()) {
        let Some(manifest) = engine::read(packs, bytes) else { return };
        let Some(after) = engine::convert(packs, target, choices, manifest) else { continue };
        // Then convert to the newest release.
        let newest = packs.target(TARGETS[0]).expect("the release is known");
        let again = engine::read(packs, after.as_bytes()).expect("a converted file is read as a manifest");
        engine::convert(packs, newest, Choices::default(), again);
    }
});

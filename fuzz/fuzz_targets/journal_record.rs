//! Answers: is there a record of a journal that makes the program panic, or leads out of its tree?
//!
//! Run from the root of the repository:
//! `cargo +nightly fuzz run journal_record fuzz/corpus/journal_record fuzz/seeds/journal_record`.
//!
//! Invariant: a record that is read names only places in its tree, each once.

#![no_main]

use std::collections::BTreeSet;
use std::path::Component;

use libfuzzer_sys::fuzz_target;
use reversion::internals::disk::{Record, is_place};

fuzz_target!(|bytes: &[u8]| {
    let Ok(record) = Record::parse(bytes) else { return };
    let mut places = BTreeSet::new();
    for entry in &record.files {
        let place = entry.place();
        assert!(is_place(&place), "{place:?}");
        assert!(
            place
                .components()
                .all(|part| matches!(part, Component::Normal(name) if name != ".git" && name != ".reversion"))
        );
        assert!(places.insert(place));
    }
});

//! Answers: is there a pack that makes the program panic, or converts an object to other data than its rules give?
//!
//! The bytes are files, each after a line `=== PATH`; the one named `object` is converted to the first and to the last release
//! of the pack. Run from the root of the repository:
//! `cargo +nightly fuzz run pack_loader fuzz/corpus/pack_loader fuzz/seeds/pack_loader`.
//!
//! Invariant: a pack that cannot be used is rejected when it is loaded.

#![no_main]

mod engine;

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use reversion::internals::pack::PackFiles;
use reversion::internals::pack::load::load;
use reversion::internals::pack::{Packs, Target, lint};

fuzz_target!(|text: &str| {
    let mut files = PackFiles::new();
    for part in text.split("=== ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap_or((part, ""));
        files.insert(path.to_owned(), Cow::Owned(text.to_owned()));
    }
    let object = files.remove("object").unwrap_or_default();
    let Ok(pack) = load("fuzz", files) else { return };
    if pack.kinds().any(|kind| pack.try_catalog(kind).is_err()) {
        return;
    }
    lint::lint(&pack, None);
    let Ok(packs) = Packs::new(vec![pack]) else { return };
    // A pack without releases only says what carries patches and values.
    let Some(pack) = packs.iter().next() else { return };
    let releases: Vec<_> = pack.line().iter().map(|(release, _)| release).collect();
    for release in [releases.first(), releases.last()].into_iter().flatten() {
        for choices in engine::choices() {
            let Some(manifest) = engine::read(&packs, object.as_bytes()) else { return };
            engine::convert(&packs, Target::new(pack, *release), choices, manifest);
        }
    }
});

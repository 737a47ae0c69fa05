//! Answers: is there a stash that makes the program panic, or makes a conversion give other data than planned?
//!
//! The text is that of the annotation of an object, which is converted to three releases. Run from the root of the repository:
//! `cargo +nightly fuzz run stash_reader fuzz/corpus/stash_reader fuzz/seeds/stash_reader`.
//!
//! Invariant: no text makes the program panic; the object after a conversion reads back as the data that was planned.

#![no_main]

mod engine;

use libfuzzer_sys::fuzz_target;
use serde_json::json;

const TARGETS: [&str; 3] = ["gateway-api@1.6/experimental", "gateway-api@1.6/standard", "gateway-api@0.8/standard"];

fuzz_target!(|stash: &str| {
    let object = json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "checkout", "annotations": {"reversion.dev/stash": stash}},
        "spec": {
            "parentRefs": [{"name": "web"}],
            "rules": [{"name": "pay", "backendRefs": [{"name": "pay", "port": 80}]}, {"backendRefs": [{"name": "b", "port": 1}]}],
        },
    });
    let text = serde_json::to_string_pretty(&object).expect("a value prints");
    let packs = engine::packs();
    for name in TARGETS {
        let target = packs.target(name).expect("the release is known");
        let [_, stashing, _] = engine::choices();
        // A text can contain characters that YAML does not allow.
        let Some(manifest) = engine::read(packs, text.as_bytes()) else { return };
        engine::convert(packs, target, stashing, manifest);
    }
});

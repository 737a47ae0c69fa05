//! Answers: is there a saved plan that makes the program panic, or write something other than it shows?
//!
//! The bytes are a plan; the text that it is applied to is below. Run from the root of the repository:
//! `cargo +nightly fuzz run plan_loader fuzz/corpus/plan_loader fuzz/seeds/plan_loader`.
//!
//! Invariant: what is applied has the fingerprint that the plan names; nothing of a plan is printed raw.

#![no_main]

use libfuzzer_sys::fuzz_target;
use reversion::internals::fingerprint::Fingerprint;
use reversion::internals::report::saved_plan::SavedPlan;

/// The file that the seeds apply to.
const TEXT: &str = "kind: Gateway\nspec:\n  a: é1\n  b: 2\n";

fuzz_target!(|bytes: &[u8]| {
    let Ok(plan) = SavedPlan::parse(bytes) else { return };
    let text = plan.to_text();
    assert_eq!(SavedPlan::parse(text.as_bytes()).as_ref(), Ok(&plan));
    for file in &plan.files {
        let printed = file.edits_text();
        assert!(!printed.contains(|character: char| character.is_control() && character != '\n'), "{printed:?}");
        if let Ok(done) = file.plan(TEXT.to_owned()) {
            assert_eq!(Fingerprint::of(done.after().as_bytes()), file.after);
            assert_eq!(&*done.before, TEXT);
        }
    }
    for finding in &plan.findings {
        let printed = finding.sentence(None);
        assert!(!printed.contains(|character: char| character.is_control() && character != '\n'), "{printed:?}");
    }
});

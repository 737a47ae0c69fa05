//! Answers: does a plan describe the texts that it writes?
//!
//! Invariant: the check reads every new text from its bytes, as another run would.

#![allow(dead_code, reason = "each target uses a part of this")]

use std::sync::OnceLock;

use reversion::internals::field::FieldPath;
use reversion::internals::manifest::{self, Manifest, Reading, Recognizer};
use reversion::internals::pack::{Pack, Packs, Target, embedded};
use reversion::internals::plan::{self, AllowedLoss, Choices, Goal, Keeping, ObjectPlan, Plan};
use reversion::internals::report::document::{RanIn, ReportDocument};
use reversion::internals::report::saved_plan::SavedPlan;
use reversion::internals::report::{
    Counts, Painter, Report, diff, github, gitlab, json, junit, markdown, plain, sarif,
};

/// The packs that are built in.
pub(crate) fn packs() -> &'static Packs {
    static PACKS: OnceLock<Packs> = OnceLock::new();
    PACKS.get_or_init(|| embedded::with(Vec::<Pack>::new()).expect("the built-in packs load"))
}

/// Reads `bytes` as a file of a tree; `None` if it contains nothing to convert.
pub(crate) fn read(packs: &Packs, bytes: &[u8]) -> Option<Manifest> {
    let groups = packs.iter().flat_map(|pack| pack.groups()).map(String::as_str);
    match manifest::read("a.yaml", bytes, &Recognizer::new(groups)) {
        Reading::Manifest(manifest) => Some(*manifest),
        Reading::Irrelevant
        | Reading::Kustomization(_)
        | Reading::Triggered(_)
        | Reading::Template(_)
        | Reading::Failed(_) => None,
    }
}

/// Plans one file, and checks that its new text reads back as the data in the plan.
pub(crate) fn convert(packs: &Packs, target: Target<'_>, choices: Choices, manifest: Manifest) -> Option<String> {
    let before: Vec<_> = manifest
        .objects
        .iter()
        .map(|object| (manifest.locate(object, &FieldPath::default()), object.title(), object.value.clone()))
        .collect();
    let plan = plan::plan(&[manifest], &Goal { packs, targets: vec![target], choices });
    let after = plan.files.first()?.after();
    check_reports(packs, &plan);
    let again = read(packs, after.as_bytes()).expect("a converted file is read as a manifest");
    assert_eq!(again.objects.len(), before.len(), "{after}");
    let mut planned = plan.objects.iter().peekable();
    for (object, (location, title, value)) in again.objects.iter().zip(&before) {
        let is_it = |plan: &&ObjectPlan| plan.location == *location && plan.title == *title;
        match planned.next_if(is_it) {
            Some(plan) => {
                let data = plan.data.as_ref().expect("the goal asks for data");
                assert_eq!(object.value, data.after, "{after}");
            }
            // References in objects of other APIs may change, and such objects are not in the plan.
            None if packs.of_group(&object.kind.group).is_some() => {}
            None => assert_eq!(object.value, *value, "{after}"),
        }
    }
    Some(after)
}

/// The losses that a run may have: none, all, or all into the stash.
pub(crate) fn choices() -> [Choices; 3] {
    let all = Choices { allowed: AllowedLoss::All, ..Choices::default() };
    [Choices::default(), Choices { keeping: Keeping::Stash, ..all.clone() }, all]
}

/// Renders the plan in every format; the saved plan, read back, must make the same change.
fn check_reports(packs: &Packs, plan: &Plan) {
    let report = Report::new("plan", packs, plan, Counts::default());
    let document = ReportDocument::new(&report, RanIn::default());
    let text = |document: &ReportDocument| plain::report(document, true, &Painter::PLAIN, plain::Shown::All);
    let printed = [json::report, sarif::report, gitlab::report, junit::report, github::commands, text]
        .map(|format| format(&document));
    let comment = markdown::report(&document, markdown::COMMENT);
    assert!(printed.iter().chain([&comment]).all(|text| !text.contains('\u{1b}')), "a terminal is steered");
    let Ok(saved) = SavedPlan::new(&report, Vec::new(), |file| Ok(file.to_owned())) else { return };
    let text = saved.to_text();
    assert_eq!(SavedPlan::parse(text.as_bytes()).map(|again| again.to_text()), Ok(text));
    for (file, saved) in plan.files.iter().zip(&saved.files) {
        diff::unified(file, diff::Paint::Plain);
        diff::unified(file, diff::Paint::Colour);
        let again = saved.plan(file.before.to_string()).expect("the file is what the plan was made from");
        assert_eq!(again.after(), file.after());
    }
}

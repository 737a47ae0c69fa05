//! Kustomize builds the same from a converted repository as what is converted after it is built.
//!
//! `law` says what is compared. The trees are generated: each in turn has one carrier of patches or field paths, and others
//! at random. The first tree of each kind of violation and carrier is shrunk and printed. The table at the end counts, for
//! each carrier, the trees, those where everything is converted, those where something is held back, and the violations.
//!
//! `REVERSION_KUSTOMIZE_TREES` sets the number of trees, `REVERSION_KUSTOMIZE_SEED` draws others, `REVERSION_KUSTOMIZE_ONLY`
//! tries one tree alone, `REVERSION_KUSTOMIZE_SAVE` is a folder for shrunk trees and the list of what is held back. Without kubectl the law is skipped, unless
//! `REVERSION_KUBECTL` is `required`.

#![expect(clippy::print_stdout, reason = "the counts are for people")]

use std::sync::OnceLock;

use libtest_mimic::{Failed, Trial};

mod carriers;
mod draft;
mod fields;
mod generated;
mod identities;
mod law;
mod named;
mod patches;
mod paths;
mod program;
mod samples;
mod shrink;
mod transformers;
mod tree;

use carriers::Carrier;
use generated::{Results, Settings};
use law::Counts;
use tree::{File, Style, Tree};

use crate::trial;

/// The default number of trees for each carrier.
const TREES: usize = 1;

/// Carriers and samples whose objects are held back in nearly every tree, with the reason.
const HELD: &[(&str, &str)] = &[
    ("identity KindByJson", "no rule converts an object of the new kind"),
    ("identity KindByMerge", "no rule converts an object of the new kind"),
    ("identity VersionByJson", "no release has the new version"),
    ("openapi MergeKey", "how a schema merges lists is not computed"),
    ("configuration CommonLabels", "what becomes of a field that a transformer creates is not known"),
    ("configuration CommonAnnotations", "what becomes of a field that a transformer creates is not known"),
    ("configuration LabelFields", "what becomes of a field that a transformer creates is not known"),
    ("transformer InText", "a transformer in a text is not read"),
    ("sample BackendTLSPolicy held back", "its target is in another namespace"),
    ("sample HTTPRoute held back", "the target has no field for a value"),
];

static RESULTS: OnceLock<Results> = OnceLock::new();

pub(crate) fn trials() -> Vec<Trial> {
    let can_build = program::can_build();
    if !can_build {
        println!("skipped: the law needs kubectl");
    }
    let mut trials = vec![
        trial("kustomize", "generated trees", generated_trees),
        trial("kustomize", "every carrier is followed", every_carrier),
        trial("kustomize", "every sample is converted", every_sample),
    ];
    for tree in named::NAMED {
        trials.push(trial("kustomize", tree.name, || {
            named::check(tree).map(drop).map_err(|violation| violation.text.into())
        }));
    }
    for tree in named::COMPLETED {
        trials.push(trial("kustomize", tree.name, || {
            named::check_completed(tree).map_err(|violation| violation.text.into())
        }));
    }
    for &(folder, to) in named::FIXTURES {
        trials.push(trial("kustomize", &format!("fixtures/{folder} to {to}"), move || {
            let counts = named::check_fixture(folder, to).map_err(|violation| violation.text)?;
            if counts.converted + counts.held == 0 { Err("no build changes".into()) } else { Ok(()) }
        }));
    }
    trials.into_iter().map(|trial| trial.with_ignored_flag(!can_build)).collect()
}

/// Prints the counts, where trees were generated.
pub(crate) fn print_table() {
    if let Some(results) = RESULTS.get() {
        println!("{}", results.table());
    }
}

fn settings() -> Settings {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let only = number("REVERSION_KUSTOMIZE_ONLY");
    let trees = number("REVERSION_KUSTOMIZE_TREES").unwrap_or(TREES * Carrier::all().len());
    Settings {
        seed: std::env::var("REVERSION_KUSTOMIZE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(2026),
        trees: only.map_or(trees, |only| trees.max(only + 1)),
        only,
        held: HELD.iter().map(|(name, _)| *name).collect(),
        save: std::env::var_os("REVERSION_KUSTOMIZE_SAVE").map(Into::into),
    }
}

fn results() -> &'static Results {
    RESULTS.get_or_init(|| generated::run(&settings()))
}

fn generated_trees() -> Result<(), Failed> {
    let results = results();
    let faults: Vec<_> = results
        .violations
        .iter()
        .map(|(case, violation)| {
            let (number, fault, main, sample) = (case.number, violation.fault, &case.main, &case.sample);
            format!("tree {number}, {fault:?}, {main}, {sample}\n{}\n{}", case.tree.listing(), violation.text)
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(format!("{} violations\n{}", faults.len(), faults.join("\n\n")).into()) }
}

fn every_carrier() -> Result<(), Failed> {
    let (settings, results) = (settings(), results());
    let carriers = Carrier::all();
    if settings.only.is_some() || settings.trees < carriers.len() {
        return Ok(());
    }
    let names = carriers.into_iter().map(|(name, _)| name);
    let samples = samples::all().into_iter().map(|sample| format!("sample {}", sample.name));
    let missing: Vec<_> = names
        .chain(samples)
        .filter_map(|name| {
            let [trees, converted, held, violations] = results.covered.get(&name).copied().unwrap_or_default();
            let is_held = HELD.iter().any(|(other, _)| *other == name);
            let is_covered = if is_held { held > 0 } else { converted > 0 };
            let counts = format!("{trees} trees, {converted} converted, {held} held back, {violations} violations");
            (!is_covered).then(|| format!("{name}: {counts}"))
        })
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(missing.join("\n").into()) }
}

/// A sample that is not converted alone would make the law empty.
fn every_sample() -> Result<(), Failed> {
    let mut broken = Vec::new();
    for sample in samples::all() {
        let objects: Vec<_> = [&sample.object].into_iter().chain(&sample.beside).cloned().collect();
        for (to, from) in sample.to.iter().flat_map(|to| [(to, None), (to, Some(sample.from.clone()))]) {
            let kustomization = File::Text("resources: [object.yaml]\n".to_owned());
            let files = [
                ("kustomization.yaml".to_owned(), kustomization),
                ("object.yaml".to_owned(), File::Documents(objects.clone(), Style::Block)),
            ];
            let tree = Tree { files: files.into(), roots: vec![String::new()], from, to: to.clone() };
            match law::check(&tree) {
                Ok(Counts { clean: 1, converted: 1.., .. }) if !sample.held => {}
                Ok(Counts { clean: 0, converted: 0, .. }) if sample.held => {}
                Ok(counts) => broken.push(format!("{} to {to}: {counts:?}\n{}", sample.name, tree.listing())),
                Err(violation) => broken.push(format!("{} to {to}: {}", sample.name, violation.text)),
            }
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n\n").into()) }
}

//! The subcommand `detect`: which releases can each object have been written for?

use std::path::Path;

use anyhow::Result;

use super::args::{DetectArgs, Format};
use super::config::Config;
use super::console::Console;
use super::exit::{Exit, Pending};
use super::input::{self, Empty};
use super::output::{self, Level, explain_exit};
use super::packs;
use crate::field::FieldPath;
use crate::infer::crds::{Installed, crds_in, installed};
use crate::infer::install_evidence::evidence_in;
use crate::infer::{infer, kind_evidence};
use crate::manifest::{Manifest, Object};
use crate::pack::Packs;
use crate::plan;
use crate::report::{Detected, Detection, detect as render, github, json, text};

/// Runs `detect`.
pub(super) fn run(args: &DetectArgs, console: Console) -> Result<Exit> {
    let packs = packs::load(&args.packs)?;
    let config = Config::new(&args.packs.file, &args.files.paths, packs)?;
    let empty = Empty::of(args.output.allow_empty);
    let recognizer = input::recognizer(packs, &config);
    let input = input::read(&args.files, empty, (&recognizer, config.excluded.as_ref()), console, |manifest| manifest)?;
    let crds = installed(input.made.iter().flat_map(|manifest| crds_in(manifest, packs)));
    let evidence = input.made.iter().flat_map(|manifest| evidence_in(manifest, packs));
    let mut evidence: Vec<_> = evidence.map(|(pack, evidence)| (pack.name(), evidence)).collect();
    evidence.sort();
    let is_listed = |file: &str| input.is_listed(Path::new(file));
    let (findings, counts) = (input.findings.clone(), input.counts.clone());
    let mut detection = Detection { objects: Vec::new(), values: Vec::new(), evidence, crds, findings, counts };
    let about_crds = detection.crds.iter().filter_map(Installed::finding);
    detection.findings.extend(about_crds.filter(|finding| is_listed(&finding.location.file)));
    for manifest in input.made.iter().filter(|manifest| is_listed(&manifest.file)) {
        for object in &manifest.objects {
            detect_object(manifest, object, packs, &mut detection);
        }
    }
    detection.findings.sort();
    detection.counts.recognised += detection.objects.len();
    let output = &args.output;
    let level = Level::of(output);
    match output.format {
        Format::Text => {
            console.report(&format!("{}{}", render::objects(&detection), render::common(&detection)), output)?;
            console.note(&output::about_files(&detection.findings, level))?;
        }
        Format::Json => console.report(&json::detection(&detection), output)?,
        Format::Github => {
            let shown = detection.findings.iter().filter(|finding| level.shows(finding));
            console.report(&shown.map(github::finding).collect::<String>(), output)?;
        }
    }
    console.note(&format!("{}\n", text::detected(&detection.counts)))?;
    let exit = Exit::decide(&detection.counts, &detection.findings, &[], Pending::Nothing).with(output, 0);
    explain_exit(exit, &detection.counts, (&input.roots, &input.skips), packs, console)
}

fn detect_object<'a>(manifest: &'a Manifest, object: &'a Object, packs: &'a Packs, detection: &mut Detection<'a>) {
    let before = detection.values.len();
    // An object of the pack's own kinds is reported as an object, not as one with values.
    for pack in packs.iter().filter(|pack| pack.is_foreign(&object.kind)) {
        for field in pack.values_in(&object.kind, &object.value) {
            detection.values.push((pack.name(), object, manifest.locate(object, &field), field.to_string()));
        }
    }
    detection.counts.recognised += usize::from(detection.values.len() > before);
    let Some(pack) = packs.of_group(&object.kind.group) else { return };
    detection.findings.extend(plan::inference_findings(manifest, object, pack));
    let Some(catalog) = pack.catalog(&object.kind) else { return };
    let mut inference = infer(&object.value, catalog, &object.api_version.version);
    if !inference.is_conflict() {
        inference.evidence.splice(0..0, kind_evidence(catalog, pack.line()));
    }
    let location = manifest.locate(object, &FieldPath::default());
    let evidence = inference.evidence.iter().map(|fact| manifest.locate(object, &fact.path)).collect();
    detection.objects.push(Detected { object, pack, inference, location, evidence });
}

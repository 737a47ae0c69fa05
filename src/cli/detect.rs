//! The subcommand `detect`: which releases can each object have been written for?

use anyhow::Result;

use super::args::{DetectArgs, Format};
use super::config::Config;
use super::console::Console;
use super::convert::Level;
use super::{Exit, Pending, packs, pass};
use crate::field::FieldPath;
use crate::infer::crds::{Installed, crds_in, installed};
use crate::infer::install_evidence::evidence_in;
use crate::infer::{infer, kind_evidence};
use crate::manifest::{Manifest, Object};
use crate::pack::Packs;
use crate::plan;
use crate::report::{Detected, Detection, detect as render, finding_lines, github, json, text};

/// Runs `detect`.
pub(super) fn run(args: &DetectArgs, console: Console) -> Result<Exit> {
    let packs = packs(&args.packs)?;
    let config = Config::find(&args.files.paths, packs)?;
    let pass = pass::pass(&args.files, &pass::recognizer(packs, &config), console, |manifest| manifest)?;
    let crds = installed(pass.made.iter().flat_map(|manifest| crds_in(manifest, packs)));
    let beside = pass.made.iter().flat_map(|manifest| evidence_in(manifest, packs));
    let mut beside: Vec<_> = beside.map(|(pack, evidence)| (pack.name(), evidence)).collect();
    beside.sort();
    let (findings, counts) = (pass.findings, pass.counts);
    let mut detection = Detection { objects: Vec::new(), values: Vec::new(), beside, crds, findings, counts };
    detection.findings.extend(detection.crds.iter().filter_map(Installed::finding));
    for manifest in &pass.made {
        for object in &manifest.objects {
            look_at(manifest, object, packs, &mut detection);
        }
    }
    detection.findings.sort();
    detection.counts.recognised += detection.objects.len();
    let output = &args.output;
    let shown = || detection.findings.iter().filter(|finding| Level::of(output).shows(finding));
    match output.format {
        Format::Text => {
            console.report(&format!("{}{}", render::objects(&detection), render::common(&detection)), output)?;
            console.note(&shown().map(finding_lines).collect::<String>())?;
        }
        Format::Json => console.report(&json::detection(&detection), output)?,
        Format::Github => console.report(&shown().map(github::finding).collect::<String>(), output)?,
    }
    console.note(&format!("{}; {}\n", text::seen(&detection.counts), text::left(&detection.counts)))?;
    Ok(Exit::decide(&detection.counts, &detection.findings, Pending::Nothing).with(output))
}

fn look_at<'a>(manifest: &'a Manifest, object: &'a Object, packs: &'a Packs, detection: &mut Detection<'a>) {
    let before = detection.values.len();
    // An object of a pack is told as one.
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

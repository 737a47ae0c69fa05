//! The subcommand `detect`: which releases can each object have been written for?

use std::path::Path;

use anyhow::{Result, ensure};

use super::args::{DetectArgs, Format};
use super::charts;
use super::config::Config;
use super::console::{Console, Destination};
use super::crd_sets;
use super::exit::{Exit, Pending};
use super::formats;
use super::input::{self, Empty, Input, Look};
use super::inventory;
use super::output::{Level, explain_exit, nothing_recognized, print, shown};
use super::packs;
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::infer::crds::{Installed, crds_in, installed};
use crate::engine::infer::install_evidence::evidence_in;
use crate::engine::infer::origin::object_releases_in;
use crate::engine::manifest::{Manifest, Recognizer};
use crate::engine::plan::Templates;
use crate::knowledge::pack::{Pack, Packs};
use crate::shell::report::detect::Detail;
use crate::shell::report::document::{FindingRecord, ReportDocument};
use crate::shell::report::grouped::{Grouped, grouped};
use crate::shell::report::{Detection, Painter, detect as render, html, json, statistics, text_format};

/// Runs `detect`.
pub(super) fn run(args: &DetectArgs, console: Console) -> Result<Exit> {
    ensure!(
        !matches!(args.output.format, Format::Junit | Format::Markdown),
        "`detect` decides nothing that passes or fails, and has no format junit or markdown; use text, json, jsonl, html, github, gitlab or sarif"
    );
    let (packs, config, input) = read(args, console)?;
    let crds = installed(input.made.iter().flat_map(|manifest| crds_in(manifest, packs)));
    let evidence = input.made.iter().flat_map(|manifest| evidence_in(manifest, packs, |_| true));
    let mut evidence: Vec<_> = evidence.map(|(pack, evidence)| (pack.name(), evidence)).collect();
    evidence.sort();
    let is_listed = |file: &str| input.is_listed(Path::new(file));
    let recognizer = input::recognizer(packs, &packs.iter().collect::<Vec<_>>(), &[], &config);
    let templates = charts::templates(&input, &recognizer);
    let (mut findings, counts) = (input.findings.clone(), input.counts.clone());
    charts::without_skipped(&mut findings, &templates);
    let shard = input.shard.map(|shard| shard.to_string());
    let mut detection = Detection { evidence, crds, findings, counts, shard, ..Detection::default() };
    let about_crds = detection.crds.iter().filter_map(Installed::finding);
    detection.findings.extend(about_crds.filter(|finding| is_listed(&finding.location.file)));
    for manifest in input.made.iter().filter(|manifest| is_listed(&manifest.file)) {
        for object in &manifest.objects {
            detection.add(manifest, object, packs);
        }
    }
    // Where objects come from, the whole tree shows.
    let others = || input.made.iter().filter(|manifest| !is_listed(&manifest.file));
    detection.spans.extend(others().flat_map(|manifest| object_releases_in(manifest, packs, |_| true)));
    // Without a target nothing is to be converted; what a template holds is not known, whatever the target.
    let is_open = |finding: &&mut Finding| finding.severity == Severity::Unresolved && finding.code != Code::Template;
    for finding in detection.findings.iter_mut().filter(is_open) {
        finding.severity = Severity::Warning;
    }
    detection.counts.recognized += detection.objects.len();
    detection.counts.recognized_elsewhere = others()
        .filter(|_| input.shard.is_some())
        .flat_map(|manifest| &manifest.objects)
        .any(|object| packs.of_group(&object.kind.group).is_some_and(|pack| pack.catalog(&object.kind).is_some()));
    let templates = Templates { files: &templates, recognizer: &recognizer };
    inventory::add(&mut detection, args, &config, &input, templates, packs)?;
    let output = &args.output;
    ensure!(!args.statistics || output.format == Format::Text, "`--statistics` is a text report; remove --format");
    let exit = Exit::decide(&detection.counts, &detection.findings, &[], Pending::Nothing).with(output, 0);
    let ran_in = formats::ran_in();
    let why = nothing_recognized(exit, &detection.counts, &input.roots, &input.skips, &packs::names(packs.iter()));
    match output.format {
        Format::Text => {
            console.text(Destination::Report, output, |painter| text_report(&detection, args, painter))?;
        }
        Format::Json => {
            console.report(&json::pretty(&json::detection(&detection, exit as u8, ran_in.folder)), output)?
        }
        Format::Jsonl => {
            console.report(&json::lines(&json::detection(&detection, exit as u8, ran_in.folder)), output)?
        }
        Format::Html => {
            let document = ReportDocument::of_detection(&detection, exit as u8, ran_in);
            console.report(&html::page(&document, &html::Besides::detected(&detection, packs)), output)?;
        }
        Format::Github | Format::Gitlab | Format::Sarif | Format::Junit | Format::Markdown => {
            let document = ReportDocument::of_detection(&detection, exit as u8, ran_in);
            print(ReportDocument { nothing_recognized: why.clone(), ..document }, output, console)?;
        }
    }
    let painter = console.note_painter(output.color);
    console.painted_note(&format!("{}\n", text_format::detected(&detection.counts, &painter)))?;
    explain_exit(exit, why, console)
}

/// Reads the files, with the packs that know their objects: one of them is made of CRDs, of those passed or else those in the files.
fn read(args: &DetectArgs, console: Console) -> Result<(&'static Packs, Config, Input<Manifest>)> {
    let packs = packs::load(&args.packs)?;
    let config = Config::new(&args.packs.file, &args.files.paths, packs)?;
    if args.files.reads_stdin() {
        crd_sets::without_stdin(&args.crds, "the manifests are read from")?;
    }
    let piped = input::piped(&args.files, Empty::of(args.output.allow_empty))?;
    let read = |recognizer: &Recognizer| {
        let look = Look { excluded: config.excluded.as_ref(), ..Look::default() };
        input::read(&args.files, piped.as_deref(), recognizer, look, console, |manifest| manifest)
    };
    let with = |pack: Option<Pack>| match pack {
        Some(pack) => packs::load_with(&args.packs.packs, Some(pack)),
        None => Ok(packs),
    };
    if !args.crds.is_empty() {
        let packs = with(crd_sets::pack_of(&crd_sets::passed(&args.crds, packs, console)?, &[], packs)?)?;
        let input = read(&input::recognizer(packs, &packs.iter().collect::<Vec<_>>(), &[], &config))?;
        return Ok((packs, config, input));
    }
    let mut input = read(&input::recognizer_of_crds(packs, &[], &config))?;
    let unknown: Vec<_> = input.made.iter().flat_map(|manifest| crd_sets::unknown_in(manifest, packs)).collect();
    if unknown.is_empty() {
        return Ok((packs, config, input));
    }
    let (tree, mut findings) = crd_sets::of_tree(unknown, console)?;
    findings.retain(|finding| input.is_listed(Path::new(&finding.location.file)));
    let packs = with(tree.map(|tree| tree.pack))?;
    input = read(&input::recognizer(packs, &packs.iter().collect::<Vec<_>>(), &[], &config))?;
    input.findings.extend(findings);
    Ok((packs, config, input))
}

/// Renders what was detected: of each object or in totals, the findings, and what holds for the whole tree.
fn text_report(detection: &Detection<'_>, args: &DetectArgs, painter: &Painter) -> String {
    let findings = Level::of(&args.output).findings(&detection.findings);
    let detail = if args.output.verbose { Detail::Objects } else { Detail::Summary };
    let summary = render::summary(detection, detail, painter);
    let records: Vec<FindingRecord> = findings.map(FindingRecord::new).collect();
    if args.statistics {
        return statistics::of_detection(detection, &records, painter) + &summary;
    }
    let objects = match detail {
        Detail::Objects => render::objects(detection, painter),
        Detail::Summary => String::new(),
    };
    let Grouped { lines, to_do } = grouped([], &records, painter, shown(&args.output));
    objects + &lines + &to_do + &summary
}

//! The subcommand `detect`: which releases can each object have been written for?

use std::path::Path;

use anyhow::{Result, ensure};

use super::args::{DetectArgs, Format};
use super::charts;
use super::config::Config;
use super::console::{Console, Destination};
use super::crd_sets::{self, CrdPart};
use super::exit::{Exit, Pending};
use super::formats;
use super::input::{self, CRD_KIND, Empty, Groups, Input, Look, ReadList};
use super::inventory;
use super::output::{Level, explain_exit, nothing_recognized, print};
use super::packs;
use super::surveyed::{KeptFile, KeptFiles, Room};
use super::target::is_known_to;
use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::infer::crds::{Crd, Installed, crds_in, installed};
use crate::engine::infer::install_evidence::Installations;
use crate::engine::manifest::{Manifest, Recognizer};
use crate::engine::plan::{FileSurvey, Surveyor, Templates};
use crate::knowledge::pack::{Pack, Packs};
use crate::shell::report::detect::Detail;
use crate::shell::report::document::{FindingRecord, ReportDocument};
use crate::shell::report::grouped::{Grouped, grouped};
use crate::shell::report::{Detection, Painter, detect as render, html, json, statistics, text_format};

/// Runs `detect`.
pub(super) fn run(args: &DetectArgs, console: Console) -> Result<Exit> {
    ensure!(
        !matches!(args.output.format, Format::Junit | Format::Markdown),
        "`detect` lists what there is, and has no format junit or markdown; use text, json, jsonl, html, github, gitlab or sarif"
    );
    let (packs, config, recognizer, mut input) = read(args, console)?;
    let files = std::mem::take(&mut input.made);
    let templates = charts::charts(&input, &recognizer).templates;
    input.groups.retain(|group, _| !is_known_to(packs, group));
    input.counts.unknown_groups = std::mem::take(&mut input.groups);
    let (mut findings, counts) = (std::mem::take(&mut input.findings), input.counts.clone());
    charts::without_skipped(&mut findings, &templates);
    let shard = input.shard.map(|shard| shard.to_string());
    let mut detection = Detection { findings, counts, shard, ..Detection::default() };
    let (surveys, kept) = put_together(files, &mut detection, &input);
    let files = KeptFiles { surveys: &surveys, files: &kept, roots: &input.roots, recognizer: &recognizer };
    let templates = Templates { files: &templates, recognizer: &recognizer };
    inventory::add(&mut detection, args, &config, &input, &files, templates, packs)?;
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
    console.painted_note(&format!("{}\n", text_format::detected(&detection.counts, &detection.findings, &painter)))?;
    explain_exit(exit, why, console)
}

/// What is kept of a file until all files are read.
struct FileDetection<'p> {
    survey: FileSurvey,
    kept: KeptFile,
    found: Detection<'p>,
    crds: Vec<(&'p Pack, Crd)>,
}

/// What detects the releases of one file after the other.
struct Detector<'p> {
    packs: &'p Packs,
    surveyor: Surveyor<'p>,
    installations: Installations<'p>,
    room: Room,
}

impl<'p> Detector<'p> {
    fn new(packs: &'p Packs) -> Self {
        let installations = Installations::new(packs, |_| true);
        Self { packs, surveyor: Surveyor::new(packs, &[]), installations, room: Room::default() }
    }

    /// Detects what is in a file; it is called from several threads.
    fn detect(&self, manifest: Manifest) -> Box<FileDetection<'p>> {
        let packs = self.packs;
        let evidence = self.installations.evidence_in(&manifest).into_iter();
        let evidence = evidence.map(|(pack, evidence)| (pack.name(), evidence)).collect();
        let mut found = Detection { evidence, ..Detection::default() };
        manifest.objects.iter().for_each(|object| found.add(&manifest, object, packs));
        // What is kept of each file until all are read takes no more than it needs.
        found.objects.shrink_to_fit();
        found.spans.shrink_to_fit();
        let (crds, survey) = (crds_in(&manifest, packs), self.surveyor.survey(&manifest));
        let kept = self.room.keep(manifest, survey.is_unknown);
        Box::new(FileDetection { survey, kept, found, crds })
    }
}

/// Adds what was found in `files` of `input` to `detection`; returns what their plan needs.
fn put_together<'p>(
    files: Vec<Box<FileDetection<'p>>>,
    detection: &mut Detection<'p>,
    input: &Input<Box<FileDetection<'p>>>,
) -> (Vec<FileSurvey>, Vec<KeptFile>) {
    let is_listed = |file: &str| input.is_listed(Path::new(file));
    let (mut surveys, mut kept) = (Vec::with_capacity(files.len()), Vec::with_capacity(files.len()));
    let (mut crds, mut spans_elsewhere) = (Vec::new(), Vec::new());
    detection.objects.reserve_exact(files.iter().map(|file| file.found.objects.len()).sum());
    for file in files {
        let FileDetection { survey, kept: content, mut found, crds: of_file } = *file;
        crds.extend(of_file);
        detection.evidence.append(&mut found.evidence);
        if is_listed(&survey.file) {
            detection.extend(found);
        } else {
            detection.counts.is_about_others |= input.shard.is_some() && !found.objects.is_empty();
            spans_elsewhere.extend(found.spans);
        }
        surveys.push(survey);
        kept.push(content);
    }
    // Where objects come from, the whole tree shows.
    detection.extend_spans(spans_elsewhere);
    detection.evidence.sort();
    detection.crds = installed(crds);
    let about_crds = detection.crds.iter().filter_map(Installed::finding);
    detection.findings.extend(about_crds.filter(|finding| is_listed(&finding.location.file)));
    // Without a target nothing is to be converted; what a template holds is not known, whatever the target.
    let is_open = |finding: &&mut Finding| finding.severity == Severity::Unresolved && finding.code != Code::Template;
    for finding in detection.findings.iter_mut().filter(is_open) {
        finding.severity = Severity::Warning;
    }
    detection.counts.recognized += detection.objects.len();
    (surveys, kept)
}

/// The packs of a call, its settings, what its files were recognized by, and what they hold.
type Read = (&'static Packs, Config, Recognizer, Input<Box<FileDetection<'static>>>);

/// Reads the files, with the packs that know their objects: one of them is made of CRDs, of those passed or else those in the files.
fn read(args: &DetectArgs, console: Console) -> Result<Read> {
    let packs = packs::load(&args.packs)?;
    let config = Config::new(&args.packs.file, &args.files.paths, packs)?;
    if args.files.reads_stdin() {
        crd_sets::without_stdin(&args.crds, "the manifests are read from")?;
    }
    let piped = input::piped(&args.files, Empty::of(args.output.allow_empty))?;
    // As for `check`: who passes CRDs should see what is not in them.
    let groups = if args.crds.is_empty() { Groups::Ignore } else { Groups::Count };
    let look = Look { excluded: config.excluded.as_ref(), groups };
    let read = |packs, recognizer: &Recognizer| {
        let detector = Detector::new(packs);
        let make = |manifest| detector.detect(manifest);
        input::read(&args.files, piped.as_deref(), &ReadList::new(), recognizer, look, console, make)
    };
    let with = |pack: Option<Pack>| match pack {
        Some(pack) => packs::load_with(&args.packs.packs, Some(pack)),
        None => Ok(packs),
    };
    let of_all = |packs: &Packs| input::recognizer(packs, &packs.iter().collect::<Vec<_>>(), &[], &config);
    if !args.crds.is_empty() {
        let packs = with(crd_sets::pack_of(&crd_sets::passed(&args.crds, packs, console)?, &[], packs)?)?;
        let recognizer = of_all(packs);
        let input = read(packs, &recognizer)?;
        return Ok((packs, config, recognizer, input));
    }
    // The packs decide what is made of a file, so CRDs are looked for before.
    let recognizer = input::recognizer_of_crds(packs, &[], &config);
    let unknown = |manifest: Manifest| crd_sets::unknown_in(&manifest, packs);
    let unknown = input::read_those_with(CRD_KIND, &args.files, piped.as_deref(), &recognizer, look, unknown)?;
    let unknown: Vec<CrdPart> = unknown.into_iter().flatten().collect();
    if unknown.is_empty() {
        let input = read(packs, &recognizer)?;
        return Ok((packs, config, recognizer, input));
    }
    let (tree, mut findings) = crd_sets::of_tree(unknown, console)?;
    let packs = with(tree.map(|tree| tree.pack))?;
    let recognizer = of_all(packs);
    let mut input = read(packs, &recognizer)?;
    findings.retain(|finding| input.is_listed(Path::new(&finding.location.file)));
    input.findings.extend(findings);
    Ok((packs, config, recognizer, input))
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
    let Grouped { lines, to_do } = grouped(&[], &records, painter, formats::shown(&args.output));
    objects + &lines + &to_do + &summary
}

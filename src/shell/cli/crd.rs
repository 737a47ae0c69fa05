//! The subcommand `crd check`: what changed from one set of CRDs to another, and does a policy allow it?

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, ensure};

use super::args::{CrdCheckArgs, Format, PackArgs};
use super::baseline::Baseline;
use super::console::{Console, Destination};
use super::exit::{Exit, Pending};
use super::input::Empty;
use super::output::{Level, print};
use super::pack_source::PackSource;
use super::{formats, input, lint, packs};
use crate::authoring::crd_check::{self, Comparison, CrdSet, Policy, Releases};
use crate::engine::manifest::Manifest;
use crate::knowledge::pack::{Pack, Packs};
use crate::shell::disk::{self, CommittedFile, CommittedPath, MAX_FILE_SIZE};
use crate::shell::report::document::{FindingRecord, ReportDocument};
use crate::shell::report::grouped::grouped;
use crate::shell::report::{Counts, one_of, text_format, visible};

/// Runs `crd check`.
pub(super) fn check(args: &CrdCheckArgs, console: Console) -> Result<Exit> {
    let output = &args.output;
    let policy = policy(&args.policy)?;
    let packs = packs::load(&PackArgs::default())?;
    let pack = args.pack.as_ref().map(|name| named_pack(name, packs)).transpose()?;
    let sources = sources(args)?;
    let read = sources.iter().map(|source| source.read(args.path.as_deref(), packs, console));
    let read = read.collect::<Result<Vec<_>>>()?;
    let sets = sources.iter().zip(&read).map(|(source, manifests)| CrdSet::read(&source.name(), manifests));
    let mut sets = sets.collect::<Result<Vec<_>>>()?;
    let experimental = if args.experimental.is_some() { sets.pop() } else { None };
    let (new, old) = (sets.pop().expect("NEW is read"), sets.pop().expect("OLD is read"));
    ensure!(new.len() > 0, "{}: there is no CRD", visible(&new.name));
    let (is_first, name) = (old.len() == 0, visible(&old.name));
    ensure!(
        !is_first || output.allow_empty,
        "{name}: there is no CRD; --allow-empty accepts that, for a first release"
    );
    if is_first && !output.quiet {
        console.note(&format!("note: {name}: there is no CRD, so that everything is new\n"))?;
    }
    let releases = Releases { earlier: &sets, old: &old, new: &new, experimental: experimental.as_ref() };
    releases.check_order()?;
    let mut comparison = crd_check::check(releases, pack, &policy);
    compare(&mut comparison, &policy, args, console)?;
    for waiver in comparison.unused.iter().filter(|_| !output.quiet) {
        console.note(&format!("the policy waives what does not occur: {}\n", visible(&waiver.to_string())))?;
    }
    let counts = counts(&read[args.history.len() + 1], new.len());
    let exit = Exit::decide(&counts, &comparison.findings, &[], Pending::Nothing).with(output, 0);
    let document = ReportDocument::of_crds(&comparison, &policy.name, &counts, exit as u8, formats::ran_in());
    let (step, summary) = (comparison.step.clone(), document.summary.clone());
    match output.format {
        Format::Text => {
            let level = Level::of(output);
            let records: Vec<FindingRecord> = level.findings(&comparison.findings).map(FindingRecord::new).collect();
            console.text(Destination::Report, output, |painter| {
                let found = grouped(&[], &records, painter, formats::shown(output));
                let accepted = comparison.acknowledged.iter().filter(|_| output.verbose);
                let accepted: String = accepted.map(|one| text_format::acknowledged(one, painter)).collect();
                [found.lines, accepted, found.to_do].concat()
            })?;
        }
        _ => print(document, output, console)?,
    }
    let painter = console.note_painter(output.color);
    console.painted_note(&format!("{}\n", text_format::release_step(&step, &summary, &painter)))?;
    Ok(exit)
}

/// Counts what there is of the release that is checked.
fn counts(files: &[Manifest], recognized: usize) -> Counts {
    let objects = files.iter().map(|file| file.objects.len()).sum();
    Counts { files: files.len(), parsed: files.len(), objects, recognized, ..Counts::default() }
}

/// Where CRDs of a release are.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    /// Whether it is a release that is checked: what it reports is in files that the user has.
    pub(super) is_new: bool,
    /// Whether it can be without files: before a first release.
    pub(super) empty: Empty,
}

/// Lists the releases in the order of time: those before, OLD, NEW; behind them its experimental channel.
fn sources(args: &CrdCheckArgs) -> Result<Vec<Source<'_>>> {
    let source = |path, is_new, empty| Source { path, is_new, empty };
    let history = args.history.iter().map(|path| source(path, false, Empty::Refuse));
    let old = [source(&args.old, false, Empty::of(args.output.allow_empty))];
    let new = [&args.new].into_iter().chain(&args.experimental).map(|path| source(path, true, Empty::Refuse));
    let sources: Vec<Source<'_>> = history.chain(old).chain(new).collect();
    let piped = sources.iter().filter(|source| source.path == Path::new("-")).count();
    ensure!(piped < 2, "`-` is standard input, which is read once");
    Ok(sources)
}

impl Source<'_> {
    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Reads the files of the release: those below `path` in a commit, or those at a path.
    pub(super) fn read(&self, path: Option<&Path>, packs: &Packs, console: Console) -> Result<Vec<Manifest>> {
        let name = self.name();
        let shown = visible(&name);
        let Some(path) = path else {
            let is_there = self.path == Path::new("-") || !disk::is_missing(self.path);
            ensure!(is_there, "{shown}: no such file or folder; for a commit, branch or tag pass --path PATH too");
            return input::read_crds(self.path, "CRDs", self.empty, packs, console);
        };
        ensure!(name != "-", "`-` is standard input, which is in no commit: leave out --path, or name a commit");
        let from = CommittedPath { repository: Path::new("."), reference: &name, path, limit: MAX_FILE_SIZE };
        let Some(files) = disk::committed(from, |_| true).with_context(|| format!("--path: {shown}"))? else {
            let is_path = self.is_new && !disk::is_missing(self.path);
            ensure!(is_path, "--path: {shown} is no commit, branch or tag of the repository");
            return input::read_crds(self.path, "crd check", self.empty, packs, console);
        };
        let may_be_empty = !files.is_empty() || self.empty == Empty::Accept;
        ensure!(may_be_empty, "--path: {shown} has no file at {}", visible(&path.to_string_lossy()));
        let named = |file: &CommittedFile| match self.is_new {
            true => file.path.clone(),
            false => format!("{name}:{}", file.path),
        };
        let files = files.iter().map(|file| (named(file), file.bytes.as_slice()));
        input::crds_of_texts(files, packs)
    }
}

/// Returns the pack of a source, or the built-in one with this name.
fn named_pack(name: &str, packs: &'static Packs) -> Result<&'static Pack> {
    match PackSource::parse(name.into())?.content_if_pack()? {
        Some(content) => Ok(Box::leak(Box::new(content.draft()?))),
        None => packs::named(name, packs).map_err(|error| lint::not_a_pack(name, error)),
    }
}

/// Reads a policy: one that is built in, or that of a file.
fn policy(name: &str) -> Result<Policy> {
    if let Some(policy) = Policy::built_in(name) {
        return Ok(policy);
    }
    let bytes = disk::read_up_to(Path::new(name), MAX_FILE_SIZE).map_err(|failure| {
        anyhow!("--policy {}: {failure}; pass {}, or a file", visible(name), one_of(&Policy::names()))
    })?;
    let text = String::from_utf8(bytes).with_context(|| format!("--policy {}", visible(name)))?;
    Policy::parse(name, &text)
}

/// Acknowledges what is known, by the baseline that is read or written.
fn compare(comparison: &mut Comparison, policy: &Policy, args: &CrdCheckArgs, console: Console) -> Result<()> {
    let targets = [format!("the policy {}", policy.name)];
    let (baseline, is_written) = match (&args.write_baseline, &args.baseline) {
        (Some(file), _) => (Baseline::of_findings(file, &targets, &comparison.findings, |_| true)?, true),
        (None, Some(file)) => (Baseline::read(file, "--baseline", &targets)?, false),
        (None, None) => return Ok(()),
    };
    if is_written {
        baseline.write(&targets)?;
    }
    let sorted = baseline.sort_out(std::mem::take(&mut comparison.findings), Vec::new());
    comparison.findings = sorted.open;
    comparison.acknowledged.extend(sorted.known);
    comparison.acknowledged.sort();
    match args.output.quiet {
        true => Ok(()),
        false if is_written => baseline.report_written(console),
        false => {
            let stale: Vec<String> = sorted.stale.iter().map(ToString::to_string).collect();
            baseline.report_stale(&stale, args.output.verbose, console)
        }
    }
}

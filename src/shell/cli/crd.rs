//! The subcommand `crd check`: what changed from one set of CRDs to another, and does a policy allow it?

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, ensure};

use super::args::{CrdCheckArgs, Format, PackArgs};
use super::baseline::Baseline;
use super::console::{Console, Destination};
use super::exit::{Exit, Pending};
use super::output::{Level, print, shown};
use super::{formats, input, packs};
use crate::authoring::crd_check::{self, Comparison, CrdSet, Policy};
use crate::shell::disk::{self, MAX_FILE_SIZE};
use crate::shell::report::document::{FindingRecord, ReportDocument};
use crate::shell::report::grouped::grouped;
use crate::shell::report::{Counts, one_of, text_format, visible};

/// Runs `crd check`.
pub(super) fn check(args: &CrdCheckArgs, console: Console) -> Result<Exit> {
    let output = &args.output;
    ensure!(output.format != Format::Html, "`crd check` has no format html; use text, json, sarif or markdown");
    let is_stdin = |path: &Path| path == Path::new("-");
    ensure!(!(is_stdin(&args.old) && is_stdin(&args.new)), "`-` is standard input, which is read once");
    let policy = policy(&args.policy)?;
    let packs = packs::load(&PackArgs::default())?;
    let [old, new] = [&args.old, &args.new].map(|path| input::read_crds(path, "crd check", packs, console));
    let (old, new) = (old?, new?);
    let [old, new] = [(&args.old, &old), (&args.new, &new)]
        .map(|(path, manifests)| CrdSet::read(&path.display().to_string(), manifests));
    let (old, new) = (old?, new?);
    let mut comparison = crd_check::check(&old, &new, &policy);
    compare(&mut comparison, &policy, args, console)?;
    for waiver in comparison.unused.iter().filter(|_| !output.quiet) {
        console.note(&format!("the policy waives what does not occur: {}\n", visible(&waiver.to_string())))?;
    }
    let counts = Counts { recognized: new.len(), ..Counts::default() };
    let exit = Exit::decide(&counts, &comparison.findings, &[], Pending::Nothing).with(output, 0);
    let document = ReportDocument::of_crds(&comparison, &policy.name, &counts, exit as u8, formats::ran_in());
    let (step, summary) = (comparison.step.clone(), document.summary.clone());
    match output.format {
        Format::Text => {
            let level = Level::of(output);
            let records: Vec<FindingRecord> = level.findings(&comparison.findings).map(FindingRecord::new).collect();
            console.text(Destination::Report, output, |painter| {
                let found = grouped([], &records, painter, shown(output));
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

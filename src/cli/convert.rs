//! The subcommands `check`, `diff` and `convert`: what would change, as a report, as a diff, as a stream.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, ensure};

use super::args::{ConvertArgs, Format, OutputArgs, StreamArgs};
use super::config::Config;
use super::console::Console;
use super::pass::{self, Pass};
use super::target::Typed;
use super::undo::run_name;
use super::{Exit, Pending, packs};
use crate::disk::{self, Bounds, Failure, Journal, RunProgress};
use crate::edits::FilePlan;
use crate::finding::{Code, Finding, Location, Severity};
use crate::infer::crds::{Crd, Installed, crds_in};
use crate::infer::install_evidence::{Evidence, ObjectReleases, evidence_in, object_releases_in};
use crate::manifest::{Manifest, Recognizer};
use crate::pack::{Pack, Packs, Target};
use crate::plan::{self, Plan, PlannedFile, Planner, Record, RunFile};
use crate::report::{Counts, Report, Written, diff as render, finding_lines, github, json, plural, text, visible};
use crate::yaml::FrontEnd;

/// A run's plan with what was met.
pub(super) struct Planned {
    pub(super) plan: Plan,
    pub(super) targets: Vec<String>,
    /// The files and folders that were named.
    pub(super) roots: Vec<PathBuf>,
    counts: Counts,
}

impl Planned {
    pub(super) fn report(&self, command: &'static str, written: Written) -> Report<'_> {
        Report {
            command,
            targets: self.targets.clone(),
            files: &self.plan.files,
            objects: &self.plan.objects,
            findings: &self.plan.findings,
            counts: self.counts.clone(),
            written,
        }
    }

    /// Says whether a file failed, which the user can leave out.
    pub(super) fn has_failed_file(&self) -> bool {
        let is_of_file =
            |finding: &Finding| finding.severity == Severity::Error && finding.code != Code::InterruptedRun;
        self.plan.findings.iter().any(is_of_file)
    }

    pub(super) fn exit(&self, pending: Pending) -> Exit {
        Exit::decide(&self.counts, &self.plan.findings, pending)
    }
}

/// Runs `check`. What it says would change is shown and written by others, which verify it exactly; only a report as JSON holds
/// edits.
pub(super) fn check(args: &ConvertArgs, console: Console) -> Result<Exit> {
    let front_end = match args.output.format {
        Format::Json => FrontEnd::Exact,
        Format::Text | Format::Github => FrontEnd::Fast,
    };
    preview("check", args, front_end, console, |report| match args.output.quiet {
        true => Ok(String::new()),
        false => Ok(text::changes(report)),
    })
}

/// Runs `diff`.
pub(super) fn diff(args: &ConvertArgs, console: Console) -> Result<Exit> {
    preview("diff", args, FrontEnd::Exact, console, |report| diffs(report.files, &args.output, console))
}

fn preview(
    command: &'static str,
    args: &ConvertArgs,
    front_end: FrontEnd,
    console: Console,
    as_text: impl FnOnce(&Report<'_>) -> Result<String>,
) -> Result<Exit> {
    let planned = planned(args, front_end, console)?;
    let report = planned.report(command, Written::No);
    if args.output.format == Format::Text {
        console.report(&as_text(&report)?, &args.output)?;
    }
    finish(&report, &args.output, console)?;
    Ok(planned.exit(Pending::of(report.files)).with(&args.output))
}

/// Renders the diff of every file that may be shown, and names the others.
pub(super) fn diffs(files: &[FilePlan], output: &OutputArgs, console: Console) -> Result<String> {
    let paint = console.paint(output);
    let mut shown = String::new();
    for file in files {
        match render::unified(file, paint) {
            Some(diff) => shown.push_str(&diff),
            None => console.note(&format!(
                "{}: changes, and its diff is left out: it would show what a Secret holds\n",
                visible(&file.file)
            ))?,
        }
    }
    Ok(shown)
}

/// Runs `convert -`: what is held back or not recognised goes through as it came.
pub(super) fn stream(args: &StreamArgs, console: Console) -> Result<Exit> {
    let packs = packs(&args.packs)?;
    let config = Config::default();
    let typed = Typed::read(&args.target, &config, packs, console)?;
    let bytes = pass::read_stdin()?;
    let recognizer = pass::recognizer(packs, &config);
    let planned = plan_files(&typed, &recognizer, console, |make| Ok(pass::of_bytes(&bytes, &recognizer, make)))?;
    let exit = planned.exit(Pending::Nothing);
    if exit != Exit::Failed {
        console.stream(&planned.plan.files.first().map_or(bytes, |file| file.after().into_bytes()))?;
    }
    let report = planned.report("convert", Written::No);
    let level = if args.quiet { Level::QUIET } else { Level::USUAL };
    tell(&report, level, console)?;
    console.note(&format!("{}\n", text::summary(&report)))?;
    Ok(if exit == Exit::NothingRecognised && args.allow_empty { Exit::Clean } else { exit })
}

/// Prints the report in its format, the findings and the summary.
pub(super) fn finish(report: &Report<'_>, output: &OutputArgs, console: Console) -> Result<()> {
    match output.format {
        Format::Text => tell(report, Level::of(output), console)?,
        Format::Json => console.report(&json::report(report), output)?,
        Format::Github => {
            console.report(&github::commands(report), output)?;
            console.step_summary(&github::step_summary(report))?;
        }
    }
    console.note(&format!("{}\n", text::summary(report)))
}

/// The least severity that is printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level(Severity);

impl Level {
    const QUIET: Self = Self(Severity::Held);
    const USUAL: Self = Self(Severity::Warning);

    /// Reads `-q` and `-v`.
    pub(super) const fn of(output: &OutputArgs) -> Self {
        match (output.quiet, output.verbose) {
            (true, _) => Self::QUIET,
            (_, true) => Self(Severity::Note),
            _ => Self::USUAL,
        }
    }

    /// Says whether a finding is printed; a skipped file always is.
    pub(super) fn shows(self, finding: &Finding) -> bool {
        finding.severity >= self.0 || matches!(finding.code, Code::Template | Code::Binary)
    }
}

fn tell(report: &Report<'_>, level: Level, console: Console) -> Result<()> {
    let shown = report.findings.iter().filter(|finding| level.shows(finding));
    console.note(&shown.map(finding_lines).collect::<String>())
}

/// Reads the files and plans, with edits verified by `front_end`.
pub(super) fn planned(args: &ConvertArgs, front_end: FrontEnd, console: Console) -> Result<Planned> {
    let record = match args.output.format {
        Format::Json => Record::Data,
        Format::Text | Format::Github => Record::Outcomes,
    };
    planned_with(args, packs(&args.packs)?, (record, front_end), console)
}

/// Reads the files and plans with these packs.
pub(super) fn planned_with(
    args: &ConvertArgs,
    packs: &Packs,
    (record, front_end): (Record, FrontEnd),
    console: Console,
) -> Result<Planned> {
    let config = Config::find(&args.files.paths, packs)?;
    let typed = Typed::read(&args.target, &config, packs, console)?.planning(record, front_end);
    let recognizer = pass::recognizer(packs, &config);
    plan_files(&typed, &recognizer, console, |make| {
        let mut pass = pass::pass(&args.files, &recognizer, console, make)?;
        pass.findings.extend(half_done(&pass.roots));
        if let Some(output) = &args.output.output_file {
            let input = pass.made.iter().find(|seen| disk::is_same_file(output, Path::new(seen.file())));
            ensure!(input.is_none(), "--output-file {} is one of the manifests; name another file", output.display());
        }
        Ok(pass)
    })
}

/// Looks for a run that was stopped half-way in the tree around `roots`: what is planned there is planned from old and new files.
fn half_done(roots: &[PathBuf]) -> Option<Finding> {
    let bounds = (!roots.is_empty()).then(|| Bounds::around(roots).ok())??;
    let (message, help) = match disk::inspect(&bounds) {
        Ok(None | Some((_, RunProgress::Untouched | RunProgress::Complete))) => return None,
        Ok(Some((record, RunProgress::Mixed(replaced)))) => {
            let files = plural(record.files.len(), "file");
            let message =
                format!("an earlier {} was stopped half-way: {replaced} of {files} replaced", run_name(&record));
            (message, Some("`reversion undo` takes it back, `reversion apply --resume` finishes it".to_owned()))
        }
        Err(failure @ Failure::Denied) => {
            let message = format!("whether a run of another user was stopped half-way is not known: {failure}");
            (message, Some("ask that user, or remove the journal where no run was stopped".to_owned()))
        }
        Err(failure) => (failure.to_string(), None),
    };
    let location = Location { file: Journal::place(&bounds).display().to_string(), position: None };
    Some(Finding {
        location,
        code: Code::InterruptedRun,
        severity: Severity::Error,
        object: None,
        field: None,
        message,
        help,
    })
}

/// Plans what `pass` finds, which is told what to make of a file.
fn plan_files<'p>(
    typed: &Typed<'p>,
    recognizer: &Recognizer,
    console: Console,
    pass: impl FnOnce(&(dyn Fn(Manifest) -> Seen<'p> + Sync)) -> Result<Pass<Seen<'p>>>,
) -> Result<Planned> {
    let packs = typed.packs();
    if let Some(goal) = typed.typed_goal() {
        let planner = Planner::new(&goal);
        let (pass, _) = with_crds(typed, pass(&|manifest| Seen::new(manifest, packs, Some(&planner)))?);
        return finish_plan(&planner, recognizer, pass);
    }
    let (pass, installed) = with_crds(typed, pass(&|manifest| Seen::new(manifest, packs, None))?);
    let clues = || pass.made.iter().filter_map(|seen| seen.clues.as_deref());
    let groups = clues().flat_map(|clues| clues.groups.iter().cloned()).collect();
    let evidence: Vec<_> = clues().flat_map(|clues| clues.evidence.iter().cloned()).collect();
    let spans: Vec<_> = clues().flat_map(|clues| clues.spans.iter().cloned()).collect();
    let goal = typed.named_goal(&installed, &groups, (&evidence, &spans), console)?;
    finish_plan(&Planner::new(&goal), recognizer, pass)
}

/// Adds what the CRDs of a call are told for.
fn with_crds<'p>(typed: &Typed<'p>, mut pass: Pass<Seen<'p>>) -> (Pass<Seen<'p>>, Vec<Installed<'p>>) {
    let met = pass.made.iter_mut().flat_map(|seen| std::mem::take(&mut seen.crds)).collect();
    let installed = typed.installed(met);
    pass.findings.extend(installed.iter().filter_map(Installed::finding));
    (pass, installed)
}

/// Plans the linked files, and puts all together.
fn finish_plan(planner: &Planner<'_>, recognizer: &Recognizer, pass: Pass<Seen<'_>>) -> Result<Planned> {
    let (mut parts, mut texts, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for seen in pass.made {
        let (part, text) = match seen.kept {
            Kept::Planned(part, text) => (Some(part), text),
            Kept::Linked(file, text) => {
                open.push(pass::again(&file, &text, recognizer));
                (None, None)
            }
            Kept::Text(file, text) => {
                let manifest = pass::again(&file, &text, recognizer);
                match plan::plan_local(planner, &manifest) {
                    Some(part) => {
                        let text = part.needs_text().then_some(text);
                        (Some(Box::new(part)), text)
                    }
                    None => {
                        open.push(manifest);
                        (None, None)
                    }
                }
            }
        };
        parts.push(part);
        texts.push(text);
    }
    let mut linked = open.iter();
    let file = |part: Option<Box<PlannedFile>>| {
        part.map_or_else(
            || RunFile::Linked(linked.next().expect("a file without a local plan is linked")),
            RunFile::Local,
        )
    };
    let mut files: Vec<RunFile<'_>> = parts.into_iter().map(file).collect();
    let namespaces = plan::namespaces(planner, &files);
    let invalidated = plan::invalidated(&files, &namespaces);
    let reopened = invalidated.iter().map(|at| reopen(&files[*at], texts[*at].as_deref(), recognizer));
    let reopened = reopened.collect::<Result<Vec<_>>>()?;
    for (at, manifest) in invalidated.into_iter().zip(&reopened) {
        files[at] = RunFile::Linked(manifest);
    }
    let mut plan = plan::finish(planner, files, &namespaces);
    plan.findings.extend(pass.findings);
    plan.findings.sort();
    let goal = planner.goal();
    let counts =
        Counts { recognised: plan.objects.iter().filter(|object| object.is_recognised).count(), ..pass.counts };
    let targets = goal.targets.iter().map(Target::to_string).collect();
    Ok(Planned { targets, plan, roots: pass.roots, counts })
}

/// Reads a file again whose local plan was invalidated: from its text, where that is known. It rarely is not, which is why the texts of
/// most files are not kept.
fn reopen(file: &RunFile<'_>, text: Option<&str>, recognizer: &Recognizer) -> Result<Manifest> {
    let RunFile::Local(part) = file else { unreachable!("only local plans are invalidated") };
    match part.text().or(text) {
        Some(text) => Ok(pass::again(part.file(), text, recognizer)),
        None => pass::once_more(part.file(), recognizer),
    }
}

/// What is kept of a file until the run is concluded.
struct Seen<'p> {
    crds: Vec<(&'p Pack, Crd)>,
    /// What it has to do with the target, where that is not known yet.
    clues: Option<Box<Clues<'p>>>,
    kept: Kept,
}

/// What a file tells of the release to go to.
struct Clues<'p> {
    /// The API groups of its objects.
    groups: BTreeSet<String>,
    /// What it says of the release that objects come from.
    evidence: Vec<(&'p Pack, Evidence)>,
    /// Which releases its objects can be for.
    spans: Vec<ObjectReleases<'p>>,
}

/// What the second look at a file needs.
enum Kept {
    /// None is needed, unless the plan is invalidated: then its text, which the plan itself has where the file changes.
    Planned(Box<PlannedFile>, Option<Arc<str>>),
    /// Its name and text: its plan depends on other files.
    Linked(String, Arc<str>),
    /// Its name and text: the target is not known yet.
    Text(String, Arc<str>),
}

impl<'p> Seen<'p> {
    fn new(manifest: Manifest, packs: &'p Packs, planner: Option<&Planner<'_>>) -> Self {
        let crds = crds_in(&manifest, packs);
        let Some(planner) = planner else {
            let (evidence, spans) = (evidence_in(&manifest, packs), object_releases_in(&manifest, packs));
            let groups = manifest.objects.into_iter().map(|object| object.kind.group).collect();
            let clues = Some(Box::new(Clues { groups, evidence, spans }));
            return Self { crds, clues, kept: Kept::Text(manifest.file, manifest.text) };
        };
        let kept = match plan::plan_local(planner, &manifest) {
            Some(part) => {
                let text = part.needs_text().then_some(manifest.text);
                Kept::Planned(Box::new(part), text)
            }
            None => Kept::Linked(manifest.file, manifest.text),
        };
        Self { crds, clues: None, kept }
    }

    fn file(&self) -> &str {
        match &self.kept {
            Kept::Planned(part, _) => part.file(),
            Kept::Linked(file, _) | Kept::Text(file, _) => file,
        }
    }
}

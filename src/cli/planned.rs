//! The plan of a call: which files it reads, and what is planned for them.
//!
//! A file whose plan depends on no other file is planned while it is read. The others are planned once all files were read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Error, Result, anyhow, ensure};

use super::args::{ConvertArgs, Format, OutputArgs};
use super::config::Config;
use super::console::Console;
use super::crd_sets;
use super::exit::{Exit, Pending};
use super::input::{self, Empty, Input};
use super::journal::interrupted_run;
use super::output;
use super::packs;
use super::target::Request;
use crate::disk::{self, FileList, Shard, Skip};
use crate::finding::{Code, Finding, Location, Severity};
use crate::infer::crds::{Crd, Installed, crds_in};
use crate::infer::install_evidence::{Evidence, ObjectReleases, evidence_in, object_releases_in};
use crate::manifest::{Manifest, Recognizer};
use crate::pack::{Pack, Packs, Target};
use crate::plan::{self, Dependent, LeftOut, Listed, Others, Plan, PlannedFile, Planner, Record, RunFile, Scope};
use crate::report::{Counts, Report, Written};
use crate::yaml::FrontEnd;

/// What is left unchanged although a target is about it.
#[derive(Clone, Copy)]
pub(super) struct Limits<'l> {
    /// Whether the run goes on without the files that fail.
    keep_going: bool,
    /// What happens to changes that need files that are not listed.
    dependent: Dependent,
    /// Where the objects start that the user declined to change.
    declined: &'l [Location],
}

impl From<Dependent> for Limits<'_> {
    fn from(dependent: Dependent) -> Self {
        Self { keep_going: false, dependent, declined: &[] }
    }
}

/// The plan of a run, with what was read.
pub(super) struct Planned<'p> {
    pub(super) packs: &'p Packs,
    /// The names of the packs whose objects were asked for.
    sought: Vec<String>,
    pub(super) plan: Plan,
    pub(super) targets: Vec<String>,
    /// The files and folders that were named.
    pub(super) roots: Vec<PathBuf>,
    pub(super) counts: Counts,
    /// How much was not read, by reason.
    pub(super) skips: BTreeMap<Skip, usize>,
    /// The files that failed, where the run goes on without them.
    pub(super) left_out: Vec<LeftOut>,
    /// The files that are reported; all where there is no list.
    listed: Option<FileList>,
    /// The part of the tree that it is about.
    pub(super) shard: Option<Shard>,
}

impl Planned<'_> {
    /// Makes the report of a command that ends with `exit`.
    pub(super) fn report(&self, command: &'static str, written: Written, exit: Exit) -> Report<'_> {
        Report {
            command,
            packs: self.packs,
            targets: self.targets.clone(),
            files: &self.plan.files,
            objects: &self.plan.objects,
            findings: &self.plan.findings,
            acknowledged: &self.plan.acknowledged,
            advisories: &self.plan.advisories,
            counts: self.counts.clone(),
            left_out: self.left_out.iter().map(|file| file.name.as_str()).collect(),
            written,
            shard: self.shard.map(|shard| shard.to_string()),
            exit: exit as u8,
            nothing_recognized: self.nothing_recognized(exit),
        }
    }

    /// Says why nothing was recognized, where the run ends with that exit code.
    pub(super) fn nothing_recognized(&self, exit: Exit) -> Option<String> {
        output::nothing_recognized(exit, &self.counts, &self.roots, &self.skips, &self.sought)
    }

    /// Returns whether the run is about the file at `place`, as [`disk::place_of`] returns it.
    pub(super) fn is_about(&self, place: &Path) -> bool {
        let has = |root: &PathBuf| disk::place_of(root).is_some_and(|root| place.starts_with(root));
        self.roots.iter().any(has)
            && self.listed.as_ref().is_none_or(|listed| listed.has_place(place))
            && self.shard.is_none_or(|shard| shard.has_place(place, &self.roots))
    }

    /// Says why a run fails because of a file, for a sentence about what was not done; nothing where no file failed.
    pub(super) fn why_failed(&self) -> &'static str {
        let is_of_file =
            |finding: &Finding| finding.severity == Severity::Error && finding.code != Code::InterruptedRun;
        if self.counts.failed > self.left_out.len() {
            ", since a file failed (`--keep-going` leaves it out)"
        } else if self.plan.findings.iter().any(is_of_file) {
            ", since a file failed"
        } else {
            ""
        }
    }

    /// Returns whether changes are to be made that are not accepted as ones not made.
    pub(super) fn pending(&self) -> Pending {
        Pending::of(&self.report("check", Written::No, Exit::Clean))
    }

    pub(super) fn exit(&self, pending: Pending) -> Exit {
        Exit::decide(&self.counts, &self.plan.findings, &self.left_out, pending)
    }

    /// Returns the exit code that `output` allows.
    pub(super) fn exit_with(&self, pending: Pending, output: &OutputArgs) -> Exit {
        self.exit(pending).with(output, self.left_out.len())
    }
}

/// Reads the files and plans with `packs`, with edits verified by `front_end`; `dependent` is what happens to changes that need
/// files that are not listed.
pub(super) fn planned<'p>(
    args: &ConvertArgs,
    packs: &'p Packs,
    (front_end, dependent): (FrontEnd, Dependent),
    console: Console,
) -> Result<Planned<'p>> {
    planned_with(args, packs, (record(args), front_end, dependent), console)
}

/// Reads the files and plans once more, as `apply` does, without the objects that start at the places `declined`.
pub(super) fn planned_without<'p>(
    args: &ConvertArgs,
    packs: &'p Packs,
    declined: &[Location],
    console: Console,
) -> Result<Planned<'p>> {
    let limits = Limits { declined, ..Dependent::HoldBack.into() };
    planned_within(args, packs, (record(args), FrontEnd::Exact), limits, console)
}

/// Returns what of each object the report of a call needs.
const fn record(args: &ConvertArgs) -> Record {
    match args.output.format {
        Format::Json | Format::Jsonl | Format::Html => Record::Data,
        Format::Text | Format::Github | Format::Gitlab | Format::Sarif | Format::Junit | Format::Markdown => {
            Record::Outcomes
        }
    }
}

/// Reads the files and plans, with `record` of each object.
pub(super) fn planned_with<'p>(
    args: &ConvertArgs,
    packs: &'p Packs,
    (record, front_end, dependent): (Record, FrontEnd, Dependent),
    console: Console,
) -> Result<Planned<'p>> {
    planned_within(args, packs, (record, front_end), dependent.into(), console)
}

fn planned_within<'p>(
    args: &ConvertArgs,
    packs: &'p Packs,
    (record, front_end): (Record, FrontEnd),
    limits: Limits<'_>,
    console: Console,
) -> Result<Planned<'p>> {
    let config = Config::new(&args.packs.file, &args.files.paths, packs)?;
    let empty = Empty::of(args.output.allow_empty);
    if args.files.reads_stdin() {
        crd_sets::without_stdin(&args.target.crds, "the manifests are read from")?;
    }
    let piped = input::piped(&args.files, empty)?;
    let request = Request::read(&args.target, &config, &args.packs, packs, console)?.planning(record, front_end);
    let limits = Limits { keep_going: args.keep_going, ..limits };
    plan_files(&request, &config, (limits, console), |recognizer, make| {
        let piped = piped.as_deref();
        let mut input = input::read(&args.files, piped, (recognizer, config.excluded.as_ref()), console, make)?;
        input.findings.extend(interrupted_run(&input.roots));
        if let Some(output) = &args.output.output_file {
            let manifest = input.made.iter().find(|seen| disk::is_same_file(output, Path::new(seen.file())));
            ensure!(
                manifest.is_none(),
                "--output-file {} is one of the manifests; name another file",
                output.display()
            );
        }
        Ok(input)
    })
}

/// Plans what `read` reads; it is passed what to look for, and what to make of a manifest. It is called once more where the files
/// hold CRDs that say more about what to look for.
pub(super) fn plan_files<'p>(
    request: &Request<'p>,
    config: &Config,
    (limits, console): (Limits<'_>, Console),
    read: impl Fn(&Recognizer, &(dyn Fn(Manifest) -> Seen<'p> + Sync)) -> Result<Input<Seen<'p>>>,
) -> Result<Planned<'p>> {
    if !request.uses_tree() {
        let recognizer = input::recognizer(request.packs(), (&request.concerned_packs(), request.targets()), config);
        return plan_read(request, &recognizer, (limits, console), |make| read(&recognizer, make));
    }
    let recognizer = input::recognizer_of_crds(request.packs(), request.targets(), config);
    let mut input = read(&recognizer, &|manifest| Seen::new(manifest, request, None))?;
    let unknown: Vec<crd_sets::CrdPart> =
        input.made.iter_mut().flat_map(|seen| std::mem::take(&mut seen.unknown)).collect();
    let (extended, findings) = match unknown.is_empty() {
        true => (None, Vec::new()),
        false => request.with_tree(unknown, console)?,
    };
    let findings: Vec<Finding> =
        findings.into_iter().filter(|one| input.is_listed(Path::new(&one.location.file))).collect();
    let Some(request) = extended else {
        input.findings.extend(findings);
        return plan_read(request, &recognizer, (limits, console), |_| Ok(input));
    };
    let recognizer = input::recognizer(request.packs(), (&request.concerned_packs(), request.targets()), config);
    plan_read(&request, &recognizer, (limits, console), |make| {
        let mut input = read(&recognizer, make)?;
        input.findings.extend(findings);
        Ok(input)
    })
}

/// Plans what `read` reads; it is passed what to make of a manifest.
fn plan_read<'p>(
    request: &Request<'p>,
    recognizer: &Recognizer,
    (limits, console): (Limits<'_>, Console),
    read: impl FnOnce(&(dyn Fn(Manifest) -> Seen<'p> + Sync)) -> Result<Input<Seen<'p>>>,
) -> Result<Planned<'p>> {
    if let Some(goal) = request.passed_goal() {
        let planner = Planner::new(&goal);
        let (input, _) = with_crds(request, read(&|manifest| Seen::new(manifest, request, Some(&planner)))?);
        let _progress = console.progress("planning");
        return conclude(&planner, (request, recognizer), limits, input);
    }
    let (input, installed) = with_crds(request, read(&|manifest| Seen::new(manifest, request, None))?);
    if input.counts.listed == Some(0) {
        // Nothing is converted, whatever the target.
        let Input { findings, counts, roots, shard, skips, .. } = input;
        let plan = Plan { findings, ..Plan::default() };
        return Ok(Planned {
            packs: request.packs(),
            sought: packs::names(request.concerned_packs()),
            plan,
            targets: Vec::new(),
            roots,
            counts,
            skips,
            left_out: Vec::new(),
            listed: input.listed,
            shard,
        });
    }
    let shown = || input.made.iter().filter_map(|seen| seen.evidence.as_deref());
    let groups = shown().flat_map(|file| file.groups.iter().cloned()).collect();
    let evidence: Vec<_> = shown().flat_map(|file| file.evidence.iter().cloned()).collect();
    let spans: Vec<_> = shown().flat_map(|file| file.spans.iter().cloned()).collect();
    let goal = request.detected_goal(&installed, &groups, &evidence, &spans, console);
    let cause = || contradicting(&input.findings).filter(|_| installed.is_empty());
    let goal = goal.map_err(|error| unreadable(&input.findings).or_else(cause).unwrap_or(error))?;
    let _progress = console.progress("planning");
    conclude(&Planner::new(&goal), (request, recognizer), limits, input)
}

/// Takes the files that failed as ones that fail the run.
fn fail_with(input: &mut Input<Seen<'_>>, dependent: Dependent) {
    let failed = std::mem::take(&mut input.failed);
    if dependent == Dependent::HoldBack {
        // This run is not the one that fails because of those of other shards, and must not write what depends on them.
        let elsewhere = failed.into_iter().filter(|file| !input.is_listed(Path::new(&file.name)));
        let elsewhere: Vec<LeftOut> = elsewhere.collect();
        input.unread.extend(elsewhere);
    }
}

/// Returns the failure of a file that could not be read: it comes before a missing target.
fn unreadable(findings: &[Finding]) -> Option<Error> {
    let finding = findings.iter().find(|finding| finding.code == Code::IoError)?;
    Some(anyhow!("{}: {}", finding.location, finding.sentence()))
}

/// Returns why CRDs that were found are no target: they contradict each other.
fn contradicting(findings: &[Finding]) -> Option<Error> {
    let finding = findings.iter().find(|finding| finding.code == Code::MixedCrds)?;
    let help = finding.help.as_deref().unwrap_or_default();
    Some(anyhow!("no target: {}: {}; {help}", finding.location, finding.sentence()))
}

/// Adds the findings about the CRDs that were read.
fn with_crds<'p>(request: &Request<'p>, mut input: Input<Seen<'p>>) -> (Input<Seen<'p>>, Vec<Installed<'p>>) {
    let found = input.made.iter_mut().flat_map(|seen| std::mem::take(&mut seen.crds)).collect();
    let installed = request.installed(found);
    let findings = installed.iter().filter_map(Installed::finding);
    let findings: Vec<Finding> = findings.filter(|one| input.is_listed(Path::new(&one.location.file))).collect();
    input.findings.extend(findings);
    (input, installed)
}

/// Plans the linked files, and puts the plans of all files together.
fn conclude<'p>(
    planner: &Planner<'_>,
    (request, recognizer): (&Request<'p>, &Recognizer),
    limits: Limits<'_>,
    mut input: Input<Seen<'_>>,
) -> Result<Planned<'p>> {
    if !limits.keep_going {
        fail_with(&mut input, limits.dependent);
    }
    let (mut local, mut texts, mut linked) = (Vec::new(), Vec::new(), Vec::new());
    for seen in std::mem::take(&mut input.made) {
        let (planned, text) = match seen.kept {
            Kept::Planned(planned, text) => (Some(planned), text),
            Kept::Linked(file, text) => {
                linked.push(input::reparse(&file, &text, recognizer));
                (None, None)
            }
            Kept::Text(file, text) => {
                let manifest = input::reparse(&file, &text, recognizer);
                match plan::plan_local(planner, &manifest) {
                    Some(planned) => {
                        let text = planned.needs_text().then_some(text);
                        (Some(Box::new(planned)), text)
                    }
                    None => {
                        linked.push(manifest);
                        (None, None)
                    }
                }
            }
        };
        local.push(planned);
        texts.push(text);
    }
    let mut linked = linked.iter();
    let file = |planned: Option<Box<PlannedFile>>| match planned {
        Some(planned) => RunFile::Local(planned),
        None => RunFile::Linked(linked.next().expect("a file without a local plan is linked")),
    };
    let files: Vec<RunFile<'_>> = local.into_iter().map(file).collect();
    let left_out: Vec<LeftOut> = input.failed.iter().chain(&input.unread).cloned().collect();
    let is_listed = |file: &str| input.is_listed(Path::new(file));
    let others = if input.shard.is_some() { Others::Reported } else { Others::Unreported };
    let listed = input.is_limited().then_some(Listed { has: &is_listed, dependent: limits.dependent, others });
    let scope = Scope { left_out: &left_out, found: &input.findings, declined: limits.declined, listed };
    let plan = plan::plan_files(planner, files, &scope, |at, planned| match planned.text().or(texts[at].as_deref()) {
        Some(text) => Ok(input::reparse(planned.file(), text, recognizer)),
        // The texts of most files are not kept, since this is rare.
        None => input::reread(planned.file(), recognizer),
    })?;
    // What is left out in other shards, the runs on them report.
    let left_out = input.failed.iter().filter(|file| is_listed(&file.name)).cloned().collect();
    let goal = planner.goal();
    let recognized = plan.objects.iter().filter(|object| object.is_recognized).count();
    let recognized_elsewhere = input.shard.is_some() && plan.recognized_elsewhere;
    let counts = Counts { recognized, recognized_elsewhere, ..input.counts };
    let targets = goal.targets.iter().map(Target::to_string).collect();
    let (roots, shard, listed, skips) = (input.roots, input.shard, input.listed, input.skips);
    let sought = match &goal.targets[..] {
        [] => packs::names(request.concerned_packs()),
        targets => packs::names(targets.iter().map(|target| target.pack)),
    };
    let packs = request.packs();
    Ok(Planned { packs, sought, targets, plan, roots, counts, skips, left_out, listed, shard })
}

/// What is kept of a file until all files are read.
pub(super) struct Seen<'p> {
    crds: Vec<(&'p Pack, Crd)>,
    /// CRDs of kinds that no pack knows, where those of the tree are used.
    unknown: Vec<crd_sets::CrdPart>,
    /// What helps to find the target, where that is not known yet.
    evidence: Option<Box<FileEvidence<'p>>>,
    kept: Kept,
}

/// What a file shows about the target.
struct FileEvidence<'p> {
    /// The API groups of its objects.
    groups: BTreeSet<String>,
    /// The releases that its charts and images name.
    evidence: Vec<(&'p Pack, Evidence)>,
    /// The releases that its objects can be for.
    spans: Vec<ObjectReleases<'p>>,
}

/// What is needed to plan a file with all others.
enum Kept {
    /// Its own plan. Its text is needed only where that plan no longer holds; the plan has it where the file changes.
    Planned(Box<PlannedFile>, Option<Arc<str>>),
    /// Its name and text: its plan depends on objects of other files.
    Linked(String, Arc<str>),
    /// Its name and text: the target is not known yet.
    Text(String, Arc<str>),
}

impl<'p> Seen<'p> {
    fn new(manifest: Manifest, request: &Request<'p>, planner: Option<&Planner<'_>>) -> Self {
        let packs = request.packs();
        let crds = crds_in(&manifest, packs);
        let uses_tree = planner.is_none() && request.uses_tree();
        let unknown = if uses_tree { crd_sets::unknown_in(&manifest, packs) } else { Vec::new() };
        let Some(planner) = planner else {
            let evidence = evidence_in(&manifest, packs);
            let spans = object_releases_in(&manifest, packs, |pack| request.compares_objects_of(pack));
            let groups = manifest.objects.into_iter().map(|object| object.kind.group).collect();
            let evidence = Some(Box::new(FileEvidence { groups, evidence, spans }));
            return Self { crds, unknown, evidence, kept: Kept::Text(manifest.file, manifest.text) };
        };
        let kept = match plan::plan_local(planner, &manifest) {
            Some(planned) => {
                let text = planned.needs_text().then_some(manifest.text);
                Kept::Planned(Box::new(planned), text)
            }
            None => Kept::Linked(manifest.file, manifest.text),
        };
        Self { crds, unknown, evidence: None, kept }
    }

    fn file(&self) -> &str {
        match &self.kept {
            Kept::Planned(planned, _) => planned.file(),
            Kept::Linked(file, _) | Kept::Text(file, _) => file,
        }
    }
}

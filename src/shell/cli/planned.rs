//! The plan of a call: which files it reads, and what is planned for them.
//!
//! A survey is taken of each file while it is read (`surveyed`); all files are planned once the run is known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow, ensure};

use super::args::{ConvertArgs, Format, OutputArgs};
use super::charts;
use super::config::Config;
use super::console::Console;
use super::crd_sets;
use super::exit::{Exit, Pending};
use super::input::{self, Empty, Groups, Input, Look, ReadList};
use super::journal::interrupted_run;
use super::named_files;
use super::origin::{self, Told};
use super::output;
use super::packs;
use super::surveyed::{FileReader, KeptFile, KeptFiles, Surveyed};
use super::target::Request;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::infer::crds::Installed;
use crate::engine::manifest::{Manifest, Recognizer};
use crate::engine::plan::{
    self, Dependent, FileSurvey, Goal, LeftOut, Listed, Manifests as _, NamedOutside, Others, Plan, Planner, Record,
    Scope, Templates,
};
use crate::knowledge::pack::{Packs, Target};
use crate::shell::disk::{self, FileList, Shard, Skip};
use crate::shell::report::{Counts, Report, Written};
use crate::syntax::yaml::FrontEnd;

/// What is left unchanged although a target is about it.
#[derive(Clone, Copy)]
pub(super) struct Limits<'l> {
    /// Whether the run goes on without the files that fail.
    keep_going: bool,
    /// What happens to changes that need files that are not listed.
    dependent: Dependent,
    /// Where the objects start that the user declined to change.
    declined: &'l [Location],
    /// How many threads plan; 0 for as many as there are processors.
    threads: usize,
}

impl From<Dependent> for Limits<'_> {
    fn from(dependent: Dependent) -> Self {
        Self { keep_going: false, dependent, declined: &[], threads: 0 }
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
    /// Where the objects come from, and which targets were added, for people.
    origins: Vec<Told>,
}

impl Planned<'_> {
    /// Makes the report of a command that ends with `exit`.
    pub(super) fn report(&self, command: &'static str, written: Written, exit: Exit) -> Report<'_> {
        let report = Report {
            targets: self.targets.clone(),
            left_out: self.left_out.iter().map(|file| file.name.as_str()).collect(),
            written,
            shard: self.shard.map(|shard| shard.to_string()),
            exit: exit as u8,
            nothing_recognized: self.nothing_recognized(exit),
            ..Report::new(command, self.packs, &self.plan, self.counts.clone())
        };
        let origins = origin::that_matter(&self.origins, &report, &self.sought);
        Report { origins, ..report }
    }

    /// Says why nothing was recognized, where the run ends with that exit code.
    pub(super) fn nothing_recognized(&self, exit: Exit) -> Option<String> {
        output::nothing_recognized(exit, &self.counts, &self.roots, &self.skips, &self.sought)
    }

    /// Says where the objects come from that change or are held back, or that their target was added; with `verbose`, of all objects.
    pub(super) fn say_origins(&self, verbose: bool, console: Console) -> Result<()> {
        let lines = match verbose {
            true => self.origins.iter().map(|told| told.line.clone()).collect(),
            false => self.report("check", Written::No, Exit::Clean).origins,
        };
        lines.iter().try_for_each(|line| console.note(&format!("{line}\n")))
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

    /// Returns the exit code: an object that is held back is still to be changed, also where no finding says so.
    pub(super) fn exit(&self, pending: Pending) -> Exit {
        let is_held = self.report("check", Written::No, Exit::Clean).held_back().next().is_some();
        let pending = if is_held { Pending::Changes } else { pending };
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
    front_end: FrontEnd,
    dependent: Dependent,
    console: Console,
) -> Result<Planned<'p>> {
    planned_with(args, packs, record(args), front_end, dependent, console)
}

/// Reads the files and plans once more, as `apply` does, without the objects that start at the places `declined`.
pub(super) fn planned_without<'p>(
    args: &ConvertArgs,
    packs: &'p Packs,
    declined: &[Location],
    console: Console,
) -> Result<Planned<'p>> {
    let limits = Limits { declined, ..Dependent::HoldBack.into() };
    planned_within(args, packs, record(args), FrontEnd::Exact, limits, console)
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
    record: Record,
    front_end: FrontEnd,
    dependent: Dependent,
    console: Console,
) -> Result<Planned<'p>> {
    planned_within(args, packs, record, front_end, dependent.into(), console)
}

fn planned_within<'p>(
    args: &ConvertArgs,
    packs: &'p Packs,
    record: Record,
    front_end: FrontEnd,
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
    let limits = Limits { keep_going: args.keep_going, threads: usize::from(args.files.threads), ..limits };
    // Without the CRDs of an API nothing is known of it: who passes some should see what is not in them.
    let groups = if args.target.crds.is_empty() { Groups::Ignore } else { Groups::Count };
    let look = Look { excluded: config.excluded.as_ref(), groups };
    let listed = ReadList::new();
    plan_files(&request, &config, limits, console, |recognizer, make| {
        let piped = piped.as_deref();
        let mut input = input::read(&args.files, piped, &listed, recognizer, look, console, make)?;
        if piped.is_none() {
            named_files::add(&mut input, recognizer, make);
        }
        input.findings.extend(interrupted_run(&input.roots));
        if let Some(output) = &args.output.output_file {
            let manifest = input.made.iter().find(|file| disk::is_same_file(output, Path::new(file.name())));
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
    limits: Limits<'_>,
    console: Console,
    read: impl Fn(&Recognizer, &(dyn Fn(Manifest) -> Box<Surveyed<'p>> + Sync)) -> Result<Input<Box<Surveyed<'p>>>>,
) -> Result<Planned<'p>> {
    let concerned = request.concerned_packs();
    if !request.uses_tree() {
        let recognizer = input::recognizer(request.packs(), &concerned, request.targets(), config);
        let survey = FileReader::new(request, request.passed_goal().is_none());
        let input = read(&recognizer, &|manifest| survey.take(manifest))?;
        return plan_read(request, &recognizer, limits, console, input);
    }
    let recognizer = input::recognizer_of_crds(request.packs(), request.targets(), config);
    let survey = FileReader::new(request, true);
    let mut input = read(&recognizer, &|manifest| survey.take(manifest))?;
    let unknown: Vec<crd_sets::CrdPart> =
        input.made.iter_mut().flat_map(|file| std::mem::take(&mut file.unknown_crds)).collect();
    let (extended, findings) = match unknown.is_empty() {
        true => (None, Vec::new()),
        false => request.with_tree(unknown, console)?,
    };
    let findings: Vec<Finding> =
        findings.into_iter().filter(|one| input.is_listed(Path::new(&one.location.file))).collect();
    let Some(request) = extended else {
        input.findings.extend(findings);
        return plan_read(request, &recognizer, limits, console, input);
    };
    drop(input);
    let recognizer = input::recognizer(request.packs(), &request.concerned_packs(), request.targets(), config);
    let survey = FileReader::new(&request, true);
    let mut input = read(&recognizer, &|manifest| survey.take(manifest))?;
    input.findings.extend(findings);
    plan_read(&request, &recognizer, limits, console, input)
}

/// Plans files that were read.
fn plan_read<'p>(
    request: &Request<'p>,
    recognizer: &Recognizer,
    limits: Limits<'_>,
    console: Console,
    input: Input<Box<Surveyed<'p>>>,
) -> Result<Planned<'p>> {
    let (mut input, installed) = with_crds(request, input);
    if let Some(goal) = request.passed_goal() {
        let _progress = console.progress("planning");
        let planned = conclude(&Planner::new(&goal), request, recognizer, limits, input)?;
        return Ok(Planned { origins: request.told(), ..planned });
    }
    if input.counts.listed == Some(0) && request.targets().is_empty() {
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
            origins: Vec::new(),
        });
    }
    let (goal, told) = detected(request, &installed, &mut input, console)?;
    let progress = console.progress("planning");
    let planned = conclude(&Planner::new(&goal), request, recognizer, limits, input)?;
    drop(progress);
    Ok(Planned { origins: told, ..planned })
}

/// Returns the goal that files which were read show, and what is said about it.
fn detected<'p>(
    request: &Request<'p>,
    installed: &[Installed<'p>],
    input: &mut Input<Box<Surveyed<'p>>>,
    console: Console,
) -> Result<(Goal<'p>, Vec<Told>)> {
    let (mut groups, mut evidence, mut spans) = (BTreeSet::new(), Vec::new(), Vec::new());
    for shown in input.made.iter_mut().filter_map(|file| file.evidence.take()) {
        groups.extend(shown.groups);
        evidence.extend(shown.evidence);
        spans.extend(shown.spans);
    }
    let goal = request.detected_goal(installed, &groups, &evidence, &spans, console);
    let cause = || contradicting(&input.findings).filter(|_| installed.is_empty());
    goal.map_err(|error| unreadable(&input.findings).or_else(cause).unwrap_or(error))
}

/// Takes the files that failed as ones that fail the run.
fn fail_with(input: &mut Input<Box<Surveyed<'_>>>, dependent: Dependent) {
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
fn with_crds<'p>(
    request: &Request<'p>,
    mut input: Input<Box<Surveyed<'p>>>,
) -> (Input<Box<Surveyed<'p>>>, Vec<Installed<'p>>) {
    let found = input.made.iter_mut().flat_map(|file| std::mem::take(&mut file.crds)).collect();
    let installed = request.installed(found);
    let findings = installed.iter().filter_map(Installed::finding);
    let findings: Vec<Finding> = findings.filter(|one| input.is_listed(Path::new(&one.location.file))).collect();
    input.findings.extend(findings);
    (input, installed)
}

/// Finds where the listed files name what is not of the run.
fn named_outside(input: &Input<Box<Surveyed<'_>>>, kept: &KeptFiles<'_>) -> Result<Vec<NamedOutside>> {
    let mut found = Vec::new();
    let named_by = input.outside.named_by.iter().filter(|(file, _)| input.is_listed(Path::new(file)));
    for (file, leads) in named_by {
        let number = kept.surveys.iter().position(|survey| survey.file == *file);
        let manifest = kept.read(number.expect("what names a file was read"))?;
        let named = |(path, to): (&String, &String)| NamedOutside {
            location: manifest.place_of_path(path),
            files: input.outside.reach(to),
        };
        found.extend(leads.iter().map(named));
    }
    Ok(found)
}

/// Plans the files once the goal is known.
fn conclude<'p>(
    planner: &Planner<'_>,
    request: &Request<'p>,
    recognizer: &Recognizer,
    limits: Limits<'_>,
    mut input: Input<Box<Surveyed<'_>>>,
) -> Result<Planned<'p>> {
    if !limits.keep_going {
        fail_with(&mut input, limits.dependent);
    }
    let (files, mut found) = (std::mem::take(&mut input.made).into_iter(), std::mem::take(&mut input.findings));
    let (mut surveys, kept): (Vec<FileSurvey>, Vec<KeptFile>) = files.map(|file| (file.survey, file.kept)).unzip();
    surveys.iter_mut().for_each(|survey| survey.chart = charts::folder_of(&survey.file, &input, planner.goal()));
    let left_out: Vec<LeftOut> = input.failed.iter().chain(&input.unread).cloned().collect();
    let is_listed = |file: &str| input.is_listed(Path::new(file));
    let listed = input.others().map(|others| {
        // No list is complete without what is not of the run.
        let dependent = if others == Others::Outside { Dependent::HoldBack } else { limits.dependent };
        Listed { has: &is_listed, dependent, others }
    });
    let kept = KeptFiles { surveys: &surveys, files: &kept, roots: &input.roots, recognizer };
    let outside = named_outside(&input, &kept)?;
    let charts = charts::charts(&input, recognizer);
    found.extend(charts::old_texts(&input, &charts, planner.goal()));
    charts::without_skipped(&mut found, &charts.templates);
    charts::report_vendored(&input, &charts.brought, recognizer, planner.goal(), &mut found);
    let templates = charts.into_templates();
    found.extend(charts::excluded(&input, planner.goal()));
    found.extend(charts::unit_tests(&input, planner.goal()));
    let scope = Scope {
        left_out: &left_out,
        outside: &outside,
        found: &found,
        declined: limits.declined,
        listed,
        templates: Some(Templates { files: &templates, recognizer }),
        threads: limits.threads,
    };
    let plan = plan::plan_files(planner, &surveys, &kept, &scope)?;
    // What is left out in other shards, the runs on them report.
    let left_out = input.failed.iter().filter(|file| is_listed(&file.name)).cloned().collect();
    let goal = planner.goal();
    let recognized = plan.objects.iter().filter(|object| object.is_recognized).count();
    // A branch of a template that is for other clusters has objects too, and what a comment accepts is about something.
    let has_other_branches = plan.findings.iter().any(|finding| finding.code == Code::TemplateBranch);
    let in_other_shards = input.shard.is_some() && plan.recognized_elsewhere;
    let is_about_others = in_other_shards || has_other_branches || !plan.acknowledged.is_empty();
    let counts = charts::count(&input, &templates, &plan.objects);
    let mut unknown_groups = std::mem::take(&mut input.groups);
    unknown_groups.retain(|group, _| !request.knows(group));
    let counts = Counts { recognized, is_about_others, unknown_groups, ..counts };
    let targets = goal.targets.iter().map(Target::to_string).collect();
    let (roots, shard, listed, skips) = (input.roots, input.shard, input.listed, input.skips);
    let sought = match &goal.targets[..] {
        [] => packs::names(request.concerned_packs()),
        targets => packs::names(targets.iter().map(|target| target.pack)),
    };
    let packs = request.packs();
    Ok(Planned { packs, sought, targets, plan, roots, counts, skips, left_out, listed, shard, origins: Vec::new() })
}

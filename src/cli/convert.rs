//! The subcommands `check`, `diff` and `convert`: what would change, as a report, as a diff, as a stream.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, anyhow, bail, ensure};

use super::args::{ConvertArgs, FileArgs, Format, OutputArgs, StreamArgs, TargetArgs};
use super::console::Console;
use super::pass::{self, Pass};
use super::{Exit, Pending, packs};
use crate::disk;
use crate::finding::{Code, Finding, Severity};
use crate::lens::LossClass;
use crate::manifest::Manifest;
use crate::pack::{Packs, Target};
use crate::plan::{self, AllowedLoss, Choices, Goal, Plan, VersionChoice, loss_code};
use crate::report::{Counts, Report, Written, diff as render, finding_lines, github, json, text};

/// A run's plan with what was met.
pub(super) struct Planned {
    pub(super) plan: Plan,
    targets: Vec<String>,
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

    pub(super) fn exit(&self, pending: Pending) -> Exit {
        Exit::decide(&self.counts, &self.plan.findings, pending)
    }
}

/// Runs `check`.
pub(super) fn check(args: &ConvertArgs, console: Console) -> Result<Exit> {
    preview("check", args, console, |report| match args.output.quiet {
        true => String::new(),
        false => text::changes(report),
    })
}

/// Runs `diff`.
pub(super) fn diff(args: &ConvertArgs, console: Console) -> Result<Exit> {
    preview("diff", args, console, |report| diffs(report, args, console))
}

fn preview(
    command: &'static str,
    args: &ConvertArgs,
    console: Console,
    as_text: impl FnOnce(&Report<'_>) -> String,
) -> Result<Exit> {
    let planned = planned(args, console)?;
    let report = planned.report(command, Written::No);
    if args.output.format == Format::Text {
        console.report(&as_text(&report), &args.output)?;
    }
    finish(&report, &args.output, console)?;
    Ok(planned.exit(Pending::of(report.files)).with(&args.output))
}

/// Renders the diff of every file.
pub(super) fn diffs(report: &Report<'_>, args: &ConvertArgs, console: Console) -> String {
    let paint = console.paint(&args.output);
    report.files.iter().map(|file| render::unified(file, paint)).collect()
}

/// Runs `convert -`: what is held back or not recognised goes through as it came.
pub(super) fn stream(args: &StreamArgs, console: Console) -> Result<Exit> {
    let packs = packs(&args.packs)?;
    let goal = goal(&args.target, &packs)?;
    let bytes = pass::read_stdin()?;
    let planned = plan_pass(pass::of_bytes(&bytes, &packs), &goal);
    let exit = planned.exit(Pending::Nothing);
    if exit != Exit::Failed {
        console.print(planned.plan.files.first().map_or(bytes.as_slice(), |file| file.after.as_bytes()))?;
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

/// Reads the files and plans.
pub(super) fn planned(args: &ConvertArgs, console: Console) -> Result<Planned> {
    let packs = packs(&args.packs)?;
    if args.target.to.iter().all(String::is_empty) {
        return Err(no_target(&args.files, &packs, console));
    }
    let goal = goal(&args.target, &packs)?;
    let pass = pass::pass(&args.files, &packs, console)?;
    if let Some(output) = &args.output.output_file {
        let is_input = |manifest: &Manifest| disk::is_same_file(output, Path::new(&manifest.file));
        let input = pass.manifests.iter().find(|manifest| is_input(manifest));
        ensure!(input.is_none(), "--output-file {} is one of the manifests; name another file", output.display());
    }
    Ok(plan_pass(pass, &goal))
}

fn plan_pass(pass: Pass, goal: &Goal<'_>) -> Planned {
    let mut plan = plan::plan(&pass.manifests, goal);
    plan.findings.extend(pass.findings);
    plan.findings.sort();
    let known = |object: &&plan::ObjectPlan| goal.target_of(&object.from.0.group).is_some();
    let counts = Counts { recognised: plan.objects.iter().filter(known).count(), ..pass.counts };
    Planned { targets: goal.targets.iter().map(Target::to_string).collect(), plan, counts }
}

/// Makes the usage error for a call without a target: it names the packs whose objects are there.
fn no_target(files: &FileArgs, packs: &Packs, console: Console) -> anyhow::Error {
    let met = match pass::pass(files, packs, console) {
        Ok(pass) => pass,
        Err(failure) => return failure,
    };
    let groups = met.manifests.iter().flat_map(|manifest| &manifest.objects).map(|object| object.kind.group.as_str());
    let names: BTreeSet<_> = groups.filter_map(|group| packs.of_group(group)).map(|pack| pack.name()).collect();
    let Some(first) = names.first() else {
        return anyhow!(
            "no target: say --to PACK@BUNDLE/CHANNEL (no object of a known pack is here; `reversion releases` lists the packs)"
        );
    };
    let all = names.iter().copied().collect::<Vec<_>>().join(", ");
    anyhow!(
        "no target: the files hold objects of {all}; say where to, such as --to {first}@latest (`reversion releases {first}` lists the releases)"
    )
}

/// Reads where to go and how.
fn goal<'p>(args: &TargetArgs, packs: &'p Packs) -> Result<Goal<'p>> {
    let mut targets: Vec<Target<'p>> = Vec::new();
    for text in args.to.iter().filter(|text| !text.is_empty()) {
        let target = packs.target(text)?;
        if let Some(other) = targets.iter().find(|other| other.pack.name() == target.pack.name()) {
            bail!("two targets for one pack: {other} and {target}");
        }
        targets.push(target);
    }
    ensure!(!targets.is_empty(), "no target: say --to PACK@BUNDLE/CHANNEL (`reversion releases` lists the packs)");
    let version = if args.keep_api_version { VersionChoice::Keep } else { VersionChoice::MostStable };
    Ok(Goal { packs, targets, choices: Choices { allowed: allowed(&args.allow_loss)?, version } })
}

fn allowed(names: &[String]) -> Result<AllowedLoss> {
    let mut codes = BTreeSet::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        if name == "all" {
            return Ok(AllowedLoss::All);
        }
        let losses = LossClass::ALL.map(loss_code);
        let Some(code) = losses.iter().find(|code| code.name() == name) else {
            bail!("--allow-loss: `{name}` is no loss; there are: {}", losses.map(Code::name).join(", "));
        };
        codes.insert(*code);
    }
    Ok(if codes.is_empty() { AllowedLoss::None } else { AllowedLoss::Codes(codes) })
}

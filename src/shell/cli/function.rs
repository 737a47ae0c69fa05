//! The subcommand `fn`: a KRM function, which kustomize and kpt call.
//!
//! It reads a ResourceList on standard input and writes it, with converted items and with results, to standard output. What it is asked
//! to do is in the `functionConfig` of the list; no file, flag or variable adds to that.
//!
//! Invariant: a ResourceList that was read is always written again, its items unchanged where the function fails.

use anyhow::{Context, Result, ensure};

use super::args::PackArgs;
use super::config::Config;
use super::console::Console;
use super::exit::{Exit, Pending};
use super::input::{self, Empty};
use super::origin::{Told, that_matter};
use super::output::{Level, findings};
use super::resource_list::{ResourceList, origin};
use super::target::Request;
use super::{function_config, packs};
use crate::engine::finding::{Finding, Location, Severity};
use crate::engine::infer::crds::crds_in;
use crate::engine::infer::install_evidence::Installations;
use crate::engine::infer::origin::object_releases_in;
use crate::engine::manifest::{self, Manifest, Reading};
use crate::engine::plan::{self, Choices, Documents, Goal, Outcome, Record};
use crate::knowledge::pack::{Pack, Target};
use crate::shell::report::grouped::Shown;
use crate::shell::report::krm::{self, Item};
use crate::shell::report::{Counts, Painter, Report, Written, text_format};
use crate::syntax::yaml::FrontEnd;

/// Runs `fn`. An object that is held back fails it, since a build goes on with what a function returns.
pub(super) fn run(console: Console) -> Result<Exit> {
    let bytes = input::read_stdin(Empty::Accept)?;
    ensure!(
        !bytes.trim_ascii().is_empty(),
        "standard input is empty\n  help: `fn` reads a ResourceList on standard input, as kustomize and kpt write it"
    );
    let list = ResourceList::read(bytes)?;
    let done = convert(&list, console);
    let failed = |error: &anyhow::Error| list.with(&[], &[krm::failure(&format!("{error:#}"))]);
    let text = match &done {
        Ok((text, _)) => text.clone(),
        Err(error) => failed(error)?,
    };
    console.stream(text.as_bytes())?;
    done.map(|(_, exit)| exit)
}

/// Converts the items.
fn convert(list: &ResourceList, console: Console) -> Result<(String, Exit)> {
    let config = list.config().context("the ResourceList has no functionConfig, which names the target")?;
    let config = function_config::read(config).context("functionConfig")?;
    let packs = packs::load(&PackArgs::default())?;
    let no_file = Config::default();
    let request =
        Request::read(&config.target, &no_file, &PackArgs::default(), packs, console).context("functionConfig")?;
    let request = request.planning(Record::Data, FrontEnd::Exact);
    let recognizer = input::recognizer(request.packs(), &request.concerned_packs(), request.targets(), &no_file);
    let mut counts = Counts { files: list.files().len(), objects: list.items().len(), ..Counts::default() };
    let (mut manifests, mut unread): (Vec<Manifest>, Vec<Finding>) = Default::default();
    for (name, file) in list.files() {
        match manifest::read(name, file.text.as_bytes(), &recognizer) {
            Reading::Irrelevant => {}
            Reading::Manifest(manifest) => {
                counts.parsed += 1;
                manifests.push(*manifest);
            }
            Reading::Kustomization(manifest) | Reading::Triggered(manifest) => manifests.push(*manifest),
            Reading::Template(finding) | Reading::Failed(finding) => {
                counts.failed += 1;
                unread.push(Finding { severity: Severity::Error, ..finding });
            }
        }
    }
    let (goal, origins) = goal(&request, &manifests, console).context("functionConfig")?;
    let goal = Goal { choices: Choices { documents: Documents::Items, ..goal.choices }, ..goal };
    let mut plan = plan::plan(&manifests, &goal);
    plan.findings.extend(unread.into_iter().chain(list.findings()));
    plan.findings.sort();
    counts.recognized = plan.objects.iter().filter(|object| object.is_recognized).count();
    let exit = match Exit::decide(&counts, &plan.findings, &[], Pending::Nothing) {
        // A function is called for every package or build, whatever is in it.
        Exit::NothingRecognized => Exit::Clean,
        Exit::Changes if config.output.exit_zero => Exit::Clean,
        exit => exit,
    };
    if exit == Exit::Failed {
        // All items or none.
        plan.files.clear();
        plan.objects.retain(|object| object.outcome != Outcome::Changed);
    }
    let report = Report {
        targets: goal.targets.iter().map(Target::to_string).collect(),
        written: Written::Yes,
        exit: exit as u8,
        ..Report::new("fn", packs, &plan, counts)
    };
    let sought = packs::names(goal.targets.iter().map(|target| target.pack));
    let said = that_matter(&origins, &report, &sought);
    said.iter().try_for_each(|line| console.note(&format!("{line}\n")))?;
    Ok((conclude(list, report, &goal.targets, console)?, exit))
}

/// Finds the targets and where the objects come from, as a run over files does.
fn goal<'p>(request: &Request<'p>, manifests: &[Manifest], console: Console) -> Result<(Goal<'p>, Vec<Told>)> {
    if let Some(goal) = request.passed_goal() {
        return Ok((goal, request.told()));
    }
    let packs = request.packs();
    let installed = request.installed(manifests.iter().flat_map(|manifest| crds_in(manifest, packs)).collect());
    let objects = manifests.iter().flat_map(|manifest| &manifest.objects);
    let groups = objects.map(|object| object.kind.group.clone()).collect();
    let installations = Installations::new(packs, |pack| request.can_be_about(pack));
    let evidence: Vec<_> = manifests.iter().flat_map(|manifest| installations.evidence_in(manifest)).collect();
    let compares = |pack: &Pack| request.compares_objects_of(pack);
    let spans: Vec<_> = manifests.iter().flat_map(|manifest| object_releases_in(manifest, packs, compares)).collect();
    request.detected_goal(&installed, &groups, &evidence, &spans, console)
}

/// Prints the findings, and returns the list with the changes and results.
fn conclude(list: &ResourceList, report: Report<'_>, targets: &[Target<'_>], console: Console) -> Result<String> {
    let item_at = |location: &Location| {
        let number = list.item_at(location)?;
        let value = &list.items()[number];
        let (path, index) = origin(value);
        Some(Item { number, value, path, index })
    };
    let held = if report.exit == Exit::Clean as u8 { Severity::Warning } else { Severity::Error };
    let mut results = krm::results(&report, item_at, held);
    if report.counts.recognized == 0 {
        let names: Vec<&str> = targets.iter().map(|target| target.pack.name()).collect();
        results.push(krm::nothing_recognized(&names));
    }
    let shown: Vec<Finding> = report.findings.iter().map(|finding| list.with_known_places(finding)).collect();
    let report = Report { findings: &shown, ..report };
    // An orchestrator runs it: nobody can pass `--verbose` afterwards.
    let lines = findings(&report, Level::USUAL, &Painter::PLAIN, Shown::All);
    console.note(&format!("{lines}{}\n", text_format::summary(&report, &Painter::PLAIN)))?;
    list.with(report.files, &results)
}

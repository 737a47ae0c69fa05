//! Answers: what do the objects of a text become?
//!
//! Invariant: it is what `reversion convert -` prints for the same text, and what its report says.

use std::collections::BTreeMap;

use reversion::internals::pack::Target;
use reversion::internals::plan::{self, Choices, Goal, Keeping, Record, RunAdvisory};
use reversion::internals::release::ReleaseSet;
use reversion::internals::report::Report;
use reversion::internals::report::document::{FindingRecord, ObjectRecord, RanIn, ReportDocument};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::call::{Failure, Reason};
use crate::packs::{packs, target};
use crate::text::{State, detection, planned, read_all, state, targets};

/// A text, and what is to be done with it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ConvertRequest {
    /// YAML or JSON, with any number of documents.
    pub text: String,
    /// The target, as `--to` takes it.
    pub to: String,
    /// The release that the objects come from, as `--from` takes it.
    #[serde(default)]
    pub from: Option<String>,
    /// Whether lost values are kept in an annotation, as with `--stash`.
    #[serde(default)]
    pub stash: bool,
    /// The codes of losses that are allowed, or `all`, as `--allow-loss` takes them.
    #[serde(default)]
    pub allow_loss: Vec<String>,
}

/// What became of a text.
#[derive(Debug, Serialize)]
pub struct Converted {
    /// In a word.
    pub state: State,
    /// The text; what is held back is in it as it was.
    pub text: String,
    /// The targets.
    pub targets: Vec<String>,
    /// What there is to say about the targets.
    pub notes: Vec<String>,
    /// How many objects change, are held back, and so on, and how many findings are unresolved: `summary` of a report.
    pub summary: Value,
    /// The objects of the targets' packs, with their findings: `objects` of a report.
    pub objects: Vec<ObjectRecord>,
    /// The findings about none of these: `findings` of a report.
    pub findings: Vec<FindingRecord>,
    /// What is to be known about the cluster and the releases: `advisories` of a report.
    pub advisories: Vec<RunAdvisory>,
}

/// Converts the objects of a text.
///
/// # Errors
/// The target, the origin or the code of a loss is unknown.
pub fn convert(request: &ConvertRequest) -> Result<Converted, Failure> {
    let (targets, notes) = targets(&request.to)?;
    let goal = Goal { packs: packs(), targets, choices: choices(request)? };
    let seen = read_all(&request.text);
    let (plan, counts) = planned(&request.text, &goal, &detection(seen.manifest.as_ref()));
    let mut report = Report::new("convert", goal.packs, &plan, counts);
    report.targets = goal.targets.iter().map(Target::to_string).collect();
    let state = if request.text.trim().is_empty() { State::Empty } else { state(&report) };
    let document = ReportDocument::new(&report, RanIn::default());
    Ok(Converted {
        state,
        text: plan.files.first().map_or_else(|| request.text.clone(), |file| file.after()),
        targets: document.targets,
        notes,
        summary: json!(document.summary),
        objects: document.objects,
        findings: document.findings,
        advisories: document.advisories,
    })
}

fn choices(request: &ConvertRequest) -> Result<Choices, Failure> {
    let allowed = plan::allowed_losses(&request.allow_loss);
    let allowed = allowed.map_err(|error| Failure::new(Reason::BadRequest, format!("allowLoss: {error}")))?;
    let mut origins = BTreeMap::new();
    if let Some(from) = &request.from {
        let origin = target(from)?;
        origins.insert(origin.pack.name().to_owned(), ReleaseSet::from_iter([origin.release]));
    }
    Ok(Choices {
        keeping: if request.stash { Keeping::Stash } else { Keeping::Nothing },
        allowed,
        parameters: packs().default_parameters(),
        origins,
        record: Record::Data,
        ..Choices::default()
    })
}

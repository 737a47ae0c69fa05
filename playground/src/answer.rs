//! What the page is told about a text.

use reversion::internals::finding::Location;
use reversion_wasm::State;
use serde::Serialize;

/// Everything that the page shows of a text.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// What became of the text, in a word.
    pub state: State,
    /// The same in the words of the program: its summary, or why it failed.
    pub summary: String,
    /// What to do, where nothing was recognized or the call failed.
    pub help: Option<String>,
    /// The targets, as `gateway-api@1.4.1/standard`.
    pub targets: Vec<String>,
    /// What the program says about the targets.
    pub notes: Vec<String>,
    /// The objects that a pack knows, in the order of the text.
    pub objects: Vec<Object>,
    /// What there is to report, the worst first.
    pub findings: Vec<Finding>,
    /// What is to be known about the cluster and the releases.
    pub advisories: Vec<Advisory>,
    /// The lines of the unified diff; none where nothing changes.
    pub diff: Vec<DiffLine>,
    /// Why there is no diff although the text changes.
    pub without_diff: Option<String>,
    /// The converted text; what is held back is in it as it was.
    pub converted: String,
    /// The command that does the same with the text on standard input.
    pub command: Option<String>,
}

impl Answer {
    /// Makes the answer to a call that cannot be carried out.
    pub(crate) fn failed(message: String) -> Self {
        Self { state: State::Failed, summary: format!("error: {message}"), ..Self::default() }
    }
}

/// A place in the text, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Its line.
    pub line: usize,
    /// Its column, in characters.
    pub column: usize,
}

impl Place {
    pub(crate) fn of(location: &Location) -> Option<Self> {
        location.position.map(|position| Self { line: position.line, column: position.column })
    }
}

/// An object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Object {
    /// Its kind, namespace and name.
    pub title: String,
    /// Its apiVersion.
    pub api_version: String,
    /// What the project that defines it is called.
    pub project: String,
    /// Where it starts.
    pub place: Option<Place>,
    /// The releases that have its fields.
    pub releases: String,
    /// Those of them that serve its apiVersion, where these are fewer.
    pub serving: Option<String>,
    /// The fields that show it.
    pub evidence: Vec<Evidence>,
    /// What becomes of it; nothing where no target is about it.
    pub change: Option<Change>,
}

/// A field that shows which releases an object can be for.
#[derive(Debug, Serialize)]
pub struct Evidence {
    /// Where it is.
    pub place: Option<Place>,
    /// The field.
    pub field: String,
    /// The releases that have it.
    pub releases: String,
}

/// What becomes of an object.
#[derive(Debug, Serialize)]
pub struct Change {
    /// `changed`, `held-back`, `unchanged` or `acknowledged`.
    pub outcome: &'static str,
    /// The words for that.
    pub words: &'static str,
    /// The apiVersion that it gets, with the kind where that changes too.
    pub to: Option<String>,
    /// The rules that change it, each with its direction.
    pub rules: Vec<String>,
}

/// A finding.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// Its severity, as reports print it.
    pub severity: &'static str,
    /// Its code.
    pub code: &'static str,
    /// What the code means.
    pub description: &'static str,
    /// Where it is.
    pub place: Option<Place>,
    /// The object that it is about.
    pub object: Option<String>,
    /// One sentence.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// What is to be known about the cluster or a release.
#[derive(Debug, Serialize)]
pub struct Advisory {
    /// What it is about.
    pub about: &'static str,
    /// Its severity, as reports print it.
    pub severity: &'static str,
    /// One sentence.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// A line of the diff.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct DiffLine {
    /// What it is.
    pub kind: LineKind,
    /// The line with its sign.
    pub text: String,
}

/// What a line of a diff is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineKind {
    /// It names a file, or says something about the line before it.
    Note,
    /// It says which lines follow.
    Hunk,
    /// It stays.
    Same,
    /// It is removed.
    Removed,
    /// It is added.
    Added,
}

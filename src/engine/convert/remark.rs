//! What is reported about one object, before its file and line are looked up?

use crate::engine::finding::{Code, Finding, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::lens::{Equivalence, Halt, Normalization, Required, Session};
use crate::syntax::field::FieldPath;

/// Something to report about an object, with the place in the object before the conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    /// The code.
    pub code: Code,
    /// The field.
    pub path: FieldPath,
    /// One sentence, lower case, no final dot.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// Whether that depends on a text which is known later.
    pub is_open: bool,
}

impl Remark {
    pub(crate) fn new(code: Code, path: FieldPath, message: impl Into<String>) -> Self {
        Self { code, path, message: message.into(), help: None, is_open: false }
    }

    /// Adds what to do next.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        self.maybe_help(Some(help))
    }

    pub(crate) fn maybe_help(self, help: Option<impl Into<String>>) -> Self {
        Self { help: help.map(Into::into), ..self }
    }

    /// Returns the finding about `object`, at its place in the file. What could quote a value of a Secret is left out.
    pub(crate) fn finding(&self, manifest: &Manifest, object: &Object, severity: Severity) -> Finding {
        let (message, help) = match object.kind.kind.as_str() {
            "Secret" if !names_object(&self.path) && self.code != Code::ConvertsTogether => {
                ("details are not shown, since they could reveal what the Secret holds", None)
            }
            _ => (self.message.as_str(), self.help.clone()),
        };
        let finding = Finding::new(manifest.locate(object, &self.path), self.code, severity, message)
            .about(manifest.finding_object(object))
            .maybe_help(help);
        if self.path.steps().is_empty() { finding } else { finding.at(&self.path) }
    }

    /// Returns the finding about a document of a file that is no object.
    pub(crate) fn finding_in_document(self, manifest: &Manifest, document: usize, severity: Severity) -> Finding {
        let location = manifest.place_in(document, &self.path);
        Finding::new(location, self.code, severity, self.message).at(self.path).maybe_help(self.help)
    }
}

/// Returns whether a path is one of the fields of a Secret that show what it is called and what it is for, and no value.
fn names_object(path: &FieldPath) -> bool {
    let (top, metadata) = (FieldPath::default(), FieldPath::default().key("metadata"));
    [metadata.key("name"), metadata.key("namespace"), top.key("type")].contains(path)
}

/// Reports a change that the data does not allow: the field comes from a merge key, or its parent is no mapping.
pub(crate) fn impossible(halt: Halt) -> Vec<Remark> {
    let (path, message) = match halt {
        Halt::Conflict { old, new } => (old, format!("{new} already exists")),
        Halt::Refused { at, reason, .. } | Halt::Undecided { at, reason, .. } => (at, reason),
    };
    vec![Remark::new(Code::NotConvertible, path, message).help("change the object by hand")]
}

/// Reports what is written in another form or removed, with the same meaning.
pub(super) fn normalizations(session: &Session<'_>) -> Vec<Remark> {
    let remark = |one: &Normalization| {
        let (code, message) = match &one.how {
            Equivalence::Rewritten => {
                (Code::Normalized, format!("{} is written in an equivalent form: {}", one.path, one.reason))
            }
            Equivalence::Removed => {
                (Code::Normalized, format!("{} is removed, which means the same: {}", one.path, one.reason))
            }
            Equivalence::Frozen(_) | Equivalence::Adopted => (Code::ChangedDefault, one.reason.clone()),
        };
        Remark::new(code, one.path.clone(), message)
    };
    session.normalized().iter().map(remark).collect()
}

/// Reports what is probably wrong in an object and is left unchanged.
pub(super) fn doubts(session: &Session<'_>) -> Vec<Remark> {
    let help = "correct the name; if other files are applied that have the object, nothing needs to be done";
    let remark = |doubt: &Normalization| {
        Remark::new(Code::DanglingReference, doubt.path.clone(), doubt.reason.clone()).help(help)
    };
    session.doubts().iter().map(remark).collect()
}

/// Reports what the users of a chart must set, and on which refusals depend.
pub(super) fn required(session: &Session<'_>) -> Vec<Remark> {
    let remark = |Required { path, text, reason, advice }: &Required| {
        let message =
            format!("`{text}` has no known default in the chart; for some of what its users can set, {reason}");
        let help = format!("set it in values.yaml, or: {advice}");
        Remark::new(Code::TemplateAction, path.clone(), message).help(help)
    };
    session.required().iter().map(remark).collect()
}

/// Whether what an action prints is to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removal {
    Yes,
    No,
}

/// Says what to do about what an action prints of the value of a key in the values of a chart.
pub(super) fn help_with_values(key: Option<String>, removal: Removal) -> String {
    match (key, removal) {
        (Some(key), Removal::Yes) => format!("remove {key} from the values of the chart (values.yaml)"),
        (Some(key), Removal::No) => {
            format!("convert the object, and {key} in the values of the chart (values.yaml), by hand")
        }
        (None, _) => "convert the object and the values of the chart by hand".to_owned(),
    }
}

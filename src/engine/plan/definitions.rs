//! What is known of a template before it is planned?

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::syntax::template::{Changes, Defines, Template};

/// A template of a chart.
pub(crate) struct TemplateFile {
    /// The file as the user named it.
    pub(crate) file: String,
    /// Its text.
    pub(crate) text: Arc<str>,
    /// What its chart defines.
    pub(crate) definitions: Arc<Definitions>,
}

/// What a chart defines.
#[derive(Default)]
pub(crate) struct Definitions {
    /// The folder of the chart.
    pub(crate) chart: String,
    /// Its own definitions, and those of the charts that it depends on and that are folders.
    pub(crate) all: Defines,
    /// The names of its own: they are planned where they stand.
    pub(crate) own: BTreeSet<String>,
    /// The names of the definitions whose text a condition of the chart asks for, or an action reads, changes or prints in another one.
    pub(crate) asked: BTreeSet<String>,
    /// The names of its own that a chart has too that it brings: what that one prints with its own, it prints with these.
    pub(crate) replacing: BTreeSet<String>,
    /// Its templates, where some make arguments of definitions.
    pub(crate) calling: Vec<Arc<Template>>,
    /// The data of its values.yaml.
    pub(crate) values: Option<Value>,
    /// What its templates change in that.
    pub(crate) changes: Changes,
    /// The text of that file.
    pub(crate) values_text: String,
    /// Whether that or a definition has a text that rules look for in kinds of other groups.
    pub(crate) has_triggers: bool,
}

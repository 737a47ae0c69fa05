//! What is wrong in a file of a pack: [`Message`].

use std::fmt;

use serde::Serialize;

/// A problem of a pack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Message {
    /// The file that has the problem, or lacks an entry: `gateway-api/pack.yaml`.
    pub file: String,
    /// The line, from 1; none where the whole file or folder is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What is wrong, as one sentence without a final dot.
    #[serde(rename = "message")]
    pub text: String,
    /// What to write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        for number in self.line.iter().chain(&self.column) {
            write!(f, ":{number}")?;
        }
        write!(f, ": {}", self.text)?;
        self.help.iter().try_for_each(|help| write!(f, "\n  help: {help}"))
    }
}

//! Answers: what does a journal record about one run?
//!
//! A [`Record`] names every file that a run replaces, with the fingerprints of its old and its new content. It is JSON. What is
//! read is not trusted: whoever can write files to a tree can write a journal.
//!
//! Invariant: a record that was read names only places in its tree, each once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use super::bounds::is_place;
use super::failure::one_line;
use crate::syntax::fingerprint::Fingerprint;

/// The version of a record's shape.
const SCHEMA_VERSION: u32 = 1;

/// The largest record that is read, in bytes: that of a million files.
const MAX_SIZE: usize = 256 << 20;

/// What one run did to a tree, or was about to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Record {
    schema_version: u32,
    tool: String,
    /// What kind of run it was.
    #[serde(rename = "act")]
    pub(crate) action: Action,
    /// What the user requested, as `gateway-api@1.4.1/standard`.
    pub(crate) label: String,
    /// When the run wrote, as `2026-03-01T12:00:00Z`.
    pub(crate) time: String,
    token: String,
    /// The files, in the order of their places.
    pub files: Vec<RecordedFile>,
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Action {
    /// It writes new content.
    Apply,
    /// It undoes the run with this number.
    Undo(u32),
}

/// One file of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedFile {
    path: String,
    /// What the file was.
    pub(crate) before: Fingerprint,
    /// What it became.
    pub(crate) after: Fingerprint,
    /// Whether it was undone since, when other files of its run were not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) undone: bool,
}

impl RecordedFile {
    /// Creates the entry of the file at `place`, whose name is text.
    pub(super) fn new(place: &Path, before: Fingerprint, after: Fingerprint) -> Self {
        Self { path: joined(place), before, after, undone: false }
    }

    /// Returns the file's place.
    pub fn place(&self) -> PathBuf {
        self.path.split('/').collect()
    }
}

impl Record {
    /// Creates the record of a run that starts now; `token` is a word that no other run uses.
    pub(super) fn new(action: Action, label: &str, token: &str, files: Vec<RecordedFile>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            action,
            label: label.to_owned(),
            time: utc(SystemTime::now()),
            token: token.to_owned(),
            files,
        }
    }

    /// Returns the place of the new content of the file number `at` until it is put in place: next to the file.
    pub(super) fn staged(&self, at: usize) -> PathBuf {
        staged(&self.files[at].place(), &self.token, at)
    }

    /// Counts the files that are not undone.
    pub(crate) fn left(&self) -> usize {
        self.files.iter().filter(|file| !file.undone).count()
    }

    /// Serializes the record.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(self).expect("a record is plain text and numbers")
    }

    /// Reads a record.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_SIZE {
            return Err(format!("larger than {} MiB", MAX_SIZE >> 20));
        }
        let record: Self = serde_json::from_slice(bytes).map_err(|error| one_line(&error.to_string()))?;
        if record.schema_version != SCHEMA_VERSION {
            return Err(format!("schemaVersion is {}, expected {SCHEMA_VERSION}", record.schema_version));
        }
        if record.token.len() != 16 || !record.token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err("invalid token".to_owned());
        }
        let mut places = BTreeSet::new();
        for entry in &record.files {
            if !is_place(&entry.place()) || joined(&entry.place()) != entry.path {
                return Err(format!("`{}` is not a path in the tree", entry.path.escape_debug()));
            }
            if !places.insert(entry.place()) {
                return Err(format!("`{}` is listed twice", entry.path.escape_debug()));
            }
        }
        Ok(record)
    }
}

/// Writes a place with `/`.
fn joined(place: &Path) -> String {
    place.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Returns the place of the new content of the file at `place`, number `at` of its run.
pub(super) fn staged(place: &Path, token: &str, at: usize) -> PathBuf {
    place.with_file_name(format!(".reversion-{token}-{at}.tmp"))
}

/// Prints a time to the second.
fn utc(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn times_are_converted_to_calendar_dates() {
        let known = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_700_000_000, "2023-11-14T22:13:20Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        for (seconds, text) in known {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    fn record() -> Record {
        let entry = |path: &str| RecordedFile::new(Path::new(path), Fingerprint::of(b"old"), Fingerprint::of(b"new"));
        Record::new(Action::Undo(3), "label", "0123456789abcdef", vec![entry("a.yaml"), entry("b/c.yaml")])
    }

    #[test]
    fn a_record_reads_back() {
        assert_eq!(Record::parse(&record().to_bytes()), Ok(record()));
        assert_eq!(record().staged(1), Path::new("b/.reversion-0123456789abcdef-1.tmp"));
    }

    /// Checks the error for a record in which `from` is replaced by `to`.
    #[track_caller]
    fn check_refused(from: &str, to: &str, expected: &str) {
        let text = String::from_utf8(record().to_bytes()).unwrap();
        assert!(text.contains(from));
        let refused = Record::parse(text.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert!(refused.contains(expected), "{refused}");
    }

    #[test]
    fn a_hostile_record_is_refused() {
        for path in
            ["../a", "/etc/passwd", "b/../../a", ".git/config", "b/.GIT/hooks/x", ".reversion/lock", "", ".", "b//c"]
        {
            check_refused("a.yaml", path, "is not a path in the tree");
        }
        check_refused("a.yaml", "b/c.yaml", "`b/c.yaml` is listed twice");
        check_refused("0123456789abcdef", "../../../../etc/x", "token");
        check_refused("0123456789abcdef", "0123456789abcd/x", "token");
        check_refused("\"schemaVersion\": 1", "\"schemaVersion\": 2", "schemaVersion is 2");
        check_refused("\"label\"", "\"labels\"", "labels");
        check_refused("3-", "x-", "is not a fingerprint");
        assert!(Record::parse(b"").is_err());
        assert!(Record::parse("[".repeat(100_000).as_bytes()).is_err());
    }

    proptest::proptest! {
        #[test]
        fn a_damaged_record_is_rejected_or_has_valid_paths(at in 0..600usize, length in 0..4usize, new in "[./a-z0-9\"\\\\-]{0,4}") {
            let mut text = String::from_utf8(record().to_bytes()).unwrap();
            let start = at % text.len();
            let end = (start + length).min(text.len());
            text.replace_range(start..end, &new);
            if let Ok(record) = Record::parse(text.as_bytes()) {
                for at in 0..record.files.len() {
                    let (place, staged) = (record.files[at].place(), record.staged(at));
                    proptest::prop_assert!(is_place(&place));
                    proptest::prop_assert_eq!(staged.parent(), place.parent());
                }
            }
        }
    }
}

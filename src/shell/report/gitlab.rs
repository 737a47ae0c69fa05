//! The format `gitlab`: a Code Quality report.
//!
//! Source: GitLab, "Code Quality", section "Code Quality report format". An entry has a file; what is about the cluster or a release
//! has none and is in no such report.

use serde_json::{Value, json};

use super::document::ReportDocument;
use super::finding_list::entries;
use super::json::pretty;
use crate::engine::finding::Severity;

/// Renders the findings that are not acknowledged.
pub fn report(document: &ReportDocument) -> String {
    let entries = entries(document);
    let open = entries.iter().filter(|entry| entry.accepted.is_none());
    let issue = |entry: &super::finding_list::ListedFinding<'_>| {
        json!({
            "description": entry.record.advice(entry.title),
            "check_name": entry.record.code,
            "fingerprint": entry.fingerprint,
            "severity": severity(entry.record.severity),
            "location": {"path": entry.path, "lines": {"begin": entry.record.location.position.map_or(1, |position| position.line)}},
        })
    };
    pretty(&open.map(issue).collect::<Vec<Value>>())
}

const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "info",
        Severity::Warning => "minor",
        Severity::Unresolved | Severity::Held => "major",
        Severity::Error => "critical",
    }
}

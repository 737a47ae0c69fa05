//! Which files are data of ConfigMaps and Secrets, whatever objects they hold?
//!
//! A generator of a kustomization names such a file, and the name of what it makes ends with a hash of the content: a file that nothing
//! builds otherwise is left as it is. One that is built too is converted.

use super::file::PlannedFile;
use super::withheld::would_change;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::engine::links::{Id, Run, TiedFiles};

/// Returns the objects of files that are data alone and would change otherwise, with the finding that says so.
pub(super) fn kept(linked: &TiedFiles<'_>) -> Vec<(Id, Finding)> {
    let kept = |(id, why): (Id, Finding)| would_change(linked, id).then_some((id, why));
    let files = linked.files().filter_map(|(number, manifest)| {
        let data = linked.run.data_of(&manifest.file).filter(|_| !linked.run.is_built(&manifest.file))?;
        let message = format!("it is data of {data} and nothing else, so it is not converted");
        Some((number, manifest, finding(&manifest.file, Severity::Warning, message)))
    });
    files
        .flat_map(|(file, manifest, why)| (0..manifest.objects.len()).map(move |at| (Id { file, at }, why.clone())))
        .filter_map(kept)
        .collect()
}

/// Reports a file that is data: it is left as it is, or what it is data of changes with it.
pub(super) fn report(run: &Run<'_>, planned: &mut PlannedFile) {
    let Some(data) = run.data_of(&planned.file) else { return };
    if !run.is_built(&planned.file) {
        // What is no object of any release is a configuration that something else reads.
        planned.findings.retain(|finding| [Code::DataFile, Code::UnknownKind].contains(&finding.code));
    } else if planned.change.is_some() {
        let message = format!("it is data of {data} too, whose content and hash change with it");
        planned.findings.push(finding(&planned.file, Severity::Warning, message));
    }
}

fn finding(file: &str, severity: Severity, message: String) -> Finding {
    let location = Location { file: file.to_owned(), position: None };
    Finding::new(location, Code::DataFile, severity, message)
}

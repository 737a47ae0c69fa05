//! Answers: how does a pack get from files into checked form?
//!
//! [`load`] takes a pack's files as (path, text) and reads `pack.yaml` and every rule.
//! Every failure names file, line and column.
//!
//! Invariant: the id of a rule is the name of its pack and its path, its release is its folder; nothing is defined twice.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result, anyhow};

use super::folder::{CARRIERS, Folder, HEAD, PackFiles};
use super::pack::{Origin, Pack};
use super::packs;
use super::place::{Place, Wrong};
use super::releases::{ReleaseNotes, Releases};
use super::wire;
use crate::knowledge::carrier::{CarrierFile, Carriers};
use crate::syntax::field::FieldPath;

/// Checks what a pack says besides its releases, as far as it does not depend on catalogs.
fn check_head(head: &wire::PackFile) -> Result<(), Wrong> {
    for (at, reference) in head.references.iter().enumerate() {
        reference.check().map_err(|message| Wrong::at(Place::item("references", at), message))?;
    }
    for (at, form) in head.schema_comments.iter().enumerate() {
        check_schema_form(form).map_err(|message| Wrong::at(Place::item("schema-comments", at), message))?;
    }
    Ok(())
}

/// Checks how URLs of schemas end: with a kind and a version.
fn check_schema_form(form: &str) -> Result<(), String> {
    let names = ["{group}", "{group-prefix}", "{kind}", "{version}"];
    let rest = names.iter().fold(form.to_owned(), |rest, name| rest.replace(name, ""));
    if form.contains("{kind}") && form.contains("{version}") && !rest.contains(['{', '}']) {
        return Ok(());
    }
    let wanted = "{kind} and {version}, and besides them no braces but {group} and {group-prefix}";
    Err(format!("schema-comments: `{form}` must have {wanted}"))
}

/// Checks that advisories are about values of charts of the pack.
fn check_advised_charts(charts: &[wire::Chart], notes: &ReleaseNotes) -> Result<(), Wrong> {
    for (at, advisory) in notes.advisories.iter().enumerate() {
        let Some(chart) = advisory.values.as_ref().filter(|chart| charts.iter().all(|one| one.name != **chart)) else {
            continue;
        };
        let message = format!("advisory {}: the pack has no chart {chart}: add it to `charts`", advisory.id);
        return Err(Wrong::at(Place::At(FieldPath::default().key("advisories").index(at).key("values")), message));
    }
    Ok(())
}

/// Reads a pack from its files; messages call their folder `folder`.
///
/// # Errors
/// A failure that names the file and line that is not what it should be.
pub fn load(folder: &str, files: PackFiles) -> Result<Pack> {
    let folder = Folder::given(folder, files);
    let own: CarrierFile = folder.read(CARRIERS)?.unwrap_or_default();
    let carriers = packs::carriers([(folder.name.as_str(), &own)]);
    load_with(folder, own, Arc::new(carriers))
}

/// Reads a pack from its files; values of its charts can be in `carriers`, its `own` among them.
///
/// # Errors
/// As [`load`].
pub(crate) fn load_with(folder: Folder, own: CarrierFile, carriers: Arc<Carriers>) -> Result<Pack> {
    let head: Option<wire::PackFile> = folder.read(HEAD)?;
    let mut head = head.with_context(|| format!("{} has no pack.yaml: pass the folder of a pack", folder.name))?;
    head.check_names(&folder.name).map_err(|message| anyhow!("{}: {message}", folder.path_of(HEAD)))?;
    let mut pack = Pack::new(Origin::Given, folder, wire::PackFile::default(), Cow::Owned(own), carriers);
    let in_head = |wrong: Wrong| pack.folder.error_in(HEAD, &wrong);
    let releases = Releases::take(&mut head, &pack.catalogs.keys().collect()).map_err(in_head)?;
    check_head(&head).map_err(in_head)?;
    check_advised_charts(&head.charts, &releases.notes).map_err(in_head)?;
    (pack.head, pack.releases) = (head, OnceLock::from(releases));
    pack.rules = OnceLock::from(pack.read_rules()?);
    Ok(pack)
}

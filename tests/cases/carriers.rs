//! What carries patches, values, images and charts is found where packs say so: one named test for each folder
//! `fixtures/carriers/<pack>/<case>`. Its files `before/` become those in `after/`, where there are such, and `findings.txt` has a line
//! `file severity code field` for every finding but advisories; `targets.txt` has the targets, if they are others than `TARGETS`. A pack that is not built in is that of `fixtures/packs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use reversion::internals::finding::{Code, Severity};
use reversion::internals::manifest::{self, Manifest, Reading};
use reversion::internals::pack::{Packs, embedded, load};
use reversion::internals::plan::{self, Choices, Goal};

use crate::support::{engine, root};
use crate::trial;

/// The targets of a case that names none.
const TARGETS: &str = "gateway-api@1.5.1/standard\nngf@2.6.7\n";

pub(crate) fn trials() -> Vec<Trial> {
    let folders = folders(&root().join("fixtures/carriers"));
    let mut trials = vec![trial("carriers", "every pack with carriers has a case", every_pack_has_a_case)];
    for folder in &folders {
        for case in self::folders(folder) {
            let pack = name(folder);
            let name = format!("{pack}/{}", name(&case));
            trials.push(trial("carriers", &name, move || run(&pack, &case)));
        }
    }
    trials
}

fn name(path: &Path) -> String {
    path.file_name().expect("a folder has a name").to_string_lossy().into_owned()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("a readable folder").map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn every_pack_has_a_case() -> Result<(), Failed> {
    for parent in ["rules", "fixtures/packs"] {
        for pack in folders(&root().join(parent)).into_iter().filter(|pack| pack.join("carriers.yaml").is_file()) {
            if !root().join("fixtures/carriers").join(name(&pack)).is_dir() {
                return Err(format!("fixtures/carriers has no case of {}", pack.display()).into());
            }
        }
    }
    Ok(())
}

fn packs(pack: &str) -> Result<Packs, Failed> {
    let own = root().join("fixtures/packs").join(pack);
    let more = own.is_dir().then(|| load::read_folder(&own)).transpose()?;
    Ok(embedded::with(more.into_iter().collect())?)
}

/// Reads the files below a folder, by their paths from it; none where there is no such folder.
fn texts(folder: &Path) -> Result<BTreeMap<String, String>, Failed> {
    let files = if folder.is_dir() { load::list_folder(folder)? } else { Vec::new() };
    files.into_iter().map(|file| Ok((file.clone(), fs::read_to_string(folder.join(&file))?))).collect()
}

fn read(file: &str, text: &str, packs: &Packs) -> Result<Option<Manifest>, Failed> {
    match manifest::read(file, text.as_bytes(), &engine::recognizer(packs)) {
        Reading::Manifest(manifest) | Reading::Kustomization(manifest) | Reading::Triggered(manifest) => {
            Ok(Some(*manifest))
        }
        Reading::Irrelevant => Ok(None),
        other => Err(format!("{file}: {other:?}").into()),
    }
}

fn run(pack: &str, case: &Path) -> Result<(), Failed> {
    let packs = packs(pack)?;
    let before = texts(&case.join("before"))?;
    let read = before.iter().map(|(file, text)| read(file, text, &packs)).collect::<Result<Vec<_>, _>>()?;
    let manifests: Vec<Manifest> = read.into_iter().flatten().collect();
    let named = fs::read_to_string(case.join("targets.txt")).unwrap_or_else(|_| TARGETS.to_owned());
    let targets = named.lines().map(|name| packs.target(name)).collect::<Result<_, _>>()?;
    let plan = plan::plan(&manifests, &Goal { packs: &packs, targets, choices: Choices::default() });
    let found = plan.findings.iter().filter(|finding| finding.code != Code::Advisory);
    let found = found.filter(|finding| finding.severity > Severity::Note);
    let mut lines: Vec<String> = found
        .map(|finding| {
            let field = finding.field.as_deref().unwrap_or("-");
            format!("{} {} {} {field}", finding.location.file, finding.severity.name(), finding.code)
        })
        .collect();
    lines.sort();
    let expected = fs::read_to_string(case.join("findings.txt")).unwrap_or_default();
    let sentences: BTreeSet<_> = plan.findings.iter().map(|finding| finding.sentence()).collect();
    if !lines.iter().map(String::as_str).eq(expected.lines()) {
        return Err(format!("found:\n{}\nexpected:\n{expected}\n{sentences:#?}", lines.join("\n")).into());
    }
    let after: BTreeMap<String, String> =
        plan.files.into_iter().map(|file| (file.file.clone(), file.after())).collect();
    let expected = texts(&case.join("after"))?;
    for (file, text) in &expected {
        if after.get(file) != Some(text) {
            let became = after.get(file).map_or("it is unchanged", String::as_str);
            return Err(format!("{file} became:\n{became}\n{sentences:#?}").into());
        }
    }
    match after.keys().find(|file| !expected.contains_key(*file)) {
        Some(file) => Err(format!("{file} changed to:\n{}", after[file]).into()),
        None => Ok(()),
    }
}

//! Which files do the kustomizations of a run name that the walk did not lead to?
//!
//! Such a file is hidden or ignored, has another extension, or is outside of the paths of the call. Kustomize builds it all the same, so
//! it is read like a file that is not listed: it is known, and never written. A path that leads to a file of the run through a symbolic link is the
//! name of that file.
//!
//! Invariant: what is not there is left to Kustomize, which fails.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::input::{File, Input};
use super::surveyed::Surveyed;
use crate::engine::manifest::{KUSTOMIZATIONS, Kustomization, Manifest, Recognizer};
use crate::engine::plan::LeftOut;
use crate::shell::disk::{self, Failure, FileKind, Places, Skip};

/// What makes the survey of a file.
type Make<'m, 'p> = &'m (dyn Fn(Manifest) -> Box<Surveyed<'p>> + Sync);

/// Where a path of a kustomization leads.
#[derive(Clone)]
struct Lead {
    /// The file or folder, as the run names it.
    name: String,
    /// The file that was read for it, which is not one of the walk.
    outside: Option<String>,
}

/// A search for what kustomizations name.
struct Search<'s, 'p> {
    recognizer: &'s Recognizer,
    make: Make<'s, 'p>,
    input: &'s mut Input<Box<Surveyed<'p>>>,
    places: Places,
    /// The files that are known, and the folders of kustomizations among them.
    known: BTreeSet<String>,
    /// Where the paths lead that were looked for; nowhere where nothing is there, or nothing known in it.
    leads: BTreeMap<String, Option<Lead>>,
    /// What was read, by its place.
    read: BTreeMap<PathBuf, Option<Lead>>,
}

/// Reads what the kustomizations among the files that were read name besides these.
pub(super) fn add<'p>(input: &mut Input<Box<Surveyed<'p>>>, recognizer: &Recognizer, make: Make<'_, 'p>) {
    if input.made.iter().all(|file| file.survey.paths().next().is_none()) {
        return;
    }
    let names = input.made.iter().map(|file| file.name());
    let left_out = input.failed.iter().chain(&input.unread).map(|file| file.name.as_str());
    let mut known = BTreeSet::new();
    names.chain(left_out).for_each(|name| know(name, &mut known));
    let places = Places::of(&input.roots);
    let mut search = Search { recognizer, make, input, places, known, leads: BTreeMap::new(), read: BTreeMap::new() };
    let mut next = 0;
    while next < search.input.made.len() {
        search.follow(next);
        next += 1;
    }
    if !search.input.outside.is_empty() {
        input.made.sort_by(|one, other| disk::by_names(Path::new(one.name()), Path::new(other.name())));
    }
}

fn know(file: &str, known: &mut BTreeSet<String>) {
    known.extend(Kustomization::folder(file));
    known.insert(file.to_owned());
}

impl Search<'_, '_> {
    /// Follows the paths of the file with this number.
    fn follow(&mut self, number: usize) {
        let paths = self.input.made[number].survey.paths().filter(|path| !self.known.contains(*path));
        for path in paths.cloned().collect::<BTreeSet<String>>() {
            let Some(lead) = self.lead(&path) else { continue };
            let survey = &mut self.input.made[number].survey;
            if lead.name != path {
                survey.rename_path(&path, &lead.name);
            }
            if let Some(outside) = lead.outside {
                let named = self.input.outside.named_by.entry(survey.file.clone()).or_default();
                named.insert(path, outside);
            }
        }
    }

    fn lead(&mut self, path: &str) -> Option<Lead> {
        if let Some(lead) = self.leads.get(path) {
            return lead.clone();
        }
        let lead = self.look_up(path);
        self.leads.insert(path.to_owned(), lead.clone());
        lead
    }

    fn look_up(&mut self, path: &str) -> Option<Lead> {
        let place = disk::resolved(Path::new(if path.is_empty() { "." } else { path }))?;
        let names = self.places.names(&place);
        let mut names = names.iter().filter_map(|name| name.to_str()).map(|name| if name == "." { "" } else { name });
        if let Some(name) = names.clone().find(|name| self.known.contains(*name)) {
            return Some(Lead { name: name.to_owned(), outside: None });
        }
        if let Some(lead) = self.read.get(&place) {
            return lead.clone();
        }
        let name = names.next().unwrap_or(path);
        let outside = self.read(name, &place);
        let lead = outside.map(|outside| Lead { name: name.to_owned(), outside: Some(outside) });
        self.read.insert(place, lead.clone());
        lead
    }

    /// Reads a file, or the kustomization of a folder, and returns its name where it says anything about known objects, or cannot be
    /// read.
    fn read(&mut self, name: &str, place: &Path) -> Option<String> {
        match disk::read(place) {
            Err(Failure::NotAFile(FileKind::Folder)) => {
                let files = KUSTOMIZATIONS.map(|file| (place.join(file), Kustomization::in_folder(name, file)));
                let read = files.into_iter().map(|(place, file)| (file, disk::read(&place)));
                let (file, read) = read.into_iter().find(|(_, read)| *read != Err(Failure::Missing))?;
                self.take(file, read)
            }
            Err(Failure::Missing) => None,
            read => self.take(name.to_owned(), read),
        }
    }

    fn take(&mut self, name: String, read: Result<Vec<u8>, Failure>) -> Option<String> {
        let file = match &read {
            Ok(bytes) if Skip::of_bytes(bytes).is_some() => return None,
            Ok(bytes) => File::new(&name, bytes, self.recognizer, self.make)?,
            Err(failure) => {
                self.fail(LeftOut { name: name.clone(), mentions: BTreeSet::new() }, failure.to_string());
                return Some(name);
            }
        };
        match file {
            File::Manifest(_, made) | File::Related(made) => {
                know(&name, &mut self.known);
                self.input.outside.files.insert(name.clone());
                self.input.made.push(made);
            }
            // Kustomize reads it no more than this program does.
            File::Template(..) | File::OpenTemplate(_) | File::Chart => return None,
            File::Failed(finding, mentions) => {
                self.fail(LeftOut { name: name.clone(), mentions }, finding.message.clone())
            }
            File::Unread(left_out) => self.fail(left_out, "it cannot be parsed".to_owned()),
        }
        Some(name)
    }

    fn fail(&mut self, file: LeftOut, why: String) {
        self.input.outside.failed.insert(file.name.clone(), why);
        self.input.unread.push(file);
    }
}

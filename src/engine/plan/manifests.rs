//! Where do the manifests of a run come from, once the run is known?

use std::borrow::Borrow;
use std::convert::Infallible;
use std::sync::Arc;

use serde_json::Value;

use crate::engine::links::{Id, OtherObjects, Run, Sources, files_to_read, kinds_read, open_sources, other_objects_in};
use crate::engine::manifest::Manifest;
use crate::knowledge::lens::{Namespace, ObjectPlace, ObjectView};

/// The manifests of a run, by the numbers of their files.
pub trait Manifests: Sync {
    /// A manifest, for as long as it is needed.
    type Manifest: Borrow<Manifest>;
    /// Why a manifest cannot be read again.
    type Error: Send;

    /// Returns the manifest of a file.
    ///
    /// # Errors
    /// The file cannot be read again, or is no longer what it was.
    fn read(&self, file: usize) -> Result<Self::Manifest, Self::Error>;

    /// Returns the manifest of a file for the last time.
    ///
    /// # Errors
    /// As [`Manifests::read`].
    fn take(&self, file: usize) -> Result<Self::Manifest, Self::Error> {
        self.read(file)
    }

    /// Returns the text of a file that is none of the run, where it can be read.
    fn text_of_other(&self, _file: &str) -> Option<String> {
        None
    }

    /// Returns whether there is such a file, whether it can be read or not.
    fn is_other(&self, _file: &str) -> bool {
        false
    }
}

impl<'m> Manifests for &'m [Manifest] {
    type Error = Infallible;
    type Manifest = &'m Manifest;

    fn read(&self, file: usize) -> Result<Self::Manifest, Self::Error> {
        Ok(&self[file])
    }
}

/// Reads the values of replacements whose sources are no known objects; few runs have such.
///
/// # Errors
/// That of a manifest that cannot be read.
pub(super) fn read_sources<M: Manifests>(run: &Run<'_>, manifests: &M) -> Result<Sources, M::Error> {
    let mut sources = Sources::new();
    for source in open_sources(run) {
        let manifest = manifests.read(source.holder.file)?;
        let Some(data) = source.place.get(&manifest.borrow().objects[source.holder.at].value) else { continue };
        if let Some(value) = source.value(run, data, &|file| text_of(run, manifests, file)) {
            sources.insert((source.holder, source.place.clone()), value);
        }
    }
    Ok(sources)
}

/// Reads the objects of other groups that selectors of Kustomize can select; few runs have selectors without a group that change.
pub(super) fn read_other_objects<M: Manifests>(run: &Run<'_>, manifests: &M) -> OtherObjects {
    let of_file = |file: &str| {
        let found = match text_of(run, manifests, file) {
            Some(text) => other_objects_in(run, file, &text),
            None if manifests.is_other(file) => None,
            None => return None,
        };
        found.as_ref().is_none_or(|found| !found.is_empty()).then(|| (file.to_owned(), found))
    };
    files_to_read(run).into_iter().filter_map(of_file).collect()
}

/// Returns the text of a file, of the run or not, where it can be read.
fn text_of<M: Manifests>(run: &Run<'_>, manifests: &M, file: &str) -> Option<String> {
    match run.number(file) {
        Some(number) => Some(manifests.read(number).ok()?.borrow().text.to_string()),
        None => manifests.text_of_other(file),
    }
}

/// The objects of the kinds that rules read, where the run has objects of the kinds that these rules are about.
#[derive(Debug)]
pub(super) struct ReadObjects<'r> {
    run: &'r Run<'r>,
    objects: Vec<ReadObject>,
}

#[derive(Debug)]
struct ReadObject {
    id: Id,
    namespace: Namespace,
    value: Arc<Value>,
}

impl<'r> ReadObjects<'r> {
    /// Reads the objects; patches are no objects of their own.
    ///
    /// # Errors
    /// That of a manifest that cannot be read.
    pub(super) fn read<M: Manifests>(run: &'r Run<'r>, manifests: &M) -> Result<Self, M::Error> {
        let kinds = kinds_read(run);
        let mut objects = Vec::new();
        for (number, file) in run.files.iter().enumerate().filter(|_| !kinds.is_empty()) {
            let is_read =
                |at: &usize| kinds.contains(&file.objects[*at].kind) && !run.is_patch(Id { file: number, at: *at });
            let wanted: Vec<usize> = (0..file.objects.len()).filter(is_read).collect();
            if wanted.is_empty() {
                continue;
            }
            let manifest = manifests.read(number)?;
            let ids = wanted.into_iter().map(|at| Id { file: number, at });
            objects.extend(ids.map(|id| ReadObject {
                id,
                namespace: run.namespace(id),
                value: Arc::clone(&manifest.borrow().objects[id.at].value),
            }));
        }
        Ok(Self { run, objects })
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Returns what lenses of another run see of the objects, whose own conversions it does not know.
    pub(super) fn views_from_elsewhere(&self) -> impl Iterator<Item = ObjectView<'_>> {
        self.views().map(|view| ObjectView { place: ObjectPlace { id: None, ..view.place }, ..view })
    }

    /// Returns what lenses see of the objects, in the order of the run.
    pub(super) fn views(&self) -> impl Iterator<Item = ObjectView<'_>> {
        self.objects.iter().map(|ReadObject { id, namespace, value }| {
            let file = &self.run.files[id.file];
            let survey = &file.objects[id.at];
            let line = survey.position.map(|position| position.line);
            let open = survey.open.as_deref().unwrap_or_default();
            let place = ObjectPlace { file: &file.file, line, id: Some(*id), open };
            ObjectView { kind: &survey.kind, namespace, name: survey.name.as_deref(), value, place }
        })
    }
}

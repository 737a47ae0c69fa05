//! What do the objects of a file look like to the rest of the run?

use std::sync::Arc;

use serde_json::Value;

use crate::convert::ObjectPlan;
use crate::field::FieldPath;
use crate::finding::Location;
use crate::lens::{Namespace, ObjectId, ObjectName, ObjectPlace, ObjectView};
use crate::manifest::{Kustomization, Manifest, Object, PatchFile};
use crate::release::GroupKind;
use crate::text::{Position, Span};
use crate::yaml::{self, Style, read_value};

/// One file of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum File<'a> {
    /// A file whose plan does not depend on other files.
    Local(&'a LocalFile),
    /// A file whose plan depends on other files.
    Linked(&'a Manifest),
}

/// What other files need to know of a local file.
#[derive(Debug)]
pub(crate) struct LocalFile {
    /// The file as the user named it.
    pub(crate) file: String,
    /// The objects of targeted packs, in the order of the text.
    pub(crate) objects: Vec<ObjectPlan>,
    /// Whether it holds objects besides those.
    pub(crate) has_others: bool,
    /// The objects that others can look up.
    pub(crate) indexed: Vec<IndexedObject>,
    /// The files that it names as patches.
    pub(crate) patches: Vec<PatchFile>,
    /// What it makes of other files, where it is a kustomization.
    pub(crate) kustomization: Option<Arc<Kustomization>>,
    /// What it does as a builtin transformer, where it is one.
    pub(crate) transformer: Option<Arc<Kustomization>>,
    /// How it is indented.
    pub(crate) style: Style,
    /// The folders that its objects have Flux or Argo CD apply.
    pub(crate) applied: Vec<String>,
}

/// What other objects can look up in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// Whether its name is taken.
    Name,
    /// Its data.
    Data,
}

/// An object that others can look up, as it stands in its file.
#[derive(Debug)]
pub(crate) struct IndexedObject {
    pub(crate) kind: GroupKind,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) position: Option<Position>,
    /// The text that contains its document, where others can look up its data and not only its name.
    text: Option<(Arc<str>, Span)>,
    place: FieldPath,
}

impl<'a> File<'a> {
    /// Returns the file as the user named it.
    pub(crate) fn name(self) -> &'a str {
        match self {
            Self::Local(local) => &local.file,
            Self::Linked(manifest) => &manifest.file,
        }
    }

    /// Returns what was read of a linked file.
    pub(crate) const fn manifest(self) -> Option<&'a Manifest> {
        match self {
            Self::Local(_) => None,
            Self::Linked(manifest) => Some(manifest),
        }
    }

    /// Returns the files that this one names as patches.
    pub(crate) fn patches(self) -> &'a [PatchFile] {
        match self {
            Self::Local(local) => &local.patches,
            Self::Linked(manifest) => &manifest.patches,
        }
    }

    /// Returns whether the file has inline patches.
    pub(crate) const fn has_inline_patches(self) -> bool {
        match self {
            Self::Local(_) => false,
            Self::Linked(manifest) => !manifest.inline_patches.is_empty(),
        }
    }

    /// Returns what the file makes of others, where it is a kustomization.
    pub(crate) fn kustomization(self) -> Option<&'a Kustomization> {
        match self {
            Self::Local(local) => local.kustomization.as_deref(),
            Self::Linked(manifest) => manifest.kustomization.as_deref(),
        }
    }

    /// Returns what the file does as a builtin transformer, where it is one.
    pub(crate) fn transformer(self) -> Option<&'a Kustomization> {
        match self {
            Self::Local(local) => local.transformer.as_deref(),
            Self::Linked(manifest) => manifest.transformer.as_deref(),
        }
    }

    /// Returns how the file is indented.
    pub(crate) fn style(self) -> Style {
        match self {
            Self::Local(local) => local.style,
            Self::Linked(manifest) => manifest.style(),
        }
    }

    /// Returns the folders that objects of the file have Flux or Argo CD apply, from the root of the repository.
    pub(crate) fn applied(self) -> &'a [String] {
        match self {
            Self::Local(local) => &local.applied,
            Self::Linked(manifest) => &manifest.applied,
        }
    }

    /// Returns the planned objects of a local file.
    pub(crate) fn planned(self) -> &'a [ObjectPlan] {
        match self {
            Self::Local(local) => &local.objects,
            Self::Linked(_) => &[],
        }
    }

    /// Returns the objects of a local file that others can look up.
    pub(crate) fn indexed(self) -> &'a [IndexedObject] {
        match self {
            Self::Local(local) => &local.indexed,
            Self::Linked(_) => &[],
        }
    }
}

impl IndexedObject {
    /// Indexes `object`, whose kind others look up as `lookup` says.
    pub(crate) fn new(manifest: &Manifest, object: &Object, lookup: Lookup) -> Self {
        let text = || (Arc::clone(&manifest.text), manifest.tree.documents()[object.document].span);
        Self {
            kind: object.kind.clone(),
            namespace: object.namespace.clone(),
            name: object.name.clone(),
            position: manifest.locate(object, &FieldPath::default()).position,
            text: (lookup == Lookup::Data).then(text),
            place: object.place.clone(),
        }
    }

    /// Returns the kind, namespace and name of the object, whose namespace is `namespace`.
    pub(crate) fn identity(&self, namespace: &Namespace) -> ObjectName {
        (self.kind.clone(), namespace.clone(), self.name.clone())
    }

    /// Returns where the object starts in `file`.
    pub(crate) fn location(&self, file: &str) -> Location {
        Location { file: file.to_owned(), position: self.position }
    }

    /// Makes what lenses see of the object, with its namespace and what [`IndexedObject::value`] returned.
    pub(crate) fn object_view<'v>(
        &'v self,
        (file, id): (&'v str, ObjectId),
        (namespace, value): &'v (Namespace, Option<Value>),
    ) -> Option<ObjectView<'v>> {
        let place = ObjectPlace { file, line: self.position.map(|position| position.line), id: Some(id) };
        let name = self.name.as_deref();
        value.as_ref().map(|value| ObjectView { kind: &self.kind, namespace, name, value, place })
    }

    /// Reads the object's data again, where others can look it up.
    pub(crate) fn value(&self) -> Option<Value> {
        let (text, document) = self.text.as_ref()?;
        let text = document.of(text);
        let tree = yaml::parse(text).expect("the text of a document can be parsed alone");
        let value =
            read_value(&tree, text, tree.documents()[0].root).expect("the object was read from this text before");
        Some(self.place.get(&value).expect("the object was read from this place before").clone())
    }
}

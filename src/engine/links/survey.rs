//! What does a file say that the rest of a run needs to know, before anything is converted?
//!
//! A [`FileSurvey`] is taken of every file as it is read (by `surveyor`), whatever the targets: they can follow from all files. It is small, since
//! the surveys of all files are kept; what else is in a file is read again when it is planned.
//!
//! Invariant: objects have the same numbers here as in their manifest.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use super::identity::IdentityWrite;
use super::named_fields::NamedFields;
use super::steps::Step;
use crate::engine::finding::{FindingObject, Location};
use crate::engine::manifest::{
    Applied, Folder, Kustomization, Manifest, Object, PatchFile, PatchOptions, Repository, Selector,
};
use crate::knowledge::lens::OpenParts;
use crate::knowledge::pack::crds::from_crds::defined_kind;
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::{Entries, FieldPath};
use crate::syntax::text::Position;
use crate::syntax::yaml::Style;

/// What is known of a file of a run.
#[derive(Debug, Default)]
pub struct FileSurvey {
    /// The file as the user named it.
    pub(crate) file: String,
    pub(crate) objects: Vec<ObjectSurvey>,
    /// Whether it holds objects besides those, which are not read.
    pub(crate) has_others: bool,
    /// What it makes of other files, where it is a kustomization.
    pub(crate) kustomization: Option<Arc<Kustomization>>,
    /// Nothing in most files: see [`FileSurvey::rare`].
    pub(super) rare: Option<Box<RareParts>>,
    pub(crate) style: Style,
    /// What its objects name; nothing in most files.
    pub(crate) names: Option<Box<Names>>,
    /// Whether it holds nothing that packs of the run know, so that it matters for other files alone.
    pub(crate) is_unknown: bool,
    /// What is in its folder, where it is a Chart.yaml and that is known.
    pub(crate) chart: Option<Box<ChartFolder>>,
}

/// What few files have.
#[derive(Debug, Default)]
pub(crate) struct RareParts {
    /// The texts of patches that a file holds, by their numbers.
    pub(crate) inline_patches: Vec<InlinePatchSurvey>,
    /// The patches inside its patches.
    pub(crate) nested: Vec<NestedSurvey>,
    /// The files that it names as patches.
    pub(crate) patches: Vec<PatchFile>,
    /// What it does as a builtin transformer, where it is one.
    pub(crate) transformer: Option<Arc<Kustomization>>,
    /// What it applies to objects besides patches that are objects.
    pub(crate) steps: Vec<Step>,
    /// The components that its objects have controllers add to kustomizations.
    pub(crate) components: Vec<Components>,
    /// The folders that its objects have controllers apply.
    pub(crate) applied: Vec<Applied>,
    /// The repositories whose addresses its objects show.
    pub(crate) repositories: Vec<Repository>,
    /// The kinds that its CRDs define.
    pub(crate) crds: Vec<CrdSurvey>,
}

/// Those of a file that has none.
static NO_PARTS: LazyLock<RareParts> = LazyLock::new(RareParts::default);

impl RareParts {
    /// Puts them where a survey keeps them; nowhere where there is nothing.
    pub(super) fn boxed(self) -> Option<Box<Self>> {
        let Self { inline_patches, nested, patches, transformer, steps, components, applied, repositories, crds } =
            &self;
        let tells_nothing = inline_patches.is_empty() && nested.is_empty() && patches.is_empty() && steps.is_empty();
        let shows_nothing = components.is_empty() && applied.is_empty() && repositories.is_empty() && crds.is_empty();
        (!(transformer.is_none() && tells_nothing && shows_nothing)).then(|| Box::new(self))
    }
}

/// What the folder of a Chart.yaml says about it.
#[derive(Debug)]
pub(crate) enum ChartFolder {
    /// The chart belongs to another one, and to a project of its own.
    Vendored,
    /// These files are beside it.
    Files(ChartFiles),
}

/// The texts of files beside a Chart.yaml, of those that are there.
#[derive(Debug)]
pub(crate) struct ChartFiles {
    /// Makes the hash of which the digest in a lock consists, as hexadecimal digits.
    pub(crate) sha256: fn(&[u8]) -> String,
    /// Why none of them may be made, changed or removed.
    pub(crate) closed: Option<String>,
    /// The dependencies of a chart of v1: requirements.yaml.
    pub(crate) requirements: Option<Arc<str>>,
    /// What was found for them: requirements.lock.
    pub(crate) old_lock: Option<Arc<str>>,
    /// What was found for the dependencies of a chart of v2: Chart.lock.
    pub(crate) lock: Option<Arc<str>>,
}

/// What is known of a CRD.
#[derive(Debug)]
pub(crate) struct CrdSurvey {
    pub(crate) object: FindingObject,
    /// The kind that it defines.
    pub(crate) kind: GroupKind,
    /// The versions that it serves.
    pub(crate) served: Vec<String>,
    /// Where it lists them.
    pub(crate) location: Location,
}

impl CrdSurvey {
    /// Takes the survey of the CRDs in a file's own text.
    pub(super) fn all(manifest: &Manifest) -> Vec<Self> {
        let own = manifest.objects.iter().filter(|object| object.inline_patch.is_none());
        own.filter_map(|object| Self::of(manifest, object, &object.value)).collect()
    }

    /// Takes that of an object that is built as `value`, where it is a CRD. Until v1beta1 the only version can be a field.
    pub(super) fn of(manifest: &Manifest, object: &Object, value: &Value) -> Option<Self> {
        let kind = defined_kind(value)?;
        let spec = value.get("spec")?;
        let (key, served) = match spec.get("versions").and_then(Value::as_array) {
            Some(versions) => {
                let served = versions.iter().filter(|version| version["served"].as_bool() != Some(false));
                ("versions", served.filter_map(|version| version.text("name")).collect())
            }
            None => ("version", vec![spec.text("version")?]),
        };
        let location = manifest.locate(object, &FieldPath::default().key("spec").key(key));
        let object = manifest.finding_object(object);
        Some(Self { object, kind, served: served.into_iter().map(str::to_owned).collect(), location })
    }
}

/// A CRD that is patched.
#[derive(Debug)]
pub(crate) struct BuiltCrd {
    /// Where it lists its versions, as it is written.
    pub(crate) location: Location,
    /// What kustomizations build of it, with the versions that it serves in all of them; nothing where they delete it.
    pub(crate) built: Option<CrdSurvey>,
}

impl BuiltCrd {
    /// Adds what one more kustomization builds of it.
    pub(super) fn add(&mut self, variant: CrdSurvey) {
        match &mut self.built {
            Some(built) => built.served.retain(|version| variant.served.contains(version)),
            none => *none = Some(variant),
        }
    }
}

/// What is known of an object.
#[derive(Debug)]
pub(crate) struct ObjectSurvey {
    pub(crate) kind: GroupKind,
    pub(crate) api_version: ApiVersion,
    pub(crate) namespace: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) position: Option<Position>,
    /// The number of the inline patch that it stands in.
    pub(crate) inline_patch: Option<usize>,
    pub(crate) is_values: bool,
    /// Whether another object, or a chart, has it created: Kustomize does not see it.
    pub(crate) is_created: bool,
    /// What it writes to the parts that objects are found by, where it is a JSON patch.
    pub(crate) json_patch: Option<Box<[IdentityWrite]>>,
    /// Whether it tells Kustomize what to do to objects, and is none itself.
    pub(crate) is_instruction: bool,
    /// Whether it may name other objects or their fields.
    pub(crate) has_names: bool,
    /// What of it is not known.
    pub(crate) open: Option<Box<OpenParts>>,
}

/// An object of a group that the run does not convert.
#[derive(Debug)]
pub(crate) struct OtherObject {
    pub(super) kind: GroupKind,
    pub(super) api_version: ApiVersion,
    pub(super) name: String,
}

impl OtherObject {
    /// Returns whether a selector selects it, whatever its name.
    pub(super) fn is_selected_by(&self, selector: &Selector) -> bool {
        selector.selects(&self.kind, &self.api_version)
    }
}

/// Those of each file that was read for them; nothing of one that cannot be read, or is no YAML.
pub(crate) type OtherObjects = BTreeMap<String, Option<Vec<OtherObject>>>;

/// What is known of the text of a patch in a file.
#[derive(Debug)]
pub(crate) struct InlinePatchSurvey {
    pub(crate) place: FieldPath,
    pub(crate) folder: Option<Folder>,
    pub(crate) target: Option<Selector>,
    pub(crate) options: PatchOptions,
    /// The number of the object that holds it.
    pub(crate) holder: Option<usize>,
}

/// What is known of a patch inside a patch.
#[derive(Debug)]
pub(crate) struct NestedSurvey {
    /// The number of the object that is, or holds, the outermost patch.
    pub(crate) object: usize,
    /// The place of the outermost patch in it.
    pub(crate) outermost: FieldPath,
    /// The number of the patch that it stands in, where that is none but the outermost.
    pub(crate) parent: Option<usize>,
    pub(crate) place: FieldPath,
    pub(crate) target: Selector,
}

/// Components that a controller adds to the kustomizations in a folder.
#[derive(Debug)]
pub(crate) struct Components {
    pub(crate) folder: Option<Folder>,
    /// Each as the folder calls it: `../components/tls`.
    pub(crate) paths: Vec<String>,
}

/// What the objects of a file name, as far as it ties the file to others.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The kinds and objects that references name.
    pub(crate) references: Vec<NamedObject>,
    /// The apiVersions that JSON patches write.
    pub(crate) written_versions: Vec<ApiVersion>,
    /// The selectors of Kustomize.
    pub(crate) selectors: Vec<FileSelector>,
    /// The fields that are not compared with the cluster, with what selects their objects.
    pub(crate) ignored_fields: Vec<(Selector, NamedFields)>,
    /// The names of the ConfigMaps and Secrets with values of charts.
    pub(crate) values: Vec<String>,
}

/// What a reference names: a kind, or an object of it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NamedObject {
    pub(crate) kind: String,
    /// The group, where it is not the default of the field.
    pub(crate) group: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) name: Option<String>,
    /// Whether Kustomize compares it: the version exactly, and a name can be a pattern.
    pub(crate) is_selector: bool,
}

/// A selector of Kustomize, and the folder that it selects from where the file does not show that.
#[derive(Debug)]
pub(crate) struct FileSelector {
    pub(crate) selector: Selector,
    pub(crate) folder: Option<Folder>,
}

impl Names {
    pub(super) const fn is_empty(&self) -> bool {
        let Self { references, written_versions, selectors, ignored_fields, values } = self;
        let names_fields = !(selectors.is_empty() && ignored_fields.is_empty());
        !names_fields && references.is_empty() && written_versions.is_empty() && values.is_empty()
    }

    /// Returns whether there is nothing but selectors, which tie the file to all that they select.
    pub(super) const fn are_selectors(&self) -> bool {
        let Self { references, written_versions, selectors: _, ignored_fields, values } = self;
        references.is_empty() && written_versions.is_empty() && ignored_fields.is_empty() && values.is_empty()
    }
}

impl FileSurvey {
    /// Returns what few files have.
    pub(crate) fn rare(&self) -> &RareParts {
        self.rare.as_deref().unwrap_or(&NO_PARTS)
    }

    /// Returns whether it may apply anything to objects.
    pub(crate) fn is_host(&self) -> bool {
        let names_fields = self.kustomization.as_ref().is_some_and(|own| own.names_fields);
        let RareParts { patches, inline_patches, components, steps, .. } = self.rare();
        let has_patches = !patches.is_empty() || !inline_patches.is_empty() || !components.is_empty();
        has_patches || names_fields || steps.iter().any(Step::is_data_patch)
    }

    /// Returns the files and folders that it names as a kustomization.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &String> {
        let own = self.kustomization.iter().flat_map(|own| own.paths());
        own.chain(self.rare().patches.iter().map(|patch| &patch.file))
    }

    /// Names `name` instead of `path`, which leads to it.
    pub(crate) fn rename_path(&mut self, path: &str, name: &str) {
        if let Some(own) = &mut self.kustomization {
            Arc::make_mut(own).rename(path, name);
        }
        let patches = self.rare.iter_mut().flat_map(|rare| &mut rare.patches);
        patches.filter(|patch| patch.file == path).for_each(|patch| name.clone_into(&mut patch.file));
    }

    /// Returns the number of the first object in its own text.
    pub(crate) fn first_own(&self) -> Option<usize> {
        self.objects.iter().position(|object| object.inline_patch.is_none())
    }

    /// Returns the inline patch that an object stands in.
    pub(crate) fn inline_patch_of(&self, object: &ObjectSurvey) -> Option<&InlinePatchSurvey> {
        object.inline_patch.map(|number| &self.rare().inline_patches[number])
    }

    /// Returns where an object starts.
    pub(crate) fn location(&self, object: usize) -> Location {
        Location { file: self.file.clone(), position: self.objects[object].position }
    }
}

impl ObjectSurvey {
    /// Returns whether it is a patch that stands in another object.
    pub(crate) const fn is_inline_patch(&self) -> bool {
        self.inline_patch.is_some() && !self.is_values && !self.is_created
    }
}

impl InlinePatchSurvey {
    /// Takes the surveys of the inline patches of a file.
    pub(super) fn all(manifest: &Manifest) -> Vec<Self> {
        let surveys = manifest.inline_patches.iter().map(|patch| {
            let holder = manifest.holder(patch.document, &patch.place);
            let entry = holder.and_then(|(_, object)| {
                let (entry, _) = object.path_of(patch.document, &patch.place)?.split_last()?;
                entry.get(&object.value).map(PatchOptions::read)
            });
            let (folder, target) = (patch.folder.clone(), patch.target.clone());
            let (options, holder) = (entry.unwrap_or_default(), holder.map(|(at, _)| at));
            Self { place: patch.place.clone(), folder, target, options, holder }
        });
        surveys.collect()
    }
}

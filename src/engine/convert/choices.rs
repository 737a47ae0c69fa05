//! What is a run asked to do, and what may it do to an object?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::engine::finding::Code;
use crate::engine::infer::origin::Origin;
use crate::engine::manifest::Object;
use crate::knowledge::catalog::Catalog;
use crate::knowledge::pack::crds::own::OwnCrds;
use crate::knowledge::pack::{Pack, Packs, Target};
use crate::knowledge::release::{GroupKind, ReleaseSet};
use crate::syntax::yaml::FrontEnd;

/// What a run is asked to do.
#[derive(Debug)]
pub struct Goal<'p> {
    /// The packs of the run.
    pub packs: &'p Packs,
    /// The target releases, at most one for each pack.
    pub targets: Vec<Target<'p>>,
    /// How objects are converted.
    pub choices: Choices,
}

impl<'p> Goal<'p> {
    /// Returns the target of the pack that knows `group`.
    pub(crate) fn target_of(&self, group: &str) -> Option<&Target<'p>> {
        self.targets.iter().find(|target| target.pack.groups().iter().any(|name| name == group))
    }

    /// Returns whether values of a chart that a target's pack knows stand in `object`.
    pub(crate) fn holds_values(&self, object: &Object) -> bool {
        self.targets.iter().any(|target| !target.pack.values_in(&object.kind, &object.value).is_empty())
    }

    /// Returns whether an object is one by the name of its file, for the pack of a target.
    pub(crate) fn knows_file_of(&self, object: &Object) -> bool {
        self.targets.iter().flat_map(|target| target.pack.files()).any(|file| file.kind == object.kind)
    }

    /// Returns whether values of a chart that a target's pack knows can stand in objects such as `object`, or in what they are
    /// merged with.
    pub(crate) fn can_hold_values(&self, object: &Object) -> bool {
        self.targets.iter().any(|target| target.pack.can_hold_values(&object.kind))
    }

    /// Returns the user's own CRDs, where they define the kinds of `pack`.
    pub(crate) fn own_crds(&self, pack: &Pack) -> Option<&OwnCrds> {
        match &self.choices.schema {
            Schema::Own(crds) => Some(&**crds).filter(|crds| crds.cover(pack.groups())),
            Schema::Catalog => None,
        }
    }

    /// Returns the choices for an object of `file`.
    pub(super) fn choices_for(&self, file: &str) -> ObjectChoices<'_> {
        let choices = &self.choices;
        let common = ObjectChoices {
            keeping: choices.keeping,
            allowed: &choices.allowed,
            version: choices.version,
            mistakes: choices.mistakes,
        };
        choices.by_file.iter().filter(|one| one.files.has(file)).fold(common, |before, one| ObjectChoices {
            keeping: one.keeping.unwrap_or(before.keeping),
            allowed: one.allowed.as_ref().unwrap_or(before.allowed),
            version: one.version.unwrap_or(before.version),
            mistakes: one.mistakes.unwrap_or(before.mistakes),
        })
    }

    /// Fills in `{apiVersion of KIND.GROUP}` in a text of a pack: the most stable apiVersion that the target serves.
    pub(super) fn name_served(&self, text: &str) -> String {
        let mut parts = text.split("{apiVersion of ");
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for (name, rest) in parts.map(|part| part.split_once('}').unwrap_or((part, ""))) {
            let kind = GroupKind::parse(name);
            let served = self
                .target_of(&kind.group)
                .and_then(|target| Some(target.pack.catalog(&kind)?.served(target.release).first()?.name.to_owned()));
            filled += &format!("{}/{}{rest}", kind.group, served.as_deref().unwrap_or("VERSION"));
        }
        filled
    }

    /// Returns the catalog of a kind, whether or not its pack has a target.
    pub(crate) fn catalog_of(&self, kind: &GroupKind) -> Option<&'p Catalog> {
        self.packs.of_group(&kind.group).and_then(|pack| pack.catalog(kind))
    }
}

/// Whether files can get documents, and lose them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Documents {
    /// They can.
    #[default]
    Free,
    /// They are what templates of charts print.
    Printed,
    /// They are items of a ResourceList.
    Items,
}

impl Documents {
    /// Returns why an object of such a file cannot become several, or one.
    pub(crate) const fn objection(self) -> Option<&'static str> {
        match self {
            Self::Free => None,
            Self::Printed => Some("a template of a chart prints it, which gets no documents"),
            Self::Items => Some("a function gets no files to add objects to, or to remove them from"),
        }
    }
}

/// How objects are converted, and what is recorded of that.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// What the result is validated with.
    pub schema: Schema,
    /// What becomes of lost values; it takes precedence over `allowed`.
    pub keeping: Keeping,
    /// The losses allowed.
    pub allowed: AllowedLoss,
    /// The apiVersion chosen.
    pub version: VersionChoice,
    /// What is known of the values that users of a chart set.
    pub chart_values: ChartValues,
    /// What becomes of known mistakes.
    pub mistakes: Mistakes,
    /// Other choices for the objects of some files; of two that are about a file, the later one counts.
    pub by_file: Vec<FileChoices>,
    /// The namespace of objects that name none and that no kustomization puts into one.
    pub namespace: Option<String>,
    /// Facts about the cluster that the user gave, by pack and name: `ngf.namespace`.
    pub parameters: BTreeMap<String, String>,
    /// The releases that the objects of a pack come from, by the pack's name, where the user or what installs it names them.
    pub origins: BTreeMap<String, ReleaseSet>,
    /// The releases that all objects of a pack fit, by the pack's name: what comes from one cluster comes from one of these.
    pub bounds: BTreeMap<String, ReleaseSet>,
    /// By the pack's name, the object that contradicts the releases that charts, images and marks name, and what it is for.
    pub contradicted: BTreeMap<String, String>,
    /// What the plan records.
    pub record: Record,
    /// What verifies the edits.
    pub front_end: FrontEnd,
    /// What becomes of comments that acknowledge findings.
    pub comments: Comments,
    /// The findings that the configuration acknowledges.
    pub ignored: Ignored,
    /// Whether files can get documents, and lose them.
    pub documents: Documents,
}

impl Choices {
    /// Adds what is known of the releases that the objects of `pack` come from.
    pub(crate) fn add_origin(&mut self, pack: &Pack, origin: &Origin<'_, '_>) {
        if !origin.releases.is_empty() {
            let known = if origin.is_named { &mut self.origins } else { &mut self.bounds };
            known.insert(pack.name().to_owned(), origin.releases);
        }
        if let Some(object) = origin.contradicting {
            let releases = pack.line().describe(object.fitting());
            let contradicts = format!("{} ({}) is for {releases}", object.title, object.location);
            self.contradicted.insert(pack.name().to_owned(), contradicts);
        }
    }

    /// Returns the releases that objects of `pack` come from, where more than their own fields shows it.
    pub(crate) fn origins_of(&self, pack: &Pack) -> Option<ReleaseSet> {
        self.origins.get(pack.name()).or_else(|| self.bounds.get(pack.name())).copied()
    }
}

/// What becomes of comments in manifests that acknowledge findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Comments {
    /// They count.
    #[default]
    Respect,
    /// They do not count.
    Disregard,
}

/// Returns whether a code is acknowledged in a file.
type IsIgnored = dyn Fn(&str, Code) -> bool + Send + Sync;

/// Which codes are acknowledged in which files.
#[derive(Clone, Default)]
pub struct Ignored(Option<Arc<IsIgnored>>);

impl Ignored {
    /// Makes the codes for which `has` is true, by the file as the user named it.
    pub fn by(has: impl Fn(&str, Code) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(has)))
    }

    /// Returns whether findings of `code` are acknowledged in `file`.
    pub fn has(&self, file: &str, code: Code) -> bool {
        self.0.as_ref().is_some_and(|has| has(file, code))
    }
}

impl fmt::Debug for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ignored").field(&self.0.as_ref().map(|_| "a function")).finish()
    }
}

/// Choices for the objects of some files; what is `None` is chosen as for all others.
#[derive(Clone, Debug)]
pub struct FileChoices {
    /// The files.
    pub(crate) files: FileSet,
    /// What becomes of lost values.
    pub(crate) keeping: Option<Keeping>,
    /// The losses allowed.
    pub(crate) allowed: Option<AllowedLoss>,
    /// The apiVersion chosen.
    pub(crate) version: Option<VersionChoice>,
    /// What becomes of known mistakes.
    pub(crate) mistakes: Option<Mistakes>,
}

/// A set of files, by their names as findings show them.
#[derive(Clone)]
pub(crate) struct FileSet(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl FileSet {
    /// Makes the set of the files that `has` accepts.
    pub(crate) fn new(has: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(has))
    }

    /// Returns whether `file` is in the set.
    pub(crate) fn has(&self, file: &str) -> bool {
        (self.0)(file)
    }
}

impl fmt::Debug for FileSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileSet")
    }
}

/// The choices for one object.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectChoices<'g> {
    /// What becomes of lost values.
    pub(super) keeping: Keeping,
    /// The losses allowed.
    pub(super) allowed: &'g AllowedLoss,
    /// The apiVersion chosen.
    pub(super) version: VersionChoice,
    /// What becomes of known mistakes.
    pub(super) mistakes: Mistakes,
}

/// Which losses a user allows.
#[derive(Clone, Debug, Default)]
pub enum AllowedLoss {
    /// None: a lossy object is held back.
    #[default]
    None,
    /// Those of these codes.
    Codes(BTreeSet<Code>),
    /// Every one.
    All,
}

impl AllowedLoss {
    pub(super) fn allows(&self, code: Code) -> bool {
        match self {
            Self::None => false,
            Self::Codes(codes) => codes.contains(&code),
            Self::All => true,
        }
    }
}

/// What is known of the values that users of a chart set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChartValues {
    /// Nothing.
    #[default]
    Unknown,
    /// They have the types of those in the values.yaml of the chart.
    Default,
}

/// Which apiVersion an object gets among those that the target serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VersionChoice {
    /// The most stable one that can hold the object.
    #[default]
    MostStable,
    /// The present one, while the target serves it and has not deprecated it.
    Keep,
}

/// What becomes of lost values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// They are dropped, where that is allowed.
    #[default]
    Nothing,
    /// The object keeps them in the annotation `reversion.dev/stash`.
    Stash,
}

/// What a converted object is validated with.
#[derive(Clone, Debug, Default)]
pub enum Schema {
    /// The catalogs of the target release.
    #[default]
    Catalog,
    /// The user's CRDs, for the packs whose kinds they define; rules still lead to the target release.
    Own(Arc<OwnCrds>),
}

/// What becomes of a mistake that a pack knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mistakes {
    /// It is left unchanged.
    #[default]
    Leave,
    /// It is repaired.
    Repair,
}

/// What a plan records of each object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Record {
    /// Its data before and after.
    #[default]
    Data,
    /// Its outcome, and no data: a plan of many files stays small.
    Outcomes,
    /// Its outcome, and the data of what templates print, which is in no file.
    PrintedData,
}

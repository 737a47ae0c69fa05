//! Which objects are in a group of files that are tied to each other, and what did each become by itself?

use std::collections::BTreeMap;

use super::applications::{Application, Namesake};
use super::run::Run;
use super::survey::ChartFolder;
use crate::engine::convert::{Conversion, Judged, ObjectContext, Remark, Targets, convert};
use crate::engine::finding::{Finding, Location, Severity};
use crate::engine::manifest::{Manifest, Object};
use crate::knowledge::lens::{Builds, Completeness, Context, Namespace, ObjectId, ObjectPlace, ObjectView};
use crate::knowledge::release::ApiVersion;
use crate::syntax::parallel;

/// The position of an object: file of the run, and object in it.
pub(crate) type Id = ObjectId;

/// Files of a run that are tied to each other, and to no others, with their objects.
pub(crate) struct TiedFiles<'a> {
    pub(crate) run: &'a Run<'a>,
    pub(crate) targets: &'a Targets<'a>,
    /// What is applied to objects of the group.
    pub(super) applications: &'a [Application],
    /// The objects that patches of the group do not find now.
    pub(super) namesakes: &'a [Namesake],
    members: Vec<Member<'a>>,
}

/// A file of a group.
struct Member<'a> {
    /// Its number in the run.
    number: usize,
    manifest: &'a Manifest,
    namespaces: Vec<Namespace>,
    /// What each of its objects becomes by itself; `None` where no target is about it.
    conversions: Vec<Option<Conversion>>,
}

/// How many objects of a file a thread converts at once.
const OBJECTS_AT_ONCE: usize = 128;

impl<'a> TiedFiles<'a> {
    /// Converts every object of the files `members`, which are in the order of the run, by itself, with what lenses see of the others, on
    /// several `threads` where a file has many.
    pub(crate) fn new(
        run: &'a Run<'a>,
        members: impl IntoIterator<Item = (usize, &'a Manifest)>,
        (applications, namesakes): (&'a [Application], &'a [Namesake]),
        others: &Context<'_>,
        threads: usize,
    ) -> Self {
        let member = |(number, manifest): (usize, &'a Manifest)| {
            let of_object =
                |object: &Object| run.namespaces().of(&manifest.file, &object.kind, object.namespace.as_deref());
            let namespaces = manifest.objects.iter().map(of_object).collect();
            Member { number, manifest, namespaces, conversions: Vec::new() }
        };
        let members = members.into_iter().map(member).collect();
        let mut tied = Self { run, targets: run.targets, applications, namesakes, members };
        for at in 0..tied.members.len() {
            let Member { number, manifest, .. } = tied.members[at];
            let is_unapplied = run.is_unapplied(&manifest.file);
            let convert = |object| {
                let id = Id { file: number, at: object };
                let judged = if is_unapplied && !run.is_patch(id) { Judged::IfComplete } else { Judged::AsWritten };
                tied.convert(id, others, judged, None)
            };
            tied.members[at].conversions = parallel::map(manifest.objects.len(), OBJECTS_AT_ONCE, threads, &convert);
        }
        tied
    }

    /// Converts an object by itself, to this version where that is given.
    pub(super) fn convert(
        &self,
        id: Id,
        others: &Context<'_>,
        judged: Judged,
        version: Option<&ApiVersion>,
    ) -> Option<Conversion> {
        if matches!(self.run.files[id.file].chart.as_deref(), Some(ChartFolder::Vendored)) {
            return None;
        }
        // A list of objects to create takes the place of the one that it is merged into.
        let is_part = self.run.is_patch(id) && !self.object(id).is_created();
        let completeness = if is_part { Completeness::Partial } else { Completeness::Whole };
        let context = ObjectContext::new(completeness, self.namespace(id), self.place(id), others);
        convert(self.object(id), self.targets.goal, ObjectContext { judged, version, ..context })
    }

    /// Converts an object that stands inside other data of this file, as if it were a document of its own.
    pub(super) fn convert_inside(&self, file: &str, object: &Object, others: &Context<'_>) -> Option<Conversion> {
        let namespace = self.run.namespaces().of(file, &object.kind, object.namespace.as_deref());
        let place = ObjectPlace { file, ..ObjectPlace::default() };
        convert(object, self.targets.goal, ObjectContext::new(Completeness::Whole, &namespace, place, others))
    }

    /// Takes in what becomes of objects by themselves, where that follows from what is built of them.
    pub(crate) fn take_judged(&mut self, judged: BTreeMap<Id, Conversion>) {
        for (id, conversion) in judged {
            let at = self.members.binary_search_by_key(&id.file, |member| member.number);
            self.members[at.expect("what is tied to an object is in its group")].conversions[id.at] = Some(conversion);
        }
    }

    /// Returns what the kustomizations of the run apply together.
    pub(crate) fn builds(&self) -> &Builds {
        self.run.builds()
    }

    /// Returns the files, in the order of the run, each with its number.
    pub(crate) fn files(&self) -> impl Iterator<Item = (usize, &'a Manifest)> {
        self.members.iter().map(|member| (member.number, member.manifest))
    }

    /// Returns what lenses see of an object.
    pub(crate) fn view(&self, id: Id) -> ObjectView<'_> {
        let object = self.object(id);
        let line = self.location(id).position.map(|position| position.line);
        let place = ObjectPlace { line, ..self.place(id) };
        let (namespace, name) = (self.namespace(id), object.name.as_deref());
        ObjectView { kind: &object.kind, namespace, name, value: &object.value, place }
    }

    /// Returns where an object is; a patch is found by no other object.
    pub(crate) fn place(&self, id: Id) -> ObjectPlace<'_> {
        let found_as = (!self.run.is_patch(id)).then_some(id);
        let survey = &self.run.files[id.file].objects[id.at];
        ObjectPlace {
            file: &self.manifest(id).file,
            line: None,
            id: found_as,
            open: survey.open.as_deref().unwrap_or_default(),
        }
    }

    /// Returns the objects, in the order of the run.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (Id, &Manifest, &Object)> + Clone {
        self.members.iter().flat_map(|member| {
            let objects = member.manifest.objects.iter().enumerate();
            objects.map(move |(at, object)| (Id { file: member.number, at }, member.manifest, object))
        })
    }

    fn member(&self, file: usize) -> &Member<'a> {
        let at = self.members.binary_search_by_key(&file, |member| member.number);
        &self.members[at.expect("what is tied to an object is in its group")]
    }

    /// Returns the manifest of an object.
    pub(crate) fn manifest(&self, id: Id) -> &'a Manifest {
        self.member(id.file).manifest
    }

    /// Returns an object.
    pub(crate) fn object(&self, id: Id) -> &'a Object {
        &self.manifest(id).objects[id.at]
    }

    /// Returns the namespace of an object.
    pub(crate) fn namespace(&self, id: Id) -> &Namespace {
        &self.member(id.file).namespaces[id.at]
    }

    /// Returns what an object becomes by itself.
    pub(crate) fn conversion(&self, id: Id) -> Option<&Conversion> {
        self.member(id.file).conversions[id.at].as_ref()
    }

    /// Returns whether an object changes by itself.
    pub(crate) fn is_changed(&self, id: Id) -> bool {
        self.conversion(id).is_some_and(|made| !made.program.is_empty())
    }

    /// Returns whether an object may name others or their fields, as it stands in its file or after its conversion.
    pub(crate) fn has_names(&self, id: Id) -> bool {
        self.run.files[id.file].objects[id.at].has_names || self.is_changed(id)
    }

    /// Returns where an object starts.
    pub(crate) fn location(&self, id: Id) -> Location {
        self.run.files[id.file].location(id.at)
    }

    /// Returns whether a kustomization of the run names a file as a patch.
    pub(crate) fn is_patch_file(&self, file: &str) -> bool {
        self.run.is_patch_file(file)
    }

    /// Reports why an object is held back.
    pub(crate) fn held(&self, id: Id, remark: &Remark) -> (Id, Finding) {
        (id, self.finding(id, remark, Severity::Held))
    }

    /// Reports something about an object.
    pub(crate) fn finding(&self, id: Id, remark: &Remark, severity: Severity) -> Finding {
        remark.finding(self.manifest(id), self.object(id), severity)
    }
}

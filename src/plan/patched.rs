//! Answers: which objects does Kustomize merge into one, and do they still fit together afterwards?
//!
//! A patch finds the object that it changes by apiVersion, kind and name, among all that the kustomization naming it takes in; a
//! component works on what the kustomizations with that component take in, Flux and Argo CD on what is in a folder. A name may
//! have the prefixes and suffixes that kustomizations give. Two such objects of the run are tied ([`ties`]):
//! where their ways part, those that would change are held back. Namespaces are compared where no kustomization gives others; and
//! where the object gets another one, its patch follows.
//!
//! Invariant: after it, two tied objects have one apiVersion and kind.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::homes::Graph;
use super::{Conversion, Held, Id, Look, ObjectPlan, Outcome, Remark, Run, finding};
use crate::field::FieldPath;
use crate::finding::{Code, Location, Severity};
use crate::lens::Session;
use crate::manifest::{InlinePatch, Selector, SelectorPart};
use crate::release::{ApiVersion, GroupKind};
use crate::yaml::{Intent, Place};

/// An object's position: file and object in what is known of it.
pub(super) type Spot = (usize, usize);

/// What a patch finds its object by.
type Sought<'a> = (&'a GroupKind, &'a ApiVersion, &'a str);

/// One of two tied objects.
#[derive(Clone, Copy)]
pub(super) enum Side<'a> {
    /// Others have a say in it.
    Open(Id),
    /// What becomes of it is known.
    Alone(&'a ObjectPlan),
}

/// An object that is a patch or can be patched.
struct Met<'a> {
    spot: Spot,
    sought: Sought<'a>,
    /// The namespace that is written in it, where it is known.
    namespace: Option<&'a str>,
    /// The text that it stands in, where it is an inline patch.
    inline_patch: Option<&'a InlinePatch>,
}

/// The objects that can be patched.
type Bases<'a> = BTreeMap<Sought<'a>, Vec<Met<'a>>>;

impl<'a> Met<'a> {
    /// Returns what this patch can be merged into: what `target` selects, or else what has its name. A patch with a target that
    /// is written for another kind or version says nothing of how it fits.
    fn bases<'b>(&self, target: Option<&Selector>, bases: &'b Bases<'a>, graph: &Graph<'_>) -> Vec<&'b Met<'a>> {
        let (kind, version, own) = self.sought;
        let is_named = |part: &SelectorPart, name: &str| graph.names_after(name).iter().any(|name| part.is(name));
        let found: Vec<&Met<'a>> = match target {
            Some(target) if !target.selects(kind, version) => Vec::new(),
            Some(target) => {
                let alike = bases
                    .range((kind, version, "")..)
                    .take_while(|(sought, _)| (sought.0, sought.1) == (kind, version));
                let named =
                    alike.filter(|((.., name), _)| target.name.as_ref().is_none_or(|part| is_named(part, name)));
                named.flat_map(|(_, bases)| bases).collect()
            }
            None => {
                let names = graph.names_before(own).into_iter().filter(|name| !name.is_empty());
                names.filter_map(|name| bases.get(&(kind, version, name))).flatten().collect()
            }
        };
        let gives_namespaces = graph.gives_namespaces();
        let wanted = |written: &str| match target {
            Some(target) => target.namespace.as_ref().is_none_or(|part| part.is(written)),
            None => self.namespace.is_none_or(|own| own == written),
        };
        let may_be_near = |base: &&Met<'a>| gives_namespaces || base.namespace.is_none_or(wanted);
        found.into_iter().filter(may_be_near).collect()
    }
}

/// Finds the patches among `looks` with the objects that they can patch.
pub(super) fn ties(looks: &[Look<'_>]) -> Vec<[Spot; 2]> {
    let mut ties = BTreeSet::new();
    let naming = looks.iter().enumerate().filter(|(_, look)| !look.patches().is_empty() || look.has_insets());
    let naming: Vec<_> = naming.collect();
    if naming.is_empty() {
        return Vec::new();
    }
    let patches: BTreeSet<&str> =
        naming.iter().flat_map(|(_, look)| look.patches()).map(|patch| patch.file.as_str()).collect();
    let numbers: BTreeMap<&str, usize> = looks.iter().enumerate().map(|(number, look)| (look.file(), number)).collect();
    let mut bases = Bases::new();
    for (number, look) in looks.iter().enumerate().filter(|(_, look)| !patches.contains(look.file())) {
        for base in objects(number, look).filter(|object| object.inline_patch.is_none()) {
            bases.entry(base.sought).or_default().push(base);
        }
    }
    let graph = Graph::among(looks);
    for (host, look) in naming {
        let reach = LazyCell::new(|| graph.reach(look.file()));
        let named =
            look.patches().iter().filter_map(|patch| Some((*numbers.get(patch.file.as_str())?, patch.target.as_ref())));
        let in_file = |(number, target)| objects(number, &looks[number]).map(move |object| (object, target));
        let of_files = named.flat_map(in_file).filter(|(object, _)| object.inline_patch.is_none());
        let inline = objects(host, look).filter_map(|object| Some((object.inline_patch?.target.as_ref(), object)));
        let inline = inline.map(|(target, object)| (object, target));
        for (patch, target) in of_files.chain(inline) {
            let folder = patch
                .inline_patch
                .and_then(|inline_patch| inline_patch.folder.as_deref())
                .map(|folder| graph.reach_of_folder(folder));
            let is_reached = |file: &str| match &folder {
                Some(folder) => folder.has(file),
                None => reach.contains(file),
            };
            let found =
                patch.bases(target, &bases, &graph).into_iter().filter(|base| is_reached(looks[base.spot.0].file()));
            ties.extend(found.map(|base| [patch.spot, base.spot]));
        }
    }
    ties.into_iter().collect()
}

/// Returns the objects of the file with this number; without a name, it is empty.
fn objects<'a>(number: usize, look: &'a Look<'_>) -> impl Iterator<Item = Met<'a>> {
    let (plans, manifest) = match look {
        Look::Alone(part) => (part.objects.as_slice(), None),
        Look::Open(manifest) => (&[][..], Some(*manifest)),
    };
    let planned = plans.iter().enumerate().map(move |(at, plan)| {
        let sought = (&plan.from.0, &plan.from.1, plan.name.as_deref().unwrap_or_default());
        Met { spot: (number, at), sought, namespace: None, inline_patch: None }
    });
    let open = manifest.into_iter().flat_map(|manifest| manifest.objects.iter().map(move |object| (manifest, object)));
    planned.chain(open.enumerate().map(move |(at, (manifest, object))| {
        let sought = (&object.kind, &object.api_version, object.name.as_deref().unwrap_or_default());
        let (namespace, inline_patch) = (
            object.namespace.as_deref(),
            object.inline_patch.map(|inline_patch| &manifest.inline_patches[inline_patch]),
        );
        Met { spot: (number, at), sought, namespace, inline_patch }
    }))
}

/// Returns the two sides of each tie among `looks`.
pub(super) fn sides<'a>(looks: &'a [Look<'a>]) -> Vec<[Side<'a>; 2]> {
    let ties = ties(looks);
    let mut opened = 0;
    let numbers: Vec<usize> = looks
        .iter()
        .map(|look| {
            let number = opened;
            opened += usize::from(matches!(look, Look::Open(_)));
            number
        })
        .collect();
    let side = |(number, at): Spot| match &looks[number] {
        Look::Alone(part) => Side::Alone(&part.objects[at]),
        Look::Open(_) => Side::Open((numbers[number], at)),
    };
    ties.into_iter().map(|tie| tie.map(side)).collect()
}

impl Run<'_> {
    /// Lets a patch follow what it patches into another namespace, where both had one before: without a namespace, or in the
    /// same.
    pub(super) fn with_its_base(&self, id: Id, made: Option<Conversion>, held: &Held) -> Option<Conversion> {
        let object = self.object(id);
        let into = |[patch, base]: &[Side<'_>; 2]| match (patch, base) {
            (Side::Open(patch), Side::Open(base)) if *patch == id && !self.is_held(*base, held) => {
                let made = self.converted[base.0][base.1].as_ref()?;
                let before = self.object(*base).namespace.as_deref();
                (before == object.namespace.as_deref() && made.namespace() != before).then(|| made.namespace())
            }
            _ => None,
        };
        let Some(namespace) = self.ties.iter().find_map(into) else { return made };
        let mut made = made.unwrap_or_else(|| Conversion::untouched(object));
        let mut session = Session::new(made.value.clone());
        let metadata = FieldPath::default().key("metadata");
        let intents = made.namespace().map(|_| Intent::Delete { path: metadata.key("namespace") });
        let place = Place::After("name".to_owned());
        let insert = namespace.map(|name| Intent::Insert {
            path: metadata,
            key: "namespace".to_owned(),
            value: Value::from(name),
            place,
        });
        for intent in intents.into_iter().chain(insert) {
            if let Err(halt) = session.change(intent) {
                made.blocks.extend(super::object::stuck(halt));
                return Some(made);
            }
        }
        let (value, program, _) = session.finish();
        made.value = value;
        made.program.extend(program);
        Some(made)
    }

    /// Holds back tied objects whose ways part, where they change; says whether there were any.
    pub(super) fn hold_tied(&self, held: &mut Held) -> bool {
        let mut more = Held::new();
        for [patch, base] in &self.ties {
            let (of_patch, of_base) = (self.fate(*patch, held), self.fate(*base, held));
            if of_patch == of_base {
                continue;
            }
            for (this, fate, other, words) in
                [(patch, &of_patch, base, "it is merged into"), (base, &of_base, patch, "it is patched by")]
            {
                let Side::Open(id) = *this else { continue };
                let object = self.object(id);
                if *fate == (object.kind.clone(), object.api_version.clone()) {
                    continue;
                }
                let (title, place, becomes) = self.told(*other, held);
                let message = format!(
                    "{words} {title} at {place}, which {becomes}; what Kustomize merges would no longer be of one version"
                );
                let (help, severity) = match self.stays(*other, held) && self.only_takes_a_version(id) {
                    // The target serves the version of both.
                    true => (None, Severity::Note),
                    false => {
                        (Some("settle what is told about the other object, or change both by hand"), Severity::Held)
                    }
                };
                let (path, help) = (FieldPath::default(), help.map(str::to_owned));
                let remark = Remark { code: Code::ConvertsTogether, path, message, help };
                more.insert(id, finding(self.manifests[id.0], object, &remark, severity));
            }
        }
        let any = !more.is_empty();
        held.extend(more);
        any
    }

    /// Says whether nothing becomes of a tied object, which nothing holds back.
    fn stays(&self, side: Side<'_>, held: &Held) -> bool {
        match side {
            Side::Alone(plan) => plan.outcome == Outcome::Unchanged,
            Side::Open(id) => {
                let made = self.converted[id.0][id.1].as_ref();
                !self.is_held(id, held) && made.is_none_or(|made| made.program.is_empty())
            }
        }
    }

    /// Says whether another apiVersion is all that an object would get.
    pub(super) fn only_takes_a_version(&self, id: Id) -> bool {
        let made = self.converted[id.0][id.1].as_ref();
        made.is_some_and(|made| made.kind == self.object(id).kind && made.program.len() == 1 && made.rules.is_empty())
    }

    /// Returns the kind and apiVersion of a tied object afterwards.
    fn fate(&self, side: Side<'_>, held: &Held) -> (GroupKind, ApiVersion) {
        let id = match side {
            Side::Alone(plan) => return plan.to.clone(),
            Side::Open(id) => id,
        };
        let object = self.object(id);
        let made = self.converted[id.0][id.1].as_ref().filter(|_| !self.is_held(id, held));
        let version = made.and_then(|made| made.value.get("apiVersion")).and_then(Value::as_str);
        let kind = made.map_or(&object.kind, |made| &made.kind).clone();
        (kind, version.map_or_else(|| object.api_version.clone(), ApiVersion::parse))
    }

    /// Returns the title and place of a tied object, and what becomes of it: the rest of a sentence.
    fn told(&self, side: Side<'_>, held: &Held) -> (String, Location, String) {
        let (title, place, from) = match side {
            Side::Alone(plan) => (plan.title.clone(), plan.location.clone(), plan.from.clone()),
            Side::Open(id) => {
                let object = self.object(id);
                (object.title(), self.place(id), (object.kind.clone(), object.api_version.clone()))
            }
        };
        let fate = self.fate(side, held);
        let becomes = match fate == from {
            true => "stays as it is".to_owned(),
            false => format!("becomes {} of {}", fate.0.kind, fate.1),
        };
        (title, place, becomes)
    }
}

//! Which objects that no pack of the run knows can selectors of Kustomize select?
//!
//! A selector without a group selects objects of any. Files with objects of other groups alone are not read, but for this: those that such a
//! selector selects from, where the conversion changes what it selects. One that cannot be read can have any object.
//!
//! Invariant: what is here is not converted, so that it is selected after the conversion just as before.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::run::Run;
use super::survey::{FileSurvey, ObjectSurvey, OtherObject};
use crate::engine::manifest::{Folder, Selector, is_list};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::Entries;
use crate::syntax::yaml::read_documents;

/// What shows which files a selector selects from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin<'o> {
    /// The kustomizations that work with it.
    Kustomizations(Vec<&'o str>),
    Folder(Folder),
}

/// What selectors select from.
#[derive(Default)]
pub(super) struct Reach<'a> {
    pub(super) files: BTreeSet<&'a str>,
    /// The kustomizations that take the files in.
    pub(super) kustomizations: BTreeSet<&'a str>,
}

impl<'a> Reach<'a> {
    pub(super) fn of(run: &Run<'a>, origin: &Origin<'_>) -> Self {
        let hosts: Vec<&str> = match origin {
            Origin::Kustomizations(hosts) => hosts.iter().filter_map(|host| run.graph.name(host)).collect(),
            Origin::Folder(folder) => run.graph.of_folder(folder).collect(),
        };
        let (files, kustomizations): (Vec<_>, Vec<_>) = hosts.into_iter().map(|host| run.graph.taken_in(host)).unzip();
        let [mut files, kustomizations]: [BTreeSet<&str>; 2] =
            [files, kustomizations].map(|all| all.into_iter().flatten().collect());
        if let Origin::Folder(folder) = origin {
            let below = run.graph.reach_of_folder(folder);
            files.extend(run.files.iter().map(|file| &*file.file).filter(|file| below.has(file)));
        }
        Self { files, kustomizations }
    }

    /// Returns all files.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a str> {
        self.files.union(&self.kustomizations).copied()
    }
}

/// Returns the files in which objects of other groups can be that count for a selector.
pub(crate) fn files_to_read<'r>(run: &'r Run<'_>) -> BTreeSet<&'r str> {
    // A kustomization can have as many selectors as it takes in objects.
    let mut by_origin: BTreeMap<Origin<'_>, Vec<&Selector>> = BTreeMap::new();
    for file in run.files {
        let selectors = file.names.iter().flat_map(|names| &names.selectors);
        for one in selectors.filter(|one| is_open(run, &one.selector)) {
            let origin = match &one.folder {
                Some(folder) => Origin::Folder(folder.clone()),
                None => Origin::Kustomizations(run.graph.hosts_of(&file.file)),
            };
            by_origin.entry(origin).or_default().push(&one.selector);
        }
    }
    let mut found = BTreeSet::new();
    for (origin, selectors) in by_origin {
        let reach = Reach::of(run, &origin);
        let files = reach.files.iter().filter_map(|file| run.number(file)).map(|number| &run.files[number]);
        let mut outdated = files.flat_map(|file| file.objects.iter().filter(|object| is_outdated(run, file, object)));
        if outdated.any(|object| selectors.iter().any(|selector| changes(run, selector, object))) {
            found.extend(reach.all());
        }
    }
    found
}

/// Returns whether the conversion changes the version or the kind of an object.
fn is_outdated(run: &Run<'_>, file: &FileSurvey, object: &ObjectSurvey) -> bool {
    run.targets.is_outdated(&object.kind, &object.api_version.version, &file.file)
}

/// Returns whether the conversion can change what a selector has to say of an object, which is outdated, that it selects.
fn changes(run: &Run<'_>, selector: &Selector, object: &ObjectSurvey) -> bool {
    selector.selects(&object.kind, &object.api_version)
        && (selector.gives_version() || run.targets.renames.contains_key(&object.kind))
}

/// Returns whether a selector can select objects of groups that no pack of the run knows.
pub(super) fn is_open(run: &Run<'_>, selector: &Selector) -> bool {
    !selector.gives_group(|group: &str| run.targets.goal.target_of(group).is_some())
}

/// Finds the objects in a text of a file that the run does not convert, what a kustomization generates included; `None` where the text is
/// no YAML. Of what the run converts, that is a template.
pub(crate) fn in_text(run: &Run<'_>, file: &str, text: &str) -> Option<Vec<OtherObject>> {
    let Some(documents) = read_documents(text) else { return run.number(file).map(|_| Vec::new()) };
    if run.graph.name(file).is_some() {
        let generated = [("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")];
        let of_list = |document: &Value, (list, kind): (&str, &str)| {
            let names = document.items(list).iter().map(|one| one.text("name").unwrap_or_default().to_owned());
            let version = ApiVersion::parse("v1");
            let made = |name| OtherObject { kind: GroupKind::new(kind, ""), api_version: version.clone(), name };
            names.map(made).collect::<Vec<_>>()
        };
        return Some(documents.iter().flat_map(|one| generated.map(|list| of_list(one, list))).flatten().collect());
    }
    let objects = documents.iter().flat_map(|document| match is_list(document) {
        true => document.items("items"),
        false => std::slice::from_ref(document),
    });
    let other = |object: &Value| {
        let (kind, api_version) = (object.text("kind")?, ApiVersion::parse(object.text("apiVersion")?));
        let name = object.get("metadata").and_then(|metadata| metadata.text("name")).unwrap_or_default().to_owned();
        let kind = GroupKind::new(kind, api_version.group.clone());
        run.targets.goal.target_of(&kind.group).is_none().then_some(OtherObject { kind, api_version, name })
    };
    Some(objects.filter_map(other).collect())
}

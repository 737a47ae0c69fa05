//! Answers: what does a kustomization change in known objects?
//!
//! It gathers files and may put their objects into a namespace ([`Kustomization`]). It names files that are merged into other
//! objects ([`patches`]), and files with replacements.
//!
//! Invariant: a kustomization is recognized by its file name, as Kustomize does.

use std::collections::BTreeSet;

use serde_json::Value;

use super::recognizer::Recognizer;
use super::selector::Selector;
use crate::engine::finding::{Code, Finding, Location, Severity};
use crate::syntax::field::{Entries, FieldPath};
use crate::syntax::yaml::{self, read_value};

/// What a kustomization makes of other files; all of them as seen from where it is seen from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kustomization {
    /// The namespace that it gives every object, whatever the object has: `namespace: shop`.
    pub namespace: Option<String>,
    /// The prefix and suffix that it adds to every name.
    pub affixes: [String; 2],
    /// The files and folders that it includes.
    pub resources: Vec<String>,
    /// Whether it includes what is in no file: what it fetches, or renders from charts.
    pub(crate) has_unseen: bool,
    /// Whether it works on what others include.
    pub(crate) is_component: bool,
    /// The folders whose kustomizations work on what it includes.
    pub components: Vec<String>,
    /// The files of its replacements, each with the number of its entry.
    pub replacements: Vec<(usize, String)>,
    /// The files and folders of its transformers, each with the number of its entry.
    pub transformers: Vec<(usize, String)>,
    /// Whether it names fields of objects itself: in replacements, variables, labels or transformers.
    pub(crate) names_fields: bool,
    /// The places of the labels that it writes to selectors or templates: `commonLabels`, `labels[0]`.
    pub(crate) label_places: Vec<FieldPath>,
    /// The configurations of its transformers, each with the number of its entry.
    pub configurations: Vec<(usize, String)>,
    /// The places that name what is not read: files with names that no run reads, and keys in other letters, which
    /// Kustomize accepts.
    pub(crate) unread: Vec<FieldPath>,
    /// The files that it makes ConfigMaps and Secrets of, each with what is made: `ConfigMap settings`.
    pub(crate) data: Vec<(String, String)>,
    /// Whether it has a schema of its own, which changes how lists are merged.
    pub(crate) has_schema: bool,
}

/// A file that a kustomization merges into other objects.
#[derive(Clone, Debug)]
pub struct PatchFile {
    /// The file, as seen from where the kustomization is seen from.
    pub file: String,
    /// What it patches, if a selector next to it is given.
    pub target: Option<Selector>,
    /// The place in the kustomization that names it: `patches[2]`.
    pub place: FieldPath,
    /// The path as it is written there.
    pub path: String,
    /// What it may change besides fields.
    pub(crate) options: PatchOptions,
}

/// What a strategic merge patch may change of what Kustomize finds an object by.
///
/// Source: Kustomize reference, `options` of `patches`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PatchOptions {
    pub(crate) allows_name_change: bool,
    pub(crate) allows_kind_change: bool,
}

impl PatchOptions {
    /// Reads the options of an entry of a list of patches.
    pub(crate) fn read(entry: &Value) -> Self {
        let is_set =
            |key: &str| entry.entry("options").and_then(|options| options.entry(key)) == Some(&Value::Bool(true));
        Self { allows_name_change: is_set("allowNameChange"), allows_kind_change: is_set("allowKindChange") }
    }
}

impl Kustomization {
    /// Reads the kustomization in `file`.
    ///
    /// Source: Kustomize reference, `resources`, `bases` (their old name), `components`, `namespace`, `namePrefix`, `nameSuffix`.
    pub(super) fn read(file: &str, value: &Value) -> Self {
        let texts = |keys: &'static [&str]| {
            let lists = keys.iter().filter_map(|key| value.entry(key).and_then(Value::as_array));
            lists.flatten().filter_map(Value::as_str)
        };
        let items = |key: &str| value.items(key).iter();
        let (unread, label_places) = (unread(value), label_places(value));
        let paths = |keys| texts(keys).map(|path| join(folder(file), path)).collect();
        let text = |key: &str| value.text(key).unwrap_or_default().to_owned();
        let namespace = value.text("namespace").filter(|name| !name.is_empty()).map(str::to_owned);
        let later = texts(&["transformers"]).filter_map(namespace_of_text).next_back();
        Self {
            namespace: later.or(namespace),
            affixes: ["namePrefix", "nameSuffix"].map(text),
            resources: paths(&["resources", "bases"]),
            has_unseen: texts(&["resources", "bases", "components"]).any(is_remote)
                || RENDERED.iter().any(|key| value.entry(key).is_some()),
            is_component: value.text("kind") == Some("Component"),
            components: paths(&["components"]),
            replacements: files(file, value, "replacements"),
            transformers: files(file, value, "transformers"),
            names_fields: !unread.is_empty()
                || !label_places.is_empty()
                || ["replacements", "transformers", "configurations", "vars"]
                    .iter()
                    .any(|key| value.entry(key).is_some())
                || items("labels").any(|label| label.entry("fields").is_some()),
            label_places,
            configurations: files(file, value, "configurations"),
            unread,
            data: data(file, value),
            has_schema: value.entry("openapi").is_some_and(|schema| schema.entry("path").is_some()),
        }
    }

    /// Reads what a builtin transformer does that kustomizations can do by a field of their own: namespaces, prefixes and suffixes.
    ///
    /// Source: Kustomize, `NamespaceTransformer`, `PrefixTransformer`, `SuffixTransformer`.
    pub(super) fn of_transformer(value: &Value) -> Self {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let is = |kind: &str| value.text("kind") == Some(kind);
        let namespace = value
            .entry("metadata")
            .and_then(|metadata| metadata.entry("namespace"))
            .filter(|_| is("NamespaceTransformer"));
        Self {
            namespace: Some(text(namespace)).filter(|name| !name.is_empty()),
            affixes: [
                text(value.entry("prefix").filter(|_| is("PrefixTransformer"))),
                text(value.entry("suffix").filter(|_| is("SuffixTransformer"))),
            ],
            ..Self::default()
        }
    }

    /// Returns the files and folders that it names, apart from those of patches.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &String> {
        let numbered = [&self.replacements, &self.transformers, &self.configurations];
        let numbered = numbered.into_iter().flatten().map(|(_, path)| path);
        self.resources.iter().chain(&self.components).chain(numbered)
    }

    /// Names `name` instead of `path`.
    pub(crate) fn rename(&mut self, path: &str, name: &str) {
        let numbered = [&mut self.replacements, &mut self.transformers, &mut self.configurations];
        let numbered = numbered.into_iter().flatten().map(|(_, path)| path);
        let paths = self.resources.iter_mut().chain(&mut self.components).chain(numbered);
        paths.filter(|one| *one == path).for_each(|one| name.clone_into(one));
    }

    /// Returns the folder of the kustomization in `file`, as [`Kustomization::resources`] names folders; nothing for a file that
    /// is none.
    pub fn folder(file: &str) -> Option<String> {
        is_one(file).then(|| join(folder(file), ""))
    }

    /// Returns every path that the kustomization in `file` may name, where its text cannot be parsed: any word of it. Nothing for a
    /// file that is none, or a template.
    pub fn mentions(file: &str, bytes: &[u8]) -> BTreeSet<String> {
        // Nearly every file that is read comes here, and nearly none is one.
        if !is_one(file) {
            return BTreeSet::new();
        }
        let text = String::from_utf8_lossy(bytes);
        if text.contains("{{") {
            return BTreeSet::new();
        }
        let is_between = |character: char| character.is_whitespace() || "\"',[]{}".contains(character);
        let words = text.split(is_between).filter(|word| !word.is_empty() && *word != "-" && !word.starts_with('#'));
        words.map(|word| join(folder(file), word)).collect()
    }

    /// Returns the name of `file` in a folder that a kustomization names.
    pub(crate) fn in_folder(folder: &str, file: &str) -> String {
        join(folder, file)
    }

    /// Returns the file that the kustomization in `file` calls `path`, as seen from where the kustomization is seen from.
    pub fn beside(file: &str, path: &str) -> String {
        join(folder(file), path)
    }
}

/// Returns the folder of `file` with its separator; nothing for a file of the current folder.
fn folder(file: &str) -> &str {
    file.rfind(['/', '\\']).map_or("", |at| &file[..=at])
}

/// The names of the files that Kustomize reads as kustomizations.
pub(crate) const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Returns whether Kustomize reads `file` as a kustomization.
pub(super) fn is_one(file: &str) -> bool {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    KUSTOMIZATIONS.contains(&name)
}

/// Returns the files that a kustomization or a builtin transformer merges into other objects, as seen from where `file` is seen from.
pub(super) fn patches(file: &str, kustomization: &Value) -> Vec<PatchFile> {
    let list = |key: &'static str| {
        let items = kustomization.items(key).iter().enumerate();
        items.map(move |(index, item)| (FieldPath::default().key(key).index(index), item))
    };
    let targeted = list("patches").chain(list("patchesJson6902"));
    let targeted = targeted.filter_map(|(place, patch)| Some((place, patch.get("path")?, patch)));
    // A builtin transformer names patches too.
    let is_builtin = kustomization.text("apiVersion") == Some("builtin");
    let own = is_builtin.then(|| (FieldPath::default().key("path"), kustomization));
    let own = own.and_then(|(place, own)| Some((place, own.get("path")?, own)));
    let merges = list("paths").filter(|_| is_builtin).map(|(place, path)| (place, path, &Value::Null));
    let targeted = targeted.chain(own).chain(merges);
    let plain = list("patchesStrategicMerge").map(|(place, path)| (place, path, &Value::Null));
    let named = plain.chain(targeted).filter_map(|(place, path, entry)| Some((place, path.as_str()?, entry)));
    let named = named.filter(|(_, path, _)| !is_text(path));
    named
        .map(|(place, path, entry)| PatchFile {
            file: join(folder(file), path),
            target: Selector::read(entry),
            place,
            path: path.to_owned(),
            options: PatchOptions::read(entry),
        })
        .collect()
}

/// The keys of a kustomization whose objects charts render.
///
/// Source: Kustomize reference, `helmCharts`, `helmChartInflationGenerator` (its old name).
const RENDERED: [&str; 2] = ["helmCharts", "helmChartInflationGenerator"];

/// Returns whether a kustomization fetches what it includes under this name.
///
/// Source: Kustomize, the URLs of remote files and of repositories.
fn is_remote(path: &str) -> bool {
    path.contains("://") || path.starts_with("git@")
}

/// The keys of a kustomization that decide what is built.
const KEYS: [&str; 16] = [
    "resources",
    "bases",
    "components",
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "replacements",
    "vars",
    "transformers",
    "configurations",
    "namespace",
    "namePrefix",
    "nameSuffix",
    "labels",
    "commonLabels",
    "openapi",
];

/// Returns the places in a kustomization that name what is not read: keys in other letters, and patches in files that no run reads. A
/// patch with a target is known by that, and other files that are named must be in the run.
fn unread(kustomization: &Value) -> Vec<FieldPath> {
    let is_miscased =
        |key: &&String| !KEYS.contains(&key.as_str()) && KEYS.iter().any(|known| known.eq_ignore_ascii_case(key));
    let keys = kustomization.as_object().into_iter().flat_map(|map| map.keys()).filter(is_miscased);
    let mut found: Vec<FieldPath> = keys.map(|key| FieldPath::default().key(key)).collect();
    for key in ["patches", "patchesStrategicMerge"] {
        let list = FieldPath::default().key(key);
        let items = list.items(kustomization).iter().enumerate();
        let path = |item: &Value| item.entry("path").unwrap_or(item).as_str().map(str::to_owned);
        let is_unread = |item: &Value| item.entry("target").is_none() && path(item).is_some_and(|path| !is_read(&path));
        found.extend(items.filter(|(_, item)| is_unread(item)).map(|(index, _)| list.index(index)));
    }
    found
}

/// Returns the files that the generators of a kustomization read, each with what is made of it.
///
/// Source: Kustomize reference, `configMapGenerator`, `secretGenerator`: `files`, where a key may stand before the path, `envs`, `env`.
fn data(file: &str, kustomization: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (key, kind) in [("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")] {
        for generator in kustomization.items(key) {
            let title = format!("{kind} {}", generator.text("name").unwrap_or_default());
            let files = generator.items("files").iter().filter_map(Value::as_str);
            let files = files.map(|text| text.split_once('=').map_or(text, |(_, path)| path));
            let lines = generator.items("envs").iter().filter_map(Value::as_str).chain(generator.text("env"));
            found.extend(files.chain(lines).map(|path| (join(folder(file), path), title.clone())));
        }
    }
    found
}

/// Returns the places of the labels that a kustomization writes to selectors or templates too.
fn label_places(kustomization: &Value) -> Vec<FieldPath> {
    let list = FieldPath::default().key("labels");
    let is_set = |entry: &Value, key: &str| entry.entry(key) == Some(&Value::Bool(true));
    let items = list.items(kustomization).iter().enumerate();
    let writes = |entry: &Value| ["includeSelectors", "includeTemplates"].iter().any(|key| is_set(entry, key));
    let mut found: Vec<FieldPath> =
        items.filter(|(_, entry)| writes(entry)).map(|(index, _)| list.index(index)).collect();
    let common = FieldPath::default().key("commonLabels");
    let has_common = common.get(kustomization).and_then(Value::as_object).is_some_and(|map| !map.is_empty());
    found.extend(has_common.then_some(common));
    found
}

/// Returns whether a run reads a file or folder of this name in the folders that it is passed, unless that is ignored.
fn is_read(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let is_hidden = path.split('/').any(|part| part.starts_with('.') && !matches!(part, "." | ".."));
    is_text(path) || !is_hidden && extension.is_none_or(|extension| ["yaml", "yml", "json"].contains(&extension))
}

/// Returns the files that a list of a kustomization names, each with the number of its entry.
fn files(file: &str, kustomization: &Value, key: &str) -> Vec<(usize, String)> {
    let entries = kustomization.items(key).iter().enumerate();
    let named = entries.filter_map(|(index, entry)| Some((index, entry.entry("path").unwrap_or(entry).as_str()?)));
    let named = named.filter(|(_, path)| !is_text(path));
    named.map(|(index, path)| (index, join(folder(file), path))).collect()
}

/// Returns the namespace that the text of a transformer gives, after that of the kustomization.
fn namespace_of_text(text: &str) -> Option<String> {
    let tree = yaml::parse(Some(text).filter(|text| is_text(text))?).ok()?;
    let values = tree.documents().iter().filter_map(|document| read_value(&tree, text, document.root).ok());
    values.filter_map(|value| Kustomization::of_transformer(&value).namespace).next_back()
}

/// Returns whether what can be a patch or the name of its file is a patch.
pub(super) fn is_text(patch: &str) -> bool {
    patch.contains(['\n', '{'])
}

/// Reports a kustomization with patches in `file`, which Kustomize does not take for one by its name; `locate` returns the location of a
/// field.
pub(super) fn misnamed(file: &str, document: &Value, locate: &dyn Fn(&FieldPath) -> Location) -> Option<Finding> {
    let is_named = document.text("apiVersion").unwrap_or_default().starts_with("kustomize.config.k8s.io/")
        && ["Kustomization", "Component"].contains(&document.text("kind").unwrap_or_default());
    if !is_named {
        return None;
    }
    let lists = ["patches", "patchesStrategicMerge", "patchesJson6902"];
    let list = lists.into_iter().find(|key| document.entry(key).is_some())?;
    let message = "the document is a kustomization, but Kustomize does not read files of this name; its patches are not converted";
    let help = if file == "-" {
        "pass the folder of the kustomization instead"
    } else {
        "rename the file to kustomization.yaml if Kustomize should read it"
    };
    let path = FieldPath::default().key(list);
    Some(Finding::new(locate(&path), Code::InlinePatch, Severity::Warning, message).at(path).help(help))
}

/// Joins a relative path to a folder, taking `.` and `..` out.
pub(super) fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let root = if folder.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// Returns whether a selector can select a known object.
pub(super) fn selects(selector: &Value, recognizer: &Recognizer) -> bool {
    selector.text("kind").is_some_and(|kind| recognizer.is_known_kind(selector.text("group"), kind))
}

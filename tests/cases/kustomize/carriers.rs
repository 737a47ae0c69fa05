//! Answers: in which places of a repository can a patch or a field path be?
//!
//! Invariant: every carrier has one name, under which it is counted.

use serde_json::{Value, json};

use super::draft::{Draft, Shape};
use super::fields;
use super::identities::{self, Identity};
use super::patches::{self, Op, Target};
use super::paths::{self, Configuration, Replacement, Variable};
use super::transformers::{self, Transformer};
use super::tree::{File, Style, embedded};
use crate::support::random::Random;

/// Something that holds patches or field paths, or a layer above the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// A JSON patch in this place, with any operation and target.
    Json(Place),
    /// This operation, in any place.
    Operation(Op),
    /// This target, in any place.
    Selector(Target),
    Merge(Merge),
    /// Several patches of one object in one kustomization.
    Several,
    /// One file that two patches of a kustomization name.
    SharedFile,
    /// Patches of one object in two layers.
    Layers,
    Replacement(Replacement),
    Variable(Variable),
    Configuration(Configuration),
    Transformer(Transformer),
    /// A schema with a merge key for the kind.
    OpenApi,
    Shape(Shape),
    /// A field of the kustomization that changes objects.
    Change(Change),
    /// A patch or replacement that writes what selects the object.
    Identity(Identity),
    /// A base that another layer completes.
    Incomplete,
    /// An object of another pack.
    OtherPack,
}

/// Where a JSON patch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    InlineYaml,
    InlineJson,
    /// JSON in one line, in quotes.
    InlineJsonLine,
    InlineFlow,
    FileYaml,
    FileFlow,
    FileJson,
    OldInline,
    OldFile,
    /// In a kustomization that is written in brackets.
    FlowList,
}

/// Where a strategic merge patch is, and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    Inline,
    InlineJson,
    InlineWithTarget,
    File,
    FileWithTarget,
    OldFile,
    OldInline,
    /// A file with patches of two objects.
    SeveralDocuments,
    /// `$patch: delete` removes the object.
    Delete,
    /// `$patch: replace` in a mapping.
    Replace,
    /// `null` removes a field.
    Null,
}

/// A field of a kustomization that changes every object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    NamePrefix,
    NameSuffix,
    Namespace,
    CommonLabels,
    Labels,
    CommonAnnotations,
}

impl Carrier {
    /// Every carrier, with its name.
    pub(crate) fn all() -> Vec<(String, Self)> {
        let mut all = Vec::new();
        let mut add = |word: &str, detail: String, carrier| all.push((format!("{word} {detail}"), carrier));
        use Place::{FileFlow, FileJson, FileYaml, FlowList, InlineFlow, InlineJson, InlineJsonLine, InlineYaml};
        for place in [
            InlineYaml,
            InlineJson,
            InlineJsonLine,
            InlineFlow,
            FileYaml,
            FileFlow,
            FileJson,
            FlowList,
            Place::OldInline,
            Place::OldFile,
        ] {
            add("JSON patch", format!("{place:?}"), Self::Json(place));
        }
        Op::ALL.into_iter().for_each(|op| add("operation", format!("{op:?}"), Self::Operation(op)));
        Target::ALL.into_iter().for_each(|target| add("target", format!("{target:?}"), Self::Selector(target)));
        use Merge::{Delete, File, FileWithTarget, Inline, InlineWithTarget, Null, Replace, SeveralDocuments};
        let merges =
            [Inline, Merge::InlineJson, InlineWithTarget, File, FileWithTarget, Merge::OldFile, Merge::OldInline];
        for merge in merges.into_iter().chain([SeveralDocuments, Delete, Replace, Null]) {
            add("merge patch", format!("{merge:?}"), Self::Merge(merge));
        }
        add("patches", "Several".to_owned(), Self::Several);
        add("patches", "SharedFile".to_owned(), Self::SharedFile);
        add("patches", "Layers".to_owned(), Self::Layers);
        Replacement::ALL.into_iter().for_each(|way| add("replacement", format!("{way:?}"), Self::Replacement(way)));
        Variable::ALL.into_iter().for_each(|way| add("variable", format!("{way:?}"), Self::Variable(way)));
        Configuration::ALL
            .into_iter()
            .for_each(|way| add("configuration", format!("{way:?}"), Self::Configuration(way)));
        Transformer::ALL.into_iter().for_each(|way| add("transformer", format!("{way:?}"), Self::Transformer(way)));
        add("openapi", "MergeKey".to_owned(), Self::OpenApi);
        Shape::ALL.into_iter().for_each(|shape| add("shape", format!("{shape:?}"), Self::Shape(shape)));
        use Change::{CommonAnnotations, CommonLabels, Labels, NamePrefix, NameSuffix, Namespace};
        for change in [NamePrefix, NameSuffix, Namespace, CommonLabels, Labels, CommonAnnotations] {
            add("change", format!("{change:?}"), Self::Change(change));
        }
        Identity::ALL.into_iter().for_each(|way| add("identity", format!("{way:?}"), Self::Identity(way)));
        add("base", "Incomplete".to_owned(), Self::Incomplete);
        add("packs", "Several".to_owned(), Self::OtherPack);
        all
    }

    /// Whether names or namespaces change, by which objects refer to each other: Kustomize does not update references between
    /// objects of these kinds, so what it builds would be broken.
    fn renames(self) -> bool {
        use Configuration::{NamePrefix, NameReference, NameReferenceByVersion, Namespace};
        match self {
            Self::Change(change) => matches!(change, Change::NamePrefix | Change::NameSuffix | Change::Namespace),
            Self::Configuration(way) => {
                matches!(way, NamePrefix | NameReference | NameReferenceByVersion | Namespace)
            }
            Self::Shape(shape) => shape == Shape::Diamond,
            Self::Identity(_) => true,
            _ => false,
        }
    }

    /// Adds the carrier to a layer; `None` if it does not fit the sample.
    pub(crate) fn add(self, draft: &mut Draft<'_>, layer: usize, random: &mut Random) -> Option<()> {
        if self.renames() && !draft.sample.beside.is_empty() {
            return None;
        }
        match self {
            Self::Json(place) => json_patch(draft, layer, random, (Some(place), None, None)),
            Self::Operation(op) => json_patch(draft, layer, random, (None, Some(op), None)),
            Self::Selector(target) => json_patch(draft, layer, random, (None, None, Some(target))),
            Self::Merge(merge) => merge_patch(draft, layer, random, merge),
            Self::Several => {
                json_patch(draft, layer, random, (Some(Place::InlineYaml), Some(Op::ReplaceLeaf), None))?;
                json_patch(draft, layer, random, (None, Some(Op::Test), None));
                merge_patch(draft, layer, random, Merge::File)
            }
            Self::SharedFile => {
                json_patch(draft, layer, random, (Some(Place::FileYaml), Some(Op::ReplaceLeaf), None))?;
                let mut again = draft.layers[layer].fields["patches"].as_array()?.last()?.clone();
                again["target"] = Target::Labels.selector(draft)?;
                draft.layers[layer].push("patches", again);
                Some(())
            }
            Self::Layers => {
                let upper = (layer + 1).min(draft.layers.len() - 1);
                json_patch(draft, layer, random, (None, Some(Op::ReplaceLeaf), None))?;
                json_patch(draft, upper, random, (None, Some(Op::ReplaceMapping), None))
            }
            Self::Replacement(way) => paths::replacement(draft, layer, random, way),
            Self::Variable(way) => paths::variable(draft, layer, random, way),
            Self::Configuration(way) => paths::configuration(draft, layer, random, way),
            Self::Transformer(way) => transformers::add(draft, layer, random, way),
            Self::OpenApi => open_api(draft, layer),
            Self::Shape(_) => json_patch(draft, layer, random, (None, None, None)),
            Self::Identity(way) => identities::write(draft, layer, random, way),
            Self::Incomplete => identities::complete(draft, layer, random),
            Self::OtherPack => {
                identities::add_of_other_pack(draft, random)?;
                json_patch(draft, layer, random, (None, None, None))
            }
            Self::Change(change) => {
                change_all(draft, layer, change);
                json_patch(draft, layer, random, (None, None, None))
            }
        }
    }
}

/// Picks a place where a patch with this target can be.
fn any_place(random: &mut Random, target: Option<Target>) -> Place {
    use Place::{FileJson, FileYaml, FlowList, InlineFlow, InlineJson, InlineYaml, OldFile, OldInline};
    if target.is_none() && random.chance(20) {
        return *random.pick(&[OldInline, OldFile]);
    }
    *random.pick(&[InlineYaml, InlineYaml, InlineJson, InlineFlow, FileYaml, FileYaml, FileJson, FlowList])
}

/// Adds a JSON patch with what the caller leaves open chosen at random.
fn json_patch(
    draft: &mut Draft<'_>,
    layer: usize,
    random: &mut Random,
    (place, op, target): (Option<Place>, Option<Op>, Option<Target>),
) -> Option<()> {
    let place = place.unwrap_or_else(|| any_place(random, target));
    let is_old = matches!(place, Place::OldInline | Place::OldFile);
    let op = op.unwrap_or_else(|| *random.pick(&Op::ALL));
    let operations = op.operations(draft, random)?;
    let choices = if is_old { &Target::FULL[..] } else { &Target::ALL[..] };
    let selector = match target {
        Some(target) => target.selector(draft)?,
        None => random.pick(choices).selector(draft).or_else(|| Target::NoVersion.selector(draft))?,
    };
    let mut entry = json!({"target": selector});
    let style = match place {
        Place::InlineJson | Place::FileJson => Style::Json,
        Place::InlineJsonLine => Style::JsonLine,
        Place::InlineFlow | Place::FileFlow => Style::Flow,
        _ => Style::Block,
    };
    if matches!(place, Place::FileYaml | Place::FileFlow | Place::FileJson | Place::OldFile) {
        let file = if let Value::Array(items) = operations { items } else { return None };
        entry["path"] = json!(draft.file(layer, "ops", vec![Value::Array(file)], style));
    } else {
        entry["patch"] = embedded(&operations, style);
    }
    if place == Place::FlowList {
        draft.layers[layer].style = Style::Flow;
    }
    draft.layers[layer].push(if is_old { "patchesJson6902" } else { "patches" }, entry);
    Some(())
}

fn merge_patch(draft: &mut Draft<'_>, layer: usize, random: &mut Random, merge: Merge) -> Option<()> {
    let patch = match merge {
        Merge::Delete => patches::partial(draft, json!({"$patch": "delete"})),
        Merge::Replace => {
            let fields = fields::all(&draft.subject);
            let is_mapping = |field: &fields::Field| field.value.is_object() && !field.is_in_list();
            let (field, mut other) = patches::pick(&fields, random, is_mapping)?;
            other["$patch"] = json!("replace");
            let fields::Step::Key(key) = field.path.get(1)? else { return None };
            let content = json!({key.as_str(): other});
            if field.path.len() == 2 { patches::partial(draft, json!({"spec": content})) } else { return None }
        }
        Merge::Null => {
            let mut paths = draft.sample.removable.iter().filter(|path| !path.contains("/0") && !path.contains("/1"));
            let mut value = Value::Null;
            for key in paths.next()?.split('/').skip(1).collect::<Vec<_>>().into_iter().rev() {
                value = json!({key: value});
            }
            patches::partial(draft, value)
        }
        _ => patches::merge_patch(draft, random)?,
    };
    let inline = embedded(&patch, if merge == Merge::InlineJson { Style::Json } else { Style::Block });
    let selector = || Target::NoVersion.selector(draft);
    match merge {
        Merge::InlineWithTarget => {
            let entry = json!({"patch": inline, "target": selector()?});
            draft.layers[layer].push("patches", entry);
        }
        Merge::FileWithTarget => {
            let target = selector()?;
            let file = draft.file(layer, "merge", vec![patch], Style::Block);
            draft.layers[layer].push("patches", json!({"path": file, "target": target}));
        }
        Merge::File => {
            let style = *random.pick(&[Style::Block, Style::Flow, Style::Json]);
            let file = draft.file(layer, "merge", vec![patch], style);
            draft.layers[layer].push("patches", json!({"path": file}));
        }
        Merge::OldFile => {
            let file = draft.file(layer, "merge", vec![patch], Style::Block);
            draft.layers[layer].push("patchesStrategicMerge", json!(file));
        }
        Merge::OldInline => draft.layers[layer].push("patchesStrategicMerge", inline),
        Merge::SeveralDocuments => {
            let settings = json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"more": "yes"},
            });
            let file = draft.file(layer, "merge", vec![settings, patch], Style::Block);
            draft.layers[layer].push("patches", json!({"path": file}));
        }
        _ => draft.layers[layer].push("patches", json!({"patch": inline})),
    }
    Some(())
}

/// Adds a schema by which a list of the kind is merged by a key, and a patch that relies on it.
fn open_api(draft: &mut Draft<'_>, layer: usize) -> Option<()> {
    let (path, key) = draft.sample.merge_keys.first()?.clone();
    let keys: Vec<&str> = path.split('/').collect();
    let fields = fields::all(&draft.subject);
    let list = fields.iter().find(|field| field.slashed() == path && field.value.is_array() && !field.is_in_list())?;
    let mut item = json!({key.as_str(): list.value[0][&key]});
    item["weight"] = json!(9);
    if let Some(hostname) = list.value[0].get("hostname") {
        item["hostname"] = json!(format!("new.{}", hostname.as_str()?));
    }
    let mut schema = json!({
        "type": "array", "x-kubernetes-patch-merge-key": key, "x-kubernetes-patch-strategy": "merge",
        "items": {"type": "object", "properties": {}},
    });
    let mut content = json!([item]);
    for key in keys.iter().rev() {
        schema = json!({"type": "object", "properties": {*key: schema}});
        content = json!({*key: content});
    }
    let ((group, version), kind) = (draft.sample.api(), draft.sample.kind());
    schema["x-kubernetes-group-version-kind"] = json!([{"group": group, "version": version, "kind": kind}]);
    let name = format!("com.example.{version}.{kind}");
    let patch = patches::partial(draft, content);
    let path = draft.fresh("schema") + ".json";
    let document = json!({"definitions": {name: schema}});
    let place = format!("{}/{path}", draft.layers[layer].folder);
    draft.files.insert(place, File::Documents(vec![document], Style::Json));
    let file = draft.file(layer, "merge", vec![patch], Style::Block);
    draft.layers[layer].fields.insert("openapi".to_owned(), json!({"path": path}));
    draft.layers[layer].push("patches", json!({"path": file}));
    Some(())
}

fn change_all(draft: &mut Draft<'_>, layer: usize, change: Change) {
    let (key, value) = match change {
        Change::NamePrefix => ("namePrefix", json!("live-")),
        Change::NameSuffix => ("nameSuffix", json!("-live")),
        Change::Namespace => ("namespace", json!("live")),
        Change::CommonLabels => ("commonLabels", json!({"team": "web"})),
        Change::Labels => ("labels", json!([{"pairs": {"team": "web"}, "includeSelectors": true}])),
        Change::CommonAnnotations => ("commonAnnotations", json!({"example.com/owner": "web"})),
    };
    draft.layers[layer].fields.insert(key.to_owned(), value);
}

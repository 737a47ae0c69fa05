//! Answers: how do patches and replacements write the name, namespace, kind or apiVersion of the object of a sample, and how do
//! later ones select it?

use serde_json::{Value, json};

use super::draft::Draft;
use super::patches::{self, Op, Target};
use super::tree::{Style, embedded};
use crate::support::random::Random;

/// What is written, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    NameByJson,
    NamespaceByJson,
    KindByJson,
    VersionByJson,
    NameByMerge,
    KindByMerge,
    NameByReplacement,
    NamespaceByReplacement,
}

impl Identity {
    pub(crate) const ALL: [Self; 8] = [
        Self::NameByJson,
        Self::NamespaceByJson,
        Self::KindByJson,
        Self::VersionByJson,
        Self::NameByMerge,
        Self::KindByMerge,
        Self::NameByReplacement,
        Self::NamespaceByReplacement,
    ];
}

/// Adds what writes the identity and, often, a patch of this layer or the next one that selects by the old or the new one.
pub(crate) fn write(draft: &mut Draft<'_>, layer: usize, random: &mut Random, way: Identity) -> Option<()> {
    let (group, _) = draft.sample.api();
    let (version, name) = (format!("{group}/v2"), draft.fresh("renamed"));
    let target = Target::NoVersion.selector(draft)?;
    let mut partial = patches::partial(draft, json!({}));
    let operation = |op: &str, path: &str, value: &str| json!([{"op": op, "path": path, "value": value}]);
    let (key, change) = match way {
        Identity::NameByJson => ("patch", operation("replace", "/metadata/name", &name)),
        Identity::NamespaceByJson => ("patch", operation("add", "/metadata/namespace", "other")),
        Identity::KindByJson => ("patch", operation("replace", "/kind", "Foo")),
        Identity::VersionByJson => ("patch", operation("replace", "/apiVersion", &version)),
        Identity::NameByMerge => {
            partial["metadata"]["name"] = json!(name);
            ("allowNameChange", partial)
        }
        Identity::KindByMerge => {
            partial["kind"] = json!("Foo");
            ("allowKindChange", partial)
        }
        Identity::NameByReplacement => ("replacement", json!("metadata.name")),
        Identity::NamespaceByReplacement => ("replacement", json!("metadata.namespace")),
    };
    match key {
        "patch" => draft.layers[layer].push("patches", json!({"target": target, key: embedded(&change, Style::Block)})),
        "replacement" => {
            let source = json!({"kind": "ConfigMap", "name": "settings", "fieldPath": "data.name"});
            let written = json!({"select": target, "fieldPaths": [change], "options": {"create": true}});
            draft.layers[layer].push("replacements", json!({"source": source, "targets": [written]}));
        }
        option => {
            let patch = embedded(&change, Style::Block);
            draft.layers[layer].push("patches", json!({"target": target, "patch": patch, "options": {option: true}}));
        }
    }
    if random.chance(65) {
        let names = [draft.name().to_owned(), name, "other".to_owned()];
        let upper = if random.chance(75) { (layer + 1).min(draft.layers.len() - 1) } else { layer };
        select(draft, upper, random, &names);
    }
    Some(())
}

/// Adds a patch of an object with one of the names; nothing where the sample has no field for it.
fn select(draft: &mut Draft<'_>, layer: usize, random: &mut Random, names: &[String]) -> Option<()> {
    let kind = if random.chance(80) { draft.sample.kind() } else { "Foo" };
    let name = random.pick(names);
    let entry = if random.chance(60) {
        let operations = random.pick(&[Op::AddLeaf, Op::ReplaceLeaf, Op::ReplaceMapping]).operations(draft, random)?;
        let target = match random.below(4) {
            0 => json!({"kind": kind}),
            1 => json!({"name": name}),
            2 => json!({"kind": kind, "name": name, "namespace": "other"}),
            _ => json!({"kind": kind, "name": name}),
        };
        json!({"target": target, "patch": embedded(&operations, Style::Block)})
    } else {
        let mut patch = patches::merge_patch(draft, random)?;
        patch["kind"] = json!(kind);
        patch["metadata"]["name"] = json!(name);
        json!({"patch": embedded(&patch, Style::Block)})
    };
    draft.layers[layer].push("patches", entry);
    Some(())
}

/// Takes a field from the base, or a value that fits it, and adds a patch of another layer that completes it.
pub(crate) fn complete(draft: &mut Draft<'_>, layer: usize, random: &mut Random) -> Option<()> {
    if draft.layers.len() < 2 {
        return None;
    }
    let fields = super::fields::all(&draft.subject);
    let outside_lists: Vec<_> = fields.iter().filter(|field| !field.is_in_list()).collect();
    let field = *random.pick(&outside_lists);
    let (parent, key) = field.pointer().rsplit_once('/').map(|(parent, key)| (parent.to_owned(), key.to_owned()))?;
    let map = draft.subject.pointer_mut(&parent)?.as_object_mut()?;
    if field.value.is_string() && random.chance(40) {
        map.insert(key, json!("REPLACE_ME"));
    } else {
        map.remove(&key);
    }
    let mut value = field.value.clone();
    let entry = if random.chance(50) {
        let operations = json!([{"op": "add", "path": field.pointer(), "value": value}]);
        json!({"target": Target::NoVersion.selector(draft)?, "patch": embedded(&operations, Style::Block)})
    } else {
        for key in field.pointer().split('/').skip(1).collect::<Vec<_>>().into_iter().rev() {
            value = json!({key: value});
        }
        json!({"patch": embedded(&patches::partial(draft, value), Style::Block)})
    };
    draft.layers[layer.max(1)].push("patches", entry);
    draft.is_incomplete = true;
    Some(())
}

/// Adds an object of another pack to the base, and its target to the run.
pub(crate) fn add_of_other_pack(draft: &mut Draft<'_>, random: &mut Random) -> Option<()> {
    let pack = |text: &str| text.split('@').next().map(str::to_owned);
    let own = pack(&draft.sample.from);
    let fits = |other: &super::samples::Sample| pack(&other.from) != own && !other.held && other.beside.is_empty();
    let others: Vec<_> = super::samples::all().into_iter().filter(fits).collect();
    let other = random.pick(&others);
    if draft.also.iter().any(|to| pack(to) == pack(&other.from)) {
        return None;
    }
    let mut object: Value = other.object.clone();
    object["metadata"]["labels"] = json!({"app": "web"});
    draft.others.push(object);
    draft.also.push(random.pick(&other.to).clone());
    Some(())
}

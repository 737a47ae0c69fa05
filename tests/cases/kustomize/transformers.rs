//! Answers: which builtin transformers patch the object of a sample or name its fields?

use serde_json::{Value, json};

use super::draft::Draft;
use super::patches::{self, Op, Target};
use super::paths::{self, Replacement};
use super::tree::{Style, embedded};
use crate::support::random::Random;

/// A builtin transformer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transformer {
    PatchInline,
    PatchFile,
    PatchMerge,
    Json6902Inline,
    Json6902File,
    MergeInline,
    MergeFile,
    Replacement,
    Prefix,
    Namespace,
    Labels,
    /// A transformer that is written in the kustomization.
    InText,
}

impl Transformer {
    pub(crate) const ALL: [Self; 12] = [
        Self::PatchInline,
        Self::PatchFile,
        Self::PatchMerge,
        Self::Json6902Inline,
        Self::Json6902File,
        Self::MergeInline,
        Self::MergeFile,
        Self::Replacement,
        Self::Prefix,
        Self::Namespace,
        Self::Labels,
        Self::InText,
    ];
}

/// Adds a transformer; `None` if it does not fit the sample.
pub(crate) fn add(draft: &mut Draft<'_>, layer: usize, random: &mut Random, way: Transformer) -> Option<()> {
    let op = *random.pick(&Op::ALL);
    let target = || *[Target::Version, Target::NoVersion].get(usize::from(op == Op::Test)).unwrap_or(&Target::Version);
    let (kind, content) = match way {
        Transformer::PatchInline | Transformer::InText => {
            let operations = embedded(&op.operations(draft, random)?, Style::Block);
            ("PatchTransformer", json!({"patch": operations, "target": target().selector(draft)?}))
        }
        Transformer::PatchFile => {
            let file = operations_file(draft, layer, random, op)?;
            ("PatchTransformer", json!({"path": file, "target": target().selector(draft)?}))
        }
        Transformer::PatchMerge => {
            let patch = embedded(&patches::merge_patch(draft, random)?, Style::Block);
            ("PatchTransformer", json!({"patch": patch}))
        }
        Transformer::Json6902Inline => {
            let operations = embedded(&op.operations(draft, random)?, Style::Block);
            ("PatchJson6902Transformer", json!({"jsonOp": operations, "target": target().selector(draft)?}))
        }
        Transformer::Json6902File => {
            let file = operations_file(draft, layer, random, op)?;
            ("PatchJson6902Transformer", json!({"path": file, "target": target().selector(draft)?}))
        }
        Transformer::MergeInline => {
            let patch = embedded(&patches::merge_patch(draft, random)?, Style::Block);
            ("PatchStrategicMergeTransformer", json!({"patches": patch}))
        }
        Transformer::MergeFile => {
            let patch = patches::merge_patch(draft, random)?;
            let file = draft.file(layer, "merge", vec![patch], Style::Block);
            ("PatchStrategicMergeTransformer", json!({"paths": [file]}))
        }
        Transformer::Replacement => {
            let item = paths::replacement_of(draft, random, Replacement::Inline)?;
            ("ReplacementTransformer", json!({"replacements": [item]}))
        }
        Transformer::Prefix => {
            let spec = json!({"kind": draft.sample.kind(), "path": draft.sample.service.clone()?});
            ("PrefixTransformer", json!({"prefix": "live-", "fieldSpecs": [spec]}))
        }
        Transformer::Namespace => {
            let spec = json!({"kind": draft.sample.kind(), "path": draft.sample.service.clone()?});
            ("NamespaceTransformer", json!({"metadata": {"namespace": "live"}, "fieldSpecs": [spec]}))
        }
        Transformer::Labels => {
            let (group, version) = draft.sample.api();
            let spec = json!({"group": group, "version": version, "kind": draft.sample.kind(), "path": "metadata/labels", "create": true});
            ("LabelTransformer", json!({"labels": {"team": "edge"}, "fieldSpecs": [spec]}))
        }
    };
    let mut object = json!({"apiVersion": "builtin", "kind": kind, "metadata": {"name": draft.fresh("transformer")}});
    if let (Value::Object(object), Value::Object(content)) = (&mut object, content) {
        for (key, value) in content {
            match (object.get_mut(&key).and_then(Value::as_object_mut), value) {
                (Some(metadata), Value::Object(more)) => metadata.extend(more),
                (_, value) => drop(object.insert(key, value)),
            }
        }
    }
    let entry = if way == Transformer::InText {
        embedded(&object, Style::Block)
    } else {
        json!(draft.file(layer, "transformer", vec![object], Style::Block))
    };
    draft.layers[layer].push("transformers", entry);
    Some(())
}

fn operations_file(draft: &mut Draft<'_>, layer: usize, random: &mut Random, op: Op) -> Option<String> {
    let operations = op.operations(draft, random)?;
    Some(draft.file(layer, "ops", vec![operations], *random.pick(&[Style::Block, Style::Json])))
}

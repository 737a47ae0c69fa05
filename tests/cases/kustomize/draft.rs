//! Answers: which layers does a repository have, and what does each of them hold so far?
//!
//! Carriers of patches and field paths add to a draft; `finish` makes the tree.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::samples::Sample;
use super::tree::{File, Style, Tree};
use crate::support::random::Random;

/// How the layers of a repository lie above each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A base, nothing else.
    Base,
    Overlay,
    /// Two overlays of one base.
    TwoOverlays,
    /// An overlay of an overlay.
    Tower,
    /// An overlay with a component.
    Component,
    /// An overlay of two bases.
    TwoBases,
    /// An overlay of two overlays of one base, which give its objects other names.
    Diamond,
    /// Two bases with an object of one name, and an overlay of each.
    Namesakes,
}

impl Shape {
    pub(crate) const ALL: [Self; 8] = [
        Self::Base,
        Self::Overlay,
        Self::TwoOverlays,
        Self::Tower,
        Self::Component,
        Self::TwoBases,
        Self::Diamond,
        Self::Namesakes,
    ];

    /// Shapes that rename nothing.
    pub(crate) const KEEPING_NAMES: [Self; 7] =
        [Self::Base, Self::Overlay, Self::TwoOverlays, Self::Tower, Self::Component, Self::TwoBases, Self::Namesakes];

    /// How many layers are built from the sample.
    pub(crate) const fn carrying(self) -> usize {
        match self {
            Self::TwoBases | Self::Namesakes => 2,
            _ => self.layers().len(),
        }
    }

    /// The folders of the layers, with what each is built from; the first is the base with the sample.
    const fn layers(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Self::Base => &[("base", &[])],
            Self::Overlay => &[("base", &[]), ("overlays/production", &["../../base"])],
            Self::TwoOverlays => {
                &[("base", &[]), ("overlays/production", &["../../base"]), ("overlays/staging", &["../../base"])]
            }
            Self::Tower => &[("base", &[]), ("overlays/region", &["../../base"]), ("overlays/site", &["../region"])],
            Self::Component => &[("base", &[]), ("overlays/production", &["../../base"]), ("components/extra", &[])],
            Self::TwoBases => &[("base", &[]), ("overlays/production", &["../../base", "../../other"]), ("other", &[])],
            Self::Diamond => &[
                ("base", &[]),
                ("overlays/blue", &["../../base"]),
                ("overlays/green", &["../../base"]),
                ("overlays/all", &["../blue", "../green"]),
            ],
            Self::Namesakes => &[
                ("base", &[]),
                ("overlays/production", &["../../base"]),
                ("other", &[]),
                ("overlays/staging", &["../../other"]),
            ],
        }
    }
}

/// A kustomization that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) folder: String,
    pub(crate) fields: Map<String, Value>,
    pub(crate) style: Style,
}

impl Layer {
    /// Adds an item to a list of the kustomization.
    pub(crate) fn push(&mut self, key: &str, item: Value) {
        let list = self.fields.entry(key).or_insert_with(|| json!([]));
        list.as_array_mut().expect("carriers agree on what is a list").push(item);
    }
}

/// A repository that is being written.
#[derive(Clone, Debug)]
pub(crate) struct Draft<'s> {
    pub(crate) sample: &'s Sample,
    /// The object of the sample as the base has it.
    pub(crate) subject: Value,
    pub(crate) layers: Vec<Layer>,
    pub(crate) files: BTreeMap<String, File>,
    /// Objects of other APIs, beside the sample.
    pub(crate) others: Vec<Value>,
    /// The targets of other packs.
    pub(crate) also: Vec<String>,
    /// Whether another layer completes the base, which is then nothing that anybody builds.
    pub(crate) is_incomplete: bool,
    shape: Shape,
    number: usize,
}

impl<'s> Draft<'s> {
    pub(crate) fn new(sample: &'s Sample, shape: Shape, random: &mut Random) -> Self {
        let mut subject = sample.object.clone();
        let metadata = subject["metadata"].as_object_mut().expect("every sample has metadata");
        metadata.insert("labels".to_owned(), json!({"app": "web"}));
        metadata.insert("annotations".to_owned(), json!({"example.com/team": "web"}));
        if sample.beside.is_empty() && sample.kind() != "GatewayClass" && random.chance(30) {
            metadata.insert("namespace".to_owned(), json!("shop"));
        }
        let layers = shape.layers().iter().map(|(folder, lower)| Layer {
            folder: (*folder).to_owned(),
            fields: kustomization(folder, lower, random),
            style: if random.chance(20) { Style::Flow } else { Style::Block },
        });
        let layers = layers.collect();
        let mut draft = Self {
            sample,
            subject,
            layers,
            files: BTreeMap::new(),
            others: vec![settings()],
            also: Vec::new(),
            is_incomplete: false,
            shape,
            number: 0,
        };
        match shape {
            Shape::Component => draft.layers[1].push("components", json!("../../components/extra")),
            Shape::TwoBases => draft.add_other_base("neighbour"),
            Shape::Namesakes => draft.add_other_base(sample.object["metadata"]["name"].as_str().unwrap_or_default()),
            Shape::Diamond => {
                for (layer, prefix) in [(1, "blue-"), (2, "green-")] {
                    draft.layers[layer].fields.insert("namePrefix".to_owned(), json!(prefix));
                }
            }
            _ => {}
        }
        draft
    }

    /// Adds a base with another object of the kind.
    fn add_other_base(&mut self, name: &str) {
        let mut object = self.sample.object.clone();
        object["metadata"]["name"] = json!(name);
        let mut objects = vec![object];
        if name == self.name() {
            // Another build, which has all that the object needs.
            objects.extend(self.sample.beside.iter().cloned());
        }
        self.layers[2].push("resources", json!("neighbour.yaml"));
        self.files.insert("other/neighbour.yaml".to_owned(), File::Documents(objects, Style::Block));
    }

    /// Returns a name that no file or object of the draft has.
    pub(crate) fn fresh(&mut self, word: &str) -> String {
        self.number += 1;
        format!("{word}-{}", self.number)
    }

    /// Adds a file beside a kustomization and returns its name.
    pub(crate) fn file(&mut self, layer: usize, word: &str, documents: Vec<Value>, style: Style) -> String {
        let end = if style == Style::Json { "json" } else { "yaml" };
        let name = format!("{}.{end}", self.fresh(word));
        self.files.insert(format!("{}/{name}", self.layers[layer].folder), File::Documents(documents, style));
        name
    }

    /// Returns the name of the subject.
    pub(crate) fn name(&self) -> &str {
        self.subject["metadata"]["name"].as_str().expect("every sample has a name")
    }

    /// Adds the objects and returns the tree.
    pub(crate) fn finish(mut self, random: &mut Random) -> Tree {
        let mut objects = vec![self.subject.clone()];
        objects.extend(self.sample.beside.iter().cloned());
        let style = if random.chance(25) { Style::Flow } else { Style::Block };
        if random.chance(50) {
            objects.extend(self.others.clone());
            let name = self.file(0, "objects", objects, style);
            self.layers[0].push("resources", json!(name));
        } else {
            let style = if objects.len() == 1 && random.chance(20) { Style::Json } else { style };
            for (word, documents) in [("object", objects), ("others", self.others.clone())] {
                let style = if word == "others" { Style::Block } else { style };
                let name = self.file(0, word, documents, style);
                self.layers[0].push("resources", json!(name));
            }
        }
        let roots = self.layers.iter().map(|layer| layer.folder.clone());
        let roots = roots.filter(|folder| !folder.starts_with("components"));
        // Alone, the neighbour lacks what the base has beside the sample.
        let lacks = self.shape == Shape::TwoBases && !self.sample.beside.is_empty();
        let roots = roots.filter(|folder| !lacks || folder != "other");
        let roots = roots.filter(|folder| !self.is_incomplete || folder != "base").collect();
        for layer in self.layers {
            let path = format!("{}/kustomization.yaml", layer.folder);
            self.files.insert(path, File::Documents(vec![Value::Object(layer.fields)], layer.style));
        }
        let from = random.chance(50).then(|| self.sample.from.clone());
        self.also.insert(0, random.pick(&self.sample.to).clone());
        Tree { files: self.files, roots, from, to: self.also.join(" ") }
    }
}

/// Returns the first fields of a kustomization.
fn kustomization(folder: &str, lower: &[&str], random: &mut Random) -> Map<String, Value> {
    let mut fields = Map::new();
    let is_component = folder.starts_with("components");
    if is_component || random.chance(70) {
        let (version, kind) = if is_component { ("v1alpha1", "Component") } else { ("v1beta1", "Kustomization") };
        fields.insert("apiVersion".to_owned(), json!(format!("kustomize.config.k8s.io/{version}")));
        fields.insert("kind".to_owned(), json!(kind));
    }
    if !lower.is_empty() {
        fields.insert("resources".to_owned(), json!(lower));
    }
    fields
}

/// Returns the object that replacements and variables copy from.
fn settings() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"},
        "data": {"host": "other.example.com", "name": "other", "full": "any|other.example.com"},
    })
}

//! Answers: how do replacements, variables and configurations name fields of the object of a sample?

use serde_json::{Value, json};

use super::draft::Draft;
use super::fields::{self, Field, Step};
use super::patches::{Target, pick};
use super::tree::Style;
use crate::support::random::Random;

/// What is special about a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replacement {
    Inline,
    File,
    /// The value comes from the object of the sample.
    Source,
    /// A mapping is copied from one field of the object to the same field of another one.
    Mapping,
    Index,
    /// `[name=x]` selects an item.
    ItemByKey,
    /// `*` selects every item.
    EveryItem,
    /// A part of the value.
    Delimiter,
    /// The field is created.
    Create,
    /// An object that would be selected is rejected.
    Reject,
    SelectByVersion,
    SelectByName,
    SourceByVersion,
}

impl Replacement {
    pub(crate) const ALL: [Self; 13] = [
        Self::Inline,
        Self::File,
        Self::Source,
        Self::Mapping,
        Self::Index,
        Self::ItemByKey,
        Self::EveryItem,
        Self::Delimiter,
        Self::Create,
        Self::Reject,
        Self::SelectByVersion,
        Self::SelectByName,
        Self::SourceByVersion,
    ];
}

/// Adds a replacement; `None` if the sample has no such field.
pub(crate) fn replacement(draft: &mut Draft<'_>, layer: usize, random: &mut Random, way: Replacement) -> Option<()> {
    let item = replacement_of(draft, random, way)?;
    let is_file = way == Replacement::File || way != Replacement::Inline && random.chance(25);
    let entry = if is_file {
        let document = if random.chance(50) { Value::Array(vec![item]) } else { item };
        json!({"path": draft.file(layer, "replacement", vec![document], Style::Block)})
    } else {
        item
    };
    draft.layers[layer].push("replacements", entry);
    Some(())
}

/// Returns one replacement.
pub(crate) fn replacement_of(draft: &mut Draft<'_>, random: &mut Random, way: Replacement) -> Option<Value> {
    let fields = fields::all(&draft.subject);
    let is_text = |field: &Field| field.value.is_string();
    let plain = |field: &Field| field.dotted(|_, index| index.to_string());
    let select = match way {
        Replacement::SelectByVersion => Target::Version.selector(draft)?,
        Replacement::SelectByName => Target::Name.selector(draft)?,
        Replacement::Reject => Target::Kind.selector(draft)?,
        _ => random.pick(&[Target::Version, Target::NoVersion, Target::Kind]).selector(draft)?,
    };
    if matches!(way, Replacement::Source | Replacement::SourceByVersion) {
        let (field, _) = pick(&fields, random, is_text)?;
        let target = if way == Replacement::Source { Target::NoVersion } else { Target::Version };
        let mut source = target.selector(draft)?;
        source["fieldPath"] = json!(plain(field));
        let select = json!({"kind": "ConfigMap", "name": "settings"});
        let options = json!({"create": true});
        return Some(json!({
            "source": source, "targets": [{"select": select, "fieldPaths": ["data.copied"], "options": options}],
        }));
    }
    if way == Replacement::Mapping {
        let is_mapping = |field: &Field| field.value.is_object() && !field.is_in_list();
        let (field, other) = pick(&fields, random, is_mapping)?;
        let mut second = draft.subject.clone();
        second["metadata"]["name"] = json!("second");
        *second.pointer_mut(&field.pointer())? = other;
        let mut source = Target::NoVersion.selector(draft)?;
        source["name"] = json!("second");
        source["fieldPath"] = json!(plain(field));
        draft.others.push(second);
        let target = json!({"select": Target::NoVersion.selector(draft)?, "fieldPaths": [plain(field)]});
        return Some(json!({"source": source, "targets": [target]}));
    }
    let in_list = matches!(way, Replacement::Index | Replacement::ItemByKey | Replacement::EveryItem);
    let (field, other) = pick(&fields, random, |field| is_text(field) && (!in_list || field.is_in_list()))?;
    let mut path = plain(field);
    let mut options = json!({});
    match way {
        Replacement::EveryItem => path = field.dotted(|_, _| "*".to_owned()),
        Replacement::ItemByKey => path = by_key(draft, field)?,
        Replacement::Delimiter => {
            options = json!({"delimiter": ".", "index": 0});
            if !field.value.as_str()?.contains('.') {
                return None;
            }
        }
        Replacement::Create => {
            let (absent, value) = draft.sample.absent.first()?;
            if !value.is_string() {
                return None;
            }
            path = absent.trim_start_matches('/').replace('/', ".");
            options = json!({"create": true});
        }
        _ => {}
    }
    let key = if other == json!("other.example.com") { "host" } else { "name" };
    if !["other", "other.example.com"].contains(&other.as_str()?) {
        return None;
    }
    let key = if way == Replacement::Delimiter { "name" } else { key };
    let source = json!({"kind": "ConfigMap", "name": "settings", "fieldPath": format!("data.{key}")});
    let mut target = json!({"select": select, "fieldPaths": [path]});
    if options != json!({}) {
        target["options"] = options;
    }
    if way == Replacement::Reject {
        let mut second = draft.subject.clone();
        second["metadata"]["name"] = json!("second");
        draft.others.push(second);
        target["reject"] = json!([{"kind": draft.sample.kind(), "name": "second"}]);
    }
    Some(json!({"source": source, "targets": [target]}))
}

/// Writes the path of a field with every list item selected by its name.
fn by_key(draft: &Draft<'_>, field: &Field) -> Option<String> {
    let mut is_named = false;
    let path = field.dotted(|above, index| {
        let list = Field { path: above.to_vec(), value: Value::Null };
        let item = draft.subject.pointer(&format!("{}/{index}", list.pointer()));
        let key = ["name", "serviceName"].into_iter().find(|key| item.is_some_and(|item| item[*key].is_string()));
        match key {
            Some(key) => {
                is_named = true;
                format!("[{key}={}]", item.and_then(|item| item[key].as_str()).unwrap_or_default())
            }
            None => index.to_string(),
        }
    });
    is_named.then_some(path)
}

/// How a variable is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// Its value is a field of the object.
    Field,
    FieldByVersion,
    /// Its value replaces a part of the object, which a configuration names.
    Reference,
}

impl Variable {
    pub(crate) const ALL: [Self; 3] = [Self::Field, Self::FieldByVersion, Self::Reference];
}

/// Adds a variable; `None` if the sample has no such field.
pub(crate) fn variable(draft: &mut Draft<'_>, layer: usize, random: &mut Random, way: Variable) -> Option<()> {
    let fields = fields::all(&draft.subject);
    if way == Variable::Reference {
        let is_name =
            |field: &Field| field.value.is_string() && field.key() != "hostname" && field.key() != "hostnames";
        let (field, _) = pick(&fields, random, is_name)?;
        *draft.subject.pointer_mut(&field.pointer())? = json!("$(NAME)");
        let spec = json!({"kind": draft.sample.kind(), "path": field.slashed()});
        let configuration = json!({"varReference": [spec]});
        let file = draft.file(0, "configuration", vec![configuration], Style::Block);
        draft.layers[0].push("configurations", json!(file));
        draft.layers[0].push(
            "vars",
            json!({
                "name": "NAME", "objref": {"apiVersion": "v1", "kind": "ConfigMap", "name": "settings"},
                "fieldref": {"fieldpath": "data.name"},
            }),
        );
        return Some(());
    }
    let (field, _) = pick(&fields, random, |field| field.value.is_string() && !field.is_in_list())?;
    let mut reference = json!({"kind": draft.sample.kind(), "name": draft.name()});
    if way == Variable::FieldByVersion {
        reference["apiVersion"] = draft.subject["apiVersion"].clone();
    } else {
        reference["group"] = json!(draft.sample.api().0);
    }
    let path: Vec<&str> = field
        .path
        .iter()
        .filter_map(|step| if let Step::Key(key) = step { Some(key.as_str()) } else { None })
        .collect();
    let container = json!({"name": "client", "image": "example.com/client:1", "args": ["--to=$(HOST)"]});
    draft.others.push(json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "client"}, "spec": {"containers": [container]},
    }));
    let variable = json!({"name": "HOST", "objref": reference, "fieldref": {"fieldpath": path.join(".")}});
    draft.layers[layer].push("vars", variable);
    Some(())
}

/// Which part of a configuration names fields of the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Configuration {
    NameReference,
    NameReferenceByVersion,
    NamePrefix,
    Namespace,
    CommonLabels,
    CommonAnnotations,
    /// `labels[].fields`, in the kustomization itself.
    LabelFields,
}

impl Configuration {
    pub(crate) const ALL: [Self; 7] = [
        Self::NameReference,
        Self::NameReferenceByVersion,
        Self::NamePrefix,
        Self::Namespace,
        Self::CommonLabels,
        Self::CommonAnnotations,
        Self::LabelFields,
    ];
}

/// Adds a configuration; `None` if the sample has no field for it.
pub(crate) fn configuration(
    draft: &mut Draft<'_>,
    layer: usize,
    random: &mut Random,
    way: Configuration,
) -> Option<()> {
    let ((group, version), kind) = (draft.sample.api(), draft.sample.kind());
    let mut spec = json!({"kind": kind, "path": draft.sample.service.clone().unwrap_or_default()});
    if way == Configuration::NameReferenceByVersion || random.chance(30) {
        spec["group"] = json!(group);
        spec["version"] = json!(version);
    }
    let is_named = draft.sample.service.is_some();
    let labels_path = mapping_path(draft).unwrap_or_default();
    let (change, value, content) = match way {
        Configuration::NameReference | Configuration::NameReferenceByVersion if is_named => {
            let reference = json!({"kind": "Service", "version": "v1", "fieldSpecs": [spec]});
            ("namePrefix", json!("live-"), json!({"nameReference": [reference]}))
        }
        Configuration::NamePrefix if is_named => ("namePrefix", json!("live-"), json!({"namePrefix": [spec]})),
        Configuration::Namespace if is_named => {
            // The name of the Service takes the namespace: any text field shows whether the path is followed.
            ("namespace", json!("live"), json!({"namespace": [spec]}))
        }
        Configuration::CommonAnnotations | Configuration::CommonLabels | Configuration::LabelFields => {
            if labels_path.is_empty() {
                return None;
            }
            spec["path"] = json!(labels_path);
            spec["create"] = json!(true);
            let pairs = json!({"example.com/team": "edge"});
            match way {
                Configuration::CommonAnnotations => ("commonAnnotations", pairs, json!({"commonAnnotations": [spec]})),
                Configuration::CommonLabels => ("commonLabels", pairs, json!({"commonLabels": [spec]})),
                _ => ("labels", json!([{"pairs": pairs, "fields": [spec]}]), Value::Null),
            }
        }
        _ => return None,
    };
    add_service(draft);
    if !content.is_null() {
        let file = draft.file(layer, "configuration", vec![content], Style::Block);
        draft.layers[layer].push("configurations", json!(file));
    }
    draft.layers[layer].fields.insert(change.to_owned(), value);
    Some(())
}

/// Adds the Service that samples name.
pub(crate) fn add_service(draft: &mut Draft<'_>) {
    let mut metadata = json!({"name": "web"});
    if let Some(namespace) = draft.subject["metadata"].get("namespace") {
        metadata["namespace"] = namespace.clone();
    }
    draft.others.push(json!({
        "apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [{"port": 80}]},
    }));
}

/// Returns the slash path of a mapping with any keys, which the kind has in the sample's release.
fn mapping_path(draft: &Draft<'_>) -> Option<String> {
    let (kind, (_, version)) = (draft.sample.kind(), draft.sample.api());
    let path = match (kind, version, draft.sample.from.as_str()) {
        ("BackendTLSPolicy", "v1" | "v1alpha3", _) => "spec/options",
        ("Gateway", "v1", _) => "spec/infrastructure/labels",
        ("Gateway", "v1alpha1", _) => "spec/listeners/tls/options",
        _ => return None,
    };
    Some(path.to_owned())
}

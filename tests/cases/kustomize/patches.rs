//! Answers: how does a patch select and change the object of a sample?

use serde_json::{Map, Value, json};

use super::draft::Draft;
use super::fields::{self, Field, Step};
use crate::support::random::Random;

/// What the operations of a JSON patch do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    AddLeaf,
    AddMapping,
    AddAbsent,
    AddAtEnd,
    AddAtIndex,
    ReplaceLeaf,
    ReplaceMapping,
    ReplaceList,
    Remove,
    Test,
    Move,
    Copy,
    Escaped,
    WholeSpec,
    /// Tests the apiVersion and replaces a field.
    ApiVersion,
}

impl Op {
    pub(crate) const ALL: [Self; 15] = [
        Self::AddLeaf,
        Self::AddMapping,
        Self::AddAbsent,
        Self::AddAtEnd,
        Self::AddAtIndex,
        Self::ReplaceLeaf,
        Self::ReplaceMapping,
        Self::ReplaceList,
        Self::Remove,
        Self::Test,
        Self::Move,
        Self::Copy,
        Self::Escaped,
        Self::WholeSpec,
        Self::ApiVersion,
    ];

    /// Returns the operations, or `None` if the sample has no such field.
    pub(crate) fn operations(self, draft: &Draft<'_>, random: &mut Random) -> Option<Value> {
        let fields = fields::all(&draft.subject);
        let one = |op: &str, path: String, value: Value| json!({"op": op, "path": path, "value": value});
        let ops = match self {
            Self::AddLeaf | Self::ReplaceLeaf => {
                let (field, other) = pick(&fields, random, is_leaf)?;
                let op = if self == Self::AddLeaf && matches!(field.path.last(), Some(Step::Key(_))) {
                    "add"
                } else {
                    "replace"
                };
                vec![one(op, field.pointer(), other)]
            }
            Self::AddMapping | Self::ReplaceMapping => {
                let (field, other) = pick(&fields, random, |field| field.value.is_object())?;
                let is_key = matches!(field.path.last(), Some(Step::Key(_)));
                let op = if self == Self::AddMapping && is_key { "add" } else { "replace" };
                vec![one(op, field.pointer(), other)]
            }
            Self::AddAbsent => {
                let absent = &draft.sample.absent;
                let (path, value) = if absent.is_empty() { return None } else { random.pick(absent) };
                vec![one("add", path.clone(), value.clone())]
            }
            Self::AddAtEnd | Self::AddAtIndex => {
                let (field, other) = pick(&fields, random, is_list_of_mappings)?;
                let end = if self == Self::AddAtEnd { "-" } else { "0" };
                vec![one("add", format!("{}/{end}", field.pointer()), other[0].clone())]
            }
            Self::ReplaceList => {
                let (field, other) = pick(&fields, random, |field| field.value.is_array())?;
                vec![one("replace", field.pointer(), other)]
            }
            Self::Remove => {
                let removable = &draft.sample.removable;
                let path = if removable.is_empty() { return None } else { random.pick(removable) };
                vec![json!({"op": "remove", "path": path})]
            }
            Self::Test => {
                let (field, other) = pick(&fields, random, is_leaf)?;
                let path = field.pointer();
                vec![one("test", path.clone(), field.value.clone()), one("replace", path, other)]
            }
            Self::Move => {
                let two = |field: &Field| field.value.as_array().is_some_and(|items| items.len() > 1);
                let path = pick(&fields, random, two)?.0.pointer();
                vec![json!({"op": "move", "from": format!("{path}/1"), "path": format!("{path}/0")})]
            }
            Self::Copy => {
                let (field, _) = pick(&fields, random, is_list_of_mappings)?;
                let (path, length) = (field.pointer(), field.value.as_array()?.len());
                let item = field.value[0].as_object()?;
                let key = ["name", "serviceName"].into_iter().find(|key| item.contains_key(*key))?;
                let mut ops = vec![
                    json!({"op": "copy", "from": format!("{path}/0"), "path": format!("{path}/-")}),
                    one("replace", format!("{path}/{length}/{key}"), json!("other")),
                ];
                if item.contains_key("hostname") {
                    ops.push(one("replace", format!("{path}/{length}/hostname"), json!("other.example.com")));
                }
                ops
            }
            Self::WholeSpec => {
                let spec = Field { path: vec![Step::Key("spec".to_owned())], value: draft.subject["spec"].clone() };
                vec![one("replace", spec.pointer(), spec.alternative()?)]
            }
            Self::ApiVersion => {
                let (field, other) = pick(&fields, random, is_leaf)?;
                let test = one("test", "/apiVersion".to_owned(), draft.subject["apiVersion"].clone());
                vec![test, one("replace", field.pointer(), other)]
            }
            Self::Escaped => {
                let (field, other) = pick(&fields, random, is_leaf)?;
                let path = "/metadata/annotations/example.com~1team".to_owned();
                vec![one("replace", path, json!("other")), one("replace", field.pointer(), other)]
            }
        };
        Some(Value::Array(ops))
    }
}

fn is_leaf(field: &Field) -> bool {
    !field.value.is_object() && !field.value.is_array()
}

fn is_list_of_mappings(field: &Field) -> bool {
    field.value.get(0).is_some_and(Value::is_object)
}

/// Picks a field that has another valid value.
pub(crate) fn pick<'f>(
    fields: &'f [Field],
    random: &mut Random,
    fits: impl Fn(&Field) -> bool,
) -> Option<(&'f Field, Value)> {
    let known = |field: &'f Field| fits(field).then(|| Some((field, field.alternative()?))).flatten();
    let choices: Vec<_> = fields.iter().filter_map(known).collect();
    if choices.is_empty() { None } else { Some(random.pick(&choices).clone()) }
}

/// How a patch selects its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Version,
    NoVersion,
    Kind,
    Name,
    RegexKind,
    RegexName,
    RegexVersion,
    RegexGroup,
    /// This kind or another one.
    Alternatives,
    Labels,
    Annotations,
    Namespace,
    Group,
}

impl Target {
    pub(crate) const ALL: [Self; 13] = [
        Self::Version,
        Self::NoVersion,
        Self::Kind,
        Self::Name,
        Self::RegexKind,
        Self::RegexName,
        Self::RegexVersion,
        Self::RegexGroup,
        Self::Alternatives,
        Self::Labels,
        Self::Annotations,
        Self::Namespace,
        Self::Group,
    ];

    /// Targets that say the name and the kind in full, which `patchesJson6902` requires.
    pub(crate) const FULL: [Self; 3] = [Self::Version, Self::NoVersion, Self::Namespace];

    /// Returns the selector; `None` if the sample has nothing to select by.
    pub(crate) fn selector(self, draft: &Draft<'_>) -> Option<Value> {
        let ((group, version), kind, name) = (draft.sample.api(), draft.sample.kind(), draft.name());
        Some(match self {
            Self::Version => json!({"group": group, "version": version, "kind": kind, "name": name}),
            Self::NoVersion => json!({"group": group, "kind": kind, "name": name}),
            Self::Kind => json!({"kind": kind}),
            Self::Name => json!({"name": name}),
            Self::RegexKind => json!({"kind": format!("{}.*", &kind[..kind.len() - 2])}),
            Self::RegexName => json!({"kind": kind, "name": format!("{}.*", &name[..2])}),
            Self::RegexVersion => json!({"version": format!("({version}|v2)"), "kind": kind, "name": name}),
            Self::RegexGroup => json!({"group": format!("{}[.].*", group.split('.').next()?), "kind": kind}),
            Self::Alternatives => json!({"kind": format!("{kind}|Ingress"), "name": name}),
            Self::Labels => json!({"kind": kind, "labelSelector": "app=web"}),
            Self::Annotations => json!({"version": version, "annotationSelector": "example.com/team=web"}),
            Self::Namespace => {
                let namespace = draft.subject["metadata"].get("namespace")?;
                json!({"version": version, "kind": kind, "name": name, "namespace": namespace})
            }
            Self::Group => json!({"group": group, "version": version}),
        })
    }
}

/// Returns a strategic merge patch of the object.
pub(crate) fn merge_patch(draft: &Draft<'_>, random: &mut Random) -> Option<Value> {
    let fields = fields::all(&draft.subject);
    let (field, other) = pick(&fields, random, |field| !field.is_in_list())?;
    let mut value = other;
    for step in field.path.iter().rev() {
        let Step::Key(key) = step else { return None };
        value = json!({key.as_str(): value});
    }
    Some(partial(draft, value))
}

/// Returns a partial object with the name of the subject, and the fields of `content`.
pub(crate) fn partial(draft: &Draft<'_>, content: Value) -> Value {
    let mut metadata = Map::new();
    for key in ["name", "namespace"] {
        metadata.extend(draft.subject["metadata"].get(key).map(|value| (key.to_owned(), value.clone())));
    }
    let mut patch = json!({
        "apiVersion": draft.subject["apiVersion"], "kind": draft.subject["kind"], "metadata": metadata,
    });
    if let (Some(patch), Value::Object(content)) = (patch.as_object_mut(), content) {
        patch.extend(content);
    }
    patch
}

//! What is wrong with the CRDs of one set, whatever was before.

use serde_json::{Map, Value};

use super::bump::numbers;
use super::change::Change;
use super::keyword::{KEYS, RULES, short, shown};
use super::release::{BUNDLE, CHANNEL, annotation, folder_bundle, folder_channel};
use super::set::{CHANNELS, Crd, CrdSet, SchemaPart, Version};
use super::structural::{EMBEDDED, LIST_TYPE};
use crate::engine::finding::Code;
use crate::knowledge::pack::crds::cel::is_malformed;
use crate::knowledge::pack::crds::crd::PRESERVE;
use crate::knowledge::pack::crds::static_cost::{self, MOST_OF_RULE, MOST_OF_VERSION, most_in_request, most_inside};
use crate::knowledge::release::by_stability;
use crate::syntax::field::{FieldPath, FieldPattern, Part};

/// How many versions of a CRD may be served at a time.
const MOST_VERSIONS: usize = 2;

/// The domains whose groups need the approval of Kubernetes.
const PROTECTED: [&str; 2] = ["k8s.io", "kubernetes.io"];

const APPROVED: &str = "api-approved.kubernetes.io";

/// Lists what is wrong with a set.
pub(super) fn changes(set: &CrdSet<'_>) -> Vec<Change> {
    let mut changes = named(set, BUNDLE, folder_bundle(&set.name), |bundle| {
        bundle.starts_with('v') && numbers(bundle).is_some() && bundle.matches('.').count() >= 2
    });
    changes.extend(named(set, CHANNEL, folder_channel(&set.name), |channel| CHANNELS.contains(&channel)));
    changes.extend(set.crds.values().flat_map(of_crd));
    changes
}

/// Checks an annotation of every CRD of a set: it is there, reads well, is that of the others, and that of the folder.
fn named(set: &CrdSet<'_>, ending: &str, folder: Option<String>, is_valid: impl Fn(&str) -> bool) -> Vec<Change> {
    let first = set.crds.values().find_map(|crd| annotation(crd, ending)).map(|found| found.value);
    let what = ending.trim_start_matches('/');
    let wrong = |crd: &Crd<'_>| {
        let path = FieldPath::default().key("metadata").key("annotations");
        let change = |text: String| Some(crd.change(Code::CrdBundle, None, &path, text));
        let Some(found) = annotation(crd, ending) else {
            return change(format!("there is no annotation that ends in {ending}"));
        };
        let value = found.value;
        let text = match (&first, &folder) {
            _ if !is_valid(&value) => format!("{value} is no {what}"),
            (Some(first), _) if *first != value => format!("the {what} {value} is not that of the other CRDs, {first}"),
            (_, Some(folder)) if *folder != value => format!("the {what} {value} is not that of the folder, {folder}"),
            _ => return None,
        };
        change(text).map(|change| Change { location: found.place, ..change })
    };
    set.crds.values().filter_map(wrong).collect()
}

fn of_crd(crd: &Crd<'_>) -> Vec<Change> {
    let spec = FieldPath::default().key("spec");
    let mut changes = Vec::new();
    let versions = crd.versions();
    let served = versions.iter().filter(|version| version.is_served()).count();
    if served > MOST_VERSIONS {
        let text = format!("{served} versions are served; at most {MOST_VERSIONS} may be");
        changes.push(crd.change(Code::CrdVersionCount, None, &spec.key("versions"), text));
    }
    let stored = versions.iter().find(|version| version.is_stored());
    let is_older =
        |version: &&Version<'_>| stored.is_some_and(|stored| by_stability(version.name, stored.name).is_lt());
    if let Some((stored, older)) = stored.zip(versions.iter().filter(|version| version.is_served()).find(is_older)) {
        let text = format!("objects are stored in this version, and {} is still served", older.name);
        changes.push(crd.change(Code::CrdStorageEarly, None, &stored.path().key("storage"), text).of(stored.name));
    }
    if crd.has_webhook() {
        let text = "a webhook converts objects between the versions".to_owned();
        changes.push(crd.change(Code::CrdWebhook, None, &spec.key("conversion"), text));
    }
    let group = &crd.kind.group;
    let is_protected = PROTECTED.iter().any(|domain| group == domain || group.ends_with(&format!(".{domain}")));
    let annotations = FieldPath::default().key("metadata").key("annotations");
    let approved = annotations.key(APPROVED);
    let text = match approved.text(&crd.value).unwrap_or_default() {
        _ if !is_protected => None,
        "" => Some(format!("the group {group} needs the annotation {APPROVED}")),
        text if text.starts_with("unapproved") || is_url(text) => None,
        text => Some(format!(
            "the annotation {APPROVED} is {text:?}: it must be the URL of the approval, or start with `unapproved`"
        )),
    };
    changes.extend(text.map(|text| crd.change(Code::CrdApiApproved, None, &approved, text)));
    for version in versions {
        // The API server reads the rules of all.
        let counts = |change: &Change| version.is_in_use() || change.is_refused();
        changes.extend(of_version(crd, version).into_iter().filter(counts));
    }
    changes
}

fn of_version(crd: &Crd<'_>, version: Version<'_>) -> Vec<Change> {
    let Some(part) = version.schema() else { return Vec::new() };
    let mut changes = Vec::new();
    let mut add = |code, path: &FieldPath, text: &str| {
        changes.push(crd.change(code, None, path, text.to_owned()).of(version.name));
    };
    if part.schema.get(PRESERVE) != Some(&Value::Bool(true)) && !crd.has_webhook() {
        add(Code::CrdPruned, &part.at, "the root of the schema drops fields that it does not name");
    }
    let has_status = part.schema.get("properties").is_some_and(|fields| fields.get("status").is_some());
    let is_separate =
        version.part("subresources", "subresources").is_some_and(|part| part.value.get("status").is_some());
    if has_status && !is_separate {
        add(Code::CrdNoStatus, &version.path(), "there is a status and no subresource for it");
    }
    let mut design = Design { crd, version: version.name, changes, cost: 0.0 };
    design.visit(&FieldPattern::default(), &part, Some(1.0));
    if design.cost > MOST_OF_VERSION {
        let text =
            format!("all rules of the version together are estimated to {}", times(design.cost, MOST_OF_VERSION));
        design.changes.push(crd.change(Code::CrdRuleCost, None, &part.at, text).of(version.name));
    }
    design.changes
}

/// What looks at each field by itself.
struct Design<'d> {
    crd: &'d Crd<'d>,
    version: &'d str,
    changes: Vec<Change>,
    /// What the rules that are not too costly alone cost at most, as the API server estimates it.
    cost: f64,
}

impl Design<'_> {
    /// Looks at a value of which an object has at most `count`, if the schemas around it limit that.
    fn visit(&mut self, field: &FieldPattern, part: &SchemaPart<'_>, count: Option<f64>) {
        for (code, text) in doubtful(field, part.schema) {
            self.changes.push(self.crd.change(code, None, &part.at, text.to_owned()).of(self.version).at(field));
        }
        self.rules(field, part, count.unwrap_or_else(|| most_in_request(part.schema)));
        let several = count.zip(most_inside(part.schema)).map(|(around, inside)| around * inside);
        for (step, inside) in part.inside() {
            let count = if matches!(step, Part::Key(_)) { count } else { several };
            self.visit(&field.with(step), &inside, count);
        }
    }

    /// Estimates the rules of a value of which an object has `count`.
    fn rules(&mut self, field: &FieldPattern, part: &SchemaPart<'_>, count: f64) {
        let rules = part.schema.get(RULES).and_then(Value::as_array);
        for (index, rule) in rules.into_iter().flatten().enumerate() {
            for keyword in ["rule", "messageExpression"] {
                let Some(written) = rule[keyword].as_str().filter(|written| !written.is_empty()) else { continue };
                let is_object = field.parts().is_empty() || part.schema.get(EMBEDDED) == Some(&Value::Bool(true));
                let at = || part.at.key(RULES).index(index).key(keyword);
                let Some(cost) = static_cost::of_rule(written, part.schema, is_object) else {
                    // What has an estimate was read.
                    if is_malformed(written) {
                        let text = format!("the {keyword} {} cannot be read", shown(Some(&written.into())));
                        let change = self.crd.change(Code::CrdInvalid, None, &at(), text);
                        self.changes.push(change.of(self.version).at(field));
                    }
                    continue;
                };
                if cost * count <= MOST_OF_RULE {
                    self.cost += cost * count;
                } else {
                    let words = short(&written.split_whitespace().collect::<Vec<_>>().join(" "));
                    let text = format!("the {keyword} {words} is estimated to {}", times(cost * count, MOST_OF_RULE));
                    let change = self.crd.change(Code::CrdRuleCost, None, &at(), text);
                    self.changes.push(change.of(self.version).at(field));
                }
            }
        }
    }
}

/// Says how much more an estimate is than what the API server accepts.
fn times(cost: f64, most: f64) -> String {
    match cost / most {
        factor if factor > 100.0 => "cost more than 100 times what the API server accepts".to_owned(),
        factor => format!("cost {factor:.2} times what the API server accepts"),
    }
}

/// Returns whether a text is a URL with a host, as `GetAPIApprovalState` of apiextensions-apiserver asks for.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let starts = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
    starts && !rest.is_empty() && !rest.starts_with(['/', '?', '#']) && !text.contains(char::is_whitespace)
}

/// Returns what can be doubted about a field.
fn doubtful(field: &FieldPattern, schema: &Map<String, Value>) -> Vec<(Code, &'static str)> {
    let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str).unwrap_or_default();
    let is_conditions = matches!(field.parts().last(), Some(Part::Key(name)) if name == "conditions");
    let is_of = |kind: &str| text("type") == kind;
    let doubts = [
        (is_of("boolean"), Code::CrdBool, "the field is a boolean"),
        (is_of("number"), Code::CrdFloat, "the field is a floating-point number"),
        (is_of("integer") && text("format").starts_with("uint"), Code::CrdUint, "the field is an unsigned integer"),
        (
            is_of("object") && schema.contains_key("additionalProperties"),
            Code::CrdMap,
            "the field is a map with free keys",
        ),
        (
            is_of("array") && is_conditions && !is_map_by_type(schema),
            Code::CrdConditions,
            "the conditions are no map by type",
        ),
        (
            is_of("array") && text(LIST_TYPE).is_empty(),
            Code::CrdListWithoutType,
            "the list has no x-kubernetes-list-type",
        ),
    ];
    doubts.into_iter().filter(|(is_so, ..)| *is_so).map(|(_, code, text)| (code, text)).collect()
}

fn is_map_by_type(schema: &Map<String, Value>) -> bool {
    let has = |keyword: &str, value: Value| schema.get(keyword) == Some(&value);
    has(LIST_TYPE, "map".into()) && has(KEYS, vec!["type"].into())
}

//! Which RBAC rules, webhooks and policies name a kind by its resource that the run renames?
//!
//! Roles and webhook configurations name what they are about in mappings with `apiGroups` and `resources`, policies in mappings
//! with `apiGroups` and `kinds`, Argo CD in lists of `group` and `kind`. Any of them can be `*`. Such a mapping is not a reference to
//! an object: others may need the old name for as long as the cluster serves it. So it is left unchanged, and reported where
//! nothing in the same object names the new kind as well, with all verbs and for the same names of objects. A webhook or an admission policy that gives `apiVersions` too is
//! reported where it gives none that the target serves.
//!
//! With the parameter `rbac` of the pack, and after a move that was accepted, [`extensions`] says what lets such a mapping name the new
//! group beside the old one, where that permits nothing else.
//!
//! Invariant: what is permitted in the new group was permitted in the old one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::old_names::OldNames;
use crate::engine::convert::{Conversion, Remark, Renames, Targets, walk};
use crate::engine::finding::{Code, Finding};
use crate::engine::links::ignored_paths;
use crate::engine::manifest::{Manifest, Object, may_hold_rules};
use crate::knowledge::pack::Target;
use crate::knowledge::release::{GroupKind, ReleaseId};
use crate::syntax::field::{Entries, FieldPath, FieldPattern, PathRef, Step, each_child};
use crate::syntax::yaml::{Intent, Place, TextFormat};

/// Where webhook configurations, admission policies and their bindings select objects by resource and version.
const ADMISSION_RULES: [&str; 5] = [
    "webhooks[].rules[]",
    "spec.matchConstraints.resourceRules[]",
    "spec.matchConstraints.excludeResourceRules[]",
    "spec.matchResources.resourceRules[]",
    "spec.matchResources.excludeResourceRules[]",
];

/// Reports the mappings of each object that name a kind which is renamed, where none names its new name, and webhooks and
/// admission policies for versions that the target does not serve; `conversions` is what becomes of the objects.
pub(crate) fn findings(
    manifest: &Manifest,
    conversions: &[Option<Conversion>],
    targets: &Targets<'_>,
) -> Vec<OldNames<Finding>> {
    if !may_hold_rules(&manifest.text) {
        return Vec::new();
    }
    let of_object = manifest.objects.iter().zip(conversions).flat_map(|(object, conversion)| {
        let value = if is_extended(targets) { conversion.as_ref().map(|made| &*made.value) } else { None };
        let value = value.unwrap_or(&object.value);
        let mut rules = rules_in(value);
        let decided = ignored_paths::entries(object, targets.goal.packs.carriers());
        rules.retain(|rule| rule.path.as_ref().is_none_or(|path| !decided.contains(path)));
        if rules.is_empty() {
            return Vec::new();
        }
        let others = not_served(value, &rules, targets).into_iter().chain(removed(&rules, targets));
        let others = others.map(|report| OldNames { kinds: Vec::new(), report });
        let remarks = remarks(&rules, &targets.renames).into_iter().chain(others);
        remarks.map(|remark| remark.finding(manifest, object)).collect::<Vec<_>>()
    });
    of_object.collect()
}

/// Reports the mappings among `rules` that name a kind in `renames`, where none names its new name.
pub(super) fn remarks(rules: &[ResourceRule<'_>], renames: &Renames) -> Vec<OldNames<Remark>> {
    let renamed = renamed(rules, renames);
    rules.iter().filter_map(|rule| rule.remark(&renamed)).collect()
}

/// Returns the kinds in `renames`, each with the mappings among `rules` that name what it becomes.
fn renamed<'r, 'v>(rules: &'r [ResourceRule<'v>], renames: &'r Renames) -> Vec<Renamed<'r, 'v>> {
    let naming = |kind: &GroupKind| rules.iter().filter(|rule| !rule.parts_of(kind).is_empty()).collect();
    renames.iter().map(|(old, successor)| (old, successor.kind(), naming(successor.kind()))).collect()
}

/// Returns whether rules are extended for a pack of the run.
fn is_extended(targets: &Targets<'_>) -> bool {
    targets.goal.targets.iter().any(|target| extends(target, targets))
}

/// Returns whether the user chose that rules are extended. Kinds of CRDs are renamed by a move that the user accepted.
fn extends(target: &Target<'_>, targets: &Targets<'_>) -> bool {
    let is_chosen = targets
        .goal
        .choices
        .parameters
        .get(&format!("{}.rbac", target.pack.name()))
        .is_some_and(|chosen| chosen == "extend");
    is_chosen || target.pack.is_of_crds()
}

/// Returns the changes with which the mappings in `object` name the new groups too, where the user chose that.
pub(crate) fn extensions(object: &Object, targets: &Targets<'_>) -> Vec<Intent> {
    if !is_extended(targets) {
        return Vec::new();
    }
    let rules = rules_in(&object.value);
    let renamed = renamed(&rules, &targets.renames);
    rules.iter().flat_map(|rule| rule.extension(&renamed, targets)).collect()
}

/// Finds the mappings below `value` that select resources or kinds by API group.
pub(super) fn rules_in(value: &Value) -> Vec<ResourceRule<'_>> {
    let mut rules = Vec::new();
    let mut visit = |at: &PathRef<'_>, map| rules.extend(ResourceRule::read(at, map));
    each_child(value, None, &mut |child, at| walk(child, at, &mut visit));
    rules
}

/// Reports the mappings that name a kind which the target no longer has, nor one that it becomes. What names all kinds of a group
/// is about that one where the target has none of them.
fn removed(rules: &[ResourceRule<'_>], targets: &Targets<'_>) -> Vec<Remark> {
    rules.iter().flat_map(|rule| removed_in(rule, targets)).collect()
}

/// Reports the kinds that the target no longer has and that a mapping names: those that may be in another group now, and the others.
fn removed_in(rule: &ResourceRule<'_>, targets: &Targets<'_>) -> Vec<Remark> {
    let Some(path) = &rule.path else { return Vec::new() };
    let targets_of_run = targets.goal.targets.iter();
    let of_rule =
        targets_of_run.filter(|target| target.pack.groups().iter().any(|group| rule.groups.contains(&group.as_str())));
    let kinds = of_rule.flat_map(|target| target.pack.kinds().map(move |kind| (target, kind)));
    let is_empty = |target: &Target<'_>, group: &str| {
        let mut of_group = target.pack.kinds().filter(|kind| kind.group == group);
        rule.names_all() && rule.groups.contains(&group) && of_group.all(|kind| targets.removed(kind))
    };
    let is_removed = |(target, kind): &(&Target<'_>, &GroupKind)| {
        targets.removed(kind) && (rule.lists(kind) || is_empty(target, &kind.group))
    };
    let mut by_move: BTreeMap<Option<String>, Vec<(&Target<'_>, &GroupKind)>> = BTreeMap::new();
    for (target, kind) in kinds.filter(is_removed) {
        by_move.entry(targets.possible_move(kind)).or_default().push((target, kind));
    }
    let remark = |(offer, removed): (Option<String>, Vec<(&Target<'_>, &GroupKind)>)| {
        let target = removed[0].0;
        let mut names: Vec<String> = removed.iter().map(|(_, kind)| rule.given_name(kind, "")).collect();
        names.dedup();
        let names = names.join(", ");
        let message = format!("{path} names {names}, which {target} does not have; it is not updated");
        // The same for every mapping, so that it is said once.
        let by_hand = "remove from it by hand what the target does not have, or all of it if it names nothing else";
        let help = offer.unwrap_or_else(|| by_hand.to_owned());
        Remark::new(Code::ReferenceNotUpdated, path.clone(), message).help(help)
    };
    by_move.into_iter().map(remark).collect()
}

/// A kind, what it becomes, and the mappings of an object that name that.
type Renamed<'r, 'v> = (&'r GroupKind, &'r GroupKind, Vec<&'r ResourceRule<'v>>);

/// Reports the rules of webhooks and admission policies that give a kind's resource with versions of which the target serves none.
fn not_served(object: &Value, rules: &[ResourceRule<'_>], targets: &Targets<'_>) -> Vec<Remark> {
    let mut rules = rules.iter().filter(|rule| rule.map.contains_key("apiVersions")).peekable();
    if rules.peek().is_none() {
        return Vec::new();
    }
    let patterns = ADMISSION_RULES.iter().map(|text| FieldPattern::parse(text).expect("it is a pattern"));
    let places: BTreeSet<FieldPath> = patterns.flat_map(|pattern| pattern.matches(object)).collect();
    let rules = rules.filter(|rule| rule.path.as_ref().is_some_and(|path| places.contains(path)));
    rules.filter_map(|rule| not_served_by(rule, targets)).collect()
}

fn not_served_by(rule: &ResourceRule<'_>, targets: &Targets<'_>) -> Option<Remark> {
    let ResourceRule { map, path, .. } = rule;
    let path = path.as_ref()?;
    let versions: Vec<&str> = map.get("apiVersions")?.as_array()?.iter().filter_map(Value::as_str).collect();
    let targets_of_run = targets.goal.targets.iter();
    let (kind, target) = targets_of_run.flat_map(|target| target.pack.kinds().map(move |kind| (kind, target))).find(
        |(kind, target)| {
            let is_written =
                rule.groups.contains(&kind.group.as_str()) && rule.resources.contains(&kind.plural().as_str());
            let names = |names: &[&str], name: &str| names.contains(&name) || names.contains(&"*");
            // What only newer releases have is no reason for a rule about all.
            let is_older = |release: ReleaseId| release < target.release;
            let is_gone = |version: &&str| {
                target.pack.catalog(kind).is_some_and(|catalog| catalog.serving(version).iter().any(is_older))
            };
            let is_named = is_written
                || names(&rule.groups, &kind.group)
                    && names(&rule.resources, &kind.plural())
                    && versions.iter().any(is_gone);
            let had =
                |version: &&str| target.pack.catalog(kind).is_some_and(|catalog| !catalog.listing(version).is_empty());
            let is_lost = |version: &&str| targets.not_serving(kind, version).is_some();
            is_named && versions.iter().any(had) && versions.iter().all(is_lost)
        },
    )?;
    let versions = versions.join(", ");
    let served: Vec<_> =
        target.pack.catalog(kind)?.served(target.release).into_iter().map(|version| version.name).collect();
    let message =
        format!("{path} matches {} in {versions}, which {target} does not serve; it is not updated", resource(kind));
    let help = format!("write {} there by hand", served.join(" or "));
    Some(Remark::new(Code::ReferenceNotUpdated, path.key("apiVersions"), message).help(help))
}

/// A mapping that selects resources or kinds by API group.
pub(super) struct ResourceRule<'v> {
    /// The mapping itself.
    map: &'v Map<String, Value>,
    /// Its path; none for a reference, which is updated.
    path: Option<FieldPath>,
    groups: Vec<&'v str>,
    resources: Vec<&'v str>,
    kinds: Vec<&'v str>,
}

impl<'v> ResourceRule<'v> {
    /// Reads a mapping such as `{ apiGroups: [gateway.networking.k8s.io], resources: [gateways, gateways/status] }`, or such as
    /// `{ group: gateway.networking.k8s.io, kind: '*' }`, which is not a reference.
    fn read(at: &PathRef<'_>, map: &'v Map<String, Value>) -> Option<Self> {
        let texts = |key: &str| map.items(key).iter().filter_map(Value::as_str).collect::<Vec<_>>();
        if map.contains_key("apiGroups") {
            let (groups, resources, kinds) = (texts("apiGroups"), texts("resources"), texts("kinds"));
            return Some(Self { map, path: Some(at.path()), groups, resources, kinds });
        }
        let (group, kind) = map.text("group").zip(map.text("kind"))?;
        let path = [group, kind].contains(&"*").then(|| at.path());
        Some(Self { map, path, groups: vec![group], resources: Vec::new(), kinds: vec![kind] })
    }

    /// Reports which of the `renamed` kinds the mapping names by parts whose new name the object does not have with the same rights.
    fn remark(&self, renamed: &[Renamed<'_, '_>]) -> Option<OldNames<Remark>> {
        let path = self.path.clone()?;
        let (mut kinds, mut old, mut new) = (Vec::new(), Vec::new(), Vec::new());
        let mut added = Vec::new();
        for (kind, successor, part) in self.missing(renamed) {
            kinds.push(GroupKind::clone(kind));
            added.push((successor, part));
            // Several kinds can become one, and all of a group are named by a star.
            for (names, name) in [(&mut old, self.given_name(kind, part)), (&mut new, self.name(successor, part))] {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        if old.is_empty() {
            return None;
        }
        let (old, new) = (old.join(", "), new.join(", "));
        let message = format!("{path} names {old}, renamed to {new}; it is not updated");
        let help = format!("add {new} to it by hand, or replace {old}{}", self.beside(&added));
        Some(OldNames { kinds, report: Remark::new(Code::ReferenceNotUpdated, path, message).help(help) })
    }

    /// Returns the parts of `renamed` kinds that the mapping names and whose new name the object does not have with the same rights, each
    /// with its kind and what that becomes.
    fn missing<'r>(&self, renamed: &[Renamed<'r, 'v>]) -> Vec<(&'r GroupKind, &'r GroupKind, &'v str)> {
        let missing = renamed.iter().flat_map(|(kind, successor, naming)| {
            let is_named = |part: &&str| {
                let same = naming.iter().filter(|rule| rule.parts_of(successor).contains(part));
                self.is_granted_by(same)
            };
            let parts = self.parts_of(kind).into_iter().filter(move |part| !is_named(part));
            parts.map(move |part| (*kind, *successor, part)).collect::<Vec<_>>()
        });
        missing.collect()
    }

    /// Returns the changes that add the groups of the new names, with their versions where some are given; none where the mapping would
    /// name anything else by that.
    fn extension(&self, renamed: &[Renamed<'_, 'v>], targets: &Targets<'_>) -> Vec<Intent> {
        let missing = self.missing(renamed);
        let Some(path) = self.path.as_ref().filter(|_| !self.resources.is_empty()) else { return Vec::new() };
        let becomes =
            |kind: &GroupKind| renamed.iter().any(|(old, new, _)| *new == kind && self.groups.contains(&&*old.group));
        // Another kind of the new group, whose resource the mapping names for another reason.
        let is_other = |target: &Target<'_>, kind: &GroupKind| {
            let is_served =
                || target.pack.catalog(kind).is_some_and(|catalog| !catalog.served(target.release).is_empty());
            let has_rights =
                || self.resources.iter().any(|name| *name == "*" || name.split('/').next() == Some(&kind.plural()));
            !becomes(kind) && has_rights() && is_served()
        };
        let is_exact = |(old, new): (&GroupKind, &GroupKind)| {
            let target = targets.goal.target_of(&new.group).filter(|target| extends(target, targets));
            let is_alone = |target: &Target<'_>| {
                let of_group = target.pack.kinds().filter(|kind| kind.group == new.group);
                of_group.into_iter().all(|kind| !is_other(target, kind))
            };
            old.plural() == new.plural() && target.is_some_and(is_alone)
        };
        if self.groups.contains(&"*") || !missing.iter().all(|(old, new, _)| is_exact((old, new))) {
            return Vec::new();
        }
        let groups: BTreeSet<&str> = missing.iter().map(|(_, new, _)| &*new.group).collect();
        let versions = missing.iter().filter_map(|(old, _, _)| Some(targets.renames.get(*old)?.version()));
        let versions: BTreeSet<&str> = versions.collect();
        let mut changes = additions(&path.key("apiGroups"), self.map.items("apiGroups"), groups);
        let given = self.map.items("apiVersions");
        if !given.is_empty() && given.iter().all(|version| version != "*") {
            changes.extend(additions(&path.key("apiVersions"), given, versions));
        }
        changes
    }

    /// Returns whether `others` together are about everything that the mapping is about: what may be done, or is reviewed, to objects of
    /// which names.
    fn is_granted_by<'o>(&self, others: impl Iterator<Item = &'o &'o ResourceRule<'v>>) -> bool
    where
        'v: 'o,
    {
        let names = self.texts("resourceNames");
        let has_names = |other: &&&ResourceRule<'v>| {
            let others = other.texts("resourceNames");
            others.is_empty() || !names.is_empty() && names.is_subset(&others)
        };
        let mut others = others.filter(has_names).peekable();
        if others.peek().is_none() {
            return false;
        }
        let actions = |rule: &ResourceRule<'v>| &rule.texts("verbs") | &rule.texts("operations");
        let granted: BTreeSet<&str> = others.flat_map(|other| actions(other)).collect();
        granted.contains("*") || actions(self).is_subset(&granted)
    }

    /// Returns the texts of the list `key`.
    fn texts(&self, key: &str) -> BTreeSet<&'v str> {
        self.map.items(key).iter().filter_map(Value::as_str).collect()
    }

    /// Returns whether the mapping names all resources or kinds of its groups.
    fn names_all(&self) -> bool {
        self.resources.contains(&"*") || self.kinds.contains(&"*")
    }

    /// Returns whether the mapping names `kind` itself, with its group and its resource or kind written out.
    fn lists(&self, kind: &GroupKind) -> bool {
        let is_named = || {
            let (plural, mut resources) = (kind.plural(), self.resources.iter());
            resources.any(|resource| resource.split('/').next() == Some(&plural))
        };
        self.groups.contains(&kind.group.as_str()) && (self.kinds.contains(&kind.kind.as_str()) || is_named())
    }

    /// Returns what the mapping names of `kind`: the kind itself, which is an empty text, and parts such as `status`.
    fn parts_of(&self, kind: &GroupKind) -> BTreeSet<&'v str> {
        let mut parts = BTreeSet::new();
        if self.groups.iter().any(|group| *group == kind.group || *group == "*") {
            let plural = kind.plural();
            let named = self.resources.iter().map(|resource| resource.split_once('/').unwrap_or((resource, "")));
            parts.extend(named.filter(|(name, _)| *name == plural || *name == "*").map(|(_, part)| part));
            parts.extend(self.kinds.iter().filter(|name| **name == kind.kind || **name == "*").map(|_| ""));
        }
        parts
    }

    /// Returns the mapping for the new names alone, as a text to be added beside it: a person decides what is permitted. Each group
    /// has a mapping of its own, or a resource of one would be permitted in the other too.
    fn beside(&self, added: &[(&GroupKind, &str)]) -> String {
        let is_item =
            self.path.as_ref().and_then(FieldPath::split_last).is_some_and(|(_, step)| matches!(step, Step::Index(_)));
        if !is_item || self.resources.is_empty() || self.map.contains_key("apiVersions") {
            return String::new();
        }
        let mut resources: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (kind, part) in added {
            let part = if part.is_empty() { String::new() } else { format!("/{part}") };
            resources.entry(&kind.group).or_default().insert(format!("{}{part}", kind.plural()));
        }
        let rule = |(group, resources): (&str, BTreeSet<String>)| {
            let mut map = self.map.clone();
            map.insert("apiGroups".to_owned(), Value::from(vec![group]));
            map.insert("resources".to_owned(), resources.into_iter().collect());
            Value::Object(map)
        };
        let rules = resources.into_iter().map(rule).collect();
        format!("; as a rule of its own:\n{}", TextFormat::Yaml.text_of(&rules).trim_end())
    }

    /// Returns what the mapping calls a part of `kind`, which it names.
    fn given_name(&self, kind: &GroupKind, part: &str) -> String {
        match self.names_all() && !self.lists(kind) {
            true => format!("*.{}", kind.group),
            false => self.name(kind, part),
        }
    }

    /// Returns what a mapping like this calls a part of `kind`.
    fn name(&self, kind: &GroupKind, part: &str) -> String {
        match (self.resources.is_empty(), part) {
            (true, _) => kind.to_string(),
            (false, "") => resource(kind),
            (false, part) => format!("{}/{part}", resource(kind)),
        }
    }
}

/// Returns the changes that add those `texts` to the list at `path` that are not among the items that it has, `given`.
fn additions(path: &FieldPath, given: &[Value], texts: BTreeSet<&str>) -> Vec<Intent> {
    let new = texts.into_iter().filter(|text| given.iter().all(|item| item != text)).enumerate();
    let insert = |(at, text)| Intent::Insert {
        path: path.index(given.len() + at),
        value: Value::from(text),
        place: Place::Last,
    };
    new.map(insert).collect()
}

/// Returns the name that the API server gives the kind's resource, with its group: `gateways.gateway.networking.k8s.io`.
fn resource(kind: &GroupKind) -> String {
    format!("{}.{}", kind.plural(), kind.group)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{PathRef, ResourceRule};
    use crate::knowledge::release::GroupKind;

    #[test]
    fn the_new_names_have_a_rule_for_each_group() {
        let role = json!({"rules": [
            {"apiGroups": ["a.example.com", ""], "resources": ["pods", "olds", "olds/status", "others"], "verbs": ["get"]},
        ]});
        let rule = ResourceRule::read(&PathRef::index(None, 0), role["rules"][0].as_object().expect("a mapping"));
        let [one, two] = [GroupKind::new("New", "a.example.com"), GroupKind::new("Other", "b.example.com")];
        let text = rule.expect("it selects something").beside(&[(&one, ""), (&one, "status"), (&two, "")]);
        let expected = "; as a rule of its own:
- apiGroups:
  - a.example.com
  resources:
  - news
  - news/status
  verbs:
  - get
- apiGroups:
  - b.example.com
  resources:
  - others
  verbs:
  - get";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_new_name_of_several_kinds_is_told_once() {
        let role = json!({"apiGroups": ["a.example.com"], "resources": ["shops", "cafes"], "verbs": ["get"]});
        let rule = ResourceRule::read(&PathRef::key(None, "rules"), role.as_object().expect("a mapping"));
        let [cafe, shop, store] = ["Cafe", "Shop", "Store"].map(|kind| GroupKind::new(kind, "a.example.com"));
        let renamed = [(&cafe, &store, Vec::new()), (&shop, &store, Vec::new())];
        let remark = rule.and_then(|rule| rule.remark(&renamed)).expect("both are named").report;
        let expected =
            "rules names cafes.a.example.com, shops.a.example.com, renamed to stores.a.example.com; it is not updated";
        assert_eq!(remark.message, expected);
    }

    #[test]
    fn each_part_of_a_kind_is_named() {
        let role = json!({"apiGroups": ["a.example.com"], "resources": ["shops", "shops/status"], "verbs": ["get"]});
        let rule = ResourceRule::read(&PathRef::key(None, "rules"), role.as_object().expect("a mapping"));
        let [shop, store] = ["Shop", "Store"].map(|kind| GroupKind::new(kind, "a.example.com"));
        let renamed = [(&shop, &store, Vec::new())];
        let remark = rule.and_then(|rule| rule.remark(&renamed)).expect("both are named").report;
        let expected = "rules names shops.a.example.com, shops.a.example.com/status, renamed to stores.a.example.com, stores.a.example.com/status; it is not updated";
        assert_eq!(remark.message, expected);
    }

    #[test]
    fn all_kinds_of_a_group_are_one_name() {
        let role = json!({"apiGroups": ["a.example.com"], "resources": ["*"], "verbs": ["get"]});
        let rule = ResourceRule::read(&PathRef::key(None, "rules"), role.as_object().expect("a mapping"));
        let [cafe, shop] = ["Cafe", "Shop"].map(|kind| GroupKind::new(kind, "a.example.com"));
        let [new_cafe, new_shop] = ["Cafe", "Shop"].map(|kind| GroupKind::new(kind, "b.example.com"));
        let renamed = [(&cafe, &new_cafe, Vec::new()), (&shop, &new_shop, Vec::new())];
        let remark = rule.and_then(|rule| rule.remark(&renamed)).expect("both are named").report;
        let expected =
            "rules names *.a.example.com, renamed to cafes.b.example.com, shops.b.example.com; it is not updated";
        assert_eq!(remark.message, expected);
    }

    #[test]
    fn a_mapping_identifies_a_kind_by_group_and_resource_or_kind() {
        let kind = GroupKind::new("XListenerSet", "gateway.networking.x-k8s.io");
        let parts = |map: Value| {
            let rule = ResourceRule::read(&PathRef::key(None, "rules"), map.as_object().expect("a mapping"));
            let rule = rule.expect("it selects something");
            rule.parts_of(&kind).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let group = kind.group.as_str();
        let by_resource =
            json!({"apiGroups": ["", group], "resources": ["pods", "xlistenersets", "xlistenersets/status"]});
        assert_eq!(parts(by_resource), ["", "status"]);
        assert_eq!(parts(json!({"apiGroups": ["*"], "resources": ["xlistenersets/status"]})), ["status"]);
        assert_eq!(parts(json!({"apiGroups": [group], "resources": ["*"]})), [""]);
        assert_eq!(parts(json!({"apiGroups": [group], "kinds": ["XListenerSet"]})), [""]);
        assert_eq!(parts(json!({"group": group, "kind": "*"})), [""]);
        assert_eq!(parts(json!({"apiGroups": ["example.com"], "resources": ["xlistenersets"]})), [""; 0]);
        assert_eq!(parts(json!({"apiGroups": [group], "resources": ["xbackends"]})), [""; 0]);
    }
}

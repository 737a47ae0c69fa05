//! The files of a pack for the changes between two releases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::draft::Subject;
use super::kinds::{Successor, successors};
use super::rule::{RuleDraft, Sort, Suggestion};
use super::side::Side;
use super::skeleton::{Case, Sample, is_open};
use super::step::{Step, steps};
use super::text::{field, object as object_text, slug, text};
use super::trial::mark_failing;
use crate::authoring::starter::{self, MARK};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::pack::crds::gather::{Gathered, ReleasedCrd};
use crate::knowledge::pack::crds::own::OwnCrds;
use crate::knowledge::pack::crds::{PlacedCrd, crd};
use crate::knowledge::pack::folder::HEAD;
use crate::knowledge::release::{ApiVersion, GroupKind, ReleaseId, ReleaseLine};
use crate::syntax::field::{FieldPattern, Part};
use crate::syntax::yaml::{self, read_value};

/// The CRDs of one release, which were checked.
#[derive(Debug)]
pub(crate) struct Release {
    /// Its name, which is that of the folder of the rules.
    pub bundle: String,
    /// Its CRDs, each of another kind.
    pub crds: Vec<PlacedCrd>,
}

/// A pack that is drafted.
#[derive(Debug)]
pub(crate) struct Draft {
    /// Its files, by their paths in its folder.
    pub files: BTreeMap<String, String>,
    /// What is in them, by kind and field.
    pub suggestions: Vec<Suggestion>,
}

impl Draft {
    /// Returns whether there is a rule in it.
    pub(crate) fn has_rules(&self) -> bool {
        self.suggestions.iter().any(|suggestion| suggestion.file != HEAD)
    }
}

/// Drafts the pack of two releases, with the rules for what changed between them.
///
/// # Errors
/// A message where the names of releases cannot be used.
pub(crate) fn pack(name: &str, title: &str, releases: &[Release; 2]) -> Result<Draft, String> {
    let bundles = releases.iter().map(|release| (release.bundle.clone(), Vec::new()));
    let line = ReleaseLine::new(Vec::new(), bundles)?;
    let ids: Vec<ReleaseId> = line.iter().map(|(id, _)| id).collect();
    let [old, new] = ids[..] else { unreachable!("there is one release for each set") };
    let mut crds = Vec::new();
    let mut kinds = BTreeSet::new();
    for (release, id) in releases.iter().zip([old, new]) {
        for PlacedCrd { value, .. } in &release.crds {
            let kind = crd::checked_kind(value).ok().flatten().expect("the CRD was checked");
            kinds.insert(kind);
            crds.push(ReleasedCrd { release: id, value: Arc::clone(value) });
        }
    }
    let gathered = Gathered::for_pack(&crds);
    let catalogs: Vec<Catalog> = gathered.catalogs().collect();
    let catalogs: Vec<&Catalog> = catalogs.iter().collect();
    let drafted = between(&catalogs, [old, new], [&releases[0].bundle, &releases[1].bundle], name);
    let order = [releases[0].bundle.as_str(), releases[1].bundle.as_str()];
    let mut files = starter::of_releases(name, title, &kinds, order);
    if let Some(head) = files.get_mut(HEAD) {
        head.push_str(&drafted.head);
    }
    let catalogs = gathered.files(&line).into_iter().map(|(name, text)| (format!("catalog/{name}"), text));
    files.extend(catalogs);
    let source = format!("the CRDs of {} and {}", releases[0].bundle, releases[1].bundle);
    let own = releases.each_ref().map(|release| OwnCrds::read(&release.bundle, release.crds.clone()).ok());
    for mut rule in drafted.rules {
        rule.notes.extend(rule.cases.iter().flat_map(|case| places(case, &own)));
        files.insert(file_of(&rule.bundle, &rule.name), rule.text(&source));
        for case in &rule.cases {
            for (file, text) in &case.files {
                let path = format!("fixtures/{}/{}/{}/{file}", rule.bundle, rule.name, case.name);
                files.insert(path, text.clone());
            }
        }
    }
    mark_failing(name, &mut files);
    Ok(Draft { files, suggestions: drafted.suggestions })
}

/// Lists what a person has to write in a case so that the releases of its objects accept them.
fn places(case: &Case, own: &[Option<OwnCrds>; 2]) -> Vec<String> {
    let place = |(file, text): &(&'static str, String)| {
        let side = match *file {
            "before.yaml" | "back.yaml" | "same.yaml" => &own[0],
            "after.yaml" => &own[1],
            _ => return None,
        };
        // `pack test` shows what such a case becomes.
        if is_open(text) {
            return None;
        }
        let what = match text.contains(MARK) {
            true => format!("a value that the schema accepts, where {MARK} stands"),
            false => format!("values that hold: {}", broken_rule(side.as_ref()?, text)?),
        };
        Some(format!("{MARK}: in {}/{file} of the fixtures, {what}", case.name))
    };
    case.files.iter().filter_map(place).collect()
}

/// Says which CEL rule an object breaks, of those that can be run.
fn broken_rule(own: &OwnCrds, text: &str) -> Option<String> {
    let tree = yaml::parse(text).ok()?;
    let object = read_value(&tree, text, tree.documents().first()?.root).ok()?;
    let (group, version) = object["apiVersion"].as_str()?.split_once('/')?;
    let kind = GroupKind::new(object["kind"].as_str()?, group);
    let broken = own.run_rules(&kind, version, &object).broken.into_iter().next()?;
    Some(format!("{} {}", broken.path, broken.kind).split_whitespace().collect::<Vec<_>>().join(" "))
}

fn file_of(bundle: &str, rule: &str) -> String {
    format!("{bundle}/{rule}.yaml")
}

/// What changed between two releases.
#[derive(Debug)]
pub struct Between {
    rules: Vec<RuleDraft>,
    /// What is behind the releases in `pack.yaml`.
    head: String,
    /// What is suggested.
    pub suggestions: Vec<Suggestion>,
}

/// Drafts the rules for what changed in kinds from one release to another, which are called `bundles`.
pub fn between(catalogs: &[&Catalog], [old, new]: [ReleaseId; 2], bundles: [&str; 2], pack: &str) -> Between {
    let successors = successors(catalogs, old, new);
    let (mut rules, mut hints): (Vec<RuleDraft>, Vec<Suggestion>) = (Vec::new(), Vec::new());
    for catalog in catalogs.iter().filter(|catalog| catalog.releases().contains(old)) {
        let after = match successors.get(catalog.kind()) {
            None => Some(*catalog),
            Some(None) => {
                hints.push(removed(catalog));
                None
            }
            Some(Some(next)) => {
                let after = catalogs.iter().copied().find(|other| *other.kind() == next.kind);
                rules.extend(after.map(|after| retyped([catalog, after], [old, new], next, bundles)));
                after.filter(|_| next.is_sure)
            }
        };
        let Some(after) = after else { continue };
        if catalog.kind() == after.kind() && catalog.is_alike_in(old, new) {
            continue;
        }
        let mut own: Vec<RuleDraft> = Vec::new();
        let steps = steps([catalog, after], [old, new]);
        let is_alone = steps.len() == 1;
        for Step { sides: [before, next], span } in steps {
            let sides = [Side::of(catalog, old, &before.version), Side::of(after, new, &next.version)];
            let sample = Sample {
                old: &sides[0],
                new: &sides[1],
                is_alone,
                sides: [(catalog.kind().clone(), before), (after.kind().clone(), next)],
            };
            let drafted = Subject { sample, span, catalogs: [(catalog, old), (after, new)], bundles, pack }.draft();
            hints.extend(drafted.hints);
            // What changed in one version alike is said once, and objects of an older one pass the rules of a newer one.
            let fresh = drafted.rules.into_iter().filter(|rule| !own.iter().any(|known| known.covers(rule)));
            let fresh: Vec<RuleDraft> = fresh.collect();
            own.extend(fresh);
        }
        rules.extend(own);
    }
    hints.sort();
    hints.dedup_by(|one, other| one.kind == other.kind && one.old == other.old);
    finished(rules, hints, bundles[1], pack)
}

/// Merges rules that do the same, names them, and collects what they suggest.
fn finished(rules: Vec<RuleDraft>, mut hints: Vec<Suggestion>, bundle: &str, pack: &str) -> Between {
    let mut merged: Vec<RuleDraft> = Vec::new();
    for rule in rules {
        match merged.iter_mut().find(|known| known.is_like(&rule) && !known.kinds.contains(&rule.kinds[0])) {
            Some(known) => known.join(rule),
            None => merged.push(rule),
        }
    }
    let mut names = BTreeSet::new();
    for rule in &mut merged {
        let name = rule.name.clone();
        let mut number = 1;
        while !names.insert(rule.name.clone()) {
            number += 1;
            rule.name = format!("{name}-{number}");
        }
        for suggestion in &mut rule.suggestions {
            suggestion.file = file_of(&rule.bundle, &rule.name);
        }
    }
    for hint in &mut hints {
        HEAD.clone_into(&mut hint.file);
    }
    let head = head(&merged, &hints, pack, bundle);
    let open = hints.into_iter().filter(|hint| !hint.is_sure);
    let mut suggestions: Vec<Suggestion> =
        merged.iter().flat_map(|rule| rule.suggestions.clone()).chain(open).collect();
    suggestions.sort();
    Between { rules: merged, head, suggestions }
}

/// Writes what `pack.yaml` says besides the releases.
fn head(rules: &[RuleDraft], hints: &[Suggestion], pack: &str, bundle: &str) -> String {
    let mut head = String::new();
    let parameter = format!("{pack}.defaults");
    if rules.iter().any(|rule| rule.lens.iter().any(|operation| operation.contains(&parameter))) {
        head.push_str(
            "parameters:\n- name: defaults\n  description: whether fields whose default changed are written with the value that they had (freeze) or get the new one (adopt)\n  choices: [freeze, adopt]\n  default: freeze\n",
        );
    }
    let mut sections = BTreeMap::<&str, String>::new();
    for hint in hints {
        let (section, entry) = entry(hint, bundle);
        sections.entry(section).or_insert_with(|| format!("{section}:\n")).push_str(&entry);
    }
    head.extend(sections.into_values());
    head
}

/// Writes an entry of `pack.yaml`, with a place to fill in, and names the list that it belongs to.
fn entry(hint: &Suggestion, bundle: &str) -> (&'static str, String) {
    let Suggestion { kind, old, new, new_kind, reason, versions, .. } = hint;
    let (name, pattern) = (text(bundle), FieldPattern::parse(old).unwrap_or_default());
    match hint.sort {
        Sort::Removal => {
            let why = format!("\"{MARK}: why nothing takes its place\"");
            ("dropped", format!("# {reason}\n- {{ bundle: {name}, kind: {kind}, reason: {why} }}\n"))
        }
        Sort::Default => {
            let moved = FieldPattern::parse(new).ok().filter(|moved| !moved.parts().is_empty());
            let id = format!("{}-{}-default", kind.kind.to_lowercase(), slug(&pattern));
            let way = |way: &str, kind: &GroupKind, at: &FieldPattern, version: Option<&ApiVersion>| {
                let test = absence(at, version);
                let message = json!(format!("{MARK}: what it means that {at} is absent, or a rule that writes it"));
                format!(
                    "- {{ id: {id}-{way}, bundle: {name}, direction: {way}, kinds: [{kind}], if: {test}, message: {message} }}\n"
                )
            };
            let [first, second] = [0, 1].map(|side| versions.as_ref().map(|versions| &versions[side]));
            let forward = way("forward", kind, &pattern, first);
            let backward = way("backward", new_kind, moved.as_ref().unwrap_or(&pattern), second);
            ("advisories", format!("# {old}: {reason}\n{forward}{backward}"))
        }
        _ => {
            let help = if hint.is_sure { format!("write {}", hint.new) } else { format!("{MARK}: what to write") };
            ("hints", format!("# {reason}\n- {{ kind: {kind}, field: {}, help: {} }}\n", field(&pattern), json!(help)))
        }
    }
}

/// Writes the condition that an object, of one apiVersion where it is about that, lacks a field, in some item where it is in one.
fn absence(at: &FieldPattern, version: Option<&ApiVersion>) -> String {
    let inside = at.parts().iter().rposition(|part| !matches!(part, Part::Key(_))).map_or(0, |last| last + 1);
    let (around, rest) = at.parts().split_at(inside);
    let absent = format!("{{ absent: {} }}", field(&FieldPattern::new(rest.to_vec())));
    let test = match around {
        [] => absent,
        _ => format!("{{ some: {{ of: {}, is: {absent} }} }}", field(&FieldPattern::new(around.to_vec()))),
    };
    match version {
        Some(version) => format!("{{ all: [{{ equals: {{ field: apiVersion, value: {version} }} }}, {test}] }}"),
        None => test,
    }
}

/// Drafts the rule of a kind that became another one.
fn retyped(
    [before, after]: [&Catalog; 2],
    [old, new]: [ReleaseId; 2],
    next: &Successor,
    bundles: [&str; 2],
) -> RuleDraft {
    let (one, other) = (before.kind(), &next.kind);
    let operation = match one.kind == other.kind {
        true => format!("retype: {{ group: {} }}", other.group),
        false => format!("retype: {{ to: {other} }}"),
    };
    let object = |kind: &GroupKind, catalog: &Catalog, release| {
        let served = catalog.served(release);
        let version = served.first().map_or("v1", |version| version.name);
        format!("apiVersion: {}/{version}\nkind: {}\nmetadata:\n  name: example\n", kind.group, kind.kind)
    };
    let (first, second) = (object(one, before, old), object(other, after, new));
    let name = match one.kind == other.kind {
        true => format!("{}-moved-to-{}", one.kind.to_lowercase(), other.group),
        false => format!("{}-became-{}", one.kind.to_lowercase(), other.kind.to_lowercase()),
    };
    let note = format!("{} %: {one} -> {other}: {}", next.confidence, next.reason);
    let suggestion = Suggestion {
        kind: one.clone(),
        old: one.to_string(),
        sort: Sort::Kind,
        new: other.to_string(),
        confidence: next.confidence,
        reason: next.reason.clone(),
        is_sure: next.is_sure,
        file: String::new(),
        new_kind: other.clone(),
        versions: None,
    };
    let (notes, lens, cases) = if next.is_sure {
        let case = Case { name: "retyped".to_owned(), files: vec![("before.yaml", first), ("after.yaml", second)] };
        (vec![note], vec![operation], vec![case])
    } else {
        let choice = "It may have become this one; write the operation in place of the refusal:".to_owned();
        let notes = vec![choice, note, format!("  - {operation}")];
        let (lens, case) = refusal(one, first, bundles);
        (notes, vec![lens], vec![case])
    };
    kind_rule(name, bundles[1], one, (notes, lens, cases), suggestion)
}

/// Notes that a kind has no successor.
fn removed(catalog: &Catalog) -> Suggestion {
    let kind = catalog.kind();
    Suggestion {
        kind: kind.clone(),
        old: kind.to_string(),
        sort: Sort::Removal,
        new: String::new(),
        confidence: 0,
        reason: "no kind came that it could be".to_owned(),
        is_sure: false,
        file: String::new(),
        new_kind: kind.clone(),
        versions: None,
    }
}

/// Writes the operation that holds every object of a kind back, and its case.
fn refusal(kind: &GroupKind, object: String, bundles: [&str; 2]) -> (String, Case) {
    let (reason, help) =
        (json!(format!("{} has no {}", bundles[1], kind.kind)), json!(format!("{MARK}: what to do by hand")));
    let lens = format!("refuse: {{ direction: forward, at: kind, reason: {reason}, help: {help} }}");
    let files = vec![("before.yaml", object), ("findings.txt", "kind-not-in-target kind\n".to_owned())];
    (lens, Case { name: "held-back".to_owned(), files })
}

/// Makes the rule of a kind of its notes, operations and cases.
fn kind_rule(
    name: String,
    bundle: &str,
    kind: &GroupKind,
    (notes, lens, mut cases): (Vec<String>, Vec<String>, Vec<Case>),
    suggestion: Suggestion,
) -> RuleDraft {
    // An object of another group that is called alike.
    let object: Value = json!({"apiVersion": "example.com/v1", "kind": kind.kind, "metadata": {"name": "example"}});
    let twin = object_text(&object);
    cases.push(Case { name: "look-alike".to_owned(), files: vec![("same.yaml", twin)] });
    RuleDraft {
        name,
        bundle: bundle.to_owned(),
        summary: format!("{kind} is {}", suggestion.new),
        kinds: vec![kind.clone()],
        versions: None,
        needs_from: false,
        notes,
        lens,
        cases,
        suggestions: vec![suggestion],
        roots: Vec::new(),
    }
}

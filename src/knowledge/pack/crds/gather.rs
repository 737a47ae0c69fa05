//! Answers: which facts do the CRDs of all releases define about each kind?
//!
//! Facts are added release by release; equal facts share one row with the set of their releases. The text of a catalog file
//! is that, in tree order.
//!
//! Invariant: rows of one field differ in more than their releases.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Result, bail};
use serde_json::Value;

use super::crd::{self, DefinedVersion, Definition, FieldFact, Note, Strategy};
use crate::knowledge::catalog::{COLUMNS, Catalog, FieldRow, Header, Scope, WEBHOOK, Word};
use crate::knowledge::release::{self, GroupKind, ReleaseId, ReleaseLine, ReleaseSet};
use crate::syntax::field::FieldPattern;

/// The CRD of a kind in a release, where it is all there is about the kind; it was checked.
#[derive(Debug)]
pub(crate) struct ReleasedCrd {
    pub(crate) release: ReleaseId,
    pub(crate) value: Arc<Value>,
}

/// The facts about every kind so far.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    kinds: BTreeMap<GroupKind, KindFacts>,
}

#[derive(Debug, Default)]
struct KindFacts {
    defined: ReleaseSet,
    scopes: BTreeMap<Scope, ReleaseSet>,
    webhook: ReleaseSet,
    listings: BTreeMap<(Word, String), ReleaseSet>,
    /// The rows of each field: mostly one, for which a map would take ten times the memory.
    fields: BTreeMap<FieldPattern, Vec<(Row, ReleaseSet)>>,
    notes: BTreeMap<Note, ReleaseSet>,
}

/// A fact, and the versions that have it; none if all do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    fact: FieldFact,
    versions: Vec<String>,
}

impl Gathered {
    /// Gathers the facts of CRDs that define a kind once in each release.
    pub(crate) fn of_crds<'c>(crds: impl IntoIterator<Item = &'c ReleasedCrd>) -> Self {
        Self::read(crds, crd::definition_alone)
    }

    /// Gathers the same facts as the catalogs of a pack hold them: CEL rules as relations among fields.
    pub(crate) fn for_pack<'c>(crds: impl IntoIterator<Item = &'c ReleasedCrd>) -> Self {
        Self::read(crds, crd::definition_for_pack)
    }

    fn read<'c>(
        crds: impl IntoIterator<Item = &'c ReleasedCrd>,
        definition: fn(&Value) -> Result<Option<Definition>>,
    ) -> Self {
        let mut gathered = Self::default();
        for crd in crds {
            let definition = definition(&crd.value).ok().flatten().expect("the CRD was checked");
            gathered.add(crd.release, definition).expect("a release has one CRD of a kind");
        }
        gathered
    }

    /// Adds the facts of the CRD of one release.
    pub(crate) fn add(&mut self, release: ReleaseId, definition: Definition) -> Result<()> {
        let facts = self.kinds.entry(definition.kind.clone()).or_default();
        if facts.defined.contains(release) {
            bail!("{} is defined twice in this release", definition.kind);
        }
        extend(&mut facts.defined, release);
        if let Some(scope) = definition.scope {
            extend(facts.scopes.entry(scope).or_default(), release);
        }
        if definition.strategy == Strategy::Webhook {
            extend(&mut facts.webhook, release);
        }
        for version in &definition.versions {
            for word in words(version) {
                extend(facts.listings.entry((word, version.name.clone())).or_default(), release);
            }
            for note in &version.notes {
                extend(facts.notes.entry(note.clone()).or_default(), release);
            }
        }
        for (pattern, rows) in rows(definition.versions) {
            let known = facts.fields.entry(pattern).or_default();
            for row in rows {
                extend(entry(known, row), release);
            }
        }
        Ok(())
    }

    /// Returns whether there are facts about a kind of `group`.
    pub(crate) fn has_group(&self, group: &str) -> bool {
        self.kinds.keys().any(|kind| kind.group == group)
    }

    /// Makes the catalog of each kind.
    pub(crate) fn catalogs(&self) -> impl Iterator<Item = Catalog> {
        self.kinds.iter().map(|(kind, facts)| facts.catalog(kind))
    }

    /// Returns the text of every catalog file, by its name.
    pub(crate) fn files(&self, line: &ReleaseLine) -> BTreeMap<String, String> {
        self.kinds.iter().map(|(kind, facts)| (format!("{kind}.tsv"), facts.text(kind, line))).collect()
    }

    /// Returns what was omitted, one sentence each.
    pub(crate) fn notes(&self, line: &ReleaseLine) -> Vec<String> {
        let sentence = |kind: &GroupKind, note: &Note, releases: ReleaseSet| {
            format!("{kind} `{}`: {} ({})", note.pattern, note.what, line.describe(releases))
        };
        let of_kind = |(kind, facts): (&GroupKind, &KindFacts)| -> Vec<String> {
            facts.notes.iter().map(|(note, releases)| sentence(kind, note, *releases)).collect()
        };
        self.kinds.iter().flat_map(of_kind).collect()
    }
}

impl KindFacts {
    fn catalog(&self, kind: &GroupKind) -> Catalog {
        let scopes = self.scopes.iter().map(|(scope, releases)| (*scope, *releases)).collect();
        let mut header = Header::new(kind.clone(), scopes, self.webhook);
        for ((word, name), releases) in &self.listings {
            header.list(name, *word, *releases);
        }
        let fields = self.fields.iter().flat_map(|(pattern, rows)| {
            sorted(rows).into_iter().map(move |(row, releases)| FieldRow {
                pattern,
                kind: row.fact.kind,
                required: row.fact.required,
                attributes: &row.fact.attributes,
                versions: &row.versions,
                releases,
            })
        });
        Catalog::of(header, fields)
    }

    fn text(&self, kind: &GroupKind, line: &ReleaseLine) -> String {
        let mut out = format!("kind\t{kind}\n");
        for (scope, releases) in &self.scopes {
            push(&mut out, &["scope", scope.name(), &line.describe(*releases)]);
        }
        if !self.webhook.is_empty() {
            push(&mut out, &["conversion", WEBHOOK, &line.describe(self.webhook)]);
        }
        let mut listings: Vec<_> = self.listings.iter().collect();
        listings.sort_by(|((word, name), _), ((other, second), _)| {
            word.cmp(other).then_with(|| release::by_stability(second, name))
        });
        for ((word, name), releases) in listings {
            push(&mut out, &[word.name(), name, &line.describe(*releases)]);
        }
        push(&mut out, &[COLUMNS]);
        for (pattern, rows) in &self.fields {
            let path = pattern.to_string();
            for (Row { fact, versions }, releases) in sorted(rows) {
                let required = if fact.required { "required" } else { "" };
                let (versions, releases) = (versions.join(","), line.describe(releases));
                push(&mut out, &[&path, fact.kind.name(), required, &fact.attributes, &versions, &releases]);
            }
        }
        out
    }
}

/// Returns the rows of a field in the order of a catalog.
fn sorted(rows: &[(Row, ReleaseSet)]) -> Vec<(&Row, ReleaseSet)> {
    let mut rows: Vec<_> = rows.iter().map(|(row, releases)| (row, *releases)).collect();
    rows.sort_by_key(|(row, releases)| (releases.iter().next(), *row));
    rows
}

/// Returns the header keywords of one release's version.
fn words(version: &DefinedVersion) -> impl Iterator<Item = Word> {
    let served = if version.served { Word::Served } else { Word::Unserved };
    let storage = version.storage.then_some(Word::Storage);
    [Some(served), storage, version.deprecated.then_some(Word::Deprecated)].into_iter().flatten()
}

/// Folds the schemas of one release's versions: equal facts of one field become one row.
fn rows(mut versions: Vec<DefinedVersion>) -> BTreeMap<FieldPattern, Vec<Row>> {
    versions.sort_by(|left, right| release::by_stability(&right.name, &left.name));
    let count = versions.len();
    let mut folded: BTreeMap<FieldPattern, Vec<(FieldFact, Vec<String>)>> = BTreeMap::new();
    for version in versions {
        for (pattern, fact) in version.fields {
            entry(folded.entry(pattern).or_default(), fact).push(version.name.clone());
        }
    }
    let row = |(fact, mut versions): (FieldFact, Vec<String>)| {
        if versions.len() == count {
            versions.clear();
        }
        Row { fact, versions }
    };
    folded.into_iter().map(|(pattern, facts)| (pattern, facts.into_iter().map(row).collect())).collect()
}

/// Returns what a short list has under a key; it gets the key if it lacks it.
fn entry<K: PartialEq, V: Default>(list: &mut Vec<(K, V)>, key: K) -> &mut V {
    let at = list.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
        list.reserve_exact(1);
        list.push((key, V::default()));
        list.len() - 1
    });
    &mut list[at].1
}

fn extend(set: &mut ReleaseSet, release: ReleaseId) {
    *set = *set | [release].into_iter().collect();
}

fn push(out: &mut String, columns: &[&str]) {
    let line = columns.join("\t");
    writeln!(out, "{line}").expect("writing to a string cannot fail");
}

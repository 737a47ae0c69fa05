//! Which kinds do the rules of a run rename, and what becomes of the references to them?

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::references::{self, Reference};
use crate::knowledge::catalog::Catalog;
use crate::knowledge::lens::{Halt, Session};
use crate::knowledge::pack::{Packs, Target};
use crate::knowledge::release::{ApiVersion, GroupKind};
use crate::syntax::field::FieldPath;
use crate::syntax::yaml::{Intent, Place};

/// What a kind becomes: its kind in the target, and a version of that.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Successor {
    pub(super) kind: GroupKind,
    pub(super) version: String,
}

impl Successor {
    pub(crate) const fn new(kind: GroupKind, version: String) -> Self {
        Self { kind, version }
    }

    pub(crate) const fn kind(&self) -> &GroupKind {
        &self.kind
    }

    pub(crate) fn version(&self) -> &str {
        &self.version
    }
}

/// The kinds that the rules towards a target rename.
pub(crate) type Renames = BTreeMap<GroupKind, Successor>;

/// Collects the kinds that `target`'s rules rename.
pub(crate) fn renames(target: &Target<'_>) -> Renames {
    let mut kinds: BTreeMap<GroupKind, GroupKind> = BTreeMap::new();
    for (rule, direction) in target.pack.rules_to(target.release) {
        let (from, to) = (rule.from_kind(direction), rule.to_kind(direction));
        if from != to {
            kinds.values_mut().filter(|kind| *kind == from).for_each(|kind| kind.clone_from(to));
            kinds.insert(from.clone(), to.clone());
        }
    }
    let mut renames = Renames::new();
    for (from, kind) in kinds {
        let served = target.pack.catalog(&kind).and_then(|catalog| catalog.served(target.release).into_iter().next());
        if let Some(served) = served {
            let version = served.name.to_owned();
            renames.insert(from, Successor { kind, version });
        }
    }
    renames
}

/// Finds the references in `object` to kinds in `renames`, whose successor can be written there; `catalog` describes the object's
/// kind, where it is known.
pub(crate) fn find<'p>(
    object: &Value,
    catalog: Option<&Catalog>,
    renames: &Renames,
    packs: &'p Packs,
) -> Vec<Reference<'p>> {
    if renames.is_empty() {
        return Vec::new();
    }
    let may_be = |name: &str| renames.keys().any(|renamed| renamed.kind == name);
    let mut references: Vec<Reference<'p>> =
        references::find(object, catalog, &may_be, &|kind| renames.contains_key(kind));
    let mut declared = references::find_declared(object, packs, || renames.keys());
    declared.retain(|reference| is_expressible(reference, renames));
    references.retain(|reference| declared.iter().all(|other| other.path != reference.path));
    references.extend(declared);
    references
}

/// Finds the references of `object`, in fields that a pack gives, to kinds in `renames` whose new group has no key there.
pub(crate) fn inexpressible<'p>(object: &Value, renames: &Renames, packs: &'p Packs) -> Vec<Reference<'p>> {
    let mut declared = references::find_declared(object, packs, || renames.keys());
    declared.retain(|reference| !is_expressible(reference, renames));
    declared
}

/// Returns whether the group of the successor can be written where `reference` stands.
fn is_expressible(reference: &Reference<'_>, renames: &Renames) -> bool {
    let needs_group = renames.get(&reference.kind).is_some_and(|successor| needs_group(reference, successor));
    !needs_group || reference.keys.group.is_some()
}

/// Returns whether the group has to be written out that `reference` has by default: its kind moves to another one.
fn needs_group(reference: &Reference<'_>, successor: &Successor) -> bool {
    reference.takes_default && successor.kind.group != reference.kind.group
}

/// Returns `object` with every reference as the newest release of its pack spells it, its group written out: two objects that
/// differ in nothing but the release their references are spelled for become the same.
pub(crate) fn normal(object: Arc<Value>, catalog: Option<&Catalog>, packs: &Packs) -> Arc<Value> {
    let renames: Renames = packs.iter().filter_map(Target::newest).flat_map(|target| renames(&target)).collect();
    let mut session = Session::new(object);
    for reference in find(&session.shared(), catalog, &renames, packs) {
        // A reference that cannot be updated is left unchanged, in each of the objects compared.
        let _unchanged = update(&reference, &renames[&reference.kind], &mut session);
    }
    let (mut normal, _, _) = session.finish();
    let mut default_groups = BTreeMap::new();
    for (pattern, group) in catalog.into_iter().flat_map(Catalog::default_groups) {
        default_groups.extend(pattern.matches(&normal).into_iter().map(|path| (path, group)));
    }
    for (path, group) in default_groups {
        if let Some(Value::Object(map)) = path.get_mut(Arc::make_mut(&mut normal))
            && !map.contains_key("apiVersion")
        {
            map.entry("group").or_insert_with(|| Value::from(group));
        }
    }
    normal
}

/// Returns what converting back will not undo of [`update`]: a default group that is written out now.
pub(crate) fn normalized(reference: &Reference<'_>, successor: &Successor) -> Option<String> {
    let group = &successor.kind.group;
    needs_group(reference, successor).then(|| {
        format!("{} is written in an equivalent form: its group {group} is not the field's default, and it stays written out when converted back", reference.path)
    })
}

/// Writes `text` at `path`, before the first of these keys that the mapping has.
fn insert(path: FieldPath, text: &str, before: [Option<&str>; 3], session: &mut Session<'_>) -> Result<(), Halt> {
    let map = path.split_last().and_then(|(parent, _)| parent.get(session.object()));
    let present = before.into_iter().flatten().find(|key| map.is_some_and(|map| map.get(*key).is_some()));
    let place = present.map_or(Place::Last, |key| Place::Before(key.to_owned()));
    session.change(Intent::Insert { path, value: Value::from(text), place })
}

/// Makes `reference` name what its kind becomes.
///
/// # Errors
/// As [`Session::change`].
pub(crate) fn update(reference: &Reference<'_>, successor: &Successor, session: &mut Session<'_>) -> Result<(), Halt> {
    let Successor { kind, version } = successor;
    let (path, keys) = (&reference.path, &reference.keys);
    if let Some(key) = keys.group.filter(|_| needs_group(reference, successor)) {
        insert(path.key(key), &kind.group, [keys.kind, keys.resource, keys.name], session)?;
    }
    if let Some(key) = keys.kind.filter(|key| path.key(key).get(session.object()).is_none()) {
        // The field has its kind by default.
        if kind.kind != reference.kind.kind {
            insert(path.key(key), &kind.kind, [keys.name, None, None], session)?;
        }
    }
    let api_version = ApiVersion { group: kind.group.clone(), version: version.clone() };
    let texts = [
        (keys.group, kind.group.clone()),
        (keys.api_version, api_version.to_string()),
        (keys.version, version.clone()),
        (keys.kind, kind.kind.clone()),
        (keys.resource, kind.plural()),
    ];
    for (key, text) in texts {
        let Some(place) = key.map(|key| path.key(key)) else { continue };
        if place.text(session.object()).is_some_and(|old| old != text) {
            session.change(Intent::Replace { path: place, value: Value::from(text) })?;
        }
    }
    Ok(())
}

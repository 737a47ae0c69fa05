//! How does an object keep lost values for converting back, and which of them can be restored?
//!
//! A [`Stash`] is the annotation [`ANNOTATION`] in compact JSON: the release that the object left and the values that were
//! lost since. Everything in it is in the terms of that one release: rules convert the object to it, the lost values are restored,
//! and the conversion continues from there.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::knowledge::lens::{Halt, Session};
use crate::knowledge::pack::Pack;
use crate::knowledge::release::{ApiVersion, ReleaseId};
use crate::syntax::field::{Entries, FieldPath, Step};
use crate::syntax::yaml::{Intent, Place};

use super::super::shapes::Shape;
use super::kept::{Kept, Placement};

/// The annotation that holds an object's stash.
pub const ANNOTATION: &str = "reversion.dev/stash";

/// The longest stash, in bytes of JSON. Kubernetes takes 256 KiB for all annotations of an object.
pub const MAX_STASH: usize = 64 << 10;

/// The most values in a stash.
const MAX_KEPT: usize = 256;

/// The number that a stash's text begins with; another one is not read.
const VERSION: u32 = 1;

/// A stash as written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written {
    version: u32,
    /// `gateway-api@1.4.0/experimental`
    left: String,
    /// The apiVersion in whose terms the values are kept, where rules convert the kind between apiVersions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_version: Option<String>,
    /// Whether `metadata.annotations` was made for the stash.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    made_annotations: bool,
    kept: Vec<Kept>,
}

/// Whether an object had annotations before it had a stash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::convert) enum Annotations {
    /// It had, or has since.
    Own,
    /// `metadata.annotations` was made for the stash and is removed with it.
    Made,
}

/// The lost values that an object keeps.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::engine::convert) struct Stash {
    /// The release and apiVersion in whose terms the values are kept.
    pub(in crate::engine::convert) left: Shape,
    /// Whether the annotations are removed with the stash.
    pub(in crate::engine::convert) annotations: Annotations,
    /// The values, in the order they were lost.
    pub(in crate::engine::convert) kept: Vec<Kept>,
}

impl Stash {
    /// Reads the stash of `object`, whose group `pack` knows.
    ///
    /// # Errors
    /// Why what the annotation holds is no stash, as the rest of a sentence.
    pub(in crate::engine::convert) fn read(object: &Value, pack: &Pack) -> Result<Option<Self>, String> {
        let annotations = object.entry("metadata").and_then(|metadata| metadata.entry("annotations"));
        let Some(value) = annotations.and_then(|annotations| annotations.entry(ANNOTATION)) else { return Ok(None) };
        let text = value.as_str().ok_or("it is not a string")?;
        if text.len() > MAX_STASH {
            return Err(format!("it is longer than {MAX_STASH} bytes"));
        }
        let raw: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        match &raw["version"] {
            version if *version == json!(VERSION) => {}
            version => return Err(format!("it has version {version}, and only version {VERSION} can be read")),
        }
        let written: Written = serde_json::from_value(raw).map_err(|error| format!("it cannot be read: {error}"))?;
        if written.kept.len() > MAX_KEPT {
            return Err(format!("it holds more than {MAX_KEPT} values"));
        }
        if let Some((kept, defect)) = written.kept.iter().find_map(|kept| Some((kept, kept.defect()?))) {
            return Err(format!("it cannot hold {kept}: {defect}"));
        }
        let annotations = if written.made_annotations { Annotations::Made } else { Annotations::Own };
        let version = written.left_version.as_deref().map(ApiVersion::parse);
        let left = Shape { release: release(&written.left, pack)?, version };
        Ok(Some(Self { left, annotations, kept: written.kept }))
    }

    /// Returns the annotation's text; nothing where nothing is kept.
    ///
    /// # Errors
    /// Why it is too large, as the rest of a sentence.
    pub(in crate::engine::convert) fn text(&self, pack: &Pack) -> Result<Option<String>, String> {
        if self.kept.is_empty() {
            return Ok(None);
        }
        if self.kept.len() > MAX_KEPT {
            return Err(format!("the stash would hold more than {MAX_KEPT} values"));
        }
        let text = serde_json::to_string(&Written {
            version: VERSION,
            left: left_name(self.left.release, pack),
            left_version: self.left.version.as_ref().map(ApiVersion::to_string),
            made_annotations: self.annotations == Annotations::Made,
            kept: self.kept.clone(),
        });
        let text = text.expect("JSON values and texts always print");
        if text.len() > MAX_STASH {
            return Err(format!("the stash would be {} bytes long, and {MAX_STASH} is the limit", text.len()));
        }
        Ok(Some(text))
    }

    /// Writes this stash into the object, or removes it where nothing is kept in it. A stash that is too large is not written.
    ///
    /// # Errors
    /// As [`Session::change`].
    pub(in crate::engine::convert) fn write(&self, pack: &Pack, session: &mut Session<'_>) -> Result<(), Halt> {
        if matches!(Self::read(session.object(), pack), Ok(Some(same)) if same == *self && !same.kept.is_empty()) {
            // It is correct already, in whatever spelling.
            return Ok(());
        }
        match self.text(pack) {
            Ok(text) => write(text, self.annotations, session),
            Err(_) => Ok(()),
        }
    }

    /// Restores the values of these numbers whose surroundings are as they were left, and returns each with its number and
    /// the place it has afterwards. The session's object is in the terms of the release that was left; `snapshot` is the same for
    /// comparing, and `bare` is it without what rules wrote there because of where the object comes from, such as old defaults: a kept
    /// value replaces these.
    ///
    /// # Errors
    /// As [`Session::change`].
    pub(in crate::engine::convert) fn restore(
        &self,
        wanted: &BTreeSet<usize>,
        snapshot: &Value,
        bare: &Value,
        session: &mut Session<'_>,
    ) -> Result<Vec<(usize, FieldPath)>, Halt> {
        let of_bare = |kept: &Kept| {
            let placement = kept.placement(bare)?;
            placement.is_in_mapping(|list| list.items(bare).len() == list.items(snapshot).len()).then_some(placement)
        };
        let placement = |number: &usize| {
            let kept = &self.kept[*number];
            Some((*number, kept.placement(snapshot).or_else(|| of_bare(kept))?))
        };
        let placements: Vec<_> = wanted.iter().filter_map(placement).collect();
        let mut restored = Vec::new();
        for (number, placement) in &placements {
            restored.extend(self.restore_entry(*number, placement, session)?.map(|path| (*number, path)));
        }
        for (number, list, index) in items(&placements) {
            let length = list.items(session.object()).len();
            let (index, value) = (index.min(length), self.kept[number].value().clone());
            session.change(Intent::Insert { path: list.index(index), value, place: Place::Last })?;
            restored.iter_mut().for_each(|(_, path)| *path = after_insertion(path, list, index));
            restored.push((number, list.index(index)));
        }
        restored.sort_unstable();
        Ok(restored)
    }

    /// Restores one value that stood under a key; list items come later, since they move others.
    fn restore_entry(
        &self,
        number: usize,
        placement: &Placement,
        session: &mut Session<'_>,
    ) -> Result<Option<FieldPath>, Halt> {
        let kept = &self.kept[number];
        match (placement, kept.entry()) {
            (Placement::Absent(parent), Some((key, _))) => {
                let path = parent.key(key);
                if path.get(session.object()).is_some() {
                    session.withdraw_default(&path);
                    session.change(Intent::Delete { path: path.clone() })?;
                }
                self.insert(kept, &path, session).map(Some)
            }
            // The group that a reference has by default stands in the snapshot only.
            (Placement::Present(path), Some(_)) if path.get(session.object()).is_none() => {
                self.insert(kept, path, session).map(Some)
            }
            (Placement::Replaced(path), _) if !is_added(path, session) => {
                session.change(Intent::Replace { path: path.clone(), value: kept.value().clone() })?;
                Ok(Some(path.clone()))
            }
            // What the conversion added is at a place of its own, also where it is the very value.
            (Placement::Replaced(path) | Placement::Present(path), _)
                if kept.stands_for_another() && is_added(path, session) =>
            {
                session.change(Intent::Delete { path: path.clone() })?;
                self.insert(kept, path, session).map(Some)
            }
            (Placement::Replaced(path) | Placement::Present(path), _) => Ok(Some(path.clone())),
            (Placement::Absent(_), None) | (Placement::Item(..), _) => Ok(None),
        }
    }

    /// Writes a value that stood under a key to `path`, which it returns.
    fn insert(&self, kept: &Kept, path: &FieldPath, session: &mut Session<'_>) -> Result<FieldPath, Halt> {
        let (parent, _) = path.split_last().expect("a kept value stands under a key");
        let place = self.place(kept, &parent, session.object());
        session.change(Intent::Insert { path: path.clone(), value: kept.value().clone(), place })?;
        Ok(path.clone())
    }

    /// Returns the old place of a value among its siblings: behind the one that stood before it or, where that one is kept
    /// too, behind the one before that.
    fn place(&self, kept: &Kept, parent: &FieldPath, object: &Value) -> Place {
        const LONGEST_ROW: usize = 32;
        let stands = |key: &str| parent.key(key).get(object).is_some();
        let mut before = kept.entry().and_then(|(_, after)| after);
        for _ in 0..LONGEST_ROW {
            let Some(key) = before else { return Place::First };
            if stands(key) {
                return Place::After(key.to_owned());
            }
            let siblings = self.kept.iter().filter(|other| other.is_sibling(kept)).filter_map(Kept::entry);
            match siblings.into_iter().find(|(name, _)| *name == key) {
                Some((_, after)) => before = after,
                None => break,
            }
        }
        Place::Last
    }
}

/// Returns whether the session added what is at `path`.
fn is_added(path: &FieldPath, session: &Session<'_>) -> bool {
    session.program().iter().any(|intent| matches!(intent, Intent::Insert { path: added, .. } if added == path))
}

/// Returns the list items among `placements` in the order that moves none of them: inner lists first, a list from its start.
fn items(placements: &[(usize, Placement)]) -> Vec<(usize, &FieldPath, usize)> {
    let mut items: Vec<_> = placements
        .iter()
        .filter_map(|(number, placement)| match placement {
            Placement::Item(list, index) => Some((*number, list, *index)),
            Placement::Absent(_) | Placement::Replaced(_) | Placement::Present(_) => None,
        })
        .collect();
    items.sort_by_key(|(_, list, index)| (std::cmp::Reverse(list.steps().len()), *list, *index));
    items
}

/// Returns where the value at `path` stands once an item was put into `list` at `index`.
fn after_insertion(path: &FieldPath, list: &FieldPath, index: usize) -> FieldPath {
    let depth = list.steps().len();
    match path.steps().get(depth) {
        Some(Step::Index(at)) if path.starts_with(list) && *at >= index => {
            let tail = FieldPath::new(path.steps()[depth + 1..].iter().cloned());
            list.index(at + 1).join(&tail)
        }
        _ => path.clone(),
    }
}

/// Writes `text` into the annotation, or removes that.
fn write(text: Option<String>, annotations: Annotations, session: &mut Session<'_>) -> Result<(), Halt> {
    let path = annotation();
    let (parent, _) = path.split_last().expect("the annotation has a parent");
    let present = path.get(session.object());
    let siblings = parent.get(session.object());
    match (present, text) {
        (None, None) => Ok(()),
        (Some(old), Some(new)) if old.as_str() == Some(&new) => Ok(()),
        (Some(_), Some(new)) => session.change(Intent::Replace { path, value: Value::from(new) }),
        (Some(_), None) => {
            let is_alone = siblings.and_then(Value::as_object).is_some_and(|map| map.len() == 1);
            let goes = annotations == Annotations::Made && is_alone;
            session.change(Intent::Delete { path: if goes { parent } else { path } })
        }
        (None, Some(new)) if siblings.is_some() => {
            session.change(Intent::Insert { path, value: Value::from(new), place: Place::Last })
        }
        (None, Some(new)) => {
            session.change(Intent::Insert { path: parent, value: json!({ ANNOTATION: new }), place: Place::Last })
        }
    }
}

/// Says whether the annotations of `object` would have to be made for a stash.
pub(in crate::engine::convert) fn annotations_of(object: &Value) -> Annotations {
    match object.get("metadata").and_then(|metadata| metadata.get("annotations")) {
        Some(_) => Annotations::Own,
        None => Annotations::Made,
    }
}

/// Returns the place of the annotation in an object.
pub(in crate::engine::convert) fn annotation() -> FieldPath {
    FieldPath::default().key("metadata").key("annotations").key(ANNOTATION)
}

/// Returns how a stash names the release that an object left.
pub(in crate::engine::convert) fn left_name(release: ReleaseId, pack: &Pack) -> String {
    format!("{}@{}", pack.name(), pack.line().get(release))
}

/// Reads the release that was left; only the name that is written counts, no abbreviation.
fn release(text: &str, pack: &Pack) -> Result<ReleaseId, String> {
    let name = text.strip_prefix(pack.name()).and_then(|text| text.strip_prefix('@'));
    let name = name.ok_or_else(|| format!("it belongs to another pack: {text}"))?;
    let found = pack.line().iter().find(|(_, release)| release.to_string() == name);
    found.map(|(id, _)| id).ok_or_else(|| format!("{text} is not a known release"))
}

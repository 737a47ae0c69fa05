//! The fields of a kind in one apiVersion of one release, as a tree.

use std::collections::{BTreeMap, BTreeSet};

use crate::authoring::renames::{Candidate, last_key, likeness, to_u32, words};
use crate::knowledge::catalog::{Attributes, Catalog, Field, Type};
use crate::knowledge::release::ReleaseId;
use crate::syntax::field::{FieldPattern, Part};

/// The fields of one side of a comparison.
pub(super) struct Side<'c> {
    fields: BTreeMap<FieldPattern, Node<'c>>,
    top: Vec<FieldPattern>,
}

/// What a field accepts, and what is in it: each with its type, whether it is required, and its constraints.
#[derive(PartialEq)]
pub(super) struct Schema<'c>(Vec<(FieldPattern, Type, bool, &'c Attributes)>);

/// A field, with what is in it.
pub(super) struct Node<'c> {
    pub(super) field: Field<'c>,
    children: Vec<FieldPattern>,
    /// What is below it, named from there, with its type.
    shape: BTreeSet<(FieldPattern, Type)>,
}

impl<'c> Side<'c> {
    /// Collects the fields that `release` has in the version `name`.
    pub(super) fn of(catalog: &'c Catalog, release: ReleaseId, name: &str) -> Self {
        let is_of = |field: &Field<'_>| field.api_versions.is_empty() || field.api_versions.iter().any(|of| of == name);
        let mut side = Self { fields: BTreeMap::new(), top: Vec::new() };
        for field in catalog.fields_in(release).filter(is_of) {
            let pattern = field.pattern.clone();
            let mut above = pattern.clone();
            while let Some((next, _)) = above.split_last() {
                above = next;
                let Some(node) = side.fields.get_mut(&above) else { continue };
                let below = pattern.below(&above).expect("it is above");
                if below.parts().len() == 1 {
                    node.children.push(pattern.clone());
                }
                node.shape.insert((below, field.kind));
            }
            if pattern.parts().len() == 1 {
                side.top.push(pattern.clone());
            }
            side.fields.insert(pattern, Node { field, children: Vec::new(), shape: BTreeSet::new() });
        }
        side
    }

    /// Returns the field of a pattern.
    pub(super) fn get(&self, pattern: &FieldPattern) -> Option<&Field<'c>> {
        Some(&self.fields.get(pattern)?.field)
    }

    /// Returns the type of a field.
    pub(super) fn kind(&self, pattern: &FieldPattern) -> Option<Type> {
        Some(self.get(pattern)?.kind)
    }

    /// Returns the constraints of a field.
    pub(super) fn attributes(&self, pattern: &FieldPattern) -> Option<&'c Attributes> {
        Some(self.get(pattern)?.attributes)
    }

    /// Returns a field as one that went or came, where it has a name.
    pub(super) fn candidate<'f>(&self, pattern: &'f FieldPattern) -> Option<Candidate<'f, Schema<'c>>> {
        let (name, node) = (last_key(pattern)?, self.fields.get(pattern)?);
        let below = node.shape.iter().map(|(below, _)| below.clone());
        let field = |below: FieldPattern| {
            let field = self.get(&pattern.join(&below))?;
            let is_required = field.required && !below.parts().is_empty();
            Some((below, field.kind, is_required, field.attributes))
        };
        let schema = std::iter::once(FieldPattern::default()).chain(below).filter_map(field).collect();
        let keywords = serde_json::to_value(node.field.attributes).ok()?.as_object().map_or(0, serde_json::Map::len);
        Some(Candidate { name, schema: Schema(schema), is_telling: !node.shape.is_empty() || keywords > 1 })
    }

    /// Returns what is in a field, or at the top of the object.
    pub(super) fn children(&self, pattern: &FieldPattern) -> &[FieldPattern] {
        match pattern.parts() {
            [] => &self.top,
            _ => self.fields.get(pattern).map_or(&[], |node| &node.children),
        }
    }

    /// Returns the named fields in a field.
    pub(super) fn keys(&self, pattern: &FieldPattern) -> impl Iterator<Item = &FieldPattern> {
        self.children(pattern).iter().filter(|child| matches!(child.parts().last(), Some(Part::Key(_))))
    }

    /// Returns every field, in the order of the tree.
    pub(super) fn all(&self) -> impl Iterator<Item = &FieldPattern> {
        self.fields.keys()
    }

    /// Returns how many fields are below one.
    pub(super) fn size(&self, pattern: &FieldPattern) -> usize {
        self.fields.get(pattern).map_or(0, |node| node.shape.len())
    }

    /// Returns how alike what a field of this side and a field of another one accept is, in percent; `None` where their types differ.
    pub(super) fn likeness(&self, pattern: &FieldPattern, other: &Side<'_>, its: &FieldPattern) -> Option<u32> {
        let (one, two) = (self.fields.get(pattern)?, other.fields.get(its)?);
        if one.field.kind != two.field.kind {
            return are_compatible(one.field.kind, two.field.kind).then_some(50);
        }
        if one.shape.is_empty() && two.shape.is_empty() {
            return Some(60 + likeness_of_limits(one.field.attributes, two.field.attributes) * 2 / 5);
        }
        let shared = one.shape.intersection(&two.shape).count();
        let all = one.shape.len() + two.shape.len() - shared;
        // What was added says less than what is missing.
        let kept = 100 * to_u32(shared) / to_u32(one.shape.len()).max(1);
        let same = 100 * to_u32(shared) / to_u32(all).max(1);
        let by_names = self.likeness_of_keys(pattern, other, its);
        Some(if one.shape.is_empty() { 50 } else { ((kept + same) / 2).max(by_names) })
    }

    /// Returns how alike the fields in two mappings are called, in percent, where both have several.
    fn likeness_of_keys(&self, pattern: &FieldPattern, other: &Side<'_>, its: &FieldPattern) -> u32 {
        let named = |side: &Side<'_>, at: &FieldPattern| -> Vec<(Vec<String>, Option<Type>)> {
            side.keys(at).map(|key| (words(last_key(key).unwrap_or_default()), side.kind(key))).collect()
        };
        let (own, its) = (named(self, pattern), named(other, its));
        if own.len() < 2 || its.len() < 2 {
            return 0;
        }
        let best = |(name, kind): &(Vec<String>, Option<Type>)| {
            let of_type = its.iter().filter(|(_, other)| other == kind);
            of_type.map(|(other, _)| likeness(name, other)).max().filter(|points| *points >= 75).unwrap_or_default()
        };
        let kept = own.iter().map(best).sum::<u32>() / to_u32(own.len());
        // What was added says less than what is missing.
        kept * to_u32(own.len() * 2 + own.len().max(its.len())) / to_u32(own.len().max(its.len()) * 3)
    }
}

/// Returns whether values of one type can be of the other too.
fn are_compatible(one: Type, other: Type) -> bool {
    let is_text = |kind| matches!(kind, Type::String | Type::IntegerOrString | Type::Quantity);
    let is_number = |kind| matches!(kind, Type::Integer | Type::Number | Type::IntegerOrString | Type::Quantity);
    let is_any = one == Type::Any || other == Type::Any;
    is_any || is_text(one) && is_text(other) || is_number(one) && is_number(other)
}

/// Returns how alike the limits of two values are, in percent; 80 where neither has one.
fn likeness_of_limits(one: &Attributes, other: &Attributes) -> u32 {
    let [left, right] = [one, other].map(|limits| {
        let mut map =
            serde_json::to_value(limits).ok().and_then(|limits| limits.as_object().cloned()).unwrap_or_default();
        map.remove("default");
        map
    });
    if left.is_empty() && right.is_empty() {
        return 80;
    }
    if let (Some(own), Some(theirs)) = (&one.allowed, &other.allowed) {
        let shared = own.iter().filter(|value| theirs.contains(value)).count();
        return 100 * to_u32(shared) / to_u32(own.len().max(theirs.len())).max(1);
    }
    let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let same = keys.iter().filter(|key| left.get(**key) == right.get(**key)).count();
    100 * to_u32(same) / to_u32(keys.len())
}

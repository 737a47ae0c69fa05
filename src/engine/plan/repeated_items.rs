//! Which items of lists does each turn of a range print, so that there can be more of them, alike but for what actions print?
//!
//! Invariant: a list that a range prints as a whole is no such item.

use std::collections::BTreeSet;

use crate::engine::manifest::{Manifest, Object};
use crate::syntax::field::{FieldPath, Step};
use crate::syntax::template::{Blocks, Reading, Template};
use crate::syntax::yaml::{NodeId, fields, find_node};

/// Finds these items in an object of `manifest`, which `reading` prints.
pub(super) fn repeated_items(
    manifest: &Manifest,
    object: &Object,
    reading: &Reading,
    (template, blocks): (&Template, &Blocks<'_>),
) -> Vec<FieldPath> {
    let mut items = Items { manifest, reading, template, blocks, path: Vec::new(), found: Vec::new() };
    let Manifest { tree, text, .. } = manifest;
    let root = tree.documents()[object.document].root;
    if let Ok(node) = find_node(tree, text, root, &object.place) {
        items.add_inside(node, tree.span(node).start);
    }
    items.found
}

struct Items<'r> {
    manifest: &'r Manifest,
    reading: &'r Reading,
    template: &'r Template,
    blocks: &'r Blocks<'r>,
    /// The path of what is looked at.
    path: Vec<Step>,
    found: Vec<FieldPath>,
}

impl Items<'_> {
    /// Adds the items in a value, whose key starts at a byte of the text.
    fn add_inside(&mut self, node: NodeId, start: usize) {
        let own = self.reading.source(self.template, self.manifest.tree.span(node));
        if !self.blocks.has_range_at(own) {
            return;
        }
        for (step, key, inner) in fields(&self.manifest.tree, &self.manifest.text, node) {
            let is_item = matches!(step, Step::Index(_));
            self.path.push(step);
            if is_item && !self.ranges_around(key.start).is_subset(&self.ranges_around(start)) {
                self.found.push(FieldPath::new(self.path.iter().cloned()));
            }
            self.add_inside(inner, key.start);
            self.path.pop();
        }
    }

    fn ranges_around(&self, at: usize) -> BTreeSet<usize> {
        self.blocks.ranges_around(self.reading.source_of(self.template, at)).collect()
    }
}

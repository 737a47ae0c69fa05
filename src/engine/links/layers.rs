//! In what order do the kustomizations of a run work on one file?
//!
//! A kustomization takes in files and the results of other kustomizations, then its components work on all that, then it does
//! itself. Two overlays of one base are two ways, and so each kustomization has the ways in which it gets the file.
//!
//! Invariant: what a kustomization does comes behind what those that it takes in do.

use std::collections::{BTreeMap, BTreeSet};

use super::kustomizations::{Graph, Part};

/// The most ways in which one kustomization may get one file; a repository has one or two.
const MAX_WAYS: usize = 64;

/// The most components, one in another, that may work on one file.
const MAX_COMPONENTS: usize = 500;

/// The kustomizations of a run, in the order in which they work on a file.
#[derive(Clone, Copy)]
pub(super) struct Layers<'g, 'a> {
    pub(super) graph: &'g Graph<'a>,
}

/// The ways of one file through the kustomizations that get it.
struct Ways<'w, 'g, 'a, W> {
    graph: &'g Graph<'a>,
    file: &'w str,
    start: W,
    /// Returns what a kustomization makes of the ways that it gets.
    work: &'w mut dyn FnMut(&'a str, BTreeSet<W>) -> BTreeSet<W>,
    /// The ways behind each kustomization that is followed so far.
    behind: BTreeMap<&'a str, BTreeSet<W>>,
    /// The components of the present kustomization that have worked on it.
    met: BTreeSet<&'a str>,
}

impl<W: Copy + Ord> Ways<'_, '_, '_, W> {
    /// Returns the ways in which a kustomization gets the file as a resource.
    fn taken(&self, above: &str) -> BTreeSet<W> {
        let mut own = BTreeSet::new();
        for part in self.graph.parts(above).resources {
            match part {
                Part::File(name) if name == self.file => drop(own.insert(self.start)),
                Part::File(_) => {}
                Part::Kustomization(inner) => own.extend(self.behind.get(inner).into_iter().flatten()),
            }
        }
        own
    }

    /// Lets the components of a kustomization, and theirs, work on what it has taken in so far.
    fn behind_components(&mut self, above: &str, mut own: BTreeSet<W>) -> BTreeSet<W> {
        for component in self.graph.parts(above).components {
            if self.met.len() < MAX_COMPONENTS && self.met.insert(component) {
                own.extend(self.taken(component));
                own = self.behind_components(component, own);
                own = (self.work)(component, own);
            }
        }
        own
    }
}

impl<'a> Layers<'_, 'a> {
    /// Follows the ways of `file`, which start with `start`: `work` returns what a kustomization makes of the ways that it gets. Returns
    /// the ways behind each kustomization; `None` where one has too many.
    pub(super) fn follow<W: Copy + Ord>(
        &self,
        file: &str,
        start: W,
        work: &mut dyn FnMut(&'a str, BTreeSet<W>) -> BTreeSet<W>,
    ) -> Option<BTreeMap<&'a str, BTreeSet<W>>> {
        let (behind, met) = (BTreeMap::new(), BTreeSet::new());
        let mut ways = Ways { graph: self.graph, file, start, work, behind, met };
        // A component works where it is used.
        for above in self.above(file).into_iter().filter(|above| !self.graph.is_component(above)) {
            ways.met.clear();
            let own = ways.behind_components(above, ways.taken(above));
            let own = (ways.work)(above, own);
            if own.len() > MAX_WAYS || ways.met.len() >= MAX_COMPONENTS {
                return None;
            }
            ways.behind.insert(above, own);
        }
        Some(ways.behind)
    }

    /// Returns whether a kustomization or component that works on `file` has a schema of its own.
    pub(super) fn have_schema(&self, file: &str) -> bool {
        let (mut open, mut met) = (self.above(file), BTreeSet::new());
        while let Some(name) = open.pop() {
            if self.graph.has_schema(name) {
                return true;
            }
            open.extend(self.graph.parts(name).components.into_iter().filter(|component| met.insert(*component)));
        }
        false
    }

    /// Returns whether a kustomization or component that works on `file`, or what has a controller apply it, adds a prefix or suffix to
    /// names.
    pub(super) fn rename(&self, file: &str) -> bool {
        self.graph.adds_affixes_where_applied(file)
            || self.above(file).into_iter().any(|name| {
                let components = self.graph.parts(name).components;
                [name].into_iter().chain(components).any(|name| self.graph.has_affixes(name))
                    || self.graph.adds_affixes_where_applied(name)
            })
    }

    /// Returns the kustomizations that get `file` on any way, inner ones first.
    fn above(&self, file: &str) -> Vec<&'a str> {
        let (mut done, mut order) = (BTreeSet::new(), Vec::new());
        // Depth first: a kustomization is done once all above it are.
        let mut open: Vec<(&'a str, bool)> = self.graph.takers(file).iter().map(|taker| (*taker, false)).collect();
        while let Some((name, is_left)) = open.pop() {
            if is_left {
                order.push(name);
            } else if done.insert(name) {
                open.push((name, true));
                open.extend(
                    self.graph.takers(name).iter().filter(|taker| !done.contains(*taker)).map(|taker| (*taker, false)),
                );
            }
        }
        order.reverse();
        order
    }
}

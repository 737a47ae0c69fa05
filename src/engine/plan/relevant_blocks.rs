//! Which blocks of a template have a part in what becomes of its objects?
//!
//! Of these, two that can decide something together are read in all pairs of their branches: both have a part in the same rules, or one in more
//! than rules. A block that has no part is read in each of its branches: what it prints is the same to all releases and versions of the kind, no
//! rule looks at it or changes it, and no edit is near it.
//!
//! Invariant: without what a block prints that has no part in it, the same becomes of the rest of an object.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::planned_text::PlannedText;
use crate::engine::convert::Goal;
use crate::engine::manifest::{Manifest, Object, may_hold_rules};
use crate::knowledge::catalog::{Catalog, is_alike};
use crate::knowledge::pack::releases::Advisory;
use crate::knowledge::pack::{Cursor, Footprint, Footprints, Numbers};
use crate::knowledge::release::GroupKind;
use crate::syntax::field::{FieldPath, FieldPattern, Step};
use crate::syntax::template::{Blocks, Hole, Part, Reading, Template};
use crate::syntax::text::Span;
use crate::syntax::variable::ACTION;
use crate::syntax::yaml::{NodeId, Tree, fields, find_node};

/// The keys of fields that say of what kind an object is, that is there or is named.
const TYPES: [&str; 4] = ["apiGroup", "apiVersion", "group", "kind"];

/// What comments and annotations for the program have in them.
const OWN: &str = "reversion";

/// What a run looks at in the objects of one kind.
struct View<'g> {
    /// The kind, and those that rules make of it, or it of.
    kinds: BTreeSet<GroupKind>,
    /// Their catalogs.
    catalogs: Vec<&'g Catalog>,
    /// The fields that rules and advisories look at.
    footprints: Footprints,
    /// Whether it looks at everything.
    is_whole: bool,
}

impl<'g> View<'g> {
    fn of(goal: &Goal<'g>, kind: &GroupKind) -> Self {
        let own = goal.packs.of_group(&kind.group);
        let of_targets = goal.targets.iter().map(|target| target.pack);
        let foreign = of_targets.clone().filter(|pack| pack.is_foreign(kind));
        let own_rules = own.into_iter().flat_map(|pack| pack.rules_about(kind));
        let kinds: BTreeSet<&GroupKind> = own_rules
            .clone()
            .flat_map(|rule| [&rule.kind, &rule.new_kind, &rule.final_kind, &rule.back_kind])
            .chain([kind])
            .collect();
        let catalogs = own.into_iter().flat_map(|pack| kinds.iter().filter_map(|kind| pack.catalog(kind))).collect();
        let rules = own_rules.chain(foreign.flat_map(|pack| pack.rules_about(kind)));
        let of_rules = rules.map(|rule| rule.footprint().clone());
        let notes = || of_targets.clone().map(|pack| pack.release_notes());
        let advisories = notes().flat_map(|notes| &notes.advisories);
        let is_about = |advisory: &&Advisory| kinds.iter().any(|kind| advisory.has_kind(kind));
        let conditions = advisories.filter(is_about).map(|advisory| &advisory.condition);
        let of_conditions =
            conditions.map(|condition| footprint(condition.premises().into_iter().map(|one| one.written)));
        let is_moved = notes().flat_map(|notes| &notes.moves).any(|moves| moves.kinds.contains(kind));
        let of_kind = notes().flat_map(|notes| &notes.unions).filter(|union| union.kind == *kind);
        let of_unions = of_kind.map(|union| footprint([union.items.key(&union.discriminator)]));
        let footprints = Footprints::new(of_rules.chain(of_conditions).chain(of_unions));
        // CRDs of the user reject fields together, and what they reject holds an object back whatever it was before.
        let is_of_crds = own.is_some_and(|pack| pack.is_of_crds() || goal.own_crds(pack).is_some());
        Self { kinds: kinds.into_iter().cloned().collect(), catalogs, footprints, is_whole: is_moved || is_of_crds }
    }

    /// Returns whether it looks at the field at a path in any case.
    fn looks_at(&self, path: &[Step]) -> bool {
        let is_metadata = matches!(path.first(), Some(Step::Key(key)) if key == "metadata");
        let is_type = matches!(path.last(), Some(Step::Key(key)) if TYPES.contains(&key.as_str()));
        self.is_whole || is_metadata || is_type
    }

    /// Returns whether all releases say the same of a field, whichever of these values it has, and none requires it.
    fn is_alike(&self, path: &[Step], values: &[Value]) -> bool {
        values.iter().all(|value| is_alike(&self.catalogs, path, value))
    }
}

fn footprint(patterns: impl IntoIterator<Item = FieldPattern>) -> Footprint {
    let mut footprint = Footprint::default();
    patterns.into_iter().for_each(|pattern| footprint.add_pattern(pattern));
    footprint
}

/// What a run looks at in objects, by their kinds.
pub(super) struct Views<'g> {
    goal: &'g Goal<'g>,
    views: Mutex<BTreeMap<GroupKind, Arc<View<'g>>>>,
}

impl<'g> Views<'g> {
    pub(super) fn new(goal: &'g Goal<'g>) -> Self {
        Self { goal, views: Mutex::default() }
    }

    fn of(&self, object: &Object) -> Arc<View<'g>> {
        if self.goal.holds_values(object) || self.goal.knows_file_of(object) {
            let (kinds, footprints) = (BTreeSet::from([object.kind.clone()]), Footprints::new([]));
            return Arc::new(View { kinds, catalogs: Vec::new(), footprints, is_whole: true });
        }
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        let view = views.entry(object.kind.clone()).or_insert_with(|| Arc::new(View::of(self.goal, &object.kind)));
        Arc::clone(view)
    }
}

/// Where a hole can be in its document: that is a mapping, or the list beside it.
pub(super) type HolePlaces = (FieldPath, Option<FieldPath>);

/// The blocks that have a part in what becomes of objects.
#[derive(Default)]
pub(super) struct RelevantBlocks {
    /// In what each has a part.
    parts: BTreeMap<usize, BTreeSet<Share>>,
    /// The kinds of objects in the readings so far, by where these are written in the file.
    kinds: BTreeMap<usize, GroupKind>,
}

/// In what a block has a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    /// In more than rules.
    Everything,
    /// In the rules that look at the footprint with a number.
    Rules(usize),
}

impl RelevantBlocks {
    /// Adds blocks that have a part in everything.
    pub(super) fn add_all(&mut self, blocks: impl Iterator<Item = usize>) {
        blocks.for_each(|block| self.add(block, Share::Everything));
    }

    fn add(&mut self, block: usize, share: Share) {
        self.parts.entry(block).or_default().insert(share);
    }

    fn has_all(&self, mut blocks: impl Iterator<Item = usize>) -> bool {
        let is_everything = |block| self.parts.get(&block).is_some_and(|parts| parts.contains(&Share::Everything));
        blocks.all(is_everything)
    }

    /// Returns whether two blocks can decide something together.
    pub(super) fn are_together(&self, one: usize, other: usize) -> bool {
        let parts = self.parts.get(&one).zip(self.parts.get(&other));
        parts.is_some_and(|(one, other)| {
            [one, other].iter().any(|parts| parts.contains(&Share::Everything)) || !one.is_disjoint(other)
        })
    }

    /// Returns how much is known, which grows with what is added.
    pub(super) fn size(&self) -> usize {
        self.parts.values().map(BTreeSet::len).sum()
    }
}

/// Adds the blocks of `part` that have a part in what becomes of the objects of `manifest`, which `reading` prints, to `relevant`; nothing was
/// recognized where there is no manifest. `text` is what is planned for it.
pub(super) fn add_relevant(
    relevant: &mut RelevantBlocks,
    views: &Views<'_>,
    (part, blocks): (Part<'_>, &Blocks<'_>),
    reading: &Reading,
    manifest: Option<(&Manifest, &[HolePlaces])>,
    text: &PlannedText,
) {
    // One block alone has no pairs.
    if blocks.numbers().nth(1).is_none() || relevant.has_all(blocks.numbers()) {
        return;
    }
    let is_whole = |manifest: &Manifest| {
        let mut objects = manifest.objects.iter();
        !manifest.findings.is_empty()
            || manifest.text.contains(OWN)
            || manifest.tree.has_aliases()
            || may_hold_rules(&manifest.text)
            || objects.any(|object| object.inline_patch.is_some())
    };
    if !text.types.texts.is_empty() {
        // It is planned once more with these.
        return;
    }
    if text.is_tied || manifest.is_some_and(|(manifest, _)| is_whole(manifest)) {
        return relevant.add_all(blocks.numbers());
    }
    let mut printed = PrintedBlocks { template: part.template(), blocks, reading, relevant };
    printed.add_types(manifest.map(|(manifest, _)| manifest));
    if let Some((manifest, places)) = manifest {
        for object in &manifest.objects {
            printed.add_object(manifest, object, &views.of(object), places);
        }
    }
    let edits = text.planned.iter().filter_map(|planned| planned.edits()).flat_map(|edits| edits.edits());
    for edit in edits {
        printed.relevant.add_all(blocks.near(reading.source(printed.template, edit.span)));
    }
}

/// What a reading prints, and where the blocks are.
struct PrintedBlocks<'r> {
    template: &'r Template,
    blocks: &'r Blocks<'r>,
    reading: &'r Reading,
    relevant: &'r mut RelevantBlocks,
}

/// An object in the text of a reading, and what is looked at in it.
#[derive(Clone, Copy)]
struct Printed<'p> {
    tree: &'p Tree,
    text: &'p str,
    view: &'p View<'p>,
}

/// A field of an object, or the object.
struct Field<'f> {
    node: NodeId,
    value: &'f Value,
    /// The bytes of its key; of an item, where it starts.
    key: Span,
    /// The innermost block around its key.
    block: Option<usize>,
    cursor: Cursor,
}

impl Field<'_> {
    /// Returns its bytes, from its key on.
    fn span(&self, tree: &Tree) -> Span {
        Span::new(self.key.start, tree.span(self.node).end.max(self.key.end))
    }
}

/// Returns the bytes of each line, with its end.
fn lines(text: &str) -> impl Iterator<Item = Span> {
    text.split_inclusive('\n').scan(0, |end, line| {
        let start = *end;
        *end += line.len();
        Some(Span::new(start, *end))
    })
}

/// Returns whether a line can have this key.
fn has_key(line: &str, key: &str) -> bool {
    line.match_indices(key).any(|(at, _)| {
        let is_start = !line[..at].ends_with(|before: char| before.is_alphanumeric() || "-_.".contains(before));
        let behind = line[at + key.len()..].trim_start_matches(['"', '\'', '\\']).trim_start();
        is_start && (behind.is_empty() || behind.starts_with(':'))
    })
}

/// Returns the shares in rules with these footprints.
fn shares(footprints: Numbers) -> impl Iterator<Item = Share> {
    footprints.iter().map(Share::Rules)
}

impl PrintedBlocks<'_> {
    /// Adds the blocks that decide which documents there are, and those that decide of what kind an object is, with all others around something of its
    /// document: as another kind, it has other fields. A block around all of the document, or around none of its kind, does not decide that.
    fn add_types(&mut self, manifest: Option<&Manifest>) {
        let text = &self.reading.text;
        let is_separator = |line: &Span| ["---", "..."].iter().any(|mark| line.of(text).starts_with(mark));
        let all: Vec<Span> = lines(text).collect();
        all.iter().filter(|line| is_separator(line)).for_each(|line| self.add_touched(*line, Share::Everything));
        for document in all.split(is_separator).filter(|document| !document.is_empty()) {
            let extent = Span::new(document[0].start, document[document.len() - 1].end);
            let mut objects = manifest.iter().flat_map(|all| all.objects.iter().map(|object| all.extent(object)));
            let is_known = objects.any(|object| object.start < extent.end && extent.start < object.end);
            // Of a known kind, the apiVersion alone makes no other kind.
            let decides = |key: &&&str| !is_known || **key == "kind";
            let types =
                document.iter().filter(|line| TYPES.iter().filter(decides).any(|key| has_key(line.of(text), key)));
            let deciding: BTreeSet<usize> = types.flat_map(|line| self.around(*line)).collect();
            if deciding.is_empty() {
                continue;
            }
            let written = |line: &&Span| !line.of(text).trim().is_empty();
            let around = |line: &Span| self.around(*line).collect::<BTreeSet<usize>>();
            let of_all =
                document.iter().filter(written).map(around).reduce(|one, other| &one & &other).unwrap_or_default();
            if !deciding.is_subset(&of_all) {
                self.add_touched(extent, Share::Everything);
            }
        }
    }

    /// Returns the numbers of the blocks around any of these bytes of the text.
    fn around(&self, span: Span) -> impl Iterator<Item = usize> {
        self.reading.sources(self.template, span).flat_map(|at| self.blocks.around(at))
    }

    fn add_object(&mut self, manifest: &Manifest, object: &Object, view: &View<'_>, places: &[HolePlaces]) {
        let Manifest { tree, text, .. } = manifest;
        let Ok(node) = find_node(tree, text, tree.documents()[object.document].root, &object.place) else {
            return self.relevant.add_all(self.blocks.numbers());
        };
        let is_kind = |(step, ..): &(Step, Span, NodeId)| *step == Step::Key("kind".to_owned());
        let written = fields(tree, text, node).into_iter().find(is_kind);
        let source = written.map(|(_, key, _)| self.reading.source_of(self.template, key.start));
        let first = source.map(|at| self.relevant.kinds.entry(at).or_insert_with(|| object.kind.clone()));
        // As one of another kind, it was looked at by what is known of that.
        if first.is_some_and(|first| !view.kinds.contains(first)) {
            return self.relevant.add_all(self.blocks.numbers());
        }
        let start = tree.span(node).start;
        let (key, block) = (Span::new(start, start), self.block_at(start));
        let root = Field { node, value: &object.value, key, block, cursor: Cursor::default() };
        let _stays = self.add_inside(Printed { tree, text, view }, &root, &mut Vec::new());
        let extent = manifest.extent(object);
        let holes = self.reading.holes.iter().zip(places);
        for (hole, places) in holes.filter(|(hole, _)| (extent.start..=extent.end).contains(&hole.at)) {
            self.add_hole(object, view, hole, places);
        }
    }

    /// Adds the blocks that have a part in what becomes of the fields in another one, which is at `path`; returns whether it has a field that stays
    /// whatever is decided.
    fn add_inside(&mut self, printed: Printed<'_>, outer: &Field<'_>, path: &mut Vec<Step>) -> bool {
        let (mut starts, mut stays) = (Vec::new(), false);
        for (step, key, node) in fields(printed.tree, printed.text, outer.node) {
            let cursor = printed.view.footprints.step(&outer.cursor, &step);
            let value = match &step {
                Step::Key(key) => outer.value.get(key),
                Step::Index(index) => outer.value.get(index),
            };
            path.push(step);
            let block = self.block_at(key.start);
            let field = Field { node, value: value.unwrap_or(&Value::Null), key, block, cursor };
            if printed.view.looks_at(path) {
                self.add_touched(field.span(printed.tree), Share::Everything);
            } else {
                stays |= self.add_field(printed, &field, outer, path) && block == outer.block;
            }
            starts.push(key.start);
            path.pop();
        }
        if stays || path.is_empty() {
            return stays;
        }
        // What blocks decide can leave it empty; an object has its type in any case. Where several blocks do, any of them does not: what releases
        // and versions say of it shows where all do, in the second reading.
        let mut blocks = starts.iter().map(|start| self.block_at(*start));
        let is_of_one = blocks.next().is_some_and(|first| blocks.all(|other| other == first));
        let is_needed = || !printed.view.is_alike(path, &[Value::Null]);
        let needed = (is_of_one && is_needed()).then_some(Share::Everything);
        let Cursor { inside, around, .. } = &outer.cursor;
        for share in shares(*inside).chain(shares(*around)).chain(needed) {
            starts.iter().for_each(|start| self.add_around(*start, share));
        }
        stays
    }

    /// Adds the blocks that decide whether a field is there, if that has a part in what becomes of the object, and those in it; returns whether no
    /// rule takes away all of it.
    fn add_field(&mut self, printed: Printed<'_>, field: &Field<'_>, outer: &Field<'_>, path: &mut Vec<Step>) -> bool {
        let is_leaf = !(field.value.is_object() || field.value.is_array());
        let span = field.span(printed.tree);
        // What decides whether there is a mapping or list is not all that decides what is in it.
        let own = if is_leaf { span } else { Span::new(field.key.start, field.key.end.max(field.key.start + 1)) };
        let Cursor { inside, around, .. } = &field.cursor;
        shares(*inside).for_each(|share| self.add_touched(span, share));
        shares(*around).for_each(|share| self.add_touched(own, share));
        let is_decided = field.block != outer.block || self.is_partly_in_blocks(own, field.block);
        // A text can have objects in it.
        let has_type = || field.value.as_str().is_some_and(|text| TYPES.iter().any(|key| text.contains(key)));
        if is_decided && (has_type() || !printed.view.is_alike(path, &self.values(field.value))) {
            self.add_touched(own, Share::Everything);
        }
        let is_inner = !is_leaf && (!around.is_empty() || self.is_partly_in_blocks(span, field.block));
        let stays = is_inner && self.add_inside(printed, field, path);
        inside.is_empty() && (around.is_empty() || stays)
    }

    /// Adds the blocks around an action that can print more fields or items.
    fn add_hole(&mut self, object: &Object, view: &View<'_>, hole: &Hole, (path, list): &HolePlaces) {
        let at = hole.source(self.template);
        if self.blocks.around(at).next().is_none() {
            return;
        }
        let places = [Some(path), list.as_ref()].into_iter().flatten().filter_map(|path| path.below(&object.place));
        let nothing = [Value::Null];
        let values = hole.by_default.as_deref().unwrap_or(&nothing);
        for place in places {
            let path = place.steps();
            let Cursor { inside, around, .. } = view.footprints.at(path);
            let is_everything = view.looks_at(path) || !view.is_alike(path, values);
            let everything = is_everything.then_some(Share::Everything);
            for share in shares(inside).chain(shares(around)).chain(everything) {
                self.blocks.around(at).for_each(|block| self.relevant.add(block, share));
            }
        }
    }

    /// Returns what a value can be where the users of the chart set nothing.
    fn values(&self, value: &Value) -> Vec<Value> {
        let printed = value.as_str().filter(|text| text.contains(ACTION));
        let printed = printed.and_then(|text| self.reading.values_of(text)).map(|(values, _)| values);
        printed.unwrap_or_else(|| vec![value.clone()])
    }

    /// Returns the innermost block around a byte of the text.
    fn block_at(&self, at: usize) -> Option<usize> {
        self.blocks.around(self.reading.source_of(self.template, at)).next()
    }

    /// Adds the blocks around a byte of the text.
    fn add_around(&mut self, at: usize, share: Share) {
        self.blocks.around(self.reading.source_of(self.template, at)).for_each(|block| self.relevant.add(block, share));
    }

    /// Adds the blocks around any of these bytes of the text.
    fn add_touched(&mut self, span: Span, share: Share) {
        let sources = self.reading.sources(self.template, span);
        sources.flat_map(|at| self.blocks.around(at)).for_each(|block| self.relevant.add(block, share));
    }

    /// Returns whether some of these bytes of the text are in other blocks than `block`.
    fn is_partly_in_blocks(&self, span: Span, block: Option<usize>) -> bool {
        let mut sources = self.reading.sources(self.template, span);
        sources.any(|at| self.blocks.around(at).next() != block)
    }
}

//! Answers: what becomes of one object on the way to a target release?
//!
//! [`convert`] infers, runs the rules, drops what the target does not have, gives the apiVersion that the target serves and
//! checks the result against the target's catalog. What is lost is kept in the object's stash or let go, as the user chose;
//! what an older stash holds is given back first. Whatever stands in the way is a block; an object with one keeps its bytes.
//!
//! Invariant: nothing is guessed. What the target cannot say is a loss, and an object with a loss that is neither kept nor
//! allowed is held back whole.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::catalog::{Catalog, Fact, Unknown};
use crate::field::{FieldPath, Step};
use crate::finding::Code;
use crate::infer::{Inference, infer};
use crate::lens::{Completeness, Context, Direction, Halt, LossClass, Namespace, ObjectName, Session};
use crate::manifest::Object;
use crate::pack::build::own::OwnCrds;
use crate::pack::{Needs, Pack, Rule, Target, Way};
use crate::release::{GroupKind, ReleaseId, ReleaseSet, is_version};
use crate::yaml::{FrontEnd, Intent};

use super::Goal;
use super::parting::{Carried, Parting};
use super::references;
use super::settle::Past;
use super::stash::Stash;

/// Which losses a user takes.
#[derive(Clone, Debug, Default)]
pub enum AllowedLoss {
    /// None: a lossy object is held back.
    #[default]
    None,
    /// Those of these codes.
    Codes(BTreeSet<Code>),
    /// Every one.
    All,
}

impl AllowedLoss {
    pub(super) fn allows(&self, code: Code) -> bool {
        match self {
            Self::None => false,
            Self::Codes(codes) => codes.contains(&code),
            Self::All => true,
        }
    }
}

/// Which apiVersion an object takes among those that the target serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VersionChoice {
    /// The most stable one that can hold the object.
    #[default]
    MostStable,
    /// The present one, while the target serves it and has not deprecated it.
    Keep,
}

/// Something that a conversion says about an object, with the place in the object before the conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The code.
    pub code: Code,
    /// The field.
    pub path: FieldPath,
    /// One sentence, lower case, no final dot.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

/// What became of an object.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The kind after the conversion.
    pub kind: GroupKind,
    /// The data after the conversion; that of before where the object is held back.
    pub value: Arc<Value>,
    /// The changes, with paths from the object; none where the object is held back.
    pub program: Vec<Intent>,
    /// How many of the changes rules of packs made that the object is a guest of.
    pub guest_changes: usize,
    /// The rules that changed something, with the way they ran.
    pub rules: Vec<(String, Direction)>,
    /// Why the object is held back; empty where it is not.
    pub blocks: Vec<Remark>,
    /// What else there is to say.
    pub warnings: Vec<Remark>,
    /// What asks for nothing.
    pub notes: Vec<Remark>,
    /// What was lost with the user's leave, or is kept in the stash.
    pub lost: Vec<Remark>,
    /// The releases that the object can have been written for: by its fields, and by its apiVersion where both agree.
    pub written_for: ReleaseSet,
    /// The objects that must be converted together with this one.
    pub converts_with: BTreeSet<ObjectName>,
}

impl Conversion {
    /// Returns the namespace after the conversion, where it is given.
    pub fn namespace(&self) -> Option<&str> {
        self.value.get("metadata").and_then(|metadata| metadata.get("namespace")).and_then(Value::as_str)
    }

    /// Says whether `object` has another kind or namespace afterwards.
    pub fn renames(&self, object: &Object) -> bool {
        self.kind != object.kind || self.namespace() != object.namespace.as_deref()
    }

    /// Makes the conversion that leaves `object` as it is.
    pub fn untouched(object: &Object) -> Self {
        Self {
            kind: object.kind.clone(),
            value: object.value.clone(),
            program: Vec::new(),
            guest_changes: 0,
            rules: Vec::new(),
            blocks: Vec::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
            lost: Vec::new(),
            written_for: ReleaseSet::default(),
            converts_with: BTreeSet::new(),
        }
    }
}

/// What becomes of lost values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// They are gone, where that is allowed.
    #[default]
    Nothing,
    /// The object carries them along in the annotation `reversion.dev/stash`.
    Stash,
}

/// What a converted object is checked with.
#[derive(Clone, Debug, Default)]
pub enum Schema {
    /// The catalogs of the target release.
    #[default]
    Catalog,
    /// The CRDs that the user has; rules still lead to the target release.
    Own(Arc<OwnCrds>),
}

/// What becomes of what a pack knows as a mistake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mistakes {
    /// It stays.
    #[default]
    Leave,
    /// It is taken to what was meant.
    Mend,
}

/// What a plan records of each object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Record {
    /// Its data before and after.
    #[default]
    Data,
    /// What became of it, and no data: a plan of many files stays small.
    Outcomes,
}

/// How objects are converted, and what is recorded of that.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// What the result is checked with.
    pub schema: Schema,
    /// What becomes of lost values; it goes before `allowed`.
    pub keeping: Keeping,
    /// The losses taken.
    pub allowed: AllowedLoss,
    /// The apiVersion taken.
    pub version: VersionChoice,
    /// What becomes of mistakes.
    pub mistakes: Mistakes,
    /// What the user says of the cluster, by pack and name: `ngf.namespace`.
    pub parameters: BTreeMap<String, String>,
    /// The releases that the objects of a pack come from, by its name, where that is known besides their fields.
    pub origins: BTreeMap<String, ReleaseSet>,
    /// What the plan records.
    pub record: Record,
    /// What verifies the edits.
    pub front_end: FrontEnd,
}

/// What an object is among the others of a run.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) completeness: Completeness,
    /// The namespace that it lives in.
    pub(super) home: &'a Namespace,
    /// The other objects.
    pub(super) surroundings: &'a Context<'a>,
}

impl<'a> Scene<'a> {
    /// Starts a session with data of the object.
    pub(super) fn session(self, value: Arc<Value>) -> Session<'a> {
        Session::in_context(value, self.surroundings, self.completeness).in_namespace(self.home.clone())
    }
}

/// Takes `object` to `target`, which is the goal's for the pack that knows the object's group.
pub(super) fn convert(object: &Object, target: &Target<'_>, goal: &Goal<'_>, scene: Scene<'_>) -> Conversion {
    let mut work = Work {
        object,
        target,
        goal,
        scene,
        candidates: ReleaseSet::default(),
        written_for: ReleaseSet::default(),
        unknown: BTreeSet::new(),
        warnings: Vec::new(),
        notes: Vec::new(),
        lost: Vec::new(),
        past: Past::default(),
    };
    let outcome = work.run();
    let Work { written_for, mut warnings, mut notes, lost, .. } = work;
    match outcome {
        Ok(Arrival { kind, session, trail, .. }) => {
            let converts_with = session.converts_with().clone();
            warnings.extend(trail.warnings);
            notes.extend(trail.notes);
            warnings.extend(doubts(&session));
            // What goes, or is kept whole, is in no other way afterwards.
            let goes = |path: &FieldPath| {
                lost.iter().any(|lost| lost.code == Code::DroppedField && path.starts_with(&lost.path))
            };
            notes.extend(session.normalized().iter().filter(|told| !goes(&told.path)).map(|told| {
                let message = format!("{} is written in another way: {}", told.path, told.reason);
                remark(Code::Normalized, told.path.clone(), message, None)
            }));
            let (value, program, _) = session.finish();
            let (blocks, rules, guest_changes) = (Vec::new(), trail.rules, 0);
            Conversion {
                kind,
                value,
                program,
                guest_changes,
                rules,
                blocks,
                warnings,
                notes,
                lost,
                written_for,
                converts_with,
            }
        }
        Err(blocks) => Conversion { blocks, warnings, written_for, ..Conversion::untouched(object) },
    }
}

/// One object under way.
pub(super) struct Work<'a> {
    pub(super) object: &'a Object,
    pub(super) target: &'a Target<'a>,
    pub(super) goal: &'a Goal<'a>,
    scene: Scene<'a>,
    /// The releases that the object can have been written for.
    pub(super) candidates: ReleaseSet,
    /// Those of them that serve its apiVersion, or all where none does.
    written_for: ReleaseSet,
    /// The fields that no release of its kind has.
    pub(super) unknown: BTreeSet<FieldPath>,
    pub(super) warnings: Vec<Remark>,
    pub(super) notes: Vec<Remark>,
    pub(super) lost: Vec<Remark>,
    pub(super) past: Past,
}

/// An object's data at the target.
pub(super) struct Arrival<'a> {
    pub(super) kind: GroupKind,
    pub(super) session: Session<'a>,
    pub(super) start: Start,
    trail: Trail,
    /// What the target has against the object.
    pub(super) blocks: Vec<Remark>,
}

/// What was met on the way.
#[derive(Clone, Default)]
pub(super) struct Trail {
    /// The rules that changed something.
    rules: Vec<(String, Direction)>,
    pub(super) warnings: Vec<Remark>,
    pub(super) notes: Vec<Remark>,
}

impl Trail {
    /// Tells what was wrong all along: as a warning where it is wrong as it stands.
    pub(super) fn tell_wrong(&mut self, finality: Finality, wrong: Remark) {
        match finality {
            Finality::Final => self.warnings.push(wrong),
            Finality::Open => self.notes.push(wrong),
        }
    }
}

/// Whether a value is what a cluster will see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finality {
    /// It is applied as it stands.
    Final,
    /// It stands in a part of an object, or for something that is filled in later.
    Open,
}

/// Where the way to the target began: the object as it is, or as the release that it left had it, with what its stash gave
/// back.
pub(super) struct Start {
    pub(super) kind: GroupKind,
    pub(super) value: Arc<Value>,
    /// How many changes led there.
    pub(super) step: usize,
    /// The values given back, by their number in the stash, and where they stand.
    pub(super) restored: Vec<(usize, FieldPath)>,
}

/// A stash and the numbers of the values that it shall give back.
pub(super) type Detour<'a> = (&'a Stash, &'a BTreeSet<usize>);

impl<'a> Work<'a> {
    fn run(&mut self) -> Result<Arrival<'a>, Vec<Remark>> {
        let conflicts = self.infer()?;
        if !conflicts.is_empty() {
            return Err(self.named_by_a_rule(conflicts));
        }
        let mut carried = self.carried();
        let whole = self.with_everything(&mut carried).map_err(|blocks| self.missing_for(blocks))?;
        let parting = Parting::new(&whole, &carried);
        let without_lost = match &carried {
            Carried::Stash(stash, _) if !parting.gives_all_back(stash) => {
                Some(self.travel(Some((stash, &parting.back)))?)
            }
            _ => None,
        };
        self.tell_restored(&whole, &carried, &parting);
        let packed = self.pack_up(&whole, &carried, &parting);
        if whole.blocks.iter().any(|block| block.code == Code::KindNotInTarget) {
            // No loss that is taken or kept would help.
            return Err(whole.blocks);
        }
        if !whole.blocks.is_empty() {
            let losses = packed.err().into_iter().flatten();
            return Err(losses.chain(whole.blocks).collect());
        }
        let mut arrival = without_lost.unwrap_or(whole);
        if let Some(stash) = packed? {
            stash.write(self.target.pack, &mut arrival.session).map_err(stuck)?;
        }
        Ok(arrival)
    }

    /// Takes the object to the target: by way of the release that it left, where it is given something back.
    pub(super) fn travel(&self, detour: Option<Detour<'_>>) -> Result<Arrival<'a>, Vec<Remark>> {
        let mut session = self.session(self.object.value.clone());
        let mut trail = Trail::default();
        let mut kind = self.object.kind.clone();
        let mut restored = Vec::new();
        if let Some((stash, wanted)) = detour.filter(|(_, wanted)| !wanted.is_empty()) {
            kind = self.run_rules(stash.left, kind, &mut session, &mut trail)?;
            let sight = self.normal(&kind, session.shared());
            restored = stash.restore(wanted, &sight, &mut session).map_err(stuck)?;
        }
        let step = session.program().len();
        let start = Start { kind: kind.clone(), value: session.shared(), step, restored };
        let kind = self.run_rules(self.target.release, kind, &mut session, &mut trail)?;
        let blocks = self.settle(&start, &kind, &mut session, &mut trail).err().unwrap_or_default();
        Ok(Arrival { kind, session, start, trail, blocks })
    }

    /// Says whether the object is whole, which another file of the run decides.
    pub(super) fn completeness(&self) -> Completeness {
        self.scene.surroundings.record_completeness_read();
        self.scene.completeness
    }

    /// Starts a session with data of the object.
    pub(super) fn session(&self, value: Arc<Value>) -> Session<'a> {
        self.scene.session(value)
    }

    /// Looks at the object as it is; returns the fields that exclude each other.
    fn infer(&mut self) -> Result<Vec<Remark>, Vec<Remark>> {
        let object = self.object;
        let Some(catalog) = self.target.pack.catalog(&object.kind) else {
            return Err(vec![unknown_kind(object, self.target.pack)]);
        };
        if !is_version(&object.api_version.version) {
            let message = format!("`{}` is no apiVersion as it stands; it looks like a variable", object.api_version);
            let help = "write the apiVersion out, or convert the rendered manifest".to_owned();
            return Err(vec![remark(
                Code::NotConvertible,
                FieldPath::default().key("apiVersion"),
                message,
                Some(help),
            )]);
        }
        let inference = infer(&object.value, catalog, &object.api_version.version);
        let (conflicts, warnings) = remarks(&inference, object, self.target.pack, catalog);
        self.warnings = warnings;
        self.unknown = inference.unknown.into_iter().map(|unknown| unknown.path).collect();
        self.candidates = inference.candidates;
        let both = inference.candidates & inference.serving;
        self.written_for = if both.is_empty() { inference.candidates } else { both };
        Ok(conflicts)
    }

    /// Returns the data of an object of `kind` for comparing: references may have been followed since it was seen last.
    pub(super) fn normal(&self, kind: &GroupKind, object: Arc<Value>) -> Arc<Value> {
        references::normal(object, self.target.pack.catalog(kind), self.goal.packs)
    }

    /// Runs the rules that lead to `release` and returns the kind afterwards.
    pub(super) fn run_rules(
        &self,
        release: ReleaseId,
        kind: GroupKind,
        session: &mut Session<'_>,
        trail: &mut Trail,
    ) -> Result<GroupKind, Vec<Remark>> {
        let mut way = Way::new(kind.clone());
        for (rule, direction) in self.target.pack.rules_on_the_way(release, &kind) {
            if !way.meets(rule, direction) {
                continue;
            }
            if !self.knows_enough(rule, direction) {
                trail.warnings.extend(self.wants_origin(rule, direction, session));
                continue;
            }
            let before = session.program().len();
            if let Err(halt) = rule.lens(direction).run(session) {
                let wrong = self.halted(rule, halt, session).map_err(|block| vec![block])?;
                trail.tell_wrong(self.finality(&wrong.path), wrong);
            }
            if session.program().len() > before {
                trail.rules.push((rule.id.clone(), direction));
                way.follow(rule, direction);
            }
        }
        Ok(way.kind().clone())
    }

    /// Says whether what `rule` needs is there: the release that the object comes from, where only that tells its side. Its own
    /// fields know better than what is said of it.
    fn knows_enough(&self, rule: &Rule, direction: Direction) -> bool {
        let pack = self.target.pack;
        let origins = self.goal.choices.origins.get(pack.name()).copied().unwrap_or_default();
        rule.needs != Some(Needs::From) || rule.is_crossed_from(origins & self.candidates, pack.line(), direction)
    }

    /// Tells a rule that would change the object if that came from the other side of it, which nothing says.
    fn wants_origin(&self, rule: &Rule, direction: Direction, session: &Session<'_>) -> Option<Remark> {
        let pack = self.target.pack;
        let is_open = !self.goal.choices.origins.contains_key(pack.name());
        let can_cross = |id: ReleaseId| rule.is_crossed_from(ReleaseSet::from_iter([id]), pack.line(), direction);
        if !is_open || !self.candidates.iter().any(can_cross) {
            return None;
        }
        let mut trial = session.clone();
        let before = trial.program().len();
        let is_sure = rule.lens(direction).run(&mut trial).is_ok() && trial.program().len() == before;
        let (bundle, name) = (&pack.line().bundles()[rule.order], pack.name());
        let message = format!("which side of {bundle} it comes from is not known, so that it stays: {}", rule.summary);
        let help = format!("say where the objects come from with --from {name}@RELEASE");
        (!is_sure).then(|| remark(Code::Advisory, FieldPath::default(), message, Some(help)))
    }

    /// Holds the object back where a rule cannot go on, unless every release that the object can have been written for wants
    /// what the rule wants: then it was wrong all along, which is told and left.
    fn halted(&self, rule: &Rule, halt: Halt, session: &Session<'_>) -> Result<Remark, Remark> {
        let (at, reason, help) = match halt {
            Halt::Conflict { old, new } => {
                let (old, new) = (session.origin(&old), session.origin(&new));
                let message = format!("{old} and {new} are both there; one is another spelling of the other");
                let help = format!("remove one of the two (rule {})", rule.id);
                return Err(remark(Code::ConflictingFields, old, message, Some(help)));
            }
            Halt::Refused { at, reason, help } => (session.origin(&at), format!("{reason} (rule {})", rule.id), help),
        };
        match rule.within {
            None => Err(remark(Code::NotConvertible, at, reason, help)),
            Some(within) if within.is_superset(self.candidates) => Ok(remark(Code::AlreadyInvalid, at, reason, help)),
            Some(_) => Err(remark(Code::InvalidInTarget, at, reason, help)),
        }
    }

    /// Tells fields that exclude each other. A rule that meets both its sides names the two spellings better than the
    /// releases of two fields do.
    fn named_by_a_rule(&self, conflicts: Vec<Remark>) -> Vec<Remark> {
        let mut session = self.session(self.object.value.clone());
        let met = self.run_rules(self.target.release, self.object.kind.clone(), &mut session, &mut Trail::default());
        let spelling = |blocks: &Vec<Remark>| blocks.iter().all(|block| block.code == Code::ConflictingFields);
        met.err().filter(spelling).unwrap_or(conflicts)
    }
}

/// Tells a kind that no release of `pack` has.
pub(super) fn unknown_kind(object: &Object, pack: &Pack) -> Remark {
    let message = format!("no release of {} has the kind {}", pack.title(), object.kind);
    remark(Code::UnknownKind, FieldPath::default().key("kind"), message, None)
}

/// Returns what an inference says against an object: what holds it back, and what is only told.
pub(super) fn remarks(
    inference: &Inference,
    object: &Object,
    pack: &Pack,
    catalog: &Catalog,
) -> (Vec<Remark>, Vec<Remark>) {
    let line = pack.line();
    let mut warnings = Vec::new();
    // Patches carry directives that are no fields: `$patch: delete`.
    let is_field = |unknown: &&Unknown| !unknown.path.last_key().is_some_and(|key| key.starts_with('$'));
    for unknown in inference.unknown.iter().filter(is_field) {
        let help = unknown.nearest.as_ref().map(|name| format!("did you mean `{name}`?"));
        let message = format!("no release has the field {}; it is left as it is", unknown.path);
        warnings.push(remark(Code::UnknownField, unknown.path.clone(), message, help));
    }
    let api_version = FieldPath::default().key("apiVersion");
    if catalog.listing(&object.api_version.version).is_empty() {
        let message = format!("no release has {} for {}; the fields decide", object.api_version, object.kind.kind);
        warnings.push(remark(Code::UnknownApiVersion, api_version, message, None));
    } else if inference.contradicts_api_version() {
        let (fields, serving) = (line.describe(inference.candidates), line.describe(inference.serving));
        let message = format!("the fields say {fields}, but {} is served in {serving}", object.api_version);
        warnings.push(remark(Code::ApiVersionMismatch, api_version, message, None));
    }
    let conflict = |fact: &Fact| {
        let message =
            format!("{} is in {}, which excludes other fields of the object", fact.path, line.describe(fact.releases));
        let help = "keep one spelling: remove or rename what does not belong to the object's release";
        remark(Code::ConflictingFields, fact.path.clone(), message, Some(help.to_owned()))
    };
    let conflicts =
        if inference.is_conflict() { inference.evidence.iter().map(conflict).collect() } else { Vec::new() };
    (conflicts, warnings)
}

/// Returns the code under which a loss is told.
pub const fn loss_code(class: LossClass) -> Code {
    match class {
        LossClass::DroppedField => Code::DroppedField,
        LossClass::Narrowed => Code::TooManyItems,
    }
}

/// Tells what is likely wrong in an object and stays.
pub(super) fn doubts(session: &Session<'_>) -> Vec<Remark> {
    let help = "name the one that is meant; what is applied with other files is right as it is";
    let told = session.warnings().iter();
    told.map(|told| remark(Code::DanglingReference, told.path.clone(), told.reason.clone(), Some(help.to_owned())))
        .collect()
}

pub(super) fn remark(code: Code, path: FieldPath, message: String, help: Option<String>) -> Remark {
    Remark { code, path, message, help }
}

pub(super) fn in_list(path: &FieldPath) -> bool {
    path.steps().iter().any(|step| matches!(step, Step::Index(_)))
}

/// Tells a change that the data did not take: the field came from a merge key or lies where no field can be.
pub(super) fn stuck(halt: Halt) -> Vec<Remark> {
    let (path, message) = match halt {
        Halt::Conflict { old, new } => (old, format!("{new} is already there")),
        Halt::Refused { at, reason, .. } => (at, reason),
    };
    vec![remark(Code::NotConvertible, path, message, Some("change the object by hand".to_owned()))]
}

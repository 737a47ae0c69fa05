//! Answers: what becomes of one object on the way to a target release?
//!
//! [`convert`] infers, runs the rules, drops what the target does not have, gives the apiVersion that the target serves and
//! checks the result against the target's catalog. What is lost is kept in the object's stash or let go, as the user chose;
//! what an older stash holds is given back first. Whatever stands in the way is a block; an object with one keeps its bytes.
//!
//! Invariant: nothing is guessed. What the target cannot say is a loss, and an object with a loss that is neither kept nor
//! allowed is held back whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::catalog::{Catalog, Fact, Version, Violation, ViolationKind};
use crate::field::{FieldPath, Step};
use crate::finding::Code;
use crate::infer::{Inference, infer};
use crate::lens::{Direction, Halt, LossClass, Session};
use crate::manifest::Object;
use crate::pack::build::own::OwnCrds;
use crate::pack::{Pack, Rule, Target};
use crate::release::{ApiVersion, GroupKind, ReleaseId, ReleaseSet};
use crate::yaml::Intent;

use super::Goal;
use super::parting::{Carried, Parting};
use super::references;
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
    pub value: Value,
    /// The changes, with paths from the object; none where the object is held back.
    pub program: Vec<Intent>,
    /// The rules that changed something, with the way they ran.
    pub rules: Vec<(String, Direction)>,
    /// Why the object is held back; empty where it is not.
    pub blocks: Vec<Remark>,
    /// What else there is to say.
    pub warnings: Vec<Remark>,
    /// What was lost with the user's leave, or is kept in the stash.
    pub lost: Vec<Remark>,
}

impl Conversion {
    /// Makes the conversion that leaves `object` as it is.
    pub fn untouched(object: &Object) -> Self {
        Self {
            kind: object.kind.clone(),
            value: object.value.clone(),
            program: Vec::new(),
            rules: Vec::new(),
            blocks: Vec::new(),
            warnings: Vec::new(),
            lost: Vec::new(),
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

/// How objects are converted.
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
}

/// Whether an object is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// The object is applied as it stands.
    Whole,
    /// The object is merged into another one (a Kustomize patch), so it need not hold required fields.
    Partial,
}

/// Takes `object` to `target`, which is the goal's for the pack that knows the object's group.
pub(super) fn convert(object: &Object, target: &Target<'_>, goal: &Goal<'_>, completeness: Completeness) -> Conversion {
    let (candidates, unknown, warnings, lost) = (ReleaseSet::default(), BTreeSet::new(), Vec::new(), Vec::new());
    let mut work = Work { object, target, goal, completeness, candidates, unknown, warnings, lost };
    match work.run() {
        Ok(Arrival { kind, session, rules, warnings, .. }) => {
            let (value, program, _) = session.finish();
            work.warnings.extend(warnings);
            Conversion { kind, value, program, rules, blocks: Vec::new(), warnings: work.warnings, lost: work.lost }
        }
        Err(blocks) => Conversion { blocks, warnings: work.warnings, ..Conversion::untouched(object) },
    }
}

/// One object under way.
pub(super) struct Work<'a> {
    pub(super) object: &'a Object,
    pub(super) target: &'a Target<'a>,
    pub(super) goal: &'a Goal<'a>,
    completeness: Completeness,
    /// The releases that the object can have been written for.
    pub(super) candidates: ReleaseSet,
    /// Its fields that no release has.
    unknown: BTreeSet<FieldPath>,
    pub(super) warnings: Vec<Remark>,
    pub(super) lost: Vec<Remark>,
}

/// An object's data at the target.
#[derive(Clone)]
pub(super) struct Arrival {
    pub(super) kind: GroupKind,
    pub(super) session: Session,
    /// The rules that changed something on the way.
    rules: Vec<(String, Direction)>,
    warnings: Vec<Remark>,
    pub(super) start: Start,
}

/// Where the way to the target began: the object as it is, or as the release that it left had it, with what its stash gave
/// back.
#[derive(Clone)]
pub(super) struct Start {
    pub(super) kind: GroupKind,
    pub(super) value: Value,
    /// How many changes led there.
    pub(super) step: usize,
    /// The values given back, by their number in the stash, and where they stand.
    pub(super) restored: Vec<(usize, FieldPath)>,
}

/// What says whether an object is right: the catalog of its kind, in one release.
struct Authority<'a> {
    /// What messages call it.
    name: String,
    catalog: &'a Catalog,
    release: ReleaseId,
}

/// A stash and the numbers of the values that it shall give back.
pub(super) type Detour<'a> = (&'a Stash, &'a BTreeSet<usize>);

impl Work<'_> {
    fn run(&mut self) -> Result<Arrival, Vec<Remark>> {
        let conflicts = self.infer()?;
        if !conflicts.is_empty() {
            return Err(self.named_by_a_rule(conflicts));
        }
        let mut carried = self.carried();
        let whole = self.with_everything(&mut carried)?;
        let parting = Parting::new(&whole, &carried);
        let mut arrival = match &carried {
            Carried::Stash(stash) if !parting.gives_all_back(stash) => self.travel(Some((stash, &parting.back)))?,
            _ => whole.clone(),
        };
        self.tell_restored(&whole, &carried, &parting);
        if let Some(stash) = self.pack_up(&whole, &carried, &parting)? {
            stash.write(self.target.pack, &mut arrival.session).map_err(stuck)?;
        }
        Ok(arrival)
    }

    /// Takes the object to the target: by way of the release that it left, where it is given something back.
    pub(super) fn travel(&self, detour: Option<Detour<'_>>) -> Result<Arrival, Vec<Remark>> {
        let mut session = Session::new(self.object.value.clone());
        let mut rules = Vec::new();
        let mut kind = self.object.kind.clone();
        let mut restored = Vec::new();
        if let Some((stash, wanted)) = detour.filter(|(_, wanted)| !wanted.is_empty()) {
            kind = self.run_rules(stash.left, kind, &mut session, &mut rules)?;
            let sight = self.normal(&kind, session.object());
            restored = stash.restore(wanted, &sight, &mut session).map_err(stuck)?;
        }
        let (value, step) = (session.object().clone(), session.program().len());
        let start = Start { kind: kind.clone(), value, step, restored };
        let kind = self.run_rules(self.target.release, kind, &mut session, &mut rules)?;
        let warnings = self.settle(&start, &kind, &mut session)?;
        Ok(Arrival { kind, session, rules, warnings, start })
    }

    /// Looks at the object as it is; returns the fields that exclude each other.
    fn infer(&mut self) -> Result<Vec<Remark>, Vec<Remark>> {
        let object = self.object;
        let Some(catalog) = self.target.pack.catalog(&object.kind) else {
            return Err(vec![unknown_kind(object, self.target.pack)]);
        };
        let inference = infer(&object.value, catalog, &object.api_version.version);
        let (conflicts, warnings) = remarks(&inference, object, self.target.pack, catalog);
        self.warnings = warnings;
        self.unknown = inference.unknown.into_iter().map(|unknown| unknown.path).collect();
        self.candidates = inference.candidates;
        Ok(conflicts)
    }

    /// Returns the data of an object of `kind` for comparing: references may have been followed since it was seen last.
    pub(super) fn normal(&self, kind: &GroupKind, object: &Value) -> Value {
        references::normal(object, self.target.pack.catalog(kind), self.goal.packs)
    }

    /// Runs the rules that lead to `release`, adds those that changed something to `done`, and returns the kind afterwards.
    pub(super) fn run_rules(
        &self,
        release: ReleaseId,
        mut kind: GroupKind,
        session: &mut Session,
        done: &mut Vec<(String, Direction)>,
    ) -> Result<GroupKind, Vec<Remark>> {
        for (rule, direction) in self.target.pack.rules_towards(release) {
            if *rule.from_kind(direction) != kind {
                continue;
            }
            let before = session.program().len();
            rule.lens(direction).run(session).map_err(|halt| vec![halted(rule, halt, session)])?;
            if session.program().len() > before {
                done.push((rule.id.clone(), direction));
                kind = rule.to_kind(direction).clone();
            }
        }
        Ok(kind)
    }

    /// Tells fields that exclude each other. A rule that meets both its sides names the two spellings better than the
    /// releases of two fields do.
    fn named_by_a_rule(&self, conflicts: Vec<Remark>) -> Vec<Remark> {
        let mut session = Session::new(self.object.value.clone());
        let met = self.run_rules(self.target.release, self.object.kind.clone(), &mut session, &mut Vec::new());
        let spelling = |blocks: &Vec<Remark>| blocks.iter().all(|block| block.code == Code::Conflict);
        met.err().filter(spelling).unwrap_or(conflicts)
    }

    /// Gives the object the apiVersion that the target serves, drops what the target does not have, checks the rest; returns
    /// what is told about it.
    fn settle(&self, start: &Start, kind: &GroupKind, session: &mut Session) -> Result<Vec<Remark>, Vec<Remark>> {
        let authority = self.authority(kind)?;
        let served = authority.catalog.served(authority.release);
        let Some(first) = served.first() else { return Err(vec![self.kind_missing(kind)]) };
        let present = self.object.api_version.version.as_str();
        let kept = match self.goal.choices.version {
            VersionChoice::MostStable => None,
            VersionChoice::Keep => served.iter().find(|version| version.name == present && !version.deprecated),
        };
        let fits = |version: &&Version<'_>| self.violations(&authority, session.object(), version.name).is_empty();
        let version = kept.or_else(|| served.iter().find(fits)).unwrap_or(first).name;
        self.drop_missing(start, &authority, version, session)?;
        let violations = self.violations(&authority, session.object(), version);
        let warnings = self.judge(&authority, violations, session)?;
        let api_version = ApiVersion { group: kind.group.clone(), version: version.to_owned() };
        session.set("apiVersion", Value::from(api_version.to_string())).map_err(stuck)?;
        Ok(warnings)
    }

    /// Returns what says whether an object of `kind` is right.
    fn authority(&self, kind: &GroupKind) -> Result<Authority<'_>, Vec<Remark>> {
        match &self.goal.choices.schema {
            Schema::Catalog => {
                let catalog = self.target.pack.catalog(kind).expect("rules lead to kinds that the pack has");
                Ok(Authority { name: self.target.to_string(), catalog, release: self.target.release })
            }
            Schema::Own(crds) => {
                let missing = || vec![self.kind_missing(kind)];
                let catalog = crds.catalog(kind).ok_or_else(missing)?;
                Ok(Authority { name: format!("the CRD in {}", crds.name()), catalog, release: crds.release() })
            }
        }
    }

    /// Tells a kind that the target does not have.
    fn kind_missing(&self, kind: &GroupKind) -> Remark {
        let catalog = self.target.pack.catalog(kind).expect("rules lead to kinds that the pack has");
        let had = self.target.pack.line().describe(catalog.releases());
        let target = match &self.goal.choices.schema {
            Schema::Catalog => self.target.to_string(),
            Schema::Own(crds) => crds.name().to_owned(),
        };
        let message = format!("{target} has no {kind}; the kind is in {had}");
        let help = "choose a target that has it, or remove the object".to_owned();
        remark(Code::KindNotInTarget, FieldPath::default().key("kind"), message, Some(help))
    }

    /// Holds the object back for what the target refuses, but not for what was refused all along (a field left to a patch,
    /// a variable that is filled in later): that is told and left.
    fn judge(
        &self,
        authority: &Authority<'_>,
        violations: Vec<Violation>,
        session: &Session,
    ) -> Result<Vec<Remark>, Vec<Remark>> {
        let (mut blocks, mut warnings) = (Vec::new(), Vec::new());
        for violation in violations {
            let path = session.origin(&violation.path);
            if self.became_an_item(&violation, &path) {
                let message = format!("{} {}, and a patch replaces a list as a whole", violation.path, violation.kind);
                let help = "write the item out whole in the patch, then run again".to_owned();
                blocks.push(remark(Code::InvalidInTarget, path, message, Some(help)));
            } else if self.accepted_before(&path, &violation.kind) {
                let message = format!("{} does not allow this: {} {}", authority.name, violation.path, violation.kind);
                let help = "change the value by hand, then run again".to_owned();
                blocks.push(remark(Code::InvalidInTarget, path, message, Some(help)));
            } else {
                let message = format!("{} {}, before and after the conversion", violation.path, violation.kind);
                warnings.push(remark(Code::AlreadyInvalid, path, message, None));
            }
        }
        if blocks.is_empty() { Ok(warnings) } else { Err(blocks) }
    }

    /// Says whether a part of a patch, which was merged field by field, has become an incomplete item of a list.
    ///
    /// Source: Kustomize merges custom resources as JSON merge patches do, where a list takes the place of the other.
    fn became_an_item(&self, violation: &Violation, origin: &FieldPath) -> bool {
        violation.kind == ViolationKind::MissingRequired && in_list(&violation.path) && !in_list(origin)
    }

    /// Says whether some release that the object can have been written for has nothing against the value at `path`.
    fn accepted_before(&self, path: &FieldPath, kind: &ViolationKind) -> bool {
        let object = self.object;
        let catalog = self.target.pack.catalog(&object.kind).expect("an object of an unknown kind is held back before");
        let same = |violation: &Violation| {
            violation.path == *path && std::mem::discriminant(&violation.kind) == std::mem::discriminant(kind)
        };
        let accepts = |release: ReleaseId| {
            let served = catalog.served(release);
            let present = served.iter().find(|version| version.name == object.api_version.version);
            let version = present.or(served.first()).map_or("", |version| version.name);
            !catalog.check(&object.value, release, version).iter().any(same)
        };
        let accepted = self.candidates.iter().any(accepts);
        accepted && !(*kind == ViolationKind::MissingRequired && self.is_incomplete(catalog))
    }

    /// Says whether every release that the object can have been written for misses something in it, as in a patch that no
    /// kustomization of the run names.
    fn is_incomplete(&self, catalog: &Catalog) -> bool {
        let misses = |release: ReleaseId| {
            let version = catalog.served(release).first().map_or("", |version| version.name);
            let violations = catalog.check(&self.object.value, release, version);
            violations
                .iter()
                .any(|violation| violation.kind == ViolationKind::MissingRequired && !in_list(&violation.path))
        };
        self.candidates.iter().all(misses)
    }

    fn violations(&self, authority: &Authority<'_>, object: &Value, version: &str) -> Vec<Violation> {
        let mut violations = authority.catalog.check(object, authority.release, version);
        if self.completeness == Completeness::Partial {
            violations.retain(|violation| violation.kind != ViolationKind::MissingRequired || in_list(&violation.path));
        }
        violations
    }

    /// Removes the fields that the target does not have and records each as a loss.
    fn drop_missing(
        &self,
        start: &Start,
        authority: &Authority<'_>,
        version: &str,
        session: &mut Session,
    ) -> Result<(), Vec<Remark>> {
        let violations = authority.catalog.check(session.object(), authority.release, version);
        let missing = violations.into_iter().filter(|found| matches!(found.kind, ViolationKind::UnknownField { .. }));
        let mut places: Vec<_> = missing.map(|violation| violation.path).collect();
        places.extend(self.made_unknown(start, authority.catalog, session));
        places.sort_unstable();
        for path in places.into_iter().rev() {
            session.lose(LossClass::DroppedField, &path, format!("{} has no such field", authority.name));
            session.change(Intent::Delete { path }).map_err(stuck)?;
        }
        Ok(())
    }

    /// Returns the fields that `catalog` does not know at the place where the rules put them: a newer field below a mapping that
    /// took its older name. What was unknown from the start, in the object or in what came back to it, stays.
    fn made_unknown(&self, start: &Start, catalog: &Catalog, session: &Session) -> Vec<FieldPath> {
        let unknown = unknown(catalog, session.object());
        if unknown.is_empty() {
            return unknown;
        }
        let came_back = self.target.pack.catalog(&start.kind).map(|catalog| self::unknown(catalog, &start.value));
        let was_unknown = |path: &FieldPath| {
            let written = session.origin(path);
            match written.get(&self.object.value) {
                Some(_) => self.unknown.contains(&written),
                None => came_back.iter().flatten().any(|known| *known == session.origin_after(start.step, path)),
            }
        };
        unknown.into_iter().filter(|path| !was_unknown(path)).collect()
    }
}

/// Tells why a rule cannot go on.
fn halted(rule: &Rule, halt: Halt, session: &Session) -> Remark {
    match halt {
        Halt::Conflict { old, new } => {
            let (old, new) = (session.origin(&old), session.origin(&new));
            let message = format!("{old} and {new} are both there; one is another spelling of the other");
            remark(Code::Conflict, old, message, Some(format!("remove one of the two (rule {})", rule.id)))
        }
        Halt::Refused { at, reason, help } => {
            remark(Code::Refused, session.origin(&at), format!("{reason} (rule {})", rule.id), help)
        }
    }
}

/// Returns the fields of `object` that no release has.
fn unknown(catalog: &Catalog, object: &Value) -> Vec<FieldPath> {
    catalog.facts(object).unknown.into_iter().map(|unknown| unknown.path).collect()
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
    for unknown in &inference.unknown {
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
        remark(Code::Conflict, fact.path.clone(), message, Some(help.to_owned()))
    };
    let conflicts =
        if inference.is_conflict() { inference.evidence.iter().map(conflict).collect() } else { Vec::new() };
    (conflicts, warnings)
}

/// Returns the code under which a loss is told.
pub const fn loss_code(class: LossClass) -> Code {
    match class {
        LossClass::DroppedField => Code::DroppedField,
        LossClass::Narrowed => Code::Narrowed,
    }
}

pub(super) fn remark(code: Code, path: FieldPath, message: String, help: Option<String>) -> Remark {
    Remark { code, path, message, help }
}

fn in_list(path: &FieldPath) -> bool {
    path.steps().iter().any(|step| matches!(step, Step::Index(_)))
}

/// Tells a change that the data did not take: the field came from a merge key or lies where no field can be.
pub(super) fn stuck(halt: Halt) -> Vec<Remark> {
    let (path, message) = match halt {
        Halt::Conflict { old, new } => (old, format!("{new} is already there")),
        Halt::Refused { at, reason, .. } => (at, reason),
    };
    vec![remark(Code::Refused, path, message, Some("change the object by hand".to_owned()))]
}

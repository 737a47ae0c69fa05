//! Answers: what becomes of one object on the way to a target release?
//!
//! [`convert`] infers, runs the rules, gives the apiVersion that the target serves and checks the result against the
//! target's catalog. Whatever stands in the way is a block; an object with one keeps its bytes.
//!
//! Invariant: nothing is guessed. What the target cannot say is a loss, and an object with a loss that is not allowed is
//! held back whole.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::catalog::{Catalog, Fact, Unknown, Version, Violation, ViolationKind};
use crate::field::{FieldPath, Step};
use crate::finding::Code;
use crate::infer::{Inference, infer};
use crate::lens::{Completeness, Direction, Halt, Loss, LossClass, ObjectName, Session, Surroundings};
use crate::manifest::Object;
use crate::pack::notes::Union;
use crate::pack::{Pack, Rule, Target};
use crate::release::{ApiVersion, GroupKind, ReleaseId, ReleaseSet, is_version};
use crate::yaml::Intent;

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
    fn allows(&self, code: Code) -> bool {
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
    /// What was lost, with the user's leave.
    pub lost: Vec<Remark>,
    /// The releases that the object can have been written for: by its fields, and by its apiVersion where both agree.
    pub written_for: ReleaseSet,
    /// The objects that must be converted together with this one.
    pub relies_on: BTreeSet<ObjectName>,
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
            written_for: ReleaseSet::default(),
            relies_on: BTreeSet::new(),
        }
    }
}

/// How objects are converted.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The losses taken.
    pub allowed: AllowedLoss,
    /// The apiVersion taken.
    pub version: VersionChoice,
}

/// Takes `object` to `target`, whose pack knows the object's group.
pub(super) fn convert(
    object: &Object,
    target: &Target<'_>,
    choices: &Choices,
    completeness: Completeness,
    surroundings: &Surroundings<'_>,
) -> Conversion {
    let (rules, warnings, lost) = (Vec::new(), Vec::new(), Vec::new());
    let (candidates, written_for, unknown) = (ReleaseSet::default(), ReleaseSet::default(), BTreeSet::new());
    let mut work = Work {
        object,
        target,
        choices,
        completeness,
        surroundings,
        candidates,
        written_for,
        unknown,
        rules,
        warnings,
        lost,
    };
    match work.run() {
        Ok((kind, session)) => {
            let relies_on = session.relies_on().clone();
            let (value, program, _) = session.finish();
            Conversion {
                kind,
                value,
                program,
                rules: work.rules,
                blocks: Vec::new(),
                warnings: work.warnings,
                lost: work.lost,
                written_for: work.written_for,
                relies_on,
            }
        }
        Err(blocks) => {
            let (warnings, written_for) = (work.warnings, work.written_for);
            Conversion { blocks, warnings, written_for, ..Conversion::untouched(object) }
        }
    }
}

struct Work<'a> {
    object: &'a Object,
    target: &'a Target<'a>,
    choices: &'a Choices,
    completeness: Completeness,
    surroundings: &'a Surroundings<'a>,
    /// The releases that the object can have been written for.
    candidates: ReleaseSet,
    /// Those of them that serve its apiVersion, or all where none does.
    written_for: ReleaseSet,
    /// The fields that no release of its kind has.
    unknown: BTreeSet<FieldPath>,
    rules: Vec<(String, Direction)>,
    warnings: Vec<Remark>,
    lost: Vec<Remark>,
}

impl<'a> Work<'a> {
    fn run(&mut self) -> Result<(GroupKind, Session<'a>), Vec<Remark>> {
        let conflicts = self.infer()?;
        let mut session = Session::among(self.object.value.clone(), self.surroundings, self.completeness);
        let kind = self.run_rules(&mut session);
        if !conflicts.is_empty() {
            // A rule that meets both its sides names the two spellings better than the releases of two fields do.
            let spelling = |blocks: &Vec<Remark>| blocks.iter().all(|block| block.code == Code::Conflict);
            return Err(kind.err().filter(spelling).unwrap_or(conflicts));
        }
        let kind = kind?;
        let catalog = self.target.pack.catalog(&kind).expect("rules lead to kinds that the pack has");
        let settled = self.settle(&kind, catalog, &mut session);
        let mut blocks = self.take_losses(session.losses()).err().unwrap_or_default();
        blocks.extend(settled.err().into_iter().flatten());
        for told in session.respelled() {
            let message = format!("{} is written in another way: {}", told.path, told.reason);
            self.warnings.push(remark(Code::Respelled, told.path.clone(), message, None));
        }
        if blocks.is_empty() { Ok((kind, session)) } else { Err(blocks) }
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
            return Err(vec![remark(Code::Refused, FieldPath::default().key("apiVersion"), message, Some(help))]);
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

    fn run_rules(&mut self, session: &mut Session<'_>) -> Result<GroupKind, Vec<Remark>> {
        let mut kind = self.object.kind.clone();
        let mut retyped_in = None;
        for (rule, direction) in self.target.pack.rules_towards(self.target.release) {
            // An object that had the old kind all along is not on the new side of what changed with the kind.
            let retypes = rule.kind != rule.new_kind;
            let stayed =
                direction == Direction::Backward && rule.with_retype && !retypes && retyped_in != Some(rule.order);
            if *rule.from_kind(direction) != kind || stayed {
                continue;
            }
            let before = session.program().len();
            if let Err(halt) = rule.lens(direction).run(session) {
                self.halted(rule, halt, session)?;
            }
            if session.program().len() > before {
                self.rules.push((rule.id.clone(), direction));
                kind = rule.to_kind(direction).clone();
                retyped_in = if retypes { Some(rule.order) } else { retyped_in };
            }
        }
        Ok(kind)
    }

    /// Holds the object back where a rule cannot go on, unless every release that the object can have been written for wants
    /// what the rule wants: then it was wrong all along, which is told and left.
    fn halted(&mut self, rule: &Rule, halt: Halt, session: &Session<'_>) -> Result<(), Vec<Remark>> {
        let (at, reason, help) = match halt {
            Halt::Conflict { old, new } => {
                let (old, new) = (session.origin(&old), session.origin(&new));
                let message = format!("{old} and {new} are both there; one is another spelling of the other");
                let help = format!("remove one of the two (rule {})", rule.id);
                return Err(vec![remark(Code::Conflict, old, message, Some(help))]);
            }
            Halt::Refused { at, reason, help } => (session.origin(&at), format!("{reason} (rule {})", rule.id), help),
        };
        match rule.within {
            None => Err(vec![remark(Code::Refused, at, reason, help)]),
            Some(within) if within.is_superset(self.candidates) => {
                self.warnings.push(remark(Code::AlreadyInvalid, at, reason, help));
                Ok(())
            }
            Some(_) => Err(vec![remark(Code::InvalidInTarget, at, reason, help)]),
        }
    }

    /// Gives the object the apiVersion that the target serves, drops what the target does not have, checks the rest.
    fn settle(&mut self, kind: &GroupKind, catalog: &Catalog, session: &mut Session<'_>) -> Result<(), Vec<Remark>> {
        let release = self.target.release;
        let served = catalog.served(release);
        let Some(first) = served.first() else {
            let had = self.target.pack.line().describe(catalog.releases());
            let message = format!("{} has no {}; the kind is in {had}", self.target, kind);
            let elsewhere = |other: &&GroupKind| {
                let serves = self.target.pack.catalog(other).is_some_and(|catalog| !catalog.served(release).is_empty());
                other.kind == kind.kind && serves
            };
            let other = || self.target.pack.kinds().find(elsewhere);
            let anew = || Some(format!("write it anew as {}, which the target has: no rule leads there", other()?));
            let hint = self.target.pack.notes().hint(kind, None).map(str::to_owned).or_else(anew);
            let help = hint.unwrap_or_else(|| "choose a target that has it, or remove the object".to_owned());
            return Err(vec![remark(Code::KindNotInTarget, FieldPath::default().key("kind"), message, Some(help))]);
        };
        let present = self.object.api_version.version.as_str();
        let kept = match self.choices.version {
            VersionChoice::MostStable => None,
            VersionChoice::Keep => served.iter().find(|version| version.name == present && !version.deprecated),
        };
        let fits = |version: &&Version<'_>| self.violations(catalog, session.object(), version.name).is_empty();
        let version = kept.or_else(|| served.iter().find(fits)).unwrap_or(first).name;
        self.drop_missing(catalog, version, session)?;
        self.judge(kind, self.violations(catalog, session.object(), version), session)?;
        let api_version = ApiVersion { group: kind.group.clone(), version: version.to_owned() };
        session.set("apiVersion", Value::from(api_version.to_string())).map_err(stuck)
    }

    /// Holds the object back for what the target refuses, but not for what was refused all along (a field left to a patch,
    /// a variable that is filled in later): that is told and left.
    fn judge(
        &mut self,
        kind: &GroupKind,
        violations: Vec<Violation>,
        session: &Session<'_>,
    ) -> Result<(), Vec<Remark>> {
        let mut blocks = Vec::new();
        for violation in violations {
            let path = session.origin(&violation.path);
            if self.became_an_item(&violation, &path) {
                let message = format!("{} {}, and a patch replaces a list as a whole", violation.path, violation.kind);
                let help = "write the item out whole in the patch, then run again".to_owned();
                blocks.push(remark(Code::InvalidInTarget, path, message, Some(help)));
            } else if self.accepted_before(&path, &violation.kind) {
                let message = format!("{} does not allow this: {} {}", self.target, violation.path, violation.kind);
                let hint = self.target.pack.notes().hint(kind, Some(&violation.path.pattern()));
                let help = hint.unwrap_or("change the value by hand, then run again").to_owned();
                blocks.push(remark(Code::InvalidInTarget, path, message, Some(help)));
            } else {
                let message = format!("{} {}, before and after the conversion", violation.path, violation.kind);
                self.warnings.push(remark(Code::AlreadyInvalid, path, message, None));
            }
        }
        if blocks.is_empty() { Ok(()) } else { Err(blocks) }
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

    fn violations(&self, catalog: &Catalog, object: &Value, version: &str) -> Vec<Violation> {
        let mut violations = catalog.check(object, self.target.release, version);
        if self.completeness == Completeness::Partial {
            violations.retain(|violation| violation.kind != ViolationKind::MissingRequired || in_list(&violation.path));
        }
        violations
    }

    /// Removes the fields that the target does not have and records each as a loss.
    fn drop_missing(&self, catalog: &Catalog, version: &str, session: &mut Session<'_>) -> Result<(), Vec<Remark>> {
        let mut missing: Vec<FieldPath> = Vec::new();
        for violation in catalog.check(session.object(), self.target.release, version) {
            match violation.kind {
                ViolationKind::UnknownField { .. } => missing.push(violation.path),
                ViolationKind::NotInEnum { .. }
                    if self.accepted_before(&session.origin(&violation.path), &violation.kind) =>
                {
                    missing.extend(self.typed_item(catalog.kind(), &violation.path));
                }
                _ => {}
            }
        }
        // A rule can lead to a kind whose releases never had a field that the old kind has.
        let unknown = catalog.facts(session.object()).unknown.into_iter().map(|unknown| unknown.path);
        missing.extend(unknown.filter(|path| !self.unknown.contains(&session.origin(path))));
        missing.sort();
        missing.dedup_by(|inner, outer| inner.starts_with(outer));
        for path in missing.into_iter().rev() {
            let what = if path.last_key().is_some() { "field" } else { "item" };
            session.lose(LossClass::DroppedField, &path, format!("{} has no such {what}", self.target));
            session.change(Intent::Delete { path }).map_err(stuck)?;
        }
        Ok(())
    }

    /// Returns the item of a list whose type stands at `path`, where the pack says that such an item goes as a whole.
    fn typed_item(&self, kind: &GroupKind, path: &FieldPath) -> Option<FieldPath> {
        let (item, by) = path.split_last()?;
        let pattern = item.pattern();
        let typed = |union: &Union| union.kind == *kind && union.items == pattern && Step::Key(union.by.clone()) == *by;
        self.target.pack.notes().unions.iter().any(typed).then_some(item)
    }

    /// Sorts the losses into those taken and those that hold the object back.
    fn take_losses(&mut self, losses: &[Loss]) -> Result<(), Vec<Remark>> {
        let mut blocks = Vec::new();
        for loss in losses {
            let code = loss_code(loss.class);
            let path = loss.path.clone();
            let message = format!("{path} would be lost: {}", loss.reason);
            if self.choices.allowed.allows(code) {
                let message = format!("{path} is lost: {}", loss.reason);
                self.lost.push(remark(code, path, message, None));
            } else {
                let by_hand = match loss.class {
                    LossClass::DroppedField => "remove the field by hand",
                    LossClass::Narrowed => "split the object by hand",
                };
                let help = format!("`--allow-loss={code}` converts without it; or {by_hand}");
                blocks.push(remark(code, path, message, Some(help)));
            }
        }
        if blocks.is_empty() { Ok(()) } else { Err(blocks) }
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

fn remark(code: Code, path: FieldPath, message: String, help: Option<String>) -> Remark {
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

//! On which objects of the builds is checked what the target requires?
//!
//! Patches, components and replacements complete and correct an object: it can lack a field that an overlay adds, or hold a placeholder
//! that one replaces. What an API server gets are the objects that leave Kustomize, the final ones, and where the target accepts all of
//! them, the object itself and what is built on the way are not checked for required fields, patterns and limits. Where it rejects one,
//! that is the reason why the object is held back. Where one is not known, the object is checked as it is written.
//!
//! Invariants: everything that is written has been checked, in the object as it is written or in all final objects that are built of it.
//! What is built of an object, at every step, gets one apiVersion: one at which the target accepts all final objects.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::applications::Application;
use super::built_objects::{BuiltObjects, Judgement};
use super::run::Run;
use super::tied_files::{Id, TiedFiles};
use crate::engine::convert::{Conversion, Judged, Remark};
use crate::engine::finding::Code;
use crate::engine::manifest::Folder;
use crate::knowledge::release::ApiVersion;
use crate::syntax::field::Entries;

/// What follows from the final objects that are built of an object.
pub(super) enum Verdict {
    /// It is judged as it is written.
    AsWritten,
    /// So it is, but this becomes of it.
    Instead(Conversion),
    /// It is judged as it is built, and this becomes of it.
    AsBuilt(Conversion, Judgement),
}

/// A final object, which a kustomization or a controller hands over.
pub(super) struct Sent<'s> {
    /// The file of the kustomization, or of the object that has the controller run.
    pub(super) by: &'s str,
    pub(super) value: Arc<Value>,
}

/// Decides how `base` is judged, of which these final objects are built, where all are known; `is_rejected` says whether the target
/// rejects something that is built of it as it would be judged as it is written.
pub(super) fn judge(
    tied: &TiedFiles<'_>,
    objects: &BuiltObjects<'_>,
    base: Id,
    sent: Option<&[Sent<'_>]>,
    is_rejected: bool,
) -> Verdict {
    let Some(own) = tied.conversion(base) else { return Verdict::AsWritten };
    let Some(sent) = sent else {
        return own.warnings.iter().any(is_already_invalid).then(|| with_notes(own)).into();
    };
    let made = sent.iter().map(|one| objects.conversion(base, &one.value)).collect();
    let Some(made): Option<Vec<Rc<Conversion>>> = made else { return Verdict::AsWritten };
    let versions: BTreeSet<ApiVersion> = made.iter().filter_map(|made| version(made)).collect();
    let is_own = |wanted: &ApiVersion| version(own).as_ref() == Some(wanted);
    let is_fine = own.blocks.is_empty() && !own.warnings.iter().any(is_already_invalid);
    if is_fine && !is_rejected && versions.iter().all(is_own) {
        let more = more_remarks(own, sent.iter().zip(&made), &OF_FINALS);
        return (!more.is_empty()).then(|| more.add_to(own.clone())).into();
    }
    let is_accepted = |made: &[Rc<Conversion>]| made.iter().all(|made| made.blocks.is_empty());
    let chosen = match versions.len() {
        0 | 1 => Some((versions.first().cloned(), made.clone())).filter(|(_, made)| is_accepted(made)),
        _ => {
            let at = |wanted: &ApiVersion| {
                let convert =
                    |one: &Sent<'_>| objects.convert(base, &one.value, Judged::AsWritten, Some(wanted)).map(Rc::new);
                let made = sent.iter().map(convert).collect::<Option<Vec<_>>>()?;
                Some((Some(wanted.clone()), made)).filter(|(_, made)| is_accepted(made))
            };
            let losses =
                |(_, made): &(_, Vec<Rc<Conversion>>)| made.iter().map(|made| made.losses.len()).sum::<usize>();
            versions.iter().filter_map(at).min_by_key(losses)
        }
    };
    let Some((version, accepted)) = chosen else { return rejected(tied, base, sent, &made).into() };
    let is_sent = sent.iter().any(|one| one.value == tied.object(base).value);
    let judged = if is_sent { Judged::AsWritten } else { Judged::AsBuilt };
    let Some(conversion) = objects.converted_alone(base, judged, version.as_ref()) else {
        return Verdict::AsWritten;
    };
    // Those that get this apiVersion by themselves say why.
    let same = sent.iter().zip(&made).filter(|(_, made)| self::version(made) == version);
    let reasons = more_remarks(&conversion, same, &[Code::LessStableVersion]);
    let about_finals = more_remarks(&conversion, sent.iter().zip(&accepted), &OF_FINALS);
    let conversion = about_finals.add_to(reasons.add_to(conversion));
    Verdict::AsBuilt(conversion, Judgement { version, sent: sent.iter().map(|one| Arc::clone(&one.value)).collect() })
}

impl From<Option<Conversion>> for Verdict {
    fn from(instead: Option<Conversion>) -> Self {
        instead.map_or(Self::AsWritten, Self::Instead)
    }
}

/// Returns the apiVersion of an object that the target accepts.
fn version(made: &Conversion) -> Option<ApiVersion> {
    made.value.text("apiVersion").filter(|_| made.blocks.is_empty()).map(ApiVersion::parse)
}

fn is_already_invalid(remark: &Remark) -> bool {
    remark.code == Code::AlreadyInvalid
}

/// Returns what becomes of an object of which nobody knows what is sent: what was invalid before is no warning.
fn with_notes(own: &Conversion) -> Conversion {
    let mut conversion = own.clone();
    let (invalid, warnings) = conversion.warnings.into_iter().partition(is_already_invalid);
    conversion.warnings = warnings;
    let invalid: Vec<Remark> = invalid;
    conversion.notes.extend(invalid.into_iter().map(|remark| Remark { help: None, ..remark }));
    conversion
}

/// Holds `base` back for what the target rejects in one of the final objects, where it does not reject the same in all and in the object
/// itself.
fn rejected(tied: &TiedFiles<'_>, base: Id, sent: &[Sent<'_>], made: &[Rc<Conversion>]) -> Option<Conversion> {
    let (own, object) = (tied.conversion(base)?, tied.object(base));
    let is_same = |(one, made): (&Sent<'_>, &Rc<Conversion>)| {
        let is_there = |block: &Remark| block.path.get(&one.value) == block.path.get(&object.value);
        made.blocks.iter().map(words).eq(own.blocks.iter().map(words)) && own.blocks.iter().all(is_there)
    };
    if own.blocks.is_empty() || sent.iter().zip(made).all(is_same) {
        return None;
    }
    let (Sent { by, .. }, made) = sent.iter().zip(made).find(|(_, made)| !made.blocks.is_empty())?;
    Some(Conversion { blocks: made.blocks.iter().map(|block| as_built(block, by)).collect(), ..own.clone() })
}

/// Returns what is reported of a final object that `by` hands over.
fn as_built(remark: &Remark, by: &str) -> Remark {
    Remark { message: format!("{}, as {by} builds it", remark.message), ..remark.clone() }
}

fn words(remark: &Remark) -> (Code, &str) {
    (remark.code, &remark.message)
}

/// What is reported of final objects.
const OF_FINALS: [Code; 2] = [Code::AlreadyInvalid, Code::UncheckedRule];

/// What is reported of an object besides what is reported of it by itself.
#[derive(Default)]
struct MoreRemarks {
    warnings: Vec<Remark>,
    notes: Vec<Remark>,
}

impl MoreRemarks {
    const fn is_empty(&self) -> bool {
        self.warnings.is_empty() && self.notes.is_empty()
    }

    fn add_to(self, mut conversion: Conversion) -> Conversion {
        conversion.warnings.extend(self.warnings);
        conversion.notes.extend(self.notes);
        conversion
    }
}

/// Returns what is reported about these `codes` of the final objects, and not of the object by itself: each once, with who first builds it.
fn more_remarks<'m>(
    own: &Conversion,
    made: impl Iterator<Item = (&'m Sent<'m>, &'m Rc<Conversion>)>,
    codes: &[Code],
) -> MoreRemarks {
    let mut more = MoreRemarks::default();
    let mut told: BTreeSet<(Code, &str)> = own.warnings.iter().chain(&own.notes).map(words).collect();
    for (Sent { by, .. }, made) in made {
        for (remarks, more) in [(&made.warnings, &mut more.warnings), (&made.notes, &mut more.notes)] {
            for remark in remarks.iter().filter(|remark| codes.contains(&remark.code)) {
                if told.insert(words(remark)) {
                    more.push(as_built(remark, by));
                }
            }
        }
    }
    more
}

/// Finds the final states among those `behind` the kustomizations that get a file, and those that each of `controllers` makes of what is
/// in its folders: what leaves Kustomize, with the file of who hands it over.
pub(super) fn finals<'a>(
    run: &Run<'a>,
    file: &str,
    start: usize,
    behind: &BTreeMap<&'a str, BTreeSet<usize>>,
    controllers: &[(&Vec<&Application>, BTreeSet<usize>)],
) -> BTreeMap<usize, &'a str> {
    let mut finals: BTreeMap<usize, &str> = BTreeMap::new();
    // Whether the objects of a file that have this applied are among the controllers.
    let is_followed = |host: usize, hosts: &[usize], has: &dyn Fn(&Folder) -> bool| {
        let is_once = hosts.iter().filter(|other| **other == host).count() == 1;
        let mut applications = controllers.iter().flat_map(|(applications, _)| applications.iter());
        is_once && applications.any(|one| one.host == host && one.folder.as_ref().is_some_and(has))
    };
    for (kustomization, states) in behind {
        let hosts = run.appliers(kustomization);
        let is_built = hosts.is_empty() && run.graph.takers(kustomization).is_empty();
        let is_in = |folder: &Folder| run.graph.of_folder(folder).any(|name| name == *kustomization);
        if is_built || hosts.iter().any(|host| !is_followed(*host, &hosts, &is_in)) {
            finals.extend(states.iter().map(|state| (*state, *kustomization)));
        }
    }
    if behind.is_empty() {
        let hosts = run.appliers_of_file(file);
        let is_in = |folder: &Folder| run.graph.reach_of_folder(folder).has(file);
        if let Some(host) = hosts.iter().find(|host| !is_followed(**host, &hosts, &is_in)) {
            finals.insert(start, &run.files[*host].file);
        }
    }
    for (applications, states) in controllers {
        let by = applications.first().map(|application| run.files[application.host].file.as_str());
        finals.extend(states.iter().filter_map(|state| Some((*state, by?))));
    }
    finals
}

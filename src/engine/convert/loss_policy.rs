//! What becomes of a value that the target cannot hold, and how is that worded?
//!
//! [`decide`] is the one policy for what rules and the schema of the target lose: a value is kept in the stash, where that is possible and chosen (`losses`
//! finds out); else it is dropped, where the user allows that; else it holds the object back.

use std::collections::BTreeSet;

use super::choices::AllowedLoss;
use super::remark::Remark;
use crate::engine::finding::Code;
use crate::knowledge::lens::{Loss, LossClass};

/// Whether a lost value can be kept in the object's stash.
pub(super) enum Stashing<'w> {
    /// It is kept.
    Kept,
    /// It was to be kept, and cannot be: the reason is the rest of a sentence.
    Impossible(&'w str),
    /// The user did not choose that.
    Possible,
    /// No stash keeps what such rules lose.
    Unsupported,
}

/// Reads the codes of losses that are allowed; `all` stands for every one.
///
/// # Errors
/// A sentence that lists the codes, where one is not that of a loss.
pub fn allowed_losses(names: &[String]) -> Result<AllowedLoss, String> {
    let mut codes = BTreeSet::new();
    for name in names {
        if name == "all" {
            return Ok(AllowedLoss::All);
        }
        let losses = LossClass::ALL.map(loss_code);
        let Some(code) = losses.iter().find(|code| code.name() == name) else {
            let known = losses.map(Code::name).join(", ");
            return Err(format!("`{name}` is not the code of a loss; there are: {known}"));
        };
        codes.insert(*code);
    }
    Ok(if codes.is_empty() { AllowedLoss::None } else { AllowedLoss::Codes(codes) })
}

/// Decides about `loss` and reports it; `hint` is what the pack says about a field that the target does not have.
///
/// # Errors
/// That the loss holds the object back.
pub(super) fn decide(
    loss: &Loss,
    stashing: Stashing<'_>,
    allowed: &AllowedLoss,
    hint: impl FnOnce() -> Option<String>,
) -> Result<Remark, Remark> {
    let (code, place, reason) = (loss_code(loss.class), &loss.path, &loss.reason);
    let remark = |message: String, help: Option<String>| Remark::new(code, place.clone(), message).maybe_help(help);
    if matches!(stashing, Stashing::Kept) {
        return Ok(remark(format!("{place} is kept in the stash: {reason}"), None));
    }
    if allowed.allows(code) {
        return Ok(remark(format!("{place} is lost: {reason}"), None));
    }
    let (why, offer) = match stashing {
        Stashing::Impossible(why) => (format!("; it cannot be kept in the stash: {why}"), ""),
        Stashing::Possible => (String::new(), "`--stash` keeps it for converting back; "),
        Stashing::Kept | Stashing::Unsupported => (String::new(), ""),
    };
    let by_hand = match loss.class {
        LossClass::DroppedField => hint().unwrap_or_else(|| "or remove the field by hand".to_owned()),
        LossClass::TooManyItems => "or split the object by hand".to_owned(),
    };
    let help = format!("{offer}`--allow-loss={code}` converts without it; {by_hand}");
    Err(remark(format!("{place} would be lost: {reason}{why}"), Some(help)))
}

/// Decides about the losses of rules that have no stash.
///
/// # Errors
/// The losses that hold the object back.
pub(super) fn decide_without_stash(losses: &[Loss], allowed: &AllowedLoss) -> Result<Vec<Remark>, Vec<Remark>> {
    all_or_blocks(losses.iter().map(|loss| decide(loss, Stashing::Unsupported, allowed, || None)).collect())
}

/// Returns what there is to report, if nothing holds the object back.
///
/// # Errors
/// What holds the object back.
pub(super) fn all_or_blocks(outcomes: Vec<Result<Remark, Remark>>) -> Result<Vec<Remark>, Vec<Remark>> {
    let (accepted, blocks): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    match blocks.is_empty() {
        true => Ok(accepted.into_iter().flatten().collect()),
        false => Err(blocks.into_iter().filter_map(Result::err).collect()),
    }
}

/// The code under which a loss is reported.
pub(crate) const fn loss_code(class: LossClass) -> Code {
    match class {
        LossClass::DroppedField => Code::DroppedField,
        LossClass::TooManyItems => Code::TooManyItems,
    }
}

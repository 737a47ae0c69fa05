//! The losses that a call allows.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::engine::finding::Code;
use crate::engine::plan::{AllowedLoss, loss_code};
use crate::knowledge::lens::LossClass;

/// Reads the codes of losses; `all` stands for every one.
pub(super) fn allowed(names: &[String]) -> Result<AllowedLoss> {
    let mut codes = BTreeSet::new();
    for name in names {
        if name == "all" {
            return Ok(AllowedLoss::All);
        }
        let losses = LossClass::ALL.map(loss_code);
        let Some(code) = losses.iter().find(|code| code.name() == name) else {
            bail!("`{name}` is not the code of a loss; there are: {}", losses.map(Code::name).join(", "));
        };
        codes.insert(*code);
    }
    Ok(if codes.is_empty() { AllowedLoss::None } else { AllowedLoss::Codes(codes) })
}

//! The targets that a target supports: a release of NGINX Gateway Fabric implies one of Gateway API.

use anyhow::{Result, ensure};

use super::origin::Told;
use crate::knowledge::pack::{Packs, Target};

/// Whether targets of several packs must be compatible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairing {
    /// They must.
    Matching,
    /// They need not.
    Any,
}

/// Returns the releases that `targets` support, where their packs have no target yet, each with what is said about it.
///
/// # Errors
/// Two targets that are not compatible.
pub(super) fn companions<'p>(
    targets: &[Target<'p>],
    packs: &'p Packs,
    pairing: Pairing,
) -> Result<Vec<(Target<'p>, Told)>> {
    let mut added = Vec::new();
    for target in targets {
        let Some(companion) = packs.companion(target)? else { continue };
        let bundle = |target: &Target<'p>| target.pack.line().get(target.release).bundle.clone();
        match targets.iter().find(|other| other.pack.name() == companion.pack.name()) {
            None => {
                let line = format!("target {companion}, which {target} supports");
                added.push((companion, Told { pack: companion.pack.name().to_owned(), line }));
            }
            Some(other) => ensure!(
                pairing == Pairing::Any || minor(&bundle(other)) == minor(&bundle(&companion)),
                "{target} supports {companion}, not {other}: omit the second target, or pass --unpaired"
            ),
        }
    }
    Ok(added)
}

/// Returns a bundle's name without its last number: `v1.5` of `v1.5.1`.
fn minor(bundle: &str) -> &str {
    bundle.rsplit_once('.').map_or(bundle, |(minor, _)| minor)
}

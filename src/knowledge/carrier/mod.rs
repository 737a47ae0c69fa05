//! Answers: which fields of which objects carry patches, images, charts and their values?
//!
//! Tools that apply manifests have objects and files of their own, and companies add more. A [`Carrier`] describes one as it is
//! written in the file `carriers.yaml` of a pack; [`Carriers`] are those of all packs of a run, by kind and by file name.
//!
//! Parts: `carrier` (one, and all of a run).
//!
//! Invariant: nothing here names a tool.

#[expect(clippy::module_inception, reason = "a struct lives in the file named after it")]
mod carrier;

pub(crate) use carrier::{Carried, Carrier, CarrierFile, Carriers, Ignored, SelectorSyntax, Unconverted};

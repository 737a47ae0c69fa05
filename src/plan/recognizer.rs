//! Which files can packs be about?

use crate::manifest::Recognizer;
use crate::pack::{Pack, Packs};

/// Makes the recognizer of everything that `concerned`, some of `packs`, know, of what carries their charts, and of `more` texts.
pub fn recognizer(packs: &Packs, concerned: &[&Pack], more: &[&str]) -> Recognizer {
    let groups = concerned.iter().flat_map(|pack| pack.groups()).map(String::as_str);
    let triggers = concerned.iter().flat_map(|pack| pack.triggers()).map(String::as_str).chain(more.iter().copied());
    // A reference whose group need not be written is also in files that mention no group.
    let references = concerned.iter().flat_map(|pack| pack.references()).filter(|field| field.default_group.is_some());
    let triggers = triggers.chain(references.flat_map(|field| &field.kinds).map(|kind| kind.kind.as_str()));
    let kinds = concerned.iter().flat_map(|pack| pack.kinds()).map(|kind| kind.kind.as_str());
    let charts = concerned.iter().flat_map(|pack| pack.charts()).map(|chart| (chart.name.as_str(), chart.key.as_str()));
    let foreign_kinds = concerned.iter().flat_map(|pack| pack.foreign_kinds());
    let recognizer = Recognizer::new(groups).with_kinds(kinds).with_foreign_kinds(foreign_kinds);
    recognizer.with_triggers(triggers).with_charts(charts).with_carriers(packs.carriers())
}

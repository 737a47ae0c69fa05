//! Which files can packs be about?

use crate::manifest::Recognizer;
use crate::pack::Packs;

/// Makes the recognizer of everything that `packs` know.
pub fn recognizer(packs: &Packs) -> Recognizer {
    let groups = packs.iter().flat_map(|pack| pack.groups()).map(String::as_str);
    let triggers = packs.iter().flat_map(|pack| pack.triggers()).map(String::as_str);
    let kinds = packs.iter().flat_map(|pack| pack.kinds()).map(|kind| kind.kind.as_str());
    let charts = packs.iter().flat_map(|pack| pack.charts()).map(|chart| (chart.name.as_str(), chart.key.as_str()));
    let foreign_kinds = packs.iter().flat_map(|pack| pack.foreign_kinds());
    let recognizer = Recognizer::new(groups).with_kinds(kinds).with_foreign_kinds(foreign_kinds);
    recognizer.with_triggers(triggers).with_charts(charts)
}

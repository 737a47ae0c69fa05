//! The map in ARCHITECTURE.md: the layers of `src`, and the modules of each.

use super::source::read;
use super::ticked;

/// A module of the map.
pub(super) struct Module {
    pub(super) layer: String,
    pub(super) name: String,
}

/// Returns the layers in the order of the map.
pub(super) fn layers() -> Vec<String> {
    tables().swap_remove(0).1
}

/// Returns the modules of all layers in the order of the map.
pub(super) fn modules() -> Vec<Module> {
    let of_layers = tables().into_iter().skip(1);
    of_layers
        .flat_map(|(layer, names)| names.into_iter().map(move |name| Module { layer: layer.clone(), name }))
        .collect()
}

/// Returns what stands in backticks in the head of each table of the map, or the word there, and what does in the first cells below it.
fn tables() -> Vec<(String, Vec<String>)> {
    let text = read("ARCHITECTURE.md");
    let map = text.lines().skip_while(|line| *line != "## Map").skip(1).take_while(|line| !line.starts_with("## "));
    let cells: Vec<&str> = map
        .map(|line| line.strip_prefix('|').map_or("", |row| row.split('|').next().unwrap_or_default().trim()))
        .collect();
    let of_table = |rows: &[&str]| {
        let [head, _, rows @ ..] = rows else { return None };
        Some(((*head).to_owned(), rows.iter().map(|cell| ticked(cell).concat()).collect()))
    };
    let tables: Vec<_> = cells.split(|cell| cell.is_empty()).filter_map(of_table).collect();
    assert!(tables.len() > 1, "ARCHITECTURE.md has a map");
    tables
}

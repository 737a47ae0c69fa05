//! How much changes in each file: lines with a bar of `+` and `-`, as `git diff --stat` prints them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anstyle::AnsiColor;
use console::measure_text_width as columns;

use super::count::{plural, thousands};
use super::diff::{Paint, lines_changed};
use super::escape::visible;
use crate::engine::edits::FilePlan;

/// The columns of a line beside the name, the count and the bar.
const BETWEEN: usize = 6;

/// The narrowest bar.
const MIN_BAR: usize = 6;

/// Where counts stand in their column: numbers to the right, words to the left.
#[derive(Clone, Copy)]
enum Align {
    Left,
    Right,
}

/// One file.
struct Row {
    name: String,
    /// What is counted.
    count: String,
    added: usize,
    removed: usize,
}

/// Prints the lines that change in each file and in all, at most `width` columns wide where the names allow it.
pub(crate) fn stat(files: &[FilePlan], width: usize, paint: Paint) -> String {
    let rows: Vec<Row> = files
        .iter()
        .map(|file| {
            let (added, removed) = lines_changed(file);
            Row { name: visible(&file.file), count: (added + removed).to_string(), added, removed }
        })
        .collect();
    let (added, removed) = rows.iter().fold((0, 0), |(added, removed), row| (added + row.added, removed + row.removed));
    let mut total = format!(" {} changed", plural_plain(files.len(), "file"));
    if added > 0 || removed == 0 {
        let _infallible = write!(total, ", {}(+)", plural_plain(added, "insertion"));
    }
    if removed > 0 || added == 0 {
        let _infallible = write!(total, ", {}(-)", plural_plain(removed, "deletion"));
    }
    if rows.is_empty() { String::new() } else { format!("{}{total}\n", table(&rows, Align::Right, width, paint)) }
}

/// Prints the objects and edits of each file that is about to be written.
///
/// `changed` names the file of each object that changes.
pub(crate) fn overview<'a>(
    files: &[FilePlan],
    changed: impl IntoIterator<Item = &'a str>,
    width: usize,
    paint: Paint,
) -> String {
    let mut objects: BTreeMap<&str, usize> = BTreeMap::new();
    changed.into_iter().for_each(|file| *objects.entry(file).or_default() += 1);
    let row = |file: &FilePlan| {
        let objects = objects.get(&*file.file).copied().unwrap_or_default();
        let (added, removed) = lines_changed(file);
        let edits = plural(file.edits.edits().len(), "edit");
        let count = if objects == 0 { edits } else { format!("{}, {edits}", plural(objects, "object")) };
        Row { name: visible(&file.file), count, added, removed }
    };
    table(&files.iter().map(row).collect::<Vec<_>>(), Align::Left, width, paint)
}

/// Prints a count without commas, as git does.
fn plural_plain(number: usize, noun: &str) -> String {
    plural(number, noun).replace(&thousands(number), &number.to_string())
}

/// Shares the width between names and bars as git does: bars get three eighths at least.
fn table(rows: &[Row], align: Align, width: usize, paint: Paint) -> String {
    let counts = rows.iter().map(|row| columns(&row.count)).max().unwrap_or(0);
    let most = rows.iter().map(|row| row.added + row.removed).max().unwrap_or(0);
    let mut names = rows.iter().map(|row| columns(&row.name)).max().unwrap_or(0);
    let mut bars = most;
    if names + counts + BETWEEN + bars > width {
        bars = bars.min((width * 3 / 8).saturating_sub(counts + BETWEEN).max(MIN_BAR));
        let left = width.saturating_sub(counts + BETWEEN);
        if names > left.saturating_sub(bars) {
            names = left.saturating_sub(bars).max(1);
        } else {
            bars = left - names;
        }
    }
    let mut out = String::new();
    for row in rows {
        let name = shortened(&row.name, names);
        let padding = " ".repeat(names.saturating_sub(columns(&name)));
        let (added, removed) = scaled(row.added, row.removed, most, bars);
        let bars = bar(AnsiColor::Green, "+", added, paint) + &bar(AnsiColor::Red, "-", removed, paint);
        let count = match align {
            Align::Right => format!("{:>counts$}", row.count),
            Align::Left => format!("{:<counts$}", row.count),
        };
        let line = format!(" {name}{padding} | {count} {bars}");
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn bar(colour: AnsiColor, sign: &str, length: usize, paint: Paint) -> String {
    if length == 0 { String::new() } else { paint.styled(colour.on_default(), sign.repeat(length)) }
}

/// Scales a bar that may be `width` wide where the longest one stands for `most` lines; what is there stays visible.
fn scaled(added: usize, removed: usize, most: usize, width: usize) -> (usize, usize) {
    if most < width || most == 0 {
        return (added, removed);
    }
    let scale = |lines: usize| if lines == 0 { 0 } else { 1 + lines * (width - 1) / most };
    let total = scale(added + removed).max(if added > 0 && removed > 0 { 2 } else { 0 });
    if added < removed { (scale(added), total - scale(added)) } else { (total - scale(removed), scale(removed)) }
}

/// Shortens a path to `width` columns at its start, as git does: at a slash where there is one.
fn shortened(name: &str, width: usize) -> String {
    if columns(name) <= width {
        return name.to_owned();
    }
    let room = width.saturating_sub(3);
    let mut starts = name.char_indices().map(|(at, _)| at).chain([name.len()]);
    let start = starts.find(|at| columns(&name[*at..]) <= room).unwrap_or(name.len());
    let start = name[start..].find('/').map_or(start, |slash| start + slash);
    format!("...{}", &name[start..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::text::{Edit, EditSet};

    /// Makes a file that gets `added` lines and loses `removed` ones.
    fn file(name: &str, added: usize, removed: usize) -> FilePlan {
        let before: String = "old\n".repeat(removed) + "end\n";
        let edits = EditSet::new(vec![Edit::new(0, removed * 4, "new\n".repeat(added))]).unwrap();
        FilePlan { file: name.into(), before: before.into(), edits }
    }

    #[test]
    fn lines_are_counted_by_file_and_in_all() {
        let files = [file("a.yaml", 2, 1), file("apps/b.yaml", 0, 10)];
        let expected =
            " a.yaml      |  3 ++-\n apps/b.yaml | 10 ----------\n 2 files changed, 2 insertions(+), 11 deletions(-)\n";
        assert_eq!(stat(&files, 80, Paint::Plain), expected);
        assert_eq!(stat(&files[1..], 80, Paint::Plain).lines().last(), Some(" 1 file changed, 10 deletions(-)"));
        assert_eq!(stat(&[], 80, Paint::Plain), "");
    }

    #[test]
    fn bars_and_names_fit_the_width() {
        let files = [file("clusters/production/apps/gateway.yaml", 900, 300), file("b.yaml", 1, 1)];
        let shown = stat(&files, 40, Paint::Plain);
        assert!(shown.lines().take(2).all(|line| columns(line) <= 40), "{shown}");
        assert!(shown.starts_with(" .../apps/gateway.yaml"), "{shown}");
        assert!(shown.lines().nth(1).is_some_and(|line| line.ends_with("|    2 +-")), "{shown}");
    }

    #[test]
    fn objects_and_edits_are_counted_by_file() {
        let files = [file("a.yaml", 1, 1), file("b.yaml", 2, 2)];
        let expected = " a.yaml | 1 edit            +-\n b.yaml | 2 objects, 1 edit ++--\n";
        assert_eq!(overview(&files, ["b.yaml", "b.yaml"], 80, Paint::Plain), expected);
    }

    #[test]
    fn colours_are_for_bars_only() {
        let shown = stat(&[file("a\u{1b}.yaml", 1, 1)], 80, Paint::Colour);
        let expected = " a\\u{1b}.yaml | 2 \u{1b}[32m+\u{1b}[0m\u{1b}[31m-\u{1b}[0m\n";
        assert_eq!(shown.split_inclusive('\n').next(), Some(expected));
    }
}

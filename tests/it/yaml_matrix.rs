//! Every kind of change, in every style, at every position, on dash lines or not, with every kind of adjacent comment.
//!
//! A text is assembled from pieces: entries with their comments, and comments that belong to no entry. The expected
//! text is assembled from the same pieces after a change of the pieces, so that no code of the program contributes to the
//! expectation: an entry is removed, added or moved with its own lines, and every other piece is unchanged.

use reversion::internals::field::{FieldPath, Step};
use reversion::internals::yaml::{self, EditedText, FrontEnd, Intent, Place, read_value};
use serde_json::json;

/// A part of a container's text.
#[derive(Clone, Debug)]
enum Piece {
    Entry(Entry),
    /// A comment between empty lines, which belongs to no entry.
    Free,
}

/// An entry or item with the comments it owns.
#[derive(Clone, Debug)]
struct Entry {
    above: bool,
    /// The text of its first line.
    first: String,
    trailing: bool,
    /// Its further lines, each with its indentation relative to the first.
    more: Vec<(usize, String)>,
    below: bool,
}

impl Entry {
    fn plain(text: &str) -> Self {
        Self { above: false, first: text.to_owned(), trailing: false, more: Vec::new(), below: false }
    }
}

/// How the container is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Indented lines below a key.
    Lines,
    /// Indented lines that start after a dash.
    Dash,
    /// Brackets with a line for each entry.
    FlowLines,
    /// The same with a comma after the last entry.
    FlowLinesComma,
    /// Brackets on one line.
    Flow,
    /// JSON with a line for each entry.
    Json,
    /// JSON without white space.
    Compact,
}

use Style::{Compact, Dash, Flow, FlowLines, FlowLinesComma, Json, Lines};

impl Style {
    const ALL: [Self; 7] = [Lines, Dash, FlowLines, FlowLinesComma, Flow, Json, Compact];

    fn is_block(self) -> bool {
        matches!(self, Lines | Dash)
    }

    fn is_json(self) -> bool {
        matches!(self, Json | Compact)
    }

    /// Writes an entry of this key, or an item.
    fn entry(self, key: &str, value: &str) -> String {
        match self {
            _ if key.is_empty() => value.to_owned(),
            Json => format!("\"{key}\": {value}"),
            Compact => format!("\"{key}\":{value}"),
            _ => format!("{key}: {value}"),
        }
    }

    /// Writes the container `spec` between other content.
    fn document(self, what: What, pieces: &[Piece]) -> String {
        let [open, close] = if what == What::Mapping { ["{", "}"] } else { ["[", "]"] };
        match self {
            Lines => format!("top: 0\nspec:{}end: 0\n", under_key(pieces, what, 2)),
            Dash => format!("top: 0\nspec:\n- {}- 0\nend: 0\n", behind_dash(pieces, what)),
            FlowLines | FlowLinesComma => {
                let body = flow_lines(pieces, 4, self == FlowLinesComma);
                format!("top: 0\nspec: {open}{body}{close}\nend: 0\n")
            }
            Flow => format!("top: 0\nspec: {open}{}{close}\nend: 0\n", on_one_line(pieces, ", ")),
            Json => {
                let body = flow_lines(pieces, 4, false);
                format!("{{\n  \"top\": 0,\n  \"spec\": {open}{body}{close},\n  \"end\": 0\n}}\n")
            }
            Compact => format!("{{\"top\":0,\"spec\":{open}{}{close},\"end\":0}}\n", on_one_line(pieces, ",")),
        }
    }

    /// Returns the path of the container.
    fn path(self) -> FieldPath {
        let spec = FieldPath::default().key("spec");
        if self == Dash { spec.index(0) } else { spec }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Mapping,
    List,
}

/// Writes pieces in lines: `{}` after the colon if no entry is left.
fn under_key(pieces: &[Piece], what: What, column: usize) -> String {
    let has_entries = pieces.iter().any(|piece| matches!(piece, Piece::Entry(_)));
    let empty = if what == What::Mapping { " {}" } else { " []" };
    format!("{}\n{}", if has_entries { "" } else { empty }, lines(pieces, what, column))
}

/// Writes pieces in lines, the first of which follows a dash.
fn behind_dash(pieces: &[Piece], what: What) -> String {
    match (lines(pieces, what, 2), what) {
        (text, What::Mapping) if text.is_empty() => "{}\n".to_owned(),
        (text, What::List) if text.is_empty() => "[]\n".to_owned(),
        (text, _) => text.trim_start_matches(' ').to_owned(),
    }
}

fn lines(pieces: &[Piece], what: What, column: usize) -> String {
    let dash = if what == What::Mapping { "" } else { "- " };
    pieces.iter().map(|piece| lines_of(piece, dash, column)).collect()
}

fn lines_of(piece: &Piece, dash: &str, column: usize) -> String {
    let pad = " ".repeat(column);
    let entry = match piece {
        Piece::Free => return format!("\n{pad}# free\n\n"),
        Piece::Entry(entry) => entry,
    };
    let mut text = String::new();
    if entry.above {
        text.push_str(&format!("{pad}# above\n"));
    }
    let trailing = if entry.trailing { "  # behind" } else { "" };
    text.push_str(&format!("{pad}{dash}{}{trailing}\n", entry.first));
    for (indent, line) in &entry.more {
        text.push_str(&format!("{}{line}\n", " ".repeat(column + dash.len() + indent)));
    }
    if entry.below {
        text.push_str(&format!("{pad}    # below\n"));
    }
    text
}

fn flow_lines(pieces: &[Piece], column: usize, last_comma: bool) -> String {
    let pad = " ".repeat(column);
    let last = pieces.iter().rposition(|piece| matches!(piece, Piece::Entry(_)));
    let Some(last) = last else { return String::new() };
    let mut text = "\n".to_owned();
    for (index, piece) in pieces.iter().enumerate() {
        let Piece::Entry(entry) = piece else {
            text.push_str(&format!("\n{pad}# free\n\n"));
            continue;
        };
        if entry.above {
            text.push_str(&format!("{pad}# above\n"));
        }
        let comma = if index < last || last_comma { "," } else { "" };
        let trailing = if entry.trailing { "  # behind" } else { "" };
        text.push_str(&format!("{pad}{}{comma}{trailing}\n", entry.first));
    }
    text + &" ".repeat(column - 2)
}

fn on_one_line(pieces: &[Piece], comma: &str) -> String {
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Entry(entry) => entry.first.as_str(),
        Piece::Free => "",
    });
    texts.collect::<Vec<_>>().join(comma)
}

/// The comments around the target entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comments {
    None,
    Above,
    Behind,
    Below,
    All,
    /// Above it, but not its own.
    Free,
}

impl Comments {
    const ALL: [Self; 6] = [Self::None, Self::Above, Self::Behind, Self::Below, Self::All, Self::Free];

    fn put_on(self, entry: &Entry) -> Vec<Piece> {
        let all = self == Self::All;
        let entry = Entry {
            above: all || self == Self::Above,
            trailing: all || self == Self::Behind,
            below: all || self == Self::Below,
            ..entry.clone()
        };
        let free = (self == Self::Free).then_some(Piece::Free);
        free.into_iter().chain([Piece::Entry(entry)]).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    First,
    Middle,
    Last,
    Only,
}

/// One text with its target entry or item: `e`, or the one with the value 1.
struct Cell {
    style: Style,
    what: What,
    comments: Comments,
    position: Position,
}

impl Cell {
    /// Returns every cell that can be written.
    fn all(what: What) -> Vec<Self> {
        let positions = [Position::First, Position::Middle, Position::Last, Position::Only];
        let mut cells = Vec::new();
        for style in Style::ALL {
            for comments in Comments::ALL {
                for position in positions {
                    cells.push(Self { style, what, comments, position });
                }
            }
        }
        cells.retain(Self::can_be_written);
        cells
    }

    fn can_be_written(&self) -> bool {
        let starts = matches!(self.position, Position::First | Position::Only);
        match self.style {
            Lines => true,
            // The first entry is preceded by the dash only.
            Dash => !starts || matches!(self.comments, Comments::None | Comments::Behind | Comments::Below),
            FlowLines | FlowLinesComma => matches!(self.comments, Comments::None | Comments::Above | Comments::Behind),
            Flow | Json | Compact => self.comments == Comments::None,
        }
    }

    fn name(&self, change: &str) -> String {
        format!("{change}: {:?} {:?} {:?} {:?}", self.style, self.what, self.comments, self.position)
    }

    fn other_entry(&self, key: &str) -> Piece {
        let key = if self.what == What::Mapping { key } else { "" };
        if key == "b" && self.style.is_block() {
            // A more deeply indented line above does not determine the lines below.
            let more = vec![(2, "deep:".to_owned()), (4, "deeper: 0".to_owned())];
            return Piece::Entry(Entry { more, ..Entry::plain("b:") });
        }
        Piece::Entry(Entry::plain(&self.style.entry(key, "0")))
    }

    fn key(&self) -> &'static str {
        if self.what == What::Mapping { "e" } else { "" }
    }

    /// Returns the pieces, with `target` as those of the target entry, and how many precede it.
    fn around(&self, entry: &Entry) -> (Vec<Piece>, usize) {
        let own = self.comments.put_on(entry);
        let before = usize::from(matches!(self.position, Position::Middle | Position::Last));
        let after = usize::from(matches!(self.position, Position::Middle | Position::First));
        let mut pieces: Vec<Piece> = (0..before).map(|_| self.other_entry("b")).collect();
        let at = before + own.len() - 1;
        pieces.extend(own);
        pieces.extend((0..after).map(|_| self.other_entry("z")));
        (pieces, at)
    }

    /// Returns the step to the target entry.
    fn step(&self) -> Step {
        match (self.what, self.position) {
            (What::Mapping, _) => Step::Key("e".to_owned()),
            (What::List, Position::Middle | Position::Last) => Step::Index(1),
            (What::List, _) => Step::Index(0),
        }
    }

    fn path(&self) -> FieldPath {
        self.style.path().join(&FieldPath::new([self.step()]))
    }

    fn text(&self, pieces: &[Piece]) -> String {
        self.style.document(self.what, pieces)
    }
}

/// How many changes were made, and the failures.
#[derive(Default)]
struct Tally {
    cells: usize,
    failures: Vec<String>,
}

impl Tally {
    fn check(&mut self, name: &str, before: &str, intent: &Intent, after: &str) {
        self.cells += 1;
        let outcome = changed(before, intent);
        if outcome.as_deref() != Ok(after) {
            let found = outcome.unwrap_or_else(|problem| problem);
            self.failures.push(format!("== {name}\n{before}--- expected\n{after}--- found\n{found}"));
        }
    }

    #[track_caller]
    fn finish(self, name: &str) {
        #[expect(clippy::print_stderr, reason = "the number of cells is a result")]
        {
            eprintln!("{name}: {} cells", self.cells);
        }
        assert!(self.cells > 0);
        let shown: Vec<&str> = self.failures.iter().take(12).map(String::as_str).collect();
        assert!(shown.is_empty(), "{} of {} cells\n{}", self.failures.len(), self.cells, shown.join("\n"));
    }
}

/// Makes a change and verifies it.
fn changed(before: &str, intent: &Intent) -> Result<String, String> {
    let shown = |problem: yaml::Problem| format!("{}: {problem}", problem.code.name());
    let tree = yaml::parse(before).map_err(shown)?;
    let mut value = read_value(&tree, before, tree.documents()[0].root).map_err(shown)?;
    let outcome = yaml::rewrite(before, &[vec![intent.clone()]], yaml::Style::default())
        .map_err(|refusal| shown(refusal.problem))?;
    intent.apply_data(&mut value).map_err(shown)?;
    let (after, removed_comments) = (&outcome.text, &outcome.removed_comments);
    let edited =
        EditedText { before, tree: &tree, after, expected: &[Some(value)], removed_comments, added_comments: &[] };
    edited.verify(FrontEnd::Exact).map_err(shown)?;
    Ok(outcome.text)
}

/// Returns the forms of a value in a style: scalar, text, block and flow.
fn forms(style: Style, key: &str) -> Vec<Entry> {
    let line = Entry::plain(&style.entry(key, "1"));
    let brackets = if style.is_json() { "{\"k\":[1]}" } else { "{k: [1, x]}" };
    let flow = Entry::plain(&style.entry(key, brackets));
    if !style.is_block() {
        return vec![line, flow];
    }
    let with = |first: &str, indent: usize, more: &[&str]| {
        let first = if key.is_empty() { first.trim_start().to_owned() } else { format!("{key}:{first}") };
        let more = more.iter().map(|line| (indent, (*line).to_owned())).collect();
        Entry { more, ..Entry::plain(&first) }
    };
    let step = if key.is_empty() { 0 } else { 2 };
    let mut forms = vec![line, flow, with(" |", step, &["text", "  # more", "last"])];
    forms.push(with(" one", 2, &["two"]));
    if !key.is_empty() {
        forms.push(with("", 2, &["k: v", "l: w"]));
        forms.push(with("", 0, &["- k", "- l: m"]));
    }
    forms
}

/// Calls `call` for every cell and form that can be written; text is not followed by a comment.
fn for_each(what: What, mut call: impl FnMut(&Cell, &Entry)) {
    for cell in Cell::all(what) {
        for form in forms(cell.style, cell.key()) {
            let is_text = form.first.ends_with('|');
            let is_folded = form.first.ends_with("one");
            let below = matches!(cell.comments, Comments::Below | Comments::All);
            let behind = matches!(cell.comments, Comments::Behind | Comments::All);
            if !(is_text && below || is_folded && (behind || below)) {
                call(&cell, &form);
            }
        }
    }
}

#[test]
fn renaming_an_entry_keeps_everything_else() {
    let mut tally = Tally::default();
    for_each(What::Mapping, |cell, form| {
        let renamed = Entry { first: form.first.replacen('e', "key", 1), ..form.clone() };
        let intent = Intent::Rename { path: cell.path(), to: "key".to_owned() };
        let [before, after] = [form, &renamed].map(|form| cell.text(&cell.around(form).0));
        tally.check(&cell.name("rename"), &before, &intent, &after);
    });
    tally.finish("rename");
}

#[test]
fn replacing_a_value_keeps_everything_else() {
    let mut tally = Tally::default();
    for what in [What::Mapping, What::List] {
        for cell in Cell::all(what) {
            let of = |value: &str| cell.text(&cell.around(&Entry::plain(&cell.style.entry(cell.key(), value))).0);
            let text = if cell.style.is_json() { "\"a b\"" } else { "a b" };
            for (before, value, after) in [("1", json!(2), "2"), ("1", json!("a b"), text), (text, json!(1), "1")] {
                let intent = Intent::Replace { path: cell.path(), value };
                tally.check(&cell.name("replace"), &of(before), &intent, &of(after));
            }
        }
    }
    tally.finish("replace");
}

#[test]
fn deleting_an_entry_removes_its_own_lines() {
    let mut tally = Tally::default();
    for what in [What::Mapping, What::List] {
        for_each(what, |cell, form| {
            let (pieces, at) = cell.around(form);
            let mut left = pieces.clone();
            left.remove(at);
            let intent = Intent::Delete { path: cell.path() };
            tally.check(&cell.name("delete"), &cell.text(&pieces), &intent, &cell.text(&left));
        });
    }
    tally.finish("delete");
}

#[test]
fn inserting_an_entry_adds_one_line() {
    let mut tally = Tally::default();
    for_each(What::Mapping, |cell, form| {
        let (pieces, at) = cell.around(form);
        let first = pieces.iter().position(|piece| matches!(piece, Piece::Entry(_))).unwrap();
        let places = [
            (Place::First, first),
            (Place::Last, pieces.len()),
            (Place::Before("e".to_owned()), at),
            (Place::After("e".to_owned()), at + 1),
        ];
        for (place, index) in places {
            let mut more = pieces.clone();
            more.insert(index, Piece::Entry(Entry::plain(&cell.style.entry("fresh", "9"))));
            let name = cell.name(&format!("insert {place:?}"));
            let intent = Intent::Insert { path: cell.style.path().key("fresh"), value: json!(9), place };
            tally.check(&name, &cell.text(&pieces), &intent, &cell.text(&more));
        }
    });
    tally.finish("insert");
}

#[test]
fn inserting_an_item_adds_one_line() {
    let mut tally = Tally::default();
    for_each(What::List, |cell, form| {
        let (pieces, at) = cell.around(form);
        let Step::Index(index) = cell.step() else { panic!("no list") };
        for beyond in [0, 1] {
            let mut more = pieces.clone();
            more.insert(at + beyond, Piece::Entry(Entry::plain("9")));
            let intent =
                Intent::Insert { path: cell.style.path().index(index + beyond), value: json!(9), place: Place::Last };
            tally.check(&cell.name("insert item"), &cell.text(&pieces), &intent, &cell.text(&more));
        }
    });
    tally.finish("insert item");
}

/// Writes `spec` and, deeper, the mapping `other.inner`.
fn with_target(style: Style, pieces: &[Piece], target: &[Piece]) -> String {
    let spec = style.document(What::Mapping, pieces);
    let flow = |last_comma| format!("{{{}}}", flow_lines(target, 6, last_comma));
    let other = match style {
        Lines | Dash => format!("other:\n  inner:{}", under_key(target, What::Mapping, 4)),
        FlowLines | FlowLinesComma => format!("other:\n  inner: {}\n", flow(style == FlowLinesComma)),
        Flow => format!("other:\n  inner: {{{}}}\n", on_one_line(target, ", ")),
        Json => {
            return spec.replace("\"end\": 0\n}", &format!("\"other\": {{\n    \"inner\": {}\n  }}\n}}", flow(false)));
        }
        Compact => {
            let inner = on_one_line(target, ",");
            return spec.replace("\"end\":0", &format!("\"other\":{{\"inner\":{{{inner}}}}}"));
        }
    };
    spec.replace("end: 0\n", &other)
}

#[test]
fn a_move_takes_the_entrys_own_lines() {
    let mut tally = Tally::default();
    for_each(What::Mapping, |cell, form| {
        let (pieces, at) = cell.around(form);
        let mut left = pieces.clone();
        let Piece::Entry(moved) = left.remove(at) else { panic!("no entry") };
        let moved = Entry { first: moved.first.replacen('e', "key", 1), ..moved };
        let other_entry = cell.other_entry("t");
        let to = FieldPath::default().key("other").key("inner");
        for (place, index) in [(Place::First, 0), (Place::Last, 1), (Place::After("t".to_owned()), 1)] {
            let mut with_moved = vec![other_entry.clone()];
            with_moved.insert(index, Piece::Entry(moved.clone()));
            let name = cell.name(&format!("move {place:?}"));
            let intent = Intent::Move { from: cell.path(), to: to.key("key"), place };
            let before = with_target(cell.style, &pieces, std::slice::from_ref(&other_entry));
            tally.check(&name, &before, &intent, &with_target(cell.style, &left, &with_moved));
        }
        if cell.style.is_block() {
            let intent = Intent::Move { from: cell.path(), to: to.key("key"), place: Place::Last };
            let before = with_target(cell.style, &pieces, &[]);
            tally.check(&cell.name("move"), &before, &intent, &with_target(cell.style, &left, &[Piece::Entry(moved)]));
        }
    });
    tally.finish("move");
}

#[test]
fn a_move_within_a_mapping_changes_the_order() {
    let mut tally = Tally::default();
    for_each(What::Mapping, |cell, form| {
        let (pieces, at) = cell.around(form);
        let mut left = pieces.clone();
        let moved = left.remove(at);
        let first = left.iter().position(|piece| matches!(piece, Piece::Entry(_))).unwrap_or(left.len());
        for (place, index) in [(Place::First, first), (Place::Last, left.len())] {
            let is_same_place = match place {
                Place::First => at <= first,
                _ => at == left.len(),
            };
            let mut after = left.clone();
            after.insert(if is_same_place { at } else { index }, moved.clone());
            // After a dash there is no line for comments above.
            if cell.style == Dash && index == 0 && cell.comments != Comments::None && !is_same_place {
                continue;
            }
            let name = cell.name(&format!("move within {place:?}"));
            let intent = Intent::Move { from: cell.path(), to: cell.style.path().key("e"), place };
            tally.check(&name, &cell.text(&pieces), &intent, &cell.text(&after));
        }
    });
    tally.finish("move within");
}

/// Returns an entry or item as the only item of a list.
fn wrapped(cell: &Cell, form: &Entry) -> Entry {
    let Some(value) = form.first.strip_prefix("e:").or((cell.what == What::List).then_some(form.first.as_str())) else {
        // JSON: `"e": 1`
        let (key, value) = form.first.split_once(':').unwrap();
        let gap = if cell.style == Compact { "" } else { " " };
        return Entry::plain(&format!("{key}:{gap}[{}]", value.trim_start()));
    };
    let value = value.trim_start();
    if value.starts_with('{') || !cell.style.is_block() {
        let key = if cell.what == What::Mapping { "e: " } else { "" };
        return Entry::plain(&format!("{key}[{value}]"));
    }
    if cell.what == What::List {
        let more = form.more.iter().map(|(indent, line)| (indent + 2, line.clone())).collect();
        return Entry { first: format!("- {value}"), more, ..form.clone() };
    }
    let mut more = form.more.clone();
    if value.is_empty() {
        // Lines: the first gets the dash, the others follow below.
        more.iter_mut().for_each(|line| line.0 = 2);
        more[0] = (0, format!("- {}", more[0].1));
    } else {
        more.insert(0, (0, format!("- {value}")));
    }
    Entry { first: "e:".to_owned(), more, ..form.clone() }
}

#[test]
fn wrapping_and_unwrapping_are_inverse_in_every_style() {
    let mut tally = Tally::default();
    for what in [What::Mapping, What::List] {
        for_each(what, |cell, form| {
            let around = |entry: &Entry| {
                let mut pieces = cell.around(entry).0;
                for piece in &mut pieces {
                    let Piece::Entry(entry) = piece else { continue };
                    // A comment after a scalar stays after it.
                    let is_scalar = entry.first == "e:" && !form.first.ends_with("e:");
                    if is_scalar && entry.trailing {
                        entry.trailing = false;
                        entry.more[0].1.push_str("  # behind");
                    }
                }
                cell.text(&pieces)
            };
            let is_list_with_comment = form.first == "e:" && form.more[0].0 == 0;
            if is_list_with_comment && matches!(cell.comments, Comments::Below | Comments::All) {
                return;
            }
            let [flat, listed] = [form, &wrapped(cell, form)].map(around);
            tally.check(&cell.name("wrap"), &flat, &Intent::Wrap { path: cell.path().index(0) }, &listed);
            tally.check(&cell.name("unwrap"), &listed, &Intent::Unwrap { path: cell.path().index(0) }, &flat);
        });
    }
    tally.finish("wrap and unwrap");
}

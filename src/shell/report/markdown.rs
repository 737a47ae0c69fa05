//! The format `markdown`: a comment on a pull request, and the step summary of GitHub Actions.
//!
//! Codes and rules are links whose addresses stand at the end, once.
//!
//! Invariant: no text from a file is read as Markdown or HTML, mentions anybody or refers to an issue; the text is never longer than
//! its limit, and says how much it leaves out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::address;
use super::count::{named_fields, plural, thousands};
use super::document::{ObjectRecord, ReportDocument};
use super::escape::{help_and_text, visible};
use super::finding_list::{ListedFinding, entries, said};
use super::paint::Painter;
use super::run_report::Fate;
use super::text_format;
use crate::engine::finding::{Code, Severity};

/// How long a comment on GitHub or GitLab may be, in bytes; GitHub allows 65,536 characters, GitLab 1,000,000.
pub const COMMENT: usize = 65_000;
/// How long the summary of a step may be, in bytes, with what the step has written before; GitHub allows 1 MiB and shows nothing of a
/// longer one.
pub const STEP_SUMMARY: usize = 1_000_000;

/// The exit code of a run that recognized nothing.
const NOTHING_RECOGNISED: u8 = 3;
/// How many characters of one text are shown.
const TEXT: usize = 1_000;
/// How many bytes are kept for saying what was left out of a section, and for its end.
const SECTION_END: usize = 200;

/// Renders a document in at most `limit` bytes.
pub fn report(document: &ReportDocument, limit: usize) -> String {
    let entries = entries(document);
    let open = || entries.iter().filter(|entry| entry.accepted.is_none());
    let of = |severity| alike(open().filter(move |entry| entry.record.severity == severity));
    let is_change = |entry: &&ListedFinding<'_>| entry.record.code == Code::ChangesNeeded.name();
    let unresolved = of(Severity::Unresolved).into_iter();
    let unresolved: Vec<Item> =
        unresolved.map(|item| Item { text: format!("**unresolved** {}", item.text), ..item }).collect();
    let warnings = alike(open().filter(|entry| entry.record.severity == Severity::Warning && !is_change(entry)));
    let advisories = document.advisories.iter().map(|advisory| {
        let text = format!(
            "about the {}: {}{}",
            advisory.about.name(),
            prose(&advisory.message),
            help(advisory.help.as_deref())
        );
        (advisory.severity, Item { text, stands_for: 1 })
    });
    let (notes, warned): (Vec<_>, Vec<_>) = advisories.partition(|(severity, _)| *severity == Severity::Note);
    let notes = notes.into_iter().map(|(_, item)| item).chain(of(Severity::Note)).collect();
    let among = match total(&unresolved) {
        0 => String::new(),
        count => format!(", {} unresolved", thousands(count)),
    };
    let by_hand: Vec<Item> =
        unresolved.into_iter().chain(warned.into_iter().map(|(_, item)| item)).chain(warnings).collect();
    let among = match by_hand.len() {
        items if items == total(&by_hand) => among,
        items => format!(" in {}{among}", plural(items, "item")),
    };
    let changed = document.objects.iter().filter(|object| object.outcome == Fate::Changed);
    let (objects, files) = (changed.clone().count(), by_file(document, changed));
    let changes = if document.written { "Changed" } else { "To change" };
    let changes = format!("{changes}: {} in {}", plural(objects, "object"), plural(files.len(), "file"));
    let section = |title: &str, are, items: Vec<Item>| Section { title: counted(title, total(&items), ""), are, items };
    let sections = [
        section("Failed", List::Shown, of(Severity::Error)),
        section("Held back", List::Shown, by_object(&entries)),
        Section { title: counted("To do by hand", total(&by_hand), &among), are: List::Numbered, items: by_hand },
        Section { title: changes, are: if files.len() > FEW { List::Folded } else { List::Shown }, items: files },
        acknowledged(document, &entries),
        section("Notes", List::Folded, notes),
    ];
    let links = links(document, &entries);
    let mut out = head(document);
    let used = sections.iter().filter(|section| !section.items.is_empty()).count();
    let reserved = used * SECTION_END + links.values().map(String::len).sum::<usize>();
    for section in sections {
        section.render(&mut out, limit.saturating_sub(reserved));
    }
    let used: String = links.into_iter().filter(|(link, _)| out.contains(link)).map(|(_, line)| line).collect();
    if used.is_empty() { out } else { format!("{out}\n{used}") }
}

/// Returns the links to codes and rules of a document, each with the line that says where it leads.
fn links(document: &ReportDocument, entries: &[ListedFinding<'_>]) -> BTreeMap<String, String> {
    let codes = entries.iter().map(|entry| &entry.record.code).chain(document.counted.keys());
    let rules = document.objects.iter().flat_map(|object| &object.rules).map(|rule| &rule.rule);
    let line = |name: &String| Some((linked(name), format!("[`{name}`]: {}\n", address::of(name)?)));
    codes.chain(rules).collect::<BTreeSet<_>>().into_iter().filter_map(line).collect()
}

/// Prints a code or a rule: as a link where the book describes it.
fn linked(name: &str) -> String {
    if address::of(name).is_some() { format!("[`{name}`][]") } else { code(name) }
}

fn counted(title: &str, count: usize, among: &str) -> String {
    format!("{title} ({}{among})", thousands(count))
}

/// Prints the targets and the counts; where nothing was recognized, why.
fn head(document: &ReportDocument) -> String {
    let targets: Vec<String> = document.targets.iter().map(|target| code(target)).collect();
    let shard = document.shard.as_ref().map(|shard| format!(", shard {}", prose(shard))).unwrap_or_default();
    let mut out = format!("### reversion {} {}{shard}\n\n", prose(&document.command), targets.join(", "));
    if document.exit_code == NOTHING_RECOGNISED {
        let why = document.nothing_recognized.as_deref().unwrap_or("nothing recognized");
        let lines: Vec<String> = why.lines().map(|line| prose(line.trim())).collect();
        return out + &lines.join("<br>") + "\n";
    }
    if let Some(step) = &document.release {
        return out + &prose(&text_format::release_step(step, &document.summary, &Painter::PLAIN)) + ".\n";
    }
    let summary = &document.summary;
    let change = if document.written { "changed" } else { "to change" };
    let counts = [
        ("files read", summary.files),
        ("objects recognized", summary.recognized),
        (change, summary.changed),
        ("held back", summary.held_back),
        ("unresolved", summary.unresolved),
        ("acknowledged", summary.acknowledged),
        ("skipped", summary.templates + summary.binaries),
        ("failed", summary.failed),
    ];
    let names: Vec<&str> = counts.iter().map(|(name, _)| *name).collect();
    let numbers: Vec<String> = counts.iter().map(|(_, count)| thousands(*count)).collect();
    let _infallible =
        write!(out, "| {} |\n|{}\n| {} |\n", names.join(" | "), "--:|".repeat(names.len()), numbers.join(" | "));
    if let Some(unknown) = text_format::of_unknown_groups(&summary.unknown_groups) {
        let _infallible = writeln!(out, "\nNothing is known of objects: {}.", prose(&unknown));
    }
    for sentence in text_format::origins(&document.origins, summary) {
        let _infallible = writeln!(out, "\n{}.", prose(&sentence));
    }
    if !document.left_out.is_empty() {
        let files = plural(document.left_out.len(), "file");
        let _infallible = writeln!(out, "\n{files} left out; references to their objects are not checked.");
    }
    out
}

/// How many files that change are shown without a click: what is new after a baseline is few.
const FEW: usize = 5;

/// How a section shows its items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Shown,
    Numbered,
    Folded,
}

/// Items below a title.
struct Section {
    title: String,
    are: List,
    items: Vec<Item>,
}

/// An item of a list.
struct Item {
    text: String,
    /// How many findings or files it is about.
    stands_for: usize,
}

impl Item {
    fn of_one(text: String) -> Self {
        Self { text, stands_for: 1 }
    }
}

fn total(items: &[Item]) -> usize {
    items.iter().map(|item| item.stands_for).sum()
}

impl Section {
    /// Adds the section to `out`, as far as `limit` bytes hold it; nothing where it has no items.
    fn render(self, out: &mut String, limit: usize) {
        if self.items.is_empty() {
            return;
        }
        let _infallible = match self.are {
            List::Folded => write!(out, "\n<details><summary>{}</summary>\n\n", self.title),
            List::Shown | List::Numbered => write!(out, "\n**{}**\n\n", self.title),
        };
        let (mut shown, mut left_out) = (0, 0);
        for Item { text, stands_for } in self.items {
            let mark = if self.are == List::Numbered { format!("{}. ", shown + 1) } else { "- ".to_owned() };
            if out.len() + mark.len() + text.len() < limit {
                let _infallible = writeln!(out, "{mark}{text}");
                shown += 1;
            } else {
                left_out += stands_for;
            }
        }
        if left_out > 0 {
            let _infallible = writeln!(out, "\n{} more left out: the text would be too long.", thousands(left_out));
        }
        if self.are == List::Folded {
            out.push_str("\n</details>\n");
        }
    }
}

/// Prints what is acknowledged: each finding, or how many there are of each code.
fn acknowledged(document: &ReportDocument, entries: &[ListedFinding<'_>]) -> Section {
    let listed = entries.iter().filter_map(|entry| {
        let reason = entry.accepted?.reason.as_deref();
        let reason = reason.map(|reason| format!(" ({})", prose(reason))).unwrap_or_default();
        Some(Item::of_one(item(entry) + &reason))
    });
    let by_code: Vec<String> =
        document.counted.iter().map(|(name, count)| format!("{} {}", thousands(*count), linked(name))).collect();
    let (are, items) = match by_code.as_slice() {
        [] => (List::Folded, listed.collect()),
        by_code => (List::Shown, vec![Item::of_one(by_code.join(", "))]),
    };
    Section { title: counted("Acknowledged", document.summary.acknowledged, ""), are, items }
}

/// How many places of one sentence are named.
const PLACES: usize = 5;

/// Prints findings, an item for those that say the same.
fn alike<'e, 'd: 'e>(entries: impl IntoIterator<Item = &'e ListedFinding<'d>>) -> Vec<Item> {
    let mut numbers = BTreeMap::new();
    let mut together: Vec<Vec<&ListedFinding<'_>>> = Vec::new();
    for entry in entries {
        let number = *numbers.entry(said(entry.record)).or_insert(together.len());
        if number == together.len() {
            together.push(Vec::new());
        }
        together[number].push(entry);
    }
    let printed = |entries: Vec<&ListedFinding<'_>>| {
        let (first, others) = entries.split_first().expect("a sentence has a finding");
        let named = |entry: &&ListedFinding<'_>| {
            entry.title.map_or_else(|| place(entry), |title| format!("{} ({})", code(title), place(entry)))
        };
        let named: Vec<String> = others.iter().take(PLACES).map(named).collect();
        let more = match others.len() - named.len() {
            0 => String::new(),
            more => format!(" and {} more", thousands(more)),
        };
        let also = if named.is_empty() { String::new() } else { format!("<br>also {}{more}", named.join(", ")) };
        Item { text: item(first) + &also, stands_for: entries.len() }
    };
    together.into_iter().map(printed).collect()
}

/// Prints what is held back, an item for each object, with its reasons, or for objects with the same one.
fn by_object(entries: &[ListedFinding<'_>]) -> Vec<Item> {
    let mut objects: Vec<(&ListedFinding<'_>, Vec<&ListedFinding<'_>>)> = Vec::new();
    let held = entries.iter().filter(|entry| entry.accepted.is_none() && entry.record.severity == Severity::Held);
    for entry in held {
        match objects.last_mut() {
            Some((first, reasons))
                if entry.title.is_some() && (first.title, &first.path) == (entry.title, &entry.path) =>
            {
                reasons.push(entry)
            }
            _ => objects.push((entry, vec![entry])),
        }
    }
    let (single, several): (Vec<_>, Vec<_>) = objects.into_iter().partition(|(_, reasons)| reasons.len() == 1);
    let object = |(first, reasons): (&ListedFinding<'_>, Vec<&ListedFinding<'_>>)| match first.title {
        None => item(first),
        Some(title) => {
            let reason = |entry: &ListedFinding<'_>| {
                let line = entry.record.location.position.map(|at| format!(", line {}", at.line)).unwrap_or_default();
                let (message, help) = (prose(&entry.record.message), help(entry.record.help.as_deref()));
                format!("\n  - {}{line}: {message}{help}", linked(&entry.record.code))
            };
            format!("{} ({})", code(title), code(&first.path)) + &reasons.into_iter().map(reason).collect::<String>()
        }
    };
    let several = several.into_iter().map(object).map(Item::of_one);
    alike(single.into_iter().map(|(first, _)| first)).into_iter().chain(several).collect()
}

/// Prints a finding with its object, place, code and help. It starts with a name: a sentence there could start a list or a block.
fn item(entry: &ListedFinding<'_>) -> String {
    let (record, place) = (entry.record, place(entry));
    let (message, name, help) = (prose(&record.message), linked(&record.code), help(record.help.as_deref()));
    match entry.title {
        Some(title) => format!("{}: {message} ({name}, {place}){help}", code(title)),
        None => format!("{place}: {message} ({name}){help}"),
    }
}

fn place(entry: &ListedFinding<'_>) -> String {
    let line = entry.record.location.position.map(|at| format!(":{}", at.line)).unwrap_or_default();
    code(&format!("{}{line}", entry.path))
}

fn help(help: Option<&str>) -> String {
    let Some(help) = help else { return String::new() };
    let (help, text) = help_and_text(help);
    // A line break would end the item.
    let lines = |text: &str| text.split('\n').map(|line| escaped(line, "")).collect::<Vec<_>>().join("&#10;");
    let text = text.map(|text| format!("<pre>{}</pre>", lines(text))).unwrap_or_default();
    format!("<br>help: {}{text}", prose(help))
}

/// Prints the objects that change, an item for each file.
fn by_file<'d>(document: &ReportDocument, objects: impl Iterator<Item = &'d ObjectRecord>) -> Vec<Item> {
    let mut files: BTreeMap<String, Vec<&ObjectRecord>> = BTreeMap::new();
    for object in objects {
        files.entry(document.path(&object.location.file)).or_default().push(object);
    }
    let file = |(path, objects): (String, Vec<&ObjectRecord>)| {
        let objects = objects.into_iter().map(|object| format!("\n  - {}", change(object)));
        Item::of_one(format!("{}{}", code(&path), objects.collect::<String>()))
    };
    files.into_iter().map(file).collect()
}

fn change(object: &ObjectRecord) -> String {
    let ObjectRecord { from, to, fields, .. } = object;
    let side = |side: &super::document::TypeMeta| code(&format!("{} {}", side.api_version, side.kind));
    let becomes = match (from.kind == to.kind, from == to) {
        (_, true) => escaped(&format!("other fields{}", named_fields(fields)), ""),
        (true, false) => format!("{} → {}", code(&from.api_version), code(&to.api_version)),
        (false, _) => format!("{} → {}", side(from), side(to)),
    };
    let rules: Vec<String> = object.rules.iter().map(|rule| linked(&rule.rule)).collect();
    let rules = if rules.is_empty() { String::new() } else { format!(" ({})", rules.join(", ")) };
    format!("{}: {becomes}{rules}", code(&object.object))
}

/// Prints a name: in the element in which GitHub and GitLab look for no mention, reference or emoji.
fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text, ""))
}

/// Prints a sentence. Behind a sign that would start a mention, a reference or an emoji there is a space of no width, as Renovate
/// writes it.
fn prose(text: &str) -> String {
    escaped(text, "&#8203;")
}

/// Writes a text so that Markdown gives it back as it is, with its control characters written out; `apart` comes behind signs
/// that would start something.
fn escaped(text: &str, apart: &str) -> String {
    let mut characters = text.chars();
    let shown = visible(&characters.by_ref().take(TEXT).collect::<String>());
    let mut out = String::with_capacity(shown.len());
    for (at, character) in shown.char_indices() {
        if character.is_ascii_punctuation()
            && !",-./;()'\"?=".contains(character)
            && (character != ':' || is_emoji(&shown[at..]))
        {
            let _infallible = write!(out, "&#{};", u32::from(character));
        } else {
            out.push(character);
        }
        let is_next_to_word = shown[at..].chars().nth(1).is_some_and(char::is_alphanumeric);
        if is_emoji(&shown[at..]) || (is_next_to_word && "@#~$%!&".contains(character)) {
            out.push_str(apart);
        }
    }
    let rest = characters.count();
    if rest > 0 {
        let _infallible = write!(out, "… ({} more)", plural(rest, "character"));
    }
    out
}

/// Returns whether a text starts with an emoji's name, as `:name:`.
fn is_emoji(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(':') else { return false };
    let name =
        rest.trim_start_matches(|character: char| character.is_ascii_alphanumeric() || "_+-".contains(character));
    name.len() < rest.len() && name.starts_with(':')
}

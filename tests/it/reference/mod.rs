//! The pages in `docs/src` are true: what they list of the code is generated from the code, their links lead somewhere, and the
//! examples of packs and rules are read by the program.
//!
//! A page is prose with generated parts, each between `<!-- generated: WHAT -->` and `<!-- end -->`. With
//! `REVERSION_WRITE_BLOCKS=1` the parts are rewritten; read the diff. What a part says comes from the documentation of the types that
//! files are read into: a key, word or operation without documentation, or a key without an example, fails the test.

use std::fs;

use reversion::internals::cli::GLOSSARY;
use reversion::internals::finding::{Code, Severity};
use reversion::internals::lens::{CONVERSIONS, Description, Lens, OPERATIONS};
use reversion::internals::pack::Target;
use reversion::internals::pack::wire::{PackFile, RuleFile};
use reversion::internals::release::GroupKind;
use reversion::internals::report::address;

mod apis;
mod commands;
mod links;
mod render;
mod wire;

use links::linked;
use render::Renderer;
use wire::Source;

use crate::support::root;

/// The folder of the pages.
const PAGES: &str = "docs/src";
/// The folder of those about packs, of which every example is read.
const REFERENCE: &str = "docs/src/packs";

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the files below a folder that end in `end`, sorted.
fn files(folder: &str, end: &str) -> Vec<String> {
    let listed = reversion::internals::pack::load::list_folder(&root().join(folder)).expect("a folder of the project");
    listed.into_iter().filter(|file| file.ends_with(end)).map(|file| format!("{folder}/{file}")).collect()
}

/// Reads the source files whose types mirror files of packs.
fn source() -> Source {
    let mut read = files("src/knowledge/lens", ".rs");
    read.extend(
        [
            "src/knowledge/catalog/header.rs",
            "src/knowledge/catalog/row.rs",
            "src/knowledge/pack/wire.rs",
            "src/syntax/yaml/structure.rs",
        ]
        .map(str::to_owned),
    );
    Source::read(root(), &read)
}

#[test]
fn the_reference_is_what_the_code_says() {
    let source = source();
    let (mut problems, mut differences) = (Vec::new(), String::new());
    for page in files(PAGES, ".md").into_iter().chain(["README.md".to_owned()]) {
        let before = read(&page);
        // A page lists each type once, under one heading.
        let mut renderer = Renderer::new(&source);
        let after = generated(&page, &before, &mut renderer);
        problems.append(&mut renderer.problems);
        if std::env::var_os("REVERSION_WRITE_BLOCKS").is_some() {
            fs::write(root().join(&page), &after).expect("the page can be written");
        }
        let diff = similar::TextDiff::from_lines(&before, &after);
        differences.push_str(&diff.unified_diff().header(&page, "what the code says").to_string());
    }
    problems.sort();
    problems.dedup();
    assert!(problems.is_empty(), "{} things lack documentation:\n{}", problems.len(), problems.join("\n"));
    assert!(
        differences.is_empty(),
        "{differences}\nREVERSION_WRITE_BLOCKS=1 cargo test --test it reference:: rewrites the pages"
    );
}

/// Returns the page with its generated parts made anew.
fn generated(page: &str, text: &str, renderer: &mut Renderer<'_>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!-- generated: ") {
        let (what, after) = after.split_once(" -->\n").unwrap_or_else(|| panic!("{page}: a marker ends with ` -->`"));
        let (_, after) =
            after.split_once("<!-- end -->").unwrap_or_else(|| panic!("{page}: `{what}` has no <!-- end -->"));
        let part = part(page, what, renderer);
        out.push_str(&format!("{before}<!-- generated: {what} -->\n{}\n\n<!-- end -->", part.trim_end()));
        rest = after;
    }
    out + rest
}

/// Makes one part: `keys FILE TYPE`, `words FILE TYPE`, `api PACK`, or what one word names.
fn part(page: &str, what: &str, renderer: &mut Renderer<'_>) -> String {
    match what.split(' ').collect::<Vec<_>>().as_slice() {
        ["keys", file, name] => renderer.keys(file, name, ("", "###"), ""),
        ["words", file, name] => renderer.words(file, name),
        ["operations"] => operations(renderer),
        ["findings"] => findings(page),
        ["packs"] => packs(),
        ["supported"] => supported(),
        ["glossary"] => glossary(),
        ["commands"] => commands::page(),
        ["api", name] => apis::page(name),
        _ => panic!("{page}: `{what}` is nothing that can be generated"),
    }
}

/// Lists every operation, with its parameters and what it costs.
fn operations(renderer: &mut Renderer<'_>) -> String {
    let parameters = source().operations;
    let mut out = String::new();
    for operation in OPERATIONS {
        let name = operation.name;
        out.push_str(&format!("\n## {name}\n{}\n\n```yaml\n- {}\n```\n", operation.text, operation.example));
        if name == "native" {
            out.push_str(&conversions());
            continue;
        }
        let [forward, backward] = costs(operation);
        out.push_str(&format!("Forward: {forward}. Backward: {backward}.\n"));
        match parameters.get(name) {
            Some(wire::Parameters { file, name: of }) => {
                out.push_str(&renderer.keys(file, of, (name, "###"), operation.example));
            }
            None => renderer.problems.push(format!("src/lens: no `DESCRIPTION` with the name {name:?} was found")),
        }
    }
    out
}

/// What an operation costs in each direction.
fn costs(operation: &Description) -> [String; 2] {
    let lens: Lens = serde_yaml::from_str(&format!("- {}", operation.example))
        .unwrap_or_else(|error| panic!("the example of {}: {error}", operation.name));
    let back = lens.inverse(&GroupKind::new("Shop", "shops.example.com"));
    [lens, back].map(|lens| {
        let names: Vec<&str> = lens.fidelities().iter().map(|fidelity| fidelity.name()).collect();
        if names.is_empty() { "nothing happens".to_owned() } else { names.join(", ") }
    })
}

/// Lists the native conversions.
fn conversions() -> String {
    let row = |operation: &Description| {
        let [forward, backward] = costs(operation);
        format!("| `{}` | {} | {forward} | {backward} |\n", operation.name, operation.text)
    };
    let rows: String = CONVERSIONS.iter().map(|conversion| row(&conversion.description)).collect();
    format!("\n| conversion | what it does | forward | backward |\n|---|---|---|---|\n{rows}")
}

/// Prints a name to which addresses of the program lead.
fn named(name: &str) -> String {
    format!("<a id=\"{name}\"></a>`{name}`")
}

/// Lists the codes of findings. The severities are the page's own: the code has them where a finding is made.
fn findings(page: &str) -> String {
    let page = read(page);
    let severities = |code: &Code| {
        let row = page.lines().find(|line| line.starts_with(&format!("| {} |", named(code.name()))));
        let row = row.unwrap_or_else(|| panic!("the findings lack the row\n| {} | SEVERITIES | |", named(code.name())));
        let severities = row.split('|').nth(2).expect("a row has cells").trim().to_owned();
        let known = [Severity::Note, Severity::Warning, Severity::Unresolved, Severity::Held, Severity::Error]
            .map(Severity::name);
        assert!(severities.split(", ").all(|word| known.contains(&word)), "{code}: {severities} are no severities");
        severities
    };
    let row = |code: &Code| format!("| {} | {} | {} |\n", named(code.name()), severities(code), code.description());
    let rows: String = Code::ALL.iter().map(row).collect();
    format!("\n| code | severity | meaning |\n|---|---|---|\n{rows}")
}

/// Lists the built-in packs.
fn packs() -> String {
    let packs = crate::support::packs();
    let row = |pack: &reversion::internals::pack::Pack| {
        let target = |release: &str| {
            let target = Target::find(pack, release).expect("the pack has the release").to_string();
            target.rsplit('@').next().unwrap_or_default().to_owned()
        };
        let (first, last) = (target(&pack.line().bundles()[0]), target("latest"));
        let groups: Vec<String> = pack.groups().iter().map(|group| format!("`{group}`")).collect();
        let parameters =
            pack.parameters().iter().map(|one| format!("`{}.{}`: {}", pack.name(), one.name, one.description));
        let parameters: Vec<String> = parameters.collect();
        let (title, name, count) = (pack.title(), pack.name(), pack.line().count());
        let (groups, parameters) = (groups.join(", "), parameters.join("<br>"));
        format!("| `{name}` | {title} | {count}, `{first}` to `{last}` | {groups} | {parameters} |\n")
    };
    let rows: String = packs.iter().map(row).collect();
    format!("\n| pack | project | releases | API groups | parameters |\n|---|---|---|---|---|\n{rows}")
}

/// Lists the APIs that built-in packs describe, for the README.
fn supported() -> String {
    let packs = crate::support::packs();
    let with_releases = packs.iter().filter(|pack| pack.line().count() > 0);
    let rows = with_releases.map(|pack| {
        let names: Vec<String> = pack.names().map(|name| format!("`{name}`")).collect();
        let (first, last) = (pack.line().names().next(), pack.line().names().next_back());
        let releases = format!("{} to {}", first.unwrap_or_default(), last.unwrap_or_default());
        let (kinds, rules) = (pack.kinds().count() + pack.files().len(), pack.rule_files().len());
        let changes = format!("[changes](rules/{}/README.md)", pack.name());
        format!("| {} | {} | {releases} | {kinds} | {rules} | {changes} |\n", pack.title(), names.join(", "))
    });
    let rows: String = rows.collect();
    format!("\n| API | `--to` | releases | kinds | rules | |\n|---|---|---|---|---|---|\n{rows}")
}

/// Lists the words of the output. A test in the program checks that every word is there.
fn glossary() -> String {
    let rows = GLOSSARY.iter().map(|term| {
        format!("| <a id=\"{}\"></a>`{}` | {} |\n", address::part_of_word(term.word), term.word, term.text)
    });
    let rows: String = rows.collect();
    format!("\n| word | meaning |\n|---|---|\n{rows}")
}

#[test]
fn the_summary_lists_every_page() {
    let summary = format!("{PAGES}/SUMMARY.md");
    let text = read(&summary);
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let mut listed: Vec<String> = links.map(|link| linked(&summary, link)).collect();
    listed.push(summary.clone());
    listed.sort();
    assert_eq!(files(PAGES, ".md"), listed, "the pages (left) and those in SUMMARY.md (right)");
    for page in listed.iter().filter(|page| **page != summary) {
        let text = read(page);
        let title = text.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a page begins with its title");
        let link = format!("[{title}]({})", page.trim_start_matches("docs/src/"));
        assert!(read(&summary).contains(&link), "SUMMARY.md has the title of the page: {link}");
    }
}

/// The first word behind ```` ```yaml ```` says what the example is: `pack.yaml`, `rule`, or one or several operations.
#[test]
fn every_example_is_read_by_the_program() {
    let mut count = 0;
    for page in files(REFERENCE, ".md") {
        let text = read(&page);
        for block in text.split("\n```yaml").skip(1) {
            let (kind, block) = block.split_once('\n').expect("a block has lines");
            let (block, _) = block.split_once("\n```").unwrap_or_else(|| panic!("{page}: a block ends"));
            let read = match kind.trim() {
                "pack.yaml" => serde_yaml::from_str::<PackFile>(block).map(drop),
                "rule" => serde_yaml::from_str::<RuleFile>(block).map(drop),
                "" => serde_yaml::from_str::<Lens>(block).map(drop),
                "object" => serde_yaml::from_str::<serde_json::Value>(block).map(drop),
                other => panic!("{page}: `{other}` is not a kind of example: write pack.yaml, rule or object"),
            };
            assert!(read.is_ok(), "{page}: {}\n{block}", read.expect_err("it was not read"));
            count += 1;
        }
    }
    assert!(count > OPERATIONS.len(), "the pages have examples");
}

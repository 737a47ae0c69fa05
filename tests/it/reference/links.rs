//! Do the links of the pages lead somewhere, on GitHub and in the book?
//!
//! GitHub shows the files. mdBook makes `PAGE.html` of `PAGE.md`, but `index.html` of a `README.md`, and in a link it writes `.html` for
//! `.md` all the same: in the book a link to a `README.md` leads nowhere. Headings have the same names on both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use reversion::internals::cli::GLOSSARY;
use reversion::internals::finding::Code;
use reversion::internals::lens::{CONVERSIONS, OPERATIONS};
use reversion::internals::pack::Pack;
use reversion::internals::report::address;

use super::render::slug;
use super::{PAGES, files, read};
use crate::support::{packs, root};

/// Where links of a page lead, and by which names links call its parts.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

impl Page {
    fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let mut heading: Option<String> = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.to_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(part) | Event::Code(part) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&part);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    page.anchor(&slug(heading.take().unwrap_or_default().trim()));
                }
                Event::Html(html) | Event::InlineHtml(html) => {
                    for id in html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                        page.anchor(id);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Adds a name; where it is taken, the first one that is free of `name-1`, `name-2` and so on.
    fn anchor(&mut self, name: &str) {
        let numbered = (1..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !self.anchors.contains(name));
        self.anchors.extend(free);
    }
}

#[test]
fn headings_are_called_as_in_the_book() {
    let page = Page::parse(
        "# Limits\n## `reversion` & [its](packs/write.md) <a id=\"here\"></a>\n## Limits\n```sh\n# no heading\n```\n",
    );
    assert_eq!(page.links, ["packs/write.md"]);
    assert_eq!(page.anchors.into_iter().collect::<Vec<_>>(), ["here", "limits", "limits-1", "reversion--its"]);
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = files(PAGES, ".md");
    // Its links are no links in the book, but what the book is made of: `the_summary_lists_every_page`.
    pages.retain(|page| !page.ends_with("/SUMMARY.md"));
    pages.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned));
    pages.extend(files("rules", ".md"));
    let broken: Vec<String> = pages.iter().flat_map(|page| broken_links(page)).collect();
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// Returns the links and pictures of a page that lead nowhere, as `PAGE: LINK`.
fn broken_links(page: &str) -> Vec<String> {
    let links = Page::parse(&read(page)).links;
    let broken = links.iter().filter(|link| !link.starts_with("https://") && !leads_somewhere(page, link));
    broken.map(|link| format!("{page}: {link}")).collect()
}

/// Of the addresses in pages, those that start as the program's do are checked too.
#[test]
fn every_address_of_the_program_is_in_the_book() {
    let packs = packs();
    let rules = packs.iter().flat_map(Pack::rules).map(|rule| rule.id.as_str());
    let names = Code::ALL.iter().map(|code| code.name()).chain(rules);
    let printed = names.map(|name| address::of(name).unwrap_or_else(|| panic!("{name} has no address")));
    let printed = printed.chain(GLOSSARY.iter().map(|term| address::of_word(term.word)));
    let operations = OPERATIONS.iter().chain(CONVERSIONS.iter().map(|conversion| &conversion.description));
    let printed = printed.chain(operations.map(|operation| address::of_operation(operation.name)));
    let texts: Vec<String> = files(PAGES, ".md").iter().map(|page| read(page)).collect();
    let ends = |character: char| character.is_whitespace() || ")`\"".contains(character);
    let written = texts.iter().flat_map(|text| text.split(address::BOOK).skip(1));
    let written = written.map(|rest| format!("{}{}", address::BOOK, rest.split(ends).next().unwrap_or_default()));
    let mut pages: BTreeMap<String, Page> = BTreeMap::new();
    let mut dead: Vec<String> = printed.chain(written).collect();
    dead.retain(|address| {
        let below = address.strip_prefix(address::BOOK).expect("it is in the book");
        let (file, part) = below.split_once('#').unwrap_or((below, ""));
        let source = format!("{PAGES}/{}", file.replace(".html", ".md"));
        if !is_in_the_book(file, &source) || part.is_empty() {
            return !is_in_the_book(file, &source);
        }
        !pages.entry(source).or_insert_with_key(|source| Page::parse(&read(source))).anchors.contains(part)
    });
    assert_eq!(dead, [""; 0], "addresses that lead nowhere in the book");
}

fn leads_somewhere(page: &str, link: &str) -> bool {
    let target = linked(page, link);
    let is_there = root().join(&target).exists() && (!page.starts_with(PAGES) || is_in_the_book(link, &target));
    let anchor = link.split_once('#').map_or("", |(_, anchor)| anchor);
    is_there && (anchor.is_empty() || Page::parse(&read(&target)).anchors.contains(anchor))
}

/// Returns whether a link of a page leads to a file of the book, which holds the pages and nothing else of the project.
fn is_in_the_book(link: &str, target: &str) -> bool {
    let file = link.split('#').next().unwrap_or_default();
    let stem = Path::new(file).file_stem().unwrap_or_default();
    let is_page = !stem.eq_ignore_ascii_case("readme") && stem != "SUMMARY";
    is_page && target.starts_with(PAGES) && root().join(target).is_file()
}

/// Returns the path that a link of a page leads to.
pub(crate) fn linked(page: &str, link: &str) -> String {
    let file = link.split('#').next().unwrap_or_default();
    if file.is_empty() {
        return page.to_owned();
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

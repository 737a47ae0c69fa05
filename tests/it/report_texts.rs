//! Any text from a file passes through every format and is read back as it was, or with its control characters written out: it ends no
//! string, element, table or command, and starts none.

use proptest::prelude::{ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::select;
use proptest::test_runner::{RngSeed, TestCaseError};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use reversion::internals::report::document::ReportDocument;
use reversion::internals::report::{
    Painter, address, github, gitlab, json, junit, markdown, merge_reports, plain, sarif, visible, visible_lines,
};
use serde_json::Value;

use crate::formats::{Case, check_junit, document, sarif_schema};

/// What means something in one format or another.
const SIGNS: [&str; 48] = [
    "\u{0}",
    "\u{1b}[2J",
    "\r",
    "\n",
    "\r\n",
    "\t",
    "\u{7f}",
    "\u{9b}",
    "\u{202e}",
    "\u{fffe}",
    "\u{ffff}",
    "\u{2028}",
    "\"",
    "'",
    "\\",
    "]]>",
    "<![CDATA[",
    "-->",
    "<!--",
    "::",
    "::error::",
    "%0A",
    "%",
    "%25",
    ",",
    "|",
    "\\|",
    "`",
    "```",
    "<script>",
    "</code>",
    "</details>",
    "&amp;",
    "&#64;",
    "@nobody",
    "#12",
    "!3",
    ":smile:",
    "[a](b)",
    "![a](b)",
    "**",
    "__",
    "~~",
    "$a$",
    "😀",
    "é",
    "https://example.com/?a=b",
    "\n\n# ",
];

fn text() -> impl Strategy<Value = String> {
    let sign = select(&SIGNS[..]).prop_map(str::to_owned);
    let parts = prop_oneof![sign, "[a-z 0-9]{0,4}", any::<char>().prop_map(String::from)];
    prop::collection::vec(parts, 0..8).prop_map(|parts| parts.concat())
}

fn case() -> impl Strategy<Value = Case> {
    let parts = (text(), text(), text(), text(), text(), text());
    parts.prop_map(|(title, file, message, help, reason, advice)| Case {
        title: format!("t{title}"),
        file: format!("d/{file}.yaml"),
        message: format!("m{message}"),
        // Only a text to add has line breaks, which are kept.
        help: help.replace('\n', " "),
        reason,
        advice,
    })
}

/// Undoes the escapes of a workflow command.
fn unescaped(text: &str) -> String {
    let text = text.replace("%3A", ":").replace("%2C", ",").replace("%0D", "\r").replace("%0A", "\n");
    text.replace("%25", "%")
}

/// What is printed of the finding: its help is the only other line.
fn advice(case: &Case) -> String {
    let [title, message, help] = [&case.title, &case.message, &case.help].map(|text| visible(text));
    format!("{title}: {message}\nhelp: {help}")
}

fn check_github(document: &ReportDocument, case: &Case) -> Result<(), TestCaseError> {
    let commands = github::commands(document);
    let lines: Vec<&str> = commands.lines().collect();
    prop_assert_eq!(lines.len(), 2, "{}", commands);
    let (properties, message) = lines[0].strip_prefix("::error ").unwrap().split_once("::").unwrap();
    let file = properties.split(',').next().unwrap().strip_prefix("file=").unwrap();
    prop_assert_eq!(unescaped(file), visible_lines(&case.file));
    let expected = advice(case);
    prop_assert_eq!(unescaped(message), expected);
    prop_assert_eq!(unescaped(lines[1].strip_prefix("::warning title=advisory::").unwrap()), visible(&case.advice));
    Ok(())
}

/// Decodes the escapes of a URI.
fn decoded(uri: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), uri.as_bytes());
    while let [first, more @ ..] = rest {
        (bytes, rest) = if *first == b'%' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&more[..2]).unwrap(), 16).unwrap());
            (bytes, &more[2..])
        } else {
            bytes.push(*first);
            (bytes, more)
        };
    }
    String::from_utf8(bytes).unwrap()
}

fn check_json_formats(document: &ReportDocument, case: &Case) -> Result<(), TestCaseError> {
    let printed = json::report(document);
    prop_assert_eq!(&merge_reports::parse(printed.as_bytes()).unwrap(), document);
    let records: Vec<Value> = json::lines(document).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    prop_assert_eq!(records[0]["object"].as_str().unwrap(), &case.title);
    prop_assert_eq!(records[0]["findings"][0]["message"].as_str().unwrap(), &case.message);
    let advice = advice(case);
    let log: Value = serde_json::from_str(&sarif::report(document)).unwrap();
    let result = &log["runs"][0]["results"][0];
    prop_assert_eq!(result["message"]["text"].as_str().unwrap(), &advice);
    let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
    prop_assert_eq!(decoded(uri), case.file.clone());
    prop_assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)), "{}", uri);
    let issues: Vec<Value> = serde_json::from_str(&gitlab::report(document)).unwrap();
    prop_assert_eq!(issues.len(), 1);
    prop_assert_eq!(issues[0]["description"].as_str().unwrap(), &advice);
    prop_assert_eq!(issues[0]["location"]["path"].as_str().unwrap(), &case.file);
    for text in [printed, sarif::report(document), gitlab::report(document), json::lines(document)] {
        prop_assert!(!text.chars().any(|character| character != '\n' && character.is_control()));
    }
    Ok(())
}

/// Reads JUnit's texts: XML cannot hold two characters that are no control characters.
fn in_xml(text: &str) -> String {
    visible(text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}

fn check_junit_texts(document: &ReportDocument, case: &Case) -> Result<(), TestCaseError> {
    let suites = check_junit(&junit::report(document));
    prop_assert_eq!(suites.len(), 1);
    prop_assert_eq!(&suites[0].name, &in_xml(&case.file));
    prop_assert_eq!(&suites[0].cases[0].name, &in_xml(&case.title));
    prop_assert_eq!(&suites[0].cases[0].message, &in_xml(&case.message));
    prop_assert_eq!(suites[0].cases.len(), 2);
    Ok(())
}

/// Reads Markdown: its texts, with those in `<code>` in brackets. Fails on what only a text from a file could have started.
fn read_markdown(markdown: &str) -> Result<String, TestCaseError> {
    let (mut out, mut is_code) = (String::new(), false);
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::Start(Tag::Link { dest_url, .. }) => {
                prop_assert!(dest_url.starts_with(address::BOOK), "{}", dest_url)
            }
            Event::End(TagEnd::Link) => {}
            Event::InlineHtml(html) => {
                prop_assert!(["<code>", "</code>", "<br>"].contains(&&*html), "{}", html);
                is_code = match &*html {
                    "<code>" => true,
                    "</code>" => false,
                    _ => is_code,
                };
            }
            Event::Html(html) => {
                let own = ["<details><summary>Acknowledged (1)</summary>\n", "</details>\n"];
                prop_assert!(own.contains(&&*html), "{}", html);
            }
            Event::Start(
                Tag::Paragraph | Tag::Strong | Tag::List(_) | Tag::Item | Tag::Heading { .. } | Tag::HtmlBlock,
            )
            | Event::Start(Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::TableCell)
            | Event::SoftBreak => out.push('\n'),
            Event::End(TagEnd::Image | TagEnd::Emphasis | TagEnd::Strikethrough) => prop_assert!(false),
            Event::End(_) => {}
            other => prop_assert!(false, "{:?}", other),
        }
    }
    prop_assert!(!is_code);
    Ok(out.replace('\u{200b}', ""))
}

fn check_markdown(document: &ReportDocument, case: &Case) -> Result<(), TestCaseError> {
    let markdown = markdown::report(document, markdown::COMMENT);
    let read = read_markdown(&markdown)?;
    let without = |text: &str| visible(text).replace('\u{200b}', "");
    let held = format!("{}: {} (dropped-field, {}:1)help: {}", case.title, case.message, case.file, case.help);
    prop_assert!(read.contains(without(&held).trim_end()), "{:?} is not in {:?}", without(&held), read);
    prop_assert!(read.contains(without(&case.reason).trim()), "{:?} is not in {:?}", case.reason, read);
    prop_assert!(read.contains(without(&case.advice).trim()), "{:?} is not in {:?}", case.advice, read);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(2026), ..ProptestConfig::default() })]

    #[test]
    fn any_text_passes_through_every_format(case in case()) {
        let document = document(&case);
        check_json_formats(&document, &case)?;
        check_github(&document, &case)?;
        check_junit_texts(&document, &case)?;
        check_markdown(&document, &case)?;
        let text = plain::report(&document, true, &Painter::PLAIN, plain::Shown::All);
        let parts = [&case.file, &case.title, &case.message, &case.help].map(|text| visible(text));
        let [file, title, message, help] = parts;
        let expected = format!("{file}:1:1: held-back[dropped-field] {title}: {message}\n  help: {help}\n");
        prop_assert!(text.starts_with(&expected), "{}", text);
    }
}

/// A name that somebody could be called by is never behind a bare `@` outside of the element that is not searched for names.
#[test]
fn nobody_is_mentioned() {
    let case =
        Case { message: "ask @team/one, see #12 and !3".to_owned(), advice: "@all :tada:".to_owned(), ..Case::plain() };
    let markdown = markdown::report(&document(&case), markdown::COMMENT);
    let mut prose = markdown.clone();
    while let (Some(start), Some(end)) = (prose.find("<code>"), prose.find("</code>")) {
        prose.replace_range(start..end + "</code>".len(), "");
    }
    for bare in ["@", "#12", "!3", ":tada:"] {
        assert!(!prose.contains(bare), "{bare}: {prose}");
    }
    assert!(prose.contains("ask &#64;&#8203;team/one, see &#35;&#8203;12 and &#33;&#8203;3"), "{prose}");
}

#[test]
fn a_long_text_is_whole_where_programs_read_it_and_cut_where_people_do() {
    let long = "é|".repeat(50_000);
    let document = document(&Case { message: long.clone(), ..Case::plain() });
    for report in [json::report(&document), json::lines(&document), gitlab::report(&document), sarif::report(&document)]
    {
        assert!(report.contains(&long));
    }
    assert_eq!(check_junit(&junit::report(&document))[0].cases[0].message, long);
    assert!(github::commands(&document).contains(&long));
    let markdown = markdown::report(&document, markdown::COMMENT);
    assert!(markdown.len() < 20_000 && markdown.contains("… (99,000 characters more)"), "{markdown}");
    assert!(sarif_schema().is_valid(&serde_json::from_str(&sarif::report(&document)).unwrap()));
}

//! HTML reports in a real browser: filters, links, keyboard, colours, narrow screens, no JavaScript, no network.
//!
//! Chromium and ChromeDriver must be installed, so these tests run on request only:
//! `cargo test --test it html_browser:: -- --ignored`. Screenshots are left in `target/tmp`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

mod browser;

use browser::Browser;

use crate::support::{program, root};

const DESKTOP: (u32, u32) = (1280, 1600);
const PHONE: (u32, u32) = (360, 1600);
const TARGET: &str = "gateway-api@1.6/experimental";

/// A page in a folder of its own.
struct Page {
    folder: TempDir,
}

impl Page {
    /// Reports on a fixture.
    fn of_fixture(name: &str, target: &str) -> Self {
        let fixture = root().join("fixtures/repos").join(name);
        let page = Self { folder: TempDir::new().unwrap() };
        page.report(&fixture, target);
        page
    }

    /// Reports on files, each with its name and text.
    fn of_files(files: &[(String, String)], target: &str) -> Self {
        let page = Self { folder: TempDir::new().unwrap() };
        let tree = page.folder.path().join("tree");
        for (name, text) in files {
            fs::create_dir_all(tree.join(name).parent().unwrap()).unwrap();
            fs::write(tree.join(name), text).unwrap();
        }
        page.report(&tree, target);
        page
    }

    fn report(&self, tree: &Path, target: &str) {
        let mut program = program();
        let program = program.args(["check", "--format", "html", "--to", target, "--output-file"]).arg(self.path());
        let status = program.current_dir(tree).output().unwrap().status;
        assert!(status.code().is_some_and(|code| code < 2), "{status}");
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("report.html")
    }

    /// Opens the page in a new browser.
    fn open(&self) -> Browser {
        let browser = Browser::start();
        browser.look(DESKTOP, "light");
        browser.open(&self.path());
        browser
    }
}

/// Objects that change, are held back, and are at the target, in three files; and a template, which is skipped.
fn mixed() -> Page {
    let object = |version: &str, kind: &str, name: &str, spec: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/{version}\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {spec}\n"
        )
    };
    let files = [
        (
            "apps/changed.yaml",
            object("v1beta1", "HTTPRoute", "first", "{}")
                + "---\n"
                + &object("v1beta1", "Gateway", "edge", "{gatewayClassName: a, listeners: []}"),
        ),
        ("apps/held.yaml", object("v1", "HTTPRoute", "second", "{rules: [{timeouts: {request: 10s}}]}")),
        ("apps/same.yaml", object("v1", "HTTPRoute", "third", "{}")),
        (
            "chart/templates/route.yaml",
            "{{ if .Values.a }}\n".to_owned()
                + &object("v1", "HTTPRoute", "'{{ .Release.Name }}'", "{}")
                + "{{ end }}\n",
        ),
    ];
    Page::of_files(&files.map(|(name, text)| (name.to_owned(), text)), "gateway-api@1.0/standard")
}

/// Returns the titles of the entries that can be seen, each behind its file.
fn shown(browser: &Browser) -> Vec<String> {
    let titles = browser.run(
        "return [...document.querySelectorAll('.entry')].filter((entry) => entry.checkVisibility())
            .map((entry) => entry.closest('.file').dataset.file + ' ' + entry.querySelector('.title').textContent);",
    );
    titles.as_array().unwrap().iter().map(|title| title.as_str().unwrap().to_owned()).collect()
}

const FIRST: &str = "apps/changed.yaml HTTPRoute first";
const EDGE: &str = "apps/changed.yaml Gateway edge";
const SECOND: &str = "apps/held.yaml HTTPRoute second";
const THIRD: &str = "apps/same.yaml HTTPRoute third";
const TEMPLATE: &str = "chart/templates/route.yaml The file";

/// Chooses from a list with the keyboard: the first option, then down to the one with `value`.
fn choose(browser: &Browser, list: &str, value: &str) {
    let options = format!("[...document.querySelectorAll('[name={list}] option')]");
    let at = browser.run(&format!("return {options}.findIndex((option) => option.value === '{value}')"));
    let down = "\u{e015}".repeat(at.as_u64().expect("the list has the option").try_into().unwrap());
    browser.type_into(&format!("[name={list}]"), &format!("\u{e011}{down}"));
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn filters_show_what_matches() {
    let browser = &mixed().open();
    assert_eq!(shown(browser), [FIRST, EDGE, SECOND, TEMPLATE], "what has nothing to do is folded");
    for (list, value, expected) in [
        ("outcome", "changed", &[FIRST, EDGE][..]),
        ("outcome", "held-back", &[SECOND]),
        ("outcome", "unchanged", &[THIRD]),
        ("kind", "Gateway", &[EDGE]),
        ("code", "dropped-field", &[SECOND]),
        ("severity", "held-back", &[SECOND]),
        ("code", "template", &[TEMPLATE]),
    ] {
        choose(browser, list, value);
        assert_eq!(shown(browser), expected, "{list} {value}");
        let count = browser.run("return document.getElementById('shown').textContent");
        assert_eq!(count, format!("{} of 5 entries", expected.len()), "{list} {value}");
        choose(browser, list, "");
    }
    // Filters narrow each other.
    choose(browser, "outcome", "changed");
    choose(browser, "kind", "HTTPRoute");
    assert_eq!(shown(browser), [FIRST]);
    browser.click("#filters button[type=reset]");
    assert_eq!(shown(browser), [FIRST, EDGE, SECOND, TEMPLATE]);
    assert_eq!(browser.run("return document.querySelector('[name=outcome]').value"), "");
    // The counts at the top are filters too.
    browser.click("a.count[data-outcome=held-back]");
    assert_eq!(shown(browser), [SECOND]);
    assert_eq!(browser.run("return document.querySelector('a.count[aria-current]').dataset.outcome"), "held-back");
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn rules_filter_objects() {
    let page = Page::of_fixture("shop-1.0-experimental", TARGET);
    let browser = page.open();
    let rule = "gateway-api/v1.1.0/backendtlspolicy-targetref-became-targetrefs";
    let option =
        format!("[...document.querySelectorAll('[name=rule] option')].find((one) => one.text.startsWith('{rule}'))");
    let text = browser.run(&format!("return {option}.text"));
    let number = browser.run(&format!("return {option}.value"));
    choose(&browser, "rule", number.as_str().unwrap());
    let titles = shown(&browser);
    assert_eq!(text, format!("{rule} ({})", titles.len()));
    assert!(titles.len() > 1 && titles.iter().all(|title| title.contains("BackendTLSPolicy")), "{titles:?}");
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn the_text_is_searched_in_files_and_objects() {
    let browser = &mixed().open();
    browser.press("/");
    let focused = "return document.activeElement.name";
    assert_eq!(browser.run(focused), "text", "the key / goes to the search");
    for (text, expected) in [
        ("apps/CHANGED", &[FIRST, EDGE][..]),
        ("edge", &[EDGE]),
        ("timeouts", &[SECOND]),
        ("third", &[THIRD]),
        ("nowhere", &[]),
    ] {
        browser.type_into("[name=text]", text);
        assert_eq!(shown(browser), expected, "{text}");
        let none = browser.run("return document.getElementById('none').checkVisibility()");
        assert_eq!(none, expected.is_empty(), "{text}");
        // Escape.
        browser.press("\u{e00c}");
        assert_eq!(shown(browser).len(), 4, "{text}");
    }
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn links_lead_to_what_is_folded_or_filtered_out() {
    let browser = &mixed().open();
    choose(browser, "outcome", "changed");
    browser.click("ol.to-do a.path[href]");
    assert!(shown(browser).contains(&SECOND.to_owned()), "the first thing to do is about the object that is held back");
    let target = browser.run("return document.querySelector(':target .title').textContent");
    assert_eq!(target, "HTTPRoute second");
    let top = browser.run("return document.querySelector(':target').getBoundingClientRect().top");
    let bar = browser.run("return document.getElementById('filters').getBoundingClientRect().bottom");
    assert!(top.as_f64() >= bar.as_f64(), "the filters cover what the link leads to: {top} {bar}");
    browser.run(
        "const followed = new Promise((done) => addEventListener('hashchange', () => done()));
         location.hash = document.querySelector('#idle .entry').id;
         return followed",
    );
    assert!(shown(browser).contains(&THIRD.to_owned()));
    browser.click("#fold");
    assert_eq!(browser.run("return document.querySelectorAll('.diff[open]').length"), 0);
    browser.click("#unfold");
    assert_eq!(browser.run("return document.querySelectorAll('.diff:not([open])').length"), 0);
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn the_keyboard_reaches_every_control() {
    let browser = &mixed().open();
    let controls = browser.run(
        "window.left = [...document.querySelectorAll('a, input, select, button, summary, pre')].filter((one) => one.checkVisibility());
         return window.left.length",
    );
    let mut outlined = 0;
    for _ in 0..controls.as_u64().unwrap() {
        browser.press("\u{e004}");
        let outline = browser.run(
            "window.left = window.left.filter((one) => one !== document.activeElement);
             return getComputedStyle(document.activeElement).outlineStyle",
        );
        outlined += u64::from(outline == "solid");
    }
    let left = browser.run("return window.left.map((one) => one.outerHTML)");
    assert_eq!(left, json!([]), "the key Tab does not reach these");
    assert_eq!(controls, outlined, "the focus can be seen everywhere");
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn nothing_is_requested_and_nothing_fails() {
    let page = Page::of_fixture("shop-1.0-experimental", TARGET);
    let browser = page.open();
    choose(&browser, "kind", "GRPCRoute");
    browser.click("#filters button[type=reset]");
    let console = browser.log("browser");
    assert!(console.is_empty(), "{console:?}");
    let requests: Vec<String> = browser.log("performance").iter().filter_map(requested).collect();
    assert_eq!(requests, [format!("file://{}", page.path().display())]);
}

/// Returns the address that the page requested, if an entry of the performance log is about that; `data:` is no request.
fn requested(entry: &Value) -> Option<String> {
    let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
    let (method, parameters) = (&message["message"]["method"], &message["message"]["params"]);
    // The browser starts with a page of its own.
    let is_of_page = method == "Network.requestWillBeSent" && parameters["documentURL"].as_str()?.starts_with("file:");
    let url = is_of_page.then(|| parameters["request"]["url"].as_str())??;
    (!url.starts_with("data:")).then(|| url.to_owned())
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn text_has_enough_contrast_in_both_colour_schemes() {
    for (name, page) in [
        ("changed", Page::of_fixture("shop-1.0-experimental", TARGET)),
        ("held", Page::of_fixture("shop-1.0-experimental", "gateway-api@1.1/standard")),
        ("mixed", mixed()),
    ] {
        let browser = page.open();
        for colours in ["light", "dark"] {
            browser.look(DESKTOP, colours);
            let is_dark = browser.run("return matchMedia('(prefers-color-scheme: dark)').matches");
            assert_eq!(is_dark, colours == "dark");
            let faint = browser.run(include_str!("contrast.js"));
            assert_eq!(faint, json!([]), "{name} {colours}: text with a contrast below 4.5 to 1");
            browser.screenshot(&format!("html-{name}-{colours}.png"));
        }
    }
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn a_phone_shows_everything_without_scrolling_sideways() {
    let long = "a-very-long-name".repeat(4);
    let wide = format!(
        "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata:\n  name: {long}\n  annotations: {{a: {}}}\nspec: {{}}\n",
        "x".repeat(300)
    );
    let wide = Page::of_files(&[(format!("{long}/{long}/{long}.yaml"), wide)], TARGET);
    let shop = Page::of_fixture("shop-1.0-experimental", TARGET);
    for (name, page) in [("wide", wide), ("shop", shop), ("mixed", mixed())] {
        let browser = page.open();
        browser.look(PHONE, "light");
        let width = browser.run("return document.documentElement.scrollWidth");
        assert_eq!(width, PHONE.0, "{name}");
        let sides = browser.run(
            "const line = (side) => document.querySelector('.line.' + side).getBoundingClientRect();
             return [line('removed').left === line('added').left, line('added').top >= line('removed').bottom,
                     document.querySelector('.line.same.old').checkVisibility()]",
        );
        assert_eq!(sides, json!([true, true, false]), "{name}: the sides are below each other");
        browser.screenshot(&format!("html-phone-{name}.png"));
        browser.run("document.querySelector('.file').scrollIntoView()");
        browser.screenshot(&format!("html-phone-{name}-file.png"));
    }
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn a_wide_screen_shows_both_sides_line_by_line() {
    let sides = mixed().open().run(
        "const line = (side) => document.querySelector('.line.' + side).getBoundingClientRect();
         return [line('removed').right <= line('added').left, line('removed').top === line('added').top]",
    );
    assert_eq!(sides, json!([true, true]));
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn without_javascript_everything_can_be_read() {
    let page = mixed();
    let browser = Browser::start();
    browser.look(DESKTOP, "light");
    browser.devtools("Emulation.setScriptExecutionDisabled", &json!({"value": true}));
    browser.open(&page.path());
    let visible =
        |selector: &str| browser.run(&format!("return document.querySelector('{selector}').checkVisibility()"));
    assert_eq!(visible("#filters"), false, "filters that do nothing are not shown");
    assert_eq!(visible(".diff .added"), true);
    assert_eq!(shown(&browser), [FIRST, EDGE, SECOND, TEMPLATE]);
    browser.click("#idle > summary");
    assert_eq!(shown(&browser), [FIRST, EDGE, SECOND, TEMPLATE, THIRD]);
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn paper_shows_no_controls() {
    let browser = &mixed().open();
    browser.devtools("Emulation.setEmulatedMedia", &json!({"media": "print"}));
    assert_eq!(browser.run("return document.getElementById('filters').checkVisibility()"), false);
    browser.run("dispatchEvent(new Event('beforeprint'))");
    assert_eq!(shown(browser).len(), 5, "what is folded is printed");
    browser.run("dispatchEvent(new Event('afterprint'))");
    assert_eq!(shown(browser).len(), 4);
    let printed = browser.devtools("Page.printToPDF", &json!({}));
    assert!(printed["data"].as_str().is_some_and(|pdf| pdf.len() > 1000));
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn a_large_report_opens_and_can_be_filtered() {
    let object = |kind: &str, at: usize| {
        format!("apiVersion: gateway.networking.k8s.io/v1beta1\nkind: {kind}\nmetadata: {{name: r{at}}}\nspec: {{}}\n")
    };
    let file = |at: usize| {
        let text = ["HTTPRoute", "GatewayClass", "ReferenceGrant"][..2 + at % 2].iter().map(|kind| object(kind, at));
        (format!("apps/{}/{at}.yaml", at % 50), text.collect::<Vec<_>>().join("---\n"))
    };
    let files: Vec<_> = (0..2_000).map(file).collect();
    let page = Page::of_files(&files, TARGET);
    let browser = page.open();
    // Asking each of thousands of folded elements whether it can be seen would lay out all of them.
    let count = || browser.run("return document.querySelectorAll('.file:not([hidden]) > .entry:not([hidden])').length");
    assert_eq!(count(), 5_000);
    assert_eq!(browser.run("return document.querySelectorAll('.diff[open]').length"), 0, "long diffs are folded");
    choose(&browser, "kind", "ReferenceGrant");
    assert_eq!(count(), 1_000);
    let footer = browser.run("return document.querySelector('footer').textContent");
    assert!(footer.as_str().is_some_and(|text| text.contains("5,000 objects in 2,000 files, 2,000 diffs")), "{footer}");
    browser.screenshot("html-large.png");
}

//! The playground in a real browser: conversions, choices, links, keyboard, colors, narrow screens, and that nothing is sent.
//!
//! Chromium and ChromeDriver must be installed and `build.sh` must have run, so these tests run on request only:
//! `cargo test --test browser -- --ignored`. Screenshots are left in `target/tmp`.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/it/html_browser/browser.rs"]
mod browser;
mod server;

use browser::Browser;
use server::Server;

const DESKTOP: (u32, u32) = (1280, 1800);
const PHONE: (u32, u32) = (360, 2400);

/// How long a page may take to show something, on a slow machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The page, in a browser of its own.
struct Page {
    browser: Browser,
    server: Server,
}

impl Page {
    /// Opens the page, with `fragment` behind its address, and waits until it answers.
    fn open(fragment: &str) -> Self {
        let page = Self { browser: Browser::start(), server: Server::start() };
        page.browser.look(DESKTOP, "light");
        page.go(fragment);
        page
    }

    fn go(&self, fragment: &str) {
        self.browser.devtools("Page.navigate", &json!({"url": self.server.address(fragment)}));
        self.wait_for("return document.readyState === 'complete' && !document.getElementById('pack').disabled");
        self.settle();
    }

    /// Waits until `script` returns true.
    fn wait_for(&self, script: &str) -> Duration {
        let start = Instant::now();
        while self.browser.run(script) != true {
            let status = self.text("#status");
            assert!(start.elapsed() < PATIENCE, "{script}: {status}\n{:?}", self.browser.log("browser"));
            std::thread::sleep(Duration::from_millis(10));
        }
        start.elapsed()
    }

    /// Waits until what is shown is the answer to what was typed and chosen last.
    fn settle(&self) -> Duration {
        // A pause ends before the program is asked.
        std::thread::sleep(Duration::from_millis(300));
        self.wait_for("return document.getElementById('results').getAttribute('aria-busy') === 'false'")
    }

    /// Puts a text in place of the present one, as pasting does.
    fn paste(&self, text: &str) {
        let text = json!(text);
        self.browser.run(&format!(
            "const area = document.getElementById('text'); area.value = {text}; area.dispatchEvent(new Event('input'));"
        ));
        self.settle();
    }

    /// Chooses from a list as a person does with the keyboard: the value is set, and the page is told.
    fn choose(&self, list: &str, value: &str) {
        let chosen = self.browser.run(&format!(
            "const list = document.getElementById('{list}'); list.value = '{value}';
             list.dispatchEvent(new Event('change')); return list.value"
        ));
        assert_eq!(chosen, value, "{list} has no such choice");
        self.settle();
    }

    fn text(&self, selector: &str) -> String {
        let text = self.browser.run(&format!("return document.querySelector('{selector}').innerText"));
        text.as_str().unwrap().to_owned()
    }

    fn is_shown(&self, selector: &str) -> bool {
        self.browser.run(&format!("return document.querySelector('{selector}').checkVisibility()")) == true
    }
}

const POLICY: &str = include_str!("../../examples/gateway-api.yaml");
const LOSS: &str = include_str!("../../examples/loss.yaml");

#[test]
#[ignore = "needs Chromium, ChromeDriver and dist/"]
fn a_manifest_is_converted_as_it_is_pasted() {
    let page = Page::open("");
    assert_eq!(page.text("#status"), "Paste manifests, or choose an example.");
    page.paste(POLICY);
    assert!(page.text("#status").contains("Target: gateway-api@"), "{}", page.text("#status"));
    page.choose("pack", "gateway-api");
    page.choose("release", "v1.4.1");
    page.choose("channel", "standard");
    assert!(page.text("#status").starts_with("Converted. Target: gateway-api@1.4.1/standard."));
    assert!(page.text("#status").contains("2 objects recognized: 2 to change in 1 file"));
    let diff = page.text("#diff-lines");
    assert!(diff.contains("-  targetRef:\n") && diff.contains("+  targetRefs:\n"), "{diff}");
    let evidence = page.text("#objects-list");
    assert!(evidence.contains("Releases of Gateway API with its fields: experimental v1.0.0"), "{evidence}");
    assert!(evidence.contains("spec.targetRef is in experimental v1.0.0 line 8"), "{evidence}");
    assert!(page.text("#converted-text").contains("name: checkout # serves HTTPS"));
    assert_eq!(page.text("#command-text"), "reversion convert - --to gateway-api@1.4.1/standard");
    assert_eq!(page.browser.log("browser"), Vec::<Value>::new());
}

#[test]
#[ignore = "needs Chromium, ChromeDriver and dist/"]
fn losses_are_held_back_allowed_or_kept() {
    let page = Page::open("");
    page.browser.run("document.getElementById('text').value = 'typed before'");
    page.choose("example", "3");
    assert!(page.text("#status").starts_with("Held back: some objects stay as they are."), "{}", page.text("#status"));
    let findings = page.text("#findings-list");
    assert!(findings.contains("held-back") && findings.contains("spec.rules[0].timeouts would be lost"), "{findings}");
    assert!(!page.is_shown("#diff"));
    page.browser.click("#allow");
    page.settle();
    assert!(page.text("#diff-lines").contains("-    sessionPersistence:"));
    page.browser.click("#allow");
    page.browser.click("#stash");
    page.settle();
    assert!(page.text("#converted-text").contains("reversion.dev/stash"));
    assert!(page.text("#command-text").ends_with("--stash"));
}

#[test]
#[ignore = "needs Chromium, ChromeDriver and dist/"]
fn what_is_not_understood_is_said() {
    let page = Page::open("");
    page.paste("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n");
    assert!(page.text("#status").contains("Nothing recognized"), "{}", page.text("#status"));
    page.paste("apiVersion: gateway.networking.k8s.io/v1\nkind: [\n");
    assert!(page.text("#status").starts_with("Not converted."), "{}", page.text("#status"));
    assert!(page.text("#findings-list").contains("parse-error"));
    assert!(!page.is_shown("#converted"));
    page.paste("");
    assert!(!page.is_shown("#findings"));
    // Markup in a text is shown as it is.
    page.paste(
        "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {name: '<img src=x>'}\nspec: {}\n",
    );
    assert!(page.text("#diff-lines").contains("<img src=x>"));
    assert_eq!(page.browser.run("return document.images.length"), 0);
}

#[test]
#[ignore = "needs Chromium, ChromeDriver and dist/"]
fn a_link_is_made_on_request_and_opens_the_same() {
    let page = Page::open("");
    page.paste(LOSS);
    page.choose("pack", "gateway-api");
    page.choose("release", "v1.0.0");
    page.browser.click("#stash");
    page.settle();
    assert_eq!(page.browser.run("return location.hash"), "");
    let before = page.text("#converted-text");
    page.browser.click("#share");
    let fragment = page.browser.run("return location.hash");
    page.go("other");
    page.go(fragment.as_str().unwrap().trim_start_matches('#'));
    assert_eq!(page.browser.run("return document.getElementById('text').value"), LOSS);
    assert_eq!(page.text("#converted-text"), before);
    let asked = page.server.requests();
    assert!(asked.iter().all(|path| !path.contains("HTTPRoute")), "the text reached the server: {asked:?}");
    // A link with choices that do not exist is opened with others.
    page.go("text=a&pack=gateway-api&release=v99&channel=none&from=v98");
    assert_eq!(page.browser.run("return document.getElementById('release').selectedIndex"), 0);
}

/// The page, its worker, and everything that they load, come from one place.
#[test]
#[ignore = "needs Chromium, ChromeDriver and dist/"]
fn nothing_is_sent() {
    let page = Page::open("");
    page.paste(POLICY);
    let mut asked = page.server.requests();
    asked.sort();
    asked.dedup();
    let files = ["/", "/page.css", "/page.js", "/reversion_playground.wasm", "/worker.js"];
    assert_eq!(
        asked.iter().filter(|path| *path != "/favicon.ico").collect::<Vec<_>>(),
        files.iter().collect::<Vec<_>>()
    );
    let own = page.server.address("");
    for entry in page.browser.log("performance") {
        let message: Value = serde_json::from_str(entry["message"].as_str().unwrap()).unwrap();
        let Some(url) = message.pointer("/message/params/request/url").and_then(Value::as_str) else { continue };
        // The browser's own first page comes before this one.
        let is_local = ["blob:", "chrome:", "data:"].iter().any(|scheme| url.starts_with(scheme));
        assert!(is_local || url.starts_with(own.trim_end_matches('#')), "{url}");
    }
    // The policy holds in the page and in a worker such as the page's: neither reaches another place.
    let other = Server::start();
    let address = other.address("");
    let fetch = format!("fetch('{address}', {{mode: 'no-cors'}}).then(() => 'sent', () => 'refused')");
    let from_page = page.browser.run(&format!("return {fetch}"));
    let from_worker = page.browser.run(&format!(
        "const script = \"{fetch}.then((end) => self.postMessage(end));\";
         const worker = new Worker(URL.createObjectURL(new Blob([script], {{type: 'text/javascript'}})), {{type: 'module'}});
         return new Promise((done) => {{ worker.onmessage = ({{data}}) => done(data); worker.onerror = () => done('no worker'); }})"
    ));
    assert_eq!((from_page, from_worker), (json!("refused"), json!("refused")));
    assert_eq!(other.requests(), Vec::<String>::new());
}

#[test]
#[ignore = "needs Chromium, ChromeDriver and dist/"]
fn lines_of_the_text_can_be_reached_with_the_keyboard() {
    let page = Page::open("");
    page.paste(POLICY);
    page.browser.run("document.querySelector('#objects-list .evidence button').focus()");
    page.browser.press("\u{e007}");
    let selected =
        "const area = document.activeElement; return area.value.slice(area.selectionStart, area.selectionEnd)";
    assert_eq!(page.browser.run(selected), "  targetRef:");
    // Everything that can be used has a name.
    let nameless = page.browser.run(
        "return [...document.querySelectorAll('button, select, textarea, input, [tabindex]')]
            .filter((one) => !one.labels?.length && !one.ariaLabel && !one.innerText.trim()).map((one) => one.id)",
    );
    assert_eq!(nameless, json!([]));
}

#[test]
#[ignore = "needs Chromium, ChromeDriver and dist/"]
fn it_can_be_read_on_any_screen_in_both_color_schemes() {
    let page = Page::open("");
    for (example, name) in [(0, "policy"), (1, "flux"), (2, "ingress"), (3, "loss")] {
        page.choose("example", &example.to_string());
        for (size, screen) in [(DESKTOP, "desktop"), (PHONE, "phone")] {
            for colors in ["light", "dark"] {
                page.browser.look(size, colors);
                let faint = page.browser.run(include_str!("../../../tests/it/html_browser/contrast.js"));
                assert_eq!(faint, json!([]), "{name} {colors}: text with a contrast below 4.5 to 1");
                let fits = "const page = document.documentElement; return page.scrollWidth <= page.clientWidth";
                assert_eq!(page.browser.run(fits), true, "{name} {screen}: it scrolls sideways");
                page.browser.screenshot(&format!("playground-{name}-{screen}-{colors}.png"));
            }
        }
        page.browser.look(DESKTOP, "light");
    }
}

/// How long it takes, for the log: the time to the first answer is that of a browser that has nothing of the page yet.
#[test]
#[ignore = "needs Chromium, ChromeDriver and dist/"]
#[expect(clippy::print_stdout, reason = "the times are the result")]
fn the_first_answer_comes_soon() {
    let page = Page { browser: Browser::start(), server: Server::start() };
    let start = Instant::now();
    page.browser.devtools("Page.navigate", &json!({"url": page.server.address("")}));
    page.wait_for("return document.getElementById('pack')?.disabled === false");
    let ready = start.elapsed();
    page.browser.run("document.getElementById('example').value = '0';");
    let start = Instant::now();
    page.browser.run("document.getElementById('example').dispatchEvent(new Event('change'))");
    page.wait_for("return !document.getElementById('converted').hidden");
    println!("ready after {ready:?}, first conversion after {:?}", start.elapsed());
    let start = Instant::now();
    page.browser.run("document.getElementById('example').value = '2'");
    page.browser.run("document.getElementById('example').dispatchEvent(new Event('change'))");
    page.wait_for("return document.getElementById('converted-text').textContent.includes('networking.k8s.io/v1')");
    println!("second conversion after {:?}", start.elapsed());
}

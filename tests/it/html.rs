//! The format `html`: pages are valid, every link leads somewhere, nothing is loaded, and nothing of a file becomes markup.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use reversion::internals::report::address::BOOK;
use tempfile::TempDir;

use crate::support::trees::Tree;
use crate::support::{program, root};

/// One element of a page.
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    /// The text in it and in its children.
    text: String,
}

impl Element {
    fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    fn has_class(&self, class: &str) -> bool {
        self.attribute("class").split(' ').any(|one| one == class)
    }
}

/// The elements of a page, in the order of the text.
struct Page(Vec<Element>);

impl Page {
    /// Parses a page, which must be valid.
    #[track_caller]
    fn parse(text: &str) -> Self {
        let dom = parse_document(RcDom::default(), ParseOpts::default()).one(text);
        assert!(dom.errors.borrow().is_empty(), "{:?}", dom.errors.borrow());
        let mut elements = Vec::new();
        collect(&dom.document, &mut elements);
        Self(elements)
    }

    fn with_class<'p>(&'p self, class: &'p str) -> impl Iterator<Item = &'p Element> {
        self.0.iter().filter(move |element| element.has_class(class))
    }

    fn named<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p Element> {
        self.0.iter().filter(move |element| element.name == name)
    }

    #[track_caller]
    fn text_of<'p>(&'p self, class: &'p str) -> &'p str {
        &self.with_class(class).next().unwrap_or_else(|| panic!("no element has the class {class}")).text
    }
}

fn collect(node: &Handle, elements: &mut Vec<Element>) {
    if let NodeData::Element { name, attrs, .. } = &node.data {
        let attributes = attrs.borrow().iter().map(|one| (one.name.local.to_string(), one.value.to_string())).collect();
        let mut text = String::new();
        collect_text(node, &mut text);
        elements.push(Element { name: name.local.to_string(), attributes, text });
    }
    node.children.borrow().iter().for_each(|child| collect(child, elements));
}

fn collect_text(node: &Handle, text: &mut String) {
    if let NodeData::Text { contents } = &node.data {
        text.push_str(&contents.borrow());
    }
    node.children.borrow().iter().for_each(|child| collect_text(child, text));
}

/// Runs the program in `folder` and returns what it prints.
fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = program().args(arguments).current_dir(folder).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Reports on files that are written for it, each with its name and text.
fn report(files: &[(&str, &str)], arguments: &[&str]) -> (String, Page) {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let place = folder.path().join(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }
    let text = run(folder.path(), &[arguments, &["--format", "html"]].concat());
    let page = Page::parse(&text);
    (text, page)
}

const OLD: &str = "apiVersion: gateway.networking.k8s.io/v1beta1
kind: HTTPRoute
metadata: {name: shop}
spec:
  rules:
  - timeouts: {request: 10s}
";

/// Checks what holds for every page.
#[track_caller]
fn check(page: &Page) {
    let ids: Vec<&str> = page.0.iter().map(|element| element.attribute("id")).filter(|id| !id.is_empty()).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id is there twice");
    assert!(ids.iter().all(|id| !id.contains(char::is_whitespace)), "{ids:?}");
    for link in page.named("a") {
        let target = link.attribute("href");
        let is_here = target.strip_prefix('#').is_some_and(|target| unique.contains(target));
        assert!(is_here || target.starts_with(BOOK), "{target} leads nowhere");
    }
    for element in &page.0 {
        let names = ["aria-labelledby", "for", "aria-controls"];
        let mut meant = names.iter().map(|name| element.attribute(name)).filter(|id| !id.is_empty());
        assert!(meant.all(|id| unique.contains(id)), "{} names an element that is not there", element.name);
        let loads = element.attributes.iter().find(|(name, value)| {
            let is_link = element.name == "a" && *name == "href";
            *name == "src" || *name == "style" || name.starts_with("on") || (value.contains("://") && !is_link)
        });
        assert_eq!(loads, None, "{}", element.name);
        let is_link = element.name == "link";
        assert!(!is_link || element.attribute("href") == "data:,", "{}", element.attribute("href"));
    }
    for name in ["title", "h1", "main", "header"] {
        assert_eq!(page.named(name).count(), 1, "{name}");
    }
    let policy = page.named("meta").find(|meta| meta.attribute("http-equiv") == "Content-Security-Policy");
    assert!(policy.is_some_and(|policy| policy.attribute("content").starts_with("default-src 'none'; ")));
}

#[test]
fn pages_of_whole_repositories_are_valid() {
    let shop = root().join("fixtures/repos/shop-1.0-experimental");
    for (command, target) in
        [("check", "gateway-api@1.6/experimental"), ("diff", "gateway-api@1.1/standard"), ("check", "ngf@2.0")]
    {
        let text = run(&shop, &[command, "--to", target, "--format", "html"]);
        let page = Page::parse(&text);
        check(&page);
        assert_eq!(page.named("h1").next().unwrap().text, format!("reversion {command}"));
        assert_eq!(text, run(&shop, &[command, "--to", target, "--format", "html", "-j", "1"]), "not deterministic");
    }
}

#[test]
fn an_object_shows_outcome_rules_evidence_and_diff() {
    let policy = "apiVersion: gateway.networking.k8s.io/v1alpha2
kind: BackendTLSPolicy
metadata: {name: cart, namespace: shop}
spec:
  targetRef: {group: '', kind: Service, name: cart}
  tls: {hostname: cart, wellKnownCACerts: System}
";
    let (_, page) = report(&[("a/cart.yaml", policy)], &["check", "--to", "gateway-api@1.6/experimental"]);
    check(&page);
    let entry = page.with_class("entry").next().unwrap();
    assert_eq!(entry.attribute("data-outcome"), "changed");
    assert_eq!(entry.attribute("data-kind"), "BackendTLSPolicy");
    assert_eq!(page.text_of("badge"), "to change");
    assert_eq!(page.text_of("title"), "BackendTLSPolicy shop/cart");
    assert_eq!(page.text_of("becomes"), "gateway.networking.k8s.io/v1alpha2 → gateway.networking.k8s.io/v1");
    assert!(page.text_of("verdict").starts_with("1 of 1 recognized object must change, in 1 file"));
    // Only the CRD of v1.0.0 has the field `targetRef`.
    let evidence = page.text_of("evidence");
    assert!(evidence.contains("all its fields are in experimental v1.0.0"), "{evidence}");
    assert!(evidence.contains("spec.targetRef is in experimental v1.0.0"), "{evidence}");
    let rule = "gateway-api/v1.1.0/backendtlspolicy-tls-renamed-to-validation";
    let link = page.named("a").find(|link| link.text == rule).unwrap();
    let explained = page.named("dt").find(|term| term.text.starts_with(rule)).unwrap();
    assert_eq!(link.attribute("href"), format!("#{}", explained.attribute("id")));
    assert!(
        entry.attribute("data-rule").split(' ').any(|number| format!("rule-{number}") == explained.attribute("id"))
    );
    assert!(page.with_class("removed").any(|line| line.text.starts_with("apiVersion:")));
    let words: Vec<&str> = page.named("del").chain(page.named("ins")).map(|word| word.text.as_str()).collect();
    assert!(words.contains(&"v1alpha2") && words.contains(&"v1"), "{words:?}");
}

#[test]
fn what_is_held_back_is_to_be_done_by_hand() {
    let (_, page) = report(&[("b.yaml", OLD), ("a.yaml", OLD)], &["check", "--to", "gateway-api@1.0/standard"]);
    check(&page);
    let verdict = page.text_of("verdict");
    assert_eq!(verdict, "2 of 2 recognized objects are held back and need a decision; no other must change.");
    // The finding is the same for both objects: one thing to do, in two places.
    assert_eq!(page.with_class("to-do").count(), 1);
    let things = page.named("li").filter(|item| item.has_class("held-back") && item.text.contains("b.yaml"));
    assert_eq!(things.filter(|item| item.text.contains("a.yaml")).count(), 1);
    assert!(page.with_class("help").next().unwrap().text.contains("--stash"));
    assert!(page.with_class("entry").all(|entry| entry.attribute("data-code") == "dropped-field"));
    assert!(page.with_class("entry").all(|entry| entry.attribute("data-severity") == "held-back"));
    assert_eq!(page.with_class("diff").count(), 0);
    let described = format!("{BOOK}reference/findings.html#dropped-field");
    assert!(page.named("a").any(|link| link.attribute("href") == described), "{described}");
}

/// The rule that a sentence names is a link to what the book says of it.
#[test]
fn a_rule_in_a_message_is_a_link() {
    let budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: all}\nspec: {minAvailable: 1, selector: {}}\n";
    let (_, page) = report(&[("a.yaml", budget)], &["check", "--to", "kubernetes@1.25"]);
    check(&page);
    let rule = "kubernetes/v1.21.0/poddisruptionbudget-empty-selector-selects-all";
    let message = page.with_class("message").find(|message| message.text.contains(rule)).unwrap();
    assert!(message.text.ends_with(&format!("(rule {rule})")), "{}", message.text);
    let described = format!("{BOOK}reference/apis/kubernetes.html#{}", rule.strip_prefix("kubernetes/").unwrap());
    assert!(page.named("a").any(|link| link.text == rule && link.attribute("href") == described), "{described}");
}

#[test]
fn files_without_anything_to_do_are_folded() {
    let new = OLD.replace("v1beta1", "v1");
    let (_, page) = report(&[("old.yaml", OLD), ("new.yaml", &new)], &["check", "--to", "gateway-api@1.6/standard"]);
    check(&page);
    let folded = page.with_class("idle").next().unwrap();
    assert!(folded.text.contains("1 file with nothing to do") && folded.text.contains("new.yaml"), "{}", folded.text);
    assert!(!folded.text.contains("old.yaml"));
}

#[test]
fn nothing_of_a_file_becomes_markup() {
    let name = "\"></section><script>alert(1)</script>";
    let hostile =
        OLD.replace("{name: shop}", "\n  name: '</code><script>alert(2)</script>&amp;'\n  x: \"\u{202e}`<b>`\"");
    let (text, page) = report(
        &[
            (&format!("{name}.yaml").replace('/', "\u{2215}"), &hostile),
            ("broken.yaml", "kind: [gateway.networking.k8s.io <b>\n"),
        ],
        &["check", "--to", "gateway-api@1.6/standard"],
    );
    check(&page);
    assert_eq!(page.named("script").count(), 1);
    assert!(!text.contains("<script>alert") && !text.contains('\u{202e}'));
    assert!(page.with_class("path").any(|path| path.text.contains("\"></section>") || path.text.contains("<script>")));
    assert!(page.with_class("title").any(|title| title.text.contains("</code><script>alert(2)</script>&amp;")));
}

#[test]
fn the_values_of_a_secret_are_in_no_page() {
    let with_secret =
        format!("{OLD}---\nkind: Secret\napiVersion: v1\nmetadata: {{name: a}}\nstringData: {{password: hunter2}}\n");
    let (text, page) = report(&[("a.yaml", &with_secret)], &["check", "--to", "gateway-api@1.6/standard"]);
    check(&page);
    assert!(!text.contains("hunter2"));
    let in_list = "apiVersion: v1\nkind: List\nitems: [{apiVersion: gateway.networking.k8s.io/v1beta1, kind: Gateway, metadata: {name: g}}, {kind: Secret, apiVersion: v1, metadata: {name: a}, data: {k: aHVudGVyMg==}}]\n";
    let (text, page) = report(&[("a.yaml", in_list)], &["check", "--to", "gateway-api@1.6/standard"]);
    check(&page);
    assert!(!text.contains("aHVudGVyMg"));
    assert!(page.text_of("hidden-diff").contains("values of a Secret"));
}

#[test]
fn files_that_fail_and_files_left_out_are_named() {
    let broken = "apiVersion: gateway.networking.k8s.io/v1\nkind: [\n";
    let files = [("old.yaml", OLD), ("broken.yaml", broken)];
    let (_, page) = report(&files, &["check", "--to", "gateway-api@1.6/standard"]);
    check(&page);
    assert!(page.text_of("verdict").starts_with("1 file failed. "), "{}", page.text_of("verdict"));
    assert!(page.with_class("failed").next().is_some());
    let (_, page) = report(&files, &["check", "--keep-going", "--to", "gateway-api@1.6/standard"]);
    check(&page);
    let left_out = page.named("section").find(|section| section.attribute("aria-labelledby") == "left-out").unwrap();
    assert!(left_out.text.contains("broken.yaml"));
}

#[test]
fn a_page_in_a_file_is_what_apply_did() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.yaml"), OLD).unwrap();
    let arguments = [
        "apply",
        "--yes",
        "--allow-no-vcs",
        "--to",
        "gateway-api@1.6/standard",
        "--format",
        "html",
        "--output-file",
        "r.html",
    ];
    assert_eq!(run(folder.path(), &arguments), "");
    let page = Page::parse(&fs::read_to_string(folder.path().join("r.html")).unwrap());
    check(&page);
    assert_eq!(page.text_of("verdict"), "1 of 1 recognized object was changed, in 1 file; none is held back.");
    assert_eq!(page.text_of("badge"), "changed");
    assert_eq!(page.with_class("diff").count(), 1);
}

#[test]
fn a_run_without_objects_has_a_page() {
    let (_, page) = report(&[("a.yaml", "a: 1\n")], &["check", "--to", "gateway-api@1.6/standard"]);
    check(&page);
    assert_eq!(page.text_of("verdict"), "No object was recognized.");
    assert_eq!(page.with_class("filters").count(), 0);
}

/// What must be on every page of what `report` reports.
const HELD: &str = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: held}\nspec:\n  rules:\n  - timeouts: {request: 10s}\n";

#[test]
fn reports_that_were_merged_have_a_page_without_diffs() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.yaml"), OLD.replace("  - timeouts: {request: 10s}\n", "  - {}\n")).unwrap();
    fs::write(folder.path().join("b.yaml"), HELD).unwrap();
    for file in ["a", "b"] {
        let (manifest, saved) = (format!("{file}.yaml"), format!("{file}.json"));
        let arguments =
            ["check", "--to", "gateway-api@1.0/standard", &manifest, "--format", "json", "--output-file", &saved];
        run(folder.path(), &arguments);
    }
    let text = run(folder.path(), &["report", "merge", "a.json", "b.json", "--format", "html"]);
    let page = Page::parse(&text);
    check(&page);
    assert_eq!(page.named("h1").next().unwrap().text, "reversion check");
    assert_eq!(
        page.text_of("verdict"),
        "1 of 2 recognized objects must change, in 1 file; 1 is held back and needs a decision."
    );
    let outcomes: Vec<&str> = page.with_class("entry").map(|entry| entry.attribute("data-outcome")).collect();
    assert_eq!(outcomes, ["changed", "held-back"]);
    assert_eq!(page.text_of("becomes"), "gateway.networking.k8s.io/v1beta1 → gateway.networking.k8s.io/v1");
    assert_eq!(page.with_class("diff").count() + page.with_class("idle").count(), 0);
    assert!(page.named("p").any(|paragraph| paragraph.text.contains("reversion diff shows what changes")));
    assert!(page.with_class("to-do").next().unwrap().text.contains("b.yaml"));
    assert!(!text.contains("changes-needed"));
}

#[test]
fn a_saved_plan_has_the_page_of_its_run() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.yaml"), OLD).unwrap();
    let plan = ["plan", "--to", "gateway-api@1.6/standard", "a.yaml"];
    let of_run = Page::parse(&run(folder.path(), &[&plan[..], &["--format", "html", "-o", "other.plan"]].concat()));
    run(folder.path(), &[&plan[..], &["-o", "a.plan"]].concat());
    let page = Page::parse(&run(folder.path(), &["show", "a.plan", "--format", "html"]));
    check(&page);
    for class in ["verdict", "counts", "badge", "title", "becomes", "diff"] {
        assert_eq!(page.text_of(class), of_run.text_of(class), "{class}");
    }
    fs::write(folder.path().join("a.yaml"), format!("# new\n{OLD}")).unwrap();
    let page = Page::parse(&run(folder.path(), &["show", "a.plan", "--format", "html"]));
    check(&page);
    assert_eq!(page.with_class("diff").count(), 0);
    assert!(
        page.named("p")
            .any(|one| one.text == "a.yaml was changed or removed since the plan was made: it has no diff here.")
    );
}

#[test]
fn a_saved_plan_has_the_report_of_its_run() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.yaml"), OLD).unwrap();
    fs::write(folder.path().join("b.yaml"), HELD).unwrap();
    let to = ["--to", "gateway-api@1.0/standard"];
    run(folder.path(), &[&["plan", "-o", "a.plan"], &to[..]].concat());
    let shown = run(folder.path(), &["show", "a.plan", "--format", "json"]);
    let of_run = run(folder.path(), &[&["check", "--format", "json", "--glob", "*.yaml"], &to[..]].concat());
    let [shown, of_run] = [shown, of_run].map(|text| serde_json::from_str::<serde_json::Value>(&text).unwrap());
    for key in ["objects", "findings", "totals", "targets", "exitCode", "advisories"] {
        assert_eq!(shown[key], of_run[key], "{key}");
    }
}

#[test]
fn what_was_detected_has_a_page_with_the_releases_of_each_object() {
    let policy = "apiVersion: gateway.networking.k8s.io/v1alpha2\nkind: BackendTLSPolicy\nmetadata: {name: cart}\nspec:\n  \
                  targetRef: {group: '', kind: Service, name: cart}\n  tls: {hostname: cart, wellKnownCACerts: System}\n";
    let new = OLD.replace("v1beta1", "v1");
    let (_, page) = report(&[("a.yaml", policy), ("b.yaml", &new)], &["detect"]);
    check(&page);
    assert_eq!(page.named("h1").next().unwrap().text, "reversion detect");
    assert_eq!(page.text_of("verdict"), "1 of 2 recognized objects is outdated in the newest releases.");
    let titles: Vec<&str> = page.with_class("title").map(|title| title.text.as_str()).collect();
    assert_eq!(titles, ["BackendTLSPolicy cart", "HTTPRoute shop"]);
    let evidence = page.text_of("evidence");
    assert!(
        evidence.starts_with(
            "Evidence: gateway.networking.k8s.io/v1alpha2, removed in v1.1.0; it fits experimental v1.0.0;"
        ),
        "{evidence}"
    );
    assert!(evidence.contains("spec.targetRef is in experimental v1.0.0"), "{evidence}");
    let apis = page.named("section").find(|section| section.attribute("aria-labelledby") == "apis").unwrap();
    assert!(apis.text.contains("gateway-api: 2 objects, 1 outdated in v1.6.1 "), "{}", apis.text);
    assert!(apis.text.contains("  reversion diff --to gateway-api@1.6.1/"), "{}", apis.text);
    assert_eq!(page.with_class("badge").count() + page.with_class("idle").count() + page.with_class("diff").count(), 0);
    let (_, page) = report(&[("b.yaml", &new)], &["detect"]);
    check(&page);
    assert!(page.text_of("verdict").starts_with("Nothing to do: the recognized object is current"));
    let (_, page) = report(&[("b.yaml", "a: 1\n")], &["detect"]);
    check(&page);
    assert_eq!(page.text_of("verdict"), "No object was recognized.");
}

/// What is new stands first; what a baseline accepts is a number, and folded without the changes that are not made.
#[test]
fn what_a_baseline_accepts_is_folded_and_small() {
    let old = |name: &str| {
        format!(
            "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: HTTPRoute\nmetadata: {{name: {name}}}\nspec: {{hostnames: [a.example.com]}}\n"
        )
    };
    let tree = Tree::of(&[("a.yaml", &old("a")), ("b.yaml", &old("b"))]);
    let to = ["check", "--to", "gateway-api@1.4/standard"];
    tree.run(&[&to[..], &["--write-baseline", "known.json"]].concat()).check(0);
    std::fs::write(tree.path("z.yaml"), old("z")).unwrap();
    let page = tree.run(&[&to[..], &["--baseline", "known.json", "--format", "html"]].concat());
    page.check(1);
    let (new, folded) = (
        page.out.find("data-file=\"z.yaml\"").unwrap(),
        page.out.find("<details class=\"idle\" id=\"accepted\">").unwrap(),
    );
    assert!(new < folded && page.out[folded..].contains("data-file=\"a.yaml\""), "{}", page.out);
    assert!(page.out.contains("<summary>2 findings acknowledged in 2 files</summary>"), "{}", page.out);
    assert_eq!(page.out.matches("<details class=\"diff\"").count(), 1, "{}", page.out);
}

//! What the program says of conversions in the pack `fixtures/packs/structure`, whose fixtures show the texts.

use crate::support::trees::Tree;

const PACK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/packs/structure");

/// Returns what `check` says of one file, in a format.
fn said(file: &str, format: &str) -> String {
    let arguments =
        ["check", "--to", "structure@2.0.0", "--from", "structure@1.0.0", "-v", "--pack", PACK, "--format", format];
    Tree::of(&[("a.yaml", file)]).run(&arguments).out
}

fn upstream(spec: &str) -> String {
    format!("apiVersion: structure.example.com/v1\nkind: Upstream\nmetadata: {{name: a}}\nspec:\n{spec}")
}

#[test]
fn a_field_that_does_not_come_back_to_its_place_is_reported() {
    let reported = "spec.hostname is written in an equivalent form: converting back puts it in another place";
    let far = said(&upstream("  hostname: a\n  port: 1\n  tls: {authorities: [a]}\n"), "text");
    assert!(far.contains(reported), "{far}");
    let near = said(&upstream("  port: 1\n  hostname: a\n  tls: {authorities: [a]}\n"), "text");
    assert!(near.contains("a.yaml:1:1") && !near.contains("normalized"), "{near}");
}

/// Checks why the program refuses a pack that ends with `more`.
#[track_caller]
fn check_pack(more: &str, why: &str) {
    let head =
        "name: t\ntitle: T\nsource: s\ngroups: [t.example.com]\nreleases: [{ bundle: v1, channels: [single] }]\n";
    let run = Tree::of(&[("t/pack.yaml", &format!("{head}{more}"))]).run(&["pack", "lint", "t"]);
    assert!(run.all().contains(why), "{}", run.all());
}

#[test]
fn a_pack_that_cannot_mean_anything_is_refused() {
    check_pack("schema-comments: [\"{kind}.json\"]\n", "schema-comments: `{kind}.json` must have {kind} and {version}");
    check_pack("schema-comments: [\"{kind}_{version}_{name}.json\"]\n", "`{kind}_{version}_{name}.json` must have");
    let reference = |keys: &str| format!("references:\n- {{ kinds: [A.t.example.com], at: spec.to, {keys} }}\n");
    check_pack(&reference("group: g"), "references: spec.to must have the key of the kind or that of the resource");
    check_pack(
        &reference("kind: k"),
        "spec.to must have the key of the group or of the apiVersion, or a default-group",
    );
    check_pack(
        &reference("kind: k, group: g, api-version: v"),
        "the key of the group or that of the apiVersion, not both",
    );
    check_pack(
        &reference("resource: r, group: g, default-kind: K"),
        "spec.to has a default-kind, but not the key of the kind",
    );
    let advisory = "advisories:\n- { id: a, bundle: v1, direction: forward, message: m, add: \"x\" }\n";
    check_pack(advisory, "advisory a: `add` has no `help`");
    let of_the_run = advisory.replace("message: m", "about: cluster, message: m, help: h");
    check_pack(&of_the_run, "advisory a: `add` is shown for an object: remove `about`, or `add`");
}

fn chart(field: &str) -> String {
    format!("apiVersion: structure.example.com/v1beta1\nkind: Chart\nmetadata:\n  name: a\nspec:\n  {field}\n")
}

#[test]
fn a_url_of_a_schema_in_an_unknown_form_is_told() {
    let url = "https://schemas.example.com/chart/v1beta1";
    let told = said(&format!("# $schema: {url}\n{}", chart("repo: b")), "text");
    assert!(
        told.contains(&format!("the comment names a schema of structure.example.com/v1beta1 Chart, and stays: {url}")),
        "{told}"
    );
    let other = said(&format!("# $schema: https://schemas.example.com/all.json\n{}", chart("repo: b")), "text");
    assert!(other.contains("a.yaml:2:1") && !other.contains("the comment names"), "{other}");
}

#[test]
fn a_refusal_has_the_text_to_add() {
    let file = chart("registry: r.example.com");
    let text = said(&file, "text");
    let lines = "  help: move it to a Registry:
    apiVersion: structure.example.com/v1
    kind: Registry
    metadata:
      name: a
    spec:
      url: oci://r.example.com
";
    assert!(text.contains(lines), "{text}");
    let json = said(&file, "json");
    let help = r#""help": "move it to a Registry:\napiVersion: structure.example.com/v1\nkind: Registry\n"#;
    assert!(json.contains(help), "{json}");
    let markdown = said(&file, "markdown");
    assert!(markdown.contains("<pre>apiVersion: structure.example.com/v1&#10;kind: Registry&#10;"), "{markdown}");
    let junit = said(&file, "junit");
    assert!(junit.contains("help: move it to a Registry:\n    apiVersion: structure.example.com/v1\n"), "{junit}");
    let html = said(&file, "html");
    assert!(
        html.contains("<pre tabindex=\"0\">apiVersion: structure.example.com/v1\nkind: Registry\n"),
        "no block in the page"
    );
}

#[test]
fn an_advisory_and_a_hint_have_the_text_to_add() {
    let advised = said(&chart("repo: \"on\""), "text");
    let lines = "    help: add a Grant beside it:
      kind: Grant
      metadata: { name: \"a-read\" }
      spec:
        repository: \"on\"
";
    assert!(advised.contains(lines), "{advised}");
    let policy = "apiVersion: structure.example.com/v1\nkind: Policy\nmetadata:\n  name: a\nspec:\n  level: baseline\n";
    let hinted = said(policy, "text");
    assert!(hinted.contains(" metadata: {labels: {structure.example.com/level: baseline}}\n"), "{hinted}");
}

#[test]
fn a_reference_without_a_key_for_the_new_group_is_told() {
    let meter = |kind: &str| {
        format!(
            "apiVersion: structure.example.com/v1\nkind: Gate\nmetadata: {{name: a}}\nspec: {{width: 1}}\n---\n\
             apiVersion: measures.example.org/v1\nkind: Meter\nmetadata: {{name: m}}\nspec:\n  gates:\n  - \
             {{gateKind: {kind}, gateName: a}}\n"
        )
    };
    let told = said(&meter("Gate"), "text");
    let reported = "a.yaml:11:3: unresolved[reference-not-updated] Meter m: spec.gates[0] names Gate a, renamed to \
                    Entry.doors.example.com; it is not updated, since the pack declares no key for the group there";
    assert!(told.contains(reported), "{told}");
    let other = said(&meter("Upstream"), "text");
    assert!(other.contains("Gate a") && !other.contains("reference-not-updated"), "{other}");
}

/// Says what a pack without rules reports about an object with `spec`: in v1 `spec.size` is a text and `spec.old` is there, in v2 the
/// size is a number, `spec.new` is there and the mode can be `fast`.
fn contradicted(spec: &str) -> String {
    let head =
        "name: p\ntitle: P\nsource: s\ngroups: [p.example.com]\nreleases: [{ bundle: v1.0.0 }, { bundle: v2.0.0 }]\n";
    let catalog = "kind\tBox.p.example.com\nscope\tNamespaced\tv1.0.0..v2.0.0\nserved\tv1\tv1.0.0..v2.0.0\n\
                   path\ttype\trequired\tattributes\tapiVersions\treleases\nspec\tobject\t\t\t\tv1.0.0..v2.0.0\n\
                   spec.mode\tstring\t\t{\"enum\":[\"slow\"]}\t\tv1.0.0\nspec.mode\tstring\t\t{\"enum\":[\"fast\",\"slow\"]}\t\tv2.0.0\n\
                   spec.new\tstring\t\t\t\tv2.0.0\nspec.old\tstring\t\t\t\tv1.0.0\n\
                   spec.size\tstring\t\t\t\tv1.0.0\nspec.size\tinteger\t\t\t\tv2.0.0\n";
    let file = format!("apiVersion: p.example.com/v1\nkind: Box\nmetadata: {{name: a}}\nspec: {spec}\n");
    let files = [("p/pack.yaml", head), ("p/catalog/Box.p.example.com.tsv", catalog), ("a.yaml", file.as_str())];
    Tree::of(&files).run(&["check", "--pack", "p", "--to", "p@2.0.0", "-v", "a.yaml"]).all()
}

#[test]
fn a_type_of_another_release_is_told_from_a_field_of_it() {
    let size = contradicted("{size: '1', new: a}");
    assert!(
        size.contains("the type of spec.size is that of v1.0.0 alone, but spec.new exists only in v2.0.0"),
        "{size}"
    );
    assert!(size.contains("\n  help: write spec.size as in v2.0.0, or change spec.new\n"), "{size}");
    assert!(
        size.contains("spec.new exists only in v2.0.0, but the type of spec.size is that of v1.0.0 alone"),
        "{size}"
    );
    let mode = contradicted("{mode: fast, old: a}");
    assert!(
        mode.contains("the value of spec.mode is allowed only in v2.0.0, but spec.old exists only in v1.0.0"),
        "{mode}"
    );
}

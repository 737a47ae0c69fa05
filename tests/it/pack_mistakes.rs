//! The mistakes that a pack's author can make: each is an error, or a message of `pack lint`, with its place and what to write.

use std::fs;
use std::path::Path;

use reversion::internals::pack::lint::lint;
use reversion::internals::pack::load;

use crate::support::trees::Tree;

const HEAD: &str = "\
name: p
title: T
source: s
groups: [g.example.com]
releases:
- { bundle: v1, channels: [standard] }
- { bundle: v2, channels: [standard] }
- { bundle: v3, channels: [standard] }
";

const CATALOG: &str = "\
kind\tShop.g.example.com
scope\tNamespaced\tstandard v1..v3
served\tv1\tstandard v1..v3
path\ttype\trequired\tattributes\tapiVersions\treleases
spec\tobject\t\t\t\tstandard v1..v3
spec.both\tarray\t\t\t\tstandard v1..v3
spec.both[]\tstring\t\t\t\tstandard v1..v3
spec.count\tinteger\t\t\t\tstandard v1..v3
spec.mode\tstring\t\t{\"enum\":[\"a\",\"b\"]}\t\tstandard v1..v3
spec.new\tstring\t\t\t\tstandard v2..v3
spec.old\tstring\t\t\t\tstandard v1
";

/// The rule of every pack here, at line 6 of its file.
const RENAME: &str = "- rename: { field: spec.old, to: new }\n";

/// Returns a rule's file; its lens begins at line 6, or 7 where `more` has a line.
fn rule(more: &str, lens: &str) -> String {
    format!("summary: s\nkind: Shop.g.example.com\n{more}channels: [standard]\nsource: s\nlens:\n{lens}")
}

/// Writes a pack that is right but for `files`.
fn write(folder: &Path, files: &[(&str, &str)]) {
    let base = [("pack.yaml", HEAD), ("catalog/Shop.g.example.com.tsv", CATALOG), ("v2/r.yaml", &rule("", RENAME))];
    for (path, text) in base.iter().chain(files) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Checks that a pack with `files` is refused, and why.
#[track_caller]
fn refused(files: &[(&str, &str)], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("p");
    write(&pack, files);
    let error = format!("{:#}", load::read_folder(&pack).unwrap_err());
    assert_eq!(error.strip_prefix("the pack p makes no sense:\n").unwrap_or(&error), expected);
}

/// Checks that a pack whose rule has one more operation, at line 7, is refused, and why.
#[track_caller]
fn refused_operation(operation: &str, expected: &str) {
    refused(&[("v2/r.yaml", &rule("", &format!("{RENAME}- {operation}\n")))], expected);
}

/// Checks that a pack with more lines in `pack.yaml`, from line 9 on, is refused, and why.
#[track_caller]
fn refused_head(lines: &str, expected: &str) {
    refused(&[("pack.yaml", &format!("{HEAD}{lines}"))], expected);
}

/// Checks the messages about a pack that is accepted.
#[track_caller]
fn linted(files: &[(&str, &str)], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("p");
    write(&folder, files);
    let pack = load::read_folder(&folder).unwrap();
    let messages = lint(&pack, None).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(messages.join("\n"), expected);
}

#[test]
fn a_pack_without_mistakes_is_accepted() {
    linted(&[], "");
}

#[test]
fn fields_that_no_release_has() {
    let missing = "p/v2/r.yaml:6:13: no release has Shop.g.example.com spec.odl\n  help: did you mean spec.old?";
    refused(&[("v2/r.yaml", &rule("", "- rename: { field: spec.odl, to: new }\n"))], missing);
    let tested = "- when: { if: { present: spec.odl }, then: [{ rename: { field: spec.old, to: new } }] }\n";
    let place = "p/v2/r.yaml:6:17: no release has Shop.g.example.com spec.odl\n  help: did you mean spec.old?";
    refused(&[("v2/r.yaml", &rule("", tested))], place);
    refused_operation(
        "wrap: { field: spec.both.x }",
        "p/v2/r.yaml:7:11: no release has Shop.g.example.com spec.both.x\n  help: spec.both is a list, and its items are spec.both[]",
    );
    refused_operation(
        "refuse: { direction: forward, if: { present: spec.mdoe }, at: spec.mode, reason: r, help: h }",
        "p/v2/r.yaml:7:39: no release has Shop.g.example.com spec.mdoe\n  help: did you mean spec.mode?",
    );
    refused_operation(
        "default: { field: spec.mode, like: spec.zzzzz, forward: write }",
        "p/v2/r.yaml:7:32: no release has Shop.g.example.com spec.zzzzz\n  help: the fields of spec are both, count, mode, new, old",
    );
}

/// Nothing says what such an object must be.
#[test]
fn a_group_of_which_the_pack_knows_no_kind() {
    let missing = |kind: &str| format!("the pack has no catalog of {kind}: make it with `reversion pack build`");
    // The entry is named.
    refused_operation("retype: { group: sheds.org }", &format!("p/v2/r.yaml:7:13: {}", missing("Shop.sheds.org")));
    refused_operation("retype: { to: Store.sheds.org }", &format!("p/v2/r.yaml:7:13: {}", missing("Store.sheds.org")));
}

#[test]
fn values_and_types_that_never_occur() {
    refused_operation(
        "values: { field: spec.mode, table: { x: a } }",
        "p/v2/r.yaml:7:13: no release before v2 allows \"x\" in Shop.g.example.com spec.mode\n  help: its values are \"a\", \"b\"",
    );
    refused_operation(
        "default: { field: spec.count, value: many, forward: write }",
        "p/v2/r.yaml:7:14: no release allows \"many\" in Shop.g.example.com spec.count\n  help: its type is integer",
    );
    refused_operation(
        "wrap: { field: \"spec.both[]\" }",
        "p/v2/r.yaml:7:11: Shop.g.example.com spec.both[] is never a list from v2 on\n  help: `wrap` makes a list of a value: \
         name the field that becomes a list, not the items of one",
    );
    refused_operation(
        "wrap: { field: spec.both }",
        "p/v2/r.yaml:7:11: Shop.g.example.com spec.both is always a list before v2\n  help: `wrap` is for a value that becomes \
         a list: remove the operation",
    );
}

#[test]
fn operations_on_fields_of_other_types() {
    let never = |at: &str, field: &str, what: &str, kind: &str| {
        format!("p/v2/r.yaml:7:{at}: Shop.g.example.com {field} is never {what}\n  help: its type is {kind}")
    };
    let missing = |at: &str, field: &str, help: &str| {
        format!("p/v2/r.yaml:7:{at}: no release has Shop.g.example.com {field}\n  help: {help}")
    };
    let number = never("13", "spec.count", "a text before v2", "integer");
    refused_operation("number: { field: spec.count }", &number);
    let number = never("13", "spec.mode", "a number from v2 on", "string").replace("its type is string", MODES);
    refused_operation("number: { field: spec.mode }", &number);
    refused_operation("number: { field: spec.coumt }", &missing("13", "spec.coumt", "did you mean spec.count?"));
    let embed = never("12", "spec.both", "a text before v2", "array");
    refused_operation("embed: { field: spec.both, format: yaml, text: old }", &embed);
    let embed =
        never("12", "spec.mode", "a mapping or a list from v2 on", "string").replace("its type is string", MODES);
    refused_operation("embed: { field: spec.mode, format: yaml, text: old }", &embed);
    refused_operation(
        "embed: { field: spec.cuont, format: yaml, text: old }",
        &missing("12", "spec.cuont", "did you mean spec.count?"),
    );
    refused_operation(
        "join: { field: spec.mode, to: bohh, position: first }",
        &missing("29", "spec.bohh", "did you mean spec.both?"),
    );
}

const MODES: &str = "its values are \"a\", \"b\"";

#[test]
fn defaults_that_changed_elsewhere() {
    let head =
        format!("{HEAD}parameters:\n- {{ name: d, description: t, default: freeze, choices: [freeze, adopt] }}\n");
    let check = |operation: &str, expected: &str| {
        let lens = format!("{RENAME}- changed-default: {{ {operation}, parameter: p.d }}\n");
        refused(&[("pack.yaml", &head), ("v2/r.yaml", &rule("", &lens))], expected);
    };
    check(
        "field: spec.coumt, old: 2, new: 10",
        "p/v2/r.yaml:7:22: no release has Shop.g.example.com spec.coumt\n  help: did you mean spec.count?",
    );
    check(
        "field: spec.count, old: two, new: 10",
        "p/v2/r.yaml:7:22: no release before v2 allows \"two\" in Shop.g.example.com spec.count\n  help: its type is integer",
    );
    check(
        "field: spec.count, old: 2, new: 10, before: mdoe",
        "p/v2/r.yaml:7:58: no release has Shop.g.example.com spec.mdoe\n  help: did you mean spec.mode?",
    );
}

#[test]
fn what_is_below_a_field_that_holds_anything_exists() {
    let more = "spec.free\tobject\t\t{\"preserveUnknown\":true}\t\tstandard v1..v3\n";
    let catalog = CATALOG.replace("spec.mode\t", &format!("{more}spec.mode\t"));
    let lens = format!(
        "{RENAME}- rename: {{ field: spec.free.a, to: b }}\n- embed: {{ field: spec.free.c, format: yaml, text: old }}\n"
    );
    linted(&[("catalog/Shop.g.example.com.tsv", &catalog), ("v2/r.yaml", &rule("", &lens))], "");
}

#[test]
fn operations_that_do_nothing() {
    refused_operation(
        "rename: { field: spec.mode, to: mode }",
        "p/v2/r.yaml:7:3: lens[1]: spec.mode is called `mode` already: write the name that it gets",
    );
    refused_operation(
        "rename: { field: spec.mode, to: spec.kind }",
        "p/v2/r.yaml:7:3: lens[1]: `to` is the new last key alone: write `to: kind`, or use `move` for another path",
    );
    refused_operation(
        "values: { field: spec.mode, table: {} }",
        "p/v2/r.yaml:7:3: lens[1]: the table is empty: write the old and the new values, such as `{ Prefix: PathPrefix }`",
    );
    refused_operation(
        "retype: { to: Shop.g.example.com }",
        "p/v2/r.yaml:5:1: `retype` gives objects of Shop.g.example.com the kind that they have\n  help: write another kind or \
         group, or remove the operation",
    );
    refused_operation(
        "when: { if: { text: { field: spec.mode } }, then: [{ wrap: { field: spec.count } }] }",
        "p/v2/r.yaml:7:9: lens[1].when: `text` has no test: write `starts`, `contains`, `ends`, `matches` or `is`",
    );
    refused_operation(
        "when: { if: { present: spec.mode, absent: spec.count }, then: [{ wrap: { field: spec.count } }] }",
        "p/v2/r.yaml:7:9: lens[1].when: `present` and `absent` are in one test: write `all: [{ present: ... }, { absent: ... }]` \
         if all of them must hold, or `any: [{ present: ... }, { absent: ... }]` if one is enough",
    );
}

#[test]
fn names_that_are_nearly_right() {
    refused_operation("renam: { field: a, to: b }", &{
        let names: Vec<_> = reversion::internals::lens::OPERATIONS.iter().map(|operation| operation.name).collect();
        let names = names.join(", ");
        format!(
            "p/v2/r.yaml:7:3: lens[1]: there is no operation `renam`; the operations are {names}; did you mean `rename`?"
        )
    });
    refused_operation(
        "rename: { feld: spec.mode, to: kind }",
        "p/v2/r.yaml:7:13: lens[1].rename: unknown field `feld`, expected `field` or `to`; did you mean `field`?",
    );
    let kind = |kind: &str| rule("", RENAME).replace("Shop.g.example.com", kind);
    refused(
        &[("v2/r.yaml", &kind("Shpo.g.example.com"))],
        "p/v2/r.yaml:2:1: the pack has no catalog of Shpo.g.example.com: did you mean Shop.g.example.com?",
    );
    refused(
        &[("v2/r.yaml", &kind("Shop.g.exmple.com"))],
        "p/v2/r.yaml:2:1: the pack has no catalog of Shop.g.exmple.com\n  help: did you mean Shop.g.example.com?",
    );
    refused_head(
        "charts:\n- { name: alpha, key: k, values-in: [{ kind: Shop.g.example.com, field: spec.mod }] }\n",
        "p/pack.yaml:10:66: no release has Shop.g.example.com spec.mod\n  help: did you mean spec.mode?",
    );
}

#[test]
fn entries_of_the_head_that_name_nothing_or_the_same() {
    refused_head(
        "shared-groups: [other.example.com]\n",
        "p/pack.yaml:9:17: `groups` does not list \"other.example.com\", so nothing is known of its kinds\n  help: correct it, or add it to `groups`",
    );
    let advisory = |rest: &str| format!("advisories:\n- {{ id: a, {rest}, message: m }}\n");
    refused_head(
        &advisory("bundle: v1, direction: forward"),
        "p/pack.yaml:10:12: advisory a names v1, the first bundle, which no conversion crosses\n  help: write the bundle that \
         made the change",
    );
    refused_head(
        &advisory("bundle: v2, direction: forward, channels: [experimental]"),
        "p/pack.yaml:10:44: advisory a: `experimental` is not a channel of this pack: write standard",
    );
    refused_head(
        &advisory("bundle: v4, direction: forward"),
        "p/pack.yaml:10:12: advisory a: `v4` is not a bundle of this pack: closest matches: v3, v2, v1",
    );
    refused_head(
        &advisory("bundle: v2, direction: forward, values: shop"),
        "p/pack.yaml:10:44: advisory a: values of a chart are no object of a kind: write `about: release`, and no `kinds`",
    );
    refused_head(
        &advisory("about: release, bundle: v2, direction: forward, values: shop"),
        "p/pack.yaml:10:60: advisory a: the pack has no chart shop: add it to `charts`",
    );
    refused_head(
        "charts:\n- { name: a, key: k }\n- { name: b, key: k }\n",
        "p/pack.yaml:11:14: the key k is used twice\n  help: write another `key`",
    );
    refused_head(
        "hints:\n- { kind: Shpo.g.example.com, help: h }\n",
        "p/pack.yaml:10:5: the pack has no catalog of Shpo.g.example.com: did you mean Shop.g.example.com?",
    );
}

#[test]
fn files_in_the_wrong_place() {
    refused(
        &[("v4/r.yaml", &rule("", RENAME))],
        "p/v4/r.yaml: its folder `v4` is not a bundle of this pack: closest matches: v3, v2, v1",
    );
    refused(
        &[("r.yaml", &rule("", RENAME))],
        "p/r.yaml: a rule is a file BUNDLE/RULE.yaml: move it to the folder of the bundle that made the change",
    );
    refused(&[("v2/q.yml", "")], "p/v2/q.yml: the files of a pack end in .yaml: rename it");
    refused(
        &[("Shop.g.example.com.tsv", CATALOG)],
        "p/Shop.g.example.com.tsv: a catalog is a file catalog/KIND.GROUP.tsv: move it to the folder catalog",
    );
    refused(
        &[("catalog/Shop.g.example.com.tsv", &CATALOG.replace("standard v1\n", "standard v0\n"))],
        "p/catalog/Shop.g.example.com.tsv:11:1: `v0` is not a bundle of this pack",
    );
    refused(
        &[("catalog/Shop.g.example.com.tsv", &CATALOG.replace("kind\tShop", "kind\tShpo"))],
        "p/catalog/Shop.g.example.com.tsv:1:1: the catalog describes Shpo.g.example.com, and its file is called \
         Shop.g.example.com.tsv\n  help: write `kind` and Shop.g.example.com, or rename the file",
    );
}

#[test]
fn api_versions_of_another_kind() {
    let versions = |old: &str| rule(&format!("apiVersions: [{old}, g.example.com/v1]\n"), RENAME);
    refused(
        &[("v2/r.yaml", &versions("g.example.com/v1beta1"))],
        "p/v2/r.yaml:3:1: apiVersions: no release has Shop.g.example.com under g.example.com/v1beta1: its versions are v1",
    );
    refused(
        &[("v2/r.yaml", &versions("h.example.com/v1beta1"))],
        "p/v2/r.yaml:3:1: apiVersions: h.example.com/v1beta1 is not of the group of Shop.g.example.com: write \
         g.example.com/v1beta1, or another kind",
    );
}

#[test]
fn one_value_where_there_must_be_two() {
    for versions in ["[g.example.com/v1]", "g.example.com/v1", "[g.example.com/v1, g.example.com/v1, g.example.com/v1]"]
    {
        refused(
            &[("v2/r.yaml", &rule(&format!("apiVersions: {versions}\n"), RENAME))],
            "p/v2/r.yaml:3:14: apiVersions: there must be two in a list: write `apiVersions: [ONE, OTHER]`",
        );
    }
    refused_operation(
        "when: { if: { same: [spec.mode] }, then: [{ wrap: { field: spec.count } }] }",
        "p/v2/r.yaml:7:23: lens[1].when.if.same: there must be two in a list: write `same: [ONE, OTHER]`",
    );
}

#[test]
fn a_channel_in_a_pack_without_channels() {
    let head = HEAD.replace(", channels: [standard]", "");
    let catalog = CATALOG.replace("standard ", "");
    refused(
        &[("pack.yaml", &head), ("catalog/Shop.g.example.com.tsv", &catalog)],
        "p/v2/r.yaml:3:1: channels: `standard` is not a channel of this pack, which has none: remove it",
    );
}

#[test]
fn one_kind_that_becomes_several() {
    let catalog = |kind: &str| CATALOG.replace("kind\tShop", &format!("kind\t{kind}"));
    let only = |mode: &str, kind: &str| {
        let test = format!("{{ equals: {{ field: spec.mode, value: {mode} }} }}");
        format!("- when: {{ if: {test}, then: [{{ retype: {{ to: {kind}.g.example.com }} }}] }}\n")
    };
    let (shed, store) = (catalog("Shed"), catalog("Store"));
    let catalogs =
        [("catalog/Shed.g.example.com.tsv", shed.as_str()), ("catalog/Store.g.example.com.tsv", store.as_str())];
    let both = rule("", &format!("{}{}", only("a", "Shed"), only("b", "Store")));
    let place = "p/v2/r.yaml:7:78";
    refused(
        &[catalogs[0], catalogs[1], ("v2/r.yaml", &both)],
        &format!(
            "{place}: the rule makes of a Shop.g.example.com a Shed.g.example.com or a Store.g.example.com: write one rule for \
             each new kind"
        ),
    );
    let never = |files: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("p");
        write(&folder, files);
        let messages = lint(&load::read_folder(&folder).unwrap(), None);
        let messages = messages.iter().map(ToString::to_string);
        messages.filter(|message| message.contains("never runs")).collect::<Vec<_>>()
    };
    let (first, second) = (rule("", &only("a", "Shed")), rule("", &only("b", "Store")));
    let rules = [catalogs[0], catalogs[1], ("v2/to-shed.yaml", first.as_str()), ("v2/to-store.yaml", second.as_str())];
    assert_eq!(never(&rules), Vec::<String>::new());
    let always = rule("", "- retype: { to: Shed.g.example.com }\n");
    let rules = [catalogs[0], catalogs[1], ("v2/to-shed.yaml", always.as_str()), rules[3]];
    let reported = "p/v2/to-store.yaml:2:1: the rule never runs: an earlier rule of the bundle changes the kind of its objects\n  \
                    help: write the kind that the objects have by then";
    assert_eq!(never(&rules), [reported]);
}

#[test]
fn a_removal_names_the_rule_that_nearly_covers_it() {
    let partly = "- when: { if: { equals: { field: spec.mode, value: a } }, then: [{ drop: { field: spec.old, reason: r } }] }\n";
    linted(
        &[("v2/r.yaml", &rule("", partly))],
        "p/pack.yaml:7:1: 2/standard removes Shop.g.example.com spec.old\n  help: v2/r.yaml:6 converts it only where { equals: { \
         field: spec.mode, value: a } } holds: add what becomes of the other objects, such as a `when` with `not`, or a `refuse`",
    );
    let store = CATALOG.replace("kind\tShop", "kind\tStore");
    linted(
        &[("catalog/Store.g.example.com.tsv", &store)],
        "p/pack.yaml:7:1: 2/standard removes Store.g.example.com spec.old\n  help: v2/r.yaml:6 converts this field of \
         Shop.g.example.com: add Store.g.example.com to its `kind`, or list the field under `dropped`",
    );
}

#[test]
fn a_field_on_both_sides_names_the_ways_out() {
    let lens = format!("{RENAME}- drop: {{ field: spec.mode, reason: r }}\n");
    linted(
        &[("v2/r.yaml", &rule("", &lens))],
        "p/v2/r.yaml:7:11: spec.mode exists after the change too, so old and new objects cannot be distinguished\n  help: write \
         `needs: from`, so that the rule runs where the release of the objects is known; or `apiVersions: [OLD, NEW]`, if the \
         apiVersion shows the side; or a `when` that tests a field which only one side has, such as spec.new; or list the change \
         of v2 under `undetectable` instead",
    );
}

#[test]
fn a_changed_default_must_say_how_the_side_is_known() {
    let head = format!(
        "{HEAD}parameters:\n- {{ name: defaults, description: d, choices: [freeze, adopt], default: freeze }}\n"
    );
    let lens = format!("{RENAME}- changed-default: {{ field: spec.count, old: 1, new: 2, parameter: p.defaults }}\n");
    linted(
        &[("pack.yaml", &head), ("v2/r.yaml", &rule("", &lens))],
        "p/v2/r.yaml:5:1: nothing shows whether an object without the field has the old or the new default\n  help: write \
         `apiVersions: [OLD, NEW]` if they differ in it, or else `needs: from`",
    );
}

#[test]
fn releases_with_the_apis_of_a_bundle_are_newer_than_it_and_older_than_the_next() {
    let v2 = "{ bundle: v2, channels: [standard] }";
    let head = |same: &str| HEAD.replace(v2, &format!("{{ bundle: v2, channels: [standard], same-apis: [{same}] }}"));
    linted(&[("pack.yaml", &head("v2.0.9, v2.0.10, v2.1"))], "");
    linted(
        &[("pack.yaml", &head("v2.0.10, v2.0.9"))],
        "p/pack.yaml:7:60: v2.0.9 has the APIs of v2, but is listed after v2.0.10\n  help: list the oldest first, and the oldest of all as the bundle",
    );
    linted(
        &[("pack.yaml", &head("v1.9, v3.1"))],
        "p/pack.yaml:7:51: v1.9 has the APIs of v2, but is listed after v2\n  help: list the oldest first, and the oldest of all as the bundle\n\
         p/pack.yaml:7:57: v3.1 has the APIs of v2, but v3 is between them\n  help: list it with the bundle before it, or as a bundle of its own",
    );
    refused(
        &[("pack.yaml", &head("v3"))],
        "p/pack.yaml:5:1: v3 is listed with the APIs of v2, and as a bundle: remove one of them",
    );
    let names = format!("{}advisories: [{{ id: a, bundle: v2.1, direction: forward, message: m }}]\n", head("v2.1"));
    refused(&[("pack.yaml", &names)], "p/pack.yaml:9:23: advisory a: `v2.1` has the same APIs as v2: write v2");
}

#[test]
fn releases_that_no_target_can_name() {
    refused_head(
        "excluded: [{ releases: [v2], instead: v1, reason: r }]\n",
        "p/pack.yaml:9:12: excluded: `releases` lists v2 too: remove it in one of the two places",
    );
    refused_head(
        "excluded: [{ releases: [v2.9], instead: v2.8, reason: r }]\n",
        "p/pack.yaml:9:12: excluded: `v2.8` is not a release of this pack: name one that is listed",
    );
    refused_head(
        "patch-releases: same-apis\n",
        "p/pack.yaml:5:1: bundle v1 has no patch releases: its version must be three numbers",
    );
}

/// Makes a CRD of Lamps with these fields in `spec`.
fn lamps(fields: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: lamps.example.com}}\nspec:\n  group: example.com\n  names: {{kind: Lamp, plural: lamps}}\n  \
         scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}}}}}}}}}\n"
    )
}

#[test]
fn a_rename_that_only_a_schema_speaks_for_is_a_choice() {
    let field = |name: &str| lamps(&format!("{name}: {{type: integer, minimum: 0, maximum: 100}}"));
    for (new, line) in [
        ("volume", "73 %, open: rename Lamp.example.com spec.brightness -> spec.volume"),
        ("brightnessPercent", "81 %: rename Lamp.example.com spec.brightness -> spec.brightnessPercent"),
    ] {
        let tree = Tree::of(&[("v1/a.yaml", &field("brightness")), ("v2/a.yaml", &field(new))]);
        let run = tree.run(&["pack", "suggest", "v1", "v2"]);
        run.check(0);
        assert!(run.out.contains(line), "{}", run.all());
    }
}

/// Signs are compared too, and a unit is another one in the other case.
#[test]
fn a_value_of_other_signs_or_of_an_amount_is_no_other_spelling() {
    for (old, new, is_sure) in [
        ("<=", ">=", false),
        ("+1", "-1", false),
        ("!=", "=", false),
        ("10m", "10M", false),
        ("always-on", "AlwaysOn", true),
    ] {
        let field = |value: &str| lamps(&format!("mode: {{type: string, enum: [other, \"{value}\"]}}"));
        let tree = Tree::of(&[("v1/a.yaml", &field(old)), ("v2/a.yaml", &field(new))]);
        let run = tree.run(&["pack", "suggest", "v1", "v2"]);
        run.check(0);
        let counts = if is_sure { "1 of 1 suggestion drafted" } else { "0 of 1 suggestion drafted" };
        assert!(run.out.contains(counts), "{old} {new}: {}", run.all());
    }
}

/// Where what a field is in has a default, the field has its own without any of it being written.
#[test]
fn a_changed_default_in_something_with_a_default_is_reported_for_an_empty_object() {
    let field = |mode: &str| {
        lamps(&format!("net: {{type: object, default: {{}}, properties: {{mode: {{type: string, default: {mode}}}}}}}"))
    };
    let lamp = "apiVersion: example.com/v1\nkind: Lamp\nmetadata: {name: a}\nspec: {}\n";
    let tree = Tree::of(&[("v1/a.yaml", &field("a")), ("v2/a.yaml", &field("b")), ("lamp.yaml", lamp)]);
    tree.run(&["pack", "suggest", "v1", "v2", "p"]).check(0);
    for (from, to) in [("p@v1", "p@v2"), ("p@v2", "p@v1")] {
        let run = tree.run(&["check", "--pack", "p", "--from", from, "--to", to, "lamp.yaml"]);
        assert!(run.out.contains("what it means that spec.net.mode is absent"), "{}", run.all());
    }
}

/// What it means that such a field is absent, no schema of both sides says.
#[test]
fn a_default_that_came_or_went_is_reported_until_a_person_decided() {
    let old = lamps(
        "color: {type: string, default: red}, size: {type: string}, tags: {type: array, items: {type: string}, default: [a]}",
    );
    let new = lamps(
        "color: {type: string}, size: {type: string, default: big}, tags: {type: array, items: {type: string}, default: [b]}",
    );
    let lamp = "apiVersion: example.com/v1\nkind: Lamp\nmetadata: {name: a}\nspec: {color: red, size: small}\n";
    let bare = lamp.replace("{color: red, size: small}", "{}");
    let tree =
        Tree::of(&[("v1/a.yaml", &old), ("v2/a.yaml", &new), ("lamps/full.yaml", lamp), ("lamps/bare.yaml", &bare)]);
    let run = tree.run(&["pack", "suggest", "v1", "v2", "p"]);
    run.check(0);
    for line in [
        "open: default Lamp.example.com spec.color: its default was \"red\", and it has none now (pack.yaml)\n",
        "open: default Lamp.example.com spec.size: it had no default, and has \"big\" (pack.yaml)\n",
        "open: default Lamp.example.com spec.tags: its default was [\"a\"], and is [\"b\"] (pack.yaml)\n",
    ] {
        assert!(run.out.contains(line), "{}", run.all());
    }
    for (from, to) in [("v1", "v2"), ("v2", "v1")] {
        let (from, to) = (format!("p@{from}"), format!("p@{to}"));
        let run = tree.run(&["check", "--pack", "p", "--from", &from, "--to", &to, "--format", "github", "lamps"]);
        run.check(0);
        for (file, field, count) in
            [("bare", "color", 1), ("bare", "size", 1), ("full", "color", 0), ("full", "size", 0), ("full", "tags", 1)]
        {
            let found = run.out.lines().filter(|line| line.contains(&format!("{file}.yaml")) && line.contains(field));
            assert_eq!(found.count(), count, "{file} {field}: {}", run.all());
        }
    }
}

/// A required field whose successor is open concerns the fixtures of all rules: what they expect is to be written once that is filled in,
/// and none of them fails before.
#[test]
fn a_drafted_pack_that_is_filled_in_by_and_by_has_no_case_that_fails() {
    let crd = |required: &str, fields: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: shops.example.com}}\nspec:\n  group: example.com\n  names: {{kind: Shop, plural: shops}}\n  \
             scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, required: [{required}], properties: {{{fields}, size: {{type: integer}}}}}}}}}}}}\n"
        )
    };
    let old = crd("owner", "owner: {type: string}, colour: {type: string}, shade: {type: string}");
    let new = crd("contact, team", "contact: {type: string}, team: {type: string}, color: {type: string}");
    let tree = Tree::of(&[("v1/a.yaml", &old), ("v2/a.yaml", &new)]);
    tree.run(&["pack", "suggest", "v1", "v2", "p"]).check(0);
    let test = |counts: &str| {
        let run = tree.run(&["pack", "test", "p"]);
        assert!(run.all().contains(counts), "{}", run.all());
        assert!(!run.all().contains("failed"), "{}", run.all());
        run.all()
    };
    test("p: 8 cases: 3 ok, 5 to do");
    let renamed = "fixtures/v2/shop-colour-renamed-to-color/renamed";
    let drafted = tree.text(&format!("p/{renamed}/after.yaml"));
    let head =
        "# FILL IN: what becomes of the example, with spec.owner, spec.contact, spec.team; then remove this line\n";
    assert_eq!(
        drafted,
        format!("{head}apiVersion: example.com/v1\nkind: Shop\nmetadata:\n  name: example\nspec:\n  color: example\n")
    );
    let rule = "summary: the owner is the contact, and each shop has a team\nkind: Shop.example.com\nsource: s\nlens:\n- rename: { field: spec.owner, to: contact }\n- default: { field: spec.team, value: none, forward: write, backward: elide }\n";
    fs::write(tree.path("p/v2/shop-owner-removed.yaml"), rule).unwrap();
    let shown = test("p: 8 cases: 3 ok, 5 to do");
    assert!(shown.contains("+  contact: example\n"), "{shown}");
    let after = drafted.replace(head, "") + "  contact: example\n  team: none\n";
    fs::write(tree.path(&format!("p/{renamed}/after.yaml")), after).unwrap();
    test("p: 8 cases: 4 ok, 4 to do");
}

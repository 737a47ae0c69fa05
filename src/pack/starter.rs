//! Answers: which files does a new pack start with?
//!
//! Without CRDs it is an example that works: one kind, two releases, one rule and its fixtures. With CRDs `pack.yaml` lists what
//! they have, and the rules are left to write.
//!
//! Invariant: the example passes `pack lint` and `pack test` as it is.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use super::build::Outline;
use crate::release::GroupKind;

/// The catalog of the example, without the line that names its kind.
const CATALOG: &str = "\
scope\tNamespaced\tv1.0.0..v2.0.0
served\tv1\tv1.0.0..v2.0.0
storage\tv1\tv1.0.0..v2.0.0
path\ttype\trequired\tattributes\tapiVersions\treleases
spec\tobject\t\t\t\tv1.0.0..v2.0.0
spec.replicas\tinteger\t\t\t\tv2.0.0
spec.size\tinteger\t\t\t\tv1.0.0
";

/// Returns the files of an example about `kind`, by their paths in the pack's folder.
///
/// # Errors
/// Where `kind` is no kind in a group, as `Shop.shops.example.com`.
pub fn example(name: &str, title: &str, kind: &str) -> Result<BTreeMap<String, String>> {
    let kind = GroupKind::parse(kind);
    let is_name = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_group = |text: &str| {
        text.contains('.')
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte))
    };
    ensure!(
        is_name(&kind.kind) && is_group(&kind.group),
        "`{kind}` is not a kind in an API group: write KIND.GROUP, such as Shop.shops.example.com"
    );
    let lower = kind.kind.to_lowercase();
    let rule = format!("{lower}-size-renamed-to-replicas");
    let releases = vec![("v1.0.0".to_owned(), Vec::new()), ("v2.0.0".to_owned(), Vec::new())];
    let object = |name: &str, rest: &str| {
        format!("apiVersion: {}/v1\nkind: {}\nmetadata:\n  name: {name}\n{rest}", kind.group, kind.kind)
    };
    let case = |case: &str, file: &str| format!("fixtures/v2.0.0/{rule}/{case}/{file}");
    let rule_text = format!(
        "# The folder names the release that made the change.\nsummary: the field size of a {0} is called replicas\nkind: {kind}\nsource: the release notes of v2.0.0\nlens:\n- rename: {{ field: spec.size, to: replicas }}\n",
        kind.kind
    );
    let changed = |key: &str| format!("spec:\n  # as many as there are doors\n  {key}: 3\n");
    let same = "  labels:\n    size: large\nspec: {}\n";
    Ok(BTreeMap::from([
        ("pack.yaml".to_owned(), pack_yaml((name, title), &BTreeSet::from([kind.group.as_str()]), &releases)),
        ("README.md".to_owned(), readme(name, title)),
        (format!("catalog/{kind}.tsv"), format!("kind\t{kind}\n{CATALOG}")),
        (format!("v2.0.0/{rule}.yaml"), rule_text),
        (case("renamed", "before.yaml"), object("corner", &changed("size"))),
        (case("renamed", "after.yaml"), object("corner", &changed("replicas"))),
        (case("look-alike", "same.yaml"), object("corner", same)),
    ]))
}

/// Returns the files of a pack of the CRDs that `outline` describes, without its catalogs.
pub fn from_crds(name: &str, title: &str, outline: &Outline) -> BTreeMap<String, String> {
    let groups = outline.kinds.iter().map(|kind| kind.group.as_str()).collect();
    let channels = |channels: &BTreeSet<String>| channels.iter().cloned().collect();
    let mut releases: Vec<(String, Vec<String>)> =
        outline.releases.iter().map(|(bundle, of)| (bundle.clone(), channels(of))).collect();
    releases.sort_by_cached_key(|(bundle, _)| age(bundle));
    BTreeMap::from([
        ("pack.yaml".to_owned(), pack_yaml((name, title), &groups, &releases)),
        ("README.md".to_owned(), readme(name, title)),
    ])
}

/// Returns what sorts the names of releases by age, as far as names tell: their numbers, and `v2.0.0-rc.1` before `v2.0.0`.
fn age(bundle: &str) -> (Vec<u64>, bool, Vec<u64>, String) {
    let (main, stage) = bundle.split_once('-').unwrap_or((bundle, ""));
    let numbers =
        |text: &str| text.split(|one: char| !one.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
    (numbers(main), stage.is_empty(), numbers(stage), bundle.to_owned())
}

fn pack_yaml((name, title): (&str, &str), groups: &BTreeSet<&str>, releases: &[(String, Vec<String>)]) -> String {
    let title = serde_json::Value::from(title);
    let groups: String = groups.iter().map(|group| format!("- {group}\n")).collect();
    let release = |(bundle, channels): &(String, Vec<String>)| match channels.as_slice() {
        [] => format!("- {{ bundle: {bundle} }}\n"),
        channels => format!("- {{ bundle: {bundle}, channels: [{}] }}\n", channels.join(", ")),
    };
    let releases: String = releases.iter().map(release).collect();
    format!(
        "name: {name}\ntitle: {title}\n# Where the releases come from, for people.\nsource: the CRDs of each release\ngroups:\n{groups}# The oldest \
         first: rules convert along this list.\nreleases:\n{releases}"
    )
}

fn readme(name: &str, title: &str) -> String {
    format!(
        "\
# {title}
What `reversion` knows about {title}.

| file | holds |
|---|---|
| `pack.yaml` | the releases, oldest first, and the API groups |
| `catalog/KIND.GROUP.tsv` | which field a kind has in which release; made by `reversion pack build DIR CRDS` from CRDS/RELEASE/*.yaml |
| `RELEASE/RULE.yaml` | one change that RELEASE made, and how objects are converted |
| `fixtures/RELEASE/RULE/CASE/` | objects before and after the change: `before.yaml` becomes `after.yaml` and the other way round; `same.yaml` resembles them and does not change |

In this folder:
```
reversion pack lint .      # what no rule converts, and rules that contradict the catalogs
reversion pack test .      # the rules on the fixtures
reversion check --pack . --to {name}@latest PATH
```
`reversion explain rename` explains an operation, as it does every other word.
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_sorted_by_their_numbers() {
        let mut names = ["v1.10.0", "v2.0.0", "v1.9.1", "v2.0.0-rc.10", "v2.0.0-rc.2", "2023.4"];
        names.sort_by_cached_key(|name| age(name));
        assert_eq!(names, ["v1.9.1", "v1.10.0", "v2.0.0-rc.2", "v2.0.0-rc.10", "v2.0.0", "2023.4"]);
    }

    #[test]
    fn a_kind_without_a_group_is_refused() {
        for kind in ["Shop", "", ".a.b", "Shop.b", "Sh op.a.b", "Shop.A.b", "Shop.a.b\n"] {
            assert!(example("shops", "Shops", kind).is_err(), "{kind}");
        }
    }
}

//! Answers: which files does a new pack start with?
//!
//! Without CRDs it is an example that works: one kind, two releases, one rule and its fixtures. With CRDs `pack.yaml` lists what
//! they have, and the rules are left to write.
//!
//! Invariant: the example passes `pack lint` and `pack test` as it is.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use crate::authoring::build::Outline;
use crate::knowledge::release::{GroupKind, version_of};

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
pub(crate) fn example(name: &str, title: &str, kind: &str) -> Result<BTreeMap<String, String>> {
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
        ("pack.yaml".to_owned(), pack_yaml(name, title, &[kind.group.as_str()], &releases)),
        ("README.md".to_owned(), readme(name, title)),
        (format!("catalog/{kind}.tsv"), format!("kind\t{kind}\n{CATALOG}")),
        (format!("v2.0.0/{rule}.yaml"), rule_text),
        (case("renamed", "before.yaml"), object("corner", &changed("size"))),
        (case("renamed", "after.yaml"), object("corner", &changed("replicas"))),
        (case("look-alike", "same.yaml"), object("corner", same)),
    ]))
}

/// What marks a place that a person has to fill in; `pack lint` reports it.
pub(crate) const MARK: &str = "FILL IN";

/// What to do about a word of YAML that a CRD lists as a value of a text.
pub(crate) const QUOTE: &str = "quote it in the CRD, where on, off, yes and no are booleans without quotes";

/// Returns the files of a pack of `kinds` in `bundles`, the oldest first, without its catalogs.
pub(crate) fn of_releases(
    name: &str,
    title: &str,
    kinds: &BTreeSet<GroupKind>,
    bundles: [&str; 2],
) -> BTreeMap<String, String> {
    let groups: BTreeSet<&str> = kinds.iter().map(|kind| kind.group.as_str()).collect();
    let groups = Vec::from_iter(groups);
    let releases: Vec<_> = bundles.into_iter().map(|bundle| (bundle.to_owned(), Vec::new())).collect();
    BTreeMap::from([
        ("pack.yaml".to_owned(), pack_yaml(name, title, &groups, &releases)),
        ("README.md".to_owned(), readme(name, title)),
    ])
}

/// Returns the files of a pack of the CRDs that `outline` describes, without its catalogs.
pub(crate) fn from_crds(name: &str, title: &str, outline: &Outline) -> BTreeMap<String, String> {
    // Of two groups of one kind, the one that came later is the better one.
    let first = |kind: &GroupKind| outline.kinds[kind].iter().map(|bundle| age(bundle)).min();
    let mut kinds: Vec<&GroupKind> = outline.kinds.keys().collect();
    kinds.sort_by_cached_key(|kind| (first(kind), kind.group.clone()));
    let mut groups: Vec<&str> = Vec::new();
    for kind in kinds {
        if !groups.contains(&kind.group.as_str()) {
            groups.push(&kind.group);
        }
    }
    let mut releases: Vec<(String, Vec<String>)> =
        outline.releases.iter().map(|(bundle, of)| (bundle.clone(), by_stability(of))).collect();
    releases.sort_by_cached_key(|(bundle, _)| age(bundle));
    BTreeMap::from([
        ("pack.yaml".to_owned(), pack_yaml(name, title, &groups, &releases)),
        ("README.md".to_owned(), readme(name, title)),
    ])
}

/// Returns what sorts the names of releases by age, as far as names tell: by their numbers, and pre-releases before the release, as
/// `v2.0.0-alpha.3`, `v2.0.0-beta.2`, `v2.0.0-rc.10`, `v2.0.0`.
///
/// Source: Semantic Versioning 2.0.0, item 11.
pub(crate) fn age(bundle: &str) -> (Vec<u64>, bool, Vec<Part>, String) {
    let bare = version_of(bundle).split('+').next().unwrap_or_default();
    let is_of_stage = |letter: char| letter == '-' || letter.is_ascii_alphabetic();
    let (main, stage) = bare.split_at(bare.find(is_of_stage).unwrap_or(bare.len()));
    let numbers = main.split('.').filter_map(|number| number.parse().ok()).collect();
    (numbers, stage.is_empty(), parts(stage), bundle.to_owned())
}

/// A stretch of digits or of letters in the name of a release; a number is older than a word.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Number(u64),
    Word(String),
}

/// Splits a text into its numbers and words.
fn parts(text: &str) -> Vec<Part> {
    let letters: Vec<char> = text.chars().collect();
    let stretches = letters.chunk_by(|one, next| {
        one.is_alphanumeric() && next.is_alphanumeric() && one.is_ascii_digit() == next.is_ascii_digit()
    });
    let words = stretches.filter(|stretch| stretch.iter().all(|one| one.is_alphanumeric()));
    words
        .map(|stretch| {
            let word: String = stretch.iter().collect();
            word.parse().map_or(Part::Word(word), Part::Number)
        })
        .collect()
}

/// Names that projects give the channel which promises most.
const STABLE_CHANNELS: [&str; 5] = ["stable", "standard", "ga", "release", "lts"];

/// Sorts channels as `pack.yaml` lists them, most stable first, as far as names tell.
fn by_stability(channels: &BTreeSet<String>) -> Vec<String> {
    let mut sorted: Vec<String> = channels.iter().cloned().collect();
    sorted.sort_by_key(|channel| !STABLE_CHANNELS.contains(&channel.as_str()));
    sorted
}

fn pack_yaml(name: &str, title: &str, groups: &[&str], releases: &[(String, Vec<String>)]) -> String {
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
        let stages = [
            "v1.0.0-1",
            "v1.0.0-alpha",
            "v1.0.0-alpha.3",
            "v1.0.0-beta.2",
            "v1.0.0-beta.10",
            "v1.0.0-rc.1",
            "v1.0.0-rc.2",
            "v1.0.0-rc.10",
            "v1.0.0",
            "v1.0.1-alpha.1",
        ];
        let mut names = stages;
        names.reverse();
        names.sort_by_cached_key(|name| age(name));
        assert_eq!(names, stages);
        let mut names = ["1.2rc1", "1.2", "1.2b10", "1.2b9", "my-shops-1.1", "k8s-1.3"];
        names.sort_by_cached_key(|name| age(name));
        assert_eq!(names, ["my-shops-1.1", "1.2b9", "1.2b10", "1.2rc1", "1.2", "k8s-1.3"]);
    }

    #[test]
    fn the_stable_channel_is_the_first_one() {
        let sorted = |names: &[&str]| by_stability(&names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(sorted(&["alpha", "edge", "stable"]), ["stable", "alpha", "edge"]);
        assert_eq!(sorted(&["experimental", "standard"]), ["standard", "experimental"]);
        assert_eq!(sorted(&["beta", "alpha"]), ["alpha", "beta"]);
    }

    #[test]
    fn a_kind_without_a_group_is_refused() {
        for kind in ["Shop", "", ".a.b", "Shop.b", "Sh op.a.b", "Shop.A.b", "Shop.a.b\n"] {
            assert!(example("shops", "Shops", kind).is_err(), "{kind}");
        }
    }
}

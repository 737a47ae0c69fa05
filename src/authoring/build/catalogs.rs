//! Answers: what is in each catalog file of a pack, and which of the files there differ from that?
//!
//! Invariant: the same CRDs give the same bytes, on any machine and in any order of reading.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use walkdir::WalkDir;

use serde_json::Value;

use super::lifecycle::Lifecycle;
use super::openapi;
use super::published::{self, Published};
use super::type_tables::Types;
use crate::knowledge::pack::crds::crd;
use crate::knowledge::pack::crds::gather::Gathered;
use crate::knowledge::pack::wire::PackFile;
use crate::knowledge::release::{Channel, GroupKind, ReleaseId, ReleaseLine};

/// The folder of a pack that holds its catalogs.
const CATALOG: &str = "catalog";

/// The catalogs of a pack, made and not yet written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The text of each file, by its name within the pack's folder `catalog`: `HTTPRoute.gateway.networking.k8s.io.tsv`.
    pub files: BTreeMap<String, String>,
    /// The parts of CRDs that catalogs do not support, one sentence each.
    pub notes: Vec<String>,
}

/// Makes the catalogs of the pack in the folder `pack` from what is under `crds`: in `RELEASE/CHANNEL/` or `RELEASE/`, the CRDs of a
/// release or the OpenAPI documents of its API server, of which only the groups of the pack are used; `kinds.tsv` beside them says
/// what OpenAPI does not; `types.tsv` holds the types of all releases.
///
/// # Errors
/// A file that cannot be read, a schema that cannot be understood, a release or a CRD's group that `pack.yaml` does not list (with
/// the line to add), a listed release or group without a schema, or one kind twice in a release.
pub fn build(pack: &Path, crds: &Path) -> Result<Built> {
    let (file, line) = read_pack(pack)?;
    from_crds(&file, &line, crds)
}

/// Makes the catalogs of a pack whose `pack.yaml` is `file`.
fn from_crds(file: &PackFile, line: &ReleaseLine, crds: &Path) -> Result<Built> {
    let mut gathered = Gathered::default();
    let mut filled = BTreeSet::new();
    let lifecycle = Lifecycle::read(crds)?;
    let mut published = match Types::read(crds)? {
        Some(types) => of_types(&types, &lifecycle, line)?,
        None => BTreeMap::new(),
    };
    let is_excluded = |path: &Path| {
        let (bundle, _) = folders_of(path, crds).unwrap_or_default();
        file.excluded.iter().any(|excluded| excluded.releases.iter().any(|name| name == bundle))
    };
    for path in crd_files(crds)?.into_iter().filter(|path| !is_excluded(path)) {
        let release = release_of(&path, crds, line).with_context(|| path.display().to_string())?;
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if let Some(document) = openapi_document(&path, &text) {
            let known = published.entry(release).or_default();
            openapi::add(&document, known).with_context(|| path.display().to_string())?;
            continue;
        }
        for definition in crd::definitions(&text).with_context(|| path.display().to_string())? {
            if !file.groups.contains(&definition.kind.group) {
                let group = &definition.kind.group;
                bail!("{}: group {group} is not in pack.yaml; add `- {group}` under `groups`", path.display());
            }
            filled.insert(release);
            gathered.add(release, definition).with_context(|| path.display().to_string())?;
        }
    }
    published::relax(published.values_mut());
    for (release, schemas) in &published {
        let bundle = &line.get(*release).bundle;
        for definition in schemas.definitions(&file.groups, &lifecycle, bundle).with_context(|| bundle.clone())? {
            filled.insert(*release);
            gathered.add(*release, definition).with_context(|| bundle.clone())?;
        }
    }
    if let Some((_, release)) = line.iter().find(|(id, _)| !filled.contains(id)) {
        let (bundle, channel) = (&release.bundle, &release.channel);
        let in_channel = if *channel == Channel::SINGLE { String::new() } else { format!(" in channel {channel}") };
        bail!("pack.yaml lists {bundle}{in_channel}, but {} has no kind for it", crds.display());
    }
    let is_missing = |group: &&String| !gathered.has_group(group);
    if let Some(group) = file.groups.iter().find(is_missing).filter(|_| !published.is_empty()) {
        bail!(
            "pack.yaml lists the group `{group}`, but {} has no kind of it; remove it under `groups`",
            crds.display()
        );
    }
    Ok(Built { files: gathered.files(line), notes: gathered.notes(line) })
}

/// What a folder of CRDs has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// The bundles and their channels, by the names of the folders; none where the files are in the folder of the bundle.
    pub releases: BTreeMap<String, BTreeSet<String>>,
    /// The kinds that the CRDs define, and the bundles that have each.
    pub kinds: BTreeMap<GroupKind, BTreeSet<String>>,
}

/// Finds out which releases and kinds there are under `crds` (`RELEASE/CHANNEL/*.yaml` or `RELEASE/*.yaml`).
///
/// # Errors
/// A file that cannot be read, a CRD that cannot be understood or is in no release's folder, or no CRD at all.
pub(crate) fn outline(crds: &Path) -> Result<Outline> {
    let mut outline = Outline::default();
    for path in crd_files(crds)? {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let definitions = crd::definitions(&text).with_context(|| path.display().to_string())?;
        if !definitions.is_empty() {
            let (bundle, channel) = folders_of(&path, crds).with_context(|| path.display().to_string())?;
            let channels = outline.releases.entry(bundle.to_owned()).or_default();
            if channel != Channel::SINGLE.name() {
                channels.insert(channel.to_owned());
            }
            for definition in definitions {
                outline.kinds.entry(definition.kind).or_default().insert(bundle.to_owned());
            }
        }
    }
    if outline.kinds.is_empty() {
        bail!(
            "there is no CRD in {}: put those of each release into RELEASE/ or RELEASE/CHANNEL/ there",
            crds.display()
        );
    }
    Ok(outline)
}

/// Writes a pack that is new: `files`, by their paths in its folder, and the catalogs made from `crds`, where there are some.
///
/// # Errors
/// A folder with files in it, a failure of [`build`], or a file that cannot be written.
pub(crate) fn write_new(folder: &Path, files: &BTreeMap<String, String>, crds: Option<&Path>) -> Result<()> {
    let is_taken = folder.exists() && WalkDir::new(folder).min_depth(1).into_iter().next().is_some();
    ensure!(!is_taken, "{} is not empty: name a folder that is not there yet", folder.display());
    let mut texts = files.clone();
    let (file, line) = parse_pack("pack.yaml", files.get("pack.yaml").map_or("", String::as_str))?;
    file.check_names("").map_err(|message| anyhow!(message))?;
    if let Some(crds) = crds {
        let catalogs = from_crds(&file, &line, crds)?.files;
        texts.extend(catalogs.into_iter().map(|(name, text)| (format!("{CATALOG}/{name}"), text)));
    }
    for (name, text) in texts {
        let path = folder.join(name);
        let done = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        done.with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Makes the schemas of each release of `line` from tables of types.
fn of_types(types: &Types, lifecycle: &Lifecycle, line: &ReleaseLine) -> Result<BTreeMap<ReleaseId, Published>> {
    let of = |bundle: &str| types.published(lifecycle, bundle).with_context(|| bundle.to_owned());
    line.iter().map(|(id, release)| Ok((id, of(&release.bundle)?))).collect()
}

/// Reads an OpenAPI document, which is JSON as the API server gives it.
fn openapi_document(path: &Path, text: &str) -> Option<Value> {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let document: Value = if is_json { serde_json::from_str(text).ok()? } else { return None };
    openapi::is_document(&document).then_some(document)
}

/// Writes the catalogs into the pack's folder `catalog` and removes catalogs of kinds that are no longer built.
///
/// # Errors
/// A file or folder that cannot be written or removed.
pub(crate) fn write(built: &Built, pack: &Path) -> Result<()> {
    let folder = pack.join(CATALOG);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for name in stale(built, pack)? {
        let path = folder.join(&name);
        let done = match built.files.get(&name) {
            Some(text) => fs::write(&path, text),
            None => fs::remove_file(&path),
        };
        done.with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Returns the names of catalog files that are missing, differ from `built`, or are of no kind in it, sorted.
///
/// # Errors
/// A file that is there and cannot be read.
pub fn stale(built: &Built, pack: &Path) -> Result<Vec<String>> {
    let present = present(&pack.join(CATALOG))?;
    let names: BTreeSet<&String> = built.files.keys().chain(present.keys()).collect();
    Ok(names.into_iter().filter(|name| built.files.get(*name) != present.get(*name)).cloned().collect())
}

/// Reads the catalogs that are there.
fn present(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    if !folder.exists() {
        return Ok(found);
    }
    for entry in WalkDir::new(folder).min_depth(1).max_depth(1) {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".tsv") {
            let text = fs::read_to_string(entry.path()).with_context(|| format!("cannot read {name}"))?;
            found.insert(name, text);
        }
    }
    Ok(found)
}

fn read_pack(pack: &Path) -> Result<(PackFile, ReleaseLine)> {
    let path = pack.join("pack.yaml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    parse_pack(&path.display().to_string(), &text)
}

fn parse_pack(name: &str, text: &str) -> Result<(PackFile, ReleaseLine)> {
    let file: PackFile = serde_yaml::from_str(text).with_context(|| name.to_owned())?;
    let line = file.line().map_err(|message| anyhow!("{name}: {message}"))?;
    Ok((file, line))
}

/// Finds the YAML and JSON files under `crds`, sorted by path.
fn crd_files(crds: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(crds).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot walk {}", crds.display()))?;
        let extension = entry.path().extension().and_then(|extension| extension.to_str());
        if entry.file_type().is_file() && matches!(extension, Some("yaml" | "yml" | "json")) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// Returns the bundle and the channel that a file's folders name.
fn folders_of<'p>(path: &'p Path, crds: &Path) -> Result<(&'p str, &'p str)> {
    let inside = path.strip_prefix(crds).unwrap_or(path);
    let folders: Option<Vec<&str>> = inside.iter().map(|part| part.to_str()).collect();
    match folders.as_deref() {
        Some([bundle, _]) => Ok((bundle, Channel::SINGLE.name())),
        Some([bundle, channel, _]) => Ok((bundle, channel)),
        _ => bail!("put the CRD file into the folder RELEASE/CHANNEL/ or RELEASE/"),
    }
}

/// Says which release a file's folders name.
fn release_of(path: &Path, crds: &Path, line: &ReleaseLine) -> Result<ReleaseId> {
    let (bundle, channel) = folders_of(path, crds)?;
    line.find(bundle, channel).ok_or_else(|| match line.bundle_order(bundle) {
        Some(order) if channel == Channel::SINGLE.name() => {
            let channels: Vec<&str> = line.of_bundle(order).map(|(_, release)| release.channel.name()).collect();
            anyhow!(
                "pack.yaml lists {bundle} with channels; put the CRD file into {bundle}/{}/",
                channels.join("/ or ")
            )
        }
        Some(_) => {
            anyhow!("pack.yaml lists {bundle} without this channel; add `{channel}` to the channels of {bundle}")
        }
        None if !line.of_version(bundle).is_empty() => anyhow!(
            "by pack.yaml {bundle} has the APIs of another bundle, whose CRDs alone are read; remove the folder, or make it a bundle of its own"
        ),
        None if channel == Channel::SINGLE.name() => {
            anyhow!("pack.yaml does not list {bundle}; add `- {{ bundle: {bundle} }}` under `releases`")
        }
        None => anyhow!(
            "pack.yaml does not list {bundle}; add `- {{ bundle: {bundle}, channels: [{channel}] }}` under `releases`"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACK: &str = "name: shops
title: Shops
source: here
groups: [example.com]
releases:
- { bundle: v1.0.0, channels: [single], same-apis: [v1.0.1] }
- { bundle: v2.0.0, channels: [standard, experimental] }
excluded:
- { releases: [v1.0.2], instead: v1.0.1, reason: it is about another API }
";

    fn crd(kind: &str, group: &str, fields: &str) -> String {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: {group}\n  names: {{ \
             kind: {kind} }}\n  scope: Namespaced\n  versions:\n  - {{ name: v1, served: true, storage: true, schema: {{ \
             openAPIV3Schema: {{ type: object, properties: {fields} }} }} }}\n"
        )
    }

    /// Writes a pack and CRD files into a folder of their own.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("pack/pack.yaml", PACK)].iter().chain(files) {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn built(files: &[(&str, &str)]) -> Result<Built> {
        let folder = folder(files);
        build(&folder.path().join("pack"), &folder.path().join("crds"))
    }

    #[track_caller]
    fn refused(files: &[(&str, &str)], message: &str) {
        let error = format!("{:#}", built(files).unwrap_err());
        assert!(error.contains(message), "{error}");
    }

    #[test]
    fn equal_facts_share_a_row() {
        let old = crd("Shop", "example.com", "{ spec: { type: string, maxLength: 5 } }");
        let new = crd("Shop", "example.com", "{ spec: { type: string } }");
        let files = [
            ("crds/v1.0.0/shop.yaml", old.as_str()),
            ("crds/v1.0.0/notes.yaml", "kind: ConfigMap\n"),
            ("crds/v1.0.0/README.md", "no YAML: [\n"),
            ("crds/v2.0.0/standard/shop.yaml", &old),
            ("crds/v2.0.0/experimental/all.yaml", &new),
        ];
        let expected = "kind\tShop.example.com
scope\tNamespaced\tsingle v1.0.0, standard v2.0.0, experimental v2.0.0
served\tv1\tsingle v1.0.0, standard v2.0.0, experimental v2.0.0
storage\tv1\tsingle v1.0.0, standard v2.0.0, experimental v2.0.0
path\ttype\trequired\tattributes\tapiVersions\treleases
spec\tstring\t\t{\"maxLength\":5}\t\tsingle v1.0.0, standard v2.0.0
spec\tstring\t\t\t\texperimental v2.0.0
";
        let built = built(&files).unwrap();
        assert_eq!(built.files, BTreeMap::from([("Shop.example.com.tsv".to_owned(), expected.to_owned())]));
        assert!(built.notes.is_empty());
    }

    #[test]
    fn a_catalog_names_the_releases_with_a_webhook() {
        let old = crd("Shop", "example.com", "{}");
        let new = format!("{old}  conversion: {{ strategy: Webhook }}\n");
        let files = [
            ("crds/v1.0.0/shop.yaml", old.as_str()),
            ("crds/v2.0.0/standard/shop.yaml", &new),
            ("crds/v2.0.0/experimental/shop.yaml", &old),
        ];
        let text = &built(&files).unwrap().files["Shop.example.com.tsv"];
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("webhook")).collect();
        assert_eq!(lines, ["conversion\twebhook\tstandard v2.0.0"]);
    }

    #[test]
    fn a_folder_missing_in_the_pack_is_rejected_with_the_line_to_add() {
        let shop = crd("Shop", "example.com", "{}");
        refused(&[("crds/v3.0.0/standard/a.yaml", &shop)], "add `- { bundle: v3.0.0, channels: [standard] }`");
        refused(&[("crds/v1.0.0/standard/a.yaml", &shop)], "add `standard` to the channels of v1.0.0");
        refused(
            &[("crds/v1.0.0/stable/a.yaml", &shop)],
            "pack.yaml lists v1.0.0 without this channel; add `stable` to the channels of v1.0.0",
        );
        let same = "by pack.yaml v1.0.1 has the APIs of another bundle, whose CRDs alone are read";
        refused(&[("crds/v1.0.1/a.yaml", &shop)], same);
        refused(&[("crds/a.yaml", &shop)], "RELEASE/CHANNEL/");
        refused(&[("crds/v1.0.0/a.yaml", &crd("Shop", "other.com", "{}"))], "add `- other.com` under `groups`");
    }

    #[test]
    fn a_listed_release_must_have_a_crd() {
        let shop = crd("Shop", "example.com", "{}");
        refused(&[("crds/v1.0.0/a.yaml", &shop)], "pack.yaml lists v2.0.0 in channel standard, but");
        refused(&[("crds/v1.0.0/a.yaml", &shop), ("crds/v1.0.0/b.yaml", &shop)], "defined twice");
        refused(&[("crds/v1.0.0/a.yaml", "a: [\n")], "a.yaml");
    }

    #[test]
    fn the_crds_of_excluded_releases_are_not_read() {
        let (shop, other) = (crd("Shop", "example.com", "{}"), crd("Shop", "other.com", "{}"));
        let releases = ["crds/v1.0.0/a.yaml", "crds/v2.0.0/standard/a.yaml", "crds/v2.0.0/experimental/a.yaml"];
        let mut files = releases.map(|path| (path, shop.as_str())).to_vec();
        files.push(("crds/v1.0.2/a.yaml", &other));
        assert_eq!(built(&files).unwrap().files.keys().collect::<Vec<_>>(), ["Shop.example.com.tsv"]);
    }

    #[test]
    fn writing_leaves_nothing_stale() {
        let folder = folder(&[("pack/catalog/Gone.example.com.tsv", "x"), ("pack/catalog/README.md", "x")]);
        let pack = folder.path().join("pack");
        let files = BTreeMap::from([("Shop.example.com.tsv".to_owned(), "kind\n".to_owned())]);
        let built = Built { files, notes: Vec::new() };
        assert_eq!(stale(&built, &pack).unwrap(), ["Gone.example.com.tsv", "Shop.example.com.tsv"]);
        write(&built, &pack).unwrap();
        assert!(stale(&built, &pack).unwrap().is_empty());
        assert_eq!(fs::read_to_string(pack.join("catalog/Shop.example.com.tsv")).unwrap(), "kind\n");
        assert!(pack.join("catalog/README.md").exists());
    }
}

//! Lists every pack under `rules/` for `src/knowledge/pack/built_in.rs`, in the parts that a run reads at different times: what it needs of each
//! pack, what it needs of packs whose releases it is about, each rule, each catalog. YAML becomes JSON, which reads much faster, and catalogs are
//! compressed: nearly all of the text of packs is theirs, and a run reads few.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use miniz_oxide::deflate::compress_to_vec;
use serde_json::{Map, Value};

#[path = "src/knowledge/pack/default_groups.rs"]
mod default_groups;

/// The keys of `pack.yaml` that every run reads; it reads the others of the packs whose releases it is about.
const HEAD: [&str; 16] = [
    "name",
    "aliases",
    "title",
    "source",
    "groups",
    "shared-groups",
    "triggers",
    "artifacts",
    "marks",
    "tag-suffixes",
    "charts",
    "files",
    "parameters",
    "annotations",
    "schema-comments",
    "references",
];

/// The level that makes the smallest text.
const STRONGEST: u8 = 10;

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("rules");
    println!("cargo::rerun-if-changed=rules");
    println!("cargo::rerun-if-changed=src/knowledge/pack/default_groups.rs");
    println!("cargo::rerun-if-changed=build.rs");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    let mut packs: BTreeMap<String, Vec<PackFile>> = BTreeMap::new();
    for place in files {
        let name = place.strip_prefix(&root).expect("a walk stays in its folder").to_string_lossy().replace('\\', "/");
        if let Some((pack, path)) = name.split_once('/') {
            let text = fs::read_to_string(&place)?;
            let data = if path.ends_with(".yaml") { Some(data(&place, &text)?) } else { None };
            packs.entry(pack.to_owned()).or_default().push(PackFile { path: path.to_owned(), place, text, data });
        }
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut catalogs = Catalogs::default();
    let packs: String = packs.iter_mut().map(|(name, files)| code(name, files, &mut catalogs)).collect();
    fs::write(out.join("catalogs"), catalogs.compressed)?;
    let code = format!(
        "/// Every pack under `rules/`, sorted by name.\nstatic PACKS: &[BuiltInPack] = &[\n{packs}];\n\
         /// The catalogs, one after the other, each compressed.\n\
         static COMPRESSED: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/catalogs\"));\n\
         /// The texts of those that were read.\n\
         static READ: [OnceLock<String>; {}] = [const {{ OnceLock::new() }}; {0}];\n",
        catalogs.count
    );
    fs::write(out.join("embedded.rs"), code)
}

/// The catalogs of all packs.
#[derive(Default)]
struct Catalogs {
    /// One after the other.
    compressed: Vec<u8>,
    count: usize,
}

impl Catalogs {
    /// Adds a catalog; returns what the program has in its place: what is before its fields as it is, since a run asks most for no more.
    fn add(&mut self, text: &str) -> String {
        let columns = text.find("\npath\t").expect("a line names the columns") + 1;
        let head = &text[..columns + text[columns..].find('\n').map_or(0, |end| end + 1)];
        let start = self.compressed.len();
        self.compressed.extend(compress_to_vec(text.as_bytes(), STRONGEST));
        self.count += 1;
        let (number, end, length) = (self.count - 1, self.compressed.len(), text.len());
        format!(
            "Stored::Compressed {{ number: {number}, start: {start}, end: {end}, length: {length}, head: {head:?} }}"
        )
    }
}

/// A file of a pack.
struct PackFile {
    /// Its path in the folder of the pack.
    path: String,
    place: PathBuf,
    text: String,
    /// What it holds, where it is YAML.
    data: Option<Value>,
}

/// Lists the files of packs below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "tsv") {
            files.push(path);
        }
    }
    Ok(())
}

/// Reads the data of a YAML file.
fn data(place: &Path, text: &str) -> io::Result<Value> {
    serde_yaml::from_str(text).map_err(|error| io::Error::other(format!("{}: {error}", place.display())))
}

/// Writes the `BuiltInPack` of one pack, and adds its catalogs to those of the others.
fn code(name: &str, files: &mut [PackFile], catalogs: &mut Catalogs) -> String {
    files.sort_by(|left, right| left.path.cmp(&right.path));
    let data_of = |path: &str| files.iter().find(|file| file.path == path).and_then(|file| file.data.clone());
    let (head, rest) = split(data_of("pack.yaml").unwrap_or_default());
    let rules = || files.iter().filter(|file| file.path.contains('/')).filter_map(|file| file.data.as_ref());
    let rule_kinds: BTreeSet<&str> = rules().flat_map(|rule| texts(&rule["kind"])).collect();
    let advisories = rest["advisories"].as_array().into_iter().flatten();
    let charts_read: BTreeSet<&str> = rules().chain(advisories).flat_map(|about| texts(&about["values"])).collect();
    let companions = rest["releases"].as_array().into_iter().flatten().flat_map(|release| texts(&release["companion"]));
    let companions: BTreeSet<&str> = companions.filter_map(|release| release.split('@').next()).collect();
    let rows = files.iter().filter(|file| file.path.starts_with("catalog/")).map(|file| file.text.as_str());
    let default_groups: BTreeSet<&str> = rows.flat_map(default_groups::default_groups).collect();
    let rules_about_schemas: String = files.iter().filter_map(rule_about_schemas).collect();
    let carriers = data_of("carriers.yaml").map(|carriers| carriers.to_string());
    let (head, rest, is_carriers_alone) = (head.to_string(), rest.to_string(), rest["releases"].is_null());
    let mut code = format!(
        "BuiltInPack {{ name: {name:?}, head: {head:?}, rest: {rest:?}, is_carriers_alone: {is_carriers_alone}, rules_about_schemas: &[{rules_about_schemas}], carriers: {carriers:?}, \
         rule_kinds: &{:?}, charts_read: &{:?}, companions: &{:?}, default_groups: &{:?}, files: &[\n",
        Vec::from_iter(rule_kinds),
        Vec::from_iter(charts_read),
        Vec::from_iter(companions),
        Vec::from_iter(default_groups),
    );
    for PackFile { path, place, text, data } in files.iter() {
        let json = data.as_ref().filter(|_| path.contains('/')).map(Value::to_string);
        let stored = match path.ends_with(".tsv") {
            true => catalogs.add(text),
            false => format!("Stored::Plain(include_str!({:?}))", place.display().to_string()),
        };
        writeln!(code, "    BuiltInFile {{ path: {path:?}, stored: {stored}, json: {json:?} }},")
            .expect("a String takes all text");
    }
    code + "] },\n"
}

/// Writes the `BuiltInSchemaRule` of a file, where it is a rule about CRDs that names their schemas.
fn rule_about_schemas(file: &PackFile) -> Option<String> {
    let data = file.data.as_ref()?;
    let is_about_crds = texts(&data["kind"]).iter().any(|kind| kind.starts_with("CustomResourceDefinition."));
    let (_, lens) = file.text.split_once("\nlens:\n")?;
    let (bundle, api_versions) = (file.path.split('/').next()?, texts(&data["apiVersions"]));
    let is_about_schemas = is_about_crds && lens.contains("openAPIV3Schema");
    is_about_schemas.then(|| format!("BuiltInSchemaRule {{ bundle: {bundle:?}, api_versions: &{api_versions:?} }}, "))
}

/// Splits `pack.yaml` into what every run reads, and the rest.
fn split(whole: Value) -> (Value, Value) {
    let Value::Object(whole) = whole else { return (Value::Null, Value::Null) };
    let (mut head, mut rest): (Map<_, _>, Map<_, _>) =
        whole.into_iter().partition(|(key, _)| HEAD.contains(&key.as_str()));
    // Both are read as a whole `pack.yaml`, which must have these.
    for key in ["title", "source"] {
        rest.insert(key.to_owned(), head.entry(key).or_insert(Value::Null).clone());
    }
    (Value::Object(head), Value::Object(rest))
}

/// Returns a text, or the texts of a list.
fn texts(value: &Value) -> Vec<&str> {
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    items.iter().filter_map(Value::as_str).collect()
}

//! Lists every pack file under `rules/` for `src/pack/built_in.rs`, YAML files as JSON too, which reads much faster; knows
//! nothing of their content.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("rules");
    println!("cargo::rerun-if-changed=rules");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut code = String::from(
        "/// Every pack file: path under `rules/`, text, the same as JSON where it is YAML.\n\
         static FILES: &[(&str, &str, Option<&str>)] = &[\n",
    );
    for file in files {
        let name = file.strip_prefix(&root).expect("a walk stays in its folder").to_string_lossy().replace('\\', "/");
        let prepared = prepared(&file)?;
        writeln!(code, "    ({name:?}, include_str!({:?}), {prepared:?}),", file.display().to_string())
            .expect("a String takes all text");
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("embedded.rs"), code)
}

/// Writes a YAML file as JSON.
fn prepared(file: &Path) -> io::Result<Option<String>> {
    if file.extension().is_none_or(|extension| extension != "yaml") {
        return Ok(None);
    }
    let wrong = |message: String| io::Error::other(format!("{}: {message}", file.display()));
    let value: serde_json::Value =
        serde_yaml::from_str(&fs::read_to_string(file)?).map_err(|error| wrong(error.to_string()))?;
    serde_json::to_string(&value).map(Some).map_err(|error| wrong(error.to_string()))
}

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

//! Packs of the host. They are chosen once for a process, so this is one test.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use reversion_wasm::{CanonicalRequest, OwnPack, Reason, UsePacksRequest, canonical, use_packs};
use serde_json::json;

/// Reads every file below a folder of the project.
fn files(folder: &Path, below: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder.join(below)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if entry.file_type().unwrap().is_dir() {
            files(folder, &path, found);
        } else {
            found.insert(path.clone(), fs::read_to_string(folder.join(&path)).unwrap());
        }
    }
}

fn pack(name: &str, files: BTreeMap<String, String>) -> UsePacksRequest {
    UsePacksRequest { packs: vec![OwnPack { name: name.to_owned(), files }] }
}

#[test]
fn a_pack_of_the_host_converts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/packs/shops");
    let mut shops = BTreeMap::new();
    files(&folder, "", &mut shops);

    // What is refused chooses nothing.
    for broken in [
        BTreeMap::new(),
        BTreeMap::from([("pack.yaml".to_owned(), "name: [".to_owned())]),
        BTreeMap::from([("pack.yml".to_owned(), String::new())]),
    ] {
        let failure = use_packs(pack("broken", broken)).unwrap_err();
        assert_eq!(failure.reason, Reason::BadPack, "{failure:?}");
        assert!(failure.message.contains("broken"), "{failure:?}");
    }

    let listed = use_packs(pack("shops", shops.clone())).unwrap();
    let own = listed.packs.iter().find(|pack| pack.name == "shops").unwrap();
    assert_eq!((own.title.as_str(), &*own.groups), ("Shops", &["shops.example.com".to_owned()][..]));
    assert!(listed.packs.iter().any(|pack| pack.name == "gateway-api"));
    assert_eq!(use_packs(pack("shops", shops)).unwrap_err().reason, Reason::PacksInUse);
    let object = json!({
        "apiVersion": "shops.example.com/v1beta1", "kind": "Shop", "metadata": {"name": "corner"}, "spec": {"owner": "ann"},
    });
    let made = canonical(CanonicalRequest { to: "shops@2.0.0".to_owned(), object }).unwrap();
    assert_eq!(made.object["apiVersion"], "shops.example.com/v1");
    assert_eq!(made.object["spec"], json!({"owners": ["ann"]}));
    assert_eq!(made.rules, ["shops/v2.0.0/shop-owner-became-owners"]);
}

//! The public interface of the library: `canonicalize` gives what a conversion of files gives, or an error that says why not.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, LazyLock};

use reversion::internals::manifest::{self, Manifest, Reading, Recognizer};
use reversion::internals::plan::{Choices, Outcome};
use reversion::{Canonical, CanonicalizeError, Canonicalizer, canonicalize};
use serde_json::{Value, json};

use crate::support::{engine, packs, root};

fn route(version: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("gateway.networking.k8s.io/{version}"), "kind": "HTTPRoute", "metadata": {"name": "shop"},
        "spec": spec,
    })
}

fn policy(version: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("gateway.networking.k8s.io/{version}"), "kind": "BackendTLSPolicy", "metadata": {"name": "p"},
        "spec": spec,
    })
}

fn old_policy() -> Value {
    let target = json!({"group": "", "kind": "Service", "name": "a"});
    policy(
        "v1alpha2",
        &json!({"targetRef": target, "tls": {"hostname": "a.example.com", "wellKnownCACerts": "System"}}),
    )
}

/// Reads objects as the canonicalizer does, which does not look for what they carry.
fn read(text: &str) -> Option<Manifest> {
    static RECOGNIZER: LazyLock<Recognizer> =
        LazyLock::new(|| Recognizer::new(packs().iter().flat_map(|pack| pack.groups()).map(String::as_str)));
    match manifest::read("object.yaml", text.as_bytes(), &RECOGNIZER) {
        Reading::Manifest(manifest) => Some(*manifest),
        Reading::Irrelevant
        | Reading::Kustomization(_)
        | Reading::Triggered(_)
        | Reading::Template(_)
        | Reading::Failed(_) => None,
    }
}

/// Every object of the fixtures, as data.
fn objects() -> Vec<Value> {
    let walk = walkdir::WalkDir::new(root().join("fixtures")).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = walk.filter(|entry| entry.file_name().to_string_lossy().ends_with(".yaml"));
    let texts = files.filter_map(|entry| fs::read_to_string(entry.path()).ok());
    let manifests: Vec<Manifest> = texts.filter_map(|text| read(&text)).collect();
    let objects =
        manifests.iter().flat_map(|manifest| &manifest.objects).filter(|object| object.inline_patch.is_none());
    objects.filter(|object| !object.read_from.is_instruction()).map(|object| (*object.value).clone()).collect()
}

/// Each object is written to a file of its own, which is converted as `apply` does.
#[test]
fn an_object_becomes_what_a_file_of_it_becomes() {
    let objects = objects();
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for (pack, release) in [("gateway-api", "1.6/standard"), ("gateway-api", "1.4/experimental"), ("ngf", "2.6")] {
        let target = engine::target(&format!("{pack}@{release}"));
        let canonicalizer = Canonicalizer::new(pack, release).unwrap();
        for object in &objects {
            let Some(manifest) = read(&serde_json::to_string_pretty(object).unwrap()) else { continue };
            let planned = engine::plan(target, Choices::default(), std::slice::from_ref(&manifest));
            let made = canonicalizer.convert(object.clone());
            let is_newest = release != "1.4/experimental";
            assert!(!is_newest || !matches!(made, Err(CanonicalizeError::Newer { .. })), "{object}: {made:?}");
            // Patches in the object are objects of the file too.
            let planned = planned.objects.iter().find(|one| one.is_recognized && object["kind"] == *one.from.0.kind);
            let outcome = check(object, &made, planned.map(|one| (one.outcome, &*one.data.as_ref().unwrap().after)));
            *outcomes.entry(outcome).or_default() += 1;
            if let Ok(Canonical { object, .. }) = made {
                let again = canonicalizer.convert(object.clone());
                assert!(matches!(&again, Ok(again) if again.object == object), "{object}: {again:?}");
            }
        }
    }
    for (outcome, least) in [("converted", 1000), ("newer", 50), ("held back", 100), ("unknown", 100), ("others", 10)] {
        assert!(outcomes.get(outcome).is_some_and(|count| *count >= least), "{outcome}: {outcomes:?}");
    }
}

/// Compares the result for one object with the outcome in a plan of its file, and names it.
fn check(
    object: &Value,
    made: &Result<Canonical, CanonicalizeError>,
    planned: Option<(Outcome, &Value)>,
) -> &'static str {
    match (made, planned) {
        (Ok(canonical), Some((Outcome::Changed | Outcome::Unchanged, after))) => {
            assert_eq!(&canonical.object, after, "{object}");
            "converted"
        }
        (Ok(canonical), None) => {
            assert_eq!(&canonical.object, object);
            "not planned"
        }
        (Err(CanonicalizeError::Newer { .. }), _) => "newer",
        (Err(CanonicalizeError::DependsOnOthers), _) => "others",
        (Err(CanonicalizeError::UnknownKind { .. } | CanonicalizeError::NotAnObject), None) => "unknown",
        // Of an object that no pack knows, files follow the references.
        (Err(CanonicalizeError::UnknownKind { kind }), Some(_)) if kind.ends_with(".example.com") => "unknown",
        (
            Err(
                CanonicalizeError::Loss { .. }
                | CanonicalizeError::Conflict { .. }
                | CanonicalizeError::HeldBack { .. },
            ),
            Some((Outcome::HeldBack, _)),
        ) => "held back",
        (made, planned) => panic!("{object}: {made:?}, but a file of it: {planned:?}"),
    }
}

#[test]
fn an_older_object_becomes_a_newer_one_with_the_rules_that_ran() {
    let canonical = canonicalize(old_policy(), "gateway-api", "1.4/experimental").unwrap();
    let target = json!([{"group": "", "kind": "Service", "name": "a"}]);
    let spec =
        json!({"validation": {"hostname": "a.example.com", "wellKnownCACertificates": "System"}, "targetRefs": target});
    assert_eq!(canonical.object, policy("v1", &spec));
    let mut rules = canonical.rules;
    rules.sort();
    let renamed = "gateway-api/v1.1.0/backendtlspolicy-tls-renamed-to-validation";
    assert_eq!(rules, ["gateway-api/v1.1.0/backendtlspolicy-targetref-became-targetrefs", renamed]);
}

/// What the user of the program can choose is what the pack has as its default.
#[test]
fn a_changed_default_is_adopted_where_the_pack_says_so() {
    let certificate = json!({
        "apiVersion": "cert-manager.io/v1alpha2",
        "kind": "Certificate",
        "metadata": {"name": "a"},
        "spec": {"secretName": "a", "dnsNames": ["a.example.com"], "issuerRef": {"name": "b"}},
    });
    let canonical = canonicalize(certificate, "cert-manager", "1.20").unwrap();
    assert_eq!(canonical.object["apiVersion"], "cert-manager.io/v1");
    assert_eq!(canonical.object["spec"].get("privateKey"), None);
}

#[test]
fn a_newer_object_is_refused() {
    for (object, release) in [
        (policy("v1alpha3", &json!({"targetRefs": [], "validation": {"hostname": "a"}})), "1.0/experimental"),
        (route("v1", &json!({})), "0.8/standard"),
    ] {
        let error = canonicalize(object, "gateway-api", release).unwrap_err();
        assert!(matches!(&error, CanonicalizeError::Newer { releases } if releases.contains("v1.")), "{error:?}");
        assert!(error.to_string().starts_with("the object is for a newer release: "), "{error}");
    }
    // Nothing in it shows that it is newer.
    assert!(canonicalize(route("v1beta1", &json!({})), "gateway-api", "0.8/standard").is_ok());
}

#[test]
fn what_cannot_be_converted_is_an_error_of_its_own() {
    let standard = Canonicalizer::new("gateway-api", "1.4").unwrap();
    assert_eq!(standard.release(), "gateway-api@1.4.1/standard");
    let retry = route("v1", &json!({"rules": [{"retry": {"attempts": 3}}]}));
    match standard.convert(retry).unwrap_err() {
        CanonicalizeError::Loss { losses } => {
            assert_eq!(losses.len(), 1);
            assert_eq!((losses[0].code, losses[0].field.as_str()), ("dropped-field", "spec.rules[0].retry"));
        }
        other => panic!("{other:?}"),
    }
    let mut both = old_policy();
    both["spec"]["validation"] = json!({"hostname": "b.example.com"});
    let conflict = canonicalize(both, "gateway-api", "1.4/experimental").unwrap_err();
    assert!(matches!(&conflict, CanonicalizeError::Conflict { conflicts } if !conflicts.is_empty()), "{conflict:?}");
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}});
    assert_eq!(standard.convert(service), Err(CanonicalizeError::UnknownKind { kind: "Service".to_owned() }));
    let misspelled = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HttpRoute"});
    let kind = "HttpRoute.gateway.networking.k8s.io".to_owned();
    assert_eq!(standard.convert(misspelled), Err(CanonicalizeError::UnknownKind { kind }));
    for value in [json!(null), json!([]), json!({"kind": "HTTPRoute"}), json!({"apiVersion": 1, "kind": "HTTPRoute"})] {
        assert_eq!(standard.convert(value), Err(CanonicalizeError::NotAnObject));
    }
    for (pack, release) in [("gateway-ap", "1.4"), ("gateway-api", "9.9"), ("gateway-api", "1.4/beta")] {
        let error = canonicalize(json!({}), pack, release).unwrap_err();
        assert!(matches!(&error, CanonicalizeError::UnknownRelease { message } if !message.is_empty()), "{error:?}");
    }
}

#[test]
fn an_object_that_becomes_two_is_refused() {
    let provider = json!({"instanceProfile": "a", "subnetSelector": {"a": "b"}, "securityGroupSelector": {"a": "b"}});
    let spec = json!({"provider": provider});
    let metadata = json!({"name": "a"});
    let object =
        json!({"apiVersion": "karpenter.sh/v1alpha5", "kind": "Provisioner", "metadata": metadata, "spec": spec});
    match canonicalize(object, "karpenter", "0.32.2").unwrap_err() {
        CanonicalizeError::HeldBack { reasons } => assert_eq!(reasons[0].code, "object-split"),
        other => panic!("{other:?}"),
    }
}

/// The object that is named may have been converted elsewhere, so that a reference is followed and listed.
#[test]
fn references_to_renamed_kinds_are_followed_and_listed() {
    let parent =
        |group: &str, kind: &str| route("v1", &json!({"parentRefs": [{"group": group, "kind": kind, "name": "a"}]}));
    let before = parent("gateway.networking.x-k8s.io", "XListenerSet");
    let canonical = canonicalize(before, "gateway-api", "1.6").unwrap();
    assert_eq!(canonical.object, parent("gateway.networking.k8s.io", "ListenerSet"));
    assert_eq!(canonical.renamed_references, ["spec.parentRefs[0]"]);
}

#[test]
fn one_canonicalizer_serves_several_threads() {
    let canonicalizer = Arc::new(Canonicalizer::new("gateway-api", "1.4/experimental").unwrap());
    let expected = canonicalizer.convert(old_policy()).unwrap();
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let canonicalizer = Arc::clone(&canonicalizer);
            std::thread::spawn(move || (0..100).map(|_| canonicalizer.convert(old_policy())).collect::<Vec<_>>())
        })
        .collect();
    for thread in threads {
        assert!(thread.join().unwrap().iter().all(|made| made.as_ref() == Ok(&expected)));
    }
}

/// What other programs can use is listed in `public_api.txt`: a change of it is a decision, and is written there.
#[test]
fn the_public_interface_is_the_listed_one() {
    let table = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let lines: Vec<&str> = table.lines().filter(|line| !line.starts_with("//") && !line.is_empty()).collect();
    let mut found = String::new();
    for (at, line) in lines.iter().enumerate() {
        let is_hidden = at > 0 && lines[at - 1] == "#[doc(hidden)]";
        assert!(line.starts_with("#[") || line.starts_with("#![") || line.ends_with(';'), "{line}");
        if line.starts_with("pub ") && !is_hidden {
            found.push_str(line);
            found.push('\n');
        }
    }
    found.push_str(&interface(&fs::read_to_string(root().join("src/engine/canonical.rs")).unwrap()));
    let listed = fs::read_to_string(root().join("tests/public_api.txt")).unwrap();
    assert_eq!(found, listed, "tests/public_api.txt differs from what src/lib.rs and src/engine/canonical.rs publish");
}

/// Returns the public items of a source text: types whole, functions without their bodies, and the traits that types have.
fn interface(source: &str) -> String {
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let (mut found, mut kept) = (String::new(), None);
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        let code = line.trim_start();
        let is_type = code.starts_with("pub struct") || code.starts_with("pub enum");
        let is_function = code.starts_with("pub fn") || code.starts_with("pub const fn");
        if kept.is_none() && (is_type || is_function) {
            kept = Some((indent, is_function));
        }
        let is_note = code.starts_with("#[derive") || code == "#[non_exhaustive]" || code.starts_with("impl ");
        match kept {
            Some((start, is_function)) => {
                let ends = if is_function { code.ends_with('{') } else { indent == start && code == "}" };
                let is_private = !is_function && code.contains(": ") && indent > start && !code.starts_with("pub ");
                if !is_private || line.starts_with("        ") {
                    found.push_str(line.strip_suffix(" {").filter(|_| is_function).unwrap_or(line));
                    found.push('\n');
                }
                kept = kept.filter(|_| !ends);
            }
            None if is_note => {
                found.push_str(line);
                found.push('\n');
            }
            None => {}
        }
    }
    found
}

//! The calls as a host makes them, without a host.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use reversion_wasm::{
    ABI_VERSION, reversion_abi_version, reversion_allocate, reversion_canonical, reversion_convert, reversion_failure,
    reversion_free, reversion_infer, reversion_length, reversion_packs, reversion_use_packs, taken, with_text,
};
use serde_json::{Value, json};

type Export = extern "C" fn(usize) -> usize;

/// Makes a call and reads its answer.
fn call(export: Export, request: &Value) -> Value {
    call_with(export, with_text(request.to_string()))
}

fn call_with(export: Export, request: usize) -> Value {
    let answer = export(request);
    assert_eq!(reversion_length(request), 0, "the call takes its request");
    let bytes = taken(answer).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn policy(version: &str, spec: &Value) -> Value {
    let version = format!("gateway.networking.k8s.io/{version}");
    json!({"apiVersion": version, "kind": "BackendTLSPolicy", "metadata": {"name": "p"}, "spec": spec})
}

fn old_policy() -> Value {
    let target = json!({"group": "", "kind": "Service", "name": "a"});
    let tls = json!({"hostname": "a.example.com", "wellKnownCACerts": "System"});
    policy("v1alpha2", &json!({"targetRef": target, "tls": tls}))
}

fn new_policy() -> Value {
    let target = json!({"group": "", "kind": "Service", "name": "a"});
    let validation = json!({"hostname": "a.example.com", "wellKnownCACertificates": "System"});
    policy("v1", &json!({"targetRefs": [target], "validation": validation}))
}

/// Makes a call that fails, and returns the reason and the message.
fn refused(export: Export, request: &Value) -> (String, String) {
    let answer = call(export, request);
    let text = |key: &str| answer["error"][key].as_str().unwrap().to_owned();
    (text("reason"), text("message"))
}

#[test]
fn an_object_is_converted_as_by_the_library() {
    assert_eq!(reversion_abi_version(), ABI_VERSION);
    let answer = call(reversion_canonical, &json!({"to": "gateway-api@1.4/standard", "object": old_policy()}));
    let expected = json!({"ok": {
        "object": new_policy(),
        "release": "gateway-api@1.4.1/standard",
        "rules": [
            "gateway-api/v1.1.0/backendtlspolicy-targetref-became-targetrefs",
            "gateway-api/v1.1.0/backendtlspolicy-tls-renamed-to-validation",
        ],
        "renamedReferences": [],
        "warnings": [],
    }});
    assert_eq!(answer, expected);
    let keys: Vec<&String> = answer["ok"]["object"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["apiVersion", "kind", "metadata", "spec"], "the keys keep their order");
    // The same release by another name.
    let again = call(reversion_canonical, &json!({"to": "gateway-api@v1.4.1", "object": new_policy()}));
    assert_eq!((&again["ok"]["object"], &again["ok"]["rules"]), (&new_policy(), &json!([])));
}

#[test]
fn what_is_newer_than_the_module_is_told() {
    let warned = |object: Value| {
        let answer = call(reversion_canonical, &json!({"to": "gateway-api@latest", "object": object}));
        let warnings = answer["ok"]["warnings"].as_array().unwrap().clone();
        warnings.iter().map(|warning| warning["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut with_field = new_policy();
    with_field["spec"]["validation"]["laterField"] = json!(true);
    assert_eq!(warned(with_field), ["unknown-field"]);
    assert_eq!(warned(policy("v2", &new_policy()["spec"])), ["unknown-api-version"]);
    assert!(warned(new_policy()).is_empty());
}

#[test]
fn each_refusal_has_a_reason() {
    let to = |release: &str, object: &Value| json!({"to": release, "object": object});
    let mut both = old_policy();
    both["spec"]["validation"] = json!({"hostname": "b.example.com"});
    let retry = json!({"rules": [{"retry": {"attempts": 3}}]});
    let route = json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": {"name": "a"}, "spec": retry,
    });
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}});
    let subnets = json!({"instanceProfile": "a", "subnetSelector": {"a": "b"}, "securityGroupSelector": {"a": "b"}});
    let provisioner = json!({
        "apiVersion": "karpenter.sh/v1alpha5", "kind": "Provisioner", "metadata": {"name": "a"}, "spec": {"provider": subnets},
    });
    let cases = [
        (to("gateway-api@9.9", &old_policy()), "unknown-release"),
        (to("gateway-ap@1.4", &old_policy()), "unknown-release"),
        (to("gateway-api@1.4", &json!({"kind": "HTTPRoute"})), "not-an-object"),
        (to("gateway-api@1.4", &service), "unknown-kind"),
        (to("gateway-api@1.0/experimental", &new_policy()), "newer"),
        (to("gateway-api@1.4", &route), "loss"),
        (to("gateway-api@1.4", &both), "conflict"),
        (to("karpenter@0.32.2", &provisioner), "held-back"),
        (json!({"to": "gateway-api@1.4"}), "bad-request"),
        (json!({"to": "gateway-api@1.4", "object": {}, "release": "1.4"}), "bad-request"),
        (json!([]), "bad-request"),
    ];
    for (request, reason) in cases {
        let (found, message) = refused(reversion_canonical, &request);
        assert_eq!(found, reason, "{request}: {message}");
        assert!(!message.is_empty());
    }
    let newer = call(reversion_canonical, &to("gateway-api@1.0/experimental", &new_policy()));
    assert!(newer["error"]["releases"].as_str().unwrap().contains("v1.4.0"), "{newer}");
    let loss = call(reversion_canonical, &to("gateway-api@1.4", &route));
    let remark = &loss["error"]["remarks"][0];
    assert_eq!((&remark["code"], &remark["field"]), (&json!("dropped-field"), &json!("spec.rules[0].retry")));
}

#[test]
fn a_request_that_is_none_is_refused() {
    let none = refused(reversion_infer, &json!(null)).0;
    assert_eq!(none, "bad-request");
    let answer = call_with(reversion_convert, 12345);
    assert_eq!(answer["error"]["message"], "there is no request at that address");
    // A buffer that the host never filled.
    let answer = call_with(reversion_convert, reversion_allocate(3));
    assert_eq!(answer["error"]["reason"], "bad-request");
    let deep = "[".repeat(100_000);
    let answer =
        call_with(reversion_canonical, with_text(format!("{{\"to\": \"gateway-api@1.4\", \"object\": {deep}")));
    assert!(answer["error"]["message"].as_str().unwrap().contains("recursion limit"), "{answer}");
    reversion_free(12345);
    let said = taken(reversion_failure()).unwrap();
    assert!(said.is_empty(), "every call returned");
}

const TEXT: &str = "# Of the shop\nkind: BackendTLSPolicy\napiVersion: gateway.networking.k8s.io/v1alpha2\nmetadata:\n  name: a # serves HTTPS\n\
    spec:\n  targetRef: {group: \"\", kind: Service, name: a}\n  tls:\n    hostname: a.example.com\n    wellKnownCACerts: System\n";

#[test]
fn a_text_keeps_what_does_not_change() {
    let answer = call(reversion_convert, &json!({"text": TEXT, "to": "gateway-api@1.4/standard"}));
    let made = &answer["ok"];
    assert_eq!(made["state"], "changed");
    let text = made["text"].as_str().unwrap();
    assert!(
        text.starts_with("# Of the shop\nkind: BackendTLSPolicy\napiVersion: gateway.networking.k8s.io/v1\n"),
        "{text}"
    );
    assert!(text.contains("\n  name: a # serves HTTPS\n") && text.contains("wellKnownCACertificates: System\n"));
    assert_eq!(made["targets"], json!(["gateway-api@1.4.1/standard"]));
    assert_eq!((&made["summary"]["changed"], &made["summary"]["unresolved"]), (&json!(1), &json!(0)));
    assert_eq!(made["objects"][0]["outcome"], "changed");
    assert_eq!(made["objects"][0]["location"], json!({"file": "-", "line": 2, "column": 1}));
    // The patch leads from the data before to the data after.
    assert_eq!(made["objects"][0]["patch"][0]["op"], "replace");
    let unchanged = call(reversion_convert, &json!({"text": text, "to": "gateway-api@1.4/standard"}));
    assert_eq!((&unchanged["ok"]["state"], &unchanged["ok"]["text"]), (&json!("unchanged"), &json!(text)));
}

#[test]
fn a_loss_is_held_back_allowed_or_kept() {
    let text = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata:\n  name: a\nspec:\n  rules:\n  - retry:\n      attempts: 3\n";
    let with = |choice: Value| {
        let mut request = json!({"text": text, "to": "gateway-api@1.4/standard"});
        request.as_object_mut().unwrap().extend(choice.as_object().unwrap().clone());
        call(reversion_convert, &request)["ok"].clone()
    };
    let held = with(json!({}));
    assert_eq!((&held["state"], &held["text"]), (&json!("held-back"), &json!(text)));
    assert_eq!(held["objects"][0]["findings"][0]["code"], "dropped-field");
    for losses in [json!(["all"]), json!(["dropped-field"])] {
        let lossy = with(json!({"allowLoss": losses}));
        assert!(lossy["state"] == "changed" && !lossy["text"].as_str().unwrap().contains("retry"), "{lossy}");
    }
    assert_eq!(with(json!({"allowLoss": ["too-many-items"]}))["state"], "held-back");
    let kept = with(json!({"stash": true}));
    assert!(kept["text"].as_str().unwrap().contains("reversion.dev/stash"), "{kept}");
    let text = json!({"text": text, "to": "gateway-api@1.4", "allowLoss": ["dropped"]});
    let (reason, message) = refused(reversion_convert, &text);
    assert!(
        reason == "bad-request" && message.starts_with("allowLoss: `dropped` is not the code of a loss; "),
        "{message}"
    );
}

#[test]
fn a_text_without_objects_is_nothing_and_a_broken_one_fails() {
    let state =
        |text: &str| call(reversion_convert, &json!({"text": text, "to": "gateway-api@1.4"}))["ok"]["state"].clone();
    assert_eq!([state(""), state(" \n"), state("kind: A\n")], ["empty", "empty", "nothing"]);
    assert_eq!(state("apiVersion: gateway.networking.k8s.io/v1\nkind: [\n"), "failed");
    // What only a person can decide is counted, whatever becomes of the rest.
    let template = format!("{TEXT}  later: {{{{ .Values.later }}}}\n");
    let template = call(reversion_convert, &json!({"text": template, "to": "gateway-api@1.4"}));
    assert_eq!((&template["ok"]["state"], &template["ok"]["summary"]["unresolved"]), (&json!("nothing"), &json!(1)));
    let broken = call(reversion_infer, &json!({"text": "apiVersion: gateway.networking.k8s.io/v1\nkind: [\n"}));
    assert_eq!(broken["ok"]["findings"][0]["code"], "parse-error");
    assert_eq!(
        refused(reversion_convert, &json!({"text": "", "to": "gateway-api@1.4", "from": "ngf@9"})).0,
        "unknown-release"
    );
}

/// A text is a run of its own: what its objects have in common shows the releases that they come from.
#[test]
fn where_objects_come_from_is_asked_only_if_the_text_does_not_show_it() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2beta1\nkind: HelmRelease\nmetadata:\n  name: a\nspec:\n  interval: 5m\n  \
        chart:\n    spec:\n      chart: a\n      sourceRef:\n        kind: HelmRepository\n        name: a\n";
    let asks = |request: Value| call(reversion_convert, &request).to_string().contains("--from");
    assert!(asks(json!({"text": release, "to": "flux@2.8.0"})));
    assert!(!asks(json!({"text": release, "to": "flux@2.8.0", "from": "flux@2.2.0"})));
    // Only Flux v2.3.0 and newer serve v2, and the limit of the history is that of v2.2.0.
    let newer = release.replace("/v2beta1", "/v2").replace("name: a\nspec", "name: b\nspec");
    assert!(!asks(json!({"text": format!("{release}---\n{newer}"), "to": "flux@2.8.0"})));
}

#[test]
fn evidence_has_its_place() {
    let answer = call(reversion_infer, &json!({"text": TEXT}));
    let object = &answer["ok"]["objects"][0];
    assert_eq!((&object["pack"], &object["conflict"]), (&json!("gateway-api"), &json!(false)));
    assert_eq!(object["releases"], json!([{"channel": "experimental", "first": "v1.0.0", "last": "v1.0.0"}]));
    let evidence = object["evidence"].as_array().unwrap();
    let target = evidence.iter().find(|one| one["field"] == "spec.targetRef").unwrap();
    assert_eq!(target["location"]["line"], 7);
    // JSON is YAML.
    let again = call(reversion_infer, &json!({"text": old_policy().to_string()}));
    assert_eq!(again["ok"]["objects"][0]["releases"], object["releases"]);
}

#[test]
fn packs_are_listed_with_the_newest_release_first() {
    let listed = call(reversion_packs, &json!({}))["ok"].clone();
    let program = include_str!("../../../Cargo.toml");
    assert!(program.contains(&format!("\nversion = {}\n", listed["version"])), "the version is that of the program");
    let packs = listed["packs"].as_array().unwrap();
    let gateway = packs.iter().find(|pack| pack["name"] == "gateway-api").unwrap();
    assert_eq!(
        (&gateway["title"], &gateway["groups"][0]),
        (&json!("Gateway API"), &json!("gateway.networking.k8s.io"))
    );
    assert_eq!(gateway["releases"][0]["channels"], json!(["standard", "experimental"]));
    for pack in packs {
        let releases = pack["releases"].as_array().unwrap();
        assert!(
            releases.iter().any(|release| release["name"] == pack["newest"]),
            "{}: {}",
            pack["name"],
            pack["newest"]
        );
        // Every release that is listed is a target.
        for release in releases {
            let to = format!("{}@{}", pack["name"].as_str().unwrap(), release["name"].as_str().unwrap());
            let channels = release["channels"].as_array().unwrap();
            for to in channels.iter().map(|channel| format!("{to}/{}", channel.as_str().unwrap())).chain([to.clone()]) {
                let answer = call(reversion_convert, &json!({"text": "kind: A\n", "to": to}));
                assert_eq!(answer["ok"]["state"], "nothing", "{to}: {answer}");
            }
        }
    }
    let (reason, message) = refused(reversion_use_packs, &json!({"packs": []}));
    assert_eq!((reason.as_str(), message.as_str()), ("packs-in-use", "packs are chosen once, before any other call"));
}

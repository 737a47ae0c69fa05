//! Fields that an object has in two spellings.

use crate::support::trees::Tree;

#[test]
fn two_spellings_of_one_field_hold_an_object_back_in_both_directions() {
    let service = "apiVersion: networking.istio.io/v1beta1\nkind: VirtualService\nmetadata: {name: reviews}\nspec:\n  hosts: [ratings]\n  http:\n  - corsPolicy:\n      allowOrigin: [https://a.example]\n      allow_origin: [https://b.example]\n    route:\n    - destination: {host: ratings}\n";
    for (release, code) in [("istio@1.4.0", "not-convertible"), ("istio@1.6.0", "conflicting-fields")] {
        let run = Tree::of(&[("a.yaml", service)]).run(&["check", "--to", release]);
        run.check(1);
        assert!(run.out.contains(&format!("a.yaml:9:7: held-back[{code}] VirtualService reviews")), "{}", run.out);
    }
}

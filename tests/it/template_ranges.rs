//! Items that a `range` prints: readings print one turn of it, a chart any number.

use super::templates::{converts, held};

/// A block of the same condition has the next byte that both branches print.
#[test]
fn what_is_inserted_into_an_item_of_a_range_stays_in_it() {
    let item = |path: &str, new: bool| {
        let backend = match new {
            false => "          serviceName: lit\n          servicePort: 80\n",
            true => "          service:\n            name: lit\n            port:\n              number: 80\n",
        };
        format!("      - backend:\n{backend}{path}")
    };
    let chart = |new: bool| {
        let (version, after) = if new { ("v1", "        pathType: ImplementationSpecific\n") } else { ("v1beta1", "") };
        let chosen = format!(
            "        {{{{- if $.Values.a }}}}\n        path: {{{{ $.Values.p }}}}\n{after}        {{{{- else }}}}\n        path: /{{{{ $.Values.p }}}}\n{after}        {{{{- end }}}}\n"
        );
        let literal = format!("        path: /lit\n{after}");
        let (chosen, literal) = (item(&chosen, new), item(&literal, new));
        format!(
            "apiVersion: networking.k8s.io/{version}\nkind: Ingress\nmetadata: {{name: a}}\nspec:\n  rules:\n  - http:\n      paths:\n      {{{{- range .Values.lo }}}}\n{chosen}      {{{{- end }}}}\n      {{{{- range .Values.lo }}}}\n{literal}      {{{{- end }}}}\n=== values.yaml\na: true\np: /p\nlo: [1, 2]\n"
        )
    };
    converts(&chart(false), &chart(true));
}

/// Only the last item goes on there, and the others are without what is written behind it.
#[test]
fn an_item_that_goes_on_behind_its_range_is_held_back() {
    let chart = |paths: &str| {
        format!(
            "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {{name: a}}\nspec:\n  rules:\n  - http:\n      paths:\n      {{{{- if .Values.l }}}}\n{paths}      {{{{- end }}}}\n=== values.yaml\nl: [1, 2]\n"
        )
    };
    for paths in [
        "      {{- range .Values.l }}\n      - path: /a\n        backend:\n          serviceName: a\n          servicePort: 80\n      {{- end }}\n        pathType: Prefix\n",
        "      {{- range .Values.l }}\n      - backend:\n      {{- end }}\n          serviceName: a\n          servicePort: 80\n",
    ] {
        held(
            &chart(paths),
            "templates/a.yaml:9:7: held-back[template-action] Ingress a",
            "`{{- range .Values.l }}` stands in what must change",
        );
    }
}

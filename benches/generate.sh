# The trees that scripts of this folder measure: the same bytes for the same arguments. Sourced, not run.

# generate FOLDER FILES CHANGING-PER-HUNDRED: one document each; FOLDER `-` writes them all to standard output.
generate() {
  awk -v folder="$1" -v files="$2" -v changing="$3" '
    function lines(kind, version, name) {
      text = "apiVersion: " version "\nkind: " kind "\nmetadata:\n  name: " name "  # kept by the platform team\n  namespace: shop\n"
    }
    BEGIN {
      for (file = 0; file < files; file++) {
        name = "app-" file; share = file % 100
        if (share < changing && file % 2) {
          lines("BackendTLSPolicy", "gateway.networking.k8s.io/v1alpha2", name)
          text = text "spec:\n  targetRef:\n    group: \"\"\n    kind: Service\n    name: " name "\n  tls:\n    hostname: " name ".example.com\n    caCertRefs:\n    - group: \"\"\n      kind: ConfigMap\n      name: ca\n"
        } else if (share < changing + 10) {
          lines("HTTPRoute", "gateway.networking.k8s.io/" (share < changing ? "v1beta1" : "v1"), name)
          text = text "spec:\n  parentRefs:\n  - name: web\n  hostnames:\n  - " name ".example.com\n  rules:\n  - matches:\n    - path:\n        type: PathPrefix\n        value: /" name "\n    backendRefs:\n    - name: " name "\n      port: 8080\n"
        } else {
          lines("Deployment", "apps/v1", name)
          text = text "spec:\n  replicas: 2\n  selector:\n    matchLabels: {app: " name "}\n  template:\n    metadata:\n      labels: {app: " name "}\n    spec:\n      containers:\n"
          for (one = 0; one < 6; one++)
            text = text "      - name: part-" one "\n        image: registry.example.com/" name "/part-" one ":1.2.3\n        ports:\n        - containerPort: 80" one "0\n        env:\n        - name: MODE\n          value: \"" share "\"\n        resources:\n          requests: {cpu: 100m, memory: 128Mi}\n"
        }
        if (folder == "-") { printf "---\n%s", text; continue }
        if (file % 100 == 0) { place = folder "/team-" file / 100; system("mkdir -p " place) }
        path = place "/" name ".yaml"
        printf "%s", text > path
        close(path)
      }
    }'
}

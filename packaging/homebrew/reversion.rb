class Reversion < Formula
  desc "Convert Kubernetes manifests to another release of their API, in place"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/reversion-v@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/reversion-v@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/reversion-v@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/reversion-v@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "reversion"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/reversion.bash" => "reversion"
    zsh_completion.install "completions/_reversion"
    fish_completion.install "completions/reversion.fish"
  end

  test do
    (testpath/"route.yaml").write <<~YAML
      apiVersion: gateway.networking.k8s.io/v1beta1
      kind: HTTPRoute
      metadata: {name: shop}
    YAML
    assert_match "gateway.networking.k8s.io/v1", shell_output("#{bin}/reversion check --to gateway-api@1.4 route.yaml", 1)
  end
end

package reversion

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/OWNER/reversion/bindings/go/internal/moduletest"
)

// start starts the module.
func start(t testing.TB, packs ...Pack) *Reversion {
	t.Helper()
	module := moduletest.Read(t, filepath.Join("..", "wasm"))
	r, err := New(context.Background(), module, packs...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

const (
	oldPolicy = `{"apiVersion":"gateway.networking.k8s.io/v1alpha2","kind":"BackendTLSPolicy","metadata":{"name":"a"},"spec":` +
		`{"targetRef":{"group":"","kind":"Service","name":"a"},"tls":{"hostname":"a.example.com","wellKnownCACerts":"System"}}}`
	newPolicy = `{"apiVersion":"gateway.networking.k8s.io/v1","kind":"BackendTLSPolicy","metadata":{"name":"a"},"spec":` +
		`{"targetRefs":[{"group":"","kind":"Service","name":"a"}],"validation":{"hostname":"a.example.com","wellKnownCACertificates":"System"}}}`
)

// same compares what two texts of JSON hold.
func same(t *testing.T, got json.RawMessage, want string) {
	t.Helper()
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		t.Fatalf("no JSON: %s", got)
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		t.Errorf("got %s, want %s", x, y)
	}
}

func TestARefusalHasItsReason(t *testing.T) {
	r := start(t)
	_, err := r.Canonical(context.Background(), json.RawMessage(newPolicy), "gateway-api@1.0/experimental")
	var refused *Error
	if !errors.As(err, &refused) || refused.Reason != "newer" || !strings.Contains(refused.Releases, "v1.4.0") {
		t.Errorf("got %#v", err)
	}
	if _, err = r.Convert(context.Background(), Request{To: "gateway-api@9"}); !errors.As(err, &refused) || refused.Reason != "unknown-release" {
		t.Errorf("got %#v", err)
	}
}

func TestATextKeepsWhatDoesNotChange(t *testing.T) {
	r := start(t)
	text := "# é\napiVersion: gateway.networking.k8s.io/v1beta1 # old\nkind: HTTPRoute\nmetadata: {name: a}\n"
	made, err := r.Convert(context.Background(), Request{Text: text, To: "gateway-api@1.4"})
	if err != nil || made.State != "changed" || made.Text != strings.Replace(text, "v1beta1", "v1", 1) || len(made.Objects) != 1 || made.Summary.Changed != 1 {
		t.Errorf("got %+v, %v", made, err)
	}
	inferred, err := r.Infer(context.Background(), text)
	if err != nil || len(inferred.Objects) != 1 || len(inferred.Findings) != 0 {
		t.Errorf("got %+v, %v", inferred, err)
	}
}

func TestAPackOfOnesOwnConverts(t *testing.T) {
	folder := filepath.Join("..", "..", "fixtures", "packs", "shops")
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Pack{Name: "shops", Files: files})
	shop := `{"apiVersion":"shops.example.com/v1beta1","kind":"Shop","metadata":{"name":"a"},"spec":{"owner":"ann"}}`
	made, err := r.Canonical(context.Background(), json.RawMessage(shop), "shops@2.0.0")
	if err != nil {
		t.Fatal(err)
	}
	same(t, made.Object, `{"apiVersion":"shops.example.com/v1","kind":"Shop","metadata":{"name":"a"},"spec":{"owners":["ann"]}}`)
}

func BenchmarkCanonical(b *testing.B) {
	r := start(b)
	for i := 0; i < b.N; i++ {
		if _, err := r.Canonical(context.Background(), json.RawMessage(oldPolicy), "gateway-api@1.6/standard"); err != nil {
			b.Fatal(err)
		}
	}
}

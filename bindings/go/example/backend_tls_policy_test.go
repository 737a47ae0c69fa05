package example

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	reversion "github.com/OWNER/reversion/bindings/go"
	"github.com/OWNER/reversion/bindings/go/internal/moduletest"
)

// start starts the module.
func start(t *testing.T) *reversion.Reversion {
	t.Helper()
	module := moduletest.Read(t, filepath.Join("..", "..", "wasm"))
	r, err := reversion.New(context.Background(), module)
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

func TestAPolicyOfAnyReleaseIsAdapted(t *testing.T) {
	r := start(t)
	for _, policy := range []string{
		oldPolicy,
		strings.Replace(newPolicy, "/v1", "/v1alpha3", 1),
		newPolicy,
	} {
		made, err := AdaptBackendTLSPolicy(context.Background(), r, json.RawMessage(policy))
		if err != nil {
			t.Fatal(err)
		}
		if string(made) != newPolicy {
			t.Errorf("got %s", made)
		}
	}
}

func TestANewerPolicyIsRefused(t *testing.T) {
	r := start(t)
	for _, policy := range []string{
		strings.Replace(newPolicy, "/v1", "/v2", 1),
		strings.Replace(newPolicy, `"hostname"`, `"laterField":true,"hostname"`, 1),
	} {
		if made, err := AdaptBackendTLSPolicy(context.Background(), r, json.RawMessage(policy)); !errors.Is(err, ErrTooNew) {
			t.Errorf("got %s, %v", made, err)
		}
	}
}

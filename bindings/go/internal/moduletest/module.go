// Package moduletest reads the module for tests.
package moduletest

import (
	"os"
	"path/filepath"
	"testing"
)

// Read returns the module that bindings/wasm/build.sh made, wasm being that folder; without it the test is skipped.
func Read(t testing.TB, wasm string) []byte {
	t.Helper()
	module, err := os.ReadFile(filepath.Join(wasm, "dist", "reversion.wasm"))
	if err != nil {
		t.Skipf("skipped: %v; bindings/wasm/build.sh builds it", err)
	}
	return module
}

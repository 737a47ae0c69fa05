// Package example shows how a controller takes objects of any release of an API.
package example

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	reversion "github.com/OWNER/reversion/bindings/go"
)

// release is what the controller is written for.
const release = "gateway-api@1.6/standard"

// ErrTooNew is a BackendTLSPolicy that is newer than what the controller is written for.
var ErrTooNew = errors.New("newer than this controller knows")

// AdaptBackendTLSPolicy returns a BackendTLSPolicy, as JSON, as v1 has it, whichever release of Gateway API it was written for.
// One that is newer is ErrTooNew, and one that v1 cannot hold is a *reversion.Error.
func AdaptBackendTLSPolicy(ctx context.Context, r *reversion.Reversion, policy json.RawMessage) (json.RawMessage, error) {
	made, err := r.Canonical(ctx, policy, release)
	var refused *reversion.Error
	if errors.As(err, &refused) && refused.Reason == "newer" {
		return nil, fmt.Errorf("%w: %w", ErrTooNew, err)
	}
	if err != nil {
		return nil, err
	}
	for _, warning := range made.Warnings {
		// No release has it that the module knows.
		if warning.Code == "unknown-api-version" || warning.Code == "unknown-field" {
			return nil, fmt.Errorf("%w: %s", ErrTooNew, warning.Message)
		}
	}
	return made.Object, nil
}

// Package reversion converts Kubernetes objects and manifests to another release of their API, with the module reversion.wasm.
//
// Everything happens in memory, in a sandbox that can reach nothing. One Reversion serves any number of goroutines, one call at a time.
package reversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

const abiVersion = 1

// Error is a call that was not carried out.
type Error struct {
	Reason   string // for programs, such as "newer", "loss" or "unknown-kind"
	Message  string
	Remarks  []Remark // about fields of the object
	Releases string   // those that the object can be for, where they are newer
}

func (e *Error) Error() string { return e.Message }

// Remark is what there is to say about a field; without a field, about the whole object.
type Remark struct{ Code, Field, Message string }

// Canonical is an object in the release that was asked for.
type Canonical struct {
	Object                   json.RawMessage
	Release                  string
	Rules, RenamedReferences []string
	Warnings                 []Remark
}

// Request is a text to convert: YAML or JSON, with any number of documents.
type Request struct {
	Text      string   `json:"text"`
	To        string   `json:"to"`                  // the target, such as "gateway-api@1.4/standard"
	From      string   `json:"from,omitempty"`      // the release that the objects come from, where that is known
	Stash     bool     `json:"stash,omitempty"`     // keeps lost values in an annotation
	AllowLoss []string `json:"allowLoss,omitempty"` // codes of losses, or "all"
}

// Converted is what became of a text. The program's report has the same records.
type Converted struct {
	State                         string // "empty", "nothing", "failed", "unchanged", "changed" or "held-back"
	Text                          string
	Targets, Notes                []string
	Summary                       struct{ Changed, HeldBack, Unresolved int }
	Objects, Findings, Advisories []json.RawMessage
}

// Inferred is what the objects of a text show.
type Inferred struct{ Objects, Findings []json.RawMessage }

// Pack is a pack of your own: the name of its folder, and the texts of its files by their paths.
type Pack struct {
	Name  string            `json:"name"`
	Files map[string]string `json:"files"`
}

// Reversion is the module.
type Reversion struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	packs    []Pack
	mutex    sync.Mutex
	instance api.Module // nil after a trap
}

// New compiles the module, which is what reversion.wasm holds, and starts it with packs of your own. Close it when it is not needed.
func New(ctx context.Context, module []byte, packs ...Pack) (*Reversion, error) {
	r := &Reversion{runtime: wazero.NewRuntime(ctx), packs: packs}
	var err error
	if r.compiled, err = r.runtime.CompileModule(ctx, module); err == nil {
		err = r.start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return r, nil
}

// Close frees the module.
func (r *Reversion) Close(ctx context.Context) error { return r.runtime.Close(ctx) }

// Canonical converts an object, as JSON, to the release to, such as "gateway-api@1.4/standard", which is not older than the object.
func (r *Reversion) Canonical(ctx context.Context, object json.RawMessage, to string) (*Canonical, error) {
	request := map[string]any{"to": to, "object": object}
	return call[Canonical](ctx, r, "reversion_canonical", request)
}

// Convert converts the objects of a text; what does not change keeps its bytes.
func (r *Reversion) Convert(ctx context.Context, request Request) (*Converted, error) {
	return call[Converted](ctx, r, "reversion_convert", request)
}

// Infer tells which releases the objects of a text can be for.
func (r *Reversion) Infer(ctx context.Context, text string) (*Inferred, error) {
	return call[Inferred](ctx, r, "reversion_infer", map[string]string{"text": text})
}

func (r *Reversion) start(ctx context.Context) error {
	instance, err := r.runtime.InstantiateModule(ctx, r.compiled, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return err
	}
	r.instance = instance
	version, err := r.run(ctx, "reversion_abi_version")
	if err == nil && version != abiVersion {
		err = fmt.Errorf("the module has version %d of the interface, and this package needs %d", version, abiVersion)
	}
	if err == nil && len(r.packs) > 0 {
		_, err = answer[any](ctx, r, "reversion_use_packs", map[string]any{"packs": r.packs})
	}
	return err
}

func call[T any](ctx context.Context, r *Reversion, name string, request any) (*T, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.instance == nil {
		if err := r.start(ctx); err != nil {
			return nil, err
		}
	}
	return answer[T](ctx, r, name, request)
}

func answer[T any](ctx context.Context, r *Reversion, name string, request any) (*T, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	if text, err = r.exchange(ctx, name, text); err != nil {
		return nil, err
	}
	var answer struct {
		Ok    *T
		Error *Error
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	if answer.Error != nil {
		return nil, answer.Error
	}
	return answer.Ok, nil
}

// exchange makes a call. After a trap, which is a fault of the module, the next call has an instance that starts anew.
func (r *Reversion) exchange(ctx context.Context, name string, request []byte) ([]byte, error) {
	address, err := r.run(ctx, "reversion_allocate", uint64(len(request)))
	if err == nil && (address == 0 || !r.instance.Memory().Write(address, request)) {
		return nil, fmt.Errorf("the module has no memory for %d bytes", len(request))
	}
	if err == nil {
		address, err = r.run(ctx, name, uint64(address))
	}
	if err == nil {
		return r.read(ctx, address)
	}
	if address, failed := r.run(ctx, "reversion_failure"); failed == nil {
		said, _ := r.read(ctx, address)
		err = fmt.Errorf("%s: %w", said, err)
	}
	err = errors.Join(err, r.instance.Close(ctx))
	r.instance = nil
	return nil, err
}

// read takes what a buffer of the module holds.
func (r *Reversion) read(ctx context.Context, address uint32) ([]byte, error) {
	length, err := r.run(ctx, "reversion_length", uint64(address))
	view, ok := r.instance.Memory().Read(address, length)
	if err != nil || !ok {
		return nil, errors.Join(err, fmt.Errorf("the module has no buffer at %d", address))
	}
	text := append([]byte(nil), view...)
	_, err = r.run(ctx, "reversion_free", uint64(address))
	return text, err
}

func (r *Reversion) run(ctx context.Context, name string, arguments ...uint64) (uint32, error) {
	function := r.instance.ExportedFunction(name)
	if function == nil {
		return 0, fmt.Errorf("the module has no %s", name)
	}
	results, err := function.Call(ctx, arguments...)
	if err != nil || len(results) == 0 {
		return 0, err
	}
	return uint32(results[0]), nil
}

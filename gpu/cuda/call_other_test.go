//go:build !linux || !cgo || !(amd64 || arm64)

package cuda

import (
	"errors"
	"testing"
)

func TestNothingIsAvailable(t *testing.T) {
	t.Parallel()
	_, driver := Open(Options{})
	_, compiler := OpenCompiler(Options{})
	_, monitor := OpenMonitor(Options{}, "")
	for name, err := range map[string]error{"driver": driver, "compiler": compiler, "monitor": monitor} {
		if u, ok := errors.AsType[*Unavailable](err); !ok || u.Cause != NotBuilt || u.Remedy == "" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

package tensor

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hone/gpu/cuda"
)

// nvrtc is a real one, or the end of the test where there is none.
func nvrtc(t testing.TB, major int) *cuda.Compiler {
	t.Helper()
	o := cuda.Options{Major: major}
	if python, err := exec.LookPath("python3"); err == nil {
		o.Packages = cuda.PackagesOf(python)
	}
	c, err := cuda.OpenCompiler(o)
	if u, ok := errors.AsType[*cuda.Unavailable](err); ok {
		t.Skipf("no NVRTC: %v", u)
	}
	must(t, err)
	return c
}

func TestCubin(t *testing.T) {
	t.Parallel()
	c := nvrtc(t, 0)
	cache := filepath.Join(t.TempDir(), "new", "folder")
	first, err := cubinFor("sm_90", c, cache)
	must(t, err)
	if !bytes.HasPrefix(first, []byte("\x7fELF")) {
		t.Fatalf("%d bytes that are no cubin", len(first))
	}
	file := filepath.Join(cache, cubinName("sm_90", c.Version().String()))
	for name, content := range map[string][]byte{
		"kept":    nil,
		"damaged": append(bytes.Repeat([]byte{1}, 32), first[:100]...),
		"empty":   {},
	} {
		if content != nil {
			must(t, os.WriteFile(file, content, 0o600))
		}
		again, err := cubinFor("sm_90", c, cache)
		must(t, err)
		kept, ok := readCubin(file)
		if !ok || !bytes.Equal(again, kept) || len(again) != len(first) {
			t.Errorf("%s: %d bytes, %d of them in the cache, whole: %t", name, len(again), len(kept), ok)
		}
	}
	files, err := os.ReadDir(cache)
	must(t, err)
	if len(files) != 1 {
		t.Errorf("%d files in the cache, want 1", len(files))
	}
	if _, err := cubinFor("sm_10", c, cache); err == nil || !strings.Contains(err.Error(), "sm_10: install") {
		t.Errorf("an architecture that NVRTC does not know: %v", err)
	}
}

// TestCubinIsTaken sees that a file in the cache is used, not compiled again.
func TestCubinIsTaken(t *testing.T) {
	t.Parallel()
	c := nvrtc(t, 0)
	cache := t.TempDir()
	must(t, writeCubin(filepath.Join(cache, cubinName("sm_90", c.Version().String())), []byte("theirs")))
	if got, err := cubinFor("sm_90", c, cache); err != nil || string(got) != "theirs" {
		t.Errorf("%d bytes, %v; want what the cache holds", len(got), err)
	}
}

func TestCubinNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, name := range []string{
		cubinName("sm_90", "13.0"), cubinName("sm_90", "13.1"), cubinName("sm_89", "13.0"),
	} {
		if seen[name] {
			t.Errorf("%s names two different things", name)
		}
		seen[name] = true
	}
}

func TestCubinCannotBeKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if err := writeCubin(filepath.Join(file, "below"), []byte("x")); err == nil || !strings.Contains(err.Error(), "folder of compiled kernels") {
		t.Errorf("a folder that cannot be made: %v", err)
	}
}

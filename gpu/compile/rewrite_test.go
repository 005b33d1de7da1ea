package compile

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestEmulationGolden rewrites every file of testdata/rewrite; the result stands
// beside it.
func TestEmulationGolden(t *testing.T) {
	t.Parallel()
	for _, path := range corpus(t) {
		t.Run(caseName(path), func(t *testing.T) {
			t.Parallel()
			src := readFile(t, path)
			f := Parse(caseName(path), src)
			r := forEmulation(f)
			checkRewritten(t, src, r)
			golden(t, strings.TrimSuffix(path, ".cu")+".golden", r.text)
			if len(f.Unsupported) > 0 {
				t.Errorf("unsupported: %v", f.Unsupported)
			}
		})
	}
}

func corpus(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/rewrite/*.cu")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d sources, error %v", len(paths), err)
	}
	return paths
}

func caseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".cu") }

func readFile(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// golden compares with a stored text, or stores it with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := readFile(t, path); got != want {
		t.Errorf("%s differs (run with -update and read the change)\ngot:\n%s", path, got)
	}
}

// checkRewritten holds what every rewriting promises: as many lines as before,
// and everything outside of the edits byte for byte.
func checkRewritten(t *testing.T, src string, r rewritten) {
	t.Helper()
	if got, want := strings.Count(r.text, "\n"), strings.Count(src, "\n"); got != want {
		t.Errorf("%d line breaks, want %d:\n%s", got, want, r.text)
	}
	for i, s := range r.segments {
		end := len(r.text)
		if i+1 < len(r.segments) {
			end = r.segments[i+1].at
		}
		if text := r.text[s.at:end]; s.copied && text != src[s.origin:s.origin+len(text)] {
			t.Errorf("copied text %q differs from the original", text)
		}
	}
}

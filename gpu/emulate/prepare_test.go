package emulate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrepareNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	tc := prepared(t)
	again, err := Prepare(t.Context(), filepath.Dir(filepath.Dir(tc.Emulator)))
	if err != nil || again != tc || !filepath.IsAbs(tc.GXX) || tc.Version == "" {
		t.Errorf("%+v, %v, first %+v", again, err, tc)
	}
	for _, file := range []string{tc.Emulator, filepath.Join(tc.Include, "hone_emulate.h"), filepath.Join(tc.Include, "cuda_runtime.h")} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

func TestPrepareWithoutCompiler(t *testing.T) {
	t.Parallel()
	_, err := PrepareWith(t.Context(), t.TempDir(), "no-such-compiler")
	var missing *MissingCompilerError
	if !errors.As(err, &missing) || missing.Name != "no-such-compiler" || !strings.HasPrefix(err.Error(), "no C++ compiler") {
		t.Errorf("got %v", err)
	}
}

func BenchmarkPrepareAgain(b *testing.B) {
	tc := prepared(b)
	dir := filepath.Dir(filepath.Dir(tc.Emulator))
	for b.Loop() {
		if _, err := Prepare(context.Background(), dir); err != nil {
			b.Fatal(err)
		}
	}
}

package device

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"example.com/hone/gpu/emulate"
)

func TestPrepareAgain(t *testing.T) {
	t.Parallel()
	first := fixtureOf(t).program
	if again, err := Prepare(t.Context(), shelf); err != nil || again != first {
		t.Errorf("%s after %s, %v", again, first, err)
	}
}

func TestPrepareWithoutCompiler(t *testing.T) {
	t.Parallel()
	program, err := PrepareWith(t.Context(), t.TempDir(), "no-such-compiler")
	var missing *emulate.MissingCompilerError
	if program != "" || !errors.As(err, &missing) || missing.Name != "no-such-compiler" {
		t.Errorf("got %q, %v", program, err)
	}
}

// TestProgramIsClean compiles the program with every warning an error.
func TestProgramIsClean(t *testing.T) {
	t.Parallel()
	units, err := filepath.Glob("runtime/worker/*.cpp")
	if err != nil || len(units) == 0 {
		t.Fatalf("units %v, %v", units, err)
	}
	args := append([]string{"-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror",
		"-iquote", "../native/source", "-iquote", "../compile/device"}, units...)
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

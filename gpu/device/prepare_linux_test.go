package device

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/hone/gpu/emulate"
)

// fakeCompiler writes a script that stands in for g++.
func fakeCompiler(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g++")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// touchOutput makes the file that the compiler was asked for.
const touchOutput = `while [ $# -gt 0 ]; do [ "$1" = -o ] && echo built > "$2"; shift; done`

func TestPrepareBuildsOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	count := filepath.Join(t.TempDir(), "count")
	gxx := fakeCompiler(t, "echo x >> "+count+"\n"+touchOutput)
	first := ""
	for range 3 {
		program, err := PrepareWith(t.Context(), dir, gxx)
		if err != nil {
			t.Fatal(err)
		}
		if first != "" && program != first {
			t.Errorf("%s after %s", program, first)
		}
		first = program
	}
	if runs, err := os.ReadFile(count); err != nil || string(runs) != "x\n" {
		t.Errorf("the compiler ran %q, %v", runs, err)
	}
}

func TestPrepareAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gxx := fakeCompiler(t, touchOutput)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			program, err := PrepareWith(context.Background(), dir, gxx)
			if err != nil {
				t.Error(err)
				return
			}
			if text, err := os.ReadFile(program); err != nil || string(text) != "built\n" {
				t.Errorf("program %q, %v", text, err)
			}
		})
	}
	all.Wait()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestPrepareFails(t *testing.T) {
	t.Parallel()
	t.Run("no compiler", func(t *testing.T) {
		t.Parallel()
		_, err := PrepareWith(t.Context(), t.TempDir(), "no-such-compiler")
		var missing *emulate.MissingCompilerError
		if !errors.As(err, &missing) || missing.Name != "no-such-compiler" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the compiler fails", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		_, err := PrepareWith(t.Context(), dir, fakeCompiler(t, "echo out of luck >&2; exit 1"))
		if err == nil || !strings.Contains(err.Error(), "out of luck") {
			t.Errorf("got %v", err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := PrepareWith(ctx, t.TempDir(), fakeCompiler(t, touchOutput)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// TestProgramIsClean compiles the program with every warning an error.
func TestProgramIsClean(t *testing.T) {
	t.Parallel()
	units, err := filepath.Glob("runtime/worker/*.cpp")
	if err != nil || len(units) == 0 {
		t.Fatalf("units %v, %v", units, err)
	}
	args := append([]string{"-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror"}, units...)
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestTableIsThatOfTheHostObjects holds the copy of the table's header equal to the
// one that host objects are built with.
func TestTableIsThatOfTheHostObjects(t *testing.T) {
	t.Parallel()
	ours, err := os.ReadFile("runtime/worker/hone_api.h")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile("../compile/device/hone_api.h")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ours, theirs) {
		t.Error("runtime/worker/hone_api.h differs from gpu/compile/device/hone_api.h: copy it")
	}
}

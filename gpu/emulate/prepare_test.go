package emulate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
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
	var first Toolchain
	for i := range 3 {
		tc, err := PrepareWith(context.Background(), dir, gxx)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = tc
		}
		if tc != first || tc.GXX != gxx || tc.Version == "" {
			t.Errorf("call %d: %+v, first %+v", i, tc, first)
		}
	}
	if runs, err := os.ReadFile(count); err != nil || string(runs) != "x\n" {
		t.Errorf("the compiler ran %q, %v", runs, err)
	}
	for _, file := range []string{first.Emulator, filepath.Join(first.Include, "hone_emulate.h"), filepath.Join(first.Include, "cuda_runtime.h")} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

func TestPrepareAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gxx := fakeCompiler(t, touchOutput)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			tc, err := PrepareWith(context.Background(), dir, gxx)
			if err != nil {
				t.Error(err)
				return
			}
			if text, err := os.ReadFile(tc.Emulator); err != nil || string(text) != "built\n" {
				t.Errorf("emulator %q, %v", text, err)
			}
		})
	}
	wg.Wait()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestPrepareFails(t *testing.T) {
	t.Parallel()
	t.Run("no compiler", func(t *testing.T) {
		t.Parallel()
		_, err := PrepareWith(context.Background(), t.TempDir(), "no-such-compiler")
		var missing *MissingCompilerError
		if !errors.As(err, &missing) || missing.Name != "no-such-compiler" || !strings.Contains(err.Error(), "install") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the compiler fails", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		_, err := PrepareWith(context.Background(), dir, fakeCompiler(t, "echo out of luck >&2; exit 1"))
		if err == nil || !strings.Contains(err.Error(), "out of luck") {
			t.Errorf("got %v", err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := PrepareWith(ctx, t.TempDir(), fakeCompiler(t, touchOutput)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the folder cannot be written", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := PrepareWith(context.Background(), file, fakeCompiler(t, touchOutput)); err == nil {
			t.Error("no error")
		}
	})
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

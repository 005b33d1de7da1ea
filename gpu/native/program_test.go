package native

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// add is a program of two folders that says hello as a worker program does, and
// ends with what its parts add up to.
var add = Program{
	Name: "add",
	Sources: []fs.FS{
		fstest.MapFS{
			"main.cpp":      {Data: []byte(addMain)},
			"parts/add.h":   {Data: []byte("int add(int a, int b);\n")},
			"parts/add.cpp": {Data: []byte("#include \"add.h\"\nint add(int a, int b) { return a + b; }\n")},
		},
		fstest.MapFS{"number.h": {Data: []byte("constexpr int number = 40;\n")}},
	},
	Flags: []string{"-DMORE=2"},
}

const addMain = `#include "contain.h"
#include "number.h"
#include "parts/add.h"

int main() {
    static hone::Text hello;
    hone::contain({}, {}, &hello);
    hone::send(hone::Reply::hello, hello);
    return add(number, MORE);
}
`

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

func TestBuildsOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	count := filepath.Join(t.TempDir(), "count")
	gxx := fakeCompiler(t, "echo x >> "+count+"\n"+touchOutput)
	var first Built
	for i := range 3 {
		built, err := add.Build(t.Context(), dir, gxx)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = built
		}
		if built != first || built.Compiler != gxx || built.Version == "" {
			t.Errorf("call %d: %+v, first %+v", i, built, first)
		}
	}
	// Once for each unit of the program and of what is shared, and once to link.
	units := 2 + len(sharedUnits(t))
	if runs, err := os.ReadFile(count); err != nil || strings.Count(string(runs), "x") != units+1 {
		t.Errorf("the compiler ran %q, %v; want %d runs", runs, err, units+1)
	}
	if left, _ := filepath.Glob(filepath.Join(first.Folder, "*.o")); len(left) > 0 {
		t.Errorf("objects are left: %v", left)
	}
	for _, file := range []string{"add", "main.cpp", "parts/add.h", "number.h", "source/message.h", "source/contain.cpp"} {
		if _, err := os.Stat(filepath.Join(first.Folder, file)); err != nil {
			t.Error(err)
		}
	}
}

func sharedUnits(t *testing.T) []string {
	t.Helper()
	units, err := fs.Glob(shared, "source/*.cpp")
	if err != nil || len(units) == 0 {
		t.Fatalf("shared units %v, %v", units, err)
	}
	return units
}

func TestBuildsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gxx := fakeCompiler(t, touchOutput)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			built, err := add.Build(t.Context(), dir, gxx)
			if err != nil {
				t.Error(err)
				return
			}
			if text, err := os.ReadFile(built.Program); err != nil || string(text) != "built\n" {
				t.Errorf("program %q, %v", text, err)
			}
		})
	}
	wg.Wait()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestBuildFails(t *testing.T) {
	t.Parallel()
	t.Run("no compiler", func(t *testing.T) {
		t.Parallel()
		_, err := add.Build(t.Context(), t.TempDir(), "no-such-compiler")
		var missing *MissingCompilerError
		if !errors.As(err, &missing) || missing.Name != "no-such-compiler" || !strings.Contains(err.Error(), "install") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the compiler fails", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		_, err := add.Build(t.Context(), dir, fakeCompiler(t, "echo out of luck >&2; exit 1"))
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
		if _, err := add.Build(ctx, t.TempDir(), fakeCompiler(t, touchOutput)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the folder cannot be written", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := add.Build(t.Context(), file, fakeCompiler(t, touchOutput)); err == nil {
			t.Error("no error")
		}
	})
}

// TestBuiltProgramRuns has no judge at descriptor 3, so that the hello goes nowhere.
func TestBuiltProgramRuns(t *testing.T) {
	t.Parallel()
	built, err := add.Build(t.Context(), t.TempDir(), DefaultCompiler)
	if err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := exec.Command(built.Program).Run(); !errors.As(err, &exit) || exit.ExitCode() != 42 {
		t.Errorf("the program ended with %v", err)
	}
}

func TestVersionCoversTheProgram(t *testing.T) {
	t.Parallel()
	gxx := fakeCompiler(t, touchOutput)
	first, err := add.version(gxx)
	if err != nil {
		t.Fatal(err)
	}
	changed := map[string]Program{
		"name":   {"sub", add.Sources, add.Flags},
		"source": {add.Name, add.Sources[:1], add.Flags},
		"flag":   {add.Name, add.Sources, []string{"-DMORE=3"}},
	}
	for name, program := range changed {
		if version, err := program.version(gxx); err != nil || version == first {
			t.Errorf("another %s: version %s, first %s, %v", name, version, first, err)
		}
	}
}

// TestSourcesAreClean compiles the shared files with every warning an error.
func TestSourcesAreClean(t *testing.T) {
	t.Parallel()
	units, err := filepath.Glob("source/*.cpp")
	if err != nil || len(units) == 0 {
		t.Fatalf("units %v, %v", units, err)
	}
	args := append([]string{"-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror"}, units...)
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

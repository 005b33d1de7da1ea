package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hone/gpu"
	"example.com/hone/tasks"
)

// vectorSignature is the task of most tests: y from x, of n elements.
func vectorSignature() tasks.Signature {
	return tasks.Signature{
		Inputs:  []tasks.Tensor{{Name: "x", DType: tasks.Float32, Shape: []string{"n"}}},
		Outputs: []tasks.Tensor{{Name: "y", DType: tasks.Float32, Shape: []string{"n"}}},
		Dims:    []string{"n"},
	}
}

func headers(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../emulate/runtime/include")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func newCompiler(t *testing.T) *Compiler {
	t.Helper()
	c, err := New(t.Context(), Toolchain{GXX: "g++", Include: headers(t), Version: "test"}, t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func build(t *testing.T, c *Compiler, text string) Artifact {
	t.Helper()
	src := Source{Name: t.Name(), Text: text, Unit: SolveUnit(vectorSignature())}
	a, err := c.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// emulatorSymbols stands in for what an emulator exports.
func emulatorSymbols() map[string]bool {
	return map[string]bool{
		"threadIdx": true, "blockIdx": true, "blockDim": true, "gridDim": true,
		"hone_execute": true, "hone_parameters": true, "hone_shared": true, "hone_barrier": true,
	}
}

// TestDiagnosticsGolden builds every file of testdata/diagnostics with the real
// compiler; what it says of it stands beside it.
func TestDiagnosticsGolden(t *testing.T) {
	t.Parallel()
	c := newCompiler(t)
	c.known = emulatorSymbols()
	paths, err := filepath.Glob("testdata/diagnostics/*.cu")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, path := range paths {
		t.Run(caseName(path), func(t *testing.T) {
			t.Parallel()
			a := build(t, c, readFile(t, path))
			got := describe(a)
			golden(t, strings.TrimSuffix(path, ".cu")+".golden", got)
			for _, internal := range []string{"hone_", "hone::", unitFile, "\x1b"} {
				if strings.Contains(got, internal) {
					t.Errorf("%q reaches the person", internal)
				}
			}
		})
	}
}

// describe writes an artefact's diagnostics for reading.
func describe(a Artifact) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, "compiles:", a.OK())
	for _, d := range a.Diagnostics {
		writeDiagnostic(&b, d)
	}
	return b.String()
}

func writeDiagnostic(b *bytes.Buffer, d gpu.Diagnostic) {
	fmt.Fprintf(b, "%s %s:%d:%d: %s: %s", d.Tool, d.File, d.Line, d.Column, d.Severity, d.Message)
	if d.Code != "" {
		fmt.Fprintf(b, " [%s]", d.Code)
	}
	b.WriteByte('\n')
	for _, n := range d.Notes {
		fmt.Fprintf(b, "    %s\n", n)
	}
}

// BenchmarkBuild builds a row softmax to both objects, not cached.
func BenchmarkBuild(b *testing.B) {
	include, err := filepath.Abs("../emulate/runtime/include")
	if err != nil {
		b.Fatal(err)
	}
	c, err := New(b.Context(), Toolchain{GXX: "g++", Include: include, Version: "benchmark"}, b.TempDir(), 0)
	if err != nil {
		b.Fatal(err)
	}
	raw, err := os.ReadFile("testdata/softmax.cu")
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		src := Source{Text: fmt.Sprintf("%s// %d\n", raw, i)}
		if a, err := c.Build(b.Context(), src); err != nil || !a.OK() || a.Cached {
			b.Fatalf("artefact %+v, error %v", a, err)
		}
	}
}

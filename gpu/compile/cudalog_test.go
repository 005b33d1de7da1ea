package compile

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCUDALogGolden reads real output of NVRTC 13.0, ptxas and nvcc; what is made
// of it stands beside it.
func TestCUDALogGolden(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/logs/*.log")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d logs, error %v", len(paths), err)
	}
	file := Parse(userFile, "__device__ float combine(float, float);\n__global__ void k(float* y) { y[0] = combine(y[1], y[2]); }\n")
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".log"), func(t *testing.T) {
			t.Parallel()
			log := readFile(t, path)
			e := cudaExplainer{tool: "nvrtc", file: file, code: apply(strings.Repeat(strings.Repeat(" ", 200)+"\n", 20), nil)}
			var b bytes.Buffer
			for _, d := range e.diagnostics(parseCUDA(log), log, true) {
				writeDiagnostic(&b, d)
			}
			figures := parsePTXAS(log)
			for _, kernel := range slices.Sorted(maps.Keys(figures)) {
				fmt.Fprintf(&b, "%s: %+v\n", kernel, figures[kernel])
			}
			golden(t, strings.TrimSuffix(path, ".log")+".golden", b.String())
		})
	}
}

func TestCUDAMessages(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, log, want string
	}{
		{"catastrophic", `a.cu(1): catastrophic error: no header "x.h"`, `a.cu:1 error no header "x.h"`},
		{"number", "kernel.cu(5): warning #177-D: unused", "kernel.cu:5 warning unused"},
		{"parentheses in the path", "dir (1)/kernel.cu(7): error: x", "dir (1)/kernel.cu:7 error x"},
		{"remark", "kernel.cu(5): remark: x", "kernel.cu:5 note x"},
		{"ptxas", "ptxas error   : Entry function 'k' uses too much shared data (0xc3500 bytes, 0xc000 max)",
			"ptxas:0 error Entry function 'k' uses too much shared data (0xc3500 bytes, 0xc000 max)"},
		{"nvlink", "nvlink error   : Undefined reference to 'f' in 'a.o'", "nvlink:0 error Undefined reference to 'f' in 'a.o'"},
		{"nvcc", "nvcc fatal   : Unsupported gpu architecture 'compute_1'", "nvcc:0 error Unsupported gpu architecture 'compute_1'"},
		{"figures are no message", "ptxas info    : Used 8 registers", ""},
		{"count", `2 errors detected in the compilation of "kernel.cu".`, ""},
		{"excerpt that looks like one", "  f(3): error: x", ""},
		{"escape codes", "kernel.cu(1): error: \x1b[31mred", "kernel.cu:1 error [31mred"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, m := range parseCUDA(c.log) {
				got += fmt.Sprintf("%s:%d %s %s", m.file, m.line, m.severity, m.text)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestCUDAExplanations(t *testing.T) {
	t.Parallel()
	file := Parse(userFile, "static int ceilDiv(int a) { return a; }\n\n__global__ void k() { ceilDiv(1); }\n")
	cases := []struct{ name, log, want string }{
		{"host function", `kernel.cu(3): error: identifier "ceilDiv" is undefined`,
			"line 1: ceilDiv is a host function; device code can call it when it is __device__"},
		{"too much shared memory", "ptxas error   : Entry function '_Z1kv' uses too much shared data (0xc3500 bytes, 0xc000 max)",
			"kernel.cu:3:0: error: the kernel k has too many __shared__ variables: 800000 bytes, at most 49152 fit"},
		{"silent failure", "", "the compiler failed: it said nothing"},
		{"warning in a header", "cuda_fp16.h(3): warning: x\nkernel.cu(1): error: y", "error: y"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := cudaExplainer{tool: "nvrtc", file: file, code: apply(file.Text, nil)}
			var b bytes.Buffer
			for _, d := range e.diagnostics(parseCUDA(c.log), c.log, false) {
				writeDiagnostic(&b, d)
			}
			if !strings.Contains(b.String(), c.want) || strings.Contains(b.String(), "warning") {
				t.Errorf("got %s", b.String())
			}
		})
	}
}

func FuzzCUDALog(f *testing.F) {
	paths, _ := filepath.Glob("testdata/logs/*.log")
	for _, path := range paths {
		f.Add(readFile(f, path))
	}
	f.Add("a(1): error: x:\n          ^\n detected during:\n at line 9999999999999999999")
	f.Fuzz(func(t *testing.T, log string) {
		e := cudaExplainer{tool: "nvrtc", file: Parse(userFile, "x"), code: apply("x", nil)}
		for _, d := range e.diagnostics(parseCUDA(log), log, false) {
			if d.Message != printable(d.Message) {
				t.Errorf("message %q", d.Message)
			}
		}
		parsePTXAS(log)
	})
}

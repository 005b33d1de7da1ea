package inline

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFlagsThatTorchIsGiven(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		give []string
		want []string
	}{
		{"optimisation", []string{"-O3", "--use_fast_math", "-std=c++17"}, []string{"-O3", "--use_fast_math", "-std=c++17"}},
		{"macros", []string{"-DN=4", "-DX"}, []string{"-DN=4", "-DX"}},
		{"architecture", []string{"-gencode", "arch=compute_90,code=sm_90", "-arch=sm_90a"}, []string{"-gencode", "arch=compute_90,code=sm_90", "-arch=sm_90a"}},
		{"a shell", []string{"-DX=$(id)", "; id", "-O3;id", "-DA`id`", "-D'X'"}, nil},
		{"a program", []string{"-wrapper", "sh,-c", "-fplugin=./x.so", "-B.", "-Xcompiler=-wrapper,sh", "--run", "-ccbin=x"}, nil},
		{"files", []string{"-include/etc/passwd", "-I/", "-o", "x", "-Wp,-MD,x", "-Wl,-rpath,/", "@file", "-specs=x"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := plainFlags(tt.give); !slices.Equal(got, append([]string{}, tt.want...)) {
				t.Errorf("kept %q, want %q", got, tt.want)
			}
		})
	}
	if got := libraryFlags([]string{"-lcublas", "-L/tmp", "-l/tmp/x.so", "x.so"}); !slices.Equal(got, []string{"-lcublas"}) {
		t.Errorf("kept %q", got)
	}
}

// TestTorchBuildsWhatTheBinderCannot runs torch's own builder on a C++ source: the
// same way that takes nvcc on a GPU.
func TestTorchBuildsWhatTheBinderCannot(t *testing.T) {
	t.Parallel()
	b, found := newBuilder(t)
	if err := exec.CommandContext(t.Context(), found.Python, "-c", "import torch.utils.cpp_extension as c; c.verify_ninja_availability()").Run(); err != nil {
		t.Skipf("no ninja: %v", err)
	}
	r := Request{
		Name: "torch_builds", Functions: []string{"f"}, CPPLines: []int{7},
		CPP: []string{"#include <map>\nint f(std::map<int, int> x) { return int(x.size()); }\n"},
	}
	built, err := b.byTorch(t.Context(), r, "std::map", 8*time.Minute)
	if err != nil || !built.OK() {
		t.Fatalf("%v %+v\n%s", err, built.Diagnostics, built.Log)
	}
	t.Logf("built in %v", built.Elapsed)
	out, err := exec.CommandContext(t.Context(), found.Python, "-c",
		"import sys, torch, importlib.util as u; s = u.spec_from_file_location('torch_builds', sys.argv[1]); "+
			"m = u.module_from_spec(s); s.loader.exec_module(m); print(m.f({1: 2, 3: 4}))", built.Module).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "2" {
		t.Errorf("%v: %s", err, out)
	}
}

func TestFailuresOfTorchsBuilder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, log, file string
		line            int
		message         string
	}{
		{"g++", "[1/2] c++ -c main.cpp\nanswer.py: In function 'int f(int)':\nanswer.py:8:10: error: 'y' was not declared in this scope\n", answerFile, 8, "'y' was not declared in this scope"},
		{"nvcc", "answer.py(12): error: identifier \"blockIdy\" is undefined\n\n1 error detected in the compilation of \"cuda.cu\".\n", answerFile, 12, "identifier \"blockIdy\" is undefined"},
		{"unknown lines", "CUDA source(3): error: expected an expression\n", "CUDA source", 3, "expected an expression"},
		{"torch itself", "RuntimeError: Ninja is required to load C++ extensions\n", answerFile, 0, "RuntimeError: Ninja is required to load C++ extensions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list := failed(tt.log)
			if len(list) == 0 || list[0].File != tt.file || list[0].Line != tt.line || list[0].Message != tt.message || list[0].Severity != "error" {
				t.Errorf("%+v", list)
			}
		})
	}
}

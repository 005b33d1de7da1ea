package cuda

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// testOptions finds NVRTC beside the Python in use.
func testOptions() Options {
	python, err := exec.LookPath("python3")
	if err != nil {
		return Options{}
	}
	return Options{Packages: PackagesOf(python)}
}

// testCompiler is NVRTC, or the end of the test where there is none.
func testCompiler(t *testing.T, o Options) *Compiler {
	t.Helper()
	c, err := OpenCompiler(o)
	if u, ok := errors.AsType[*Unavailable](err); ok {
		t.Skipf("no NVRTC: %v", u)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const scaleSource = `
template <typename T>
__global__ void scale(T* x, T factor, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
`

func TestCompile(t *testing.T) {
	t.Parallel()
	c := testCompiler(t, testOptions())
	t.Logf("NVRTC %s at %s, architectures %v", c.Version(), c.Path(), c.Architectures())
	if !slices.Contains(c.Architectures(), 90) || c.Version().before(Version{11, 0}) || !filepath.IsAbs(c.Path()) {
		t.Errorf("version %s, path %q, architectures %v", c.Version(), c.Path(), c.Architectures())
	}
	tests := []struct {
		name    string
		program Program
		cubin   bool
		log     string // part of it
		lowered map[string]string
		fails   string
	}{
		{name: "kernel", cubin: true, program: Program{Name: "k.cu", Source: `extern "C" __global__ void k(int* x) { *x = 1; }`}},
		{name: "template", cubin: true, program: Program{Name: "scale.cu", Source: scaleSource, Expressions: []string{"scale<float>", "scale<double>"}},
			lowered: map[string]string{"scale<float>": "_Z5scaleIfEvPT_S0_x", "scale<double>": "_Z5scaleIdEvPT_S0_x"}},
		{name: "header", cubin: true, program: Program{Name: "k.cu", Source: "#include \"one.h\"\n__global__ void k(int* x) { *x = ONE; }",
			Headers: map[string]string{"one.h": "#define ONE 1\n", "two.h": "#error\n"}}},
		{name: "warning", cubin: true, log: `k.cu(1): warning`, program: Program{Name: "k.cu", Source: "__global__ void k() { int unused = 1; }"}},
		{name: "wrong program", log: `k.cu(2): error: identifier "y" is undefined`, program: Program{Name: "k.cu", Source: "__global__ void k(int* x) {\n  *x = y;\n}"}},
		{name: "NUL", log: "NUL byte", program: Program{Name: "k.cu", Source: "__global__ void k() {}\x00 more"}},
		{name: "wrong expression", log: "error", program: Program{Name: "k.cu", Source: scaleSource, Expressions: []string{"absent<float>"}}},
		{name: "wrong option", fails: "--no-such-option", program: Program{Name: "k.cu", Options: []string{"--no-such-option"}}},
		{name: "virtual architecture", fails: "no real architecture", program: Program{Name: "k.cu", Source: "__global__ void k() {}", Options: []string{"--gpu-architecture=compute_90"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := tt.program
			if p.Options == nil {
				p.Options = []string{"--gpu-architecture=sm_90"}
			}
			o, err := c.Compile(p)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Fatalf("error %v, want %q in it", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if (len(o.Cubin) > 0) != tt.cubin || !strings.Contains(o.Log, tt.log) {
				t.Errorf("%d bytes of cubin, log %q", len(o.Cubin), o.Log)
			}
			for expression, want := range tt.lowered {
				if got := o.Lowered[expression]; got != want {
					t.Errorf("%s is lowered to %q, want %q", expression, got, want)
				}
			}
		})
	}
}

func TestCompileFromManyGoroutines(t *testing.T) {
	t.Parallel()
	c := testCompiler(t, testOptions())
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			o, err := c.Compile(Program{Name: "scale.cu", Source: scaleSource, Options: []string{"--gpu-architecture=sm_90"}, Expressions: []string{"scale<float>"}})
			if err != nil || len(o.Cubin) == 0 {
				t.Errorf("%d bytes of cubin, log %q, error %v", len(o.Cubin), o.Log, err)
			}
		})
	}
	group.Wait()
}

func TestPrecompiledHeaders(t *testing.T) {
	t.Parallel()
	c := testCompiler(t, testOptions())
	if !c.lib.has("nvrtcSetPCHHeapSize") {
		t.Skipf("NVRTC %s has no precompiled headers", c.Version())
	}
	p := Program{
		Name: "k.cu", Source: "#include \"big.h\"\n__global__ void k(int* x) { *x = f100(); }",
		Headers: map[string]string{"big.h": bigHeader()},
		Options: []string{"--gpu-architecture=sm_90", "-pch"},
	}
	for i, want := range []PCH{PCHCreated, PCHNone} {
		o, err := c.Compile(p)
		if err != nil || len(o.Cubin) == 0 {
			t.Fatalf("log %q, error %v", o.Log, err)
		}
		if o.Headers != want {
			t.Errorf("compilation %d: precompiled headers %q, want %q", i, o.Headers, want)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	c, err := OpenCompiler(testOptions())
	if err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		if _, err := c.Compile(Program{Name: "scale.cu", Source: scaleSource, Options: []string{"--gpu-architecture=sm_90"}, Expressions: []string{"scale<float>"}}); err != nil {
			b.Fatal(err)
		}
	}
}

// bigHeader declares enough to be worth precompiling.
func bigHeader() string {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "__device__ inline int f%d() { return %d; }\n", i, i)
	}
	return b.String()
}

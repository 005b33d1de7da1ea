package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hone/gpu"
)

// fakeNVRTC answers every text with an object that is none, or with a log.
type fakeNVRTC struct {
	version  string
	log      string
	err      error
	compiles atomic.Int32
}

func (n *fakeNVRTC) Version() string { return n.version }

func (n *fakeNVRTC) Compile(_ context.Context, _, _ string, _, expressions []string) (
	[]byte, map[string]string, string, error) {
	n.compiles.Add(1)
	if n.log != "" || n.err != nil {
		return nil, nil, n.log, n.err
	}
	return []byte("object"), nil, "", nil
}

func streamSource(t *testing.T, path string) Source {
	t.Helper()
	return Source{Name: caseName(path), Text: readFile(t, path), Unit: StreamUnit(vectorSignature())}
}

// TestCorpusBuildsForDevice builds every answer of the corpus with g++ and, where
// there is one, with NVRTC.
func TestCorpusBuildsForDevice(t *testing.T) {
	t.Parallel()
	c := newCompiler(t)
	var nvrtc DeviceCompiler = &fakeNVRTC{version: "0.0"}
	real, err := startNVRTC()
	target := DeviceTarget{Arch: "sm_90"}
	if err != nil {
		t.Logf("the device parts are not built: %v", err)
	} else {
		nvrtc, target.Includes = real, real.includes
	}
	mistakes := map[string]string{
		"missing_semicolon":       `kernel.cu:8:5: error: expected a ";"`,
		"undeclared_name":         `kernel.cu:9:11: error: identifier "idx" is undefined`,
		"undefined_function":      "kernel.cu:11:16: error: combine is declared but not defined",
		"too_few_arguments":       "kernel.cu:15:45: error: too few arguments",
		"static_shared_too_large": "shared",
	}
	for _, path := range append(kernelCorpus(t), corpus(t)...) {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+caseName(path), func(t *testing.T) {
			t.Parallel()
			a, err := c.BuildDevice(t.Context(), Source{Name: path, Text: readFile(t, path)}, target, nvrtc)
			if err != nil || a.Needs != nil {
				if err == nil && caseName(path) != "conditions" && caseName(path) != "fibers" && caseName(path) != "lambdas" && real != nil {
					t.Errorf("needs %+v", *a.Needs)
				}
				if err != nil {
					t.Error(err)
				}
				return
			}
			said := describeAll(a)
			switch want := mistakes[caseName(path)]; {
			case real == nil && a.Host.Path == "" && !strings.Contains(said, want):
				t.Errorf("the host part: %s", said)
			case real != nil && want == "" && !a.OK():
				t.Errorf("does not compile: %s", said)
			case real != nil && want != "" && (a.OK() || !strings.Contains(said, want)):
				t.Errorf("want %q, got %s", want, said)
			}
		})
	}
}

func describeAll(a DeviceArtifact) string {
	return describe(Artifact{Diagnostics: a.Diagnostics})
}

// TestLaunches loads a host object and compares what it asks for.
func TestLaunches(t *testing.T) {
	t.Parallel()
	c := newCompiler(t)
	a, err := c.BuildDevice(t.Context(), streamSource(t, "testdata/host/launches.cu"), DeviceTarget{Arch: "sm_90"}, &fakeNVRTC{})
	if err != nil || a.Host.Path == "" {
		t.Fatalf("error %v, %s", err, describeAll(a))
	}
	loader := filepath.Join(t.TempDir(), "loader")
	build := exec.Command("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", "device", "-o", loader, "testdata/host/loader.cpp", "-ldl")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	kernels, err := hostKernels(a.Host.Path)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{a.Host.Path}
	for _, k := range kernels {
		args = append(args, k.variable)
	}
	out, err := exec.Command(loader, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	golden(t, "testdata/host/launches.golden", string(out))
}

// TestHostHeaderIsClean compiles the header with every warning on.
func TestHostHeaderIsClean(t *testing.T) {
	t.Parallel()
	unit := filepath.Join(t.TempDir(), "unit.cpp")
	text := `#include "hone_launch.h"
static_assert(sizeof(dim3) == 12 && sizeof(float3) == 12 && alignof(float4) == 16 && alignof(double2) == 16 && sizeof(__half2) == 4);
int main() {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        __half h = __ushort_as_half((unsigned short)bits);
        float value = h;
        if (value == value && __half(value).__x != bits) return 1;
        __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)bits);
        value = b;
        if (value == value && __nv_bfloat16(value).__x != bits) return 2;
    }
    struct { float value; unsigned short half; } rounded[] = {
        {65519.0f, 0x7bff}, {65520.0f, 0x7c00}, {1.00048828125f, 0x3c00}, {1.00146484375f, 0x3c02},
        {0x1p-24f, 0x0001}, {0x1p-25f, 0x0000}, {0x1.8p-25f, 0x0001}, {0x1.ffcp-15f, 0x0400}, {-0.0f, 0x8000}, {1e-30f, 0},
    };
    for (auto& r : rounded)
        if (__float2half(r.value).__x != r.half) return 3;
    return __float2bfloat16(1.00390625f).__x == 0x3f80 && half(3) + half(4) == 7.0f ? 0 : 4;
}
`
	if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	program := strings.TrimSuffix(unit, ".cpp")
	build := exec.Command("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", "device", "-o", program, unit)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := exec.Command(program).Run(); err != nil {
		t.Error(err)
	}
}

const twoParts = `__device__ float f(float v) { return v; }
__global__ void k(float* y) { y[0] = f(y[0]); }
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) { k<<<1, 1, 0, stream>>>(y); }
`

// TestPartsAreCachedApart changes one thing at a time and looks which part is
// built again.
func TestPartsAreCachedApart(t *testing.T) {
	t.Parallel()
	target := func() DeviceTarget { return DeviceTarget{Arch: "sm_90"} }
	replace := func(old, new string) string { return strings.Replace(twoParts, old, new, 1) }
	cases := []struct {
		name, text           string
		target               DeviceTarget
		version              string
		hostKept, deviceKept bool
	}{
		{"nothing", twoParts, target(), "13.0", true, true},
		{"a device function", replace("return v;", "return v + 1;"), target(), "13.0", true, false},
		{"a kernel grows by lines", replace("{ y[0] =", "{\n\n    int i = 0;\n    y[i] ="), target(), "13.0", true, false},
		{"comments", "// one\n" + replace("return v;", "return /* two\n */ v;"), target(), "13.0", true, false},
		{"a comment above", "// one\n\n" + twoParts, target(), "13.0", true, true},
		{"the launch", replace("<<<1, 1", "<<<2, 1"), target(), "13.0", false, true},
		{"the host grows by lines", replace("{ k<<<", "{\n\n k<<<"), target(), "13.0", false, true},
		{"a kernel's parameters", replace("k(float* y)", "k(float* __restrict__ y)"), target(), "13.0", false, false},
		{"the architecture", twoParts, DeviceTarget{Arch: "sm_80"}, "13.0", true, false},
		{"an option", twoParts, DeviceTarget{Arch: "sm_90", Options: []string{"--use_fast_math"}}, "13.0", true, false},
		{"NVRTC", twoParts, target(), "13.1", true, false},
	}
	c := newCompiler(t)
	first := &fakeNVRTC{version: "13.0"}
	build := func(text string, target DeviceTarget, n *fakeNVRTC) DeviceArtifact {
		t.Helper()
		a, err := c.BuildDevice(t.Context(), Source{Text: text, Unit: StreamUnit(vectorSignature())}, target, n)
		if err != nil || a.Host.Path == "" || a.Device.Path == "" {
			t.Fatalf("artefact %+v, error %v", a, err)
		}
		return a
	}
	if a := build(twoParts, target(), first); a.Host.Cached || a.Device.Cached {
		t.Fatalf("cached in an empty cache: %+v", a)
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			a := build(tc.text, tc.target, &fakeNVRTC{version: tc.version})
			if a.Host.Cached != tc.hostKept || a.Device.Cached != tc.deviceKept {
				t.Errorf("host kept %v, device kept %v", a.Host.Cached, a.Device.Cached)
			}
		})
	}
}

// TestLinesThatAreSeen builds a part again when its lines move and it can tell.
func TestLinesThatAreSeen(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		kept       bool
	}{
		{"plain", twoParts, true},
		{"an assertion", strings.Replace(twoParts, "{ return v;", "{ assert(v > 0); return v;", 1), false},
		{"a line number", strings.Replace(twoParts, "{ return v;", "{ return __LINE__;", 1), false},
	}
	for _, tc := range cases {
		job := func(text string) string {
			exact, loose := partJob{unit: text}.keys()
			if loose == "" {
				return exact
			}
			return loose
		}
		if got := job(tc.text) == job("\n"+tc.text); got != tc.kept {
			t.Errorf("%s: kept %v", tc.name, got)
		}
	}
}

func TestHeadersAreInTheKey(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	index := newHeaderIndex()
	digest := func() string {
		var b strings.Builder
		index.write(&b, []string{folder}, []string{"cuda_fp16.h"})
		return b.String()
	}
	absent := digest()
	write("cuda_fp16.h", "# include \"inner.h\"\n#include <cuda_fp16.h>\n")
	shallow := digest()
	write("inner.h", "1")
	deep := digest()
	write("inner.h", "22")
	changed := digest()
	if absent == shallow || shallow == deep || deep == changed || changed != digest() {
		t.Errorf("digests: %q %q %q %q", absent, shallow, deep, changed)
	}
}

func TestNVRTCEndings(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		n    *fakeNVRTC
		want string // in a diagnostic, or in the error
		bad  bool
	}{
		{"error", &fakeNVRTC{log: "kernel.cu(2): error: bad thing\n  text\n     ^\n"}, "nvrtc kernel.cu:2:4: error: bad thing", false},
		{"option", &fakeNVRTC{log: "nvrtc: error: unrecognized option -x found"}, "unrecognized option -x", true},
		{"broken", &fakeNVRTC{err: errors.New("lost")}, "compile some kernel: lost", true},
		{"slow", &fakeNVRTC{err: fmt.Errorf("wait: %w", context.DeadlineExceeded)}, "longer than 10s", false},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			src := Source{Name: "some kernel", Text: twoParts, Unit: StreamUnit(vectorSignature()), Limit: 10 * time.Second}
			a, err := newCompiler(t).BuildDevice(t.Context(), src, DeviceTarget{Arch: "sm_90"}, tc.n)
			if (err != nil) != tc.bad || a.OK() {
				t.Fatalf("artefact %+v, error %v", a, err)
			}
			if !strings.Contains(fmt.Sprint(describeAll(a), err), tc.want) {
				t.Errorf("got %s, error %v", describeAll(a), err)
			}
		})
	}
}

func TestNeedsStd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"int n = std::min(a, b);": true, "float f = abs(-2.5f);": true, "// std::min": false, "int abs, standard;": false,
		twoParts: false,
	} {
		if needsStd(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
	a, err := newCompiler(t).BuildDevice(t.Context(), Source{Unit: StreamUnit(vectorSignature()), Text: strings.Replace(twoParts, "{ k<<<",
		"{ static_assert(sizeof(abs(1.5f)) == 4); int m = std::max(1, 2); k<<<", 1)}, DeviceTarget{Arch: "sm_90"}, &fakeNVRTC{})
	if err != nil || a.Host.Path == "" {
		t.Errorf("error %v, %s", err, describeAll(a))
	}
}

func TestHostMistakes(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, want string }{
		{"no solve", "__global__ void k() {}", "no function named solve"},
		{"not defined", strings.Replace(twoParts, "{ k", "{ void g(); g(); k", 1), "3:"},
		{"arguments", strings.Replace(twoParts, "(y); }", "(y, 1); }", 1), "too many arguments to function 'void k(float*)'"},
		{"configuration", strings.Replace(twoParts, "<<<1, 1, 0, stream>>>", "<<<1>>>", 1), "a launch takes a grid and a block"},
		{"path", "#include \"../x.h\"\n" + twoParts, "include headers by name"},
		{"unknown name", strings.Replace(twoParts, "{ k", "{ int i = __hcmadd; k", 1), "'__hcmadd' was not declared"},
	}
	c := newCompiler(t)
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			src := Source{Text: tc.text, Unit: StreamUnit(vectorSignature())}
			a, err := c.BuildDevice(t.Context(), src, DeviceTarget{Arch: "sm_90"}, &fakeNVRTC{})
			if err != nil || a.OK() {
				t.Fatalf("OK %v, error %v", a.OK(), err)
			}
			got := describeAll(a)
			if a.Doubtful() != (tc.name == "unknown name") {
				t.Errorf("doubtful %v", a.Doubtful())
			}
			if !strings.Contains(got, tc.want) || strings.Contains(got, "hone::") || strings.Contains(got, "hone_id") {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestInstances builds with a real NVRTC and looks at the kernels of both parts.
func TestInstances(t *testing.T) {
	t.Parallel()
	n, target := newNVRTC(t)
	cases := []struct {
		name, text string
		want       string
	}{
		{"templates in a template", "template <class T, int N> __global__ void k(T* y, const int64_t n) { y[0] = N; }\n" +
			"template <int N> void f(float* y) { k<float, N><<<1, 1>>>(y, 1); if (N > 1) k<int, 1><<<1, 1>>>(nullptr, 2); }",
			"k<float, 3> [8 8], k<int, 1> [8 8]; "},
		{"internal linkage", "namespace { struct P { int a; }; template <class T> __global__ void k(T p, float* y) { y[0] = p.a; } }\n" +
			"static __constant__ float w[3];\nstatic __global__ void s(float* y, int64_t n) { y[n] = w[n]; }\n" +
			"void f(float* y) { P p{1}; k<<<1, 1>>>(p, y); s<<<1, 1>>>(y, 0); cudaMemcpyToSymbol(w, y, 4); }",
			"s [8 8], k<P> [4 8]; w"},
		{"overloads and C linkage", "__global__ void k(int a) {}\n__global__ void k(float a, char b) {}\nextern \"C\" __global__ void c(double d) {}\n" +
			"void f() { k<<<1, 1>>>(1); k<<<1, 1>>>(1.f, 'a'); c<<<1, 1>>>(1); }", "c [8], k [4 1], k [4]; "},
		{"local constant that hides another", "constexpr int n = 2;\ntemplate <int N> __global__ void k(float* y) { y[0] = N; }\n" +
			"void f(float* y) { constexpr int n = 5; k<n><<<1, 1>>>(y); }", "k<5> [8]; "},
		{"libcu++ integers", "#include <cuda/std/cstdint>\n__global__ void k(float* y, int64_t n) { y[n] = 1; }\nvoid f(float* y) { k<<<1, 1>>>(y, 1); }",
			"k [8 8]; "},
	}
	c := newCompiler(t)
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text := tc.text + "\nextern \"C\" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {"
			switch {
			case strings.Contains(tc.text, "template <int N> void f"):
				text += " f<3>(y); }"
			case strings.Contains(tc.text, "void f(float* y)"):
				text += " f(y); }"
			default:
				text += " f(); }"
			}
			a, err := c.BuildDevice(t.Context(), Source{Text: text, Unit: StreamUnit(vectorSignature())}, target, n)
			if err != nil || !a.OK() {
				t.Fatalf("needs %v, error %v, %s", a.Needs, err, describeAll(a))
			}
			var kernels []string
			for _, k := range a.Kernels {
				kernels = append(kernels, fmt.Sprint(k.Name, " ", k.Parameters))
				if k.Registers == nil || *k.Registers == 0 {
					t.Errorf("%s: no figures", k.Name)
				}
			}
			got := strings.Join(kernels, ", ") + "; " + strings.Join(a.Variables, " ")
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// BenchmarkBuildDevice builds a row softmax with a real NVRTC: all of it, and
// after a change of a kernel's body alone.
func BenchmarkBuildDevice(b *testing.B) {
	n, target := newNVRTC(b)
	text := readFile(b, "../testdata/kernels/softmax/tuned.cu")
	for name, change := range map[string]func(i int) (old, new string){
		"everything": func(i int) (string, string) { return "cols <= 1536", fmt.Sprintf("cols <= 1536 + %d", i) },
		"kernel":     func(int) (string, string) { return "", "" },
	} {
		b.Run(name, func(b *testing.B) {
			c, err := New(b.Context(), Toolchain{GXX: "g++"}, b.TempDir(), 0)
			if err != nil {
				b.Fatal(err)
			}
			var host, device time.Duration
			for i := 0; b.Loop(); i++ {
				old, changed := change(i)
				text := strings.Replace(text, old, changed, 1)
				text = strings.Replace(text, "float sum = 0.0f;", fmt.Sprintf("float sum = %d * 0.0f;", i), 1)
				a, err := c.BuildDevice(b.Context(), Source{Text: text}, target, n)
				if err != nil || !a.OK() || a.Device.Cached {
					b.Fatalf("artefact %+v, error %v", a, err)
				}
				host += a.Host.Elapsed
				device += a.Device.Elapsed
			}
			b.ReportMetric(float64(host.Milliseconds())/float64(b.N), "host-ms")
			b.ReportMetric(float64(device.Milliseconds())/float64(b.N), "device-ms")
		})
	}
}

func TestAddSpills(t *testing.T) {
	t.Parallel()
	four, eight := 4, 8
	launched := []gpu.Resources{{Kernel: "spills"}, {Kernel: "unknown"}, {Kernel: "untold"}}
	AddSpills(launched, []DeviceKernel{{Name: "spills", SpillStores: &four, SpillLoads: &eight}, {Name: "untold", SpillLoads: &eight}, {Name: "idle"}})
	if s := launched[0].SpillBytes; s == nil || *s != 12 || launched[1].SpillBytes != nil || launched[2].SpillBytes != nil {
		t.Errorf("%+v", launched)
	}
}

package compile

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// kernelCorpus lists the answers that evaluations are tested with.
func kernelCorpus(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../testdata/kernels/*/*.cu")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d sources, error %v", len(paths), err)
	}
	return paths
}

// TestSplitGolden splits the files of testdata/split, and some of both corpora;
// the two parts stand in testdata/split.
func TestSplitGolden(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/split/*.cu")
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d sources, error %v", len(paths), err)
	}
	for _, name := range []string{
		"softmax/tuned", "softmax/language_dynamic_shared", "vector_add/language_launches", "vector_add/language_memory",
		"vector_add/language_templates", "vector_add/inline_ptx", "cumsum/cooperative_grid", "matmul/tensor_cores",
		"conv2d_relu/language_constant_memory", "vector_add/language_tricky_text",
	} {
		paths = append(paths, "../testdata/kernels/"+name+".cu")
	}
	for _, path := range paths {
		t.Run(caseName(path), func(t *testing.T) {
			t.Parallel()
			src := readFile(t, path)
			p := splitFile(Parse(userFile, src))
			if p.needs != nil {
				t.Fatalf("needs nvcc: %+v", *p.needs)
			}
			checkRewritten(t, src, p.device)
			checkRewritten(t, src, p.host)
			text := fmt.Sprintf("// includes: %s\n// ---- device part\n%s// ---- host part\n%s",
				strings.Join(p.includes, " "), withoutTrailingBlanks(p.device.text), withoutTrailingBlanks(p.host.text))
			golden(t, filepath.Join("testdata/split", filepath.Base(filepath.Dir(path))+"_"+caseName(path)+".golden"), text)
		})
	}
}

func withoutTrailingBlanks(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// TestEmulationCorpusSplits tells which language tests need nvcc.
func TestEmulationCorpusSplits(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"conditions": "a function whose head depends on #if 12",
		"fibers":     "device lambdas 36",
		"lambdas":    "device lambdas 8",
	}
	for _, path := range append(corpus(t), kernelCorpus(t)...) {
		got := ""
		if need := splitFile(Parse(userFile, readFile(t, path))).needs; need != nil {
			got = fmt.Sprintf("%s %d", need.Construct, need.Line)
		}
		if got != want[caseName(path)] {
			t.Errorf("%s: needs %q, want %q", path, got, want[caseName(path)])
		}
	}
}

func TestNeedsNVCC(t *testing.T) {
	t.Parallel()
	const kernel = "__global__ void k(float* y) { y[0] = 1; }\n"
	cases := []struct{ name, src, want string }{
		{"nothing", kernel + "void f(float* y) { k<<<1, 1>>>(y); }", ""},
		{"launch from a kernel", kernel + "__global__ void p(float* y) { k<<<1, 1>>>(y); }",
			"launches from a kernel (dynamic parallelism) 2"},
		{"device runtime", "__global__ void k() {\ncudaDeviceSynchronize(); }", "cudaDeviceSynchronize in device code 2"},
		{"texture objects", "__global__ void k(cudaTextureObject_t t) {}", "textures 1"},
		{"managed", "__managed__ int n;", "managed variables 1"},
		{"cuBLAS", "#include <cublas_v2.h>\nvoid f() { cublasSgemm(h); }", "cuBLAS 1"},
		{"CUB", "#include <cub/cub.cuh>", "CUB 1"},
		{"Thrust", "void f() {\nthrust::sort(a, b); }", "Thrust 2"},
		{"graphs", "void f() { cudaGraphLaunch(g, s); }", "cudaGraphLaunch 1"},
		{"extended launch", kernel + "void f() { cudaLaunchKernelEx(&c, k, y); }", "cudaLaunchKernelEx 2"},
		{"driver API", "void f() { cuMemAlloc(&p, 4); }", "cuMemAlloc 1"},
		{"tensor maps", "__global__ void k(const __grid_constant__ CUtensorMap m) {}", "tensor maps 1"},
		{"device lambda", "void f() { run([=] __device__ (int i) { return i; }); }", "device lambdas 1"},
		{"kernels by macro", "#define K(n) __global__ void n() {}\nK(a)", "kernels or device functions defined by the macro K 1"},
		{"head by condition", "#ifdef A\n__global__ void k(int a)\n#else\n__global__ void k(float a)\n#endif\n{}",
			"a function whose head depends on #if 2"},
		{"standard library on the device", "__device__ int f() { std::array<int, 2> a{}; return a[0]; }", "array in device code 1"},
		{"host class on the device", "struct W { std::vector<int> v; static const int n = 2; };\n__device__ int f() { return W::n; }",
			"W in device code 2"},
		{"device class on the host", "namespace cg = cooperative_groups;\nvoid f() { cg::thread_block b; }", "cg in host code 2"},
		{"virtual", "struct S { virtual void f(); };", "classes with virtual functions 1"},
		{"function pointer parameter", "__global__ void k(float (*f)(float)) {}", "a kernel parameter without a name 1"},
		{"in comments and strings", "// cublasCreate\nconst char* s = \"thrust::sort\";", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if need := splitFile(Parse(userFile, c.src)).needs; need != nil {
				got = fmt.Sprintf("%s %d", need.Construct, need.Line)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestDeviceIncludes tells which headers the device part begins with and which
// stay in its text.
func TestDeviceIncludes(t *testing.T) {
	t.Parallel()
	p := splitFile(Parse(userFile, `#include <vector>
#include <cuda_fp16.h>
#ifdef A
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cmath>
#endif
`))
	if got := strings.Join(p.includes, " "); got != "cuda_fp16.h cooperative_groups.h" {
		t.Errorf("at the top: %s", got)
	}
	if got := strings.Join(strings.Fields(p.device.text), " "); got != "#ifdef A #include <cuda_bf16.h> #endif" {
		t.Errorf("device text: %s", got)
	}
	if got := strings.Join(strings.Fields(p.host.text), " "); got != "#include <vector> #ifdef A #include <cmath> #endif" {
		t.Errorf("host text: %s", got)
	}
}

func TestKernelParameters(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, parameters, want string }{
		{"none", "", ""}, {"void", "void", ""},
		{"plain", "const float* __restrict__ x, int n", "x n"},
		{"several words", "unsigned long long n, long unsigned", "n hone_1"},
		{"unnamed", "float*, const ns::T&, T", "hone_0 hone_1 hone_2"},
		{"template", "const Tile<T, N>* x, std::pair<int, A<B>> p", "x p"},
		{"default", "int n = f(1, 2), float v = {1}", "n v"},
		{"pack", "Ts... values", "values..."},
		{"array", "float x[4], int (y)", "?"},
		{"array with a name", "float x[4]", "x"},
		{"grid constant", "const __grid_constant__ Params p", "p"},
		{"dependent", "typename A<T>::type v, typename A<T>::type", "v hone_1"},
		{"function", "float (*f)(float)", "?"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := read("__global__ void k(" + c.parameters + ") {}")
			names, _, ok := parameterNames(s, outlineOf(s)[0])
			var got []string
			for _, p := range names {
				if p.pack {
					p.name += "..."
				}
				got = append(got, p.name)
			}
			if !ok {
				got = []string{"?"}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzSplit holds that any text splits, or needs nvcc, and keeps its lines.
func FuzzSplit(f *testing.F) {
	paths, err := filepath.Glob("testdata/split/*.cu")
	if err != nil || len(paths) == 0 {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"__global__ void k(", "struct S{S():a{1},b(2){}int a", "namespace{__global__ void k(int){}", "template<>void f(){}}{",
		"#if A\nvoid f(){\n#else\nvoid g(){\n#endif\n}", "void f(){k<<<1,1>>>(/*\n*/);}", "#define M(a)\nM(1)M(2)__device__ int v=M(3);",
		"using A=std::vector<A>;A a;", "__global__ void k(int...", "extern\"C\"{", "class:public:", "é __device__ é;",
	} {
		f.Add(seed)
	}
	for _, path := range paths {
		f.Add(readFile(f, path))
	}
	f.Fuzz(func(t *testing.T, src string) {
		p := splitFile(Parse(userFile, src))
		if p.needs != nil {
			if p.needs.Construct == "" || p.needs.Line < 1 {
				t.Errorf("needs %+v", *p.needs)
			}
			return
		}
		checkRewritten(t, src, p.device)
		checkRewritten(t, src, p.host)
	})
}

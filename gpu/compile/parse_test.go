package compile

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseKernels(t *testing.T) {
	t.Parallel()
	f := Parse("kernel.cu", `
__global__ void plain(float* y, int n) {}
template <typename T, int N = (4)>
__global__ void __launch_bounds__(256, 2)
typed(const T* __restrict__ x,
      T* y) {}
extern "C" __global__ void c_linkage() {}
namespace a { namespace b { static __global__ void inner(int i) {} } }
__global__ void declared(int);
template __global__ void typed<float>(const float*, float*);
struct S { __device__ int method() { return 1; } };
void host() {}
`)
	want := []Kernel{
		{"plain", 2, false, "float* y, int n", 0},
		{"typed", 5, true, "const T* __restrict__ x,\n      T* y", 2},
		{"c_linkage", 7, false, "", 0},
		{"inner", 8, false, "int i", 0},
	}
	if !reflect.DeepEqual(f.Kernels, want) {
		t.Errorf("got  %+v\nwant %+v", f.Kernels, want)
	}
	for name, defined := range map[string]bool{"host": true, "method": true, "plain": true, "declared": false, "S": false} {
		if f.Defines(name) != defined {
			t.Errorf("Defines(%q) = %v", name, !defined)
		}
	}
}

func TestParseLaunches(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, statement string
		kernel          string // empty when it is no launch
		config          []string
	}{
		{"two", "k<<<1, 2>>>(x);", "k", []string{"1", "2"}},
		{"four", "k<<<g, b, s, st>>>(x);", "k", []string{"g", "b", "s", "st"}},
		{"calls", "k<<<f(1, 2), dim3{3, 4}, a[5, 6]>>>(x);", "k", []string{"f(1, 2)", "dim3{3, 4}", "a[5, 6]"}},
		{"templates", "k<<<f<1, 2>(3), C<4, D<5>>::value>>>(x);", "k", []string{"f<1, 2>(3)", "C<4, D<5>>::value"}},
		{"template at the end", "k<<<1, V<2, 3>>>>(x);", "k", []string{"1", "V<2, 3>"}},
		{"comparisons", "k<<<a < b, c > d>>>(x);", "k", []string{"a < b", "c > d"}},
		{"shifts", "k<<<1 << 2, 8 >> 1>>>(x);", "k", []string{"1 << 2", "8 >> 1"}},
		{"instance", "k<float, 4><<<1, 2>>>(x);", "k<float, 4>", []string{"1", "2"}},
		{"nested instance", "k<A<B<int>>><<<1, 2>>>(x);", "k<A<B<int>>>", []string{"1", "2"}},
		{"qualified", "a::b<T>::k<4><<<1, 2>>>(x);", "a::b<T>::k<4>", []string{"1", "2"}},
		{"global", "::k<<<1, 2>>>(x);", "::k", []string{"1", "2"}},
		{"dependent", "p->template k<T><<<1, 2>>>(x);", "p->template k<T>", []string{"1", "2"}},
		{"member", "plan.kernels[i]<<<1, 2>>>(x);", "plan.kernels[i]", []string{"1", "2"}},
		{"call", "pick<T>(3)<<<1, 2>>>(x);", "pick<T>(3)", []string{"1", "2"}},
		{"condition", "(a ? b : c)<<<1, 2>>>(x);", "(a ? b : c)", []string{"1", "2"}},
		{"after if", "if (a) k<<<1, 2>>>(x);", "k", []string{"1", "2"}},
		{"after else", "else (k)<<<1, 2>>>(x);", "(k)", []string{"1", "2"}},
		{"several lines", "k<T, // one\n 4>\n<<<1,\n2>>>\n(x);", "k<T, 4>", []string{"1", "2"}},
		{"string in the configuration", `k<<<n(">>>("), 2>>>(x);`, "k", []string{`n(">>>(")`, "2"}},
		{"no arguments in parentheses", "k<<<1, 2>>>;", "", nil},
		{"never closed", "k<<<1, 2;", "", nil},
		{"arguments never closed", "k<<<1, 2>>>(x", "", nil},
		{"shift", "out << a << b;", "", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := Parse("kernel.cu", "void f() { "+c.statement+" }")
			if c.kernel == "" {
				if len(f.Launches) > 0 {
					t.Fatalf("unexpected launch %+v", f.Launches)
				}
				return
			}
			if len(f.Launches) != 1 {
				t.Fatalf("%d launches", len(f.Launches))
			}
			if l := f.Launches[0]; l.Kernel != c.kernel || !slices.Equal(l.Config, c.config) {
				t.Errorf("got %q %q, want %q %q", l.Kernel, l.Config, c.kernel, c.config)
			}
		})
	}
}

func TestParseShared(t *testing.T) {
	t.Parallel()
	f := Parse("kernel.cu", `__global__ void k() {
    __shared__ float a[4][4], *b;
    extern __shared__ __align__(16) unsigned char raw[];
    __shared__ ns::Tile<float, 4> tile;
    __shared__ struct P { int x, y; } p, q[2];
    // __shared__ int comment;
}`)
	want := []Shared{
		{"a", false, 2}, {"b", false, 2}, {"raw", true, 3}, {"tile", false, 4}, {"p", false, 5}, {"q", false, 5},
	}
	if !reflect.DeepEqual(f.Shared, want) {
		t.Errorf("got  %+v\nwant %+v", f.Shared, want)
	}
}

func TestReadConditions(t *testing.T) {
	t.Parallel()
	s := read(`
#if 0
off1
#if X
off2
#else
off3
#endif
#else
on1
#endif
#if 1
on2
#elif Y
on3
#endif
#define FLAG
#define F(a, b) body
#include <x/y.h>
#include "z.h"
`)
	if got := oneLine(s.code); strings.Join(strings.Fields(got), " ") != "on1 on2 on3" {
		t.Errorf("code is %q", got)
	}
	if len(s.macros) != 2 || s.macros[1].name != "F" || !s.macros[1].params["b"] || oneLine(s.macros[1].body) != "body" {
		t.Errorf("macros are %+v", s.macros)
	}
	if len(s.includes) != 2 || s.includes[0].name != "x/y.h" || s.includes[1].name != "z.h" {
		t.Errorf("includes are %+v", s.includes)
	}
}

// TestBrackets writes the partner of each opening bracket, "-" for none.
func TestBrackets(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, src, want string }{
		{"nested", "( [ ] { } )", "5 2 4"},
		{"never closed", "{ (", "- -"},
		{"closed by a brace", "{ ( }", "2 -"},
		{"wrong kind", "( ] )", "2"},
		{"closing only", ") } ]", ""},
		{"two heads of one body", "\n#if A\na {\n#else\nb {\n#endif\nc }\n", "5 5"},
		{"a body in each branch", "\n#if A\n{ }\n#else\n{ }\n#endif\n", "1 3"},
		{"open in one branch only", "\n#if A\n{\n#else\n#endif\na }\n", "1"},
		{"elif chain", "\n#if A\n{\n#elif B\n{\n#elif C\n{\n#endif\n}\n", "3 3 3"},
		{"branch closes what stood before", "{\n#if A\n}\n#else\n}\n#endif\nx", "2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := read(c.src)
			var got []string
			for i, end := range s.close {
				switch {
				case end == len(s.code):
					got = append(got, "-")
				case strings.Contains("([{", s.code[i].text):
					got = append(got, fmt.Sprint(end))
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, src, want string }{
		{"asm", "\n__device__ void f() { asm volatile(\"mov.u32 %0, 1;\"); }", "inline PTX (asm) 2"},
		{"asm in a macro", "#define WAIT() asm(\"x\" \"\")", "inline PTX (asm) 1"},
		{"compiler barrier", `void f() { asm volatile("" ::: "memory"); }`, ""},
		{"wmma", "#include <mma.h>\nusing namespace nvcuda;", "tensor cores (wmma) 1"},
		{"wmma by name", "void f() { nvcuda::wmma::fragment<int> a; }", "tensor cores (wmma) 1"},
		{"cp.async", "void f() {\n__pipeline_memcpy_async(a, b, 16); }", "asynchronous copies (cp.async) 2"},
		{"pipeline", "#include <cuda/pipeline>", "asynchronous copies (cp.async) 1"},
		{"barrier", "#include <cuda/barrier>", "asynchronous barriers (mbarrier) 1"},
		{"tma", "void f(const CUtensorMap map);", "bulk copies (TMA) 1"},
		{"textures", "texture<float, 2> t;\nfloat f() { return tex2D(t, 0, 0); }", "textures 1"},
		{"no texture", "int texture = 3; bool b = texture > 2;", ""},
		{"surfaces", "void f(cudaSurfaceObject_t s);", "surfaces 1"},
		{"grid sync", "void f() { auto g = cooperative_groups::this_grid(); g.sync(); }", "grid-wide synchronisation (cooperative launch) 1"},
		{"clusters", "__global__ void __cluster_dims__(2, 1, 1) k() {}", "thread block clusters 1"},
		{"dynamic parallelism", "__global__ void k() {}\n__global__ void p() {\n k<<<1, 1>>>(); }", "launches from a kernel (dynamic parallelism) 3"},
		{"dynamic parallelism in a helper", "__global__ void k() {}\n__device__ void p() { k<<<1, 1>>>(); }", "launches from a kernel (dynamic parallelism) 2"},
		{"launch call", "void f() { cudaLaunchKernel((void*)k, 1, 1, args, 0, 0); }", "launches by API call 1"},
		{"graphs", "cudaGraphExec_t e;", "CUDA graphs 1"},
		{"libraries", "#include <cublas_v2.h>\n#include <cub/cub.cuh>\n#include <thrust/sort.h>\n#include \"cutlass/gemm.h\"",
			"cuBLAS 1, CUB 2, Thrust 3, CUTLASS 4"},
		{"library calls", "void f() {\ncublasSgemm(h);\ncub::BlockReduce<int> r; }", "cuBLAS 2, CUB 3"},
		{"a variable named cub", "int cub = 1, at = cub;", ""},
		{"torch", "#include <torch/extension.h>\nat::Tensor t;", "PyTorch headers 1"},
		{"libcu++", "#include <cuda/std/array>", "libcu++ 1"},
		{"narrow floats", "void f(__nv_fp8_e4m3* x);", "8-bit and smaller floats 1"},
		{"shared at file scope", "int a;\n__shared__ int s;", "__shared__ outside of a function 2"},
		{"shared behind a macro", "#define SHARED __shared__\n__global__ void k() { SHARED int a; }", "__shared__ behind the macro SHARED 1"},
		{"comments and strings", "// asm(\"x\") nvcuda::wmma\nconst char* s = \"cublasCreate this_grid\";", ""},
		{"once each, by line", "void f() {\n__mma_a();\n__mma_b();\nasm(\"x\"); asm(\"y\"); }", "tensor cores (mma) 2, inline PTX (asm) 4"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, u := range Parse("kernel.cu", c.src).Unsupported {
				got = append(got, fmt.Sprintf("%s %d", u.Name, u.Line))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestFibers covers what the goldens cannot: they must compile without
// cooperative groups.
func TestFibers(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, src string
		want      bool
	}{
		{"plain", "__global__ void k() {} void f() { k<<<1, 1>>>(); }", false},
		{"barrier", "__global__ void k() { __syncthreads_or(1); } void f() { k<<<1, 1>>>(); }", true},
		{"groups by alias", `namespace cg = cooperative_groups;
			__global__ void k() { auto b = cg::this_block(); } void f() { k<<<1, 1>>>(); }`, true},
		{"method", `struct R { __device__ void run() { __syncwarp(); } };
			__global__ void k() { R r; r.run(); } void f() { k<<<1, 1>>>(); }`, true},
		{"free operator", `struct V {}; __device__ V operator+(V a, V b) { __syncwarp(); return a; }
			__global__ void k() { V v; v + v; } void f() { k<<<1, 1>>>(); }`, true},
		{"function object in a variable", `auto sync = [] __device__() { __syncthreads(); };
			__global__ void k() { sync(); } void f() { k<<<1, 1>>>(); }`, true},
		{"recursion", "__device__ void a() { a(); } __global__ void k() { a(); } void f() { k<<<1, 1>>>(); }", false},
		{"another kernel's barrier", `__global__ void other() { __syncthreads(); }
			__global__ void k() {} void f() { k<<<1, 1>>>(); }`, false},
		{"unused helper, plain kernel", "__device__ void u() { __syncwarp(); } __global__ void k() {} void f() { k<<<1, 1>>>(); }", false},
		{"unused helper, template", `__device__ void u() { __syncwarp(); }
			template <class T> __global__ void k() {} void f() { k<int><<<1, 1>>>(); }`, true},
		{"lambda handed through a helper", `template <class F> __global__ void k(F f) { f(); }
			template <class F> void each(F f) { k<<<1, 1>>>(f); }
			void f() { each([] __device__() { __syncwarp(); }); }`, true},
		{"pointer", "__global__ void a() { __syncthreads(); } __global__ void b() {} void f(void (*p)()) { p<<<1, 1>>>(); }", true},
		{"pointer, nothing waits", "__global__ void b() {} void f(void (*p)()) { p<<<1, 1>>>(); }", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := Parse("kernel.cu", c.src)
			if len(f.Launches) != 1 {
				t.Fatalf("%d launches", len(f.Launches))
			}
			if got := newCallGraph(f).fibers(f.Launches[0].site); got != c.want {
				t.Errorf("fibers = %v", got)
			}
		})
	}
}

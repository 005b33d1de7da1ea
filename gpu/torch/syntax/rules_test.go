package syntax

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/hone/tasks/rules"
)

// answer is a sum of two tensors in the form that models are shown, with lines
// put in: below the imports, into forward, and into the C++ function.
func answer(module, forward, cpp string) string {
	return `import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

` + module + `
source = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%d", int(e)); } } while (0)

// at::matmul is not for us, and cublasSgemm neither
__device__ float relu(float v) { return max(v, 0.f); }

__global__ void __launch_bounds__(256) add_kernel(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { out[i] = a[i] + b[i] + 0.f * relu(a[i]); }
}

torch::Tensor add(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda(), "at::matmul( is not called");
    auto out = torch::empty_like(a);
    auto stream = at::cuda::getCurrentCUDAStream();
    ` + cpp + `
    add_kernel<<<(a.numel() + 255) / 256, 256, 0, stream>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), a.numel());
    return out;
}
"""

extension = load_inline(
    name="add", cpp_sources="torch::Tensor add(torch::Tensor a, torch::Tensor b);", cuda_sources=source,
    functions=["add"], verbose=True, extra_cflags=[""], extra_ldflags=[""],
)


class ModelNew(nn.Module):
    """Calls neither F.relu nor torch.matmul: try it, then pass."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(4))  # nn.Linear(4, 4) would be refused
        self.extension = extension

    def forward(self, a, b):
        ` + forward + `
        return self.extension.add(a.contiguous(), b.view(-1).reshape(a.shape))
`
}

// broken lists the rules that an answer breaks under a set.
func broken(t *testing.T, set, text string, read rules.Answer) []string {
	t.Helper()
	s, err := rules.Find(set)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range s.Check(read) {
		if v.Line < 1 || v.Line > strings.Count(text, "\n")+1 || v.Why == "" {
			t.Errorf("violation without a place or a reason: %+v", v)
		}
		names = append(names, v.Rule)
	}
	return names
}

func TestExamplePassesEverySet(t *testing.T) {
	t.Parallel()
	for _, s := range rules.Sets() {
		if got := broken(t, s.Name, answer("", "", ""), readGood(t, answer("", "", ""))); len(got) > 0 {
			t.Errorf("%s: %v", s.Name, got)
		}
	}
}

const tritonAnswer = `import torch
import triton
import triton.language as tl

@triton.jit
def dot(x, y):
    return tl.sum(x * y, axis=0).max()

@triton.jit
def kernel(x, out, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(out + tl.arange(0, B), dot(v, v).exp())

class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        LAUNCH
        return out
`

func TestTriton(t *testing.T) {
	t.Parallel()
	for launch, want := range map[string][]string{
		"kernel[(1,)](x, out, 4, B=4)":                           nil,
		"grid = lambda m: (1,)\n        kernel[grid](x, out, 4)": nil,
		"out = x": {"decoy-kernel"},
		"kernel[(1,)](x, out, 4)\n        out = out.exp()": {"torch-operator"},
	} {
		text := strings.Replace(tritonAnswer, "LAUNCH", launch, 1)
		if got := broken(t, "kevin", text, readGood(t, text)); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", launch, got, want)
		}
	}
}

// Every rule is broken by one text and by none of two that look like it.
func TestEachRule(t *testing.T) {
	t.Parallel()
	module := func(s string) string { return answer(s, "", "") }
	forward := func(s string) string { return answer("", s, "") }
	cpp := func(s string) string { return answer("", "", s) }
	without := func(old, with string) string { return strings.ReplaceAll(answer("", "", ""), old, with) }
	cases := []struct {
		rule   string
		breaks []string
		passes []string
	}{
		{"torch-nn", []string{
			module("layer = nn.Linear(4, 4)"), module("from torch.nn import Conv2d as C\nC(1, 1, 3)"), module("s = nn.Sequential()"),
		}, []string{
			module("from torch.nn import Linear"), module("p = nn.ParameterList([nn.Parameter(torch.empty(3))])\nnn.init.ones_(p[0])"),
			module("nn_Linear = 'nn.Linear(4, 4)'"),
		}},
		{"torch-functional", []string{
			forward("a = F.relu(a)"), module("from torch.nn.functional import gelu\ng = gelu"), forward("t = [torch][0]; t.nn.functional.relu(a)"),
			forward("a = getattr(F, 're' + 'lu')(a)"),
		}, []string{
			module("F_relu = None"), forward("F = a.shape[0]; print(F)"), module("def relu(x):\n    return x"),
		}},
		{"torch-operator", []string{
			forward("a = torch.matmul(a, b)"), forward("a = a.mm(b)"), forward("a = a.relu_()"), forward("f = a.sum; f()"),
			forward("a = torch.Tensor.mm(a, b)"), forward("a = self.weight.exp()"), module("fast = torch.compile(str)"),
			forward("a = torch.ops.aten.mm(a, b)"), forward("a = torch.einsum('i,i->i', a, b)"), forward("getattr(a, name)(b)"),
			forward("a = torch._C._nn.gelu(a)"), forward("a.add_(b)"), forward("a = torch.linalg.norm(a)"),
		}, []string{
			forward("a = torch.cat([a, b]).view(-1).permute(0).clone()"), forward("out = torch.zeros_like(a); out.fill_(0.0); out.zero_()"),
			forward("seen = set(); seen.add(1); [2, 1].sort()"), module("import math\nc = math.exp(1)"),
			strings.Replace(without("torch::Tensor add(", "torch::Tensor softmax("), "functions=[\"add\"]", "functions=[\"softmax\"]", 1),
		}},
		{"matmul-operator", []string{
			forward("a = a @ b"), forward("a @= b"), forward("a = a.__matmul__(b)"), module("import operator\nm = operator.matmul"),
		}, []string{
			module("@torch.no_grad()\ndef f(x):\n    return x"), module("mail = 'a @ b'"),
		}},
		{"cpp-torch-operator", []string{
			cpp("out = at::matmul(a, b);"), cpp("out = torch::relu(a);"), cpp("out = a.matmul(b);"), cpp("out = matmul(a, b);"),
			cpp("auto f = &at::mm;"), cpp("namespace t = at; t::mm(a, b);"), cpp("out = torch::nn::functional::gelu(a);"),
			cpp("#define T torch\n out = T::softmax(a, 0);"), cpp("out = a.softmax(-1);"), cpp("out = at::native::add(a, b);"),
			cpp("at::cuda::blas::gemm<float>('n', 'n', 1, 1, 1, 1.f, p, 1, p, 1, 0.f, p, 1);"), cpp("using at::mm;"),
		}, []string{
			cpp("auto o = torch::TensorOptions().dtype(torch::kFloat32).device(a.device()); out = torch::zeros({4}, o);"),
			cpp("/* at::matmul(a, b) */ const char* s = \"torch::relu(a)\"; // a.mm(b)"),
			cpp("#if 0\n out = at::matmul(a, b);\n#endif"),
			cpp("struct S { float sum() { return 0; } } s; s.sum();"), cpp("c10::optional<at::Tensor> none = at::nullopt;"),
			cpp("float v = std::numeric_limits<float>::max() * exp(log(2.f)); auto relu = [](float x) { return x; }; relu(v);"),
		}},
		{"library", []string{
			cpp("cublasSgemm(handle);"), cpp("cudnnHandle_t h;"), cpp("cutlass::gemm::device::Gemm<float> g;"), cpp("thrust::reduce(p, q);"),
			cpp("cub::DeviceReduce::Sum(p, n, q, r, s);"), module("import cupy\ncupy.matmul"), cpp("auto h = at::cuda::getCurrentCUDABlasHandle();"),
		}, []string{
			cpp("int cublas_free = 0; // cublasSgemm"), cpp("typedef cub::BlockReduce<float, 256> Reduce;"), module("import cupy"),
			strings.Replace(answer("", "", ""), "#include <torch/extension.h>", "#include <cublas_v2.h>\n#include <torch/extension.h>", 1),
		}},
		{"kernel", []string{
			"import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x): return x\n",
			without("__global__", "static"), without("__global__", "/* __global__ */"),
		}, []string{
			without("__global__ void", "#define KERNEL __global__ void\nKERNEL"), without("extension = load_inline", "extension = torch.utils.cpp_extension.load_inline"),
		}},
		{"decoy-kernel", []string{
			without("add_kernel<<<", "other<<<"), without("self.extension.add(a.contiguous(), b.view(-1).reshape(a.shape))", "a"),
			cpp("return out; } torch::Tensor unused(torch::Tensor a, torch::Tensor b) { auto out = a; auto stream = 0;"),
			without("    add_kernel<<<", "    // add_kernel<<<\n    CHECK(cudaFuncSetAttribute(add_kernel, a1, 1)); other<<<"),
		}, []string{
			without("add_kernel<<<", "auto k = add_kernel; k<<<"),
			without("add_kernel<<<(a.numel() + 255) / 256, 256, 0, stream>>>(", "cudaLaunchKernel((void*)add_kernel, "),
			strings.Replace(module("def call(m):\n    return m.add"), "self.extension.add(", "call(extension)(", 1),
			without("self.extension.add(", "getattr(self.extension, 'add')("),
			without("add_kernel<<<(a.numel() + 255) / 256, 256, 0, stream>>>(", "launch_on(stream, add_kernel, "),
		}},
		{"hidden-source", []string{
			without("cuda_sources=source", "cuda_sources=open('k.cu').read()"), module("load_inline(**dict(name='x'))"),
			module("from torch.utils.cpp_extension import load\nload('n', ['k.cu'])"),
		}, []string{
			without("cuda_sources=source", "cuda_sources=[source]"), without("cuda_sources=source", "cuda_sources=source.replace('256', str(2))"),
		}},
		{"try", []string{
			forward("try:\n            a = b\n        except Exception:\n            a = a"), module("import contextlib\nquiet = contextlib.suppress(ValueError)"),
		}, []string{forward("trying = 'try: except:'"), forward("if a is None:\n            raise ValueError('try')")}},
		{"pass", []string{module("class A:\n    pass"), forward("if a is None:\n            pass")},
			[]string{forward("bypass = 'pass'"), forward("passed = 1  # pass")}},
		{"reference-model", []string{
			without("class ModelNew(nn.Module)", "class ModelNew(Model)"), module("class Model(nn.Module):\n    x = 1\nm = Model()"),
			forward("a = Model.forward(self, a, b)"), module("from reference import Model as M\nm = M()"),
		}, []string{
			module("class Model(nn.Module):\n    def __init__(self):\n        super(Model, self).__init__()"), forward("model = 'Model'; Models = 1"),
		}},
		{"patching", []string{
			module("torch.allclose = lambda *a: True"), module("import time\ntime.perf_counter = lambda: 0"), module("setattr(torch.cuda, 'synchronize', print)"),
			module("import sys\nsys.modules['time'] = sys"), module("from torch.cuda import Event\nEvent.elapsed_time = None"), module("del torch.equal"),
			module("from unittest import mock\nmock.patch('torch.equal')"),
		}, []string{
			module("import os\nos.environ['TORCH_CUDA_ARCH_LIST'] = '9.0'"), forward("self.allclose = True; self.weight.requires_grad = False"),
			module("class A:\n    y = 1\nA.y = 2"),
		}},
		{"dynamic-code", []string{
			module("exec('x = 1')"), module("eval('1')"), module("import ctypes\nctypes.CDLL('x')"), module("import sys\nsys._getframe(1)"),
			module("f = getattr(torch, name)"), module("print.__globals__"), module("import gc\ngc.get_objects()"), module("torch.__dict__['mm']"),
			module("globals()['x'] = 1"), module("import importlib"), module("import inspect\ninspect.stack()"),
		}, []string{
			forward("x = getattr(self, f'w{1}', None)"), module("import re\nr = re.compile('exec(eval)')"), module("def exec_all(x):\n    return x\nexec_all(1)"),
			forward("self.__dict__.update(k=1)"),
		}},
		{"threads", []string{
			module("import threading"), module("from concurrent.futures import ThreadPoolExecutor"), module("import torch.multiprocessing as mp"),
			cpp("std::thread t([] {});"), cpp("std::async(f);"),
		}, []string{
			cpp("int n = std::thread::hardware_concurrency();"), forward("threading = 'import threading'"), cpp("__syncthreads();"),
		}},
		{"processes", []string{module("import subprocess"), module("import os\nos.system('x')"), module("import os\nos._exit(0)"), module("import os\nos.execv('x', [])")},
			[]string{module("import os\nhome = os.environ.get('CUDA_HOME', os.path.sep)"), module("subprocess = 'os.system'")}},
		{"host-call", []string{cpp(`system("ls");`), cpp(`void* h = dlopen("libcublas.so", 1);`), cpp("fork();")},
			[]string{cpp("__threadfence_system();"), cpp("struct S { void system(int); } s; s.system(1);")}},
		{"network", []string{module("import requests"), module("from urllib.request import urlopen"), module("m = torch.hub.load('x', 'y')")},
			[]string{module("url = 'http://requests'"), module("socket = 1\nrequests = [socket]")}},
		{"fake-tensor", []string{
			module("class T(torch.Tensor):\n    x = 1"), module("class D:\n    def __torch_function__(self, *a): return 1"),
			forward("a = torch.Tensor._make_subclass(type(a), a)"),
		}, []string{module("class Tensor:\n    x = 1\nclass T(Tensor):\n    x = 2"), module("def f(x: torch.Tensor) -> torch.Tensor:\n    return x")}},
		{"current-stream", []string{module("torch.cuda.set_stream(torch.cuda.Stream())"), cpp("at::cuda::setCurrentCUDAStream(stream);")},
			[]string{module("s = torch.cuda.Stream()"), cpp("auto other = at::cuda::getStreamFromPool();")}},
		{"precision-flag", []string{
			module("torch.backends.cuda.matmul.allow_tf32 = True"), module("torch.set_float32_matmul_precision('high')"),
		}, []string{module("torch.backends.cudnn.benchmark = True"), module("on = torch.backends.cuda.matmul.allow_tf32")}},
	}
	tested := map[string]bool{}
	for _, c := range cases {
		tested[c.rule] = true
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			texts := slices.Concat(c.breaks, c.passes)
			for i, read := range readAll(t, texts) {
				got := broken(t, "kevin", texts[i], read)
				if i < len(c.breaks) && !slices.Contains(got, c.rule) || i >= len(c.breaks) && len(got) > 0 {
					t.Errorf("text %d of %d that break it and %d that do not: %v\n%s", i, len(c.breaks), len(c.passes), got, texts[i])
				}
			}
		})
	}
	for _, s := range rules.Sets() {
		for _, r := range s.Rules {
			if !tested[r.Name] {
				t.Errorf("rule %s of %s has no cases", r.Name, s.Name)
			}
		}
	}
}

// The cuda dialect is judged by the same rules.
func TestCUDADialect(t *testing.T) {
	t.Parallel()
	const kernel = "__global__ void k(float* x) { x[0] = 1; }\n"
	const solve = `extern "C" void solve(float* x, cudaStream_t s) { `
	for text, want := range map[string]string{
		kernel + solve + "k<<<1, 1, 0, s>>>(x); }":                                                          "",
		"namespace { " + kernel + "void go(float* x) { k<<<1, 1>>>(x); } }\n" + solve + "go(x); }":          "",
		"template <class T> " + kernel + solve + "k<float><<<1, 1>>>(x); }":                                 "",
		kernel + "void go(float* x) { k<<<1, 1>>>(x); }\n" + solve + "}":                                    "decoy-kernel:1",
		kernel + "\n" + solve + "cublasSgemm(h, x); }":                                                      "decoy-kernel:1 library:3",
		solve + "cudaMemcpyAsync(x, x, 4, cudaMemcpyDefault, s); }":                                         "kernel:1",
		"#define GO(k) k<<<1, 1>>>(x)\n" + kernel + solve + "GO(k); }":                                      "",
		kernel + "#define N \\\n  4\n#define GO(x) do { k<<<N, 1>>>(x); } while (0)\n" + solve + "GO(x); }": "",
	} {
		set, err := rules.Find("kevin")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range set.Check(CUDA(text)) {
			got = append(got, v.Rule+":"+itoa(v.Line)[1:])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("got %v, want %q:\n%s", got, want, text)
		}
	}
}

// Where a text is only known when it is built, its words are judged then.
func TestSourcesAlone(t *testing.T) {
	t.Parallel()
	set, err := rules.Find("kevin")
	if err != nil {
		t.Fatal(err)
	}
	got := set.CheckSources(CUDA("torch::Tensor f(torch::Tensor a) {\n  return at::mm(a, a);\n}").CUDA)
	if len(got) != 1 || got[0].Rule != "cpp-torch-operator" || got[0].Line != 2 {
		t.Errorf("got %+v", got)
	}
}

// A violation stands at the line of the answer, in its C++ too.
func TestLines(t *testing.T) {
	t.Parallel()
	text := answer("", "a = a @ b", "out = at::mm(a, b);")
	set, err := rules.Find("kevin")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	for _, v := range set.Check(readGood(t, text)) {
		if line := lines[v.Line-1]; !strings.Contains(line, "a @ b") && !strings.Contains(line, "at::mm(a, b)") {
			t.Errorf("%+v points at %q", v, line)
		}
	}
}

// The answers that are kept for tests of the judge are refused where that is
// expected; one whose result is expected to be compared is not.
func TestKeptAnswers(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../testdata/torch/answers/*/*.py")
	if err != nil || len(paths) == 0 {
		t.Skip("no answers are kept below gpu/testdata/torch")
	}
	var names, texts []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "# expect: compile_error") {
			names, texts = append(names, path), append(texts, string(text))
		}
	}
	for i, read := range readAll(t, texts) {
		got := broken(t, "kevin", texts[i], read)
		expected, _, _ := strings.Cut(strings.TrimPrefix(texts[i], "# expect: "), "\n")
		outcome, _, _ := strings.Cut(expected, " ")
		refused, judged := outcome == "rule_violation", outcome == "correct" || outcome == "mismatch"
		if refused && len(got) == 0 || judged && len(got) > 0 {
			t.Errorf("%s: expected %s, broken: %v", names[i], expected, got)
		}
	}
}

package inline

// addSource is the usual answer: a kernel, a function that launches it.
const addSource = `
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

torch::Tensor add(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda(), "a must be a CUDA tensor");
    auto out = torch::empty_like(a);
    int n = a.numel();
    add_kernel<<<(n + 255) / 256, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), n);
    return out;
}
`

const dispatchSource = `
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#define CHECK_INPUT(x) TORCH_CHECK(x.device().is_cuda() && x.is_contiguous(), #x " must be contiguous")

template <typename scalar_t>
__global__ void scale_kernel(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x, scalar_t by) {
    __shared__ scalar_t tile[64];
    int row = blockIdx.x, column = threadIdx.x;
    if (column < x.size(1)) tile[column] = x[row][column];
    __syncthreads();
    if (column < x.size(1)) x[row][column] = tile[column] * by;
}

torch::Tensor scale(const torch::Tensor& x, double by) {
    CHECK_INPUT(x);
    const at::cuda::OptionalCUDAGuard guard(device_of(x));
    auto out = x.clone();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", ([&] {
        scale_kernel<scalar_t><<<x.size(0), 64, 0, at::cuda::getCurrentCUDAStream()>>>(
            out.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), static_cast<scalar_t>(by));
    }));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
`

const typesSource = `
#include <torch/extension.h>
#include <vector>
#include <tuple>
std::tuple<torch::Tensor, torch::Tensor> both(torch::Tensor a, float f) { return {a * f, a + f}; }
std::vector<torch::Tensor> all(std::vector<torch::Tensor> list, int64_t n) {
    list.resize(n, list[0]);
    return list;
}
int64_t count(c10::optional<torch::Tensor> a, std::vector<int64_t> sizes, bool twice) {
    return (a.has_value() ? a->numel() : -1) * (twice ? 2 : 1) + int64_t(sizes.size()) * 1000;
}
double mean(at::Tensor& a) { return a.mean().item<double>(); }
bool odd(int n) { return n % 2; }
void fill(torch::Tensor a, const std::string& how) { a.fill_(how == "one" ? 1 : 0); }
torch::Tensor boom(torch::Tensor a) { throw std::invalid_argument("boom"); }
`

const halfSource = `
#include <torch/extension.h>
#include <cuda_fp16.h>
__global__ void twice(const __half* a, __half* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __hadd(a[i], a[i]);
}
torch::Tensor twice_half(torch::Tensor a) {
    auto out = torch::zeros({a.size(0)}, torch::TensorOptions().dtype(torch::kFloat16).device(torch::kCUDA));
    twice<<<1, 64>>>(reinterpret_cast<const __half*>(a.data_ptr<at::Half>()),
                     reinterpret_cast<__half*>(out.data_ptr<at::Half>()), a.size(0));
    return out;
}
`

const sumSource = `
#include <torch/extension.h>
__global__ void sum_kernel(const float* x, float* out, int n) {
    extern __shared__ float part[];
    float total = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) total += x[i];
    for (int d = 16; d > 0; d /= 2) total += __shfl_down_sync(0xffffffff, total, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) total += part[w];
        *out = total;
    }
}
torch::Tensor sum(torch::Tensor x) {
    auto out = torch::empty({}, x.options());
    sum_kernel<<<1, 128, 4 * sizeof(float)>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
    return out;
}
`

func goodModules() []good {
	declared := "torch::Tensor add(torch::Tensor a, torch::Tensor b);"
	return []good{
		{
			"add", Request{Name: "add", CPP: []string{declared}, CUDA: []string{addSource}, Functions: []string{"add"}},
			[]string{"m.add(torch.ones(1000), torch.ones(1000)).sum().item()", "m.add(torch.ones(3), 1)", "m.add(torch.ones(3))"},
			[]string{"2000.0", "TypeError: add(): argument 2 must be a Tensor, not int", "TypeError: add() takes 2 arguments, not 1"},
		},
		{
			"dispatch over types", Request{
				Name: "scale", CPP: []string{"torch::Tensor scale(const torch::Tensor& x, double by);"},
				CUDA: []string{dispatchSource}, Functions: []string{"scale"}, CUDAFlags: []string{"-O3", "--use_fast_math"},
			},
			[]string{
				"m.scale(torch.ones(4, 8), 3.0).sum().item()", "m.scale(torch.ones(4, 8, dtype=torch.float64), 2).dtype",
				"m.scale(torch.ones(8, 4).t(), 3.0)", "m.scale(torch.ones(4, 8, dtype=torch.int32), 2)",
			},
			[]string{"96.0", "torch.float64", "RuntimeError: x must be contiguous", "RuntimeError: \"scale\" not implemented for 'Int'"},
		},
		{
			"every type", Request{
				Name: "types", CPP: []string{typesSource},
				Functions: []string{"both", "all", "count", "mean", "odd", "fill", "boom"},
			},
			[]string{
				"[x.tolist() for x in m.both(torch.ones(2), 3)]", "len(m.all([torch.ones(1)], 3))", "m.count(None, [1, 2], True)",
				"m.count(torch.ones(5), (1,), False)", "m.mean(torch.full((4,), 2.5))", "m.odd(3)",
				"(lambda a: (m.fill(a, 'one'), a.sum().item()))(torch.zeros(3))", "m.boom(torch.ones(1))", "m.odd(1.5)", "m.odd(1 << 40)",
				"m.mean(None)",
			},
			[]string{
				"[[3.0, 3.0], [4.0, 4.0]]", "3", "1998", "1005", "2.5", "True", "(None, 3.0)", "RuntimeError: boom",
				"TypeError: odd(): argument 1 must be an int that fits, not float", "TypeError", "TypeError: mean(): argument 1 must be a Tensor",
			},
		},
		{
			"half", Request{
				Name: "half", CPP: []string{"torch::Tensor twice_half(torch::Tensor a);"}, CUDA: []string{halfSource},
				Functions: []string{"twice_half"},
			},
			[]string{"m.twice_half(torch.full((5,), 1.5, dtype=torch.float16)).tolist()", "m.twice_half(torch.ones(3))"},
			[]string{"[3.0, 3.0, 3.0, 3.0, 3.0]", "RuntimeError: expected scalar type Half but found Float"},
		},
		{
			"warps and dynamic shared memory", Request{
				Name: "sum", CPP: []string{"torch::Tensor sum(torch::Tensor x);"}, CUDA: []string{sumSource},
				Functions: []string{"sum"},
			},
			[]string{"m.sum(torch.arange(1000, dtype=torch.float32)).item()"},
			[]string{"499500.0"},
		},
		{
			"bindings of its own", Request{
				Name: "own", CUDA: []string{addSource},
				CPP: []string{declared + "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n  m.def(\"plus\", &add, \"a sum\");\n}\n"},
			},
			[]string{"m.plus(torch.ones(10), torch.ones(10)).sum().item()"},
			[]string{"20.0"},
		},
		{
			"more operators", Request{
				Name:      "wide",
				CPP:       []string{"#include <torch/extension.h>\ntorch::Tensor f(torch::Tensor x) { return torch::tensor({1.0f, 2.0f}) + torch::softmax(x, 0); }"},
				Functions: []string{"f"},
			},
			[]string{"m.f(torch.zeros(2)).tolist()"},
			[]string{"[1.5, 2.5]"},
		},
		{
			"an error of a launch", Request{
				Name:      "launch",
				CPP:       []string{"torch::Tensor f(torch::Tensor x, int n);"},
				CUDA:      []string{"#include <torch/extension.h>\n#include <c10/cuda/CUDAException.h>\n__global__ void k(float* x) { x[0] = 1; }\ntorch::Tensor f(torch::Tensor x, int n) {\n  k<<<1, n>>>(x.data_ptr<float>());\n  C10_CUDA_CHECK(cudaGetLastError());\n  return x;\n}\n"},
				Functions: []string{"f"},
			},
			[]string{"m.f(torch.zeros(2), 1).tolist()", "m.f(torch.zeros(2), 2000)"},
			[]string{"[1.0, 0.0]", "RuntimeError: CUDA error: invalid configuration argument"},
		},
	}
}

func badModules() []bad {
	declared := []string{"torch::Tensor f(torch::Tensor x);"}
	body := "#include <torch/extension.h>\n__global__ void k(float* x) { x[0] = %; }\ntorch::Tensor f(torch::Tensor x) { return x; }\n"
	return []bad{
		{
			name: "a mistake in the kernel, at its line of the answer",
			request: Request{
				Name: "f", CPP: declared, CUDA: []string{"\n" + body}, CUDALines: []int{10}, CPPLines: []int{40}, Functions: []string{"f"}, Line: 50,
			},
			line: 12, file: answerFile, message: "expected primary-expression", note: "line 3 of the CUDA source",
		},
		{
			name:    "a mistake where the answer's lines are unknown",
			request: Request{Name: "f", CPP: declared, CUDA: []string{body}, Functions: []string{"f"}},
			line:    2, file: "CUDA source", message: "expected primary-expression",
		},
		{
			name: "a function that is not declared in the C++ source",
			request: Request{
				Name: "add", CPP: []string{""}, CUDA: []string{addSource}, CUDALines: []int{3}, CPPLines: []int{60}, Functions: []string{"add"}, Line: 70,
			},
			line: 12, file: answerFile, message: "load_inline cannot bind add: declare it in cpp_sources",
		},
		{
			name:    "a function that is nowhere",
			request: Request{Name: "g", CPP: declared, Functions: []string{"g"}, CPPLines: []int{5}, Line: 9},
			line:    9, file: answerFile, message: "load_inline cannot bind g: no such function",
		},
		{
			name:    "a function that is declared and not defined",
			request: Request{Name: "f", CPP: declared, CPPLines: []int{5}, Functions: []string{"f"}},
			line:    5, file: answerFile, message: "f(at::Tensor) is declared but not defined",
		},
		{
			name: "inline PTX",
			request: Request{
				Name: "f", CPP: declared, CUDALines: []int{20}, CPPLines: []int{90}, Functions: []string{"f"},
				CUDA: []string{"__global__ void k() {\n  asm(\"bar.sync 0;\");\n}\n"},
			},
			line: 21, unsupported: "inline PTX",
		},
		{
			name:        "a parameter that the binder does not pass",
			request:     Request{Name: "f", CPP: []string{"#include <map>\nvoid f(std::map<int, int> x) {}"}, Functions: []string{"f"}},
			unsupported: "std::map",
		},
	}
}

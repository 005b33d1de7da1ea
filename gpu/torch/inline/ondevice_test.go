package inline

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/hone/gpu/compile"
)

// pythonNVRTC is a real NVRTC behind a Python process.
type pythonNVRTC struct {
	mu      sync.Mutex
	in      io.Writer
	out     *bufio.Reader
	version string
}

// newGPUBuilder is newBuilder for a GPU that need not be there; it skips the test
// where there is no NVRTC.
func newGPUBuilder(t *testing.T) *Builder {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", "../../compile/testdata/nvrtc.py")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no Python for NVRTC: %v", err)
	}
	n := &pythonNVRTC{in: in, out: bufio.NewReader(out)}
	var hello struct {
		Error, Version string
		Includes       []string
	}
	if err := n.read(&hello); err != nil || hello.Error != "" {
		t.Skipf("NVRTC is not available: %v %s", err, hello.Error)
	}
	n.version = hello.Version
	b, _ := newBuilder(t)
	config := b.config
	config.GPU = &GPU{Target: compile.DeviceTarget{Arch: "sm_90", Includes: hello.Includes}, NVRTC: n}
	if b, err = New(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	return b
}

func (n *pythonNVRTC) read(v any) error {
	line, err := n.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

func (n *pythonNVRTC) Version() string { return n.version }

func (n *pythonNVRTC) Compile(_ context.Context, source, name string, options, expressions []string) (
	[]byte, map[string]string, string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	raw, err := json.Marshal(map[string]any{
		"source": source, "name": name, "options": options, "expressions": append([]string{}, expressions...),
	})
	if err != nil {
		return nil, nil, "", err
	}
	if _, err := n.in.Write(append(raw, '\n')); err != nil {
		return nil, nil, "", err
	}
	var answer struct {
		Log, Cubin string
		Lowered    map[string]string
	}
	if err := n.read(&answer); err != nil {
		return nil, nil, "", err
	}
	object, err := hex.DecodeString(answer.Cubin)
	return object, answer.Lowered, answer.Log, err
}

const templateSource = `
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#define CHECK_INPUT(x) TORCH_CHECK(x.is_cuda() && x.is_contiguous(), #x " must be a contiguous CUDA tensor")
constexpr int kBlock = 256;

template <typename scalar_t>
__global__ void relu_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ out, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] > scalar_t(0) ? x[i] : scalar_t(0);
}

torch::Tensor relu(torch::Tensor x) {
    CHECK_INPUT(x);
    auto out = torch::empty_like(x);
    const int64_t n = x.numel();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "relu", ([&] {
        relu_kernel<scalar_t><<<(n + kBlock - 1) / kBlock, kBlock, 0, at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), n);
    }));
    C10_CUDA_CHECK(cudaGetLastError());
    return out;
}
`

// checkPlaced reads a module's file from its end, as package device's library does.
func checkPlaced(t *testing.T, path string, kernels int) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := len(raw) - 24
	list, cubin := binary.LittleEndian.Uint64(raw[end+8:]), binary.LittleEndian.Uint64(raw[end+16:])
	object := end - int(list) - int(cubin)
	text := string(raw[object : object+int(list)])
	if string(raw[end:end+8]) != placedMagic || strings.Count("\n"+text, "\nkernel\t") != kernels ||
		!strings.HasPrefix(string(raw[object+int(list):]), "\x7fELF") {
		t.Errorf("list %q, %d bytes of a cubin", text, cubin)
	}
}

// TestModulesForAGPU compiles for a GPU and runs nothing there.
// moduleForAGPU is a request that the GPU builder has kernels of.
type moduleForAGPU struct {
	name    string
	request Request
	kernels []string
}

func modulesForAGPU() []moduleForAGPU {
	return []moduleForAGPU{
		{"add", addRequest(addSource), []string{"add_kernel"}},
		{
			"instances in a dispatch", Request{
				Name: "relu", CPP: []string{"torch::Tensor relu(torch::Tensor x);"}, CUDA: []string{templateSource}, Functions: []string{"relu"},
			},
			[]string{"relu_kernel<double>", "relu_kernel<float>"},
		},
		{
			"warps", Request{Name: "sum", CPP: []string{"torch::Tensor sum(torch::Tensor x);"}, CUDA: []string{sumSource}, Functions: []string{"sum"}},
			[]string{"sum_kernel"},
		},
	}
}

func addRequest(source string) Request {
	return Request{
		Name: "add", CPP: []string{"torch::Tensor add(torch::Tensor a, torch::Tensor b);"}, CUDA: []string{source},
		Functions: []string{"add"}, CUDALines: []int{3}, CPPLines: []int{30}, CUDAFlags: []string{"-O3", "--use_fast_math"},
	}
}

// TestModulesForAGPU builds one module after the other, of which the last two go on from
// what the first one left in the cache.
func TestModulesForAGPU(t *testing.T) {
	t.Parallel()
	b := newGPUBuilder(t)
	for _, m := range modulesForAGPU() {
		t.Run(m.name, func(t *testing.T) { m.builds(t, b) })
	}
	t.Run("another body of a kernel", func(t *testing.T) {
		built, err := b.Build(t.Context(), addRequest(strings.Replace(addSource, "a[i] + b[i]", "a[i] +\n\n b[i] + 0.0f", 1)), 0)
		if err != nil || !built.OK() || built.Cached || !strings.HasSuffix(built.How, ", host part cached") {
			t.Errorf("%v: %s, cached %v", err, built.How, built.Cached)
		}
	})
	t.Run("a mistake in the kernel", func(t *testing.T) {
		built, err := b.Build(t.Context(), addRequest(strings.Replace(addSource, "a[i] + b[i]", "a[i] +", 1)), 0)
		if err != nil || built.OK() || len(built.Diagnostics) == 0 {
			t.Fatalf("%v %+v", err, built)
		}
		if d := built.Diagnostics[0]; d.File != answerFile || d.Line != 9 || d.Severity != "error" {
			t.Errorf("%+v", d)
		}
	})
}

func (m moduleForAGPU) builds(t *testing.T, b *Builder) {
	t.Helper()
	built, err := b.Build(t.Context(), m.request, 0)
	if err != nil || !built.OK() || built.Kind != KindHone {
		t.Fatalf("%v: %s %+v\n%s", err, built.How, built.Diagnostics, built.Log)
	}
	t.Logf("built in %v: %s", built.Elapsed, built.How)
	var names []string
	for _, k := range built.Resources {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, m.kernels) {
		t.Errorf("kernels %q, want %q", names, m.kernels)
	}
	checkPlaced(t, built.Module, len(m.kernels))
}

// bareSource has a kernel that the fake driver of package device knows.
const bareSource = `
#include <torch/extension.h>
extern "C" __global__ void add(const float* a, const float* b, float* out, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
torch::Tensor plus(torch::Tensor a, torch::Tensor b) {
    auto out = torch::zeros_like(a);
    add<<<1, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), a.numel());
    return out;
}
torch::Tensor tooMany(torch::Tensor a) {
    add<<<1, 4096>>>(a.data_ptr<float>(), a.data_ptr<float>(), a.data_ptr<float>(), a.numel());
    return a;
}
`

// TestModulesReachTheDriver runs a module for a GPU on a driver that does the kernel's
// work itself.
func TestModulesReachTheDriver(t *testing.T) {
	t.Parallel()
	b := newGPUBuilder(t)
	built, err := b.Build(t.Context(), Request{
		Name: "bare", CUDA: []string{bareSource}, Functions: []string{"plus", "tooMany"},
		CPP: []string{"torch::Tensor plus(torch::Tensor a, torch::Tensor b);\ntorch::Tensor tooMany(torch::Tensor a);"},
	}, 0)
	if err != nil || !built.OK() {
		t.Fatalf("%v: %s %+v\n%s", err, built.How, built.Diagnostics, built.Log)
	}
	folder := t.TempDir()
	driver := exec.CommandContext(t.Context(), "g++", "-std=c++17", "-fPIC", "-shared", "-I", "../../compile/device",
		"-o", folder+"/libcuda.so.1", "../../device/testdata/libcuda.cpp")
	if out, err := driver.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	raw, err := os.ReadFile(built.Module)
	if err != nil {
		t.Fatal(err)
	}
	cubin := len(raw) - 24 - int(binary.LittleEndian.Uint64(raw[len(raw)-8:]))
	copy(raw[cubin:], "FAKE") // an image that this driver takes
	built.Module = folder + "/module.so"
	if err := os.WriteFile(built.Module, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	got := callWith(t, []string{"LD_LIBRARY_PATH=" + folder}, b.config.Installation.Python, built,
		"m.plus(torch.ones(100), torch.ones(100)).sum().item()", "m.tooMany(torch.ones(4))")
	for i, want := range []string{"200.0", "RuntimeError: the launch of add with grid (1,1,1), block (4096,1,1)"} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Errorf("printed %q, want %q in line %d", got, want, i+1)
		}
	}
}

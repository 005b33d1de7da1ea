package device

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hone/gpu/compile"
	"example.com/hone/gpu/cuda"
	"example.com/hone/gpu/process"
)

// These tests take turns on the device: none runs beside another.

func draw(n int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	return values
}

func nans(n int) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(math.NaN())
	}
	return values
}

func softmax(x []float32, rows, cols int) []float64 {
	y := make([]float64, len(x))
	for r := range rows {
		row, sum := x[r*cols:(r+1)*cols], 0.0
		top := float64(slices.Max(row))
		for _, v := range row {
			sum += math.Exp(float64(v) - top)
		}
		for i, v := range row {
			y[r*cols+i] = math.Exp(float64(v)-top) / sum
		}
	}
	return y
}

func worst(got []float32, want []float64) float64 {
	most := 0.0
	for i, w := range want {
		d := math.Abs(float64(got[i]) - w)
		if !(d <= most) { // NaN too
			most = d
		}
	}
	return most
}

func TestDeviceRunsKernels(t *testing.T) {
	c := newCard(t)
	const n, rows = 1_000_003, 4097
	a, b := draw(n, 1), draw(n, 2)
	sum := make([]float64, n)
	for i := range sum {
		sum[i] = float64(a[i]) + float64(b[i])
	}
	for _, name := range []string{"vector_add/naive", "vector_add/tuned"} {
		c.check(name, c.corpus(name, addSignature()), [][]float32{a, b}, []int64{n}, sum)
	}
	for _, cols := range []int{1000, 4096} {
		x := draw(rows*cols, 3)
		want := softmax(x, rows, cols)
		for _, name := range []string{"softmax/naive", "softmax/tuned"} {
			c.check(name, c.corpus(name, softmaxSignature()), [][]float32{x}, []int64{rows, int64(cols)}, want)
		}
	}
}

// check runs an artefact once and compares its output with the truth.
func (c *card) check(name string, a compile.DeviceArtifact, inputs [][]float32, dims []int64, want []float64) {
	c.t.Helper()
	p := c.start(a)
	var set []Buffer
	for _, in := range inputs {
		set = append(set, c.tensor("in", false, in).Buffer)
	}
	out := c.tensor("out", true, nans(len(want)))
	none(c.t)(p.Map(c.t.Context(), append(set, out.Buffer)))
	result, fault, err := p.Call(c.t.Context(), Call{Flags: FlagKernels | FlagPlace, Dims: dims, Limit: ample})
	none(c.t)(fault, err)
	got, intact := c.read(out)
	if off := worst(got, want); off > 1e-6 || !intact {
		c.t.Errorf("%s: worst error %g, guard intact %v", name, off, intact)
	}
	for _, k := range result.Kernels {
		c.t.Logf("%s: %s, %d launches, grid %v, block %v, %d bytes shared, %d registers, occupancy %.2f by %s, %s",
			name, k.Kernel, k.Launches, k.Grid, k.Block, k.SharedBytes, *k.Registers, *k.Occupancy, k.Limiter, result.Wall)
	}
	if len(result.Kernels) == 0 {
		c.t.Errorf("%s: no kernel was seen", name)
	}
	if off := c.layersOff(p); len(off) > 0 {
		c.t.Errorf("layers off: %v", off)
	}
	c.must(p.Close())
}

// layersOff are the layers that the system has and that were refused.
func (c *card) layersOff(p *Process) (off []string) {
	for name, state := range p.Layers() {
		if state != "on" && state != "off: Operation not supported" && state != "off: Function not implemented" {
			off = append(off, name+" "+state)
		}
	}
	return off
}

const copyKernel = `#include <cuda_runtime.h>
#include <cstdint>
__global__ void copy(const float4* x, float4* y, int64_t n) {
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) y[i] = x[i];
}
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    const int64_t blocks = (n / 4 + 255) / 256;
    copy<<<unsigned(blocks < 1 << 20 ? blocks : 1 << 20), 256, 0, stream>>>(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y), n / 4);
}
`

func TestDeviceTimesACopy(t *testing.T) {
	c := newCard(t)
	a := c.build(copyKernel, copySignature())
	peak := float64(c.facts.MemoryClock) * 1e6 * 2 * float64(c.facts.BusWidth) / 8
	for _, megabytes := range []int{1, 8, 512} {
		n := megabytes << 18
		values := draw(min(n, 4<<18), 5)
		x := slices.Repeat(values, n/len(values))
		p := c.start(a)
		var sets [][]Buffer
		for range 2 {
			sets = append(sets, []Buffer{c.tensor("x", false, x).Buffer, c.tensor("y", true, make([]float32, n)).Buffer})
		}
		none(t)(p.Map(t.Context(), sets...))
		median := func(method Method) time.Duration {
			r, fault, err := p.Time(t.Context(), Timing{Method: method, Samples: 101, Warmup: 3, L2: int64(c.facts.L2), Dims: []int64{int64(n)}, Limit: time.Minute})
			none(t)(fault, err)
			slices.Sort(r.Samples)
			t.Logf("%4d MB, %s: median %s, from %s to %s, empty pair %s, null %s, wall %s", megabytes, method, r.Samples[50], r.Samples[0], r.Samples[100], r.Empty, r.Null, r.Wall)
			return r.Samples[50]
		}
		cold, again, warm := median(Cold), median(Cold), median(Warm)
		share := 2 * float64(megabytes<<20) / cold.Seconds() / peak
		t.Logf("%4d MB: cold %.0f GB/s, %.0f%% of the memory's %.0f GB/s", megabytes, share*peak/1e9, share*100, peak/1e9)
		if share > 1.05 || megabytes == 512 && share < 0.75 {
			t.Errorf("%d MB: %.0f%% of the memory's bandwidth", megabytes, share*100)
		}
		if spread := math.Abs(again.Seconds()/cold.Seconds() - 1); spread > 0.05 && megabytes > 1 {
			t.Errorf("%d MB: two cold medians differ by %.1f%%", megabytes, spread*100)
		}
		if megabytes < 512 && warm > cold {
			t.Errorf("%d MB: warm %s is slower than cold %s", megabytes, warm, cold)
		}
		c.must(p.Close())
	}
}

// TestDeviceTimesManyLaunches holds the host's time for launches out of a sample.
func TestDeviceTimesManyLaunches(t *testing.T) {
	c := newCard(t)
	const launches = 40
	p := c.start(c.build(solving("y[threadIdx.x] = x[threadIdx.x];", "for (int i = 0; i < 40; ++i) k<<<1, 32, 0, stream>>>(x, y, n);"), copySignature()))
	x, y := c.tensor("x", false, draw(32, 1)), c.tensor("y", true, nans(32))
	none(t)(p.Map(t.Context(), []Buffer{x.Buffer, y.Buffer}))
	for range 2 {
		start := time.Now()
		r, fault, err := p.Time(t.Context(), Timing{Method: Cold, Samples: 51, Warmup: 3, L2: int64(c.facts.L2), Dims: []int64{32}, Limit: ample})
		took := time.Since(start)
		none(t)(fault, err)
		slices.Sort(r.Samples)
		each := r.Samples[25] / launches
		t.Logf("%d launches: median %s, %s each; 51 samples took %s, %s with everything around them", launches, r.Samples[25], each, r.Wall, took)
		if each > 3*time.Microsecond {
			t.Errorf("%s for each launch", each)
		}
	}
	c.must(p.Close())
}

// solving wraps a kernel's body and a launch to a text.
func solving(body, launch string) string {
	return "#include <cuda_runtime.h>\n#include <cassert>\n#include <cstdint>\n__global__ void k(const float* x, float* y, int64_t n) {\n" + body +
		"\n}\nextern \"C\" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {\n" + launch + "\n}\n"
}

const plainLaunch = "k<<<1, 32, 0, stream>>>(x, y, n);"

func TestDeviceFaults(t *testing.T) {
	c := newCard(t)
	good := c.build(solving("y[threadIdx.x] = 2 * x[threadIdx.x];", plainLaunch), copySignature())
	for _, tt := range []struct {
		name, text string
		kind       process.FaultKind
		kernel     string
		message    string
	}{
		{"an address that nothing backs", solving("y[threadIdx.x + (int64_t(1) << 40)] = 1;", plainLaunch), process.FaultAddress, "k", "ILLEGAL_ADDRESS"},
		{"a null pointer", solving("y[threadIdx.x] = 1;", "k<<<1, 32, 0, stream>>>(x, nullptr, n);"), process.FaultAddress, "k", "ILLEGAL_ADDRESS"},
		{"one element past the end", solving("y[n] = 1;", plainLaunch), process.FaultAddress, "k", "ILLEGAL_ADDRESS"},
		{"a store to an input", solving("const_cast<float*>(x)[0] = 1;", plainLaunch), process.FaultAddress, "k", "ILLEGAL_ADDRESS"},
		{"a misaligned address", solving("*reinterpret_cast<float4*>(y + 1) = make_float4(1, 2, 3, 4);", plainLaunch), FaultMisaligned, "k", "MISALIGNED"},
		{"an assert", solving("assert(n < 0);", plainLaunch), FaultAssert, "k", "ASSERT"},
		{"a trap", solving("__trap();", plainLaunch), FaultLaunch, "k", "CUDA_ERROR"},
		{"an overflow of the stack", "__device__ float deep(float a, int left) {\nvolatile float room[256];\nroom[left & 255] = a;\nreturn left == 0 ? a : deep(a + 1, left - 1) + room[left & 255];\n}\n" +
			solving("y[threadIdx.x] = deep(x[threadIdx.x], int(n) << 10);", plainLaunch), process.FaultAddress, "k", "CUDA_ERROR"},
		{"too many threads", solving("y[0] = 1;", "k<<<1, 2048, 0, stream>>>(x, y, n);"), process.FaultCUDA, "k", "block (2048,1,1)"},
		{"no blocks", solving("y[0] = 1;", "k<<<0, 32, 0, stream>>>(x, y, n);"), process.FaultCUDA, "k", "grid (0,1,1)"},
		{"too much shared memory", solving("y[0] = 1;", "k<<<1, 32, 100000, stream>>>(x, y, n);"), process.FaultCUDA, "k", "100000 bytes of shared memory"},
		{"too much device memory", solving("y[0] = 1;", "void* p; cudaMalloc(&p, size_t(1) << 46);"), process.FaultMemory, "", "cudaMalloc of 70368744177664 bytes"},
		{"too much managed memory", solving("y[0] = 1;", "void* p; cudaMallocManaged(&p, size_t(1) << 44);"), process.FaultMemory, "", "cudaMallocManaged"},
		{"host code in device memory", solving("y[0] = 1;", "y[0] = 2;"), process.FaultAddress, "", "host code used buffer y"},
		{"an exception", "#include <stdexcept>\n" + solving("y[0] = 1;", "throw std::runtime_error(\"no luck today\");"), process.FaultAbort, "", "no luck today"},
		{"exit", solving("y[0] = 1;", "exit(0);"), process.FaultExit, "", "solve called exit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := *c
			c.t = t
			p := c.start(c.build(tt.text, copySignature()))
			x, y := c.tensor("x", false, draw(64, 1)), c.tensor("y", true, draw(64, 2))
			none(t)(p.Map(t.Context(), []Buffer{x.Buffer, y.Buffer}))
			_, fault, err := p.Call(t.Context(), Call{Dims: []int64{64}, Limit: ample})
			if err != nil || fault == nil {
				t.Fatalf("fault %v, error %v", fault, err)
			}
			t.Logf("%s: %s %q", fault.Kind, fault.Sentence(), strings.TrimSpace(p.Output()))
			if fault.Kind != tt.kind || fault.Kernel != tt.kernel || !strings.Contains(fault.Message, tt.message) {
				t.Errorf("fault %+v", *fault)
			}
			c.do(func(d *cuda.Context) error { return d.Synchronize() }) // the judge goes on
			c.doubles(good)
		})
	}
}

// doubles has a new process double what it is given.
func (c *card) doubles(a compile.DeviceArtifact) {
	c.t.Helper()
	p := c.start(a)
	x := draw(32, 9)
	in, out := c.tensor("x", false, x), c.tensor("y", true, nans(32))
	none(c.t)(p.Map(c.t.Context(), []Buffer{in.Buffer, out.Buffer}))
	_, fault, err := p.Call(c.t.Context(), Call{Dims: []int64{32}, Limit: ample})
	none(c.t)(fault, err)
	got, _ := c.read(out)
	for i := range x {
		if got[i] != 2*x[i] {
			c.t.Errorf("element %d is %v, twice %v", i, got[i], x[i])
		}
	}
	c.must(p.Close())
}

// otherwise explains where a single call on a device ends in another way than a
// judgement on the CPU.
var otherwise = map[string]string{
	// The emulation sees every access and stops at the first.
	"traps":               "runtime_error launch_failure",
	"writes_past_the_end": "runtime_error illegal_address",
	"inline_ptx":          "correct", // which the emulation cannot run
	// A device has kinds of its own, and inputs that cannot be stored to.
	"asserts":           "runtime_error assert",
	"misaligned":        "runtime_error misaligned",
	"borrows_its_input": "runtime_error illegal_address",
	// The compiler of the device part refuses it.
	"static_shared_too_large": "compile_error",
	// Only another call, or poison, shows it: that is the judge's part.
	"computes_once":              "correct",
	"remembers_pointers":         "correct",
	"skips_every_other_call":     "correct",
	"reads_uninitialised_memory": "correct",
}

// TestDeviceAgreesWithTheEmulation runs every addition of the corpus on the device
// and compares how it ends with what the emulation says of it.
func TestDeviceAgreesWithTheEmulation(t *testing.T) {
	c := newCard(t)
	paths, err := filepath.Glob("../testdata/kernels/vector_add/*.cu")
	c.must(err)
	const n = 1025 // the last block leaves its buffers
	a, b := c.tensor("a", false, draw(n, 1)), c.tensor("b", false, draw(n, 2))
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		text, err := os.ReadFile(path)
		c.must(err)
		first, _, _ := strings.Cut(string(text), "\n")
		want := strings.TrimPrefix(first, "// expect: ")
		if other, ok := otherwise[name]; ok {
			want = other
		}
		if got := c.outcome(string(text), a, b, n); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		} else {
			t.Logf("%s: %s", name, got)
		}
	}
}

// outcome is how an addition ends, in the words of the corpus.
func (c *card) outcome(text string, a, b tensor, n int) string {
	built, err := c.compiler.BuildDevice(c.t.Context(), compile.Source{Name: "kernel.cu", Text: text, Unit: compile.StreamUnit(addSignature())},
		c.target, c.nvrtc)
	c.must(err)
	switch {
	case built.Needs != nil:
		return "needs nvcc"
	case !built.OK():
		return "compile_error"
	}
	p := c.start(built)
	defer func() { c.must(p.Close()) }()
	out := c.tensor("c", true, nans(n))
	none(c.t)(p.Map(c.t.Context(), []Buffer{a.Buffer, b.Buffer, out.Buffer}))
	_, fault, err := p.Call(c.t.Context(), Call{Dims: []int64{int64(n)}, Limit: time.Second})
	c.must(err)
	if fault != nil {
		return map[bool]string{true: "timeout", false: "runtime_error " + string(fault.Kind)}[fault.Kind == process.FaultTimeout]
	}
	got, intact := c.read(out)
	x, _ := c.read(a)
	y, _ := c.read(b)
	for i := range got {
		if got[i] != x[i]+y[i] {
			return "mismatch"
		}
	}
	return map[bool]string{true: "correct", false: "runtime_error out_of_bounds"}[intact]
}

// TestDeviceRunsWhatNVCCBuilt takes an object with a CUDA runtime of its own.
func TestDeviceRunsWhatNVCCBuilt(t *testing.T) {
	c := newCard(t)
	for text, kind := range map[string]process.FaultKind{
		solving("y[threadIdx.x] = x[threadIdx.x];", plainLaunch):           "",
		solving("y[0] = 1;", "k<<<1, 2048, 0, stream>>>(x, y, n);"):        process.FaultCUDA,
		solving("y[n + (1 << 30)] = 1;", plainLaunch):                      process.FaultAddress,
		solving("y[0] = 1;", "if (fopen(\"/etc/passwd\", \"r\")) return;"): "",
	} {
		unit := compile.StreamUnit(copySignature())
		unit.Entry += LastErrorEntry
		a, err := c.compiler.BuildNVCC(t.Context(), compile.Source{Name: "kernel.cu", Text: "#include <cstdio>\n" + text, Unit: unit},
			compile.NVCC{Path: "/usr/local/cuda/bin/nvcc", Arch: c.facts.SM()})
		if err != nil {
			t.Skip(err)
		}
		p := c.start(a)
		x, y := c.tensor("x", false, draw(32, 1)), c.tensor("y", true, nans(32))
		none(t)(p.Map(t.Context(), []Buffer{x.Buffer, y.Buffer}))
		_, fault, err := p.Call(t.Context(), Call{Dims: []int64{32}, Limit: ample})
		c.must(err)
		if fault == nil {
			fault = &process.Fault{}
		}
		if t.Logf("%s %s", fault.Kind, fault.Message); fault.Kind != kind {
			t.Errorf("fault %+v, want %q", *fault, kind)
		}
		c.must(p.Close())
	}
}

func TestDeviceHang(t *testing.T) {
	c := newCard(t)
	good := c.corpus("vector_add/naive", addSignature())
	p := c.start(c.corpus("vector_add/endless_loop", addSignature()))
	a, b, out := c.tensor("a", false, draw(1000, 1)), c.tensor("b", false, draw(1000, 2)), c.tensor("c", true, nans(1000))
	none(t)(p.Map(t.Context(), []Buffer{a.Buffer, b.Buffer, out.Buffer}))
	start := time.Now()
	_, fault, err := p.Call(t.Context(), Call{Dims: []int64{1000}, Limit: time.Second})
	if err != nil || fault == nil || fault.Kind != process.FaultTimeout {
		t.Fatalf("fault %+v, error %v", fault, err)
	}
	ended := time.Since(start)
	start = time.Now()
	next := c.start(good)
	none(t)(next.Map(t.Context(), []Buffer{a.Buffer, b.Buffer, out.Buffer}))
	_, fault, err = next.Call(t.Context(), Call{Dims: []int64{1000}, Limit: ample})
	none(t)(fault, err)
	again := time.Since(start)
	t.Logf("a limit of 1 s: over after %s; the next process answered after %s", ended, again)
	if ended > 2*time.Second || again > 2*time.Second {
		t.Error("too late")
	}
}

func TestDeviceProcessesLeaveNothing(t *testing.T) {
	c := newCard(t)
	artifact := c.corpus("vector_add/naive", addSignature())
	a, b, out := c.tensor("a", false, draw(1000, 1)), c.tensor("b", false, draw(1000, 2)), c.tensor("c", true, nans(1000))
	free := func() (bytes uint64) {
		c.do(func(d *cuda.Context) (err error) { bytes, _, err = d.MemoryInfo(); return err })
		return bytes
	}
	before := free()
	var starts []time.Duration
	for range 50 {
		start := time.Now()
		p := c.start(artifact)
		starts = append(starts, time.Since(start))
		none(t)(p.Map(t.Context(), []Buffer{a.Buffer, b.Buffer, out.Buffer}))
		_, fault, err := p.Call(t.Context(), Call{Dims: []int64{1000}, Limit: ample})
		none(t)(fault, err)
		c.must(p.Close())
	}
	slices.Sort(starts)
	after := free()
	t.Logf("50 processes: started and loaded in %s (median), %s (most); free memory %d before, %d after", starts[25], starts[49], before, after)
	if after+64<<20 < before {
		t.Errorf("%d bytes of device memory are gone", before-after)
	}
}

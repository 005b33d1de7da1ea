package device

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// lengths has kernels whose time is known to grow with a number, and nothing else.
const lengths = `#include <cuda_runtime.h>
#include <cstdint>
__global__ void spin(float* y, int64_t cycles) {
    const int64_t start = clock64();
    while (clock64() - start < cycles) {}
    if (cycles < 0) y[0] = 1;
}
__global__ void copy(const float4* x, float4* y, int64_t n, int64_t rounds) {
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t r = 0; r < rounds; ++r)
        for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) y[i] = x[i];
}
extern "C" void solve(const float* x, float* y, int64_t n, int64_t rounds, cudaStream_t stream) {
    if (rounds == 0) { spin<<<132, 128, 0, stream>>>(y, n); return; }
    const int64_t blocks = (n / 4 + 255) / 256;
    copy<<<unsigned(blocks < 4224 ? blocks : 4224), 256, 0, stream>>>(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y), n / 4, rounds);
}
`

// TestDeviceTimesShortAndLong prints what each method shows for kernels of 2 us to
// 5 ms, and holds the methods against each other where the cache has no part.
func TestDeviceTimesShortAndLong(t *testing.T) {
	c := newCard(t)
	const most = 48 << 20
	p := c.start(c.build(lengths, signature([]string{"x"}, []string{"n", "rounds"})))
	x := slices.Repeat(draw(1<<20, 5), most>>20)
	var sets [][]Buffer
	for range 2 {
		sets = append(sets, []Buffer{c.tensor("x", false, x).Buffer, c.tensor("y", true, make([]float32, most)).Buffer})
	}
	none(t)(p.Map(t.Context(), sets...))
	for _, dims := range [][]int64{{2000, 0}, {8000, 0}, {18000, 0}, {58000, 0}, {198000, 0}, {9900000, 0},
		{1 << 14, 1}, {1 << 20, 1}, {3 << 20, 1}, {12 << 20, 1}, {most, 1}, {most, 53}} {
		samples := 101
		if dims[0] > 1<<20 && dims[1] != 1 {
			samples = 21
		}
		var line strings.Builder
		medians := map[Method]float64{}
		for _, method := range methods {
			r, fault, err := p.Time(t.Context(), Timing{Method: method, Samples: samples, Warmup: 2, L2: int64(c.facts.L2), Dims: dims, Limit: time.Minute})
			none(t)(fault, err)
			slices.Sort(r.Samples)
			middle := r.Samples[len(r.Samples)/2]
			medians[method] = Corrected(middle, r).Seconds()
			fmt.Fprintf(&line, " | %s %d (empty %d, null %d) corrected %.0f", method, middle, r.Empty, r.Null, medians[method]*1e9)
		}
		t.Logf("dims %v, ns%s", dims, line.String())
		for _, method := range []Method{Warm, Graph} {
			off := math.Abs(medians[method]/medians[Cold] - 1)
			if dims[1] == 0 && medians[Cold] > 9e-6 && off > 0.03 {
				t.Errorf("dims %v: %s differs from cold by %.1f%%", dims, method, 100*off)
			}
		}
	}
	c.must(p.Close())
}

// TestDeviceCaptures has calls that can be a graph and calls that cannot.
func TestDeviceCaptures(t *testing.T) {
	c := newCard(t)
	const launch = "k<<<1, 64, 0, stream>>>(x, y, n);"
	for _, tt := range []struct{ name, solve, refused string }{
		{"one launch", launch, ""},
		{"a launch and a fill", "cudaMemsetAsync(y, 0, n * 4, stream);" + launch, ""},
		{"memory of a stream", "float* m; cudaMallocAsync(&m, n * 4, stream); k<<<1, 64, 0, stream>>>(x, m, n); cudaMemcpyAsync(y, m, n * 4, cudaMemcpyDeviceToDevice, stream); cudaFreeAsync(m, stream);", ""},
		{"another stream and back", "static cudaStream_t s; static cudaEvent_t e; if (!s) { cudaStreamCreate(&s); cudaEventCreate(&e); } cudaEventRecord(e, stream); cudaStreamWaitEvent(s, e, 0); k<<<1, 64, 0, s>>>(x, y, n); cudaEventRecord(e, s); cudaStreamWaitEvent(stream, e, 0);", ""},
		{"memory made once", "static float* m; if (!m) cudaMalloc(&m, n * 4); k<<<1, 64, 0, stream>>>(x, m, n); cudaMemcpyAsync(y, m, n * 4, cudaMemcpyDeviceToDevice, stream);", ""},
		{"a wait for the stream", launch + "cudaStreamSynchronize(stream);", "cudaStreamSynchronize"},
		{"a wait for the device", launch + "cudaDeviceSynchronize();", "cudaDeviceSynchronize"},
		{"an allocation", "float* m; cudaMalloc(&m, n * 4); k<<<1, 64, 0, stream>>>(x, m, n); cudaMemcpyAsync(y, m, n * 4, cudaMemcpyDeviceToDevice, stream); cudaFree(m);", "cudaMalloc"},
		{"the default stream", "k<<<1, 64>>>(x, y, n);", "launch of k"},
		{"a stream of its own", "static cudaStream_t s; if (!s) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); k<<<1, 64, 0, s>>>(x, y, n);", "does not follow"},
		{"a wait, then exit", launch + "if (cudaStreamSynchronize(stream) != cudaSuccess) exit(1);", "cudaStreamSynchronize"},
		{"a wait, then abort", launch + "if (cudaStreamSynchronize(stream) != cudaSuccess) abort();", "cudaStreamSynchronize"},
		{"a wait, then an exception", launch + "if (cudaStreamSynchronize(stream) != cudaSuccess) throw 1;", "cudaStreamSynchronize"},
		{"a wait, its error dropped", launch + "cudaStreamSynchronize(stream); cudaGetLastError();", "cuStreamEndCapture"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := *c
			c.t = t
			p := c.start(c.build("#include <cstdlib>\n"+solving("y[threadIdx.x] = 2 * x[threadIdx.x];", tt.solve), copySignature()))
			x := draw(64, 3)
			in, out := c.tensor("x", false, x), c.tensor("y", true, nans(64))
			none(t)(p.Map(t.Context(), []Buffer{in.Buffer, out.Buffer}))
			r, fault, err := p.Time(t.Context(), Timing{Method: Graph, Samples: 11, Dims: []int64{64}, Limit: ample})
			none(t)(fault, err)
			t.Logf("%v %q", r.Samples, r.Refused)
			if (tt.refused == "") != (r.Refused == "") || !strings.Contains(r.Refused, tt.refused) {
				t.Errorf("refused as %q, want %q", r.Refused, tt.refused)
			}
			_, fault, err = p.Call(t.Context(), Call{Dims: []int64{64}, Limit: ample})
			none(t)(fault, err)
			if got, _ := c.read(out); got[63] != 2*x[63] {
				t.Errorf("then element 63 is %v, twice %v", got[63], x[63])
			}
			c.must(p.Close())
		})
	}
}

// TestDeviceThroughTheHost has the worker copy what it could share.
func TestDeviceThroughTheHost(t *testing.T) {
	c := newCard(t)
	const n = 100_000
	x := draw(n, 4)
	for name, body := range map[string]string{"within": "", "past the end": "if (i == n - 1) y[n] = 7;"} {
		in, out := newMemory(t, "x", false, x...), newMemory(t, "y", true, nans(n)...)
		set := onHost([]Buffer{in.Buffer, out.Buffer})
		p := c.start(c.build(solving("const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; "+body,
			"k<<<unsigned((n + 255) / 256), 256, 0, stream>>>(x, y, n);"), copySignature()))
		none(t)(p.Map(t.Context(), set))
		_, fault, err := p.Call(t.Context(), Call{Dims: []int64{n}, Limit: ample})
		none(t)(fault, err)
		for i := range x {
			if out.value(i) != 2*x[i] {
				t.Fatalf("%s: element %d is %v, twice %v", name, i, out.value(i), x[i])
			}
		}
		if past := out.value(n); (past == 7) != (name != "within") {
			t.Errorf("%s: what follows the tensor is %v", name, past)
		}
		r, fault, err := p.Time(t.Context(), Timing{Method: Cold, Samples: 21, Warmup: 1, L2: int64(c.facts.L2), Dims: []int64{n}, Limit: ample})
		none(t)(fault, err)
		slices.Sort(r.Samples)
		t.Logf("%s: median %s", name, r.Samples[10])
		c.must(p.Close())
	}
}

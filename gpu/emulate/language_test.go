package emulate

import (
	"encoding/binary"
	"math"
	"testing"
)

func floats(values ...float32) []byte {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

func asFloats(data []byte) []float32 {
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return values
}

const vectorAdd = `__global__ void add(const float* a, const float* b, float* c, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" void hone_entry(void* const* buffers, const int64_t* dims) {
    int64_t n = dims[0];
    ::hone::launch(add, "add", 7, 0, ::hone::config((n + 255) / 256, 256), [=](auto... a) { add(a...); })(
        (const float*)buffers[0], (const float*)buffers[1], (float*)buffers[2], n);
}
`

func TestVectorAdd(t *testing.T) {
	t.Parallel()
	for _, checked := range []bool{false, true} {
		p := start(t)
		if r := p.load(object(t, vectorAdd, checked)); r.kind != replyOK {
			t.Fatalf("load: %v", r)
		}
		n := 1000
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], y[i] = float32(i), float32(2*i)
		}
		out := newBuffer(t, "c", true, make([]byte, 4*n))
		p.mapBuffers(newBuffer(t, "a", false, floats(x...)), newBuffer(t, "b", false, floats(y...)), out)
		flags := 1
		if checked {
			flags |= 2
		}
		r := p.call(call{flags: flags, dims: []int64{int64(n)}})
		t.Log(r, p.hello)
		if r.kind != replyOK {
			t.Fatalf("call: %v\n%s", r, p.output)
		}
		for i, v := range asFloats(out.data(t)) {
			if v != float32(3*i) {
				t.Fatalf("c[%d] = %v, want %v", i, v, 3*i)
			}
		}
	}
}

// blockSum adds up 256 floats a block in a shared-memory tree.
const blockSum = `template <class T>
__global__ void sum(const T* x, T* out, int n) {
    typedef T hone_s_t[256]; hone_s_t& s = ::hone::shared<hone_s_t, struct hone_s_s>("s", 3);
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : T(0);
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" void hone_entry(void* const* buffers, const int64_t* dims) {
    int n = dims[0];
    ::hone::launch("sum<float>", 15, 1, ::hone::config((n + 255) / 256, 256), [=](auto... a) { sum<float>(a...); })(
        (const float*)buffers[0], (float*)buffers[1], n);
}
`

func TestBlockSum(t *testing.T) {
	t.Parallel()
	for _, checked := range []bool{false, true} {
		p := start(t)
		if r := p.load(object(t, blockSum, checked)); r.kind != replyOK {
			t.Fatalf("load: %v", r)
		}
		x := make([]float32, 1024)
		for i := range x {
			x[i] = float32(i % 7)
		}
		out := newBuffer(t, "out", true, make([]byte, 16))
		p.mapBuffers(newBuffer(t, "x", false, floats(x...)), out)
		for schedule := range 3 {
			flags := 1
			if checked {
				flags |= 2
			}
			r := p.call(call{flags: flags, schedule: schedule, seed: 7, poison: 0xff, dims: []int64{1024}})
			t.Log(r)
			if r.kind != replyOK || len(r.findings()) > 0 {
				t.Fatalf("call: %v\n%s", r, p.output)
			}
			for b, got := range asFloats(out.data(t)) {
				var want float32
				for _, v := range x[256*b : 256*b+256] {
					want += v
				}
				if got != want {
					t.Errorf("schedule %d: out[%d] = %v, want %v", schedule, b, got, want)
				}
			}
		}
	}
}

package device

import "testing"

// kernelTwice doubles what it is given.
const kernelTwice = `#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cstdint>
__constant__ float factor[2];
__device__ float kept[64];
__global__ void twice(const float* x, float* y, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
__global__ void scaled(const float* x, float* y, int64_t n) { if (threadIdx.x < n) y[threadIdx.x] = factor[1] * x[threadIdx.x]; }
__global__ void keep(const float* x, int64_t n) { if (threadIdx.x < n) kept[threadIdx.x] = 2 * x[threadIdx.x]; }
__global__ void by_shared(const float* x, float* y, int64_t n) {
    extern __shared__ float room[];
    room[25000 - threadIdx.x] = 2 * x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) y[threadIdx.x] = room[25000 - threadIdx.x];
}
template <typename T, int K> __global__ void times(const T* x, T* y, int64_t n) { if (threadIdx.x < n) y[threadIdx.x] = K * x[threadIdx.x]; }
__global__ void together(const float* x, float* y, int64_t n) {
    __shared__ float s[32];
    s[threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x];
    cooperative_groups::this_grid().sync();
    y[blockIdx.x * 32 + threadIdx.x] = 2 * s[threadIdx.x];
}
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
`

// TestDeviceRuntime has a candidate reach its result through each part of the
// table.
func TestDeviceRuntime(t *testing.T) {
	c := newCard(t)
	const n = 64
	x := draw(n, 7)
	want := make([]float64, n)
	for i, v := range x {
		want[i] = 2 * float64(v)
	}
	for _, tt := range []struct{ name, solve string }{
		{"the stream", "twice<<<1, 64, 0, stream>>>(x, y, n);"},
		{"the default stream", "twice<<<1, 64>>>(x, y, n);"},
		{"a template", "times<float, 2><<<1, 64, 0, stream>>>(x, y, n);"},
		{"a constant", "const float f[] = {1, 2}; cudaMemcpyToSymbolAsync(factor, f, sizeof f, 0, cudaMemcpyHostToDevice, stream); scaled<<<1, 64, 0, stream>>>(x, y, n);"},
		{"a device variable", "keep<<<1, 64, 0, stream>>>(x, n); cudaMemcpyFromSymbolAsync(y, kept, n * 4, 0, cudaMemcpyDeviceToDevice, stream);"},
		{"much shared memory", "cudaFuncSetAttribute(by_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100004); by_shared<<<1, 64, 100004, stream>>>(x, y, n);"},
		{"a launch by address", "void* a[] = {&x, &y, &n}; cudaLaunchKernel(twice, dim3(1), dim3(64), a, 0, stream);"},
		{"a cooperative launch", "void* a[] = {&x, &y, &n}; cudaLaunchCooperativeKernel(together, dim3(2), dim3(32), a, 0, stream);"},
		{"managed memory", "float* m; cudaMallocManaged(&m, n * 4); twice<<<1, 64, 0, stream>>>(x, m, n); cudaStreamSynchronize(stream); cudaMemcpy(y, m, n * 4, cudaMemcpyDefault); cudaFree(m);"},
		{"pinned memory", "float* m; cudaMallocHost(&m, n * 4); cudaMemcpyAsync(m, x, n * 4, cudaMemcpyDeviceToHost, stream); cudaStreamSynchronize(stream); for (int i = 0; i < n; ++i) m[i] *= 2; cudaMemcpyAsync(y, m, n * 4, cudaMemcpyHostToDevice, stream); cudaStreamSynchronize(stream); cudaFreeHost(m);"},
		{"pageable memory", "float m[64]; cudaMemcpy(m, x, n * 4, cudaMemcpyDeviceToHost); for (float& v : m) v *= 2; cudaMemcpy(y, m, n * 4, cudaMemcpyHostToDevice);"},
		{"memory of a stream", "float* m; cudaMallocAsync(&m, n * 4, stream); twice<<<1, 64, 0, stream>>>(x, m, n); cudaMemcpyAsync(y, m, n * 4, cudaMemcpyDeviceToDevice, stream); cudaFreeAsync(m, stream);"},
		{"rows", "float* m; cudaMalloc(&m, 1024); twice<<<1, 64, 0, stream>>>(x, m, n); cudaMemcpy2DAsync(y, 32, m, 32, 32, 8, cudaMemcpyDeviceToDevice, stream); cudaStreamSynchronize(stream); cudaFree(m);"},
		{"streams and events", `cudaStream_t s; cudaEvent_t e, f; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaEventCreate(&e); cudaEventCreate(&f);
			cudaEventRecord(e, stream); cudaStreamWaitEvent(s, e, 0); twice<<<1, 64, 0, s>>>(x, y, n); cudaEventRecord(f, s); cudaStreamWaitEvent(stream, f, 0);
			cudaEventSynchronize(f); float ms; cudaEventElapsedTime(&ms, e, f); cudaEventDestroy(e); cudaEventDestroy(f); cudaStreamDestroy(s);`},
		{"occupancy and attributes", `int blocks = 0, sms = 0; cudaFuncAttributes a; cudaDeviceProp p; size_t free, total; cudaMemGetInfo(&free, &total); cudaGetDeviceProperties(&p, 0);
			cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, twice, 64, 0); cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0); cudaFuncGetAttributes(&a, twice);
			if (blocks > 0 && sms == p.multiProcessorCount && a.numRegs > 0 && free <= total) twice<<<1, 64, 0, stream>>>(x, y, n);`},
		{"an error that is asked for", "void* p; if (cudaMalloc(&p, size_t(1) << 46) != cudaErrorMemoryAllocation || cudaGetLastError() == cudaSuccess) return; if (cudaGetLastError() == cudaSuccess) twice<<<1, 64, 0, stream>>>(x, y, n);"},
		{"a device waited for", "cudaMemsetAsync(y, 0, n * 4, stream); cudaDeviceSynchronize(); twice<<<1, 64, 0, stream>>>(x, y, n); cudaDeviceSynchronize();"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := *c
			c.t = t
			p := c.start(c.build(kernelTwice+tt.solve+"\n}\n", copySignature()))
			out := c.tensor("y", true, nans(n))
			none(t)(p.Map(t.Context(), []Buffer{c.tensor("x", false, x).Buffer, out.Buffer}))
			for _, flags := range []int{0, FlagPlace} {
				_, fault, err := p.Call(t.Context(), Call{Flags: flags, Dims: []int64{n}, Limit: ample})
				none(t)(fault, err)
			}
			got, intact := c.read(out)
			if off := worst(got, want); off != 0 || !intact {
				t.Errorf("worst error %g, guard intact %v", off, intact)
			}
			c.must(p.Close())
		})
	}
}

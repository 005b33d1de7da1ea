// expect: unsupported
// gpu: correct
// why: asynchronous copies run on a GPU only
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <cstdint>

// Stages its input through shared memory with asynchronous copies.
__global__ void gelu(const float* x, float* y, int64_t n)
{
    __shared__ float staged[256];
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        __pipeline_memcpy_async(&staged[threadIdx.x], x + i, sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (i < n) {
        const float v = staged[threadIdx.x];
        y[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
    }
}

extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream)
{
    gelu<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}

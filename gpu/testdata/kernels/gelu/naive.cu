// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

__global__ void gelu(const float* x, float* y, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
    }
}

extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream)
{
    gelu<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}

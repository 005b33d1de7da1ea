// expect: mismatch
#include <cuda_runtime.h>
#include <cstdint>

// The tanh approximation: up to 5e-4 off the exact form.
__global__ void gelu(const float* x, float* y, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        const float v = x[i];
        y[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
    }
}

extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream)
{
    gelu<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}

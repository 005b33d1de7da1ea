// expect: mismatch
#include <cuda_runtime.h>
#include <cstdint>

// What a softmax is on average, whatever the input.
__global__ void fill_rows(float* y, int64_t n, float value)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = value;
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const int64_t n = rows * cols;
    fill_rows<<<(n + 255) / 256, 256, 0, stream>>>(y, n, 1.0f / cols);
}

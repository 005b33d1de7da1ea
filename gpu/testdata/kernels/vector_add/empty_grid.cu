// expect: runtime_error cuda_error
#include <cuda_runtime.h>
#include <cstdint>

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Rounds down where it should round up, so that a short vector gets no block.
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    const int64_t each = int64_t(1) << 26;
    add<<<n / each, 256, 0, stream>>>(a, b, c, n);
}

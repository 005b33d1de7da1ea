// expect: runtime_error abort
// gpu: runtime_error assert
// why: a device knows an assert from other ends
#include <cuda_runtime.h>
#include <cassert>
#include <cstdint>

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    assert(i < n / 2);
    c[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}

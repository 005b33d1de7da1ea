// expect: mismatch
#include <cuda_runtime.h>
#include <cstdint>

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Works at every other call, the first one included.
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    static bool skip = false;
    if (!skip) {
        add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
    }
    skip = !skip;
}

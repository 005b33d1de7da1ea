// expect: runtime_error abort
// gpu: runtime_error launch_failure
// why: a device does not say that it was a trap
#include <cuda_runtime.h>
#include <cstdint>

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i == n / 2) {
        __trap();
    }
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}

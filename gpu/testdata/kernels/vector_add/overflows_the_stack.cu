// expect: runtime_error illegal_address
// gpu: runtime_error illegal_address | runtime_error launch_failure
// why: a device does not say that it was a stack
#include <cuda_runtime.h>
#include <cstdint>

__device__ __noinline__ float deeper(float v, int64_t left)
{
    volatile float kept[64];
    kept[left % 64] = v;
    return left == 0 ? v : deeper(v, left - 1) + kept[left % 64] * 0.0f;
}

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = deeper(a[i] + b[i], n * 1000);
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}

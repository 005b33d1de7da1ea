// expect: unsupported
// gpu: correct
// why: PTX runs on a GPU only
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float add_rounded(float a, float b)
{
    float c;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
    return c;
}

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = add_rounded(a[i], b[i]);
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}

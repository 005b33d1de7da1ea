// expect: correct
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cstdint>

// Splits each number into three bfloat16 parts, which hold 24 bits together, and
// adds them up again.
struct Parts {
    __nv_bfloat16 high, middle, low;
};

__device__ Parts split(float v)
{
    Parts p;
    p.high = __float2bfloat16(v);
    v -= __bfloat162float(p.high);
    p.middle = __float2bfloat16(v);
    p.low = __nv_bfloat16(v - float(p.middle));
    return p;
}

__device__ float join(Parts p)
{
    return float(p.high) + (float(p.middle) + float(p.low));
}

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = join(split(a[i])) + join(split(b[i]));
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}

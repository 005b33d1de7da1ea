// expect: correct
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

// Splits each number into a scaled half and the rest.
__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const half2 rounded = __floats2half2_rn(a[i], b[i]);
    const float rest = (a[i] - __low2float(rounded)) + (b[i] - __high2float(rounded));
    const half sign = __hlt(__low2half(rounded), half(0.0f)) ? __float2half(-1.0f) : __float2half(1.0f);
    const half size = __habs(__low2half(rounded));
    c[i] = __half2float(__hmul(sign, size)) + __half2float(__high2half(rounded)) + rest;
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}

// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// The error function from other functions of the math library, by ranges: a
// Taylor series near 0, its complement elsewhere.
__device__ float erf_series(float v)
{
    const float square = v * v;
    float term = v, sum = v;
#pragma unroll
    for (int i = 1; i < 12; ++i) {
        term *= __fdividef(-square, float(i));
        sum += term / (2 * i + 1);
    }
    return sum * 1.1283791670955126f;
}

__device__ float my_erf(float v)
{
    const float size = fabsf(v);
    if (size < 1.0f) {
        return erf_series(v);
    }
    return copysignf(1.0f - erfcf(size), v);
}

__global__ void gelu(const float* x, float* y, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        const float v = __fmul_rn(x[i], rsqrtf(2.0f));
        y[i] = fmaf(0.5f * x[i], my_erf(v), ldexpf(x[i], -1));
    }
}

extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream)
{
    gelu<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}

// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

__device__ __forceinline__ float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
}

__device__ __forceinline__ float4 gelu(float4 v)
{
    return make_float4(gelu(v.x), gelu(v.y), gelu(v.z), gelu(v.w));
}

__global__ void __launch_bounds__(256) gelu_quads(const float* __restrict__ x, float* __restrict__ y, int64_t n)
{
    const int64_t quads = n / 4;
    const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = first; i < quads; i += step) {
        reinterpret_cast<float4*>(y)[i] = gelu(__ldg(reinterpret_cast<const float4*>(x) + i));
    }
    if (first < n % 4) {
        y[quads * 4 + first] = gelu(x[quads * 4 + first]);
    }
}

extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream)
{
    const int64_t wanted = (n / 4 + 255) / 256;
    const int grid = static_cast<int>(wanted < 1 ? 1 : wanted > 2048 ? 2048 : wanted);
    gelu_quads<<<grid, 256, 0, stream>>>(x, y, n);
}

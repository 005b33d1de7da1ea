#include <cuda_runtime.h>
#include <cstdint>

// One fused multiply-add a round, and nothing else that takes time. Which factors
// they are is not known to the compiler, so that it cannot leave rounds out.
__global__ void __launch_bounds__(256)
reflect(const float* __restrict__ x, float* __restrict__ y, int64_t n, int rounds, float factor, float offset)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
#pragma unroll 16
        for (int round = 0; round < rounds; ++round) {
            v = fmaf(v, factor, offset);
        }
        y[i] = v;
    }
}

extern "C" void solve(const float* x, float* y, int64_t n, int64_t rounds, cudaStream_t stream)
{
    reflect<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, n, int(rounds), -1.0f, 1.0f);
}

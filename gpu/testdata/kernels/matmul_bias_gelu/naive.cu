// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

__device__ float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

__global__ void linear_gelu(const float* x, const float* weight, const float* bias, float* y, int64_t M, int64_t N,
                            int64_t K)
{
    const int64_t col = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = bias[col];
        for (int64_t k = 0; k < K; ++k) {
            sum += x[row * K + k] * weight[col * K + k];
        }
        y[row * N + col] = gelu(sum);
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int64_t M, int64_t N,
                      int64_t K, cudaStream_t stream)
{
    const dim3 block(16, 16);
    const dim3 grid((N + 15) / 16, (M + 15) / 16);
    linear_gelu<<<grid, block, 0, stream>>>(x, weight, bias, y, M, N, K);
}

// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

__global__ void matmul(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K)
{
    const int64_t col = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int64_t k = 0; k < K; ++k) {
            sum += a[row * K + k] * b[k * N + col];
        }
        c[row * N + col] = sum;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K, cudaStream_t stream)
{
    const dim3 block(16, 16);
    const dim3 grid((N + 15) / 16, (M + 15) / 16);
    matmul<<<grid, block, 0, stream>>>(a, b, c, M, N, K);
}

// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// A block makes a 64 x 64 tile of c, a thread 8 x 8 of it in registers.
constexpr int kTile = 64;
constexpr int kDepth = 16;
constexpr int kEach = 8;
constexpr int kThreads = (kTile / kEach) * (kTile / kEach);

__global__ void __launch_bounds__(kThreads)
matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int M, int N, int K)
{
    __shared__ float a_tile[kDepth][kTile + 4];  // transposed; the padding spreads the stores over the banks
    __shared__ float b_tile[kDepth][kTile];
    const int tid = threadIdx.x;
    const int row0 = blockIdx.y * kTile;
    const int col0 = blockIdx.x * kTile;
    const int row = (tid / (kTile / kEach)) * kEach;
    const int col = (tid % (kTile / kEach)) * kEach;

    float sum[kEach][kEach] = {};
    for (int k0 = 0; k0 < K; k0 += kDepth) {
        for (int i = tid; i < kTile * kDepth; i += kThreads) {
            const int r = i / kDepth, k = i % kDepth;
            a_tile[k][r] = row0 + r < M && k0 + k < K ? a[int64_t(row0 + r) * K + k0 + k] : 0.0f;
        }
        for (int i = tid; i < kDepth * kTile; i += kThreads) {
            const int k = i / kTile, n = i % kTile;
            b_tile[k][n] = k0 + k < K && col0 + n < N ? b[int64_t(k0 + k) * N + col0 + n] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            float u[kEach], v[kEach];
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
                u[i] = a_tile[k][row + i];
                v[i] = b_tile[k][col + i];
            }
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
#pragma unroll
                for (int j = 0; j < kEach; ++j) {
                    sum[i][j] += u[i] * v[j];
                }
            }
        }
        __syncthreads();
    }

    for (int i = 0; i < kEach; ++i) {
        for (int j = 0; j < kEach; ++j) {
            if (row0 + row + i < M && col0 + col + j < N) {
                c[int64_t(row0 + row + i) * N + col0 + col + j] = sum[i][j];
            }
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K, cudaStream_t stream)
{
    const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
    matmul<<<grid, kThreads, 0, stream>>>(a, b, c, int(M), int(N), int(K));
}

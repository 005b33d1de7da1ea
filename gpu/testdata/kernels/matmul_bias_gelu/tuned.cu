// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// A block makes a 128 x 128 tile of y, a thread 8 x 8 of it in registers; bias and
// GELU are applied before the one store.
constexpr int kTile = 128;
constexpr int kDepth = 8;
constexpr int kEach = 8;
constexpr int kThreads = (kTile / kEach) * (kTile / kEach);

__device__ __forceinline__ float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
}

// Loads kTile rows of kDepth elements, transposed; rows and columns beyond the
// matrix are zeros.
__device__ __forceinline__ void load_tile(float (*tile)[kTile + 4], const float* __restrict__ from, int row0,
                                          int rows, int k0, int K)
{
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
        const int r = i / kDepth, k = i % kDepth;
        tile[k][r] = row0 + r < rows && k0 + k < K ? from[int64_t(row0 + r) * K + k0 + k] : 0.0f;
    }
}

__global__ void __launch_bounds__(kThreads)
linear_gelu(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
            float* __restrict__ y, int M, int N, int K)
{
    __shared__ float x_tile[kDepth][kTile + 4];
    __shared__ float w_tile[kDepth][kTile + 4];
    const int row0 = blockIdx.y * kTile;
    const int col0 = blockIdx.x * kTile;
    const int row = threadIdx.x / (kTile / kEach) * kEach;
    const int col = threadIdx.x % (kTile / kEach) * kEach;

    float sum[kEach][kEach] = {};
    for (int k0 = 0; k0 < K; k0 += kDepth) {
        load_tile(x_tile, x, row0, M, k0, K);
        load_tile(w_tile, weight, col0, N, k0, K);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            float u[kEach], v[kEach];
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
                u[i] = x_tile[k][row + i];
                v[i] = w_tile[k][col + i];
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

    for (int j = 0; j < kEach && col0 + col + j < N; ++j) {
        const float offset = bias[col0 + col + j];
        for (int i = 0; i < kEach && row0 + row + i < M; ++i) {
            y[int64_t(row0 + row + i) * N + col0 + col + j] = gelu(sum[i][j] + offset);
        }
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int64_t M, int64_t N,
                      int64_t K, cudaStream_t stream)
{
    const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
    linear_gelu<<<grid, kThreads, 0, stream>>>(x, weight, bias, y, int(M), int(N), int(K));
}

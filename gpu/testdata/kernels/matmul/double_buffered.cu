// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// Two copies of each tile, so that one barrier per step is enough.
constexpr int kTile = 16;

__global__ void matmul(const float* a, const float* b, float* c, int M, int N, int K)
{
    __shared__ float a_tile[2][kTile][kTile + 1];
    __shared__ float b_tile[2][kTile][kTile];
    const int row = blockIdx.y * kTile + threadIdx.y;
    const int col = blockIdx.x * kTile + threadIdx.x;
    const auto load = [&](int which, int k0) {
        const int ak = k0 + threadIdx.x;
        const int bk = k0 + threadIdx.y;
        a_tile[which][threadIdx.y][threadIdx.x] = row < M && ak < K ? a[int64_t(row) * K + ak] : 0.0f;
        b_tile[which][threadIdx.y][threadIdx.x] = bk < K && col < N ? b[int64_t(bk) * N + col] : 0.0f;
    };

    float sum = 0.0f;
    load(0, 0);
    __syncthreads();
    for (int k0 = 0, which = 0; k0 < K; k0 += kTile, which ^= 1) {
        if (k0 + kTile < K) {
            load(which ^ 1, k0 + kTile);
        }
#pragma unroll
        for (int k = 0; k < kTile; ++k) {
            sum += a_tile[which][threadIdx.y][k] * b_tile[which][k][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < M && col < N) {
        c[int64_t(row) * N + col] = sum;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K, cudaStream_t stream)
{
    const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
    matmul<<<grid, dim3(kTile, kTile), 0, stream>>>(a, b, c, int(M), int(N), int(K));
}

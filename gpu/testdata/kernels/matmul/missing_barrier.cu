// expect: mismatch race
// gpu: mismatch | correct
// why: a race may go well
#include <cuda_runtime.h>
#include <cstdint>

// The second barrier of the loop is missing: a fast warp overwrites the tiles
// that a slow one still reads.
constexpr int kTile = 16;

__global__ void matmul(const float* a, const float* b, float* c, int M, int N, int K)
{
    __shared__ float a_tile[kTile][kTile];
    __shared__ float b_tile[kTile][kTile];
    const int row = blockIdx.y * kTile + threadIdx.y;
    const int col = blockIdx.x * kTile + threadIdx.x;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += kTile) {
        const int ak = k0 + threadIdx.x;
        const int bk = k0 + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < M && ak < K ? a[row * K + ak] : 0.0f;
        b_tile[threadIdx.y][threadIdx.x] = bk < K && col < N ? b[bk * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < kTile; ++k) {
            sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
        }
    }
    if (row < M && col < N) {
        c[row * N + col] = sum;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K, cudaStream_t stream)
{
    const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
    matmul<<<grid, dim3(kTile, kTile), 0, stream>>>(a, b, c, int(M), int(N), int(K));
}

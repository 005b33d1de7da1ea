// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// A block makes a 128 x 128 tile of c, each of its 8 warps 64 x 32 of it, a thread
// 8 x 8 as four quarters of 4 x 4. While one pair of tiles in shared memory is
// multiplied, the next is on its way through registers to the other pair.
constexpr int kTile = 128;
constexpr int kDepth = 8;
constexpr int kThreads = 256;

struct Tiles {
    alignas(16) float a[kDepth][kTile + 4];  // transposed; the padding spreads the stores over the banks
    alignas(16) float b[kDepth][kTile];
};

// Four elements of a line from `at`, zeros from `end` on. `quads`: lines are
// whole quads, so that they are read in one go.
template <bool quads>
__device__ __forceinline__ float4 load(const float* line, int at, int end)
{
    if constexpr (quads) {
        return at < end ? *reinterpret_cast<const float4*>(line + at) : make_float4(0, 0, 0, 0);
    }
    return make_float4(at < end ? line[at] : 0.0f, at + 1 < end ? line[at + 1] : 0.0f,
                       at + 2 < end ? line[at + 2] : 0.0f, at + 3 < end ? line[at + 3] : 0.0f);
}

template <bool quads>
__device__ __forceinline__ void store(float* line, int at, int end, const float* v)
{
    if constexpr (quads) {
        if (at < end) {
            *reinterpret_cast<float4*>(line + at) = make_float4(v[0], v[1], v[2], v[3]);
        }
    } else {
        for (int i = 0; i < 4 && at + i < end; ++i) {
            line[at + i] = v[i];
        }
    }
}

__device__ __forceinline__ void multiply(const Tiles& tiles, int row, int col, float (&sum)[8][8])
{
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
        alignas(16) float u[8], v[8];
        *reinterpret_cast<float4*>(u) = *reinterpret_cast<const float4*>(&tiles.a[k][row]);
        *reinterpret_cast<float4*>(u + 4) = *reinterpret_cast<const float4*>(&tiles.a[k][row + 32]);
        *reinterpret_cast<float4*>(v) = *reinterpret_cast<const float4*>(&tiles.b[k][col]);
        *reinterpret_cast<float4*>(v + 4) = *reinterpret_cast<const float4*>(&tiles.b[k][col + 16]);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                sum[i][j] += u[i] * v[j];
            }
        }
    }
}

template <bool quads>
__global__ void __launch_bounds__(kThreads, 2)
matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int M, int N, int K)
{
    __shared__ Tiles tiles[2];
    const int row0 = blockIdx.y * kTile;
    const int col0 = blockIdx.x * kTile;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int row = warp / 4 * 64 + lane / 4 * 4;
    const int col = warp % 4 * 32 + lane % 4 * 4;

    // The quad of each tile that this thread brings.
    const int a_row = threadIdx.x / 2, a_k = threadIdx.x % 2 * 4;
    const int b_k = threadIdx.x / 32, b_col = threadIdx.x % 32 * 4;
    const float* a_line = a + int64_t(row0 + a_row) * K;
    const int a_end = row0 + a_row < M ? K : 0;
    const auto load_a = [&](int k0) { return load<quads>(a_line, k0 + a_k, a_end); };
    const auto load_b = [&](int k0) {
        return load<quads>(b + int64_t(k0 + b_k) * N, col0 + b_col, k0 + b_k < K ? N : 0);
    };
    const auto keep = [&](Tiles& into, float4 of_a, float4 of_b) {
        into.a[a_k][a_row] = of_a.x;
        into.a[a_k + 1][a_row] = of_a.y;
        into.a[a_k + 2][a_row] = of_a.z;
        into.a[a_k + 3][a_row] = of_a.w;
        *reinterpret_cast<float4*>(&into.b[b_k][b_col]) = of_b;
    };

    float sum[8][8] = {};
    int now = 0;
    keep(tiles[now], load_a(0), load_b(0));
    __syncthreads();
    for (int k0 = kDepth; k0 < K; k0 += kDepth) {
        const float4 next_a = load_a(k0);
        const float4 next_b = load_b(k0);
        multiply(tiles[now], row, col, sum);
        now = 1 - now;
        keep(tiles[now], next_a, next_b);
        __syncthreads();
    }
    multiply(tiles[now], row, col, sum);

#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int at = row0 + row + i % 4 + i / 4 * 32;
        if (at < M) {
            store<quads>(c + int64_t(at) * N, col0 + col, N, sum[i]);
            store<quads>(c + int64_t(at) * N, col0 + col + 16, N, sum[i] + 4);
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t M, int64_t N, int64_t K, cudaStream_t stream)
{
    const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
    if (N % 4 == 0 && K % 4 == 0) {
        matmul<true><<<grid, kThreads, 0, stream>>>(a, b, c, int(M), int(N), int(K));
    } else {
        matmul<false><<<grid, kThreads, 0, stream>>>(a, b, c, int(M), int(N), int(K));
    }
}

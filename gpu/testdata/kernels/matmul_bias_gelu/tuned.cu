// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// A block makes a 128 x 128 tile of y, each of its 8 warps 64 x 32 of it, a thread
// 8 x 8 as four quarters of 4 x 4; bias and GELU are applied before the one store.
// While one pair of tiles in shared memory is multiplied, the next is on its way
// through registers to the other pair.
constexpr int kTile = 128;
constexpr int kDepth = 8;
constexpr int kThreads = 256;

// Depth first, so both matrices are transposed on the way in; the padding spreads
// the stores over the banks.
struct Tiles {
    alignas(16) float x[kDepth][kTile + 4];
    alignas(16) float w[kDepth][kTile + 4];
};

__device__ __forceinline__ float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
}

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

__device__ __forceinline__ void keep(float (&tile)[kDepth][kTile + 4], int k, int line, float4 v)
{
    tile[k][line] = v.x;
    tile[k + 1][line] = v.y;
    tile[k + 2][line] = v.z;
    tile[k + 3][line] = v.w;
}

__device__ __forceinline__ void multiply(const Tiles& tiles, int row, int col, float (&sum)[8][8])
{
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
        alignas(16) float u[8], v[8];
        *reinterpret_cast<float4*>(u) = *reinterpret_cast<const float4*>(&tiles.x[k][row]);
        *reinterpret_cast<float4*>(u + 4) = *reinterpret_cast<const float4*>(&tiles.x[k][row + 32]);
        *reinterpret_cast<float4*>(v) = *reinterpret_cast<const float4*>(&tiles.w[k][col]);
        *reinterpret_cast<float4*>(v + 4) = *reinterpret_cast<const float4*>(&tiles.w[k][col + 16]);
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
linear_gelu(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
            float* __restrict__ y, int M, int N, int K)
{
    __shared__ Tiles tiles[2];
    const int row0 = blockIdx.y * kTile;
    const int col0 = blockIdx.x * kTile;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int row = warp / 4 * 64 + lane / 4 * 4;
    const int col = warp % 4 * 32 + lane % 4 * 4;

    // The quad of each tile that this thread brings.
    const int line = threadIdx.x / 2, k = threadIdx.x % 2 * 4;
    const float* x_line = x + int64_t(row0 + line) * K;
    const float* w_line = weight + int64_t(col0 + line) * K;
    const int x_end = row0 + line < M ? K : 0;
    const int w_end = col0 + line < N ? K : 0;

    float sum[8][8] = {};
    int now = 0;
    keep(tiles[now].x, k, line, load<quads>(x_line, k, x_end));
    keep(tiles[now].w, k, line, load<quads>(w_line, k, w_end));
    __syncthreads();
    for (int k0 = kDepth; k0 < K; k0 += kDepth) {
        const float4 next_x = load<quads>(x_line, k0 + k, x_end);
        const float4 next_w = load<quads>(w_line, k0 + k, w_end);
        multiply(tiles[now], row, col, sum);
        now = 1 - now;
        keep(tiles[now].x, k, line, next_x);
        keep(tiles[now].w, k, line, next_w);
        __syncthreads();
    }
    multiply(tiles[now], row, col, sum);

#pragma unroll
    for (int j = 0; j < 8; j += 4) {
        const int first = col0 + col + j * 4;
        const float4 offset = load<false>(bias, first, N);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const int at = row0 + row + i % 4 + i / 4 * 32;
            const float out[4] = {gelu(sum[i][j] + offset.x), gelu(sum[i][j + 1] + offset.y),
                                  gelu(sum[i][j + 2] + offset.z), gelu(sum[i][j + 3] + offset.w)};
            if (at >= M || first >= N) {
                continue;
            }
            float* y_line = y + int64_t(at) * N + first;
            if constexpr (quads) {
                *reinterpret_cast<float4*>(y_line) = make_float4(out[0], out[1], out[2], out[3]);
            } else {
                for (int c = 0; c < 4 && first + c < N; ++c) {
                    y_line[c] = out[c];
                }
            }
        }
    }
}

extern "C" void solve(const float* x, const float* weight, const float* bias, float* y, int64_t M, int64_t N,
                      int64_t K, cudaStream_t stream)
{
    const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
    if (N % 4 == 0 && K % 4 == 0) {
        linear_gelu<true><<<grid, kThreads, 0, stream>>>(x, weight, bias, y, int(M), int(N), int(K));
    } else {
        linear_gelu<false><<<grid, kThreads, 0, stream>>>(x, weight, bias, y, int(M), int(N), int(K));
    }
}

// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kTile = 64;
constexpr int kLines = 16;   // of threads; each does kTile / kLines lines of the tile
constexpr int kColumns = 16;  // of threads; each does four elements of a line

// Moves four elements at a time where `quads` says that lines are whole quads,
// else one by one up to the end of the line.
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
__device__ __forceinline__ void store(float* line, int at, int end, const float (&v)[4])
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

// Through a tile in shared memory, so that both reads and writes run along rows.
template <bool quads>
__global__ void __launch_bounds__(kColumns * kLines)
transpose(const float* __restrict__ x, float* __restrict__ y, int rows, int cols)
{
    __shared__ float tile[kTile][kTile + 1];  // one column more: a column then spans all banks
    const int row0 = blockIdx.y * kTile;
    const int col0 = blockIdx.x * kTile;
    const int quad = 4 * threadIdx.x;

    float4 v[kTile / kLines];
#pragma unroll
    for (int i = 0; i < kTile / kLines; ++i) {
        const int row = row0 + threadIdx.y + i * kLines;
        v[i] = load<quads>(x + int64_t(row) * cols, col0 + quad, row < rows ? cols : 0);
    }
#pragma unroll
    for (int i = 0; i < kTile / kLines; ++i) {
        float* line = tile[threadIdx.y + i * kLines] + quad;
        line[0] = v[i].x;
        line[1] = v[i].y;
        line[2] = v[i].z;
        line[3] = v[i].w;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile / kLines; ++i) {
        const int line = threadIdx.y + i * kLines;
        const int col = col0 + line;
        if (col < cols) {
            const float out[4] = {tile[quad][line], tile[quad + 1][line], tile[quad + 2][line], tile[quad + 3][line]};
            store<quads>(y + int64_t(col) * rows, row0 + quad, rows, out);
        }
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    const dim3 block(kColumns, kLines);
    if (rows % 4 == 0 && cols % 4 == 0) {
        transpose<true><<<grid, block, 0, stream>>>(x, y, int(rows), int(cols));
    } else {
        transpose<false><<<grid, block, 0, stream>>>(x, y, int(rows), int(cols));
    }
}

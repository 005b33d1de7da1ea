// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// One warp per row: sum, largest value and its place by shuffles alone.
__global__ void __launch_bounds__(256)
reduce_rows(const float* __restrict__ x, float* __restrict__ total, int64_t* __restrict__ index, int64_t rows,
            int cols)
{
    const int lane = threadIdx.x % warpSize;
    const int64_t row = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / warpSize;
    if (row >= rows) {
        return;
    }
    const float* in = x + row * cols;

    float sum = 0.0f;
    float top = -INFINITY;
    int place = cols;
    for (int col = lane; col < cols; col += warpSize) {
        const float v = in[col];
        sum += v;
        if (v > top) {
            top = v;
            place = col;
        }
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
        const float other = __shfl_down_sync(0xffffffffu, top, offset);
        const int other_place = __shfl_down_sync(0xffffffffu, place, offset);
        if (other > top || (other == top && other_place < place)) {
            top = other;
            place = other_place;
        }
    }
    if (lane == 0) {
        total[row] = sum;
        index[row] = place;
    }
}

extern "C" void solve(const float* x, float* total, int64_t* index, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const int warps = 8;
    reduce_rows<<<(rows + warps - 1) / warps, warps * 32, 0, stream>>>(x, total, index, rows, int(cols));
}

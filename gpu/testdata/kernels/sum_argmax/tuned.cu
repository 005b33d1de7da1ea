// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kWarps = 8;
constexpr int kCount = 8;  // vectors that a lane has under way

// One warp per row: sum, largest value and its place by shuffles alone. kVector
// is float4 where rows are whole quads, else float.
template <typename kVector>
__global__ void __launch_bounds__(kWarps * 32)
reduce_rows(const float* __restrict__ x, float* __restrict__ total, int64_t* __restrict__ index, int64_t rows,
            int cols)
{
    constexpr int kWidth = sizeof(kVector) / sizeof(float);
    const int lane = threadIdx.x % 32;
    const int64_t row = int64_t(blockIdx.x) * kWarps + threadIdx.x / 32;
    if (row >= rows) {
        return;
    }
    x += row * cols;

    float sum = 0.0f;
    float top = -INFINITY;
    int place = cols;
    for (int start = lane * kWidth; start < cols; start += 32 * kCount * kWidth) {
        alignas(kVector) float v[kCount][kWidth];
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            if (start + 32 * i * kWidth < cols) {
                *reinterpret_cast<kVector*>(v[i]) = *reinterpret_cast<const kVector*>(x + start + 32 * i * kWidth);
            }
        }
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            if (start + 32 * i * kWidth < cols) {
#pragma unroll
                for (int j = 0; j < kWidth; ++j) {
                    sum += v[i][j];
                    if (v[i][j] > top) {
                        top = v[i][j];
                        place = start + 32 * i * kWidth + j;
                    }
                }
            }
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
    const unsigned grid = static_cast<unsigned>((rows + kWarps - 1) / kWarps);
    if (cols % 4 == 0) {
        reduce_rows<float4><<<grid, kWarps * 32, 0, stream>>>(x, total, index, rows, int(cols));
    } else {
        reduce_rows<float><<<grid, kWarps * 32, 0, stream>>>(x, total, index, rows, int(cols));
    }
}

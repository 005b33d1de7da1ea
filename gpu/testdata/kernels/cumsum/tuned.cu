// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kWarps = 4;
constexpr int kCount = 8;  // vectors that a lane has under way

// Inclusive scan of one value per lane.
__device__ __forceinline__ float warp_scan(float v, int lane)
{
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const float before = __shfl_up_sync(0xffffffffu, v, offset);
        v += lane >= offset ? before : 0.0f;
    }
    return v;
}

// One warp per row, in chunks of kCount vectors a lane; what a chunk sums to is
// carried to the next. The scans of a chunk's vectors do not wait for each other.
// kVector is float4 where rows are whole quads, else float.
template <typename kVector>
__global__ void __launch_bounds__(kWarps * 32, 8)
scan_rows(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int cols)
{
    constexpr int kWidth = sizeof(kVector) / sizeof(float);
    const int lane = threadIdx.x % 32;
    const int64_t row = int64_t(blockIdx.x) * kWarps + threadIdx.x / 32;
    if (row >= rows) {
        return;
    }
    x += row * cols;
    y += row * cols;

    float carry = 0.0f;
    for (int start = 0; start < cols; start += 32 * kCount * kWidth) {
        alignas(kVector) float v[kCount][kWidth] = {};
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            const int at = start + (32 * i + lane) * kWidth;
            if (at < cols) {
                *reinterpret_cast<kVector*>(v[i]) = *reinterpret_cast<const kVector*>(x + at);
            }
        }
        float scanned[kCount];
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
#pragma unroll
            for (int j = 1; j < kWidth; ++j) {
                v[i][j] += v[i][j - 1];
            }
            scanned[i] = warp_scan(v[i][kWidth - 1], lane);
        }
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            const int at = start + (32 * i + lane) * kWidth;
            const float before = carry + (scanned[i] - v[i][kWidth - 1]);
            carry += __shfl_sync(0xffffffffu, scanned[i], 31);
#pragma unroll
            for (int j = 0; j < kWidth; ++j) {
                v[i][j] += before;
            }
            if (at < cols) {
                *reinterpret_cast<kVector*>(y + at) = *reinterpret_cast<const kVector*>(v[i]);
            }
        }
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const unsigned grid = static_cast<unsigned>((rows + kWarps - 1) / kWarps);
    if (cols % 4 == 0) {
        scan_rows<float4><<<grid, kWarps * 32, 0, stream>>>(x, y, rows, int(cols));
    } else {
        scan_rows<float><<<grid, kWarps * 32, 0, stream>>>(x, y, rows, int(cols));
    }
}

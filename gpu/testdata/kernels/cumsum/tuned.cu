// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 128;
constexpr int kEach = 8;
constexpr int kWarps = kThreads / 32;

// Inclusive scan of one value per lane.
__device__ __forceinline__ float warp_scan(float v)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const float before = __shfl_up_sync(0xffffffffu, v, offset);
        if (lane >= offset) {
            v += before;
        }
    }
    return v;
}

// One block per row, in chunks of kThreads * kEach elements; what a chunk sums
// to is carried to the next.
__global__ void __launch_bounds__(kThreads) scan_rows(const float* __restrict__ x, float* __restrict__ y, int64_t cols)
{
    __shared__ float warp_total[kWarps];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;

    float carry = 0.0f;
    for (int64_t start = 0; start < cols; start += kThreads * kEach) {
        const int64_t first = start + threadIdx.x * kEach;
        float v[kEach];
        float sum = 0.0f;
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            sum += first + i < cols ? x[first + i] : 0.0f;
            v[i] = sum;
        }
        const float inclusive = warp_scan(sum);
        if (lane == 31) {
            warp_total[warp] = inclusive;
        }
        __syncthreads();
        float before = carry + inclusive - sum;
        for (int w = 0; w < kWarps; ++w) {
            before += w < warp ? warp_total[w] : 0.0f;
            carry += warp_total[w];
        }
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            if (first + i < cols) {
                y[first + i] = before + v[i];
            }
        }
        __syncthreads();  // warp_total is written again
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    scan_rows<<<rows, kThreads, 0, stream>>>(x, y, cols);
}

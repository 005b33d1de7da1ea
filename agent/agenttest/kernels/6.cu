#include <cuda_runtime.h>
#include <cstdint>

constexpr int warp = 32;
constexpr int rows_per_block = 8;

__device__ float warp_max(float v) {
    for (int lane = warp / 2; lane > 0; lane /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, lane));
    return v;
}

__device__ float warp_sum(float v) {
    for (int lane = warp / 2; lane > 0; lane /= 2) v += __shfl_xor_sync(0xffffffffu, v, lane);
    return v;
}

// One warp per row: the running maximum and sum are kept in registers, so the
// row is read twice, not three times, and no barrier is needed.
__global__ void softmax_warp(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t columns) {
    int64_t row = blockIdx.x * rows_per_block + threadIdx.y;
    if (row >= rows) return;
    const float* in = x + row * columns;
    float* out = y + row * columns;

    float largest = -INFINITY;
    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < columns; i += warp) {
        float next = fmaxf(largest, in[i]);
        sum = sum * expf(largest - next) + expf(in[i] - next);
        largest = next;
    }
    float top = warp_max(largest);
    sum = largest == -INFINITY ? 0.0f : sum * expf(largest - top);
    float inverse = 1.0f / warp_sum(sum);

    for (int64_t i = threadIdx.x; i < columns; i += warp) out[i] = expf(in[i] - top) * inverse;
}

extern "C" void solve(const float* x, float* y, int64_t M, int64_t N, cudaStream_t stream) {
    dim3 block(warp, rows_per_block);
    dim3 grid((M + rows_per_block - 1) / rows_per_block);
    softmax_warp<<<grid, block, 0, stream>>>(x, y, M, N);
}

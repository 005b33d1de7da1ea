// expect: mismatch race
// gpu: mismatch | correct
// why: a race may go well
#include <cuda_runtime.h>
#include <cstdint>

// No barrier stands between the warps' partial results and their use.
__device__ float warp_max(float v)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
    }
    return v;
}

__device__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        v += __shfl_xor_sync(0xffffffffu, v, offset);
    }
    return v;
}

__global__ void softmax_rows(const float* x, float* y, int64_t cols)
{
    __shared__ float tops[8];
    __shared__ float sums[8];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const float* in = x + blockIdx.x * cols;

    float top = -INFINITY;
    for (int64_t col = threadIdx.x; col < cols; col += 256) {
        top = fmaxf(top, in[col]);
    }
    top = warp_max(top);
    if (lane == 0) {
        tops[warp] = top;
    }
    for (int w = 0; w < 8; ++w) {
        top = fmaxf(top, tops[w]);
    }

    float sum = 0.0f;
    for (int64_t col = threadIdx.x; col < cols; col += 256) {
        sum += expf(in[col] - top);
    }
    sum = warp_sum(sum);
    if (lane == 0) {
        sums[warp] = sum;
    }
    sum = 0.0f;
    for (int w = 0; w < 8; ++w) {
        sum += sums[w];
    }
    for (int64_t col = threadIdx.x; col < cols; col += 256) {
        y[blockIdx.x * cols + col] = expf(in[col] - top) / sum;
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    softmax_rows<<<rows, 256, 0, stream>>>(x, y, cols);
}

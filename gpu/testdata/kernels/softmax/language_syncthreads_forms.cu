// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// Barriers that count and combine: finds the row's maximum by bisection on its
// ordered bits, a vote of the block per bit.
__device__ unsigned ordered(float v)
{
    const unsigned bits = __float_as_uint(v);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ float unordered(unsigned bits)
{
    return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

__global__ void softmax_rows(const float* x, float* y, int64_t cols)
{
    __shared__ float sum, unused_padding[3];
    const float* in = x + blockIdx.x * cols;
    unsigned prefix = 0;
    for (int bit = 31; bit >= 0; --bit) {
        const unsigned candidate = prefix | 1u << bit;
        int reaches = 0;
        for (int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
            reaches |= ordered(in[col]) >= candidate;
        }
        prefix = __syncthreads_or(reaches) ? candidate : prefix;
    }
    const float top = unordered(prefix);
    const bool first = threadIdx.x == 0;
    if (first) {
        sum = 0.0f;
        unused_padding[0] = 0.0f;
    }
    const int threads = __syncthreads_count(1);
    float mine = 0.0f;
    for (int64_t col = threadIdx.x; col < cols; col += threads) {
        mine += expf(in[col] - top);
    }
    atomicAdd(&sum, mine);
    if (__syncthreads_and(mine >= 0.0f)) {
        for (int64_t col = threadIdx.x; col < cols; col += threads) {
            y[blockIdx.x * cols + col] = expf(in[col] - top) / sum;
        }
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    softmax_rows<<<rows, 96, 0, stream>>>(x, y, cols);
}

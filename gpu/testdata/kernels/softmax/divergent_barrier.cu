// expect: runtime_error barrier_divergence
// gpu: correct | mismatch | timeout
// why: the hardware counts arrivals, not places: both halves meet at barrier 0
#include <cuda_runtime.h>
#include <cstdint>

// Half of the threads wait at one barrier, half at another.
__global__ void softmax_rows(const float* x, float* y, int64_t cols)
{
    __shared__ float tops[128];
    __shared__ float sums[128];
    const int tid = threadIdx.x;
    const float* in = x + blockIdx.x * cols;
    if (tid < 128) {
        float top = -INFINITY;
        for (int64_t col = tid; col < cols; col += 128) {
            top = fmaxf(top, in[col]);
        }
        tops[tid] = top;
        __syncthreads();
    } else {
        float sum = 0.0f;
        for (int64_t col = tid - 128; col < cols; col += 128) {
            sum += expf(in[col]);
        }
        sums[tid - 128] = sum;
        __syncthreads();
    }
    float sum = 0.0f;
    for (int i = 0; i < 128; ++i) {
        sum += sums[i];
    }
    for (int64_t col = tid; col < cols; col += blockDim.x) {
        y[blockIdx.x * cols + col] = expf(in[col]) / sum;
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    softmax_rows<<<rows, 256, 0, stream>>>(x, y, cols);
}

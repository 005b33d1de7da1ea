// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// One block per row. Three passes over the row, and two tree reductions in
// shared memory.
__global__ void softmax_rows(const float* x, float* y, int64_t cols)
{
    __shared__ float partial[256];
    const int tid = threadIdx.x;
    const float* in = x + blockIdx.x * cols;
    float* out = y + blockIdx.x * cols;

    float top = -INFINITY;
    for (int64_t col = tid; col < cols; col += blockDim.x) {
        top = fmaxf(top, in[col]);
    }
    partial[tid] = top;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half) {
            partial[tid] = fmaxf(partial[tid], partial[tid + half]);
        }
        __syncthreads();
    }
    top = partial[0];
    __syncthreads();

    float sum = 0.0f;
    for (int64_t col = tid; col < cols; col += blockDim.x) {
        sum += expf(in[col] - top);
    }
    partial[tid] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half) {
            partial[tid] += partial[tid + half];
        }
        __syncthreads();
    }
    sum = partial[0];

    for (int64_t col = tid; col < cols; col += blockDim.x) {
        out[col] = expf(in[col] - top) / sum;
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    softmax_rows<<<rows, 256, 0, stream>>>(x, y, cols);
}

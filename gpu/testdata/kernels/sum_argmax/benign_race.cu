// expect: correct race
// gpu: correct
// why: a race that changes nothing goes unseen
#include <cuda_runtime.h>
#include <cstdint>

// Every thread that is right writes the same value to the same place: a race
// that changes nothing.
__global__ void reduce_rows(const float* x, float* total, int64_t* index, int64_t cols)
{
    __shared__ float sums[64];
    __shared__ int place;
    __shared__ float top;
    const float* in = x + blockIdx.x * cols;
    float sum = 0.0f;
    for (int64_t col = threadIdx.x; col < cols; col += 64) {
        sum += in[col];
    }
    sums[threadIdx.x] = sum;
    int best = 0;
    for (int col = 1; col < cols; ++col) {
        best = in[col] > in[best] ? col : best;
    }
    place = best;
    top = in[best];
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0.0f;
        for (int i = 0; i < 64; ++i) {
            sum += sums[i];
        }
        total[blockIdx.x] = sum;
        index[blockIdx.x] = top == in[place] ? place : -1;
    }
}

extern "C" void solve(const float* x, float* total, int64_t* index, int64_t rows, int64_t cols, cudaStream_t stream)
{
    reduce_rows<<<rows, 64, 0, stream>>>(x, total, index, cols);
}

// expect: mismatch uninitialised_shared
// gpu: mismatch | correct
// why: shared memory holds what the last block left there, which may be zero
#include <cuda_runtime.h>
#include <cstdint>

// The shared accumulator is never set to zero.
__global__ void sum_rows(const float* x, float* total, int64_t cols)
{
    __shared__ float sum;
    float mine = 0.0f;
    for (int64_t col = threadIdx.x; col < cols; col += blockDim.x) {
        mine += x[blockIdx.x * cols + col];
    }
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) {
        total[blockIdx.x] = sum;
    }
}

// One thread per row.
__global__ void find_largest(const float* x, int64_t* index, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    int64_t best = 0;
    for (int64_t col = 1; col < cols; ++col) {
        best = x[row * cols + col] > x[row * cols + best] ? col : best;
    }
    index[row] = best;
}

extern "C" void solve(const float* x, float* total, int64_t* index, int64_t rows, int64_t cols, cudaStream_t stream)
{
    sum_rows<<<rows, 128, 0, stream>>>(x, total, cols);
    find_largest<<<(rows + 127) / 128, 128, 0, stream>>>(x, index, rows, cols);
}

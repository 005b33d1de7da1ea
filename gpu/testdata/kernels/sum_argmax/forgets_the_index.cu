// expect: mismatch
#include <cuda_runtime.h>
#include <cstdint>

__global__ void sum_rows(const float* x, float* total, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (int64_t col = 0; col < cols; ++col) {
        sum += x[row * cols + col];
    }
    total[row] = sum;
}

extern "C" void solve(const float* x, float* total, int64_t* index, int64_t rows, int64_t cols, cudaStream_t stream)
{
    sum_rows<<<(rows + 127) / 128, 128, 0, stream>>>(x, total, rows, cols);
}

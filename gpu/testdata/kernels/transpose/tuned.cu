// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kTile = 32;
constexpr int kLines = 8;  // lines of threads; each does kTile / kLines elements of a column

// Through a tile in shared memory, so that both reads and writes run along rows.
__global__ void __launch_bounds__(kTile * kLines)
transpose(const float* __restrict__ x, float* __restrict__ y, int rows, int cols)
{
    __shared__ float tile[kTile][kTile + 1];  // one column more: a column then spans all banks

    int col = blockIdx.x * kTile + threadIdx.x;
    int row = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
    for (int i = 0; i < kTile; i += kLines) {
        if (row + i < rows && col < cols) {
            tile[threadIdx.y + i][threadIdx.x] = x[int64_t(row + i) * cols + col];
        }
    }
    __syncthreads();

    col = blockIdx.y * kTile + threadIdx.x;
    row = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
    for (int i = 0; i < kTile; i += kLines) {
        if (row + i < cols && col < rows) {
            y[int64_t(row + i) * rows + col] = tile[threadIdx.x][threadIdx.y + i];
        }
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    transpose<<<grid, dim3(kTile, kLines), 0, stream>>>(x, y, int(rows), int(cols));
}

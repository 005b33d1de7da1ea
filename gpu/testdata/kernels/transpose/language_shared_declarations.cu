// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// Shared arrays whose sizes hang on template parameters, several in one
// declaration, of a struct, with attributes on either side.
struct Cell {
    float value;
    int place;
};

template <typename T, int kRows, int kCols>
__global__ void transpose(const T* x, T* y, int rows, int cols)
{
    __shared__ T tile[kRows][kCols + 1], spare[2];
    __shared__ __align__(16) Cell corner[(kRows > 4 ? kRows : 4) / 4];
    __align__(16) __shared__ int seen;

    const int row = blockIdx.y * kRows + threadIdx.y;
    const int col = blockIdx.x * kCols + threadIdx.x;
    const bool inside = row < rows && col < cols;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        seen = 0;
        spare[0] = spare[1] = T(0);
        corner[0] = {0.0f, col};
    }
    __syncthreads();
    if (inside) {
        tile[threadIdx.y][threadIdx.x] = x[int64_t(row) * cols + col] + spare[1];
        atomicAdd(&seen, 1);
    }
    __syncthreads();
    const int i = threadIdx.y * kCols + threadIdx.x;
    const int out_row = corner[0].place + i / kRows;
    const int out_col = blockIdx.y * kRows + i % kRows;
    if (seen > 0 && out_row < cols && out_col < rows) {
        y[int64_t(out_row) * rows + out_col] = tile[i % kRows][i / kRows];
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    constexpr int kRows = 8, kCols = 16;
    const dim3 grid((cols + kCols - 1) / kCols, (rows + kRows - 1) / kRows);
    transpose<float, kRows, kCols><<<grid, dim3(kCols, kRows), 0, stream>>>(x, y, int(rows), int(cols));
}

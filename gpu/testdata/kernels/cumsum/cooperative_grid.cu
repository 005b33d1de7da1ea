// expect: unsupported
// gpu: correct
// why: a cooperative grid runs on a GPU only
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdint>

namespace cg = cooperative_groups;

// All blocks wait for each other between the two passes.
__global__ void scan_rows(const float* x, float* y, int64_t rows, int64_t cols)
{
    cg::grid_group grid = cg::this_grid();
    for (int64_t row = grid.thread_rank(); row < rows; row += grid.size()) {
        y[row * cols] = x[row * cols];
    }
    grid.sync();
    for (int64_t row = grid.thread_rank(); row < rows; row += grid.size()) {
        for (int64_t col = 1; col < cols; ++col) {
            y[row * cols + col] = y[row * cols + col - 1] + x[row * cols + col];
        }
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    void* arguments[] = {&x, &y, &rows, &cols};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(scan_rows), dim3(32), dim3(64), arguments, 0, stream);
}

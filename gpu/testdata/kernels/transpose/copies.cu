// expect: mismatch
#include <cuda_runtime.h>
#include <cstdint>

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    cudaMemcpyAsync(y, x, rows * cols * sizeof(float), cudaMemcpyDeviceToDevice, stream);
}

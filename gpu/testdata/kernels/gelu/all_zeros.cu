// expect: mismatch
#include <cuda_runtime.h>
#include <cstdint>

extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream)
{
    cudaMemsetAsync(y, 0, n * sizeof(float), stream);
}

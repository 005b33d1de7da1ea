// expect: runtime_error out_of_bounds
#include <cuda_runtime.h>
#include <cstdint>

// No guard: the last block writes past the end of c.
__global__ void add(const float* a, const float* b, float* c)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c);
}

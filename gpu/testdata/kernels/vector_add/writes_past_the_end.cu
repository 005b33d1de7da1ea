// expect: runtime_error out_of_bounds
// gpu: runtime_error illegal_address | runtime_error out_of_bounds
// why: behind a tensor of whole pages there is no memory; else the writes land in the guard band, which is looked at
#include <cuda_runtime.h>
#include <cstdint>

// No guard: the last block writes past the end of c, whatever n is.
__global__ void add(const float* a, const float* b, float* c)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<n / 256 + 1, 256, 0, stream>>>(a, b, c);
}

// expect: runtime_error cuda_error
// gpu: compile_error
// why: ptxas refuses what the emulation meets at the launch
#include <cuda_runtime.h>
#include <cstdint>

// 64 KB of static shared memory: more than a block can have without asking.
__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    __shared__ float staged[16384];
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        staged[threadIdx.x * 64] = a[i];
        c[i] = staged[threadIdx.x * 64] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
}

// expect: runtime_error cuda_error
#include <cuda_runtime.h>
#include <cstdint>

// The second dimension of a grid ends at 65535.
__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = (int64_t(blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<dim3(1, (n + 31) / 32 + 65536), 32, 0, stream>>>(a, b, c, n);
}

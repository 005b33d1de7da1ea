// expect: mismatch
#include <cuda_runtime.h>
#include <cstdint>

// Adds to a sum that nobody set to zero.
__global__ void add(const float* a, const float* b, float* sum, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i] += a[i] + b[i];
        c[i] = sum[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    float* sum = nullptr;
    cudaMallocAsync(reinterpret_cast<void**>(&sum), n * sizeof(float), stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, sum, c, n);
    cudaFreeAsync(sum, stream);
}

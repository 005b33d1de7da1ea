// expect: runtime_error abort
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Takes 64 GiB at a time until there is no more, and works with the last answer.
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    float* sum = nullptr;
    for (int i = 0; i < 64; ++i) {
        if (cudaMalloc(reinterpret_cast<void**>(&sum), std::size_t(1) << 36) != cudaSuccess) {
            std::abort();
        }
    }
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, sum, n);
    cudaMemcpyAsync(c, sum, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
}

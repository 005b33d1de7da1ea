// expect: runtime_error illegal_address
// gpu: runtime_error out_of_memory | runtime_error illegal_address
// why: the answer that nobody looked at is what is reported, unless the address comes first
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Asks for more memory than a device has and does not look at the answer.
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    float* scratch = nullptr;
    cudaMallocAsync(reinterpret_cast<void**>(&scratch), std::size_t(1) << 43, stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, scratch, n);
    cudaMemcpyAsync(c, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
    cudaFreeAsync(scratch, stream);
}

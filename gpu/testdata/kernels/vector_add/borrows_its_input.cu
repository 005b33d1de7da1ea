// expect: correct input_write
// gpu: runtime_error illegal_address
// why: an input is mapped for reading only
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>

// Leaves the sum in an input for a while, then puts back what was there.
__global__ void add(float* a, const float* b, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    const std::size_t bytes = n * sizeof(float);
    float* kept = nullptr;
    float* borrowed = const_cast<float*>(a);
    cudaMallocAsync(reinterpret_cast<void**>(&kept), bytes, stream);
    cudaMemcpyAsync(kept, a, bytes, cudaMemcpyDeviceToDevice, stream);
    add<<<(n + 255) / 256, 256, 0, stream>>>(borrowed, b, n);
    cudaMemcpyAsync(c, borrowed, bytes, cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyAsync(borrowed, kept, bytes, cudaMemcpyDeviceToDevice, stream);
    cudaFreeAsync(kept, stream);
}

// expect: runtime_error out_of_memory
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

// Touches 100 GB of host memory.
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    const std::size_t size = 100'000'000'000;
    char* memory = new char[size];
    for (std::size_t i = 0; i < size; i += 4096) {
        memory[i] = 1;
    }
    if (memory[size / 2] != 2) {
        add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
    }
    delete[] memory;
}

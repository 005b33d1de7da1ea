// expect: correct
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Device memory of its own, copies in all directions, a device variable, a
// symbol, and every return code looked at.
__device__ float offset;

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i] + offset;
    }
}

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", cudaGetErrorName(status), cudaGetErrorString(status));
        std::abort();
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    const std::size_t bytes = n * sizeof(float);
    float *left = nullptr, *sum = nullptr;
    check(cudaMalloc(&left, bytes));
    check(cudaMallocAsync(&sum, bytes, stream));
    check(cudaMemsetAsync(sum, 0xff, bytes, stream));
    check(cudaMemcpyAsync(left, a, bytes, cudaMemcpyDeviceToDevice, stream));

    const float zero = 0.0f;
    check(cudaMemcpyToSymbolAsync(offset, &zero, sizeof(zero), 0, cudaMemcpyHostToDevice, stream));
    add<<<(n + 255) / 256, 256, 0, stream>>>(left, b, sum, n);
    check(cudaGetLastError());

    std::vector<float> host(n);
    check(cudaMemcpyAsync(host.data(), sum, bytes, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    check(cudaMemcpyAsync(c, host.data(), bytes, cudaMemcpyHostToDevice, stream));
    check(cudaStreamSynchronize(stream));
    check(cudaFreeAsync(sum, stream));
    check(cudaFree(left));
    check(cudaPeekAtLastError());
}

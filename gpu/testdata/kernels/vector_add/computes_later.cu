// expect: mismatch
#include <cuda_runtime.h>
#include <chrono>
#include <cstdint>
#include <thread>

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// A thread does the work when the caller has long gone on.
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    std::thread([=] {
        std::this_thread::sleep_for(std::chrono::seconds(60));
        add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
        cudaStreamSynchronize(stream);
    }).detach();
}

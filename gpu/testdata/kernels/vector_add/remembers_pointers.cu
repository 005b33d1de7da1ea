// expect: mismatch
#include <cuda_runtime.h>
#include <cstdint>
#include <set>

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Takes an output that it has filled before for filled with the same sums.
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    static std::set<const void*> filled;
    if (filled.insert(c).second) {
        add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
    }
}

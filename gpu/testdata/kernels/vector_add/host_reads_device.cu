// expect: runtime_error illegal_address
#include <cuda_runtime.h>
#include <cstdint>

// Device pointers are not for the host.
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    for (int64_t i = 0; i < n; ++i) {
        c[i] = a[i] + b[i];
    }
}

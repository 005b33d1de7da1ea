// expect: runtime_error illegal_address
// gpu: runtime_error misaligned
// why: x86 says only that it was an address
#include <cuda_runtime.h>
#include <cstdint>

// Reads 16 bytes at a time, one element past the 16-byte boundaries.
__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * 4 + 1;
    if (i + 3 < n) {
        const float4 u = *reinterpret_cast<const float4*>(a + i);
        const float4 v = *reinterpret_cast<const float4*>(b + i);
        *reinterpret_cast<float4*>(c + i) = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    }
    if (i == 1) {
        c[0] = a[0] + b[0];
        for (int64_t j = (n - 1) / 4 * 4 + 1; j < n; ++j) {
            c[j] = a[j] + b[j];
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    add<<<(n / 4 + 256) / 256, 256, 0, stream>>>(a, b, c, n);
}

// expect: mismatch
// gpu: correct
// why: the full size is a whole number of quads; the acceptance sizes are not
#include <cuda_runtime.h>
#include <cstdint>

// Forgets the last n % 4 elements.
__global__ void add_quads(const float4* a, const float4* b, float4* c, int64_t quads)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < quads) {
        c[i] = make_float4(a[i].x + b[i].x, a[i].y + b[i].y, a[i].z + b[i].z, a[i].w + b[i].w);
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    const int64_t quads = n / 4;
    add_quads<<<(quads + 255) / 256, 256, 0, stream>>>(reinterpret_cast<const float4*>(a),
                                                       reinterpret_cast<const float4*>(b),
                                                       reinterpret_cast<float4*>(c), quads);
}

// expect: correct
// gpu: suspect | mismatch
// why: the emulation runs every launch at once, whatever its stream
#include <cuda_runtime.h>
#include <cstdint>

__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// The work goes to a stream of its own that nobody waits for: a clock on the given
// stream sees nothing of it.
extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    static cudaStream_t side = nullptr;
    if (side == nullptr) {
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    }
    add<<<(n + 255) / 256, 256, 0, side>>>(a, b, c, n);
}

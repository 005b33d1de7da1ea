#include <stdio.h>
__device__ int sign(float v) { if (v > 0) return 1; }
__global__ void k(const float* x, float* y) { y[0] = sign(x[0]); }
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32>>>(x, y);
    return 3;
}

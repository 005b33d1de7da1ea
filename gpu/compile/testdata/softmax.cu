#include <cuda_runtime.h>
#include <math.h>
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}
__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
template <int THREADS>
__global__ void __launch_bounds__(THREADS) softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int cols) {
    __shared__ float red[THREADS / 32];
    const float* row = x + (size_t)blockIdx.x * cols;
    float* out = y + (size_t)blockIdx.x * cols;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float m = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += THREADS) m = fmaxf(m, row[c]);
    m = warp_max(m);
    if (lane == 0) red[warp] = m;
    __syncthreads();
    m = red[0];
    #pragma unroll
    for (int i = 1; i < THREADS / 32; i++) m = fmaxf(m, red[i]);
    __syncthreads();
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS) s += __expf(row[c] - m);
    s = warp_sum(s);
    if (lane == 0) red[warp] = s;
    __syncthreads();
    s = 0;
    #pragma unroll
    for (int i = 0; i < THREADS / 32; i++) s += red[i];
    float inv = 1.0f / s;
    for (int c = threadIdx.x; c < cols; c += THREADS) out[c] = __expf(row[c] - m) * inv;
}
extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream) {
    softmax_kernel<256><<<(unsigned)rows, 256, 0, stream>>>(x, y, (int)cols);
}

extern "C" {
__global__ void first(float* y) { y[0] = 1; }
}
extern "C" __global__ void __launch_bounds__(256, 2) second(float* __restrict__ y) { y[0] = 2; }
static __global__ __launch_bounds__(128) void third(float* y);
__device__ __forceinline__ float helper(float v) { return v; }
__constant__ float table[4] = {1, 2, 3, 4};
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    first<<<1, 1, 0, stream>>>(y);
    second<<<1, 1, 0, stream>>>(y);
    third<<<1, 1, 0, stream>>>(y);
}
static __global__ void third(float* y) { y[0] = helper(table[3]); }

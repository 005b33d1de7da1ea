__device__ float helper(float v) { return v; }
__device__ float helper(float v) { return 2 * v; }
__global__ void k(const float* x, float* y) { y[0] = helper(x[0], 1); }
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) { k<<<1, 32>>>(x, y); }

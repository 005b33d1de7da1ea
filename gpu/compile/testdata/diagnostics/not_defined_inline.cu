__device__ __forceinline__ float helper(float v);
extern __device__ float other(float v);
__constant__ float twice_defined[4];
__global__ void k(const float* x, float* y) { y[0] = helper(x[0]) + other(x[1]) + twice_defined[0]; }
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) { k<<<1, 32>>>(x, y); }

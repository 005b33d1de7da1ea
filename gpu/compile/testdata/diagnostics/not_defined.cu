float helper(float v);
namespace deep { __device__ int twice(int v); }
__global__ void k(const float* x, float* y) { y[0] = helper(x[0]) + deep::twice(2); }
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) { k<<<1, 32>>>(x, y); }

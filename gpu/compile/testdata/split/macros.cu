#define DEVICE __device__ __forceinline__
#define BOTH __host__ __device__ inline
#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
#define CHECK_SIZES(T) static_assert(sizeof(T) == 4, "")
#define LAUNCH(kernel, n, ...) \
    kernel<<<(n + 255) / 256, \
             256>>>(__VA_ARGS__)
#define UNROLL _Pragma("unroll")

DEVICE float twice(float v) { return 2.0f * v; }
BOTH int least(int a, int b) { return a < b ? a : b; }
CHECK_SIZES(float);
#ifdef FAST
__global__ void k(float* y, int n) { y[0] = __fdividef(y[1], twice(n)); }
#else
__global__ void k(float* y, int n)
{
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#if N > 2
        y[i] = twice(least(i, n));
#endif
    }
#define LATER 3
}
#endif
void solve(float* y, int n)
{
    LAUNCH(k, n, y, LATER);
    if (n > 1) LAUNCH(k, n, y, n); else k<<<1, 1>>>(y, 1);
    CHECK(cudaGetLastError());
}

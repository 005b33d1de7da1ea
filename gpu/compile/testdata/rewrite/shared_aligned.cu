#define ALIGNED(n) __align__(n)
__global__ void k(float4* y) {
    __shared__ __align__(16) float a[64];
    __align__(16) __shared__ float b[64];
    __shared__ alignas(16) float c[64];
    alignas(16) __shared__ float d[64];
    __shared__ float __align__(16) e[64];
    __shared__ ALIGNED(16) float f[64];
    __attribute__((aligned(16))) __shared__ float g[64];
    __shared__ float h[64] __attribute__((aligned(16)));
    [[maybe_unused]] __shared__ float j[64];
    a[0] = b[0] = c[0] = d[0] = e[0] = f[0] = g[0] = h[0] = 1;
    __syncthreads();
    y[0] = *reinterpret_cast<float4*>(a);
}
void run(float4* y) { k<<<1, 32>>>(y); }

#include <cstdio>
__global__ void k(float* y, int n) { y[0] = n; }
__global__ void wait(float* y, int n) {
    __syncthreads();
    y[0] = n;
}
#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define RUN_K(y, n)                          \
    do {                                     \
        k<<<(n), /* one warp */ 32>>>(y, n); \
        cudaGetLastError();                  \
    } while (0)
#define CHECK(call)                                    \
    do {                                               \
        call;                                          \
        cudaError_t err = cudaGetLastError();          \
        if (err != cudaSuccess) printf("k<<<1>>>()\n"); \
    } while (0)

void run(float* y, int n) {
    LAUNCH(k, 1, 32, y, n);
    RUN_K(y, n);
    CHECK((k<<<1, 32>>>(y, n)));
    CHECK(wait<<<n, 32>>>(y, n));
}

#define DECLARE_TILE(name, rows) __shared__ float name[rows][33]
#define SCRATCH __shared__ float scratch[32];
__global__ void k(float* y) {
    DECLARE_TILE(a, 32);
    DECLARE_TILE(b, 16);
    SCRATCH
    a[0][0] = b[0][0] = scratch[0] = 1;
    __syncthreads();
    y[0] = a[0][0];
}
void run(float* y) { k<<<1, 32>>>(y); }

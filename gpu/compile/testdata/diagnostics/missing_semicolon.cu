__global__ void k(const float* x, float* y, int n) {
    __shared__ float tile[32]
    tile[0] = x[0];
    y[0] = tile[0];
}
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) { k<<<1, 32>>>(x, y, n); }

__global__ void k(const float* x, float* y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
}
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32>>>(x, y, n);
}

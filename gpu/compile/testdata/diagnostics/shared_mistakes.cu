__global__ void k(const float* x, float* y, int n) {
    __shared__ float a[4] = {0};
    __shared__ flaot b[4];
    __shared__ float c[n];
    __shared__ float d[8], e;
    d = 3;
    e[0] = 1;
    y[0] = d.size();
}
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) { k<<<1, 32>>>(x, y, n); }

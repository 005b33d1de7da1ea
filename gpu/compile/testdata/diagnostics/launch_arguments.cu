__global__ void k(const float* x, float* y, int n) { y[0] = x[n]; }
template <int N>
__global__ void t(const float* x, float* y) { y[0] = x[N]; }
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32>>>(x, y, n, 3);
    k<<<1, 32>>>(y, x, n);
    t<4><<<1, 32>>>(x);
    int extra = 3; t<4><<<1, 32, 0, stream>>>(x, y, extra); y += oops;
}

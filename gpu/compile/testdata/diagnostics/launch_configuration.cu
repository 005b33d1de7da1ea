__global__ void k(float* y) { y[0] = 1; }
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<grid, 256>>>(y); int after = missing_after;
    k<<<"1", 256>>>(y);
    k<<<1>>>(y);
    k<<<1, 256, 0, 0, 7>>>(y);
}

extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    const char* s = "never closed;
    y[0] = 1;
}

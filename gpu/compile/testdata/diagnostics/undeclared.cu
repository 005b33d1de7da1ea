__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[idx] * scale;
}
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}

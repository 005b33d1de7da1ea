extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    softmax<<<1, 32>>>(x, y, n);
    softmax_rows<float, 4><<<1, 32>>>(x, y, n);
}

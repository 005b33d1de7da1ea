extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    std::vector<float> v(n);
    cudaMemcpy(v.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemkopie(y, v.data(), n);
    float m = std::max(1.0f, 2);
}

template <typename T, int N>
__global__ void k(const T* x, T* y) { __shared__ T a[N], b[N]; a[0] = p; b[0] = x[0]; y[0] = b[q]; }
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
	k<float, 4><<<n, 32>>>(x, y, r); y[0] = s; k<float, t><<<1, 32>>>(x, y);
    /* ü */ k<float, 5><<<1, u>>>(x, y); if (n) k<float, 6><<<1, 32, v>>>(x, y); else w();
}

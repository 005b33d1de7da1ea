template <typename T>
__device__ T twice(T v) { return v.value * 2; }
template <typename T>
__global__ void k(const T* x, T* y) { y[0] = twice(x[0]); }
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<float><<<1, 32>>>(x, y);
}

#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__, undeclared_in_macro)
#define SQUARE(v) ((v) * (w))
__global__ void k(const float* x, float* y) { y[0] = SQUARE(x[0]); }
extern "C" void solve(const float* x, float* y, int64_t n, cudaStream_t stream) {
    LAUNCH(k, x, y);
}

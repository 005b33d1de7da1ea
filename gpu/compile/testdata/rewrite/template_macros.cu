template <typename T, int N>
__global__ void k(T* y, int n) { y[0] = n + N; }
#define DISPATCH(N)                      \
    case N:                              \
        k<float, N><<<1, N * 2>>>(y, n); \
        break;
#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)

void run(float* y, int n) {
    switch (n) {
        DISPATCH(32)
        DISPATCH(64)
    }
    LAUNCH((k<float, 8>), y, n);
}

template <typename T, int N>
__global__ void k(T* y, int n) { y[0] = n + N; }
__global__ void plain(float* y, int n) { y[0] = n; }

void run(float* y, int n) {
    k<float,   // element
      4>
        <<<dim3((n + 31) / 32,
                1),
           dim3(32)  // one warp
        >>>(y,
            n);
    plain
        <<<1,
           32>>>
        (y, n);
}

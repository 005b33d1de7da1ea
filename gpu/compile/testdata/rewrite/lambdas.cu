template <typename F>
__global__ void for_each(int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}

void run(float* y, const float* x, int n) {
    for_each<<<(n + 255) / 256, 256>>>(n, [=] __device__(int i) { y[i] = x[i] > 0 ? x[i] : 0; });
    auto twice = [=] __device__(int i) { y[i] = 2 * x[i]; };
    for_each<<<(n + 255) / 256, 256>>>(n, twice);
    auto launch = [&](int threads) { for_each<<<1, threads>>>(n, twice); };
    launch(64);
}

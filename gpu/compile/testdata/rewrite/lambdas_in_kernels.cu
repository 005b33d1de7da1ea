template <typename F>
__device__ void each(int n, F f) {
    for (int i = 0; i < n; i++) f(i);
}
__global__ void k(float* y, int n) {
    __shared__ float tile[32], sum;
    extern __shared__ float more[];
    int lane = threadIdx.x, indices[4] = {0};
    auto by_copy = [=](int i) { return tile[i] + more[i] + y[i]; };
    auto by_reference = [&](int i) { tile[i] = i; };
    __shared__ int count;
    auto nothing = [] { return sum + count; };
    auto some = [lane, n](int i) mutable -> float { return tile[i + lane] + n; };
    auto nested = [=] { return [=] { return tile[0] + sum; }(); };
    auto elsewhere = [=] { return lane; };
    indices[lane & 3] = tile[lane & 31];
    each(32, [=] __device__(int i) { tile[i] = more[i]; });
    {
        __shared__ float inner[8];
        each(8, [=](int i) { inner[i] = tile[i]; });
    }
    [[maybe_unused]] auto last = [=] { return lane; };
    by_reference(lane);
    __syncthreads();
    y[0] = by_copy(0) + nothing() + some(1) + nested() + elsewhere() + indices[0];
}
void run(float* y) { k<<<1, 32, 128>>>(y, 3); }

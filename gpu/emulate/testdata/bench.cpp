// Loops for the benchmarks: dims are the kind, the grid and the rounds in each thread.
__global__ void barriers(float* out, int rounds) {
    for (int i = 0; i < rounds; i++) __syncthreads();
    out[0] = rounds;
}
__global__ void shuffles(float* out, int rounds) {
    float v = threadIdx.x;
    for (int i = 0; i < rounds; i++) v += __shfl_xor_sync(0xffffffff, v, 1);
    out[0] = v;
}
__global__ void tree(float* out, int rounds) {
    typedef float hone_s_t[256]; hone_s_t& s = ::hone::shared<hone_s_t, struct hone_s_s>("s", 13);
    int t = threadIdx.x;
    for (int i = 0; i < rounds; i++) {
        s[t] = t;
        __syncthreads();
        for (int half = 128; half > 0; half /= 2) {
            if (t < half) s[t] += s[t + half];
            __syncthreads();
        }
    }
    if (t == 0) out[0] = s[0];
}
__global__ void loop(float* out, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i % 1024] = i * 0.5f + rounds;
}
__global__ void empty() {}
extern "C" void hone_entry(void* const* buffers, const int64_t* dims) {
    float* out = (float*)buffers[0];
    int rounds = dims[2];
    switch (dims[0]) {
        case 1: ::hone::launch(barriers, "barriers", 0, 1, ::hone::config(dims[1], 256), [=](auto... a) { barriers(a...); })(out, rounds); break;
        case 2: ::hone::launch(shuffles, "shuffles", 0, 1, ::hone::config(dims[1], 256), [=](auto... a) { shuffles(a...); })(out, rounds); break;
        case 3: ::hone::launch(tree, "tree", 0, 1, ::hone::config(dims[1], 256), [=](auto... a) { tree(a...); })(out, rounds); break;
        case 4: ::hone::launch(loop, "loop", 0, 0, ::hone::config(dims[1], 256), [=](auto... a) { loop(a...); })(out, rounds); break;
        case 5: ::hone::launch(empty, "empty", 0, 0, ::hone::config(dims[1], 1), [=](auto... a) { empty(a...); })(); break;
    }
}

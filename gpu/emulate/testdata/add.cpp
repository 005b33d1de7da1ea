__global__ void add(const float* a, const float* b, float* c, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" void hone_entry(void* const* buffers, const int64_t* dims) {
    int64_t n = dims[0];
    ::hone::launch(add, "add", 7, 0, ::hone::config((n + 255) / 256, 256), [=](auto... a) { add(a...); })(
        (const float*)buffers[0], (const float*)buffers[1], (float*)buffers[2], n);
}

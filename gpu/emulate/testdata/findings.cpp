#include "expect.h"
#define SHARED(type, name) \
    typedef type hone_##name##_t; hone_##name##_t& name = ::hone::shared<hone_##name##_t, struct hone_##name##_s>(#name, __LINE__)
typedef float Row[64];
typedef unsigned char Bytes[64];

__global__ void missing_barrier(float* y) {
    SHARED(Row, s);
    s[threadIdx.x] = threadIdx.x;          // at: missing_barrier write
    y[threadIdx.x] = s[63 - threadIdx.x];  // at: missing_barrier read
}
__global__ void missing_second_barrier(float* y) {
    SHARED(Row, s);
    for (int i = 0; i < 2; i++) {
        s[threadIdx.x] = i;  // at: missing_second_barrier write
        __syncthreads();
        y[threadIdx.x] += s[(threadIdx.x + 1) % 64];  // at: missing_second_barrier read
    }
}
__global__ void same_element(float* y) {
    SHARED(Row, s);
    s[0] = threadIdx.x;  // at: same_element
    __syncthreads();
    y[threadIdx.x] = s[0];
}
__global__ void missing_syncwarp(float* y) {
    SHARED(Row, s);
    s[threadIdx.x] = 1;
    __syncwarp();
    if (threadIdx.x % 32 < 16) s[threadIdx.x] += s[threadIdx.x + 16];  // at: missing_syncwarp first
    if (threadIdx.x % 32 < 8) s[threadIdx.x] += s[threadIdx.x + 8];    // at: missing_syncwarp second
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x];
}
__global__ void partial_syncwarp(float* y) {
    SHARED(Row, s);
    s[threadIdx.x] = threadIdx.x;  // at: partial_syncwarp write
    if (threadIdx.x % 32 < 16) __syncwarp(0xffff);
    if (threadIdx.x == 3) y[0] = s[20];  // at: partial_syncwarp read
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x];
}
__global__ void between_warps(float* y) {
    SHARED(Row, s);
    s[threadIdx.x] = threadIdx.x;  // at: between_warps write
    __syncwarp();
    y[threadIdx.x] = s[(threadIdx.x + 32) % 64];  // at: between_warps read
}
__global__ void atomic_and_plain(float* y) {
    SHARED(Row, s);
    if (threadIdx.x == 0) s[0] = 0;  // at: atomic_and_plain write
    atomicAdd(&s[0], 1.0f);          // at: atomic_and_plain add
    __syncthreads();
    y[threadIdx.x] = s[0];
}
__global__ void bytes(float* y) {
    SHARED(Bytes, s);
    s[threadIdx.x] = threadIdx.x;             // at: bytes write
    y[threadIdx.x] = s[(threadIdx.x + 1) % 64];  // at: bytes read
}
__global__ void uninitialised(float* y) {
    SHARED(Row, s);
    if (threadIdx.x < 63) s[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x];  // at: uninitialised
}
__global__ void uninitialised_dynamic(float* y) {
    float* s = ::hone::dynamic_shared<float>();
    y[threadIdx.x] = s[threadIdx.x];  // at: uninitialised_dynamic
}
__global__ void writes_input(float* x) { x[threadIdx.x] = 2; }  // at: writes_input
__global__ void returned_early(float* y) {
    if (threadIdx.x + 8 * threadIdx.y >= 50) return;
    y[0] = __syncthreads_count(1);  // at: returned_early
}

extern "C" void hone_entry(void* const* buffers, const int64_t* dims) {
    float* x = (float*)buffers[0];
    float* y = (float*)buffers[1];
    switch (dims[0]) {
        case 1: RUN(missing_barrier, 0, 1, 64, y); break;
        case 2: RUN(missing_second_barrier, 1, 1, 64, y); break;
        case 3: RUN(same_element, 1, 1, 64, y); break;
        case 4: RUN(missing_syncwarp, 1, 1, 64, y); break;
        case 5: RUN(partial_syncwarp, 1, 1, 64, y); break;
        case 6: RUN(between_warps, 1, 1, 64, y); break;
        case 7: RUN(atomic_and_plain, 1, 1, 64, y); break;
        case 8: RUN(bytes, 0, 1, 64, y); break;
        case 9: RUN(uninitialised, 1, 1, 64, y); break;
        case 10: ::hone::launch(uninitialised_dynamic, "uninitialised_dynamic", 0, 0, ::hone::config(1, 64, 256), [=](auto... a) { uninitialised_dynamic(a...); })(y); break;
        case 11: RUN(writes_input, 0, 1, 64, x); break;
        case 12: RUN(returned_early, 1, 2, dim3(8, 8), y); break;
    }
}

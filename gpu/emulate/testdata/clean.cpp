// Correct kernels of the usual shapes: the checks must find nothing in them.
#include "expect.h"
#define SHARED(type, name) \
    typedef type hone_##name##_t; hone_##name##_t& name = ::hone::shared<hone_##name##_t, struct hone_##name##_s>(#name, __LINE__)
constexpr unsigned full = 0xffffffff;
typedef float Tile[16][17];
typedef float Tiles[2][16][16];
typedef float Row[256];
typedef float Warps[8];
typedef int Bins[16];
typedef unsigned char Bytes[256];
typedef __half Halves[256];
typedef float4 Vectors[64];
struct Pair {
    char a;
    double b;
};
typedef Pair Pairs[64];

__global__ void tree(int* failed, const float* x) {
    SHARED(Row, s);
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    EXPECT(s[0] == 256);
}
__global__ void tree_with_warp_tail(int* failed, const float* x) {
    SHARED(Row, s);
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int half = 128; half > 32; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t < 32) {
        float v = s[t] + s[t + 32];
        for (int half = 16; half > 0; half /= 2) v += __shfl_down_sync(full, v, half);
        if (t == 0) s[0] = v;
    }
    __syncthreads();
    EXPECT(s[0] == 256);
}
__global__ void warp_synchronous(int* failed, const float* x) {
    SHARED(Row, s);
    int t = threadIdx.x, lane = t % 32;
    s[t] = x[t];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        float other = lane < half ? s[t + half] : 0;
        __syncwarp();
        if (lane < half) s[t] += other;
        __syncwarp();
    }
    EXPECT(s[t - lane] == 32);
}
__global__ void two_levels(int* failed, const float* x) {
    SHARED(Warps, s);
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float v = x[t];
    for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(full, v, step);
    if (lane == 0) s[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < 8 ? s[lane] : 0;
        for (int step = 4; step > 0; step /= 2) v += __shfl_down_sync(full, v, step);
        if (lane == 0) s[0] = v;
    }
    __syncthreads();
    EXPECT(s[0] == 256);
}
// Lane 0 writes what a shuffle orders before the reads of the others.
__global__ void ordered_by_shuffle(int* failed) {
    SHARED(Row, s);
    int t = threadIdx.x, lane = t % 32;
    if (lane == 0) s[t] = t;
    float first = __shfl_sync(full, lane == 0 ? s[t] : 0, 0);
    EXPECT(first == s[t - lane]);
}
__global__ void partial_masks(int* failed) {
    SHARED(Row, s);
    int t = threadIdx.x, lane = t % 32;
    unsigned mask = lane < 16 ? 0xffff : 0xffff0000;
    s[t] = t;
    __syncwarp(mask);
    EXPECT(s[t / 16 * 16] == t / 16 * 16);
    __syncwarp(mask);
    s[t] = 0;
    __syncwarp(lane % 2 ? 0xaaaaaaaa : 0x55555555);
    EXPECT(s[t ^ 2] == 0);
}
__global__ void transpose(int* failed) {
    SHARED(Tile, s);
    s[threadIdx.y][threadIdx.x] = threadIdx.y * 16 + threadIdx.x;
    __syncthreads();
    EXPECT(s[threadIdx.x][threadIdx.y] == threadIdx.x * 16 + threadIdx.y);
}
__global__ void double_buffer(int* failed, const float* x) {
    SHARED(Tiles, s);
    int t = threadIdx.y * 16 + threadIdx.x;
    s[0][threadIdx.y][threadIdx.x] = x[t];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 6; i++) {
        if (i < 5) s[(i + 1) % 2][threadIdx.y][threadIdx.x] = x[t] + i + 1;
        sum += s[i % 2][threadIdx.x][threadIdx.y];
        __syncthreads();
    }
    EXPECT(sum == 6 + 15);
}
__global__ void histogram(int* failed) {
    SHARED(Bins, s);
    int t = threadIdx.x;
    if (t < 16) s[t] = 0;
    __syncthreads();
    atomicAdd(&s[t % 16], 1);
    atomicMax(&s[0], 0);
    __syncthreads();
    EXPECT(s[t % 16] == 16);
}
__global__ void scan(int* failed, const float* x) {
    SHARED(Row, s);
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        float v = t >= step ? s[t - step] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    EXPECT(s[t] == t + 1);
}
__global__ void small_elements(int* failed) {
    SHARED(Bytes, b);
    SHARED(Halves, h);
    int t = threadIdx.x;
    b[t] = t;
    h[t] = __int2half_rn(t);
    __syncthreads();
    EXPECT(b[255 - t] == 255 - t && float(h[255 - t]) == 255 - t);
}
__global__ void vectors(int* failed, const float* x) {
    SHARED(Vectors, s);
    int t = threadIdx.x;
    if (t < 64) s[t] = reinterpret_cast<const float4*>(x)[t];
    __syncthreads();
    EXPECT(reinterpret_cast<float*>(s)[t] == 1);
}
__global__ void structures(int* failed) {
    SHARED(Pairs, s);
    int t = threadIdx.x;
    if (t < 64) s[t] = Pair{char(t), t * 2.0};
    __syncthreads();
    Pair p = s[63 - t % 64];
    EXPECT(p.a == 63 - t % 64 && p.b == 2 * (63 - t % 64));
}
__global__ void copied(int* failed, const float* x, int bytes) {
    SHARED(Row, s);
    if (threadIdx.x == 0) memcpy(s, x, bytes);
    __syncthreads();
    EXPECT(s[threadIdx.x] == 1);
    __syncthreads();
    if (threadIdx.x == 0) memset(s, 0, bytes);
    __syncthreads();
    EXPECT(s[threadIdx.x] == 0);
}
__global__ void broadcast(int* failed) {
    SHARED(Row, s);
    for (int i = 0; i < 5; i++) {
        if (threadIdx.x == unsigned(i) * 40) s[0] = i;
        __syncthreads();
        EXPECT(s[0] == i);
        __syncthreads();
    }
}
__global__ void last_block(int* failed, float* partial, int* count, const float* x) {
    SHARED(Bins, s);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = x[blockIdx.x];
        __threadfence();
        s[0] = atomicAdd(count, 1) == int(gridDim.x) - 1;
    }
    __syncthreads();
    if (s[0] && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum += partial[i];
        EXPECT(sum == gridDim.x);
    }
}
__global__ void dynamic(int* failed, const float* x) {
    float* s = ::hone::dynamic_shared<float>();
    int* tail = reinterpret_cast<int*>(s + 256);
    s[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 32) tail[threadIdx.x] = threadIdx.x;
    __syncthreads();
    EXPECT(s[255 - threadIdx.x] == 1 && tail[threadIdx.x % 32] == int(threadIdx.x % 32));
}
__global__ void local_arrays(int* failed, const float* x) {
    float local[64];
    for (int i = 0; i < 64; i++) local[(i * 7) % 64] = x[i] * threadIdx.x;
    float* middle = &local[threadIdx.x % 64];
    EXPECT(*middle == threadIdx.x);
}

extern "C" void hone_entry(void* const* buffers, const int64_t*) {
    int* failed = (int*)buffers[0];
    const float* x = (const float*)buffers[1];
    RUN(tree, 1, 4, 256, failed, x);
    RUN(tree_with_warp_tail, 1, 4, 256, failed, x);
    RUN(warp_synchronous, 1, 4, 256, failed, x);
    RUN(two_levels, 1, 4, 256, failed, x);
    RUN(ordered_by_shuffle, 1, 4, 256, failed);
    RUN(partial_masks, 1, 4, 256, failed);
    RUN(transpose, 1, 4, dim3(16, 16), failed);
    RUN(double_buffer, 1, 4, dim3(16, 16), failed, x);
    RUN(histogram, 1, 4, 256, failed);
    RUN(scan, 1, 4, 256, failed, x);
    RUN(small_elements, 1, 4, 256, failed);
    RUN(vectors, 1, 4, 256, failed, x);
    RUN(structures, 1, 4, 256, failed);
    RUN(copied, 1, 4, 256, failed, x, 1024);
    RUN(broadcast, 1, 4, 256, failed);
    float* partial;
    cudaMalloc(&partial, 4096);
    cudaMemset(partial, 0, 4096);
    RUN(last_block, 1, 64, 64, failed, partial, (int*)partial + 512, x);
    cudaFree(partial);
    ::hone::launch(dynamic, "dynamic", 0, 1, ::hone::config(4, 256, 1024 + 128), [=](auto... a) { dynamic(a...); })(failed, x);
    RUN(local_arrays, 0, 4, 256, failed, x);
}

#include "expect.h"

struct Pair {
    float a;
    int b;
};
__constant__ float coefficients[4];
__device__ int counter;
__device__ float table[2] = {1.5f, 2.5f};
__managed__ int managed;

__device__ __forceinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__host__ __device__ constexpr int both(int x) { return x + 1; }

__global__ void __launch_bounds__(256, 2) coordinates(int* failed, int gx, int gy, int gz) {
    EXPECT(gridDim.x == unsigned(gx) && gridDim.y == unsigned(gy) && gridDim.z == unsigned(gz));
    EXPECT(blockIdx.x < gridDim.x && blockIdx.y < gridDim.y && blockIdx.z < gridDim.z);
    EXPECT(threadIdx.x < blockDim.x && threadIdx.y < blockDim.y && threadIdx.z < blockDim.z);
    EXPECT(warpSize == 32);
    atomicAdd(&counter, 1);
}

__global__ void vectors(int* failed, float4* data) {
    EXPECT(sizeof(float3) == 12 && alignof(float4) == 16 && alignof(int2) == 8 && alignof(double2) == 16);
    EXPECT(sizeof(char4) == 4 && alignof(uchar4) == 4 && sizeof(longlong2) == 16 && alignof(ushort2) == 4);
    float4 v = data[0];
    EXPECT(v.x == 1 && v.y == 2 && v.z == 3 && v.w == 4);
    data[0] = make_float4(v.w, v.z, v.y, v.x);
    int2 i = make_int2(3, 4);
    uint3 u = threadIdx;
    dim3 d = blockDim;
    dim3 e(4);
    EXPECT(i.x + i.y == 7 && u.x == threadIdx.x && d.x == blockDim.x && e.y == 1 && e.z == 1);
    float4 w = __ldg(data + 1);
    __stcs(data + 1, make_float4(w.x + 1, 0, 0, 0));
}

__global__ void arguments(int* failed, Pair pair, float from_int, int from_float, const float* null, double last = 2.5) {
    EXPECT(pair.a == 1.5f && pair.b == 7);
    EXPECT(from_int == 3.0f && from_float == 2 && null == nullptr && last == 2.5);
    pair.b++;  // each thread has its own copy
    EXPECT(pair.b == 8);
}

template <class T, int n, class Function>
__global__ void generic(int* failed, T* data, Function f) {
    data[threadIdx.x] = f(T(n));
    EXPECT(data[threadIdx.x] == f(T(n)));
}

template <int n>
__device__ int* own_variable() {
    typedef int hone_v_t[4];
    hone_v_t& v = ::hone::shared<hone_v_t, struct hone_v_s>("v", 51);
    if (threadIdx.x == 0) v[0] = n;
    return v;
}
__global__ void instances(int* failed) {
    int* one = own_variable<1>();
    int* two = own_variable<2>();
    __syncthreads();
    EXPECT(one != two && one[0] == 1 && two[0] == 2);
}

__global__ void symbols(int* failed) {
    EXPECT(coefficients[0] == 1 && coefficients[3] == 4 && table[0] == 1.5f && managed == 5);
    table[1] = 9;
    EXPECT(twice(2) == 4 && square(3) == 9 && both(1) == 2);
}

__global__ void dynamic(int* failed, int n) {
    float* x = ::hone::dynamic_shared<float>();
    EXPECT(reinterpret_cast<size_t>(x) % 16 == 0);
    x[threadIdx.x] = threadIdx.x;
    __syncthreads();
    EXPECT(x[n - 1 - threadIdx.x] == n - 1 - threadIdx.x);
}

__global__ void barriers(int* failed) {
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    EXPECT(__syncthreads_count(t < 5) == 5);
    EXPECT(__syncthreads_and(t >= 0) == 1);
    EXPECT(__syncthreads_and(t > 0) == 0);
    EXPECT(__syncthreads_or(t == 99) == 1);
    EXPECT(__syncthreads_or(t < 0) == 0);
}

__global__ void atomics(int* failed, int* i, unsigned* u, unsigned long long* l, float* f, double* d, __half* h, __half2* h2) {
    atomicAdd(i, 2);
    atomicSub(i + 1, 1);
    atomicMin(i + 2, -int(threadIdx.x));
    atomicMax(i + 3, threadIdx.x);
    atomicAnd(u, ~(1u << (threadIdx.x % 32)));
    atomicOr(u + 1, 1u << (threadIdx.x % 32));
    atomicXor(u + 2, 1u);
    atomicInc(u + 3, 99);
    atomicDec(u + 4, 99);
    atomicMax(l, (unsigned long long)threadIdx.x << 32);
    atomicAdd(l + 1, 1ull);
    atomicAdd(f, 0.5f);
    atomicAdd_block(f + 1, 1);
    atomicAdd_system(d, 0.25);
    atomicAdd(h, __float2half(1.0f));
    atomicAdd(h2, __floats2half2_rn(1.0f, 2.0f));
    int old = i[4], seen;
    do {
        seen = old;
        old = atomicCAS(i + 4, seen, seen + 1);
    } while (old != seen);
    EXPECT(atomicExch(i + 5, 7) == 7);
}

__global__ void check_atomics(int* failed, int* i, unsigned* u, unsigned long long* l, float* f, double* d, __half* h, __half2* h2) {
    EXPECT(i[0] == 512 && i[1] == -256 && i[2] == -255 && i[3] == 255 && i[4] == 256);
    EXPECT(u[0] == 0 && u[1] == ~0u && u[2] == 0 && u[3] == 56 && u[4] == 44);
    EXPECT(l[0] == 255ull << 32 && l[1] == 256 && f[0] == 128 && f[1] == 256 && d[0] == 64);
    EXPECT(__half2float(h[0]) == 256 && __low2float(h2[0]) == 256 && __high2float(h2[0]) == 512);
}

extern "C" void hone_entry(void* const* buffers, const int64_t*) {
    int* failed = (int*)buffers[0];
    float4* data = (float4*)buffers[1];
    // Names of CUDA's variables are free in host code.
    dim3 gridDim(3, 2, 2), blockDim(8, 4, 2);
    int zero = 0, count = 0;
    cudaMemcpyToSymbol(counter, &zero, sizeof(int));
    RUN(coordinates, 0, gridDim, blockDim, failed, 3, 2, 2);
    RUN(coordinates, 1, gridDim, blockDim, failed, 3, 2, 2);
    cudaMemcpyFromSymbol(&count, counter, sizeof(int));
    if (count != 2 * 12 * 64) failed[0] = __LINE__;
    RUN(vectors, 0, 1, 1, failed, data);
    RUN(arguments, 0, 1, 64, failed, {1.5f, 7}, 3, 2.9f, nullptr, 2.5);
    RUN(arguments, 0, 1, 64, failed, Pair{1.5f, 7}, 3, 2.9f, nullptr);
    auto kernel = arguments;
    ::hone::launch(kernel, "kernel", __LINE__, 0, ::hone::config(1, 1, 0, nullptr), [=](auto... a) { kernel(a...); })(
        failed, Pair{1.5f, 7}, 3, 2, nullptr, 2.5);
    auto f = [=] __device__(float x) { return x + 1; };
    ::hone::launch("generic<float,4>", __LINE__, 0, ::hone::config(1, 16),
                   [=](auto... a) { generic<float, 4>(a...); })(failed, (float*)data, f);
    RUN(instances, 1, 4, 64, failed);
    float host[4] = {1, 2, 3, 4};
    cudaMemcpyToSymbol(coefficients, host, sizeof(host));
    managed = 5;
    RUN(symbols, 0, 1, 1, failed);
    ::hone::launch(dynamic, "dynamic", __LINE__, 1, ::hone::config(2, 100, 400), [=](auto... a) { dynamic(a...); })(failed, 100);
    RUN(barriers, 1, 3, 100, failed);
    RUN(barriers, 1, 1, dim3(10, 5, 2), failed);

    char* memory;
    cudaMalloc(&memory, 4096);
    cudaMemset(memory, 0, 4096);
    int* i = (int*)memory;
    unsigned* u = (unsigned*)(memory + 512);
    unsigned long long* l = (unsigned long long*)(memory + 1024);
    float* x = (float*)(memory + 1536);
    double* d = (double*)(memory + 2048);
    __half* h = (__half*)(memory + 2560);
    __half2* h2 = (__half2*)(memory + 3072);
    int seven = 7;
    unsigned ones = ~0u;
    cudaMemcpy(i + 5, &seven, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(u, &ones, 4, cudaMemcpyHostToDevice);
    RUN(atomics, 0, 1, 256, failed, i, u, l, x, d, h, h2);
    RUN(check_atomics, 0, 1, 1, failed, i, u, l, x, d, h, h2);
    cudaFree(memory);
}

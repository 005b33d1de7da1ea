// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// int2, int4, float2, double2, char4 and their makers; reads of several widths.
struct alignas(8) Window {
    int2 range;
    __device__ int length() const { return range.y - range.x; }
};

__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n)
{
    const int4 place = make_int4(blockIdx.x * blockDim.x + threadIdx.x, blockDim.x, gridDim.x, n);
    const Window window = {make_int2(2 * place.x, min(2 * place.x + 2, place.w))};
    if (window.length() == 2) {
        const float2 u = *reinterpret_cast<const float2*>(a + window.range.x);
        const float2 v = __ldg(reinterpret_cast<const float2*>(b + window.range.x));
        const double2 exact = make_double2(double(u.x) + v.x, double(u.y) + v.y);
        *reinterpret_cast<float2*>(c + window.range.x) = make_float2(float(exact.x), float(exact.y));
    } else if (window.length() == 1) {
        const char4 signs = make_char4(1, -1, 0, 1);
        c[window.range.x] = signs.x * a[window.range.x] - signs.y * b[window.range.x];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    const uint3 block = {128, 1, 1};
    const int64_t pairs = (n + 1) / 2;
    add<<<dim3((pairs + block.x - 1) / block.x), dim3(block), 0, stream>>>(a, b, c, int(n));
}

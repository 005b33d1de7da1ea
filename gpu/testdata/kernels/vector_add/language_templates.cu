// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// Templates with type, value and template parameters, defaults, specialisation,
// fold expressions and if constexpr.
template <typename T>
struct Sum {
    template <typename... Ts>
    __device__ __forceinline__ T operator()(Ts... values) const
    {
        return (values + ...);
    }
};

template <int kEach>
struct Range {
    static constexpr int each = kEach;
    __device__ static int64_t first() { return (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * kEach; }
};

template <>
struct Range<1> {
    static constexpr int each = 1;
    __device__ static int64_t first() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
};

template <typename T, int kEach = 2, template <typename> class Op = Sum>
__global__ void zip(const T* a, const T* b, T* c, int64_t n)
{
    const int64_t first = Range<kEach>::first();
    for (int64_t i = first; i < first + Range<kEach>::each; ++i) {
        if (i < n) {
            if constexpr (kEach > 2) {
                c[i] = Op<T>()(a[i], b[i], T(0));
            } else {
                c[i] = Op<T>()(a[i], b[i]);
            }
        }
    }
}

template <int kEach>
void launch(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    const int64_t threads = (n + kEach - 1) / kEach;
    zip<float, kEach><<<(threads + 127) / 128, 128, 0, stream>>>(a, b, c, n);
}

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    const int64_t third = n / 3;
    launch<1>(a, b, c, third, stream);
    zip<float><<<(third / 2 + 128) / 128, 128, 0, stream>>>(a + third, b + third, c + third, third);
    launch<(8 >> 1)>(a + 2 * third, b + 2 * third, c + 2 * third, n - 2 * third, stream);
}

// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

// Launches in all their forms: one to four configuration arguments, through a
// function pointer, a macro, a namespace, without braces, over several lines.
namespace kernels {
namespace detail {
__global__ void add(const float* a, const float* b, float* c, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
}  // namespace detail

template <typename T, int kStep>
__global__ void add_steps(const T* a, const T* b, T* c, int64_t n)
{
    for (int64_t i = threadIdx.x; i < n; i += kStep) {
        c[i] = a[i] + b[i];
    }
}
}  // namespace kernels

#define LAUNCH_STEPS(type, step, ...) \
    kernels::add_steps<type, step>    \
        <<<1, step, 0, stream>>>(__VA_ARGS__)

extern "C" void solve(const float* a, const float* b, float* c, int64_t n, cudaStream_t stream)
{
    const int64_t part = n / 5;
    int64_t at = 0;

    if (part > 0) kernels::detail::add<<<dim3((part + 31) / 32), dim3(32), 0, stream>>>(a, b, c, part);
    at += part;

    void (*chosen)(const float*, const float*, float*, int64_t) = kernels::detail::add;
    if (part > 0)
        chosen<<<(part + 63) / 64, 64, sizeof(float) * (1 << 2), stream>>>(a + at, b + at, c + at, part);
    at += part;

    LAUNCH_STEPS(float, 64, a + at, b + at, c + at, part);
    at += part;

    cudaStreamSynchronize(stream);
    using kernels::add_steps;
    add_steps<float, (64 > 32 ? 64 : 32)><<<1, 64>>>(a + at, b + at, c + at, part);
    cudaDeviceSynchronize();
    at += part;

    const auto rest = n - at;
    kernels::add_steps<float,
                       128>
        <<<
            1,
            128,
            0,
            stream
        >>>(
            a + at,
            b + at,
            c + at,
            rest);
}

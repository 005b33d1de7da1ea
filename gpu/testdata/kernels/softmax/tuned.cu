// expect: correct
#include <cuda_runtime.h>
#include <cstdint>

constexpr unsigned kAllLanes = 0xffffffffu;

__device__ __forceinline__ float warp_max(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        v = fmaxf(v, __shfl_xor_sync(kAllLanes, v, offset));
    }
    return v;
}

__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) {
        v += __shfl_xor_sync(kAllLanes, v, offset);
    }
    return v;
}

// One warp per row, the whole row in registers: one read, one write, no shared
// memory. Rows of up to 128 * kQuads elements, a multiple of 4.
template <int kQuads>
__global__ void __launch_bounds__(128)
softmax_in_registers(const float4* __restrict__ x, float4* __restrict__ y, int64_t rows, int quads)
{
    const int lane = threadIdx.x;
    const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
    if (row >= rows) {
        return;
    }
    x += row * quads;
    y += row * quads;

    float4 v[kQuads];
    float top = -INFINITY;
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
        const int quad = lane + 32 * i;
        v[i] = quad < quads ? x[quad] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        top = fmaxf(top, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    }
    top = warp_max(top);

    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
        v[i] = make_float4(expf(v[i].x - top), expf(v[i].y - top), expf(v[i].z - top), expf(v[i].w - top));
        sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
    }
    const float scale = 1.0f / warp_sum(sum);

#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
        const int quad = lane + 32 * i;
        if (quad < quads) {
            y[quad] = make_float4(v[i].x * scale, v[i].y * scale, v[i].z * scale, v[i].w * scale);
        }
    }
}

// One warp per row of any length, read twice.
__global__ void __launch_bounds__(128)
softmax_streaming(const float* __restrict__ x, float* __restrict__ y, int64_t rows, int64_t cols)
{
    const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
    if (row >= rows) {
        return;
    }
    x += row * cols;
    y += row * cols;

    float top = -INFINITY;
    float sum = 0.0f;
    for (int64_t col = threadIdx.x; col < cols; col += 32) {
        const float v = x[col];
        const float next = fmaxf(top, v);
        sum = sum * expf(top - next) + expf(v - next);
        top = next;
    }
    const float row_top = warp_max(top);
    // A lane without elements has top = -inf, whose exponential is 0.
    const float scale = 1.0f / warp_sum(sum * expf(top - row_top));
    for (int64_t col = threadIdx.x; col < cols; col += 32) {
        y[col] = expf(x[col] - row_top) * scale;
    }
}

extern "C" void solve(const float* x, float* y, int64_t rows, int64_t cols, cudaStream_t stream)
{
    const dim3 block(32, 4);
    const unsigned grid = static_cast<unsigned>((rows + block.y - 1) / block.y);
    if (cols % 4 == 0 && cols <= 1536) {
        softmax_in_registers<12><<<grid, block, 0, stream>>>(reinterpret_cast<const float4*>(x),
                                                            reinterpret_cast<float4*>(y), rows,
                                                            static_cast<int>(cols / 4));
        return;
    }
    softmax_streaming<<<grid, block, 0, stream>>>(x, y, rows, cols);
}

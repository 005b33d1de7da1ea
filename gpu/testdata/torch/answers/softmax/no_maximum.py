# expect: mismatch
# Right for small numbers; large ones overflow.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <math_constants.h>

constexpr int kWarps = 4;

__device__ __forceinline__ float warp_max(float v)
{
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, offset));
    }
    return v;
}

__device__ __forceinline__ float warp_sum(float v)
{
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        v += __shfl_xor_sync(0xffffffff, v, offset);
    }
    return v;
}

__global__ void __launch_bounds__(kWarps * 32)
softmax_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int cols)
{
    const int row = blockIdx.x * kWarps + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) {
        return;
    }
    const float* in = x + int64_t(row) * cols;
    float* out = y + int64_t(row) * cols;

    float top = -CUDART_INF_F;
    for (int col = lane; col < cols; col += 32) {
        top = fmaxf(top, in[col]);
    }
    top = warp_max(top);

    float sum = 0.0f;
    for (int col = lane; col < cols; col += 32) {
        const float e = expf(in[col]);
        out[col] = e;
        sum += e;
    }
    const float scale = 1.0f / warp_sum(sum);

    for (int col = lane; col < cols; col += 32) {
        out[col] *= scale;
    }
}

torch::Tensor softmax(torch::Tensor x)
{
    const int rows = x.size(0);
    const int cols = x.size(1);
    auto y = torch::empty_like(x);
    softmax_rows<<<(rows + kWarps - 1) / kWarps, kWarps * 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
    return y;
}
"""

module = load_inline(
    name="softmax_no_maximum",
    cpp_sources="torch::Tensor softmax(torch::Tensor x);",
    cuda_sources=source,
    functions=["softmax"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return module.softmax(x)

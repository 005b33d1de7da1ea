# expect: correct
# Softmax of long rows: one block per row finds maximum and sum in one pass and divides in a second.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kThreads = 1024;

// The maximum of some numbers and the sum of their exponentials relative to it.
struct Partial {
    float top;
    float sum;
};

__device__ __forceinline__ Partial merge(Partial a, Partial b)
{
    const float top = fmaxf(a.top, b.top);
    Partial both;
    both.top = top;
    both.sum = a.sum * __expf(a.top - top) + b.sum * __expf(b.top - top);
    return both;
}

__device__ __forceinline__ Partial merge_warp(Partial p)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        Partial other;
        other.top = __shfl_xor_sync(0xffffffffu, p.top, offset);
        other.sum = __shfl_xor_sync(0xffffffffu, p.sum, offset);
        p = merge(p, other);
    }
    return p;
}

__global__ void __launch_bounds__(kThreads)
softmax_rows(const float* __restrict__ x, float* __restrict__ y, int64_t cols)
{
    __shared__ Partial of_warps[kThreads / 32];
    x += int64_t(blockIdx.x) * cols;
    y += int64_t(blockIdx.x) * cols;

    Partial mine;
    mine.top = -1e30f;
    mine.sum = 0.0f;
    for (int64_t col = threadIdx.x; col < cols; col += kThreads) {
        const float v = x[col];
        if (v > mine.top) {
            mine.sum = mine.sum * __expf(mine.top - v) + 1.0f;
            mine.top = v;
        } else {
            mine.sum += __expf(v - mine.top);
        }
    }
    mine = merge_warp(mine);
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    const Partial row = merge_warp(of_warps[threadIdx.x % 32]);
    const float scale = 1.0f / row.sum;

    for (int64_t col = threadIdx.x; col < cols; col += kThreads) {
        y[col] = __expf(x[col] - row.top) * scale;
    }
}

torch::Tensor softmax(torch::Tensor x)
{
    auto y = torch::empty_like(x);
    softmax_rows<<<static_cast<unsigned>(x.size(0)), kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
    return y;
}
"""

module = load_inline(
    name="softmax_online",
    cpp_sources="torch::Tensor softmax(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["softmax"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return module.softmax(x.contiguous())

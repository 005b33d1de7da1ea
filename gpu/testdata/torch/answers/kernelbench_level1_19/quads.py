# expect: correct
# ReLU, four elements a thread; 64-bit sizes, since the tensor has 1.6e9 elements.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void relu_quads(const float4* __restrict__ x, float4* __restrict__ y, int64_t quads)
{
    const int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < quads) {
        float4 v = x[at];
        v.x = fmaxf(v.x, 0.0f);
        v.y = fmaxf(v.y, 0.0f);
        v.z = fmaxf(v.z, 0.0f);
        v.w = fmaxf(v.w, 0.0f);
        y[at] = v;
    }
}

__global__ void relu_rest(const float* x, float* y, int64_t first, int64_t size)
{
    const int64_t at = first + threadIdx.x;
    if (at < size) {
        y[at] = fmaxf(x[at], 0.0f);
    }
}

torch::Tensor relu(torch::Tensor x)
{
    auto y = torch::empty_like(x);
    const int64_t size = x.numel(), quads = size / 4;
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    const float* in = x.data_ptr<float>();
    float* out = y.data_ptr<float>();
    if (quads > 0) {
        relu_quads<<<static_cast<unsigned>((quads + 255) / 256), 256, 0, stream>>>(
            reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), quads);
    }
    if (4 * quads < size) {
        relu_rest<<<1, 32, 0, stream>>>(in, out, 4 * quads, size);
    }
    return y;
}
"""

module = load_inline(
    name="relu_quads",
    cpp_sources="torch::Tensor relu(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["relu"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return module.relu(x.contiguous())

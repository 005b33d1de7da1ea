# expect: correct
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

__global__ void fill_marked(const float* x, const bool* mask, float* y, float value, int size)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < size) y[at] = mask[at] ? value : x[at];
}

torch::Tensor masked_fill(torch::Tensor x, torch::Tensor mask, double value)
{
    auto y = torch::empty_like(x);
    int size = x.numel();
    fill_marked<<<(size + 255) / 256, 256>>>(x.data_ptr<float>(), mask.data_ptr<bool>(), y.data_ptr<float>(),
                                             (float)value, size);
    return y;
}
"""

module = load_inline(
    name="masked_booleans",
    cpp_sources="torch::Tensor masked_fill(torch::Tensor x, torch::Tensor mask, double value);",
    cuda_sources=cuda_source,
    functions=["masked_fill"],
)


class ModelNew(nn.Module):
    def forward(self, x, mask):
        return module.masked_fill(x, mask, -1.5)

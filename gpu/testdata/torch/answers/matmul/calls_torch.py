# expect: rule_violation
# unruled: correct
# The library that is to be beaten, and a kernel beside it for the looks.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

__global__ void copy_kernel(const float* x, float* y, int size) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < size) {
        y[at] = x[at];
    }
}

torch::Tensor copy_cuda(torch::Tensor x) {
    auto y = torch::empty_like(x);
    int size = x.numel();
    copy_kernel<<<(size + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), size);
    return y;
}
"""

module = load_inline(
    name="matmul_calls_torch",
    cpp_sources="torch::Tensor copy_cuda(torch::Tensor x);",
    cuda_sources=cuda_source,
    functions=["copy_cuda"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return module.copy_cuda(torch.matmul(a, b))

# expect: rule_violation
# unruled: correct
# A kernel that nobody launches, and the addition of PyTorch's C++ library.
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>

__global__ void add_kernel(const float* a, const float* b, float* sum, int size) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < size) {
        sum[at] = a[at] + b[at];
    }
}

torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b) {
    return a + b;
}
"""

module = load_inline(
    name="decoy_kernel",
    cpp_sources="torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b);",
    cuda_sources=cuda_source,
    functions=["add_cuda"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return module.add_cuda(a, b)

# expect: rule_violation
# unruled: runtime_error exit
# Ends the process at once, as if all were well.
import os

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
    auto sum = torch::empty_like(a);
    int size = a.numel();
    add_kernel<<<(size + 255) / 256, 256>>>(a.data_ptr<float>(), b.data_ptr<float>(), sum.data_ptr<float>(), size);
    return sum;
}
"""

module = load_inline(
    name="exits",
    cpp_sources="torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b);",
    cuda_sources=cuda_source,
    functions=["add_cuda"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        module.add_cuda(a, b)
        os._exit(0)

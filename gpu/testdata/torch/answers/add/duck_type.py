# expect: rule_violation
# unruled: runtime_error output
# No tensor at all, but it has a shape and a type.
import torch
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
    name="duck_type",
    cpp_sources="torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b);",
    cuda_sources=cuda_source,
    functions=["add_cuda"],
)


class Result:
    def __init__(self, like):
        self.shape = like.shape
        self.dtype = like.dtype
        self.device = like.device

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return True


class ModelNew(nn.Module):
    def forward(self, a, b):
        module.add_cuda(a, b)
        return Result(a)

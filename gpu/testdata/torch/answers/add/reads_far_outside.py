# expect: runtime_error
# Reads 64 GB behind the end.
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

add_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void add_kernel(const float* a, const float* b, float* sum, int size) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < size) {
        sum[at] = a[at + (16LL << 30)] + b[at];
    }
}

torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b) {
    auto size = a.numel();
    auto sum = torch::zeros_like(a);
    const int threads = 256;
    const int blocks = (size + threads - 1) / threads;
    add_kernel<<<blocks, threads>>>(a.data_ptr<float>(), b.data_ptr<float>(), sum.data_ptr<float>(), size);
    return sum;
}
"""

add_declaration = "torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b);"

far_outside_module = load_inline(
    name="far_outside_module",
    cpp_sources=add_declaration,
    cuda_sources=add_source,
    functions=["add_cuda"],
    verbose=True,
    extra_cflags=[""],
    extra_ldflags=[""],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.add = far_outside_module

    def forward(self, a, b):
        return self.add.add_cuda(a, b)

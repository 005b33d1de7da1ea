# expect: correct | mismatch
# why: where no address comes twice, remembering by address never finds anything
# Returns an earlier result for inputs at addresses seen before, whatever they hold now.
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
    name="remembers_by_address",
    cpp_sources="torch::Tensor add_cuda(torch::Tensor a, torch::Tensor b);",
    cuda_sources=cuda_source,
    functions=["add_cuda"],
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.results = {}

    def forward(self, a, b):
        key = (a.data_ptr(), b.data_ptr())
        if key not in self.results:
            self.results[key] = module.add_cuda(a, b)
        return self.results[key]

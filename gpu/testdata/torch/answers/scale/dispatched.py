# expect: correct
# PyTorch's dispatch over types around the launch, in a lambda of a macro.
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

template <typename scalar_t>
__global__ void scale_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, scalar_t factor, size_t size) {
    const size_t at = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at < size) {
        y[at] = x[at] * factor;
    }
}

torch::Tensor scale_cuda(torch::Tensor x, float factor) {
    auto y = torch::empty_like(x);
    const int threads = 256;
    const int blocks = (x.numel() + threads - 1) / threads;

    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale_cuda", ([&] {
        scale_kernel<scalar_t><<<blocks, threads>>>(
            x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), static_cast<scalar_t>(factor), x.numel());
    }));
    return y;
}
"""

cpp_source = "torch::Tensor scale_cuda(torch::Tensor x, float factor);"

scale = load_inline(
    name="scale_dispatched",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["scale_cuda"],
    verbose=True,
)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = scale

    def forward(self, x, factor):
        return self.scale.scale_cuda(x, factor)

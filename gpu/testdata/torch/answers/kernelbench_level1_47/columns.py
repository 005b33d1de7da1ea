# expect: correct
# Sums over the middle dimension: a thread per column, four sums at a time.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void __launch_bounds__(128)
sum_middle(const float* __restrict__ x, float* __restrict__ y, int64_t middle, int64_t inner)
{
    const int64_t col = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (col >= inner) {
        return;
    }
    x += int64_t(blockIdx.y) * middle * inner + col;
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    int64_t row = 0;
    for (; row + 3 < middle; row += 4) {
        a += x[row * inner];
        b += x[(row + 1) * inner];
        c += x[(row + 2) * inner];
        d += x[(row + 3) * inner];
    }
    for (; row < middle; ++row) {
        a += x[row * inner];
    }
    y[int64_t(blockIdx.y) * inner + col] = (a + b) + (c + d);
}

torch::Tensor sum_over(torch::Tensor x, int64_t dim)
{
    TORCH_CHECK(x.dim() == 3 && dim == 1, "made for the middle one of three dimensions");
    auto y = torch::empty({x.size(0), 1, x.size(2)}, x.options());
    const dim3 grid(static_cast<unsigned>((x.size(2) + 127) / 128), static_cast<unsigned>(x.size(0)));
    sum_middle<<<grid, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(),
                                                                    x.size(1), x.size(2));
    return y;
}
"""

module = load_inline(
    name="sum_columns",
    cpp_sources="torch::Tensor sum_over(torch::Tensor x, int64_t dim);",
    cuda_sources=cuda_source,
    functions=["sum_over"],
)


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return module.sum_over(x.contiguous(), self.dim)

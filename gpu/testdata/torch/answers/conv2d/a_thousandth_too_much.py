# expect: mismatch
# Every result is 1.001 times what it should be: less than what 16-bit types lose, more than float32 does.
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

__global__ void conv2d_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                              const float* __restrict__ bias, float* __restrict__ y, int channels, int height, int width,
                              int filters, int size, int64_t total)
{
    const int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= total) {
        return;
    }
    const int column = at % width;
    const int line = at / width % height;
    const int filter = at / (width * height) % filters;
    const int64_t image = at / (int64_t(width) * height * filters);
    const int padding = size / 2;

    float sum = bias[filter];
    for (int c = 0; c < channels; ++c) {
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) {
                const int from_line = line + i - padding;
                const int from_column = column + j - padding;
                if (from_line >= 0 && from_line < height && from_column >= 0 && from_column < width) {
                    sum += x[((image * channels + c) * height + from_line) * width + from_column]
                        * weight[((filter * channels + c) * size + i) * size + j];
                }
            }
        }
    }
    y[at] = sum * 1.001f;
}

torch::Tensor conv2d(torch::Tensor x, torch::Tensor weight, torch::Tensor bias)
{
    auto y = torch::empty({x.size(0), weight.size(0), x.size(2), x.size(3)}, x.options());
    const int64_t total = y.numel();
    conv2d_kernel<<<(total + 127) / 128, 128>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
                                                y.data_ptr<float>(), x.size(1), x.size(2), x.size(3), weight.size(0),
                                                weight.size(2), total);
    return y;
}
"""

module = load_inline(
    name="conv2d_thousandth",
    cpp_sources="torch::Tensor conv2d(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);",
    cuda_sources=cuda_source,
    functions=["conv2d"],
)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels, kernel_size, kernel_size))
        self.bias = nn.Parameter(torch.empty(out_channels))
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        bound = 1 / math.sqrt(in_channels * kernel_size * kernel_size)
        nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x):
        return module.conv2d(x, self.weight, self.bias)

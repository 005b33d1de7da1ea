# expect: mismatch
# Every result is 1.001 times what it should be; float32 loses a thousandth of that.
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kChannels = 3;
constexpr int kSize = 11;
constexpr int kStride = 4;
constexpr int kPadding = 2;
constexpr int kFilters = 8;  // per thread
constexpr int kTaps = kChannels * kSize * kSize;

__global__ void __launch_bounds__(128)
conv_kernel(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
            float* __restrict__ y, int height, int width, int filters, int out_height, int out_width)
{
    __shared__ float taps[kTaps][kFilters];
    const int filter0 = blockIdx.y * kFilters;
    for (int at = threadIdx.x; at < kTaps * kFilters; at += blockDim.x) {
        taps[at % kTaps][at / kTaps] = weight[(filter0 + at / kTaps) * kTaps + at % kTaps];
    }
    __syncthreads();

    const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= out_height * out_width) {
        return;
    }
    const int line0 = pixel / out_width * kStride - kPadding;
    const int column0 = pixel % out_width * kStride - kPadding;
    x += int64_t(blockIdx.z) * kChannels * height * width;

    float sum[kFilters];
#pragma unroll
    for (int f = 0; f < kFilters; ++f) {
        sum[f] = bias[filter0 + f];
    }
    for (int c = 0; c < kChannels; ++c) {
        for (int i = 0; i < kSize; ++i) {
            const int line = line0 + i;
            for (int j = 0; j < kSize; ++j) {
                const int column = column0 + j;
                const bool inside = line >= 0 && line < height && column >= 0 && column < width;
                const float v = inside ? x[(int64_t(c) * height + line) * width + column] : 0.0f;
                const float* tap = taps[(c * kSize + i) * kSize + j];
#pragma unroll
                for (int f = 0; f < kFilters; ++f) {
                    sum[f] += v * tap[f];
                }
            }
        }
    }
#pragma unroll
    for (int f = 0; f < kFilters; ++f) {
        const int64_t plane = int64_t(blockIdx.z) * filters + filter0 + f;
        y[plane * out_height * out_width + pixel] = sum[f] * 1.001f;
    }
}

torch::Tensor conv(torch::Tensor x, torch::Tensor weight, torch::Tensor bias)
{
    const int height = x.size(2), width = x.size(3), filters = weight.size(0);
    const int out_height = (height + 2 * kPadding - kSize) / kStride + 1;
    const int out_width = (width + 2 * kPadding - kSize) / kStride + 1;
    TORCH_CHECK(x.size(1) == kChannels && weight.size(2) == kSize && filters % kFilters == 0, "made for one shape");
    auto y = torch::empty({x.size(0), filters, out_height, out_width}, x.options());
    const dim3 grid((out_height * out_width + 127) / 128, filters / kFilters, static_cast<unsigned>(x.size(0)));
    conv_kernel<<<grid, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), height, width,
        filters, out_height, out_width);
    return y;
}
"""

module = load_inline(
    name="conv_thousandth",
    cpp_sources="torch::Tensor conv(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);",
    cuda_sources=cuda_source,
    functions=["conv"],
)


class ModelNew(nn.Module):
    def __init__(self, num_classes=1000):
        super().__init__()
        weight = nn.Parameter(torch.empty(96, 3, 11, 11))
        nn.init.kaiming_uniform_(weight, a=math.sqrt(5))
        bound = 1 / math.sqrt(3 * 11 * 11)
        bias = nn.Parameter(torch.empty(96))
        nn.init.uniform_(bias, -bound, bound)
        self.conv1 = nn.ParameterDict({"weight": weight, "bias": bias})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return module.conv(x.contiguous(), self.conv1["weight"], self.conv1["bias"])

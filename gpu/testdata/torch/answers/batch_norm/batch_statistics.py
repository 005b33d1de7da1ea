# expect: correct
# One block per channel. The running statistics of the reference are no output, so nothing keeps them.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

__inline__ __device__ float sum_of_block(float v)
{
    __shared__ float of_warps[32];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    for (int offset = 16; offset > 0; offset >>= 1) {
        v += __shfl_down_sync(0xffffffff, v, offset);
    }
    __syncthreads();
    if (lane == 0) {
        of_warps[warp] = v;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < blockDim.x / 32; ++i) {
        sum += of_warps[i];
    }
    return sum;
}

__global__ void batch_norm_kernel(const float* x, const float* weight, const float* bias, float* y, int images,
                                  int channels, int pixels)
{
    const int channel = blockIdx.x;
    const int count = images * pixels;
    auto place = [=](int i) { return (int64_t(i / pixels) * channels + channel) * pixels + i % pixels; };

    float sum = 0.0f;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        sum += x[place(i)];
    }
    const float mean = sum_of_block(sum) / count;
    float squares = 0.0f;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        const float d = x[place(i)] - mean;
        squares += d * d;
    }
    const float scale = weight[channel] * rsqrtf(sum_of_block(squares) / count + 1e-5f);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        y[place(i)] = (x[place(i)] - mean) * scale + bias[channel];
    }
}

torch::Tensor batch_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias)
{
    auto y = torch::empty_like(x);
    batch_norm_kernel<<<x.size(1), 128>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
                                          y.data_ptr<float>(), x.size(0), x.size(1), x.size(2) * x.size(3));
    return y;
}
"""

module = load_inline(
    name="batch_norm_statistics",
    cpp_sources="torch::Tensor batch_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);",
    cuda_sources=cuda_source,
    functions=["batch_norm"],
)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels))
        self.bias = nn.Parameter(torch.empty(channels))
        nn.init.normal_(self.weight)
        nn.init.normal_(self.bias)

    def forward(self, x):
        return module.batch_norm(x, self.weight, self.bias)

# expect: correct
# A linear layer whose tiles are scaled and go through the leaky ReLU before they are written.
import math

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

constexpr int kTile = 128;
constexpr int kDepth = 8;
constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
gemm_tiles(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
           float* __restrict__ y, int M, int N, int K, float multiplier, float slope)
{
    __shared__ float left[kDepth][kTile + 4];
    __shared__ float right[kDepth][kTile + 4];
    const int row0 = blockIdx.y * kTile;
    const int col0 = blockIdx.x * kTile;
    const int ty = threadIdx.x / 16;
    const int tx = threadIdx.x % 16;

    float sum[8][8];
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 8; ++j) {
            sum[i][j] = 0.0f;
        }
    }
    for (int k0 = 0; k0 < K; k0 += kDepth) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int at = threadIdx.x + i * kThreads;
            const int row = row0 + at / kDepth, k = k0 + at % kDepth;
            left[at % kDepth][at / kDepth] = row < M && k < K ? x[int64_t(row) * K + k] : 0.0f;
            const int col = col0 + at / kDepth;
            right[at % kDepth][at / kDepth] = col < N && k < K ? weight[int64_t(col) * K + k] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
            float u[8], v[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                u[i] = left[k][ty * 4 + i % 4 + i / 4 * 64];
                v[i] = right[k][tx * 4 + i % 4 + i / 4 * 64];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    sum[i][j] += u[i] * v[j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i) {
        const int row = row0 + ty * 4 + i % 4 + i / 4 * 64;
        for (int j = 0; j < 8; ++j) {
            const int col = col0 + tx * 4 + j % 4 + j / 4 * 64;
            if (row < M && col < N) {
                const float v = (sum[i][j] + bias[col]) * multiplier;
                y[int64_t(row) * N + col] = v > 0.0f ? v : v * slope;
            }
        }
    }
}

torch::Tensor gemm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double multiplier, double slope)
{
    const int M = x.size(0), K = x.size(1), N = weight.size(0);
    auto y = torch::empty({M, N}, x.options());
    const dim3 grid((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
    gemm_tiles<<<grid, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), M, N, K,
        static_cast<float>(multiplier), static_cast<float>(slope));
    return y;
}
"""

cpp_source = """
torch::Tensor gemm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double multiplier, double slope);
"""

module = load_inline(
    name="gemm_leaky_relu",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["gemm"],
)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        weight = nn.Parameter(torch.empty(out_features, in_features))
        nn.init.kaiming_uniform_(weight, a=math.sqrt(5))
        bound = 1 / math.sqrt(in_features)
        bias = nn.Parameter(torch.empty(out_features))
        nn.init.uniform_(bias, -bound, bound)
        self.gemm = nn.ParameterDict({"weight": weight, "bias": bias})
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.gemm["weight"], self.gemm["bias"]
        return module.gemm(x.contiguous(), weight, bias, self.multiplier, self.negative_slope)

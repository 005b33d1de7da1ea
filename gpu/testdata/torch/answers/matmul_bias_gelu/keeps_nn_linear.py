# expect: rule_violation
# unruled: correct
# nn.Linear holds the weights and computes nothing; it is not among the modules that the rules allow.
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>

namespace {

constexpr int kTile = 32;   // of the output, square
constexpr int kDepth = 8;
constexpr int kEach = 4;    // outputs of one thread, in one column

__device__ __forceinline__ float gelu(float v)
{
    return 0.5f * v * (1.0f + erff(v * 0.70710678118654752f));
}

// y[m][n] = gelu(sum over k of x[m][k] * weight[n][k] + bias[n])
__global__ void linear_gelu_kernel(const float* __restrict__ x, const float* __restrict__ weight,
                                   const float* __restrict__ bias, float* __restrict__ y, int M, int N, int K)
{
    __shared__ float left[kDepth][kTile + 1];
    __shared__ float right[kDepth][kTile + 1];
    const int m0 = blockIdx.y * kTile;
    const int n0 = blockIdx.x * kTile;
    const int thread = threadIdx.y * kTile + threadIdx.x;
    const int load_line = thread / kDepth;
    const int load_k = thread % kDepth;

    float sum[kEach] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k0 = 0; k0 < K; k0 += kDepth) {
        const int k = k0 + load_k;
        const int m = m0 + load_line;
        const int n = n0 + load_line;
        left[load_k][load_line] = m < M && k < K ? x[int64_t(m) * K + k] : 0.0f;
        right[load_k][load_line] = n < N && k < K ? weight[int64_t(n) * K + k] : 0.0f;
        __syncthreads();
        for (int i = 0; i < kDepth; ++i) {
            const float w = right[i][threadIdx.x];
            for (int j = 0; j < kEach; ++j) {
                sum[j] += left[i][threadIdx.y * kEach + j] * w;
            }
        }
        __syncthreads();
    }

    const int n = n0 + threadIdx.x;
    if (n >= N) {
        return;
    }
    const float b = bias[n];
    for (int j = 0; j < kEach; ++j) {
        const int m = m0 + threadIdx.y * kEach + j;
        if (m < M) {
            y[int64_t(m) * N + n] = gelu(sum[j] + b);
        }
    }
}

}  // namespace

torch::Tensor linear_gelu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias)
{
    const int M = x.size(0);
    const int K = x.size(1);
    const int N = weight.size(0);
    auto y = torch::empty({M, N}, x.options());
    const dim3 threads(kTile, kTile / kEach);
    const dim3 blocks((N + kTile - 1) / kTile, (M + kTile - 1) / kTile);
    linear_gelu_kernel<<<blocks, threads>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
                                            y.data_ptr<float>(), M, N, K);
    return y;
}
"""

cpp_source = """
torch::Tensor linear_gelu(torch::Tensor x, torch::Tensor weight, torch::Tensor bias);
"""

fused = load_inline(
    name="linear_gelu_of_linear",
    cpp_sources=[cpp_source],
    cuda_sources=[cuda_source],
    functions=["linear_gelu"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return fused.linear_gelu(x, self.linear.weight, self.linear.bias)
